/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buf.c - text that grows in an arena, and the escapes of SQL and HTML.
 */
#include "base/buf.h"

gm_buf gm_buf_in(gm_cx *cx, gm_arena *a) { return (gm_buf){.cx = cx, .arena = a}; }

gm_buf gm_buf_over(char *p, size_t cap) { return (gm_buf){.p = p, .cap = cap}; }

/* Room for n more bytes and a NUL. */
static bool room(gm_buf *b, size_t n)
{
    if (b->code != GM_OK) return false;
    if (n < b->cap - b->len) return true;
    if (b->arena == NULL) return b->code = GM_ELIMIT, false;
    size_t cap = b->cap ? b->cap : 64;
    while (cap - b->len <= n && cap < SIZE_MAX / 4) cap *= 2;
    char *p = gm_regrow(b->cx, b->arena, b->p, (int64_t)b->len, (int64_t)cap, 1);
    if (p == NULL) {
        b->code = gm_cx_code(b->cx);
        return false;
    }
    b->p = p;
    b->cap = cap;
    return true;
}

void gm_buf_add(gm_buf *b, const char *s, size_t n)
{
    if (!room(b, n)) return;
    if (n) memcpy(b->p + b->len, s, n);
    b->len += n;
    b->p[b->len] = 0;
}

void gm_buf_str(gm_buf *b, const char *s) { gm_buf_add(b, s, strlen(s)); }

void gm_buf_printf(gm_buf *b, const char *fmt, ...)
{
    char small[256];
    va_list ap;
    va_start(ap, fmt);
    int n = gm_vformat(small, sizeof small, fmt, ap);
    va_end(ap);
    if (n < 0) {
        if (b->code == GM_OK) b->code = gm_fail(b->cx, GM_EINTERNAL, "a text cannot be formatted");
        return;
    }
    if ((size_t)n < sizeof small) {
        gm_buf_add(b, small, (size_t)n);
        return;
    }
    if (!room(b, (size_t)n)) return;
    va_start(ap, fmt);
    gm_vformat(b->p + b->len, (size_t)n + 1, fmt, ap);
    va_end(ap);
    b->len += (size_t)n;
}

gm_code gm_buf_done(gm_buf *b)
{
    gm_buf_add(b, "", 0);
    return b->code;
}

static void quoted(gm_buf *b, const char *s, char quote)
{
    gm_buf_add(b, &quote, 1);
    for (const char *end; (end = strchr(s, quote)) != NULL; s = end + 1) {
        gm_buf_add(b, s, (size_t)(end - s) + 1);
        gm_buf_add(b, &quote, 1);
    }
    gm_buf_str(b, s);
    gm_buf_add(b, &quote, 1);
}

void gm_buf_ident(gm_buf *b, const char *name) { quoted(b, name, '"'); }
void gm_buf_literal(gm_buf *b, const char *text) { quoted(b, text, '\''); }

static const char *html(unsigned char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return "\xEF\xBF\xBD";
    }
}

void gm_buf_html(gm_buf *b, const char *text, size_t n)
{
    size_t from = 0;
    for (size_t i = 0; i < n;) {
        unsigned char c = (unsigned char)text[i];
        size_t k = gm_utf8_len(text + i, n - i);
        bool control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
        if (k != 0 && !control && (c >= 0x80 || strchr("&<>\"'", c) == NULL)) {
            i += k;
            continue;
        }
        gm_buf_add(b, text + from, i - from);
        gm_buf_str(b, html(k == 0 || control ? 0 : c));
        from = i += 1;
    }
    gm_buf_add(b, text + from, n - from);
}

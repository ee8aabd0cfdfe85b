/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.c - the JSON writer. What it writes is always JSON (RFC 8259): broken UTF-8 becomes U+FFFD, numbers
 * that are not finite become null; and it may stand inside <script>: no "</", "<!" or "<s" comes out.
 */
#include "base/buf.h"
#include <math.h>

static void text(gm_buf *b, const char *s, size_t n)
{
    size_t from = 0;
    gm_buf_add(b, "\"", 1);
    for (size_t i = 0; i < n;) {
        unsigned char c = (unsigned char)s[i];
        size_t k = c < 0x80 ? 1 : gm_utf8_len(s + i, n - i);
        bool tag = c == '<' && i + 1 < n && strchr("/!sS", s[i + 1]) != NULL;
        if (k != 0 && c >= 0x20 && c != '"' && c != '\\' && c != 0x7f && !tag) {
            i += k;
            continue;
        }
        gm_buf_add(b, s + from, i - from);
        if (k == 0) gm_buf_str(b, "\xEF\xBF\xBD");
        else if (c == '"' || c == '\\') gm_buf_add(b, (const char[]){'\\', (char)c}, 2);
        else if (c == '\n') gm_buf_str(b, "\\n");
        else if (c == '\t') gm_buf_str(b, "\\t");
        else if (c == '\r') gm_buf_str(b, "\\r");
        else gm_buf_printf(b, "\\u%04x", (unsigned)c);
        from = i += 1;
    }
    gm_buf_add(b, s + from, n - from);
    gm_buf_add(b, "\"", 1);
}

static void begin(gm_buf *b, const char *key)
{
    if (b->comma) gm_buf_add(b, ",", 1);
    if (key) {
        text(b, key, strlen(key));
        gm_buf_add(b, ":", 1);
    }
    b->comma = b->depth > 0;
}

void gm_json_open(gm_buf *b, const char *key, char bracket)
{
    begin(b, key);
    gm_buf_add(b, &bracket, 1);
    b->depth++;
    b->comma = false;
}

void gm_json_close(gm_buf *b, char bracket)
{
    gm_buf_add(b, &bracket, 1);
    b->depth--;
    b->comma = b->depth > 0;
}

void gm_json_raw(gm_buf *b, const char *key, const char *json)
{
    begin(b, key);
    gm_buf_str(b, json);
}

void gm_json_text(gm_buf *b, const char *key, const char *v, size_t n)
{
    begin(b, key);
    text(b, v, n);
}

void gm_json_str(gm_buf *b, const char *key, const char *v)
{
    if (v) gm_json_text(b, key, v, strlen(v));
    else gm_json_null(b, key);
}

void gm_json_real(gm_buf *b, const char *key, double v)
{
    char number[32];
    gm_real_text(v, false, number);
    gm_json_raw(b, key, isfinite(v) ? number : "null");
}

void gm_json_int(gm_buf *b, const char *key, int64_t v)
{
    begin(b, key);
    gm_buf_printf(b, "%lld", (long long)v);
}

void gm_json_bool(gm_buf *b, const char *key, bool v) { gm_json_raw(b, key, v ? "true" : "false"); }
void gm_json_null(gm_buf *b, const char *key) { gm_json_raw(b, key, "null"); }

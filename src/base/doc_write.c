/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc_write.c - documents back to JSON and YAML. The YAML reads back as the same document here and in readers
 * of YAML 1.1: whatever either could take for something else than a text stands in double quotes.
 */
#include "base/doc.h"
#include <math.h>

/* YAML 1.2, 7.4.2: a key before a bare colon has at most 1024 characters, escapes and all. */
enum { LONGEST_SIMPLE_KEY = 120 };

static void real_json(gm_buf *b, const char *key, double v)
{
    char number[32];
    gm_real_text(v, true, number);
    if (isfinite(v)) gm_json_raw(b, key, number);
    else gm_json_str(b, key, number);
}

void gm_doc_write_json(gm_buf *b, const char *key, const gm_doc *d)
{
    switch (d->kind) {
    case GM_D_NULL: gm_json_null(b, key); return;
    case GM_D_BOOL: gm_json_bool(b, key, d->b); return;
    case GM_D_INT: gm_json_int(b, key, d->i); return;
    case GM_D_REAL: real_json(b, key, d->real); return;
    case GM_D_STR: gm_json_str(b, key, d->str); return;
    case GM_D_LIST:
    case GM_D_MAP: break;
    }
    gm_json_open(b, key, d->kind == GM_D_LIST ? '[' : '{');
    for (int64_t i = 0; i < d->n; i++) gm_doc_write_json(b, d->child[i].key, &d->child[i]);
    gm_json_close(b, d->kind == GM_D_LIST ? ']' : '}');
}

/* Letters first, then what means nothing to YAML anywhere. */
static bool plain(const char *s)
{
    static const char *const words[] = {"y",    "n",     "yes",  "no",  "on", "off",
                                        "true", "false", "null", "nan", "inf"};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789./+-() *%$";
    size_t n = strlen(s);
    if (n == 0 || strchr(letters, s[0]) == NULL || s[n - 1] == ' ' || s[strspn(s, more)] != 0) return false;
    for (int64_t i = 0; i < GM_COUNT(words); i++)
        if (strcasecmp(s, words[i]) == 0) return false;
    return true;
}

static unsigned code_point(const unsigned char *p, size_t k)
{
    unsigned c = k == 1 ? p[0] : p[0] & (0xffu >> (k + 1));
    for (size_t i = 1; i < k; i++) c = c << 6 | (p[i] & 0x3fu);
    return c;
}

static void text_yaml(gm_buf *b, const char *s)
{
    if (plain(s)) {
        gm_buf_str(b, s);
        return;
    }
    gm_buf_str(b, "\"");
    for (size_t n = strlen(s), k; n > 0; s += k, n -= k) {
        k = gm_utf8_len(s, n);
        unsigned c = k ? code_point((const unsigned char *)s, k) : 0xfffd;
        bool shown = (c >= 0x20 && c < 0x7f) || (c > 0xa0 && c < 0xfffe) || c > 0xffff;
        if (c == 0x2028 || c == 0x2029 || c == 0xfeff || k == 0) shown = false;
        if (c == '"' || c == '\\') gm_buf_printf(b, "\\%c", (char)c);
        else if (shown) gm_buf_add(b, s, k);
        else if (c == '\n') gm_buf_str(b, "\\n");
        else if (c == '\t') gm_buf_str(b, "\\t");
        else gm_buf_printf(b, "\\u%04x", c);
        if (k == 0) k = 1;
    }
    gm_buf_str(b, "\"");
}

static void real_yaml(gm_buf *b, double v)
{
    char number[32];
    gm_real_text(v, true, number);
    if (isfinite(v)) gm_buf_str(b, number);
    else gm_buf_str(b, isnan(v) ? ".nan" : v < 0 ? "-.inf" : ".inf");
}

static bool is_flow(const gm_doc *d)
{
    if (d->kind == GM_D_MAP) return d->n == 0;
    for (int64_t i = 0; d->kind == GM_D_LIST && i < d->n; i++)
        if (!is_flow(&d->child[i])) return false;
    return true;
}

/* What fits behind a colon or a dash: scalars, lists of scalars, empty containers. */
static void flow(gm_buf *b, const gm_doc *d)
{
    switch (d->kind) {
    case GM_D_NULL: gm_buf_str(b, "null"); return;
    case GM_D_BOOL: gm_buf_str(b, d->b ? "true" : "false"); return;
    case GM_D_INT: gm_buf_printf(b, "%lld", (long long)d->i); return;
    case GM_D_REAL: real_yaml(b, d->real); return;
    case GM_D_STR: text_yaml(b, d->str); return;
    case GM_D_MAP: gm_buf_str(b, "{}"); return;
    case GM_D_LIST: break;
    }
    gm_buf_str(b, "[");
    for (int64_t i = 0; i < d->n; i++) {
        if (i) gm_buf_str(b, ", ");
        flow(b, &d->child[i]);
    }
    gm_buf_str(b, "]");
}

/* The lines of d; started: the indent of the first one has been written. */
static void lines(gm_buf *b, const gm_doc *d, int indent, bool started)
{
    if (is_flow(d)) {
        gm_buf_printf(b, "%*s", started ? 0 : indent, "");
        flow(b, d);
        gm_buf_str(b, "\n");
        return;
    }
    for (int64_t i = 0; i < d->n; i++) {
        const gm_doc *c = &d->child[i];
        gm_buf_printf(b, "%*s", started && i == 0 ? 0 : indent, "");
        if (d->kind == GM_D_LIST) {
            gm_buf_str(b, "- ");
            lines(b, c, indent + 2, true);
            continue;
        }
        bool simple = strlen(c->key) <= LONGEST_SIMPLE_KEY;
        if (!simple) gm_buf_str(b, "? ");
        text_yaml(b, c->key);
        if (!simple) gm_buf_printf(b, "\n%*s", indent, "");
        gm_buf_str(b, ":");
        if (is_flow(c)) {
            gm_buf_str(b, " ");
            flow(b, c);
            gm_buf_str(b, "\n");
        } else {
            gm_buf_str(b, "\n");
            lines(b, c, indent + 2, false);
        }
    }
}

void gm_doc_write_yaml(gm_buf *b, const gm_doc *d, int indent) { lines(b, d, indent, false); }

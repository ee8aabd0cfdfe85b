/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc_json.c - JSON by yyjson. It parses a copy of the text in place, so a string's address tells where it
 * stood: a value in a map gets the line of its key, an element of a list that of the first string in it.
 */
#include "base/doc.h"
#include <yyjson.h>

enum { DEPTH = 100, MOST_NODES = 10000000 };

typedef struct reader {
    gm_cx *cx;
    gm_arena *a;
    const char *origin;
    const char *text, *copy; /* same offsets; copy is what yyjson has cut up */
    size_t n, at;            /* text[0 .. at) has been counted */
    int line;
    int64_t nodes;
} reader;

static void *raw_alloc(void *cx, size_t n) { return gm_raw_alloc(cx, n); }
static void *raw_regrow(void *cx, void *p, size_t old, size_t n)
{
    (void)old;
    return gm_raw_regrow(cx, p, n);
}
static void raw_free(void *cx, void *p)
{
    (void)cx;
    gm_raw_free(p);
}

static void count_lines(reader *r, size_t to)
{
    for (; r->at < to && r->at < r->n; r->at++) r->line += r->text[r->at] == '\n';
}

static gm_code bad(reader *r, const char *what)
{
    gm_doc here = {.origin = r->origin, .line = r->line};
    return gm_fail(r->cx, GM_ESYNTAX, "%s: %s", gm_doc_where(r->cx, &here), what);
}

static gm_code string(reader *r, yyjson_val *v, const char **out)
{
    *out = unsafe_yyjson_get_str(v);
    count_lines(r, (size_t)(*out - r->copy));
    return strlen(*out) == unsafe_yyjson_get_len(v) ? GM_OK : bad(r, "a text holds the character NUL");
}

static gm_code read(reader *r, yyjson_val *v, int depth, gm_doc *d);

static gm_code children(reader *r, yyjson_val *v, int depth, gm_doc *d)
{
    yyjson_val *item = unsafe_yyjson_get_first(v);
    if (depth == DEPTH) return bad(r, "nested deeper than 100");
    d->n = (int64_t)unsafe_yyjson_get_len(v);
    if ((r->nodes += d->n) > MOST_NODES) return bad(r, "more than 10 million values");
    if (d->n) GM_NEW_IN(r->cx, r->a, d->child, d->n);
    for (int64_t i = 0; i < d->n; i++) {
        gm_doc *c = &d->child[i];
        if (d->kind == GM_D_MAP) GM_TRY(string(r, item++, &c->key));
        c->line = r->line;
        GM_TRY(read(r, item, depth + 1, c));
        item = unsafe_yyjson_get_next(item);
    }
    if (d->kind == GM_D_LIST) return GM_OK;
    return gm_doc_unique(r->cx, d);
}

static gm_code read(reader *r, yyjson_val *v, int depth, gm_doc *d)
{
    d->origin = r->origin;
    if (d->line == 0) d->line = r->line;
    switch (unsafe_yyjson_get_type(v)) {
    case YYJSON_TYPE_BOOL:
        d->kind = GM_D_BOOL;
        d->b = unsafe_yyjson_get_bool(v);
        return GM_OK;
    case YYJSON_TYPE_NUM:
        d->kind = yyjson_is_sint(v) || (yyjson_is_uint(v) && yyjson_get_uint(v) <= INT64_MAX) ? GM_D_INT
                                                                                              : GM_D_REAL;
        d->real = yyjson_get_num(v);
        if (d->kind == GM_D_INT) d->i = yyjson_get_sint(v);
        return GM_OK;
    case YYJSON_TYPE_STR:
        d->kind = GM_D_STR;
        d->quoted = true;
        GM_TRY(string(r, v, &d->str));
        if (d->key == NULL) d->line = r->line;
        return GM_OK;
    case YYJSON_TYPE_ARR:
    case YYJSON_TYPE_OBJ:
        d->kind = unsafe_yyjson_get_type(v) == YYJSON_TYPE_ARR ? GM_D_LIST : GM_D_MAP;
        GM_TRY(children(r, v, depth, d));
        if (d->key == NULL && d->n > 0) d->line = d->child[0].line;
        return GM_OK;
    default: d->kind = GM_D_NULL; return GM_OK;
    }
}

gm_code gm_doc_json(gm_cx *cx, gm_arena *a, const char *text, size_t n, const char *origin, gm_doc **out)
{
    reader r = {.cx = cx, .a = a, .text = text, .n = n, .line = 1};
    size_t bom = n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    yyjson_alc alc = {raw_alloc, raw_regrow, raw_free, cx};
    yyjson_read_err err = {0};
    char *copy;
    gm_doc *d;
    GM_GOT(cx, r.origin = gm_strdup(cx, a, origin));
    if (bom == n) return bad(&r, "expected JSON, found nothing");
    GM_NEW_IN(cx, a, copy, (int64_t)n + YYJSON_PADDING_SIZE);
    memcpy(copy, text, n);
    r.copy = copy;
    yyjson_doc *doc = yyjson_read_opts(copy + bom, n - bom, YYJSON_READ_INSITU, &alc, &err);
    if (doc == NULL) {
        if (gm_cx_code(cx) != GM_OK) return gm_cx_code(cx); /* the allocator has told */
        count_lines(&r, bom + err.pos);
        return bad(&r, err.msg ? err.msg : "not JSON");
    }
    gm_code code = GM_OK;
    if ((d = gm_alloc(cx, a, 1, sizeof *d)) == NULL) code = gm_cx_code(cx);
    if (code == GM_OK) code = read(&r, yyjson_doc_get_root(doc), 0, d);
    yyjson_doc_free(doc);
    if (code == GM_OK) *out = d;
    return code;
}

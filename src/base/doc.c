/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc.c - asking a document for values, with messages that say where they stood.
 */
#include "base/doc.h"
#include <math.h>
#include <stdlib.h>

enum { SHOWN = 60, QUADRATIC = 16 };

gm_code gm_doc_parse(gm_cx *cx, gm_arena *a, const char *text, size_t n, const char *origin, gm_doc **out)
{
    size_t i = n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (i < n && strchr(" \t\r\n", text[i]) && text[i]) i++;
    bool json = i < n && (text[i] == '{' || text[i] == '[');
    return (json ? gm_doc_json : gm_doc_yaml)(cx, a, text, n, origin, out);
}

const gm_doc *gm_doc_get(const gm_doc *map, const char *key)
{
    if (map == NULL || map->kind != GM_D_MAP) return NULL;
    for (int64_t i = 0; i < map->n; i++)
        if (strcmp(map->child[i].key, key) == 0) return &map->child[i];
    return NULL;
}

static const gm_doc *present(const gm_doc *map, const char *key)
{
    const gm_doc *d = gm_doc_get(map, key);
    return d && d->kind != GM_D_NULL ? d : NULL;
}

static bool is_option(const gm_doc *d) { return d->origin && strcmp(d->origin, "option") == 0; }

const char *gm_doc_where(gm_cx *cx, const gm_doc *d)
{
    const char *s, *origin = d->origin ? d->origin : "";
    if (is_option(d) && d->key) s = gm_format(cx, gm_scratch(cx), "option '%s'", d->key);
    else if (is_option(d)) return "options";
    else if (d->line <= 0 || strncmp(origin, "override ", 9) == 0) return *origin ? origin : "?";
    else if (*origin == 0) s = gm_format(cx, gm_scratch(cx), "line %d", d->line);
    else s = gm_format(cx, gm_scratch(cx), "%s:%d", origin, d->line);
    return s ? s : "";
}

const char *gm_doc_found(gm_cx *cx, const gm_doc *d)
{
    char number[32];
    const char *s = NULL;
    size_t n;
    switch (d->kind) {
    case GM_D_NULL: return "null";
    case GM_D_BOOL: return d->b ? "true" : "false";
    case GM_D_INT: s = gm_format(cx, gm_scratch(cx), "number %lld", (long long)d->i); break;
    case GM_D_REAL:
        gm_real_text(d->real, false, number);
        s = gm_format(cx, gm_scratch(cx), "number %s", number);
        break;
    case GM_D_STR:
        n = strlen(d->str);
        s = gm_format(cx, gm_scratch(cx), "text '%.*s%s'", SHOWN, d->str, n > SHOWN ? "..." : "");
        break;
    case GM_D_LIST: s = gm_format(cx, gm_scratch(cx), "a list of %lld", (long long)d->n); break;
    case GM_D_MAP: return "a map";
    }
    return s ? s : "";
}

const char *gm_doc_text(const gm_doc *d)
{
    return d->kind == GM_D_LIST || d->kind == GM_D_MAP || d->kind == GM_D_NULL ? NULL : d->str;
}

static gm_code wrong(gm_cx *cx, const gm_doc *d, const char *expected)
{
    const char *found = gm_doc_found(cx, d), *where = gm_doc_where(cx, d);
    if (is_option(d)) return gm_fail(cx, GM_EPARAM, "%s: expected %s, found %s", where, expected, found);
    return gm_fail(cx, GM_EPARAM, "'%s': expected %s, found %s (%s)", d->key, expected, found, where);
}

static gm_code not_a_map(gm_cx *cx, const gm_doc *d)
{
    if (d == NULL || d->kind == GM_D_MAP || d->kind == GM_D_NULL) return GM_OK;
    if (d->key) return wrong(cx, d, "names with values");
    return gm_fail(cx, GM_EPARAM, "expected names with values, found %s (%s)", gm_doc_found(cx, d),
                   gm_doc_where(cx, d));
}

gm_code gm_doc_str(gm_cx *cx, const gm_doc *map, const char *key, const char *def, const char **out)
{
    const gm_doc *d = present(map, key);
    GM_TRY(not_a_map(cx, map));
    *out = d ? gm_doc_text(d) : def;
    return d && *out == NULL ? wrong(cx, d, "text") : GM_OK;
}

gm_code gm_doc_int(gm_cx *cx, const gm_doc *map, const char *key, int64_t def, int64_t min, int64_t max,
                   int64_t *out)
{
    const gm_doc *d = present(map, key);
    char expected[96];
    GM_TRY(not_a_map(cx, map));
    *out = def;
    if (d == NULL) return GM_OK;
    bool whole = d->kind == GM_D_REAL && d->real == floor(d->real) && fabs(d->real) < 0x1p63;
    int64_t v = whole ? (int64_t)d->real : d->i;
    if (d->kind != GM_D_INT && !whole) return wrong(cx, d, "a whole number");
    if (v < min || v > max) {
        gm_buf b = gm_buf_in(cx, gm_scratch(cx));
        if (max == INT64_MAX) gm_buf_printf(&b, "a whole number from %lld", (long long)min);
        else gm_buf_printf(&b, "a whole number in [%lld, %lld]", (long long)min, (long long)max);
        GM_TRY(gm_buf_done(&b));
        memcpy(expected, b.p, b.len + 1);
        return wrong(cx, d, expected);
    }
    *out = v;
    return GM_OK;
}

gm_code gm_doc_real(gm_cx *cx, const gm_doc *map, const char *key, double def, double *out)
{
    const gm_doc *d = present(map, key);
    GM_TRY(not_a_map(cx, map));
    *out = def;
    if (d == NULL) return GM_OK;
    if (d->kind != GM_D_INT && d->kind != GM_D_REAL) return wrong(cx, d, "a number");
    *out = d->real;
    return GM_OK;
}

gm_code gm_doc_bool(gm_cx *cx, const gm_doc *map, const char *key, bool def, bool *out)
{
    const gm_doc *d = present(map, key);
    GM_TRY(not_a_map(cx, map));
    *out = def;
    if (d == NULL) return GM_OK;
    if (d->kind != GM_D_BOOL) return wrong(cx, d, "true or false");
    *out = d->b;
    return GM_OK;
}

gm_code gm_doc_only(gm_cx *cx, const gm_doc *map, const char *what, const char *const *keys)
{
    int64_t n = 0, i, j;
    GM_TRY(not_a_map(cx, map));
    if (map == NULL || map->kind != GM_D_MAP) return GM_OK;
    while (keys[n]) n++;
    for (i = 0; i < map->n; i++) {
        const gm_doc *d = &map->child[i];
        for (j = 0; j < n && strcmp(keys[j], d->key) != 0; j++) {}
        if (j == n) break;
    }
    if (i == map->n) return GM_OK;
    const gm_doc *d = &map->child[i];
    const char *near = gm_nearest(d->key, keys, n);
    gm_buf b = gm_buf_in(cx, gm_scratch(cx)), known = gm_buf_in(cx, gm_scratch(cx));
    gm_buf_printf(&b, "unknown %s '%s'", what, d->key);
    if (!is_option(d)) gm_buf_printf(&b, " (%s)", gm_doc_where(cx, d));
    if (near) gm_buf_printf(&b, "; did you mean '%s'?", near);
    for (j = 0; j < n; j++) gm_buf_printf(&known, "%s%s", j ? ", " : "", keys[j]);
    GM_TRY(gm_buf_done(&b));
    GM_TRY(gm_buf_done(&known));
    return gm_hint_add(cx, gm_fail(cx, GM_EPARAM, "%s", b.p), "known: %s", known.p);
}

typedef struct entry {
    const gm_doc *d;
} entry;

static int by_key(const void *a, const void *b)
{
    const gm_doc *x = ((const entry *)a)->d, *y = ((const entry *)b)->d;
    int c = strcmp(x->key, y->key);
    return c ? c : (x > y) - (x < y);
}

static gm_code twice(gm_cx *cx, const gm_doc *d)
{
    return gm_fail(cx, GM_ESYNTAX, "%s: '%s' stands twice in one map", gm_doc_where(cx, d), d->key);
}

gm_code gm_doc_unique(gm_cx *cx, const gm_doc *map)
{
    entry *v;
    if (map->n <= QUADRATIC) {
        for (int64_t i = 1; i < map->n; i++)
            for (int64_t j = 0; j < i; j++)
                if (strcmp(map->child[i].key, map->child[j].key) == 0) return twice(cx, &map->child[i]);
        return GM_OK;
    }
    gm_arena a = {0};
    gm_code code = GM_OK;
    if ((v = gm_alloc(cx, &a, map->n, sizeof *v)) == NULL) return gm_arena_end(&a), gm_cx_code(cx);
    for (int64_t i = 0; i < map->n; i++) v[i].d = &map->child[i];
    qsort(v, (size_t)map->n, sizeof *v, by_key);
    for (int64_t i = 1; i < map->n && code == GM_OK; i++)
        if (strcmp(v[i].d->key, v[i - 1].d->key) == 0) code = twice(cx, v[i].d);
    gm_arena_end(&a);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count.c - how often each text occurs: arrays by dictionary code. Order of arrival never shows, lists are
 * sorted.
 */
#include "feature/count.h"
#include <stdlib.h>

static gm_code reserve(gm_cx *cx, gm_arena *a, gm_counts *c, int64_t codes, bool words)
{
    if (words && c->docs == NULL && c->cap > 0) {
        GM_NEW_IN(cx, a, c->docs, c->cap);
        GM_NEW_IN(cx, a, c->last, c->cap);
    }
    if (codes <= c->cap) return GM_OK;
    int64_t cap = codes > 2 * c->cap ? codes : 2 * c->cap;
    GM_GOT(cx, c->n = gm_regrow(cx, a, c->n, c->cap, cap, sizeof *c->n));
    if (words) {
        GM_GOT(cx, c->docs = gm_regrow(cx, a, c->docs, c->cap, cap, sizeof *c->docs));
        GM_GOT(cx, c->last = gm_regrow(cx, a, c->last, c->cap, cap, sizeof *c->last));
    }
    c->cap = cap;
    return GM_OK;
}

/* Adds the counts of from to a dictionary of into's own. */
static gm_code add_by_text(gm_cx *cx, gm_arena *a, gm_counts *into, const gm_counts *from)
{
    const gm_dict *d = from->own ? from->own : from->shared;
    for (int64_t i = 0; i < from->cap; i++) {
        if (from->n[i] == 0) continue;
        uint32_t code;
        GM_TRY(gm_dict_add(cx, into->own, &gm_dict_keys(d)[i], &code));
        GM_TRY(reserve(cx, a, into, (int64_t)code + 1, from->docs != NULL));
        into->n[code] += from->n[i];
        if (from->docs) into->docs[code] += from->docs[i];
    }
    return GM_OK;
}

/* From codes of a column's dictionary to a dictionary of our own: columns of different dictionaries meet. */
static gm_code make_own(gm_cx *cx, gm_arena *a, gm_counts *c)
{
    if (c->own) return GM_OK;
    gm_counts own = {.rows = c->rows};
    GM_TRY(gm_dict_new(cx, a, &own.own));
    if (c->shared) GM_TRY(add_by_text(cx, a, &own, c));
    *c = own;
    return GM_OK;
}

/* The codes of n texts from the first-th of the column, in the counter's terms. */
static gm_code codes_of(gm_cx *cx, gm_arena *a, gm_arena *tile, gm_counts *c, const gm_column *col,
                        int64_t first, int64_t n, const uint32_t **out)
{
    bool words = col->type == GM_T_WORDS;
    if (col->code && c->own == NULL && (c->shared == NULL || c->shared == col->dict)) {
        c->shared = col->dict;
        *out = col->code + first;
        return reserve(cx, a, c, gm_dict_size(col->dict), words);
    }
    GM_TRY(make_own(cx, a, c));
    uint32_t *code;
    GM_NEW_IN(cx, tile, code, n);
    if (col->text) {
        GM_TRY(gm_dict_add_many(cx, c->own, col->text + first, n, code));
    } else {
        for (int64_t i = 0; i < n; i++) {
            gm_text t = gm_column_text(col, first + i);
            GM_TRY(gm_dict_add(cx, c->own, &t, &code[i]));
        }
    }
    *out = code;
    return reserve(cx, a, c, gm_dict_size(c->own), words);
}

static gm_code add_codes(gm_cx *cx, gm_arena *a, gm_arena *tile, gm_counts *c, const gm_column *col,
                         int64_t rows)
{
    bool words = col->type == GM_T_WORDS;
    int64_t first = words ? col->off[0] : 0, n = words ? col->off[rows] - first : rows;
    const uint32_t *code = NULL;
    GM_TRY(codes_of(cx, a, tile, c, col, first, n, &code));
    int64_t *count = c->n;
    for (int64_t i = 0; i < n; i++)
        if (code[i] != GM_CODE_MISSING) count[code[i]]++;
    for (int64_t i = 0; i < rows && words; i++) {
        int64_t row = ++c->rows;
        for (int64_t k = col->off[i] - first; k < col->off[i + 1] - first; k++) {
            uint32_t w = code[k];
            if (w == GM_CODE_MISSING || c->last[w] == row) continue;
            c->last[w] = row;
            c->docs[w]++;
        }
    }
    return GM_OK;
}

gm_code gm_counts_add(gm_cx *cx, gm_arena *a, gm_counts *c, const gm_column *column, int64_t rows)
{
    gm_arena tile = {0};
    gm_code code = add_codes(cx, a, &tile, c, column, rows);
    gm_arena_end(&tile);
    return code;
}

gm_code gm_counts_merge(gm_cx *cx, gm_arena *a, gm_counts *into, gm_counts *from)
{
    if (from->own == NULL && from->shared == NULL) {
        into->rows += from->rows;
        return GM_OK;
    }
    if (into->own == NULL && into->shared == NULL) {
        from->rows += into->rows;
        *into = *from;
        return GM_OK;
    }
    into->rows += from->rows;
    if (into->own == NULL && into->shared == from->shared) {
        GM_TRY(reserve(cx, a, into, from->cap, from->docs != NULL));
        for (int64_t i = 0; i < from->cap; i++) into->n[i] += from->n[i];
        for (int64_t i = 0; i < from->cap && from->docs; i++) into->docs[i] += from->docs[i];
        return GM_OK;
    }
    GM_TRY(make_own(cx, a, into));
    return add_by_text(cx, a, into, from);
}

static int by_text(const void *a, const void *b)
{
    return gm_text_compare(&((const gm_counted *)a)->text, &((const gm_counted *)b)->text);
}

gm_code gm_counts_list(gm_cx *cx, gm_arena *a, const gm_counts *c, gm_counted **out, int64_t *n)
{
    const gm_dict *d = c->own ? c->own : c->shared;
    int64_t seen = 0;
    for (int64_t i = 0; i < c->cap; i++) seen += c->n[i] > 0;
    gm_counted *list;
    GM_NEW_IN(cx, a, list, seen);
    *out = list;
    *n = seen;
    for (int64_t i = 0; i < c->cap; i++)
        if (c->n[i] > 0) *list++ = (gm_counted){gm_dict_keys(d)[i], c->n[i], c->docs ? c->docs[i] : 0};
    if (seen > 1) qsort(*out, (size_t)seen, sizeof **out, by_text);
    return GM_OK;
}

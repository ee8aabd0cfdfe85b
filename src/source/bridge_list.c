/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bridge_list.c - lists of the database as our columns: numbers as a VECTOR, texts as WORDS. A vector comes
 * as a list of DOUBLE, every row as long as the others, or as the struct that Spark writes (type, size,
 * indices, values). Wide ones become sparse. Null rows are NaN throughout, null texts are left out.
 */
#include "source/scan_own.h"
#include <math.h>
#include <string.h>

enum { DENSE_MOST = 256 };

struct gm_bridge_list {
    int64_t room, words, entries; /* of x, of word, of idx and val */
    double *x;
    gm_text *word;
    uint32_t *idx;
    double *val;
    int64_t *off;
    gm_part part;
};

/* The rows of a list of DOUBLE, or of Spark's struct. */
typedef struct rows {
    const gm_duck *d;
    int64_t n;
    const uint64_t *valid;
    bool spark;
    const duckdb_list_entry *list, *index; /* of values, of indices */
    const uint64_t *list_valid, *index_valid, *kind_valid, *size_valid;
    const double *x;
    const uint64_t *x_valid, *at_valid;
    const int32_t *at, *size;
    const int8_t *kind;
} rows;

static void list_of(const gm_duck *d, duckdb_vector v, const duckdb_list_entry **entry, const void **data,
                    const uint64_t **valid)
{
    duckdb_vector child = d->list_vector_get_child(v);
    *entry = d->vector_get_data(v);
    *data = d->vector_get_data(child);
    if (valid) *valid = d->vector_get_validity(child);
}

static rows rows_of(const gm_duck *d, duckdb_vector v, bool spark, int64_t n)
{
    rows r = {.d = d, .n = n, .valid = d->vector_get_validity(v), .spark = spark};
    const void *data;
    if (spark) {
        duckdb_vector kind = d->struct_vector_get_child(v, 0), size = d->struct_vector_get_child(v, 1),
                      indices = d->struct_vector_get_child(v, 2);
        r.kind = d->vector_get_data(kind), r.kind_valid = d->vector_get_validity(kind);
        r.size = d->vector_get_data(size), r.size_valid = d->vector_get_validity(size);
        r.index_valid = d->vector_get_validity(indices);
        list_of(d, indices, &r.index, &data, &r.at_valid);
        r.at = data;
        v = d->struct_vector_get_child(v, 3);
    }
    r.list_valid = d->vector_get_validity(v);
    list_of(d, v, &r.list, &data, &r.x_valid);
    r.x = data;
    return r;
}

static bool is_sparse(const rows *r, int64_t i) { return r->spark && r->kind[i] == 0; }

static int64_t width_of(const rows *r, int64_t i)
{
    return is_sparse(r, i) ? r->size[i] : (int64_t)r->list[i].length;
}

static double value(const rows *r, uint64_t k)
{
    return gm_duck_valid(r->x_valid, (int64_t)k) ? r->x[k] : NAN;
}

/* ---- what a vector must be ---- */

static gm_code check_indices(gm_cx *cx, const rows *r, int64_t i)
{
    int64_t n = (int64_t)r->index[i].length, size = r->size[i], before = -1;
    if ((int64_t)r->list[i].length != n)
        return gm_fail(cx, GM_EDATA, "a sparse vector has %lld indices and %lld values", (long long)n,
                       (long long)r->list[i].length);
    for (int64_t k = 0; k < n; k++) {
        int64_t at = (int64_t)r->index[i].offset + k;
        if (!gm_duck_valid(r->at_valid, at))
            return gm_fail(cx, GM_EDATA, "an index of a sparse vector is NULL");
        if (r->at[at] < 0 || r->at[at] >= size)
            return gm_fail(cx, GM_EDATA, "a sparse vector of %lld elements has the index %d", (long long)size,
                           r->at[at]);
        if (r->at[at] <= before)
            return gm_fail(cx, GM_EDATA, "the indices of a sparse vector rise, and %d stands behind %lld",
                           r->at[at], (long long)before);
        before = r->at[at];
    }
    return GM_OK;
}

static gm_code check_row(gm_cx *cx, const rows *r, int64_t i)
{
    if (!r->spark) return GM_OK;
    if (!gm_duck_valid(r->kind_valid, i) || (r->kind[i] != 0 && r->kind[i] != 1))
        return gm_fail(cx, GM_EDATA, "the type of a vector is 0 (sparse) or 1 (dense)");
    if (!gm_duck_valid(r->list_valid, i)) return gm_fail(cx, GM_EDATA, "a vector has no values");
    if (!is_sparse(r, i)) return GM_OK;
    if (!gm_duck_valid(r->size_valid, i) || !gm_duck_valid(r->index_valid, i))
        return gm_fail(cx, GM_EDATA, "a sparse vector has no size or no indices");
    return check_indices(cx, r, i);
}

static gm_code other_width(gm_cx *cx, int64_t w, int64_t another)
{
    return gm_hint_add(
        cx,
        gm_fail(cx, GM_ESCHEMA, "a row has %lld elements, another %lld", (long long)w, (long long)another),
        "a vector has the same number of elements in every row");
}

/* One width for all rows; 0 when all are null. */
static gm_code check(gm_cx *cx, const rows *r, int64_t *out)
{
    *out = 0;
    for (int64_t i = 0; i < r->n; i++) {
        if (!gm_duck_valid(r->valid, i)) continue;
        GM_TRY(check_row(cx, r, i));
        int64_t w = width_of(r, i);
        if (w < 1) return gm_fail(cx, GM_EDATA, "a vector has %lld elements", (long long)w);
        if (*out && w != *out) return other_width(cx, w, *out);
        *out = w;
    }
    return GM_OK;
}

/* And for all tiles of a scan. */
static gm_code check_tiles(gm_cx *cx, atomic_llong *seen, int64_t width)
{
    long long before = 0;
    if (seen == NULL || width == 0 || atomic_compare_exchange_strong(seen, &before, width)) return GM_OK;
    return before == width ? GM_OK : other_width(cx, width, before);
}

/* ---- as a part ---- */

static gm_code dense(gm_cx *cx, gm_arena *a, gm_bridge_list *l, const rows *r, int64_t width)
{
    if (l->room < width) {
        GM_GOT(cx, l->x = gm_alloc(cx, a, width * GM_TILE, sizeof *l->x));
        l->room = width;
    }
    for (int64_t i = 0; i < r->n; i++) {
        bool valid = gm_duck_valid(r->valid, i), sparse = valid && is_sparse(r, i);
        for (int64_t j = 0; j < width; j++)
            l->x[j * GM_TILE + i] = sparse ? 0 : valid ? value(r, r->list[i].offset + (uint64_t)j) : NAN;
        for (uint64_t k = 0; sparse && k < r->list[i].length; k++) {
            int32_t j = r->at[r->index[i].offset + k];
            l->x[j * GM_TILE + i] = value(r, r->list[i].offset + k);
        }
    }
    l->part = (gm_part){.form = GM_DENSE, .width = width, .x = l->x, .stride = GM_TILE};
    return GM_OK;
}

static int64_t most_entries(const rows *r)
{
    int64_t n = 0;
    for (int64_t i = 0; i < r->n; i++) n += gm_duck_valid(r->valid, i) ? (int64_t)r->list[i].length : 1;
    return n;
}

static gm_code sparse(gm_cx *cx, gm_arena *a, gm_bridge_list *l, const rows *r, int64_t width)
{
    int64_t most = most_entries(r), n = 0;
    if (l->off == NULL) GM_GOT(cx, l->off = gm_alloc(cx, a, GM_TILE + 1, sizeof *l->off));
    if (l->entries < most) {
        l->entries = most + most / 2;
        GM_GOT(cx, l->idx = gm_alloc(cx, a, l->entries, sizeof *l->idx));
        GM_GOT(cx, l->val = gm_alloc(cx, a, l->entries, sizeof *l->val));
    }
    for (int64_t i = 0; i < r->n; i++) {
        l->off[i] = n;
        if (!gm_duck_valid(r->valid, i)) {
            l->idx[n] = 0, l->val[n++] = NAN;
            continue;
        }
        for (uint64_t k = 0; k < r->list[i].length; k++) {
            double x = value(r, r->list[i].offset + k);
            int64_t at = is_sparse(r, i) ? r->at[r->index[i].offset + k] : (int64_t)k;
            if (x == 0) continue;
            l->idx[n] = (uint32_t)at, l->val[n++] = x;
        }
    }
    l->off[r->n] = n;
    l->part = (gm_part){.form = GM_SPARSE, .width = width, .off = l->off, .idx = l->idx, .val = l->val};
    return GM_OK;
}

static gm_code list_at(gm_cx *cx, gm_bridge *b, int k, gm_bridge_list **out)
{
    if (b->list == NULL) GM_GOT(cx, b->list = gm_alloc(cx, &b->arena, b->n, sizeof *b->list));
    *out = &b->list[k];
    return GM_OK;
}

gm_code gm_bridge_vector(gm_cx *cx, gm_bridge *b, int k, duckdb_vector v, int64_t n)
{
    gm_bridge_list *l;
    int64_t width;
    if (b->from[k] != DUCKDB_TYPE_LIST && b->from[k] != DUCKDB_TYPE_STRUCT)
        return gm_fail(cx, GM_EINTERNAL, "a column of DuckDB's type %d came where a vector was asked for",
                       b->from[k]);
    rows r = rows_of(b->duck, v, b->from[k] == DUCKDB_TYPE_STRUCT, n);
    GM_TRY(list_at(cx, b, k, &l));
    gm_code code = check(cx, &r, &width);
    if (code == GM_OK) code = check_tiles(cx, b->width ? &b->width[k] : NULL, width);
    if (code != GM_OK) b->bad = k + 1;
    if (code != GM_OK) return gm_within(cx, code, "column '%s'", b->want ? b->want[k].column : "?");
    GM_TRY(width <= DENSE_MOST ? dense(cx, &b->arena, l, &r, width) : sparse(cx, &b->arena, l, &r, width));
    b->col[k].n_parts = 1;
    b->col[k].part = &l->part;
    b->col[k].width = width;
    return GM_OK;
}

gm_code gm_bridge_words(gm_cx *cx, gm_bridge *b, int k, duckdb_vector v, int64_t n)
{
    gm_bridge_list *l;
    const duckdb_list_entry *e;
    const void *data;
    const uint64_t *valid = b->duck->vector_get_validity(v), *ok;
    int64_t most = 0, at = 0;
    if (b->from[k] != DUCKDB_TYPE_LIST)
        return gm_fail(cx, GM_EINTERNAL, "a column of DuckDB's type %d came where words were asked for",
                       b->from[k]);
    list_of(b->duck, v, &e, &data, &ok);
    for (int64_t i = 0; i < n; i++) most += gm_duck_valid(valid, i) ? (int64_t)e[i].length : 0;
    GM_TRY(list_at(cx, b, k, &l));
    if (l->off == NULL) GM_GOT(cx, l->off = gm_alloc(cx, &b->arena, GM_TILE + 1, sizeof *l->off));
    if (l->words < most) {
        l->words = most + most / 2;
        GM_GOT(cx, l->word = gm_alloc(cx, &b->arena, l->words, sizeof *l->word));
    }
    const gm_text *t = data;
    for (int64_t i = 0; i < n; i++) {
        l->off[i] = at;
        for (uint64_t j = 0; gm_duck_valid(valid, i) && j < e[i].length; j++)
            if (gm_duck_valid(ok, (int64_t)(e[i].offset + j))) l->word[at++] = t[e[i].offset + j];
    }
    l->off[n] = at;
    b->col[k].text = l->word;
    b->col[k].off = l->off;
    b->col[k].width = 1;
    return GM_OK;
}

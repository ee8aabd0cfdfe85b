/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split.c - disjoint and complete parts of a table, by a hash of each row's content, or of one key column.
 * Each part is a query of its own that reads the table again, so the hash must come out the same each time.
 *
 * Equal rows are told apart by their place in the tile, but only where the tiles are the same in each
 * reading: rows straight from files and kept tables. Behind a join or an aggregate equal rows go to the same
 * part.
 */
#include "source/rowfn.h"
#include "source/table_own.h"
#include "source/write.h"
#include "table/rowhash.h"
#include <math.h>
#include <string.h>

typedef struct cuts {
    gm_arena kept;
    uint64_t seed;
    bool by_row;
    int n;
    double *end;
} cuts;

static gm_code part_of(gm_cx *cx, gm_arena *a, void *arg, const gm_batch *in, gm_column *out,
                       uint8_t *null_rows, uint8_t *drop)
{
    (void)null_rows, (void)drop;
    const cuts *c = arg;
    uint64_t *hash;
    double *part;
    GM_NEW_IN(cx, a, hash, in->rows);
    GM_NEW_IN(cx, a, part, in->rows);
    if (c->by_row) gm_row_hash(in, c->seed, hash);
    else gm_key_hash(in, c->seed, hash);
    for (int64_t i = 0; i < in->rows; i++) part[i] = gm_split_part(hash[i], c->end, c->n);
    out[0].real = part;
    return GM_OK;
}

static void cuts_free(void *p) { gm_arena_end(&((cuts *)p)->kept); }

static gm_code cuts_new(gm_cx *cx, const double *weights, int n, uint64_t seed, cuts **out)
{
    gm_arena a = {0};
    double sum = 0, at = 0;
    for (int k = 0; k < n; k++) {
        if (!(weights[k] > 0) || isinf(weights[k]))
            return gm_fail(cx, GM_EPARAM, "weight %d of a split is %g, and must be positive", k + 1,
                           weights[k]);
        sum += weights[k];
    }
    cuts *c = gm_alloc(cx, &a, 1, sizeof *c);
    double *end = gm_alloc(cx, &a, n, sizeof *end);
    if (c == NULL || end == NULL) return gm_arena_end(&a), gm_why_null(cx);
    for (int k = 0; k < n; k++) end[k] = (at += weights[k]) / sum;
    *c = (cuts){.kept = a, .seed = seed, .n = n, .end = end};
    *out = c;
    return GM_OK;
}

static bool same_tiles(const gm_table *t)
{
    static const char *const kinds[] = {"csv", "parquet", "kept", "arrow", "model"};
    bool same = false;
    for (int64_t i = 0; i < GM_COUNT(kinds); i++) same |= strcmp(t->kind->name, kinds[i]) == 0;
    for (int i = 0; i < t->n_deps; i++) same = same && same_tiles(t->dep[i]);
    return same;
}

static bool as_number(gm_class cls)
{
    return cls == GM_CLASS_NUMBER || cls == GM_CLASS_BOOL || cls == GM_CLASS_DATE || cls == GM_CLASS_TIME ||
           cls == GM_CLASS_TIMESTAMP;
}

static gm_code wants(gm_cx *cx, gm_arena *a, const gm_columns *cols, const char *key, gm_want **out, int *n)
{
    int64_t at = 0, m = cols->n;
    gm_want *w;
    if (key) {
        GM_TRY(gm_columns_need(cx, cols, key, &at));
        m = 1;
    }
    GM_NEW_IN(cx, a, w, m);
    for (int64_t i = 0; i < m; i++) {
        const gm_field *f = &cols->field[at + i];
        w[i] =
            (gm_want){.column = f->name, .type = as_number(f->cls) ? GM_T_REAL : GM_T_TEXT, .role = "split"};
    }
    *out = w;
    *n = (int)m;
    return GM_OK;
}

static gm_code split_in(gm_cx *cx, gm_arena *a, const gm_table *t, const double *weights, int n,
                        uint64_t seed, const char *key, gm_table **out)
{
    const gm_columns *cols;
    cuts *c;
    gm_table *numbered;
    gm_rowfn fn = {
        .n_out = 1,
        .out = &(gm_rowfn_out){"gm part", GM_MADE_INTEGER},
        .call = part_of,
        .release = cuts_free,
    };
    GM_TRY(gm_table_schema(cx, t, &cols));
    gm_want *want;
    GM_TRY(wants(cx, a, cols, key, &want, &fn.n_in));
    fn.in = want;
    gm_buf list = gm_buf_in(cx, a);
    for (int64_t i = 0; i < cols->n; i++) {
        if (i) gm_buf_str(&list, ", ");
        gm_buf_ident(&list, cols->field[i].name);
    }
    GM_TRY(gm_buf_done(&list));
    gm_table **part;
    GM_NEW_IN(cx, a, part, n);
    GM_TRY(cuts_new(cx, weights, n, seed, &c));
    c->by_row = key == NULL && same_tiles(t);
    fn.arg = c;
    GM_TRY(gm_table_rowfn(cx, t, &fn, NULL, -1, &numbered));
    gm_code code = GM_OK;
    for (int k = 0; k < n && code == GM_OK; k++) {
        char *where = gm_format(cx, a, "WHERE \"gm part\" = %d", k);
        code = where ? gm_table_select(cx, numbered, list.p, where, &part[k]) : gm_why_null(cx);
    }
    gm_table_unref(numbered);
    for (int k = 0; k < n; k++) {
        if (code == GM_OK) out[k] = part[k];
        else gm_table_unref(part[k]);
    }
    return code;
}

gm_code gm_table_parts(gm_cx *cx, const gm_table *t, const double *weights, int n, uint64_t seed,
                       const char *key, gm_table **out)
{
    gm_arena a = {0};
    if (n < 1) return gm_fail(cx, GM_EPARAM, "a split needs at least one weight");
    gm_code code = split_in(cx, &a, t, weights, n, seed, key, out);
    gm_arena_end(&a);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * put.c - our columns into the database's vectors.
 */
#include "source/put.h"
#include <math.h>
#include <string.h>

static uint64_t *validity(const gm_put *p, duckdb_vector v)
{
    p->d->vector_ensure_validity_writable(v);
    return p->d->vector_get_validity(v);
}

static void invalid(uint64_t *valid, int64_t i) { valid[i >> 6] &= ~((uint64_t)1 << (i & 63)); }

static gm_code put_double(const gm_put *p, const gm_column *c, duckdb_vector v)
{
    double *o = p->d->vector_get_data(v);
    uint64_t *valid = NULL;
    for (int64_t i = 0; i < p->rows; i++) {
        o[i] = c->real[i];
        if (!p->null[i] && !isnan(o[i])) continue;
        if (valid == NULL) valid = validity(p, v);
        invalid(valid, i);
    }
    return GM_OK;
}

static gm_code put_integer(const gm_put *p, const gm_column *c, duckdb_vector v)
{
    int64_t *o = p->d->vector_get_data(v);
    uint64_t *valid = NULL;
    for (int64_t i = 0; i < p->rows; i++) {
        double x = c->real[i];
        bool fits = fabs(x) < 0x1p63 || x == -0x1p63; /* false for NaN */
        o[i] = fits ? (int64_t)x : 0;
        if (!p->null[i] && fits) continue;
        if (valid == NULL) valid = validity(p, v);
        invalid(valid, i);
    }
    return GM_OK;
}

static gm_code put_truth(const gm_put *p, const gm_column *c, duckdb_vector v)
{
    bool *o = p->d->vector_get_data(v);
    uint64_t *valid = NULL;
    for (int64_t i = 0; i < p->rows; i++) {
        o[i] = c->real[i] != 0;
        if (!p->null[i] && !isnan(c->real[i])) continue;
        if (valid == NULL) valid = validity(p, v);
        invalid(valid, i);
    }
    return GM_OK;
}

static gm_code put_varchar(const gm_put *p, const gm_column *c, duckdb_vector v)
{
    uint64_t *valid = NULL;
    for (int64_t i = 0; i < p->rows; i++) {
        gm_text t = p->null[i] ? gm_text_none() : gm_column_text(c, i);
        if (gm_text_missing(&t)) {
            if (valid == NULL) valid = validity(p, v);
            invalid(valid, i);
        } else {
            p->d->vector_assign_string_element_len(v, (idx_t)i, gm_text_ptr(&t), t.len);
        }
    }
    return GM_OK;
}

/* Entries of a list vector: n elements in all, set by the caller in the child. */
static gm_code list_room(const gm_put *p, duckdb_vector v, int64_t n, duckdb_list_entry **entries)
{
    if (p->d->list_vector_reserve(v, (idx_t)(n > 0 ? n : 1)) != DuckDBSuccess ||
        p->d->list_vector_set_size(v, (idx_t)n) != DuckDBSuccess)
        return gm_fail(p->cx, GM_ENOMEM, "out of memory for %lld list elements", (long long)n);
    *entries = p->d->vector_get_data(v);
    return GM_OK;
}

void gm_put_nulls(const gm_put *p, duckdb_vector v)
{
    uint64_t *valid = NULL;
    for (int64_t i = 0; i < p->rows; i++) {
        if (!p->null[i]) continue;
        if (valid == NULL) valid = validity(p, v);
        invalid(valid, i);
    }
}

static gm_code put_doubles(const gm_put *p, const gm_column *c, duckdb_vector v)
{
    double *x;
    duckdb_list_entry *e;
    GM_TRY(gm_column_dense(p->cx, p->a, c, p->rows, &x));
    int64_t n = p->rows * c->width;
    GM_TRY(list_room(p, v, n, &e));
    if (n > 0) memcpy(p->d->vector_get_data(p->d->list_vector_get_child(v)), x, (size_t)n * sizeof *x);
    for (int64_t i = 0; i < p->rows; i++)
        e[i] = (duckdb_list_entry){(uint64_t)(i * c->width), (uint64_t)c->width};
    gm_put_nulls(p, v);
    return GM_OK;
}

static gm_code put_texts(const gm_put *p, const gm_column *c, duckdb_vector v)
{
    duckdb_list_entry *e;
    int64_t first = c->off[0], n = c->off[p->rows] - first;
    GM_TRY(list_room(p, v, n, &e));
    duckdb_vector child = p->d->list_vector_get_child(v);
    for (int64_t k = 0; k < n; k++) {
        gm_text t = gm_column_word(c, first + k);
        p->d->vector_assign_string_element_len(child, (idx_t)k, gm_text_ptr(&t), t.len);
    }
    for (int64_t i = 0; i < p->rows; i++)
        e[i] = (duckdb_list_entry){(uint64_t)(c->off[i] - first), (uint64_t)(c->off[i + 1] - c->off[i])};
    gm_put_nulls(p, v);
    return GM_OK;
}

/* Entries of row i that are not zero, in rising order; idx and val may be NULL to count. */
static int64_t row_entries(const gm_column *c, int64_t i, int32_t *idx, double *val)
{
    int64_t n = 0, base = 0;
    for (int k = 0; k < c->n_parts; base += c->part[k++].width) {
        const gm_part *q = &c->part[k];
        int64_t from = 0, to = q->width;
        if (q->form == GM_CODED) from = 0, to = q->code[i] < q->width;
        if (q->form == GM_SPARSE) from = q->off[i], to = q->off[i + 1];
        for (int64_t j = from; j < to; j++) {
            double x = q->form == GM_DENSE   ? q->x[j * q->stride + i]
                       : q->form == GM_CODED ? (q->level ? q->level[q->code[i]] : 1)
                                             : (q->val ? q->val[j] : 1);
            if (x == 0) continue;
            int64_t at = q->form == GM_DENSE   ? j
                         : q->form == GM_CODED ? (int64_t)q->code[i]
                                               : (int64_t)q->idx[j];
            if (idx) idx[n] = (int32_t)(base + at), val[n] = x;
            n++;
        }
    }
    return n;
}

duckdb_logical_type gm_vector_type(const gm_duck *d)
{
    static const char *names[] = {"type", "size", "indices", "values"};
    duckdb_logical_type i = d->create_logical_type(DUCKDB_TYPE_INTEGER),
                        x = d->create_logical_type(DUCKDB_TYPE_DOUBLE);
    duckdb_logical_type m[] = {d->create_logical_type(DUCKDB_TYPE_TINYINT),
                               d->create_logical_type(DUCKDB_TYPE_INTEGER), d->create_list_type(i),
                               d->create_list_type(x)};
    duckdb_logical_type t = d->create_struct_type(m, names, 4);
    for (int k = 0; k < 4; k++) d->destroy_logical_type(&m[k]);
    d->destroy_logical_type(&i);
    d->destroy_logical_type(&x);
    return t;
}

/* Spark's vectors; sparse ones always (type 0), so that all rows look alike. */
static gm_code put_sparse(const gm_put *p, const gm_column *c, duckdb_vector v)
{
    const gm_duck *d = p->d;
    duckdb_vector kind = d->struct_vector_get_child(v, 0), size = d->struct_vector_get_child(v, 1),
                  indices = d->struct_vector_get_child(v, 2), values = d->struct_vector_get_child(v, 3);
    duckdb_list_entry *ie, *ve;
    int64_t total = 0, at = 0;
    for (int64_t i = 0; i < p->rows; i++) total += row_entries(c, i, NULL, NULL);
    GM_TRY(list_room(p, indices, total, &ie));
    GM_TRY(list_room(p, values, total, &ve));
    int32_t *idx = d->vector_get_data(d->list_vector_get_child(indices));
    double *val = d->vector_get_data(d->list_vector_get_child(values));
    int8_t *t = d->vector_get_data(kind);
    int32_t *s = d->vector_get_data(size);
    for (int64_t i = 0; i < p->rows; i++) {
        int64_t n = row_entries(c, i, idx + at, val + at);
        t[i] = 0;
        s[i] = (int32_t)c->width;
        ie[i] = ve[i] = (duckdb_list_entry){(uint64_t)at, (uint64_t)n};
        at += n;
    }
    gm_put_nulls(p, v);
    return GM_OK;
}

gm_code gm_put_column(const gm_put *p, gm_made made, const gm_column *c, duckdb_vector v)
{
    switch (made) {
    case GM_MADE_DOUBLE: return put_double(p, c, v);
    case GM_MADE_INTEGER: return put_integer(p, c, v);
    case GM_MADE_VARCHAR: return put_varchar(p, c, v);
    case GM_MADE_DOUBLES: return put_doubles(p, c, v);
    case GM_MADE_TEXTS: return put_texts(p, c, v);
    case GM_MADE_SPARSE: return put_sparse(p, c, v);
    case GM_MADE_TRUTH: return put_truth(p, c, v);
    }
    return gm_fail(p->cx, GM_EINTERNAL, "no such output of a row function: %d", (int)made);
}

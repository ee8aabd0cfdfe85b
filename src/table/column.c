/* SPDX-License-Identifier: Apache-2.0 */
/*
 * column.c - choosing rows of a column, and vectors as plain matrices.
 */
#include "table/column.h"
#include <string.h>

const char *gm_type_name(unsigned mask)
{
    switch (mask) {
    case GM_T_REAL: return "a number";
    case GM_T_TEXT: return "text";
    case GM_T_WORDS: return "a list of words";
    case GM_T_VECTOR: return "a vector";
    case GM_T_REAL | GM_T_TEXT: return "a number or text";
    case GM_T_REAL | GM_T_VECTOR: return "a number or a vector";
    case GM_T_REAL | GM_T_TEXT | GM_T_WORDS: return "a number, text or a list of words";
    default: return "a column of another type";
    }
}

static gm_code take_reals(gm_cx *cx, gm_arena *a, const double *x, const int32_t *sel, int64_t n,
                          const double **out)
{
    double *o;
    GM_NEW_IN(cx, a, o, n + 1);
    for (int64_t i = 0; i < n; i++) o[i] = x[sel[i]];
    *out = o;
    return GM_OK;
}

static gm_code take_codes(gm_cx *cx, gm_arena *a, const uint32_t *x, const int32_t *sel, int64_t n,
                          const uint32_t **out)
{
    uint32_t *o;
    GM_NEW_IN(cx, a, o, n + 1);
    for (int64_t i = 0; i < n; i++) o[i] = x[sel[i]];
    *out = o;
    return GM_OK;
}

/* New offsets from 0 for the chosen rows. */
static gm_code take_offsets(gm_cx *cx, gm_arena *a, const int64_t *off, const int32_t *sel, int64_t n,
                            int64_t **out)
{
    int64_t *o;
    GM_NEW_IN(cx, a, o, n + 1);
    for (int64_t i = 0; i < n; i++) o[i + 1] = o[i] + off[sel[i] + 1] - off[sel[i]];
    *out = o;
    return GM_OK;
}

/* The entries of the chosen rows of a ragged array, one after another. */
static gm_code take_entries(gm_cx *cx, gm_arena *a, const void *x, size_t size, const int64_t *off,
                            const int32_t *sel, int64_t n, int64_t total, const void **out)
{
    char *o = gm_alloc(cx, a, total + 1, size), *at = o;
    GM_GOT(cx, o);
    for (int64_t i = 0; i < n; i++) {
        size_t bytes = (size_t)(off[sel[i] + 1] - off[sel[i]]) * size;
        if (bytes) memcpy(at, (const char *)x + (size_t)off[sel[i]] * size, bytes);
        at += bytes;
    }
    *out = o;
    return GM_OK;
}

static gm_code take_dense(gm_cx *cx, gm_arena *a, const gm_part *p, const int32_t *sel, int64_t n,
                          gm_part *out)
{
    double *o;
    GM_NEW_IN(cx, a, o, n * p->width + 1);
    for (int64_t j = 0; j < p->width; j++)
        for (int64_t i = 0; i < n; i++) o[j * n + i] = p->x[j * p->stride + sel[i]];
    out->x = o;
    out->stride = n;
    return GM_OK;
}

static gm_code take_sparse(gm_cx *cx, gm_arena *a, const gm_part *p, const int32_t *sel, int64_t n,
                           gm_part *out)
{
    int64_t *off;
    GM_TRY(take_offsets(cx, a, p->off, sel, n, &off));
    out->off = off;
    GM_TRY(take_entries(cx, a, p->idx, sizeof *p->idx, p->off, sel, n, off[n], (const void **)&out->idx));
    if (p->val == NULL) return GM_OK;
    return take_entries(cx, a, p->val, sizeof *p->val, p->off, sel, n, off[n], (const void **)&out->val);
}

static gm_code take_vector(gm_cx *cx, gm_arena *a, const gm_column *c, const int32_t *sel, int64_t n,
                           gm_column *out)
{
    gm_part *part;
    GM_NEW_IN(cx, a, part, c->n_parts + 1);
    for (int k = 0; k < c->n_parts; k++) {
        part[k] = c->part[k];
        switch (c->part[k].form) {
        case GM_DENSE: GM_TRY(take_dense(cx, a, &c->part[k], sel, n, &part[k])); break;
        case GM_CODED: GM_TRY(take_codes(cx, a, c->part[k].code, sel, n, &part[k].code)); break;
        case GM_SPARSE: GM_TRY(take_sparse(cx, a, &c->part[k], sel, n, &part[k])); break;
        }
    }
    out->part = part;
    return GM_OK;
}

static gm_code take_texts(gm_cx *cx, gm_arena *a, const gm_column *c, const int32_t *sel, int64_t n,
                          gm_column *out)
{
    gm_text *o;
    if (c->text == NULL) return take_codes(cx, a, c->code, sel, n, &out->code);
    GM_NEW_IN(cx, a, o, n + 1);
    for (int64_t i = 0; i < n; i++) o[i] = c->text[sel[i]];
    out->text = o;
    return GM_OK;
}

static gm_code take_words(gm_cx *cx, gm_arena *a, const gm_column *c, const int32_t *sel, int64_t n,
                          gm_column *out)
{
    int64_t *off;
    GM_TRY(take_offsets(cx, a, c->off, sel, n, &off));
    out->off = off;
    if (c->text)
        return take_entries(cx, a, c->text, sizeof *c->text, c->off, sel, n, off[n],
                            (const void **)&out->text);
    return take_entries(cx, a, c->code, sizeof *c->code, c->off, sel, n, off[n], (const void **)&out->code);
}

gm_code gm_column_take(gm_cx *cx, gm_arena *a, const gm_column *c, const int32_t *sel, int64_t n,
                       gm_column *out)
{
    gm_column from = *c; /* out may be c */
    *out = from;
    switch (from.type) {
    case GM_T_REAL: return take_reals(cx, a, from.real, sel, n, &out->real);
    case GM_T_TEXT: return take_texts(cx, a, &from, sel, n, out);
    case GM_T_WORDS: return take_words(cx, a, &from, sel, n, out);
    case GM_T_VECTOR: return take_vector(cx, a, &from, sel, n, out);
    }
    return gm_fail(cx, GM_EINTERNAL, "a column has no type");
}

static void add_sparse(const gm_part *p, int64_t i, double *row)
{
    for (int64_t k = p->off[i]; k < p->off[i + 1]; k++) row[p->idx[k]] = p->val ? p->val[k] : 1;
}

gm_code gm_column_dense(gm_cx *cx, gm_arena *a, const gm_column *c, int64_t rows, double **out)
{
    double *x;
    if (c->width > 0 && rows > INT64_MAX / c->width)
        return gm_fail(cx, GM_ELIMIT, "a vector is too wide to be dense");
    GM_NEW_IN(cx, a, x, rows * c->width + 1);
    int64_t base = 0;
    for (int k = 0; k < c->n_parts; base += c->part[k].width, k++) {
        const gm_part *p = &c->part[k];
        for (int64_t i = 0; i < rows; i++) {
            double *row = x + i * c->width + base;
            switch (p->form) {
            case GM_DENSE:
                for (int64_t j = 0; j < p->width; j++) row[j] = p->x[j * p->stride + i];
                break;
            case GM_CODED:
                if (p->code[i] < p->width) row[p->code[i]] = p->level ? p->level[p->code[i]] : 1;
                break;
            case GM_SPARSE: add_sparse(p, i, row); break;
            }
        }
    }
    *out = x;
    return GM_OK;
}

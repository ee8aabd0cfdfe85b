/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.h - loops over the parts of a vector column. Written as inline functions that take the work for one
 * value, so that each caller gets its own loop.
 */
#ifndef GM_FEATURE_PARTS_H
#define GM_FEATURE_PARTS_H
#include "feature/columns.h"

#define GM_INLINE static inline __attribute__((always_inline))

/* The stored entries of a coded or sparse part; zeros are not among them. */
typedef gm_code (*gm_entry_fn)(void *arg, int64_t j, int64_t row, double v);
GM_INLINE gm_code gm_each_entry(const gm_part *p, int64_t rows, gm_entry_fn fn, void *arg)
{
    if (p->form == GM_CODED) {
        for (int64_t i = 0; i < rows; i++)
            if (p->code[i] < p->width) GM_TRY(fn(arg, p->code[i], i, p->level ? p->level[p->code[i]] : 1));
    } else if (p->form == GM_SPARSE) {
        for (int64_t i = 0; i < rows; i++)
            for (int64_t e = p->off[i]; e < p->off[i + 1]; e++)
                GM_TRY(fn(arg, p->idx[e], i, p->val ? p->val[e] : 1));
    }
    return GM_OK;
}

/* What element j becomes when it holds x. */
typedef double (*gm_map_fn)(const void *arg, int64_t j, double x);

GM_INLINE bool gm_zero_moves(gm_map_fn map, const void *arg, int64_t first, int64_t n)
{
    for (int64_t j = first; j < first + n; j++)
        if (map(arg, j, 0) != 0) return true;
    return false;
}

GM_INLINE gm_code gm_map_dense(gm_apply *ap, const gm_part *p, int64_t first, gm_map_fn map, const void *arg,
                               gm_part *out)
{
    int64_t rows = ap->rows;
    double *x;
    GM_NEW_IN(ap->cx, ap->a, x, p->width * rows);
    for (int64_t j = 0; j < p->width; j++) {
        double zero = map(arg, first + j, 0);
        for (int64_t i = 0; i < rows; i++)
            x[j * rows + i] = p->form == GM_DENSE ? map(arg, first + j, p->x[j * p->stride + i]) : zero;
    }
    for (int64_t i = 0; i < rows && p->form == GM_CODED; i++) {
        int64_t c = p->code[i];
        if (c < p->width) x[c * rows + i] = map(arg, first + c, p->level ? p->level[c] : 1);
    }
    for (int64_t i = 0; i < rows && p->form == GM_SPARSE; i++)
        for (int64_t e = p->off[i]; e < p->off[i + 1]; e++)
            x[p->idx[e] * rows + i] = map(arg, first + p->idx[e], p->val ? p->val[e] : 1);
    *out = (gm_part){.form = GM_DENSE, .width = p->width, .x = x, .stride = rows};
    return GM_OK;
}

GM_INLINE gm_code gm_map_coded(gm_apply *ap, const gm_part *p, int64_t first, gm_map_fn map, const void *arg,
                               const double *ones, gm_part *out)
{
    *out = *p;
    if (p->level == NULL && ones) {
        out->level = ones + first;
        return GM_OK;
    }
    double *level;
    GM_NEW_IN(ap->cx, ap->a, level, p->width);
    for (int64_t j = 0; j < p->width; j++) level[j] = map(arg, first + j, p->level ? p->level[j] : 1);
    out->level = level;
    return GM_OK;
}

GM_INLINE gm_code gm_map_sparse(gm_apply *ap, const gm_part *p, int64_t first, gm_map_fn map, const void *arg,
                                gm_part *out)
{
    int64_t from = p->off[0], n = p->off[ap->rows] - from, *off;
    double *val;
    GM_NEW_IN(ap->cx, ap->a, off, ap->rows + 1);
    GM_NEW_IN(ap->cx, ap->a, val, n);
    for (int64_t i = 0; i <= ap->rows; i++) off[i] = p->off[i] - from;
    for (int64_t e = 0; e < n; e++)
        val[e] = map(arg, first + p->idx[from + e], p->val ? p->val[from + e] : 1);
    *out = (gm_part){.form = GM_SPARSE, .width = p->width, .off = off, .idx = p->idx + from, .val = val};
    return GM_OK;
}

/*
 * Output k is input k with every element mapped. Parts whose zeros stay zero keep their form, others become
 * dense; still says that zeros always stay, which saves looking. ones: what the value 1 becomes, per element,
 * or NULL.
 */
GM_INLINE gm_code gm_map_parts(gm_apply *ap, int k, gm_map_fn map, const void *arg, bool still,
                               const double *ones)
{
    const gm_column *in = &ap->in[k];
    gm_part *part;
    GM_GOT(ap->cx, part = gm_out_parts(ap, k, in->n_parts, in->width));
    for (int64_t i = 0, first = 0; i < in->n_parts; first += in->part[i++].width) {
        const gm_part *p = &in->part[i];
        if (p->form == GM_DENSE || (!still && gm_zero_moves(map, arg, first, p->width)))
            GM_TRY(gm_map_dense(ap, p, first, map, arg, &part[i]));
        else if (p->form == GM_CODED) GM_TRY(gm_map_coded(ap, p, first, map, arg, ones, &part[i]));
        else GM_TRY(gm_map_sparse(ap, p, first, map, arg, &part[i]));
    }
    return GM_OK;
}
#endif

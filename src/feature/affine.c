/* SPDX-License-Identifier: Apache-2.0 */
/*
 * affine.c - shift and scale of vectors, form by form. The same expression everywhere, so that dense, coded
 * and sparse forms of the same numbers give the same bits.
 */
#include "feature/affine.h"
#include "feature/columns.h"

static inline double map(const gm_affine *f, int64_t j, double x)
{
    double scale = f->scale ? f->scale[j] : 1;
    if (scale == 0) return x == x ? f->flat : x;
    return (x - (f->shift ? f->shift[j] : 0)) / scale * f->gain + f->base;
}

gm_code gm_affine_ready(gm_cx *cx, gm_arena *kept, gm_affine *f)
{
    GM_NEW_IN(cx, kept, f->unit, f->n);
    for (int64_t j = 0; j < f->n; j++) f->unit[j] = map(f, j, 1);
    return GM_OK;
}

static bool moves(const gm_affine *f, int64_t first, int64_t n)
{
    if (f->shift == NULL && f->base == 0 && f->flat == 0) return false;
    for (int64_t j = first; j < first + n; j++)
        if (map(f, j, 0) != 0) return true;
    return false;
}

/* The part as numbers, column after column. */
static void make_dense(const gm_affine *f, int64_t first, const gm_part *p, int64_t rows, double *x)
{
    for (int64_t j = 0; j < p->width && p->form != GM_DENSE; j++) {
        double zero = map(f, first + j, 0);
        for (int64_t i = 0; i < rows; i++) x[j * rows + i] = zero;
    }
    switch (p->form) {
    case GM_DENSE:
        for (int64_t j = 0; j < p->width; j++)
            for (int64_t i = 0; i < rows; i++) x[j * rows + i] = map(f, first + j, p->x[j * p->stride + i]);
        break;
    case GM_CODED:
        for (int64_t i = 0; i < rows; i++) {
            int64_t c = p->code[i];
            if (c < p->width) x[c * rows + i] = map(f, first + c, p->level ? p->level[c] : 1);
        }
        break;
    case GM_SPARSE:
        for (int64_t i = 0; i < rows; i++)
            for (int64_t e = p->off[i]; e < p->off[i + 1]; e++)
                x[p->idx[e] * rows + i] = map(f, first + p->idx[e], p->val ? p->val[e] : 1);
        break;
    }
}

static gm_code scale_levels(gm_apply *ap, const gm_affine *f, int64_t first, const gm_part *p, gm_part *out)
{
    out->level = f->unit + first;
    if (p->level == NULL) return GM_OK;
    double *level;
    GM_NEW_IN(ap->cx, ap->a, level, p->width);
    for (int64_t j = 0; j < p->width; j++) level[j] = map(f, first + j, p->level[j]);
    out->level = level;
    return GM_OK;
}

static gm_code scale_entries(gm_apply *ap, const gm_affine *f, int64_t first, const gm_part *p, gm_part *out)
{
    int64_t from = p->off[0], n = p->off[ap->rows] - from, *off;
    double *val;
    GM_NEW_IN(ap->cx, ap->a, off, ap->rows + 1);
    GM_NEW_IN(ap->cx, ap->a, val, n);
    for (int64_t i = 0; i <= ap->rows; i++) off[i] = p->off[i] - from;
    for (int64_t e = 0; e < n; e++) val[e] = map(f, first + p->idx[from + e], p->val ? p->val[from + e] : 1);
    out->off = off;
    out->idx = p->idx + from;
    out->val = val;
    return GM_OK;
}

gm_code gm_affine_apply(gm_apply *ap, const gm_affine *f)
{
    const gm_column *in = &ap->in[0];
    gm_part *part;
    GM_GOT(ap->cx, part = gm_out_parts(ap, 0, in->n_parts, in->width));
    for (int64_t k = 0, first = 0; k < in->n_parts; first += in->part[k++].width) {
        const gm_part *p = &in->part[k];
        part[k] = *p;
        if (p->form == GM_DENSE || moves(f, first, p->width)) {
            double *x;
            GM_NEW_IN(ap->cx, ap->a, x, p->width * ap->rows);
            make_dense(f, first, p, ap->rows, x);
            part[k] = (gm_part){.form = GM_DENSE, .width = p->width, .x = x, .stride = ap->rows};
        } else if (p->form == GM_CODED) {
            GM_TRY(scale_levels(ap, f, first, p, &part[k]));
        } else {
            GM_TRY(scale_entries(ap, f, first, p, &part[k]));
        }
    }
    return GM_OK;
}

gm_code gm_affine_check(gm_cx *cx, const gm_node *node, const gm_affine *f, const gm_spread *s,
                        const char *hint)
{
    int64_t width = 0;
    bool moved = false;
    for (int64_t j = 0; j < s->width; j++) {
        if (!s->implicit[j]) continue;
        width++;
        moved = moved || moves(f, j, 1);
    }
    if (!moved || (width <= GM_DENSE_WIDTH && width <= GM_DENSE_VALUES / s->rows)) return GM_OK;
    return gm_hint_add(
        cx,
        gm_fail(cx, GM_ELIMIT,
                "%s: column '%s' has %lld one-hot or sparse elements whose zeros would not stay zero; over "
                "%lld rows that is more than the limits of %d elements and %lld values",
                node->stage->name, gm_in_name(node, 0), (long long)width, (long long)s->rows, GM_DENSE_WIDTH,
                (long long)GM_DENSE_VALUES),
        "%s", hint);
}

gm_code gm_same_vector(gm_cx *cx, gm_arena *a, const gm_node *node, gm_attr *out)
{
    (void)cx, (void)a;
    *out = node->in_attr[0];
    return GM_OK;
}

gm_code gm_verify_width(gm_cx *cx, const gm_node *node, const char *what, int64_t found)
{
    return gm_verify_count(cx, node, what, found, node->in_attr[0].width);
}

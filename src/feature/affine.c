/* SPDX-License-Identifier: Apache-2.0 */
/*
 * affine.c - shift and scale of vectors, form by form. The same expression everywhere, so that dense, coded
 * and sparse forms of the same numbers give the same bits.
 */
#include "feature/affine.h"
#include "feature/parts.h"

static inline double map(const void *arg, int64_t j, double x)
{
    const gm_affine *f = arg;
    double scale = f->scale ? f->scale[j] : 1;
    if (scale == 0) return x == x ? f->flat : x;
    return (x - (f->shift ? f->shift[j] : 0)) / scale * f->gain + f->base;
}

/* No element's zero moves, whatever the numbers are. */
static bool still(const gm_affine *f) { return f->shift == NULL && f->base == 0 && f->flat == 0; }

gm_code gm_affine_ready(gm_cx *cx, gm_arena *kept, gm_affine *f)
{
    GM_NEW_IN(cx, kept, f->unit, f->n);
    for (int64_t j = 0; j < f->n; j++) f->unit[j] = map(f, j, 1);
    return GM_OK;
}

gm_code gm_affine_apply(gm_apply *ap, const gm_affine *f)
{
    return gm_map_parts(ap, 0, map, f, still(f), f->unit);
}

gm_code gm_affine_check(gm_cx *cx, const gm_node *node, const gm_affine *f, const gm_spread *s,
                        const char *hint)
{
    int64_t width = 0;
    bool moved = false;
    for (int64_t j = 0; j < s->width; j++) {
        if (!s->implicit[j]) continue;
        width++;
        moved = moved || (!still(f) && map(f, j, 0) != 0);
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

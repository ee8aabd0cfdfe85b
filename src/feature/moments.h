/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moments.h - count, mean, sum of squared deviations, smallest and largest of a stream of numbers, mergeable.
 *
 * Each tile is summed around its own mean (two passes over data in cache), tiles and parts are joined by
 * Chan, Golub & LeVeque (1979): exact for constants, and x + 1e9 loses nothing. NaN is missing and only
 * counted.
 */
#ifndef GM_FEATURE_MOMENTS_H
#define GM_FEATURE_MOMENTS_H
#include "stage/stage.h"

typedef struct gm_moments {
    int64_t n, missing;
    double mean, m2;
    double lo, hi; /* when n > 0 */
} gm_moments;

void gm_moments_add(gm_moments *m, const double *x, int64_t n);
void gm_moments_merge(gm_moments *into, const gm_moments *from);
/* Sample variance, with n - 1; 0 for one value. */
double gm_moments_variance(const gm_moments *m);
/*
 * Constant: all values equal up to rounding, hi - lo <= 16 eps max(|lo|, |hi|). Relative to the magnitude, so
 * that noise of rounding is constant and [1e-12, 2e-12, 3e-12] is not.
 */
bool gm_moments_constant(const gm_moments *m);

/* One gm_moments per element of a vector column. */
typedef struct gm_spread {
    int64_t rows, width;
    gm_moments *of; /* stored values only, until gm_spread_close */
    bool *implicit; /* elements in coded and sparse parts, whose zeros are not stored */
} gm_spread;

gm_code gm_spread_add(gm_cx *cx, gm_arena *a, gm_spread *s, int64_t rows, const gm_column *c) GM_NODISCARD;
gm_code gm_spread_merge(gm_cx *cx, gm_spread *into, gm_spread *from) GM_NODISCARD;
/* Adds the zeros that sparse and coded parts do not store; fails when there were no rows, or infinite values.
 * node's first input is the column. */
gm_code gm_spread_close(gm_cx *cx, gm_arena *a, const gm_node *node, gm_spread *s) GM_NODISCARD;
/* begin, update and merge of a stage whose accumulator is one gm_spread of its first input. */
gm_code gm_spread_begin(gm_cx *cx, gm_arena *a, const gm_node *node, void **acc);
gm_code gm_spread_update(gm_cx *cx, gm_arena *a, const gm_node *node, void *acc, int64_t rows,
                         const gm_column *in);
gm_code gm_spread_join(gm_cx *cx, gm_arena *a, const gm_node *node, void *into, void *from);
#endif

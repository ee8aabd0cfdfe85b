/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quantile.h - exact quantiles and modes: values are collected, 8 bytes each, and sorted once at the end.
 *
 * The quantile q of n values is the one of rank ceil(q n), always a value that occurred: what Spark's
 * approxQuantile gives at relativeError 0. NaN is missing and left out; -0 is 0.
 */
#ifndef GM_FEATURE_QUANTILE_H
#define GM_FEATURE_QUANTILE_H
#include "base/cx.h"

typedef struct gm_chunk gm_chunk;
typedef struct gm_values {
    gm_chunk *first, *last;
    int64_t n;
} gm_values;

gm_code gm_values_add(gm_cx *cx, gm_arena *a, gm_values *s, const double *x, int64_t n) GM_NODISCARD;
void gm_values_merge(gm_values *into, gm_values *from); /* takes the chunks of from */
/* All s->n values, rising, in a. */
gm_code gm_values_sorted(gm_cx *cx, gm_arena *a, const gm_values *s, double **out) GM_NODISCARD;

/* The value of rank 1 .. n + zeros among n sorted ones and some zeros that are counted, not stored. */
double gm_ranked(const double *sorted, int64_t n, int64_t zeros, int64_t rank);
double gm_quantile(const double *sorted, int64_t n, int64_t zeros, double q); /* n + zeros > 0 */
double gm_mode(const double *sorted, int64_t n); /* the smallest of the most frequent */
#endif

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
    int64_t n;     /* values in the chunks */
    int64_t zeros; /* zeros counted, not stored: those of sparse vectors */
} gm_values;

gm_code gm_values_add(gm_cx *cx, gm_arena *a, gm_values *s, const double *x, int64_t n) GM_NODISCARD;
void gm_values_merge(gm_values *into, gm_values *from); /* takes the chunks of from */
/* All values, rising, in a; n of them is s->n + s->zeros. */
gm_code gm_values_sorted(gm_cx *cx, gm_arena *a, const gm_values *s, double **out) GM_NODISCARD;

double gm_quantile(const double *sorted, int64_t n, double q); /* n > 0 */
double gm_mode(const double *sorted, int64_t n);               /* the smallest of the most frequent */
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quadratic.h - minimise 1/2 x'Ax - b'x + sum_j l1[j] |x[j]| + 1/2 sum_j l2[j] x[j]^2 for a small dense A:
 * least squares on a Gram matrix with ridge, lasso and elastic net.
 */
#ifndef GM_SOLVE_QUADRATIC_H
#define GM_SOLVE_QUADRATIC_H
#include "base/cx.h"

typedef struct gm_quadratic {
    int64_t n;
    const double *a;           /* n x n, symmetric, both triangles */
    const double *b, *l1, *l2; /* l1 NULL: none */
    double scale;              /* of the value: y'y; changes below tol^2 * scale end the passes */
} gm_quadratic;

/* Coordinate descent; *passes: how many were made, max_passes when it did not converge. x is the start. */
gm_code gm_quadratic_descend(gm_cx *cx, gm_arena *a, const gm_quadratic *q, double tol, int64_t max_passes,
                             double *x, int64_t *passes) GM_NODISCARD;
/* No L1: by Cholesky. When A + l2 is singular to rounding *full is false and x is the shortest of the minima.
 * factor (NULL: not wanted) gets the lower factor when *full. */
gm_code gm_quadratic_solve(gm_cx *cx, gm_arena *a, const gm_quadratic *q, double *x, bool *full,
                           double *factor) GM_NODISCARD;
#endif

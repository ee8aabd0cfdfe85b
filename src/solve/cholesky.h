/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cholesky.h - symmetric positive definite systems, n x n row-major, lower triangle.
 */
#ifndef GM_SOLVE_CHOLESKY_H
#define GM_SOLVE_CHOLESKY_H
#include "base/cx.h"

/* A = L L' in place. Returns false, with A spoilt, when a pivot falls under tol times its diagonal entry: the
 * columns are linearly dependent to rounding. tol about n * 1e-14. */
bool gm_cholesky(int64_t n, double *a, double tol);
void gm_cholesky_solve(int64_t n, const double *l, double *b); /* b becomes A^-1 b */
/* The diagonal of A^-1; work holds n. */
void gm_cholesky_inverse_diagonal(int64_t n, const double *l, double *work, double *diagonal);
#endif

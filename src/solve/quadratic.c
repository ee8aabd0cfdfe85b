/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quadratic.c - coordinate descent with covariance updates (Friedman, Hastie & Tibshirani, J. Stat. Softw.
 * 33, 2010): the gradient b - Ax is kept, and only a coordinate that moved touches it. Passes over all
 * coordinates alternate with passes over those that are not zero.
 *
 * A singular system without L1 is solved by the proximal point iteration x += (A + eps)^-1 (b - Ax) from x =
 * 0, which never leaves the range of A and so ends in the shortest solution (Martinet 1970).
 */
#include "solve/quadratic.h"
#include "kernel/kernel.h"
#include "solve/cholesky.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* One pass; returns the largest decrease measure A_jj * change^2. */
static double pass(const gm_quadratic *q, double *x, double *gradient, bool only_active)
{
    const gm_kernel *k = gm_kernel_best();
    double largest = 0;
    for (int64_t j = 0; j < q->n; j++) {
        if (only_active && x[j] == 0) continue;
        double ajj = q->a[j * q->n + j], l1 = q->l1 ? q->l1[j] : 0, c = ajj + q->l2[j];
        if (!(c > 0)) continue;
        double z = gradient[j] + ajj * x[j], next = fabs(z) <= l1 ? 0 : (z - copysign(l1, z)) / c;
        double change = next - x[j];
        if (change == 0) continue;
        x[j] = next;
        k->axpy(q->n, -change, q->a + j * q->n, gradient);
        largest = fmax(largest, c * change * change);
    }
    return largest;
}

gm_code gm_quadratic_descend(gm_cx *cx, gm_arena *a, const gm_quadratic *q, double tol, int64_t max_passes,
                             double *x, int64_t *passes)
{
    double *gradient, enough = tol * tol * q->scale;
    GM_NEW_IN(cx, a, gradient, q->n + 1);
    memcpy(gradient, q->b, (size_t)q->n * sizeof *gradient);
    for (int64_t j = 0; j < q->n; j++) gm_kernel_best()->axpy(q->n, -x[j], q->a + j * q->n, gradient);
    for (*passes = 0; *passes < max_passes;) {
        GM_TRY(gm_check_cancel(cx));
        ++*passes;
        if (!(pass(q, x, gradient, false) > enough)) return GM_OK;
        while (*passes < max_passes && pass(q, x, gradient, true) > enough) {
            GM_TRY(gm_check_cancel(cx));
            ++*passes;
        }
    }
    return GM_OK;
}

static void residual(const gm_quadratic *q, const double *x, double *r)
{
    const gm_kernel *k = gm_kernel_best();
    for (int64_t j = 0; j < q->n; j++) r[j] = q->b[j] - k->dot(q->n, q->a + j * q->n, x) - q->l2[j] * x[j];
}

gm_code gm_quadratic_solve(gm_cx *cx, gm_arena *a, const gm_quadratic *q, double *x, bool *full,
                           double *factor)
{
    int64_t n = q->n;
    double *l = factor, *r, most = 0;
    if (l == NULL) GM_NEW_IN(cx, a, l, n * n + 1);
    GM_NEW_IN(cx, a, r, n + 1);
    memcpy(l, q->a, (size_t)(n * n) * sizeof *l);
    for (int64_t j = 0; j < n; j++) {
        l[j * n + j] += q->l2[j];
        most = fmax(most, l[j * n + j]);
    }
    memset(x, 0, (size_t)n * sizeof *x);
    *full = gm_cholesky(n, l, 1e-14 * (double)(n + 10));
    if (!*full) {
        memcpy(l, q->a, (size_t)(n * n) * sizeof *l);
        for (int64_t j = 0; j < n; j++) l[j * n + j] += q->l2[j] + 1e-6 * most;
        if (most == 0 || !gm_cholesky(n, l, 0)) return GM_OK; /* nothing but zeros: x = 0 */
    }
    for (int step = 0; step < (*full ? 2 : 40); step++) { /* one refinement, or the iteration */
        GM_TRY(gm_check_cancel(cx));
        double size = 0, change = 0;
        residual(q, x, r);
        gm_cholesky_solve(n, l, r);
        for (int64_t j = 0; j < n; j++) {
            x[j] += r[j];
            change = fmax(change, fabs(r[j]));
            size = fmax(size, fabs(x[j]));
        }
        if (change <= (*full ? 4 * DBL_EPSILON : 1e-10) * size)
            break; /* rounding drifts along the null space */
    }
    return GM_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cholesky.c - row by row (Cholesky-Banachiewicz), so that every inner sum runs along two rows.
 */
#include "solve/cholesky.h"
#include "kernel/kernel.h"
#include <math.h>

bool gm_cholesky(int64_t n, double *a, double tol)
{
    const gm_kernel *k = gm_kernel_best();
    for (int64_t i = 0; i < n; i++) {
        double *ri = a + i * n, before = ri[i];
        for (int64_t j = 0; j < i; j++) {
            const double *rj = a + j * n;
            ri[j] = (ri[j] - k->dot(j, ri, rj)) / rj[j];
        }
        double pivot = before - k->dot(i, ri, ri);
        if (!(pivot > tol * before)) return false;
        ri[i] = sqrt(pivot);
    }
    return true;
}

void gm_cholesky_solve(int64_t n, const double *l, double *b)
{
    const gm_kernel *k = gm_kernel_best();
    for (int64_t i = 0; i < n; i++) b[i] = (b[i] - k->dot(i, l + i * n, b)) / l[i * n + i];
    for (int64_t i = n; i-- > 0;) {
        b[i] /= l[i * n + i];
        k->axpy(i, -b[i], l + i * n, b);
    }
}

/* Entry j of the diagonal is the squared length of L^-1 e_j. */
void gm_cholesky_inverse_diagonal(int64_t n, const double *l, double *work, double *diagonal)
{
    const gm_kernel *k = gm_kernel_best();
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = j; i < n; i++) {
            double e = i == j ? 1 : 0;
            work[i] = (e - k->dot(i - j, l + i * n + j, work + j)) / l[i * n + i];
            sum += work[i] * work[i];
        }
        diagonal[j] = sum;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.h - arithmetic on blocks; no allocation, no errors, no I/O. One table of functions per instruction set,
 * chosen once; every table gives the same bits for the coded and sparse parts and the same to rounding for the rest.
 */
#ifndef GM_KERNEL_KERNEL_H
#define GM_KERNEL_KERNEL_H
#include "kernel/block.h"

typedef struct gm_kernel {
    const char *name;
    /* out[i] += sum_j x[i][j] * w[j] */
    void (*xw)(const gm_block *b, const double *w, double *out);
    /* g[j] += sum_i x[i][j] * r[i] */
    void (*xtr)(const gm_block *b, const double *r, double *g);
    /* s1[j] += sum_i w[i] x[i][j];  s2[j] += sum_i w[i] (x[i][j] - shift[j])^2 over stored entries (shift NULL: 0) */
    void (*moments)(const gm_block *b, const double *shift, double *s1, double *s2);
    double (*dot)(int64_t n, const double *a, const double *b);
    void (*axpy)(int64_t n, double a, const double *x, double *y);
    /* Logistic loss of margins m for y in {0,1}: returns sum_i w[i] loss_i, r[i] = w[i] (sigmoid(m) - y). w may be NULL. */
    double (*logistic)(int64_t n, const double *m, const double *y, const double *w, double *r);
    void (*sigmoid)(int64_t n, const double *m, double *p);
} gm_kernel;

extern const gm_kernel gm_kernel_reference; /* plain loops, for ever the judge */
const gm_kernel *gm_kernel_best(void);      /* for this processor */
const gm_kernel *const *gm_kernels(int *n); /* all that this processor can run, reference first */
#endif

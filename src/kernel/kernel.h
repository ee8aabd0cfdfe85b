/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.h - arithmetic on blocks; no allocation, no errors, no I/O. One table of functions per instruction
 * set, chosen once. Sums run over a fixed number of lanes that are joined in a fixed order, so the tables
 * with fused multiply-add (avx2, avx512) give the same bits; base and the reference give the same to
 * rounding.
 *
 * shift (NULL: zeros) has an entry per column and is subtracted from the columns of dense parts before use,
 * so that a column far from zero loses no digits; coded and sparse parts ignore it (their zeros must stay
 * free).
 */
#ifndef GM_KERNEL_KERNEL_H
#define GM_KERNEL_KERNEL_H
#include "kernel/block.h"

typedef struct gm_kernel {
    const char *name;
    /* out[i] += sum_j (x[i][j] - shift[j]) * w[j]; the bits of row i do not depend on the other rows */
    void (*xw)(const gm_block *b, const double *shift, const double *w, double *out);
    /* g[j] += sum_i (x[i][j] - shift[j]) * r[i] */
    void (*xtr)(const gm_block *b, const double *shift, const double *r, double *g);
    /* s1[j] += sum_i w[i] (x[i][j] - shift[j]);  s2[j] += sum_i w[i] (x[i][j] - shift[j])^2, but s1 alone for
     * a coded part without values, whose entries are their own squares */
    void (*moments)(const gm_block *b, const double *shift, double *s1, double *s2);
    /* Rows from..to of the Gram matrix, on and right of its diagonal: for from <= j < to, j <= k < cols
     * g[(j - from) * cols + k] += sum_i w[i] (x[i][j] - shift[j]) (x[i][k] - shift[k]) */
    void (*gram)(const gm_block *b, const double *shift, int64_t from, int64_t to, double *g);
    double (*dot)(int64_t n, const double *a, const double *b);
    void (*axpy)(int64_t n, double a, const double *x, double *y);
    /* Logistic loss of margins m for y in {0,1}: returns sum_i w[i] loss_i, r[i] = w[i] (sigmoid(m[i]) -
     * y[i]). w may be NULL, r may be m. */
    double (*logistic)(int64_t n, const double *m, const double *y, const double *w, double *r);
    void (*sigmoid)(int64_t n, const double *m, double *p); /* p may be m */
    /* Cross entropy of k margins per row, m[c * stride + i]; y holds class indices. r[c * stride + i] =
     * w[i] (softmax(m)[c] - [y == c]); r may be m. y NULL: r is the softmax itself, and 0 is returned. */
    double (*softmax)(int64_t n, int64_t k, int64_t stride, const double *m, const double *y, const double *w,
                      double *r);
    /* Bit i % 64 of marks[i / 64] is set where p[i] is delim, quote or a line break; of quotes where it is
     * quote. Returns GM_MARKS_... of what else is among the 64 * blocks bytes. */
    unsigned (*marks)(const char *p, int64_t blocks, char delim, char quote, uint64_t *marks,
                      uint64_t *quotes);
} gm_kernel;
enum { GM_MARKS_WIDE = 1, GM_MARKS_ZERO = 2 }; /* bytes beyond ASCII; zero bytes */

extern const gm_kernel gm_kernel_reference; /* plain loops, for ever the judge */
const gm_kernel *gm_kernel_best(void);      /* for this processor */
const gm_kernel *const *gm_kernels(int *n); /* all that this processor can run, reference first */
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.c - every kernel as the formula says, one row and one entry at a time, with the C library's exp
 * and log. Slow and clear: all other tables are compared with it (tests/conform/kernels.c).
 */
#include "kernel/kernel.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Entry e of row i of a part: its column and value; false past the last one. */
static int entry(const gm_part *p, int64_t i, int64_t e, const double *shift, int64_t *col, double *x)
{
    if (p->form == GM_DENSE) {
        if (e >= p->width) return 0;
        *col = e;
        *x = p->x[e * p->stride + i] - (shift ? shift[e] : 0);
        return 1;
    }
    if (p->form == GM_CODED) {
        if (e > 0 || p->code[i] >= p->width) return 0;
        *col = p->code[i];
        *x = p->level ? p->level[*col] : 1;
        return 1;
    }
    if (p->off[i] + e >= p->off[i + 1]) return 0;
    *col = p->idx[p->off[i] + e];
    *x = p->val ? p->val[p->off[i] + e] : 1;
    return 1;
}

static void xw(const gm_block *b, const double *shift, const double *w, double *out)
{
    for (int64_t i = 0; i < b->rows; i++) {
        int64_t base = 0, j;
        double x;
        for (int k = 0; k < b->n_parts; base += b->part[k++].width)
            for (int64_t e = 0; entry(&b->part[k], i, e, shift ? shift + base : NULL, &j, &x); e++)
                out[i] += x * w[base + j];
    }
}

static void xtr(const gm_block *b, const double *shift, const double *r, double *g)
{
    for (int64_t i = 0; i < b->rows; i++) {
        int64_t base = 0, j;
        double x;
        for (int k = 0; k < b->n_parts; base += b->part[k++].width)
            for (int64_t e = 0; entry(&b->part[k], i, e, shift ? shift + base : NULL, &j, &x); e++)
                g[base + j] += x * r[i];
    }
}

static void moments(const gm_block *b, const double *shift, double *s1, double *s2)
{
    for (int64_t i = 0; i < b->rows; i++) {
        int64_t base = 0, j;
        double x, w = b->w ? b->w[i] : 1;
        for (int k = 0; k < b->n_parts; base += b->part[k++].width)
            for (int64_t e = 0; entry(&b->part[k], i, e, shift ? shift + base : NULL, &j, &x); e++) {
                s1[base + j] += w * x;
                if (b->part[k].form != GM_CODED || b->part[k].level) s2[base + j] += w * x * x;
            }
    }
}

static void gram(const gm_block *b, const double *shift, int64_t from, int64_t to, double *g)
{
    for (int64_t i = 0; i < b->rows; i++) {
        int64_t base_k = 0, base_l = 0, j, m;
        double x, z, w = b->w ? b->w[i] : 1;
        for (int k = 0; k < b->n_parts; base_k += b->part[k++].width)
            for (int64_t e = 0; entry(&b->part[k], i, e, shift ? shift + base_k : NULL, &j, &x); e++) {
                j += base_k;
                if (j < from || j >= to) continue;
                base_l = 0;
                for (int l = 0; l < b->n_parts; base_l += b->part[l++].width)
                    for (int64_t f = 0; entry(&b->part[l], i, f, shift ? shift + base_l : NULL, &m, &z); f++)
                        if (base_l + m >= j) g[(j - from) * b->cols + base_l + m] += w * x * z;
            }
    }
}

static double dot(int64_t n, const double *a, const double *b)
{
    double s = 0;
    for (int64_t i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}

static void axpy(int64_t n, double a, const double *x, double *y)
{
    for (int64_t i = 0; i < n; i++) y[i] += a * x[i];
}

static double logistic(int64_t n, const double *m, const double *y, const double *w, double *r)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double wi = w ? w[i] : 1, e = exp(-fabs(m[i]));
        double p = m[i] >= 0 ? 1 / (1 + e) : e / (1 + e);
        sum += wi * (log1p(e) + (m[i] > 0 ? m[i] : 0) - y[i] * m[i]);
        r[i] = wi * (p - y[i]);
    }
    return sum;
}

static void sigmoid(int64_t n, const double *m, double *p)
{
    for (int64_t i = 0; i < n; i++) {
        double e = exp(-fabs(m[i]));
        p[i] = m[i] >= 0 ? 1 / (1 + e) : e / (1 + e);
    }
}

static double softmax(int64_t n, int64_t k, int64_t stride, const double *m, const double *y, const double *w,
                      double *r)
{
    double total = 0;
    for (int64_t i = 0; i < n; i++) {
        double most = m[i], sum = 0, wi = w ? w[i] : 1, own = y ? m[(int64_t)y[i] * stride + i] : 0;
        for (int64_t c = 1; c < k; c++) most = fmax(most, m[c * stride + i]);
        for (int64_t c = 0; c < k; c++) {
            r[c * stride + i] = exp(m[c * stride + i] - most);
            sum += r[c * stride + i];
        }
        for (int64_t c = 0; c < k; c++) {
            double p = r[c * stride + i] / sum;
            r[c * stride + i] = y ? wi * (p - (c == (int64_t)y[i])) : p;
        }
        if (y) total += wi * (log(sum) + most - own);
    }
    return total;
}

static unsigned marks(const char *p, int64_t blocks, char delim, char quote, uint64_t *cut, uint64_t *quotes)
{
    unsigned others = 0;
    for (int64_t b = 0; b < blocks; b++) {
        cut[b] = quotes[b] = 0;
        for (int k = 0; k < 64; k++) {
            char c = p[b * 64 + k];
            bool is_quote = c == quote;
            cut[b] |= (uint64_t)(is_quote || c == delim || c == '\n' || c == '\r') << k;
            quotes[b] |= (uint64_t)is_quote << k;
            others |= ((unsigned char)c >= 0x80 ? GM_MARKS_WIDE : 0) | (c == 0 ? GM_MARKS_ZERO : 0);
        }
    }
    return others;
}

const gm_kernel gm_kernel_reference = {
    .name = "reference",
    .xw = xw,
    .xtr = xtr,
    .moments = moments,
    .gram = gram,
    .dot = dot,
    .axpy = axpy,
    .logistic = logistic,
    .sigmoid = sigmoid,
    .softmax = softmax,
    .marks = marks,
};

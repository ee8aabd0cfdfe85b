/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernels.c - every function of every kernel table against the reference, on random blocks of all forms; and
 * what the header promises beside the values: equal bits between the tables, and rows that do not depend on
 * their neighbours.
 */
#include "base/rng.h"
#include "kernel/kernel.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    PARTS = 6,
    DENSE = 11,
    SMALL = 7,
    WIDE = 700,
    SPARSE = 9,
    COLS = DENSE + SMALL + SMALL + WIDE + SPARSE + 1
};
static const int64_t sizes[] = {0, 1, 2, 7, 16, 37, 333, 2048, 5001};

static uint64_t counter;
static double normal(void) { return gm_normal(5, 1, counter++); }
static uint32_t below(uint32_t n) { return (uint32_t)(gm_uniform(5, 2, counter++) * n); }
static void *room(size_t n) { return test_calloc(n ? n : 1, 1); }

/* A block with dense, coded (ones and levels, small and wide), sparse and constant dense columns. */
typedef struct data {
    gm_block b;
    gm_part part[PARTS];
    void *own[16];
    int n_own;
} data;

static void *own(data *d, size_t n) { return d->own[d->n_own++] = room(n); }

static uint32_t *codes(data *d, int64_t n, uint32_t width)
{
    uint32_t *c = own(d, (size_t)n * sizeof *c);
    for (int64_t i = 0; i < n; i++)
        c[i] = below(4) ? below(width + 2) : 0; /* one level is frequent; two are not there */
    return c;
}

static data *make(int64_t n, int weighted)
{
    data *d = room(sizeof *d);
    int64_t stride = n + 3;
    double *x = own(d, (size_t)(DENSE * stride) * sizeof *x), *level = own(d, SMALL * sizeof *level);
    for (int64_t i = 0; i < DENSE * stride; i++) x[i] = normal() + 3;
    for (int j = 0; j < SMALL; j++) level[j] = normal();
    int64_t *off = own(d, (size_t)(n + 1) * sizeof *off);
    uint32_t *idx = own(d, (size_t)(n * SPARSE + 5) * sizeof *idx);
    double *val = own(d, (size_t)(n * SPARSE + 5) * sizeof *val);
    off[0] = 5; /* need not be 0 */
    for (int64_t i = 0, e = 5; i < n; i++) {
        for (uint32_t j = 0; j < SPARSE; j++)
            if (below(3) == 0) idx[e] = j, val[e++] = normal();
        off[i + 1] = e;
    }
    double *last = own(d, (size_t)n * sizeof *last);
    for (int64_t i = 0; i < n; i++) last[i] = 2;
    d->part[0] = (gm_part){.form = GM_DENSE, .width = DENSE, .x = x, .stride = stride};
    d->part[1] = (gm_part){.form = GM_CODED, .width = SMALL, .code = codes(d, n, SMALL)};
    d->part[2] = (gm_part){.form = GM_CODED, .width = WIDE, .code = codes(d, n, WIDE)};
    d->part[3] = (gm_part){.form = GM_SPARSE, .width = SPARSE, .off = off, .idx = idx, .val = val};
    d->part[4] = (gm_part){.form = GM_CODED, .width = SMALL, .code = codes(d, n, SMALL), .level = level};
    d->part[5] = (gm_part){.form = GM_DENSE, .width = 1, .x = last, .stride = n};
    double *y = own(d, (size_t)n * sizeof *y), *w = own(d, (size_t)n * sizeof *w);
    for (int64_t i = 0; i < n; i++) y[i] = below(2), w[i] = below(4) * 0.75;
    d->b = (gm_block){
        .rows = n, .cols = COLS, .n_parts = PARTS, .part = d->part, .y = y, .w = weighted ? w : NULL};
    return d;
}

static void drop(data *d)
{
    for (int i = 0; i < d->n_own; i++) test_free(d->own[i]);
    test_free(d);
}

static double *numbers(int64_t n)
{
    double *v = room((size_t)n * sizeof *v);
    for (int64_t i = 0; i < n; i++) v[i] = normal();
    return v;
}

static void near(const double *a, const double *b, int64_t n, double scale)
{
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-13 * scale * (1 + fabs(b[i]))))
            fail_msg("entry %lld: %.17g, the reference says %.17g", (long long)i, a[i], b[i]);
}

typedef void (*check_fn)(const gm_kernel *k, const gm_block *b, double *out);

enum { FUSED = 2 }; /* from this table on sums are fused */

/* Runs check for all tables: near the reference, and the same bits where multiply-add is fused. */
static void compare(check_fn check, int64_t out_n, int use_rows)
{
    int n_tables;
    const gm_kernel *const *table = gm_kernels(&n_tables);
    assert_true(n_tables >= 2);
    assert_string_equal(table[0]->name, "reference");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int weighted = 0; weighted < 2; weighted++) {
            data *d = make(sizes[s], weighted);
            int64_t n = use_rows ? out_n * sizes[s] : out_n;
            double *start = numbers(n), *expect = room((size_t)n * 8), *first = room((size_t)n * 8),
                   *got = room((size_t)n * 8);
            for (int k = 0; k < n_tables; k++) {
                double *out = k == 0 ? expect : k == FUSED ? first : got;
                memcpy(out, start, (size_t)n * 8);
                check(table[k], &d->b, out);
                if (k > 0) near(out, expect, n, 1 + (double)sizes[s]);
                if (k > FUSED) assert_memory_equal(got, first, (size_t)n * 8);
            }
            test_free(start), test_free(expect), test_free(first), test_free(got);
            drop(d);
        }
}

static double shift_of[COLS], weight_of[COLS];
static void fill_shift(void)
{
    for (int j = 0; j < COLS; j++) shift_of[j] = 3 + 0.01 * j, weight_of[j] = sin(j);
}

static void run_xw(const gm_kernel *k, const gm_block *b, double *out) { k->xw(b, NULL, weight_of, out); }
static void run_xw_shift(const gm_kernel *k, const gm_block *b, double *out)
{
    k->xw(b, shift_of, weight_of, out);
}
static void run_xtr(const gm_kernel *k, const gm_block *b, double *out) { k->xtr(b, NULL, b->y, out); }
static void run_xtr_shift(const gm_kernel *k, const gm_block *b, double *out)
{
    k->xtr(b, shift_of, b->w ? b->w : b->y, out);
}
static void run_moments(const gm_kernel *k, const gm_block *b, double *out)
{
    k->moments(b, NULL, out, out + COLS);
}
static void run_moments_shift(const gm_kernel *k, const gm_block *b, double *out)
{
    k->moments(b, shift_of, out, out + COLS);
}
enum { FROM = 6, TO = 29 };
static void run_gram(const gm_kernel *k, const gm_block *b, double *out)
{
    k->gram(b, shift_of, FROM, TO, out);
}
static void run_gram_all(const gm_kernel *k, const gm_block *b, double *out)
{
    if (b->rows <= 40) k->gram(b, NULL, 0, COLS, out);
}
static void run_dot(const gm_kernel *k, const gm_block *b, double *out)
{
    out[0] = k->dot(b->rows, b->part[0].x, b->y);
}
static void run_axpy(const gm_kernel *k, const gm_block *b, double *out)
{
    k->axpy(b->rows, -0.7, b->part[0].x, out);
}

static void products(void **state)
{
    (void)state;
    fill_shift();
    compare(run_xw, 1, 1);
    compare(run_xw_shift, 1, 1);
    compare(run_xtr, COLS, 0);
    compare(run_xtr_shift, COLS, 0);
    compare(run_dot, 1, 0);
    compare(run_axpy, 1, 1);
}
static void column_moments(void **state)
{
    (void)state;
    fill_shift();
    compare(run_moments, 2 * COLS, 0);
    compare(run_moments_shift, 2 * COLS, 0);
}
static void gram_rows(void **state)
{
    (void)state;
    fill_shift();
    compare(run_gram, (TO - FROM) * COLS, 0);
    compare(run_gram_all, COLS * COLS, 0);
}

/* Margins of all sizes and signs: out is r (rows) and the loss in its first entry. */
static double margin(int64_t i) { return (i % 3 - 1) * pow(1.7, (double)(i % 29) - 14); }

static void run_logistic(const gm_kernel *k, const gm_block *b, double *out)
{
    double *m = numbers(b->rows + 1);
    for (int64_t i = 0; i < b->rows; i++) m[i] = margin(i);
    double loss = k->logistic(b->rows, m, b->y, b->w, m); /* in place */
    for (int64_t i = 0; i < b->rows; i++) out[i] = m[i] + (i == 0 ? loss : 0);
    test_free(m);
}
static void run_sigmoid(const gm_kernel *k, const gm_block *b, double *out)
{
    double *m = numbers(b->rows + 1);
    for (int64_t i = 0; i < b->rows; i++) m[i] = margin(i);
    k->sigmoid(b->rows, m, out);
    test_free(m);
}
static void softmax_of(const gm_kernel *k, const gm_block *b, const double *y, double *out)
{
    enum { K = 3 };
    double *m = numbers(K * (b->rows + 1));
    for (int64_t i = 0; i < K * (b->rows + 1); i++) m[i] = margin(i * 7);
    double loss = k->softmax(b->rows, K, b->rows + 1, m, y, b->w, m);
    for (int64_t i = 0; i < b->rows; i++)
        for (int c = 0; c < K; c++) out[i * K + c] = m[c * (b->rows + 1) + i] + (i == 0 && c == 0 ? loss : 0);
    test_free(m);
}
static void run_softmax(const gm_kernel *k, const gm_block *b, double *out) { softmax_of(k, b, b->y, out); }
static void run_probability(const gm_kernel *k, const gm_block *b, double *out)
{
    gm_block plain = *b;
    plain.w = NULL;
    softmax_of(k, &plain, NULL, out);
}

static void losses(void **state)
{
    (void)state;
    compare(run_logistic, 1, 1);
    compare(run_sigmoid, 1, 1);
    compare(run_softmax, 3, 1);
    compare(run_probability, 3, 1);
}

/* exp, log1p and the division together: relative errors of a few units in the last place, also far out. */
static void losses_are_accurate(void **state)
{
    (void)state;
    int n;
    const gm_kernel *const *table = gm_kernels(&n);
    for (int t = 1; t < n; t++)
        for (int i = 0; i < 40000; i++) {
            double m = (i % 2 ? 1 : -1) * exp(-30 + 36.5 * gm_uniform(1, 3, (uint64_t)i)), y = 0, r = 0,
                   ref_r = 0;
            double got = table[t]->logistic(1, &m, &y, NULL, &r),
                   want = gm_kernel_reference.logistic(1, &m, &y, NULL, &ref_r);
            if (!(fabs(got - want) <= 1e-15 * want) || !(fabs(r - ref_r) <= 1e-15 * ref_r))
                fail_msg("%s at margin %.17g: loss %.17g not %.17g, p %.17g not %.17g", table[t]->name, m,
                         got, want, r, ref_r);
        }
}

static void losses_at_the_ends(void **state)
{
    (void)state;
    int n;
    const gm_kernel *const *table = gm_kernels(&n);
    for (int t = 0; t < n; t++) {
        double m[] = {0, -0.0, 1e308, -1e308, 800, -800, INFINITY, -INFINITY},
               y[8] = {0, 0, 1, 0, 1, 0, 1, 0}, r[8];
        double loss = table[t]->logistic(6, m, y, NULL, r);
        assert_true(fabs(loss - 2 * log(2)) < 1e-15);
        assert_true(r[0] == 0.5 && r[1] == 0.5);
        for (int i = 2; i < 6; i++) assert_true(fabs(r[i]) < 1e-300);
        double p[8];
        table[t]->sigmoid(8, m, p);
        assert_true(p[2] == 1 && p[3] < 1e-300 && p[6] == 1 && p[7] < 1e-300);
        double bad = NAN, one = 1;
        assert_true(isnan(table[t]->logistic(1, &bad, &one, NULL, r)) && isnan(r[0]));
    }
}

/* Row i alone has the bits of row i among others: one served row equals the batch. */
static void rows_stand_alone(void **state)
{
    (void)state;
    fill_shift();
    int n_tables;
    const gm_kernel *const *table = gm_kernels(&n_tables);
    data *d = make(333, 0);
    for (int t = 0; t < n_tables; t++) {
        double all[333] = {0}, p[333];
        table[t]->xw(&d->b, NULL, weight_of, all);
        table[t]->sigmoid(333, all, p);
        for (int64_t i = 0; i < 333; i++) {
            gm_part part[PARTS];
            gm_block one;
            double m = 0, q;
            gm_block_rows(&d->b, i, 1, part, &one);
            table[t]->xw(&one, NULL, weight_of, &m);
            table[t]->sigmoid(1, &m, &q);
            assert_memory_equal(&m, &all[i], sizeof m);
            assert_memory_equal(&q, &p[i], sizeof q);
        }
    }
    drop(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(column_moments),
        cmocka_unit_test(gram_rows),
        cmocka_unit_test(losses),
        cmocka_unit_test(losses_are_accurate),
        cmocka_unit_test(losses_at_the_ends),
        cmocka_unit_test(rows_stand_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

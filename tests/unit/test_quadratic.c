/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rng.h"
#include "solve/cholesky.h"
#include "solve/quadratic.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { N = 12, ROWS = 40 };
static gm_cx *cx;
static int open_cx(void **state) { return (void)state, gm_cx_new("{}", &cx); }
static int close_cx(void **state) { return (void)state, gm_cx_free(cx), 0; }
static double a[N * N], b[N], l1[N], l2[N];

static void near(double x, double y, double tol)
{
    if (!(fabs(x - y) <= tol)) fail_msg("%.17g, expected %.17g within %g", x, y, tol);
}

/* A = X'X / ROWS of random columns; `twins`: the last column repeats the first. */
static void make(bool twins)
{
    static double x[ROWS][N];
    uint64_t c = 0;
    for (int i = 0; i < ROWS; i++) {
        double common = gm_normal(3, 0, c++);
        for (int j = 0; j < N; j++) x[i][j] = gm_normal(3, 0, c++) + 0.7 * common;
        if (twins) x[i][N - 1] = x[i][0];
    }
    for (int j = 0; j < N; j++) {
        l1[j] = l2[j] = 0;
        b[j] = 0;
        for (int i = 0; i < ROWS; i++) b[j] += x[i][j] * sin(i) / ROWS;
        for (int k = 0; k < N; k++) {
            a[j * N + k] = 0;
            for (int i = 0; i < ROWS; i++) a[j * N + k] += x[i][j] * x[i][k] / ROWS;
        }
    }
}

static double slope(const double *x, int j)
{
    double g = l2[j] * x[j] - b[j];
    for (int k = 0; k < N; k++) g += a[j * N + k] * x[k];
    return g;
}

static void factors(void **state)
{
    (void)state;
    make(false);
    double l[N * N], x[N], work[N], diagonal[N];
    memcpy(l, a, sizeof l);
    assert_true(gm_cholesky(N, l, 1e-13));
    memcpy(x, b, sizeof x);
    gm_cholesky_solve(N, l, x);
    for (int j = 0; j < N; j++) near(slope(x, j), 0, 1e-13);
    gm_cholesky_inverse_diagonal(N, l, work, diagonal);
    for (int j = 0; j < N; j++) {
        memset(x, 0, sizeof x);
        x[j] = 1;
        gm_cholesky_solve(N, l, x);
        near(diagonal[j], x[j], 1e-11);
    }
    make(true);
    memcpy(l, a, sizeof l);
    assert_false(gm_cholesky(N, l, 1e-13));
}

static void solves_with_and_without_rank(void **state)
{
    (void)state;
    bool full;
    double x[N], l[N * N];
    make(false);
    l2[3] = 0.5;
    gm_quadratic q = {.n = N, .a = a, .b = b, .l2 = l2, .scale = 1};
    assert_int_equal(gm_quadratic_solve(cx, gm_scratch(cx), &q, x, &full, l), GM_OK);
    assert_true(full);
    for (int j = 0; j < N; j++) near(slope(x, j), 0, 1e-14);
    make(true);
    assert_int_equal(gm_quadratic_solve(cx, gm_scratch(cx), &q, x, &full, NULL), GM_OK);
    assert_false(full);
    for (int j = 0; j < N; j++) near(slope(x, j), 0, 1e-9);
    near(x[0], x[N - 1], 1e-8); /* the shortest solution shares between twins */
    memset(a, 0, sizeof a);
    assert_int_equal(gm_quadratic_solve(cx, gm_scratch(cx), &q, x, &full, NULL), GM_OK);
    for (int j = 0; j < N; j++) assert_true(x[j] == 0);
}

static void descends_to_the_optimum(void **state)
{
    (void)state;
    for (int twins = 0; twins < 2; twins++) {
        make(twins);
        double x[N] = {0};
        int zeros = 0;
        int64_t passes;
        for (int j = 0; j < N; j++) l1[j] = 0.05, l2[j] = 0.01;
        gm_quadratic q = {.n = N, .a = a, .b = b, .l1 = l1, .l2 = l2, .scale = 1};
        assert_int_equal(gm_quadratic_descend(cx, gm_scratch(cx), &q, 1e-12, 10000, x, &passes), GM_OK);
        assert_true(passes < 10000);
        for (int j = 0; j < N; j++) {
            zeros += x[j] == 0;
            if (x[j] == 0) assert_true(fabs(slope(x, j)) <= l1[j] * (1 + 1e-9));
            else near(slope(x, j) + copysign(l1[j], x[j]), 0, 1e-10);
        }
        assert_true(zeros > 0 && zeros < N);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors),
        cmocka_unit_test(solves_with_and_without_rank),
        cmocka_unit_test(descends_to_the_optimum),
    };
    return cmocka_run_group_tests(tests, open_cx, close_cx);
}

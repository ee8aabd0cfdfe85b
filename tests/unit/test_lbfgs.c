/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/lbfgs.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static gm_cx *cx;
static int open_cx(void **state) { return (void)state, gm_cx_new("{}", &cx); }
static int close_cx(void **state) { return (void)state, gm_cx_free(cx), 0; }

static void near(double a, double b, double tol)
{
    if (!(fabs(a - b) <= tol)) fail_msg("%.17g, expected %.17g within %g", a, b, tol);
}

enum { N = 30 };
/* Chained Rosenbrock: one minimum at all ones, bent valleys. */
static gm_code rosenbrock(gm_cx *c, void *arg, const double *x, double *f, double *g)
{
    (void)c, (void)arg;
    *f = 0;
    memset(g, 0, N * sizeof *g);
    for (int i = 0; i + 1 < N; i++) {
        double a = 1 - x[i], b = x[i + 1] - x[i] * x[i];
        *f += a * a + 100 * b * b;
        g[i] += -2 * a - 400 * x[i] * b;
        g[i + 1] += 200 * b;
    }
    return GM_OK;
}

static void finds_a_smooth_minimum(void **state)
{
    (void)state;
    double x[N];
    for (int i = 0; i < N; i++) x[i] = -1.2 + 0.1 * (i % 5);
    gm_objective o = {rosenbrock, NULL};
    gm_lbfgs_options opt = {.max_iter = 1000, .tol = 1e-12};
    gm_lbfgs_result r;
    assert_int_equal(gm_lbfgs(cx, gm_scratch(cx), &o, &opt, N, x, &r), GM_OK);
    for (int i = 0; i < N; i++) near(x[i], 1, 1e-6);
    assert_int_not_equal(r.end, GM_END_ITERATIONS);
    assert_true(r.evaluations < 2 * r.iterations);
    for (int64_t i = 1; i <= r.iterations; i++) assert_true(r.history[i] <= r.history[i - 1] * (1 + 1e-12));
}

/* sum of c_j/2 (x_j - t_j)^2, c_j over four orders; its rounding is made worse on purpose. */
typedef struct bowl {
    double noise;
    int64_t calls;
} bowl;
static double curve(int j) { return pow(10, -2 + 4.0 * j / (N - 1)); }
static double centre(int j) { return sin(j) * 2; }
static gm_code bowl_at(gm_cx *c, void *arg, const double *x, double *f, double *g)
{
    (void)c;
    bowl *b = arg;
    *f = 5;
    for (int j = 0; j < N; j++) {
        g[j] = curve(j) * (x[j] - centre(j));
        *f += 0.5 * g[j] * (x[j] - centre(j));
    }
    b->calls++;
    *f *= 1 + b->noise * sin(1e6 * (double)b->calls);
    return GM_OK;
}

static void lives_with_noise(void **state)
{
    (void)state;
    double x[N] = {0};
    bowl b = {.noise = 1e-9};
    gm_objective o = {bowl_at, &b};
    gm_lbfgs_options opt = {.max_iter = 300, .tol = 1e-10, .noise = 4e-9};
    gm_lbfgs_result r;
    assert_int_equal(gm_lbfgs(cx, gm_scratch(cx), &o, &opt, N, x, &r), GM_OK);
    assert_true(r.evaluations <
                2 * r.iterations + 10); /* a strict test spends 20 evaluations an iteration here */
    for (int j = N / 2; j < N; j++) near(x[j], centre(j), 1e-4);
}

static void l1_thresholds(void **state)
{
    (void)state;
    double x[N] = {0}, l1[N];
    for (int j = 0; j < N; j++) l1[j] = j % 3 == 0 ? 0 : 0.8 * curve(j);
    bowl b = {0};
    gm_objective o = {bowl_at, &b};
    gm_lbfgs_options opt = {.max_iter = 2000, .tol = 1e-15, .l1 = l1};
    gm_lbfgs_result r;
    assert_int_equal(gm_lbfgs(cx, gm_scratch(cx), &o, &opt, N, x, &r), GM_OK);
    for (int j = 0; j < N; j++) {
        double t = centre(j), cut = l1[j] / curve(j), want = fabs(t) <= cut ? 0 : t - copysign(cut, t);
        near(x[j], want, 1e-5 / sqrt(curve(j)));
        if (want == 0) assert_true(x[j] == 0);
    }
}

static void bounds_hold(void **state)
{
    (void)state;
    double x[N], lower[N], upper[N];
    for (int j = 0; j < N; j++)
        x[j] = 9, lower[j] = j % 2 ? -INFINITY : -0.5, upper[j] = j % 5 ? 0.7 : INFINITY;
    bowl b = {0};
    gm_objective o = {bowl_at, &b};
    gm_lbfgs_options opt = {.max_iter = 2000, .tol = 1e-15, .lower = lower, .upper = upper};
    gm_lbfgs_result r;
    assert_int_equal(gm_lbfgs(cx, gm_scratch(cx), &o, &opt, N, x, &r), GM_OK);
    for (int j = 0; j < N; j++) {
        double want = fmin(fmax(centre(j), lower[j]), upper[j]);
        near(x[j], want, 1e-5 / sqrt(curve(j)));
        if (want != centre(j)) assert_true(x[j] == want);
    }
}

/* A coupled problem with bounds: Rosenbrock's valley with a ceiling of 0.8 on every second coordinate. */
static void bounds_on_a_coupled_problem(void **state)
{
    (void)state;
    double x[N] = {0}, upper[N], g[N], f;
    for (int j = 0; j < N; j++) upper[j] = j % 2 ? 0.8 : INFINITY;
    gm_objective o = {rosenbrock, NULL};
    gm_lbfgs_options opt = {.max_iter = 3000, .tol = 1e-14, .upper = upper};
    gm_lbfgs_result r;
    assert_int_equal(gm_lbfgs(cx, gm_scratch(cx), &o, &opt, N, x, &r), GM_OK);
    assert_int_equal(rosenbrock(cx, NULL, x, &f, g), GM_OK);
    for (int j = 0; j < N; j++) { /* Karush, Kuhn and Tucker */
        assert_true(x[j] <= upper[j]);
        if (x[j] < upper[j]) near(g[j], 0, 1e-3);
        else assert_true(g[j] <= 0);
    }
}

static gm_code count_up(gm_cx *c, void *arg, int64_t iteration, double value)
{
    (void)value;
    int64_t *seen = arg;
    assert_int_equal(++*seen, iteration);
    if (iteration == 3) gm_cx_cancel(c);
    return GM_OK;
}

static void tells_and_cancels(void **state)
{
    (void)state;
    double x[N] = {0};
    int64_t seen = 0;
    gm_objective o = {rosenbrock, NULL};
    gm_lbfgs_options opt = {.max_iter = 1000, .tol = 1e-12, .each = count_up, .each_arg = &seen};
    gm_lbfgs_result r;
    assert_int_equal(gm_lbfgs(cx, gm_scratch(cx), &o, &opt, N, x, &r), GM_ECANCEL);
    assert_int_equal(seen, 3);
    gm_cx_begin(cx);
}

static void stops_at_once_in_a_minimum(void **state)
{
    (void)state;
    double x[N];
    for (int j = 0; j < N; j++) x[j] = 1;
    gm_objective o = {rosenbrock, NULL};
    gm_lbfgs_options opt = {.max_iter = 10, .tol = 1e-6};
    gm_lbfgs_result r;
    assert_int_equal(gm_lbfgs(cx, gm_scratch(cx), &o, &opt, N, x, &r), GM_OK);
    assert_int_equal(r.iterations, 0);
    assert_int_equal(r.end, GM_END_GRADIENT);
    x[0] = -1;
    opt.max_iter = 2;
    assert_int_equal(gm_lbfgs(cx, gm_scratch(cx), &o, &opt, N, x, &r), GM_OK);
    assert_int_equal(r.iterations, 2);
    assert_int_equal(r.end, GM_END_ITERATIONS);
}

static gm_code infinite(gm_cx *c, void *arg, const double *x, double *f, double *g)
{
    (void)c, (void)arg, (void)x;
    *f = INFINITY;
    memset(g, 0, N * sizeof *g);
    return GM_OK;
}

static void an_infinite_start_is_an_error(void **state)
{
    (void)state;
    double x[N] = {0};
    gm_objective o = {infinite, NULL};
    gm_lbfgs_options opt = {.max_iter = 10, .tol = 1e-6};
    gm_lbfgs_result r;
    assert_int_equal(gm_lbfgs(cx, gm_scratch(cx), &o, &opt, N, x, &r), GM_EDATA);
    gm_cx_begin(cx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_a_smooth_minimum),
        cmocka_unit_test(lives_with_noise),
        cmocka_unit_test(l1_thresholds),
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(bounds_on_a_coupled_problem),
        cmocka_unit_test(tells_and_cancels),
        cmocka_unit_test(stops_at_once_in_a_minimum),
        cmocka_unit_test(an_infinite_start_is_an_error),
    };
    return cmocka_run_group_tests(tests, open_cx, close_cx);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* test_linear_regression.c - against scikit-learn and Spark (tests/golden/linear), by every solver. */
#include "learner_driver.h"

#include "golden/linear/golden.h"
#include <stdlib.h>

static const rows number = {.x = golden_x, .y = golden_number, .n = GOLDEN_N, .d = GOLDEN_D};
#define TIGHT "\"tol\": 1e-13, \"maxIter\": 5000"

static void is_golden(const rows *r, const char *json, const double *expected, double tol)
{
    static const char *const solver[] = {"auto", "normal", "l-bfgs"};
    for (int s = 0; s < 3; s++) {
        learner l;
        char all[512];
        snprintf(all, sizeof all, "{%s\"solver\": \"%s\", " TIGHT "}", json, solver[s]);
        learner_fitted(&l, "LinearRegression", all, r);
        learner_is(&l, expected, tol);
        assert_non_null(strstr(learner_summary(&l), "\"converged\":true"));
        learner_close(&l);
    }
}

static void every_solver_is_scikit_learn_s(void **state)
{
    (void)state;
    rows w = number;
    double no_intercept[GOLDEN_D + 1] = {0};
    memcpy(no_intercept, golden_ols_no_intercept, GOLDEN_D * sizeof *no_intercept);
    w.w = golden_fraction;
    is_golden(&number, "", golden_ols, 1e-7);
    is_golden(&w, "", golden_ols_weighted, 1e-7);
    is_golden(&number, "\"fitIntercept\": false, ", no_intercept, 1e-7);
    is_golden(&number, "\"regParam\": 0.1, ", golden_lr_ridge, 1e-7);
    is_golden(&number, "\"regParam\": 0.1, ", golden_spark_lr_ridge, 1e-4);
    is_golden(&number, "\"regParam\": 0.1, \"standardization\": false, ", golden_lr_ridge_as_is, 1e-7);
    is_golden(&number, "\"regParam\": 0.2, \"elasticNetParam\": 1, ", golden_lr_lasso, 1e-6);
    is_golden(&number, "\"regParam\": 0.2, \"elasticNetParam\": 0.4, \"standardization\": false, ",
              golden_lr_elastic_as_is, 1e-6);
}

static void errors_are_spark_s(void **state)
{
    (void)state;
    learner l;
    gm_doc *d;
    learner_fitted(&l, "LinearRegression", "{}", &number);
    learner_is(&l, golden_spark_ols, 1e-8);
    const char *json = learner_summary(&l), *name[] = {"coefficientStandardErrors", "tValues", "pValues"};
    const double *golden[] = {golden_spark_errors, golden_spark_t, golden_spark_p};
    assert_int_equal(gm_doc_json(l.cx, &l.a, json, strlen(json), "summary", &d), GM_OK);
    for (int k = 0; k < 3; k++) {
        const gm_doc *list = gm_doc_get(d, name[k]);
        assert_int_equal(list->n, GOLDEN_D + 1);
        for (int j = 0; j <= GOLDEN_D; j++) near_one(list->child[j].real, golden[k][j], 1e-7);
    }
    near_one(gm_doc_get(d, "degreesOfFreedom")->real, GOLDEN_N - GOLDEN_D - 1, 0);
    learner_close(&l);
    learner_fitted(&l, "LinearRegression", "{\"regParam\": 0.1}", &number);
    assert_null(strstr(learner_summary(&l), "pValues"));
    learner_close(&l);
}

static void huber_is_scikit_learn_s(void **state)
{
    (void)state;
    const char *json[] = {"{\"loss\": \"huber\", " TIGHT "}",
                          "{\"loss\": \"huber\", \"regParam\": 0.1, \"standardization\": false, " TIGHT "}"};
    const double *golden[] = {golden_huber, golden_huber_ridge_as_is};
    rows r = number;
    r.y = golden_far;
    for (int k = 0; k < 2; k++) {
        learner l;
        learner_fitted(&l, "LinearRegression", json[k], &r);
        learner_is(&l, golden[k], 1e-4);
        const gm_doc *scale;
        gm_doc *d;
        const char *summary = learner_summary(&l);
        assert_int_equal(gm_doc_json(l.cx, &l.a, summary, strlen(summary), "summary", &d), GM_OK);
        assert_non_null(scale = gm_doc_get(d, "scale"));
        near_one(scale->real, golden[k][GOLDEN_D + 1], 1e-4);
        learner_close(&l);
    }
    learner_fails("LinearRegression", "{\"loss\": \"huber\", \"solver\": \"normal\"}", &r, GM_EPARAM,
                  "l-bfgs");
    learner_fails("LinearRegression", "{\"loss\": \"huber\", \"regParam\": 1, \"elasticNetParam\": 1}", &r,
                  GM_EPARAM, "elasticNetParam");
    learner_fails("LinearRegression", "{\"epsilon\": 1}", &r, GM_EPARAM, "epsilon");
}

static void offsets_survive(void **state)
{
    (void)state;
    static double x[GOLDEN_N * GOLDEN_D], y[GOLDEN_N];
    static const char *const json[] = {"{\"solver\": \"normal\"}", "{\"solver\": \"l-bfgs\", " TIGHT "}",
                                       "{\"regParam\": 0.01, \"elasticNetParam\": 0.5, " TIGHT "}",
                                       "{\"loss\": \"huber\", " TIGHT "}"};
    for (size_t k = 0; k < 4; k++) {
        learner base, moved;
        rows r = number;
        learner_fitted(&base, "LinearRegression", json[k], &number);
        for (int i = 0; i < GOLDEN_N; i++) {
            y[i] = golden_number[i] + 1e6;
            for (int j = 0; j < GOLDEN_D; j++)
                x[i * GOLDEN_D + j] = golden_x[i * GOLDEN_D + j] + (j == 1 ? 1.6e9 : 1000);
        }
        r.x = x, r.y = y;
        learner_fitted(&moved, "LinearRegression", json[k], &r);
        near_all(learner_state(&moved)->coefficients, learner_state(&base)->coefficients, GOLDEN_D, 1e-4);
        learner_close(&base), learner_close(&moved);
    }
}

static void weights_are_repeated_rows(void **state)
{
    (void)state;
    static double x[3 * GOLDEN_N * GOLDEN_D], y[3 * GOLDEN_N];
    static const char *const json[] = {"{}", "{\"regParam\": 0.1, \"elasticNetParam\": 0.5}",
                                       "{\"solver\": \"l-bfgs\", \"regParam\": 0.1, " TIGHT "}",
                                       "{\"loss\": \"huber\", \"regParam\": 0.1, " TIGHT "}"};
    int64_t n = 0;
    for (int i = 0; i < GOLDEN_N; i++)
        for (int k = 0; k < golden_weight[i]; k++, n++) {
            memcpy(x + n * GOLDEN_D, golden_x + i * GOLDEN_D, GOLDEN_D * sizeof *x);
            y[n] = golden_number[i];
        }
    for (size_t k = 0; k < 4; k++) {
        learner a, b;
        rows weighted = number, repeated = {.x = x, .y = y, .n = n, .d = GOLDEN_D};
        weighted.w = golden_weight;
        learner_fitted(&a, "LinearRegression", json[k], &weighted);
        learner_fitted(&b, "LinearRegression", json[k], &repeated);
        near_all(learner_state(&a)->coefficients, learner_state(&b)->coefficients, GOLDEN_D, 1e-6);
        if (k == 0) { /* standard errors too */
            const char *p = strstr(learner_summary(&a), "\"pValues\""),
                       *q = strstr(learner_summary(&b), "\"pValues\"");
            assert_true(p && q);
            near_one(strtod(strchr(p, '[') + 1, NULL), strtod(strchr(q, '[') + 1, NULL), 1e-10);
        }
        learner_close(&a), learner_close(&b);
    }
}

/* Two numbers, and a category of four levels that all have a column: its columns add up to the intercept's.
 */
enum { MIX_N = 300, MIX_D = 6 };
static double mix_x[MIX_N * MIX_D], mix_y[MIX_N];
static void mix(void)
{
    memset(mix_x, 0, sizeof mix_x);
    for (int i = 0; i < MIX_N; i++) {
        int level = i * 7 % 4;
        double *x = mix_x + i * MIX_D;
        x[0] = i % 3 ? 0 : gm_normal(4, 2, (uint64_t)i);
        x[1] = 50 + gm_normal(4, 3, (uint64_t)i);
        x[2 + level] = 1;
        mix_y[i] = x[0] - 0.5 * x[1] + level + 0.1 * gm_normal(4, 4, (uint64_t)i);
    }
}

static void dependent_columns_get_the_shortest_solution(void **state)
{
    (void)state;
    mix();
    learner l[4];
    for (int f = 0; f < 3; f++) {
        rows r = {.x = mix_x, .y = mix_y, .n = MIX_N, .d = MIX_D, .form = (form)f};
        learner_fitted(&l[f], "LinearRegression", "{}", &r);
        const gm_linear_state *s = learner_state(&l[f]);
        assert_int_equal(l[f].warnings, 1);
        assert_non_null(strstr(l[f].warning, "fit.dependent"));
        near_one(s->coefficients[0], 1, 0.05);
        near_one(s->coefficients[3] - s->coefficients[2], 1, 0.05);
        near_all(s->coefficients, learner_state(&l[0])->coefficients, MIX_D, 1e-5);
    }
    rows r = {.x = mix_x, .y = mix_y, .n = MIX_N, .d = MIX_D, .form = MIXED_ROWS};
    learner_fitted(&l[3], "LinearRegression", "{\"solver\": \"l-bfgs\", " TIGHT "}", &r);
    near_all(learner_state(&l[3])->coefficients, learner_state(&l[0])->coefficients, MIX_D, 1e-4);
    for (int f = 0; f < 4; f++) learner_close(&l[f]);
}

static void dense_sparse_and_coded_are_equal(void **state)
{
    (void)state;
    static const char *const json[] = {"{\"regParam\": 0.05, \"solver\": \"normal\"}",
                                       "{\"regParam\": 0.05, \"elasticNetParam\": 0.5, \"tol\": 1e-9}",
                                       "{\"regParam\": 0.05, \"solver\": \"l-bfgs\", " TIGHT "}",
                                       "{\"regParam\": 0.05, \"fitIntercept\": false}"};
    mix();
    for (size_t k = 0; k < 4; k++) {
        learner l[3];
        for (int f = 0; f < 3; f++) {
            rows r = {.x = mix_x, .y = mix_y, .n = MIX_N, .d = MIX_D, .form = (form)f};
            learner_fitted(&l[f], "LinearRegression", json[k], &r);
            near_all(learner_state(&l[f])->coefficients, learner_state(&l[0])->coefficients, MIX_D, 1e-6);
            near_one(learner_state(&l[f])->intercept[0], learner_state(&l[0])->intercept[0], 1e-6);
        }
        for (int f = 0; f < 3; f++) learner_close(&l[f]);
    }
}

static void small_and_flat_data(void **state)
{
    (void)state;
    double x[] = {1, 2, 3, 4}, y[] = {7, 7, 7, 7};
    static const char *const json[] = {"{}", "{\"solver\": \"l-bfgs\"}",
                                       "{\"regParam\": 1, \"elasticNetParam\": 1}"};
    for (int n = 1; n <= 4; n++)
        for (int k = 0; k < 3; k++) {
            learner l;
            gm_prediction p = {0};
            rows r = {.x = x, .y = y, .n = n, .d = 1};
            learner_fitted(&l, "LinearRegression", json[k], &r);
            near_one(learner_state(&l)->coefficients[0], 0, 1e-12);
            near_one(learner_state(&l)->intercept[0], 7, 1e-12);
            learner_predict(&l, &r, &p, 0);
            near_one(p.prediction[0], 7, 1e-12);
            learner_close(&l);
        }
    double bad[] = {1, NAN};
    rows r = {.x = x, .y = bad, .n = 2, .d = 1};
    learner_fails("LinearRegression", "{}", &r, GM_EDATA, "label");
}

static void same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 4};
    static const char *const json[] = {"{\"regParam\": 0.01}", "{\"solver\": \"l-bfgs\"}",
                                       "{\"loss\": \"huber\"}"};
    mix();
    for (int k = 0; k < 3; k++) {
        double first[MIX_D];
        for (int t = 0; t < 3; t++) {
            learner l;
            rows r = {.x = mix_x, .y = mix_y, .n = MIX_N, .d = MIX_D, .form = MIXED_ROWS, .parts = 7};
            learner_open(&l, "LinearRegression", json[k], threads[t]);
            assert_int_equal(learner_fit(&l, &r), GM_OK);
            if (t == 0) memcpy(first, learner_state(&l)->coefficients, sizeof first);
            assert_memory_equal(first, learner_state(&l)->coefficients, sizeof first);
            learner_close(&l);
        }
    }
}

/* More columns than one band of the Gram matrix holds: the same as L-BFGS. */
static void wide_data_take_several_bands(void **state)
{
    (void)state;
    enum { N = 60, D = 700 };
    static double x[N * D], y[N];
    for (int i = 0; i < N * D; i++) x[i] = gm_normal(8, 1, (uint64_t)i);
    for (int i = 0; i < N; i++) y[i] = x[i * D] - x[i * D + 650] + 0.1 * gm_normal(8, 2, (uint64_t)i);
    learner a, b;
    rows r = {.x = x, .y = y, .n = N, .d = D, .block = 2, .parts = 30};
    learner_fitted(&a, "LinearRegression", "{\"regParam\": 0.5, \"solver\": \"normal\"}", &r);
    learner_fitted(&b, "LinearRegression", "{\"regParam\": 0.5, \"solver\": \"l-bfgs\", " TIGHT "}", &r);
    near_all(learner_state(&a)->coefficients, learner_state(&b)->coefficients, D, 1e-6);
    learner_close(&a), learner_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_solver_is_scikit_learn_s),
        cmocka_unit_test(errors_are_spark_s),
        cmocka_unit_test(huber_is_scikit_learn_s),
        cmocka_unit_test(offsets_survive),
        cmocka_unit_test(weights_are_repeated_rows),
        cmocka_unit_test(dependent_columns_get_the_shortest_solution),
        cmocka_unit_test(dense_sparse_and_coded_are_equal),
        cmocka_unit_test(small_and_flat_data),
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(wide_data_take_several_bands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

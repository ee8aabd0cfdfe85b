/* SPDX-License-Identifier: Apache-2.0 */
/* test_logistic_regression.c - against scikit-learn and Spark (tests/golden/linear), and what must hold of
 * any fit. */
#include "learner_driver.h"

#include "golden/linear/golden.h"

static const rows two = {.x = golden_x, .y = golden_two, .n = GOLDEN_N, .d = GOLDEN_D, .classes = 2};
static const rows three = {.x = golden_x, .y = golden_three, .n = GOLDEN_N, .d = GOLDEN_D, .classes = 3};
#define TIGHT "\"tol\": 1e-13, \"maxIter\": 5000"

static void is_golden(const rows *r, const char *json, const double *expected, double tol)
{
    learner l;
    learner_fitted(&l, "LogisticRegression", json, r);
    learner_is(&l, expected, tol);
    learner_close(&l);
}

static void binomial_is_scikit_learn_s(void **state)
{
    (void)state;
    rows w = two;
    w.w = golden_fraction;
    is_golden(&two, "{" TIGHT "}", golden_plain, 1e-5);
    is_golden(&two, "{\"standardization\": false, " TIGHT "}", golden_plain, 1e-5);
    is_golden(&two, "{\"fitIntercept\": false, " TIGHT "}", golden_plain_no_intercept, 1e-5);
    is_golden(&two, "{\"regParam\": 0.1, " TIGHT "}", golden_ridge, 1e-6);
    is_golden(&two, "{\"regParam\": 0.1, \"standardization\": false, " TIGHT "}", golden_ridge_as_is, 1e-6);
    is_golden(&two, "{\"regParam\": 0.05, \"elasticNetParam\": 0.5, " TIGHT "}", golden_elastic, 1e-5);
    is_golden(&two, "{\"regParam\": 0.05, \"elasticNetParam\": 1, \"standardization\": false, " TIGHT "}",
              golden_lasso_as_is, 1e-5);
    is_golden(&w, "{" TIGHT "}", golden_weighted, 1e-5);
    is_golden(&w, "{\"regParam\": 0.1, \"standardization\": false, " TIGHT "}", golden_weighted_as_is, 1e-6);
}

static void multinomial_is_scikit_learn_s(void **state)
{
    (void)state;
    is_golden(&three, "{" TIGHT "}", golden_multi_plain, 1e-4);
    is_golden(&three, "{\"regParam\": 0.05, " TIGHT "}", golden_multi_ridge, 1e-5);
    is_golden(&three, "{\"regParam\": 0.03, \"elasticNetParam\": 0.4, " TIGHT "}", golden_multi_elastic,
              1e-4);
}

static void both_are_spark_s(void **state)
{
    (void)state;
    rows w = two;
    w.w = golden_fraction;
    is_golden(&two, "{\"regParam\": 0.1, " TIGHT "}", golden_spark_ridge, 1e-5);
    is_golden(&two, "{\"regParam\": 0.05, \"elasticNetParam\": 0.5, " TIGHT "}", golden_spark_elastic, 1e-4);
    is_golden(&two, "{\"regParam\": 0.05, \"elasticNetParam\": 1, \"standardization\": false, " TIGHT "}",
              golden_spark_lasso_as_is, 1e-4);
    is_golden(&w, "{\"regParam\": 0.05, " TIGHT "}", golden_spark_weighted, 1e-5);
    is_golden(&three, "{" TIGHT "}", golden_spark_multi_plain, 1e-4);
    is_golden(&three, "{\"regParam\": 0.05, " TIGHT "}", golden_spark_multi_ridge, 1e-5);
    is_golden(&two, "{\"regParam\": 0.05, \"family\": \"multinomial\", " TIGHT "}", golden_spark_family,
              1e-5);
}

static void default_tolerance_is_close(void **state)
{
    (void)state;
    is_golden(&two, "{\"regParam\": 0.1}", golden_ridge, 1e-3);
    is_golden(&two, "{}", golden_plain, 1e-2);
}

/* 200 rows of a known model with intercept -4, x moved by `offset`; a second column is almost constant. */
enum { SHIFT_N = 200 };
static double shift_x[SHIFT_N * 2], shift_y[SHIFT_N];
static void shifted(double offset)
{
    for (int i = 0; i < SHIFT_N; i++) {
        double v = 3 * gm_normal(9, 0, (uint64_t)i) + 2;
        shift_x[2 * i] = v + offset;
        shift_x[2 * i + 1] = i % 40 ? 1.0 : 0.9;
        shift_y[i] = gm_uniform(9, 1, (uint64_t)i) < 1 / (1 + exp(4 - 1.5 * v));
    }
}

static void shifting_a_feature_moves_the_intercept_only(void **state)
{
    (void)state;
    static const double offsets[] = {1000, -1000, 1e6, 1.6e9, 1.6e15};
    const rows r = {.x = shift_x, .y = shift_y, .n = SHIFT_N, .d = 2, .classes = 2};
    const char *json[] = {"{\"regParam\": 1e-8}", "{\"regParam\": 1e-8, \"tol\": 1e-10, \"maxIter\": 500}",
                          "{\"regParam\": 0.02, \"elasticNetParam\": 0.5, \"tol\": 1e-10, \"maxIter\": 500}"};
    for (size_t k = 0; k < 3; k++) {
        learner base, moved;
        shifted(0);
        learner_fitted(&base, "LogisticRegression", json[k], &r);
        double a = learner_state(&base)->coefficients[0], b = learner_state(&base)->intercept[0];
        for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++) {
            shifted(offsets[o]);
            learner_fitted(&moved, "LogisticRegression", json[k], &r);
            const gm_linear_state *s = learner_state(&moved);
            /* doubles near 1.6e15 are 0.25 apart: there the data themselves have changed */
            double tol = offsets[o] > 1e12 ? 0.05 : 1e-3;
            near_one(s->coefficients[0], a, tol);
            if (offsets[o] < 1e7) near_one(s->intercept[0], b - offsets[o] * s->coefficients[0], 1e-3);
            learner_close(&moved);
        }
        learner_close(&base);
    }
}

static void scaling_a_feature_divides_its_coefficient(void **state)
{
    (void)state;
    static double x[GOLDEN_N * GOLDEN_D];
    rows r = two;
    r.x = x;
    for (int i = 0; i < GOLDEN_N * GOLDEN_D; i++) x[i] = golden_x[i] * pow(1000, i % GOLDEN_D - 1);
    learner a, b;
    learner_fitted(&a, "LogisticRegression", "{\"regParam\": 0.01, " TIGHT "}", &two);
    learner_fitted(&b, "LogisticRegression", "{\"regParam\": 0.01, " TIGHT "}", &r);
    for (int j = 0; j < GOLDEN_D; j++)
        near_one(learner_state(&b)->coefficients[j] * pow(1000, j - 1), learner_state(&a)->coefficients[j],
                 1e-6);
    learner_close(&a), learner_close(&b);
}

static void order_of_rows_and_columns_does_not_matter(void **state)
{
    (void)state;
    static double x[GOLDEN_N * GOLDEN_D], y[GOLDEN_N];
    for (int i = 0; i < GOLDEN_N; i++) {
        int from = i * 67 % GOLDEN_N;
        y[i] = golden_two[from];
        for (int j = 0; j < GOLDEN_D; j++)
            x[i * GOLDEN_D + (j + 1) % GOLDEN_D] = golden_x[from * GOLDEN_D + j];
    }
    learner a, b;
    rows r = two;
    r.x = x, r.y = y;
    learner_fitted(&a, "LogisticRegression", "{\"regParam\": 0.01, " TIGHT "}", &two);
    learner_fitted(&b, "LogisticRegression", "{\"regParam\": 0.01, " TIGHT "}", &r);
    for (int j = 0; j < GOLDEN_D; j++)
        near_one(learner_state(&b)->coefficients[(j + 1) % GOLDEN_D], learner_state(&a)->coefficients[j],
                 1e-7);
    learner_close(&a), learner_close(&b);
}

static void weights_are_repeated_rows(void **state)
{
    (void)state;
    static double x[3 * GOLDEN_N * GOLDEN_D], y2[3 * GOLDEN_N], y3[3 * GOLDEN_N];
    int64_t n = 0;
    for (int i = 0; i < GOLDEN_N; i++)
        for (int k = 0; k < golden_weight[i]; k++, n++) {
            memcpy(x + n * GOLDEN_D, golden_x + i * GOLDEN_D, GOLDEN_D * sizeof *x);
            y2[n] = golden_two[i], y3[n] = golden_three[i];
        }
    const char *json[] = {"{" TIGHT "}", "{\"regParam\": 0.05, " TIGHT "}",
                          "{\"regParam\": 0.05, \"elasticNetParam\": 0.7, " TIGHT "}"};
    for (size_t k = 0; k < 6; k++) {
        rows weighted = k < 3 ? two : three, repeated = {.x = x, .y = k < 3 ? y2 : y3, .n = n, .d = GOLDEN_D};
        learner a, b;
        weighted.w = golden_weight;
        repeated.classes = weighted.classes;
        learner_fitted(&a, "LogisticRegression", json[k % 3], &weighted);
        learner_fitted(&b, "LogisticRegression", json[k % 3], &repeated);
        const gm_linear_state *s = learner_state(&b);
        near_all(learner_state(&a)->coefficients, s->coefficients, s->n_coefficients, k == 3 ? 1e-4 : 1e-5);
        near_all(learner_state(&a)->intercept, s->intercept, s->n_intercept, k == 3 ? 1e-4 : 1e-5);
        learner_close(&a), learner_close(&b);
    }
}

/* Rows with two numbers and a category of five levels, one-hot. */
enum { MIX_N = 400, MIX_D = 7 };
static double mix_x[MIX_N * MIX_D], mix_y[MIX_N];
static void mix(void)
{
    memset(mix_x, 0, sizeof mix_x);
    for (int i = 0; i < MIX_N; i++) {
        int level = (int)(6 * gm_uniform(4, 0, (uint64_t)i)); /* level 5 has no column: dropLast */
        double *x = mix_x + i * MIX_D, m = 0.3 * level - 0.7;
        x[0] = gm_uniform(4, 1, (uint64_t)i) < 0.5 ? 0 : gm_normal(4, 2, (uint64_t)i);
        x[1] = 5 + gm_normal(4, 3, (uint64_t)i);
        if (level < 5) x[2 + level] = 1;
        mix_y[i] = gm_uniform(4, 4, (uint64_t)i) < 1 / (1 + exp(-(m + x[0] - 0.4 * (x[1] - 5))));
    }
}

static void dense_sparse_and_coded_are_equal(void **state)
{
    (void)state;
    mix();
    const char *json[] = {"{" TIGHT "}", "{\"regParam\": 0.01, " TIGHT "}",
                          "{\"fitIntercept\": false, " TIGHT "}",
                          "{\"regParam\": 0.01, \"elasticNetParam\": 1, " TIGHT "}"};
    for (size_t k = 0; k < sizeof json / sizeof *json; k++) {
        learner l[3];
        for (int f = 0; f < 3; f++) {
            rows r = {.x = mix_x, .y = mix_y, .n = MIX_N, .d = MIX_D, .classes = 2, .form = (form)f};
            learner_fitted(&l[f], "LogisticRegression", json[k], &r);
        }
        const gm_linear_state *s = learner_state(&l[0]);
        for (int f = 1; f < 3; f++) {
            near_all(learner_state(&l[f])->coefficients, s->coefficients, MIX_D, 1e-5);
            near_all(learner_state(&l[f])->intercept, s->intercept, 1, 1e-5);
            gm_prediction a = {0}, b = {0};
            rows r = {.x = mix_x, .n = MIX_N, .d = MIX_D, .form = (form)f}, dense = r;
            dense.form = DENSE_ROWS;
            learner_predict(&l[0], &r, &a, 2);
            learner_predict(&l[0], &dense, &b, 2);
            near_all(a.probability, b.probability, 2 * MIX_N, 1e-14);
        }
        for (int f = 0; f < 3; f++) learner_close(&l[f]);
    }
}

static void same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    mix();
    static const int threads[] = {1, 2, 4};
    double first[MIX_D + 1];
    for (int t = 0; t < 3; t++) {
        learner l;
        rows r = {
            .x = mix_x, .y = mix_y, .n = MIX_N, .d = MIX_D, .classes = 2, .form = MIXED_ROWS, .parts = 11};
        learner_open(&l, "LogisticRegression", "{\"regParam\": 0.001}", threads[t]);
        assert_int_equal(learner_fit(&l, &r), GM_OK);
        double found[MIX_D + 1];
        memcpy(found, learner_state(&l)->coefficients, MIX_D * sizeof *found);
        found[MIX_D] = learner_state(&l)->intercept[0];
        if (t == 0) memcpy(first, found, sizeof first);
        assert_memory_equal(first, found, sizeof first);
        learner_close(&l);
    }
}

static void blocks_of_any_size(void **state)
{
    (void)state;
    mix();
    double first[MIX_D] = {0};
    static const int64_t block[] = {1, 16, 399, 4000};
    for (int t = 0; t < 4; t++) {
        learner l;
        rows r = {
            .x = mix_x, .y = mix_y, .n = MIX_N, .d = MIX_D, .classes = 2, .block = block[t], .parts = t + 1};
        learner_fitted(&l, "LogisticRegression", "{\"regParam\": 0.01, " TIGHT "}", &r);
        if (t == 0) memcpy(first, learner_state(&l)->coefficients, sizeof first);
        near_all(learner_state(&l)->coefficients, first, MIX_D, 1e-7);
        learner_close(&l);
    }
}

static void bounds_are_met(void **state)
{
    (void)state;
    double x[] = {0, 1, 2, 3}, y[] = {0, 0, 1, 1};
    learner l;
    gm_prediction p = {0};
    rows r = {.x = x, .y = y, .n = 4, .d = 1, .classes = 2};
    learner_fitted(&l, "LogisticRegression", "{\"upperBoundsOnCoefficients\": [[0]]}", &r);
    assert_true(learner_state(&l)->coefficients[0] == 0);
    near_one(learner_state(&l)->intercept[0], 0, 1e-9);
    learner_predict(&l, &r, &p, 2);
    for (int i = 0; i < 8; i++) near_one(p.probability[i], 0.5, 1e-9);
    learner_close(&l);

    /* A bound that does not bind changes nothing; one on the intercept holds for features as they are. */
    learner_fitted(&l, "LogisticRegression",
                   "{\"regParam\": 0.1, \"lowerBoundsOnCoefficients\": [[-9, -9, -9, -9]], \"tol\": 1e-13, "
                   "\"maxIter\": 5000}",
                   &two);
    learner_is(&l, golden_ridge, 1e-5);
    learner_close(&l);
    learner_fitted(&l, "LogisticRegression",
                   "{\"lowerBoundsOnIntercepts\": [2], \"upperBoundsOnIntercepts\": [2.5], \"tol\": 1e-12, "
                   "\"maxIter\": 5000}",
                   &two);
    near_one(learner_state(&l)->intercept[0], 2, 1e-12);
    learner_close(&l);
    learner_fitted(&l, "LogisticRegression",
                   "{\"upperBoundsOnCoefficients\": [[9,9,0.5,9],[9,9,0.5,9],[9,9,0.5,9]], " TIGHT "}",
                   &three);
    for (int c = 0; c < 3; c++) assert_true(learner_state(&l)->coefficients[c * GOLDEN_D + 2] <= 0.5 + 1e-12);
    learner_close(&l);
    learner_fails("LogisticRegression",
                  "{\"upperBoundsOnCoefficients\": [[0]], \"regParam\": 1, \"elasticNetParam\": 0.5}", &r,
                  GM_EPARAM, "L1");
    learner_fails("LogisticRegression", "{\"upperBoundsOnCoefficients\": [[0, 1]]}", &r, GM_EPARAM,
                  "expected 1 x 1");
    learner_fails("LogisticRegression",
                  "{\"upperBoundsOnCoefficients\": [[0]], \"lowerBoundsOnCoefficients\": [[1]]}", &r,
                  GM_EPARAM, "above");
}

static void separable_classes_are_told(void **state)
{
    (void)state;
    double x[] = {-2, -1, 1, 2}, y[] = {0, 0, 1, 1};
    learner l;
    gm_prediction p = {0};
    rows r = {.x = x, .y = y, .n = 4, .d = 1, .classes = 2};
    learner_fitted(&l, "LogisticRegression", "{\"maxIter\": 100}", &r);
    assert_true(isfinite(learner_state(&l)->coefficients[0]) && isfinite(learner_state(&l)->intercept[0]));
    assert_non_null(strstr(learner_summary(&l), "\"converged\":false"));
    assert_non_null(strstr(learner_summary(&l), "separable"));
    assert_int_equal(l.warnings, 1);
    assert_non_null(strstr(l.warning, "fit.separable"));
    learner_predict(&l, &r, &p, 2);
    assert_true(p.raw[1] < p.raw[3] && p.raw[3] < p.raw[5]); /* the training AUC is 1 */
    for (int i = 0; i < 4; i++) assert_true(p.prediction[i] == y[i]);
    learner_close(&l);
    double y3[] = {0, 1, 1, 2}, far[] = {-20, 0, 1, 20};
    r = (rows){.x = far, .y = y3, .n = 4, .d = 1, .classes = 3};
    learner_fitted(&l, "LogisticRegression", "{}", &r);
    assert_non_null(strstr(learner_summary(&l), "separable"));
    learner_close(&l);
    learner_fitted(&l, "LogisticRegression", "{\"regParam\": 0.1}", &r);
    assert_non_null(strstr(learner_summary(&l), "\"converged\":true"));
    assert_int_equal(l.warnings, 0);
    learner_close(&l);
}

static void a_constant_label_is_an_error(void **state)
{
    (void)state;
    double x[] = {1, 2, 3}, y[] = {1, 1, 1}, w[] = {0, 1, 1}, yw[] = {0, 1, 1};
    rows r = {.x = x, .y = y, .n = 3, .d = 1, .classes = 2};
    learner_fails("LogisticRegression", "{}", &r, GM_EDATA, "constant");
    r.y = yw, r.w = w; /* a row of weight 0 is not there */
    learner_fails("LogisticRegression", "{}", &r, GM_EDATA, "constant");
}

static void constant_features_have_coefficient_0(void **state)
{
    (void)state;
    double x[40 * 3], y[40];
    for (int i = 0; i < 40; i++) {
        x[3 * i] = log(0.00001); /* its computed mean differs from it by rounding */
        x[3 * i + 1] = sin(i);
        x[3 * i + 2] = 1e-12 * (i % 3); /* small, and real */
        y[i] = sin(i) + 0.8 * cos(i * 5) + 0.5 * (i % 3 - 1) > 0;
    }
    for (int f = 0; f < 2; f++) {
        learner l;
        rows r = {.x = x, .y = y, .n = 40, .d = 3, .classes = 2, .form = (form)f};
        learner_fitted(&l, "LogisticRegression", "{\"regParam\": 0.01}", &r);
        assert_true(learner_state(&l)->coefficients[0] == 0);
        assert_true(learner_state(&l)->coefficients[1] > 0);
        assert_true(learner_state(&l)->coefficients[2] > 1e10);
        learner_close(&l);
    }
}

static void bad_values_are_named(void **state)
{
    (void)state;
    double x[] = {1, 2, 3, 4, INFINITY, 6}, y[] = {0, 1, 0}, w[] = {1, -1, 1};
    rows r = {.x = x, .y = y, .n = 3, .d = 2, .classes = 2};
    learner_fails("LogisticRegression", "{}", &r, GM_EDATA, "'x0'");
    x[4] = NAN;
    learner_fails("LogisticRegression", "{}", &r, GM_EDATA, "'x0'");
    x[4] = 5;
    r.w = w;
    learner_fails("LogisticRegression", "{}", &r, GM_EDATA, "weight");
    w[0] = w[1] = w[2] = 0;
    learner_fails("LogisticRegression", "{}", &r, GM_EDATA, "weight above 0");
    r.w = NULL;
    r.classes = 3;
    learner_fails("LogisticRegression", "{\"family\": \"binomial\"}", &r, GM_EPARAM, "two classes");
    learner_fails("LogisticRegression", "{\"thresholds\": [1, 2]}", &r, GM_EPARAM, "thresholds");
    learner_fails("LogisticRegression", "{\"thresholds\": [0, 0, 1]}", &r, GM_EPARAM, "thresholds");
    learner_fails("LogisticRegression", "{\"threshold\": 0.3, \"thresholds\": [1, 1]}", &two, GM_EPARAM,
                  "disagree");
    learner_fails("LogisticRegression", "{\"elasticNetParam\": 2}", &two, GM_EPARAM, "elasticNetParam");
}

static void thresholds_choose(void **state)
{
    (void)state;
    const char *json[] = {"{\"threshold\": 0.8}", "{\"thresholds\": [0.2, 0.8]}",
                          "{\"thresholds\": [0.0, 0.5]}"};
    for (size_t k = 0; k < 3; k++) {
        learner l;
        gm_prediction p = {0};
        learner_fitted(&l, "LogisticRegression", json[k], &two);
        learner_predict(&l, &two, &p, 2);
        for (int i = 0; i < GOLDEN_N; i++)
            assert_true(p.prediction[i] == (k < 2 ? p.probability[2 * i + 1] > 0.8 : 0));
        learner_close(&l);
    }
    learner l;
    gm_prediction p = {0};
    learner_fitted(&l, "LogisticRegression", "{\"thresholds\": [0.5, 0.1, 0.4]}", &three);
    learner_predict(&l, &three, &p, 3);
    for (int i = 0; i < GOLDEN_N; i++) {
        const double *q = p.probability + 3 * i, t[] = {0.5, 0.1, 0.4};
        near_one(q[0] + q[1] + q[2], 1, 1e-14);
        int chosen = (int)p.prediction[i];
        for (int c = 0; c < 3; c++) assert_true(q[chosen] / t[chosen] >= q[c] / t[c]);
    }
    learner_close(&l);
}

static void one_row_predicts_as_the_batch_does(void **state)
{
    (void)state;
    const rows *of[] = {&two, &three};
    for (int k = 0; k < 2; k++) {
        learner l;
        gm_prediction all = {0};
        learner_fitted(&l, "LogisticRegression", "{}", of[k]);
        learner_predict(&l, of[k], &all, 2 + k);
        for (int i = 0; i < GOLDEN_N; i += 7) {
            rows one = {.x = golden_x + i * GOLDEN_D, .n = 1, .d = GOLDEN_D};
            gm_prediction p = {0};
            learner_predict(&l, &one, &p, 2 + k);
            assert_memory_equal(p.probability, all.probability + i * (2 + k),
                                (size_t)(2 + k) * sizeof(double));
            assert_memory_equal(p.raw, all.raw + i * (2 + k), (size_t)(2 + k) * sizeof(double));
        }
        double bad[GOLDEN_D] = {NAN, 1, 1, 1};
        rows missing = {.x = bad, .n = 1, .d = GOLDEN_D};
        gm_prediction p = {0};
        learner_predict(&l, &missing, &p, 2 + k);
        assert_true(isnan(p.prediction[0]));
        learner_close(&l);
    }
}

static void tells_iterations_and_history(void **state)
{
    (void)state;
    learner l;
    learner_fitted(&l, "LogisticRegression", "{\"maxIter\": 3}", &two);
    const gm_linear_state *s = learner_state(&l);
    assert_int_equal(s->fitted[GM_FIT_ITERATIONS], 3);
    assert_int_equal(l.iterations, 3);
    assert_int_equal(s->n_history, 4);
    for (int i = 1; i < 4; i++) assert_true(s->objectiveHistory[i] < s->objectiveHistory[i - 1]);
    assert_non_null(strstr(learner_summary(&l), "\"converged\":false"));
    assert_non_null(strstr(l.warning, "maxIter"));
    learner_close(&l);
    learner_fitted(&l, "LogisticRegression", "{\"maxIter\": 1000000000}", &two); /* costs no memory */
    learner_close(&l);
}

static void a_damaged_state_is_refused(void **state)
{
    (void)state;
    learner l;
    learner_fitted(&l, "LogisticRegression", "{}", &three);
    gm_linear_state *s = l.node.state, keep = *s;
    const gm_stage *stage = l.node.stage;
    for (int k = 0; k < 6; k++) {
        *s = keep;
        if (k == 0) s->n_coefficients--;
        if (k == 1) s->n_intercept = 0;
        if (k == 2) s->n_features = 3;
        if (k == 3) s->n_fitted = 1;
        if (k == 4) l.attr[0].width = 7;
        if (k == 5) l.attr[0].width = GOLDEN_D, s->coefficients[0] = NAN;
        assert_int_equal(stage->verify(l.cx, &l.node), GM_EMODEL);
        gm_cx_begin(l.cx);
    }
    learner_close(&l);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    long n = 0;
    for (bool failed = true; failed && n < 2000; n++) {
        learner l;
        learner_open(&l, "LogisticRegression", "{\"maxIter\": 5}", 1);
        learner_data(&l, &three);
        void *s = learner_room(&l, 1, l.node.stage->state_size);
        gm_oom_after = n;
        gm_code code = l.node.stage->fit(l.cx, &l.a, &l.node, &l.data, gm_comm_self(), s);
        gm_oom_after = -1;
        failed = code != GM_OK;
        assert_true(code == GM_OK || code == GM_ENOMEM);
        learner_close(&l);
    }
    assert_true(n > 20 && n < 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binomial_is_scikit_learn_s),
        cmocka_unit_test(multinomial_is_scikit_learn_s),
        cmocka_unit_test(both_are_spark_s),
        cmocka_unit_test(default_tolerance_is_close),
        cmocka_unit_test(shifting_a_feature_moves_the_intercept_only),
        cmocka_unit_test(scaling_a_feature_divides_its_coefficient),
        cmocka_unit_test(order_of_rows_and_columns_does_not_matter),
        cmocka_unit_test(weights_are_repeated_rows),
        cmocka_unit_test(dense_sparse_and_coded_are_equal),
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(blocks_of_any_size),
        cmocka_unit_test(bounds_are_met),
        cmocka_unit_test(separable_classes_are_told),
        cmocka_unit_test(a_constant_label_is_an_error),
        cmocka_unit_test(constant_features_have_coefficient_0),
        cmocka_unit_test(bad_values_are_named),
        cmocka_unit_test(thresholds_choose),
        cmocka_unit_test(one_row_predicts_as_the_batch_does),
        cmocka_unit_test(tells_iterations_and_history),
        cmocka_unit_test(a_damaged_state_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

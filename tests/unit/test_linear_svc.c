/* SPDX-License-Identifier: Apache-2.0 */
/* test_linear_svc.c - against the exact optimum (libsvm's dual) and Spark's objective. */
#include "learner_driver.h"

#include "golden/linear/golden.h"

static const rows two = {.x = golden_x, .y = golden_two, .n = GOLDEN_N, .d = GOLDEN_D, .classes = 2};
#define TIGHT "\"tol\": 1e-12, \"maxIter\": 5000"

/* Mean hinge plus regParam/2 of the squared scaled coefficients. */
static double objective(const double *coefficients, double intercept, double reg)
{
    double sum = 0, penalty = 0;
    for (int j = 0; j < GOLDEN_D; j++) {
        double mean = 0, m2 = 0;
        for (int i = 0; i < GOLDEN_N; i++) mean += golden_x[i * GOLDEN_D + j] / GOLDEN_N;
        for (int i = 0; i < GOLDEN_N; i++) m2 += pow(golden_x[i * GOLDEN_D + j] - mean, 2);
        penalty += coefficients[j] * coefficients[j] * m2 / (GOLDEN_N - 1);
    }
    for (int i = 0; i < GOLDEN_N; i++) {
        double m = intercept;
        for (int j = 0; j < GOLDEN_D; j++) m += coefficients[j] * golden_x[i * GOLDEN_D + j];
        sum += fmax(0, 1 - (2 * golden_two[i] - 1) * m);
    }
    return sum / GOLDEN_N + reg / 2 * penalty;
}

static void reaches_the_optimum(void **state)
{
    (void)state;
    learner l;
    learner_fitted(&l, "LinearSVC", "{\"regParam\": 0.05, " TIGHT "}", &two);
    const gm_linear_state *s = learner_state(&l);
    double ours = objective(s->coefficients, s->intercept[0], 0.05);
    double exact = objective(golden_svc, golden_svc[GOLDEN_D], 0.05);
    double spark = objective(golden_spark_svc, golden_spark_svc[GOLDEN_D], 0.05);
    near_one(ours, exact, 1e-6);
    assert_true(ours <= spark + 1e-9);
    near_all(s->coefficients, golden_svc, GOLDEN_D, 5e-3);
    near_one(s->intercept[0], golden_svc[GOLDEN_D], 5e-3);
    learner_close(&l);
    learner_fitted(&l, "LinearSVC", "{\"regParam\": 0.05}", &two);
    s = learner_state(&l);
    near_one(objective(s->coefficients, s->intercept[0], 0.05), exact, 1e-3);
    assert_true(s->n_history > s->fitted[GM_FIT_ITERATIONS]);
    learner_close(&l);
    learner_fitted(&l, "LinearSVC", "{\"regParam\": 0.05, \"maxIter\": 1000000000}",
                   &two); /* costs no memory */
    learner_close(&l);
}

static void predicts_margins(void **state)
{
    (void)state;
    learner l;
    gm_prediction p = {0};
    double margin = 0, right = 0;
    learner_fitted(&l, "LinearSVC", "{\"regParam\": 0.01, \"threshold\": 0.5}", &two);
    learner_predict(&l, &two, &p, 2);
    for (int i = 0; i < GOLDEN_N; i++) {
        assert_true(p.raw[2 * i] == -p.raw[2 * i + 1]);
        assert_true(p.prediction[i] == (p.raw[2 * i + 1] > 0.5));
        right += (p.raw[2 * i + 1] > 0) == golden_two[i];
    }
    margin = learner_state(&l)->intercept[0];
    for (int j = 0; j < GOLDEN_D; j++) margin += learner_state(&l)->coefficients[j] * golden_x[j];
    near_one(p.raw[1], margin, 1e-12);
    assert_true(right > 0.8 * GOLDEN_N);
    learner_close(&l);
}

static void shifts_and_weights(void **state)
{
    (void)state;
    static double x[3 * GOLDEN_N * GOLDEN_D], y[3 * GOLDEN_N];
    int64_t n = 0;
    for (int i = 0; i < GOLDEN_N; i++)
        for (int k = 0; k < golden_weight[i]; k++, n++) {
            for (int j = 0; j < GOLDEN_D; j++) x[n * GOLDEN_D + j] = golden_x[i * GOLDEN_D + j] + 1000;
            y[n] = golden_two[i];
        }
    learner a, b;
    rows weighted = two, moved = {.x = x, .y = y, .n = n, .d = GOLDEN_D, .classes = 2};
    weighted.w = golden_weight;
    learner_fitted(&a, "LinearSVC", "{\"regParam\": 0.1, " TIGHT "}", &weighted);
    learner_fitted(&b, "LinearSVC", "{\"regParam\": 0.1, " TIGHT "}", &moved);
    near_all(learner_state(&a)->coefficients, learner_state(&b)->coefficients, GOLDEN_D, 2e-3);
    learner_close(&a), learner_close(&b);
}

static void two_classes_are_needed(void **state)
{
    (void)state;
    rows r = two;
    r.classes = 3;
    learner_fails("LinearSVC", "{}", &r, GM_EDATA, "two classes");
    double ones[GOLDEN_N];
    for (int i = 0; i < GOLDEN_N; i++) ones[i] = 1;
    r.classes = 2, r.y = ones;
    learner_fails("LinearSVC", "{}", &r, GM_EDATA, "constant");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reaches_the_optimum),
        cmocka_unit_test(predicts_margins),
        cmocka_unit_test(shifts_and_weights),
        cmocka_unit_test(two_classes_are_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

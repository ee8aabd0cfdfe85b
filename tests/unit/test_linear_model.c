/* SPDX-License-Identifier: Apache-2.0 */
/* test_linear_model.c - a learner that starts from a fitted one arrives where it would from nothing. */
#include "learner_driver.h"

#include "golden/linear/golden.h"

#define TIGHT "\"tol\": 1e-12, \"maxIter\": 5000"
enum { MIX_N = 300, MIX_D = 8 };
static double mix_x[MIX_N * MIX_D], mix_y[MIX_N];

/* Two numbers, far from zero, and two columns of three levels, as codes. */
static void mix(void)
{
    uint64_t s = 12;
    for (int i = 0; i < MIX_N; i++) {
        double *x = mix_x + (int64_t)i * MIX_D;
        memset(x, 0, MIX_D * sizeof *x);
        for (int j = 0; j < 2; j++)
            x[j] = 100 + (double)((s = s * 6364136223846793005u + 1) >> 40) / (1 << 24);
        x[2 + (s >> 33) % 3] = x[5 + (s >> 45) % 3] = 1;
        mix_y[i] = x[0] - x[1] + 0.5 * x[3] - 0.5 * x[6] + 0.8 * ((double)(s >> 50) / (1 << 14) - 0.5) > 0;
    }
}

typedef struct fitting {
    const char *stage, *json;
    const rows *rows;
    double near; /* of coefficients; the objective: 1e-6 */
} fitting;

static const rows two = {.x = golden_x, .y = golden_two, .n = GOLDEN_N, .d = GOLDEN_D, .classes = 2};
static const rows three = {.x = golden_x, .y = golden_three, .n = GOLDEN_N, .d = GOLDEN_D, .classes = 3};
static const rows number = {.x = golden_x, .y = golden_number, .n = GOLDEN_N, .d = GOLDEN_D};
static const rows far_off = {.x = golden_x, .y = golden_far, .n = GOLDEN_N, .d = GOLDEN_D};
static const rows coded = {.x = mix_x, .y = mix_y, .n = MIX_N, .d = MIX_D, .classes = 2, .form = MIXED_ROWS};
static const rows coded_number = {.x = mix_x, .y = mix_y, .n = MIX_N, .d = MIX_D, .form = MIXED_ROWS};
static const rows sparse = {
    .x = mix_x, .y = mix_y, .n = MIX_N, .d = MIX_D, .classes = 2, .form = SPARSE_ROWS};

#define LOGISTIC "LogisticRegression"
#define LINEAR "LinearRegression"
static const fitting all[] = {
    {LOGISTIC, "{" TIGHT "}", &two, 1e-6},
    {LOGISTIC, "{\"regParam\": 0.05, \"standardization\": false, " TIGHT "}", &two, 1e-6},
    {LOGISTIC, "{\"regParam\": 0.05, \"elasticNetParam\": 0.5, " TIGHT "}", &two, 1e-6},
    {LOGISTIC, "{\"fitIntercept\": false, " TIGHT "}", &two, 1e-6},
    {LOGISTIC, "{\"upperBoundsOnIntercepts\": [0.1], " TIGHT "}", &two, 1e-6},
    {LOGISTIC, "{\"family\": \"multinomial\", \"regParam\": 0.05, " TIGHT "}", &two, 1e-6},
    {LOGISTIC, "{" TIGHT "}", &three, 1e-5},
    {LOGISTIC, "{\"regParam\": 0.02, " TIGHT "}", &three, 1e-6},
    {LOGISTIC, "{\"regParam\": 0.02, \"elasticNetParam\": 0.3, " TIGHT "}", &three, 1e-6},
    {LOGISTIC, "{\"regParam\": 0.02, " TIGHT "}", &coded, 1e-6},
    {LOGISTIC, "{\"regParam\": 0.02, " TIGHT "}", &sparse, 1e-6},
    {LINEAR, "{\"solver\": \"l-bfgs\", " TIGHT "}", &number, 1e-6},
    {LINEAR, "{\"solver\": \"l-bfgs\", \"regParam\": 0.1, \"elasticNetParam\": 1, " TIGHT "}", &number, 1e-6},
    {LINEAR, "{\"solver\": \"l-bfgs\", \"regParam\": 0.1, " TIGHT "}", &coded_number, 1e-6},
    {LINEAR, "{\"solver\": \"normal\", \"regParam\": 0.1, " TIGHT "}", &number, 1e-12},
    {LINEAR, "{\"loss\": \"huber\", " TIGHT "}", &far_off, 1e-6},
    {LINEAR, "{\"loss\": \"huber\", \"regParam\": 0.1, " TIGHT "}", &coded_number, 1e-6},
    {"LinearSVC", "{\"regParam\": 0.05, " TIGHT "}", &two, 2e-3},
    {"LinearSVC", "{\"regParam\": 0.05, " TIGHT "}", &coded, 2e-3},
};
enum { ALL = sizeof all / sizeof *all };

static const int64_t *straight(void)
{
    static int64_t at[(int)GOLDEN_D + (int)MIX_D];
    for (int64_t j = 0; j < (int64_t)(sizeof at / sizeof *at); j++) at[j] = j;
    return at;
}

static void fit_from(learner *l, const fitting *f, const char *json, const void *state, const int64_t *at,
                     int threads)
{
    gm_start start = {.state = state, .at = at};
    learner_open(l, f->stage, json, threads);
    l->node.start = state ? &start : NULL;
    if (learner_fit(l, f->rows) != GM_OK) fail_msg("%s %s: %s", f->stage, json, gm_cx_message(l->cx));
    l->node.start = NULL;
}

static double last(const gm_linear_state *s) { return s->objectiveHistory[s->n_history - 1]; }

static void same(const fitting *f, const gm_linear_state *a, const gm_linear_state *b)
{
    if (fabs(last(a) - last(b)) > 1e-6 * fabs(last(b)))
        fail_msg("%s %s: %.12g, expected %.12g", f->stage, f->json, last(a), last(b));
    near_all(a->coefficients, b->coefficients, b->n_coefficients, f->near);
    near_all(a->intercept, b->intercept, b->n_intercept, f->near);
}

/* From the optimum, from near it, from far off it, and from the other side of zero. */
static void arrives_from_anywhere(void **state)
{
    static const double factor[] = {1.1, 30, -3};
    (void)state;
    mix();
    for (int i = 0; i < ALL; i++) {
        learner cold, warm;
        fit_from(&cold, &all[i], all[i].json, NULL, NULL, 2);
        for (int k = 0; k < 3; k++) {
            gm_linear_state *s = cold.node.state;
            for (int64_t j = 0; j < s->n_coefficients; j++) s->coefficients[j] *= factor[k] + (j % 3) * 0.1;
            s->intercept[0] -= 1;
            fit_from(&warm, &all[i], all[i].json, s, straight(), 2);
            learner again;
            fit_from(&again, &all[i], all[i].json, NULL, NULL, 2);
            same(&all[i], learner_state(&warm), learner_state(&again));
            learner_close(&warm);
            memcpy(s->coefficients, learner_state(&again)->coefficients,
                   (size_t)s->n_coefficients * sizeof *s->coefficients);
            memcpy(s->intercept, learner_state(&again)->intercept,
                   (size_t)s->n_intercept * sizeof *s->intercept);
            learner_close(&again);
        }
        learner_close(&cold);
    }
}

static void stays_at_the_optimum(void **state)
{
    (void)state;
    mix();
    for (int i = 0; i < ALL; i++) {
        learner cold, warm;
        char json[256];
        /* The tight optimum is one at the usual tolerance too. */
        snprintf(json, sizeof json, "%.*s}", (int)(strstr(all[i].json, TIGHT) - all[i].json), all[i].json);
        char *comma = strstr(json, ", }");
        if (comma) memcpy(comma, "}", 2);
        fit_from(&cold, &all[i], all[i].json, NULL, NULL, 2);
        fit_from(&warm, &all[i], json, learner_state(&cold), straight(), 2);
        bool normal = strstr(json, "normal") != NULL;
        if (!normal && learner_state(&warm)->fitted[GM_FIT_ITERATIONS] > 2)
            fail_msg("%s %s: %d iterations", all[i].stage, json,
                     (int)learner_state(&warm)->fitted[GM_FIT_ITERATIONS]);
        same(&all[i], learner_state(&warm), learner_state(&cold));
        learner_close(&cold), learner_close(&warm);
    }
}

/* Feature j of these rows is feature at[j] of the start. */
static void features_may_stand_in_another_order(void **state)
{
    (void)state;
    static double x[GOLDEN_N * GOLDEN_D];
    int64_t at[GOLDEN_D];
    for (int64_t j = 0; j < GOLDEN_D; j++) at[j] = (j + 2) % GOLDEN_D;
    for (int64_t i = 0; i < GOLDEN_N; i++)
        for (int64_t j = 0; j < GOLDEN_D; j++) x[i * GOLDEN_D + j] = golden_x[i * GOLDEN_D + at[j]];
    rows turned = three;
    turned.x = x;
    const fitting f = {LOGISTIC, "{\"regParam\": 0.02, " TIGHT "}", &three, 1e-6};
    fitting g = f;
    g.rows = &turned;
    learner cold, warm;
    fit_from(&cold, &f, f.json, NULL, NULL, 2);
    fit_from(&warm, &g, "{\"regParam\": 0.02}", learner_state(&cold), at, 2);
    assert_true(learner_state(&warm)->fitted[GM_FIT_ITERATIONS] <= 2);
    learner_close(&cold), learner_close(&warm);
}

/* Two classes as one margin and as two; huber from least squares, and least squares from huber. */
static void one_form_starts_another(void **state)
{
    static const struct {
        const char *stage, *from, *to;
        const rows *rows;
        bool alike;
    } pairs[] = {
        {LOGISTIC, "{" TIGHT "}", "{\"family\": \"multinomial\", " TIGHT "}", &two, true},
        {LOGISTIC, "{\"family\": \"multinomial\", " TIGHT "}", "{" TIGHT "}", &two, true},
        {LOGISTIC, "{\"fitIntercept\": false, " TIGHT "}", "{" TIGHT "}", &three, false},
        {LINEAR, "{" TIGHT "}", "{\"loss\": \"huber\", " TIGHT "}", &far_off, false},
        {LINEAR, "{\"loss\": \"huber\", " TIGHT "}", "{\"solver\": \"l-bfgs\", " TIGHT "}", &far_off, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        fitting from = {pairs[i].stage, pairs[i].from, pairs[i].rows, 1e-5}, to = from;
        to.json = pairs[i].to;
        learner a, cold, warm;
        fit_from(&a, &from, from.json, NULL, NULL, 2);
        fit_from(&cold, &to, to.json, NULL, NULL, 2);
        fit_from(&warm, &to, to.json, learner_state(&a), straight(), 2);
        same(&to, learner_state(&warm), learner_state(&cold));
        if (pairs[i].alike)
            assert_true(learner_state(&warm)->fitted[GM_FIT_ITERATIONS] <
                        learner_state(&cold)->fitted[GM_FIT_ITERATIONS]);
        learner_close(&a), learner_close(&cold), learner_close(&warm);
    }
}

static void same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    mix();
    for (int i = 0; i < ALL; i++) {
        learner cold, one, four;
        fit_from(&cold, &all[i], all[i].json, NULL, NULL, 2);
        gm_linear_state *s = cold.node.state;
        for (int64_t j = 0; j < s->n_coefficients; j++) s->coefficients[j] *= 1.5;
        fit_from(&one, &all[i], all[i].json, s, straight(), 1);
        fit_from(&four, &all[i], all[i].json, s, straight(), 4);
        const gm_linear_state *a = learner_state(&one), *b = learner_state(&four);
        assert_memory_equal(a->coefficients, b->coefficients, (size_t)a->n_coefficients * sizeof(double));
        assert_memory_equal(a->intercept, b->intercept, (size_t)a->n_intercept * sizeof(double));
        assert_int_equal(a->fitted[GM_FIT_ITERATIONS], b->fitted[GM_FIT_ITERATIONS]);
        learner_close(&cold), learner_close(&one), learner_close(&four);
    }
}

static void counts_its_iterations(void **state)
{
    (void)state;
    static const fitting f = {"LinearSVC", "{\"regParam\": 0.05}", &two, 0};
    learner cold, warm;
    fit_from(&cold, &f, f.json, NULL, NULL, 2);
    gm_linear_state *s = cold.node.state;
    for (int64_t j = 0; j < s->n_coefficients; j++) s->coefficients[j] = -s->coefficients[j];
    for (int most = 0; most < 6; most++) {
        char json[64];
        snprintf(json, sizeof json, "{\"regParam\": 0.05, \"maxIter\": %d}", most);
        fit_from(&warm, &f, json, s, straight(), 2);
        assert_int_equal(learner_state(&warm)->fitted[GM_FIT_ITERATIONS], most);
        assert_int_equal(learner_state(&warm)->fitted[GM_FIT_END], GM_END_ITERATIONS);
        learner_close(&warm);
    }
    learner_close(&cold);
}

static void a_start_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    double zeros[3 * GOLDEN_D] = {0};
    gm_linear_state bad = {
        .coefficients = zeros, .intercept = zeros, .n_coefficients = 3, .n_features = 1, .n_intercept = 3};
    gm_start start = {.state = &bad, .at = straight()};
    for (int k = 0; k < 2; k++) { /* one feature; then three margins for two classes */
        learner l;
        learner_open(&l, LOGISTIC, "{}", 2);
        l.node.start = &start;
        assert_int_equal(learner_fit(&l, &two), GM_EMODEL);
        assert_non_null(strstr(gm_cx_message(l.cx), "damaged"));
        learner_close(&l);
        bad.n_features = GOLDEN_D, bad.n_coefficients = 3 * GOLDEN_D;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrives_from_anywhere),
        cmocka_unit_test(stays_at_the_optimum),
        cmocka_unit_test(features_may_stand_in_another_order),
        cmocka_unit_test(one_form_starts_another),
        cmocka_unit_test(same_bits_on_any_number_of_threads),
        cmocka_unit_test(counts_its_iterations),
        cmocka_unit_test(a_start_that_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

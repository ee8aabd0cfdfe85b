/* SPDX-License-Identifier: Apache-2.0 */
/* test_metrics.c - metrics against values computed by hand, ties in every order, weights as repetition,
 * undefined ones. */
#include "score/score.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static gm_cx *cx;

enum { MOST = 600 };

static gm_code rank_code(int64_t n, const double *s, const double *y, const double *w, gm_ranking *r)
{
    double score[2][MOST], weight[2][MOST];
    gm_class_scores of[2] = {{0, score[0], w ? weight[0] : NULL, NULL},
                             {0, score[1], w ? weight[1] : NULL, NULL}};
    for (int64_t i = 0; i < n; i++) {
        int c = y[i] > 0.5;
        if (w) weight[c][of[c].n] = w[i];
        score[c][of[c].n++] = s[i];
    }
    static double work[4 * MOST];
    assert_true(gm_rank_work(of) <= (int64_t)sizeof work);
    return gm_rank(cx, gm_scratch(cx), of, work, r);
}

static gm_ranking rank(int64_t n, const double *s, const double *y, const double *w)
{
    gm_ranking r;
    assert_int_equal(rank_code(n, s, y, w, &r), GM_OK);
    return r;
}

static double metric(const char *name, const gm_confusion *c, const gm_residuals *r, const char **why)
{
    gm_class_options o = {.label = 1, .beta = 1};
    for (const gm_metric *m = gm_metrics; m->name; m++) {
        if (strcmp(m->name, name) != 0) continue;
        gm_value v = m->multiclass ? m->multiclass(c, &o) : m->regression(r, false);
        if (why) *why = v.why;
        return v.v;
    }
    fail_msg("no metric %s", name);
    return NAN;
}

static void near(double a, double b) { assert_true(fabs(a - b) <= 1e-12 * (1 + fabs(b))); }

static void ties_are_one_step_in_any_order(void **state)
{
    const int order[6][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 0, 3, 2},
                             {2, 3, 0, 1}, {1, 2, 3, 0}, {0, 2, 1, 3}};
    const double s[] = {.8, .8, .8, .2}, y[] = {1, 0, 1, 0};
    (void)state;
    for (int k = 0; k < 6; k++) {
        double so[4], yo[4];
        for (int i = 0; i < 4; i++) so[i] = s[order[k][i]], yo[i] = y[order[k][i]];
        gm_ranking r = rank(4, so, yo, NULL);
        assert_true(r.roc.v == 0.75);
        near(r.pr.v, 2.0 / 3.0);
    }
    const double same[] = {.5, .5, .5, .5};
    assert_true(rank(4, same, y, NULL).roc.v == 0.5);
}

static void order_of_signs_and_sizes(void **state)
{
    const double s[] = {-1e300, -1, -0.0, 0.0, 1e-300, 2, INFINITY}, y[] = {0, 0, 1, 0, 1, 1, 1};
    (void)state;
    /* pairs: 4 positive x 3 negative = 12; the pair of zeros is a tie */
    near(rank(7, s, y, NULL).roc.v, 11.5 / 12);
}

static void one_class_is_undefined(void **state)
{
    const double s[] = {.2, .5, .9}, y[] = {1, 1, 1}, zero[] = {0, 0, 0};
    (void)state;
    gm_ranking r = rank(3, s, y, NULL);
    assert_true(isnan(r.roc.v) && r.roc.why);
    r = rank(3, s, zero, NULL);
    assert_true(isnan(r.roc.v) && isnan(r.pr.v) && r.pr.why);
    r = rank(0, s, y, NULL);
    assert_true(isnan(r.roc.v));
}

static void weights_are_repetition(void **state)
{
    const double s[] = {.9, .4, .6, .3}, y[] = {1, 0, 0, 1}, w[] = {2, 1, 3, 2};
    const double s2[] = {.9, .9, .4, .6, .6, .6, .3, .3}, y2[] = {1, 1, 0, 0, 0, 0, 1, 1};
    (void)state;
    gm_ranking a = rank(4, s, y, w), b = rank(8, s2, y2, NULL);
    near(a.roc.v, b.roc.v);
    near(a.pr.v, b.pr.v);
    const double zero[] = {2, 0, 3, 2};
    const double s3[] = {.9, .6, .3}, y3[] = {1, 0, 1}, w3[] = {2, 3, 2};
    near(rank(4, s, y, zero).roc.v, rank(3, s3, y3, w3).roc.v);
}

/* Scores that differ in their last bits alone, few and many beside one another, equal ones, and both signs:
 * the area is the share of pairs in the right order. */
static void close_scores_are_told_apart(void **state)
{
    double s[MOST], y[MOST], w[MOST], won = 0, pairs = 0;
    uint64_t bits, draw = 1;
    (void)state;
    for (int i = 0; i < MOST; i++) {
        const double far[] = {0.25, -0.25, 3, -7e-5, 0};
        draw = draw * 6364136223846793005u + 1442695040888963407u;
        s[i] = far[i < 500 ? i % 2 : 2 + i % 3];
        memcpy(&bits, &s[i], sizeof bits);
        bits += draw >> 40 & (i % 7 ? 63 : 0xffffff);
        memcpy(&s[i], &bits, sizeof bits);
        y[i] = (double)(draw >> 33 & 1);
        w[i] = (double)(draw >> 50 & 3);
    }
    for (int weighted = 0; weighted < 2; weighted++, won = pairs = 0) {
        for (int i = 0; i < MOST; i++)
            for (int j = 0; j < MOST; j++) {
                double ww = weighted ? w[i] * w[j] : 1;
                if (y[i] < 1 || y[j] > 0) continue;
                won += ww * (s[i] > s[j] ? 1 : s[i] == s[j] ? 0.5 : 0);
                pairs += ww;
            }
        gm_ranking r = rank(MOST, s, y, weighted ? w : NULL);
        near(r.roc.v, won / pairs);
        assert_true(r.roc_curve.n > 100 && r.roc_curve.n <= GM_CURVE_POINTS + 3);
        assert_true(r.roc_curve.x[r.roc_curve.n - 1] == 1 && r.roc_curve.y[r.roc_curve.n - 1] == 1);
    }
}

static void a_missing_score_is_an_error(void **state)
{
    const double s[] = {.9, NAN}, y[] = {1, 0};
    gm_ranking r;
    (void)state;
    gm_cx_begin(cx);
    assert_int_equal(rank_code(2, s, y, NULL, &r), GM_EDATA);
    gm_cx_begin(cx);
}

static void confusion_by_hand(void **state)
{
    const double y[] = {0, 0, 1, 1, 1, 2}, p[] = {0, 1, 1, 1, 0, 2};
    gm_confusion c;
    (void)state;
    assert_int_equal(gm_confusion_new(cx, gm_scratch(cx), 3, &c), GM_OK);
    gm_confusion_add(&c, 6, y, p, NULL, NULL);
    near(metric("accuracy", &c, NULL, NULL), 4.0 / 6);
    near(metric("hammingLoss", &c, NULL, NULL), 2.0 / 6);
    near(metric("precisionByLabel", &c, NULL, NULL), 2.0 / 3);
    near(metric("recallByLabel", &c, NULL, NULL), 2.0 / 3);
    near(metric("falsePositiveRateByLabel", &c, NULL, NULL), 1.0 / 3);
    near(metric("f1", &c, NULL, NULL), (2 * 0.5 + 3 * (2.0 / 3) + 1) / 6);
    near(metric("weightedPrecision", &c, NULL, NULL), (2 * 0.5 + 3 * (2.0 / 3) + 1) / 6);
    const char *why;
    assert_true(isnan(metric("logLoss", &c, NULL, &why)) && why);
}

static void a_class_never_predicted_is_undefined_precision(void **state)
{
    const double y[] = {0, 1}, p[] = {0, 0};
    gm_confusion c;
    const char *why;
    (void)state;
    assert_int_equal(gm_confusion_new(cx, gm_scratch(cx), 2, &c), GM_OK);
    gm_confusion_add(&c, 2, y, p, NULL, NULL);
    assert_true(isnan(metric("weightedPrecision", &c, NULL, &why)) && why);
    near(metric("f1", &c, NULL, NULL), (2.0 / 3) / 2);
    assert_true(metric("weightedRecall", &c, NULL, NULL) == 0.5);
}

static void residuals_by_hand(void **state)
{
    const double y[] = {1, 2, 4}, p[] = {1.5, 2, 3};
    gm_residuals r = {0};
    const char *why;
    (void)state;
    gm_residuals_add(&r, 3, y, p, NULL);
    near(metric("mse", NULL, &r, NULL), 1.25 / 3);
    near(metric("mae", NULL, &r, NULL), 0.5);
    near(metric("r2", NULL, &r, NULL), 1 - 1.25 / (14.0 / 3));
    gm_residuals far = {0};
    const double y9[] = {1e9 + 1, 1e9 + 2, 1e9 + 4}, p9[] = {1e9 + 1.5, 1e9 + 2, 1e9 + 3};
    gm_residuals_add(&far, 3, y9, p9, NULL);
    near(metric("r2", NULL, &far, NULL), 1 - 1.25 / (14.0 / 3));
    const double c[] = {2, 2, 2}, cp[] = {2, 2, 2.1};
    gm_residuals k = {0};
    gm_residuals_add(&k, 3, c, cp, NULL);
    assert_true(isnan(metric("r2", NULL, &k, &why)) && why);
    gm_residuals one = {0};
    gm_residuals_add(&one, 1, y, p, NULL);
    assert_true(isnan(metric("r2", NULL, &one, &why)) && why);
}

static int setup(void **state) { return (void)state, gm_open(NULL, &cx); }
static int teardown(void **state) { return (void)state, gm_close(cx), 0; }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties_are_one_step_in_any_order),
        cmocka_unit_test(order_of_signs_and_sizes),
        cmocka_unit_test(one_class_is_undefined),
        cmocka_unit_test(weights_are_repetition),
        cmocka_unit_test(close_scores_are_told_apart),
        cmocka_unit_test(a_missing_score_is_an_error),
        cmocka_unit_test(confusion_by_hand),
        cmocka_unit_test(a_class_never_predicted_is_undefined_precision),
        cmocka_unit_test(residuals_by_hand),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

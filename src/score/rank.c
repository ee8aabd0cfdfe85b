/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank.c - areas under the ROC and precision-recall curves, exact: rows are sorted by score and equal scores are one
 * step of the curve, so their order does not matter (Fawcett, 2006). Precision-recall follows Spark: the curve starts
 * at recall 0 with the precision of the first step, and the area is by trapezoids.
 */
#include "score/score.h"
#include <math.h>
#include <string.h>

typedef struct row {
    uint64_t key; /* rises as the score falls */
    double w, pos;
} row;

/* The bits of a double as an unsigned number in the same order; NaN comes last of all. */
static uint64_t falling_key(double x)
{
    uint64_t b;
    x += 0.0;
    memcpy(&b, &x, sizeof b);
    b = b >> 63 ? ~b : b | (uint64_t)1 << 63;
    return isnan(x) ? UINT64_MAX : ~b;
}

/* Least significant digit radix sort, eight bits at a time; digits that are equal in all keys are passed over. */
static row *radix(row *r, row *tmp, int64_t n)
{
    int64_t count[8][256];
    memset(count, 0, sizeof count);
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < 8; d++) count[d][r[i].key >> (8 * d) & 255]++;
    for (int d = 0; d < 8; d++) {
        if (n == 0 || count[d][r[0].key >> (8 * d) & 255] == n) continue;
        int64_t at = 0;
        for (int v = 0; v < 256; v++) {
            int64_t c = count[d][v];
            count[d][v] = at;
            at += c;
        }
        for (int64_t i = 0; i < n; i++) tmp[count[d][r[i].key >> (8 * d) & 255]++] = r[i];
        row *t = r;
        r = tmp;
        tmp = t;
    }
    return r;
}

typedef struct curve {
    gm_points *p;
    int64_t steps, every;
} curve;

static void keep_point(curve *c, double x, double y, bool last)
{
    if (c->p == NULL) return;
    if (!last && c->steps++ % c->every != 0) return;
    c->p->x[c->p->n] = x;
    c->p->y[c->p->n++] = y;
}

static int64_t count_steps(const row *r, int64_t n)
{
    int64_t steps = 0;
    for (int64_t i = 0; i < n; i++) steps += i == 0 || r[i].key != r[i - 1].key;
    return steps;
}

static void walk(const row *r, int64_t n, double pos, double neg, gm_ranking *out, curve *roc, curve *pr)
{
    double tp = 0, fp = 0, recall = 0, precision = 0, area_roc = 0, area_pr = 0;
    keep_point(roc, 0, 0, false);
    for (int64_t i = 0; i < n;) {
        double tp0 = tp, fp0 = fp, recall0 = recall, precision0 = precision;
        uint64_t key = r[i].key;
        for (; i < n && r[i].key == key; i++) {
            tp += r[i].pos;
            fp += r[i].w - r[i].pos;
        }
        if (tp + fp == 0) continue; /* rows of weight 0 are no step */
        recall = pos > 0 ? tp / pos : 0;
        precision = tp / (tp + fp);
        bool first = tp0 + fp0 == 0;
        area_roc += (fp - fp0) * (tp + tp0) / 2;
        area_pr += (recall - recall0) * (first ? precision : (precision + precision0) / 2);
        if (first) keep_point(pr, 0, precision, false);
        if (pos > 0 && neg > 0) keep_point(roc, fp / neg, tp / pos, i == n);
        keep_point(pr, recall, precision, i == n);
    }
    out->roc = pos > 0 && neg > 0 ? (gm_value){area_roc / (pos * neg), NULL}
                                  : (gm_value){NAN, "all rows are of one class"};
    out->pr = pos > 0 ? (gm_value){area_pr, NULL} : (gm_value){NAN, "there are no positive rows"};
}

static gm_code curve_in(gm_cx *cx, gm_arena *a, int64_t steps, gm_points *p, curve *c)
{
    GM_NEW_IN(cx, a, p->x, GM_CURVE_POINTS + 4);
    GM_NEW_IN(cx, a, p->y, GM_CURVE_POINTS + 4);
    *c = (curve){.p = p, .every = steps / GM_CURVE_POINTS + 1};
    return GM_OK;
}

gm_code gm_rank(gm_cx *cx, gm_arena *a, int64_t n, const double *score, const double *y, const double *w, gm_ranking *out)
{
    gm_arena tmp = {0};
    row *r = gm_alloc(cx, &tmp, n + 1, sizeof *r), *s = r ? gm_alloc(cx, &tmp, n + 1, sizeof *s) : NULL;
    gm_code c = s ? GM_OK : gm_cx_code(cx);
    curve roc = {0}, pr = {0};
    *out = (gm_ranking){0};
    for (int64_t i = 0; i < n && c == GM_OK; i++) {
        double wi = w ? w[i] : 1;
        r[i] = (row){falling_key(score[i]), wi, y[i] > 0.5 ? wi : 0};
        out->weight += wi;
        out->positive += r[i].pos;
        if (isnan(score[i])) c = gm_fail(cx, GM_EDATA, "a score is missing (NaN), so rows cannot be ranked");
    }
    if (c == GM_OK) {
        r = radix(r, s, n);
        if (a) {
            int64_t steps = count_steps(r, n);
            c = curve_in(cx, a, steps, &out->roc_curve, &roc);
            if (c == GM_OK) c = curve_in(cx, a, steps, &out->pr_curve, &pr);
        }
    }
    if (c == GM_OK) walk(r, n, out->positive, out->weight - out->positive, out, &roc, &pr);
    gm_arena_end(&tmp);
    return c;
}

void gm_calibrate(int64_t n, const double *p, const double *y, const double *w, gm_calibration *out)
{
    *out = (gm_calibration){0};
    for (int64_t i = 0; i < n; i++) {
        double wi = w ? w[i] : 1;
        int b = p[i] >= 1 ? 9 : p[i] > 0 ? (int)(p[i] * 10) : 0;
        out->predicted[b] += wi * p[i];
        out->observed[b] += wi * (y[i] > 0.5);
        out->weight[b] += wi;
    }
    for (int b = 0; b < 10; b++) {
        if (out->weight[b] == 0) continue;
        out->predicted[b] /= out->weight[b];
        out->observed[b] /= out->weight[b];
    }
}

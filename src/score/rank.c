/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank.c - areas under the ROC and precision-recall curves, exact: rows are sorted by score and equal scores
 * are one step of the curve, so their order does not matter (Fawcett, 2006). Precision-recall follows Spark:
 * the curve starts at recall 0 with the precision of the first step, and the area is by trapezoids.
 */
#include "score/score.h"
#include <math.h>
#include <string.h>

/* The bits of a double as an unsigned number that rises as the double falls. */
static uint64_t falling_key(double x)
{
    uint64_t b;
    x += 0.0;
    memcpy(&b, &x, sizeof b);
    b = b >> 63 ? ~b : b | (uint64_t)1 << 63;
    return ~b;
}

typedef struct row {
    uint64_t key;
    double w;
} row;

/*
 * Least significant digit radix sort, eight bits at a time, of keys with (weighted) or without a weight
 * beside them; digits that are equal in all keys are passed over. Returns where the sorted ones ended up.
 */
static void *radix(void *from, void *to, int64_t n, bool weighted)
{
    size_t step = weighted ? 2 : 1; /* in words */
    uint64_t *r = from, *t = to;
    int64_t count[8][256];
    memset(count, 0, sizeof count);
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < 8; d++) count[d][r[(size_t)i * step] >> (8 * d) & 255]++;
    for (int d = 0; d < 8; d++) {
        if (n == 0 || count[d][r[0] >> (8 * d) & 255] == n) continue;
        int64_t at = 0;
        for (int v = 0; v < 256; v++) {
            int64_t c = count[d][v];
            count[d][v] = at;
            at += c;
        }
        for (int64_t i = 0; i < n; i++) {
            const uint64_t *x = r + (size_t)i * step;
            uint64_t *o = t + (size_t)count[d][*x >> (8 * d) & 255]++ * step;
            o[0] = x[0];
            if (weighted) o[1] = x[1];
        }
        uint64_t *swap = r;
        r = t;
        t = swap;
    }
    return r;
}

/* The sorted scores of both classes, read together. */
typedef struct sides {
    bool weighted;
    int64_t n[2], at[2];
    void *sorted[2];
} sides;

static uint64_t key_at(const sides *s, int c, int64_t i)
{
    return s->weighted ? ((const row *)s->sorted[c])[i].key : ((const uint64_t *)s->sorted[c])[i];
}

/* The weights of the next score, which all rows that have it share; false at the end. */
static bool next_step(sides *s, double add[2])
{
    uint64_t key = UINT64_MAX;
    bool more = false;
    add[0] = add[1] = 0;
    for (int c = 0; c < 2; c++) {
        if (s->at[c] >= s->n[c]) continue;
        uint64_t k = key_at(s, c, s->at[c]);
        if (!more || k < key) key = k;
        more = true;
    }
    for (int c = 0; c < 2 && more; c++)
        for (; s->at[c] < s->n[c] && key_at(s, c, s->at[c]) == key; s->at[c]++)
            add[c] += s->weighted ? ((const row *)s->sorted[c])[s->at[c]].w : 1;
    return more;
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

static int64_t count_steps(sides s)
{
    int64_t steps = 0;
    double add[2];
    while (next_step(&s, add)) steps++;
    return steps;
}

static void walk(sides s, double neg, double pos, gm_ranking *out, curve *roc, curve *pr)
{
    double tp = 0, fp = 0, recall = 0, precision = 0, area_roc = 0, area_pr = 0, add[2];
    keep_point(roc, 0, 0, false);
    while (next_step(&s, add)) {
        if (add[0] + add[1] == 0) continue; /* rows of weight 0 are no step */
        bool first = tp + fp == 0, last = s.at[0] == s.n[0] && s.at[1] == s.n[1];
        double recall0 = recall, precision0 = precision;
        area_roc += add[0] * (tp + add[1] / 2);
        fp += add[0];
        tp += add[1];
        recall = pos > 0 ? tp / pos : 0;
        precision = tp / (tp + fp);
        area_pr += (recall - recall0) * (first ? precision : (precision + precision0) / 2);
        if (first) keep_point(pr, 0, precision, false);
        if (pos > 0 && neg > 0) keep_point(roc, fp / neg, tp / pos, last);
        keep_point(pr, recall, precision, last);
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

/* Sorts one class into s; buffer has room for twice its rows. */
static gm_code sort_side(gm_cx *cx, sides *s, int c, const double *score, const double *w, void *buffer)
{
    int64_t n = s->n[c];
    row *r = buffer;
    uint64_t *k = buffer;
    for (int64_t i = 0; i < n; i++) {
        if (isnan(score[i]))
            return gm_fail(cx, GM_EDATA, "a score is missing (NaN), so rows cannot be ranked");
        if (s->weighted) r[i] = (row){falling_key(score[i]), w[i]};
        else k[i] = falling_key(score[i]);
    }
    s->sorted[c] = radix(buffer, s->weighted ? (void *)(r + n) : (void *)(k + n), n, s->weighted);
    return GM_OK;
}

static double sum(const double *w, int64_t n)
{
    double t = 0;
    for (int64_t i = 0; i < n; i++) t += w[i];
    return t;
}

int64_t gm_rank_work(const gm_class_scores of[2])
{
    bool weighted = of[0].w || of[1].w;
    return 2 * (of[0].n + of[1].n) * (int64_t)(weighted ? sizeof(row) : sizeof(uint64_t));
}

gm_code gm_rank(gm_cx *cx, gm_arena *a, const gm_class_scores of[2], void *work, gm_ranking *out)
{
    sides s = {.weighted = of[0].w || of[1].w, .n = {of[0].n, of[1].n}};
    curve roc = {0}, pr = {0};
    double weight[2];
    char *buffer = work;
    *out = (gm_ranking){0};
    for (int c = 0; c < 2; c++) {
        weight[c] = s.weighted ? sum(of[c].w, of[c].n) : (double)of[c].n;
        GM_TRY(sort_side(cx, &s, c, of[c].score, of[c].w, buffer));
        buffer += 2 * of[c].n * (int64_t)(s.weighted ? sizeof(row) : sizeof(uint64_t));
    }
    if (a) {
        int64_t steps = count_steps(s);
        GM_TRY(curve_in(cx, a, steps, &out->roc_curve, &roc));
        GM_TRY(curve_in(cx, a, steps, &out->pr_curve, &pr));
    }
    out->positive = weight[1];
    out->weight = weight[0] + weight[1];
    walk(s, weight[0], weight[1], out, &roc, &pr);
    return GM_OK;
}

void gm_calibration_add(gm_calibration *c, int64_t n, const double *p, int64_t stride, const double *y,
                        const double *w)
{
    for (int64_t i = 0; i < n; i++) {
        double wi = w ? w[i] : 1, pi = p[i * stride];
        int b = pi >= 1 ? 9 : pi > 0 ? (int)(pi * 10) : 0;
        c->predicted[b] += wi * pi;
        c->observed[b] += wi * (y[i] > 0.5);
        c->weight[b] += wi;
    }
}

void gm_calibration_merge(gm_calibration *into, const gm_calibration *from)
{
    for (int b = 0; b < 10; b++) {
        into->predicted[b] += from->predicted[b];
        into->observed[b] += from->observed[b];
        into->weight[b] += from->weight[b];
    }
}

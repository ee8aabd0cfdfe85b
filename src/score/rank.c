/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank.c - areas under the ROC and precision-recall curves, exact: rows are sorted by score and equal scores
 * are one step of the curve, so their order does not matter (Fawcett, 2006). Precision-recall follows Spark:
 * the curve starts at recall 0 with the precision of the first step, and the area is by trapezoids.
 */
#include "par/pool.h"
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

/* Rows with a key, and with a weight beside it when step is 2 words; spare has as much room. */
typedef struct rows {
    uint64_t *at, *spare;
    size_t step;
    int64_t n;
} rows;

enum { DIGIT = 11, DIGITS = 3, FEW = 24 };

static uint64_t key_of(const rows *r, int64_t i) { return r->at[(size_t)i * r->step]; }

static double weight_of(const rows *r, int64_t i)
{
    double w = 1;
    if (r->step == 2) memcpy(&w, &r->at[(size_t)i * 2 + 1], sizeof w);
    return w;
}

static void put_row(uint64_t *to, const uint64_t *from, size_t step)
{
    to[0] = from[0];
    if (step == 2) to[1] = from[1];
}

/* Least significant digit radix sort by the 32 bits from `low` on; digits equal in all keys are passed over.
 */
static void sort_half(rows *r, int low)
{
    int64_t count[DIGITS][1 << DIGIT];
    const uint64_t mask = (1 << DIGIT) - 1;
    memset(count, 0, sizeof count);
    for (int64_t i = 0; i < r->n; i++) {
        uint32_t k = (uint32_t)(key_of(r, i) >> low);
        for (int d = 0; d < DIGITS; d++) count[d][k >> (DIGIT * d) & mask]++;
    }
    for (int d = 0; d < DIGITS && r->n > 0; d++) {
        int64_t at = 0, *c = count[d];
        if (c[(uint32_t)(key_of(r, 0) >> low) >> (DIGIT * d) & mask] == r->n) continue;
        for (int v = 0; v < 1 << DIGIT; v++) {
            int64_t here = c[v];
            c[v] = at;
            at += here;
        }
        for (int64_t i = 0; i < r->n; i++) {
            const uint64_t *x = r->at + (size_t)i * r->step;
            put_row(r->spare + (size_t)c[(uint32_t)(*x >> low) >> (DIGIT * d) & mask]++ * r->step, x,
                    r->step);
        }
        uint64_t *swap = r->at;
        r->at = r->spare;
        r->spare = swap;
    }
}

static void insert_sort(rows *r)
{
    for (int64_t i = 1; i < r->n; i++) {
        uint64_t x[2];
        int64_t j = i;
        put_row(x, r->at + (size_t)i * r->step, r->step);
        for (; j > 0 && key_of(r, j - 1) > x[0]; j--)
            put_row(r->at + (size_t)j * r->step, r->at + (size_t)(j - 1) * r->step, r->step);
        put_row(r->at + (size_t)j * r->step, x, r->step);
    }
}

/* Rows whose upper halves are equal get their lower halves sorted; scores differ in the upper ones nearly
 * always. */
static void sort_run(const rows *all, int64_t from, int64_t to)
{
    rows r = {all->at + (size_t)from * all->step, all->spare + (size_t)from * all->step, all->step,
              to - from};
    uint64_t *home = r.at;
    if (r.n <= FEW) {
        insert_sort(&r);
        return;
    }
    sort_half(&r, 0);
    if (r.at != home) memcpy(home, r.at, (size_t)r.n * r.step * sizeof *home);
}

static void sort_rows(rows *r)
{
    sort_half(r, 32);
    for (int64_t i = 0, end; i < r->n; i = end) {
        for (end = i + 1; end < r->n && key_of(r, end) >> 32 == key_of(r, i) >> 32;) end++;
        if (end - i > 1) sort_run(r, i, end);
    }
}

/* The sorted scores of both classes, read together. */
typedef struct sides {
    bool weighted;
    int64_t at[2];
    rows of[2];
} sides;

/* The weights of the next score, which all rows that have it share; false at the end. */
static bool next_step(sides *s, double add[2])
{
    uint64_t key = UINT64_MAX;
    bool more = false;
    add[0] = add[1] = 0;
    for (int c = 0; c < 2; c++) {
        if (s->at[c] >= s->of[c].n) continue;
        uint64_t k = key_of(&s->of[c], s->at[c]);
        if (!more || k < key) key = k;
        more = true;
    }
    for (int c = 0; c < 2 && more; c++) {
        const rows *r = &s->of[c];
        for (; s->at[c] < r->n && key_of(r, s->at[c]) == key; s->at[c]++) add[c] += weight_of(r, s->at[c]);
    }
    return more;
}

/* Thinned by the weight of the rows gone by, so that a plot has points all along it. */
typedef struct curve {
    gm_points *p;
    double next, every;
} curve;

static void keep_point(curve *c, double weight, double x, double y, bool last)
{
    if (c->p == NULL || (!last && weight < c->next)) return;
    c->next = weight + c->every;
    c->p->x[c->p->n] = x;
    c->p->y[c->p->n++] = y;
}

static void walk(sides s, double neg, double pos, gm_ranking *out, curve *roc, curve *pr)
{
    double tp = 0, fp = 0, recall = 0, precision = 0, area_roc = 0, area_pr = 0, add[2];
    keep_point(roc, 0, 0, 0, false);
    while (next_step(&s, add)) {
        if (add[0] + add[1] == 0) continue; /* rows of weight 0 are no step */
        bool first = tp + fp == 0, last = s.at[0] == s.of[0].n && s.at[1] == s.of[1].n;
        double recall0 = recall, precision0 = precision;
        area_roc += add[0] * (tp + add[1] / 2);
        fp += add[0];
        tp += add[1];
        recall = pos > 0 ? tp / pos : 0;
        precision = tp / (tp + fp);
        area_pr += (recall - recall0) * (first ? precision : (precision + precision0) / 2);
        if (first) keep_point(pr, 0, 0, precision, false);
        if (pos > 0 && neg > 0) keep_point(roc, tp + fp, fp / neg, tp / pos, last);
        keep_point(pr, tp + fp, recall, precision, last);
    }
    out->roc = pos > 0 && neg > 0 ? (gm_value){area_roc / (pos * neg), NULL}
                                  : (gm_value){NAN, "all rows are of one class"};
    out->pr = pos > 0 ? (gm_value){area_pr, NULL} : (gm_value){NAN, "there are no positive rows"};
}

static gm_code curve_in(gm_cx *cx, gm_arena *a, double weight, gm_points *p, curve *c)
{
    GM_NEW_IN(cx, a, p->x, GM_CURVE_POINTS + 4);
    GM_NEW_IN(cx, a, p->y, GM_CURVE_POINTS + 4);
    *c = (curve){.p = p, .every = weight / GM_CURVE_POINTS};
    return GM_OK;
}

/* Both classes are sorted at once. */
typedef struct sorting {
    const gm_class_scores *of;
    sides *s;
} sorting;

static gm_code sort_side(gm_cx *cx, void *arg, int64_t c)
{
    const sorting *t = arg;
    rows *r = &t->s->of[c];
    uint64_t *o = r->at;
    const double one = 1;
    for (const gm_class_scores *of = &t->of[c]; of; of = of->next)
        for (int64_t i = 0; i < of->n; i++, o += r->step) {
            if (isnan(of->score[i]))
                return gm_fail(cx, GM_EDATA, "a score is missing (NaN), so rows cannot be ranked");
            o[0] = falling_key(of->score[i]);
            if (t->s->weighted) memcpy(o + 1, of->w ? &of->w[i] : &one, sizeof *o);
        }
    sort_rows(r);
    return GM_OK;
}

/* Rows, and their weight, over all pieces; whether any has weights of its own. */
static int64_t count_rows(const gm_class_scores *of, double *weight, bool *weighted)
{
    int64_t n = 0;
    *weight = 0;
    for (; of; of = of->next) {
        n += of->n;
        *weighted |= of->w != NULL;
        if (of->w == NULL) *weight += (double)of->n;
        for (int64_t i = 0; of->w && i < of->n; i++) *weight += of->w[i];
    }
    return n;
}

int64_t gm_rank_work(const gm_class_scores of[2])
{
    bool weighted = false;
    double weight;
    int64_t n = count_rows(&of[0], &weight, &weighted) + count_rows(&of[1], &weight, &weighted);
    return 2 * n * (int64_t)sizeof(uint64_t) * (weighted ? 2 : 1);
}

gm_code gm_rank(gm_cx *cx, gm_arena *a, const gm_class_scores of[2], void *work, gm_ranking *out)
{
    sides s = {0};
    sorting t = {of, &s};
    curve roc = {0}, pr = {0};
    double weight[2];
    uint64_t *at = work;
    *out = (gm_ranking){0};
    for (int c = 0; c < 2; c++) s.of[c].n = count_rows(&of[c], &weight[c], &s.weighted);
    for (int c = 0; c < 2; c++) {
        size_t step = s.weighted ? 2 : 1, words = (size_t)s.of[c].n * step;
        s.of[c] = (rows){at, at + words, step, s.of[c].n};
        at += 2 * words;
    }
    GM_TRY(gm_par(cx, 2, sort_side, &t));
    out->positive = weight[1];
    out->weight = weight[0] + weight[1];
    if (a) {
        GM_TRY(curve_in(cx, a, out->weight, &out->roc_curve, &roc));
        GM_TRY(curve_in(cx, a, out->weight, &out->pr_curve, &pr));
    }
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

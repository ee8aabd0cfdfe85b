/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spread.c - means and deviations of all columns in one pass. Every part shifts its dense columns by its
 * first row and keeps sums and squares; parts and ranks are joined by the formula of Chan, Golub & LeVeque
 * (1979).
 */
#include "base/rng.h"
#include "learn/linear/problem.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { ROOM = 1 << 16, LEAST_PARTS = 8 }; /* numbers per array over all parts: few parts for very wide data */

/* One part of the data. mean, m2: of the runs joined so far; shift, s1, s2: of the run of blocks of equal
 * layout. */
typedef struct part_sums {
    double weight, run_weight, squares; /* squares: sum w^2 */
    double rows;
    double *mean, *m2, *shift, *s1, *s2;
    double y_mean, y_m2, *class_weight;
    bool *dense, *ones, begun, whole, bad_label, bad_weight;
    int max_parts;
    uint64_t layout; /* of the run; 0: none yet */
} part_sums;

typedef struct pass {
    const gm_dataset *d;
    part_sums *part;
} pass;

/* Joins (w, mean, m2) with another group's. */
static void join(double w, double *mean, double *m2, double wb, double mean_b, double m2_b)
{
    double delta = mean_b - *mean, share = wb / (w + wb);
    *mean += delta * share;
    *m2 += m2_b + delta * delta * w * share;
}

static void end_run(part_sums *p, int64_t d)
{
    double w = p->run_weight;
    for (int64_t j = 0; w > 0 && j < d; j++) {
        double s2 = p->ones[j] ? p->s1[j] : p->s2[j];
        double m2 = s2 - p->s1[j] * (p->s1[j] / w), mean = p->shift[j] + p->s1[j] / w;
        join(p->weight, &p->mean[j], &p->m2[j], w, mean, m2 < 0 ? 0 : m2);
    }
    p->weight += w;
    p->run_weight = 0;
    memset(p->s1, 0, (size_t)d * sizeof *p->s1);
    memset(p->s2, 0, (size_t)d * sizeof *p->s2);
}

/* Tells apart blocks whose columns come in other forms; never 0. */
static uint64_t layout_of(const gm_block *b)
{
    uint64_t h = (uint64_t)b->n_parts;
    for (int k = 0; k < b->n_parts; k++) {
        const gm_part *p = &b->part[k];
        h = gm_mix64(h ^ (uint64_t)p->width << 3 ^ (uint64_t)p->form << 1 ^ (p->level != NULL));
    }
    return h | 1;
}

static void begin_run(part_sums *p, const gm_block *b)
{
    int64_t base = 0;
    if (p->layout) end_run(p, b->cols);
    for (int k = 0; k < b->n_parts; base += b->part[k++].width)
        for (int64_t j = 0; j < b->part[k].width; j++) {
            bool dense = b->part[k].form == GM_DENSE;
            p->shift[base + j] = dense ? b->part[k].x[j * b->part[k].stride] : 0;
            p->ones[base + j] = b->part[k].form == GM_CODED && b->part[k].level == NULL;
            p->dense[base + j] = dense && (p->dense[base + j] || p->layout == 0);
        }
    p->layout = layout_of(b);
}

/* Returns the weight of the block's rows. */
static double add_weights(part_sums *p, const gm_block *b)
{
    double sum = 0, squares = 0, rows = 0;
    if (b->w == NULL) {
        sum = squares = rows = (double)b->rows;
    } else {
        bool bad = false, whole = true;
        for (int64_t i = 0; i < b->rows; i++) {
            double w = b->w[i];
            bad |= !(w >= 0 && w <= DBL_MAX);
            whole &= w == floor(w);
            sum += w;
            squares += w * w;
            rows += w > 0;
        }
        p->bad_weight |= bad;
        p->whole &= whole;
    }
    p->squares += squares;
    p->rows += rows;
    return sum;
}

/* A few counters in turn, for an equal label twice in a row would wait for itself. */
static void add_classes(part_sums *p, const gm_block *b, int64_t k)
{
    enum { FEW = 64, TURNS = 4 };
    double few[TURNS][FEW + 1] = {{0}};
    for (int64_t i = 0; i < b->rows; i++) {
        double y = b->y[i], w = b->w ? b->w[i] : 1;
        if (!(y >= 0 && y < (double)k)) p->bad_label = true;
        else if (k <= FEW) few[i % TURNS][(int64_t)y] += w;
        else p->class_weight[(int64_t)y] += w;
    }
    for (int64_t c = 0; k <= FEW && c < k; c++)
        p->class_weight[c] += (few[0][c] + few[1][c]) + (few[2][c] + few[3][c]);
}

static void add_numbers(part_sums *p, const gm_block *b, double weight)
{
    gm_part y = {.form = GM_DENSE, .width = 1, .x = b->y, .stride = b->rows};
    gm_block labels = {.rows = b->rows, .cols = 1, .n_parts = 1, .part = &y, .w = b->w};
    double shift = b->y[0], s1 = 0, s2 = 0;
    gm_kernel_best()->moments(&labels, &shift, &s1, &s2);
    if (!isfinite(shift) || !isfinite(s1) || !isfinite(s2)) p->bad_label = true;
    if (weight > 0)
        join(p->weight + p->run_weight, &p->y_mean, &p->y_m2, weight, shift + s1 / weight,
             s2 - s1 * (s1 / weight));
}

static gm_code add_block(gm_cx *cx, void *arg, int64_t part, const gm_block *b)
{
    (void)cx;
    pass *t = arg;
    part_sums *p = &t->part[part];
    if (b->rows == 0) return GM_OK;
    p->begun = true;
    if (b->n_parts > p->max_parts) p->max_parts = b->n_parts;
    if (layout_of(b) != p->layout) begin_run(p, b);
    gm_kernel_best()->moments(b, p->shift, p->s1, p->s2);
    double weight = add_weights(p, b);
    if (t->d->n_classes > 0) add_classes(p, b, t->d->n_classes);
    else add_numbers(p, b, weight);
    p->run_weight += weight;
    return GM_OK;
}

static gm_code make_parts(gm_cx *cx, gm_arena *a, const gm_dataset *d, part_sums **out)
{
    part_sums *p;
    GM_NEW_IN(cx, a, p, d->n_parts);
    for (int64_t i = 0; i < d->n_parts; i++) {
        double **all[] = {&p[i].mean, &p[i].m2, &p[i].shift, &p[i].s1, &p[i].s2};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) GM_NEW_IN(cx, a, *all[k], d->cols + 1);
        GM_NEW_IN(cx, a, p[i].dense, d->cols + 1);
        GM_NEW_IN(cx, a, p[i].ones, d->cols + 1);
        GM_NEW_IN(cx, a, p[i].class_weight, d->n_classes + 1);
        p[i].whole = true;
    }
    *out = p;
    return GM_OK;
}

static gm_code check(gm_cx *cx, const gm_dataset *d, const part_sums *p)
{
    if (p->bad_weight)
        return gm_fail(cx, GM_EDATA, "a row weight is negative or not a finite number; weights count rows");
    if (p->bad_label) return gm_fail(cx, GM_EDATA, "a label is missing or not a finite number");
    for (int64_t j = 0; j < d->cols; j++)
        if (!isfinite(p->mean[j]) || !isfinite(p->m2[j]))
            return gm_hint_add(
                cx,
                gm_fail(cx, GM_EDATA,
                        "feature '%s' holds a value that is missing (NaN), infinite or too large",
                        j < d->names.n ? d->names.v[j] : "?"),
                "fill missing values with an Imputer, or drop such rows");
    return GM_OK;
}

/* All parts into the first, in order. */
static void join_parts(part_sums *p, const gm_dataset *d)
{
    for (int64_t i = 0; i < d->n_parts; i++) end_run(&p[i], d->cols);
    for (int64_t i = 1; i < d->n_parts; i++) {
        if (!p[i].begun) continue;
        bool first = !p[0].begun;
        for (int64_t j = 0; j < d->cols; j++) {
            if (p[i].weight > 0)
                join(p[0].weight, &p[0].mean[j], &p[0].m2[j], p[i].weight, p[i].mean[j], p[i].m2[j]);
            p[0].dense[j] = p[i].dense[j] && (first || p[0].dense[j]);
        }
        for (int64_t c = 0; c < d->n_classes; c++) p[0].class_weight[c] += p[i].class_weight[c];
        if (p[i].weight > 0) join(p[0].weight, &p[0].y_mean, &p[0].y_m2, p[i].weight, p[i].y_mean, p[i].y_m2);
        p[0].begun = true;
        p[0].weight += p[i].weight;
        p[0].squares += p[i].squares;
        p[0].rows += p[i].rows;
        p[0].whole &= p[i].whole;
        p[0].bad_label |= p[i].bad_label;
        p[0].bad_weight |= p[i].bad_weight;
        if (p[i].max_parts > p[0].max_parts) p[0].max_parts = p[i].max_parts;
    }
}

/* First the sums, then the squared deviations from the means of all ranks. */
static gm_code join_ranks(gm_cx *cx, gm_arena *a, const gm_dataset *d, gm_comm *comm, part_sums *p)
{
    int64_t n = d->cols + 1, k = d->n_classes;
    double *s, w = p->weight;
    GM_NEW_IN(cx, a, s, n + k + 4);
    for (int64_t j = 0; j < d->cols; j++) s[j] = w * p->mean[j];
    s[d->cols] = w * p->y_mean;
    for (int64_t c = 0; c < k; c++) s[n + c] = p->class_weight[c];
    double *rest = s + n + k;
    rest[0] = w, rest[1] = p->squares, rest[2] = p->rows, rest[3] = !p->whole;
    GM_TRY(comm->ops->allreduce(cx, comm, "column sums", GM_SUM, s, n + k + 4));
    for (int64_t j = 0; j < d->cols; j++) {
        double mean = comm->size > 1 && rest[0] > 0 ? s[j] / rest[0] : p->mean[j];
        p->m2[j] += w * (p->mean[j] - mean) * (p->mean[j] - mean);
        p->mean[j] = mean;
    }
    double y_mean = comm->size > 1 && rest[0] > 0 ? s[d->cols] / rest[0] : p->y_mean;
    p->y_m2 += w * (p->y_mean - y_mean) * (p->y_mean - y_mean);
    p->y_mean = y_mean;
    for (int64_t c = 0; c < k; c++) p->class_weight[c] = s[n + c];
    p->weight = rest[0], p->squares = rest[1], p->rows = rest[2], p->whole = rest[3] == 0;
    memcpy(s, p->m2, (size_t)d->cols * sizeof *s);
    s[d->cols] = p->y_m2;
    GM_TRY(comm->ops->allreduce(cx, comm, "squared deviations", GM_SUM, s, n));
    memcpy(p->m2, s, (size_t)d->cols * sizeof *s);
    p->y_m2 = s[d->cols];
    return GM_OK;
}

/* A column is constant when its deviation is within the rounding of its mean; sums of coded and sparse
 * columns are not shifted, so there the rounding is that of their squares. */
static double deviation(double m2, double below, double mean, double weight, bool dense)
{
    double noise = dense ? 4 * DBL_EPSILON * fabs(mean) : 1e-7 * fabs(mean);
    if (!(below > 0) || m2 <= noise * noise * weight) return 0;
    return sqrt(m2 / below);
}

gm_code gm_spread_of(gm_cx *cx, gm_arena *a, const gm_dataset *d, gm_comm *comm, gm_spread *out)
{
    gm_dataset view = *d;
    gm_arena tmp = {0};
    int64_t parts = ROOM / (d->cols + 1);
    view.n_parts = parts < LEAST_PARTS ? LEAST_PARTS : parts;
    if (view.n_parts > d->n_parts) view.n_parts = d->n_parts;
    pass t = {.d = &view};
    gm_code code = make_parts(cx, &tmp, &view, &t.part);
    if (code == GM_OK) code = gm_dataset_each(cx, &view, add_block, &t);
    if (code == GM_OK) {
        join_parts(t.part, &view);
        code = check(cx, d, t.part);
    }
    if (code == GM_OK) code = join_ranks(cx, &tmp, d, comm, t.part);
    const part_sums *p = t.part;
    *out = (gm_spread){.d = d->cols, .k = d->n_classes};
    if (code == GM_OK && !(p->weight > 0))
        code = gm_fail(cx, GM_EDATA, "there are no rows with a weight above 0");
    if (code == GM_OK) {
        double below = p->whole ? p->weight - 1 : p->weight - p->squares / p->weight;
        out->weight = p->weight;
        out->count = p->whole ? p->weight : p->rows;
        out->max_parts = p->max_parts;
        out->y_mean = p->y_mean;
        out->y_sd = deviation(p->y_m2, below, p->y_mean, p->weight, true);
        out->mean = gm_alloc(cx, a, d->cols + 1, sizeof *out->mean);
        out->sd = out->mean ? gm_alloc(cx, a, d->cols + 1, sizeof *out->sd) : NULL;
        out->dense = out->sd ? gm_alloc(cx, a, d->cols + 1, sizeof *out->dense) : NULL;
        out->class_weight = out->dense ? gm_alloc(cx, a, d->n_classes + 1, sizeof *out->class_weight) : NULL;
        if (out->class_weight == NULL) code = gm_why_null(cx);
        for (int64_t j = 0; code == GM_OK && j < d->cols; j++) {
            out->mean[j] = p->mean[j];
            out->dense[j] = p->dense[j];
            out->sd[j] = deviation(p->m2[j], below, p->mean[j], p->weight, p->dense[j]);
        }
        for (int64_t c = 0; code == GM_OK && c < d->n_classes; c++) out->class_weight[c] = p->class_weight[c];
    }
    gm_arena_end(&tmp);
    return code;
}

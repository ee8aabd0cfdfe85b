/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem.c - one evaluation: margins, losses and gradient of a slice of rows while it lies in the cache, one
 * gradient per part of the data, joined in part order and over the ranks.
 */
#include "learn/linear/problem.h"
#include "base/buf.h"
#include "par/pool.h"
#include <math.h>
#include <string.h>

enum { ROOM = 1 << 17, LEAST_PARTS = 16, SLICE = 2048, STRIP = 256, STRIP_COLUMNS = 32, LANE = 512 };

gm_code gm_problem_open(gm_cx *cx, gm_arena *a, gm_problem *p)
{
    int64_t d = p->s->d, most;
    double *shift;
    p->cx = cx;
    p->view = *p->data;
    GM_TRY(gm_fuse(cx, a, &p->view, &p->fused));
    p->width = p->fused.cols;
    p->n = p->k * d + (p->intercept ? p->k : 0) + p->extras;
    p->slots = p->n + p->k * (p->width - d) + 1;
    most = ROOM / p->slots < LEAST_PARTS ? LEAST_PARTS : ROOM / p->slots;
    if (p->view.n_parts > most) p->fused.data.n_parts = p->view.n_parts = most;
    p->slice = 16 * SLICE / p->k;
    p->slice = p->slice > SLICE ? SLICE : p->slice < 64 ? 64 : p->slice;
    GM_NEW_IN(cx, a, shift, d + 1);
    GM_NEW_IN(cx, a, p->shift, p->width + 1);
    GM_NEW_IN(cx, a, p->scale, d + 1);
    GM_NEW_IN(cx, a, p->a, p->k * d + 1);
    GM_NEW_IN(cx, a, p->wide, p->k * p->width + 1);
    GM_NEW_IN(cx, a, p->base, p->k);
    GM_NEW_IN(cx, a, p->slope, p->n + 1);
    GM_NEW_IN(cx, a, p->sum, p->view.n_parts * p->slots);
    GM_NEW_IN(cx, a, p->margin, p->view.n_parts * p->slice * p->k);
    GM_NEW_IN(cx, a, p->part, p->view.n_parts * (p->s->max_parts + 1));
    GM_NEW_IN(cx, a, p->begun, p->view.n_parts);
    for (int64_t j = 0; j < d; j++) {
        p->scale[j] = p->unit[j] > 0 ? 1 / p->unit[j] : 0;
        shift[j] = p->centre && p->s->dense[j] ? p->s->mean[j] : 0;
    }
    gm_fused_spread(&p->fused, shift, p->shift);
    return GM_OK;
}

/* The mean that goes through the intercept: of centred columns that kernels do not shift. */
static double far_mean(const gm_problem *p, int64_t j)
{
    return p->centre && !p->s->dense[j] ? p->s->mean[j] : 0;
}

/* Where the intercept of class c stands among the unknowns, and its slope among a part's sums. */
static int64_t at_intercept(const gm_problem *p, int64_t c) { return p->k * p->s->d + c; }
static int64_t at_intercept_sum(const gm_problem *p, int64_t c) { return p->k * p->width + c; }

static void set_point(gm_problem *p, const double *x)
{
    int64_t d = p->s->d;
    p->x = x;
    for (int64_t c = 0; c < p->k; c++) {
        double b = p->intercept ? x[at_intercept(p, c)] : 0;
        for (int64_t j = 0; j < d; j++) {
            p->a[c * d + j] = x[c * d + j] * p->scale[j];
            if (p->centre && !p->s->dense[j]) b -= p->a[c * d + j] * p->s->mean[j];
        }
        p->base[c] = b;
        gm_fused_spread(&p->fused, p->a + c * d, p->wide + c * p->width);
    }
}

/* Coded and sparse parts that stand together, from part k on; returns the part after them. */
static int far_run(const gm_block *b, int k, gm_block *run)
{
    int end = k;
    *run = (gm_block){.rows = b->rows, .part = b->part + k};
    for (; end < b->n_parts && b->part[end].form != GM_DENSE; end++) run->cols += b->part[end].width;
    run->n_parts = end - k;
    return end;
}

/* n rows of a dense part, from `from` on, as a block of its own. */
static gm_block strip_of(const gm_part *p, int64_t from, int64_t n, gm_part *room)
{
    *room = *p;
    room->x += from;
    return (gm_block){.rows = n, .cols = p->width, .n_parts = 1, .part = room};
}

/* Coded and sparse parts: their products are added to the margins m, or, with g, those of the residuals m to
 * g. */
static void far_parts(const gm_problem *p, const gm_block *b, int64_t c, double *m, double *g)
{
    const double *a = p->wide + c * p->width;
    int64_t base = 0;
    for (int k = 0; k < b->n_parts;) {
        gm_block run;
        if (b->part[k].form == GM_DENSE) {
            base += b->part[k++].width;
            continue;
        }
        k = far_run(b, k, &run);
        if (g) gm_kernel_best()->xtr(&run, NULL, m, g + base);
        else gm_kernel_best()->xw(&run, NULL, a + base, m);
        base += run.cols;
    }
}

/* The same for dense parts and the rows from .. from + n; m starts at row `from`. */
static void dense_parts(const gm_problem *p, const gm_block *b, int64_t from, int64_t n, int64_t c, double *m,
                        double *g)
{
    const double *a = p->wide + c * p->width, *shift = p->centre ? p->shift : NULL;
    int64_t base = 0;
    for (int k = 0; k < b->n_parts; base += b->part[k++].width) {
        gm_part room;
        if (b->part[k].form != GM_DENSE) continue;
        gm_block strip = strip_of(&b->part[k], from, n, &room);
        if (g) gm_kernel_best()->xtr(&strip, shift ? shift + base : NULL, m, g + base);
        else gm_kernel_best()->xw(&strip, shift ? shift + base : NULL, a + base, m);
    }
}

static double sum_of(const double *r, int64_t n)
{
    double lane[8] = {0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int l = 0; l < 8; l++) lane[l] += r[i + l];
    for (; i < n; i++) lane[0] += r[i];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

static int64_t strip_rows(const gm_block *b)
{
    int64_t dense = 0;
    for (int k = 0; k < b->n_parts; k++) dense += b->part[k].form == GM_DENSE ? b->part[k].width : 0;
    return dense > 0 && dense <= STRIP_COLUMNS ? STRIP : b->rows;
}

/* Rows from .. from + n once their coded and sparse parts are in m: dense products, losses, dense gradient.
 */
static void add_strip(gm_problem *p, const gm_block *b, int64_t from, int64_t n, double *m, double *sum)
{
    for (int64_t c = 0; c < p->k; c++) dense_parts(p, b, from, n, c, m + c * p->slice + from, NULL);
    int64_t loss = p->slots - 1;
    sum[loss] +=
        p->loss(p, n, p->slice, m + from, b->y + from, b->w ? b->w + from : NULL, sum + loss - p->extras);
    for (int64_t c = 0; c < p->k; c++) {
        double *r = m + c * p->slice + from;
        dense_parts(p, b, from, n, c, r, sum + c * p->width);
        if (p->intercept) sum[at_intercept_sum(p, c)] += sum_of(r, n);
    }
}

/* Dense columns go by in strips that stay in the first-level cache from product to gradient, and while a
 * strip's losses are computed the next one is on its way from memory. */
static void add_slice(gm_problem *p, int64_t part, const gm_block *b)
{
    double *sum = p->sum + part * p->slots, *m = p->margin + part * p->slice * p->k;
    int64_t strip = strip_rows(b);
    for (int64_t c = 0; c < p->k; c++) {
        double *mc = m + c * p->slice, base = p->base[c];
        for (int64_t i = 0; i < b->rows; i++) mc[i] = base;
        far_parts(p, b, c, mc, NULL);
    }
    for (int64_t from = 0; from < b->rows; from += strip)
        add_strip(p, b, from, b->rows - from < strip ? b->rows - from : strip, m, sum);
    for (int64_t c = 0; c < p->k; c++) far_parts(p, b, c, m + c * p->slice, sum + c * p->width);
}

static gm_code add_block(gm_cx *cx, void *arg, int64_t part, const gm_block *b)
{
    gm_problem *p = arg;
    if (!p->begun[part]) {
        memset(p->sum + part * p->slots, 0, (size_t)p->slots * sizeof *p->sum);
        p->begun[part] = true;
    }
    for (int64_t from = 0; from < b->rows; from += p->slice) {
        gm_block rows;
        int64_t n = b->rows - from < p->slice ? b->rows - from : p->slice;
        if (b->rows <= p->slice) {
            add_slice(p, part, b);
            continue;
        }
        GM_TRY(gm_check_cancel(cx));
        gm_block_rows(b, from, n, p->part + part * (p->s->max_parts + 1), &rows);
        add_slice(p, part, &rows);
    }
    return GM_OK;
}

/* Entries lane * LANE .. of all parts into the first, in part order. */
static gm_code join_lane(gm_cx *cx, void *arg, int64_t lane)
{
    gm_problem *p = arg;
    int64_t from = lane * LANE, to = from + LANE < p->slots ? from + LANE : p->slots;
    (void)cx;
    if (!p->begun[0]) memset(p->sum + from, 0, (size_t)(to - from) * sizeof *p->sum);
    for (int64_t part = 1; part < p->view.n_parts; part++) {
        const double *s = p->sum + part * p->slots;
        if (p->begun[part])
            for (int64_t j = from; j < to; j++) p->sum[j] += s[j];
    }
    return GM_OK;
}

/* Sums over this rank's rows at the point that was set, into p->slope. */
static gm_code sum_over_data(gm_cx *cx, gm_problem *p)
{
    int64_t lanes = (p->slots + LANE - 1) / LANE, parts = p->view.n_parts, d = p->s->d;
    memset(p->begun, 0, (size_t)parts * sizeof *p->begun);
    GM_TRY(gm_dataset_each(cx, &p->fused.data, add_block, p));
    if (lanes * parts > 256) GM_TRY(gm_par(cx, lanes, join_lane, p));
    else
        for (int64_t lane = 0; lane < lanes; lane++) GM_TRY(join_lane(cx, p, lane));
    for (int64_t c = 0; c < p->k; c++) gm_fused_gather(&p->fused, p->sum + c * p->width, p->slope + c * d);
    memcpy(p->slope + p->k * d, p->sum + p->k * p->width,
           (size_t)(p->slots - p->k * p->width) * sizeof *p->sum);
    return GM_OK;
}

static gm_code evaluate(gm_cx *cx, void *arg, const double *x, double *f, double *g)
{
    gm_problem *p = arg;
    int64_t d = p->s->d;
    set_point(p, x);
    GM_TRY(sum_over_data(cx, p));
    double *slope = p->slope;
    for (int64_t c = 0; c < p->k && p->centre; c++)
        for (int64_t j = 0; j < d; j++) slope[c * d + j] -= far_mean(p, j) * slope[at_intercept(p, c)];
    GM_TRY(p->comm->ops->allreduce(cx, p->comm, "gradient", GM_SUM, slope, p->n + 1));
    for (int64_t i = 0; i < p->n; i++) g[i] = slope[i] / p->s->weight;
    *f = slope[p->n] / p->s->weight;
    for (int64_t c = 0; c < p->k; c++)
        for (int64_t j = 0; j < d; j++) {
            int64_t i = c * d + j;
            double l2 = p->l2 ? p->l2[j] : 0;
            g[i] = g[i] * p->scale[j] + l2 * x[i];
            *f += 0.5 * l2 * x[i] * x[i];
        }
    return GM_OK;
}

gm_objective gm_problem_objective(gm_problem *p) { return (gm_objective){evaluate, p}; }

void gm_problem_unscale(const gm_problem *p, const double *x, double *coefficients, double *intercept)
{
    int64_t d = p->s->d;
    for (int64_t c = 0; c < p->k; c++) {
        double b = p->intercept ? x[at_intercept(p, c)] : 0;
        for (int64_t j = 0; j < d; j++) {
            coefficients[c * d + j] = x[c * d + j] * p->scale[j];
            if (p->centre) b -= coefficients[c * d + j] * p->s->mean[j];
        }
        intercept[c] = b;
    }
}

void gm_problem_scale(const gm_problem *p, const double *coefficients, const double *intercept, double *x)
{
    int64_t d = p->s->d;
    for (int64_t c = 0; c < p->k; c++) {
        double b = intercept[c];
        for (int64_t j = 0; j < d; j++) {
            x[c * d + j] = coefficients[c * d + j] * p->unit[j];
            if (p->centre && p->s->sd[j] > 0) b += coefficients[c * d + j] * p->s->mean[j];
        }
        if (p->intercept) x[at_intercept(p, c)] = b;
    }
}

/* Rows on the wrong side; a margin within the rounding of its terms is no room. */
static double count_wrong(const gm_problem *p, int64_t n, int64_t stride, double *m, const double *y,
                          const double *w, double *extra)
{
    double wrong = 0;
    (void)extra;
    for (int64_t i = 0; i < n; i++) {
        if (w && !(w[i] > 0)) continue;
        if (p->k == 1) {
            wrong += !((y[i] > 0 ? m[i] : -m[i]) > 1e-9);
            continue;
        }
        double own = m[(int64_t)y[i] * stride + i];
        for (int64_t c = 0; c < p->k; c++)
            if (c != (int64_t)y[i] && !(own - m[c * stride + i] > 1e-9)) {
                wrong++;
                break;
            }
    }
    for (int64_t c = 0; c < p->k; c++) memset(m + c * stride, 0, (size_t)n * sizeof *m);
    return wrong;
}

gm_code gm_problem_separates(gm_cx *cx, gm_problem *p, const double *x, bool *yes)
{
    gm_row_loss loss = p->loss;
    p->loss = count_wrong;
    set_point(p, x);
    gm_code code = sum_over_data(cx, p);
    p->loss = loss;
    GM_TRY(code);
    GM_TRY(p->comm->ops->allreduce(cx, p->comm, "rows on the wrong side", GM_SUM, p->slope + p->n, 1));
    *yes = p->slope[p->n] == 0;
    return GM_OK;
}

gm_code gm_tell_iteration(gm_cx *cx, void *max_iter, int64_t iteration, double value)
{
    if (!gm_listening(cx)) return GM_OK;
    gm_arena tmp = {0};
    char number[32];
    gm_real_text(value, false, number);
    const char *fields = gm_format(cx, &tmp, "\"iteration\":%lld,\"maxIter\":%lld,\"objective\":%s",
                                   (long long)iteration, (long long)*(const int64_t *)max_iter, number);
    if (fields)
        gm_emit(cx, GM_PROGRESS, "fit.iteration", fields, "iteration %lld: objective %s",
                (long long)iteration, number);
    gm_arena_end(&tmp);
    return fields ? GM_OK : gm_why_null(cx);
}

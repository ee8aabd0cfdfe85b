/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_kernel.c - milliseconds per evaluation of the logistic loss and its gradient: 800,000 rows in tiles
 * of 1,638, 10 dense and 6 coded columns of 4 .. 5000 levels (6,274 features), by every kernel table.
 *
 *     bench_kernel [THREADS] [ROWS]
 */
#include "base/rng.h"
#include "block/dataset.h"
#include "learn/linear/problem.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TILE = 1638, DENSE = 10, CODED = 6, MARGINS = 2048 };
static const int64_t levels[CODED] = {4, 10, 50, 200, 1000, 5000};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

typedef struct bench {
    const gm_kernel *k;
    const double *shift, *w;
    double *g, *loss; /* per part */
    int64_t cols;
    int skip; /* bit 0: no product, 1: no loss, 2: no gradient */
} bench;

static gm_code evaluate(gm_cx *cx, void *arg, int64_t part, const gm_block *b)
{
    (void)cx;
    bench *t = arg;
    double m[MARGINS];
    memset(m, 0, sizeof m);
    if (!(t->skip & 1)) t->k->xw(b, t->shift, t->w, m);
    if (!(t->skip & 2)) t->loss[part] += t->k->logistic(b->rows, m, b->y, b->w, m);
    if (!(t->skip & 4)) t->k->xtr(b, t->shift, m, t->g + part * t->cols);
    return GM_OK;
}

static gm_code make_blocks(gm_cx *cx, int64_t rows, gm_dataset *out)
{
    int64_t n = (rows + TILE - 1) / TILE, cols = DENSE;
    gm_block *block;
    GM_NEW(cx, block, n);
    for (int k = 0; k < CODED; k++) cols += levels[k];
    uint64_t draw = 0;
    for (int64_t i = 0; i < n; i++) {
        gm_part *part;
        double *x, *y;
        uint32_t *code;
        GM_NEW(cx, part, 1 + CODED);
        GM_NEW(cx, x, DENSE * TILE + TILE + CODED * TILE / 2 + 64);
        y = x + DENSE * TILE;
        for (int64_t j = 0; j < DENSE * TILE; j++) x[j] = (double)(gm_mix64(draw++) >> 11) * 0x1p-53;
        for (int64_t j = 0; j < TILE; j++) y[j] = (double)(gm_mix64(draw++) & 1);
        part[0] = (gm_part){.form = GM_DENSE, .width = DENSE, .x = x, .stride = TILE};
        for (int k = 0; k < CODED; k++) {
            code = (uint32_t *)(y + TILE) + k * TILE;
            for (int64_t j = 0; j < TILE; j++) { /* low codes are frequent, as StringIndexer orders them */
                double u = (double)(gm_mix64(draw++) >> 11) * 0x1p-53;
                code[j] = (uint32_t)((double)levels[k] * u * u * u);
            }
            part[1 + k] = (gm_part){.form = GM_CODED, .width = levels[k], .code = code};
        }
        block[i] = (gm_block){.rows = i + 1 < n ? TILE : rows - i * TILE,
                              .cols = cols,
                              .n_parts = 1 + CODED,
                              .part = part,
                              .y = y};
    }
    return gm_dataset_over(cx, gm_scratch(cx), block, n, 32, out);
}

static double logistic(const gm_problem *p, int64_t n, int64_t stride, double *m, const double *y,
                       const double *w, double *extra)
{
    (void)p, (void)stride, (void)extra;
    return gm_kernel_best()->logistic(n, m, y, w, m);
}

static gm_code whole(gm_cx *cx, gm_dataset *d)
{
    gm_spread spread;
    double *x, *g, f, best[2] = {1e9, 1e9};
    d->n_classes = 2;
    for (int r = 0; r < 9; r++) {
        double t0 = now_ms();
        GM_TRY(gm_spread_of(cx, gm_scratch(cx), d, gm_comm_self(), &spread));
        best[0] = fmin(best[0], now_ms() - t0);
    }
    gm_problem p = {.data = d,
                    .comm = gm_comm_self(),
                    .s = &spread,
                    .k = 1,
                    .intercept = true,
                    .centre = true,
                    .loss = logistic};
    GM_TRY(gm_problem_open(cx, gm_scratch(cx), &p));
    GM_NEW(cx, x, p.n);
    GM_NEW(cx, g, p.n);
    gm_objective o = gm_problem_objective(&p);
    for (int64_t j = 0; j < p.n; j++) x[j] = 0.01 * sin((double)j);
    for (int r = 0; r < 19; r++) {
        double t0 = now_ms();
        GM_TRY(o.eval(cx, o.arg, x, &f, g));
        best[1] = fmin(best[1], now_ms() - t0);
    }
    printf("learner     evaluation %.2f  moments %.2f\n", best[1], best[0]);
    return GM_OK;
}

static gm_code run(gm_cx *cx, int64_t rows)
{
    gm_dataset d;
    GM_TRY(make_blocks(cx, rows, &d));
    bench t = {.cols = d.cols};
    double *shift, *w;
    GM_NEW(cx, shift, d.cols);
    GM_NEW(cx, w, d.cols);
    GM_NEW(cx, t.g, d.cols * d.n_parts);
    GM_NEW(cx, t.loss, d.n_parts);
    for (int64_t j = 0; j < d.cols; j++) w[j] = 0.1 * sin((double)j), shift[j] = j < DENSE ? 0.5 : 0;
    t.shift = shift, t.w = w;
    int n;
    const gm_kernel *const *table = gm_kernels(&n);
    static const struct {
        int skip;
        const char *name;
    } step[] = {{0, "all"}, {6, "product"}, {5, "loss"}, {3, "gradient"}};
    printf("%lld rows, %lld features, %d threads: ms per pass\n", (long long)d.rows, (long long)d.cols,
           gm_threads(cx));
    for (int k = 0; k < n; k++) {
        t.k = table[k];
        printf("%-10s", table[k]->name);
        for (size_t s = 0; s < sizeof step / sizeof *step; s++) {
            double best = 1e9;
            t.skip = step[s].skip;
            for (int r = 0; r < 9; r++) {
                double t0 = now_ms();
                GM_TRY(gm_dataset_each(cx, &d, evaluate, &t));
                double ms = now_ms() - t0;
                if (ms < best) best = ms;
            }
            printf("  %s %7.2f", step[s].name, best);
        }
        printf("\n");
    }
    return whole(cx, &d);
}

int main(int argc, char **argv)
{
    char options[64];
    gm_cx *cx;
    snprintf(options, sizeof options, "{\"threads\": %d}", argc > 1 ? (int)strtol(argv[1], NULL, 10) : 2);
    gm_code code = gm_cx_new(options, &cx);
    if (code == GM_OK) code = run(cx, argc > 2 ? strtol(argv[2], NULL, 10) : 800000);
    if (code != GM_OK) fprintf(stderr, "%s\n", gm_cx_message(cx));
    gm_cx_free(cx);
    return code != GM_OK;
}

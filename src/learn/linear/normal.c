/* SPDX-License-Identifier: Apache-2.0 */
/*
 * normal.c - A u = b with A = X'WX / W and b = X'Wy / W of the scaled, centred columns that vary. Ridge adds
 * to the diagonal; an L1 part makes it coordinate descent (glmnet's covariance updates). Standard errors are
 * those of weighted least squares: s^2 (X'WX)^-1, s^2 = sum w r^2 / degrees of freedom.
 *
 * The Gram matrix is summed band of rows by band of rows, as many as have room for one accumulator per part.
 */
#include "learn/linear/normal.h"
#include "solve/cholesky.h"
#include "solve/quadratic.h"
#include <math.h>
#include <string.h>

enum { ROOM = 1 << 23 };

typedef struct band {
    const gm_problem *p;
    int64_t from, to;
    double *g; /* [parts][(to - from) * d] */
} band;

static gm_code add_block(gm_cx *cx, void *arg, int64_t part, const gm_block *b)
{
    band *t = arg;
    int64_t d = t->p->s->d;
    (void)cx;
    gm_kernel_best()->gram(b, t->p->centre ? t->p->shift : NULL, t->from, t->to,
                           t->g + part * (t->to - t->from) * d);
    return GM_OK;
}

/* The d x d Gram matrix of the scaled columns, both triangles; 0 in rows of constant columns. */
static gm_code gram(gm_cx *cx, gm_arena *a, const gm_problem *p, double *g)
{
    int64_t d = p->s->d, parts = p->view.n_parts, height = ROOM / (parts * (d + 1));
    double *room;
    height = height < 8 ? 8 : height > d ? d : height;
    GM_NEW_IN(cx, a, room, parts * height * d + 1);
    for (int64_t from = 0; from < d; from += height) {
        band t = {.p = p, .from = from, .to = from + height < d ? from + height : d, .g = room};
        int64_t n = (t.to - t.from) * d;
        memset(room, 0, (size_t)(parts * n) * sizeof *room);
        GM_TRY(gm_dataset_each(cx, &p->view, add_block, &t));
        for (int64_t part = 1; part < parts; part++) gm_kernel_best()->axpy(n, 1, room + part * n, room);
        GM_TRY(p->comm->ops->allreduce(cx, p->comm, "Gram matrix", GM_SUM, room, n));
        memcpy(g + from * d, room, (size_t)n * sizeof *g);
    }
    for (int64_t j = 0; j < d; j++)
        for (int64_t k = j; k < d; k++) {
            double v = g[j * d + k] / p->s->weight;
            if (p->centre && !p->s->dense[j] && !p->s->dense[k]) v -= p->s->mean[j] * p->s->mean[k];
            g[j * d + k] = g[k * d + j] = v * p->scale[j] * p->scale[k];
        }
    return GM_OK;
}

/* The columns that vary: their system, and where they come from. */
typedef struct system {
    gm_quadratic q;
    int64_t *column;
    double *a, *b, *l1, *l2, *x;
} system;

static gm_code gather(gm_cx *cx, gm_arena *a, const gm_problem *p, const gm_penalty *penalty, const double *g,
                      const double *gradient, system *s)
{
    int64_t d = p->s->d, n = 0;
    GM_NEW_IN(cx, a, s->column, d + 1);
    for (int64_t j = 0; j < d; j++)
        if (p->s->sd[j] > 0) s->column[n++] = j;
    GM_NEW_IN(cx, a, s->a, n * n + 1);
    GM_NEW_IN(cx, a, s->b, n + 1);
    GM_NEW_IN(cx, a, s->l1, n + 1);
    GM_NEW_IN(cx, a, s->l2, n + 1);
    GM_NEW_IN(cx, a, s->x, n + 1);
    for (int64_t i = 0; i < n; i++) {
        int64_t j = s->column[i];
        s->b[i] = -gradient[j];
        s->l2[i] = penalty->l2[j];
        s->l1[i] = penalty->l1 ? penalty->l1[j] : 0;
        for (int64_t k = 0; k < n; k++) s->a[i * n + k] = g[j * d + s->column[k]];
    }
    s->q = (gm_quadratic){.n = n, .a = s->a, .b = s->b, .l1 = penalty->l1 ? s->l1 : NULL, .l2 = s->l2};
    return GM_OK;
}

static gm_code errors_of(gm_cx *cx, gm_arena *a, const gm_problem *p, const system *s, const double *factor,
                         double squares, gm_normal *out)
{
    int64_t n = s->q.n;
    double *work, *diagonal, sum = 1, w = p->s->weight;
    out->degrees = p->s->count - (double)n - p->intercept;
    if (!(out->degrees > 0)) return GM_OK;
    GM_NEW_IN(cx, a, out->standard_errors, p->s->d + 1);
    GM_NEW_IN(cx, a, work, n + 1);
    GM_NEW_IN(cx, a, diagonal, n + 1);
    double variance = squares / out->degrees / w;
    gm_cholesky_inverse_diagonal(n, factor, work, diagonal);
    for (int64_t i = 0; i < n; i++)
        out->standard_errors[s->column[i]] = sqrt(variance * diagonal[i]) * p->scale[s->column[i]];
    for (int64_t i = 0; i < n; i++) work[i] = p->s->mean[s->column[i]] * p->scale[s->column[i]];
    memcpy(diagonal, work, (size_t)n * sizeof *work);
    gm_cholesky_solve(n, factor, work);
    for (int64_t i = 0; i < n; i++) sum += diagonal[i] * work[i];
    out->standard_errors[p->s->d] = p->intercept ? sqrt(variance * sum) : 0;
    return GM_OK;
}

gm_code gm_normal_solve(gm_cx *cx, gm_arena *a, gm_problem *p, const gm_penalty *penalty, double tol,
                        int64_t max_passes, bool errors, gm_normal *out)
{
    int64_t d = p->s->d;
    gm_objective o = gm_problem_objective(p);
    double *g, *gradient, *factor = NULL, squares;
    system s = {0};
    *out = (gm_normal){.converged = true, .full = true};
    GM_NEW_IN(cx, a, out->unknowns, p->n + 1);
    GM_NEW_IN(cx, a, gradient, p->n + 1);
    GM_NEW_IN(cx, a, g, d * d + 1);
    if (p->intercept) out->unknowns[d] = p->s->y_mean;
    GM_TRY(o.eval(cx, o.arg, out->unknowns, &out->first,
                  gradient)); /* at zero coefficients the slope is -X'Wy / W */
    GM_TRY(gram(cx, a, p, g));
    GM_TRY(gather(cx, a, p, penalty, g, gradient, &s));
    if (penalty->l1) {
        s.q.scale = 2 * out->first;
        GM_TRY(gm_quadratic_descend(cx, a, &s.q, tol, max_passes, s.x, &out->passes));
        out->converged = out->passes < max_passes;
    } else {
        GM_NEW_IN(cx, a, factor, s.q.n * s.q.n + 1);
        GM_TRY(gm_quadratic_solve(cx, a, &s.q, s.x, &out->full, factor));
    }
    for (int64_t i = 0; i < s.q.n; i++) out->unknowns[s.column[i]] = s.x[i];
    GM_TRY(o.eval(cx, o.arg, out->unknowns, &out->last, gradient));
    squares = out->last;
    for (int64_t i = 0; i < s.q.n; i++) {
        squares -= 0.5 * s.l2[i] * s.x[i] * s.x[i];
        if (penalty->l1) out->last += s.l1[i] * fabs(s.x[i]);
    }
    if (errors && factor && out->full)
        return errors_of(cx, a, p, &s, factor, 2 * squares * p->s->weight, out);
    return GM_OK;
}

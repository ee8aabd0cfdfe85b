/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lbfgs.c - L-BFGS (Nocedal & Wright, Numerical Optimization, alg. 7.4 and 7.5); with L1 weights OWL-QN
 * (Andrew & Gao, ICML 2007); with bounds the two-metric projection (Bertsekas, SIAM J. Control Optim. 20,
 * 1982).
 *
 * OWL-QN and the projection are one scheme: coordinates at a kink or bound that the gradient holds there are
 * fixed, the quasi-Newton direction is made from the free ones, and trial points are projected. Without kinks
 * and bounds the step meets the Wolfe conditions, tested on the slope near the minimum, where values are only
 * rounding (Hager & Zhang, SIAM J. Optim. 16, 2005).
 */
#include "solve/lbfgs.h"
#include "kernel/kernel.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { PAIRS = 10, WINDOW = 20, TRIALS = 40 };
const char *const gm_end_words[] = {"value", "gradient", "rounding", "iterations", NULL};

typedef struct solver {
    gm_cx *cx;
    const gm_objective *o;
    const gm_lbfgs_options *opt;
    const gm_kernel *k;
    int64_t n, evaluations;
    bool bent; /* there are kinks or bounds */
    double noise;
    double *x, *g, *pg, *d; /* point, gradient, pseudo-gradient, direction */
    double *xn, *gn, f, fn; /* values include the L1 part */
    double *s[PAIRS], *y[PAIRS], rho[PAIRS];
    int count, newest;
} solver;

static double norm(const solver *v, const double *a) { return sqrt(v->k->dot(v->n, a, a)); }

static gm_code evaluate(solver *v, const double *x, double *f, double *g)
{
    GM_TRY(gm_check_cancel(v->cx));
    GM_TRY(v->o->eval(v->cx, v->o->arg, x, f, g));
    v->evaluations++;
    for (int64_t j = 0; v->opt->l1 && j < v->n; j++) *f += v->opt->l1[j] * fabs(x[j]);
    return GM_OK;
}

static double low(const solver *v, int64_t j) { return v->opt->lower ? v->opt->lower[j] : -INFINITY; }
static double high(const solver *v, int64_t j) { return v->opt->upper ? v->opt->upper[j] : INFINITY; }

/* The steepest one-sided slope of coordinate j; 0 where the kink or bound holds it. */
static double slope(const solver *v, int64_t j)
{
    double x = v->x[j], g = v->g[j], c = v->opt->l1 ? v->opt->l1[j] : 0;
    if (x > 0 && c > 0) return g + c;
    if (x < 0 && c > 0) return g - c;
    if (c > 0) return g + c < 0 ? g + c : g - c > 0 ? g - c : 0;
    if ((x <= low(v, j) && g > 0) || (x >= high(v, j) && g < 0)) return 0;
    return g;
}

static void slopes(solver *v)
{
    if (!v->bent) {
        memcpy(v->pg, v->g, (size_t)v->n * sizeof *v->pg);
        return;
    }
    for (int64_t j = 0; j < v->n; j++) v->pg[j] = slope(v, j);
}

/* A trial point: bounds clamp; with L1 a coordinate stays in its orthant, the one its slope points to when at
 * 0. */
static void project(const solver *v, double *x)
{
    for (int64_t j = 0; j < v->n; j++) {
        if (v->opt->l1 && v->opt->l1[j] > 0) {
            double side = v->x[j] != 0 ? v->x[j] : -v->pg[j];
            if (!(x[j] * side > 0)) x[j] = 0;
        }
        x[j] = fmin(fmax(x[j], low(v, j)), high(v, j));
    }
}

/* d = -H pg by the two loops, over the free coordinates when some are fixed. */
static void direction(solver *v)
{
    double alpha[PAIRS] = {0}, *d = v->d;
    const gm_kernel *k = v->k;
    for (int64_t j = 0; j < v->n; j++) d[j] = -v->pg[j];
    for (int i = 0; i < v->count; i++) {
        int p = (v->newest - i + PAIRS) % PAIRS;
        alpha[p] = v->rho[p] * k->dot(v->n, v->s[p], d);
        k->axpy(v->n, -alpha[p], v->y[p], d);
    }
    if (v->count > 0) {
        const double *y = v->y[v->newest];
        double scale = 1 / (v->rho[v->newest] * k->dot(v->n, y, y));
        for (int64_t j = 0; j < v->n; j++) d[j] *= scale;
    }
    for (int i = v->count; i-- > 0;) {
        int p = (v->newest - i + PAIRS) % PAIRS;
        double beta = v->rho[p] * k->dot(v->n, v->y[p], d);
        k->axpy(v->n, alpha[p] - beta, v->s[p], d);
    }
    for (int64_t j = 0; v->bent && j < v->n; j++) {
        bool kink = v->opt->l1 && v->opt->l1[j] > 0;
        if (v->pg[j] == 0 || (kink && d[j] * v->pg[j] >= 0)) d[j] = 0;
    }
}

/* ---- line searches: on success xn, gn, fn are the new point; *found false: no step does ---- */

/* The minimum of the cubic through two points with slopes, kept inside the middle of the interval. */
static double cubic(double a, double fa, double da, double b, double fb, double db)
{
    double w = b - a, mid = a + 0.5 * w;
    double t = da + db - 3 * (fb - fa) / w, q = t * t - da * db;
    double x = q >= 0 ? b - w * (db + copysign(sqrt(q), w) - t) / (db - da + 2 * copysign(sqrt(q), w)) : mid;
    if (!isfinite(x)) return mid;
    double lo = fmin(a, b) + 0.1 * fabs(w), hi = fmax(a, b) - 0.1 * fabs(w);
    return fmin(fmax(x, lo), hi);
}

static gm_code wolfe(solver *v, double d0, double step, bool *found)
{
    const double c1 = 1e-4, c2 = 0.9, rise = v->noise * fabs(v->f);
    double lo = 0, flo = v->f, dlo = d0, hi = INFINITY, fhi = 0, dhi = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        for (int64_t j = 0; j < v->n; j++) v->xn[j] = v->x[j] + step * v->d[j];
        GM_TRY(evaluate(v, v->xn, &v->fn, v->gn));
        double dn = v->k->dot(v->n, v->gn, v->d);
        bool finite = isfinite(v->fn) && isfinite(dn);
        bool lower = finite && v->fn <= v->f + c1 * step * d0;
        bool level = finite && v->fn <= v->f + rise && dn <= (2 * c1 - 1) * d0;
        if ((lower || level) && fabs(dn) <= -c2 * d0) {
            *found = true;
            return GM_OK;
        }
        if (!(lower || level) || dn >= 0) {
            hi = step, fhi = v->fn, dhi = dn;
        } else {
            lo = step, flo = v->fn, dlo = dn;
        }
        if (isinf(hi)) step *= 4;
        else if (!isfinite(fhi) || !isfinite(dhi)) step = lo + 0.1 * (hi - lo);
        else step = cubic(lo, flo, dlo, hi, fhi, dhi);
        if (!(fabs(hi - lo) > 1e-12 * hi)) break;
    }
    *found = lo > 0; /* too steep still, but lower */
    if (!*found) return GM_OK;
    for (int64_t j = 0; j < v->n; j++) v->xn[j] = v->x[j] + lo * v->d[j];
    return evaluate(v, v->xn, &v->fn, v->gn);
}

/* Armijo along the projected path. */
static gm_code backtrack(solver *v, double step, bool *found)
{
    const double c1 = 1e-4;
    for (int trial = 0; trial < TRIALS; trial++) {
        for (int64_t j = 0; j < v->n; j++) v->xn[j] = v->x[j] + step * v->d[j];
        project(v, v->xn);
        double predicted = 0, moved = 0;
        for (int64_t j = 0; j < v->n; j++) {
            predicted += v->pg[j] * (v->xn[j] - v->x[j]);
            moved = fmax(moved, fabs(v->xn[j] - v->x[j]));
        }
        if (moved == 0) break;
        GM_TRY(evaluate(v, v->xn, &v->fn, v->gn));
        if (isfinite(v->fn) && predicted < 0 && v->fn <= v->f + c1 * predicted + v->noise * fabs(v->f)) {
            *found = true;
            return GM_OK;
        }
        double parabola =
            -0.5 * predicted / (v->fn - v->f - predicted); /* where it through both ends is least */
        step *= isfinite(parabola) ? fmin(fmax(parabola, 0.1), 0.5) : 0.1;
    }
    *found = false;
    return GM_OK;
}

static void remember(solver *v)
{
    int p = (v->newest + 1) % PAIRS;
    double *s = v->s[p], *y = v->y[p];
    for (int64_t j = 0; j < v->n; j++) {
        s[j] = v->xn[j] - v->x[j];
        y[j] = v->gn[j] - v->g[j];
    }
    double sy = v->k->dot(v->n, s, y);
    if (!(sy > 1e-14 * norm(v, s) * norm(v, y))) return; /* no curvature to learn */
    v->rho[p] = 1 / sy;
    v->newest = p;
    if (v->count < PAIRS) v->count++;
}

/* One step down from x. *moved false: not even along the steepest slope. */
static gm_code step_down(solver *v, bool *moved)
{
    *moved = false;
    for (int attempt = 0; attempt < 2 && !*moved; attempt++) {
        if (attempt == 1) {
            if (v->count == 0) break;
            v->count = 0;
        }
        direction(v);
        double d0 = v->k->dot(v->n, v->pg, v->d);
        if (!(d0 < 0)) continue;
        double step = v->count > 0 ? 1 : fmin(1, 1 / norm(v, v->pg));
        GM_TRY(v->bent ? backtrack(v, step, moved) : wolfe(v, d0, step, moved));
    }
    return GM_OK;
}

static gm_code make(solver *v, gm_arena *a)
{
    double **all[] = {&v->g, &v->pg, &v->d, &v->xn, &v->gn};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) GM_NEW_IN(v->cx, a, *all[i], v->n + 1);
    for (int p = 0; p < PAIRS; p++) {
        GM_NEW_IN(v->cx, a, v->s[p], v->n + 1);
        GM_NEW_IN(v->cx, a, v->y[p], v->n + 1);
    }
    return GM_OK;
}

/* Whether the newest value, history[i], says stop. */
static bool ended(const solver *v, const double *history, int64_t i, gm_end *end)
{
    double most = history[i];
    for (int64_t j = i > WINDOW - 1 ? i - (WINDOW - 1) : 0; j < i; j++) most = fmax(most, history[j]);
    *end = GM_END_GRADIENT;
    if (norm(v, v->pg) <= v->opt->tol * fabs(history[i])) return true;
    *end = GM_END_VALUE;
    return i > 0 && fabs(history[i] - most) <= v->opt->tol * fabs(history[0]);
}

gm_code gm_lbfgs(gm_cx *cx, gm_arena *a, const gm_objective *o, const gm_lbfgs_options *opt, int64_t n,
                 double *x, gm_lbfgs_result *out)
{
    gm_arena work = {0};
    solver v = {.cx = cx, .o = o, .opt = opt, .k = gm_kernel_best(), .n = n, .x = x};
    v.bent = opt->l1 || opt->lower || opt->upper;
    v.noise = opt->noise > 0 ? opt->noise : 1e-13;
    v.newest = PAIRS - 1;
    *out = (gm_lbfgs_result){.end = GM_END_ITERATIONS};
    int64_t room = 64;
    GM_NEW_IN(cx, a, out->history, room);
    gm_code code = make(&v, &work);
    if (code == GM_OK && v.bent) project(&v, x);
    if (code == GM_OK) code = evaluate(&v, x, &v.f, v.g);
    if (code == GM_OK && !isfinite(v.f))
        code = gm_fail(cx, GM_EDATA,
                       "the objective is %g at the start: the data hold values that are too large", v.f);
    if (code == GM_OK) {
        out->history[0] = v.f;
        slopes(&v);
    }
    while (code == GM_OK && !ended(&v, out->history, out->iterations, &out->end)) {
        bool moved;
        out->end = GM_END_ITERATIONS;
        if (out->iterations >= opt->max_iter) break;
        out->end = GM_END_ROUNDING;
        if ((code = step_down(&v, &moved)) != GM_OK || !moved) break;
        remember(&v);
        memcpy(x, v.xn, (size_t)n * sizeof *x);
        memcpy(v.g, v.gn, (size_t)n * sizeof *x);
        v.f = v.fn;
        slopes(&v);
        if (out->iterations + 1 == room) {
            double *more = gm_regrow(cx, a, out->history, room, 2 * room, sizeof *more);
            if (more == NULL) {
                code = gm_cx_code(cx);
                break;
            }
            out->history = more;
            room *= 2;
        }
        out->history[++out->iterations] = v.f;
        if (opt->each) code = opt->each(cx, opt->each_arg, out->iterations, v.f);
    }
    out->evaluations = v.evaluations;
    gm_arena_end(&work);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moments.c - count, mean, squared deviations, smallest and largest, by tiles that are joined (Chan, Golub &
 * LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979).
 */
#include "feature/moments.h"
#include "feature/columns.h"
#include <float.h>
#include <math.h>

/* Eight sums at once, so that additions need not wait for each other; joined in a fixed order. */
enum { PAIRS = 4, LANES = 2 * PAIRS };
typedef double pair __attribute__((vector_size(16)));
typedef int64_t mask __attribute__((vector_size(16)));

static double joined(const pair *s)
{
    const pair v = (s[0] + s[1]) + (s[2] + s[3]);
    return v[0] + v[1];
}

/* Rows i .. of x as far as they go, then NaN: the rest of the last block is missing. */
static const double *block(const double *x, int64_t i, int64_t n, double pad[LANES])
{
    if (n - i >= LANES) return x + i;
    for (int64_t l = 0; l < LANES; l++) pad[l] = i + l < n ? x[i + l] : (double)NAN;
    return pad;
}

/* What a first look at a tile finds; sum is of x - shift over the values that are there. */
typedef struct look {
    int64_t there;
    double sum, lo, hi;
} look;

static look look_at(const double *x, int64_t n, double shift)
{
    pair sum[PAIRS] = {0}, lo[PAIRS], hi[PAIRS], first = {shift, shift};
    mask there[PAIRS] = {0};
    double pad[LANES];
    for (int k = 0; k < PAIRS; k++) lo[k] = hi[k] = first;
    for (int64_t i = 0; i < n; i += LANES) {
        const double *p = block(x, i, n, pad);
        for (int k = 0; k < PAIRS; k++) {
            pair v;
            memcpy(&v, p + 2 * k, sizeof v);
            mask ok = v == v; /* NOLINT(misc-redundant-expression): false for NaN */
            mask low = v < lo[k];
            mask high = v > hi[k];
            sum[k] += (pair)((mask)(v - first) & ok);
            there[k] -= ok; /* true is -1 */
            lo[k] = (pair)(((mask)v & low) | ((mask)lo[k] & ~low));
            hi[k] = (pair)(((mask)v & high) | ((mask)hi[k] & ~high));
        }
    }
    look r = {0, joined(sum), shift, shift};
    for (int l = 0; l < LANES; l++) {
        r.there += there[l / 2][l % 2];
        r.lo = lo[l / 2][l % 2] < r.lo ? lo[l / 2][l % 2] : r.lo;
        r.hi = hi[l / 2][l % 2] > r.hi ? hi[l / 2][l % 2] : r.hi;
    }
    return r;
}

/* sum of (x - mean)^2; *rest is the sum of x - mean, which rounding leaves */
static double squares_around(const double *x, int64_t n, double mean, double *rest)
{
    pair squares[PAIRS] = {0}, sum[PAIRS] = {0}, centre = {mean, mean};
    double pad[LANES];
    for (int64_t i = 0; i < n; i += LANES) {
        const double *p = block(x, i, n, pad);
        for (int k = 0; k < PAIRS; k++) {
            pair v;
            memcpy(&v, p + 2 * k, sizeof v);
            mask ok = v == v; /* NOLINT(misc-redundant-expression): false for NaN */
            pair d = (pair)((mask)(v - centre) & ok);
            squares[k] += d * d;
            sum[k] += d;
        }
    }
    *rest = joined(sum);
    return joined(squares);
}

void gm_moments_add(gm_moments *m, const double *x, int64_t n)
{
    int64_t first = 0;
    while (first < n && x[first] != x[first]) first++;
    gm_moments t = {.missing = n};
    if (first < n) {
        look r = look_at(x, n, x[first]);
        double rest, there = (double)r.there;
        t = (gm_moments){.n = r.there, .missing = n - r.there, .lo = r.lo, .hi = r.hi};
        t.mean = x[first] + r.sum / there;
        t.m2 = squares_around(x, n, t.mean, &rest);
        t.m2 = r.lo == r.hi ? 0 : t.m2 - rest * rest / there;
    }
    gm_moments_merge(m, &t);
}

void gm_moments_merge(gm_moments *into, const gm_moments *from)
{
    into->missing += from->missing;
    if (from->n == 0) return;
    if (into->n == 0) {
        int64_t missing = into->missing;
        *into = *from;
        into->missing = missing;
        return;
    }
    double a = (double)into->n, b = (double)from->n, n = a + b, d = from->mean - into->mean;
    into->mean += d * (b / n);
    into->m2 += from->m2 + d * d * (a * (b / n));
    into->n += from->n;
    into->lo = from->lo < into->lo ? from->lo : into->lo;
    into->hi = from->hi > into->hi ? from->hi : into->hi;
}

double gm_moments_variance(const gm_moments *m)
{
    return m->n > 1 && m->m2 > 0 ? m->m2 / (double)(m->n - 1) : 0;
}

bool gm_moments_constant(const gm_moments *m)
{
    if (m->n < 2) return true;
    double size = fmax(fabs(m->lo), fabs(m->hi));
    return m->hi - m->lo <= 16 * DBL_EPSILON * size;
}

static void add_one(gm_moments *m, double v)
{
    if (v != v) {
        m->missing++;
        return;
    }
    gm_moments_merge(m, &(gm_moments){.n = 1, .mean = v, .lo = v, .hi = v});
}

/* All values of a level are one value: the count says it all. */
static void add_coded(gm_moments *of, const gm_part *p, int64_t rows)
{
    uint32_t width = p->width < UINT32_MAX ? (uint32_t)p->width : UINT32_MAX;
    for (int64_t i = 0; i < rows; i++) {
        uint32_t c = p->code[i];
        if (c >= width) continue;
        gm_moments *m = &of[c];
        m->n++;
        m->mean = m->lo = m->hi = p->level ? p->level[c] : 1;
    }
}

gm_code gm_spread_add(gm_cx *cx, gm_arena *a, gm_spread *s, int64_t rows, const gm_column *c)
{
    if (s->of == NULL) {
        s->width = c->width;
        GM_NEW_IN(cx, a, s->of, c->width);
        GM_NEW_IN(cx, a, s->implicit, c->width);
    }
    if (c->width != s->width)
        return gm_fail(cx, GM_EINTERNAL, "vectors of width %lld and %lld in one column", (long long)s->width,
                       (long long)c->width);
    s->rows += rows;
    gm_moments *of = s->of;
    for (int k = 0; k < c->n_parts; k++) {
        const gm_part *p = &c->part[k];
        if (p->form != GM_DENSE) memset(s->implicit + (of - s->of), true, (size_t)p->width);
        switch (p->form) {
        case GM_DENSE:
            for (int64_t j = 0; j < p->width; j++) gm_moments_add(&of[j], p->x + j * p->stride, rows);
            break;
        case GM_CODED: add_coded(of, p, rows); break;
        case GM_SPARSE:
            for (int64_t e = p->off[0]; e < p->off[rows]; e++)
                add_one(&of[p->idx[e]], p->val ? p->val[e] : 1);
            break;
        }
        of += p->width;
    }
    return GM_OK;
}

gm_code gm_spread_merge(gm_cx *cx, gm_spread *into, gm_spread *from)
{
    if (from->of == NULL) return GM_OK;
    if (into->of == NULL) {
        *into = *from;
        return GM_OK;
    }
    if (into->width != from->width)
        return gm_fail(cx, GM_EINTERNAL, "vectors of width %lld and %lld in one column",
                       (long long)into->width, (long long)from->width);
    into->rows += from->rows;
    for (int64_t j = 0; j < into->width; j++) {
        gm_moments_merge(&into->of[j], &from->of[j]);
        into->implicit[j] |= from->implicit[j];
    }
    return GM_OK;
}

gm_code gm_spread_close(gm_cx *cx, gm_arena *a, const gm_node *node, gm_spread *s)
{
    const char *column = gm_in_name(node, 0);
    if (s->rows == 0)
        return gm_fail(cx, GM_EDATA, "%s: column '%s' has no rows to fit on", node->stage->name, column);
    for (int64_t j = 0; j < s->width; j++) {
        gm_moments *m = &s->of[j];
        int64_t zeros = s->rows - m->n - m->missing;
        if (zeros > 0) gm_moments_merge(m, &(gm_moments){.n = zeros});
        if (m->n > 0 && (isinf(m->lo) || isinf(m->hi))) {
            const char *name = gm_element_name(cx, a, node->in_attr ? &node->in_attr[0] : NULL, column, j);
            return gm_hint_add(cx,
                               gm_fail(cx, GM_EDATA,
                                       "%s: '%s' of column '%s' holds infinity: it has no mean and no range",
                                       node->stage->name, name ? name : "", column),
                               "make infinite values missing, or cut them, in the SQL before");
        }
    }
    return GM_OK;
}

gm_code gm_spread_begin(gm_cx *cx, gm_arena *a, const gm_node *node, void **acc)
{
    return gm_begin_each(cx, a, node, sizeof(gm_spread), acc);
}

gm_code gm_spread_update(gm_cx *cx, gm_arena *a, const gm_node *node, void *acc, int64_t rows,
                         const gm_column *in)
{
    (void)node;
    return gm_spread_add(cx, a, acc, rows, &in[0]);
}

gm_code gm_spread_join(gm_cx *cx, gm_arena *a, const gm_node *node, void *into, void *from)
{
    (void)a, (void)node;
    return gm_spread_merge(cx, into, from);
}

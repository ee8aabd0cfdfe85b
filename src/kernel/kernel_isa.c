/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_isa.c - the table of one instruction set: products of a block with vectors, and column moments.
 *
 * Dense columns are worked on a few at a time while a run of rows stays in the first-level cache. Coded
 * columns are look-ups and scatters: small ones scatter into four copies of their table in turn, because
 * adding to one place twice in a row waits for the store before it.
 */
#include "kernel/isa.h"

enum {
    RUN = 2048,  /* rows at a time: a margin and a residual of 16 KB each */
    COPIES = 4,  /* of a small gradient table */
    SMALL = 512, /* columns of a coded part whose tables are copied */
    TOGETHER = VL == 8   ? 8
               : VL == 4 ? 2
                         : 1 /* dense columns whose sums fit into registers */
};

/* ---- out += (x - shift) w ---- */
static void dense_xw(const gm_part *p, int64_t from, int64_t n, const double *shift, const double *w,
                     double *restrict out)
{
    int64_t j = 0;
    for (; j + 4 <= p->width; j += 4) {
        const double *a = p->x + j * p->stride + from, *b = a + p->stride, *c = b + p->stride,
                     *d = c + p->stride;
        double wa = w[j], wb = w[j + 1], wc = w[j + 2], wd = w[j + 3], sa = 0, sb = 0, sc = 0, sd = 0;
        if (shift) sa = shift[j], sb = shift[j + 1], sc = shift[j + 2], sd = shift[j + 3];
        for (int64_t i = 0; i < n; i++)
            out[i] = (((out[i] + (a[i] - sa) * wa) + (b[i] - sb) * wb) + (c[i] - sc) * wc) + (d[i] - sd) * wd;
    }
    for (; j < p->width; j++) {
        const double *a = p->x + j * p->stride + from;
        double wa = w[j], sa = shift ? shift[j] : 0;
        for (int64_t i = 0; i < n; i++) out[i] += (a[i] - sa) * wa;
    }
}

/* Whether every row has a column, none is all zero. */
static int all_inside(const uint32_t *code, int64_t n, int64_t width)
{
    uint32_t most = 0;
    for (int64_t i = 0; i < n; i++) most = code[i] > most ? code[i] : most;
    return most < width;
}

/* Codes past the last column become its number plus one: the place after a table's end. */
static void clamp(const uint32_t *code, int64_t n, uint32_t width, uint32_t *restrict index)
{
    for (int64_t i = 0; i < n; i++) index[i] = code[i] < width ? code[i] : width;
}

/* A coded part made ready for look-ups without a test: index < the length of table. */
typedef struct lookup {
    const uint32_t *index;
    const double *table;
} lookup;

static void add_lookups(const lookup *l, int count, int64_t n, double *restrict out)
{
    const uint32_t *a = l[0].index, *b = l[1].index, *c = l[2].index, *d = l[3].index;
    const double *ta = l[0].table, *tb = l[1].table, *tc = l[2].table, *td = l[3].table;
    if (count == 4)
        for (int64_t i = 0; i < n; i++) out[i] = (((out[i] + ta[a[i]]) + tb[b[i]]) + tc[c[i]]) + td[d[i]];
    else if (count == 3)
        for (int64_t i = 0; i < n; i++) out[i] = ((out[i] + ta[a[i]]) + tb[b[i]]) + tc[c[i]];
    else if (count == 2)
        for (int64_t i = 0; i < n; i++) out[i] = (out[i] + ta[a[i]]) + tb[b[i]];
    else if (count == 1)
        for (int64_t i = 0; i < n; i++) out[i] += ta[a[i]];
}

/* A coded part with values, or a wide one with rows that are all zero. */
static void coded_xw(const gm_part *p, const uint32_t *code, int64_t n, const double *w, double *restrict out)
{
    for (int64_t i = 0; i < n; i++) {
        int in = code[i] < p->width;
        double v = p->level ? w[in ? code[i] : 0] * p->level[in ? code[i] : 0] : w[in ? code[i] : 0];
        out[i] += in ? v : 0.0;
    }
}

/* Neighbouring coded parts together, so that a margin is loaded and stored once for four look-ups. Returns
 * how many parts were done. */
static int coded_run_xw(const gm_part *p, int n_parts, int64_t from, int64_t n, const double *w,
                        double *restrict out)
{
    uint32_t index[4][RUN];
    double table[4][SMALL + 1];
    lookup l[4] = {0};
    int ready = 0, done = 0;
    for (; done < n_parts && ready < 4 && p[done].form == GM_CODED; w += p[done++].width) {
        const uint32_t *code = p[done].code + from;
        int64_t width = p[done].width;
        if (width == 0) continue;
        if (p[done].level == NULL && all_inside(code, n, width)) {
            l[ready++] = (lookup){code, w};
        } else if (p[done].level == NULL && width <= SMALL) {
            clamp(code, n, (uint32_t)width, index[ready]);
            memcpy(table[ready], w, (size_t)width * sizeof *w);
            table[ready][width] = 0;
            l[ready] = (lookup){index[ready], table[ready]};
            ready++;
        } else { /* in its turn: the order of additions is that of the columns */
            add_lookups(l, ready, n, out);
            coded_xw(&p[done], code, n, w, out);
            ready = 0;
        }
    }
    add_lookups(l, ready, n, out);
    return done;
}

static void sparse_xw(const gm_part *p, int64_t from, int64_t n, const double *w, double *restrict out)
{
    const int64_t *off = p->off + from;
    for (int64_t i = 0; i < n; i++) {
        double s = out[i];
        if (p->val)
            for (int64_t e = off[i]; e < off[i + 1]; e++) s += p->val[e] * w[p->idx[e]];
        else
            for (int64_t e = off[i]; e < off[i + 1]; e++) s += w[p->idx[e]];
        out[i] = s;
    }
}

static void xw(const gm_block *b, const double *shift, const double *w, double *out)
{
    for (int64_t from = 0; from < b->rows; from += RUN) {
        int64_t n = b->rows - from < RUN ? b->rows - from : RUN, base = 0;
        for (int k = 0, done; k < b->n_parts; k += done) {
            const gm_part *p = &b->part[k];
            done = 1;
            if (p->form == GM_DENSE) dense_xw(p, from, n, shift ? shift + base : NULL, w + base, out + from);
            else if (p->form == GM_CODED)
                done = coded_run_xw(p, b->n_parts - k, from, n, w + base, out + from);
            else sparse_xw(p, from, n, w + base, out + from);
            for (int i = 0; i < done; i++) base += p[i].width;
        }
    }
}

/* ---- g += (x - shift)' r ---- */

/* Sums of cols (a constant at each call) dense columns from x on, over n rows. */
static inline __attribute__((always_inline)) void dense_sums(int cols, const double *x, int64_t stride,
                                                             int64_t n, const double *shift, const double *r,
                                                             double *g)
{
    gm_lanes acc[TOGETHER] = {0};
    gm_v c[TOGETHER];
    for (int j = 0; j < cols; j++) c[j] = gm_splat(shift ? shift[j] : 0);
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < NV; k++) {
            gm_v ri = gm_load(r + i + k * VL);
            for (int j = 0; j < cols; j++) acc[j].v[k] += (gm_load(x + j * stride + i + k * VL) - c[j]) * ri;
        }
    double room[LANES], r_room[LANES];
    gm_tail(r + i, n - i, 0, r_room);
    for (int j = 0; j < cols; j++) {
        gm_tail(x + j * stride + i, n - i, 0, room);
        for (int k = 0; k < NV && i < n; k++)
            acc[j].v[k] += (gm_load(room + k * VL) - c[j]) * gm_load(r_room + k * VL);
        g[j] += gm_lanes_sum(&acc[j]);
    }
}

static void dense_xtr(const gm_part *p, int64_t from, int64_t n, const double *shift, const double *r,
                      double *g)
{
    int64_t j = 0;
    for (; j + TOGETHER <= p->width; j += TOGETHER)
        dense_sums(TOGETHER, p->x + j * p->stride + from, p->stride, n, shift ? shift + j : NULL, r, g + j);
    for (; j < p->width; j++)
        dense_sums(1, p->x + j * p->stride + from, p->stride, n, shift ? shift + j : NULL, r, g + j);
}

/* g[c] += the sum of r[i] over the rows whose code is c. */
static void scatter(const uint32_t *code, int64_t n, int64_t width, const double *r, double *restrict g)
{
    uint32_t clamped[RUN];
    int inside = all_inside(code, n, width);
    if (width == 0) return;
    if (width > SMALL) {
        if (inside)
            for (int64_t i = 0; i < n; i++) g[code[i]] += r[i];
        else
            for (int64_t i = 0; i < n; i++) g[code[i] < width ? code[i] : 0] += code[i] < width ? r[i] : 0.0;
        return;
    }
    if (!inside) {
        clamp(code, n, (uint32_t)width, clamped);
        code = clamped;
    }
    double t[COPIES][SMALL + 1]; /* the last place takes the rows that are all zero */
    for (int k = 0; k < COPIES; k++) memset(t[k], 0, (size_t)(width + 1) * sizeof t[k][0]);
    int64_t i = 0;
    for (; i + COPIES <= n; i += COPIES)
        for (int k = 0; k < COPIES; k++) t[k][code[i + k]] += r[i + k];
    for (; i < n; i++) t[0][code[i]] += r[i];
    for (int64_t j = 0; j < width; j++) g[j] += (t[0][j] + t[1][j]) + (t[2][j] + t[3][j]);
}

static void coded_xtr(const gm_part *p, int64_t from, int64_t n, const double *r, double *g)
{
    const uint32_t *code = p->code + from;
    if (p->level == NULL) {
        scatter(code, n, p->width, r, g);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        if (code[i] < p->width) g[code[i]] += p->level[code[i]] * r[i];
}

static void sparse_xtr(const gm_part *p, int64_t from, int64_t n, const double *r, double *g)
{
    const int64_t *off = p->off + from;
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = off[i]; e < off[i + 1]; e++) g[p->idx[e]] += (p->val ? p->val[e] : 1.0) * r[i];
}

static void xtr(const gm_block *b, const double *shift, const double *r, double *g)
{
    for (int64_t from = 0; from < b->rows; from += RUN) {
        int64_t n = b->rows - from < RUN ? b->rows - from : RUN, base = 0;
        for (int k = 0; k < b->n_parts; base += b->part[k++].width) {
            const gm_part *p = &b->part[k];
            if (p->form == GM_DENSE) dense_xtr(p, from, n, shift ? shift + base : NULL, r + from, g + base);
            else if (p->form == GM_CODED) coded_xtr(p, from, n, r + from, g + base);
            else sparse_xtr(p, from, n, r + from, g + base);
        }
    }
}

/* ---- moments ---- */
static inline void moment_step(gm_lanes *a, gm_lanes *b, const double *x, gm_v c, const double *w)
{
    for (int k = 0; k < NV; k++) {
        gm_v d = gm_load(x + k * VL) - c, wd = d;
        if (w) wd *= gm_load(w + k * VL);
        a->v[k] += wd;
        b->v[k] += wd * d;
    }
}

static void dense_moments(const double *x, int64_t n, double shift, const double *w, double *s1, double *s2)
{
    gm_lanes a = {0}, b = {0};
    gm_v c = gm_splat(shift);
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) moment_step(&a, &b, x + i, c, w ? w + i : NULL);
    if (i < n) {
        double room[LANES], w_room[LANES];
        moment_step(&a, &b, gm_tail(x + i, n - i, shift, room), c,
                    w ? gm_tail(w + i, n - i, 0, w_room) : NULL);
    }
    *s1 += gm_lanes_sum(&a);
    *s2 += gm_lanes_sum(&b);
}

static void moments(const gm_block *b, const double *shift, double *s1, double *s2)
{
    int64_t base = 0;
    for (int k = 0; k < b->n_parts; base += b->part[k++].width) {
        const gm_part *p = &b->part[k];
        for (int64_t j = 0; p->form == GM_DENSE && j < p->width; j++)
            dense_moments(p->x + j * p->stride, b->rows, shift ? shift[base + j] : 0, b->w, s1 + base + j,
                          s2 + base + j);
        for (int64_t i = 0; p->form == GM_CODED && i < b->rows; i++) {
            if (p->code[i] >= p->width) continue;
            double x = p->level ? p->level[p->code[i]] : 1, wx = b->w ? b->w[i] * x : x;
            s1[base + p->code[i]] += wx;
            s2[base + p->code[i]] += wx * x;
        }
        for (int64_t i = 0; p->form == GM_SPARSE && i < b->rows; i++)
            for (int64_t e = p->off[i]; e < p->off[i + 1]; e++) {
                double x = p->val ? p->val[e] : 1, wx = b->w ? b->w[i] * x : x;
                s1[base + p->idx[e]] += wx;
                s2[base + p->idx[e]] += wx * x;
            }
    }
}

/* ---- vectors ---- */
static double dot(int64_t n, const double *a, const double *b)
{
    gm_lanes acc = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < NV; k++) acc.v[k] += gm_load(a + i + k * VL) * gm_load(b + i + k * VL);
    if (i < n) {
        double a_room[LANES], b_room[LANES];
        gm_tail(a + i, n - i, 0, a_room), gm_tail(b + i, n - i, 0, b_room);
        for (int k = 0; k < NV; k++) acc.v[k] += gm_load(a_room + k * VL) * gm_load(b_room + k * VL);
    }
    return gm_lanes_sum(&acc);
}

static void axpy(int64_t n, double a, const double *x, double *y)
{
    for (int64_t i = 0; i < n; i++) y[i] += a * x[i];
}

#define GM_ISA_TEXT2(x) #x
#define GM_ISA_TEXT(x) GM_ISA_TEXT2(x)
const gm_kernel GM_ISA_NAME(gm_kernel) = {
    .name = GM_ISA_TEXT(GM_ISA),
    .xw = xw,
    .xtr = xtr,
    .moments = moments,
    .gram = GM_ISA_NAME(gm_gram),
    .dot = dot,
    .axpy = axpy,
    .logistic = GM_ISA_NAME(gm_logistic),
    .sigmoid = GM_ISA_NAME(gm_sigmoid),
    .softmax = GM_ISA_NAME(gm_softmax),
};

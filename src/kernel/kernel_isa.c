/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_isa.c - the table of one instruction set: products of a block with vectors, and column moments.
 *
 * Dense columns are worked on a few at a time while a run of rows stays in the first-level cache. Coded
 * columns are look-ups and scatters, of up to six columns row by row: adding to one place twice in a row
 * waits for the store before it, and meanwhile the other columns go on. One alone scatters into four copies
 * in turn.
 */
#include "kernel/isa.h"

enum {
    RUN = 2048,  /* rows at a time: a margin and a residual of 16 KB each */
    CODED = 6,   /* coded parts together */
    COPIES = 4,  /* of the small gradient table of one alone */
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

/* Codes past the last column become its number plus one: the place after a table's end. */
static void clamp(const uint32_t *code, int64_t n, uint32_t width, uint32_t *restrict index)
{
    for (int64_t i = 0; i < n; i++) index[i] = code[i] < width ? code[i] : width;
}

/* A coded part made ready for look-ups without a test: every index has a place in table. */
typedef struct lookup {
    const uint32_t *index;
    const double *table;
} lookup;

/* The barrier keeps compilers from gathering vectors of look-ups, which is slower than one at a time. */
static inline uint64_t index_at(const uint32_t *index)
{
    uint64_t at = *index;
    __asm__("" : "+r"(at));
    return at;
}

/* count (a constant at each call) look-ups a row: a margin is loaded and stored once for all. */
static inline __attribute__((always_inline)) void look_up(const lookup *l, int count, int64_t n,
                                                          double *restrict out)
{
    for (int64_t i = 0; i < n; i++) {
        double s = out[i];
        for (int k = 0; k < count; k++) s += l[k].table[index_at(l[k].index + i)];
        out[i] = s;
    }
}
static void look_up_all(const lookup *l, int count, int64_t n, double *out)
{
    switch (count) {
    case 1: look_up(l, 1, n, out); break;
    case 2: look_up(l, 2, n, out); break;
    case 3: look_up(l, 3, n, out); break;
    case 4: look_up(l, 4, n, out); break;
    case 5: look_up(l, 5, n, out); break;
    case 6: look_up(l, 6, n, out); break;
    default: break;
    }
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

/* A small part with rows that are all zero gets a copy of its table with one more place, for them. */
typedef struct copies {
    uint32_t index[CODED][RUN];
    double table[CODED][SMALL + 3]; /* rows of a page's length would hinder one another */
} copies;

/* Coded parts without values from p on, while there are any and they fit; returns how many parts were done,
 * *base moves on by their columns. */
static int coded_run_xw(const gm_part *p, int n_parts, int64_t from, int64_t n, const double *w,
                        double *restrict out)
{
    copies c;
    lookup l[CODED];
    int ready = 0, done = 0;
    for (; done < n_parts && done < CODED && gm_part_one_hot(&p[done]); w += p[done++].width) {
        const uint32_t *code = p[done].code + from;
        int64_t width = p[done].width;
        if (p[done].inside || gm_codes_inside(code, n, width)) {
            l[ready++] = (lookup){code, w};
        } else if (width <= SMALL) {
            clamp(code, n, (uint32_t)width, c.index[ready]);
            memcpy(c.table[ready], w, (size_t)width * sizeof *w);
            c.table[ready][width] = 0;
            l[ready] = (lookup){c.index[ready], c.table[ready]};
            ready++;
        } else { /* in its turn: the order of additions is that of the columns */
            look_up_all(l, ready, n, out);
            coded_xw(&p[done], code, n, w, out);
            ready = 0;
        }
    }
    look_up_all(l, ready, n, out);
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
            else if (gm_part_one_hot(p))
                done = coded_run_xw(p, b->n_parts - k, from, n, w + base, out + from);
            else if (p->form == GM_CODED) coded_xw(p, p->code + from, n, w + base, out + from);
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

/* Where a coded part's residuals go: every index has a place in sum. */
typedef struct scatter {
    const uint32_t *index;
    double *sum;
} scatter;

static inline __attribute__((always_inline)) void drop(const scatter *s, int count, int64_t n,
                                                       const double *r)
{
    for (int64_t i = 0; i < n; i++) {
        double ri = r[i];
        for (int k = 0; k < count; k++) s[k].sum[index_at(s[k].index + i)] += ri;
    }
}

/* One part alone. */
static void drop_one(const scatter *s, int64_t width, int64_t n, const double *r)
{
    double t[COPIES][SMALL + 3];
    if (width > SMALL) {
        drop(s, 1, n, r);
        return;
    }
    for (int k = 0; k < COPIES; k++) memset(t[k], 0, (size_t)width * sizeof t[k][0]);
    int64_t i = 0;
    for (; i + COPIES <= n; i += COPIES)
        for (int k = 0; k < COPIES; k++) t[k][index_at(s->index + i + k)] += r[i + k];
    for (; i < n; i++) t[0][s->index[i]] += r[i];
    for (int64_t j = 0; j < width; j++) s->sum[j] += (t[0][j] + t[1][j]) + (t[2][j] + t[3][j]);
}

static void drop_all(const scatter *s, int count, int64_t width, int64_t n, const double *r)
{
    switch (count) {
    case 1: drop_one(s, width, n, r); break;
    case 2: drop(s, 2, n, r); break;
    case 3: drop(s, 3, n, r); break;
    case 4: drop(s, 4, n, r); break;
    case 5: drop(s, 5, n, r); break;
    case 6: drop(s, 6, n, r); break;
    default: break;
    }
}

/* A coded part with values, or a wide one with rows that are all zero. */
static void coded_xtr(const gm_part *p, const uint32_t *code, int64_t n, const double *r, double *g)
{
    for (int64_t i = 0; i < n; i++)
        if (code[i] < p->width) g[code[i]] += p->level ? p->level[code[i]] * r[i] : r[i];
}

/* The counterpart of coded_run_xw. */
static int coded_run_xtr(const gm_part *p, int n_parts, int64_t from, int64_t n, const double *r, double *g)
{
    copies c;
    scatter s[CODED];
    double *home[CODED]; /* where a copied table belongs; NULL: not copied */
    int64_t width[CODED];
    int ready = 0, done = 0;
    for (; done < n_parts && done < CODED && gm_part_one_hot(&p[done]); g += p[done++].width) {
        const uint32_t *code = p[done].code + from;
        int64_t w = p[done].width;
        bool inside = p[done].inside || gm_codes_inside(code, n, w);
        if (!inside && w > SMALL) {
            coded_xtr(&p[done], code, n, r, g);
            continue;
        }
        home[ready] = inside ? NULL : g;
        width[ready] = inside ? w : w + 1;
        s[ready] = (scatter){code, g};
        if (!inside) {
            clamp(code, n, (uint32_t)w, c.index[ready]);
            memset(c.table[ready], 0, (size_t)(w + 1) * sizeof *g);
            s[ready] = (scatter){c.index[ready], c.table[ready]};
        }
        ready++;
    }
    drop_all(s, ready, ready == 1 ? width[0] : 0, n, r);
    for (int k = 0; k < ready; k++)
        for (int64_t j = 0; home[k] && j + 1 < width[k]; j++) home[k][j] += s[k].sum[j];
    return done;
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
        for (int k = 0, done; k < b->n_parts; k += done) {
            const gm_part *p = &b->part[k];
            done = 1;
            if (p->form == GM_DENSE) dense_xtr(p, from, n, shift ? shift + base : NULL, r + from, g + base);
            else if (gm_part_one_hot(p)) done = coded_run_xtr(p, b->n_parts - k, from, n, r + from, g + base);
            else if (p->form == GM_CODED) coded_xtr(p, p->code + from, n, r + from, g + base);
            else sparse_xtr(p, from, n, r + from, g + base);
            for (int i = 0; i < done; i++) base += p[i].width;
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

/* Coded parts without values get the weights. */
static int coded_run_moments(const gm_part *p, int n_parts, const gm_block *b, double *s1)
{
    double ones[RUN];
    int done = 1; /* how many parts one call does does not depend on the rows */
    for (int64_t i = 0; i < RUN && b->w == NULL; i++) ones[i] = 1;
    for (int64_t from = 0; from < b->rows; from += RUN) {
        int64_t n = b->rows - from < RUN ? b->rows - from : RUN;
        done = coded_run_xtr(p, n_parts, from, n, b->w ? b->w + from : ones, s1);
    }
    return done;
}

static void moments(const gm_block *b, const double *shift, double *s1, double *s2)
{
    int64_t base = 0;
    for (int k = 0, done; k < b->n_parts; k += done) {
        const gm_part *p = &b->part[k];
        done = 1;
        for (int64_t j = 0; p->form == GM_DENSE && j < p->width; j++)
            dense_moments(p->x + j * p->stride, b->rows, shift ? shift[base + j] : 0, b->w, s1 + base + j,
                          s2 + base + j);
        if (gm_part_one_hot(p)) done = coded_run_moments(p, b->n_parts - k, b, s1 + base);
        for (int64_t i = 0; p->form == GM_CODED && p->level && i < b->rows; i++) {
            if (p->code[i] >= p->width) continue;
            double x = p->level[p->code[i]], wx = b->w ? b->w[i] * x : x;
            s1[base + p->code[i]] += wx;
            s2[base + p->code[i]] += wx * x;
        }
        for (int64_t i = 0; p->form == GM_SPARSE && i < b->rows; i++)
            for (int64_t e = p->off[i]; e < p->off[i + 1]; e++) {
                double x = p->val ? p->val[e] : 1, wx = b->w ? b->w[i] * x : x;
                s1[base + p->idx[e]] += wx;
                s2[base + p->idx[e]] += wx * x;
            }
        for (int i = 0; i < done; i++) base += p[i].width;
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
    .marks = GM_ISA_NAME(gm_marks),
};

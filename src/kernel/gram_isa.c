/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gram_isa.c - rows of the Gram matrix X'WX, on and right of its diagonal, part by part: dense with dense in
 * tiles of columns over runs of rows, the rest entry by entry.
 */
#include "kernel/isa.h"

enum { RUN = 512, SIDE = 4 };

/* Runs over row i's entries of a part that is not dense. */
typedef struct entries {
    int64_t n;
    const uint32_t *idx;
    const double *val; /* NULL: ones */
} entries;

static entries entries_of(const gm_part *p, int64_t i)
{
    if (p->form == GM_SPARSE)
        return (entries){p->off[i + 1] - p->off[i], p->idx + p->off[i], p->val ? p->val + p->off[i] : NULL};
    if (p->code[i] >= p->width) return (entries){0};
    return (entries){1, p->code + i, p->level ? p->level + p->code[i] : NULL};
}

/* What is computed: rows from..to of g, for pairs of columns of parts p (at base) and q (at base or right of
 * it). */
typedef struct target {
    const gm_block *b;
    int64_t from, to;
    double *g;
} target;

static inline void add(const target *t, int64_t j, int64_t k, double v)
{
    if (j > k) { /* inside one part the pair may come the other way round */
        int64_t s = j;
        j = k, k = s;
    }
    if (j >= t->from && j < t->to) t->g[(j - t->from) * t->b->cols + k] += v;
}

/* left: (x - shift) w of SIDE columns, RUN rows each, zeros where there are none. */
static void dense_tile(const target *t, const double *left, int64_t j, int64_t rows_j, const gm_part *q,
                       int64_t base, int64_t row, int64_t n, const double *shift)
{
    for (int64_t k = 0; k < q->width; k++) {
        if (base + k < j) continue;
        const double *x = q->x + k * q->stride + row;
        double room[LANES];
        gm_lanes acc[SIDE] = {0};
        gm_v c = gm_splat(shift ? shift[base + k] : 0);
        for (int64_t i = 0; i < n; i += LANES) {
            const double *at = i + LANES <= n ? x + i : gm_tail(x + i, n - i, 0, room);
            for (int v = 0; v < NV; v++) {
                gm_v z = gm_load(at + v * VL) - c;
                for (int a = 0; a < SIDE; a++) acc[a].v[v] += gm_load(left + a * RUN + i + v * VL) * z;
            }
        }
        for (int64_t a = 0; a < rows_j && j + a <= base + k; a++)
            t->g[(j + a - t->from) * t->b->cols + base + k] += gm_lanes_sum(&acc[a]);
    }
}

static void dense_dense(const target *t, const gm_part *p, int64_t base_p, const gm_part *q, int64_t base_q,
                        const double *shift)
{
    double left[SIDE * RUN];
    const gm_block *b = t->b;
    int64_t lo = t->from > base_p ? t->from : base_p,
            hi = t->to < base_p + p->width ? t->to : base_p + p->width;
    for (int64_t row = 0; row < b->rows; row += RUN) {
        int64_t n = b->rows - row < RUN ? b->rows - row : RUN;
        for (int64_t j = lo; j < hi; j += SIDE) {
            int64_t rows_j = hi - j < SIDE ? hi - j : SIDE;
            memset(left, 0, sizeof left);
            for (int64_t a = 0; a < rows_j; a++) {
                const double *x = p->x + (j + a - base_p) * p->stride + row;
                double c = shift ? shift[j + a] : 0;
                for (int64_t i = 0; i < n; i++) left[a * RUN + i] = (x[i] - c) * (b->w ? b->w[row + i] : 1.0);
            }
            dense_tile(t, left, j, rows_j, q, base_q, row, n, shift);
        }
    }
}

/* d dense at base_d, s coded or sparse at base_s; either may stand left of the other. */
static void dense_entries(const target *t, const gm_part *d, int64_t base_d, const gm_part *s, int64_t base_s,
                          const double *shift)
{
    const gm_block *b = t->b;
    for (int64_t j = 0; j < d->width; j++) {
        if (base_d < base_s && (base_d + j < t->from || base_d + j >= t->to)) continue;
        const double *x = d->x + j * d->stride;
        double c = shift ? shift[base_d + j] : 0;
        for (int64_t i = 0; i < b->rows; i++) {
            entries e = entries_of(s, i);
            double v = (x[i] - c) * (b->w ? b->w[i] : 1.0);
            for (int64_t k = 0; k < e.n; k++) add(t, base_d + j, base_s + e.idx[k], e.val ? v * e.val[k] : v);
        }
    }
}

static void entries_entries(const target *t, const gm_part *p, int64_t base_p, const gm_part *q,
                            int64_t base_q)
{
    const gm_block *b = t->b;
    for (int64_t i = 0; i < b->rows; i++) {
        entries a = entries_of(p, i), e = entries_of(q, i);
        double w = b->w ? b->w[i] : 1.0;
        for (int64_t k = 0; k < a.n; k++) {
            double v = a.val ? w * a.val[k] : w;
            for (int64_t l = p == q ? k : 0; l < e.n; l++)
                add(t, base_p + a.idx[k], base_q + e.idx[l], e.val ? v * e.val[l] : v);
        }
    }
}

void GM_ISA_NAME(gm_gram)(const gm_block *b, const double *shift, int64_t from, int64_t to, double *g)
{
    target t = {b, from, to, g};
    int64_t base_p = 0;
    for (int k = 0; k < b->n_parts && base_p < to; base_p += b->part[k++].width) {
        const gm_part *p = &b->part[k];
        int64_t base_q = base_p;
        if (base_p + p->width <= from) continue;
        for (int l = k; l < b->n_parts; base_q += b->part[l++].width) {
            const gm_part *q = &b->part[l];
            if (p->form == GM_DENSE && q->form == GM_DENSE) dense_dense(&t, p, base_p, q, base_q, shift);
            else if (p->form == GM_DENSE) dense_entries(&t, p, base_p, q, base_q, shift);
            else if (q->form == GM_DENSE) dense_entries(&t, q, base_q, p, base_p, shift);
            else entries_entries(&t, p, base_p, q, base_q);
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataset.c - filling and walking a dataset. A block is one tile's rows after the feature stages;
 * neighbouring dense parts are joined into one, column by column, so that kernels see them together.
 */
#include "block/dataset.h"
#include "block/store.h"
#include "par/pool.h"
#include <string.h>

typedef struct gm_piece {
    char *base;
    int64_t bytes;
    bool on_disk;
} gm_piece;

struct gm_filling {
    gm_arena *arena;
    gm_hold *hold;
    int64_t slots, cols;
    gm_block *block;
    gm_piece *piece;
};

gm_code gm_filling_begin(gm_cx *cx, gm_arena *a, int64_t slots, int64_t cols, gm_level level,
                         gm_filling **out)
{
    gm_filling *f;
    GM_NEW_IN(cx, a, f, 1);
    *f = (gm_filling){.arena = a, .slots = slots, .cols = cols};
    GM_NEW_IN(cx, a, f->block, slots + 1);
    GM_NEW_IN(cx, a, f->piece, slots + 1);
    GM_TRY(gm_hold_new(cx, a, level, gm_memory_limit(cx) / 6, &f->hold));
    *out = f;
    return GM_OK;
}

static int64_t up64(int64_t n) { return (n + 63) / 64 * 64; }

/* Bytes of one part's arrays; the same walk as copy_part. */
static int64_t part_bytes(const gm_part *p, int64_t n)
{
    switch (p->form) {
    case GM_DENSE: return p->width * n * 8;
    case GM_CODED: return up64(n * 4) + (p->level ? up64(p->width * 8) : 0);
    case GM_SPARSE: {
        int64_t m = p->off[n] - p->off[0];
        return up64((n + 1) * 8) + up64(m * 4) + (p->val ? up64(m * 8) : 0);
    }
    }
    return 0;
}

static char *put(char *p, const void *from, int64_t bytes, const void **at)
{
    memcpy(p, from, (size_t)bytes);
    *at = p;
    return p + up64(bytes);
}

/* Appends p's columns to a dense part that ends where `at` points. */
static char *copy_dense(char *at, const gm_part *p, gm_part *out, int64_t n, bool join)
{
    double *o = (double *)(void *)at;
    for (int64_t j = 0; j < p->width; j++, o += n) memcpy(o, p->x + j * p->stride, (size_t)n * 8);
    if (join) {
        out->width += p->width;
    } else {
        *out = (gm_part){.form = GM_DENSE, .width = p->width, .x = (double *)(void *)at, .stride = n};
    }
    return (char *)o;
}

static char *copy_ragged(char *at, const gm_part *p, gm_part *out, int64_t n)
{
    int64_t first = p->off[0], m = p->off[n] - first, *off = (int64_t *)(void *)at;
    for (int64_t i = 0; i <= n; i++) off[i] = p->off[i] - first;
    *out = (gm_part){.form = GM_SPARSE, .width = p->width, .off = off};
    at += up64((n + 1) * 8);
    at = put(at, p->idx + first, m * 4, (const void **)&out->idx);
    if (p->val) at = put(at, p->val + first, m * 8, (const void **)&out->val);
    return at;
}

static char *align64(char *p) { return (char *)(((uintptr_t)p + 63) / 64 * 64); }

static int copy_parts(char *at, const gm_column *c, int64_t n, gm_part *out)
{
    int k = 0;
    for (int i = 0; i < c->n_parts; i++) {
        const gm_part *p = &c->part[i];
        bool join = k > 0 && p->form == GM_DENSE && out[k - 1].form == GM_DENSE;
        if (!join) at = align64(at);
        switch (p->form) {
        case GM_DENSE: at = copy_dense(at, p, join ? &out[k - 1] : &out[k], n, join); break;
        case GM_CODED:
            out[k] = (gm_part){
                .form = GM_CODED, .width = p->width, .inside = gm_codes_inside(p->code, n, p->width)};
            at = put(at, p->code, n * 4, (const void **)&out[k].code);
            if (p->level) at = put(at, p->level, p->width * 8, (const void **)&out[k].level);
            break;
        case GM_SPARSE: at = copy_ragged(at, p, &out[k], n); break;
        }
        k += !join;
    }
    return k;
}

gm_code gm_filling_put(gm_cx *cx, gm_filling *f, int64_t slot, gm_hold_cursor *cur, int64_t rows,
                       const gm_column *features, const double *y, const double *w)
{
    if (rows == 0) return GM_OK;
    if (features->width != f->cols)
        return gm_fail(cx, GM_EINTERNAL, "a block has %lld columns, the dataset %lld",
                       (long long)features->width, (long long)f->cols);
    int64_t bytes =
        up64((int64_t)sizeof(gm_part) * features->n_parts) + up64(y ? rows * 8 : 0) + up64(w ? rows * 8 : 0);
    for (int i = 0; i < features->n_parts; i++) bytes += part_bytes(&features->part[i], rows) + 64;
    char *base, *at;
    GM_TRY(gm_hold_cut(cx, f->hold, cur, bytes, &base));
    gm_part *part = (gm_part *)(void *)base;
    gm_block *b = &f->block[slot];
    *b = (gm_block){.rows = rows, .cols = f->cols, .part = part};
    at = base + up64((int64_t)sizeof(gm_part) * features->n_parts);
    if (y) at = put(at, y, rows * 8, (const void **)&b->y);
    if (w) at = put(at, w, rows * 8, (const void **)&b->w);
    b->n_parts = copy_parts(at, features, rows, part);
    f->piece[slot] = (gm_piece){base, bytes, cur->on_disk};
    gm_hold_rest(f->hold, base, bytes, cur->on_disk);
    return GM_OK;
}

static double block_weight(const gm_block *b)
{
    if (b->w == NULL) return (double)b->rows;
    double s = 0;
    for (int64_t i = 0; i < b->rows; i++) s += b->w[i];
    return s;
}

gm_code gm_filling_end(gm_cx *cx, gm_filling *f, gm_dataset *out)
{
    (void)cx;
    int64_t n = 0;
    *out = (gm_dataset){.cols = f->cols, .block = f->block, .piece = f->piece, .hold = f->hold};
    for (int64_t i = 0; i < f->slots; i++) {
        if (f->block[i].rows == 0) continue;
        f->block[n] = f->block[i];
        f->piece[n] = f->piece[i];
        out->rows += f->block[n].rows;
        out->weight += block_weight(&f->block[n]);
        out->weighted |= f->block[n].w != NULL;
        n++;
    }
    out->n_blocks = n;
    out->n_parts = n < 1 ? 1 : n < 32 ? n : 32;
    return GM_OK;
}

gm_code gm_dataset_over(gm_cx *cx, gm_arena *a, const gm_block *blocks, int64_t n, int64_t n_parts,
                        gm_dataset *out)
{
    gm_block *b;
    GM_NEW_IN(cx, a, b, n + 1);
    *out = (gm_dataset){.n_blocks = n, .n_parts = n_parts, .block = b, .cols = n ? blocks[0].cols : 0};
    for (int64_t i = 0; i < n; i++) {
        b[i] = blocks[i];
        out->rows += b[i].rows;
        out->weight += block_weight(&b[i]);
        out->weighted |= b[i].w != NULL;
    }
    return GM_OK;
}

typedef struct walk {
    const gm_dataset *d;
    gm_block_fn fn;
    void *arg;
} walk;

static gm_code walk_part(gm_cx *cx, void *arg, int64_t part)
{
    const walk *w = arg;
    int64_t from, to;
    gm_cut_range(w->d->n_blocks, w->d->n_parts, part, &from, &to);
    for (int64_t i = from; i < to; i++) {
        GM_TRY(gm_check_cancel(cx));
        GM_TRY(w->fn(cx, w->arg, part, &w->d->block[i]));
        if (w->d->piece)
            gm_hold_rest(w->d->hold, w->d->piece[i].base, w->d->piece[i].bytes, w->d->piece[i].on_disk);
    }
    return GM_OK;
}

gm_code gm_dataset_each(gm_cx *cx, const gm_dataset *d, gm_block_fn fn, void *arg)
{
    walk w = {d, fn, arg};
    return gm_par(cx, d->n_parts, walk_part, &w);
}

int64_t gm_dataset_bytes(const gm_dataset *d) { return d->hold ? gm_hold_bytes(d->hold) : 0; }
int64_t gm_dataset_spilled(const gm_dataset *d) { return d->hold ? gm_hold_spilled(d->hold) : 0; }

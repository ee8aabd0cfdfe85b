/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuse.c - which one-hot columns go together, and their codes. Columns are taken from the narrowest up while
 * the number of combinations stays small enough for the first-level cache, and small beside the rows.
 */
#include "learn/linear/fuse.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_PLACES = 4096, ROWS_PER_PLACE = 16, MOST_MEMBERS = 12 };

/* A one-hot column among others in one code: digit (code / stride) % places; the last place of a column that
 * has rows without any level stands for none. */
typedef struct member {
    int64_t part, col, width, places, stride;
} member;

/* Some columns of the fused blocks: copies of a part's, or all combinations of the members' levels. */
typedef struct gm_fused_run {
    int64_t part, col, at, width; /* of the (first) part: its number and column; the column in fused blocks */
    int n;                        /* members; 0: a part as it was */
    member of[MOST_MEMBERS];
} run;

static bool alike(const gm_block *a, const gm_block *b)
{
    if (a->n_parts != b->n_parts) return false;
    for (int k = 0; k < a->n_parts; k++)
        if (a->part[k].form != b->part[k].form || a->part[k].width != b->part[k].width ||
            gm_part_one_hot(&a->part[k]) != gm_part_one_hot(&b->part[k]))
            return false;
    return true;
}

static int by_places(const void *pa, const void *pb)
{
    const member *a = pa, *b = pb;
    if (a->places != b->places) return a->places < b->places ? -1 : 1;
    return (a->part > b->part) - (a->part < b->part);
}

/* The one-hot columns narrow enough to go with others, narrowest first. */
static int candidates(const gm_dataset *d, int64_t most, member *out)
{
    const gm_block *first = &d->block[0];
    int64_t col = 0;
    int n = 0;
    for (int k = 0; k < first->n_parts; col += first->part[k++].width) {
        bool inside = true;
        if (!gm_part_one_hot(&first->part[k])) continue;
        for (int64_t i = 0; i < d->n_blocks; i++) inside &= d->block[i].part[k].inside;
        int64_t width = first->part[k].width, places = width + !inside;
        if (places <= most / 2) out[n++] = (member){.part = k, .col = col, .width = width, .places = places};
    }
    qsort(out, (size_t)n, sizeof *out, by_places);
    return n;
}

/* Takes members into groups; group[part] is the run of a part, NULL when it stays alone. */
static int make_groups(const member *m, int n, int64_t most, run *group, run **of_part)
{
    int groups = 0;
    for (int i = 0; i < n;) {
        run *g = &group[groups];
        *g = (run){.width = 1};
        for (; i < n && g->n < MOST_MEMBERS && g->width * m[i].places <= most; i++) {
            g->of[g->n] = m[i];
            g->of[g->n++].stride = g->width;
            g->width *= m[i].places;
        }
        if (g->n < 2) continue; /* each of the rest is at least as wide: the loop ends with them */
        for (int k = 0; k < g->n; k++) of_part[g->of[k].part] = g;
        groups++;
    }
    return groups;
}

/* The runs in block order: a group stands where its first part stood. */
static int order_runs(const gm_block *first, run *const *of_part, run *out, int64_t *cols)
{
    int n = 0;
    int64_t col = 0;
    *cols = 0;
    for (int k = 0; k < first->n_parts; col += first->part[k++].width) {
        const run *g = of_part[k];
        bool seen = false;
        for (int j = 0; g && j < g->n; j++) seen |= g->of[j].part < k;
        if (seen) continue;
        run *r = &out[n++];
        *r = g ? *g : (run){.width = first->part[k].width};
        r->part = k, r->col = col, r->at = *cols;
        *cols += r->width;
    }
    return n;
}

/* ---- blocks ---- */

typedef struct making {
    gm_fused *f;
    gm_block *block;
    const gm_dataset *from;
    gm_hold *hold;
    gm_hold_cursor *cur; /* [part of the data] */
} making;

static void fuse_codes(const run *r, const gm_block *b, uint32_t *restrict code)
{
    for (int k = 0; k < r->n; k++) {
        const uint32_t *from = b->part[r->of[k].part].code;
        uint32_t width = (uint32_t)r->of[k].width, stride = (uint32_t)r->of[k].stride;
        for (int64_t i = 0; i < b->rows; i++) {
            uint32_t digit = from[i] < width ? from[i] : width;
            code[i] = (k ? code[i] : 0) + digit * stride;
        }
    }
}

static gm_code fuse_block(gm_cx *cx, void *arg, int64_t part, const gm_block *b)
{
    making *m = arg;
    gm_block *out = &m->block[b - m->from->block];
    gm_part *p = (gm_part *)(uintptr_t)out->part;
    for (int k = 0; k < m->f->n; k++) {
        const run *r = &m->f->run[k];
        char *code;
        p[k] = b->part[r->part];
        if (r->n == 0) continue;
        GM_TRY(gm_hold_cut(cx, m->hold, &m->cur[part], b->rows * (int64_t)sizeof(uint32_t), &code));
        p[k] =
            (gm_part){.form = GM_CODED, .width = r->width, .code = (uint32_t *)(void *)code, .inside = true};
        fuse_codes(r, b, (uint32_t *)(void *)code);
    }
    *out =
        (gm_block){.rows = b->rows, .cols = m->f->cols, .n_parts = m->f->n, .part = p, .y = b->y, .w = b->w};
    return GM_OK;
}

static gm_code make_blocks(gm_cx *cx, gm_arena *a, const gm_dataset *d, gm_fused *f)
{
    making m = {.f = f, .from = d};
    gm_part *parts;
    GM_NEW_IN(cx, a, m.block, d->n_blocks);
    GM_NEW_IN(cx, a, parts, d->n_blocks * f->n);
    GM_NEW_IN(cx, a, m.cur, d->n_parts);
    GM_TRY(gm_hold_new(cx, a, GM_LEVEL_AUTO, gm_memory_limit(cx) / 32, &m.hold));
    for (int64_t i = 0; i < d->n_blocks; i++) m.block[i].part = parts + i * f->n;
    GM_TRY(gm_dataset_each(cx, d, fuse_block, &m));
    f->data.block = m.block;
    f->data.cols = f->cols;
    return GM_OK;
}

gm_code gm_fuse(gm_cx *cx, gm_arena *a, const gm_dataset *d, gm_fused *out)
{
    int64_t most = d->rows / ROWS_PER_PLACE < MOST_PLACES ? d->rows / ROWS_PER_PLACE : MOST_PLACES;
    *out = (gm_fused){.data = *d, .cols = d->cols};
    for (int64_t i = 1; i < d->n_blocks; i++)
        if (!alike(&d->block[0], &d->block[i])) return GM_OK;
    if (d->n_blocks == 0) return GM_OK;
    int n_parts = d->block[0].n_parts;
    member *m;
    run *group, **of_part, *runs;
    GM_NEW_IN(cx, a, m, n_parts + 1);
    GM_NEW_IN(cx, a, group, n_parts + 1);
    GM_NEW_IN(cx, a, of_part, n_parts + 1);
    GM_NEW_IN(cx, a, runs, n_parts + 1);
    if (make_groups(m, candidates(d, most, m), most, group, of_part) == 0) return GM_OK;
    out->n = order_runs(&d->block[0], of_part, runs, &out->cols);
    out->run = runs;
    return make_blocks(cx, a, d, out);
}

/* ---- coefficients and gradients ---- */

void gm_fused_spread(const gm_fused *f, const double *w, double *wide)
{
    if (f->n == 0) memcpy(wide, w, (size_t)f->cols * sizeof *w);
    for (int k = 0; k < f->n; k++) {
        const run *r = &f->run[k];
        double *o = wide + r->at;
        if (r->n == 0) {
            memcpy(o, w + r->col, (size_t)r->width * sizeof *w);
            continue;
        }
        o[0] = 0;
        for (int j = 0; j < r->n; j++) { /* the first stride places are done: repeat them for each level */
            const member *m = &r->of[j];
            for (int64_t v = m->places - 1; v >= 0; v--) {
                double add = v < m->width ? w[m->col + v] : 0;
                for (int64_t i = 0; i < m->stride; i++) o[v * m->stride + i] = o[i] + add;
            }
        }
    }
}

void gm_fused_gather(const gm_fused *f, const double *wide, double *g)
{
    if (f->n == 0) memcpy(g, wide, (size_t)f->cols * sizeof *g);
    for (int k = 0; k < f->n; k++) {
        const run *r = &f->run[k];
        const double *o = wide + r->at;
        if (r->n == 0) memcpy(g + r->col, o, (size_t)r->width * sizeof *g);
        for (int j = 0; j < r->n; j++) {
            const member *m = &r->of[j];
            memset(g + m->col, 0, (size_t)m->width * sizeof *g);
            for (int64_t from = 0; from < r->width; from += m->stride * m->places)
                for (int64_t v = 0; v < m->width; v++) {
                    double s = 0;
                    for (int64_t i = 0; i < m->stride; i++) s += o[from + v * m->stride + i];
                    g[m->col + v] += s;
                }
        }
    }
}

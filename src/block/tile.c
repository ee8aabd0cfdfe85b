/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile.c - measuring, writing and opening tiles. The three walk the same layout: keep them in step.
 */
#include "block/tile.h"
#include <string.h>

static int64_t up8(int64_t n) { return (n + 7) / 8 * 8; }
static int64_t at(const int32_t *sel, int64_t i) { return sel ? sel[i] : i; }

/* Entries of the chosen rows of a ragged column. */
static int64_t entries(const int64_t *off, const int32_t *sel, int64_t n)
{
    int64_t m = 0;
    if (sel == NULL) return off[n] - off[0];
    for (int64_t i = 0; i < n; i++) m += off[sel[i] + 1] - off[sel[i]];
    return m;
}

static int64_t part_bytes(const gm_part *p, const int32_t *sel, int64_t n)
{
    switch (p->form) {
    case GM_DENSE: return p->width * n * 8;
    case GM_CODED: return up8(n * 4) + (p->level ? p->width * 8 : 0);
    case GM_SPARSE: {
        int64_t m = entries(p->off, sel, n);
        return (n + 1) * 8 + up8(m * 4) + (p->val ? m * 8 : 0);
    }
    }
    return 0;
}

static int64_t column_bytes(const gm_column *c, const int32_t *sel, int64_t n)
{
    int64_t m = 0;
    switch (c->type) {
    case GM_T_REAL: return n * 8;
    case GM_T_TEXT: return up8(n * 4);
    case GM_T_WORDS: return (n + 1) * 8 + up8(entries(c->off, sel, n) * 4);
    case GM_T_VECTOR:
        m = 16 + up8((int64_t)sizeof(gm_part) * c->n_parts);
        for (int k = 0; k < c->n_parts; k++) m += part_bytes(&c->part[k], sel, n);
        return m;
    }
    return 0;
}

int64_t gm_tile_bytes(int n_cols, const gm_column *cols, const int32_t *sel, int64_t n)
{
    int64_t m = 0;
    for (int k = 0; k < n_cols; k++) m += column_bytes(&cols[k], sel, n);
    return m;
}

static char *put_reals(char *p, const double *x, const int32_t *sel, int64_t n)
{
    double *o = (double *)(void *)p;
    if (sel == NULL) memcpy(o, x, (size_t)n * 8);
    else
        for (int64_t i = 0; i < n; i++) o[i] = x[sel[i]];
    return p + n * 8;
}

static char *put_codes(char *p, const uint32_t *x, const int32_t *sel, int64_t n)
{
    uint32_t *o = (uint32_t *)(void *)p;
    if (sel == NULL) memcpy(o, x, (size_t)n * 4);
    else
        for (int64_t i = 0; i < n; i++) o[i] = x[sel[i]];
    return p + up8(n * 4);
}

/* Offsets from 0, then the codes, then (val given) the values of the chosen rows. */
static char *put_ragged(char *p, const int64_t *off, const uint32_t *code, const double *val,
                        const int32_t *sel, int64_t n)
{
    int64_t *o = (int64_t *)(void *)p, m = entries(off, sel, n), w = 0;
    uint32_t *c = (uint32_t *)(void *)(p + (n + 1) * 8);
    double *v = (double *)(void *)((char *)c + up8(m * 4));
    for (int64_t i = 0; i < n; i++) {
        int64_t from = off[at(sel, i)], len = off[at(sel, i) + 1] - from;
        o[i] = w;
        memcpy(c + w, code + from, (size_t)len * 4);
        if (val) memcpy(v + w, val + from, (size_t)len * 8);
        w += len;
    }
    o[n] = w;
    return (char *)v + (val ? m * 8 : 0);
}

static char *put_part(char *p, const gm_part *in, gm_part *out, const int32_t *sel, int64_t n)
{
    *out = (gm_part){.form = in->form, .width = in->width, .stride = n};
    switch (in->form) {
    case GM_DENSE:
        out->x = (const double *)(void *)p;
        for (int64_t j = 0; j < in->width; j++) p = put_reals(p, in->x + j * in->stride, sel, n);
        break;
    case GM_CODED:
        out->code = (const uint32_t *)(void *)p;
        p = put_codes(p, in->code, sel, n);
        if (in->level) {
            out->level = (const double *)(void *)p;
            p = put_reals(p, in->level, NULL, in->width);
        }
        break;
    case GM_SPARSE: {
        int64_t m = entries(in->off, sel, n);
        out->off = (const int64_t *)(void *)p;
        out->idx = (const uint32_t *)(void *)(p + (n + 1) * 8);
        if (in->val) out->val = (const double *)(void *)(p + (n + 1) * 8 + up8(m * 4));
        p = put_ragged(p, in->off, in->idx, in->val, sel, n);
        break;
    }
    }
    return p;
}

static char *put_vector(char *p, const gm_column *c, const int32_t *sel, int64_t n)
{
    int64_t *head = (int64_t *)(void *)p;
    gm_part *part = (gm_part *)(void *)(p + 16);
    head[0] = c->n_parts;
    head[1] = c->width;
    p += 16 + up8((int64_t)sizeof(gm_part) * c->n_parts);
    for (int k = 0; k < c->n_parts; k++) p = put_part(p, &c->part[k], &part[k], sel, n);
    return p;
}

void gm_tile_write(const gm_tile *t, int n_cols, const gm_column *cols, const int32_t *sel)
{
    char *p = t->base;
    for (int k = 0; k < n_cols; k++) {
        const gm_column *c = &cols[k];
        switch (c->type) {
        case GM_T_REAL: p = put_reals(p, c->real, sel, t->rows); break;
        case GM_T_TEXT: p = put_codes(p, c->code, sel, t->rows); break;
        case GM_T_WORDS: p = put_ragged(p, c->off, c->code, NULL, sel, t->rows); break;
        case GM_T_VECTOR: p = put_vector(p, c, sel, t->rows); break;
        }
    }
}

static void map_codes(uint32_t *code, int64_t n, const uint32_t *map)
{
    for (int64_t i = 0; i < n; i++)
        if (code[i] != GM_CODE_MISSING) code[i] = map[code[i]];
}

static char *open_codes(char *p, int64_t n, const uint32_t *map, bool foreign, const gm_dict *dict,
                        gm_column *c)
{
    uint32_t *code = (uint32_t *)(void *)p;
    if (foreign && map) map_codes(code, n, map);
    c->code = code;
    c->dict = dict;
    return p + up8(n * 4);
}

static char *open_vector(char *p, int64_t n, gm_column *c)
{
    const int64_t *head = (const int64_t *)(void *)p;
    c->n_parts = (int)head[0];
    c->width = head[1];
    c->part = (const gm_part *)(void *)(p + 16);
    p += 16 + up8((int64_t)sizeof(gm_part) * c->n_parts);
    for (int k = 0; k < c->n_parts; k++) p += part_bytes(&c->part[k], NULL, n);
    return p;
}

void gm_tile_open(gm_tile *t, int n_cols, const gm_type *types, gm_dict *const *dict,
                  const uint32_t *const *map, gm_column *cols)
{
    char *p = t->base;
    for (int k = 0; k < n_cols; k++) {
        gm_column *c = &cols[k];
        *c = (gm_column){.type = types[k], .width = 1};
        switch (types[k]) {
        case GM_T_REAL:
            c->real = (const double *)(void *)p;
            p += t->rows * 8;
            break;
        case GM_T_TEXT: p = open_codes(p, t->rows, map[k], t->foreign, dict[k], c); break;
        case GM_T_WORDS:
            c->off = (const int64_t *)(void *)p;
            p = open_codes(p + (t->rows + 1) * 8, c->off[t->rows], map[k], t->foreign, dict[k], c);
            break;
        case GM_T_VECTOR: p = open_vector(p, t->rows, c); break;
        }
    }
    t->foreign = false;
}

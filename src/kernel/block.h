/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.h - some rows of a matrix, as the learners see them: a view, never an owner.
 *
 * Columns come in parts that stand side by side. A part is dense, coded (a one-hot column kept as its code:
 * 5-7x faster to learn from than CSR and a third of its size) or sparse. A vector column of a table has the
 * same parts.
 */
#ifndef GM_KERNEL_BLOCK_H
#define GM_KERNEL_BLOCK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gm_form { GM_DENSE, GM_CODED, GM_SPARSE } gm_form;

typedef struct gm_part {
    gm_form form;
    int64_t width;   /* columns this part spans */
    const double *x; /* GM_DENSE: column j of the part is x + j * stride */
    int64_t stride;
    const uint32_t *code; /* GM_CODED: the column that holds the value; >= width: all zeros */
    bool inside;          /* GM_CODED: no code is >= width; false: not known */
    const double *level;  /* GM_CODED: the value per column; NULL: 1 */
    const int64_t *off;   /* GM_SPARSE: entries of row i are off[i] .. off[i+1]; off[0] need not be 0 */
    const uint32_t *idx;  /* rising within a row */
    const double *val;    /* NULL: all 1 */
} gm_part;

typedef struct gm_block {
    int64_t rows, cols; /* cols is the sum of the widths */
    int n_parts;
    const gm_part *part;
    const double *y; /* label: value, or class index; NULL when predicting */
    const double *w; /* row weights; NULL: all 1 */
} gm_block;

/* A one-hot column: its values are 1. */
static inline bool gm_part_one_hot(const gm_part *p)
{
    return p->form == GM_CODED && p->level == NULL && p->width > 0;
}

/* Whether every row has a column, none is all zero. */
static inline bool gm_codes_inside(const uint32_t *code, int64_t n, int64_t width)
{
    uint32_t most = 0;
    for (int64_t i = 0; i < n; i++) most = code[i] > most ? code[i] : most;
    return most < width;
}

/* The rows from .. from + rows of b; part is room for b->n_parts entries that *out will point to. */
static inline void gm_block_rows(const gm_block *b, int64_t from, int64_t rows, gm_part *part, gm_block *out)
{
    *out = (gm_block){.rows = rows, .cols = b->cols, .n_parts = b->n_parts, .part = part};
    out->y = b->y ? b->y + from : 0;
    out->w = b->w ? b->w + from : 0;
    for (int k = 0; k < b->n_parts; k++) {
        part[k] = b->part[k];
        if (part[k].x) part[k].x += from;
        if (part[k].code) part[k].code += from;
        if (part[k].off) part[k].off += from;
    }
}
#endif

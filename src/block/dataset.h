/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataset.h - blocks that can be read again and again: what a learner fits on. In memory or mapped from a
 * spill file; the learner cannot tell. Rows are cut into a fixed list of parts that depends on the data
 * alone.
 */
#ifndef GM_BLOCK_DATASET_H
#define GM_BLOCK_DATASET_H
#include "base/text.h"
#include "block/hold.h"
#include "kernel/block.h"
#include "table/column.h"

typedef struct gm_dataset {
    int64_t rows, cols, n_blocks;
    int64_t n_parts; /* parts of gm_dataset_each; blocks of part p are contiguous and in order */
    double weight;   /* sum of the row weights (rows when there are none) */
    bool weighted;
    int64_t n_classes; /* classifiers: labels are 0 .. n_classes-1; regressors: 0 */
    gm_names names;    /* feature names, cols of them */
    gm_texts labels;   /* text of each class, for messages */
    const gm_block *block;
    const struct gm_piece *piece; /* where each block lies; NULL: not ours */
    const gm_hold *hold;
} gm_dataset;

/* Calls fn for every block, parts in parallel, blocks of one part in order on one thread. */
typedef gm_code (*gm_block_fn)(gm_cx *cx, void *arg, int64_t part, const gm_block *b);
gm_code gm_dataset_each(gm_cx *cx, const gm_dataset *d, gm_block_fn fn, void *arg) GM_NODISCARD;
/* A dataset over blocks in memory, for tests and for callers that have them: blocks are grouped into n_parts
 * parts. */
gm_code gm_dataset_over(gm_cx *cx, gm_arena *a, const gm_block *blocks, int64_t n, int64_t n_parts,
                        gm_dataset *out) GM_NODISCARD;

/* Filling: begin with the number of slots; put each slot's rows, any slot on any thread; end. Empty slots
 * vanish. */
typedef struct gm_filling gm_filling;
gm_code gm_filling_begin(gm_cx *cx, gm_arena *a, int64_t slots, int64_t cols, gm_level level,
                         gm_filling **out) GM_NODISCARD;
/* features: a VECTOR column; y and w may be NULL. Everything is copied. */
gm_code gm_filling_put(gm_cx *cx, gm_filling *f, int64_t slot, gm_hold_cursor *cur, int64_t rows,
                       const gm_column *features, const double *y, const double *w) GM_NODISCARD;
gm_code gm_filling_end(gm_cx *cx, gm_filling *f, gm_dataset *out) GM_NODISCARD;
int64_t gm_dataset_bytes(const gm_dataset *d);
int64_t gm_dataset_spilled(const gm_dataset *d);
#endif

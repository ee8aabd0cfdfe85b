/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h - the tile store: the columns that the stages still need, kept while a pipeline is fitted, so that
 * the source is read once. A tile is what is left of one incoming batch in one part (train, test).
 *
 * Texts are kept as codes of one dictionary per column. Each scanning task has its own dictionaries;
 * gm_store_seal merges them, orders the codes by the hash of the text and the tiles by the hash of their
 * rows, so that what is in the store does not depend on which thread read what.
 */
#ifndef GM_BLOCK_STORE_H
#define GM_BLOCK_STORE_H
#include "block/hold.h"
#include "table/column.h"

typedef struct gm_store gm_store;
typedef struct gm_store_task gm_store_task;

gm_code gm_store_new(gm_cx *cx, gm_arena *a, const gm_type *types, int n_cols, int n_parts, gm_level level,
                     gm_store **out) GM_NODISCARD;
/* One per scanning thread; thread-safe. */
gm_code gm_store_task_new(gm_cx *cx, gm_store *s, gm_store_task **out) GM_NODISCARD;
/* Where the thread may make a tile; it clears it after each. */
gm_arena *gm_store_task_room(gm_store_task *t);
/* Replaces the TEXT and WORDS columns of a batch by codes of the task's dictionaries (memory from a). */
gm_code gm_store_encode(gm_cx *cx, gm_store_task *t, gm_arena *a, int64_t rows, gm_column *cols) GM_NODISCARD;
/* Copies the rows sel[0..n) of encoded columns (sel NULL: the first n) as one tile of a part. */
gm_code gm_store_add(gm_cx *cx, gm_store_task *t, int part, uint64_t hash, const int32_t *sel, int64_t n,
                     const gm_column *cols) GM_NODISCARD;
gm_code gm_store_seal(gm_cx *cx, gm_store *s) GM_NODISCARD;

int64_t gm_store_tiles(const gm_store *s, int part);
int64_t gm_store_rows(const gm_store *s, int part);
int64_t gm_store_bytes(const gm_store *s);
int64_t gm_store_spilled(const gm_store *s);
/* Views of the columns of tile i; returns its rows. A tile is opened by one thread at a time. */
int64_t gm_store_tile(gm_store *s, int part, int64_t i, gm_column *cols);
void gm_store_rest(gm_store *s, int part, int64_t i);   /* not needed for a while */
void gm_store_forget(gm_store *s, int part, int64_t i); /* never needed again */

/* Rows are worked on in a number of parts that depends on the data alone: part p of `parts` is tiles
 * from..to. */
int64_t gm_store_cuts(const gm_store *s, int part);
void gm_cut_range(int64_t n, int64_t parts, int64_t p, int64_t *from, int64_t *to);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile.h - how the rows of one tile lie in memory or in the spill file: columns one after another, each
 * 8-byte aligned, in the order of the store. A vector column starts with its gm_part array, whose pointers
 * point into the tile (a tile never moves).
 */
#ifndef GM_BLOCK_TILE_H
#define GM_BLOCK_TILE_H
#include "table/column.h"

typedef struct gm_tile {
    uint64_t hash; /* of the rows it came from */
    int64_t rows, bytes;
    char *base;
    int part, task;
    bool on_disk;
    bool foreign; /* codes are still those of the task's dictionaries */
} gm_tile;

int64_t gm_tile_bytes(int n_cols, const gm_column *cols, const int32_t *sel, int64_t n);
void gm_tile_write(const gm_tile *t, int n_cols, const gm_column *cols, const int32_t *sel);
/* Views of the columns; codes are mapped to the store's dictionaries the first time. map[k] may be NULL. */
void gm_tile_open(gm_tile *t, int n_cols, const gm_type *types, gm_dict *const *dict,
                  const uint32_t *const *map, gm_column *cols);
#endif

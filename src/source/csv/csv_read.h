/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_read.h - plain local CSV files into a sink, without the database.
 */
#ifndef GM_SOURCE_CSV_READ_H
#define GM_SOURCE_CSV_READ_H
#include "source/csv/csv_chunk.h"
#include "source/scan.h"

typedef struct gm_csv_scan {
    const gm_table *table;
    const gm_want *want;
    int n;
    const gm_sink *sink;
    atomic_llong *rows;
    int64_t *inexact;
    gm_code (*restart)(gm_cx *cx, void *arg); /* forgets all rows */
    void *arg;
} gm_csv_scan;

/* Reads the table, if that gives what the database would give. *done false: nothing was read, or all that was
 * read is forgotten. */
gm_code gm_csv_scan_run(gm_cx *cx, const gm_csv_scan *scan, bool *done) GM_NODISCARD;

extern long gm_csv_piece_bytes; /* test hook: a multiple of 64; 0: the database reads everything */

/* ---- csv_tile.c: records as columns, one thread's ---- */
typedef struct gm_csv_lane gm_csv_lane;
/* Whether the wanted columns can be made of plan's here; slot[j] of field j, -1: not wanted. */
bool gm_csv_wants(const gm_csv_plan *plan, const gm_want *want, int n, int *slot, int *n_slots);
gm_code gm_csv_lane_new(gm_cx *cx, gm_arena *a, const gm_csv_scan *scan, const gm_csv_plan *plan,
                        gm_csv_misfit *misfit, const int *slot, int n_slots, gm_csv_lane **out) GM_NODISCARD;
gm_csv_tile *gm_csv_lane_tile(gm_csv_lane *lane);
const int64_t *gm_csv_lane_inexact(const gm_csv_lane *lane);
/* Pushes the tile's rows and empties it. */
gm_code gm_csv_lane_push(gm_cx *cx, gm_csv_lane *lane) GM_NODISCARD;
#endif

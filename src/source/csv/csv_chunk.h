/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_chunk.h - records of a piece of a CSV file as columns of text. Only what the database would read in the
 * same way is taken; at anything else the whole reading is given up, and the database does it.
 */
#ifndef GM_SOURCE_CSV_CHUNK_H
#define GM_SOURCE_CSV_CHUNK_H
#include "source/csv/csv_own.h"
#include "table/column.h"

enum { GM_CSV_PAD = 64, GM_CSV_LONGEST = 1 << 20 }; /* readable bytes around; the longest record we take */

/* How records are cut: the same for all pieces. */
typedef struct gm_csv_shape {
    char delim, quote; /* quote 0: none */
    int n;             /* fields of a record */
    const int *slot;   /* of field j; -1: not wanted */
    int n_slots;
    gm_names nullstr;
} gm_csv_shape;

/* A piece in memory. p[0 .. n) are bytes; marks and quotes have a bit for each. */
typedef struct gm_csv_piece {
    char *p;
    uint64_t *marks, *quotes;
    int64_t n;
    bool last; /* nothing follows in the file */
    unsigned others;
    int64_t at;   /* the next record begins here */
    int64_t word; /* the cursor: marks not yet used of marks[word] */
    uint64_t left;
    int ends; /* 0: no line break yet, else 1 or 2 bytes */
} gm_csv_piece;

/* Up to GM_TILE records. */
typedef struct gm_csv_tile {
    int64_t rows;
    gm_text **text;   /* of each slot */
    uint64_t **valid; /* of each slot, all set at the beginning of a tile */
    int *escaped;     /* slots of this record with doubled quotes */
} gm_csv_tile;

typedef enum gm_csv_cut { GM_CUT_DONE, GM_CUT_FULL, GM_CUT_MORE, GM_CUT_GIVE_UP } gm_csv_cut;

void gm_csv_mark(gm_csv_piece *c, const gm_csv_shape *shape, int64_t from); /* marks from there up to n */
void gm_csv_seek(gm_csv_piece *c, int64_t at);
/* Where the first record that begins at from or later does, end when there is none before; inside: from is
 * within quotes. p[from - 1] is readable. */
int64_t gm_csv_first(gm_csv_piece *c, const gm_csv_shape *shape, int64_t from, int64_t end, bool inside);
/* Records that begin before end, until the tile is full (FULL), all are cut (DONE), or the bytes do not
 * suffice for the next (MORE; c->at is its beginning). tile NULL: one record, which is passed over. */
gm_csv_cut gm_csv_cut_rows(gm_csv_piece *c, const gm_csv_shape *shape, int64_t end, gm_csv_tile *tile);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow_own.h - Arrow batches kept by a table, and the table function that reads them: gm_arrow(n).
 */
#ifndef GM_SOURCE_ARROW_OWN_H
#define GM_SOURCE_ARROW_OWN_H
#include "base/text.h"
#include "source/db.h"
#include "table/arrow_abi.h"

/* How a column is read: by us, straight from its buffers, or (nested types) by the database's converter. */
typedef struct gm_arrow_column {
    duckdb_logical_type type;
    duckdb_arrow_converted_schema converted; /* of a table of just this column; NULL: read by us */
    struct ArrowSchema root, *child;         /* that table's schema */
} gm_arrow_column;

typedef struct gm_arrow_data {
    gm_live live;
    gm_arena kept;
    const gm_duck *duck;
    gm_db *db;
    duckdb_connection converter; /* the settings of the converter; runs no query */
    struct ArrowSchema schema;
    int64_t n, cap, rows;
    struct ArrowArray *batch;
    gm_text **dict; /* batch i, column j: its dictionary as texts, dict[i * columns + j], or NULL */
    gm_arrow_column *col;
    int64_t n_tiles;
    struct gm_arrow_tile {
        int64_t batch, start, rows;
    } * tile;
} gm_arrow_data;

gm_code gm_arrow_register(gm_con *con) GM_NODISCARD;
/* Types and tiles of data whose schema and batches are there and checked. */
gm_code gm_arrow_prepare(gm_cx *cx, const char *who, gm_arrow_data *w) GM_NODISCARD;
/* Rows start .. start + n of a column of a batch into a vector; false: the converter refuses. */
bool gm_arrow_fill(const gm_arrow_data *w, int64_t batch, int64_t column, int64_t start, int64_t n,
                   duckdb_vector out);
#endif

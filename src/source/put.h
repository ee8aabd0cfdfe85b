/* SPDX-License-Identifier: Apache-2.0 */
/*
 * put.h - our columns into the database's vectors.
 */
#ifndef GM_SOURCE_PUT_H
#define GM_SOURCE_PUT_H
#include "source/db.h"
#include "source/rowfn.h"

typedef struct gm_put {
    gm_cx *cx;
    const gm_duck *d;
    gm_arena *a;
    int64_t rows;
    const uint8_t *null; /* per row: write NULL */
} gm_put;
gm_code gm_put_column(const gm_put *p, gm_made made, const gm_column *c, duckdb_vector v) GM_NODISCARD;
void gm_put_nulls(const gm_put *p, duckdb_vector v);
/* Of GM_MADE_SPARSE, Spark's struct; the caller's to destroy. */
duckdb_logical_type gm_vector_type(const gm_duck *d);
#endif

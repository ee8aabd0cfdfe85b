/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_own.h - the bridge from the database's vectors to our columns, for scans and row functions.
 */
#ifndef GM_SOURCE_SCAN_OWN_H
#define GM_SOURCE_SCAN_OWN_H
#include "source/db.h"
#include "source/scan.h"

typedef struct gm_bridge_list gm_bridge_list; /* buffers of a list column: bridge_list.c */

/* One task's: buffers for what cannot be lent as it is. */
typedef struct gm_bridge {
    gm_arena arena;
    const gm_duck *duck;
    int n;
    const gm_type *type;
    const gm_want *want; /* for names in messages; may be NULL */
    int *from;           /* duckdb_type of each column; 0: not looked at yet */
    gm_column *col;
    double **real; /* GM_TILE each, made when needed */
    gm_text **text;
    gm_bridge_list *list; /* n, made when needed */
    int64_t *inexact;     /* integers that a double cannot hold */
    atomic_llong *width;  /* of each vector, of all tasks; 0: none was seen; NULL: tiles may differ */
    int bad;              /* the column whose vector was refused, counted from 1 */
} gm_bridge;
gm_code gm_bridge_begin(gm_cx *cx, const gm_duck *d, int n, const gm_type *type, gm_bridge *out) GM_NODISCARD;
/* Columns first .. first + n of the chunk; valid until the chunk goes or the next take. */
gm_code gm_bridge_take(gm_cx *cx, gm_bridge *b, duckdb_data_chunk chunk, int64_t first,
                       gm_batch *out) GM_NODISCARD;
void gm_bridge_end(gm_bridge *b);
/* n values of a duckdb_type as doubles; what stands for NULL is not looked at. False when the type is none of
 * ours. */
bool gm_bridge_real(int type, const void *data, const uint64_t *valid, int64_t n, double *out,
                    int64_t *inexact);
/* Column k from a list of DOUBLE or Spark's struct, and from a list of VARCHAR. */
gm_code gm_bridge_vector(gm_cx *cx, gm_bridge *b, int k, duckdb_vector v, int64_t n) GM_NODISCARD;
gm_code gm_bridge_words(gm_cx *cx, gm_bridge *b, int k, duckdb_vector v, int64_t n) GM_NODISCARD;

/* The first row of t, from 1, whose vector in column w is refused, its width (-1: of none) and that of the
 * first vector; 0: none is found. */
typedef struct gm_bad_vector {
    int64_t row, width, first;
} gm_bad_vector;
gm_code gm_vector_row(gm_cx *cx, const gm_table *t, const gm_want *w, gm_bad_vector *out) GM_NODISCARD;

/* Appends the expression that gives a wanted column to the bridge, from a table's column of that SQL type. */
gm_code gm_want_sql(gm_cx *cx, gm_buf *b, const gm_field *field, const gm_want *want) GM_NODISCARD;
/* The same for all, each after ", ". */
gm_code gm_wants_sql(gm_cx *cx, gm_buf *b, const gm_table *t, const gm_want *want, int n) GM_NODISCARD;

extern const gm_function gm_scan_functions[]; /* ends with a row without a name */
#endif

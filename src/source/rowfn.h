/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rowfn.h - a function of ours over the rows of a table, as new columns of it: how transform and predict run
 * inside the database's query, so that order, parallelism and size are the database's.
 */
#ifndef GM_SOURCE_ROWFN_H
#define GM_SOURCE_ROWFN_H
#include "source/scan.h"

/* SQL types that a row function can make, and the engine column that is expected for each. */
typedef enum gm_made {
    GM_MADE_DOUBLE,  /* DOUBLE from REAL; NaN becomes NULL */
    GM_MADE_INTEGER, /* BIGINT from REAL that holds whole numbers; NaN becomes NULL */
    GM_MADE_VARCHAR, /* VARCHAR from TEXT */
    GM_MADE_DOUBLES, /* DOUBLE[] from VECTOR (as dense) */
    GM_MADE_TEXTS,   /* VARCHAR[] from WORDS */
    GM_MADE_SPARSE,  /* STRUCT(type TINYINT, size INTEGER, indices INTEGER[], values DOUBLE[]) from VECTOR:
                        Spark's form */
    GM_MADE_TRUTH    /* BOOLEAN from REAL: 0 is false; NaN becomes NULL */
} gm_made;

typedef struct gm_rowfn_out {
    const char *name;
    gm_made made;
} gm_rowfn_out;

/*
 * in: at most GM_TILE rows of the wanted columns. out: n_out columns, zeroed, type set; call fills them with
 * memory from a (or from in). null_rows: in zeroed bytes per row and output, row-major by output (null_rows[k
 * * rows + i]); set 1 for NULL. drop: a byte per row, zeroed; set 1 to drop the row (only where drops was
 * said below). Called from several threads at once.
 */
typedef gm_code (*gm_rowfn_call)(gm_cx *cx, gm_arena *a, void *arg, const gm_batch *in, gm_column *out,
                                 uint8_t *null_rows, uint8_t *drop);

typedef struct gm_rowfn {
    int n_in;
    const gm_want *in;
    int n_out;
    const gm_rowfn_out *out;
    gm_rowfn_call call;
    void *arg;
    void (*release)(void *arg); /* when the last table that uses it is gone; may be NULL */
    bool drops;                 /* call may drop rows */
} gm_rowfn;

/*
 * call sees each row of t once, and no others: a later filter does not go below it.
 *
 * *out is t with the outputs after its own columns, lazily, rows in their order (n_keep < 0: all of t's
 * columns, else these). fn is copied; its arg is released by the table, also when this fails. An output named
 * as a kept column is GM_ESCHEMA.
 */
gm_code gm_table_rowfn(gm_cx *cx, const gm_table *t, const gm_rowfn *fn, const char *const *keep, int n_keep,
                       gm_table **out) GM_NODISCARD;
#endif

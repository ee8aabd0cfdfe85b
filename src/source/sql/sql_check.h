/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sql_check.h - SQL that a model or pipeline brings along (SQLTransformer): one row-wise SELECT over
 * __THIS__, checked on its syntax tree and bound in a scratch database that can open nothing.
 */
#ifndef GM_SOURCE_SQL_CHECK_H
#define GM_SOURCE_SQL_CHECK_H
#include "source/table.h"

typedef struct gm_sql_rows {
    gm_columns out;   /* the columns it makes, in order; those it passes on with * included */
    gm_names reads;   /* the input columns it names (with *: all) */
    gm_names makes;   /* out columns that are not an unchanged input column */
    bool filters;     /* it has a WHERE clause: rows may go */
    const char *text; /* the statement, __THIS__ untouched, ready to wrap: gm_table_rowwise */
} gm_sql_rows;

/* Memory from a. Fails with GM_ESQL (and what to do) when it is not one row-wise SELECT. */
gm_code gm_sql_rowwise(gm_cx *cx, gm_arena *a, const char *statement, const gm_columns *in,
                       gm_sql_rows *out) GM_NODISCARD;
/* The checked statement over t, as a table; the statement runs where it cannot open files. */
gm_code gm_table_rowwise(gm_cx *cx, const gm_table *t, const char *statement, gm_table **out) GM_NODISCARD;
#endif

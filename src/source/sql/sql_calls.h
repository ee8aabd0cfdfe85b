/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sql_calls.h - the functions that SQL of a model or pipeline calls: none that depends on the clock, the
 * session or chance, for then the same rows would not give the same.
 */
#ifndef GM_SOURCE_SQL_CALLS_H
#define GM_SOURCE_SQL_CALLS_H
#include "base/doc.h"
#include "source/db.h"

/* Checks all calls below node; with rowwise also that none joins rows or makes them. *lone: names that stand
 * alone, columns most likely. */
gm_code gm_sql_calls(gm_con *con, gm_arena *a, const gm_doc *node, bool rowwise, gm_names *lone) GM_NODISCARD;
/* Fails when one of the lone names in sql, which can be bound, is no column but such a call (current_date).
 * Takes those functions from con. */
gm_code gm_sql_hidden_calls(gm_con *con, gm_arena *a, const char *sql, const gm_names *lone) GM_NODISCARD;
/* Adds the advice for SQL that must work row by row. */
gm_code gm_sql_rowwise_hint(gm_cx *cx, gm_code code) GM_NODISCARD;
#endif

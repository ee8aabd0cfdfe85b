/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sql_transformer.c - a SELECT over the rows that come in. The planner pushes it into the query of the
 * source; there is nothing to compute here.
 */
#include "stage/stage.h"

typedef struct params {
    const char *statement;
} params;

static const gm_param table[] = {
    {GM_STRING(params, statement, NULL), .required = true, .help = "SELECT ... FROM __THIS__, row by row"},
    {0},
};

const gm_stage gm_stage_sql_transformer = {
    .name = "SQLTransformer",
    .summary = "Computes columns by SQL over the rows that come in.",
    .doc = "statement is one SELECT over __THIS__, the table that comes in: SELECT *, a / b AS ratio "
           "FROM __THIS__ WHERE a > 0. The dialect is DuckDB's, also where another engine carries the "
           "data. The statement becomes part of the query that reads the source, so it costs no pass of "
           "its own.\n\n"
           "It must work row by row, because a model applies it to one row as well as to a million: no "
           "aggregates, windows, joins, DISTINCT, ORDER BY or LIMIT. Put such work into the source's "
           "query. It cannot read files or settings, nor call what depends on the clock, the session or "
           "chance: now(), current_date, age() of one date, random(), current_user, version().\n\n"
           "Differs from Spark: it reads the columns of the source and of the SQLTransformers in front "
           "of it, not those that other stages make.",
    .kind = GM_TRANSFORMER,
    .params = table,
    .param_size = sizeof(params),
};

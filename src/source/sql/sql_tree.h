/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sql_tree.h - a SELECT as DuckDB's own parser sees it (json_serialize_sql), to be checked before it is run.
 */
#ifndef GM_SOURCE_SQL_TREE_H
#define GM_SOURCE_SQL_TREE_H
#include "base/doc.h"
#include "source/db.h"

typedef enum gm_sql_kind { GM_SQL_SELECT, GM_SQL_LOOK } gm_sql_kind; /* LOOK: hints name DESCRIBE too */

/* The node of the one SELECT in sql; GM_ESQL otherwise. *text: sql without a closing semicolon, on lines of
 * its own. */
gm_code gm_sql_parse(gm_con *con, gm_arena *a, const char *sql, gm_sql_kind kind, const gm_doc **node,
                     char **text) GM_NODISCARD;
/* Calls visit for every map below and at d, parents first, until it fails. */
gm_code gm_sql_walk(gm_cx *cx, const gm_doc *d, gm_code (*visit)(gm_cx *cx, void *arg, const gm_doc *node),
                    void *arg) GM_NODISCARD;
const char *gm_sql_str(const gm_doc *node, const char *key); /* "" when absent */
bool gm_sql_is(const gm_doc *node, const char *key, const char *value);
/* Names of the common table expressions anywhere in d. */
gm_code gm_sql_cte_names(gm_cx *cx, gm_arena *a, const gm_doc *d, gm_names *out) GM_NODISCARD;
bool gm_names_have(const gm_names *names, const char *s); /* as SQL compares: without case */
#endif

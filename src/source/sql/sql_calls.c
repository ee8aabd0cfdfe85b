/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sql_calls.c - see sql_calls.h. The database says of each function how stable it is, and macros are opened.
 * Where it says nothing of the kind, the form tells: a function without parameters is a constant or looks at
 * the clock or the session. Names without brackets (current_date) mean such a function where no column has
 * that name: whether they do is asked by binding the statement once more with those functions gone.
 */
#include "source/sql/sql_calls.h"
#include "source/sql/sql_tree.h"
#include <string.h>
#include <strings.h>

typedef struct call {
    const char *name, *via; /* via: the macro that calls it, or NULL */
    int64_t args;           /* the fewest it is called with */
} call;

typedef struct gather {
    gm_arena *a;
    const char *via;
    call *v;
    int64_t n, cap;
    const char **lone;
    int64_t n_lone, lone_cap;
} gather;

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
/* Without parameters, and the same each time. */
static const char constants[] = "'pi', 'map', 'list_value', 'list_pack'";

gm_code gm_sql_rowwise_hint(gm_cx *cx, gm_code code)
{
    return gm_hint_add(cx, code, "a SQLTransformer works row by row: put this into the SQL of the source");
}

static gm_code unsteady(gm_cx *cx, const char *name, const char *brackets)
{
    return gm_hint_add(cx, gm_fail(cx, GM_ESQL, "%s%s does not give the same each time", name, brackets),
                       "a pipeline must give the same for the same rows: write the value itself, or take it "
                       "from a column");
}

/* ---- what is called ---- */

static gm_code add_call(gm_cx *cx, gather *g, const char *name, int64_t args)
{
    for (int64_t i = 0; i < g->n; i++) {
        if (strcasecmp(g->v[i].name, name) != 0) continue;
        if (args < g->v[i].args) g->v[i].args = args;
        return GM_OK;
    }
    if (g->n == g->cap) {
        int64_t cap = 2 * g->cap + 16;
        GM_GOT(cx, g->v = gm_regrow(cx, g->a, g->v, g->n, cap, sizeof *g->v));
        g->cap = cap;
    }
    g->v[g->n++] = (call){.name = name, .via = g->via, .args = args};
    return GM_OK;
}

static gm_code add_lone(gm_cx *cx, gather *g, const char *name)
{
    if (gm_names_have(&(gm_names){.n = g->n_lone, .v = g->lone}, name)) return GM_OK;
    if (g->n_lone == g->lone_cap) {
        int64_t cap = 2 * g->lone_cap + 16;
        GM_GOT(cx, g->lone = gm_regrow(cx, g->a, g->lone, g->n_lone, cap, sizeof *g->lone));
        g->lone_cap = cap;
    }
    g->lone[g->n_lone++] = name;
    return GM_OK;
}

static gm_code visit(gm_cx *cx, void *arg, const gm_doc *node)
{
    gather *g = arg;
    const gm_doc *sample = gm_doc_get(node, "sample"), *seed = gm_doc_get(sample, "seed");
    if (sample && sample->kind == GM_D_MAP && (seed == NULL || seed->kind != GM_D_INT || seed->i < 0))
        return gm_hint_add(cx, gm_fail(cx, GM_ESQL, "a sample without a seed is another one each time"),
                           "take the rows by a hash of a column: WHERE hash(id) %% 10 = 0");
    if (gm_sql_is(node, "class", "FUNCTION")) {
        const gm_doc *args = gm_doc_get(node, "children");
        const char *name = gm_sql_str(node, "function_name");
        if (strpbrk(name, letters) == NULL) return GM_OK; /* + and the like: the list is long to read */
        return add_call(cx, g, name, args ? args->n : 0);
    }
    const gm_doc *names = gm_sql_is(node, "class", "COLUMN_REF") ? gm_doc_get(node, "column_names") : NULL;
    return names && names->n == 1 ? add_lone(cx, g, names->child[0].str) : GM_OK;
}

/* ---- what the database knows of them ---- */

/* Those it says wrongly are steady. */
static gm_code check_name(gm_cx *cx, const call *c, bool rowwise)
{
    static const char *const session[] = {"current_setting", "getvariable", "getenv", "vector_type"},
                             *const rows[] = {"unnest", "query", "query_table"};
    if (strncasecmp(c->name, "gm_", 3) == 0)
        return gm_fail(cx, GM_ESQL, "functions named gm_... are not for queries");
    for (int64_t i = 0; i < GM_COUNT(session); i++)
        if (strcasecmp(c->name, session[i]) == 0) return unsteady(cx, c->name, "()");
    if (strcasecmp(c->name, "age") == 0 && c->args <= 1) /* day.age() has none */
        return unsteady(cx, "age", "() of one date");
    for (int64_t i = 0; rowwise && i < GM_COUNT(rows); i++)
        if (strcasecmp(c->name, rows[i]) == 0)
            return gm_sql_rowwise_hint(cx, gm_fail(cx, GM_ESQL, "%s() is not allowed here", c->name));
    return GM_OK;
}

static gm_code open_macro(gm_con *con, gather *g, const char *name, const char *definition)
{
    const gm_doc *node;
    char *sql, *text;
    GM_GOT(con->cx, sql = gm_format(con->cx, g->a, "SELECT %s", definition));
    GM_TRY(gm_sql_parse(con, g->a, sql, GM_SQL_SELECT, &node, &text));
    g->via = name;
    return gm_sql_walk(con->cx, gm_doc_get(node, "select_list"), visit, g);
}

/* One row of duckdb_functions(): kind, stability, definition, whether it has parameters. */
static gm_code check_row(gm_con *con, gather *g, const call *c, const char *const *row, bool rowwise)
{
    gm_cx *cx = con->cx;
    const char *type = row[1], *stability = row[2], *macro = row[3];
    bool scalar = strcmp(type, "scalar") == 0, is_macro = strcmp(type, "macro") == 0;
    if (strcmp(type, "aggregate") == 0 && rowwise)
        return gm_sql_rowwise_hint(cx, gm_fail(cx, GM_ESQL, "%s() is an aggregate", c->name));
    if (scalar && stability && strcmp(stability, "CONSISTENT") != 0) return unsteady(cx, c->name, "()");
    if ((scalar || is_macro) && c->args == 0 && strcmp(row[4], "true") == 0)
        return unsteady(cx, c->name, "()");
    return is_macro && macro ? open_macro(con, g, c->name, macro) : GM_OK;
}

static gm_code look_up(gm_con *con, gather *g, int64_t begin, int64_t end, bool rowwise)
{
    gm_cx *cx = con->cx;
    gm_grid found;
    gm_buf b = gm_buf_in(cx, g->a);
    gm_buf_printf(&b,
                  "SELECT DISTINCT lower(function_name), function_type, stability, macro_definition, "
                  "(len(parameters) = 0 AND varargs IS NULL AND function_name NOT IN (%s))::VARCHAR "
                  "FROM duckdb_functions() WHERE lower(function_name) IN (",
                  constants);
    for (int64_t i = begin; i < end; i++) {
        gm_buf_str(&b, i > begin ? ", lower(" : "lower(");
        gm_buf_literal(&b, g->v[i].name);
        gm_buf_str(&b, ")");
    }
    gm_buf_str(&b, ") ORDER BY ALL");
    GM_TRY(gm_buf_done(&b));
    GM_TRY(gm_con_grid(con, g->a, b.p, &found));
    for (int64_t i = begin; i < end; i++) {
        call c = g->v[i]; /* macros make the list grow */
        for (int64_t r = 0; r < found.rows; r++) {
            if (strcasecmp(gm_grid_at(&found, r, 0), c.name) != 0) continue;
            gm_code code = check_row(con, g, &c, found.text + r * found.cols, rowwise);
            if (code != GM_OK) return c.via ? gm_within(cx, code, "%s()", c.via) : code;
        }
    }
    return GM_OK;
}

gm_code gm_sql_calls(gm_con *con, gm_arena *a, const gm_doc *node, bool rowwise, gm_names *lone)
{
    gm_cx *cx = con->cx;
    gather g = {.a = a};
    GM_TRY(gm_sql_walk(cx, node, visit, &g));
    for (int64_t begin = 0, end; begin < g.n; begin = end) { /* what macros call comes behind */
        end = g.n;
        for (int64_t i = begin; i < end; i++) GM_TRY(check_name(cx, &g.v[i], rowwise));
        GM_TRY(look_up(con, &g, begin, end, rowwise));
    }
    *lone = (gm_names){.n = g.n_lone, .v = g.lone};
    return GM_OK;
}

/* ---- calls without brackets ---- */

/* Puts macros in front of all functions without parameters that cannot be bound: each reads a column of its
 * own from a table that has lost them. */
static gm_code take_away(gm_con *con, gm_arena *a)
{
    gm_grid g;
    gm_buf b = gm_buf_in(con->cx, a), macros = gm_buf_in(con->cx, a);
    gm_buf_printf(&b,
                  "SELECT DISTINCT function_name, 'gm ' || function_name FROM duckdb_functions() WHERE "
                  "function_type IN ('scalar', 'macro') AND len(parameters) = 0 AND varargs IS NULL AND "
                  "function_name NOT IN (%s)",
                  constants);
    GM_TRY(gm_buf_done(&b));
    GM_TRY(gm_con_grid(con, a, b.p, &g));
    b = gm_buf_in(con->cx, a);
    gm_buf_str(&b, "CREATE TEMP TABLE \"gm gone\" (x INT");
    for (int64_t i = 0; i < g.rows; i++) {
        gm_buf_str(&b, ", ");
        gm_buf_ident(&b, gm_grid_at(&g, i, 1));
        gm_buf_str(&b, " INT");
        gm_buf_str(&macros, "CREATE OR REPLACE TEMP MACRO ");
        gm_buf_ident(&macros, gm_grid_at(&g, i, 0));
        gm_buf_str(&macros, "() AS (SELECT ");
        gm_buf_ident(&macros, gm_grid_at(&g, i, 1));
        gm_buf_str(&macros, " FROM \"gm gone\");");
    }
    gm_buf_str(&b, ");");
    GM_TRY(gm_buf_done(&macros));
    gm_buf_str(&b, macros.p);
    gm_buf_str(&b, "CREATE OR REPLACE TEMP TABLE \"gm gone\" (x INT)");
    GM_TRY(gm_buf_done(&b));
    return gm_con_run(con, b.p, NULL);
}

/* Why sql cannot be bound, or NULL where it can. */
static gm_code why_not(gm_con *con, gm_arena *a, const char *sql, const char **why)
{
    gm_cx *cx = con->cx;
    gm_code code = gm_con_run(con, sql, NULL);
    *why = NULL;
    if (code != GM_ESQL) return code;
    *why = gm_strdup(cx, a, gm_cx_message(cx));
    gm_cx_forget(cx);
    return *why ? GM_OK : gm_why_null(cx);
}

static gm_code why_not_alone(gm_con *con, gm_arena *a, const char *name, const char **why)
{
    gm_buf b = gm_buf_in(con->cx, a);
    gm_buf_str(&b, "DESCRIBE SELECT "); /* from nothing: a column is not found */
    gm_buf_ident(&b, name);
    GM_TRY(gm_buf_done(&b));
    return why_not(con, a, b.p, why);
}

gm_code gm_sql_hidden_calls(gm_con *con, gm_arena *a, const char *sql, const gm_names *lone)
{
    gm_cx *cx = con->cx;
    int64_t n = 0;
    const char **suspects, *why, *alone;
    GM_NEW_IN(cx, a, suspects, lone->n);
    for (int64_t i = 0; i < lone->n; i++) {
        GM_TRY(why_not_alone(con, a, lone->v[i], &alone));
        if (alone == NULL) suspects[n++] = lone->v[i];
    }
    if (n == 0) return GM_OK;
    gm_buf b = gm_buf_in(cx, a);
    gm_buf_printf(&b, "DESCRIBE %s", sql);
    GM_TRY(gm_buf_done(&b));
    GM_TRY(take_away(con, a));
    GM_TRY(why_not(con, a, b.p, &why));
    for (int64_t i = 0; why && i < n; i++) {
        GM_TRY(why_not_alone(con, a, suspects[i], &alone));
        if (i + 1 == n || (alone && strcmp(alone, why) == 0)) return unsteady(cx, suspects[i], "");
    }
    return GM_OK;
}

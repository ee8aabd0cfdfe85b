/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sql_table.c - tables that are a SELECT over others. Files named in FROM become tables of ours, so that CSV
 * is read by our rules there too. SQL that a pipeline brings is restricted: it sees the tables it declares,
 * and runs in a database that can open their files and nothing else.
 */
#include "source/csv/csv.h"
#include "source/sql/sql_calls.h"
#include "source/sql/sql_tree.h"
#include "source/table_own.h"
#include <string.h>
#include <strings.h>

typedef struct query {
    gm_arena *a;
    bool restricted;
    int n, cap;
    const char **name; /* of the tables it may use */
    gm_table **table;
    int own; /* the first `own` are the caller's, the others were opened here */
    gm_names ctes;
    gm_names lone;      /* names that may be hidden calls */
    const gm_doc *read; /* options for the CSV files that are opened here; NULL: none */
    bool read_meant;    /* there was one */
} query;

/* ---- checks ---- */

static gm_code open_file(gm_cx *cx, query *q, const char *path)
{
    bool meant;
    if (q->n == q->cap) {
        int cap = 2 * q->cap + 8;
        GM_GOT(cx, q->name = gm_regrow(cx, q->a, q->name, q->n, cap, sizeof *q->name));
        GM_GOT(cx, q->table = gm_regrow(cx, q->a, q->table, q->n, cap, sizeof *q->table));
        q->cap = cap;
    }
    GM_TRY(gm_table_from_file(cx, path, q->read, &meant, &q->table[q->n]));
    q->name[q->n++] = path;
    q->read_meant |= meant;
    return GM_OK;
}

static gm_code unknown_table(gm_cx *cx, const query *q, const char *name)
{
    const char *near = gm_nearest(name, q->name, q->n);
    gm_code code = gm_fail(cx, GM_ESQL, "there is no table '%s'", name);
    if (near) return gm_hint_add(cx, code, "did you mean '%s'?", near);
    return gm_hint_add(cx, code,
                       q->restricted ? "name its file under tables: in the source"
                                     : "give the table along, or put the path of a file in quotes");
}

static gm_code check_node(gm_cx *cx, void *arg, const gm_doc *node)
{
    static const char *const harmless[] = {"range", "generate_series", "unnest", "generate_subscripts"};
    query *q = arg;
    const char *fn = gm_sql_str(node, "function_name");
    if (strncasecmp(fn, "gm_", 3) == 0)
        return gm_fail(cx, GM_ESQL, "functions named gm_... are not for queries");
    if (gm_sql_is(node, "type", "TABLE_FUNCTION") && q->restricted) {
        fn = gm_sql_str(gm_doc_get(node, "function"), "function_name");
        for (int64_t i = 0; i < GM_COUNT(harmless); i++)
            if (strcasecmp(fn, harmless[i]) == 0) return GM_OK;
        return gm_hint_add(cx, gm_fail(cx, GM_ESQL, "a pipeline's SQL cannot call %s()", fn),
                           "name the file under tables: in the source");
    }
    if (q->restricted && gm_sql_is(node, "type", "SHOW_REF"))
        return gm_fail(cx, GM_ESQL, "a pipeline's SQL is a SELECT, not DESCRIBE, SHOW or SUMMARIZE");
    if (!gm_sql_is(node, "type", "BASE_TABLE")) return GM_OK;
    const char *name = gm_sql_str(node, "table_name");
    bool qualified = *gm_sql_str(node, "schema_name") || *gm_sql_str(node, "catalog_name");
    gm_names known = {.n = q->n, .v = q->name};
    if (!qualified && (gm_names_have(&q->ctes, name) || gm_names_have(&known, name))) return GM_OK;
    if (q->restricted) return unknown_table(cx, q, name);
    if (!qualified && gm_names_a_file(name)) return open_file(cx, q, name);
    return GM_OK;
}

/* ---- text ---- */

static gm_code sql_body(gm_cx *cx, const gm_table *t, gm_run *run, gm_buf *b)
{
    (void)cx, (void)run;
    for (int i = 0; i < t->n_deps; i++) {
        gm_buf_str(b, i ? ", " : "WITH ");
        gm_buf_ident(b, t->dep_name[i]);
        gm_buf_str(b, " AS NOT MATERIALIZED (SELECT * FROM ");
        gm_table_ident(b, t->dep[i]);
        gm_buf_str(b, ")");
    }
    gm_buf_printf(b, "%sSELECT * FROM (%s)", t->n_deps ? " " : "", t->sql);
    return b->code;
}

static gm_code sql_text(gm_cx *cx, const gm_table *t, gm_buf *b)
{
    (void)cx;
    const char *p = t->sql;
    size_t n = strlen(p);
    while (n && (p[n - 1] == '\n' || p[n - 1] == ' ')) n--;
    while (n && (*p == '\n' || *p == ' ')) p++, n--;
    gm_buf_add(b, p, n);
    return b->code;
}

const gm_table_kind gm_table_sql_kind = {.name = "sql", .body = sql_body, .text = sql_text};

/* ---- making ---- */

/* The names of the result as the user wrote them: wrapped in another SELECT, doubles would be renamed in
 * silence. */
static gm_code check_columns(gm_cx *cx, gm_arena *a, const gm_names *lone, const gm_table *t)
{
    gm_con *con;
    gm_grid g;
    gm_run run = {.arena = a, .unread = true};
    GM_TRY(gm_con_open(cx, a, t->db, &con));
    run.con = con;
    for (int i = 0; i < t->n_deps; i++) {
        gm_buf b = gm_buf_in(cx, a);
        gm_buf_str(&b, "CREATE OR REPLACE TEMP VIEW ");
        gm_buf_ident(&b, t->dep_name[i]);
        gm_buf_str(&b, " AS ");
        GM_TRY(gm_table_compose(cx, t->dep[i], &run, &b));
        gm_buf_str(&b, "SELECT * FROM ");
        gm_table_ident(&b, t->dep[i]);
        GM_TRY(gm_buf_done(&b));
        GM_TRY(gm_con_run(con, b.p, NULL));
    }
    gm_buf b = gm_buf_in(cx, a);
    gm_buf_printf(&b, "SELECT column_name FROM (DESCRIBE %s)", t->sql);
    GM_TRY(gm_buf_done(&b));
    GM_TRY(gm_con_grid(con, a, b.p, &g));
    GM_TRY(gm_sql_hidden_calls(con, a, t->sql, lone));
    return gm_names_distinct(cx, &(gm_names){.n = g.rows, .v = g.text}, "the SQL's result");
}

static gm_code locked_db(gm_cx *cx, query *q, gm_db **out)
{
    int64_t n = 0;
    const char **v;
    for (int i = 0; i < q->n; i++) {
        const gm_table **all;
        int m;
        GM_TRY(gm_table_all(cx, q->a, q->table[i], &all, &m));
        for (int k = 0; k < m; k++) n += all[k]->files.n;
    }
    GM_NEW_IN(cx, q->a, v, n);
    n = 0;
    for (int i = 0; i < q->n; i++) {
        const gm_table **all;
        int m;
        GM_TRY(gm_table_all(cx, q->a, q->table[i], &all, &m));
        for (int k = 0; k < m; k++) {
            if (all[k]->stays)
                return gm_hint_add(cx,
                                   gm_fail(cx, GM_EUSAGE,
                                           "%s is kept in the session's database, which this SQL cannot see",
                                           all[k]->label),
                                   "persist the result of the SQL instead");
            for (int64_t f = 0; f < all[k]->files.n; f++) v[n++] = all[k]->files.v[f];
        }
    }
    return gm_db_locked(cx, &(gm_names){.n = n, .v = v}, out);
}

static gm_code make(gm_cx *cx, query *q, const char *sql, gm_db *main, gm_table **out)
{
    gm_con *con;
    const gm_doc *node;
    char *text;
    gm_db *db;
    gm_table *t;
    GM_TRY(gm_con_open(cx, q->a, main, &con));
    GM_TRY(gm_sql_parse(con, q->a, sql, q->restricted ? GM_SQL_SELECT : GM_SQL_LOOK, &node, &text));
    GM_TRY(gm_sql_cte_names(cx, q->a, node, &q->ctes));
    GM_TRY(gm_sql_walk(cx, node, check_node, q));
    if (q->read && q->read->n > 0 && !q->read_meant)
        return gm_hint_add(
            cx, gm_fail(cx, GM_EPARAM, "the options of reading are for CSV files, and the SQL names none"),
            "name the file in quotes: FROM 'x.csv'");
    if (q->restricted) GM_TRY(gm_sql_calls(con, q->a, node, false, &q->lone));
    if (q->restricted) GM_TRY(locked_db(cx, q, &db));
    else db = gm_db_ref(q->n ? q->table[0]->db : main);
    for (int i = 0; i < q->n; i++) {
        if (q->restricted || q->table[i]->db == db) continue;
        gm_db_unref(db);
        return gm_fail(cx, GM_EUSAGE, "%s belongs to another session or to a locked pipeline",
                       q->table[i]->label);
    }
    gm_code code = gm_table_new(cx, &gm_table_sql_kind, db, "the query", q->table, q->n, &t);
    gm_db_unref(db);
    GM_TRY(code);
    t->sql = gm_strdup(cx, &t->kept, text);
    for (int i = 0; i < q->n && t->sql; i++)
        if ((t->dep_name[i] = gm_strdup(cx, &t->kept, q->name[i])) == NULL) t->sql = NULL;
    code = t->sql ? check_columns(cx, q->a, &q->lone, t) : gm_why_null(cx);
    if (code != GM_OK) return gm_table_unref(t), code;
    *out = t;
    return GM_OK;
}

static gm_code sql_table(gm_cx *cx, const char *sql, const char *const *names, gm_table *const *tables, int n,
                         const gm_doc *read, bool restricted, gm_table **out)
{
    gm_arena a = {0};
    gm_db *main;
    query q = {.a = &a, .restricted = restricted, .n = n, .cap = n, .own = n, .read = read};
    GM_TRY(gm_names_distinct(cx, &(gm_names){.n = n, .v = names}, "the tables of the SQL"));
    q.name = gm_alloc(cx, &a, n, sizeof *q.name);
    q.table = gm_alloc(cx, &a, n, sizeof *q.table);
    gm_code code = q.name && q.table ? gm_db_main(cx, &main) : gm_why_null(cx);
    if (code == GM_OK) {
        if (n) memcpy(q.name, names, (size_t)n * sizeof *names);
        if (n) memcpy(q.table, tables, (size_t)n * sizeof *tables);
        code = make(cx, &q, sql, main, out);
        for (int i = q.own; i < q.n; i++) gm_table_unref(q.table[i]);
        gm_db_unref(main);
    }
    gm_arena_end(&a);
    return code;
}

gm_code gm_table_from_sql(gm_cx *cx, const char *sql, const char *const *names, gm_table *const *tables,
                          int n, gm_table **out)
{
    return sql_table(cx, sql, names, tables, n, NULL, gm_locked(cx), out);
}

gm_code gm_table_from_query(gm_cx *cx, const gm_doc *source, gm_table **out)
{
    const char *sql;
    gm_arena a = {0};
    gm_doc options = *source, *child = gm_alloc(cx, &a, source->n, sizeof *child);
    if (child == NULL) return gm_arena_end(&a), gm_why_null(cx);
    options.child = child;
    options.n = 0;
    for (int64_t i = 0; i < source->n; i++)
        if (strcmp(source->child[i].key, "sql") != 0) child[options.n++] = source->child[i];
    gm_code code = gm_doc_str(cx, source, "sql", NULL, &sql);
    if (code == GM_OK && gm_doc_get(source, "path"))
        code = gm_fail(cx, GM_EPARAM, "a source has a path or sql, not both");
    if (code == GM_OK && sql == NULL) code = gm_fail(cx, GM_EPARAM, "sql: expected a text");
    if (code == GM_OK) code = sql_table(cx, sql, NULL, NULL, 0, &options, gm_locked(cx), out);
    gm_arena_end(&a);
    return code;
}

gm_code gm_table_from_pipeline(gm_cx *cx, const gm_doc *source, gm_table **out)
{
    static const char *const keys[] = {"tables", "sql", NULL};
    const gm_doc *tables = gm_doc_get(source, "tables");
    const char *sql, **names;
    gm_table **made;
    if (gm_doc_get(source, "sql") == NULL && tables == NULL) return gm_table_from_source(cx, source, out);
    GM_TRY(gm_doc_only(cx, source, "source", keys));
    GM_TRY(gm_doc_str(cx, source, "sql", NULL, &sql));
    if (sql == NULL || tables == NULL || tables->kind != GM_D_MAP || tables->n == 0)
        return gm_hint_add(
            cx,
            gm_fail(cx, GM_EPARAM, "%s: a source with SQL needs tables and sql", gm_doc_where(cx, source)),
            "tables: {flights: {path: flights.csv}}, sql: SELECT ... FROM flights");
    GM_NEW(cx, names, tables->n);
    GM_NEW(cx, made, tables->n);
    gm_code code = GM_OK;
    int n = 0;
    for (; n < tables->n && code == GM_OK; n++) {
        names[n] = tables->child[n].key;
        code = gm_table_from_source(cx, &tables->child[n], &made[n]);
        if (code != GM_OK) break;
    }
    if (code == GM_OK) code = gm_within(cx, sql_table(cx, sql, names, made, n, NULL, true, out), "source");
    for (int i = 0; i < n; i++) gm_table_unref(made[i]);
    return code;
}

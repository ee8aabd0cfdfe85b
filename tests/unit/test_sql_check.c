/* SPDX-License-Identifier: Apache-2.0 */
/* test_sql_check.c - SQL that comes along in a file: what works row by row passes, and nothing else. */
#include "source/sql/sql_calls.h"
#include "source/sql/sql_check.h"
#include "source/sql/sql_tree.h"
#include "tables.h"

static const gm_field fields[] = {{"a", "BIGINT", GM_CLASS_NUMBER},
                                  {"b", "DOUBLE", GM_CLASS_NUMBER},
                                  {"s", "VARCHAR", GM_CLASS_TEXT},
                                  {"odd name", "DATE", GM_CLASS_DATE}};
static const gm_columns in = {.n = 4, .field = fields};

static const char *joined(world *w, const gm_names *names)
{
    gm_buf b = gm_buf_in(w->cx, gm_scratch(w->cx));
    for (int64_t i = 0; i < names->n; i++) gm_buf_printf(&b, "%s%s", i ? "," : "", names->v[i]);
    assert_int_equal(gm_buf_done(&b), GM_OK);
    return b.p;
}

static void passes(void **state, const char *sql, const char *reads, const char *makes, int64_t n,
                   bool filters)
{
    world *w = *state;
    gm_sql_rows r;
    gm_cx_begin(w->cx);
    if (gm_sql_rowwise(w->cx, gm_scratch(w->cx), sql, &in, &r) != GM_OK)
        fail_msg("%s: %s", sql, gm_cx_message(w->cx));
    assert_string_equal(joined(w, &r.reads), reads);
    assert_string_equal(joined(w, &r.makes), makes);
    assert_int_equal(r.out.n, n);
    assert_int_equal(r.filters, filters);
}

static void test_passes(void **state)
{
    passes(state, "SELECT *, a / b AS ratio FROM __THIS__ WHERE a > 0;", "a,b,s,odd name", "ratio", 5, true);
    passes(state, "SELECT a, lower(s) AS s FROM __THIS__ -- as it is", "a,s", "s", 2, false);
    passes(state, "SELECT * REPLACE (b + 1 AS b) FROM __this__", "a,b,s,odd name", "b", 4, false);
    passes(state, "FROM __THIS__ SELECT b AS a, a AS b", "a,b", "a,b", 2, false);
    passes(state,
           "SELECT CASE WHEN s IN ('x', ';') THEN 1 ELSE 0 END AS x, CAST(a AS VARCHAR) AS t, "
           "date_part('year', \"odd name\") AS y, nullif(a, 3) AS z FROM __THIS__",
           "a,s,odd name", "x,t,y,z", 4, false);
    passes(state, "SELECT age(\"odd name\", DATE '2020-01-01') AS g, pi() AS p, [] AS e FROM __THIS__",
           "odd name", "g,p,e", 3, false);
    passes(state, "SELECT list_sum(list_transform([a, 2], lambda v: v + 1)) AS l FROM __THIS__", "a", "l", 1,
           false);
}

static void test_refused(void **state)
{
    static const struct {
        const char *sql, *part;
    } bad[] = {
        {"SELECT sum(a) FROM __THIS__", "sum() is an aggregate"},
        {"SELECT wavg(a, b) FROM __THIS__", "aggregate"},
        {"SELECT lag(a) OVER () FROM __THIS__", "window"},
        {"SELECT a FROM __THIS__ ORDER BY a", "ORDER BY"},
        {"SELECT a FROM __THIS__ LIMIT 1", "LIMIT"},
        {"SELECT DISTINCT a FROM __THIS__", "DISTINCT"},
        {"SELECT a FROM __THIS__ GROUP BY a", "GROUP BY"},
        {"SELECT a FROM __THIS__ GROUP BY ALL", "GROUP BY"},
        {"SELECT a FROM __THIS__ UNION ALL SELECT a FROM __THIS__", "union"},
        {"WITH x AS (SELECT 1) SELECT a FROM __THIS__", "WITH"},
        {"SELECT a, (SELECT 1) FROM __THIS__", "subquery"},
        {"SELECT a FROM __THIS__ WHERE a IN (SELECT 2)", "subquery"},
        {"SELECT a FROM __THIS__ WHERE EXISTS (FROM read_text('/etc/passwd'))", "subquery"},
        {"SELECT a FROM __THIS__, range(3)", "join"},
        {"SELECT a FROM 'x.csv'", "FROM __THIS__"},
        {"SELECT * FROM read_csv('x.csv')", "FROM __THIS__"},
        {"SELECT 1", "FROM __THIS__"},
        {"SELECT a FROM __THIS__ TABLESAMPLE 10%", "sample"},
        {"SELECT random() FROM __THIS__", "random() does not give the same"},
        {"SELECT now() FROM __THIS__", "now() does not give the same"},
        {"SELECT current_setting('threads') FROM __THIS__", "current_setting() does not give the same"},
        {"SELECT current_date FROM __THIS__", "current_date does not give the same"},
        {"SELECT a FROM __THIS__ WHERE \"odd name\" < CURRENT_DATE", "CURRENT_DATE does not give the same"},
        {"SELECT current_timestamp AS t FROM __THIS__", "current_timestamp does not give the same"},
        {"SELECT a AS \"user\", session_user AS u FROM __THIS__", "session_user does not give the same"},
        {"SELECT [localtime] AS l FROM __THIS__", "localtime does not give the same"},
        {"SELECT age(\"odd name\") FROM __THIS__", "age() of one date does not give the same"},
        {"SELECT \"odd name\".age() FROM __THIS__", "age() of one date does not give the same"},
        {"SELECT version() FROM __THIS__", "version() does not give the same"},
        {"SELECT main.nextval('s') FROM __THIS__", "nextval() does not give the same"},
        {"SELECT ago(INTERVAL 1 DAY) FROM __THIS__", "current_timestamp does not give the same"},
        {"SELECT pg_sleep(1) FROM __THIS__", "pg_sleep(): sleep_ms() does not give the same"},
        {"SELECT list_transform([a], lambda v: v + random()) FROM __THIS__", "random() does not give"},
        {"SELECT unnest([1, 2]) FROM __THIS__", "unnest() is not allowed"},
        {"SELECT gm_push(1::UBIGINT) FROM __THIS__", "gm_"},
        {"SELECT #1 FROM __THIS__", "number"},
        {"SELECT $1 FROM __THIS__", "parameter"},
        {"SELECT a FROM __THIS__; SELECT 2", "2 statements"},
        {"COPY __THIS__ TO 'x'", "another statement"},
        {"SELEC a", "syntax error"},
        {"SELECT nope FROM __THIS__", "nope"},
        {"SELECT a, b AS a FROM __THIS__", "two columns are called 'a'"},
        {"", "0 statements"},
    };
    world *w = *state;
    for (int64_t i = 0; i < GM_COUNT(bad); i++) {
        gm_sql_rows r;
        gm_cx_begin(w->cx);
        gm_code code = gm_sql_rowwise(w->cx, gm_scratch(w->cx), bad[i].sql, &in, &r);
        if (code != GM_ESQL && code != GM_ESCHEMA) fail_msg("%s: %s", bad[i].sql, gm_code_name(code));
        if (strstr(gm_cx_message(w->cx), bad[i].part) == NULL)
            fail_msg("%s: \"%s\" does not say \"%s\"", bad[i].sql, gm_cx_message(w->cx), bad[i].part);
    }
}

/* What the rules let through of sql, a SELECT: "" or the failure. */
static const char *called(world *w, gm_con *con, const char *sql)
{
    const gm_doc *node;
    char *text;
    gm_names lone;
    gm_cx_forget(w->cx);
    gm_code code = gm_sql_parse(con, gm_scratch(w->cx), sql, GM_SQL_SELECT, &node, &text);
    if (code == GM_OK) code = gm_sql_calls(con, gm_scratch(w->cx), node, false, &lone);
    if (code == GM_OK) code = gm_sql_hidden_calls(con, gm_scratch(w->cx), sql, &lone);
    return code == GM_OK ? "" : gm_cx_message(w->cx);
}

/* All functions of the database, so that one that a new version brings is held to the same rules. */
static const char every[] =
    "WITH f AS (SELECT function_name AS name, function_type AS type, stability, len(parameters) AS n, "
    "varargs, macro_definition AS macro FROM duckdb_functions() WHERE function_type IN ('scalar', 'macro') "
    "AND NOT starts_with(function_name, 'gm_')) ";

static void each_refused(world *w, gm_con *con, const char *where, int least)
{
    gm_grid g;
    gm_buf b = gm_buf_in(w->cx, gm_scratch(w->cx));
    gm_buf_printf(&b,
                  "%sSELECT DISTINCT format('SELECT \"{}\"({})', name, "
                  "if(n > 0, repeat('NULL, ', n - 1) || 'NULL', '')), name "
                  "FROM f WHERE %s ORDER BY ALL",
                  every, where);
    assert_int_equal(gm_buf_done(&b), GM_OK);
    gm_cx_forget(w->cx);
    if (gm_con_grid(con, gm_scratch(w->cx), b.p, &g) != GM_OK) fail_msg("%s", gm_cx_message(w->cx));
    assert_true(g.rows >= least);
    for (int64_t i = 0; i < g.rows; i++)
        if (strstr(called(w, con, gm_grid_at(&g, i, 0)), "does not give the same") == NULL)
            fail_msg("%s: \"%s\"", gm_grid_at(&g, i, 0), gm_cx_message(w->cx));
}

static void test_every_function(void **state)
{
    world *w = *state;
    gm_db *db;
    gm_con *con;
    gm_grid g;
    gm_arena a = {0};
    assert_int_equal(gm_db_locked(w->cx, &(gm_names){0}, &db), GM_OK);
    assert_int_equal(gm_con_open(w->cx, &a, db, &con), GM_OK);
    each_refused(w, con, "type = 'scalar' AND stability <> 'CONSISTENT'", 25);
    /* Constants, and what builds a list or map of nothing; the rest looks around. */
    static const char alone[] =
        "n = 0 AND varargs IS NULL AND name NOT IN ('pi', 'map', 'list_value', 'list_pack')";
    each_refused(w, con, alone, 30);
    each_refused(w, con,
                 "regexp_matches(name, '(^|_)(now|today|current|local|user|session|setting|variable|env|rand|"
                 "random|clock|connection|transaction)(_|$)')",
                 20);
    gm_cx_forget(w->cx);
    /* By the same names without brackets, all that binds. */
    gm_buf b = gm_buf_in(w->cx, gm_scratch(w->cx));
    gm_buf_printf(&b,
                  "%sSELECT DISTINCT unnest([name, replace(name, 'get_', ''), replace(name, 'current_', "
                  "'')]) FROM f WHERE %s",
                  every, alone);
    assert_int_equal(gm_buf_done(&b), GM_OK);
    assert_int_equal(gm_con_grid(con, gm_scratch(w->cx), b.p, &g), GM_OK);
    int n = 0;
    assert_true(g.rows > 0);
    for (int64_t i = 0; i < g.rows; i++) {
        char sql[200];
        gm_arena closing = {0}; /* a connection each: asking takes functions away */
        snprintf(sql, sizeof sql, "SELECT \"%s\"", gm_grid_at(&g, i, 0));
        gm_con *own;
        gm_cx_forget(w->cx);
        assert_int_equal(gm_con_open(w->cx, &closing, db, &own), GM_OK);
        bool value = gm_con_run(own, sql, NULL) == GM_OK;
        const char *why = called(w, own, sql);
        if (value != (strstr(why, "does not give the same") != NULL)) fail_msg("%s: \"%s\"", sql, why);
        n += value;
        gm_arena_end(&closing);
    }
    assert_true(n >= 9);
    /* The others are allowed. */
    gm_cx_forget(w->cx);
    b = gm_buf_in(w->cx, gm_scratch(w->cx));
    gm_buf_printf(&b,
                  "%sSELECT DISTINCT format('SELECT \"{}\"(1, 2, 3)', name) FROM f WHERE type = 'scalar' AND "
                  "name NOT IN (SELECT name FROM f WHERE stability <> 'CONSISTENT') AND name NOT IN "
                  "('current_setting', 'getvariable', 'vector_type')",
                  every);
    assert_int_equal(gm_buf_done(&b), GM_OK);
    assert_int_equal(gm_con_grid(con, gm_scratch(w->cx), b.p, &g), GM_OK);
    assert_true(g.rows > 300);
    gm_buf all = gm_buf_in(w->cx, gm_scratch(w->cx));
    for (int64_t i = 0; i < g.rows; i++)
        gm_buf_printf(&all, "%s%s", i ? ", " : "SELECT ", gm_grid_at(&g, i, 0) + strlen("SELECT "));
    assert_int_equal(gm_buf_done(&all), GM_OK);
    assert_string_equal(called(w, con, all.p), "");
    gm_arena_end(&a);
    gm_db_unref(db);
}

static void test_over_a_table(void **state)
{
    world *w = *state;
    gm_table *t = csv(w, "a,b\n1,2\n3,4\n", ""), *made = NULL;
    assert_int_equal(gm_table_rowwise(w->cx, t, "SELECT *, a * b AS p FROM __THIS__ WHERE a > 1;", &made),
                     GM_OK);
    gm_table_unref(t);
    assert_string_equal(rows_of(w, made, NULL), "3|4|12;");
    gm_table_unref(made);
}

/* A pipeline's source: its SQL reads the tables declared, and nothing else. */
static gm_code pipeline(world *w, const char *sql, gm_table **out)
{
    char json[1024];
    gm_doc *doc;
    gm_cx_begin(w->cx);
    int n = snprintf(
        json, sizeof json,
        "{\"tables\": {\"t\": {\"path\": \"%s/t.csv\"}, \"u\": {\"path\": \"%s/u.csv\"}}, \"sql\": \"%s\"}",
        w->dir, w->dir, sql);
    gm_code code = gm_doc_json(w->cx, gm_scratch(w->cx), json, (size_t)n, "pipeline", &doc);
    return code == GM_OK ? gm_table_from_pipeline(w->cx, doc, out) : code;
}

static void test_pipeline(void **state)
{
    world *w = *state;
    gm_table *t = NULL;
    put_text(w, "t.csv", "k,x\n1,5\n2,6\n");
    put_text(w, "u.csv", "k,y\n1,7\n3,8\n");
    put_text(w, "secret.csv", "p\n1\n");
    if (pipeline(
            w, "WITH both_ AS (SELECT * FROM t JOIN u USING (k)) SELECT k, x + y AS z FROM both_ ORDER BY k",
            &t) != GM_OK)
        fail_msg("%s", gm_cx_message(w->cx));
    assert_string_equal(rows_of(w, t, NULL), "1|12;");
    gm_table_unref(t);
    char from_file[256];
    snprintf(from_file, sizeof from_file, "SELECT * FROM '%s/secret.csv'", w->dir);
    expect_message(w, pipeline(w, from_file, &t), GM_ESQL, "there is no table", "tables:");
    expect_message(w, pipeline(w, "SELECT * FROM tt", &t), GM_ESQL, "there is no table 'tt'",
                   "did you mean 't'");
    expect_message(w, pipeline(w, "SELECT * FROM read_text('/etc/passwd')", &t), GM_ESQL,
                   "cannot call read_text()", "tables:");
    expect_message(w, pipeline(w, "SELECT * FROM t, glob('/*')", &t), GM_ESQL, "cannot call glob()", "");
    expect_message(w, pipeline(w, "SELECT current_setting('temp_directory') FROM t", &t), GM_ESQL,
                   "current_setting", "");
    expect_message(w, pipeline(w, "COPY t TO '/tmp/x'", &t), GM_ESQL, "another statement",
                   "start with SELECT, FROM or WITH");
    expect_message(w, pipeline(w, "SELECT * FROM t WHERE random() < 0.5", &t), GM_ESQL,
                   "source: random() does not give the same each time", "write the value itself");
    expect_message(w, pipeline(w, "SELECT x, current_date AS today FROM t", &t), GM_ESQL,
                   "source: current_date does not give the same each time", "");
    expect_message(
        w,
        pipeline(w,
                 "SELECT x, current_date::DATE AS d, \\\"user\\\" FROM (SELECT *, 1 AS \\\"user\\\" FROM t)",
                 &t),
        GM_ESQL, "source: current_date does not", "");
    expect_message(w, pipeline(w, "SELECT x FROM t USING SAMPLE 1 ROWS", &t), GM_ESQL, "without a seed",
                   "hash(id)");
    if (pipeline(w,
                 "WITH v AS (SELECT x AS current_date FROM t) SELECT current_date AS \\\"user\\\" FROM v "
                 "USING SAMPLE reservoir(9 ROWS) REPEATABLE (1)",
                 &t) != GM_OK)
        fail_msg("%s", gm_cx_message(w->cx));
    assert_int_equal(strlen(rows_of(w, t, NULL)), 4);
    gm_table_unref(t);
    expect_message(w, pipeline(w, "SELECT xx FROM t", &t), GM_ESQL, "xx", "\"x\"");
}

/* The second wall: what the checks might miss, the database itself refuses. */
static void test_locked_database(void **state)
{
    world *w = *state;
    gm_db *db;
    gm_con *con;
    gm_arena a = {0};
    static const char *const forbidden[] = {"SELECT * FROM read_text('/etc/passwd')",
                                            "COPY (SELECT 1) TO '/tmp/gm-x.csv'",
                                            "ATTACH '/tmp/gm-x.db'",
                                            "LOAD httpfs",
                                            "INSTALL httpfs",
                                            "SET threads = 7",
                                            "SELECT * FROM glob('/*')"};
    assert_int_equal(gm_db_locked(w->cx, &(gm_names){0}, &db), GM_OK);
    assert_int_equal(gm_con_open(w->cx, &a, db, &con), GM_OK);
    for (int64_t i = 0; i < GM_COUNT(forbidden); i++) {
        gm_cx_forget(w->cx);
        if (gm_con_run(con, forbidden[i], NULL) == GM_OK) fail_msg("%s is allowed", forbidden[i]);
    }
    gm_arena_end(&a);
    gm_db_unref(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_passes, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_refused, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_every_function, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_over_a_table, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_pipeline, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_locked_database, world_begin, world_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

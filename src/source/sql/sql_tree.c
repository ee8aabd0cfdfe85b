/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sql_tree.c - SQL text to a tree, by the database's parser, so that checks see what will run and nothing
 * else.
 */
#include "source/sql/sql_tree.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The end of a quoted text that begins at p[i] with quote. */
static size_t skip_quoted(const char *p, size_t i, char quote)
{
    for (i++; p[i]; i++) {
        if (p[i] != quote) continue;
        if (p[i + 1] != quote) return i + 1;
        i++;
    }
    return i;
}

static size_t skip_comment(const char *p, size_t i)
{
    int depth = 0;
    do {
        if (p[i] == '/' && p[i + 1] == '*') depth++, i += 2;
        else if (p[i] == '*' && p[i + 1] == '/') depth--, i += 2;
        else i++;
    } while (p[i] && depth > 0);
    return i;
}

/* $tag$ ... $tag$; i when it is none. */
static size_t skip_dollars(const char *p, size_t i)
{
    size_t n = 1 + strcspn(p + i + 1, "$ \t\r\n'\"();");
    if (p[i + n] != '$') return i + 1;
    char *close = NULL;
    for (const char *at = p + i + n + 1; *at && close == NULL; at++)
        if (strncmp(at, p + i, n + 1) == 0) close = (char *)(uintptr_t)at;
    return close ? (size_t)(close - p) + n + 1 : strlen(p);
}

/* Length of the first statement, without its semicolon. */
static size_t first_statement(const char *p)
{
    size_t i = 0;
    while (p[i] && p[i] != ';') {
        if (p[i] == '\'' || p[i] == '"') i = skip_quoted(p, i, p[i]);
        else if (p[i] == '-' && p[i + 1] == '-') i += strcspn(p + i, "\n");
        else if (p[i] == '/' && p[i + 1] == '*') i = skip_comment(p, i);
        else if (p[i] == '$') i = skip_dollars(p, i);
        else i++;
    }
    return i;
}

/* Where the first word stands, behind blanks and comments; *n is its length. */
static size_t first_word(const char *p, size_t *n)
{
    size_t i = 0;
    for (;;) {
        i += strspn(p + i, " \t\r\n");
        if (p[i] == '-' && p[i + 1] == '-') i += strcspn(p + i, "\n");
        else if (p[i] == '/' && p[i + 1] == '*') i = skip_comment(p, i);
        else break;
    }
    *n = strcspn(p + i, " \t\r\n'\"(;");
    return i;
}

static bool word_is(const char *p, size_t n, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == n && strncasecmp(p, *words, n) == 0) return true;
    return false;
}

/* Whether the word stands in the first statement, outside of quotes and comments. */
static bool holds_word(const char *sql, const char *word)
{
    const char *const words[] = {word, NULL};
    size_t n, end = first_statement(sql);
    for (size_t i = first_word(sql, &n); i < end; i += first_word(sql + i, &n)) {
        if (word_is(sql + i, n, words)) return true;
        i += n;
        if (sql[i] == '\'' || sql[i] == '"') i = skip_quoted(sql, i, sql[i]);
        else if (sql[i]) i++;
    }
    return false;
}

/* Another statement than a SELECT, or more than one: PIVOT asks for its values first. */
static gm_code no_select(gm_cx *cx, const char *sql, gm_sql_kind kind)
{
    static const char *const queries[] = {"PIVOT", "SELECT", "FROM", "WITH", "", NULL}, /* "": in brackets */
        *const plans[] = {"EXPLAIN", NULL};
    size_t n, at = first_word(sql, &n);
    if (word_is(sql + at, n, queries) && holds_word(sql, "PIVOT"))
        return gm_hint_add(
            cx,
            gm_fail(
                cx, GM_ESQL,
                "PIVOT without a list of values is several statements, and a table is made by one SELECT"),
            "name the values: SELECT * FROM (PIVOT t ON column IN (1, 2) USING count(*)); SELECT DISTINCT "
            "column lists them");
    if (word_is(sql + at, n, plans))
        return gm_hint_add(cx, gm_fail(cx, GM_ESQL, "EXPLAIN tells of a query and gives no table"),
                           "run the SELECT itself; DESCRIBE SELECT ... shows the columns it gives");
    return gm_hint_add(cx,
                       gm_fail(cx, GM_ESQL, "a table is made by one SELECT, and this is another statement"),
                       kind == GM_SQL_LOOK ? "start with SELECT, FROM, WITH, DESCRIBE or SUMMARIZE"
                                           : "start with SELECT, FROM or WITH");
}

static gm_code parse_error(gm_cx *cx, const char *sql, gm_sql_kind kind, const gm_doc *answer)
{
    const char *why = gm_sql_str(answer, "error_message"), *at = gm_sql_str(answer, "position");
    if (strcmp(gm_sql_str(answer, "error_type"), "not implemented") == 0) return no_select(cx, sql, kind);
    if (*at == 0) return gm_fail(cx, GM_ESQL, "%s", why);
    size_t end = (size_t)atoll(at), line = 1, column = 1;
    for (size_t i = 0; i < end && sql[i]; i++, column++)
        if (sql[i] == '\n') line++, column = 0;
    return gm_fail(cx, GM_ESQL, "line %zu, column %zu of the SQL: %s", line, column, why);
}

/* DESCRIBE, SUMMARIZE and SHOW as a SELECT over what they answer, with FROM in front of the name of a table
 * or file, which then is looked up as in any query. Other SQL as it is. */
static gm_code as_select(gm_cx *cx, gm_arena *a, const char *sql, const char **out)
{
    static const char *const looks[] = {"DESCRIBE", "DESC", "SUMMARIZE", "SHOW", NULL},
                             *const lists[] = {"TABLES", "ALL", NULL}, *const shows[] = {"SHOW", NULL},
                             *const queries[] = {"SELECT", "FROM",  "WITH",    "VALUES",
                                                 "TABLE",  "PIVOT", "UNPIVOT", NULL};
    size_t word, next, n = first_statement(sql), at = first_word(sql, &word);
    *out = sql;
    if (!word_is(sql + at, word, looks)) return GM_OK;
    size_t rest = at + word, begin = rest + first_word(sql + rest, &next);
    bool named = !word_is(sql + at, word, shows) && sql[begin] && sql[begin] != '(' && sql[begin] != ';' &&
                 !word_is(sql + begin, next, queries);
    if (sql[n + strspn(sql + n, "; \t\r\n")]) return GM_OK; /* more statements: told as such */
    bool list = sql[begin] == '\0' || sql[begin] == ';' ||  /* SHOW and DESCRIBE alone list the tables too */
                (word_is(sql + at, word, shows) && word_is(sql + begin, next, lists));
    GM_GOT(cx, *out = gm_format(cx, a, "SELECT * FROM (%.*s%s%.*s\n)%s", (int)rest, sql, named ? " FROM" : "",
                                (int)(n - rest), sql + rest,
                                list ? " WHERE name <> 'gm out'" : "")); /* where the answer is put */
    return GM_OK;
}

gm_code gm_sql_parse(gm_con *con, gm_arena *a, const char *sql, gm_sql_kind kind, const gm_doc **node,
                     char **text)
{
    gm_cx *cx = con->cx;
    gm_grid g;
    GM_TRY(as_select(cx, a, sql, &sql));
    gm_doc *answer;
    gm_buf b = gm_buf_in(cx, a);
    gm_buf_str(&b, "SELECT json_serialize_sql(");
    gm_buf_literal(&b, sql);
    gm_buf_str(&b, ")::VARCHAR");
    GM_TRY(gm_buf_done(&b));
    GM_TRY(gm_con_grid(con, a, b.p, &g));
    const char *json = gm_grid_at(&g, 0, 0);
    GM_TRY(gm_doc_json(cx, a, json, strlen(json), "the SQL", &answer));
    const gm_doc *bad = gm_doc_get(answer, "error"), *all = gm_doc_get(answer, "statements");
    if (bad == NULL || bad->b) return parse_error(cx, sql, kind, answer);
    if (all == NULL || all->n != 1)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_ESQL, "one SELECT is expected, and there are %lld statements",
                                   (long long)(all ? all->n : 0)),
                           "make a table of each");
    *node = gm_doc_get(&all->child[0], "node");
    if (*node == NULL) return gm_fail(cx, GM_ESQL, "the SQL cannot be read");
    GM_GOT(cx, *text = gm_format(cx, a, "\n%.*s\n", (int)first_statement(sql), sql));
    return GM_OK;
}

gm_code gm_sql_walk(gm_cx *cx, const gm_doc *d, gm_code (*visit)(gm_cx *cx, void *arg, const gm_doc *node),
                    void *arg)
{
    if (d->kind == GM_D_MAP) GM_TRY(visit(cx, arg, d));
    if (d->kind != GM_D_MAP && d->kind != GM_D_LIST) return GM_OK;
    for (int64_t i = 0; i < d->n; i++) GM_TRY(gm_sql_walk(cx, &d->child[i], visit, arg));
    return GM_OK;
}

const char *gm_sql_str(const gm_doc *node, const char *key)
{
    const gm_doc *d = gm_doc_get(node, key);
    return d && d->kind == GM_D_STR ? d->str : "";
}

bool gm_sql_is(const gm_doc *node, const char *key, const char *value)
{
    return strcmp(gm_sql_str(node, key), value) == 0;
}

typedef struct gather {
    gm_arena *a;
    const char **v;
    int64_t n, cap;
} gather;

static gm_code add_name(gm_cx *cx, gather *g, const char *s)
{
    if (g->n == g->cap) {
        int64_t cap = g->cap ? 2 * g->cap : 8;
        const char **v = gm_regrow(cx, g->a, g->v, g->n, cap, sizeof *v);
        GM_GOT(cx, v);
        g->v = v;
        g->cap = cap;
    }
    g->v[g->n++] = s;
    return GM_OK;
}

static gm_code cte(gm_cx *cx, void *arg, const gm_doc *node)
{
    const gm_doc *map = gm_doc_get(gm_doc_get(node, "cte_map"), "map");
    for (int64_t i = 0; map && i < map->n; i++) GM_TRY(add_name(cx, arg, gm_sql_str(&map->child[i], "key")));
    if (*gm_sql_str(node, "cte_name")) GM_TRY(add_name(cx, arg, gm_sql_str(node, "cte_name")));
    return GM_OK;
}

gm_code gm_sql_cte_names(gm_cx *cx, gm_arena *a, const gm_doc *d, gm_names *out)
{
    gather g = {.a = a};
    GM_TRY(gm_sql_walk(cx, d, cte, &g));
    *out = (gm_names){.n = g.n, .v = g.v};
    return GM_OK;
}

bool gm_names_have(const gm_names *names, const char *s)
{
    for (int64_t i = 0; i < names->n; i++)
        if (strcasecmp(names->v[i], s) == 0) return true;
    return false;
}

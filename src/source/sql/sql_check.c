/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sql_check.c - see sql_check.h. What is not known to work row by row is refused: the model applies the
 * statement to one row as well as to a million, and must get the same from it.
 */
#include "source/sql/sql_check.h"
#include "source/sql/sql_calls.h"
#include "source/sql/sql_tree.h"
#include "source/table_own.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct check {
    gm_con *con;
    gm_arena *a;
    gm_names lone;     /* names that may be hidden calls */
    bool all;          /* * stands somewhere */
    const char **seen; /* column names */
    int64_t n, cap;
    const char **made; /* names given to what is computed */
    int64_t n_made, made_cap;
} check;

static gm_code refuse(gm_cx *cx, const char *fmt, const char *what)
{
    char text[256];
    snprintf(text, sizeof text, fmt, what);
    return gm_sql_rowwise_hint(cx, gm_fail(cx, GM_ESQL, "%s", text));
}

static gm_code push_name(gm_cx *cx, gm_arena *a, const char ***v, int64_t *n, int64_t *cap, const char *name)
{
    if (*n == *cap) {
        int64_t more = *cap ? 2 * *cap : 16;
        const char **grown = gm_regrow(cx, a, *v, *n, more, sizeof *grown);
        GM_GOT(cx, grown);
        *v = grown;
        *cap = more;
    }
    (*v)[(*n)++] = name;
    return GM_OK;
}

/* ---- expressions ---- */

static gm_code visit(gm_cx *cx, void *arg, const gm_doc *node)
{
    check *c = arg;
    const char *class = gm_sql_str(node, "class");
    if (*class == 0) return GM_OK;
    if (strcmp(class, "SUBQUERY") == 0) return refuse(cx, "a %s does not work row by row", "subquery");
    if (strcmp(class, "WINDOW") == 0)
        return refuse(cx, "the window %s() does not work row by row", gm_sql_str(node, "function_name"));
    if (strcmp(class, "PARAMETER") == 0) return refuse(cx, "a %s has no value here", "parameter");
    if (strcmp(class, "POSITIONAL_REFERENCE") == 0)
        return refuse(cx, "%s: name the column", "a column by its number");
    if (strcmp(class, "STAR") == 0) c->all = true;
    if (strcmp(class, "COLUMN_REF") == 0) {
        const gm_doc *names = gm_doc_get(node, "column_names");
        for (int64_t i = 0; names && i < names->n; i++)
            GM_TRY(push_name(cx, c->a, &c->seen, &c->n, &c->cap, names->child[i].str));
    }
    return GM_OK;
}

/* ---- the statement ---- */

static bool empty(const gm_doc *d)
{
    return d == NULL || d->kind == GM_D_NULL || (d->kind == GM_D_LIST && d->n == 0);
}

static gm_code check_select(gm_cx *cx, const gm_doc *node)
{
    static const struct {
        const char *key, *what;
    } absent[] = {{"group_expressions", "GROUP BY"},
                  {"group_sets", "GROUP BY"},
                  {"having", "HAVING"},
                  {"qualify", "QUALIFY"},
                  {"sample", "a sample"}};
    if (!gm_sql_is(node, "type", "SELECT_NODE"))
        return refuse(cx, "%s of two SELECTs does not work row by row", "a union");
    const gm_doc *modifiers = gm_doc_get(node, "modifiers"),
                 *ctes = gm_doc_get(gm_doc_get(node, "cte_map"), "map");
    if (!empty(modifiers)) {
        const char *type = gm_sql_str(&modifiers->child[0], "type");
        return refuse(cx, "%s does not work row by row",
                      strncmp(type, "ORDER", 5) == 0      ? "ORDER BY"
                      : strncmp(type, "DISTINCT", 8) == 0 ? "DISTINCT"
                                                          : "LIMIT");
    }
    if (!empty(ctes)) return refuse(cx, "%s reads another table", "WITH");
    for (int64_t i = 0; i < GM_COUNT(absent); i++)
        if (!empty(gm_doc_get(node, absent[i].key)))
            return refuse(cx, "%s does not work row by row", absent[i].what);
    if (gm_sql_is(node, "aggregate_handling", "FORCE_AGGREGATES"))
        return refuse(cx, "%s does not work row by row", "GROUP BY");
    const gm_doc *from = gm_doc_get(node, "from_table");
    if (gm_sql_is(from, "type", "JOIN")) return refuse(cx, "%s does not work row by row", "a join");
    if (!gm_sql_is(from, "type", "BASE_TABLE") ||
        strcasecmp(gm_sql_str(from, "table_name"), "__THIS__") != 0 || *gm_sql_str(from, "schema_name") ||
        !empty(gm_doc_get(from, "at_clause")))
        return gm_hint_add(cx,
                           gm_fail(cx, GM_ESQL, "the statement must read FROM __THIS__, and nothing else"),
                           "SELECT *, a / b AS ratio FROM __THIS__");
    if (!empty(gm_doc_get(from, "sample"))) return refuse(cx, "%s does not work row by row", "a sample");
    return GM_OK;
}

/* Names of columns that are computed, or renamed. */
static gm_code made_names(gm_cx *cx, check *c, const gm_doc *list)
{
    for (int64_t i = 0; i < list->n; i++) {
        const gm_doc *e = &list->child[i], *replaced = gm_doc_get(e, "replace_list");
        const char *alias = gm_sql_str(e, "alias");
        const gm_doc *ref = gm_sql_is(e, "class", "COLUMN_REF") ? gm_doc_get(e, "column_names") : NULL;
        bool same = ref && ref->n && (*alias == 0 || strcasecmp(alias, ref->child[ref->n - 1].str) == 0);
        if (*alias && !same) GM_TRY(push_name(cx, c->a, &c->made, &c->n_made, &c->made_cap, alias));
        for (int64_t k = 0; replaced && k < replaced->n; k++)
            GM_TRY(push_name(cx, c->a, &c->made, &c->n_made, &c->made_cap,
                             gm_sql_str(&replaced->child[k], "key")));
    }
    return GM_OK;
}

/* ---- columns ---- */

/* Of the lone names those that are no column. */
static gm_code unknown_names(gm_cx *cx, check *c, const gm_columns *in)
{
    const char **v;
    int64_t n = 0;
    GM_NEW_IN(cx, c->a, v, c->lone.n);
    for (int64_t i = 0; i < c->lone.n; i++)
        if (gm_columns_find(in, c->lone.v[i]) < 0) v[n++] = c->lone.v[i];
    c->lone = (gm_names){.n = n, .v = v};
    return GM_OK;
}

static gm_code bind_columns(gm_cx *cx, check *c, const char *text, const gm_columns *in, gm_columns *out)
{
    gm_grid g;
    gm_field *f;
    gm_buf b = gm_buf_in(cx, c->a);
    gm_buf_str(&b, "CREATE TEMP TABLE \"__THIS__\" (");
    for (int64_t i = 0; i < in->n; i++) {
        if (i) gm_buf_str(&b, ", ");
        gm_buf_ident(&b, in->field[i].name);
        gm_buf_printf(&b, " %s", strcmp(in->field[i].type, "\"NULL\"") == 0 ? "VARCHAR" : in->field[i].type);
    }
    gm_buf_str(&b, ")");
    GM_TRY(gm_buf_done(&b));
    GM_TRY(gm_con_run(c->con, b.p, NULL));
    b = gm_buf_in(cx, c->a);
    gm_buf_printf(&b, "SELECT column_name, column_type FROM (DESCRIBE %s)", text);
    GM_TRY(gm_buf_done(&b));
    GM_TRY(gm_con_grid(c->con, c->a, b.p, &g));
    GM_TRY(gm_sql_hidden_calls(c->con, c->a, text, &c->lone));
    GM_NEW_IN(cx, c->a, f, g.rows);
    const char **names;
    GM_NEW_IN(cx, c->a, names, g.rows);
    for (int64_t i = 0; i < g.rows; i++) {
        f[i] = (gm_field){.name = gm_grid_at(&g, i, 0),
                          .type = gm_grid_at(&g, i, 1),
                          .cls = gm_class_of(gm_grid_at(&g, i, 1))};
        names[i] = f[i].name;
    }
    *out = (gm_columns){.n = g.rows, .field = f};
    return gm_names_distinct(cx, &(gm_names){.n = g.rows, .v = names}, "the statement's result");
}

static gm_code sort_out(gm_cx *cx, const check *c, const gm_columns *in, gm_sql_rows *out)
{
    const char **reads, **makes;
    gm_names seen = {.n = c->n, .v = c->seen}, made = {.n = c->n_made, .v = c->made};
    int64_t n = 0, m = 0;
    GM_NEW_IN(cx, c->a, reads, in->n);
    GM_NEW_IN(cx, c->a, makes, out->out.n);
    for (int64_t i = 0; i < in->n; i++)
        if (c->all || gm_names_have(&seen, in->field[i].name)) reads[n++] = in->field[i].name;
    for (int64_t i = 0; i < out->out.n; i++) {
        const gm_field *f = &out->out.field[i];
        int64_t at = gm_columns_find(in, f->name);
        bool same = at >= 0 && strcmp(in->field[at].type, f->type) == 0 && !gm_names_have(&made, f->name);
        if (!same) makes[m++] = f->name;
    }
    out->reads = (gm_names){.n = n, .v = reads};
    out->makes = (gm_names){.n = m, .v = makes};
    return GM_OK;
}

gm_code gm_sql_rowwise(gm_cx *cx, gm_arena *a, const char *statement, const gm_columns *in, gm_sql_rows *out)
{
    gm_db *db;
    gm_arena closing = {0}; /* the connection; what is found stays in a */
    const gm_doc *node;
    char *text;
    check c = {.a = a};
    gm_code code = gm_db_locked(cx, &(gm_names){0}, &db);
    if (code != GM_OK) return code;
    code = gm_con_open(cx, &closing, db, &c.con);
    if (code == GM_OK) code = gm_sql_parse(c.con, a, statement, GM_SQL_SELECT, &node, &text);
    if (code == GM_OK) code = check_select(cx, node);
    if (code == GM_OK) code = gm_sql_walk(cx, gm_doc_get(node, "select_list"), visit, &c);
    const gm_doc *where = code == GM_OK ? gm_doc_get(node, "where_clause") : NULL;
    if (code == GM_OK && !empty(where)) code = gm_sql_walk(cx, where, visit, &c);
    if (code == GM_OK) code = gm_sql_calls(c.con, a, node, true, &c.lone);
    if (code == GM_OK) code = unknown_names(cx, &c, in);
    if (code == GM_OK) code = made_names(cx, &c, gm_doc_get(node, "select_list"));
    if (code == GM_OK) {
        *out = (gm_sql_rows){.filters = !empty(where), .text = text};
        code = bind_columns(cx, &c, text, in, &out->out);
    }
    if (code == GM_OK) code = sort_out(cx, &c, in, out);
    gm_arena_end(&closing);
    gm_db_unref(db);
    return code;
}

gm_code gm_table_rowwise(gm_cx *cx, const gm_table *t, const char *statement, gm_table **out)
{
    gm_arena a = {0};
    const gm_columns *in;
    gm_sql_rows rows;
    gm_table *made = NULL, *dep = (gm_table *)(uintptr_t)t;
    gm_code code = gm_table_schema(cx, t, &in);
    if (code == GM_OK) code = gm_sql_rowwise(cx, &a, statement, in, &rows);
    if (code == GM_OK) code = gm_table_new(cx, &gm_table_sql_kind, t->db, t->label, &dep, 1, &made);
    if (code == GM_OK) {
        made->sql = gm_strdup(cx, &made->kept, rows.text);
        made->dep_name[0] = "__THIS__";
        if (made->sql == NULL) code = gm_why_null(cx);
    }
    gm_arena_end(&a);
    if (code != GM_OK) return gm_table_unref(made), code;
    *out = made;
    return GM_OK;
}

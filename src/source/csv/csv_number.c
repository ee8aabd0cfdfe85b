/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_number.c - a number is needed and a CSV's column is text after all: which value makes it so, in which
 * line.
 */
#include "source/csv/csv_ends.h"
#include <stdlib.h>
#include <string.h>

/* From the database's message, which is the only place where it tells the line. */
static gm_code place_of(gm_cx *cx, gm_arena *a, const char *message, const gm_csv *csv, int64_t f,
                        gm_csv_place *out)
{
    static const char on[] = "CSV Error on Line: ", what[] = "\nError when converting column",
                      value[] = "Could not convert string \"";
    const char *line = message ? strstr(message, on) : NULL, *from = line ? strstr(line, what) : NULL,
               *end = NULL;
    from = from ? strstr(from, value) : NULL;
    if (from) from += strlen(value), end = strstr(from, "\" to '");
    if (end == NULL) return GM_OK;
    line += strlen(on);
    int64_t number = atoll(line);
    GM_TRY(gm_csv_lines(cx, &csv->o, csv->files.v[f], &number, 1));
    *out = (gm_csv_place){csv->said[f], gm_format(cx, a, "%lld", (long long)number),
                          gm_strndup(cx, a, from, (size_t)(end - from))};
    return out->line && out->text ? GM_OK : gm_why_null(cx);
}

/*
 * The first line in which column j does not read as type: files in turn, by one thread, up to the first
 * error. The database's list of rejects would tell too, but takes a kilobyte for each, whatever its limit.
 */
gm_code gm_csv_find(gm_cx *cx, gm_arena *a, const gm_table *t, gm_csv_plan *p, int j, const char *type,
                    gm_csv_place *out)
{
    const gm_csv *csv = t->own;
    const char **types;
    gm_con *con;
    duckdb_result res;
    *out = (gm_csv_place){0};
    GM_NEW_IN(cx, a, types, p->n);
    for (int k = 0; k < p->n; k++) types[k] = k == j ? type : "VARCHAR";
    GM_TRY(gm_con_open(cx, a, t->db, &con));
    for (int64_t f = 0; f < csv->files.n && out->line == NULL; f++) {
        gm_csv one = {.o = csv->o,
                      .files = {.v = csv->files.v + f, .n = 1},
                      .end = csv->end + f,
                      .blank = csv->blank + f,
                      .lax = csv->lax,
                      .longest = csv->longest};
        if (one.o.reject) one.o.pad = one.lax = true; /* rows left out are not what we seek */
        gm_buf b = gm_buf_in(cx, a);
        gm_buf_str(&b, "SELECT count(");
        gm_buf_ident(&b, p->col[j].name);
        gm_buf_str(&b, ") FROM ");
        gm_csv_reader(&b, &one, p, false, 0, types);
        GM_TRY(gm_buf_done(&b));
        GM_TRY(gm_check_cancel(cx));
        if (con->duck->query(con->handle, b.p, &res) != DuckDBSuccess)
            GM_TRY(place_of(cx, a, con->duck->result_error(&res), csv, f, out));
        con->duck->destroy_result(&res);
    }
    return GM_OK;
}

static gm_code say_no_number(gm_cx *cx, gm_arena *a, const gm_table *t, gm_csv_plan *p, int j,
                             const char *role)
{
    gm_csv_place at;
    const char *name = p->col[j].name;
    char *who =
        gm_format(cx, a, "column '%s'%s%s%s", name, role ? " (" : "", role ? role : "", role ? ")" : "");
    GM_GOT(cx, who);
    GM_TRY(gm_csv_find(cx, a, t, p, j, "DOUBLE", &at));
    if (at.line == NULL)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EDATA, "%s: %s holds text, and numbers are needed", t->label, who),
                           "set nullstr for what means a missing value, or read the column as text");
    return gm_hint_add(
        cx,
        gm_fail(cx, GM_EDATA, "%s:%s: %s holds '%s', and a number is needed", at.file, at.line, who, at.text),
        "set nullstr: '%s' if it means a missing value, or use the column as text", at.text);
}

/* The CSV among the tables t stands on that has the column, and its newest plan; NULL: none. */
static gm_csv_plan *plan_with(gm_cx *cx, gm_arena *a, const gm_table *t, const char *column, int *j,
                              const gm_table **csv)
{
    const gm_table **all;
    int n = 0;
    if (gm_table_all(cx, a, t, &all, &n) != GM_OK) return NULL;
    for (int i = 0; i < n; i++) {
        if (!gm_is_csv(all[i])) continue;
        gm_csv_plan *p = gm_csv_plan_of(all[i]->own);
        for (*j = 0; *j < p->n; ++*j)
            if (strcmp(p->col[*j].name, column) == 0) return *csv = all[i], p;
        gm_live_unref(&p->live);
    }
    return NULL;
}

bool gm_csv_has(gm_cx *cx, const gm_table *t, const char *column)
{
    gm_arena a = {0};
    const gm_table *csv;
    int j;
    gm_csv_plan *p = plan_with(cx, &a, t, column, &j, &csv);
    if (p) gm_live_unref(&p->live);
    gm_arena_end(&a);
    return p != NULL;
}

gm_code gm_csv_not_a_number(gm_cx *cx, const gm_table *t, const char *column, const char *role)
{
    gm_arena a = {0};
    const gm_table *csv;
    int j;
    gm_csv_plan *p = plan_with(cx, &a, t, column, &j, &csv);
    gm_code code = p ? say_no_number(cx, &a, csv, p, j, role) : gm_cx_code(cx);
    if (p) gm_live_unref(&p->live);
    gm_arena_end(&a);
    if (code != GM_OK) return code;
    return gm_fail(cx, GM_EDATA, "column '%s'%s%s%s is text, and a number is needed", column,
                   role ? " (" : "", role ? role : "", role ? ")" : "");
}

/* Whose column it is, by the words in front of it in a message: "VectorAssembler_0: column 'x' ...". */
static char *role_of(gm_cx *cx, gm_arena *a, const char *message, const char *at)
{
    const char *colon = at - 2;
    if (colon <= message || strncmp(colon, ": ", 2) != 0) return NULL;
    const char *from = colon;
    while (from > message && from[-1] != ' ') from--;
    return gm_strndup(cx, a, from, (size_t)(colon - from));
}

/* Of one CSV: the column of numbers and words that the message complains of. */
static gm_code tell_of(gm_cx *cx, gm_arena *a, const gm_table *t, const gm_table *csv, bool *told)
{
    gm_code code = GM_OK;
    gm_csv_plan *p = gm_csv_plan_of(csv->own);
    for (int j = 0; j < p->n && !*told; j++) {
        if (!p->col[j].numbers_too) continue;
        char *named = gm_format(cx, a, "column '%s'", p->col[j].name);
        const char *at = named ? strstr(gm_cx_message(cx), named) : NULL;
        if (at == NULL) continue;
        char *role = role_of(cx, a, gm_cx_message(cx), at);
        gm_cx_forget(cx);
        code = gm_csv_not_a_number(cx, t, p->col[j].name, role);
        *told = true;
    }
    gm_live_unref(&p->live);
    return code;
}

gm_code gm_csv_told_better(gm_cx *cx, const gm_table *t, gm_code code)
{
    gm_arena a = {0};
    const gm_table **all;
    int n = 0;
    bool told = false;
    if (code != GM_ESCHEMA || strstr(gm_cx_message(cx), "VARCHAR") == NULL) return code;
    if (gm_table_all(cx, &a, t, &all, &n) != GM_OK) n = 0;
    for (int i = 0; i < n && !told; i++) {
        if (!gm_is_csv(all[i])) continue;
        gm_code better = tell_of(cx, &a, t, all[i], &told);
        if (told) code = better;
    }
    gm_arena_end(&a);
    return code;
}

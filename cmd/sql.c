/* SPDX-License-Identifier: Apache-2.0 */
/* sql.c - `gristmill sql`: the rows of a query as a table on the terminal, as JSON, or into a file. */
#include "cmd.h"
#include <stdlib.h>
#include <string.h>

struct found {
    cmd *c;
    cmd_grid *grid;
    yyjson_mut_val *rows;
    int64_t n, limit; /* limit 0: all */
};

static void free_table(void *p) { gm_table_free(p); }

static gm_code over(cmd *c, const char *sql, const gm_table *q, gm_table **out)
{
    const char *const name = "q";
    gm_table *const table = (gm_table *)q;
    CMD_TRY(cmd_lib(c, gm_table_sql(c->cx, sql, &name, &table, 1, out)));
    cmd_keep(c, *out, free_table);
    return GM_OK;
}

static void take_row(void *user, int cols, const char *const *values)
{
    struct found *f = user;
    f->n++;
    if (f->limit > 0 && f->n > f->limit) return; /* the one row more that tells there are more */
    for (int j = 0; j < cols; j++) cmd_grid_cell(f->grid, values[j] != NULL ? values[j] : "NULL");
}

static void take_json(void *user, int cols, const char *const *values)
{
    struct found *f = user;
    f->n++;
    if ((f->limit > 0 && f->n > f->limit) || cols != 1 || values[0] == NULL) return;
    yyjson_mut_val *row = cmd_raw_json(f->c, values[0]);
    if (row != NULL) yyjson_mut_arr_append(f->rows, row);
}

static bool is_numeric(const char *type)
{
    static const char *const types[] = {"TINYINT",  "SMALLINT", "INTEGER", "BIGINT",   "HUGEINT",
                                        "FLOAT",    "DOUBLE",   "DECIMAL", "UTINYINT", "USMALLINT",
                                        "UINTEGER", "UBIGINT",  "UHUGEINT"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strncmp(type, types[i], strlen(types[i])) == 0 && strchr(type, '[') == NULL) return true;
    return false;
}

static gm_code print_rows(cmd *c, const gm_table *q, yyjson_val *columns, int64_t limit)
{
    struct found f = {
        .c = c, .limit = limit, .grid = cmd_grid_of(c, (int)yyjson_arr_size(columns)), .rows = cmd_list(c)};
    size_t i, n;
    yyjson_val *col;
    yyjson_arr_foreach(columns, i, n, col)
        cmd_grid_title(f.grid, (int)i, cmd_get_text(col, "name"), is_numeric(cmd_get_text(col, "type")));
    const char *most = limit > 0 ? cmd_format(c, " LIMIT %lld", (long long)limit + 1) : "";
    const char *what = c->json ? "to_json(q)::VARCHAR AS row" : "CAST(COLUMNS(*) AS VARCHAR)";
    gm_table *texts;
    CMD_TRY(over(c, cmd_format(c, "SELECT %s FROM q%s", what, most), q, &texts));
    CMD_TRY(cmd_rows(c, texts, c->json ? take_json : take_row, &f));
    cmd_progress_end(c);
    bool more = limit > 0 && f.n > limit;
    cmd_put_copy(c, c->out, "columns", columns);
    cmd_put(c, c->out, "rows", f.rows);
    cmd_put(c, c->out, "more", yyjson_mut_bool(c->doc, more));
    cmd_grid_print(f.grid, 0);
    if (more)
        cmd_note(c, "first %s; --limit N prints more, -o FILE writes all\n", cmd_count(c, limit, "row"));
    else if (f.n == 0) cmd_note(c, "no rows\n");
    return GM_OK;
}

gm_code cmd_sql(cmd *c)
{
    gm_table *q;
    const char *to = cmd_value(c, "output"), *format = cmd_value(c, "format");
    if (c->json && to != NULL && strcmp(to, "-") == 0)
        return cmd_hint(c, cmd_fail(c, GM_EUSAGE, "--json and the rows would share standard output"),
                        "leave out -o");
    const cmd_file out_file = {"-o", to};
    CMD_TRY(cmd_check_outputs(c, &out_file, 1, NULL, 0));
    CMD_TRY(cmd_source(c, "sql", c->words[0], &q));
    if (to == NULL && format != NULL) to = "-";
    if (to != NULL) {
        int64_t rows = 0;
        yyjson_mut_val *options = cmd_map(c);
        if (format == NULL && strcmp(to, "-") == 0) format = "csv";
        if (format != NULL) cmd_put_text(c, options, "format", format);
        CMD_TRY(cmd_lib(c, gm_table_write(c->cx, q, to, cmd_json_text(c, options, false), &rows)));
        cmd_put_text(c, c->out, "output", to);
        cmd_put_real(c, c->out, "rows", (double)rows);
        if (strcmp(to, "-") != 0)
            cmd_note(c, "%s written to %s\n", cmd_count(c, rows, "row"), cmd_clean(c, to));
        return GM_OK;
    }
    char *text;
    yyjson_val *columns;
    CMD_TRY(cmd_lib(c, gm_table_columns(c->cx, q, &text)));
    CMD_TRY(cmd_parse_json(c, text, &columns));
    int64_t limit = cmd_has(c, "limit") ? strtoll(cmd_value(c, "limit"), NULL, 10) : 40;
    return print_rows(c, q, columns, limit);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* tables.h - small files as tables, and tables as text, for the tests of source/. */
#ifndef TESTS_UNIT_TABLES_H
#define TESTS_UNIT_TABLES_H
#include "base/buf.h"
#include "base/session.h"
#include "source/scan.h"
#include "source/table_own.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h> /* after what it needs */

typedef struct world {
    gm_cx *cx;
    char dir[64], file[128];
} world;

static inline int world_with(void **state, const char *options)
{
    world *w = calloc(1, sizeof *w);
    strcpy(w->dir, "/tmp/gm-test-XXXXXX");
    if (w == NULL || mkdtemp(w->dir) == NULL || gm_cx_new(options, &w->cx) != GM_OK) return -1;
    *state = w;
    return 0;
}

static inline int world_begin(void **state) { return world_with(state, "{\"threads\": 2}"); }

static inline int world_end(void **state)
{
    world *w = *state;
    char command[96];
    gm_cx_free(w->cx);
    snprintf(command, sizeof command, "rm -rf '%s'", w->dir);
    int rc = system(command);
    free(w);
    return rc;
}

/* Writes bytes to name in the test's folder; the path lives until the next call. */
static inline const char *put_file(world *w, const char *name, const char *bytes, size_t n)
{
    snprintf(w->file, sizeof w->file, "%s/%s", w->dir, name);
    FILE *f = fopen(w->file, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    return w->file;
}

static inline const char *put_text(world *w, const char *name, const char *text)
{
    return put_file(w, name, text, strlen(text));
}

static inline gm_code open_source(world *w, const char *path, const char *more, gm_table **out)
{
    char json[1024];
    gm_doc *doc;
    gm_cx_begin(w->cx);
    int n = snprintf(json, sizeof json, "{\"path\": \"%s\"%s%s}", path, *more ? ", " : "", more);
    gm_code code = gm_doc_json(w->cx, gm_scratch(w->cx), json, (size_t)n, "source", &doc);
    return code == GM_OK ? gm_table_from_source(w->cx, doc, out) : code;
}

/* A CSV of these bytes; fails the test when it cannot be opened. */
static inline gm_table *csv(world *w, const char *text, const char *more)
{
    gm_table *t = NULL;
    gm_code code = open_source(w, put_file(w, "t.csv", text, strlen(text)), more, &t);
    if (code != GM_OK) fail_msg("%s", gm_cx_message(w->cx));
    return t;
}

static inline gm_table *sql(world *w, const char *text, const char *name, gm_table *t)
{
    gm_table *out = NULL;
    if (gm_table_from_sql(w->cx, text, &name, &t, t ? 1 : 0, &out) != GM_OK)
        fail_msg("%s", gm_cx_message(w->cx));
    return out;
}

/* "name TYPE, ..." */
static inline const char *columns_of(world *w, const gm_table *t)
{
    const gm_columns *cols;
    gm_buf b = gm_buf_in(w->cx, gm_scratch(w->cx));
    if (gm_table_schema(w->cx, t, &cols) != GM_OK) fail_msg("%s", gm_cx_message(w->cx));
    for (int64_t i = 0; i < cols->n; i++)
        gm_buf_printf(&b, "%s%s %s", i ? ", " : "", cols->field[i].name, cols->field[i].type);
    assert_int_equal(gm_buf_done(&b), GM_OK);
    return b.p;
}

/* Rows as "a|b;c|d;", NULL as ~; *code when given takes the failure. */
static inline const char *rows_of(world *w, const gm_table *t, gm_code *failed)
{
    gm_con *con;
    duckdb_result res;
    duckdb_data_chunk chunk;
    gm_buf b = gm_buf_in(w->cx, gm_scratch(w->cx));
    gm_query q = {.select = "SELECT CAST(COLUMNS(*) AS VARCHAR) FROM "};
    gm_code code = gm_table_query(w->cx, gm_scratch(w->cx), t, &q, &con, &res);
    if (failed) *failed = code;
    if (code != GM_OK) {
        if (!failed) fail_msg("%s", gm_cx_message(w->cx));
        return "";
    }
    const gm_duck *d = con->duck;
    while ((chunk = d->fetch_chunk(res)) != NULL) {
        for (idx_t i = 0; i < d->data_chunk_get_size(chunk); i++) {
            for (idx_t j = 0; j < d->column_count(&res); j++) {
                duckdb_vector v = d->data_chunk_get_vector(chunk, j);
                const gm_text *x = (const gm_text *)d->vector_get_data(v) + i;
                if (j) gm_buf_str(&b, "|");
                if (gm_duck_valid(d->vector_get_validity(v), (int64_t)i))
                    gm_buf_add(&b, gm_text_ptr(x), x->len);
                else gm_buf_str(&b, "~");
            }
            gm_buf_str(&b, ";");
        }
        d->destroy_data_chunk(&chunk);
    }
    d->destroy_result(&res);
    assert_int_equal(gm_buf_done(&b), GM_OK);
    return b.p;
}

static inline void expect_message(world *w, gm_code code, gm_code expected, const char *part,
                                  const char *hint)
{
    if (code != expected || strstr(gm_cx_message(w->cx), part) == NULL ||
        strstr(gm_cx_hint(w->cx), hint) == NULL)
        fail_msg("code %s, message \"%s\", hint \"%s\"; expected %s, \"%s\", \"%s\"", gm_code_name(code),
                 gm_cx_message(w->cx), gm_cx_hint(w->cx), gm_code_name(expected), part, hint);
}
#endif

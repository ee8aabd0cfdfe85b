/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.c - the gm_table_ functions of gristmill.h: arguments are checked, then one call.
 */
#include "base/doc.h"
#include "source/write.h"
#include <string.h>

/* Begins a call; fails when what a caller must give is missing. */
static gm_code begin(gm_cx *cx, const char *function, bool given)
{
    gm_cx_begin(cx);
    return given ? GM_OK : gm_fail(cx, GM_EUSAGE, "%s: an argument is NULL", function);
}

static gm_code end(gm_cx *cx, gm_code code)
{
    gm_cx_end(cx);
    return code;
}

/* A JSON result, handed to the caller. */
static gm_code hand_out(gm_cx *cx, gm_buf *b, char **out)
{
    GM_TRY(gm_buf_done(b));
    char *p = gm_raw_alloc(cx, b->len + 1);
    GM_GOT(cx, p);
    memcpy(p, b->p, b->len + 1);
    *out = p;
    return GM_OK;
}

static gm_code open_json(gm_cx *cx, const char *source, gm_table **out)
{
    gm_doc *doc;
    GM_TRY(gm_doc_json(cx, gm_scratch(cx), source, strlen(source), "source", &doc));
    if (doc->kind == GM_D_MAP && gm_doc_get(doc, "sql")) return gm_table_from_query(cx, doc, out);
    return gm_table_from_source(cx, doc, out);
}

gm_code gm_table_open(gm_cx *cx, const char *source, gm_table **out)
{
    if (cx == NULL) return GM_EUSAGE;
    gm_code code = begin(cx, "gm_table_open", source && out);
    if (code == GM_OK) code = open_json(cx, source, out);
    return end(cx, code);
}

gm_code gm_table_arrow(gm_cx *cx, struct ArrowArrayStream *stream, const char *name, gm_table **out)
{
    if (cx == NULL) return GM_EUSAGE;
    gm_code code = begin(cx, "gm_table_arrow", stream && out);
    if (code == GM_OK) code = gm_table_from_arrow(cx, stream, name, out);
    return end(cx, code);
}

gm_code gm_table_sql(gm_cx *cx, const char *sql, const char *const *names, gm_table *const *tables, int n,
                     gm_table **out)
{
    if (cx == NULL) return GM_EUSAGE;
    bool given = sql && out && n >= 0 && (n == 0 || (names && tables));
    for (int i = 0; given && i < n; i++) given = names[i] && tables[i];
    gm_code code = begin(cx, "gm_table_sql", given);
    if (code == GM_OK) code = gm_table_from_sql(cx, sql, names, tables, n, out);
    return end(cx, code);
}

static gm_code columns_json(gm_cx *cx, const gm_table *t, char **json)
{
    const gm_columns *cols;
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    GM_TRY(gm_table_schema(cx, t, &cols));
    gm_json_open(&b, NULL, '[');
    for (int64_t i = 0; i < cols->n; i++) {
        gm_json_open(&b, NULL, '{');
        gm_json_str(&b, "name", cols->field[i].name);
        gm_json_str(&b, "type", cols->field[i].type);
        gm_json_close(&b, '}');
    }
    gm_json_close(&b, ']');
    return hand_out(cx, &b, json);
}

gm_code gm_table_columns(gm_cx *cx, const gm_table *t, char **json)
{
    if (cx == NULL) return GM_EUSAGE;
    gm_code code = begin(cx, "gm_table_columns", t && json);
    if (code == GM_OK) code = columns_json(cx, t, json);
    return end(cx, code);
}

gm_code gm_table_text(gm_cx *cx, const gm_table *t, char **sql)
{
    if (cx == NULL) return GM_EUSAGE;
    gm_code code = begin(cx, "gm_table_text", t && sql);
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    if (code == GM_OK) code = gm_table_say(cx, t, &b);
    if (code == GM_OK) code = hand_out(cx, &b, sql);
    return end(cx, code);
}

gm_code gm_table_report(gm_cx *cx, const gm_table *t, char **json)
{
    if (cx == NULL) return GM_EUSAGE;
    gm_code code = begin(cx, "gm_table_report", t && json);
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    if (code == GM_OK) code = gm_table_report_json(cx, t, &b, NULL);
    if (code == GM_OK) code = hand_out(cx, &b, json);
    return end(cx, code);
}

gm_code gm_table_export(gm_cx *cx, const gm_table *t, struct ArrowArrayStream *out)
{
    if (cx == NULL) return GM_EUSAGE;
    gm_code code = begin(cx, "gm_table_export", t && out);
    if (code == GM_OK) code = gm_table_to_arrow(cx, t, out);
    return end(cx, code);
}

static gm_code write_json(gm_cx *cx, const gm_table *t, const char *path, const char *options, int64_t *rows)
{
    static const char *const keys[] = {"format", NULL};
    gm_doc *doc;
    const char *format;
    if (options == NULL) options = "{}";
    GM_TRY(gm_doc_json(cx, gm_scratch(cx), options, strlen(options), "options", &doc));
    GM_TRY(gm_doc_only(cx, doc, "option", keys));
    GM_TRY(gm_doc_str(cx, doc, "format", NULL, &format));
    return gm_table_write_to(cx, t, path, format, rows);
}

gm_code gm_table_write(gm_cx *cx, const gm_table *t, const char *path, const char *options, int64_t *rows)
{
    if (cx == NULL) return GM_EUSAGE;
    gm_code code = begin(cx, "gm_table_write", t && path && *path);
    if (code == GM_OK) code = write_json(cx, t, path, options, rows);
    return end(cx, code);
}

gm_code gm_table_count(gm_cx *cx, const gm_table *t, int64_t *rows)
{
    if (cx == NULL) return GM_EUSAGE;
    gm_code code = begin(cx, "gm_table_count", t && rows);
    if (code == GM_OK) code = gm_table_rows(cx, t, rows);
    return end(cx, code);
}

gm_code gm_table_persist(gm_cx *cx, const gm_table *t, const char *level, gm_table **out)
{
    if (cx == NULL) return GM_EUSAGE;
    gm_code code = begin(cx, "gm_table_persist", t && out);
    if (code == GM_OK) code = gm_table_keep(cx, t, level, out);
    return end(cx, code);
}

gm_code gm_table_split(gm_cx *cx, const gm_table *t, const double *weights, int n, uint64_t seed,
                       const char *key, gm_table **out)
{
    if (cx == NULL) return GM_EUSAGE;
    gm_code code = begin(cx, "gm_table_split", t && weights && out);
    if (code == GM_OK) code = gm_table_parts(cx, t, weights, n, seed, key, out);
    return end(cx, code);
}

void gm_table_free(gm_table *t) { gm_table_unref(t); }

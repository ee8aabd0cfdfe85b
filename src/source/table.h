/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - what a gm_table is: SQL text over the session's database, the tables it stands on, and what was
 * found while reading. Immutable for its users and shared by reference count; the types of a CSV may still
 * widen while it is read for the first time, which only the functions here see.
 */
#ifndef GM_SOURCE_TABLE_H
#define GM_SOURCE_TABLE_H
#include "base/buf.h"
#include "base/doc.h"

/* What a column's SQL type is good for. */
typedef enum gm_class {
    GM_CLASS_NUMBER, /* integers, decimals, floats */
    GM_CLASS_BOOL,
    GM_CLASS_TEXT, /* VARCHAR, ENUM, UUID */
    GM_CLASS_DATE,
    GM_CLASS_TIME,      /* of day */
    GM_CLASS_TIMESTAMP, /* with or without zone */
    GM_CLASS_REALS,     /* a list or array of numbers, or Spark's struct for vectors */
    GM_CLASS_TEXTS,     /* a list of texts */
    GM_CLASS_OTHER
} gm_class;

typedef struct gm_field {
    const char *name;
    const char *type; /* DuckDB's name: "BIGINT", "DECIMAL(18,3)" */
    gm_class cls;
} gm_field;
typedef struct gm_columns {
    int64_t n;
    const gm_field *field;
} gm_columns;

/* Names and types, found once without reading rows; *out lives as long as t. After a full read it may differ
 * (wider). */
gm_code gm_table_schema(gm_cx *cx, const gm_table *t, const gm_columns **out) GM_NODISCARD;
int64_t gm_columns_find(const gm_columns *s, const char *name); /* by exact name, -1 when absent */
/* The same, failing with GM_ESCHEMA and the nearest name. */
gm_code gm_columns_need(gm_cx *cx, const gm_columns *s, const char *name, int64_t *out) GM_NODISCARD;

/* Where the indices begin, 0 or 1, that a column of vectors has in LIBSVM files; -1: it is from elsewhere. */
gm_code gm_table_index_base(gm_cx *cx, const gm_table *t, const char *column, int *out) GM_NODISCARD;
/* t with that column as wide as a model expects it, which was trained with this base (-1: not known): rows of
 * LIBSVM files are filled up with zeros; an index beyond is an error with its line. Others stay as they are.
 */
gm_code gm_table_widen(gm_cx *cx, const gm_table *t, const char *column, int64_t width, int base,
                       gm_table **out) GM_NODISCARD;

gm_table *gm_table_ref(const gm_table *t);
void gm_table_unref(gm_table *t);              /* NULL is fine */
const char *gm_table_label(const gm_table *t); /* the file, or the name given: for messages; no credentials */

/* "SELECT <list> FROM <t> <tail>" as a table; list and tail are SQL made by us (gm_buf_ident for names). */
gm_code gm_table_select(gm_cx *cx, const gm_table *t, const char *list, const char *tail,
                        gm_table **out) GM_NODISCARD;

/* A GM_ESCHEMA that a column is text: where it is a CSV's column of numbers with a word among them, the word
 * and its line are told instead, as GM_EDATA. Else code. */
gm_code gm_csv_told_better(gm_cx *cx, const gm_table *t, gm_code code) GM_NODISCARD;

/* What the functions of gristmill.h do, for callers inside (model/): same meaning, documents instead of JSON
 * text. */
gm_code gm_table_from_source(gm_cx *cx, const gm_doc *source, gm_table **out) GM_NODISCARD;
/* {"sql": "...", options of reading for the CSV and LIBSVM files that it names}. */
gm_code gm_table_from_query(gm_cx *cx, const gm_doc *source, gm_table **out) GM_NODISCARD;
/* The file at path by these options, which hold where its format knows them: *meant. */
gm_code gm_table_from_file(gm_cx *cx, const char *path, const gm_doc *options, bool *meant,
                           gm_table **out) GM_NODISCARD;
/* A pipeline's source: {"path": ...} or {"tables": {name: source}, "sql": "..."}. On a locked session the SQL
 * reads the files named here and nothing else. */
gm_code gm_table_from_pipeline(gm_cx *cx, const gm_doc *source, gm_table **out) GM_NODISCARD;
gm_code gm_table_from_sql(gm_cx *cx, const char *sql, const char *const *names, gm_table *const *tables,
                          int n, gm_table **out) GM_NODISCARD;
gm_code gm_table_report_json(gm_cx *cx, const gm_table *t, gm_buf *b, const char *key) GM_NODISCARD;
#endif

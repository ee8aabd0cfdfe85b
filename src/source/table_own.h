/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_own.h - the inside of a table, for source/ only.
 *
 * A query is composed of one common table expression per table it stands on, in order, each under a name of
 * ours, so that the text grows with the number of tables and user names stay inside the statement that uses
 * them. NOT MATERIALIZED everywhere: columns that are not used are never read.
 */
#ifndef GM_SOURCE_TABLE_OWN_H
#define GM_SOURCE_TABLE_OWN_H
#include "source/db.h"
#include "source/table.h"

typedef struct gm_run gm_run;
typedef struct gm_table_kind {
    const char *name;
    /* The SELECT of t; tables it stands on are called gm_table_ident. */
    gm_code (*body)(gm_cx *cx, const gm_table *t, gm_run *run, gm_buf *b);
    /* The same for people; NULL: the label. */
    gm_code (*text)(gm_cx *cx, const gm_table *t, gm_buf *b);
    void (*end)(gm_table *t); /* what the arena does not release; may be NULL */
} gm_table_kind;

struct gm_table {
    atomic_int refs;
    gm_arena kept;
    gm_session *session;
    gm_db *db; /* where its queries run */
    const gm_table_kind *kind;
    const char *label;
    uint64_t serial;
    int n_deps;
    gm_table **dep;
    const char **dep_name; /* as the SQL calls them; NULL: only our own text does */
    const char *sql;       /* the statement, of kinds that have one */
    void *own;             /* of the kind: gm_csv, ... */
    gm_names files;        /* that its own text reads; absolute or remote */
    gm_arena spooled;      /* the copy of standard input */
    bool stays;            /* its rows are in db itself: it can be used nowhere else */
    atomic_llong rows;     /* of the last whole reading of just this table; -1: not known */
    pthread_mutex_t lock;
    gm_columns *columns; /* of version */
    int64_t version;
};

extern const gm_table_kind gm_table_sql_kind;

/* A table with its own arena, one reference and n_deps tables referenced. label is copied, redacted. */
gm_code gm_table_new(gm_cx *cx, const gm_table_kind *kind, gm_db *db, const char *label,
                     gm_table *const *deps, int n_deps, gm_table **out) GM_NODISCARD;
void gm_table_ident(gm_buf *b, const gm_table *t);

/* ---- composing and running ---- */
typedef struct gm_run_csv {
    const gm_table *table;
    struct gm_csv_plan *plan; /* referenced */
    struct gm_run_csv *next;
} gm_run_csv;
struct gm_run {
    gm_arena *arena;
    gm_con *con;
    gm_run_csv *csv; /* the CSV tables read, each with the plan that the text was made from */
    bool unread;     /* only bound, not run: no rejects are kept */
};
/* "WITH ... " for t and all it stands on; a SELECT over gm_table_ident(t) may follow. */
gm_code gm_table_compose(gm_cx *cx, const gm_table *t, gm_run *run, gm_buf *b) GM_NODISCARD;

/*
 * Runs before + WITH ... + select + name of t + after to its end on a new connection in a. When a CSV column
 * turns out to need a wider type the query is run again, after restart (NULL: the query can simply be run
 * again).
 */
typedef struct gm_query {
    const char *before, *select, *after;
    const char *progress;
    atomic_llong *rows; /* counted by who takes the rows, or NULL */
    gm_code (*restart)(gm_cx *cx, void *arg);
    void *arg;
    const char *undo; /* SQL that makes the query runnable again ("DROP TABLE IF EXISTS ..."), or NULL */
} gm_query;
gm_code gm_table_query(gm_cx *cx, gm_arena *a, const gm_table *t, const gm_query *q, gm_con **con,
                       duckdb_result *res) GM_NODISCARD;

/* All tables t stands on, itself last, each once. */
gm_code gm_table_all(gm_cx *cx, gm_arena *a, const gm_table *t, const gm_table ***out, int *n) GM_NODISCARD;

/* Names that differ only by case are one name to the database: an error that says which. */
gm_code gm_names_distinct(gm_cx *cx, const gm_names *names, const char *where) GM_NODISCARD;
gm_class gm_class_of(const char *sql_type);
/* It ends in the suffix of a format, is -, or has a dot or a slash and is there. */
bool gm_names_a_file(const char *text);
#endif

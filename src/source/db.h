/* SPDX-License-Identifier: Apache-2.0 */
/*
 * db.h - databases, connections and queries. A session has a hub: the opened library, the objects that
 * callbacks look up by number, and one in-memory database for its tables. SQL that comes from a pipeline on a
 * locked session runs in a database of its own, which can read the files named to it and nothing else.
 */
#ifndef GM_SOURCE_DB_H
#define GM_SOURCE_DB_H
#include "base/buf.h"
#include "source/duck.h"
#include <pthread.h>
#include <stdatomic.h>

/* ---- objects that SQL names by number: scans, row functions, CSV plans; counted, so that none dies in use
 * ---- */
typedef enum gm_live_kind {
    GM_LIVE_SCAN = 1,
    GM_LIVE_ROWFN,
    GM_LIVE_CSV,
    GM_LIVE_ARROW,
    GM_LIVE_LIBSVM
} gm_live_kind;
typedef struct gm_hub gm_hub;
typedef struct gm_live {
    uint64_t id;
    gm_live_kind kind;
    atomic_int refs;
    void (*end)(struct gm_live *);
    gm_hub *hub;
    struct gm_live *next;
} gm_live;
enum { GM_LIVE_SHIFT = 20 }; /* SQL gives the number << 20, and a column of it in the low bits */
static inline unsigned long long gm_live_sql(const gm_live *l, int64_t column)
{
    return (unsigned long long)l->id << GM_LIVE_SHIFT | (unsigned long long)column;
}
void gm_live_begin(gm_hub *hub, gm_live *l, gm_live_kind kind,
                   void (*end)(gm_live *));      /* one reference, numbered */
gm_live *gm_live_find(gm_hub *hub, uint64_t id); /* a new reference, or NULL */
gm_live *gm_live_ref(gm_live *l);
void gm_live_unref(gm_live *l);      /* NULL is fine */
uint64_t gm_hub_number(gm_hub *hub); /* a new number, for names in SQL */

/* ---- databases ---- */
typedef struct gm_con gm_con;
typedef struct gm_db {
    atomic_int refs;
    gm_arena kept;
    gm_hub *hub;
    const gm_duck *duck;
    duckdb_database handle;
    bool locked;
    bool httpfs;
    pthread_mutex_t lock;        /* of open and httpfs */
    gm_con *open;                /* its connections */
    pthread_mutex_t registering; /* of made, and the arena */
    struct gm_made_type *made;   /* the return types that row functions are registered for */
    int n_made;
} gm_db;

/* The session's database; a reference of the caller's. */
gm_code gm_db_main(gm_cx *cx, gm_db **out) GM_NODISCARD;
/* A database that reads only files (absolute paths or URLs). */
gm_code gm_db_locked(gm_cx *cx, const gm_names *files, gm_db **out) GM_NODISCARD;
gm_db *gm_db_ref(gm_db *db);
void gm_db_unref(gm_db *db);
/* ---- httpfs.c ---- */
/* Loads the extension that reads http(s):// and s3://, from beside the library. */
gm_code gm_db_httpfs(gm_cx *cx, gm_db *db) GM_NODISCARD;
bool gm_path_remote(const char *path);

/* ---- connections: one query at a time ---- */
struct gm_con {
    gm_db *db;
    const gm_duck *duck;
    gm_cx *cx;
    duckdb_connection handle;
    uint64_t id;
    const char *progress; /* event code while a query runs ("scan.progress"), NULL: none */
    atomic_llong *rows;   /* how many rows it gave so far, for progress; NULL: not counted */
    gm_con *next;
};
/* Closed when a ends. */
gm_code gm_con_open(gm_cx *cx, gm_arena *a, gm_db *db, gm_con **out) GM_NODISCARD;
/* The connection that a callback runs for. */
gm_con *gm_con_of_init(gm_db *db, duckdb_init_info info);

/* Runs sql to its end; res is the caller's to destroy on GM_OK. Cancelling interrupts it. */
gm_code gm_con_query(gm_con *c, const char *sql, duckdb_result *res) GM_NODISCARD;
gm_code gm_con_run(gm_con *c, const char *sql, int64_t *changed) GM_NODISCARD; /* changed may be NULL */

/* A small result as texts, in a: cell(r, c) is text[r * cols + c], NULL for NULL. Columns must be VARCHAR. */
typedef struct gm_grid {
    int64_t rows, cols;
    const char **text;
} gm_grid;
gm_code gm_con_grid(gm_con *c, gm_arena *a, const char *sql, gm_grid *out) GM_NODISCARD;
static inline const char *gm_grid_at(const gm_grid *g, int64_t r, int64_t c)
{
    return g->text[r * g->cols + c];
}

/* ---- sql_error.c ---- */
/* Tells a failure of DuckDB in our words: type as of duckdb_result_error_type. A failure already told stays.
 */
extern const char gm_csv_no_records[]; /* stands in the message where a CSV could not be cut into records */
gm_code gm_sql_fail(gm_cx *cx, int type, const char *message) GM_NODISCARD;

/* ---- functions.c ---- */
/* What a function of ours is for the database. Its first argument is the number of a live object, which
 * becomes its bind data (check the kind); its extra info is the database. types ends with 0; NULL: any number
 * of any. */
typedef struct gm_function {
    const char *name;
    int returns; /* a duckdb_type, unless made is given, which stays the caller's */
    duckdb_logical_type made;
    const int *types; /* of the arguments after the number */
    bool is_volatile;
    duckdb_scalar_function_init_t init; /* may be NULL */
    duckdb_scalar_function_t call;
} gm_function;
gm_code gm_function_add(gm_con *c, const gm_function *f) GM_NODISCARD;
/* Registers our functions in a new database. */
gm_code gm_functions_register(gm_con *c) GM_NODISCARD;
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_scan.c - SELECT max(gm_push(n, col, ...)) FROM (table): a volatile scalar function under an aggregate
 * that does not care about order, so that the database runs it on all its threads, once per row.
 *
 * One expression state per pipeline task is one task of the sink.
 */
#include "base/session.h"
#include "source/csv/csv_read.h"
#include "source/scan_own.h"
#include "source/table_own.h"
#include "source/write.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct scan {
    gm_live live;
    gm_cx *cx;
    const gm_table *table;
    int n;
    const gm_want *want;
    gm_type *type;
    gm_class *cls; /* of each column when the scan began */
    const gm_sink *sink;
    gm_query query;
    gm_arena *a;
    atomic_llong rows;
    atomic_llong *width;  /* of each vector */
    atomic_int bad;       /* the column whose vector was refused, counted from 1 */
    pthread_mutex_t lock; /* of inexact */
    int64_t *inexact;
} scan;

typedef struct scan_task {
    gm_arena kept;
    scan *s;
    gm_bridge bridge;
    void *task;
} scan_task;

/* ---- the database's side ---- */

static void task_end(void *p)
{
    scan_task *t = p;
    scan *s = t->s;
    pthread_mutex_lock(&s->lock);
    for (int k = 0; k < s->n; k++) s->inexact[k] += t->bridge.inexact[k];
    pthread_mutex_unlock(&s->lock);
    gm_bridge_end(&t->bridge);
    gm_arena_end(&t->kept);
    gm_live_unref(&s->live);
}

static gm_code task_begin(scan *s, scan_task **out)
{
    gm_arena a = {0};
    gm_bridge bridge;
    void *task = NULL;
    scan_task *t = gm_alloc(s->cx, &a, 1, sizeof *t);
    if (t == NULL) return gm_arena_end(&a), gm_why_null(s->cx);
    gm_code code = gm_bridge_begin(s->cx, gm_duck_opened(), s->n, s->type, &bridge);
    if (code != GM_OK) return gm_arena_end(&a), code;
    if (s->sink->open) code = s->sink->open(s->cx, s->sink->arg, &task);
    if (code != GM_OK) return gm_bridge_end(&bridge), gm_arena_end(&a), code;
    gm_live_ref(&s->live);
    bridge.want = s->want;
    bridge.width = s->width;
    *t = (scan_task){.kept = a, .s = s, .bridge = bridge, .task = task};
    *out = t;
    return GM_OK;
}

static void push_init(duckdb_init_info info)
{
    const gm_duck *d = gm_duck_opened();
    gm_live *live = d->scalar_function_init_get_bind_data(info);
    scan_task *t;
    if (live == NULL || live->kind != GM_LIVE_SCAN || task_begin((scan *)live, &t) != GM_OK)
        d->scalar_function_init_set_error(info, "gm_push");
    else d->scalar_function_init_set_state(info, t, task_end);
}

static gm_code push_rows(scan_task *t, duckdb_data_chunk chunk)
{
    gm_batch batch;
    scan *s = t->s;
    GM_TRY(gm_check_cancel(s->cx));
    gm_code code = gm_bridge_take(s->cx, &t->bridge, chunk, 1, &batch);
    if (code != GM_OK) atomic_store(&s->bad, t->bridge.bad);
    GM_TRY(code);
    if (batch.rows == 0) return GM_OK;
    GM_TRY(s->sink->push(s->cx, s->sink->arg, t->task, &batch));
    atomic_fetch_add_explicit(&s->rows, batch.rows, memory_order_relaxed);
    return GM_OK;
}

static void push(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector out)
{
    const gm_duck *d = gm_duck_opened();
    scan_task *t = d->scalar_function_get_state(info);
    if (t == NULL || push_rows(t, chunk) != GM_OK) {
        d->scalar_function_set_error(info, "gm_push");
        return;
    }
    memset(d->vector_get_data(out), 1, (size_t)d->data_chunk_get_size(chunk));
}

const gm_function gm_scan_functions[] = {
    {.name = "gm_push",
     .returns = DUCKDB_TYPE_UTINYINT,
     .is_volatile = true,
     .init = push_init,
     .call = push},
    {.name = NULL},
};

/* ---- ours ---- */

static void scan_end(gm_live *live)
{
    scan *s = (scan *)live;
    pthread_mutex_destroy(&s->lock); /* its memory is the caller's */
}

/* What is selected depends on the types of the columns, which widen when the reading begins again. */
static gm_code make_select(scan *s)
{
    gm_buf b = gm_buf_in(s->cx, s->a);
    gm_buf_printf(&b, "SELECT max(gm_push(%llu::UBIGINT", gm_live_sql(&s->live, 0));
    GM_TRY(gm_wants_sql(s->cx, &b, s->table, s->want, s->n));
    gm_buf_str(&b, ")) FROM ");
    GM_TRY(gm_buf_done(&b));
    s->query.select = b.p;
    return GM_OK;
}

static gm_code restart(gm_cx *cx, void *arg)
{
    scan *s = arg;
    const gm_columns *cols;
    int64_t at;
    GM_TRY(gm_table_schema(cx, s->table, &cols));
    for (int k = 0; k < s->n; k++) {
        if (s->want[k].type != GM_T_REAL || s->cls[k] == GM_CLASS_TEXT) continue;
        at = gm_columns_find(cols, s->want[k].column);
        if (at >= 0 && cols->field[at].cls == GM_CLASS_TEXT)
            return gm_csv_not_a_number(cx, s->table, s->want[k].column, s->want[k].role);
    }
    if (s->sink->restart == NULL && s->rows > 0)
        return gm_fail(cx, GM_EDATA, "%s: a column changes its type after %lld rows",
                       gm_table_label(s->table), (long long)s->rows);
    if (s->sink->restart) GM_TRY(s->sink->restart(cx, s->sink->arg));
    s->rows = 0;
    for (int k = 0; k < s->n; k++) atomic_store(&s->width[k], 0);
    memset(s->inexact, 0, (size_t)s->n * sizeof *s->inexact);
    return make_select(s);
}

static gm_code prepare(gm_cx *cx, scan *s)
{
    const gm_columns *cols;
    GM_TRY(gm_table_schema(cx, s->table, &cols));
    for (int k = 0; k < s->n; k++) {
        int64_t at = gm_columns_find(cols, s->want[k].column);
        s->type[k] = s->want[k].type;
        s->cls[k] = at >= 0 ? cols->field[at].cls : GM_CLASS_OTHER; /* absent: make_select says so */
    }
    return make_select(s);
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A cast to a number failed: of which column, and in which line of the file? */
static gm_code say_where(gm_cx *cx, scan *s, gm_code code)
{
    static const char source[] = " source column ";
    char name[256];
    const char *at = strstr(gm_cx_message(cx), source);
    if (code != GM_EDATA || at == NULL) return code;
    snprintf(name, sizeof name, "%s", at + sizeof source - 1);
    for (int k = 0; k < s->n; k++) {
        if (s->type[k] != GM_T_REAL || s->cls[k] != GM_CLASS_TEXT || strcmp(s->want[k].column, name) != 0)
            continue;
        if (!gm_csv_has(cx, s->table, name))
            return s->want[k].role ? gm_within(cx, code, "%s", s->want[k].role) : code;
        gm_cx_forget(cx);
        return gm_csv_not_a_number(cx, s->table, name, s->want[k].role);
    }
    return code;
}

static gm_code take_all(gm_cx *cx, void *arg, void *task, const gm_batch *batch)
{
    (void)cx, (void)arg, (void)task, (void)batch;
    return GM_OK;
}

static gm_code scan_rows(gm_cx *cx, const gm_table *t, const gm_want *want, int n, const gm_sink *sink,
                         gm_scan_stats *stats, bool finds);

/* Threads saw any bad row first: the first one of the table is looked for, read alone, and told. */
static gm_code say_found(gm_cx *cx, const scan *s, gm_code code)
{
    gm_buf list = gm_buf_in(cx, s->a);
    gm_bad_vector bad;
    gm_table *one;
    const gm_want *w = &s->want[s->bad - 1];
    GM_TRY(gm_vector_row(cx, s->table, w, &bad));
    if (bad.row == 0) return GM_OK;
    if (bad.width > 0 && bad.width != bad.first) {
        code = gm_fail(cx, GM_ESCHEMA, "row %lld: column '%s' has %lld elements, and %lld in the rows before",
                       (long long)bad.row, w->column, (long long)bad.width, (long long)bad.first);
        return gm_hint_add(cx, code, "a vector has the same number of elements in every row");
    }
    gm_buf_ident(&list, w->column);
    GM_TRY(gm_buf_done(&list));
    const char *tail = gm_format(cx, s->a, "LIMIT 1 OFFSET %lld", (long long)bad.row - 1);
    GM_GOT(cx, tail);
    GM_TRY(gm_table_select(cx, s->table, list.p, tail, &one));
    gm_code found = scan_rows(cx, one, w, 1, &(gm_sink){.push = take_all}, NULL, false);
    gm_table_unref(one);
    return gm_within(cx, found, "row %lld", (long long)bad.row);
}

static gm_code say_row(gm_cx *cx, const scan *s, gm_code code)
{
    const char *message = gm_strdup(cx, s->a, gm_cx_message(cx)), *hint = gm_strdup(cx, s->a, gm_cx_hint(cx));
    if (message == NULL || hint == NULL) return code;
    gm_cx_forget(cx);
    gm_code found = say_found(cx, s, code);
    if (found == GM_EDATA || found == GM_ESCHEMA) return found;
    gm_cx_forget(cx);
    return gm_hint_add(cx, gm_fail(cx, code, "%s", message), "%s", hint);
}

static gm_code run(gm_cx *cx, scan *s)
{
    gm_con *con;
    duckdb_result res;
    bool done;
    GM_TRY(prepare(cx, s));
    gm_csv_scan csv = {.table = s->table,
                       .want = s->want,
                       .n = s->n,
                       .sink = s->sink,
                       .rows = &s->rows,
                       .inexact = s->inexact,
                       .restart = restart,
                       .arg = s};
    GM_TRY(gm_csv_scan_run(cx, &csv, &done));
    if (done) return GM_OK;
    gm_code code = gm_table_query(cx, s->a, s->table, &s->query, &con, &res);
    if (code != GM_OK) return say_where(cx, s, code);
    con->duck->destroy_result(&res);
    return GM_OK;
}

static gm_code scan_rows(gm_cx *cx, const gm_table *t, const gm_want *want, int n, const gm_sink *sink,
                         gm_scan_stats *stats, bool finds)
{
    gm_arena a = {0}, kept = {0}; /* what the query holds on to outlives its connection, which is in a */
    double began = seconds_now();
    scan *s = gm_alloc(cx, &kept, 1, sizeof *s);
    int64_t *inexact = gm_alloc(cx, gm_scratch(cx), n, sizeof *inexact);
    if (s == NULL || inexact == NULL) return gm_arena_end(&kept), gm_why_null(cx);
    *s = (scan){.cx = cx, .table = t, .n = n, .want = want, .sink = sink, .a = &a};
    s->type = gm_alloc(cx, &kept, n, sizeof *s->type);
    s->cls = gm_alloc(cx, &kept, n, sizeof *s->cls);
    s->inexact = gm_alloc(cx, &kept, n, sizeof *s->inexact);
    s->width = gm_alloc(cx, &kept, n, sizeof *s->width);
    if (!s->type || !s->cls || !s->inexact || !s->width) return gm_arena_end(&kept), gm_why_null(cx);
    s->query = (gm_query){.progress = "scan.progress", .rows = &s->rows, .restart = restart, .arg = s};
    pthread_mutex_init(&s->lock, NULL);
    gm_live_begin(t->db->hub, &s->live, GM_LIVE_SCAN, scan_end);
    gm_emit_kv(cx, GM_PROGRESS, "scan.begin", "reading", "table", gm_table_label(t), NULL);
    gm_code code = run(cx, s);
    if (finds && s->bad && (code == GM_EDATA || code == GM_ESCHEMA)) code = say_row(cx, s, code);
    long long rows = s->rows;
    double took = seconds_now() - began;
    if (code == GM_OK) {
        char fields[96];
        gm_table_was_read(t, rows);
        snprintf(fields, sizeof fields, "\"rows\":%lld,\"seconds\":%.6f", rows, took);
        gm_emit(cx, GM_PROGRESS, "scan.done", fields, "%lld rows read in %.2f s", rows, took);
        if (stats) {
            memcpy(inexact, s->inexact, (size_t)n * sizeof *inexact);
            *stats = (gm_scan_stats){.rows = rows, .inexact = inexact, .seconds = took};
        }
    }
    gm_arena_end(&a);
    gm_live_unref(&s->live); /* the connection is closed: nothing else holds it */
    gm_arena_end(&kept);
    return code;
}

gm_code gm_scan(gm_cx *cx, const gm_table *t, const gm_want *want, int n, const gm_sink *sink,
                gm_scan_stats *stats)
{
    return scan_rows(cx, t, want, n, sink, stats, true);
}

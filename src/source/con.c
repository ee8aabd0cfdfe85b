/* SPDX-License-Identifier: Apache-2.0 */
/*
 * con.c - connections: queries with progress and cancelling, and small results as texts.
 */
#include "source/db.h"
#include <time.h>

static void con_close(void *p)
{
    gm_con *c = p;
    gm_db *db = c->db;
    pthread_mutex_lock(&db->lock);
    gm_con **at = &db->open;
    while (*at && *at != c) at = &(*at)->next;
    if (*at) *at = c->next;
    pthread_mutex_unlock(&db->lock);
    c->duck->disconnect(&c->handle);
    gm_db_unref(db);
}

static uint64_t context_id(const gm_duck *d, duckdb_client_context context)
{
    uint64_t id = d->client_context_get_connection_id(context);
    d->destroy_client_context(&context);
    return id;
}

gm_code gm_con_open(gm_cx *cx, gm_arena *a, gm_db *db, gm_con **out)
{
    gm_con *c;
    duckdb_client_context context = NULL;
    GM_NEW_IN(cx, a, c, 1);
    *c = (gm_con){.db = db, .duck = db->duck, .cx = cx};
    if (c->duck->connect(db->handle, &c->handle) != DuckDBSuccess)
        return gm_fail(cx, GM_ENOMEM, "DuckDB gives no connection");
    c->duck->connection_get_client_context(c->handle, &context);
    c->id = context_id(c->duck, context);
    gm_db_ref(db);
    pthread_mutex_lock(&db->lock);
    c->next = db->open;
    db->open = c;
    pthread_mutex_unlock(&db->lock);
    GM_TRY(gm_own(cx, a, c, con_close));
    *out = c;
    if (!gm_listening(cx)) return GM_OK;
    return gm_con_run(c, "SET enable_progress_bar = true; SET enable_progress_bar_print = false", NULL);
}

gm_con *gm_con_of_init(gm_db *db, duckdb_init_info info)
{
    duckdb_client_context context = NULL;
    db->duck->scalar_function_init_get_client_context(info, &context);
    uint64_t id = context_id(db->duck, context);
    pthread_mutex_lock(&db->lock);
    gm_con *c = db->open;
    while (c && c->id != id) c = c->next;
    pthread_mutex_unlock(&db->lock);
    return c;
}

/* ---- running: another thread tells how far it is, ten times a second ---- */

typedef struct watch {
    gm_con *con;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool started, over;
} watch;

/* In rows when they are counted and some have come, the total being guessed from DuckDB's share; else the
 * share. */
static void tell(const gm_con *c, double share)
{
    double rows = c->rows ? (double)atomic_load(c->rows) : 0;
    bool known = share > 0 && share < 100;
    if (rows > 0) gm_progress(c->cx, c->progress, rows, known ? rows * 100 / share : 0, "rows", "reading");
    else if (known) gm_progress(c->cx, c->progress, share, 100, "%", "reading");
}

static void *watching(void *arg)
{
    watch *w = arg;
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    pthread_mutex_lock(&w->lock);
    while (!w->over) {
        at.tv_nsec += 100000000;
        if (at.tv_nsec >= 1000000000) at.tv_sec++, at.tv_nsec -= 1000000000;
        if (pthread_cond_timedwait(&w->wake, &w->lock, &at) == 0 || w->over) continue;
        duckdb_query_progress_type p = w->con->duck->query_progress(w->con->handle);
        tell(w->con, p.percentage);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void watch_begin(watch *w, gm_con *c)
{
    *w = (watch){.con = c};
    if (c->progress == NULL || !gm_listening(c->cx)) return;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    w->started =
        pthread_create(&w->thread, NULL, watching, w) == 0; /* without it there is no progress, no more */
    if (w->started) return;
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
}

static void watch_end(watch *w)
{
    if (!w->started) return;
    pthread_mutex_lock(&w->lock);
    w->over = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
}

static void interrupt(void *p)
{
    gm_con *c = p;
    c->duck->interrupt(c->handle);
}

gm_code gm_con_query(gm_con *c, const char *sql, duckdb_result *res)
{
    watch w;
    GM_TRY(gm_check_cancel(c->cx));
    watch_begin(&w, c);
    gm_on_cancel(c->cx, interrupt, c);
    duckdb_state state = c->duck->query(c->handle, sql, res);
    gm_on_cancel(c->cx, NULL, NULL);
    watch_end(&w);
    if (state == DuckDBSuccess && gm_cx_code(c->cx) == GM_OK) return GM_OK;
    gm_code code = gm_sql_fail(c->cx, c->duck->result_error_type(res), c->duck->result_error(res));
    c->duck->destroy_result(res);
    return code;
}

gm_code gm_con_run(gm_con *c, const char *sql, int64_t *changed)
{
    duckdb_result res;
    GM_TRY(gm_con_query(c, sql, &res));
    if (changed) *changed = (int64_t)c->duck->rows_changed(&res);
    c->duck->destroy_result(&res);
    return GM_OK;
}

static gm_code grid_rows(gm_con *c, gm_arena *a, duckdb_data_chunk chunk, gm_grid *g, int64_t *cap)
{
    const gm_duck *d = c->duck;
    int64_t n = (int64_t)d->data_chunk_get_size(chunk);
    if (g->text == NULL || (g->rows + n) * g->cols > *cap) {
        int64_t more = *cap * 2 + n * g->cols;
        const char **text = gm_regrow(c->cx, a, g->text, g->rows * g->cols, more, sizeof *text);
        GM_GOT(c->cx, text);
        g->text = text;
        *cap = more;
    }
    for (int64_t j = 0; j < g->cols; j++) {
        duckdb_vector v = d->data_chunk_get_vector(chunk, (idx_t)j);
        const uint64_t *valid = d->vector_get_validity(v);
        const gm_text *t = d->vector_get_data(v);
        for (int64_t i = 0; i < n; i++) {
            if (!gm_duck_valid(valid, i)) continue;
            const char *s = gm_strndup(c->cx, a, gm_text_ptr(&t[i]), t[i].len);
            GM_GOT(c->cx, s);
            g->text[(g->rows + i) * g->cols + j] = s;
        }
    }
    g->rows += n;
    return GM_OK;
}

gm_code gm_con_grid(gm_con *c, gm_arena *a, const char *sql, gm_grid *out)
{
    const gm_duck *d = c->duck;
    duckdb_result res;
    duckdb_data_chunk chunk;
    gm_grid g = {0};
    int64_t cap = 0;
    GM_TRY(gm_con_query(c, sql, &res));
    g.cols = (int64_t)d->column_count(&res);
    gm_code code = GM_OK;
    for (int64_t j = 0; j < g.cols && code == GM_OK; j++) {
        duckdb_logical_type type = d->column_logical_type(&res, (idx_t)j);
        if (d->get_type_id(type) != DUCKDB_TYPE_VARCHAR)
            code = gm_fail(c->cx, GM_EINTERNAL, "column %lld is no text: %s", (long long)j, sql);
        d->destroy_logical_type(&type);
    }
    while (code == GM_OK && (chunk = d->fetch_chunk(res)) != NULL) {
        code = grid_rows(c, a, chunk, &g, &cap);
        d->destroy_data_chunk(&chunk);
    }
    d->destroy_result(&res);
    *out = g;
    return code;
}

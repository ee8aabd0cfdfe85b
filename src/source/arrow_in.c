/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow_in.c - Arrow streams as tables. All batches are taken once, checked and kept as they are; the
 * database reads them without a copy, as often as it likes, each scan with a place of its own.
 *
 * The scan is DuckDB's own over a view. It copies the stream struct for each scan, so that the place, a
 * pointer into an array with an entry per batch, can stand in private_data.
 */
#include "base/file.h"
#include "source/arrow_check.h"
#include "source/table_own.h"
#include "source/write.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct arrow arrow;
typedef struct place {
    arrow *data;
    int64_t batch;
} place;

typedef struct view {
    gm_db *db;
    struct view *next;
} view;

struct arrow {
    struct ArrowSchema schema;
    int64_t n, cap;
    struct ArrowArray *batch;
    place *places; /* n + 1 */
    struct ArrowArrayStream stream;
    char name[40];
    pthread_mutex_t lock; /* of views */
    gm_arena views_in;
    view *views;
};

/* ---- the stream that the database reads ---- */

static void lent_schema(struct ArrowSchema *s) { s->release = NULL; }
static void lent_array(struct ArrowArray *a) { a->release = NULL; }
static void lent_stream(struct ArrowArrayStream *s) { s->release = NULL; }

static int give_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    const place *p = s->private_data;
    *out = p->data->schema;
    out->release = lent_schema;
    return 0;
}

static int give_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    const place *p = s->private_data;
    if (p->batch >= p->data->n) {
        memset(out, 0, sizeof *out);
        return 0;
    }
    *out = p->data->batch[p->batch];
    out->release = lent_array;
    s->private_data = (void *)(uintptr_t)(p + 1);
    return 0;
}

static const char *no_error(struct ArrowArrayStream *s)
{
    (void)s;
    return NULL;
}

/* ---- the table ---- */

static void view_sql(gm_buf *b, const arrow *w) { gm_buf_ident(b, w->name); }

static gm_code make_view(gm_cx *cx, const gm_table *t, arrow *w, gm_con *con)
{
    gm_code code = GM_OK;
    pthread_mutex_lock(&w->lock);
    view *v = w->views;
    while (v && v->db != con->db) v = v->next;
    if (v == NULL) {
        v = gm_alloc(cx, &w->views_in, 1, sizeof *v);
        if (v == NULL) code = gm_cx_code(cx);
        else if (con->duck->arrow_scan(con->handle, w->name, (duckdb_arrow_stream)&w->stream) !=
                 DuckDBSuccess)
            code = gm_fail(cx, GM_EFORMAT, "%s: DuckDB cannot read these Arrow data", t->label);
    }
    if (code == GM_OK && v->db == NULL) {
        *v = (view){.db = gm_db_ref(con->db), .next = w->views};
        w->views = v;
    }
    pthread_mutex_unlock(&w->lock);
    return code;
}

static gm_code arrow_body(gm_cx *cx, const gm_table *t, gm_run *run, gm_buf *b)
{
    GM_TRY(make_view(cx, t, t->own, run->con));
    gm_buf_str(b, "SELECT * FROM ");
    view_sql(b, t->own);
    return b->code;
}

static gm_code arrow_text(gm_cx *cx, const gm_table *t, gm_buf *b)
{
    (void)cx;
    gm_buf_str(b, "SELECT * FROM ");
    gm_buf_ident(b, t->label);
    return b->code;
}

static void drop_view(const view *v, const arrow *w)
{
    const gm_duck *d = v->db->duck;
    duckdb_connection con = NULL;
    duckdb_result res;
    char sql[80];
    if (d->connect(v->db->handle, &con) == DuckDBSuccess) {
        snprintf(sql, sizeof sql, "DROP VIEW IF EXISTS \"%s\"", w->name);
        (void)d->query(con, sql, &res);
        d->destroy_result(&res);
        d->disconnect(&con);
    }
    gm_db_unref(v->db);
}

static void arrow_end(gm_table *t)
{
    arrow *w = t->own;
    if (w == NULL) return;
    for (view *v = w->views; v;) {
        view *next = v->next;
        drop_view(v, w);
        v = next;
    }
    for (int64_t i = 0; i < w->n; i++)
        if (w->batch[i].release) w->batch[i].release(&w->batch[i]);
    if (w->schema.release) w->schema.release(&w->schema);
    gm_arena_end(&w->views_in);
    pthread_mutex_destroy(&w->lock);
}

static const gm_table_kind arrow_kind = {
    .name = "arrow", .body = arrow_body, .text = arrow_text, .end = arrow_end};

/* ---- taking the batches ---- */

static gm_code stream_failed(gm_cx *cx, struct ArrowArrayStream *s, int rc, const char *who)
{
    const char *why = s->get_last_error ? s->get_last_error(s) : NULL;
    if (rc == ENOMEM) return gm_fail(cx, GM_ENOMEM, "%s: its producer is out of memory", who);
    return gm_fail(cx, GM_EIO, "%s: its producer failed: %s", who, why && *why ? why : strerror(rc));
}

static gm_code take(gm_cx *cx, gm_table *t, arrow *w, struct ArrowArrayStream *s)
{
    int rc = s->get_schema(s, &w->schema);
    if (rc) {
        w->schema.release = NULL;
        return stream_failed(cx, s, rc, t->label);
    }
    if (w->schema.release == NULL) return gm_fail(cx, GM_EFORMAT, "%s: the stream has no schema", t->label);
    GM_TRY(gm_arrow_check_schema(cx, t->label, &w->schema));
    const char **names;
    GM_NEW(cx, names, w->schema.n_children);
    for (int64_t i = 0; i < w->schema.n_children; i++) names[i] = w->schema.children[i]->name;
    GM_TRY(gm_names_distinct(cx, &(gm_names){.n = w->schema.n_children, .v = names}, t->label));
    for (;;) {
        GM_TRY(gm_check_cancel(cx));
        if (w->n == w->cap) {
            int64_t cap = w->cap ? 2 * w->cap : 8;
            GM_GOT(cx, w->batch = gm_regrow(cx, &t->kept, w->batch, w->n, cap, sizeof *w->batch));
            w->cap = cap;
        }
        struct ArrowArray *a = &w->batch[w->n];
        memset(a, 0, sizeof *a);
        if ((rc = s->get_next(s, a)) != 0) return stream_failed(cx, s, rc, t->label);
        if (a->release == NULL) break;
        w->n++;
        GM_TRY(gm_arrow_check_array(cx, t->label, &w->schema, a));
    }
    GM_NEW_IN(cx, &t->kept, w->places, w->n + 1);
    for (int64_t i = 0; i <= w->n; i++) w->places[i] = (place){w, i};
    return GM_OK;
}

static gm_code fill(gm_cx *cx, gm_table *t, struct ArrowArrayStream *s)
{
    arrow *w;
    const gm_columns *cols;
    GM_NEW_IN(cx, &t->kept, w, 1);
    pthread_mutex_init(&w->lock, NULL);
    t->own = w;
    snprintf(w->name, sizeof w->name, "gm arrow %llu", (unsigned long long)t->serial);
    GM_TRY(take(cx, t, w, s));
    w->stream = (struct ArrowArrayStream){.get_schema = give_schema,
                                          .get_next = give_next,
                                          .get_last_error = no_error,
                                          .release = lent_stream,
                                          .private_data = w->places};
    return gm_table_schema(cx, t, &cols);
}

gm_code gm_table_from_arrow(gm_cx *cx, struct ArrowArrayStream *stream, const char *name, gm_table **out)
{
    gm_db *db = NULL;
    gm_table *t = NULL;
    if (stream->release == NULL || stream->get_schema == NULL || stream->get_next == NULL)
        return gm_fail(cx, GM_EUSAGE, "the Arrow stream was released or is not one");
    struct ArrowArrayStream s = *stream;
    stream->release = NULL; /* it is ours now, whatever happens */
    gm_code code = gm_db_main(cx, &db);
    if (code == GM_OK)
        code = gm_table_new(cx, &arrow_kind, db, name && *name ? name : "the Arrow stream", NULL, 0, &t);
    if (code == GM_OK) code = fill(cx, t, &s);
    if (s.release) s.release(&s);
    gm_db_unref(db);
    if (code != GM_OK) return gm_table_unref(t), code;
    *out = t;
    return GM_OK;
}

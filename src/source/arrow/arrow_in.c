/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow_in.c - Arrow streams as tables. All batches are taken once, checked and kept as they are; the
 * database reads them as often as it likes, on all its threads. (Its own scan over foreign streams expects
 * them to filter and project for it, and is not used.)
 */
#include "source/arrow/arrow_check.h"
#include "source/arrow/arrow_own.h"
#include "source/table_own.h"
#include "source/write.h"
#include <errno.h>
#include <string.h>

static gm_code arrow_body(gm_cx *cx, const gm_table *t, gm_run *run, gm_buf *b)
{
    (void)cx, (void)run;
    const gm_arrow_data *w = t->own;
    gm_buf_printf(b, "SELECT * FROM gm_arrow(%llu::UBIGINT)", gm_live_sql(&w->live, 0));
    return b->code;
}

static gm_code arrow_text(gm_cx *cx, const gm_table *t, gm_buf *b)
{
    (void)cx;
    gm_buf_str(b, "SELECT * FROM ");
    gm_buf_ident(b, t->label);
    return b->code;
}

/* The last query that reads the batches may outlive the table by a moment. */
static void data_end(gm_live *live)
{
    gm_arrow_data *w = (gm_arrow_data *)live;
    const gm_duck *d = w->duck;
    for (int64_t j = 0; w->col && j < w->schema.n_children; j++) {
        if (w->col[j].converted) d->destroy_arrow_converted_schema(&w->col[j].converted);
        if (w->col[j].type) d->destroy_logical_type(&w->col[j].type);
    }
    if (w->converter) d->disconnect(&w->converter);
    for (int64_t i = 0; i < w->n; i++)
        if (w->batch[i].release) w->batch[i].release(&w->batch[i]);
    if (w->schema.release) w->schema.release(&w->schema);
    gm_db *db = w->db;
    gm_arena_end(&w->kept);
    gm_db_unref(db);
}

static void arrow_end(gm_table *t)
{
    gm_arrow_data *w = t->own;
    if (w) gm_live_unref(&w->live);
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

static gm_code take_schema(gm_cx *cx, const char *who, gm_arrow_data *w, struct ArrowArrayStream *s)
{
    int rc = s->get_schema(s, &w->schema);
    const char **names;
    if (rc) {
        memset(&w->schema, 0, sizeof w->schema);
        return stream_failed(cx, s, rc, who);
    }
    if (w->schema.release == NULL) return gm_fail(cx, GM_EFORMAT, "%s: the stream has no schema", who);
    GM_TRY(gm_arrow_check_schema(cx, who, &w->schema));
    GM_NEW(cx, names, w->schema.n_children);
    for (int64_t i = 0; i < w->schema.n_children; i++) names[i] = w->schema.children[i]->name;
    return gm_names_distinct(cx, &(gm_names){.n = w->schema.n_children, .v = names}, who);
}

static gm_code take(gm_cx *cx, const char *who, gm_arrow_data *w, struct ArrowArrayStream *s)
{
    GM_TRY(take_schema(cx, who, w, s));
    for (;;) {
        GM_TRY(gm_check_cancel(cx));
        if (w->n == w->cap) {
            int64_t cap = w->cap ? 2 * w->cap : 8;
            struct ArrowArray *more = gm_regrow(cx, &w->kept, w->batch, w->n, cap, sizeof *more);
            GM_GOT(cx, more);
            w->batch = more;
            w->cap = cap;
        }
        struct ArrowArray *a = &w->batch[w->n];
        memset(a, 0, sizeof *a);
        int rc = s->get_next(s, a);
        if (rc) return stream_failed(cx, s, rc, who);
        if (a->release == NULL) break;
        w->n++;
        GM_TRY(gm_arrow_check_array(cx, who, &w->schema, a));
    }
    return gm_arrow_prepare(cx, who, w);
}

static gm_code data_new(gm_cx *cx, gm_db *db, gm_arrow_data **out)
{
    gm_arena a = {0};
    gm_arrow_data *w = gm_alloc(cx, &a, 1, sizeof *w);
    if (w == NULL) return gm_arena_end(&a), gm_why_null(cx);
    w->kept = a;
    w->duck = db->duck;
    w->db = gm_db_ref(db);
    gm_live_begin(db->hub, &w->live, GM_LIVE_ARROW, data_end);
    *out = w;
    return GM_OK;
}

static gm_code fill(gm_cx *cx, gm_table *t, struct ArrowArrayStream *s)
{
    gm_arrow_data *w;
    const gm_columns *cols;
    GM_TRY(data_new(cx, t->db, &w));
    t->own = w;
    GM_TRY(take(cx, t->label, w, s));
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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow_out.c - the rows of a table as an Arrow stream.
 *
 * The query first runs to its end, in parallel, into a temporary table, which may spill: a reading that
 * begins again must not have handed out rows already, and a streaming result would use one thread. What is
 * handed out afterwards needs neither the context nor the session's other objects, and may be released on any
 * thread.
 */
#include "source/table_own.h"
#include "source/write.h"
#include "table/arrow_abi.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct flow {
    gm_arena kept;
    const gm_duck *d;
    duckdb_result res;
    bool running;
    duckdb_arrow_options options;
    idx_t n;
    duckdb_logical_type *type;
    const char **name;
    char error[512];
} flow;

static void flow_free(flow *f)
{
    const gm_duck *d = f->d;
    for (idx_t i = 0; f->type && i < f->n; i++)
        if (f->type[i]) d->destroy_logical_type(&f->type[i]);
    if (f->options) d->destroy_arrow_options(&f->options);
    if (f->running) d->destroy_result(&f->res);
    gm_arena_end(&f->kept); /* the connection, and with it the temporary table */
}

static int told(flow *f, duckdb_error_data e)
{
    int rc = 0;
    if (e && f->d->error_data_has_error(e)) {
        snprintf(f->error, sizeof f->error, "%s", f->d->error_data_message(e));
        rc = EIO;
    }
    if (e) f->d->destroy_error_data(&e);
    return rc;
}

static int get_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    flow *f = s->private_data;
    memset(out, 0, sizeof *out);
    return told(f, f->d->to_arrow_schema(f->options, f->type, f->name, f->n, out));
}

static int get_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    flow *f = s->private_data;
    memset(out, 0, sizeof *out);
    duckdb_data_chunk chunk = f->d->fetch_chunk(f->res);
    if (chunk == NULL) {
        const char *why = f->d->result_error(&f->res);
        if (why == NULL || *why == 0) return 0;
        snprintf(f->error, sizeof f->error, "%s", why);
        return EIO;
    }
    int rc = told(f, f->d->data_chunk_to_arrow(f->options, chunk, out));
    f->d->destroy_data_chunk(&chunk);
    return rc;
}

static const char *get_last_error(struct ArrowArrayStream *s)
{
    flow *f = s->private_data;
    return f->error[0] ? f->error : NULL;
}

static void release(struct ArrowArrayStream *s)
{
    s->release = NULL;
    flow_free(s->private_data);
}

static gm_code start(gm_cx *cx, flow *f, const gm_table *t)
{
    gm_con *con;
    duckdb_result res;
    duckdb_prepared_statement ps = NULL;
    gm_query q = {.before = "CREATE TEMP TABLE \"gm out\" AS ",
                  .select = "SELECT * FROM ",
                  .progress = "export.progress",
                  .undo = "DROP TABLE IF EXISTS \"gm out\""};
    GM_TRY(gm_table_query(cx, &f->kept, t, &q, &con, &res));
    const gm_duck *d = f->d;
    d->destroy_result(&res);
    if (d->prepare(con->handle, "SELECT * FROM \"gm out\"", &ps) != DuckDBSuccess ||
        d->execute_prepared_streaming(ps, &f->res) != DuckDBSuccess) {
        gm_code code = gm_sql_fail(cx, 0, ps ? d->prepare_error(ps) : NULL);
        d->destroy_prepare(&ps);
        return code;
    }
    d->destroy_prepare(&ps);
    f->running = true;
    f->options = d->result_get_arrow_options(&f->res);
    idx_t n = d->column_count(&f->res);
    GM_NEW_IN(cx, &f->kept, f->type, n);
    GM_NEW_IN(cx, &f->kept, f->name, n);
    f->n = n;
    for (idx_t i = 0; i < n; i++) {
        f->type[i] = d->column_logical_type(&f->res, i);
        GM_GOT(cx, f->name[i] = gm_strdup(cx, &f->kept, d->column_name(&f->res, i)));
    }
    return GM_OK;
}

gm_code gm_table_to_arrow(gm_cx *cx, const gm_table *t, struct ArrowArrayStream *out)
{
    gm_arena a = {0};
    flow *f = gm_alloc(cx, &a, 1, sizeof *f);
    if (f == NULL) return gm_arena_end(&a), gm_why_null(cx);
    *f = (flow){.kept = a, .d = t->db->duck};
    gm_code code = start(cx, f, t);
    if (code != GM_OK) return flow_free(f), code;
    *out = (struct ArrowArrayStream){.get_schema = get_schema,
                                     .get_next = get_next,
                                     .get_last_error = get_last_error,
                                     .release = release,
                                     .private_data = f};
    return GM_OK;
}

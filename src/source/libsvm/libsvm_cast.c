/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libsvm_cast.c - lines of LIBSVM files as functions of the database: gm_libsvm_look(n, line) says what a
 * line is and counts; gm_libsvm_row(n, line) makes label, qid and features of it, NULL where it is no row.
 */
#include "source/libsvm/libsvm.h"
#include "source/put.h"
#include <math.h>
#include <string.h>

static void reader_end(gm_live *live) { gm_arena_end(&((gm_libsvm_reader *)live)->kept); }

gm_code gm_libsvm_reader_new(gm_cx *cx, gm_hub *hub, const gm_libsvm_range *range, gm_libsvm_reader **out)
{
    gm_arena a = {0};
    gm_libsvm_reader *r = gm_alloc(cx, &a, 1, sizeof *r);
    if (r == NULL) return gm_arena_end(&a), gm_why_null(cx);
    r->kept = a;
    r->range = *range;
    atomic_init(&r->first, INT64_MAX);
    atomic_init(&r->last, -1);
    gm_live_begin(hub, &r->live, GM_LIVE_LIBSVM, reader_end);
    *out = r;
    return GM_OK;
}

typedef struct lines {
    int64_t n;
    const gm_text *text;
    const uint64_t *valid;
} lines;

static lines lines_of(const gm_duck *d, duckdb_data_chunk chunk)
{
    duckdb_vector v = d->data_chunk_get_vector(chunk, 1);
    return (lines){(int64_t)d->data_chunk_get_size(chunk), d->vector_get_data(v), d->vector_get_validity(v)};
}

static void read_line(const gm_libsvm_reader *r, const lines *l, int64_t i, uint32_t *idx, double *val,
                      gm_libsvm_line *out)
{
    *out = (gm_libsvm_line){.verdict = GM_LIBSVM_BLANK};
    if (gm_duck_valid(l->valid, i))
        gm_libsvm_read(&r->range, gm_text_ptr(&l->text[i]), l->text[i].len, idx, val, out);
}

/* ---- looking ---- */

static void lower(atomic_llong *at, long long v)
{
    long long now = atomic_load(at);
    while (v < now && !atomic_compare_exchange_weak(at, &now, v)) continue;
}

static void raise_to(atomic_llong *at, long long v)
{
    long long now = atomic_load(at);
    while (v > now && !atomic_compare_exchange_weak(at, &now, v)) continue;
}

static void look(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector out)
{
    const gm_duck *d = gm_duck_opened();
    gm_libsvm_reader *r = d->scalar_function_get_bind_data(info);
    if (r == NULL || r->live.kind != GM_LIVE_LIBSVM) {
        d->scalar_function_set_error(info, "gm_libsvm_look");
        return;
    }
    lines l = lines_of(d, chunk);
    uint8_t *verdict = d->vector_get_data(out);
    long long count[GM_LIBSVM_HIGH + 1] = {0}, qids = 0, first = INT64_MAX, last = -1, faults = 0;
    for (int64_t i = 0; i < l.n; i++) {
        gm_libsvm_line line;
        read_line(r, &l, i, NULL, NULL, &line);
        verdict[i] = (uint8_t)line.verdict;
        count[line.verdict]++;
        if (line.verdict != GM_LIBSVM_ROW) continue;
        qids += line.qid >= 0;
        if (line.n > 0 && line.first < first) first = line.first;
        if (line.n > 0 && line.last > last) last = line.last;
    }
    for (int v = GM_LIBSVM_LABEL; v <= GM_LIBSVM_HIGH; v++) faults += count[v];
    atomic_fetch_add(&r->rows, count[GM_LIBSVM_ROW]);
    atomic_fetch_add(&r->faults, faults);
    atomic_fetch_add(&r->outside, count[GM_LIBSVM_LOW] + count[GM_LIBSVM_HIGH]);
    atomic_fetch_add(&r->qids, qids);
    lower(&r->first, first);
    raise_to(&r->last, last);
}

/* ---- rows ---- */

typedef struct row_task {
    gm_arena kept, room; /* for good, and for the rows at hand */
    gm_cx *cx;
    const gm_libsvm_reader *reader;
} row_task;

static void task_end(void *p)
{
    row_task *t = p;
    gm_arena_end(&t->room);
    gm_arena_end(&t->kept);
}

static void row_init(duckdb_init_info info)
{
    const gm_duck *d = gm_duck_opened();
    gm_live *live = d->scalar_function_init_get_bind_data(info);
    gm_con *con = gm_con_of_init(d->scalar_function_init_get_extra_info(info), info);
    gm_arena a = {0};
    row_task *t = NULL;
    if (live && live->kind == GM_LIVE_LIBSVM && con) t = gm_alloc(con->cx, &a, 1, sizeof *t);
    if (t == NULL) {
        gm_arena_end(&a);
        d->scalar_function_init_set_error(info, "gm_libsvm_row");
        return;
    }
    *t = (row_task){.kept = a, .cx = con->cx, .reader = (const gm_libsvm_reader *)live};
    d->scalar_function_init_set_state(info, t, task_end);
}

/* Of the lines at hand: columns as the rest of the engine knows them. */
typedef struct made {
    double *label, *qid, *val;
    uint32_t *idx;
    int64_t *off;
    uint8_t *null;
} made;

static gm_code make_room(gm_cx *cx, gm_arena *a, const lines *l, made *m)
{
    int64_t most = 1;
    for (int64_t i = 0; i < l->n; i++)
        if (gm_duck_valid(l->valid, i))
            most += (int64_t)gm_libsvm_room(gm_text_ptr(&l->text[i]), l->text[i].len);
    GM_NEW_IN(cx, a, m->label, l->n);
    GM_NEW_IN(cx, a, m->qid, l->n);
    GM_NEW_IN(cx, a, m->null, l->n);
    GM_NEW_IN(cx, a, m->off, l->n + 1);
    GM_NEW_IN(cx, a, m->idx, most);
    GM_NEW_IN(cx, a, m->val, most);
    return GM_OK;
}

static gm_code read_rows(row_task *t, const lines *l, made *m)
{
    int64_t n = 0;
    for (int64_t i = 0; i < l->n; i++) {
        gm_libsvm_line line;
        char said[GM_LIBSVM_SAID];
        read_line(t->reader, l, i, m->idx + n, m->val + n, &line);
        m->null[i] = line.verdict != GM_LIBSVM_ROW;
        m->label[i] = line.label;
        m->qid[i] = line.qid < 0 ? NAN : (double)line.qid;
        m->off[i] = n;
        if (line.verdict == GM_LIBSVM_ROW) n += line.n;
        if (line.verdict <= GM_LIBSVM_ROW || t->reader->reject) continue;
        gm_libsvm_say(&t->reader->range, &line, said);
        return gm_hint_add(t->cx,
                           gm_fail(t->cx, GM_EIO, "a LIBSVM file changed after it was opened: %s", said),
                           "open it again when it is written to its end");
    }
    m->off[l->n] = n;
    return GM_OK;
}

static gm_code put_rows(row_task *t, duckdb_data_chunk chunk, duckdb_vector out)
{
    const gm_duck *d = gm_duck_opened();
    lines l = lines_of(d, chunk);
    const gm_libsvm_range *range = &t->reader->range;
    made m;
    GM_TRY(gm_check_cancel(t->cx));
    GM_TRY(make_room(t->cx, &t->room, &l, &m));
    GM_TRY(read_rows(t, &l, &m));
    gm_part part = {.form = GM_SPARSE,
                    .width = range->highest - range->lowest + 1,
                    .off = m.off,
                    .idx = m.idx,
                    .val = m.val};
    gm_column label = {.type = GM_T_REAL, .real = m.label, .width = 1},
              qid = {.type = GM_T_REAL, .real = m.qid, .width = 1},
              features = {.type = GM_T_VECTOR, .n_parts = 1, .part = &part, .width = part.width};
    gm_put p = {t->cx, d, &t->room, l.n, m.null};
    GM_TRY(gm_put_column(&p, GM_MADE_DOUBLE, &label, d->struct_vector_get_child(out, 0)));
    GM_TRY(gm_put_column(&p, GM_MADE_INTEGER, &qid, d->struct_vector_get_child(out, 1)));
    GM_TRY(gm_put_column(&p, GM_MADE_SPARSE, &features, d->struct_vector_get_child(out, 2)));
    gm_put_nulls(&p, out);
    return GM_OK;
}

static void row(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector out)
{
    const gm_duck *d = gm_duck_opened();
    row_task *t = d->scalar_function_get_state(info);
    if (t == NULL || put_rows(t, chunk, out) != GM_OK) d->scalar_function_set_error(info, "gm_libsvm_row");
    if (t) gm_arena_clear(&t->room);
}

gm_code gm_libsvm_register(gm_con *con)
{
    static const int text_only[] = {DUCKDB_TYPE_VARCHAR, 0};
    static const char *names[] = {"label", "qid", "features"};
    const gm_duck *d = con->duck;
    duckdb_logical_type m[] = {d->create_logical_type(DUCKDB_TYPE_DOUBLE),
                               d->create_logical_type(DUCKDB_TYPE_BIGINT), gm_vector_type(d)};
    duckdb_logical_type made = d->create_struct_type(m, names, 3);
    /* Volatile: looking counts, and the filter that drops what is no row must not run the function anew. */
    gm_function f[] = {{.name = "gm_libsvm_look",
                        .returns = DUCKDB_TYPE_UTINYINT,
                        .types = text_only,
                        .is_volatile = true,
                        .call = look},
                       {.name = "gm_libsvm_row",
                        .made = made,
                        .types = text_only,
                        .is_volatile = true,
                        .init = row_init,
                        .call = row}};
    gm_code code = gm_function_add(con, &f[0]);
    if (code == GM_OK) code = gm_function_add(con, &f[1]);
    d->destroy_logical_type(&made);
    for (int k = 0; k < 3; k++) d->destroy_logical_type(&m[k]);
    return code;
}

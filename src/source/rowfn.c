/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rowfn.c - functions of ours as columns of a table: SELECT t.*, s."prediction" FROM (SELECT *, gm_row_1(n,
 * ...) AS s).
 *
 * One function is registered per combination of output types and serves every row function that makes them:
 * what the database registers it never forgets, and models come and go. Names are given in the outer SELECT.
 */
#include "source/put.h"
#include "source/scan_own.h"
#include "source/table_own.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct rowfn {
    gm_live live;
    gm_arena kept;
    gm_rowfn fn;
    gm_type *type;
    gm_type *out_type;
} rowfn;

typedef struct row_task {
    gm_arena kept, room; /* for good, and for the rows at hand */
    rowfn *f;
    gm_cx *cx;
    gm_bridge bridge;
    gm_column *out;
    uint8_t *null_rows, *drop;
} row_task;

/* ---- the database's side ---- */

static void task_end(void *p)
{
    row_task *t = p;
    gm_bridge_end(&t->bridge);
    gm_arena_end(&t->room);
    gm_arena_end(&t->kept);
}

static gm_code task_begin(gm_cx *cx, rowfn *f, row_task **out)
{
    gm_arena a = {0};
    gm_bridge bridge;
    row_task *t = gm_alloc(cx, &a, 1, sizeof *t);
    gm_column *cols = gm_alloc(cx, &a, f->fn.n_out, sizeof *cols);
    uint8_t *null_rows = gm_alloc(cx, &a, (int64_t)f->fn.n_out * GM_TILE, 1),
            *drop = gm_alloc(cx, &a, GM_TILE, 1);
    if (!t || !cols || !null_rows || !drop) return gm_arena_end(&a), gm_why_null(cx);
    gm_code code = gm_bridge_begin(cx, gm_duck_opened(), f->fn.n_in, f->type, &bridge);
    if (code != GM_OK) return gm_arena_end(&a), code;
    bridge.want = f->fn.in;
    *t = (row_task){
        .kept = a, .f = f, .cx = cx, .bridge = bridge, .out = cols, .null_rows = null_rows, .drop = drop};
    *out = t;
    return GM_OK;
}

static void row_init(duckdb_init_info info)
{
    const gm_duck *d = gm_duck_opened();
    gm_live *live = d->scalar_function_init_get_bind_data(info);
    gm_con *con = gm_con_of_init(d->scalar_function_init_get_extra_info(info), info);
    row_task *t;
    if (live == NULL || live->kind != GM_LIVE_ROWFN || con == NULL ||
        task_begin(con->cx, (rowfn *)live, &t) != GM_OK)
        d->scalar_function_init_set_error(info, "gm_row");
    else d->scalar_function_init_set_state(info, t, task_end);
}

static gm_code call_rows(row_task *t, duckdb_data_chunk chunk, duckdb_vector out)
{
    const gm_duck *d = gm_duck_opened();
    const gm_rowfn *f = &t->f->fn;
    gm_batch in;
    GM_TRY(gm_check_cancel(t->cx));
    GM_TRY(gm_bridge_take(t->cx, &t->bridge, chunk, 1, &in));
    if (in.rows == 0) return GM_OK;
    for (int k = 0; k < f->n_out; k++) t->out[k] = (gm_column){.type = t->f->out_type[k]};
    memset(t->null_rows, 0, (size_t)(f->n_out * in.rows));
    memset(t->drop, 0, (size_t)in.rows);
    gm_code code = f->call(t->cx, &t->room, f->arg, &in, t->out, t->null_rows, t->drop);
    for (int k = 0; k < f->n_out && code == GM_OK; k++) {
        uint8_t *null = t->null_rows + (int64_t)k * in.rows;
        for (int64_t i = 0; f->drops && i < in.rows; i++) null[i] |= t->drop[i];
        gm_put p = {t->cx, d, &t->room, in.rows, null};
        code = gm_put_column(&p, f->out[k].made, &t->out[k], d->struct_vector_get_child(out, (idx_t)k));
    }
    if (code == GM_OK) {
        bool *keep = d->vector_get_data(d->struct_vector_get_child(out, (idx_t)f->n_out));
        for (int64_t i = 0; i < in.rows; i++) keep[i] = !(f->drops && t->drop[i]);
    }
    gm_arena_clear(&t->room);
    return code;
}

static void row_call(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector out)
{
    const gm_duck *d = gm_duck_opened();
    row_task *t = d->scalar_function_get_state(info);
    if (t == NULL || call_rows(t, chunk, out) != GM_OK) d->scalar_function_set_error(info, "gm_row");
}

/* ---- registering: a struct of the outputs and a flag that keeps the row ---- */

struct gm_made_type {
    char *key; /* a letter per output */
    struct gm_made_type *next;
    int number;
};

static duckdb_logical_type made_type(const gm_duck *d, gm_made made)
{
    static const int plain[] = {
        [GM_MADE_DOUBLE] = DUCKDB_TYPE_DOUBLE,   [GM_MADE_INTEGER] = DUCKDB_TYPE_BIGINT,
        [GM_MADE_VARCHAR] = DUCKDB_TYPE_VARCHAR, [GM_MADE_DOUBLES] = DUCKDB_TYPE_DOUBLE,
        [GM_MADE_TEXTS] = DUCKDB_TYPE_VARCHAR,   [GM_MADE_TRUTH] = DUCKDB_TYPE_BOOLEAN};
    if (made != GM_MADE_SPARSE) {
        duckdb_logical_type t = d->create_logical_type(plain[made]);
        if (made != GM_MADE_DOUBLES && made != GM_MADE_TEXTS) return t;
        duckdb_logical_type list = d->create_list_type(t);
        d->destroy_logical_type(&t);
        return list;
    }
    return gm_vector_type(d);
}

static gm_code register_type(gm_con *con, gm_arena *a, const gm_rowfn *f, int number)
{
    const gm_duck *d = con->duck;
    gm_cx *cx = con->cx;
    duckdb_logical_type *m;
    const char **names;
    char(*text)[16], name[40];
    GM_NEW_IN(cx, a, m, f->n_out + 1);
    GM_NEW_IN(cx, a, names, f->n_out + 1);
    GM_NEW_IN(cx, a, text, f->n_out + 1);
    for (int k = 0; k <= f->n_out; k++) {
        m[k] = k < f->n_out ? made_type(d, f->out[k].made) : d->create_logical_type(DUCKDB_TYPE_BOOLEAN);
        snprintf(text[k], sizeof text[k], "o%d", k);
        names[k] = text[k];
    }
    duckdb_logical_type made = d->create_struct_type(m, names, (idx_t)f->n_out + 1);
    snprintf(name, sizeof name, "gm_row_%d", number);
    /* Volatile: otherwise the database tries a function of one column on a NULL, or on a file's whole
     * dictionary, to skip what a filter would drop; but a row that is not there must neither fail nor count.
     */
    gm_code code = gm_function_add(
        con,
        &(gm_function){.name = name, .made = made, .is_volatile = true, .init = row_init, .call = row_call});
    d->destroy_logical_type(&made);
    for (int k = 0; k <= f->n_out; k++) d->destroy_logical_type(&m[k]);
    return code;
}

/* The number of the function that makes these outputs in db; registered when it is the first time. */
static gm_code function_for(gm_cx *cx, gm_db *db, const gm_rowfn *f, int *number)
{
    gm_arena a = {0};
    gm_con *con;
    char *key = gm_alloc(cx, &a, f->n_out + 1, 1);
    gm_code code = key ? gm_con_open(cx, &a, db, &con) : gm_why_null(cx);
    if (code != GM_OK) return gm_arena_end(&a), code;
    for (int k = 0; k < f->n_out; k++) key[k] = (char)('a' + f->out[k].made);
    pthread_mutex_lock(&db->registering);
    struct gm_made_type *m = db->made;
    while (m && strcmp(m->key, key) != 0) m = m->next;
    if (m == NULL) {
        m = gm_alloc(cx, &db->kept, 1, sizeof *m);
        char *copy = gm_strdup(cx, &db->kept, key);
        code = m && copy ? register_type(con, &a, f, db->n_made + 1) : gm_why_null(cx);
        if (code == GM_OK) {
            *m = (struct gm_made_type){.key = copy, .next = db->made, .number = ++db->n_made};
            db->made = m;
        }
    }
    if (code == GM_OK) *number = m->number;
    pthread_mutex_unlock(&db->registering);
    gm_arena_end(&a);
    return code;
}

/* ---- the table ---- */

static void rowfn_end(gm_live *live)
{
    rowfn *f = (rowfn *)live;
    if (f->fn.release) f->fn.release(f->fn.arg);
    gm_arena_end(&f->kept);
}

static gm_type type_of(gm_made made)
{
    static const gm_type types[] = {
        [GM_MADE_DOUBLE] = GM_T_REAL,    [GM_MADE_INTEGER] = GM_T_REAL, [GM_MADE_VARCHAR] = GM_T_TEXT,
        [GM_MADE_DOUBLES] = GM_T_VECTOR, [GM_MADE_TEXTS] = GM_T_WORDS,  [GM_MADE_SPARSE] = GM_T_VECTOR,
        [GM_MADE_TRUTH] = GM_T_REAL};
    return types[made];
}

/* From here on the table's reference releases fn's arg. */
static gm_code rowfn_new(gm_cx *cx, gm_hub *hub, const gm_rowfn *fn, rowfn **out)
{
    gm_arena a = {0};
    rowfn *f = gm_alloc(cx, &a, 1, sizeof *f);
    gm_want *in = gm_alloc(cx, &a, fn->n_in, sizeof *in);
    gm_rowfn_out *outs = gm_alloc(cx, &a, fn->n_out, sizeof *outs);
    gm_type *type = gm_alloc(cx, &a, fn->n_in, sizeof *type),
            *out_type = gm_alloc(cx, &a, fn->n_out, sizeof *out_type);
    bool ok = f && in && outs && type && out_type;
    for (int k = 0; ok && k < fn->n_in; k++) {
        const gm_want *w = &fn->in[k];
        in[k] = (gm_want){.type = type[k] = w->type,
                          .column = gm_strdup(cx, &a, w->column),
                          .role = w->role ? gm_strdup(cx, &a, w->role) : NULL};
        ok = in[k].column && (w->role == NULL || in[k].role);
    }
    for (int k = 0; ok && k < fn->n_out; k++) {
        outs[k] = (gm_rowfn_out){.made = fn->out[k].made, .name = gm_strdup(cx, &a, fn->out[k].name)};
        out_type[k] = type_of(fn->out[k].made);
        ok = outs[k].name != NULL;
    }
    if (!ok) return gm_arena_end(&a), gm_why_null(cx);
    *f = (rowfn){.kept = a, .fn = *fn, .type = type, .out_type = out_type};
    f->fn.in = in;
    f->fn.out = outs;
    gm_live_begin(hub, &f->live, GM_LIVE_ROWFN, rowfn_end);
    *out = f;
    return GM_OK;
}

typedef struct over {
    rowfn *f;
    int n_keep;
    const char **keep;
} over;

static gm_code rowfn_body(gm_cx *cx, const gm_table *t, gm_run *run, gm_buf *b)
{
    (void)run;
    const over *o = t->own;
    const gm_rowfn *f = &o->f->fn;
    const gm_columns *cols;
    int number;
    GM_TRY(function_for(cx, t->db, f, &number));
    GM_TRY(gm_table_schema(cx, t->dep[0], &cols));
    gm_buf_str(b, "SELECT ");
    const char *comma = "";
    for (int64_t i = 0; i < (o->n_keep < 0 ? cols->n : o->n_keep); i++, comma = ", ") {
        gm_buf_str(b, comma);
        gm_buf_ident(b, o->n_keep < 0 ? cols->field[i].name : o->keep[i]);
    }
    for (int k = 0; k < f->n_out; k++, comma = ", ") {
        gm_buf_printf(b, "%s\"gm s\".o%d AS ", comma, k);
        gm_buf_ident(b, f->out[k].name);
    }
    gm_buf_printf(b, " FROM (SELECT *, gm_row_%d(%llu::UBIGINT", number, gm_live_sql(&o->f->live, 0));
    GM_TRY(gm_wants_sql(cx, b, t->dep[0], f->in, f->n_in));
    gm_buf_str(b, ") AS \"gm s\" FROM ");
    gm_table_ident(b, t->dep[0]);
    gm_buf_printf(b, ")");
    if (f->drops) gm_buf_printf(b, " WHERE \"gm s\".o%d", f->n_out);
    return b->code;
}

static gm_code rowfn_text(gm_cx *cx, const gm_table *t, gm_buf *b)
{
    (void)cx;
    const over *o = t->own;
    gm_buf_str(b, "SELECT *");
    for (int k = 0; k < o->f->fn.n_out; k++) {
        gm_buf_str(b, ", model() AS ");
        gm_buf_ident(b, o->f->fn.out[k].name);
    }
    gm_buf_str(b, " FROM ");
    gm_buf_ident(b, t->dep[0]->label);
    return b->code;
}

static void over_end(gm_table *t)
{
    const over *o = t->own;
    if (o && o->f) gm_live_unref(&o->f->live);
}

static const gm_table_kind rowfn_kind = {
    .name = "model", .body = rowfn_body, .text = rowfn_text, .end = over_end};

static gm_code check_names(gm_cx *cx, const gm_columns *cols, const gm_rowfn *f, const over *o)
{
    for (int i = 0; i < o->n_keep; i++) {
        int64_t at;
        GM_TRY(gm_columns_need(cx, cols, o->keep[i], &at));
    }
    int64_t n = o->n_keep < 0 ? cols->n : o->n_keep;
    for (int k = 0; k < f->n_out; k++)
        for (int64_t i = 0; i < n; i++)
            if (strcasecmp(f->out[k].name, o->n_keep < 0 ? cols->field[i].name : o->keep[i]) == 0)
                return gm_hint_add(
                    cx, gm_fail(cx, GM_ESCHEMA, "the table has a column '%s' already", f->out[k].name),
                    "rename or drop it first, or name the output differently");
    return GM_OK;
}

static gm_code fill(gm_cx *cx, gm_table *t, const char *const *keep, int n_keep)
{
    over *o = t->own;
    const gm_columns *cols;
    o->n_keep = n_keep < 0 ? -1 : n_keep;
    GM_NEW_IN(cx, &t->kept, o->keep, n_keep < 0 ? 0 : n_keep);
    for (int i = 0; i < n_keep; i++) GM_GOT(cx, o->keep[i] = gm_strdup(cx, &t->kept, keep[i]));
    GM_TRY(gm_table_schema(cx, t->dep[0], &cols));
    GM_TRY(check_names(cx, cols, &o->f->fn, o));
    return gm_table_schema(cx, t, &cols); /* wanted columns that are missing or of no use are told now */
}

gm_code gm_table_rowfn(gm_cx *cx, const gm_table *ct, const gm_rowfn *fn, const char *const *keep, int n_keep,
                       gm_table **out)
{
    gm_table *t, *dep = (gm_table *)(uintptr_t)ct;
    rowfn *f;
    gm_code code = rowfn_new(cx, ct->db->hub, fn, &f);
    if (code != GM_OK) {
        if (fn->release) fn->release(fn->arg);
        return code;
    }
    code = gm_table_new(cx, &rowfn_kind, ct->db, ct->label, &dep, 1, &t);
    over *o = code == GM_OK ? gm_alloc(cx, &t->kept, 1, sizeof *o) : NULL;
    if (o == NULL) {
        gm_live_unref(&f->live);
        if (code == GM_OK) gm_table_unref(t);
        return gm_why_null(cx);
    }
    o->f = f;
    t->own = o;
    code = fill(cx, t, keep, n_keep);
    if (code != GM_OK) return gm_table_unref(t), code;
    *out = t;
    return GM_OK;
}

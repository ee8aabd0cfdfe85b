/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow_scan.c - the table function gm_arrow(n): tiles of at most 2,048 rows, any thread taking the next one,
 * only the columns that the query needs.
 */
#include "source/arrow/arrow_own.h"

typedef struct reading {
    const gm_arrow_data *data;
    atomic_llong next;
    idx_t n;
    idx_t column[]; /* beyond the last one: a row number that nobody asked for */
} reading;

static void live_release(void *p) { gm_live_unref(p); }

static void bind(duckdb_bind_info info)
{
    const gm_duck *d = gm_duck_opened();
    gm_db *db = d->bind_get_extra_info(info);
    duckdb_value v = d->bind_get_parameter(info, 0);
    gm_live *live = gm_live_find(db->hub, d->get_uint64(v) >> GM_LIVE_SHIFT);
    d->destroy_value(&v);
    if (live == NULL || live->kind != GM_LIVE_ARROW) {
        gm_live_unref(live);
        d->bind_set_error(info, "functions named gm_... are not for queries");
        return;
    }
    const gm_arrow_data *w = (const gm_arrow_data *)live;
    for (int64_t j = 0; j < w->schema.n_children; j++)
        d->bind_add_result_column(info, w->schema.children[j]->name, w->col[j].type);
    d->bind_set_cardinality(info, (idx_t)w->rows, true);
    d->bind_set_bind_data(info, live, live_release);
}

static void init(duckdb_init_info info)
{
    const gm_duck *d = gm_duck_opened();
    idx_t n = d->init_get_column_count(info);
    reading *r = d->malloc(sizeof *r + n * sizeof r->column[0]); /* the engine hands us no context here */
    if (r == NULL) {
        d->init_set_error(info, "out of memory");
        return;
    }
    r->data = d->init_get_bind_data(info);
    atomic_init(&r->next, 0);
    r->n = n;
    for (idx_t i = 0; i < n; i++) r->column[i] = d->init_get_column_index(info, i);
    d->init_set_init_data(info, r, d->free);
    d->init_set_max_threads(info, r->data->n_tiles > 0 ? (idx_t)r->data->n_tiles : 1);
}

static void next(duckdb_function_info info, duckdb_data_chunk out)
{
    const gm_duck *d = gm_duck_opened();
    reading *r = d->function_get_init_data(info);
    const gm_arrow_data *w = r->data;
    int64_t k = atomic_fetch_add(&r->next, 1);
    if (k >= w->n_tiles) {
        d->data_chunk_set_size(out, 0);
        return;
    }
    struct gm_arrow_tile t = w->tile[k];
    for (idx_t i = 0; i < r->n; i++) {
        if (r->column[i] >= (idx_t)w->schema.n_children) continue;
        if (gm_arrow_fill(w, t.batch, (int64_t)r->column[i], t.start, t.rows,
                          d->data_chunk_get_vector(out, i)))
            continue;
        d->function_set_error(info, "the Arrow data cannot be converted");
        return;
    }
    d->data_chunk_set_size(out, (idx_t)t.rows);
}

gm_code gm_arrow_register(gm_con *c)
{
    const gm_duck *d = c->duck;
    duckdb_table_function f = d->create_table_function();
    duckdb_logical_type number = d->create_logical_type(DUCKDB_TYPE_UBIGINT);
    d->table_function_set_name(f, "gm_arrow");
    d->table_function_add_parameter(f, number);
    d->table_function_set_extra_info(f, c->db, NULL);
    d->table_function_set_bind(f, bind);
    d->table_function_set_init(f, init);
    d->table_function_set_function(f, next);
    d->table_function_supports_projection_pushdown(f, true);
    duckdb_state state = d->register_table_function(c->handle, f);
    d->destroy_table_function(&f);
    d->destroy_logical_type(&number);
    return state == DuckDBSuccess ? GM_OK
                                  : gm_fail(c->cx, GM_ELIBRARY, "DuckDB does not take the function gm_arrow");
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * functions.c - our functions inside the database. The first argument of each is the number of a live object
 * (a scan, a row function, the plan of a CSV), found once when the query is bound and held while the query
 * lives.
 *
 * They are registered once per database: what DuckDB registers it never forgets.
 */
#include "source/arrow/arrow_own.h"
#include "source/csv/csv.h"
#include "source/libsvm/libsvm.h"
#include "source/scan_own.h"

static void live_release(void *p) { gm_live_unref(p); }
static void *live_copy(void *p) { return gm_live_ref(p); }
static void db_release(void *p) { (void)p; }

static gm_live *live_argument(const gm_duck *d, duckdb_bind_info info, gm_db *db)
{
    duckdb_client_context context = NULL;
    duckdb_value value = NULL;
    gm_live *live = NULL;
    if (d->scalar_function_bind_get_argument_count(info) == 0) return NULL;
    duckdb_expression e = d->scalar_function_bind_get_argument(info, 0);
    if (e == NULL) return NULL;
    d->scalar_function_get_client_context(info, &context);
    if (d->expression_is_foldable(e)) {
        duckdb_error_data err = d->expression_fold(context, e, &value);
        bool bad = err && d->error_data_has_error(err);
        if (value && !bad) live = gm_live_find(db->hub, d->get_uint64(value) >> GM_LIVE_SHIFT);
        if (err) d->destroy_error_data(&err);
        if (value) d->destroy_value(&value);
    }
    d->destroy_client_context(&context);
    d->destroy_expression(&e);
    return live;
}

static void bind(duckdb_bind_info info)
{
    const gm_duck *d = gm_duck_opened();
    gm_db *db = d->scalar_function_bind_get_extra_info(info);
    gm_live *live = live_argument(d, info, db);
    if (live == NULL) {
        d->scalar_function_bind_set_error(info, "functions named gm_... are not for queries");
        return;
    }
    d->scalar_function_set_bind_data(info, live, live_release);
    d->scalar_function_set_bind_data_copy(info, live_copy);
}

gm_code gm_function_add(gm_con *c, const gm_function *f)
{
    const gm_duck *d = c->duck;
    duckdb_scalar_function fn = d->create_scalar_function();
    duckdb_logical_type number = d->create_logical_type(DUCKDB_TYPE_UBIGINT),
                        any = d->create_logical_type(DUCKDB_TYPE_ANY);
    duckdb_logical_type returns = f->made ? f->made : d->create_logical_type(f->returns);
    d->scalar_function_set_name(fn, f->name);
    if (f->types == NULL) {
        d->scalar_function_set_varargs(fn, any);
    } else {
        d->scalar_function_add_parameter(fn, number);
        for (const int *t = f->types; *t; t++) {
            duckdb_logical_type type = d->create_logical_type(*t);
            d->scalar_function_add_parameter(fn, type);
            d->destroy_logical_type(&type);
        }
    }
    d->scalar_function_set_return_type(fn, returns);
    d->scalar_function_set_special_handling(fn); /* NULLs come to us */
    if (f->is_volatile) d->scalar_function_set_volatile(fn);
    d->scalar_function_set_extra_info(fn, c->db, db_release);
    d->scalar_function_set_bind(fn, bind);
    if (f->init) d->scalar_function_set_init(fn, f->init);
    d->scalar_function_set_function(fn, f->call);
    duckdb_state state = d->register_scalar_function(c->handle, fn);
    d->destroy_scalar_function(&fn);
    d->destroy_logical_type(&number);
    d->destroy_logical_type(&any);
    if (f->made == NULL) d->destroy_logical_type(&returns);
    return state == DuckDBSuccess
               ? GM_OK
               : gm_fail(c->cx, GM_ELIBRARY, "DuckDB does not take the function %s", f->name);
}

gm_code gm_functions_register(gm_con *c)
{
    for (const gm_function *f = gm_scan_functions; f->name; f++) GM_TRY(gm_function_add(c, f));
    for (const gm_function *f = gm_csv_functions; f->name; f++) GM_TRY(gm_function_add(c, f));
    GM_TRY(gm_libsvm_register(c));
    return gm_arrow_register(c);
}

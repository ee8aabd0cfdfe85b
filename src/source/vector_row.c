/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector_row.c - which row of a table holds a vector that was refused. Tiles come in any order and do not
 * know their place, so the table is read again, in order, by a query that says in SQL what bridge_list.c
 * checks.
 */
#include "source/scan_own.h"
#include "source/table_own.h"
#include <string.h>

/* Of Spark's struct. NULL anywhere makes a part of this NULL, which counts as bad. */
static const char sparse_fine[] =
    "len(v.indices) = len(v.\"values\") AND list_sort(list_distinct(v.indices)) = v.indices AND "
    "coalesce(v.indices[1] >= 0 AND v.indices[-1] < v.size, len(v.indices) = 0)";

static const char sparse_width[] = "CASE v.type WHEN 0 THEN v.size WHEN 1 THEN len(v.\"values\") END";

static gm_code compose(gm_cx *cx, gm_arena *a, const gm_field *f, gm_query *q)
{
    gm_buf select = gm_buf_in(cx, a), after = gm_buf_in(cx, a);
    bool spark = strncmp(f->type, "STRUCT", 6) == 0;
    gm_buf_printf(&select,
                  "SELECT n, coalesce(w, -1), first FROM (SELECT *, first_value(w) OVER (ORDER BY n) AS "
                  "first FROM (SELECT n, v, %s AS w FROM (SELECT row_number() OVER () AS n, ",
                  spark ? sparse_width : "len(v)");
    gm_buf_ident(&select, f->name);
    gm_buf_str(&select, " AS v FROM ");
    gm_buf_str(&after, ") WHERE v IS NOT NULL)) WHERE (w > 0 AND w = first");
    if (spark)
        gm_buf_printf(&after, " AND v.type IN (0, 1) AND v.\"values\" IS NOT NULL AND (v.type = 1 OR %s)",
                      sparse_fine);
    gm_buf_str(&after, ") IS NOT TRUE ORDER BY n LIMIT 1");
    GM_TRY(gm_buf_done(&select));
    GM_TRY(gm_buf_done(&after));
    *q = (gm_query){.select = select.p, .after = after.p};
    return GM_OK;
}

static gm_code first_row(gm_cx *cx, gm_arena *a, const gm_table *t, const gm_want *w, gm_bad_vector *out)
{
    gm_con *con;
    duckdb_result res;
    const gm_columns *cols;
    gm_query q;
    int64_t at;
    GM_TRY(gm_table_schema(cx, t, &cols));
    GM_TRY(gm_columns_need(cx, cols, w->column, &at));
    GM_TRY(compose(cx, a, &cols->field[at], &q));
    GM_TRY(gm_table_query(cx, a, t, &q, &con, &res));
    const gm_duck *d = con->duck;
    duckdb_data_chunk chunk = d->fetch_chunk(res);
    if (chunk && d->data_chunk_get_size(chunk) > 0) {
        int64_t *to[] = {&out->row, &out->width, &out->first};
        for (idx_t j = 0; j < 3; j++)
            *to[j] = *(const int64_t *)d->vector_get_data(d->data_chunk_get_vector(chunk, j));
    }
    if (chunk) d->destroy_data_chunk(&chunk);
    d->destroy_result(&res);
    return GM_OK;
}

gm_code gm_vector_row(gm_cx *cx, const gm_table *t, const gm_want *w, gm_bad_vector *out)
{
    gm_arena a = {0};
    *out = (gm_bad_vector){0};
    gm_code code = first_row(cx, &a, t, w, out);
    gm_arena_end(&a);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vectors.c - vectors that are columns of the source. See vectors.h.
 */
#include "model/vectors.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t gm_vector_width(const char *sql_type)
{
    const char *open = strrchr(sql_type, '[');
    return open ? strtoll(open + 1, NULL, 10) : 0;
}

/* ---- before planning ---- */

static bool is_read(const gm_pipeline *p, const char *column)
{
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < p->node[i].n_in; k++)
            if ((p->node[i].in[k].param->column & GM_T_VECTOR) &&
                strcmp(p->node[i].in[k].column, column) == 0)
                return true;
    return false;
}

static gm_code open_look(gm_cx *cx, void *arg, void **task)
{
    (void)cx;
    *task = arg;
    return GM_OK;
}

static gm_code push_look(gm_cx *cx, void *arg, void *task, const gm_batch *batch)
{
    (void)cx, (void)arg;
    *(int64_t *)task = batch->col[0].width;
    return GM_OK;
}

static gm_code restart_look(gm_cx *cx, void *arg)
{
    (void)cx;
    *(int64_t *)arg = 0;
    return GM_OK;
}

static gm_code look(gm_cx *cx, const gm_table *source, const char *column, int64_t *width)
{
    gm_buf list = gm_buf_in(cx, gm_scratch(cx)), tail = gm_buf_in(cx, gm_scratch(cx));
    gm_table *first;
    gm_buf_ident(&list, column);
    gm_buf_str(&tail, "WHERE ");
    gm_buf_ident(&tail, column);
    gm_buf_str(&tail, " IS NOT NULL LIMIT 1");
    GM_TRY(gm_buf_done(&list));
    GM_TRY(gm_buf_done(&tail));
    GM_TRY(gm_table_select(cx, source, list.p, tail.p, &first));
    const gm_want want = {column, GM_T_VECTOR, NULL};
    const gm_sink sink = {width, open_look, push_look, restart_look};
    gm_code c = gm_scan(cx, first, &want, 1, &sink, NULL);
    gm_table_free(first);
    GM_TRY(c);
    return *width > 0
               ? GM_OK
               : gm_fail(cx, GM_EDATA, "column '%s' has no row to take the vector's width from", column);
}

gm_code gm_vectors_measure(gm_cx *cx, gm_arena *a, const gm_pipeline *p, const gm_table *source,
                           const gm_columns *schema, const gm_columns **out)
{
    gm_field *field = NULL;
    gm_columns *measured;
    *out = schema;
    for (int64_t i = 0; i < schema->n; i++) {
        int64_t width = 0;
        char type[40];
        if (schema->field[i].cls != GM_CLASS_REALS || !is_read(p, schema->field[i].name)) continue;
        if (field == NULL) {
            GM_NEW_IN(cx, a, field, schema->n);
            memcpy(field, schema->field, (size_t)schema->n * sizeof *field);
        }
        GM_TRY(look(cx, source, field[i].name, &width));
        snprintf(type, sizeof type, "DOUBLE[%lld]", (long long)width);
        GM_GOT(cx, field[i].type = gm_strdup(cx, a, type));
    }
    if (field == NULL) return GM_OK;
    GM_NEW_IN(cx, a, measured, 1);
    *measured = (gm_columns){.n = schema->n, .field = field};
    *out = measured;
    return GM_OK;
}

/* ---- tile by tile ---- */

/* A tile of nothing but nulls has no width of its own: NaN in every element, or, of a wide one, in the first.
 */
static gm_code missing(gm_run *r, int64_t width, gm_column *c)
{
    enum { DENSE_MOST = 256 };
    gm_part *part;
    GM_NEW_IN(r->cx, r->a, part, 1);
    *c = (gm_column){.type = GM_T_VECTOR, .n_parts = 1, .part = part, .width = width};
    double *x;
    int64_t n = width <= DENSE_MOST ? r->rows * width : r->rows, *off;
    uint32_t *first;
    GM_NEW_IN(r->cx, r->a, x, n + 1);
    for (int64_t i = 0; i < n; i++) x[i] = NAN;
    *part = (gm_part){.form = GM_DENSE, .width = width, .x = x, .stride = r->rows};
    if (width <= DENSE_MOST) return GM_OK;
    GM_NEW_IN(r->cx, r->a, off, r->rows + 1);
    GM_NEW_IN(r->cx, r->a, first, r->rows + 1);
    for (int64_t i = 0; i <= r->rows; i++) off[i] = i;
    *part = (gm_part){.form = GM_SPARSE, .width = width, .off = off, .idx = first, .val = x};
    return GM_OK;
}

gm_code gm_run_inputs(gm_run *r, const int *var, int n, const gm_batch *batch)
{
    for (int k = 0; k < n; k++) {
        if (var[k] < 0) continue;
        const gm_var *v = &r->plan->var[var[k]];
        gm_column *c = &r->slot[var[k]];
        *c = batch->col[k];
        if (v->type != GM_T_VECTOR || c->width == v->attr.width) continue;
        if (c->width > 0)
            return gm_fail(r->cx, GM_ESCHEMA, "column '%s': a row has %lld elements, and %lld are expected",
                           v->name, (long long)c->width, (long long)v->attr.width);
        GM_TRY(missing(r, v->attr.width, c));
    }
    return GM_OK;
}

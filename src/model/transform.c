/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transform.c - a model over a table, as a row function inside the database's query: the user's own columns
 * never leave it, order and parallelism are its own.
 */
#include "model/transform.h"
#include "model/vectors.h"
#include "source/rowfn.h"
#include <string.h>

enum { WIDEST_LIST = 256 }; /* wider vectors come in Spark's sparse form */

typedef struct applying {
    gm_model *model;
    gm_arena arena;
    gm_flow flow;
    int n_in, n_out;
    int *in, *out; /* variables */
    int first;     /* stages before this one are not run: what they make is read from the table */
} applying;

static void applying_free(void *arg)
{
    applying *ap = arg;
    gm_model *m = ap->model;
    gm_arena_end(&ap->arena);
    gm_raw_free(ap);
    gm_model_free(m);
}

/* ---- which outputs ---- */

static bool made_by_learner(const gm_plan *plan, int v)
{
    return gm_is_learner(plan->node[plan->var[v].node].stage);
}

/* Default: what the last learner and the stages after it make; without a learner everything. */
static bool by_default(const gm_plan *plan, int v, int n_stages)
{
    int last = -1;
    for (int i = 0; i < n_stages; i++)
        if (gm_is_learner(plan->node[i].stage)) last = i;
    return plan->var[v].node >= last;
}

static gm_code choose_named(gm_cx *cx, applying *ap, const gm_plan *plan, const gm_doc *columns)
{
    const char **names;
    int n = 0;
    GM_NEW(cx, names, plan->n_vars + 1);
    for (int v = 0; v < plan->n_vars; v++)
        if (plan->var[v].node >= 0) names[n++] = plan->var[v].name;
    if (columns->kind != GM_D_LIST) return gm_fail(cx, GM_EPARAM, "columns is a list of names");
    for (int64_t i = 0; i < columns->n; i++) {
        const char *want = columns->child[i].str;
        int found = -1;
        if (columns->child[i].kind != GM_D_STR) return gm_fail(cx, GM_EPARAM, "columns is a list of names");
        for (int v = 0; v < plan->n_vars; v++)
            if (plan->var[v].node >= 0 && strcmp(plan->var[v].name, want) == 0) found = v;
        if (found < 0) {
            const char *near = gm_nearest(want, names, n);
            gm_code c = gm_fail(cx, GM_EPARAM, "the model makes no column '%s'", want);
            return near ? gm_hint_add(cx, c, "did you mean '%s'?", near) : c;
        }
        ap->out[ap->n_out++] = found;
    }
    return GM_OK;
}

static gm_code choose_outputs(gm_cx *cx, applying *ap, const gm_doc *options)
{
    const gm_plan *plan = ap->model->plan;
    const gm_doc *columns = gm_doc_get(options, "columns");
    int64_t stages, first;
    bool all;
    GM_TRY(gm_doc_int(cx, options, "stages", plan->n_nodes, 0, plan->n_nodes, &stages));
    GM_TRY(gm_doc_int(cx, options, "first", 0, 0, plan->n_nodes, &first));
    ap->first = (int)first;
    GM_TRY(gm_doc_bool(cx, options, "intermediate", false, &all));
    GM_NEW_IN(cx, &ap->arena, ap->out, plan->n_vars + (columns ? columns->n : 0) + 1);
    if (columns && columns->kind != GM_D_NULL) return choose_named(cx, ap, plan, columns);
    for (int v = 0; v < plan->n_vars; v++)
        if (plan->var[v].node >= first && plan->var[v].node >= 0 && plan->var[v].node < stages &&
            (all || by_default(plan, v, (int)stages)))
            ap->out[ap->n_out++] = v;
    return GM_OK;
}

/* A prediction of yes and no. */
static bool is_truth(const gm_plan *plan, int v)
{
    const gm_node *n = &plan->node[plan->var[v].node];
    return gm_is_learner(n->stage) && n->labels && n->labels->is_truth;
}

static gm_made made_of(const gm_plan *plan, int v)
{
    switch (plan->var[v].type) {
    case GM_T_REAL: return is_truth(plan, v) ? GM_MADE_TRUTH : GM_MADE_DOUBLE;
    case GM_T_TEXT: return GM_MADE_VARCHAR;
    case GM_T_WORDS: return GM_MADE_TEXTS;
    case GM_T_VECTOR: break;
    }
    return made_by_learner(plan, v) || plan->var[v].attr.width <= WIDEST_LIST ? GM_MADE_DOUBLES
                                                                              : GM_MADE_SPARSE;
}

/* ---- one tile ---- */

/* Puts the rows that are left back at their places; places of dropped rows get any other row's value. */
static gm_code spread(gm_cx *cx, gm_arena *a, const gm_run *r, int64_t rows, int32_t **out)
{
    int32_t *from;
    GM_NEW_IN(cx, a, from, rows + 1);
    for (int64_t i = 0; i < r->rows; i++) from[r->row[i]] = (int32_t)i;
    *out = from;
    return GM_OK;
}

static gm_code apply_tile(gm_cx *cx, gm_arena *a, void *arg, const gm_batch *in, gm_column *out,
                          uint8_t *null_rows, uint8_t *drop)
{
    const applying *ap = arg;
    gm_run r = {.cx = cx, .a = a, .plan = ap->model->plan, .rows = in->rows};
    (void)null_rows;
    GM_NEW_IN(cx, a, r.slot, r.plan->n_vars + 1);
    GM_TRY(gm_run_inputs(&r, ap->in, ap->n_in, in));
    GM_TRY(gm_flow_run(&r, &ap->flow));
    if (r.row) {
        memset(drop, 1, (size_t)in->rows);
        for (int64_t i = 0; i < r.rows; i++) drop[r.row[i]] = 0;
    }
    if (r.rows == 0) return GM_OK;
    int32_t *from = NULL;
    if (r.row) GM_TRY(spread(cx, a, &r, in->rows, &from));
    for (int k = 0; k < ap->n_out; k++) {
        if (from) GM_TRY(gm_column_take(cx, a, &r.slot[ap->out[k]], from, in->rows, &out[k]));
        else out[k] = r.slot[ap->out[k]];
    }
    return GM_OK;
}

/* ---- the table ---- */

static gm_code build(gm_cx *cx, applying *ap, const gm_doc *options, gm_rowfn *fn)
{
    static const char *const keys[] = {"columns", "stages", "first", "intermediate", "keep", NULL};
    const gm_plan *plan = ap->model->plan;
    bool *have;
    gm_want *want;
    gm_rowfn_out *made;
    GM_TRY(gm_doc_only(cx, options, "option of transform", keys));
    GM_TRY(choose_outputs(cx, ap, options));
    GM_NEW_IN(cx, &ap->arena, have, plan->n_vars + 1);
    GM_NEW_IN(cx, &ap->arena, ap->in, plan->n_vars + 1);
    GM_NEW_IN(cx, &ap->arena, want, plan->n_vars + 1);
    GM_NEW_IN(cx, &ap->arena, made, ap->n_out + 1);
    for (int v = 0; v < plan->n_vars; v++) have[v] = plan->var[v].node < ap->first;
    GM_TRY(gm_flow_to(cx, &ap->arena, plan, ap->out, ap->n_out, have, &ap->flow));
    for (int v = 0; v < plan->n_vars; v++) {
        if (!have[v] || !ap->flow.needed[v]) continue;
        ap->in[ap->n_in] = v;
        want[ap->n_in++] = (gm_want){.column = plan->var[v].name, .type = plan->var[v].type};
    }
    for (int k = 0; k < ap->n_out; k++)
        made[k] = (gm_rowfn_out){.name = plan->var[ap->out[k]].name, .made = made_of(plan, ap->out[k])};
    *fn = (gm_rowfn){.n_in = ap->n_in,
                     .in = want,
                     .n_out = ap->n_out,
                     .out = made,
                     .call = apply_tile,
                     .arg = ap,
                     .release = applying_free,
                     .drops = true};
    return GM_OK;
}

static gm_code apply_to(gm_cx *cx, const gm_model *m, const gm_table *source, const gm_doc *options,
                        bool whole, gm_table **out)
{
    gm_rowfn fn;
    if (whole) GM_TRY(gm_model_fits(cx, m, source, false));
    applying *ap = gm_raw_alloc(cx, sizeof *ap);
    GM_GOT(cx, ap);
    *ap = (applying){.model = gm_model_ref(m)};
    gm_code c = build(cx, ap, options, &fn);
    if (c != GM_OK || ap->n_out == 0) {
        if (c == GM_OK) *out = gm_table_ref(source);
        return applying_free(ap), c;
    }
    return gm_table_rowfn(cx, source, &fn, NULL, -1, out); /* the table owns ap now, also when this fails */
}

gm_code gm_model_apply(gm_cx *cx, const gm_model *m, const gm_table *t, const gm_doc *options, gm_table **out)
{
    gm_table *source = gm_table_ref(t);
    int64_t first;
    gm_code c = gm_doc_int(cx, options, "first", 0, 0, m->pipeline->n, &first);
    if (c == GM_OK && first == 0) {
        gm_table_free(source);
        GM_TRY(gm_model_take(cx, m, t, &source));
    }
    if (c == GM_OK) c = apply_to(cx, m, source, options, first == 0, out);
    gm_table_free(source);
    return c;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fit.c - fitting a pipeline: plan, one scan of the source, rounds of statistics over the stored rows,
 * learners.
 */
#include "model/fitting.h"
#include "model/modelfile.h"
#include "model/vectors.h"
#include "stage/ports.h"
#include <stdio.h>
#include <string.h>

static int last_learner(const gm_plan *plan)
{
    for (int i = plan->n_nodes - 1; i >= 0; i--)
        if (gm_is_learner(plan->node[i].stage)) return i;
    return -1;
}

/* Nothing is fitted after this round. */
static bool is_last(const gm_plan *plan, int node)
{
    int last = plan->round[node];
    for (int i = 0; i < plan->n_nodes; i++)
        if (plan->round[i] > last || (plan->round[i] == last && i > node)) return false;
    return true;
}

static gm_code fit_rounds(gm_cx *cx, gm_fitting *f)
{
    gm_plan *plan = f->plan;
    for (int round = 0; round < plan->rounds; round++) {
        GM_TRY(gm_check_cancel(cx));
        gm_progress(cx, "fit.round", round, plan->rounds, "passes", "fitting stages");
        GM_TRY(gm_fit_statistics(cx, f, round));
        for (int i = 0; i < plan->n_nodes; i++)
            if (plan->round[i] == round && gm_is_learner(plan->node[i].stage))
                GM_TRY(gm_fit_learner(cx, f, i, is_last(plan, i)));
    }
    return GM_OK;
}

/* What the pipeline reads, for the model to check tables against. */
static gm_code note_inputs(gm_cx *cx, gm_model *m, const gm_plan *plan, const gm_table *source,
                           const gm_columns *schema, const gm_columns *raw)
{
    GM_NEW_IN(cx, &m->arena, m->input, plan->n_vars + 1);
    for (int v = 0; v < plan->n_vars; v++) {
        const gm_var *var = &plan->var[v];
        if (var->node >= 0) continue;
        const gm_field *f = &schema->field[gm_columns_find(schema, var->name)];
        bool fit_only = true;
        for (int i = 0; i < plan->n_nodes; i++)
            for (int k = 0; k < plan->node[i].n_in && !gm_is_sql(plan->node[i].stage); k++)
                if (plan->in[i][k] == v && !gm_port_fit_only(&plan->node[i].in[k])) fit_only = false;
        gm_input *in = &m->input[m->n_inputs++];
        *in = (gm_input){.cls = f->cls,
                         .as_text = var->type == GM_T_TEXT,
                         .fit_only = fit_only,
                         .base = -1,
                         .made = gm_columns_find(raw, var->name) < 0};
        GM_GOT(cx, in->name = gm_strdup(cx, &m->arena, var->name));
        if (f->cls == GM_CLASS_REALS) GM_TRY(gm_table_index_base(cx, source, var->name, &in->base));
        char vector[40];
        snprintf(vector, sizeof vector, "DOUBLE[%lld]", (long long)var->attr.width);
        GM_GOT(cx, in->type = gm_strdup(cx, &m->arena, var->type == GM_T_VECTOR ? vector : f->type));
    }
    return GM_OK;
}

static gm_code fit_all(gm_cx *cx, gm_fitting *f, const gm_table *t, const gm_table *source)
{
    const gm_columns *schema, *raw;
    GM_TRY(gm_table_schema(cx, t, &raw));
    GM_TRY(gm_table_schema(cx, source, &schema));
    GM_TRY(gm_vectors_measure(cx, f->arena, f->model->pipeline, source, schema, &schema));
    GM_TRY(gm_plan_make(cx, f->arena, f->model->pipeline, schema, true, &f->plan));
    GM_NEW_IN(cx, f->arena, f->tally, f->plan->n_tallies + 1);
    GM_NEW_IN(cx, f->arena, f->counted, f->plan->n_nodes + 1);
    f->learner = -1;
    GM_TRY(gm_plan_describe(cx, f->plan));
    if (f->plan->rounds > 0) {
        GM_TRY(gm_fit_scan(cx, f, source));
        GM_TRY(gm_table_schema(cx, source, &schema)); /* types may have widened while reading */
    }
    GM_TRY(note_inputs(cx, f->model, f->plan, source, schema, raw));
    if (f->plan->rounds > 0) {
        GM_TRY(fit_rounds(cx, f));
        if (last_learner(f->plan) >= 0) GM_TRY(gm_fit_judge(cx, f));
    }
    GM_TRY(gm_fit_facts(cx, f, source));
    return gm_model_ready(cx, f->model, false);
}

gm_code gm_fit_pipeline(gm_cx *cx, const gm_pipeline *p, const gm_table *t, const gm_fit_options *o,
                        gm_model **out)
{
    gm_model *m = NULL;
    gm_table *source = NULL;
    gm_arena arena = {0};
    gm_buf json = gm_buf_in(cx, &arena);
    gm_fitting f = {.level = o->level,
                    .decided = o->decided,
                    .start = o->start,
                    .arena = &arena,
                    .metrics = gm_buf_in(cx, &arena)};
    gm_model *named = NULL;
    gm_code c = GM_OK;
    if (f.start == NULL && p->init) c = gm_within(cx, gm_model_open_file(cx, p->init, &named), "init");
    if (named) f.start = named;
    if (c == GM_OK && f.start) c = gm_start_check(cx, p, f.start);
    gm_pipeline_json(&json, NULL, p, true);
    if (c == GM_OK) c = gm_buf_done(&json);
    if (c == GM_OK) c = gm_model_new(cx, json.p, json.len, &m);
    if (c == GM_OK) c = gm_model_source(cx, m->pipeline, t, &source);
    f.model = m;
    if (c == GM_OK) c = fit_all(cx, &f, t, source);
    gm_table_free(source);
    gm_model_free(named);
    gm_arena_end(&f.store_arena);
    gm_arena_end(&arena);
    if (c != GM_OK) return gm_model_free(m), c;
    *out = m;
    return GM_OK;
}

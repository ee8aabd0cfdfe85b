/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.c - making, sharing and completing a model, and checking that a table has what it needs.
 */
#include "model/model.h"
#include "base/file.h"
#include "model/vectors.h"
#include "source/sql/sql_check.h"
#include "stage/ports.h"
#include <string.h>

/* A model goes where its pipeline's source does not: no password in a path or in SQL goes along. */
static gm_code hide_secrets(gm_cx *cx, gm_arena *a, gm_doc *d)
{
    if (d->kind == GM_D_STR) GM_GOT(cx, d->str = gm_redact(cx, a, d->str));
    for (int64_t i = 0; i < d->n; i++) GM_TRY(hide_secrets(cx, a, &d->child[i]));
    return GM_OK;
}

gm_code gm_model_new(gm_cx *cx, const char *pipeline_json, size_t n, gm_model **out)
{
    gm_model *m = gm_raw_alloc(cx, sizeof *m);
    GM_GOT(cx, m);
    *m = (gm_model){.refs = 1, .session = gm_session_ref(gm_session_of(cx))};
    gm_code c = gm_pipeline_new(cx, pipeline_json, n, "model", NULL, 0, &m->pipeline);
    if (c == GM_OK && m->pipeline->source) /* parsed just now, and nobody else has it yet */
        c = hide_secrets(cx, &m->pipeline->arena, (gm_doc *)(uintptr_t)m->pipeline->source);
    if (c != GM_OK) return gm_model_free(m), c;
    *out = m;
    return GM_OK;
}

gm_model *gm_model_ref(const gm_model *m)
{
    gm_model *shared = (gm_model *)(uintptr_t)m; /* the count is the one thing that changes */
    __atomic_fetch_add(&shared->refs, 1, __ATOMIC_RELAXED);
    return shared;
}

void gm_model_free(gm_model *m)
{
    if (m == NULL || __atomic_sub_fetch(&m->refs, 1, __ATOMIC_ACQ_REL) > 0) return;
    gm_session *s = m->session;
    gm_pipeline_free(m->pipeline);
    gm_arena_end(&m->arena);
    gm_raw_free(m);
    gm_session_unref(s);
}

gm_code gm_model_ready(gm_cx *cx, gm_model *m, bool loaded)
{
    gm_field *field;
    GM_NEW_IN(cx, &m->arena, field, m->n_inputs + 1);
    m->schema = (gm_columns){.field = field};
    for (int i = 0; i < m->n_inputs; i++)
        if (!m->input[i].fit_only)
            field[m->schema.n++] =
                (gm_field){.name = m->input[i].name, .type = m->input[i].type, .cls = m->input[i].cls};
    for (int i = 0; i < m->pipeline->n; i++) {
        const gm_node *n = &m->pipeline->node[i];
        if (n->stage->kind != GM_TRANSFORMER && n->state == NULL)
            return gm_fail(cx, GM_EMODEL, "the model has no state for %s", n->uid);
        if (n->stage->kind == GM_CLASSIFIER && n->labels == NULL)
            return gm_fail(cx, GM_EMODEL, "the model has no classes for %s", n->uid);
    }
    GM_TRY(gm_plan_make(cx, &m->arena, m->pipeline, &m->schema, false, &m->plan));
    m->plan->loaded = loaded;
    return gm_plan_describe(cx, m->plan);
}

gm_code gm_model_source(gm_cx *cx, const gm_pipeline *p, const gm_table *t, gm_table **out)
{
    gm_table *now = gm_table_ref(t);
    for (int i = 0; i < p->n; i++) {
        if (!gm_is_sql(p->node[i].stage)) continue;
        const gm_param *row = &p->node[i].stage->params[gm_param_find(p->node[i].stage->params, "statement")];
        const char *statement =
            *(const char *const *)(const void *)((const char *)p->node[i].params + row->offset);
        gm_table *next = NULL;
        gm_code c = gm_within(cx, gm_table_rowwise(cx, now, statement, &next), "%s", p->node[i].uid);
        gm_table_free(now);
        GM_TRY(c);
        now = next;
    }
    *out = now;
    return GM_OK;
}

gm_code gm_model_take(gm_cx *cx, const gm_model *m, const gm_table *t, gm_table **out)
{
    gm_table *now = gm_table_ref(t), *next;
    gm_code c = GM_OK;
    for (int i = 0; i < m->n_inputs && c == GM_OK; i++) {
        const gm_input *in = &m->input[i];
        if (in->cls != GM_CLASS_REALS) continue;
        c = gm_table_widen(cx, now, in->name, gm_vector_width(in->type), in->base, &next);
        if (c != GM_OK) break;
        gm_table_free(now);
        now = next;
    }
    if (c == GM_OK) c = gm_model_source(cx, m->pipeline, now, out);
    gm_table_free(now);
    return c;
}

const char *gm_task_name(const gm_model *m)
{
    const gm_node *n = gm_pipeline_learner(m->pipeline);
    if (n == NULL) return "features";
    if (n->stage->kind == GM_REGRESSOR) return "regression";
    return n->labels && n->labels->n > 2 ? "multiclass" : "binary";
}

gm_code gm_model_features(gm_cx *cx, gm_arena *a, const gm_model *m, gm_names *out)
{
    const gm_node *n = gm_pipeline_learner(m->pipeline);
    int v = n ? gm_plan_port(m->plan, (int)(n - m->pipeline->node), "featuresCol") : -1;
    *out = (gm_names){0};
    return v < 0 ? GM_OK : gm_var_names(cx, a, &m->plan->var[v], out);
}

bool gm_model_label_is_truth(const gm_model *m, const gm_node *n)
{
    for (int k = 0; k < n->n_in; k++) {
        if (strcmp(n->in[k].param->name, "labelCol") != 0) continue;
        for (int i = 0; i < m->n_inputs; i++)
            if (strcmp(m->input[i].name, n->in[k].column) == 0) return m->input[i].cls == GM_CLASS_BOOL;
    }
    return false;
}

/* ---- does a table fit? ---- */

static bool whole(const char *sql_type) { return strstr(sql_type, "INT") != NULL; }

static gm_code check_input(gm_cx *cx, const gm_input *in, const gm_columns *schema)
{
    int64_t at = gm_columns_find(schema, in->name);
    if (at < 0) {
        gm_code c = gm_columns_need(cx, schema, in->name, &at);
        return gm_within(cx, c, "the model was trained with column '%s' (%s)", in->name, in->type);
    }
    const gm_field *f = &schema->field[at];
    bool numbers = (in->cls == GM_CLASS_NUMBER || in->cls == GM_CLASS_BOOL) &&
                   (f->cls == GM_CLASS_NUMBER || f->cls == GM_CLASS_BOOL);
    bool same = in->cls == f->cls || (numbers && !in->as_text);
    if (same && in->as_text && in->cls == GM_CLASS_NUMBER && whole(in->type) != whole(f->type)) same = false;
    if (same) return GM_OK;
    gm_code c =
        gm_fail(cx, GM_ESCHEMA, "column '%s' was %s in training and is %s here", in->name, in->type, f->type);
    if (in->cls == GM_CLASS_REALS)
        return gm_hint_add(cx, c,
                           "a vector is a list of numbers, or a struct of type, size, indices, values");
    return gm_hint_add(cx, c, "cast it in the source query: CAST(\"%s\" AS %s)", in->name, in->type);
}

gm_code gm_model_fits(gm_cx *cx, const gm_model *m, const gm_table *source, bool with_label)
{
    const gm_columns *schema;
    GM_TRY(gm_table_schema(cx, source, &schema));
    for (int i = 0; i < m->n_inputs; i++)
        if (with_label || !m->input[i].fit_only) GM_TRY(check_input(cx, &m->input[i], schema));
    return GM_OK;
}

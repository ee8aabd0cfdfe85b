/* SPDX-License-Identifier: Apache-2.0 */
/*
 * auto.c - low code from its options to a pipeline and a report: what is asked for, measured, decided,
 * written and told.
 */
#include "model/auto.h"
#include "stage/find.h"
#include <string.h>

static const char *const use_names[] = {
    [GM_USE_OUT] = "left out",  [GM_USE_LABEL] = "label",       [GM_USE_FLAG] = "yes/no",
    [GM_USE_NUMBER] = "number", [GM_USE_CATEGORY] = "category", [GM_USE_WORDS] = "text",
    [GM_USE_VECTOR] = "vector", [GM_USE_DATE] = "date parts",   [GM_USE_TIMESTAMP] = "date and time parts",
};
static const char *const task_names[] = {"binary", "multiclass", "regression"};

gm_code gm_auto_report(gm_cx *cx, const gm_auto_plan *p, gm_buf *b)
{
    (void)cx;
    gm_json_open(b, NULL, '{');
    gm_json_str(b, "task", task_names[p->task]);
    gm_json_str(b, "why", p->why);
    gm_json_str(b, "label", p->column[p->label].name);
    gm_json_int(b, "rows", (int64_t)p->rows);
    gm_json_int(b, "rows_without_label", (int64_t)(p->rows - p->column[p->label].m.present));
    gm_json_open(b, "columns", '[');
    for (int64_t i = 0; i < p->n; i++) {
        const gm_auto_column *c = &p->column[i];
        gm_json_open(b, NULL, '{');
        gm_json_str(b, "name", c->name);
        gm_json_str(b, "type", c->type);
        if (!c->leak) gm_json_str(b, "use", use_names[c->use]);
        else gm_json_str(b, "use", c->use == GM_USE_OUT ? "left out: leakage" : "used, but possible leakage");
        gm_json_str(b, "why", c->why);
        gm_json_close(b, '}');
    }
    gm_json_close(b, ']');
    gm_json_close(b, '}');
    return gm_buf_done(b);
}

/* ---- options ---- */

/* Marks the columns of a list option; a name that is not there fails with the nearest. */
static gm_code mark(gm_cx *cx, const gm_doc *options, const char *key, const gm_columns *s, gm_auto_plan *p,
                    bool keep)
{
    const gm_doc *d = gm_doc_get(options, key);
    if (d == NULL || d->kind == GM_D_NULL) return GM_OK;
    if (d->kind != GM_D_LIST)
        return gm_fail(cx, GM_EPARAM, "%s: expected a list of columns", gm_doc_where(cx, d));
    for (int64_t i = 0; i < d->n; i++) {
        int64_t at;
        if (d->child[i].kind != GM_D_STR)
            return gm_fail(cx, GM_EPARAM, "%s: expected names of columns", gm_doc_where(cx, d));
        GM_TRY(gm_within(cx, gm_columns_need(cx, s, d->child[i].str, &at), "%s", key));
        *(keep ? &p->column[at].keep : &p->column[at].excluded) = true;
    }
    return GM_OK;
}

static gm_code warn(gm_cx *cx, const gm_auto_plan *p)
{
    for (int64_t i = 0; i < p->n; i++)
        if (p->column[i].leak)
            gm_emit(cx, GM_WARNING, "auto.leakage", "", "column '%s' %s: %s", p->column[i].name,
                    p->column[i].use == GM_USE_OUT ? "is left out" : "may know the label", p->column[i].why);
    return GM_OK;
}

gm_code gm_auto(gm_cx *cx, gm_table *t, const gm_doc *options, gm_buf *pipeline_yaml, gm_buf *report_json)
{
    static const char *const keys[] = {"label", "learner", "test", "seed", "exclude", "keep", NULL};
    gm_arena *a = gm_scratch(cx);
    gm_auto_plan p = {0};
    const gm_columns *s;
    const gm_stage *stage = NULL;
    const char *label, *learner;
    double test;
    int64_t seed;
    GM_TRY(gm_doc_only(cx, options, "option", keys));
    GM_TRY(gm_doc_str(cx, options, "label", NULL, &label));
    GM_TRY(gm_doc_str(cx, options, "learner", NULL, &learner));
    GM_TRY(gm_doc_real(cx, options, "test", 0.2, &test));
    GM_TRY(gm_doc_int(cx, options, "seed", (int64_t)gm_seed(cx), 0, GM_SEED_MAX, &seed));
    if (label == NULL)
        return gm_hint_add(cx, gm_fail(cx, GM_EUSAGE, "no label was named: what is to be predicted?"),
                           "name a column of the table as the label");
    if (!(test >= 0 && test < 1))
        return gm_fail(cx, GM_EPARAM, "test = %g: expected a share from 0 to below 1", test);
    if (learner) {
        GM_TRY(gm_stage_need(cx, learner, gm_doc_get(options, "learner"), &stage));
        if (stage->kind != GM_CLASSIFIER && stage->kind != GM_REGRESSOR)
            return gm_fail(cx, GM_ESTAGE, "%s is not a learner: it makes features", learner);
        p.wish = stage->kind == GM_CLASSIFIER ? GM_WISH_CLASSES : GM_WISH_NUMBERS;
    }
    GM_TRY(gm_table_schema(cx, t, &s));
    GM_TRY(gm_within(cx, gm_columns_need(cx, s, label, &p.label), "label"));
    p.n = s->n;
    GM_NEW(cx, p.column, p.n);
    for (int64_t i = 0; i < p.n; i++) p.column[i].name = s->field[i].name;
    GM_TRY(mark(cx, options, "exclude", s, &p, false));
    GM_TRY(mark(cx, options, "keep", s, &p, true));
    GM_TRY(gm_auto_profile(cx, t, &p));
    GM_TRY(gm_auto_decide(cx, a, &p));
    GM_TRY(warn(cx, &p));
    GM_TRY(gm_auto_pipeline(cx, a, &p, learner, test, seed, pipeline_yaml));
    return gm_auto_report(cx, &p, report_json);
}

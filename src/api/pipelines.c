/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pipelines.c - the gm_pipeline_* functions, gm_explain and gm_fit.
 */
#include "api/call.h"
#include "model/auto.h"
#include "model/fitting.h"
#include <string.h>

gm_code gm_pipeline_parse(gm_cx *cx, const char *text, const char *origin, const char *const *overrides,
                          int n, gm_pipeline **out)
{
    GM_ENTER(cx, text && out && (n == 0 || overrides));
    return gm_leave(cx, gm_pipeline_new(cx, text, strlen(text), origin ? origin : "", overrides, n, out));
}

static gm_code pipeline_auto(gm_cx *cx, const gm_table *t, const char *options, gm_pipeline **out,
                             char **report)
{
    gm_doc *o;
    gm_pipeline *p;
    gm_buf yaml = gm_buf_in(cx, gm_scratch(cx)), json = gm_buf_in(cx, gm_scratch(cx));
    GM_TRY(gm_call_options(cx, options, &o));
    GM_TRY(gm_auto(cx, (gm_table *)(uintptr_t)t, o, &yaml, &json));
    GM_TRY(gm_buf_done(&yaml));
    GM_TRY(gm_pipeline_new(cx, yaml.p, yaml.len, "low code", NULL, 0, &p));
    gm_code c = report ? gm_call_give(cx, &json, report) : GM_OK;
    if (c != GM_OK) return gm_pipeline_free(p), c;
    *out = p;
    return GM_OK;
}

gm_code gm_pipeline_auto(gm_cx *cx, const gm_table *t, const char *options, gm_pipeline **out, char **report)
{
    GM_ENTER(cx, t && out);
    return gm_leave(cx, pipeline_auto(cx, t, options, out, report));
}

static gm_code pipeline_text(gm_cx *cx, const gm_pipeline *p, const char *form, int full, char **text)
{
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    if (form == NULL || strcmp(form, "yaml") == 0) GM_TRY(gm_pipeline_yaml(cx, &b, p, full != 0));
    else if (strcmp(form, "json") == 0) gm_pipeline_json(&b, NULL, p, full != 0);
    else return gm_fail(cx, GM_EUSAGE, "a pipeline is written as yaml or json, not '%s'", form);
    return gm_call_give(cx, &b, text);
}

gm_code gm_pipeline_text(gm_cx *cx, const gm_pipeline *p, const char *form, int full, char **text)
{
    GM_ENTER(cx, p && text);
    return gm_leave(cx, pipeline_text(cx, p, form, full, text));
}

static gm_code pipeline_source(gm_cx *cx, const gm_pipeline *p, gm_table **out)
{
    if (p->source == NULL)
        return gm_hint_add(
            cx, gm_fail(cx, GM_ESYNTAX, "%s: the pipeline names no source", gm_doc_where(cx, p->root)),
            "add  source: {path: data.csv}, or give a data file");
    return gm_table_from_pipeline(cx, p->source, out);
}

gm_code gm_pipeline_source(gm_cx *cx, const gm_pipeline *p, gm_table **out)
{
    GM_ENTER(cx, p && out);
    return gm_leave(cx, pipeline_source(cx, p, out));
}

/* A plan on a copy of the pipeline: planning sets types in its nodes, and p is shared. */
static gm_code explain(gm_cx *cx, const gm_pipeline *p, const gm_table *t, const char *form, char **text)
{
    gm_buf json = gm_buf_in(cx, gm_scratch(cx)), b = gm_buf_in(cx, gm_scratch(cx));
    gm_pipeline *copy = NULL;
    gm_table *source = NULL;
    const gm_columns *schema;
    gm_plan *plan;
    gm_pipeline_json(&json, NULL, p, false);
    GM_TRY(gm_buf_done(&json));
    GM_TRY(gm_pipeline_new(cx, json.p, json.len, "pipeline", NULL, 0, &copy));
    gm_code c = gm_model_source(cx, copy, t, &source);
    if (c == GM_OK) c = gm_table_schema(cx, source, &schema);
    if (c == GM_OK) c = gm_plan_make(cx, gm_scratch(cx), copy, schema, true, &plan);
    if (c == GM_OK) c = gm_plan_explain(cx, &b, plan, form, gm_table_label(t));
    if (c == GM_OK) c = gm_call_give(cx, &b, text);
    gm_table_free(source);
    gm_pipeline_free(copy);
    return c;
}

gm_code gm_explain(gm_cx *cx, const gm_pipeline *p, const gm_table *t, const char *form, char **text)
{
    GM_ENTER(cx, p && t && text);
    return gm_leave(cx, gm_csv_told_better(cx, t, explain(cx, p, t, form, text)));
}

/* What gm_pipeline_auto reported: a map with a text "why" and a list "columns" of maps of texts. */
static gm_code decided_of(gm_cx *cx, const gm_doc *options, const gm_doc **out)
{
    const gm_doc *d = gm_doc_get(options, "decided"), *why, *columns;
    if (d == NULL || d->kind == GM_D_NULL) return GM_OK;
    why = d->kind == GM_D_MAP ? gm_doc_get(d, "why") : NULL;
    columns = d->kind == GM_D_MAP ? gm_doc_get(d, "columns") : NULL;
    bool good = why && why->kind == GM_D_STR && columns && columns->kind == GM_D_LIST;
    for (int64_t i = 0; good && i < columns->n; i++) {
        const gm_doc *c = &columns->child[i];
        good = c->kind == GM_D_MAP;
        for (int64_t k = 0; good && k < c->n; k++) good = c->child[k].kind == GM_D_STR;
    }
    if (!good)
        return gm_hint_add(cx, gm_fail(cx, GM_EPARAM, "decided is not a report of low code"),
                           "give what gm_pipeline_auto reported");
    *out = d;
    return GM_OK;
}

static gm_code fit(gm_cx *cx, const gm_pipeline *p, const gm_table *t, const char *options,
                   const gm_model *start, gm_model **out)
{
    static const char *const keys[] = {"persist", "decided", NULL};
    gm_doc *o;
    const char *level;
    gm_fit_options fo = {.start = start};
    GM_TRY(gm_call_options(cx, options, &o));
    GM_TRY(gm_doc_only(cx, o, "option of fit", keys));
    GM_TRY(gm_doc_str(cx, o, "persist", "AUTO", &level));
    int i = 0;
    while (gm_level_words[i] && strcmp(gm_level_words[i], level) != 0) i++;
    if (gm_level_words[i] == NULL)
        return gm_fail(cx, GM_EPARAM, "persist is AUTO, MEMORY_ONLY, MEMORY_AND_DISK or DISK_ONLY, not '%s'",
                       level);
    fo.level = (gm_level)i;
    GM_TRY(decided_of(cx, o, &fo.decided));
    return gm_fit_pipeline(cx, p, t, &fo, out);
}

gm_code gm_fit(gm_cx *cx, const gm_pipeline *p, const gm_table *t, const char *options, gm_model **out)
{
    GM_ENTER(cx, p && t && out);
    return gm_leave(cx, gm_csv_told_better(cx, t, fit(cx, p, t, options, NULL, out)));
}

gm_code gm_fit_from(gm_cx *cx, const gm_pipeline *p, const gm_table *t, const char *options,
                    const gm_model *start, gm_model **out)
{
    GM_ENTER(cx, p && t && start && out);
    return gm_leave(cx, gm_csv_told_better(cx, t, fit(cx, p, t, options, start, out)));
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry.c - what there is, as JSON: stages, evaluators, codes; and JSON Schemas made from the same tables.
 */
#include "api/call.h"
#include "api/output_schema.h"
#include "model/evaluate.h"
#include "model/pipeline.h"
#include "stage/find.h"
#include <string.h>

static const char *const kinds[] = {"transformer", "estimator", "classifier", "regressor"};
static const char *const state_types[] = {"real", "int", "text"};

static void write_stage(gm_buf *b, const gm_stage *s)
{
    gm_json_open(b, NULL, '{');
    gm_json_str(b, "name", s->name);
    gm_json_str(b, "kind", kinds[s->kind]);
    gm_json_str(b, "summary", s->summary);
    gm_json_str(b, "doc", s->doc ? s->doc : "");
    gm_param_describe(b, "params", s->params);
    gm_json_open(b, "state", '[');
    for (const gm_state *r = s->states; r && r->name; r++) {
        gm_json_open(b, NULL, '{');
        gm_json_str(b, "name", r->name);
        gm_json_str(b, "type", state_types[r->type]);
        gm_json_str(b, "help", r->help);
        gm_json_close(b, '}');
    }
    gm_json_close(b, ']');
    gm_json_close(b, '}');
}

static void write_evaluators(gm_buf *b)
{
    gm_json_open(b, "evaluators", '[');
    for (const gm_evaluator *const *e = gm_evaluators; *e; e++) {
        gm_json_open(b, NULL, '{');
        gm_json_str(b, "name", (*e)->name);
        gm_json_str(b, "summary", (*e)->summary);
        gm_param_describe(b, "params", (*e)->params);
        gm_evaluator_metrics(b, "metrics", *e);
        gm_json_close(b, '}');
    }
    gm_json_close(b, ']');
}

static void write_codes(gm_buf *b)
{
    gm_json_open(b, "codes", '[');
#define CODE_ROW(name_, value, text_, exit_status, http, exception) \
    gm_json_open(b, NULL, '{'); \
    gm_json_str(b, "name", #name_); \
    gm_json_int(b, "value", value); \
    gm_json_str(b, "text", text_); \
    gm_json_int(b, "exit_status", exit_status); \
    gm_json_int(b, "http", http); \
    gm_json_str(b, "exception", exception); \
    gm_json_close(b, '}');
    GM_CODES(CODE_ROW)
#undef CODE_ROW
    gm_json_close(b, ']');
}

static gm_code registry(gm_cx *cx, char **json)
{
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    gm_json_open(&b, NULL, '{');
    gm_json_str(&b, "version", gm_version());
    gm_json_open(&b, "stages", '[');
    for (const gm_stage *const *s = gm_features; *s; s++) write_stage(&b, *s);
    for (const gm_stage *const *s = gm_learners; *s; s++) write_stage(&b, *s);
    gm_json_close(&b, ']');
    write_evaluators(&b);
    write_codes(&b);
    gm_json_close(&b, '}');
    return gm_call_give(cx, &b, json);
}

gm_code gm_registry(gm_cx *cx, char **json)
{
    GM_ENTER(cx, json);
    return gm_leave(cx, registry(cx, json));
}

/* ---- schemas ---- */

static void one_of(gm_buf *b, const char *name, const gm_param *params)
{
    gm_json_open(b, NULL, '{');
    gm_json_str(b, "type", "object");
    gm_json_bool(b, "additionalProperties", false);
    gm_json_open(b, "required", '[');
    gm_json_str(b, NULL, name);
    gm_json_close(b, ']');
    gm_json_open(b, "properties", '{');
    gm_param_schema(b, name, params);
    gm_json_close(b, '}');
    gm_json_close(b, '}');
}

static void typed(gm_buf *b, const char *key, const char *type, const char *help)
{
    gm_json_open(b, key, '{');
    gm_json_str(b, "type", type);
    gm_json_str(b, "description", help);
    gm_json_close(b, '}');
}

static void pipeline_schema(gm_buf *b)
{
    gm_json_open(b, NULL, '{');
    gm_json_str(b, "$schema", GM_JSON_SCHEMA);
    gm_json_str(b, "title", "Gristmill pipeline");
    gm_json_str(b, "type", "object");
    gm_json_bool(b, "additionalProperties", false);
    gm_json_open(b, "required", '[');
    gm_json_str(b, NULL, "stages");
    gm_json_close(b, ']');
    gm_json_open(b, "properties", '{');
    typed(b, "name", "string", "what the pipeline is called in the report");
    typed(b, "source", "object", "path and reading options, or tables and sql");
    typed(b, "model", "string", "where the model is written");
    typed(b, "report", "string", "where the HTML report is written");
    typed(b, "init", "string", "a model file whose learner the last learner starts from");
    typed(b, "seed", "integer", "the seed of everything random");
    typed(b, "missingLabel", "string", "error or skip: what to do with training rows that have no label");
    gm_param_schema(b, "split", gm_split_params);
    gm_json_open(b, "stages", '{');
    gm_json_str(b, "type", "array");
    gm_json_int(b, "minItems", 1);
    gm_json_open(b, "items", '{');
    gm_json_open(b, "anyOf", '[');
    typed(b, NULL, "string", "a stage with its defaults");
    for (const gm_stage *const *s = gm_features; *s; s++) one_of(b, (*s)->name, (*s)->params);
    for (const gm_stage *const *s = gm_learners; *s; s++) one_of(b, (*s)->name, (*s)->params);
    gm_json_close(b, ']');
    gm_json_close(b, '}');
    gm_json_close(b, '}');
    gm_json_open(b, "evaluate", '{');
    gm_json_str(b, "type", "array");
    gm_json_open(b, "items", '{');
    gm_json_open(b, "anyOf", '[');
    for (const gm_evaluator *const *e = gm_evaluators; *e; e++) one_of(b, (*e)->name, (*e)->params);
    gm_json_close(b, ']');
    gm_json_close(b, '}');
    gm_json_close(b, '}');
    gm_json_close(b, '}');
    gm_json_close(b, '}');
}

static gm_code schema(gm_cx *cx, const char *what, char **json)
{
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    const gm_stage *s;
    if (strcmp(what, "pipeline") == 0) {
        pipeline_schema(&b);
    } else if (strcmp(what, "output") == 0) {
        gm_output_schema(&b);
    } else {
        GM_TRY(gm_stage_need(cx, what, NULL, &s));
        gm_param_schema(&b, NULL, s->params);
    }
    return gm_call_give(cx, &b, json);
}

gm_code gm_schema(gm_cx *cx, const char *what, char **json)
{
    GM_ENTER(cx, what && json);
    return gm_leave(cx, schema(cx, what, json));
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pipeline.c - from a document to configured stages, and back to text.
 */
#include "model/pipeline.h"
#include "model/chosen.h"
#include "stage/find.h"
#include "stage/ports.h"
#include <string.h>

const gm_param gm_split_params[] = {
    {GM_REAL(gm_split, test, 0), .max = 1, .open_max = true,
     .help = "share of the rows that are held out and judged on"},
    {GM_INT(gm_split, seed, 0), .max = GM_SEED_MAX, .help = "another seed, another split"},
    {GM_STRING(gm_split, key, NULL),
     .help = "column that identifies a row; default: the content of the columns read"},
    {0},
};
static const char *const missing_label_words[] = {"error", "skip", NULL};
static const char *const root_keys[] = {"name",   "source", "split", "stages",       "evaluate", "model",
                                        "report", "init",   "seed",  "missingLabel", NULL};

bool gm_is_learner(const gm_stage *s) { return s->kind == GM_CLASSIFIER || s->kind == GM_REGRESSOR; }

bool gm_is_sql(const gm_stage *s) { return strcmp(s->name, "SQLTransformer") == 0; }

const gm_node *gm_pipeline_learner(const gm_pipeline *p)
{
    for (int i = p->n - 1; i >= 0; i--)
        if (gm_is_learner(p->node[i].stage)) return &p->node[i];
    return NULL;
}

/* "StringIndexer", {"StringIndexer": {...}} or {"StringIndexer": null}. */
static gm_code one_stage(gm_cx *cx, gm_pipeline *p, const gm_doc *d, int at)
{
    gm_node *node = &p->node[at];
    const gm_doc *params = NULL;
    const char *name = d->str;
    if (d->kind == GM_D_MAP && d->n == 1) {
        name = d->child[0].key;
        params = d->child[0].kind == GM_D_NULL ? NULL : &d->child[0];
    } else if (d->kind != GM_D_STR) {
        return gm_hint_add(cx,
                           gm_fail(cx, GM_ESYNTAX, "%s: stage %d is not a stage's name with its parameters",
                                   gm_doc_where(cx, d), at),
                           "write it as  - StageName: {param: value}");
    }
    GM_TRY(gm_stage_need(cx, name, d, &node->stage));
    char *params_obj;
    GM_NEW_IN(cx, &p->arena, params_obj, node->stage->param_size);
    node->params = params_obj;
    node->uid = gm_format(cx, &p->arena, "%s_%d", node->stage->name, at);
    GM_GOT(cx, node->uid);
    gm_param_defaults(node->stage->params, node->params);
    if (params)
        GM_TRY(gm_param_set_all(cx, &p->arena, node->stage->params, node->params, params, node->stage->name,
                                &node->set));
    return gm_node_resolve(cx, &p->arena, node);
}

static gm_code read_stages(gm_cx *cx, gm_pipeline *p)
{
    const gm_doc *stages = gm_doc_get(p->root, "stages");
    if (stages == NULL || stages->kind != GM_D_LIST || stages->n == 0)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_ESYNTAX, "%s: a pipeline needs a list of stages",
                                   gm_doc_where(cx, stages ? stages : p->root)),
                           "add  stages: [StageName: {param: value}, ...]; `gristmill stages` lists them");
    if (stages->n > 10000) return gm_fail(cx, GM_ESYNTAX, "a pipeline has at most 10,000 stages");
    p->n = (int)stages->n;
    GM_NEW_IN(cx, &p->arena, p->node, p->n);
    for (int i = 0; i < p->n; i++) GM_TRY(one_stage(cx, p, &stages->child[i], i));
    return GM_OK;
}

static gm_code read_rest(gm_cx *cx, gm_pipeline *p)
{
    const gm_doc *r = p->root, *split = gm_doc_get(r, "split"), *missing = gm_doc_get(r, "missingLabel");
    GM_TRY(gm_doc_str(cx, r, "name", NULL, &p->name));
    GM_TRY(gm_doc_str(cx, r, "model", NULL, &p->model));
    GM_TRY(gm_doc_str(cx, r, "report", NULL, &p->report));
    GM_TRY(gm_doc_str(cx, r, "init", NULL, &p->init));
    p->source = gm_doc_get(r, "source");
    p->evaluate = gm_doc_get(r, "evaluate");
    gm_param_defaults(gm_split_params, &p->split);
    p->split.seed = (int64_t)gm_seed(cx);
    int64_t seed;
    GM_TRY(gm_doc_int(cx, r, "seed", p->split.seed, 0, GM_SEED_MAX, &seed));
    p->split.seed = seed;
    if (split)
        GM_TRY(gm_param_set_all(cx, &p->arena, gm_split_params, &p->split, split, "split", &p->split_set));
    if (missing) {
        const char *word;
        GM_TRY(gm_doc_str(cx, r, "missingLabel", "error", &word));
        for (int i = 0; missing_label_words[i]; i++)
            if (strcmp(word, missing_label_words[i]) == 0)
                return p->missing_label = (gm_missing_label)i, GM_OK;
        return gm_fail(cx, GM_EPARAM, "%s: missingLabel is error or skip, not '%s'",
                       gm_doc_where(cx, missing), word);
    }
    return GM_OK;
}

/* "Stage.param=value" is short for "stages.Stage.param=value". */
static bool in_stages(const char *override)
{
    size_t n = strcspn(override, ".=");
    for (int k = 0; root_keys[k]; k++)
        if (strlen(root_keys[k]) == n && strncmp(root_keys[k], override, n) == 0) return false;
    return override[n] == '.';
}

static gm_code parse(gm_cx *cx, gm_pipeline *p, const char *text, size_t n, const char *origin,
                     const char *const *overrides, int n_overrides)
{
    gm_doc *root;
    GM_TRY(gm_doc_parse(cx, &p->arena, text, n, origin, &root));
    if (root->kind != GM_D_MAP)
        return gm_hint_add(cx, gm_fail(cx, GM_ESYNTAX, "%s: a pipeline is a map", gm_doc_where(cx, root)),
                           "it has the keys source, stages, split, evaluate, model, report");
    for (int i = 0; i < n_overrides; i++)
        GM_TRY(gm_doc_override(cx, &p->arena, root, in_stages(overrides[i]) ? "stages" : NULL, overrides[i]));
    p->root = root;
    GM_TRY(gm_doc_only(cx, root, "key of a pipeline", root_keys));
    GM_TRY(read_rest(cx, p));
    GM_TRY(read_stages(cx, p));
    /* Here, so that a misspelt evaluator is told before the fit and not after it. */
    return gm_chosen_read(cx, &p->arena, p->evaluate, gm_pipeline_learner(p), &p->chosen, &p->n_chosen);
}

gm_code gm_pipeline_new(gm_cx *cx, const char *text, size_t n, const char *origin,
                        const char *const *overrides, int n_overrides, gm_pipeline **out)
{
    gm_pipeline *p = gm_raw_alloc(cx, sizeof *p);
    GM_GOT(cx, p);
    *p = (gm_pipeline){.refs = 1, .session = gm_session_ref(gm_session_of(cx))};
    gm_code c = parse(cx, p, text, n, origin, overrides, n_overrides);
    if (c != GM_OK) return gm_pipeline_free(p), c;
    *out = p;
    return GM_OK;
}

gm_pipeline *gm_pipeline_ref(gm_pipeline *p)
{
    __atomic_fetch_add(&p->refs, 1, __ATOMIC_RELAXED);
    return p;
}

void gm_pipeline_free(gm_pipeline *p)
{
    if (p == NULL || __atomic_sub_fetch(&p->refs, 1, __ATOMIC_ACQ_REL) > 0) return;
    gm_session *s = p->session;
    gm_arena_end(&p->arena);
    gm_raw_free(p);
    gm_session_unref(s);
}

/* ---- back to text ---- */

void gm_pipeline_json(gm_buf *b, const char *key, const gm_pipeline *p, bool full)
{
    gm_json_open(b, key, '{');
    if (p->name) gm_json_str(b, "name", p->name);
    if (p->source) gm_doc_write_json(b, "source", p->source);
    if (p->split.test > 0 || p->split_set) {
        uint64_t seed = 1 << 1; /* always told: the split must come out the same again */
        gm_param_write(b, "split", gm_split_params, &p->split, full ? ~(uint64_t)0 : p->split_set | seed);
    }
    if (p->missing_label != GM_LABEL_ERROR)
        gm_json_str(b, "missingLabel", missing_label_words[p->missing_label]);
    gm_json_open(b, "stages", '[');
    for (int i = 0; i < p->n; i++) {
        const gm_node *n = &p->node[i];
        gm_json_open(b, NULL, '{');
        gm_param_write(b, n->stage->name, n->stage->params, n->params,
                       full ? ~(uint64_t)0 : n->set & gm_param_changed(n->stage->params, n->params));
        gm_json_close(b, '}');
    }
    gm_json_close(b, ']');
    if (p->evaluate) gm_doc_write_json(b, "evaluate", p->evaluate);
    if (p->model) gm_json_str(b, "model", p->model);
    if (p->report) gm_json_str(b, "report", p->report);
    if (p->init) gm_json_str(b, "init", p->init);
    gm_json_close(b, '}');
}

gm_code gm_pipeline_yaml(gm_cx *cx, gm_buf *b, const gm_pipeline *p, bool full)
{
    gm_arena a = {0};
    gm_buf json = gm_buf_in(cx, &a);
    gm_doc *d = NULL;
    gm_pipeline_json(&json, NULL, p, full);
    gm_code c = gm_buf_done(&json);
    if (c == GM_OK) c = gm_doc_json(cx, &a, json.p, json.len, "pipeline", &d);
    if (c == GM_OK) gm_doc_write_yaml(b, d, 0);
    gm_arena_end(&a);
    return c;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * models.c - the gm_model_* functions.
 */
#include "api/call.h"
#include "base/file.h"
#include "model/evaluate.h"
#include "model/info.h"
#include "model/modelfile.h"
#include "model/report.h"
#include "model/transform.h"
#include "stage/state.h"
#include "table/arrow_array.h"
#include <string.h>

gm_code gm_model_save(gm_cx *cx, const gm_model *m, const char *path)
{
    GM_ENTER(cx, m && path);
    return gm_leave(cx, gm_model_save_file(cx, m, path));
}

gm_code gm_model_load(gm_cx *cx, const char *path, gm_model **out)
{
    GM_ENTER(cx, path && out);
    return gm_leave(cx, gm_model_open_file(cx, path, out));
}

static gm_code write_bytes(gm_cx *cx, const gm_model *m, void **bytes, size_t *size)
{
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    char *p;
    GM_TRY(gm_model_save_buf(cx, m, &b));
    GM_TRY(gm_call_give(cx, &b, &p));
    *bytes = p;
    *size = b.len;
    return GM_OK;
}

gm_code gm_model_write(gm_cx *cx, const gm_model *m, void **bytes, size_t *size)
{
    GM_ENTER(cx, m && bytes && size);
    return gm_leave(cx, write_bytes(cx, m, bytes, size));
}

gm_code gm_model_read(gm_cx *cx, const void *bytes, size_t size, gm_model **out)
{
    GM_ENTER(cx, bytes && out);
    return gm_leave(cx, gm_model_open(cx, bytes, size, "model in memory", out));
}

static gm_code info(gm_cx *cx, const gm_model *m, char **json)
{
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    GM_TRY(gm_model_info_json(cx, &b, m));
    return gm_call_give(cx, &b, json);
}

gm_code gm_model_info(gm_cx *cx, const gm_model *m, char **json)
{
    GM_ENTER(cx, m && json);
    return gm_leave(cx, info(cx, m, json));
}

static gm_code state(gm_cx *cx, const gm_model *m, int stage, const char *name, struct ArrowArray *array,
                     struct ArrowSchema *schema)
{
    if (stage < 0 || stage >= m->pipeline->n)
        return gm_fail(cx, GM_EUSAGE, "the model has stages 0 to %d, not %d", m->pipeline->n - 1, stage);
    const gm_node *n = &m->pipeline->node[stage];
    const char **names;
    int count = n->stage->kind == GM_TRANSFORMER ? 0 : gm_state_count(n->stage);
    GM_NEW(cx, names, count + 1);
    for (int r = 0; r < count; r++) {
        gm_array v = gm_state_at(n->stage, n->state, r);
        names[r] = v.row->name;
        if (strcmp(name, v.row->name) != 0) continue;
        if (v.row->type == GM_S_TEXT) return gm_arrow_texts(cx, &v.texts, array, schema);
        if (v.row->type == GM_S_REAL) return gm_arrow_reals(cx, v.real, v.n, v.cols, array, schema);
        return gm_arrow_ints(cx, v.ints, v.n, array, schema);
    }
    const char *near = gm_nearest(name, names, count);
    gm_code c = gm_fail(cx, GM_EUSAGE, "%s has no state '%s'", n->uid, name);
    return near ? gm_hint_add(cx, c, "did you mean '%s'?", near) : c;
}

gm_code gm_model_state(gm_cx *cx, const gm_model *m, int stage, const char *name, struct ArrowArray *array,
                       struct ArrowSchema *schema)
{
    GM_ENTER(cx, m && name && array && schema);
    return gm_leave(cx, state(cx, m, stage, name, array, schema));
}

static gm_code transform(gm_cx *cx, const gm_model *m, const gm_table *t, const char *options, gm_table **out)
{
    gm_doc *o;
    GM_TRY(gm_call_options(cx, options, &o));
    return gm_model_apply(cx, m, t, o, out);
}

gm_code gm_model_transform(gm_cx *cx, const gm_model *m, const gm_table *t, const char *options,
                           gm_table **out)
{
    GM_ENTER(cx, m && t && out);
    return gm_leave(cx, gm_csv_told_better(cx, t, transform(cx, m, t, options, out)));
}

static gm_code model_evaluate(gm_cx *cx, const gm_model *m, const gm_table *t, const char *options,
                              char **json)
{
    gm_doc *o;
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    GM_TRY(gm_call_options(cx, options, &o));
    GM_TRY(gm_evaluate_model(cx, &b, m, t, o));
    return gm_call_give(cx, &b, json);
}

gm_code gm_model_evaluate(gm_cx *cx, const gm_model *m, const gm_table *t, const char *options, char **json)
{
    GM_ENTER(cx, m && t && json);
    return gm_leave(cx, gm_csv_told_better(cx, t, model_evaluate(cx, m, t, options, json)));
}

static gm_code evaluate(gm_cx *cx, const gm_table *t, const char *evaluator, char **json)
{
    gm_doc *d;
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    GM_TRY(gm_doc_parse(cx, gm_scratch(cx), evaluator, strlen(evaluator), "evaluator", &d));
    GM_TRY(gm_evaluate_table(cx, &b, t, d));
    return gm_call_give(cx, &b, json);
}

gm_code gm_evaluate(gm_cx *cx, const gm_table *t, const char *evaluator, char **json)
{
    GM_ENTER(cx, t && evaluator && json);
    return gm_leave(cx, evaluate(cx, t, evaluator, json));
}

static gm_code report(gm_cx *cx, const gm_model *m, const char *path)
{
    gm_buf json = gm_buf_in(cx, gm_scratch(cx)), html = gm_buf_in(cx, gm_scratch(cx));
    gm_doc *d;
    gm_writer *w;
    GM_TRY(gm_model_report_json(cx, &json, m));
    GM_TRY(gm_doc_json(cx, gm_scratch(cx), json.p, json.len, "model", &d));
    GM_TRY(gm_report_html(cx, &html, d));
    GM_TRY(gm_buf_done(&html));
    GM_TRY(gm_writer_begin(cx, gm_scratch(cx), path, &w));
    GM_TRY(gm_writer_add(cx, w, html.p, html.len));
    return gm_writer_commit(cx, w);
}

gm_code gm_model_report(gm_cx *cx, const gm_model *m, const char *path)
{
    GM_ENTER(cx, m && path);
    return gm_leave(cx, report(cx, m, path));
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * info.c - a model described: its inputs, stages, features, coefficients, and the facts of its fit.
 */
#include "model/info.h"
#include "stage/ports.h"
#include "stage/state.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FEATURES = 100000, MOST_COEFFICIENTS = 1000 };

static void write_schema(gm_buf *b, const gm_model *m)
{
    gm_json_open(b, "schema", '[');
    for (int i = 0; i < m->n_inputs; i++) {
        if (m->input[i].made) continue;
        gm_json_open(b, NULL, '{');
        gm_json_str(b, "name", m->input[i].name);
        gm_json_str(b, "type", m->input[i].type);
        gm_json_bool(b, "required", !m->input[i].fit_only);
        gm_json_close(b, '}');
    }
    gm_json_close(b, ']');
}

static void write_ports(gm_buf *b, const char *key, const gm_port *p, int n)
{
    gm_json_open(b, key, '[');
    for (int k = 0; k < n; k++) gm_json_str(b, NULL, p[k].column);
    gm_json_close(b, ']');
}

static void write_state(gm_buf *b, const gm_node *n)
{
    static const char *const types[] = {"real", "int", "text"};
    gm_json_open(b, "state", '[');
    for (int r = 0; r < gm_state_count(n->stage) && n->state && n->stage->kind != GM_TRANSFORMER; r++) {
        gm_array v = gm_state_at(n->stage, n->state, r);
        gm_json_open(b, NULL, '{');
        gm_json_str(b, "name", v.row->name);
        gm_json_str(b, "type", types[v.row->type]);
        gm_json_open(b, "shape", '[');
        gm_json_int(b, NULL, v.cols > 0 ? v.n / v.cols : v.n);
        if (v.cols > 0) gm_json_int(b, NULL, v.cols);
        gm_json_close(b, ']');
        gm_json_close(b, '}');
    }
    gm_json_close(b, ']');
}

static void write_stages(gm_buf *b, const gm_model *m)
{
    static const char *const kinds[] = {"transformer", "estimator", "classifier", "regressor"};
    gm_json_open(b, "stages", '[');
    for (int i = 0; i < m->pipeline->n; i++) {
        const gm_node *n = &m->pipeline->node[i];
        gm_json_open(b, NULL, '{');
        gm_json_str(b, "name", n->stage->name);
        gm_json_str(b, "uid", n->uid);
        gm_json_str(b, "kind", kinds[n->stage->kind]);
        gm_param_write(b, "params", n->stage->params, n->params, ~(uint64_t)0);
        write_ports(b, "inputs", n->in, n->n_in);
        write_ports(b, "outputs", n->out, n->n_out);
        write_state(b, n);
        if (n->stage->summarize && n->state) {
            gm_buf s = gm_buf_in(b->cx, b->arena);
            n->stage->summarize(&s, n);
            gm_code c = gm_buf_done(&s);
            if (c != GM_OK && b->code == GM_OK) b->code = c;
            if (c == GM_OK && s.len > 0) gm_json_raw(b, "summary", s.p);
        }
        gm_json_close(b, '}');
    }
    gm_json_close(b, ']');
}

/* ---- features and coefficients ---- */

typedef struct weight {
    const char *name;
    int64_t at;
    double size;
} weight;

static int by_size(const void *pa, const void *pb)
{
    const weight *a = pa, *b = pb;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static const gm_array *find_array(const gm_node *n, const char *name, gm_array *out)
{
    for (int r = 0; r < gm_state_count(n->stage); r++) {
        *out = gm_state_at(n->stage, n->state, r);
        if (strcmp(out->row->name, name) == 0 && out->row->type == GM_S_REAL) return out;
    }
    return NULL;
}

/* The largest coefficients by name; of several classes, by their largest in any. */
static gm_code write_coefficients(gm_cx *cx, gm_buf *b, const gm_node *n, const char *const *names,
                                  int64_t width)
{
    gm_array c;
    if (find_array(n, "coefficients", &c) == NULL || width == 0 || c.n % width != 0) return GM_OK;
    int64_t rows = c.n / width, most = width < MOST_COEFFICIENTS ? width : MOST_COEFFICIENTS;
    weight *w;
    GM_NEW(cx, w, width + 1);
    for (int64_t j = 0; j < width; j++) {
        w[j] = (weight){.name = names[j], .at = j};
        for (int64_t r = 0; r < rows; r++) w[j].size = fmax(w[j].size, fabs(c.real[r * width + j]));
    }
    qsort(w, (size_t)width, sizeof *w, by_size);
    gm_json_int(b, "coefficientRows", rows);
    gm_json_open(b, "coefficients", '[');
    for (int64_t i = 0; i < most; i++) {
        gm_json_open(b, NULL, '{');
        gm_json_str(b, "name", w[i].name);
        if (rows == 1) gm_json_real(b, "value", c.real[w[i].at]);
        gm_json_open(b, "values", '[');
        for (int64_t r = 0; r < rows; r++) gm_json_real(b, NULL, c.real[r * width + w[i].at]);
        gm_json_close(b, ']');
        gm_json_close(b, '}');
    }
    gm_json_close(b, ']');
    if (find_array(n, "intercept", &c) == NULL) return GM_OK;
    gm_json_open(b, "intercept", '[');
    for (int64_t i = 0; i < c.n; i++) gm_json_real(b, NULL, c.real[i]);
    gm_json_close(b, ']');
    return GM_OK;
}

static gm_code write_features(gm_cx *cx, gm_buf *b, const gm_model *m)
{
    const gm_node *n = gm_pipeline_learner(m->pipeline);
    gm_names names;
    if (n == NULL || gm_plan_port(m->plan, (int)(n - m->pipeline->node), "featuresCol") < 0) return GM_OK;
    GM_TRY(gm_model_features(cx, gm_scratch(cx), m, &names));
    gm_json_int(b, "numFeatures", names.n);
    gm_json_open(b, "features", '[');
    for (int64_t j = 0; j < names.n && names.n <= MOST_FEATURES; j++) gm_json_str(b, NULL, names.v[j]);
    gm_json_close(b, ']');
    return write_coefficients(cx, b, n, names.v, names.n);
}

static void write_labels(gm_buf *b, const gm_model *m)
{
    const gm_node *n = gm_pipeline_learner(m->pipeline);
    if (n == NULL) return;
    for (int k = 0; k < n->n_in; k++)
        if (strcmp(n->in[k].param->name, "labelCol") == 0) gm_json_str(b, "label", n->in[k].column);
    gm_json_str(b, "learner", n->stage->name);
    if (n->labels == NULL) return;
    gm_json_open(b, "labels", '[');
    for (int64_t i = 0; i < n->labels->n; i++) {
        if (n->labels->is_text) {
            const gm_texts *t = &n->labels->text;
            gm_json_text(b, NULL, t->bytes + t->off[i], (size_t)(t->off[i + 1] - t->off[i]));
        } else if (n->labels->is_truth) {
            gm_json_bool(b, NULL, n->labels->value[i] == 1);
        } else {
            gm_json_real(b, NULL, n->labels->value[i]);
        }
    }
    gm_json_close(b, ']');
}

gm_code gm_model_info_json(gm_cx *cx, gm_buf *b, const gm_model *m)
{
    gm_doc *facts;
    gm_json_open(b, NULL, '{');
    gm_json_int(b, "format", 1);
    gm_json_str(b, "version", gm_version());
    if (m->pipeline->name) gm_json_str(b, "name", m->pipeline->name);
    write_schema(b, m);
    write_labels(b, m);
    write_stages(b, m);
    GM_TRY(write_features(cx, b, m));
    GM_TRY(gm_doc_json(cx, gm_scratch(cx), m->facts, strlen(m->facts), "facts", &facts));
    for (int64_t i = 0; i < facts->n; i++) gm_doc_write_json(b, facts->child[i].key, &facts->child[i]);
    gm_pipeline_json(b, "pipeline", m->pipeline, false);
    gm_json_close(b, '}');
    return gm_buf_done(b);
}

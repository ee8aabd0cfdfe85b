/* SPDX-License-Identifier: Apache-2.0 */
/*
 * modelfile.c - model to tensors and back. Tensors of stage 3 are named "3.coefficients"; a list of texts is
 * two tensors, "3.labels" (bytes) and "3.labels.off"; the classes of a classifier are "3.#classes" and
 * "3.#values".
 */
#include "model/modelfile.h"
#include "model/safetensors.h"
#include "stage/state.h"
#include <math.h>
#include <string.h>

#define FORMAT "1" /* raised when an older reader could misread a file */

/* ---- saving ---- */

typedef struct out_tensors {
    gm_cx *cx;
    gm_arena *a;
    int64_t n;
    gm_st_tensor *t;
} out_tensors;

static gm_code add(out_tensors *o, const char *name, gm_st_dtype type, int64_t n, int64_t cols,
                   const void *data)
{
    gm_st_tensor *t = &o->t[o->n++];
    GM_GOT(o->cx, name);
    *t = (gm_st_tensor){.name = name,
                        .dtype = type,
                        .ndim = cols > 0 ? 2 : 1,
                        .data = data,
                        .bytes = (size_t)n * (type == GM_ST_U8 ? 1 : 8)};
    t->shape[0] = cols > 0 ? n / cols : n;
    t->shape[1] = cols > 0 ? cols : 0;
    return GM_OK;
}

static gm_code add_texts(out_tensors *o, const char *name, const gm_texts *t)
{
    static const int64_t zero[1] = {0};
    const int64_t *off = t->n > 0 ? t->off : zero;
    GM_TRY(add(o, name, GM_ST_U8, off[t->n], 0, t->bytes));
    return add(o, gm_format(o->cx, o->a, "%s.off", name), GM_ST_I64, t->n + 1, 0, off);
}

static gm_code add_stage(out_tensors *o, const gm_node *n, int i)
{
    for (int r = 0; r < gm_state_count(n->stage) && n->stage->kind != GM_TRANSFORMER; r++) {
        gm_array v = gm_state_at(n->stage, n->state, r);
        char *name = gm_format(o->cx, o->a, "%d.%s", i, v.row->name);
        GM_GOT(o->cx, name);
        if (v.row->type == GM_S_TEXT) GM_TRY(add_texts(o, name, &v.texts));
        else if (v.row->type == GM_S_REAL) GM_TRY(add(o, name, GM_ST_F64, v.n, v.cols, v.real));
        else GM_TRY(add(o, name, GM_ST_I64, v.n, v.cols, v.ints));
    }
    if (n->labels == NULL) return GM_OK;
    if (n->labels->is_text) {
        char *name = gm_format(o->cx, o->a, "%d.#classes", i);
        GM_GOT(o->cx, name);
        return add_texts(o, name, &n->labels->text);
    }
    return add(o, gm_format(o->cx, o->a, "%d.#values", i), GM_ST_F64, n->labels->n, 0, n->labels->value);
}

static void write_inputs(gm_buf *b, const gm_model *m)
{
    gm_json_open(b, NULL, '[');
    for (int i = 0; i < m->n_inputs; i++) {
        const gm_input *in = &m->input[i];
        gm_json_open(b, NULL, '{');
        gm_json_str(b, "name", in->name);
        gm_json_str(b, "type", in->type);
        gm_json_int(b, "class", in->cls);
        gm_json_bool(b, "text", in->as_text);
        gm_json_bool(b, "fitOnly", in->fit_only);
        gm_json_bool(b, "made", in->made);
        if (in->base >= 0) gm_json_int(b, "indexBase", in->base);
        gm_json_close(b, '}');
    }
    gm_json_close(b, ']');
}

static gm_code collect(gm_cx *cx, gm_arena *a, const gm_model *m, out_tensors *o, gm_st_meta meta[5])
{
    gm_buf pipeline = gm_buf_in(cx, a), inputs = gm_buf_in(cx, a);
    int64_t rows = 1;
    for (int i = 0; i < m->pipeline->n; i++) rows += 2 * gm_state_count(m->pipeline->node[i].stage) + 2;
    *o = (out_tensors){.cx = cx, .a = a};
    GM_NEW_IN(cx, a, o->t, rows);
    for (int i = 0; i < m->pipeline->n; i++) GM_TRY(add_stage(o, &m->pipeline->node[i], i));
    gm_pipeline_json(&pipeline, NULL, m->pipeline, true);
    write_inputs(&inputs, m);
    GM_TRY(gm_buf_done(&pipeline));
    GM_TRY(gm_buf_done(&inputs));
    meta[0] = (gm_st_meta){"gristmill.format", FORMAT};
    meta[1] = (gm_st_meta){"gristmill.version", gm_version()};
    meta[2] = (gm_st_meta){"gristmill.pipeline", pipeline.p};
    meta[3] = (gm_st_meta){"gristmill.inputs", inputs.p};
    meta[4] = (gm_st_meta){"gristmill.facts", m->facts ? m->facts : "{}"};
    return GM_OK;
}

gm_code gm_model_save_buf(gm_cx *cx, const gm_model *m, gm_buf *b)
{
    gm_arena a = {0};
    out_tensors o;
    gm_st_meta meta[5];
    gm_code c = collect(cx, &a, m, &o, meta);
    if (c == GM_OK) c = gm_st_write_buf(cx, b, o.t, o.n, meta, 5);
    gm_arena_end(&a);
    return c;
}

static gm_code save_file(gm_cx *cx, gm_arena *a, const gm_model *m, const char *path)
{
    out_tensors o;
    gm_st_meta meta[5];
    gm_writer *w;
    GM_TRY(collect(cx, a, m, &o, meta));
    GM_TRY(gm_writer_begin(cx, a, path, &w));
    GM_TRY(gm_st_write(cx, w, o.t, o.n, meta, 5));
    return gm_writer_commit(cx, w);
}

gm_code gm_model_save_file(gm_cx *cx, const gm_model *m, const char *path)
{
    gm_arena a = {0};
    gm_code c = save_file(cx, &a, m, path);
    gm_arena_end(&a);
    return c;
}

/* ---- loading ---- */

static gm_code copy(gm_cx *cx, gm_arena *a, const gm_st_tensor *t, const void **out)
{
    char *p;
    GM_NEW_IN(cx, a, p, t->bytes + 1);
    if (t->bytes) memcpy(p, t->data, t->bytes);
    *out = p;
    return GM_OK;
}

static gm_code load_texts(gm_cx *cx, gm_arena *a, const gm_st *st, const char *name, gm_texts *out)
{
    const gm_st_tensor *bytes, *off;
    char *off_name = gm_format(cx, gm_scratch(cx), "%s.off", name);
    GM_GOT(cx, off_name);
    GM_TRY(gm_st_need(cx, st, name, GM_ST_U8, 1, &bytes));
    GM_TRY(gm_st_need(cx, st, off_name, GM_ST_I64, 1, &off));
    const int64_t *o = off->data;
    int64_t n = off->shape[0] - 1;
    if (n < 0 || o[0] != 0 || o[n] != bytes->shape[0])
        return gm_fail(cx, GM_EMODEL, "the offsets of '%s' do not span its %lld bytes", name,
                       (long long)bytes->shape[0]);
    for (int64_t i = 0; i < n; i++)
        if (o[i + 1] < o[i])
            return gm_fail(cx, GM_EMODEL, "the offsets of '%s' fall at text %lld", name, (long long)i);
    GM_TRY(copy(cx, a, bytes, (const void **)&out->bytes));
    GM_TRY(copy(cx, a, off, (const void **)&out->off));
    out->n = n;
    return GM_OK;
}

static gm_code load_row(gm_cx *cx, gm_arena *a, const gm_st *st, gm_node *n, int i, int r)
{
    gm_array v = {.row = &n->stage->states[r]};
    char *name = gm_format(cx, gm_scratch(cx), "%d.%s", i, v.row->name);
    GM_GOT(cx, name);
    if (v.row->type == GM_S_TEXT) {
        GM_TRY(load_texts(cx, a, st, name, &v.texts));
        v.n = v.texts.n;
        return gm_state_set(cx, n->stage, n->state, r, &v);
    }
    const gm_st_tensor *t;
    bool matrix = v.row->cols != SIZE_MAX;
    GM_TRY(gm_st_need(cx, st, name, v.row->type == GM_S_REAL ? GM_ST_F64 : GM_ST_I64, matrix ? 2 : 1, &t));
    v.n = matrix ? t->shape[0] * t->shape[1] : t->shape[0];
    v.cols = matrix ? t->shape[1] : 0;
    GM_TRY(copy(cx, a, t, v.row->type == GM_S_REAL ? (const void **)&v.real : (const void **)&v.ints));
    return gm_state_set(cx, n->stage, n->state, r, &v);
}

static gm_code load_classes(gm_cx *cx, gm_model *m, const gm_st *st, gm_node *n, int i)
{
    gm_arena *a = &m->arena;
    char *texts = gm_format(cx, gm_scratch(cx), "%d.#classes", i),
         *values = gm_format(cx, gm_scratch(cx), "%d.#values", i);
    gm_labels *l;
    GM_GOT(cx, texts);
    GM_GOT(cx, values);
    if (gm_st_find(st, texts)) {
        gm_texts t;
        GM_TRY(load_texts(cx, a, st, texts, &t));
        GM_TRY(gm_labels_of_texts(cx, a, &t, &l));
        if (gm_dict_size(l->dict) != l->n) return gm_fail(cx, GM_EMODEL, "'%s' holds a class twice", texts);
    } else {
        const gm_st_tensor *t;
        GM_TRY(gm_st_need(cx, st, values, GM_ST_F64, 1, &t));
        const double *v = t->data;
        for (int64_t k = 0; k < t->shape[0]; k++)
            if (!isfinite(v[k]) || (k > 0 && v[k] <= v[k - 1]))
                return gm_fail(cx, GM_EMODEL, "'%s' does not rise at class %lld", values, (long long)k);
        GM_TRY((gm_model_label_is_truth(m, n) ? gm_labels_of_truth : gm_labels_of_values)(cx, a, v,
                                                                                          t->shape[0], &l));
    }
    if (l->n < 2 || l->n > GM_MOST_CLASSES)
        return gm_fail(cx, GM_EMODEL, "%s has %lld classes", n->uid, (long long)l->n);
    n->labels = l;
    return GM_OK;
}

static gm_code load_stages(gm_cx *cx, gm_model *m, const gm_st *st)
{
    for (int i = 0; i < m->pipeline->n; i++) {
        gm_node *n = &m->pipeline->node[i];
        if (n->stage->kind == GM_TRANSFORMER) continue;
        char *state;
        GM_NEW_IN(cx, &m->arena, state, n->stage->state_size + 1);
        n->state = state;
        for (int r = 0; r < gm_state_count(n->stage); r++) GM_TRY(load_row(cx, &m->arena, st, n, i, r));
        if (n->stage->kind == GM_CLASSIFIER) GM_TRY(load_classes(cx, m, st, n, i));
    }
    return GM_OK;
}

static gm_code load_inputs(gm_cx *cx, gm_model *m, const char *json, const char *origin)
{
    gm_doc *d;
    GM_TRY(gm_doc_json(cx, &m->arena, json, strlen(json), origin, &d));
    if (d->kind != GM_D_LIST || d->n > 1000000)
        return gm_fail(cx, GM_EMODEL, "%s: the inputs are not a list", origin);
    GM_NEW_IN(cx, &m->arena, m->input, d->n + 1);
    for (int64_t i = 0; i < d->n; i++) {
        gm_input *in = &m->input[m->n_inputs++];
        int64_t cls, base;
        GM_TRY(gm_doc_str(cx, &d->child[i], "name", NULL, &in->name));
        GM_TRY(gm_doc_str(cx, &d->child[i], "type", NULL, &in->type));
        GM_TRY(gm_doc_int(cx, &d->child[i], "class", 0, 0, GM_CLASS_OTHER, &cls));
        GM_TRY(gm_doc_bool(cx, &d->child[i], "text", false, &in->as_text));
        GM_TRY(gm_doc_bool(cx, &d->child[i], "fitOnly", false, &in->fit_only));
        GM_TRY(gm_doc_bool(cx, &d->child[i], "made", false, &in->made));
        GM_TRY(gm_doc_int(cx, &d->child[i], "indexBase", -1, -1, 1, &base));
        in->base = (int)base;
        if (in->name == NULL || in->type == NULL)
            return gm_fail(cx, GM_EMODEL, "%s: input %lld has no name or type", origin, (long long)i);
        in->cls = (gm_class)cls;
    }
    return GM_OK;
}

static gm_code check_format(gm_cx *cx, const gm_st *st, const char *origin)
{
    const char *format, *version;
    GM_TRY(gm_st_need_meta(cx, st, "gristmill.format", &format));
    GM_TRY(gm_st_need_meta(cx, st, "gristmill.version", &version));
    if (strcmp(format, FORMAT) == 0) return GM_OK;
    return gm_hint_add(cx,
                       gm_fail(cx, GM_EVERSION,
                               "%s is a model of format %s, made by Gristmill %s; this is %s, format %s",
                               origin, format, version, gm_version(), FORMAT),
                       "use a newer Gristmill, or train again");
}

static gm_code load(gm_cx *cx, gm_arena *a, const void *bytes, size_t n, const char *origin, gm_model **out)
{
    gm_st *st;
    const char *pipeline, *inputs, *facts;
    gm_doc *check;
    GM_TRY(gm_st_open(cx, a, bytes, n, origin, &st));
    GM_TRY(check_format(cx, st, origin));
    GM_TRY(gm_st_need_meta(cx, st, "gristmill.pipeline", &pipeline));
    GM_TRY(gm_st_need_meta(cx, st, "gristmill.inputs", &inputs));
    GM_TRY(gm_st_need_meta(cx, st, "gristmill.facts", &facts));
    GM_TRY(gm_model_new(cx, pipeline, strlen(pipeline), out));
    GM_TRY(gm_doc_json(cx, a, facts, strlen(facts), origin, &check));
    GM_GOT(cx, (*out)->facts = gm_strdup(cx, &(*out)->arena, facts));
    GM_TRY(load_inputs(cx, *out, inputs, origin));
    GM_TRY(load_stages(cx, *out, st));
    return gm_model_ready(cx, *out, true);
}

gm_code gm_model_open(gm_cx *cx, const void *bytes, size_t n, const char *origin, gm_model **out)
{
    gm_arena a = {0};
    gm_model *m = NULL;
    gm_code c = load(cx, &a, bytes, n, origin, &m);
    gm_arena_end(&a);
    if (c != GM_OK) return gm_model_free(m), c;
    *out = m;
    return GM_OK;
}

gm_code gm_model_open_file(gm_cx *cx, const char *path, gm_model **out)
{
    gm_arena a = {0};
    const void *p;
    size_t n;
    gm_code c = gm_file_map(cx, &a, path, &p, &n);
    if (c == GM_OK) c = gm_model_open(cx, p, n, path, out);
    gm_arena_end(&a);
    return c;
}

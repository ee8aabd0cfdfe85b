/* SPDX-License-Identifier: Apache-2.0 */
/*
 * labels.c - classes and class indices. See labels.h.
 */
#include "model/labels.h"
#include <math.h>
#include <string.h>

gm_code gm_labels_of_values(gm_cx *cx, gm_arena *a, const double *v, int64_t n, gm_labels **out)
{
    gm_labels *l;
    gm_text *t;
    double *value;
    char(*text)[32];
    GM_NEW_IN(cx, a, l, 1);
    GM_NEW_IN(cx, a, value, n + 1);
    GM_NEW_IN(cx, a, text, n + 1);
    GM_NEW_IN(cx, a, t, n + 1);
    for (int64_t i = 0; i < n; i++) {
        value[i] = v[i];
        gm_real_text(v[i], false, text[i]);
        t[i] = gm_text_of(text[i], strlen(text[i]));
    }
    *l = (gm_labels){.n = n, .value = value};
    GM_TRY(gm_texts_pack(cx, a, t, n, &l->text));
    *out = l;
    return GM_OK;
}

gm_code gm_labels_of_truth(gm_cx *cx, gm_arena *a, const double *v, int64_t n, gm_labels **out)
{
    gm_text word[] = {gm_text_of("false", 5), gm_text_of("true", 4)};
    GM_TRY(gm_labels_of_values(cx, a, v, n, out));
    if (n != 2 || v[0] != 0 || v[1] != 1) return GM_OK;
    (*out)->is_truth = true;
    return gm_texts_pack(cx, a, word, 2, &(*out)->text);
}

gm_code gm_labels_of_texts(gm_cx *cx, gm_arena *a, const gm_texts *t, gm_labels **out)
{
    gm_labels *l;
    gm_text *views;
    GM_NEW_IN(cx, a, l, 1);
    GM_NEW_IN(cx, a, views, t->n + 1);
    for (int64_t i = 0; i < t->n; i++) views[i] = gm_texts_at(t, i);
    *l = (gm_labels){.n = t->n, .is_text = true};
    GM_TRY(gm_texts_pack(cx, a, views, t->n, &l->text));
    GM_TRY(gm_dict_new(cx, a, &l->dict));
    for (int64_t i = 0; i < t->n; i++) {
        uint32_t code;
        views[i] = gm_texts_at(&l->text, i);
        GM_TRY(gm_dict_add(cx, l->dict, &views[i], &code));
    }
    l->views = views;
    *out = l;
    return GM_OK;
}

static double index_of_value(const gm_labels *l, double x)
{
    if (isnan(x)) return x;
    if (x >= 0 && x < (double)l->n && l->value[(int64_t)x] == x) return x; /* 0 .. n-1, the usual case */
    int64_t lo = 0, hi = l->n;
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        if (l->value[mid] < x) lo = mid + 1;
        else hi = mid;
    }
    return lo < l->n && l->value[lo] == x ? (double)lo : -1;
}

static gm_code index_keys(gm_cx *cx, void *arg, const gm_text *keys, int64_t n, void *out)
{
    const gm_labels *l = arg;
    double *y = out;
    (void)cx;
    for (int64_t i = 0; i < n; i++) {
        uint32_t code = gm_dict_find(l->dict, &keys[i]);
        y[i] = code == GM_CODE_MISSING ? -1 : (double)code;
    }
    return GM_OK;
}

gm_code gm_labels_index(gm_cx *cx, const gm_labels *l, const gm_column *c, int64_t rows, double *y)
{
    if ((c->type == GM_T_TEXT) != l->is_text)
        return gm_fail(cx, GM_ESCHEMA, "the label is %s here and was %s in training", gm_type_name(c->type),
                       l->is_text ? "text" : "a number");
    if (!l->is_text) {
        for (int64_t i = 0; i < rows; i++) y[i] = index_of_value(l, c->real[i]);
        return GM_OK;
    }
    if (c->text) {
        for (int64_t i = 0; i < rows; i++)
            if (gm_text_missing(&c->text[i])) y[i] = NAN;
            else GM_TRY(index_keys(cx, (void *)(uintptr_t)l, &c->text[i], 1, &y[i]));
        return GM_OK;
    }
    const void *table;
    GM_TRY(gm_dict_memo(cx, c->dict, l, 0, sizeof(double), index_keys, (void *)(uintptr_t)l, &table));
    const double *index = table;
    for (int64_t i = 0; i < rows; i++) y[i] = c->code[i] == GM_CODE_MISSING ? NAN : index[c->code[i]];
    return GM_OK;
}

/* ---- a learner in a flow ---- */

static int out_port(const gm_node *n, const char *param)
{
    for (int k = 0; k < n->n_out; k++)
        if (strcmp(n->out[k].param->name, param) == 0) return k;
    return -1;
}

/* rows x n row-major to the column-major dense part of a vector column. */
static gm_code vector_out(gm_apply *ap, int port, const double *x, int64_t n)
{
    double *t;
    gm_part *part;
    GM_NEW_IN(ap->cx, ap->a, t, ap->rows * n + 1);
    GM_NEW_IN(ap->cx, ap->a, part, 1);
    for (int64_t i = 0; i < ap->rows; i++)
        for (int64_t j = 0; j < n; j++) t[j * ap->rows + i] = x[i * n + j];
    *part = (gm_part){.form = GM_DENSE, .width = n, .x = t, .stride = ap->rows};
    ap->out[port] = (gm_column){.type = GM_T_VECTOR, .n_parts = 1, .part = part, .width = n};
    return GM_OK;
}

static gm_code prediction_out(gm_apply *ap, int port, const double *index)
{
    const gm_labels *l = ap->node->labels;
    if (l && l->is_text) {
        gm_text *t;
        GM_NEW_IN(ap->cx, ap->a, t, ap->rows + 1);
        for (int64_t i = 0; i < ap->rows; i++)
            t[i] = isnan(index[i]) ? gm_text_none() : l->views[(int64_t)index[i]];
        ap->out[port] = (gm_column){.type = GM_T_TEXT, .text = t, .width = 1};
        return GM_OK;
    }
    double *v;
    GM_NEW_IN(ap->cx, ap->a, v, ap->rows + 1);
    for (int64_t i = 0; i < ap->rows; i++)
        v[i] = l && !isnan(index[i]) ? l->value[(int64_t)index[i]] : index[i];
    ap->out[port] = (gm_column){.type = GM_T_REAL, .real = v, .width = 1};
    return GM_OK;
}

gm_code gm_learner_apply(gm_apply *ap)
{
    const gm_node *node = ap->node;
    const gm_column *features = NULL;
    for (int k = 0; k < node->n_in; k++)
        if (strcmp(node->in[k].param->name, "featuresCol") == 0) features = &ap->in[k];
    if (features == NULL || features->type != GM_T_VECTOR)
        return gm_fail(ap->cx, GM_EINTERNAL, "%s has no features to predict from", node->uid);
    int64_t classes = node->labels ? node->labels->n : 1;
    bool classifier = node->stage->kind == GM_CLASSIFIER;
    gm_block b = {
        .rows = ap->rows, .cols = features->width, .n_parts = features->n_parts, .part = features->part};
    gm_prediction p = {0};
    GM_NEW_IN(ap->cx, ap->a, p.prediction, ap->rows + 1);
    if (classifier) GM_NEW_IN(ap->cx, ap->a, p.raw, ap->rows * classes + 1);
    if (classifier && node->stage->probabilistic)
        GM_NEW_IN(ap->cx, ap->a, p.probability, ap->rows * classes + 1);
    GM_TRY(node->stage->predict(ap->cx, node, &b, &p));
    int raw = out_port(node, "rawPredictionCol"), prob = out_port(node, "probabilityCol"),
        prediction = out_port(node, "predictionCol");
    if (raw >= 0 && p.raw) GM_TRY(vector_out(ap, raw, p.raw, classes));
    if (prob >= 0 && p.probability) GM_TRY(vector_out(ap, prob, p.probability, classes));
    return prediction >= 0 ? prediction_out(ap, prediction, p.prediction) : GM_OK;
}

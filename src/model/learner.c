/* SPDX-License-Identifier: Apache-2.0 */
/*
 * learner.c - fitting one learner: its classes, the dataset of its features, then its own fit.
 */
#include "comm/comm.h"
#include "model/chosen.h"
#include "model/fitting.h"
#include "par/pool.h"
#include "stage/ports.h"
#include "stage/state.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- classes ---- */

typedef struct seen {
    int label; /* variable */
    const gm_node *node;
    gm_arena *arena; /* [part] */
    gm_dict **dict;  /* [part]: texts, or the 8 bytes of each number */
    int64_t *missing, *fraction;
    double *example; /* a label that is no whole number */
} seen;

static gm_code see_numbers(gm_cx *cx, seen *s, int64_t part, const gm_run *r, const gm_column *c)
{
    double last = NAN;
    for (int64_t i = 0; i < r->rows; i++) {
        double x = c->real[i];
        uint32_t code;
        if (isnan(x)) {
            s->missing[part]++;
            continue;
        }
        if (x == last) continue;
        last = x;
        if (x != floor(x) || isinf(x)) s->fraction[part]++, s->example[part] = x;
        double key = x == 0 ? 0 : x; /* -0 is 0 */
        gm_text t = gm_text_of((const char *)&key, sizeof key);
        GM_TRY(gm_dict_add(cx, s->dict[part], &t, &code));
    }
    return GM_OK;
}

static gm_code see_texts(gm_cx *cx, seen *s, int64_t part, const gm_run *r, const gm_column *c)
{
    for (int64_t i = 0; i < r->rows; i++) {
        gm_text t = gm_column_text(c, i);
        uint32_t code;
        if (gm_text_missing(&t)) s->missing[part]++;
        else GM_TRY(gm_dict_add(cx, s->dict[part], &t, &code));
    }
    return GM_OK;
}

static gm_code see_tile(gm_cx *cx, void *arg, int64_t part, int64_t tile, gm_run *r)
{
    seen *s = arg;
    const gm_column *c = &r->slot[s->label];
    (void)tile;
    if (s->dict[part] == NULL) GM_TRY(gm_dict_new(cx, &s->arena[part], &s->dict[part]));
    GM_TRY(c->type == GM_T_TEXT ? see_texts(cx, s, part, r, c) : see_numbers(cx, s, part, r, c));
    if (gm_dict_size(s->dict[part]) > GM_MOST_CLASSES)
        return gm_hint_add(
            cx,
            gm_fail(cx, GM_EDATA, "%s: the label has more than %d distinct values", s->node->uid,
                    GM_MOST_CLASSES),
            "a classifier needs a few classes; for a quantity take a regressor, such as LinearRegression");
    return GM_OK;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int by_text(const void *a, const void *b) { return gm_text_compare(a, b); }

static gm_code classes_of(gm_cx *cx, gm_fitting *f, const seen *s, int64_t parts, bool text,
                          const gm_labels **out)
{
    gm_dict *all;
    gm_labels *l;
    uint32_t code;
    int64_t fraction = 0;
    double example = 0;
    GM_TRY(gm_dict_new(cx, f->arena, &all));
    for (int64_t p = 0; p < parts; p++) {
        f->no_label += s->missing[p];
        if (s->fraction[p]) example = s->example[p];
        fraction += s->fraction[p];
        for (uint32_t i = 0; s->dict[p] && i < gm_dict_size(s->dict[p]); i++)
            GM_TRY(gm_dict_add(cx, all, &gm_dict_keys(s->dict[p])[i], &code));
    }
    int64_t n = gm_dict_size(all);
    if (fraction > 0)
        return gm_hint_add(
            cx, gm_fail(cx, GM_EDATA, "%s: the label holds %g, which is no class", s->node->uid, example),
            "for a quantity take a regressor, such as LinearRegression");
    if (text) {
        gm_text *v;
        gm_texts packed;
        GM_NEW_IN(cx, f->arena, v, n + 1);
        for (int64_t i = 0; i < n; i++) v[i] = gm_dict_keys(all)[i];
        qsort(v, (size_t)n, sizeof *v, by_text);
        GM_TRY(gm_texts_pack(cx, f->arena, v, n, &packed));
        GM_TRY(gm_labels_of_texts(cx, &f->model->arena, &packed, &l));
    } else {
        double *v;
        GM_NEW_IN(cx, f->arena, v, n + 1);
        for (int64_t i = 0; i < n; i++) memcpy(&v[i], gm_text_ptr(&gm_dict_keys(all)[i]), sizeof *v);
        qsort(v, (size_t)n, sizeof *v, by_value);
        GM_TRY((gm_model_label_is_truth(f->model, s->node) ? gm_labels_of_truth : gm_labels_of_values)(
            cx, &f->model->arena, v, n, &l));
    }
    *out = l;
    return GM_OK;
}

static gm_code find_classes(gm_cx *cx, gm_fitting *f, int node, const gm_labels **out)
{
    seen s = {.label = gm_plan_port(f->plan, node, "labelCol"), .node = &f->plan->node[node]};
    int64_t parts = gm_store_cuts(f->store, GM_TRAIN);
    gm_flow flow;
    GM_NEW_IN(cx, f->arena, s.arena, parts);
    GM_NEW_IN(cx, f->arena, s.dict, parts);
    GM_NEW_IN(cx, f->arena, s.missing, parts);
    GM_NEW_IN(cx, f->arena, s.fraction, parts);
    GM_NEW_IN(cx, f->arena, s.example, parts);
    GM_TRY(gm_flow_to(cx, f->arena, f->plan, &s.label, 1, f->have, &flow));
    gm_walk w = {.f = f, .side = GM_TRAIN, .flow = &flow, .fn = see_tile, .arg = &s};
    gm_code c = gm_fit_walk(cx, &w);
    if (c == GM_OK) c = classes_of(cx, f, &s, parts, f->plan->var[s.label].type == GM_T_TEXT, out);
    for (int64_t p = 0; p < parts; p++) gm_arena_end(&s.arena[p]);
    f->passes++;
    return c;
}

/* ---- filling ---- */

typedef struct fill {
    gm_fitting *f;
    const gm_node *node;
    int features, label, weight; /* variables; weight -1: none */
    gm_filling *filling;
    gm_hold_cursor *cur; /* [part] */
    int64_t *missing;    /* [part] */
} fill;

static gm_code bad_feature(gm_cx *cx, const fill *f, int64_t column, double x)
{
    gm_arena *a = gm_scratch(cx);
    const char *name =
        gm_element_name(cx, a, &f->f->plan->var[f->features].attr, f->f->plan->var[f->features].name, column);
    gm_code c = gm_fail(cx, GM_EDATA, "%s: feature '%s' holds %s", f->node->uid, name ? name : "?",
                        isnan(x) ? "a missing value (NaN)"
                        : x > 0  ? "infinity"
                                 : "-infinity");
    return gm_hint_add(cx, c,
                       isnan(x) ? "fill it with an Imputer, or drop such rows (handleInvalid: skip)"
                                : "clip or filter it in the source query");
}

/* Dense values must be finite; x * 0 is NaN exactly when x is not. */
static gm_code check_finite(gm_cx *cx, const fill *f, const gm_column *c, int64_t rows)
{
    int64_t base = 0;
    for (int k = 0; k < c->n_parts; base += c->part[k].width, k++) {
        const gm_part *p = &c->part[k];
        for (int64_t j = 0; p->form == GM_DENSE && j < p->width; j++) {
            const double *x = p->x + j * p->stride;
            double bad = 0;
            for (int64_t i = 0; i < rows; i++) bad += x[i] * 0;
            if (bad == 0) continue;
            for (int64_t i = 0; i < rows; i++)
                if (!isfinite(x[i])) return bad_feature(cx, f, base + j, x[i]);
        }
    }
    return GM_OK;
}

static gm_code check_weights(gm_cx *cx, const fill *f, const double *w, int64_t rows)
{
    for (int64_t i = 0; i < rows; i++)
        if (!(w[i] >= 0) || isinf(w[i]))
            return gm_fail(cx, GM_EDATA,
                           "%s: weight column '%s' holds %g; weights are finite and not negative",
                           f->node->uid, f->f->plan->var[f->weight].name, w[i]);
    return GM_OK;
}

/* The label of each row as the learner sees it. */
static gm_code labels_of(gm_cx *cx, const fill *f, gm_run *r, double **out)
{
    const gm_column *c = &r->slot[f->label];
    double *y = NULL;
    GM_NEW_IN(cx, r->a, y, r->rows + 1);
    if (f->node->labels) {
        GM_TRY(gm_labels_index(cx, f->node->labels, c, r->rows, y));
    } else if (c->type != GM_T_REAL) {
        return gm_hint_add(cx,
                           gm_fail(cx, GM_ESCHEMA, "%s: the label '%s' is text; a regressor needs a number",
                                   f->node->uid, f->f->plan->var[f->label].name),
                           "for classes take a classifier, such as LogisticRegression");
    } else {
        memcpy(y, c->real, (size_t)r->rows * sizeof *y);
        for (int64_t i = 0; i < r->rows; i++)
            if (isinf(y[i]))
                return gm_fail(cx, GM_EDATA, "%s: the label '%s' holds infinity", f->node->uid,
                               f->f->plan->var[f->label].name);
    }
    *out = y;
    return GM_OK;
}

static gm_code fill_tile(gm_cx *cx, void *arg, int64_t part, int64_t tile, gm_run *r)
{
    fill *f = arg;
    double *y = NULL;
    gm_column features = r->slot[f->features];
    const double *w = f->weight >= 0 ? r->slot[f->weight].real : NULL;
    GM_TRY(labels_of(cx, f, r, &y));
    int32_t *sel;
    int64_t n = 0;
    GM_NEW_IN(cx, r->a, sel, r->rows + 1);
    for (int64_t i = 0; i < r->rows; i++)
        if (!isnan(y[i])) sel[n++] = (int32_t)i;
    if (n < r->rows) {
        gm_column from = features, wc = {.type = GM_T_REAL, .real = w};
        f->missing[part] += r->rows - n;
        GM_TRY(gm_column_take(cx, r->a, &from, sel, n, &features));
        if (w) {
            gm_column kept;
            GM_TRY(gm_column_take(cx, r->a, &wc, sel, n, &kept));
            w = kept.real;
        }
        for (int64_t i = 0; i < n; i++) y[i] = y[sel[i]];
    }
    GM_TRY(check_finite(cx, f, &features, n));
    if (w) GM_TRY(check_weights(cx, f, w, n));
    return gm_filling_put(cx, f->filling, tile, &f->cur[part], n, &features, y, w);
}

static gm_code fill_dataset(gm_cx *cx, gm_fitting *f, int node, bool last, gm_dataset *out)
{
    const gm_plan *plan = f->plan;
    fill x = {.f = f,
              .node = &plan->node[node],
              .features = gm_plan_port(plan, node, "featuresCol"),
              .label = gm_plan_port(plan, node, "labelCol"),
              .weight = gm_plan_port(plan, node, "weightCol")};
    int64_t parts = gm_store_cuts(f->store, GM_TRAIN), missing = 0;
    int target[3] = {x.features, x.label, x.weight};
    gm_flow flow;
    GM_NEW_IN(cx, f->arena, x.cur, parts);
    GM_NEW_IN(cx, f->arena, x.missing, parts);
    GM_TRY(gm_filling_begin(cx, f->arena, gm_store_tiles(f->store, GM_TRAIN),
                            plan->var[x.features].attr.width, f->level, &x.filling));
    GM_TRY(gm_flow_to(cx, f->arena, plan, target, x.weight >= 0 ? 3 : 2, f->have, &flow));
    gm_walk w = {
        .f = f, .side = GM_TRAIN, .flow = &flow, .fn = fill_tile, .arg = &x, .forget = last, .count = true};
    GM_TRY(gm_fit_walk(cx, &w));
    GM_TRY(gm_filling_end(cx, x.filling, out));
    f->passes++;
    for (int64_t p = 0; p < parts; p++) missing += x.missing[p];
    f->no_label = missing;
    if (missing > 0 && f->model->pipeline->missing_label == GM_LABEL_ERROR)
        return gm_hint_add(
            cx,
            gm_fail(cx, GM_EDATA, "%s: %lld of %lld training rows have no label in '%s'", x.node->uid,
                    (long long)missing, (long long)(missing + out->rows), plan->var[x.label].name),
            "drop them in the source query (WHERE \"%s\" IS NOT NULL), or set missingLabel: skip",
            plan->var[x.label].name);
    if (out->rows == 0) return gm_fail(cx, GM_EDATA, "%s: no rows are left to fit on", x.node->uid);
    out->n_classes = x.node->labels ? x.node->labels->n : 0;
    if (x.node->labels) out->labels = x.node->labels->text;
    return gm_var_names(cx, &f->model->arena, &plan->var[x.features], &out->names);
}

static gm_code need_classes(gm_cx *cx, const gm_node *n, const gm_fitting *f, const gm_labels *l)
{
    const char *label = f->plan->var[gm_plan_port(f->plan, (int)(n - f->plan->node), "labelCol")].name;
    for (int k = 0; k < f->n_want && f->scan.inexact; k++)
        if (f->scan.inexact[k] > 0 && strcmp(f->want[k].column, label) == 0)
            return gm_hint_add(
                cx,
                gm_fail(cx, GM_EDATA,
                        "%s: the label '%s' holds whole numbers beyond 2^53, of which some would "
                        "become one class",
                        n->uid, label),
                "make it text in the source: CAST(\"%s\" AS VARCHAR), or types: {%s: VARCHAR}", label, label);
    if (l->n == 0)
        return gm_hint_add(
            cx, gm_fail(cx, GM_EDATA, "%s: the label '%s' is missing in every training row", n->uid, label),
            "check the name, and how the source reads the column");
    if (l->n == 1)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EDATA,
                                   "%s: the label '%s' is constant: every training row is '%.*s'", n->uid,
                                   label, (int)(l->text.off[1] - l->text.off[0]), l->text.bytes),
                           "a classifier needs rows of at least two classes");
    return GM_OK;
}

gm_code gm_fit_learner(gm_cx *cx, gm_fitting *f, int node, bool last)
{
    gm_node *n = &f->plan->node[node];
    const gm_pipeline *p = f->model->pipeline;
    double begin = gm_now();
    if (gm_plan_port(f->plan, node, "labelCol") < 0 || gm_plan_port(f->plan, node, "featuresCol") < 0)
        return gm_fail(cx, GM_EPARAM, "%s: labelCol and featuresCol must be given", n->uid);
    f->no_label = 0;
    if (n->stage->kind == GM_CLASSIFIER) {
        const gm_labels *labels = NULL;
        GM_TRY(find_classes(cx, f, node, &labels));
        GM_TRY(need_classes(cx, n, f, labels));
        if (n == gm_pipeline_learner(p)) GM_TRY(gm_chosen_classes(cx, p->chosen, p->n_chosen, labels));
        n->labels = labels;
    }
    GM_TRY(fill_dataset(cx, f, node, last, &f->data));
    f->seconds[1] += gm_now() - begin;
    begin = gm_now();
    char *state;
    GM_NEW_IN(cx, &f->model->arena, state, n->stage->state_size + 1);
    if (f->start && n == gm_pipeline_learner(p)) GM_TRY(gm_start_of(cx, f, n, &f->data.names, &n->start));
    GM_TRY(
        gm_within(cx, n->stage->fit(cx, &f->model->arena, n, &f->data, gm_comm_self(), state), "%s", n->uid));
    n->start = NULL;
    n->state = state;
    GM_TRY(gm_node_ready(cx, &f->model->arena, n, false));
    f->learner = node;
    f->seconds[2] += gm_now() - begin;
    return gm_plan_describe(cx, f->plan);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chosen.c - evaluators of a pipeline: read, checked against the learner, named for people. See chosen.h.
 */
#include "model/chosen.h"
#include <string.h>

static bool was_set(const gm_chosen *c, const char *param)
{
    int row = gm_param_find(c->evaluator->params, param);
    return row >= 0 && (c->set >> row & 1);
}

static const gm_port *port_of(const gm_node *learner, const char *param)
{
    for (int k = 0; k < learner->n_in; k++)
        if (strcmp(learner->in[k].param->name, param) == 0) return &learner->in[k];
    for (int k = 0; k < learner->n_out; k++)
        if (strcmp(learner->out[k].param->name, param) == 0) return &learner->out[k];
    return NULL;
}

/* A column that was named must be the learner's of the same role. */
static gm_code check_columns(gm_cx *cx, const gm_chosen *c, const gm_node *learner)
{
    const struct {
        const char *param, *column;
    } cols[] = {{"labelCol", c->v.labelCol},
                {"weightCol", c->v.weightCol},
                {"predictionCol", c->v.predictionCol},
                {"rawPredictionCol", c->v.rawPredictionCol},
                {"probabilityCol", c->v.probabilityCol}};
    for (int64_t i = 0; i < GM_COUNT(cols); i++) {
        if (!was_set(c, cols[i].param)) continue;
        const gm_port *p = port_of(learner, cols[i].param);
        if (p && strcmp(p->column, cols[i].column) == 0) continue;
        gm_code code =
            p ? gm_fail(cx, GM_EPARAM, "%s: %s: %s is '%s', and that of %s is '%s'", gm_doc_where(cx, c->at),
                        c->evaluator->name, cols[i].param, cols[i].column, learner->uid, p->column)
              : gm_fail(cx, GM_EPARAM, "%s: %s: %s is '%s', and %s has none", gm_doc_where(cx, c->at),
                        c->evaluator->name, cols[i].param, cols[i].column, learner->uid);
        return gm_hint_add(
            cx, code, "an evaluator of a pipeline judges its learner: leave %s out, or set the learner's",
            cols[i].param);
    }
    return GM_OK;
}

static gm_code check_kind(gm_cx *cx, const gm_chosen *c, const gm_node *learner)
{
    bool numbers = c->evaluator->kind == GM_METRIC_REGRESSION;
    if (learner == NULL)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EPARAM, "%s: %s has nothing to judge: the pipeline has no learner",
                                   gm_doc_where(cx, c->at), c->evaluator->name),
                           "leave evaluate out, or add a classifier or regressor");
    if (numbers == (learner->stage->kind == GM_REGRESSOR)) return GM_OK;
    return gm_hint_add(cx,
                       gm_fail(cx, GM_EPARAM, "%s: %s judges %s, and %s predicts %s", gm_doc_where(cx, c->at),
                               c->evaluator->name, numbers ? "numbers" : "classes", learner->uid,
                               numbers ? "classes" : "numbers"),
                       numbers ? "take a BinaryClassificationEvaluator or a MulticlassClassificationEvaluator"
                               : "take a RegressionEvaluator");
}

static gm_code read_one(gm_cx *cx, gm_arena *a, const gm_doc *d, gm_chosen *c)
{
    const gm_doc *params = NULL;
    const char *name = d->kind == GM_D_STR ? d->str : NULL;
    if (d->kind == GM_D_MAP && d->n == 1) {
        name = d->child[0].key;
        params = d->child[0].kind == GM_D_NULL ? NULL : &d->child[0];
    }
    if (name == NULL)
        return gm_fail(cx, GM_ESYNTAX, "%s: an evaluator is its name with its parameters",
                       gm_doc_where(cx, d));
    c->at = d;
    GM_TRY(gm_within(cx, gm_evaluator_need(cx, name, &c->evaluator), "%s", gm_doc_where(cx, d)));
    gm_param_defaults(c->evaluator->params, &c->v);
    if (params == NULL) return GM_OK;
    return gm_param_set_all(cx, a, c->evaluator->params, &c->v, params, c->evaluator->name, &c->set);
}

gm_code gm_chosen_read(gm_cx *cx, gm_arena *a, const gm_doc *list, const gm_node *learner, gm_chosen **out,
                       int *n)
{
    if (list == NULL) return GM_OK;
    if (list->kind != GM_D_LIST)
        return gm_hint_add(
            cx, gm_fail(cx, GM_ESYNTAX, "%s: evaluate is a list of evaluators", gm_doc_where(cx, list)),
            "write it as  - EvaluatorName: {param: value}");
    if (list->n > 100) return gm_fail(cx, GM_ESYNTAX, "a pipeline has at most 100 evaluators");
    GM_NEW_IN(cx, a, *out, list->n + 1);
    const gm_chosen *eps = NULL;
    for (int64_t i = 0; i < list->n; i++) {
        gm_chosen *c = &(*out)[i];
        GM_TRY(read_one(cx, a, &list->child[i], c));
        GM_TRY(check_kind(cx, c, learner));
        GM_TRY(check_columns(cx, c, learner));
        if (!was_set(c, "eps")) continue;
        if (eps && eps->v.eps != c->v.eps)
            return gm_fail(cx, GM_EPARAM, "%s: eps is %g here and %g in another evaluator",
                           gm_doc_where(cx, c->at), c->v.eps, eps->v.eps);
        eps = c;
    }
    *n = (int)list->n;
    return GM_OK;
}

gm_code gm_chosen_classes(gm_cx *cx, const gm_chosen *chosen, int n, const gm_labels *labels)
{
    for (int i = 0; i < n; i++) {
        const gm_chosen *c = &chosen[i];
        if (c->evaluator->kind == GM_METRIC_BINARY && labels->n != 2)
            return gm_hint_add(cx,
                               gm_fail(cx, GM_EDATA,
                                       "evaluate: %s needs a label of two classes, this one has %lld",
                                       c->evaluator->name, (long long)labels->n),
                               "take a MulticlassClassificationEvaluator");
        if (!gm_chosen_metric(c)->by_label) continue;
        if (c->v.metricLabel != (double)(int64_t)c->v.metricLabel || c->v.metricLabel >= (double)labels->n)
            return gm_fail(cx, GM_EPARAM,
                           "evaluate: %s: metricLabel = %g; the label has %lld classes, counted from 0",
                           c->evaluator->name, c->v.metricLabel, (long long)labels->n);
    }
    return GM_OK;
}

double gm_chosen_eps(const gm_chosen *c, int n)
{
    for (int i = 0; i < n; i++)
        if (was_set(&c[i], "eps")) return c[i].v.eps;
    return 0;
}

const gm_metric *gm_chosen_metric(const gm_chosen *c) { return gm_evaluation_metric(c->evaluator, &c->v); }

void gm_chosen_name(gm_buf *b, const gm_chosen *c, const gm_texts *labels)
{
    const gm_metric *m = gm_chosen_metric(c);
    int64_t k = (int64_t)c->v.metricLabel;
    gm_buf_str(b, m->name);
    if (m->by_label && labels && k < labels->n) {
        gm_buf_str(b, " of ");
        gm_buf_add(b, labels->bytes + labels->off[k], (size_t)(labels->off[k + 1] - labels->off[k]));
    }
    if (strstr(m->name, "Measure") && was_set(c, "beta")) gm_buf_printf(b, ", beta %g", c->v.beta);
    if (strcmp(m->name, "logLoss") == 0 && was_set(c, "eps")) gm_buf_printf(b, ", eps %g", c->v.eps);
    if (strcmp(m->name, "r2") == 0 && c->v.throughOrigin) gm_buf_str(b, " through the origin");
}

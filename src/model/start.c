/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start.c - a learner that begins from a fitted one of another model: it must be the same stage, with the
 * same features and classes. Features are matched by name, so their order may differ; equal names go in
 * order.
 */
#include "model/fitting.h"
#include "stage/ports.h"
#include <stdlib.h>
#include <string.h>

typedef struct named {
    const char *name;
    int64_t at;
} named;

static int by_name(const void *pa, const void *pb)
{
    const named *a = pa, *b = pb;
    int c = strcmp(a->name, b->name);
    return c != 0 ? c : (a->at > b->at) - (a->at < b->at);
}

static gm_code in_order(gm_cx *cx, const gm_names *names, named **out)
{
    named *v;
    GM_NEW(cx, v, names->n + 1);
    for (int64_t j = 0; j < names->n; j++) v[j] = (named){names->v[j], j};
    qsort(v, (size_t)names->n, sizeof *v, by_name);
    *out = v;
    return GM_OK;
}

gm_code gm_start_check(gm_cx *cx, const gm_pipeline *p, const gm_model *start)
{
    const gm_node *here = gm_pipeline_learner(p), *there = gm_pipeline_learner(start->pipeline);
    if (here == NULL || gm_param_find(here->stage->params, "warmStart") < 0)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EUSAGE, "%s cannot start from a model",
                                   here ? here->uid : "a pipeline without a learner"),
                           "only learners that have warmStart can; leave init out");
    if (there == NULL || there->stage != here->stage)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_ESCHEMA, "%s: the model to start from holds %s", here->uid,
                                   there ? there->stage->name : "no learner"),
                           "start from a model of %s, or leave init out", here->stage->name);
    return GM_OK;
}

static gm_code differs(gm_cx *cx, const gm_node *node, const char *what, const char *here, const char *there)
{
    gm_code c;
    if (here && there)
        c = gm_fail(cx, GM_ESCHEMA, "%s: the model to start from has no %s '%s', but '%s'", node->uid, what,
                    here, there);
    else if (here)
        c = gm_fail(cx, GM_ESCHEMA, "%s: the model to start from has no %s '%s'", node->uid, what, here);
    else
        c = gm_fail(cx, GM_ESCHEMA, "%s: the model to start from has the %s '%s', which is not here",
                    node->uid, what, there);
    return gm_hint_add(cx, c, "start from a model of the same features and classes, or leave init out");
}

/* at[j] is the place there of what stands at j here. */
static gm_code match(gm_cx *cx, const gm_node *node, const char *what, const gm_names *here,
                     const gm_names *there, int64_t *at)
{
    named *a, *b;
    const char *only_here = NULL, *only_there = NULL;
    GM_TRY(in_order(cx, here, &a));
    GM_TRY(in_order(cx, there, &b));
    for (int64_t i = 0, j = 0; i < here->n || j < there->n;) {
        int c = i == here->n ? 1 : j == there->n ? -1 : strcmp(a[i].name, b[j].name);
        if (c < 0 && only_here == NULL) only_here = a[i].name;
        if (c > 0 && only_there == NULL) only_there = b[j].name;
        if (c == 0) at[a[i].at] = b[j].at;
        i += c <= 0, j += c >= 0;
    }
    return only_here || only_there ? differs(cx, node, what, only_here, only_there) : GM_OK;
}

static gm_code class_names(gm_cx *cx, const gm_labels *l, gm_names *out)
{
    const char **v;
    GM_NEW(cx, v, l->n + 1);
    for (int64_t i = 0; i < l->n; i++) {
        gm_text t = gm_texts_at(&l->text, i);
        GM_GOT(cx, v[i] = gm_strndup(cx, gm_scratch(cx), gm_text_ptr(&t), t.len));
    }
    *out = (gm_names){.n = l->n, .v = v};
    return GM_OK;
}

static gm_code same_classes(gm_cx *cx, const gm_node *node, const gm_labels *there)
{
    gm_names a, b;
    int64_t *at;
    GM_TRY(class_names(cx, node->labels, &a));
    GM_TRY(class_names(cx, there, &b));
    GM_NEW(cx, at, a.n + 1);
    GM_TRY(match(cx, node, "class", &a, &b, at));
    for (int64_t i = 0; i < a.n; i++) /* 9 and 10 as numbers, '10' and '9' as texts */
        if (at[i] != i)
            return gm_fail(cx, GM_ESCHEMA, "%s: the model to start from has its classes in another order: %s",
                           node->uid, there->is_text ? "they are texts there" : "they are numbers there");
    return GM_OK;
}

gm_code gm_start_of(gm_cx *cx, gm_fitting *f, const gm_node *node, const gm_names *features,
                    const gm_start **out)
{
    const gm_node *from = gm_pipeline_learner(f->start->pipeline);
    gm_names there;
    gm_start *s;
    int64_t *at;
    GM_TRY(gm_model_features(cx, gm_scratch(cx), f->start, &there));
    GM_NEW_IN(cx, f->arena, s, 1);
    GM_NEW_IN(cx, f->arena, at, features->n + 1);
    GM_TRY(match(cx, node, "feature", features, &there, at));
    if (node->labels) GM_TRY(same_classes(cx, node, from->labels));
    *s = (gm_start){.state = from->state, .at = at};
    *out = s;
    gm_emit(cx, GM_INFO, "fit.start", "", "%s: starts from a model", node->uid);
    return GM_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.c - scores of a learner on the training blocks and on the held-out rows.
 */
#include "model/judge.h"
#include "model/chosen.h"
#include "model/fitting.h"
#include <math.h>
#include <string.h>

gm_metric_kind gm_judge_kind(const gm_node *learner)
{
    if (learner->stage->kind == GM_REGRESSOR) return GM_METRIC_REGRESSION;
    return learner->labels->n == 2 ? GM_METRIC_BINARY : GM_METRIC_MULTICLASS;
}

/* Moves the rows that can be judged to the front; returns how many. */
static int64_t valid_rows(gm_scores *s, int64_t n, double *y, double *predicted, double *raw, double *p,
                          double *w, int64_t k)
{
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        if (isnan(y[i]) || (s->kind != GM_METRIC_REGRESSION && y[i] < 0)) {
            if (isnan(y[i])) s->no_label++;
            else s->other_label++;
            continue;
        }
        if (m < i) {
            y[m] = y[i];
            predicted[m] = predicted[i];
            if (raw) memcpy(raw + m * k, raw + i * k, (size_t)k * sizeof *raw);
            if (p) memcpy(p + m * k, p + i * k, (size_t)k * sizeof *p);
            if (w) w[m] = w[i];
        }
        m++;
    }
    return m;
}

gm_code gm_judge_block(gm_cx *cx, gm_arena *a, const gm_node *learner, const gm_block *b, const double *y,
                       const double *w, gm_scores *s)
{
    bool classes = learner->labels != NULL;
    int64_t k = classes ? learner->labels->n : 1;
    gm_prediction p = {0};
    double *ym, *wm = NULL;
    GM_NEW_IN(cx, a, p.prediction, b->rows + 1);
    GM_NEW_IN(cx, a, ym, b->rows + 1);
    if (classes) GM_NEW_IN(cx, a, p.raw, b->rows * k + 1);
    if (classes && learner->stage->probabilistic) GM_NEW_IN(cx, a, p.probability, b->rows * k + 1);
    if (w) GM_NEW_IN(cx, a, wm, b->rows + 1);
    GM_TRY(learner->stage->predict(cx, learner, b, &p));
    memcpy(ym, y, (size_t)b->rows * sizeof *ym);
    if (w) memcpy(wm, w, (size_t)b->rows * sizeof *wm);
    int64_t n = valid_rows(s, b->rows, ym, p.prediction, p.raw, p.probability, wm, k);
    return gm_scores_add(cx, s, n, ym, p.prediction, p.raw, p.probability, wm);
}

gm_code gm_judge_labels(gm_cx *cx, gm_arena *a, const gm_node *learner, const gm_column *c, int64_t rows,
                        double **y)
{
    GM_NEW_IN(cx, a, *y, rows + 1);
    if (learner->labels) return gm_labels_index(cx, learner->labels, c, rows, *y);
    memcpy(*y, c->real, (size_t)rows * sizeof **y);
    return GM_OK;
}

/* ---- after a fit ---- */

typedef struct judging {
    gm_fitting *f;
    const gm_node *learner;
    int features, label, weight;
    gm_scores *part;
    gm_arena *arena, *tile; /* [part]: of the scores, and of the block at hand */
    gm_hold *hold;
} judging;

static gm_code judge_train(gm_cx *cx, void *arg, int64_t part, const gm_block *b)
{
    judging *j = arg;
    gm_code c = gm_judge_block(cx, &j->tile[part], j->learner, b, b->y, b->w, &j->part[part]);
    gm_arena_clear(&j->tile[part]);
    return c;
}

static gm_code judge_test(gm_cx *cx, void *arg, int64_t part, int64_t tile, gm_run *r)
{
    judging *j = arg;
    const gm_column *x = &r->slot[j->features];
    gm_block b = {.rows = r->rows, .cols = x->width, .n_parts = x->n_parts, .part = x->part};
    double *y;
    (void)tile;
    GM_TRY(gm_judge_labels(cx, r->a, j->learner, &r->slot[j->label], r->rows, &y));
    return gm_judge_block(cx, r->a, j->learner, &b, y, j->weight >= 0 ? r->slot[j->weight].real : NULL,
                          &j->part[part]);
}

static gm_code run_side(gm_cx *cx, judging *j, int side)
{
    int target[3] = {j->features, j->label, j->weight};
    gm_flow flow;
    if (side == GM_TRAIN) return gm_dataset_each(cx, &j->f->data, judge_train, j);
    GM_TRY(gm_flow_to(cx, j->f->arena, j->f->plan, target, j->weight >= 0 ? 3 : 2, j->f->have, &flow));
    gm_walk w = {.f = j->f, .side = side, .flow = &flow, .fn = judge_test, .arg = j};
    return gm_fit_walk(cx, &w);
}

static gm_code judge_side(gm_cx *cx, judging *j, int side, const char *key)
{
    int64_t parts = side == GM_TRAIN ? j->f->data.n_parts : gm_store_cuts(j->f->store, side);
    int64_t classes = j->learner->labels ? j->learner->labels->n : 1;
    const gm_texts *labels = j->learner->labels ? &j->learner->labels->text : NULL;
    const gm_pipeline *pipeline = j->f->model->pipeline;
    double eps = gm_chosen_eps(pipeline->chosen, pipeline->n_chosen);
    gm_arena all_arena = {0};
    gm_scores *all;
    GM_NEW_IN(cx, j->f->arena, j->part, parts);
    GM_NEW_IN(cx, j->f->arena, j->arena, parts);
    GM_NEW_IN(cx, j->f->arena, j->tile, parts);
    GM_NEW_IN(cx, j->f->arena, all, 1);
    gm_code c = gm_hold_new(cx, &all_arena, j->f->level, gm_memory_limit(cx) / 8, &j->hold);
    if (c != GM_OK) return gm_arena_end(&all_arena), c;
    for (int64_t p = 0; p < parts && c == GM_OK; p++)
        c = gm_scores_begin(cx, &j->arena[p], j->hold, gm_judge_kind(j->learner), classes, eps, &j->part[p]);
    if (c == GM_OK) c = run_side(cx, j, side);
    if (c == GM_OK)
        c = gm_scores_begin(cx, &all_arena, j->hold, gm_judge_kind(j->learner), classes, eps, all);
    for (int64_t p = 0; p < parts; p++) {
        if (c == GM_OK) c = gm_scores_join(cx, all, &j->part[p]);
        gm_arena_end(&j->arena[p]);
        gm_arena_end(&j->tile[p]);
    }
    if (c == GM_OK) c = gm_scores_write(cx, &j->f->metrics, key, all, labels, pipeline);
    gm_arena_end(&all_arena);
    return c;
}

gm_code gm_fit_judge(gm_cx *cx, gm_fitting *f)
{
    judging j = {.f = f,
                 .learner = &f->plan->node[f->learner],
                 .features = gm_plan_port(f->plan, f->learner, "featuresCol"),
                 .label = gm_plan_port(f->plan, f->learner, "labelCol"),
                 .weight = gm_plan_port(f->plan, f->learner, "weightCol")};
    double begin = gm_now();
    gm_json_open(&f->metrics, NULL, '{');
    GM_TRY(judge_side(cx, &j, GM_TRAIN, "train"));
    if (f->n_sides == GM_SIDES) GM_TRY(judge_side(cx, &j, GM_TEST, "test"));
    gm_json_close(&f->metrics, '}');
    f->seconds[3] = gm_now() - begin;
    return GM_OK;
}

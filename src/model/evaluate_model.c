/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate_model.c - all metrics of a model on a table that has the label: one scan, features and predictions
 * per tile.
 */
#include "model/chosen.h"
#include "model/evaluate.h"
#include "model/judge.h"
#include "model/vectors.h"
#include <pthread.h>
#include <string.h>

typedef struct task {
    gm_arena arena, room; /* of the scores, and of the tile at hand */
    gm_scores scores;
    struct task *next;
} task;

typedef struct judging {
    const gm_model *m;
    const gm_node *learner;
    gm_flow flow;
    int features;      /* variable */
    int n_in, *in;     /* variables of the first columns read */
    int label, weight; /* columns read; weight -1: none */
    double eps;        /* of logLoss */
    gm_hold *hold;
    pthread_mutex_t lock;
    task *tasks;
} judging;

static gm_code open_task(gm_cx *cx, void *arg, void **out)
{
    judging *j = arg;
    task *t = gm_raw_alloc(cx, sizeof *t);
    GM_GOT(cx, t);
    *t = (task){0};
    pthread_mutex_lock(&j->lock);
    t->next = j->tasks;
    j->tasks = t;
    pthread_mutex_unlock(&j->lock);
    *out = t;
    return gm_scores_begin(cx, &t->arena, j->hold, gm_judge_kind(j->learner),
                           j->learner->labels ? j->learner->labels->n : 1, j->eps, &t->scores);
}

static void free_tasks(judging *j)
{
    while (j->tasks) {
        task *t = j->tasks;
        j->tasks = t->next;
        gm_arena_end(&t->arena);
        gm_arena_end(&t->room);
        gm_raw_free(t);
    }
}

static gm_code restart(gm_cx *cx, void *arg)
{
    (void)cx;
    free_tasks(arg);
    return GM_OK;
}

static gm_code judge_tile(gm_cx *cx, judging *j, task *t, gm_arena *a, const gm_batch *batch)
{
    gm_run r = {.cx = cx, .a = a, .plan = j->m->plan, .rows = batch->rows};
    gm_column label = batch->col[j->label], weight = {0};
    if (j->weight >= 0) weight = batch->col[j->weight];
    GM_NEW_IN(cx, a, r.slot, r.plan->n_vars + 1);
    GM_TRY(gm_run_inputs(&r, j->in, j->n_in, batch));
    GM_TRY(gm_flow_run(&r, &j->flow));
    if (r.rows == 0) return GM_OK;
    if (r.row) {
        GM_TRY(gm_column_take(cx, a, &label, r.row, r.rows, &label));
        if (j->weight >= 0) GM_TRY(gm_column_take(cx, a, &weight, r.row, r.rows, &weight));
    }
    const gm_column *x = &r.slot[j->features];
    gm_block b = {.rows = r.rows, .cols = x->width, .n_parts = x->n_parts, .part = x->part};
    double *y;
    GM_TRY(gm_judge_labels(cx, a, j->learner, &label, r.rows, &y));
    return gm_judge_block(cx, a, j->learner, &b, y, weight.real, &t->scores);
}

static gm_code push(gm_cx *cx, void *arg, void *state, const gm_batch *batch)
{
    task *t = state;
    gm_code c = judge_tile(cx, arg, t, &t->room, batch);
    gm_arena_clear(&t->room);
    return c;
}

/* The columns to read: the plan's inputs, then label and weight. */
static gm_code choose(gm_cx *cx, judging *j, gm_want **want, int *n)
{
    const gm_plan *plan = j->m->plan;
    bool *have;
    int i = (int)(j->learner - j->m->pipeline->node);
    j->features = gm_plan_port(plan, i, "featuresCol");
    GM_NEW(cx, *want, plan->n_vars + 3);
    GM_NEW(cx, j->in, plan->n_vars + 1);
    GM_NEW(cx, have, plan->n_vars + 1);
    for (int v = 0; v < plan->n_vars; v++) {
        if (plan->var[v].node >= 0) continue;
        have[v] = true;
        j->in[j->n_in] = v;
        (*want)[j->n_in++] = (gm_want){.column = plan->var[v].name, .type = plan->var[v].type};
    }
    GM_TRY(gm_flow_to(cx, gm_scratch(cx), plan, &j->features, 1, have, &j->flow));
    *n = j->n_in;
    j->weight = -1;
    for (int k = 0; k < j->learner->n_in; k++) {
        const gm_port *p = &j->learner->in[k];
        bool text = j->learner->labels && j->learner->labels->is_text;
        if (strcmp(p->param->name, "labelCol") == 0) {
            j->label = *n;
            (*want)[(*n)++] =
                (gm_want){.column = p->column, .type = text ? GM_T_TEXT : GM_T_REAL, .role = "label"};
        } else if (strcmp(p->param->name, "weightCol") == 0) {
            j->weight = *n;
            (*want)[(*n)++] = (gm_want){.column = p->column, .type = GM_T_REAL, .role = "weight"};
        }
    }
    return GM_OK;
}

static gm_code judge_table(gm_cx *cx, gm_buf *b, judging *j, const gm_table *source)
{
    gm_want *want;
    gm_scores *all;
    int n;
    GM_TRY(gm_model_fits(cx, j->m, source, true));
    GM_TRY(choose(cx, j, &want, &n));
    GM_TRY(gm_hold_new(cx, gm_scratch(cx), GM_LEVEL_AUTO, gm_memory_limit(cx) / 8, &j->hold));
    gm_sink sink = {.arg = j, .open = open_task, .push = push, .restart = restart};
    GM_TRY(gm_scan(cx, source, want, n, &sink, NULL));
    GM_NEW(cx, all, 1);
    GM_TRY(gm_scores_begin(cx, gm_scratch(cx), j->hold, gm_judge_kind(j->learner),
                           j->learner->labels ? j->learner->labels->n : 1, j->eps, all));
    for (task *t = j->tasks; t; t = t->next) GM_TRY(gm_scores_join(cx, all, &t->scores));
    if (all->rows == 0)
        return gm_fail(cx, GM_EDATA,
                       "no row can be judged: %lld have no label, %lld one that was not seen in training",
                       (long long)all->no_label, (long long)all->other_label);
    GM_TRY(gm_scores_write(cx, b, NULL, all, j->learner->labels ? &j->learner->labels->text : NULL,
                           j->m->pipeline));
    return gm_buf_done(b);
}

gm_code gm_evaluate_model(gm_cx *cx, gm_buf *b, const gm_model *m, const gm_table *t, const gm_doc *options)
{
    static const char *const keys[] = {NULL};
    judging j = {.m = m,
                 .learner = gm_pipeline_learner(m->pipeline),
                 .eps = gm_chosen_eps(m->pipeline->chosen, m->pipeline->n_chosen)};
    gm_table *source;
    GM_TRY(gm_doc_only(cx, options, "option of evaluate", keys));
    if (j.learner == NULL)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EUSAGE, "the model has no learner, so there is nothing to judge"),
                           "evaluate a model that ends in a classifier or regressor");
    GM_TRY(gm_model_take(cx, m, t, &source));
    pthread_mutex_init(&j.lock, NULL);
    gm_code c = judge_table(cx, b, &j, source);
    free_tasks(&j);
    pthread_mutex_destroy(&j.lock);
    gm_table_free(source);
    return c;
}

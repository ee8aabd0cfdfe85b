/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rounds.c - walks over the store, and the statistics of one round: every estimator whose inputs are ready
 * gathers in the same pass. One accumulator per part and stage; parts are merged in order, so threads change
 * no bit.
 */
#include "model/fitting.h"
#include "par/pool.h"
#include "stage/state.h"

/* ---- the walk ---- */

static gm_code walk_tile(gm_cx *cx, const gm_walk *w, int64_t part, int64_t tile, gm_arena *a,
                         gm_tally *tally)
{
    gm_fitting *f = w->f;
    gm_run r = {.cx = cx, .a = a, .plan = f->plan, .tally = tally};
    gm_column *cols;
    GM_NEW_IN(cx, a, r.slot, f->plan->n_vars + 1);
    GM_NEW_IN(cx, a, cols, f->n_stored + 1);
    r.rows = gm_store_tile(f->store, w->side, tile, cols);
    int64_t before = r.rows;
    for (int k = 0; k < f->n_stored; k++) r.slot[f->stored[k]] = cols[k];
    GM_TRY(gm_flow_run(&r, w->flow));
    if (w->count && r.rows < before) __atomic_fetch_add(&f->n_dropped, before - r.rows, __ATOMIC_RELAXED);
    return r.rows > 0 ? w->fn(cx, w->arg, part, tile, &r) : GM_OK;
}

static gm_code walk_part(gm_cx *cx, void *arg, int64_t part)
{
    const gm_walk *w = arg;
    gm_fitting *f = w->f;
    int64_t from, to;
    gm_arena own = {0}, a = {0};
    gm_tally *tally = gm_alloc(cx, &own, f->plan->n_tallies + 1, sizeof *tally);
    gm_code c = tally ? GM_OK : gm_why_null(cx);
    gm_cut_range(gm_store_tiles(f->store, w->side), gm_store_cuts(f->store, w->side), part, &from, &to);
    for (int64_t i = from; i < to && c == GM_OK; i++) {
        c = gm_check_cancel(cx);
        if (c == GM_OK) c = walk_tile(cx, w, part, i, &a, tally);
        gm_arena_clear(&a);
        if (w->forget) gm_store_forget(f->store, w->side, i);
        else gm_store_rest(f->store, w->side, i);
    }
    for (int s = 0; s < w->flow->n_steps && c == GM_OK && w->count; s++) {
        int i = w->flow->node[s];
        for (int k = 0; k < f->plan->node[i].n_in && !f->counted[i]; k++)
            __atomic_fetch_add(&f->tally[f->plan->tally_at[i] + k].invalid,
                               tally[f->plan->tally_at[i] + k].invalid, __ATOMIC_RELAXED);
    }
    gm_arena_end(&a);
    gm_arena_end(&own);
    return c;
}

gm_code gm_fit_walk(gm_cx *cx, const gm_walk *w)
{
    GM_TRY(gm_par(cx, gm_store_cuts(w->f->store, w->side), walk_part, (void *)(uintptr_t)w));
    for (int s = 0; s < w->flow->n_steps && w->count; s++) w->f->counted[w->flow->node[s]] = true;
    return GM_OK;
}

/* ---- statistics ---- */

typedef struct gathering {
    gm_fitting *f;
    int n; /* stages gathered */
    int *node;
    gm_arena *arena; /* [part] */
    void **acc;      /* [part * n + k] */
    bool *begun;     /* [part] */
    bool *settled;   /* [n]: the stage needs no rows */
} gathering;

static gm_code begin_part(gm_cx *cx, gathering *g, int64_t part)
{
    for (int k = 0; k < g->n; k++) {
        const gm_node *n = &g->f->plan->node[g->node[k]];
        GM_TRY(
            gm_within(cx, n->stage->begin(cx, &g->arena[part], n, &g->acc[part * g->n + k]), "%s", n->uid));
    }
    g->begun[part] = true;
    return GM_OK;
}

static gm_code gather_tile(gm_cx *cx, void *arg, int64_t part, int64_t tile, gm_run *r)
{
    gathering *g = arg;
    (void)tile;
    if (!g->begun[part]) GM_TRY(begin_part(cx, g, part));
    for (int k = 0; k < g->n; k++) {
        int i = g->node[k];
        const gm_node *n = &g->f->plan->node[i];
        gm_column *in;
        if (g->settled[k]) continue;
        GM_NEW_IN(cx, r->a, in, n->n_in + 1);
        for (int j = 0; j < n->n_in; j++)
            if (g->f->plan->in[i][j] >= 0) in[j] = r->slot[g->f->plan->in[i][j]];
        GM_TRY(gm_within(cx, n->stage->update(cx, &g->arena[part], n, g->acc[part * g->n + k], r->rows, in),
                         "%s", n->uid));
    }
    return GM_OK;
}

static gm_code finish_all(gm_cx *cx, gathering *g, int64_t parts)
{
    gm_model *m = g->f->model;
    if (!g->begun[0]) GM_TRY(begin_part(cx, g, 0));
    for (int64_t p = 1; p < parts; p++)
        for (int k = 0; k < g->n && g->begun[p]; k++) {
            const gm_node *n = &g->f->plan->node[g->node[k]];
            GM_TRY(gm_within(cx, n->stage->merge(cx, &g->arena[0], n, g->acc[k], g->acc[p * g->n + k]), "%s",
                             n->uid));
        }
    for (int k = 0; k < g->n; k++) {
        gm_node *n = &g->f->plan->node[g->node[k]];
        char *state;
        GM_NEW_IN(cx, &m->arena, state, n->stage->state_size + 1);
        GM_TRY(gm_within(cx, n->stage->finish(cx, &m->arena, n, g->acc[k], state), "%s", n->uid));
        n->state = state;
        GM_TRY(gm_node_ready(cx, &m->arena, n, false));
    }
    return GM_OK;
}

static gm_code gather(gm_cx *cx, gathering *g, int64_t parts)
{
    gm_fitting *f = g->f;
    int *target, n_targets = 0;
    bool *wanted;
    gm_flow flow;
    GM_NEW_IN(cx, f->arena, target, f->plan->n_vars + 1);
    GM_NEW_IN(cx, f->arena, wanted, f->plan->n_vars + 1);
    for (int k = 0; k < g->n; k++)
        for (int j = 0; j < f->plan->node[g->node[k]].n_in && !g->settled[k]; j++)
            if (f->plan->in[g->node[k]][j] >= 0) wanted[f->plan->in[g->node[k]][j]] = true;
    for (int v = 0; v < f->plan->n_vars; v++)
        if (wanted[v]) target[n_targets++] = v;
    if (n_targets == 0) return finish_all(cx, g, parts);
    f->passes++;
    GM_TRY(gm_flow_to(cx, f->arena, f->plan, target, n_targets, f->have, &flow));
    gm_walk w = {.f = f, .side = GM_TRAIN, .flow = &flow, .fn = gather_tile, .arg = g};
    GM_TRY(gm_fit_walk(cx, &w));
    return finish_all(cx, g, parts);
}

gm_code gm_fit_statistics(gm_cx *cx, gm_fitting *f, int round)
{
    gathering g = {.f = f};
    int64_t parts = gm_store_cuts(f->store, GM_TRAIN);
    double begin = gm_now();
    GM_NEW_IN(cx, f->arena, g.node, f->plan->n_nodes + 1);
    for (int i = 0; i < f->plan->n_nodes; i++)
        if (f->plan->round[i] == round && f->plan->node[i].stage->kind == GM_ESTIMATOR) g.node[g.n++] = i;
    if (g.n == 0) return GM_OK;
    GM_NEW_IN(cx, f->arena, g.arena, parts);
    GM_NEW_IN(cx, f->arena, g.acc, parts * g.n);
    GM_NEW_IN(cx, f->arena, g.begun, parts);
    GM_NEW_IN(cx, f->arena, g.settled, g.n);
    for (int k = 0; k < g.n; k++) {
        const gm_node *n = &f->plan->node[g.node[k]];
        g.settled[k] = n->stage->settled && n->stage->settled(n);
    }
    gm_code c = gather(cx, &g, parts);
    for (int64_t p = 0; p < parts; p++) gm_arena_end(&g.arena[p]);
    f->seconds[1] += gm_now() - begin;
    GM_TRY(c);
    return gm_plan_describe(cx, f->plan);
}

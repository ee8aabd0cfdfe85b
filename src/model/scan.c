/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.c - the one pass over the source: tiles come from the database's threads, stateless text stages run at
 * once, rows are parted by their hash, and what later stages need goes into the store.
 */
#include "model/fitting.h"
#include "model/vectors.h"
#include "stage/ports.h"
#include "table/rowhash.h"
#include <string.h>
#include <time.h>

double gm_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- which columns are read and kept ---- */

static gm_code choose_wants(gm_cx *cx, gm_fitting *f)
{
    const gm_plan *plan = f->plan;
    const char *key = plan->pipeline->split.key;
    GM_NEW_IN(cx, f->arena, f->want, plan->n_vars + 1);
    GM_NEW_IN(cx, f->arena, f->want_var, plan->n_vars + 1);
    for (int v = 0; v < plan->n_vars; v++) {
        if (plan->var[v].node >= 0) continue;
        f->want_var[f->n_want] = v;
        f->want[f->n_want++] = (gm_want){.column = plan->var[v].name, .type = plan->var[v].type};
    }
    f->key = -1;
    if (f->n_sides < 2 || key == NULL) return GM_OK;
    f->key = f->n_want;
    f->want_var[f->n_want] = -1;
    f->want[f->n_want++] = (gm_want){.column = key, .type = GM_T_TEXT, .role = "split.key"};
    return GM_OK;
}

static gm_code choose_stored(gm_cx *cx, gm_fitting *f)
{
    const gm_plan *plan = f->plan;
    bool *have;
    GM_NEW_IN(cx, f->arena, f->stored, plan->n_vars + 1);
    GM_NEW_IN(cx, f->arena, f->type, plan->n_vars + 1);
    GM_NEW_IN(cx, f->arena, f->have, plan->n_vars + 1);
    GM_NEW_IN(cx, f->arena, have, plan->n_vars + 1);
    for (int v = 0; v < plan->n_vars; v++) have[v] = plan->var[v].node < 0;
    for (int i = 0; i < plan->n_nodes; i++) {
        if (gm_is_sql(plan->node[i].stage) || gm_plan_in_scan(plan, i)) continue;
        for (int k = 0; k < plan->node[i].n_in; k++) {
            int v = plan->in[i][k];
            if (v < 0 || f->have[v]) continue;
            if (plan->var[v].node >= 0 && !gm_plan_in_scan(plan, plan->var[v].node)) continue;
            f->have[v] = true;
            f->type[f->n_stored] = plan->var[v].type;
            f->stored[f->n_stored++] = v;
        }
    }
    return gm_flow_to(cx, f->arena, plan, f->stored, f->n_stored, have, &f->scan_flow);
}

/* ---- the sink ---- */

static gm_code new_store(gm_cx *cx, void *arg)
{
    gm_fitting *f = arg;
    gm_arena_end(&f->store_arena);
    f->store = NULL;
    memset(f->tally, 0, sizeof *f->tally * (size_t)f->plan->n_tallies);
    return gm_store_new(cx, &f->store_arena, f->type, f->n_stored, f->n_sides, f->level, &f->store);
}

static gm_code open_task(gm_cx *cx, void *arg, void **task)
{
    gm_fitting *f = arg;
    return gm_store_task_new(cx, f->store, (gm_store_task **)task);
}

static uint64_t tile_hash(const uint64_t *h, int64_t n)
{
    uint64_t s = (uint64_t)n;
    for (int64_t i = 0; i < n; i++) s += h[i] * (uint64_t)(2 * i + 1);
    return s;
}

/* Rows of each side: sel[side][0..n[side]). */
static void part_rows(const gm_fitting *f, const gm_run *r, const uint64_t *h, int32_t *const *sel,
                      int64_t *n)
{
    n[GM_TRAIN] = n[GM_TEST] = 0;
    for (int64_t i = 0; i < r->rows; i++) {
        int side = gm_split_part(h[r->row ? r->row[i] : i], f->cumulative, f->n_sides);
        sel[side][n[side]++] = (int32_t)i;
    }
}

static gm_code keep(gm_cx *cx, gm_fitting *f, gm_store_task *task, gm_run *r, const gm_batch *batch)
{
    uint64_t *h, *id;
    int32_t *sel[GM_SIDES] = {0};
    int64_t n[GM_SIDES] = {0};
    gm_column *cols;
    GM_NEW_IN(cx, r->a, h, batch->rows + 1);
    GM_NEW_IN(cx, r->a, sel[GM_TRAIN], batch->rows + 1);
    GM_NEW_IN(cx, r->a, sel[GM_TEST], batch->rows + 1);
    GM_NEW_IN(cx, r->a, cols, f->n_stored + 1);
    uint64_t seed = (uint64_t)f->plan->pipeline->split.seed;
    gm_batch content = {batch->rows, f->key >= 0 ? f->key : batch->n_cols, batch->col};
    gm_row_hash(&content, seed, h);
    id = h;
    if (f->key >= 0) {
        gm_batch key = {batch->rows, 1, batch->col + f->key};
        GM_NEW_IN(cx, r->a, id, batch->rows + 1);
        gm_key_hash(&key, seed, id);
    }
    for (int k = 0; k < f->n_stored; k++) cols[k] = r->slot[f->stored[k]];
    GM_TRY(gm_store_encode(cx, task, r->a, r->rows, cols));
    uint64_t hash = tile_hash(h, batch->rows);
    if (f->n_sides == 1) return gm_store_add(cx, task, GM_TRAIN, hash, NULL, r->rows, cols);
    part_rows(f, r, id, sel, n);
    for (int s = 0; s < f->n_sides; s++) GM_TRY(gm_store_add(cx, task, s, hash, sel[s], n[s], cols));
    return GM_OK;
}

static void add_tallies(gm_fitting *f, const gm_tally *t)
{
    for (int i = 0; i < f->plan->n_tallies; i++)
        if (t[i].invalid) __atomic_fetch_add(&f->tally[i].invalid, t[i].invalid, __ATOMIC_RELAXED);
}

static gm_code push_in(gm_cx *cx, gm_fitting *f, gm_store_task *task, gm_arena *a, const gm_batch *batch)
{
    gm_run r = {.cx = cx, .a = a, .plan = f->plan, .rows = batch->rows};
    GM_NEW_IN(cx, a, r.slot, f->plan->n_vars + 1);
    GM_NEW_IN(cx, a, r.tally, f->plan->n_tallies + 1);
    GM_TRY(gm_run_inputs(&r, f->want_var, batch->n_cols, batch));
    GM_TRY(gm_flow_run(&r, &f->scan_flow));
    if (f->scan_flow.n_steps > 0) {
        add_tallies(f, r.tally);
        if (r.rows < batch->rows) __atomic_fetch_add(&f->n_dropped, batch->rows - r.rows, __ATOMIC_RELAXED);
    }
    return r.rows > 0 ? keep(cx, f, task, &r, batch) : GM_OK;
}

static gm_code push(gm_cx *cx, void *arg, void *task, const gm_batch *batch)
{
    gm_arena *a = gm_store_task_room(task);
    gm_code c = push_in(cx, arg, task, a, batch);
    gm_arena_clear(a);
    return c;
}

gm_code gm_fit_scan(gm_cx *cx, gm_fitting *f, const gm_table *t)
{
    const gm_split *split = &f->plan->pipeline->split;
    double begin = gm_now();
    f->n_sides = split->test > 0 ? 2 : 1;
    f->cumulative[GM_TRAIN] = f->n_sides == 2 ? 1 - split->test : 1;
    f->cumulative[GM_TEST] = 1;
    GM_TRY(choose_wants(cx, f));
    GM_TRY(choose_stored(cx, f));
    GM_TRY(new_store(cx, f));
    gm_sink sink = {.arg = f, .open = open_task, .push = push, .restart = new_store};
    GM_TRY(gm_scan(cx, t, f->want, f->n_want, &sink, &f->scan));
    GM_TRY(gm_store_seal(cx, f->store));
    for (int s = 0; s < f->scan_flow.n_steps; s++) f->counted[f->scan_flow.node[s]] = true;
    f->passes = 1;
    f->store_bytes = gm_store_bytes(f->store);
    f->spilled = gm_store_spilled(f->store);
    f->seconds[0] = gm_now() - begin;
    if (gm_store_rows(f->store, GM_TRAIN) == 0)
        return gm_hint_add(
            cx,
            gm_fail(cx, GM_EDATA, "there are no rows to fit on (%lld were read)", (long long)f->scan.rows),
            "look at the source: `gristmill sql \"SELECT count(*) FROM ...\"`");
    if (f->n_sides == 2 && gm_store_rows(f->store, GM_TEST) == 0)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EDATA, "the held-out part is empty: split.test = %g of %lld rows",
                                   split->test, (long long)f->scan.rows),
                           "raise split.test, or set it to 0 to fit on all rows");
    return GM_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_tile.c - records of a CSV as the columns that a sink wants, by the same functions that read values
 * inside the database.
 */
#include "source/csv/csv_read.h"
#include "source/scan_own.h"
#include <math.h>
#include <stdio.h>

enum { DIGITS = 24 };

struct gm_csv_lane {
    const gm_csv_scan *scan;
    const gm_csv_plan *plan;
    gm_csv_misfit *misfit;
    const int *slot;
    int *field; /* of each wanted column */
    gm_csv_tile tile;
    int n_slots;
    uint64_t valid[GM_TILE / 64];
    duckdb_hugeint *values; /* GM_TILE of any type */
    gm_column *col;
    double **real;
    gm_text **said; /* texts of typed columns */
    char **digits;
    int64_t *inexact;
    bool opened;
    void *task;
};

static bool fits(gm_csv_kind kind, gm_type type)
{
    if (type == GM_T_REAL) return kind <= GM_CSV_STAMPTZ;
    if (type != GM_T_TEXT) return false;
    return kind == GM_CSV_BOOL || kind == GM_CSV_INT || kind == GM_CSV_UNSURE || kind == GM_CSV_EMPTY ||
           kind == GM_CSV_TEXT;
}

bool gm_csv_wants(const gm_csv_plan *plan, const gm_want *want, int n, int *slot, int *n_slots)
{
    *n_slots = 0;
    for (int j = 0; j < plan->n; j++) {
        slot[j] = -1;
        if (plan->col[j].kind == GM_CSV_NATIVE) return false; /* its values may be errors of the database's */
        for (int k = 0; k < n; k++) {
            if (strcmp(want[k].column, plan->col[j].name) != 0) continue;
            if (!fits(plan->col[j].kind, want[k].type)) return false;
            if (slot[j] < 0) slot[j] = (*n_slots)++;
        }
    }
    return *n_slots > 0;
}

static int field_of(const gm_csv_plan *plan, const char *name)
{
    int j = 0;
    while (strcmp(plan->col[j].name, name) != 0) j++;
    return j;
}

static void clean(gm_csv_lane *l)
{
    l->tile.rows = 0;
    for (int s = 0; s < l->n_slots; s++) memset(l->tile.valid[s], 0xff, GM_TILE / 8);
}

gm_code gm_csv_lane_new(gm_cx *cx, gm_arena *a, const gm_csv_scan *scan, const gm_csv_plan *plan,
                        gm_csv_misfit *misfit, const int *slot, int n_slots, gm_csv_lane **out)
{
    gm_csv_lane *l;
    GM_NEW_IN(cx, a, l, 1);
    *l = (gm_csv_lane){.scan = scan, .plan = plan, .misfit = misfit, .slot = slot, .n_slots = n_slots};
    GM_NEW_IN(cx, a, l->field, scan->n);
    GM_NEW_IN(cx, a, l->tile.text, n_slots);
    GM_NEW_IN(cx, a, l->tile.valid, n_slots);
    GM_NEW_IN(cx, a, l->tile.escaped, n_slots);
    GM_NEW_IN(cx, a, l->values, GM_TILE);
    GM_NEW_IN(cx, a, l->col, scan->n);
    GM_NEW_IN(cx, a, l->real, scan->n);
    GM_NEW_IN(cx, a, l->said, scan->n);
    GM_NEW_IN(cx, a, l->digits, scan->n);
    GM_NEW_IN(cx, a, l->inexact, scan->n);
    for (int s = 0; s < n_slots; s++) {
        GM_NEW_IN(cx, a, l->tile.text[s], GM_TILE);
        GM_NEW_IN(cx, a, l->tile.valid[s], GM_TILE / 64);
    }
    for (int k = 0; k < scan->n; k++) {
        l->field[k] = field_of(plan, scan->want[k].column);
        gm_csv_kind kind = plan->col[l->field[k]].kind;
        if (scan->want[k].type == GM_T_REAL) {
            GM_NEW_IN(cx, a, l->real[k], GM_TILE);
        } else if (kind == GM_CSV_BOOL || kind == GM_CSV_INT) {
            GM_NEW_IN(cx, a, l->said[k], GM_TILE);
            GM_NEW_IN(cx, a, l->digits[k], GM_TILE * DIGITS);
        }
    }
    clean(l);
    *out = l;
    return GM_OK;
}

gm_csv_tile *gm_csv_lane_tile(gm_csv_lane *lane) { return &lane->tile; }

const int64_t *gm_csv_lane_inexact(const gm_csv_lane *lane) { return lane->inexact; }

/* The types of column k, BOOLEAN or BIGINT, as the database writes them. */
static void say(gm_csv_lane *l, int k, gm_csv_kind kind)
{
    const bool *yes = (const void *)l->values;
    const int64_t *v = (const void *)l->values;
    for (int64_t i = 0; i < l->tile.rows; i++) {
        char *text = l->digits[k] + i * DIGITS;
        gm_text *t = &l->said[k][i];
        if (!gm_duck_valid(l->valid, i)) {
            *t = gm_text_none();
        } else if (kind == GM_CSV_BOOL) {
            *t = yes[i] ? gm_text_of("true", 4) : gm_text_of("false", 5);
        } else {
            int n = snprintf(text, DIGITS, "%lld", (long long)v[i]);
            *t = gm_text_of(text, (size_t)n);
        }
    }
}

static gm_code column(gm_cx *cx, gm_csv_lane *l, int k)
{
    int field = l->field[k], slot = l->slot[field];
    int64_t n = l->tile.rows;
    const gm_csv_column *c = &l->plan->col[field];
    bool real = l->scan->want[k].type == GM_T_REAL, direct = real && c->kind == GM_CSV_REAL;
    l->col[k] = (gm_column){.type = l->scan->want[k].type};
    gm_csv_cast cast = {.col = c,
                        .misfit = &l->misfit[field],
                        .decimal = l->plan->decimal,
                        .n = n,
                        .text = l->tile.text[slot],
                        .valid = l->tile.valid[slot],
                        .out_valid = l->valid,
                        .out = direct ? (void *)l->real[k] : l->values};
    if (c->kind != GM_CSV_TEXT) {
        memset(l->valid, 0xff, sizeof l->valid);
        gm_csv_cast_run(&cast);
    }
    if (!real) {
        if (l->said[k]) say(l, k, c->kind);
        l->col[k].text = l->said[k] ? l->said[k] : l->tile.text[slot];
        return GM_OK;
    }
    double *out = l->real[k];
    if (!direct) {
        if (!gm_bridge_real(gm_csv_cast_type(c->kind), l->values, l->valid, n, out, &l->inexact[k]))
            return gm_fail(cx, GM_EINTERNAL, "column '%s' is no number", c->name);
    }
    for (int64_t w = 0; w * 64 < n; w++)
        for (uint64_t lost = ~l->valid[w]; lost; lost &= lost - 1) {
            int64_t i = w * 64 + __builtin_ctzll(lost);
            if (i < n) out[i] = NAN;
        }
    l->col[k].real = out;
    return GM_OK;
}

gm_code gm_csv_lane_push(gm_cx *cx, gm_csv_lane *l)
{
    const gm_sink *sink = l->scan->sink;
    if (l->tile.rows == 0) return GM_OK;
    if (!l->opened && sink->open) GM_TRY(sink->open(cx, sink->arg, &l->task));
    l->opened = true;
    for (int k = 0; k < l->scan->n; k++) GM_TRY(column(cx, l, k));
    gm_batch batch = {.rows = l->tile.rows, .n_cols = l->scan->n, .col = l->col};
    GM_TRY(sink->push(cx, sink->arg, l->task, &batch));
    atomic_fetch_add_explicit(l->scan->rows, batch.rows, memory_order_relaxed);
    clean(l);
    return GM_OK;
}

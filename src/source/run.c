/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - composing a table's query and running it to its end, again where a CSV column had to become wider.
 */
#include "base/session.h"
#include "source/csv/csv.h"
#include "source/table_own.h"
#include <string.h>

typedef struct walk {
    const gm_table **v;
    int n, cap;
} walk;

static gm_code visit(gm_cx *cx, gm_arena *a, walk *w, const gm_table *t)
{
    for (int i = 0; i < w->n; i++)
        if (w->v[i] == t) return GM_OK;
    for (int i = 0; i < t->n_deps; i++) GM_TRY(visit(cx, a, w, t->dep[i]));
    if (w->n == w->cap) {
        int cap = w->cap ? 2 * w->cap : 16;
        const gm_table **v = gm_regrow(cx, a, w->v, w->n, cap, sizeof *v);
        GM_GOT(cx, v);
        w->v = v;
        w->cap = cap;
    }
    w->v[w->n++] = t;
    return GM_OK;
}

gm_code gm_table_all(gm_cx *cx, gm_arena *a, const gm_table *t, const gm_table ***out, int *n)
{
    walk w = {0};
    GM_TRY(visit(cx, a, &w, t));
    *out = w.v;
    *n = w.n;
    return GM_OK;
}

gm_code gm_table_compose(gm_cx *cx, const gm_table *t, gm_run *run, gm_buf *b)
{
    const gm_table **all;
    int n;
    GM_TRY(gm_table_all(cx, run->arena, t, &all, &n));
    for (int i = 0; i < n; i++) {
        gm_buf_str(b, i ? ", " : "WITH ");
        gm_table_ident(b, all[i]);
        gm_buf_str(b, " AS NOT MATERIALIZED (");
        GM_TRY(all[i]->kind->body(cx, all[i], run, b));
        gm_buf_str(b, ")");
    }
    gm_buf_str(b, " ");
    return b->code;
}

static gm_code run_once(gm_cx *cx, gm_arena *a, const gm_table *t, const gm_query *q, gm_run *run,
                        duckdb_result *res)
{
    gm_buf b = gm_buf_in(cx, a);
    if (q->before) gm_buf_str(&b, q->before);
    GM_TRY(gm_table_compose(cx, t, run, &b));
    gm_buf_str(&b, q->select);
    gm_table_ident(&b, t);
    if (q->after) gm_buf_str(&b, q->after);
    GM_TRY(gm_buf_done(&b));
    return gm_con_query(run->con, b.p, res);
}

gm_code gm_table_query(gm_cx *cx, gm_arena *a, const gm_table *t, const gm_query *q, gm_con **out,
                       duckdb_result *res)
{
    gm_con *con;
    GM_TRY(gm_con_open(cx, a, t->db, &con));
    con->progress = q->progress;
    con->rows = q->rows;
    for (;;) {
        gm_run run = {.arena = a, .con = con};
        bool again = false;
        gm_code code = run_once(cx, a, t, q, &run, res);
        bool ran = code == GM_OK;
        if (code != GM_ECANCEL && run.csv) {
            /* What failed may have failed for the values that a too narrow column could not hold. */
            gm_code why = gm_csv_review(cx, &run, ran, &again);
            if (ran) code = why;
        }
        if (code == GM_OK && !again) break;
        if (ran) con->duck->destroy_result(res);
        if (!again) return code;
        gm_cx_forget(cx);
        if (run.csv)
            GM_TRY(gm_con_run(
                con, "DROP TABLE IF EXISTS gm_reject_errors; DROP TABLE IF EXISTS gm_reject_scans", NULL));
        if (q->undo) GM_TRY(gm_con_run(con, q->undo, NULL));
        if (q->restart) GM_TRY(q->restart(cx, q->arg));
    }
    if (out) *out = con;
    return GM_OK;
}

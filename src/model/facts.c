/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts.c - what happened in a fit, as the JSON that the model keeps: rows, split, what handleInvalid
 * decided, passes, seconds, memory, the plan, metrics.
 */
#include "model/fitting.h"
#include <string.h>

static void write_rows(gm_buf *b, const gm_fitting *f)
{
    gm_json_open(b, "rows", '{');
    gm_json_int(b, "read", f->scan.rows);
    gm_json_int(b, "train", f->store ? gm_store_rows(f->store, GM_TRAIN) : 0);
    gm_json_int(b, "test", f->store && f->n_sides == GM_SIDES ? gm_store_rows(f->store, GM_TEST) : 0);
    gm_json_int(b, "fitted", f->data.rows);
    gm_json_int(b, "dropped", f->n_dropped);
    gm_json_int(b, "withoutLabel", f->no_label);
    gm_json_close(b, '}');
    if (f->store == NULL || f->n_sides < GM_SIDES) return;
    int64_t train = gm_store_rows(f->store, GM_TRAIN), test = gm_store_rows(f->store, GM_TEST);
    gm_json_open(b, "split", '{');
    gm_json_real(b, "asked", f->plan->pipeline->split.test);
    gm_json_real(b, "test", (double)test / (double)(train + test));
    gm_json_int(b, "seed", f->plan->pipeline->split.seed);
    gm_json_str(b, "by", f->plan->pipeline->split.key ? f->plan->pipeline->split.key : "row content");
    gm_json_close(b, '}');
}

/* The word of a node's handleInvalid; "error" when it has none. */
static const char *invalid_word(const gm_node *n)
{
    int row = gm_param_find(n->stage->params, "handleInvalid");
    if (row < 0 || n->stage->params[row].type != GM_P_ENUM) return "kept";
    const gm_param *p = &n->stage->params[row];
    return p->choices[*(const int *)(const void *)((const char *)n->params + p->offset)];
}

static void write_skipped(gm_cx *cx, gm_buf *b, const gm_fitting *f)
{
    gm_json_open(b, "invalid", '[');
    for (int i = 0; i < f->plan->n_nodes; i++) {
        const gm_node *n = &f->plan->node[i];
        for (int k = 0; k < n->n_in && !gm_is_sql(n->stage); k++) {
            int64_t count = f->tally[f->plan->tally_at[i] + k].invalid;
            if (count == 0) continue;
            gm_json_open(b, NULL, '{');
            gm_json_str(b, "stage", n->uid);
            gm_json_str(b, "column", n->in[k].column);
            gm_json_str(b, "rule", invalid_word(n));
            gm_json_int(b, "values", count);
            gm_json_close(b, '}');
            if (strcmp(invalid_word(n), "skip") == 0)
                gm_emit_kv(cx, GM_WARNING, "data.skipped", "rows were left out: invalid values", "stage",
                           n->uid, "column", n->in[k].column, NULL);
        }
    }
    gm_json_close(b, ']');
    gm_json_open(b, "inexact", '[');
    for (int k = 0; k < f->n_want && f->scan.inexact; k++) {
        if (f->scan.inexact[k] == 0) continue;
        gm_json_open(b, NULL, '{');
        gm_json_str(b, "column", f->want[k].column);
        gm_json_int(b, "values", f->scan.inexact[k]);
        gm_json_close(b, '}');
        char *text = gm_format(cx, f->arena,
                               "column '%s': whole numbers beyond 2^53 are rounded, as it is read as numbers",
                               f->want[k].column);
        if (text) gm_emit_kv(cx, GM_WARNING, "data.inexact", text, "column", f->want[k].column, NULL);
    }
    gm_json_close(b, ']');
}

static void write_costs(gm_buf *b, const gm_fitting *f)
{
    static const char *const names[] = {"read", "features", "learn", "judge"};
    gm_json_open(b, "seconds", '{');
    for (int i = 0; i < GM_COUNT(names); i++) gm_json_real(b, names[i], f->seconds[i]);
    gm_json_close(b, '}');
    gm_json_int(b, "scans", f->passes > 0);
    gm_json_int(b, "passes", f->passes);
    gm_json_open(b, "bytes", '{');
    gm_json_int(b, "rows", f->store_bytes);
    gm_json_int(b, "blocks", gm_dataset_bytes(&f->data));
    gm_json_int(b, "onDisk", f->spilled + gm_dataset_spilled(&f->data));
    gm_json_close(b, '}');
}

static gm_code write_plan(gm_cx *cx, gm_buf *b, const gm_fitting *f, const gm_table *t)
{
    gm_buf text = gm_buf_in(cx, f->arena);
    GM_TRY(gm_plan_explain(cx, &text, f->plan, "text", gm_table_label(t)));
    GM_TRY(gm_buf_done(&text));
    gm_json_str(b, "plan", text.p);
    return GM_OK;
}

/* Why each column is used as it is, where low code decided. */
static void write_decided(gm_buf *b, const gm_doc *d)
{
    static const char *const keys[] = {"why", "columns"};
    for (int64_t i = 0; d && i < GM_COUNT(keys); i++)
        if (gm_doc_get(d, keys[i])) gm_doc_write_json(b, keys[i], gm_doc_get(d, keys[i]));
}

gm_code gm_fit_facts(gm_cx *cx, gm_fitting *f, const gm_table *t)
{
    gm_buf b = gm_buf_in(cx, &f->model->arena);
    gm_json_open(&b, NULL, '{');
    gm_json_str(&b, "task", gm_task_name(f->model));
    gm_json_open(&b, "fit", '{');
    write_rows(&b, f);
    if (f->store) write_skipped(cx, &b, f);
    write_costs(&b, f);
    GM_TRY(write_plan(cx, &b, f, t));
    gm_json_close(&b, '}');
    if (f->learner >= 0) {
        GM_TRY(gm_buf_done(&f->metrics));
        gm_json_raw(&b, "metrics", f->metrics.p);
    }
    write_decided(&b, f->decided);
    gm_json_close(&b, '}');
    GM_TRY(gm_buf_done(&b));
    f->model->facts = b.p;
    return GM_OK;
}

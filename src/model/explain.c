/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain.c - the fit plan in words, or as JSON.
 */
#include "model/plan.h"
#include "stage/ports.h"
#include <string.h>

typedef enum step_kind { STEP_SCAN, STEP_PASS, STEP_FILL } step_kind;

static void names_of(gm_buf *b, const gm_plan *plan, int node, bool outputs)
{
    const gm_node *n = &plan->node[node];
    int count = outputs ? n->n_out : n->n_in;
    const gm_port *port = outputs ? n->out : n->in;
    enum { MOST = 6 };
    for (int k = 0; k < count && k < MOST; k++) gm_buf_printf(b, "%s%s", k ? ", " : "", port[k].column);
    if (count > MOST) gm_buf_printf(b, ", ... (%d)", count);
}

/* Stages applied in the scan, or gathered or fitted in a round. */
static bool in_step(const gm_plan *plan, int i, step_kind kind, int round)
{
    const gm_stage *s = plan->node[i].stage;
    if (gm_is_sql(s)) return false;
    if (kind == STEP_SCAN) return gm_plan_in_scan(plan, i);
    if (plan->round[i] != round) return false;
    return kind == STEP_PASS ? s->kind == GM_ESTIMATOR : gm_is_learner(s);
}

static int count_step(const gm_plan *plan, step_kind kind, int round)
{
    int n = 0;
    for (int i = 0; i < plan->n_nodes; i++) n += in_step(plan, i, kind, round);
    return n;
}

static void list_stages(gm_buf *b, const gm_plan *plan, step_kind kind, int round)
{
    for (int i = 0; i < plan->n_nodes; i++) {
        if (!in_step(plan, i, kind, round)) continue;
        gm_buf_printf(b, "     %-24s ", plan->node[i].uid);
        names_of(b, plan, i, false);
        if (plan->node[i].n_out > 0) {
            gm_buf_str(b, " -> ");
            names_of(b, plan, i, true);
        }
        gm_buf_str(b, "\n");
    }
}

static int source_columns(const gm_plan *plan)
{
    int n = 0;
    for (int v = 0; v < plan->n_vars; v++) n += plan->var[v].node < 0;
    return n;
}

static void explain_text(gm_buf *b, const gm_plan *plan, const char *source)
{
    int step = 1;
    if (plan->rounds == 0) {
        gm_buf_printf(b, "no stage learns from rows: %s is not read\n", source);
        return;
    }
    gm_buf_printf(b, "%d. scan %s once: %d columns", step++, source, source_columns(plan));
    if (plan->pipeline->split.test > 0)
        gm_buf_printf(b, "; hold out %g %% of the rows by a hash of %s", 100 * plan->pipeline->split.test,
                      plan->pipeline->split.key ? plan->pipeline->split.key : "their content");
    gm_buf_str(b, "\n");
    for (int i = 0; i < plan->n_nodes; i++)
        if (gm_is_sql(plan->node[i].stage))
            gm_buf_printf(b, "     %-24s inside the query\n", plan->node[i].uid);
    list_stages(b, plan, STEP_SCAN, 0);
    for (int r = 0; r < plan->rounds; r++) {
        if (count_step(plan, STEP_PASS, r)) {
            gm_buf_printf(b, "%d. one pass over the kept rows: statistics of\n", step++);
            list_stages(b, plan, STEP_PASS, r);
        }
        if (count_step(plan, STEP_FILL, r)) {
            gm_buf_printf(b, "%d. one pass to fill the feature blocks, then fit\n", step++);
            list_stages(b, plan, STEP_FILL, r);
        }
    }
    if (plan->pipeline->split.test > 0 && gm_pipeline_learner(plan->pipeline))
        gm_buf_printf(b, "%d. judge on the held-out rows\n", step);
}

static void json_stages(gm_buf *b, const gm_plan *plan, const char *what, step_kind kind, int round)
{
    if (count_step(plan, kind, round) == 0 && kind != STEP_SCAN) return;
    gm_json_open(b, NULL, '{');
    gm_json_str(b, "step", what);
    if (kind != STEP_SCAN) gm_json_int(b, "round", round);
    gm_json_open(b, "stages", '[');
    for (int i = 0; i < plan->n_nodes; i++)
        if (in_step(plan, i, kind, round)) gm_json_str(b, NULL, plan->node[i].uid);
    gm_json_close(b, ']');
    gm_json_close(b, '}');
}

static void explain_json(gm_buf *b, const gm_plan *plan, const char *source)
{
    gm_json_open(b, NULL, '{');
    gm_json_str(b, "source", source);
    gm_json_int(b, "scans", plan->rounds > 0);
    gm_json_open(b, "columns", '[');
    for (int v = 0; v < plan->n_vars; v++)
        if (plan->var[v].node < 0) gm_json_str(b, NULL, plan->var[v].name);
    gm_json_close(b, ']');
    gm_json_open(b, "steps", '[');
    if (plan->rounds > 0) json_stages(b, plan, "scan", STEP_SCAN, 0);
    for (int r = 0; r < plan->rounds; r++) {
        json_stages(b, plan, "statistics", STEP_PASS, r);
        json_stages(b, plan, "fit", STEP_FILL, r);
    }
    gm_json_close(b, ']');
    gm_json_close(b, '}');
}

gm_code gm_plan_explain(gm_cx *cx, gm_buf *b, const gm_plan *plan, const char *form, const char *source)
{
    if (form == NULL || strcmp(form, "text") == 0) explain_text(b, plan, source);
    else if (strcmp(form, "json") == 0) explain_json(b, plan, source);
    else return gm_fail(cx, GM_EUSAGE, "a plan is explained as text or json, not '%s'", form);
    return GM_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.c - variables, rounds and flows. A column of the source that one stage reads as a number and another
 * as text is two variables: the database casts it twice, exactly.
 */
#include "model/plan.h"
#include "model/labels.h"
#include "model/vectors.h"
#include "stage/ports.h"
#include "stage/state.h"
#include <string.h>

/* ---- variables ---- */

static int find_var(const gm_plan *plan, const char *name, unsigned types)
{
    for (int v = plan->n_vars - 1; v >= 0; v--)
        if (strcmp(plan->var[v].name, name) == 0 && (plan->var[v].node >= 0 || (plan->var[v].type & types)))
            return v;
    return -1;
}

static int add_var(gm_plan *plan, const char *name, gm_type type, int node, int port, int round)
{
    plan->var[plan->n_vars] = (gm_var){.name = name,
                                       .type = type,
                                       .node = node,
                                       .port = port,
                                       .round = round,
                                       .attr = {.type = type, .width = 1},
                                       .known = node < 0};
    return plan->n_vars++;
}

static gm_code wrong_type(gm_cx *cx, const gm_node *node, const gm_port *port, const char *found,
                          const char *hint)
{
    gm_code c = gm_fail(cx, GM_ESCHEMA, "%s: column '%s' (%s) is %s; expected %s", node->uid, port->column,
                        port->param->name, found, gm_type_name(port->param->column));
    return hint ? gm_hint_add(cx, c, "%s", hint) : c;
}

/* The type in which a column of the source reaches a port. */
static gm_code source_type(gm_cx *cx, const gm_node *node, const gm_port *port, const gm_field *f,
                           gm_type *type)
{
    unsigned mask = port->param->column;
    switch (f->cls) {
    case GM_CLASS_NUMBER:
    case GM_CLASS_BOOL:
        if (mask & (GM_T_REAL | GM_T_TEXT)) return *type = mask & GM_T_REAL ? GM_T_REAL : GM_T_TEXT, GM_OK;
        return wrong_type(cx, node, port, f->type, "put the numbers together with a VectorAssembler first");
    case GM_CLASS_TEXT:
        if (mask & GM_T_TEXT) return *type = GM_T_TEXT, GM_OK;
        return wrong_type(
            cx, node, port, f->type,
            "index it with a StringIndexer, or cast it in the source query: CAST(\"column\" AS DOUBLE)");
    case GM_CLASS_DATE:
    case GM_CLASS_TIME:
    case GM_CLASS_TIMESTAMP:
        if (mask & GM_T_TEXT) return *type = GM_T_TEXT, GM_OK;
        return wrong_type(
            cx, node, port, f->type,
            "take its parts in a SQLTransformer or the source query: month(d), hour(d), epoch(d)");
    case GM_CLASS_REALS:
        if (mask & GM_T_VECTOR) return *type = GM_T_VECTOR, GM_OK;
        break;
    case GM_CLASS_TEXTS:
        if (mask & GM_T_WORDS) return *type = GM_T_WORDS, GM_OK;
        break;
    case GM_CLASS_OTHER: break;
    }
    return wrong_type(cx, node, port, f->type,
                      "unpack it in the source query, one column per element: \"v\"[1] AS v1");
}

static gm_code read_port(gm_cx *cx, gm_plan *plan, const gm_columns *schema, int node, int k, bool fitting)
{
    gm_node *n = &plan->node[node];
    gm_port *port = &n->in[k];
    plan->in[node][k] = -1;
    if (!fitting && gm_port_fit_only(port)) return GM_OK;
    int v = find_var(plan, port->column, 0);
    if (v >= 0) {
        gm_type t = plan->var[v].type;
        if (!(t & port->param->column)) {
            const char *hint =
                t == GM_T_REAL || t == GM_T_TEXT ? NULL : "look at `gristmill help` of the stages in between";
            return wrong_type(cx, n, port, gm_type_name(t), hint);
        }
        port->type = t;
        plan->in[node][k] = v;
        return GM_OK;
    }
    int64_t at = gm_columns_find(schema, port->column);
    if (at < 0)
        return gm_within(cx, gm_columns_need(cx, schema, port->column, &at), "%s: %s", n->uid,
                         port->param->name);
    GM_TRY(source_type(cx, n, port, &schema->field[at], &port->type));
    v = find_var(plan, port->column, port->type);
    if (v < 0) v = add_var(plan, port->column, port->type, -1, -1, 0);
    if (port->type == GM_T_VECTOR) plan->var[v].attr.width = gm_vector_width(schema->field[at].type);
    plan->in[node][k] = v;
    return GM_OK;
}

/* A classifier gives the user's own labels back: text when they are text. */
static gm_type made_type(const gm_plan *plan, int node, const gm_port *port)
{
    const gm_node *n = &plan->node[node];
    if (n->stage->kind != GM_CLASSIFIER || strcmp(port->param->name, "predictionCol") != 0) return port->type;
    if (n->labels) return n->labels->is_text ? GM_T_TEXT : GM_T_REAL;
    for (int k = 0; k < n->n_in; k++)
        if (strcmp(n->in[k].param->name, "labelCol") == 0 && n->in[k].type == GM_T_TEXT) return GM_T_TEXT;
    return port->type;
}

static gm_code write_port(gm_cx *cx, gm_plan *plan, const gm_columns *schema, int node, int k, int round)
{
    gm_node *n = &plan->node[node];
    gm_port *port = &n->out[k];
    if (gm_columns_find(schema, port->column) >= 0 || find_var(plan, port->column, GM_T_ANY) >= 0)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_ESCHEMA, "%s: %s '%s' is a column that is there already", n->uid,
                                   port->param->name, port->column),
                           "give %s another name", port->param->name);
    port->type = made_type(plan, node, port);
    plan->out[node][k] = add_var(plan, port->column, port->type, node, k, round);
    return GM_OK;
}

static gm_code add_node(gm_cx *cx, gm_plan *plan, const gm_columns *schema, int i, bool fitting)
{
    gm_node *n = &plan->node[i];
    int ready = 0;
    GM_NEW_IN(cx, plan->arena, plan->in[i], n->n_in + 1);
    GM_NEW_IN(cx, plan->arena, plan->out[i], n->n_out + 1);
    plan->round[i] = -1;
    plan->tally_at[i] = plan->n_tallies;
    if (gm_is_sql(n->stage)) return GM_OK;
    plan->n_tallies += n->n_in;
    GM_NEW_IN(cx, plan->arena, n->in_attr, n->n_in + 1);
    GM_NEW_IN(cx, plan->arena, n->out_attr, n->n_out + 1);
    for (int k = 0; k < n->n_in; k++) {
        GM_TRY(read_port(cx, plan, schema, i, k, fitting));
        int v = plan->in[i][k];
        if (v >= 0 && plan->var[v].round > ready) ready = plan->var[v].round;
    }
    gm_node_types(n);
    if (n->stage->kind != GM_TRANSFORMER) {
        plan->round[i] = ready;
        ready++;
        if (ready > plan->rounds) plan->rounds = ready;
    }
    for (int k = 0; k < n->n_out; k++) GM_TRY(write_port(cx, plan, schema, i, k, ready));
    return GM_OK;
}

gm_code gm_plan_make(gm_cx *cx, gm_arena *a, gm_pipeline *p, const gm_columns *schema, bool fitting,
                     gm_plan **out)
{
    gm_plan *plan;
    int ports = 1;
    for (int i = 0; i < p->n; i++) ports += p->node[i].n_in + p->node[i].n_out;
    GM_NEW_IN(cx, a, plan, 1);
    *plan = (gm_plan){.arena = a, .pipeline = p, .n_nodes = p->n, .node = p->node};
    GM_NEW_IN(cx, a, plan->var, ports);
    GM_NEW_IN(cx, a, plan->in, p->n);
    GM_NEW_IN(cx, a, plan->out, p->n);
    GM_NEW_IN(cx, a, plan->round, p->n);
    GM_NEW_IN(cx, a, plan->tally_at, p->n);
    for (int i = 0; i < p->n; i++) GM_TRY(add_node(cx, plan, schema, i, fitting));
    *out = plan;
    return GM_OK;
}

gm_code gm_var_names(gm_cx *cx, gm_arena *a, const gm_var *v, gm_names *out)
{
    const char **names;
    if (v->attr.names.n == v->attr.width) return *out = v->attr.names, GM_OK;
    GM_NEW_IN(cx, a, names, v->attr.width + 1);
    for (int64_t j = 0; j < v->attr.width; j++)
        GM_GOT(cx, names[j] = gm_element_name(cx, a, &v->attr, v->name, j));
    *out = (gm_names){.n = v->attr.width, .v = names};
    return GM_OK;
}

int gm_plan_port(const gm_plan *plan, int node, const char *param)
{
    const gm_node *n = &plan->node[node];
    for (int k = 0; k < n->n_in; k++)
        if (strcmp(n->in[k].param->name, param) == 0) return plan->in[node][k];
    for (int k = 0; k < n->n_out; k++)
        if (strcmp(n->out[k].param->name, param) == 0) return plan->out[node][k];
    return -1;
}

/* ---- attributes ---- */

static gm_code describe_node(gm_cx *cx, gm_plan *plan, int i)
{
    gm_node *n = &plan->node[i];
    for (int k = 0; k < n->n_in; k++)
        if (plan->in[i][k] >= 0) n->in_attr[k] = plan->var[plan->in[i][k]].attr;
    for (int k = 0; k < n->n_out; k++) { /* vectors of a classifier are as wide as its classes */
        bool classes = n->labels && n->out[k].type == GM_T_VECTOR;
        n->out_attr[k] = (gm_attr){.type = n->out[k].type, .width = classes ? n->labels->n : 1};
    }
    if (n->stage->kind == GM_TRANSFORMER || plan->loaded)
        GM_TRY(gm_within(cx, gm_node_ready(cx, plan->arena, n, plan->loaded), "%s", n->uid));
    if (n->stage->describe)
        GM_TRY(gm_within(cx, n->stage->describe(cx, plan->arena, n, n->out_attr), "%s", n->uid));
    for (int k = 0; k < n->n_out; k++) {
        gm_var *v = &plan->var[plan->out[i][k]];
        v->attr = n->out_attr[k];
        v->attr.type = v->type;
        v->known = true;
    }
    return GM_OK;
}

gm_code gm_plan_describe(gm_cx *cx, gm_plan *plan)
{
    for (int i = 0; i < plan->n_nodes; i++) {
        gm_node *n = &plan->node[i];
        bool known = true, due = false;
        if (gm_is_sql(n->stage)) continue;
        for (int k = 0; k < n->n_in; k++) known &= plan->in[i][k] < 0 || plan->var[plan->in[i][k]].known;
        for (int k = 0; k < n->n_out; k++) due |= !plan->var[plan->out[i][k]].known;
        if (known && n->stage->kind != GM_TRANSFORMER && n->state == NULL) /* what its fit may want to know */
            for (int k = 0; k < n->n_in; k++)
                if (plan->in[i][k] >= 0) n->in_attr[k] = plan->var[plan->in[i][k]].attr;
        if (known && due && (n->stage->kind == GM_TRANSFORMER || n->state))
            GM_TRY(describe_node(cx, plan, i));
    }
    return GM_OK;
}

/* ---- flows ---- */

bool gm_plan_in_scan(const gm_plan *plan, int node)
{
    const gm_node *n = &plan->node[node];
    if (n->stage->kind != GM_TRANSFORMER || gm_is_sql(n->stage)) return false;
    bool text = false;
    for (int k = 0; k < n->n_in; k++) {
        const gm_var *v = &plan->var[plan->in[node][k]];
        if (v->node >= 0 && !gm_plan_in_scan(plan, v->node)) return false;
        text |= v->type == GM_T_TEXT || v->type == GM_T_WORDS;
    }
    return text;
}

gm_code gm_flow_to(gm_cx *cx, gm_arena *a, const gm_plan *plan, const int *targets, int n, const bool *have,
                   gm_flow *out)
{
    bool *need;
    int *node, steps = 0;
    GM_NEW_IN(cx, a, need, plan->n_vars + 1);
    GM_NEW_IN(cx, a, node, plan->n_nodes + 1);
    for (int i = 0; i < n; i++) need[targets[i]] = true;
    for (int i = plan->n_nodes - 1; i >= 0; i--) {
        bool wanted = false;
        if (gm_is_sql(plan->node[i].stage)) continue;
        for (int k = 0; k < plan->node[i].n_out; k++)
            wanted |= need[plan->out[i][k]] && !have[plan->out[i][k]];
        if (!wanted) continue;
        node[steps++] = i;
        for (int k = 0; k < plan->node[i].n_in; k++)
            if (plan->in[i][k] >= 0 && !gm_port_fit_only(&plan->node[i].in[k])) need[plan->in[i][k]] = true;
    }
    for (int i = 0; i < steps / 2; i++) {
        int t = node[i];
        node[i] = node[steps - 1 - i];
        node[steps - 1 - i] = t;
    }
    *out = (gm_flow){.n_steps = steps, .node = node, .needed = need};
    return GM_OK;
}

/* Takes the dropped rows out of every column at hand. */
static gm_code compact(gm_run *r, const uint8_t *drop)
{
    int32_t *sel, *row;
    int64_t n = 0;
    GM_NEW_IN(r->cx, r->a, sel, r->rows + 1);
    GM_NEW_IN(r->cx, r->a, row, r->rows + 1);
    for (int64_t i = 0; i < r->rows; i++)
        if (!drop[i]) sel[n++] = (int32_t)i;
    for (int64_t i = 0; i < n; i++) row[i] = r->row ? r->row[sel[i]] : sel[i];
    for (int v = 0; v < r->plan->n_vars; v++) {
        if (r->slot[v].type == 0) continue;
        gm_column c;
        GM_TRY(gm_column_take(r->cx, r->a, &r->slot[v], sel, n, &c));
        r->slot[v] = c;
    }
    r->row = row;
    r->rows = n;
    return GM_OK;
}

static gm_code run_step(gm_run *r, int i)
{
    const gm_node *n = &r->plan->node[i];
    gm_column *in, *out;
    gm_tally *own;
    gm_apply ap = {.cx = r->cx, .a = r->a, .node = n, .rows = r->rows};
    GM_NEW_IN(r->cx, r->a, in, n->n_in + 1);
    GM_NEW_IN(r->cx, r->a, out, n->n_out + 1);
    GM_NEW_IN(r->cx, r->a, own, n->n_in + 1);
    GM_NEW_IN(r->cx, r->a, ap.drop, r->rows + 1);
    for (int k = 0; k < n->n_in; k++)
        if (r->plan->in[i][k] >= 0) in[k] = r->slot[r->plan->in[i][k]];
    for (int k = 0; k < n->n_out; k++) out[k] = (gm_column){.type = n->out[k].type, .width = 1};
    ap.in = in;
    ap.out = out;
    ap.tally = r->tally ? r->tally + r->plan->tally_at[i] : own;
    GM_TRY(gm_is_learner(n->stage) ? gm_learner_apply(&ap) : n->stage->apply(&ap));
    for (int k = 0; k < n->n_out; k++) r->slot[r->plan->out[i][k]] = out[k];
    return ap.dropped ? compact(r, ap.drop) : GM_OK;
}

gm_code gm_flow_run(gm_run *r, const gm_flow *flow)
{
    for (int s = 0; s < flow->n_steps && r->rows > 0; s++) GM_TRY(run_step(r, flow->node[s]));
    return GM_OK;
}

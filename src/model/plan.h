/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - what must be computed from what. Every column that stages read or write becomes a variable; a
 * stage that must be fitted gets the round in which its inputs are ready. One round is one pass over the
 * stored rows, for all its statistics together.
 */
#ifndef GM_MODEL_PLAN_H
#define GM_MODEL_PLAN_H
#include "model/pipeline.h"
#include "source/scan.h"

typedef struct gm_var {
    const char *name;
    gm_type type;
    int node, port; /* who makes it; node -1: a column of the source */
    int round;      /* fit rounds that must be over before it can be computed */
    gm_attr attr;
    bool known; /* attr is */
} gm_var;

typedef struct gm_plan {
    gm_arena *arena;
    gm_pipeline *pipeline;
    int n_nodes; /* the pipeline's, in order; SQLTransformers have no ports here: they are in the source */
    gm_node *node;
    int n_vars;
    gm_var *var;
    int **in, **out; /* [node][port]: a variable; -1: not read when predicting */
    int *round;      /* [node]: when it is fitted; -1: it is not */
    int rounds;
    int *tally_at; /* [node]: where its input counts start in a tally array */
    int n_tallies;
    bool loaded; /* states came from a file: each is verified when its inputs are known */
} gm_plan;

/* schema: the columns of the source after its SQLTransformers. Nodes get their port types and attribute
 * arrays. */
gm_code gm_plan_make(gm_cx *cx, gm_arena *a, gm_pipeline *p, const gm_columns *schema, bool fitting,
                     gm_plan **out) GM_NODISCARD;
/* The variable a port of the node named `param` reads or writes; -1: none. */
int gm_plan_port(const gm_plan *plan, int node, const char *param);
/* Names of the elements of a vector; made up where a stage gives none. */
gm_code gm_var_names(gm_cx *cx, gm_arena *a, const gm_var *v, gm_names *out) GM_NODISCARD;
/* Attributes of everything that is computable with the stages fitted so far. */
gm_code gm_plan_describe(gm_cx *cx, gm_plan *plan) GM_NODISCARD;

/* The stages, in order, that lead from the variables at hand to the targets. */
typedef struct gm_flow {
    int n_steps;
    const int *node;
    const bool *needed; /* [var] */
} gm_flow;
gm_code gm_flow_to(gm_cx *cx, gm_arena *a, const gm_plan *plan, const int *targets, int n, const bool *have,
                   gm_flow *out) GM_NODISCARD;

/* One tile on its way. slot[var] is filled by the caller for the variables at hand. */
typedef struct gm_run {
    gm_cx *cx;
    gm_arena *a;
    const gm_plan *plan;
    int64_t rows;
    gm_column *slot;
    int32_t *row;    /* NULL: no row was dropped; else the row each one was at first */
    gm_tally *tally; /* plan->n_tallies counts, added to; may be NULL */
} gm_run;
gm_code gm_flow_run(gm_run *r, const gm_flow *flow) GM_NODISCARD;

/* The plan for people or programs. */
gm_code gm_plan_explain(gm_cx *cx, gm_buf *b, const gm_plan *plan, const char *form,
                        const char *source) GM_NODISCARD;
/* The rule which stages run during the scan: stateless ones over text, whose results are smaller than the
 * text. */
bool gm_plan_in_scan(const gm_plan *plan, int node);
#endif

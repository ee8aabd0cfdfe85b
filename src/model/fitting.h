/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fitting.h - the working state of one fit, shared by its steps: scan.c reads the source into the store,
 * rounds.c gathers statistics, learner.c fills the dataset and fits, judge.c measures, facts.c writes down
 * what happened.
 */
#ifndef GM_MODEL_FITTING_H
#define GM_MODEL_FITTING_H
#include "block/dataset.h"
#include "model/model.h"

enum { GM_TRAIN, GM_TEST, GM_SIDES };

typedef struct gm_fitting {
    gm_model *model;
    gm_plan *plan;
    gm_level level;
    const gm_doc *decided; /* of low code; or NULL */
    const gm_model *start; /* what the learner begins from; or NULL */
    gm_arena *arena;       /* ends with the fit */
    gm_arena store_arena;  /* ends when reading starts again */
    gm_store *store;
    double cumulative[GM_SIDES];
    int n_sides;
    /* what is read */
    int n_want;
    gm_want *want;
    int *want_var; /* -1: only the key */
    int key;       /* index in want, or -1 */
    gm_flow scan_flow;
    /* what is kept */
    int n_stored;
    int *stored; /* variables */
    bool *have;  /* [var]: stored */
    gm_type *type;
    /* what was found */
    gm_scan_stats scan;
    gm_tally *tally;   /* plan->n_tallies */
    bool *counted;     /* [node] */
    int64_t n_dropped; /* rows that handleInvalid = skip left out of the training rows */
    int64_t no_label;  /* training rows without a label */
    int64_t passes;
    double seconds[4]; /* read, features, learn, judge */
    int64_t store_bytes, spilled;
    gm_dataset data; /* the last learner's */
    int learner;     /* its node, or -1 */
    gm_buf metrics;  /* JSON: {"train": {...}, "test": {...}} */
} gm_fitting;

gm_code gm_fit_scan(gm_cx *cx, gm_fitting *f, const gm_table *t) GM_NODISCARD;
gm_code gm_fit_statistics(gm_cx *cx, gm_fitting *f, int round) GM_NODISCARD;
/* last: nothing needs the stored training rows after this learner. */
gm_code gm_fit_learner(gm_cx *cx, gm_fitting *f, int node, bool last) GM_NODISCARD;
/* start.c: whether the last learner can begin from the model at all; then, once features and classes are
 * known, what it begins from. Features are matched by name. */
gm_code gm_start_check(gm_cx *cx, const gm_pipeline *p, const gm_model *start) GM_NODISCARD;
gm_code gm_start_of(gm_cx *cx, gm_fitting *f, const gm_node *node, const gm_names *features,
                    const gm_start **out) GM_NODISCARD;
gm_code gm_fit_judge(gm_cx *cx, gm_fitting *f) GM_NODISCARD;
gm_code gm_fit_facts(gm_cx *cx, gm_fitting *f, const gm_table *t) GM_NODISCARD;

/* A walk over the stored tiles of one side: fn is called for each tile with its columns in r->slot after the
 * flow has run, and then r->a ends. Parts in parallel, tiles of a part in order. */
typedef gm_code (*gm_tile_fn)(gm_cx *cx, void *arg, int64_t part, int64_t tile, gm_run *r);
typedef struct gm_walk {
    gm_fitting *f;
    int side;
    const gm_flow *flow;
    gm_tile_fn fn;
    void *arg;
    bool forget; /* the tiles are not needed again */
    bool count;  /* add tallies of nodes not counted before */
} gm_walk;
gm_code gm_fit_walk(gm_cx *cx, const gm_walk *w) GM_NODISCARD;
double gm_now(void); /* seconds, monotonic */
#endif

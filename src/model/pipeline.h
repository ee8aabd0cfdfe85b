/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pipeline.h - a parsed pipeline: its stages, configured, and what else its document says. A model is the
 * same with fitted stages (model.h): a model file holds the pipeline's JSON and is read back through this
 * parser.
 */
#ifndef GM_MODEL_PIPELINE_H
#define GM_MODEL_PIPELINE_H
#include "stage/stage.h"

typedef enum gm_missing_label { GM_LABEL_ERROR, GM_LABEL_SKIP } gm_missing_label;

/* The document's options beside the stages, as a parameter table: checked, printed and described like any
 * other. */
typedef struct gm_split {
    double test; /* share of rows held out; 0: none */
    int64_t seed;
    const char *key; /* rows are told apart by this column; NULL: by their content */
} gm_split;
extern const gm_param gm_split_params[];

struct gm_pipeline {
    int64_t refs;
    gm_session *session;
    gm_arena arena;
    const gm_doc *root; /* after the overrides */
    const char *name, *model, *report, *init;
    const gm_doc *source, *evaluate; /* NULL: absent */
    gm_split split;
    uint64_t split_set;
    gm_missing_label missing_label;
    int n;
    gm_node *node;
    int n_chosen;
    struct gm_chosen *chosen; /* evaluate, read (chosen.h) */
};

gm_code gm_pipeline_new(gm_cx *cx, const char *text, size_t n, const char *origin,
                        const char *const *overrides, int n_overrides, gm_pipeline **out) GM_NODISCARD;
/* The whole document as JSON or YAML; parameters: those that differ from their defaults, or all when full. */
void gm_pipeline_json(gm_buf *b, const char *key, const gm_pipeline *p, bool full);
gm_code gm_pipeline_yaml(gm_cx *cx, gm_buf *b, const gm_pipeline *p, bool full) GM_NODISCARD;
gm_pipeline *gm_pipeline_ref(gm_pipeline *p);
/* "classifier", "regressor" or NULL: the kind of its last learner, and the node. */
const gm_node *gm_pipeline_learner(const gm_pipeline *p);
bool gm_is_learner(const gm_stage *s);
bool gm_is_sql(const gm_stage *s); /* SQLTransformer: pushed into the source */
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.h - a fitted pipeline: the pipeline with its states, the columns it was fitted on, and the facts of
 * the fit. Immutable once made, so any number of threads may predict with it; shared by reference count.
 */
#ifndef GM_MODEL_MODEL_H
#define GM_MODEL_MODEL_H
#include "model/labels.h"
#include "model/plan.h"

/* A column of the source that the pipeline reads. */
typedef struct gm_input {
    const char *name, *type; /* SQL type in training */
    gm_class cls;
    bool as_text;  /* read as text: a whole number must not come back with a fraction */
    bool fit_only; /* label, weight: not needed to predict */
    bool made;     /* by a SQLTransformer: not a column of the user's table */
    int base;      /* of a vector from LIBSVM files: where its indices began, 0 or 1; -1: of others */
} gm_input;

struct gm_model {
    int64_t refs;
    gm_session *session;
    gm_arena arena;
    gm_pipeline *pipeline; /* its own, nodes fitted */
    gm_plan *plan;         /* to predict: from the inputs to every output */
    int n_inputs;
    gm_input *input;
    gm_columns schema; /* the inputs as columns, for planning */
    const char *facts; /* JSON object: task, rows, metrics, fit, ...: what gm_model_info adds */
};

gm_code gm_model_new(gm_cx *cx, const char *pipeline_json, size_t n, gm_model **out) GM_NODISCARD;
gm_model *gm_model_ref(const gm_model *m);
/* Once all states are there: labels are set, loaded states verified, the predicting plan made. */
gm_code gm_model_ready(gm_cx *cx, gm_model *m, bool loaded) GM_NODISCARD;
/* Whether what n learns to predict is a BOOLEAN column of the source. */
bool gm_model_label_is_truth(const gm_model *m, const gm_node *n);
const char *gm_task_name(const gm_model *m); /* "binary", "multiclass", "regression", "features" */
/* The pipeline's SQLTransformers applied to t; *out is t itself (a new reference) when there are none. */
gm_code gm_model_source(gm_cx *cx, const gm_pipeline *p, const gm_table *t, gm_table **out) GM_NODISCARD;

/* t as m reads it: its vectors from LIBSVM files as wide as in training, and what gm_model_source gives. */
gm_code gm_model_take(gm_cx *cx, const gm_model *m, const gm_table *t, gm_table **out) GM_NODISCARD;

/* Every input is there and of the type of training (with_label: what only fit reads too). */
gm_code gm_model_fits(gm_cx *cx, const gm_model *m, const gm_table *source, bool with_label) GM_NODISCARD;

/* Names of the elements of its learner's feature vector; none without a learner. */
gm_code gm_model_features(gm_cx *cx, gm_arena *a, const gm_model *m, gm_names *out) GM_NODISCARD;

typedef struct gm_fit_options {
    gm_level level;
    const gm_model *start; /* what the learner begins from; NULL: what the pipeline's init says */
    const gm_doc *decided; /* of low code, kept with the model: {"why", "columns"}; or NULL */
} gm_fit_options;
gm_code gm_fit_pipeline(gm_cx *cx, const gm_pipeline *p, const gm_table *t, const gm_fit_options *o,
                        gm_model **out) GM_NODISCARD;
#endif

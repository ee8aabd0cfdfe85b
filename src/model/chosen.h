/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chosen.h - the evaluators that a pipeline names: which metrics count for its user. They judge the
 * pipeline's learner, so columns that they do not name are the learner's, and others are an error.
 */
#ifndef GM_MODEL_CHOSEN_H
#define GM_MODEL_CHOSEN_H
#include "model/evaluators.h"

typedef struct gm_chosen {
    const gm_evaluator *evaluator;
    const gm_doc *at;
    gm_evaluation v;
    uint64_t set; /* bit i: row i of the evaluator's parameters was given */
} gm_chosen;

/* Reads and checks the list: names, parameters, and that they fit the learner (NULL: there is none). */
gm_code gm_chosen_read(gm_cx *cx, gm_arena *a, const gm_doc *list, const gm_node *learner, gm_chosen **out,
                       int *n) GM_NODISCARD;
/* Once the classes are known: a binary evaluator wants two, metricLabel one of them. */
gm_code gm_chosen_classes(gm_cx *cx, const gm_chosen *c, int n, const gm_labels *labels) GM_NODISCARD;
double gm_chosen_eps(const gm_chosen *c, int n); /* of logLoss */
const gm_metric *gm_chosen_metric(const gm_chosen *c);
/* "areaUnderPR", "recallByLabel of yes", "weightedFMeasure, beta 2": the metric with what was set for it. */
void gm_chosen_name(gm_buf *b, const gm_chosen *c, const gm_texts *labels);
#endif

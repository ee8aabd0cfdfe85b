/* SPDX-License-Identifier: Apache-2.0 */
/* evaluators.h - the parameters of an evaluator, as evaluators.c declares them and evaluate.c uses them. */
#ifndef GM_MODEL_EVALUATORS_H
#define GM_MODEL_EVALUATORS_H
#include "model/evaluate.h"

typedef struct gm_evaluation {
    const char *rawPredictionCol, *predictionCol, *probabilityCol, *labelCol, *weightCol;
    int metricName;
    int64_t numBins;
    double metricLabel, beta, eps;
    bool throughOrigin;
} gm_evaluation;

gm_code gm_evaluator_need(gm_cx *cx, const char *name, const gm_evaluator **out) GM_NODISCARD;
const gm_metric *gm_evaluation_metric(const gm_evaluator *e, const gm_evaluation *v); /* that it chooses */
/* A metric with the evaluation's options; which of the three sums is read depends on its kind. */
gm_value gm_evaluation_value(const gm_metric *m, const gm_evaluation *v, const gm_ranking *ranking,
                             const gm_confusion *confusion, const gm_residuals *residuals);
#endif

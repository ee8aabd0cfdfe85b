/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluators.c - the evaluators and their parameters, named as in Spark.
 */
#include "model/evaluators.h"
#include <float.h>
#include <string.h>

static const char *const binary_metrics[] = {"areaUnderROC", "areaUnderPR", NULL};
static const char *const multiclass_metrics[] = {"f1",
                                                 "accuracy",
                                                 "weightedPrecision",
                                                 "weightedRecall",
                                                 "weightedTruePositiveRate",
                                                 "weightedFalsePositiveRate",
                                                 "weightedFMeasure",
                                                 "truePositiveRateByLabel",
                                                 "falsePositiveRateByLabel",
                                                 "precisionByLabel",
                                                 "recallByLabel",
                                                 "fMeasureByLabel",
                                                 "logLoss",
                                                 "hammingLoss",
                                                 NULL};
static const char *const regression_metrics[] = {"rmse", "mse", "r2", "mae", "var", NULL};

/* The columns that all three read. */
#define LABEL \
    { \
        GM_STRING(gm_evaluation, labelCol, "label"), .role = GM_READS, .column = GM_T_REAL | GM_T_TEXT, \
                                                     .help = "column with the true label" \
    }
#define WEIGHT \
    { \
        GM_STRING(gm_evaluation, weightCol, NULL), \
            .role = GM_READS, .column = GM_T_REAL, \
            .help = "column with row weights; default: every row counts 1" \
    }
#define PREDICTION \
    { \
        GM_STRING(gm_evaluation, predictionCol, "prediction"), \
            .role = GM_READS, .column = GM_T_REAL | GM_T_TEXT, .help = "column with the prediction" \
    }

static const gm_param binary_params[] = {
    {GM_STRING(gm_evaluation, rawPredictionCol, "rawPrediction"), .role = GM_READS,
     .column = GM_T_REAL | GM_T_VECTOR,
     .help = "column with scores: numbers, or lists whose second entry counts"},
    LABEL,
    WEIGHT,
    {GM_ENUM(gm_evaluation, metricName, 0, binary_metrics), .help = "what evaluate returns"},
    {GM_INT(gm_evaluation, numBins, 1000), .min = 0, .max = 1e9,
     .help = "accepted for Spark's sake; curves are exact here"},
    {0},
};
static const gm_param multiclass_params[] = {
    PREDICTION,
    LABEL,
    WEIGHT,
    {GM_STRING(gm_evaluation, probabilityCol, "probability"), .role = GM_READS, .column = GM_T_VECTOR,
     .help = "column with class probabilities, for logLoss"},
    {GM_ENUM(gm_evaluation, metricName, 0, multiclass_metrics), .help = "what evaluate returns"},
    {GM_REAL(gm_evaluation, metricLabel, 0), .min = 0, .max = 1e9,
     .help = "class index of the ...ByLabel metrics"},
    {GM_REAL(gm_evaluation, beta, 1), .max = DBL_MAX, .open_min = true, .help = "weight of recall in F-beta"},
    {GM_REAL(gm_evaluation, eps, 1e-15), .max = 0.5, .open_min = true,
     .help = "least probability that logLoss counts"},
    {0},
};
static const gm_param regression_params[] = {
    PREDICTION,
    LABEL,
    WEIGHT,
    {GM_ENUM(gm_evaluation, metricName, 0, regression_metrics), .help = "what evaluate returns"},
    {GM_BOOL(gm_evaluation, throughOrigin, 0), .help = "r2 against 0 instead of the mean label"},
    {0},
};

static const gm_evaluator binary = {
    .name = "BinaryClassificationEvaluator",
    .summary = "How well scores rank two classes: areas under curves, exact with ties.",
    .kind = GM_METRIC_BINARY,
    .params = binary_params,
    .param_size = sizeof(gm_evaluation)};
static const gm_evaluator multiclass = {.name = "MulticlassClassificationEvaluator",
                                        .summary =
                                            "How often classes are predicted right, over all and per class.",
                                        .kind = GM_METRIC_MULTICLASS,
                                        .params = multiclass_params,
                                        .param_size = sizeof(gm_evaluation)};
static const gm_evaluator regression = {.name = "RegressionEvaluator",
                                        .summary = "How far predicted quantities are from the true ones.",
                                        .kind = GM_METRIC_REGRESSION,
                                        .params = regression_params,
                                        .param_size = sizeof(gm_evaluation)};
const gm_evaluator *const gm_evaluators[] = {&binary, &multiclass, &regression, NULL};

const gm_metric *gm_evaluation_metric(const gm_evaluator *e, const gm_evaluation *v)
{
    const char *name = e->kind == GM_METRIC_BINARY       ? binary_metrics[v->metricName]
                       : e->kind == GM_METRIC_MULTICLASS ? multiclass_metrics[v->metricName]
                                                         : regression_metrics[v->metricName];
    const gm_metric *m = gm_metrics;
    while (m->name && (m->kind != e->kind || strcmp(m->name, name) != 0)) m++;
    return m;
}

gm_value gm_evaluation_value(const gm_metric *m, const gm_evaluation *v, const gm_ranking *ranking,
                             const gm_confusion *confusion, const gm_residuals *residuals)
{
    gm_class_options o = {.label = (int64_t)v->metricLabel, .beta = v->beta};
    if (m->binary) return m->binary(ranking);
    return m->multiclass ? m->multiclass(confusion, &o) : m->regression(residuals, v->throughOrigin);
}

void gm_evaluator_metrics(gm_buf *b, const char *key, const gm_evaluator *e)
{
    gm_json_open(b, key, '[');
    for (const gm_metric *m = gm_metrics; m->name; m++) {
        if (m->kind != e->kind) continue;
        gm_json_open(b, NULL, '{');
        gm_json_str(b, "name", m->name);
        gm_json_str(b, "help", m->help);
        gm_json_bool(b, "larger_is_better", m->larger_is_better);
        gm_json_close(b, '}');
    }
    gm_json_close(b, ']');
}

gm_code gm_evaluator_need(gm_cx *cx, const char *name, const gm_evaluator **out)
{
    const char *names[8];
    int n = 0;
    for (const gm_evaluator *const *e = gm_evaluators; *e; e++) {
        if (strcmp((*e)->name, name) == 0) return *out = *e, GM_OK;
        names[n++] = (*e)->name;
    }
    const char *near = gm_nearest(name, names, n);
    gm_code c = gm_fail(cx, GM_ESTAGE, "no evaluator is named '%s'", name);
    return near ? gm_hint_add(cx, c, "did you mean '%s'?", near) : c;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.c - every metric by its Spark name. Evaluators, help and reports come from this table.
 */
#include "score/multiclass.h"
#include "score/regression.h"

static gm_value area_roc(const gm_ranking *r) { return r->roc; }
static gm_value area_pr(const gm_ranking *r) { return r->pr; }

#define BINARY(n, f, h) \
    { \
        .name = n, .kind = GM_METRIC_BINARY, .larger_is_better = true, .binary = f, .help = h \
    }
#define CLASSES(n, f, up, h) \
    { \
        .name = n, .kind = GM_METRIC_MULTICLASS, .larger_is_better = up, .multiclass = f, .help = h \
    }
#define BY_LABEL(n, f, up, h) \
    { \
        .name = n, .kind = GM_METRIC_MULTICLASS, .larger_is_better = up, .multiclass = f, .by_label = true, \
        .help = h \
    }
#define QUANTITY(n, f, up, h) \
    { \
        .name = n, .kind = GM_METRIC_REGRESSION, .larger_is_better = up, .regression = f, .help = h \
    }

const gm_metric gm_metrics[] = {
    BINARY("areaUnderROC", area_roc,
           "chance that a positive row is ranked before a negative one; ties count half"),
    BINARY("areaUnderPR", area_pr, "area under precision over recall"),
    CLASSES("f1", gm_f1, true, "F1 of each class, weighted by its rows"),
    CLASSES("accuracy", gm_accuracy, true, "share of rows predicted right"),
    CLASSES("weightedPrecision", gm_weighted_precision, true,
            "precision of each class, weighted by its rows"),
    CLASSES("weightedRecall", gm_weighted_recall, true, "recall of each class, weighted by its rows"),
    CLASSES("weightedTruePositiveRate", gm_weighted_recall, true, "the same as weightedRecall"),
    CLASSES("weightedFalsePositiveRate", gm_weighted_fpr, false,
            "false positive rate of each class, weighted by its rows"),
    CLASSES("weightedFMeasure", gm_weighted_f, true, "F-beta of each class, weighted by its rows"),
    CLASSES("logLoss", gm_log_loss, false, "mean of -log(probability given to the true class)"),
    CLASSES("hammingLoss", gm_hamming_loss, false, "share of rows predicted wrong"),
    BY_LABEL("truePositiveRateByLabel", gm_label_recall, true, "recall of the class metricLabel"),
    BY_LABEL("falsePositiveRateByLabel", gm_label_fpr, false, "false positive rate of the class metricLabel"),
    BY_LABEL("precisionByLabel", gm_label_precision, true, "precision of the class metricLabel"),
    BY_LABEL("recallByLabel", gm_label_recall, true, "recall of the class metricLabel"),
    BY_LABEL("fMeasureByLabel", gm_label_f, true, "F-beta of the class metricLabel"),
    QUANTITY("rmse", gm_rmse, false, "root of the mean squared error"),
    QUANTITY("mse", gm_mse, false, "mean squared error"),
    QUANTITY("r2", gm_r2, true,
             "share of the label's variance that is explained; with weights as of repeated rows"),
    QUANTITY("mae", gm_mae, false, "mean absolute error"),
    QUANTITY("var", gm_explained_variance, true,
             "Spark's explained variance: mean of (prediction - mean label)^2"),
    {.name = NULL},
};

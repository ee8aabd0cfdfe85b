/* SPDX-License-Identifier: Apache-2.0 */
/*
 * common_params.h - the rows that learners share, each written once. Names, defaults and meanings are
 * Spark's.
 */
#ifndef GM_LEARN_COMMON_PARAMS_H
#define GM_LEARN_COMMON_PARAMS_H
#include "stage/stage.h"
#include <float.h>

/* clang-format off */
#define GM_LEARNER_FIELDS const char *featuresCol, *labelCol, *weightCol, *predictionCol
#define GM_LEARNER_ROWS(S) \
    {GM_STRING(S, featuresCol, "features"), .role = GM_READS, .column = GM_T_VECTOR, \
     .help = "the vector of features"}, \
    {GM_STRING(S, labelCol, "label"), .role = GM_READS, .column = GM_T_REAL | GM_T_TEXT, \
     .help = "what to predict"}, \
    {GM_STRING(S, weightCol, NULL), .role = GM_READS, .column = GM_T_REAL, \
     .help = "how often each row counts, not negative; none: once"}, \
    {GM_STRING(S, predictionCol, "prediction"), .role = GM_WRITES, .column = GM_T_REAL, \
     .help = "the prediction; \"\" leaves it out"}

#define GM_RAW_FIELDS const char *rawPredictionCol
#define GM_RAW_ROWS(S) \
    {GM_STRING(S, rawPredictionCol, "rawPrediction"), .role = GM_WRITES, .column = GM_T_VECTOR, \
     .help = "the margin of each class; \"\" leaves it out"}
#define GM_PROBABILITY_FIELDS const char *probabilityCol
#define GM_PROBABILITY_ROWS(S) \
    {GM_STRING(S, probabilityCol, "probability"), .role = GM_WRITES, .column = GM_T_VECTOR, \
     .help = "the probability of each class; \"\" leaves it out"}

#define GM_SOLVER_FIELDS int64_t maxIter, aggregationDepth; double tol, regParam, maxBlockSizeInMB; \
    bool fitIntercept, standardization, warmStart
#define GM_SOLVER_ROWS(S) \
    {GM_INT(S, maxIter, 100), .min = 0, .max = 1e9, .help = "most iterations"}, \
    {GM_REAL(S, regParam, 0.0), .min = 0, .max = DBL_MAX, .tune = {GM_LOG, 1e-6, 10}, \
     .help = "strength of the penalty on the coefficients"}, \
    {GM_REAL(S, tol, 1e-6), .min = 0, .max = DBL_MAX, \
     .help = "stop when the objective or its gradient changes by less, relative to the objective"}, \
    {GM_BOOL(S, fitIntercept, true), .help = "fit an intercept, which is never penalised"}, \
    {GM_BOOL(S, standardization, true), \
     .help = "penalise the coefficients of features scaled to unit deviation; those reported are always " \
             "for the features as they are"}, \
    {GM_BOOL(S, warmStart, false), \
     .help = "in Python, fitting the same object again starts where its last fit ended; a model to start " \
             "from may also be given: init"}, \
    {GM_INT(S, aggregationDepth, 2), .min = 2, .max = 1e9, \
     .help = "accepted for Spark; it has no effect here"}, \
    {GM_REAL(S, maxBlockSizeInMB, 0.0), .min = 0, .max = DBL_MAX, \
     .help = "accepted for Spark; it has no effect here"}

#define GM_ELASTIC_FIELDS double elasticNetParam
#define GM_ELASTIC_ROWS(S) \
    {GM_REAL(S, elasticNetParam, 0.0), .min = 0, .max = 1, .tune = {GM_LINEAR, 0, 1}, \
     .help = "share of the L1 penalty: 0 is ridge (L2), 1 is lasso (L1)"}
/* clang-format on */
#endif

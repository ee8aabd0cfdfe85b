/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scores.h - predictions on their way to metrics: what each kind of metric keeps of a row, gathered per part,
 * joined in part order, written as JSON.
 */
#ifndef GM_MODEL_SCORES_H
#define GM_MODEL_SCORES_H
#include "base/buf.h"
#include "block/hold.h"
#include "model/pipeline.h"
#include "score/score.h"

enum { GM_RESIDUAL_SAMPLE = 500 };

typedef struct gm_scores {
    gm_arena *arena;
    gm_hold *hold; /* where the scores lie: on disk when they need more than their share */
    gm_hold_cursor cur;
    gm_metric_kind kind; /* GM_METRIC_BINARY: the multiclass ones too */
    gm_confusion confusion;
    gm_residuals residuals;
    bool weighted, has_p;
    int64_t rows;
    gm_calibration calibration;
    struct gm_side { /* kept for ranking: scores, and weights when there are any, of each class */
        int64_t n, cap;
        double *score, *w;
        const gm_class_scores *joined; /* those of other parts */
    } side[2];
    int64_t n_sample;
    double sample[GM_RESIDUAL_SAMPLE][2]; /* predicted, actual */
    int64_t no_label, other_label;
} gm_scores;

/* eps: of logLoss; 0: the default. */
gm_code gm_scores_begin(gm_cx *cx, gm_arena *a, gm_hold *hold, gm_metric_kind kind, int64_t classes,
                        double eps, gm_scores *s) GM_NODISCARD;
/* y: class indices or values, all valid. raw, p: n x classes row-major or NULL. predicted: class indices or
 * values. */
gm_code gm_scores_add(gm_cx *cx, gm_scores *s, int64_t n, const double *y, const double *predicted,
                      const double *raw, const double *p, const double *w) GM_NODISCARD;
/* What is kept for ranking stays where it lies: the hold of from must outlive into. */
gm_code gm_scores_join(gm_cx *cx, gm_scores *into, const gm_scores *from) GM_NODISCARD;
/* {metric: number or null, ..., "undefined": {metric: why}, "rows": n, "confusion": ..., "curves": ...}.
 * labels: text of each class. "chosen": what the pipeline's evaluators ask for, in their order. */
gm_code gm_scores_write(gm_cx *cx, gm_buf *b, const char *key, const gm_scores *s, const gm_texts *labels,
                        const gm_pipeline *p) GM_NODISCARD;
#endif

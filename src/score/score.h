/* SPDX-License-Identifier: Apache-2.0 */
/*
 * score.h - how good predictions are: Spark's metrics, exact, with weights. An undefined metric is NaN with a
 * reason, never a number: it must not slip into an average.
 *
 * Labels of binary metrics are 0 or 1; of multiclass ones class indices; w NULL means every row counts 1.
 */
#ifndef GM_SCORE_SCORE_H
#define GM_SCORE_SCORE_H
#include "base/cx.h"

typedef struct gm_value {
    double v;        /* NaN when undefined */
    const char *why; /* why it is undefined; NULL when it is not */
} gm_value;

/* ---- ranking: how well scores order the classes ---- */
typedef struct gm_points {
    int64_t n;
    double *x, *y;
} gm_points;
typedef struct gm_ranking {
    gm_value roc, pr;        /* areas under the curves; ties are one step */
    gm_points roc_curve;     /* (false positive rate, true positive rate), thinned for a plot */
    gm_points pr_curve;      /* (recall, precision) */
    double positive, weight; /* weight of the positive rows, and of all */
} gm_ranking;
/* The scores of the rows of one class, in pieces; w NULL: every row counts 1. */
typedef struct gm_class_scores {
    int64_t n;
    const double *score, *w;
    const struct gm_class_scores *next; /* NULL: no more */
} gm_class_scores;
enum { GM_CURVE_POINTS = 200 };
/* of[0]: the negative rows, of[1]: the positive ones. Curves come from a; NULL: none are kept. work: room for
 * gm_rank_work(of) bytes, 8-byte aligned. */
gm_code gm_rank(gm_cx *cx, gm_arena *a, const gm_class_scores of[2], void *work,
                gm_ranking *out) GM_NODISCARD;
int64_t gm_rank_work(const gm_class_scores of[2]);

/* Per tenth of the probability range: sums of predicted probability, of positives, of weight. Mergeable. */
typedef struct gm_calibration {
    double predicted[10], observed[10], weight[10];
} gm_calibration;
/* p: the probability of row i is p[i * stride]. */
void gm_calibration_add(gm_calibration *c, int64_t n, const double *p, int64_t stride, const double *y,
                        const double *w);
void gm_calibration_merge(gm_calibration *into, const gm_calibration *from);

/* ---- classes: a confusion matrix and what follows from it; mergeable by adding ---- */
typedef struct gm_confusion {
    int64_t k;
    double *count;            /* k x k: [true * k + predicted] */
    double loss, loss_weight; /* sum of -w log p(true class) */
    double eps;               /* least p that counts; Spark's 1e-15 unless set */
} gm_confusion;
gm_code gm_confusion_new(gm_cx *cx, gm_arena *a, int64_t k, gm_confusion *out) GM_NODISCARD;
/* p: n x k probabilities, row-major, or NULL. Indices outside 0 .. k-1 must not come here. */
void gm_confusion_add(gm_confusion *c, int64_t n, const double *y, const double *predicted, const double *p,
                      const double *w);

typedef struct gm_class_options {
    int64_t label; /* class index for the ...ByLabel metrics */
    double beta;
} gm_class_options;

/* ---- quantities: mergeable sums ---- */
typedef struct gm_residuals {
    double w, y, yy, ee, ae, p,
        pp; /* weighted sums: 1, y - shift, its square, error^2, |error|, prediction - shift, its square */
    double shift, raw_yy;
    bool begun;
} gm_residuals;
void gm_residuals_add(gm_residuals *r, int64_t n, const double *y, const double *predicted, const double *w);
void gm_residuals_merge(gm_residuals *into, const gm_residuals *from);
void gm_confusion_merge(gm_confusion *into, const gm_confusion *from); /* of the same k */

/* ---- metrics by name ---- */
typedef enum gm_metric_kind { GM_METRIC_BINARY, GM_METRIC_MULTICLASS, GM_METRIC_REGRESSION } gm_metric_kind;
typedef struct gm_metric {
    const char *name, *help;
    gm_metric_kind kind;
    bool larger_is_better;
    gm_value (*multiclass)(const gm_confusion *c, const gm_class_options *o);
    gm_value (*regression)(const gm_residuals *r, bool through_origin);
    gm_value (*binary)(const gm_ranking *r);
    bool by_label; /* needs an option: left out where all metrics are listed */
} gm_metric;
extern const gm_metric gm_metrics[]; /* ends with a row without a name */
#endif

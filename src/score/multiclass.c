/* SPDX-License-Identifier: Apache-2.0 */
/*
 * multiclass.c - metrics of a confusion matrix, as Spark's MulticlassMetrics defines them, but undefined
 * where Spark says 0: the precision of a class that was never predicted, the recall of one that has no rows.
 */
#include "score/multiclass.h"
#include <math.h>

gm_code gm_confusion_new(gm_cx *cx, gm_arena *a, int64_t k, gm_confusion *out)
{
    *out = (gm_confusion){.k = k, .eps = 1e-15}; /* a certain wrong answer costs much, not everything */
    if (k > 0 && k > INT64_MAX / k) return gm_fail(cx, GM_ELIMIT, "too many classes for a confusion matrix");
    GM_NEW_IN(cx, a, out->count, k * k + 1);
    return GM_OK;
}

void gm_confusion_add(gm_confusion *c, int64_t n, const double *y, const double *predicted, const double *p,
                      const double *w)
{
    for (int64_t i = 0; i < n; i++) {
        double wi = w ? w[i] : 1;
        int64_t t = (int64_t)y[i];
        c->count[t * c->k + (int64_t)predicted[i]] += wi;
        if (p == NULL) continue;
        double pt = p[i * c->k + t];
        c->loss -= wi * log(pt > c->eps ? pt : c->eps);
        c->loss_weight += wi;
    }
}

void gm_confusion_merge(gm_confusion *into, const gm_confusion *from)
{
    for (int64_t i = 0; i < into->k * into->k; i++) into->count[i] += from->count[i];
    into->loss += from->loss;
    into->loss_weight += from->loss_weight;
}

/* ---- sums of the matrix ---- */

static double row_sum(const gm_confusion *c, int64_t t)
{
    double s = 0;
    for (int64_t j = 0; j < c->k; j++) s += c->count[t * c->k + j];
    return s;
}

static double column_sum(const gm_confusion *c, int64_t j)
{
    double s = 0;
    for (int64_t t = 0; t < c->k; t++) s += c->count[t * c->k + j];
    return s;
}

static double total(const gm_confusion *c)
{
    double s = 0;
    for (int64_t t = 0; t < c->k; t++) s += row_sum(c, t);
    return s;
}

static gm_value over(double a, double b, const char *why)
{
    return b > 0 ? (gm_value){a / b, NULL} : (gm_value){NAN, why};
}

static const char no_rows[] = "there are no rows";
static const char no_class[] = "a class has no rows";
static const char never[] = "a class was never predicted";
static const char one_class[] = "all rows are of one class";

/* ---- per class ---- */

static gm_value precision(const gm_confusion *c, int64_t t)
{
    return over(c->count[t * c->k + t], column_sum(c, t), never);
}
static gm_value recall(const gm_confusion *c, int64_t t)
{
    return over(c->count[t * c->k + t], row_sum(c, t), no_class);
}

static gm_value false_rate(const gm_confusion *c, int64_t t)
{
    return over(column_sum(c, t) - c->count[t * c->k + t], total(c) - row_sum(c, t), one_class);
}

/* (1 + b^2) TP / ((1 + b^2) TP + b^2 FN + FP): defined as soon as the class is there or was predicted. */
static gm_value f_measure(const gm_confusion *c, int64_t t, double beta)
{
    double tp = c->count[t * c->k + t], bb = beta * beta;
    return over((1 + bb) * tp, bb * row_sum(c, t) + column_sum(c, t),
                "a class has no rows and was never predicted");
}

/* ---- over all ---- */

typedef gm_value (*per_class)(const gm_confusion *c, int64_t t, double beta);
static gm_value precision_of(const gm_confusion *c, int64_t t, double beta)
{
    return (void)beta, precision(c, t);
}
static gm_value recall_of(const gm_confusion *c, int64_t t, double beta) { return (void)beta, recall(c, t); }
static gm_value false_rate_of(const gm_confusion *c, int64_t t, double beta)
{
    return (void)beta, false_rate(c, t);
}

/* Mean over the classes that have rows, weighted by them. */
static gm_value weighted(const gm_confusion *c, per_class f, double beta)
{
    double s = 0, n = total(c);
    for (int64_t t = 0; t < c->k; t++) {
        double rows = row_sum(c, t);
        if (rows == 0) continue;
        gm_value v = f(c, t, beta);
        if (v.why) return v;
        s += rows * v.v;
    }
    return over(s, n, no_rows);
}

gm_value gm_accuracy(const gm_confusion *c, const gm_class_options *o)
{
    double s = 0;
    (void)o;
    for (int64_t t = 0; t < c->k; t++) s += c->count[t * c->k + t];
    return over(s, total(c), no_rows);
}

gm_value gm_hamming_loss(const gm_confusion *c, const gm_class_options *o)
{
    gm_value a = gm_accuracy(c, o);
    a.v = 1 - a.v;
    return a;
}

gm_value gm_log_loss(const gm_confusion *c, const gm_class_options *o)
{
    (void)o;
    return over(c->loss, c->loss_weight, "there are no probabilities");
}

gm_value gm_f1(const gm_confusion *c, const gm_class_options *o)
{
    return (void)o, weighted(c, f_measure, 1);
}
gm_value gm_weighted_f(const gm_confusion *c, const gm_class_options *o)
{
    return weighted(c, f_measure, o->beta);
}
gm_value gm_weighted_precision(const gm_confusion *c, const gm_class_options *o)
{
    return (void)o, weighted(c, precision_of, 1);
}
gm_value gm_weighted_recall(const gm_confusion *c, const gm_class_options *o)
{
    return (void)o, weighted(c, recall_of, 1);
}
gm_value gm_weighted_fpr(const gm_confusion *c, const gm_class_options *o)
{
    return (void)o, weighted(c, false_rate_of, 1);
}

static bool known(const gm_confusion *c, const gm_class_options *o)
{
    return o->label >= 0 && o->label < c->k;
}
static const gm_value not_there = {NAN, "metricLabel is none of the classes"};

gm_value gm_label_precision(const gm_confusion *c, const gm_class_options *o)
{
    return known(c, o) ? precision(c, o->label) : not_there;
}
gm_value gm_label_recall(const gm_confusion *c, const gm_class_options *o)
{
    return known(c, o) ? recall(c, o->label) : not_there;
}
gm_value gm_label_fpr(const gm_confusion *c, const gm_class_options *o)
{
    return known(c, o) ? false_rate(c, o->label) : not_there;
}
gm_value gm_label_f(const gm_confusion *c, const gm_class_options *o)
{
    return known(c, o) ? f_measure(c, o->label, o->beta) : not_there;
}

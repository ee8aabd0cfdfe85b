/* SPDX-License-Identifier: Apache-2.0 */
/* multiclass.h - the metrics of a confusion matrix, for the table in metrics.c. */
#ifndef GM_SCORE_MULTICLASS_H
#define GM_SCORE_MULTICLASS_H
#include "score/score.h"

gm_value gm_accuracy(const gm_confusion *c, const gm_class_options *o);
gm_value gm_hamming_loss(const gm_confusion *c, const gm_class_options *o);
gm_value gm_log_loss(const gm_confusion *c, const gm_class_options *o);
gm_value gm_f1(const gm_confusion *c, const gm_class_options *o);
gm_value gm_weighted_f(const gm_confusion *c, const gm_class_options *o);
gm_value gm_weighted_precision(const gm_confusion *c, const gm_class_options *o);
gm_value gm_weighted_recall(const gm_confusion *c, const gm_class_options *o);
gm_value gm_weighted_fpr(const gm_confusion *c, const gm_class_options *o);
gm_value gm_label_precision(const gm_confusion *c, const gm_class_options *o);
gm_value gm_label_recall(const gm_confusion *c, const gm_class_options *o);
gm_value gm_label_fpr(const gm_confusion *c, const gm_class_options *o);
gm_value gm_label_f(const gm_confusion *c, const gm_class_options *o);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.h - a fitted learner's predictions against the labels: the one way rows become scores, for the
 * training blocks, the held-out rows and other tables alike.
 */
#ifndef GM_MODEL_JUDGE_H
#define GM_MODEL_JUDGE_H
#include "model/model.h"
#include "model/scores.h"

gm_metric_kind gm_judge_kind(const gm_node *learner);
/* Predicts b's rows and adds those with a valid class (y: index, NaN or -1 are counted apart) or value.
 * Scratch from a. */
gm_code gm_judge_block(gm_cx *cx, gm_arena *a, const gm_node *learner, const gm_block *b, const double *y,
                       const double *w, gm_scores *s) GM_NODISCARD;
/* Class indices or values of a label column, as the learner sees them; in a. */
gm_code gm_judge_labels(gm_cx *cx, gm_arena *a, const gm_node *learner, const gm_column *c, int64_t rows,
                        double **y) GM_NODISCARD;
#endif

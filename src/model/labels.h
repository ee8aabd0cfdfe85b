/* SPDX-License-Identifier: Apache-2.0 */
/*
 * labels.h - the classes of a classifier. Users label with numbers or texts; learners see 0 .. n-1. The
 * classes are the distinct labels of the training rows in rising order (numbers by value, texts by bytes),
 * and predictions come back in the user's own labels.
 */
#ifndef GM_MODEL_LABELS_H
#define GM_MODEL_LABELS_H
#include "block/store.h"
#include "model/plan.h"

typedef struct gm_labels {
    int64_t n;
    bool is_text;
    bool is_truth;       /* yes and no: values 0 and 1, texts false and true */
    gm_texts text;       /* each class as text, also for numbers */
    const double *value; /* numbers: each class; NULL for texts */
    gm_text *views;      /* texts: views of text, for predictions */
    gm_dict *dict;       /* texts: class index by text */
} gm_labels;

enum { GM_MOST_CLASSES = 10000 };

/* From values or texts in rising order; everything is copied to a. */
gm_code gm_labels_of_values(gm_cx *cx, gm_arena *a, const double *v, int64_t n, gm_labels **out) GM_NODISCARD;
gm_code gm_labels_of_texts(gm_cx *cx, gm_arena *a, const gm_texts *t, gm_labels **out) GM_NODISCARD;
/* Numbers that were read from a BOOLEAN column; no other value than 0 and 1 makes it one. */
gm_code gm_labels_of_truth(gm_cx *cx, gm_arena *a, const double *v, int64_t n, gm_labels **out) GM_NODISCARD;
/* Class indices of a label column: NaN when missing, -1 when it is none of the classes. */
gm_code gm_labels_index(gm_cx *cx, const gm_labels *l, const gm_column *c, int64_t rows,
                        double *y) GM_NODISCARD;

/* A learner as a step of a flow: predict on the features column, outputs in the user's labels. */
gm_code gm_learner_apply(gm_apply *ap) GM_NODISCARD;
#endif

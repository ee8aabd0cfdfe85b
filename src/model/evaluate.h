/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate.h - evaluators: Spark's three, as rows of a table, over columns of any table; and all metrics of a
 * model on a table that has the label.
 */
#ifndef GM_MODEL_EVALUATE_H
#define GM_MODEL_EVALUATE_H
#include "model/model.h"
#include "score/score.h"

typedef struct gm_evaluator {
    const char *name, *summary;
    gm_metric_kind kind;
    const gm_param *params;
    size_t param_size;
} gm_evaluator;
extern const gm_evaluator *const gm_evaluators[]; /* NULL-terminated */
void gm_evaluator_metrics(gm_buf *b, const char *key,
                          const gm_evaluator *e); /* [{"name", "help", "larger_is_better"}] */

/* What gm_evaluate and gm_model_evaluate of gristmill.h answer. */
gm_code gm_evaluate_table(gm_cx *cx, gm_buf *b, const gm_table *t, const gm_doc *evaluator) GM_NODISCARD;
gm_code gm_evaluate_model(gm_cx *cx, gm_buf *b, const gm_model *m, const gm_table *t,
                          const gm_doc *options) GM_NODISCARD;
#endif

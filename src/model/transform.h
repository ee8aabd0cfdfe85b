/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transform.h - a model over a table, lazily. Options as gm_model_transform in gristmill.h says.
 */
#ifndef GM_MODEL_TRANSFORM_H
#define GM_MODEL_TRANSFORM_H
#include "model/model.h"

gm_code gm_model_apply(gm_cx *cx, const gm_model *m, const gm_table *t, const gm_doc *options,
                       gm_table **out) GM_NODISCARD;
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * info.h - everything about a model as one JSON document: inspect, the report and Python read it.
 */
#ifndef GM_MODEL_INFO_H
#define GM_MODEL_INFO_H
#include "model/model.h"

gm_code gm_model_info_json(gm_cx *cx, gm_buf *b, const gm_model *m) GM_NODISCARD;
/* The same as the report reads it (report.h). */
gm_code gm_model_report_json(gm_cx *cx, gm_buf *b, const gm_model *m) GM_NODISCARD;
#endif

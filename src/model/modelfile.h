/* SPDX-License-Identifier: Apache-2.0 */
/*
 * modelfile.h - a model as one file: a safetensors container whose tensors are the state rows of its stages
 * and whose metadata holds the pipeline, the inputs and the facts as JSON texts. docs/model-format.md
 * describes it.
 */
#ifndef GM_MODEL_MODELFILE_H
#define GM_MODEL_MODELFILE_H
#include "model/model.h"

gm_code gm_model_save_file(gm_cx *cx, const gm_model *m, const char *path) GM_NODISCARD;
gm_code gm_model_save_buf(gm_cx *cx, const gm_model *m, gm_buf *b) GM_NODISCARD;
/* bytes may go once this returns: what the model needs is copied. */
gm_code gm_model_open(gm_cx *cx, const void *bytes, size_t n, const char *origin,
                      gm_model **out) GM_NODISCARD;
gm_code gm_model_open_file(gm_cx *cx, const char *path, gm_model **out) GM_NODISCARD;
#endif

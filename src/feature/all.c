/* SPDX-License-Identifier: Apache-2.0 */
/*
 * all.c - the feature stages there are. A new one is a file with a descriptor, and a line here.
 */
#include "stage/stage.h"

extern const gm_stage gm_stage_imputer, gm_stage_string_indexer, gm_stage_index_to_string,
    gm_stage_one_hot_encoder, gm_stage_vector_assembler, gm_stage_standard_scaler;

const gm_stage *const gm_features[] = {
    &gm_stage_imputer,
    &gm_stage_string_indexer,
    &gm_stage_index_to_string,
    &gm_stage_one_hot_encoder,
    &gm_stage_vector_assembler,
    &gm_stage_standard_scaler,
    NULL,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * all.c - the feature stages there are. A new one is a file with a descriptor, and two lines here.
 */
#include "stage/stage.h"

/* clang-format off */
extern const gm_stage
    gm_stage_imputer,
    gm_stage_string_indexer,
    gm_stage_index_to_string,
    gm_stage_one_hot_encoder,
    gm_stage_vector_assembler,
    gm_stage_vector_slicer,
    gm_stage_standard_scaler,
    gm_stage_min_max_scaler,
    gm_stage_max_abs_scaler,
    gm_stage_robust_scaler,
    gm_stage_normalizer,
    gm_stage_binarizer,
    gm_stage_bucketizer,
    gm_stage_quantile_discretizer,
    gm_stage_feature_hasher,
    gm_stage_target_encoder,
    gm_stage_sql_transformer,
    gm_stage_tokenizer,
    gm_stage_regex_tokenizer,
    gm_stage_stop_words_remover,
    gm_stage_ngram,
    gm_stage_hashing_tf,
    gm_stage_count_vectorizer,
    gm_stage_idf;

const gm_stage *const gm_features[] = {
    &gm_stage_imputer,
    &gm_stage_string_indexer,
    &gm_stage_index_to_string,
    &gm_stage_one_hot_encoder,
    &gm_stage_vector_assembler,
    &gm_stage_vector_slicer,
    &gm_stage_standard_scaler,
    &gm_stage_min_max_scaler,
    &gm_stage_max_abs_scaler,
    &gm_stage_robust_scaler,
    &gm_stage_normalizer,
    &gm_stage_binarizer,
    &gm_stage_bucketizer,
    &gm_stage_quantile_discretizer,
    &gm_stage_feature_hasher,
    &gm_stage_target_encoder,
    &gm_stage_sql_transformer,
    &gm_stage_tokenizer,
    &gm_stage_regex_tokenizer,
    &gm_stage_stop_words_remover,
    &gm_stage_ngram,
    &gm_stage_hashing_tf,
    &gm_stage_count_vectorizer,
    &gm_stage_idf,
    NULL,
};
/* clang-format on */

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vectors.h - columns of the source that are vectors already: lists of numbers or Spark's struct, as an
 * earlier transform left them, or as files and Arrow bring them. Their width is looked up before planning, in
 * the first row that is not null, and stands in the SQL type: DOUBLE[12]. Every tile is held against it.
 */
#ifndef GM_MODEL_VECTORS_H
#define GM_MODEL_VECTORS_H
#include "model/plan.h"

/* *out is schema with the width in the type of each vector that p reads; schema itself when there is none. */
gm_code gm_vectors_measure(gm_cx *cx, gm_arena *a, const gm_pipeline *p, const gm_table *source,
                           const gm_columns *schema, const gm_columns **out) GM_NODISCARD;
/* 12 of "DOUBLE[12]"; 0 of "DOUBLE[]". */
int64_t gm_vector_width(const char *sql_type);
/* The columns that were read become the slots of their variables (var[k] < 0: of none). */
gm_code gm_run_inputs(gm_run *r, const int *var, int n, const gm_batch *batch) GM_NODISCARD;
#endif

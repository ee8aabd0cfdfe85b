/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.h - loops over the state rows of a stage: what saving, loading, inspecting and copying are made of.
 */
#ifndef GM_STAGE_STATE_H
#define GM_STAGE_STATE_H
#include "stage/stage.h"

/* One array of a fitted state: a view. */
typedef struct gm_array {
    const gm_state *row;
    int64_t n;    /* elements; texts for GM_S_TEXT */
    int64_t cols; /* a matrix of n / cols rows; 0: a vector */
    const double *real;
    const int64_t *ints;
    gm_texts texts;
} gm_array;

int gm_state_count(const gm_stage *stage);
gm_array gm_state_at(const gm_stage *stage, const void *state, int i);
/* Sets row i to the arrays that v points to (they must live as long as the state). Rows that share a length
 * or a row length must agree with the rows before them: set them in order on a zeroed state. GM_EMODEL when
 * they do not. */
gm_code gm_state_set(gm_cx *cx, const gm_stage *stage, void *state, int i, const gm_array *v) GM_NODISCARD;
/* All rows copied into a; to is zeroed state_size bytes. gm_node_ready is due afterwards. */
gm_code gm_state_copy(gm_cx *cx, gm_arena *a, const gm_stage *stage, const void *from, void *to) GM_NODISCARD;
/* Makes a node fit for apply: verify when its state came from outside, then ready. Needs the ports and
 * in_attr. Gives a transformer its empty state first. */
gm_code gm_node_ready(gm_cx *cx, gm_arena *kept, gm_node *node, bool loaded) GM_NODISCARD;
#endif

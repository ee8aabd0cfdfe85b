/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuse.h - small one-hot columns of a dataset made into one: its code stands for a combination of levels, so
 * a row costs one look-up and one addition instead of several. The columns of the blocks that result are not
 * those of the dataset: coefficients are spread over them before a pass, and a gradient is gathered after it.
 */
#ifndef GM_LEARN_LINEAR_FUSE_H
#define GM_LEARN_LINEAR_FUSE_H
#include "block/dataset.h"

typedef struct gm_fused {
    gm_dataset data; /* the same rows, in fused blocks */
    int64_t cols;    /* of fused blocks */
    int n;           /* runs of columns, in the order of the blocks; 0: nothing is fused */
    const struct gm_fused_run *run;
} gm_fused;

/* d: must outlive out. What is made comes from a. Blocks that are not all laid out alike stay as they are. */
gm_code gm_fuse(gm_cx *cx, gm_arena *a, const gm_dataset *d, gm_fused *out) GM_NODISCARD;
/* w [d->cols] to wide [out->cols]: the sum of what a combination stands for. */
void gm_fused_spread(const gm_fused *f, const double *w, double *wide);
/* The transpose: g [d->cols] is what wide [out->cols] adds up to. */
void gm_fused_gather(const gm_fused *f, const double *wide, double *g);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buckets.h - numbers into buckets between rising splits: what Bucketizer and QuantileDiscretizer apply.
 *
 * Bucket i holds splits[i] <= x < splits[i+1], the last one also its upper end. NaN follows handleInvalid;
 * keep gives it a bucket of its own, after the last.
 */
#ifndef GM_FEATURE_BUCKETS_H
#define GM_FEATURE_BUCKETS_H
#include "feature/columns.h"

typedef struct gm_splits {
    int64_t n;
    const double *v;
} gm_splits;

gm_code gm_bucket_apply(gm_apply *ap, int k, gm_splits s, int handle_invalid) GM_NODISCARD;
/* An index column whose levels are "[0.5, 2)". */
gm_code gm_bucket_describe(gm_cx *cx, gm_arena *a, const gm_node *node, int k, gm_splits s,
                           int handle_invalid, gm_attr *out) GM_NODISCARD;
/* At least 3, strictly rising, no NaN. Fails with code; what names them. */
gm_code gm_splits_check(gm_cx *cx, const gm_node *node, gm_code code, const char *what,
                        gm_splits s) GM_NODISCARD;
#endif

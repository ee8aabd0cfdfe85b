/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bucketizer.c - numbers into buckets between given splits.
 */
#include "feature/buckets.h"

typedef struct params {
    GM_MANY_FIELDS;
    gm_reals splits, splitsArray;
    int handleInvalid;
} params;

static const gm_param table[] = {
    GM_MANY_ROWS(params, GM_T_REAL, GM_T_REAL),
    {GM_REALS(params, splits),
     .help = "n + 1 strictly rising numbers for n buckets; -inf and inf are allowed"},
    {GM_REALS(params, splitsArray), .help = "a list of splits for each of inputCols"},
    {GM_ENUM(params, handleInvalid, GM_INVALID_ERROR, gm_invalid_words),
     .help = "a missing value: error; skip drops the row; keep gives a bucket of its own, the last"},
    {0},
};

static gm_splits splits_of(const gm_node *node, int k)
{
    const params *p = node->params;
    const gm_reals *r = &p->splitsArray;
    if (p->splits.n > 0) return (gm_splits){p->splits.n, p->splits.v};
    return (gm_splits){r->start[k + 1] - r->start[k], r->v + r->start[k]};
}

static gm_code check(gm_cx *cx, const gm_node *node)
{
    const params *p = node->params;
    if ((p->splits.n > 0) == (p->splitsArray.n > 0))
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EPARAM, "Bucketizer: %s",
                                   p->splits.n > 0 ? "both splits and splitsArray are given"
                                                   : "needs splits, or splitsArray"),
                           "give splits for inputCol, splitsArray (a list of lists) for inputCols");
    if (p->splitsArray.n > 0 && p->splitsArray.rows != node->n_out)
        return gm_fail(cx, GM_EPARAM,
                       "Bucketizer: splitsArray has %lld lists for %d columns; expected one for each",
                       (long long)p->splitsArray.rows, node->n_out);
    for (int k = 0; k < node->n_out; k++)
        GM_TRY(gm_splits_check(cx, node, GM_EPARAM, p->splits.n > 0 ? "splits" : "splitsArray",
                               splits_of(node, k)));
    return GM_OK;
}

static gm_code describe(gm_cx *cx, gm_arena *a, const gm_node *node, gm_attr *out)
{
    const params *p = node->params;
    for (int k = 0; k < node->n_out; k++)
        GM_TRY(gm_bucket_describe(cx, a, node, k, splits_of(node, k), p->handleInvalid, &out[k]));
    return GM_OK;
}

static gm_code apply(gm_apply *ap)
{
    const params *p = ap->node->params;
    for (int k = 0; k < ap->node->n_out; k++)
        GM_TRY(gm_bucket_apply(ap, k, splits_of(ap->node, k), p->handleInvalid));
    return GM_OK;
}

const gm_stage gm_stage_bucketizer = {
    .name = "Bucketizer",
    .summary = "Puts numbers into buckets between given splits.",
    .doc = "With splits s0 < s1 < ... < sn a value gets the index i of the bucket si <= x < si+1 that "
           "holds it; the last bucket also holds its upper end. A value outside of all buckets is an "
           "error: begin with -inf and end with inf to cover everything.\n\n"
           "A missing value (NULL, NaN) is an error, drops the row (skip), or gets index n (keep). The "
           "index column knows its buckets, so one-hot elements are named after them.\n\n"
           "splits given with inputCols holds for all of them.\n\n"
           "Differs from Spark: NULL is treated as NaN is; Spark lets it through.",
    .kind = GM_TRANSFORMER,
    .params = table,
    .param_size = sizeof(params),
    .check = check,
    .describe = describe,
    .apply = apply,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * binarizer.c - 1 above a threshold, else 0; for number and vector columns.
 */
#include "feature/parts.h"

typedef struct params {
    GM_MANY_FIELDS;
    double threshold;
    gm_reals thresholds;
} params;

enum { TYPES = GM_T_REAL | GM_T_VECTOR };
static const gm_param table[] = {
    GM_MANY_ROWS(params, TYPES, TYPES),
    {GM_REAL(params, threshold, 0), .help = "values above it become 1, the others 0"},
    {GM_REALS(params, thresholds), .help = "a threshold for each of inputCols; default: threshold for all"},
    {0},
};

static gm_code check(gm_cx *cx, const gm_node *node)
{
    const params *p = node->params;
    if (p->thresholds.n == 0 || p->thresholds.n == node->n_out) return GM_OK;
    return gm_fail(cx, GM_EPARAM,
                   "Binarizer: thresholds has %lld numbers for %d columns; expected one for each",
                   (long long)p->thresholds.n, node->n_out);
}

static gm_code describe(gm_cx *cx, gm_arena *a, const gm_node *node, gm_attr *out)
{
    (void)cx, (void)a;
    for (int k = 0; k < node->n_out; k++) {
        const gm_attr *in = &node->in_attr[k];
        out[k] = gm_attr_of(node->in[k].type, in->width);
        if (in->type == GM_T_VECTOR) out[k] = *in;
    }
    return GM_OK;
}

static inline double above(const void *arg, int64_t j, double x)
{
    (void)j;
    return x != x ? x : x > *(const double *)arg;
}

static gm_code apply(gm_apply *ap)
{
    const params *p = ap->node->params;
    for (int k = 0; k < ap->node->n_out; k++) {
        double threshold = p->thresholds.n > 0 ? p->thresholds.v[k] : p->threshold;
        if (ap->in[k].type == GM_T_VECTOR) {
            GM_TRY(gm_map_parts(ap, k, above, &threshold, threshold >= 0, NULL));
            continue;
        }
        double *out;
        GM_GOT(ap->cx, out = gm_out_real(ap, k));
        for (int64_t i = 0; i < ap->rows; i++) out[i] = above(&threshold, 0, ap->in[k].real[i]);
    }
    return GM_OK;
}

const gm_stage gm_stage_binarizer = {
    .name = "Binarizer",
    .summary = "Turns numbers into 1 above a threshold and 0 otherwise.",
    .doc = "x > threshold gives 1, anything else 0; for number columns and for every element of vector "
           "columns. Several columns share threshold or have one each in thresholds.\n\n"
           "A missing value stays missing. Sparse and one-hot parts keep their form unless the threshold "
           "is below 0, which makes every zero a 1.",
    .kind = GM_TRANSFORMER,
    .params = table,
    .param_size = sizeof(params),
    .check = check,
    .describe = describe,
    .apply = apply,
};

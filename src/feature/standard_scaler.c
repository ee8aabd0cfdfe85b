/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standard_scaler.c - (x - mean) / std of each element of a vector; std with n - 1, as Spark.
 */
#include "feature/affine.h"
#include "feature/columns.h"
#include <math.h>

typedef struct params {
    GM_ONE_FIELDS;
    bool withMean, withStd;
} params;
typedef struct state {
    double *mean, *std;
    int64_t n;
    gm_affine map; /* made by ready */
} state;

static const gm_param table[] = {
    GM_ONE_ROWS(params, GM_T_VECTOR, GM_T_VECTOR),
    {GM_BOOL(params, withMean, false), .help = "subtract the mean; makes one-hot and sparse elements dense"},
    {GM_BOOL(params, withStd, true), .help = "divide by the standard deviation"},
    {0},
};
static const gm_state arrays[] = {
    GM_S_REALS(state, mean, n, "the mean of each element"),
    GM_S_REALS(state, std, n, "the standard deviation of each element (n - 1); 0 for a constant one"),
    {0},
};

static gm_affine map_of(const params *p, const state *s)
{
    return (gm_affine){
        .n = s->n, .shift = p->withMean ? s->mean : NULL, .scale = p->withStd ? s->std : NULL, .gain = 1};
}

/* One-hot levels that never occur are no news; a number column that never changes is. */
static gm_code warn_constant(gm_cx *cx, const gm_node *node, const gm_spread *m, const state *s)
{
    int64_t constant = 0, first = 0;
    for (int64_t j = s->n - 1; j >= 0; j--)
        if (s->std[j] == 0 && !m->implicit[j]) {
            constant++;
            first = j;
        }
    if (constant == 0) return GM_OK;
    gm_arena tmp = {0};
    const char *name = gm_element_name(cx, &tmp, &node->in_attr[0], gm_in_name(node, 0), first);
    const char *fields = gm_format(cx, &tmp, "\"constant\":%lld", (long long)constant);
    if (name && fields)
        gm_emit(cx, GM_WARNING, "data.constant", fields,
                "StandardScaler: '%s' is constant%s: it becomes 0; %lld of %lld elements of column '%s' are",
                name, constant > 1 ? " and others too" : "", (long long)constant, (long long)s->n,
                gm_in_name(node, 0));
    gm_arena_end(&tmp);
    return name && fields ? GM_OK : gm_why_null(cx);
}

static gm_code finish(gm_cx *cx, gm_arena *kept, const gm_node *node, void *acc, void *state_)
{
    const params *p = node->params;
    state *s = state_;
    gm_spread *m = acc;
    GM_TRY(gm_spread_close(cx, kept, node, m));
    s->n = m->width;
    GM_NEW_IN(cx, kept, s->mean, s->n);
    GM_NEW_IN(cx, kept, s->std, s->n);
    for (int64_t j = 0; j < s->n; j++) {
        s->mean[j] = m->of[j].mean;
        s->std[j] = gm_moments_constant(&m->of[j]) ? 0 : sqrt(gm_moments_variance(&m->of[j]));
    }
    if (p->withStd) GM_TRY(warn_constant(cx, node, m, s));
    gm_affine map = map_of(p, s);
    return gm_affine_check(
        cx, node, &map, m,
        "leave withMean false, or assemble and centre the number columns apart from these");
}

static gm_code ready(gm_cx *cx, gm_arena *kept, const gm_node *node)
{
    state *s = node->state;
    s->map = map_of(node->params, s);
    return gm_affine_ready(cx, kept, &s->map);
}

static gm_code apply(gm_apply *ap) { return gm_affine_apply(ap, &((const state *)ap->node->state)->map); }

static gm_code verify(gm_cx *cx, const gm_node *node)
{
    return gm_verify_width(cx, node, "mean", ((const state *)node->state)->n);
}

const gm_stage gm_stage_standard_scaler = {
    .name = "StandardScaler",
    .summary = "Centres and scales each element of a vector to standard deviation 1.",
    .doc = "Each element becomes (x - mean) / std, the mean only under withMean (default false), the "
           "deviation only under withStd (default true). std is the sample's, with n - 1.\n\n"
           "A constant element becomes 0, with or without the mean, and a warning names it (Spark's "
           "rule: factor 0). Constant means that largest and smallest value differ by at most 16 units "
           "in the last place: rounding noise is constant, while [1e-12, 2e-12, 3e-12] is scaled to [-1, "
           "0, 1]. Means and deviations are formed around each tile's own mean and joined (Chan, Golub, "
           "LeVeque 1979), so a large offset costs no digits.\n\n"
           "Missing values (NaN) are left out of the statistics and stay missing. Infinity is an error.\n\n"
           "Without the mean one-hot and sparse elements keep their form. withMean makes them dense; "
           "more than 16,384 such elements, or 2^28 values over all rows, are refused.",
    .kind = GM_ESTIMATOR,
    .params = table,
    .param_size = sizeof(params),
    .states = arrays,
    .state_size = sizeof(state),
    .describe = gm_same_vector,
    .begin = gm_spread_begin,
    .update = gm_spread_update,
    .merge = gm_spread_join,
    .finish = finish,
    .ready = ready,
    .apply = apply,
    .verify = verify,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * min_max_scaler.c - each element to [min, max]: (x - lo) / (hi - lo) * (max - min) + min.
 */
#include "feature/affine.h"
#include "feature/columns.h"

typedef struct params {
    GM_ONE_FIELDS;
    double min, max;
} params;
typedef struct state {
    double *originalMin, *originalMax;
    int64_t n;
    gm_affine map; /* made by ready */
} state;

static const gm_param table[] = {
    GM_ONE_ROWS(params, GM_T_VECTOR, GM_T_VECTOR),
    {GM_REAL(params, min, 0), .help = "the lower end of the output; below max"},
    {GM_REAL(params, max, 1), .help = "the upper end of the output"},
    {0},
};
static const gm_state arrays[] = {
    GM_S_REALS(state, originalMin, n, "the smallest value of each element in fit"),
    GM_S_REALS(state, originalMax, n, "the largest value of each element in fit"),
    {0},
};

static gm_code check(gm_cx *cx, const gm_node *node)
{
    const params *p = node->params;
    if (p->min < p->max) return GM_OK;
    return gm_fail(cx, GM_EPARAM, "MinMaxScaler: min is %g and max %g; expected min below max", p->min,
                   p->max);
}

static gm_code make_map(gm_cx *cx, gm_arena *a, const params *p, const state *s, gm_affine *map)
{
    double *range;
    GM_NEW_IN(cx, a, range, s->n);
    for (int64_t j = 0; j < s->n; j++) range[j] = s->originalMax[j] - s->originalMin[j];
    *map = (gm_affine){.n = s->n,
                       .shift = s->originalMin,
                       .scale = range,
                       .gain = p->max - p->min,
                       .base = p->min,
                       .flat = 0.5 * (p->min + p->max)};
    return GM_OK;
}

static gm_code finish(gm_cx *cx, gm_arena *kept, const gm_node *node, void *acc, void *state_)
{
    state *s = state_;
    gm_spread *m = acc;
    GM_TRY(gm_spread_close(cx, kept, node, m));
    s->n = m->width;
    GM_NEW_IN(cx, kept, s->originalMin, s->n);
    GM_NEW_IN(cx, kept, s->originalMax, s->n);
    for (int64_t j = 0; j < s->n; j++) {
        s->originalMin[j] = m->of[j].lo;
        s->originalMax[j] = m->of[j].hi;
    }
    gm_affine map;
    GM_TRY(make_map(cx, kept, node->params, s, &map));
    return gm_affine_check(cx, node, &map, m,
                           "scale the number columns apart, or use MaxAbsScaler, which keeps zeros");
}

static gm_code ready(gm_cx *cx, gm_arena *kept, const gm_node *node)
{
    state *s = node->state;
    GM_TRY(make_map(cx, kept, node->params, s, &s->map));
    return gm_affine_ready(cx, kept, &s->map);
}

static gm_code apply(gm_apply *ap) { return gm_affine_apply(ap, &((const state *)ap->node->state)->map); }

static gm_code verify(gm_cx *cx, const gm_node *node)
{
    return gm_verify_width(cx, node, "originalMin", ((const state *)node->state)->n);
}

const gm_stage gm_stage_min_max_scaler = {
    .name = "MinMaxScaler",
    .summary = "Maps each element of a vector to a range, [0, 1] by default.",
    .doc = "Each element becomes (x - lo) / (hi - lo) * (max - min) + min, with lo and hi its smallest "
           "and largest value in fit. The ends are met exactly. An element that is constant in fit "
           "becomes (min + max) / 2, as in Spark. Values outside what fit saw land outside the range.\n\n"
           "Missing values (NaN) are left out of the statistics and stay missing. Infinity is an error.\n\n"
           "Zeros of one-hot and sparse parts usually stay zero (lo = 0, min = 0) and such parts keep "
           "their form. A part with an element whose zeros move, a constant one for example, becomes "
           "dense; over 16,384 such elements, or 2^28 values over all rows, are refused.",
    .kind = GM_ESTIMATOR,
    .params = table,
    .param_size = sizeof(params),
    .states = arrays,
    .state_size = sizeof(state),
    .check = check,
    .describe = gm_same_vector,
    .begin = gm_spread_begin,
    .update = gm_spread_update,
    .merge = gm_spread_join,
    .finish = finish,
    .ready = ready,
    .apply = apply,
    .verify = verify,
};

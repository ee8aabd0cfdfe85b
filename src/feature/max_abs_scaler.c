/* SPDX-License-Identifier: Apache-2.0 */
/*
 * max_abs_scaler.c - each element divided by its largest absolute value: to [-1, 1], zeros stay zero.
 */
#include "feature/affine.h"
#include "feature/columns.h"
#include <math.h>

typedef struct params {
    GM_ONE_FIELDS;
} params;
typedef struct state {
    double *maxAbs;
    int64_t n;
    gm_affine map; /* made by ready */
} state;

static const gm_param table[] = {
    GM_ONE_ROWS(params, GM_T_VECTOR, GM_T_VECTOR),
    {0},
};
static const gm_state arrays[] = {
    GM_S_REALS(state, maxAbs, n, "the largest absolute value of each element in fit"),
    {0},
};

static gm_code finish(gm_cx *cx, gm_arena *kept, const gm_node *node, void *acc, void *state_)
{
    state *s = state_;
    gm_spread *m = acc;
    GM_TRY(gm_spread_close(cx, kept, node, m));
    s->n = m->width;
    GM_NEW_IN(cx, kept, s->maxAbs, s->n);
    for (int64_t j = 0; j < s->n; j++) s->maxAbs[j] = fmax(fabs(m->of[j].lo), fabs(m->of[j].hi));
    return GM_OK;
}

static gm_code ready(gm_cx *cx, gm_arena *kept, const gm_node *node)
{
    state *s = node->state;
    double *scale;
    GM_NEW_IN(cx, kept, scale, s->n);
    for (int64_t j = 0; j < s->n; j++) scale[j] = s->maxAbs[j] == 0 ? 1 : s->maxAbs[j];
    s->map = (gm_affine){.n = s->n, .scale = scale, .gain = 1};
    return gm_affine_ready(cx, kept, &s->map);
}

static gm_code apply(gm_apply *ap) { return gm_affine_apply(ap, &((const state *)ap->node->state)->map); }

static gm_code verify(gm_cx *cx, const gm_node *node)
{
    return gm_verify_width(cx, node, "maxAbs", ((const state *)node->state)->n);
}

const gm_stage gm_stage_max_abs_scaler = {
    .name = "MaxAbsScaler",
    .summary = "Divides each element of a vector by its largest absolute value.",
    .doc = "Each element becomes x / max|x|, so it lies in [-1, 1] for the rows of fit. Nothing is "
           "shifted: zeros stay zero, one-hot and sparse parts keep their form. An element that is "
           "always zero in fit is left as it is.\n\n"
           "Missing values (NaN) are left out of the statistics and stay missing. Infinity is an error.",
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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * robust_scaler.c - (x - median) / (q_upper - q_lower) of each element, by exact quantiles: outliers do not
 * matter.
 */
#include "feature/affine.h"
#include "feature/parts.h"
#include "feature/quantile.h"

typedef struct params {
    GM_ONE_FIELDS;
    double lower, upper;
    bool withCentering, withScaling;
    double relativeError;
} params;
typedef struct state {
    double *median, *range;
    int64_t n;
    gm_affine map; /* made by ready */
} state;
typedef struct counter {
    gm_spread spread; /* how many values there are, so how many zeros are not stored */
    gm_values *values;
} counter;

static const gm_param table[] = {
    GM_ONE_ROWS(params, GM_T_VECTOR, GM_T_VECTOR),
    {GM_REAL(params, lower, 0.25), .max = 1, .open_min = true, .open_max = true,
     .help = "the lower quantile of the range"},
    {GM_REAL(params, upper, 0.75), .max = 1, .open_min = true, .open_max = true,
     .help = "the upper quantile of the range; above lower"},
    {GM_BOOL(params, withCentering, false),
     .help = "subtract the median; may make one-hot and sparse elements dense"},
    {GM_BOOL(params, withScaling, true), .help = "divide by the quantile range"},
    {GM_REAL(params, relativeError, 0.001), .max = 1,
     .help = "accepted for Spark's sake; quantiles are always exact"},
    {0},
};
static const gm_state arrays[] = {
    GM_S_REALS(state, median, n, "the median of each element"),
    GM_S_REALS(state, range, n, "the distance of the two quantiles of each element"),
    {0},
};

static gm_code check(gm_cx *cx, const gm_node *node)
{
    const params *p = node->params;
    if (p->lower < p->upper) return GM_OK;
    return gm_fail(cx, GM_EPARAM, "RobustScaler: lower is %g and upper %g; expected lower below upper",
                   p->lower, p->upper);
}

static gm_code begin(gm_cx *cx, gm_arena *a, const gm_node *node, void **acc)
{
    return gm_begin_each(cx, a, node, sizeof(counter), acc);
}

typedef struct place {
    gm_cx *cx;
    gm_arena *a;
    gm_values *values;
} place;

static gm_code add_entry(void *arg, int64_t j, int64_t row, double v)
{
    (void)row;
    const place *to = arg;
    return gm_values_add(to->cx, to->a, &to->values[j], &v, 1);
}

static gm_code update(gm_cx *cx, gm_arena *a, const gm_node *node, void *acc, int64_t rows,
                      const gm_column *in)
{
    (void)node;
    counter *c = acc;
    GM_TRY(gm_spread_add(cx, a, &c->spread, rows, &in[0]));
    if (c->values == NULL) GM_NEW_IN(cx, a, c->values, in[0].width);
    gm_values *v = c->values;
    for (int k = 0; k < in[0].n_parts; k++) {
        const gm_part *p = &in[0].part[k];
        for (int64_t j = 0; p->form == GM_DENSE && j < p->width; j++)
            GM_TRY(gm_values_add(cx, a, &v[j], p->x + j * p->stride, rows));
        GM_TRY(gm_each_entry(p, rows, add_entry, &(place){cx, a, v}));
        v += p->width;
    }
    return GM_OK;
}

static gm_code merge(gm_cx *cx, gm_arena *a, const gm_node *node, void *into_, void *from_)
{
    (void)a, (void)node;
    counter *into = into_, *from = from_;
    GM_TRY(gm_spread_merge(cx, &into->spread, &from->spread));
    if (into->values == NULL) {
        into->values = from->values;
        return GM_OK;
    }
    for (int64_t j = 0; from->values && j < into->spread.width; j++)
        gm_values_merge(&into->values[j], &from->values[j]);
    return GM_OK;
}

static gm_code quantiles(gm_cx *cx, gm_arena *tmp, const params *p, const counter *c, int64_t j, state *s)
{
    const gm_values *v = &c->values[j];
    int64_t zeros = c->spread.of[j].n - v->n;
    double *sorted;
    if (c->spread.of[j].n == 0) return GM_OK; /* nothing but missing values: left as it is */
    GM_TRY(gm_values_sorted(cx, tmp, v, &sorted));
    s->median[j] = gm_quantile(sorted, v->n, zeros, 0.5);
    s->range[j] = gm_quantile(sorted, v->n, zeros, p->upper) - gm_quantile(sorted, v->n, zeros, p->lower);
    return GM_OK;
}

static gm_affine map_of(const params *p, const state *s)
{
    return (gm_affine){.n = s->n,
                       .shift = p->withCentering ? s->median : NULL,
                       .scale = p->withScaling ? s->range : NULL,
                       .gain = 1};
}

static gm_code finish(gm_cx *cx, gm_arena *kept, const gm_node *node, void *acc, void *state_)
{
    const params *p = node->params;
    state *s = state_;
    counter *c = acc;
    GM_TRY(gm_spread_close(cx, kept, node, &c->spread));
    s->n = c->spread.width;
    GM_NEW_IN(cx, kept, s->median, s->n);
    GM_NEW_IN(cx, kept, s->range, s->n);
    for (int64_t j = 0; j < s->n; j++) {
        gm_arena tmp = {0};
        gm_code code = quantiles(cx, &tmp, p, c, j, s);
        gm_arena_end(&tmp);
        GM_TRY(code);
    }
    gm_affine map = map_of(p, s);
    return gm_affine_check(cx, node, &map, &c->spread,
                           "leave withCentering false, or scale the number columns apart");
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
    return gm_verify_width(cx, node, "median", ((const state *)node->state)->n);
}

const gm_stage gm_stage_robust_scaler = {
    .name = "RobustScaler",
    .summary = "Scales each element of a vector by its quantile range, optionally centred on the median.",
    .doc = "Each element becomes (x - median) / (q_upper - q_lower), the median only under withCentering "
           "(default false), the range only under withScaling. Outliers change neither.\n\n"
           "The quantile q of n values is the one of rank ceil(q n), a value that occurs, as in Spark; "
           "scikit-learn interpolates between two of them. An element whose range is 0 becomes 0, as in "
           "Spark.\n\n"
           "Missing values (NaN) are left out of the statistics and stay missing. Infinity is an error. "
           "Zeros of one-hot and sparse parts count as values; such parts keep their form unless the "
           "median is not zero.\n\n"
           "Differs from Spark: quantiles are exact whatever relativeError says; fit keeps 8 bytes per "
           "value that is not an implied zero.",
    .kind = GM_ESTIMATOR,
    .params = table,
    .param_size = sizeof(params),
    .states = arrays,
    .state_size = sizeof(state),
    .check = check,
    .describe = gm_same_vector,
    .begin = begin,
    .update = update,
    .merge = merge,
    .finish = finish,
    .ready = ready,
    .apply = apply,
    .verify = verify,
};

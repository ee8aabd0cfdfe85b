/* SPDX-License-Identifier: Apache-2.0 */
/*
 * imputer.c - fills missing numbers with the column's mean, median or most frequent value.
 */
#include "feature/columns.h"
#include "feature/moments.h"
#include "feature/quantile.h"
#include <math.h>

typedef enum strategy { MEAN, MEDIAN, MODE } strategy;
static const char *const strategies[] = {"mean", "median", "mode", NULL};

typedef struct params {
    GM_MANY_FIELDS;
    int strategy;
    double missingValue, relativeError;
} params;
typedef struct state {
    double *surrogates;
    int64_t n;
} state;
typedef struct counter {
    gm_moments moments;
    gm_values values; /* median, mode */
} counter;

static const gm_param table[] = {
    GM_MANY_ROWS(params, GM_T_REAL, GM_T_REAL),
    {GM_ENUM(params, strategy, MEAN, strategies), .help = "what a missing value becomes"},
    {GM_REAL(params, missingValue, NAN), .help = "a number that also means missing; NaN and NULL always do"},
    {GM_REAL(params, relativeError, 0.001), .max = 1,
     .help = "accepted for Spark's sake; the median is always exact"},
    {0},
};
static const gm_state arrays[] = {
    GM_S_REALS(state, surrogates, n, "the value that fills each input column"),
    {0},
};

static gm_code begin(gm_cx *cx, gm_arena *a, const gm_node *node, void **acc)
{
    return gm_begin_each(cx, a, node, sizeof(counter), acc);
}

static gm_code update(gm_cx *cx, gm_arena *a, const gm_node *node, void *acc, int64_t rows,
                      const gm_column *in)
{
    const params *p = node->params;
    for (int k = 0; k < node->n_out; k++) {
        counter *c = (counter *)acc + k;
        const double *x = in[k].real;
        double there[GM_TILE];
        for (int64_t i = 0; i < rows && p->missingValue == p->missingValue; i++)
            there[i] = x[i] == p->missingValue ? (double)NAN : x[i];
        if (p->missingValue == p->missingValue) x = there;
        gm_moments_add(&c->moments, x, rows);
        if (p->strategy != MEAN) GM_TRY(gm_values_add(cx, a, &c->values, x, rows));
    }
    return GM_OK;
}

static gm_code merge(gm_cx *cx, gm_arena *a, const gm_node *node, void *into, void *from)
{
    (void)cx, (void)a;
    for (int k = 0; k < node->n_out; k++) {
        gm_moments_merge(&((counter *)into)[k].moments, &((counter *)from)[k].moments);
        gm_values_merge(&((counter *)into)[k].values, &((counter *)from)[k].values);
    }
    return GM_OK;
}

static gm_code surrogate(gm_cx *cx, gm_arena *a, const gm_node *node, int k, const counter *c, double *out)
{
    const params *p = node->params;
    const gm_moments *m = &c->moments;
    if (m->n == 0)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EDATA,
                                   "Imputer: column '%s' has no value at all: there is no %s to fill in",
                                   gm_in_name(node, k), strategies[p->strategy]),
                           "leave the column out, or fill it with a constant in the SQL before");
    if (p->strategy == MEAN) {
        *out = m->mean;
        if (isinf(m->lo) || isinf(m->hi))
            return gm_hint_add(cx,
                               gm_fail(cx, GM_EDATA, "Imputer: column '%s' holds infinity: it has no mean",
                                       gm_in_name(node, k)),
                               "use strategy: median, or make infinite values missing");
        return GM_OK;
    }
    double *sorted;
    GM_TRY(gm_values_sorted(cx, a, &c->values, &sorted));
    *out = p->strategy == MEDIAN ? gm_quantile(sorted, m->n, 0, 0.5) : gm_mode(sorted, m->n);
    return GM_OK;
}

static gm_code finish(gm_cx *cx, gm_arena *kept, const gm_node *node, void *acc, void *state_)
{
    state *s = state_;
    s->n = node->n_out;
    GM_NEW_IN(cx, kept, s->surrogates, s->n);
    for (int k = 0; k < node->n_out; k++) {
        gm_arena tmp = {0};
        gm_code code = surrogate(cx, &tmp, node, k, (counter *)acc + k, &s->surrogates[k]);
        gm_arena_end(&tmp);
        GM_TRY(code);
    }
    return GM_OK;
}

static gm_code apply(gm_apply *ap)
{
    const params *p = ap->node->params;
    const state *s = ap->node->state;
    for (int k = 0; k < ap->node->n_out; k++) {
        const double *x = ap->in[k].real, fill = s->surrogates[k], missing = p->missingValue;
        double *out;
        GM_GOT(ap->cx, out = gm_out_real(ap, k));
        for (int64_t i = 0; i < ap->rows; i++) out[i] = ((x[i] != x[i]) | (x[i] == missing)) ? fill : x[i];
    }
    return GM_OK;
}

static gm_code verify(gm_cx *cx, const gm_node *node)
{
    const state *s = node->state;
    GM_TRY(gm_verify_count(cx, node, "surrogates", s->n, node->n_out));
    for (int64_t k = 0; k < s->n; k++)
        if (isnan(s->surrogates[k]))
            return gm_fail(cx, GM_EMODEL, "%s: a surrogate is not a number", node->uid);
    return GM_OK;
}

const gm_stage gm_stage_imputer = {
    .name = "Imputer",
    .summary = "Fills missing numbers with the column's mean, median or most frequent value.",
    .doc = "Each input column gets one surrogate, found over its values that are there; missing values "
           "(NULL, NaN, and missingValue when it is set) become the surrogate.\n\n"
           "mean is the arithmetic mean. median is the value of rank ceil(n/2) in sorted order, so "
           "always a value that occurs: the lower of the two in the middle. mode is the most frequent "
           "value, the smallest of them when several are.\n\n"
           "A column without any value is an error that names it: no surrogate exists, and a column must "
           "not vanish.\n\n"
           "Differs from Spark: the median is exact whatever relativeError says; NaN is missing also "
           "when missingValue is another number. median and mode keep 8 bytes per value while fitting.",
    .kind = GM_ESTIMATOR,
    .params = table,
    .param_size = sizeof(params),
    .states = arrays,
    .state_size = sizeof(state),
    .begin = begin,
    .update = update,
    .merge = merge,
    .finish = finish,
    .apply = apply,
    .verify = verify,
};

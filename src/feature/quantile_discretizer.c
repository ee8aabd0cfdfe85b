/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quantile_discretizer.c - numbers into buckets of about equal counts; the splits are exact quantiles.
 */
#include "feature/buckets.h"
#include "feature/quantile.h"
#include <math.h>

typedef struct params {
    GM_MANY_FIELDS;
    int64_t numBuckets;
    gm_ints numBucketsArray;
    double relativeError;
    int handleInvalid;
} params;
typedef struct state {
    double *splits; /* of all columns, one after another */
    int64_t n;
    int64_t *start; /* column k: splits start[k] .. start[k+1] */
    int64_t n_start;
} state;

static const gm_param table[] = {
    GM_MANY_ROWS(params, GM_T_REAL, GM_T_REAL),
    {GM_INT(params, numBuckets, 2), .min = 2, .max = 1e6, .tune = {GM_LINEAR, 2, 50},
     .help = "buckets wanted; fewer when values repeat"},
    {GM_INTS(params, numBucketsArray), .min = 2, .max = 1e6, .help = "buckets wanted for each of inputCols"},
    {GM_REAL(params, relativeError, 0.001), .max = 1,
     .help = "accepted for Spark's sake; quantiles are always exact"},
    {GM_ENUM(params, handleInvalid, GM_INVALID_ERROR, gm_invalid_words),
     .help = "a missing value: error; skip drops the row; keep gives a bucket of its own, the last"},
    {0},
};
static const gm_state arrays[] = {
    GM_S_REALS(state, splits, n, "the splits of the buckets, column after column"),
    GM_S_INTS(state, start, n_start, "where each column's splits start"),
    {0},
};

static int64_t wanted(const gm_node *node, int k)
{
    const params *p = node->params;
    return p->numBucketsArray.n > 0 ? p->numBucketsArray.v[k] : p->numBuckets;
}

static gm_splits splits_of(const gm_node *node, int k)
{
    const state *s = node->state;
    return (gm_splits){s->start[k + 1] - s->start[k], s->splits + s->start[k]};
}

static gm_code check(gm_cx *cx, const gm_node *node)
{
    const params *p = node->params;
    if (p->numBucketsArray.n == 0 || p->numBucketsArray.n == node->n_out) return GM_OK;
    return gm_fail(
        cx, GM_EPARAM,
        "QuantileDiscretizer: numBucketsArray has %lld numbers for %d columns; expected one for each",
        (long long)p->numBucketsArray.n, node->n_out);
}

static gm_code begin(gm_cx *cx, gm_arena *a, const gm_node *node, void **acc)
{
    return gm_begin_each(cx, a, node, sizeof(gm_values), acc);
}

static gm_code update(gm_cx *cx, gm_arena *a, const gm_node *node, void *acc, int64_t rows,
                      const gm_column *in)
{
    for (int k = 0; k < node->n_out; k++)
        GM_TRY(gm_values_add(cx, a, (gm_values *)acc + k, in[k].real, rows));
    return GM_OK;
}

static gm_code merge(gm_cx *cx, gm_arena *a, const gm_node *node, void *into, void *from)
{
    (void)cx, (void)a;
    for (int k = 0; k < node->n_out; k++) gm_values_merge((gm_values *)into + k, (gm_values *)from + k);
    return GM_OK;
}

/* Appends -inf, the inner quantiles without repeats, inf. */
static gm_code add_splits(gm_cx *cx, gm_arena *tmp, const gm_node *node, int k, const gm_values *v, state *s)
{
    int64_t buckets = wanted(node, k), first = s->n;
    if (v->n == 0)
        return gm_fail(cx, GM_EDATA,
                       "QuantileDiscretizer: column '%s' has no value at all: it has no quantiles",
                       gm_in_name(node, k));
    double *sorted;
    GM_TRY(gm_values_sorted(cx, tmp, v, &sorted));
    s->splits[s->n++] = -INFINITY;
    for (int64_t i = 1; i < buckets; i++) {
        /* ceil(i n / buckets) without rounding; n < 2^43 since buckets <= 2^20 */
        double q = gm_ranked(sorted, v->n, 0, (i * v->n + buckets - 1) / buckets);
        if (q > s->splits[s->n - 1] && q < INFINITY) s->splits[s->n++] = q;
    }
    s->splits[s->n++] = INFINITY;
    s->start[k + 1] = s->n;
    int64_t made = s->n - first - 1;
    if (made == buckets) return GM_OK;
    const char *fields =
        gm_format(cx, tmp, "\"wanted\":%lld,\"buckets\":%lld", (long long)buckets, (long long)made);
    GM_GOT(cx, fields);
    gm_emit(cx, GM_WARNING, "data.buckets", fields,
            "QuantileDiscretizer: column '%s' gives %lld buckets, not %lld: some quantiles are equal",
            gm_in_name(node, k), (long long)made, (long long)buckets);
    return GM_OK;
}

static gm_code finish(gm_cx *cx, gm_arena *kept, const gm_node *node, void *acc, void *state_)
{
    state *s = state_;
    int64_t most = 0;
    for (int k = 0; k < node->n_out; k++) most += wanted(node, k) + 1;
    s->n_start = node->n_out + 1;
    GM_NEW_IN(cx, kept, s->splits, most);
    GM_NEW_IN(cx, kept, s->start, s->n_start);
    for (int k = 0; k < node->n_out; k++) {
        gm_arena tmp = {0};
        gm_code code = add_splits(cx, &tmp, node, k, (gm_values *)acc + k, s);
        gm_arena_end(&tmp);
        GM_TRY(code);
    }
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

static gm_code verify(gm_cx *cx, const gm_node *node)
{
    const state *s = node->state;
    GM_TRY(gm_verify_start(cx, node, "start", s->start, s->n_start, node->n_out, s->n));
    for (int k = 0; k < node->n_out; k++) {
        gm_splits v = splits_of(node, k);
        if (v.n == 2 && v.v[0] < v.v[1]) continue; /* one value only: one bucket */
        GM_TRY(gm_splits_check(cx, node, GM_EMODEL, "splits", v));
    }
    return GM_OK;
}

const gm_stage gm_stage_quantile_discretizer = {
    .name = "QuantileDiscretizer",
    .summary = "Puts numbers into buckets of about equal counts.",
    .doc = "fit takes the quantiles 1/n, 2/n, ... of the values that are there as splits; the first "
           "bucket reaches to -inf and the last to inf, so every number has a bucket. Quantile i/n of m "
           "values is the one of rank ceil(i m / n). Equal quantiles count once: the column then has "
           "fewer buckets than asked for, and a warning says how many.\n\n"
           "A missing value (NULL, NaN) plays no part in fit. In transform it is an error, drops the row "
           "(skip), or gets a bucket of its own after the last (keep). A column without any value is an "
           "error.\n\n"
           "Differs from Spark: quantiles are exact whatever relativeError says; fit keeps 8 bytes per "
           "value. NULL is treated as NaN is; Spark lets it through.",
    .kind = GM_ESTIMATOR,
    .params = table,
    .param_size = sizeof(params),
    .states = arrays,
    .state_size = sizeof(state),
    .check = check,
    .describe = describe,
    .begin = begin,
    .update = update,
    .merge = merge,
    .finish = finish,
    .apply = apply,
    .verify = verify,
};

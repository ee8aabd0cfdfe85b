/* SPDX-License-Identifier: Apache-2.0 */
/*
 * one_hot_encoder.c - an index becomes a vector with a 1 in its place. The vector is kept as the index (a
 * coded part): four bytes a row whatever the number of categories.
 */
#include "feature/columns.h"

typedef struct params {
    GM_MANY_FIELDS;
    bool dropLast;
    int handleInvalid;
} params;
typedef struct state {
    int64_t *categorySizes;
    int64_t n;
} state;

static const gm_param table[] = {
    GM_MANY_ROWS(params, GM_T_REAL, GM_T_VECTOR),
    {GM_BOOL(params, dropLast, true), .help = "leave the last category out: it is all zeros"},
    {GM_ENUM(params, handleInvalid, GM_KEEP_ERROR, gm_keep_words),
     .help = "an index not seen in fit, or missing: error; keep makes it one more category, the last"},
    {0},
};
static const gm_state arrays[] = {
    GM_S_INTS(state, categorySizes, n, "the number of categories of each input column"),
    {0},
};

/* Categories that the input itself names; 0: count them in the data. */
static int64_t known_size(const gm_node *node, int k)
{
    if (node->in_attr == NULL || node->in_attr[k].levels.n == 0) return 0;
    return node->in_attr[k].levels.n + node->in_attr[k].keeps_invalid;
}

static bool settled(const gm_node *node)
{
    for (int k = 0; k < node->n_out; k++)
        if (known_size(node, k) == 0) return false;
    return true;
}

static gm_code begin(gm_cx *cx, gm_arena *a, const gm_node *node, void **acc)
{
    return gm_begin_each(cx, a, node, sizeof(int64_t), acc);
}

static bool is_index(double v) { return v >= 0 && v < INT32_MAX && v == (double)(uint32_t)v; }

static gm_code fail_index(gm_cx *cx, gm_arena *a, const gm_node *node, int k, double v)
{
    return gm_hint_add(cx,
                       gm_fail(cx, GM_EDATA, "OneHotEncoder: column '%s': %s is not an index (0, 1, 2, ...)",
                               gm_in_name(node, k), gm_show_real(cx, a, v)),
                       "make indices with StringIndexer, Bucketizer or QuantileDiscretizer first");
}

static gm_code fail_invalid(gm_cx *cx, gm_arena *a, const gm_node *node, int k, double v)
{
    const char *column = gm_in_name(node, k);
    gm_code code = v != v ? gm_fail(cx, GM_EDATA, "OneHotEncoder: column '%s' has a missing index", column)
                          : gm_fail(cx, GM_EDATA, "OneHotEncoder: column '%s': index %s was not seen in fit",
                                    column, gm_show_real(cx, a, v));
    return gm_hint_add(cx, code, "handleInvalid: keep makes such values a category of their own");
}

static gm_code update(gm_cx *cx, gm_arena *a, const gm_node *node, void *acc, int64_t rows,
                      const gm_column *in)
{
    const params *p = node->params;
    for (int k = 0; k < node->n_out; k++) {
        int64_t *size = (int64_t *)acc + k;
        if (known_size(node, k) > 0) continue;
        for (int64_t i = 0; i < rows; i++) {
            double v = in[k].real[i];
            if (is_index(v)) {
                if ((int64_t)v >= *size) *size = (int64_t)v + 1;
            } else if (v == v) {
                return fail_index(cx, a, node, k, v);
            } else if (p->handleInvalid == GM_KEEP_ERROR) {
                return fail_invalid(cx, a, node, k, v);
            }
        }
    }
    return GM_OK;
}

static gm_code merge(gm_cx *cx, gm_arena *a, const gm_node *node, void *into, void *from)
{
    (void)cx, (void)a;
    int64_t *x = into, *y = from;
    for (int k = 0; k < node->n_out; k++) x[k] = x[k] > y[k] ? x[k] : y[k];
    return GM_OK;
}

static gm_code finish(gm_cx *cx, gm_arena *kept, const gm_node *node, void *acc, void *state_)
{
    state *s = state_;
    s->n = node->n_out;
    GM_NEW_IN(cx, kept, s->categorySizes, s->n);
    for (int k = 0; k < node->n_out; k++) {
        int64_t known = known_size(node, k);
        s->categorySizes[k] = known > 0 ? known : ((int64_t *)acc)[k];
        if (s->categorySizes[k] == 0)
            return gm_fail(cx, GM_EDATA, "OneHotEncoder: column '%s' has no index at all: nothing to encode",
                           gm_in_name(node, k));
    }
    return GM_OK;
}

static int64_t width_of(const gm_node *node, int k)
{
    const params *p = node->params;
    return ((const state *)node->state)->categorySizes[k] + (p->handleInvalid == GM_KEEP_KEEP) - p->dropLast;
}

/* "carrier=AA": the column the index was made from, and the category's text or number. */
static const char *category_name(gm_cx *cx, gm_arena *a, const gm_node *node, int k, int64_t j)
{
    const gm_attr *in = &node->in_attr[k];
    const char *column = in->origin ? in->origin : gm_in_name(node, k);
    if (j == ((const state *)node->state)->categorySizes[k]) return gm_format(cx, a, "%s=__invalid", column);
    if (in->levels.n == 0) return gm_format(cx, a, "%s=%lld", column, (long long)j);
    if (j >= in->levels.n) return gm_format(cx, a, "%s=__unknown", column);
    gm_text t = gm_texts_at(&in->levels, j);
    return gm_format(cx, a, "%s=%.*s", column, (int)t.len, gm_text_ptr(&t));
}

static gm_code describe(gm_cx *cx, gm_arena *a, const gm_node *node, gm_attr *out)
{
    const params *p = node->params;
    for (int k = 0; k < node->n_out; k++) {
        int64_t width = width_of(node, k);
        const char **name;
        GM_NEW_IN(cx, a, name, width + 1);
        for (int64_t j = 0; j < width + p->dropLast; j++)
            GM_GOT(cx, name[j] = category_name(cx, a, node, k, j));
        out[k] = gm_attr_of(GM_T_VECTOR, width);
        out[k].names = (gm_names){width, name};
        if (p->dropLast) out[k].dropped = (gm_names){1, name + width};
    }
    return GM_OK;
}

static gm_code settle_invalid(gm_apply *ap, int k)
{
    const params *p = ap->node->params;
    const double *x = ap->in[k].real;
    double size = (double)((const state *)ap->node->state)->categorySizes[k];
    for (int64_t i = 0; i < ap->rows; i++) {
        if (is_index(x[i]) && x[i] < size) continue;
        if (x[i] == x[i] && !is_index(x[i])) return fail_index(ap->cx, ap->a, ap->node, k, x[i]);
        ap->tally[k].invalid++;
        if (p->handleInvalid == GM_KEEP_ERROR) return fail_invalid(ap->cx, ap->a, ap->node, k, x[i]);
    }
    return GM_OK;
}

static gm_code apply(gm_apply *ap)
{
    const state *s = ap->node->state;
    for (int k = 0; k < ap->node->n_out; k++) {
        const double *x = ap->in[k].real, size = (double)s->categorySizes[k];
        int32_t *code, bad = 0, extra = (int32_t)s->categorySizes[k];
        gm_part *part;
        GM_NEW_IN(ap->cx, ap->a, code, ap->rows);
        GM_GOT(ap->cx, part = gm_out_parts(ap, k, 1, width_of(ap->node, k)));
        for (int64_t i = 0; i < ap->rows; i++) {
            /* Whatever is not in [0, size), NaN too, goes to the extra code. No branch, so that this is
             * vector code. */
            double v = x[i] >= 0 ? x[i] : size;
            v = v < size ? v : size;
            int32_t c = (int32_t)v;
            bad |= ((double)c != x[i]) | (c == extra);
            code[i] = c;
        }
        part[0] = (gm_part){.form = GM_CODED, .width = ap->out[k].width, .code = (const uint32_t *)code};
        if (bad) GM_TRY(settle_invalid(ap, k));
    }
    return GM_OK;
}

static gm_code verify(gm_cx *cx, const gm_node *node)
{
    const state *s = node->state;
    GM_TRY(gm_verify_count(cx, node, "categorySizes", s->n, node->n_out));
    for (int k = 0; k < node->n_out; k++) {
        int64_t size = s->categorySizes[k], known = known_size(node, k);
        if (size < 1 || size > INT32_MAX || (known > 0 && size != known))
            return gm_fail(cx, GM_EMODEL, "%s: %lld categories in column '%s'", node->uid, (long long)size,
                           gm_in_name(node, k));
    }
    return GM_OK;
}

const gm_stage gm_stage_one_hot_encoder = {
    .name = "OneHotEncoder",
    .summary = "Turns an index into a vector with a single 1 in its place.",
    .doc = "An index column of n categories becomes a vector of n elements, or n - 1 under dropLast "
           "(Spark's default): the last category is then all zeros, which keeps the columns of a linear "
           "model independent. The elements are named column=level, and the description of the column "
           "says which level was dropped.\n\n"
           "The number of categories comes with the column when a StringIndexer or a discretizer made "
           "it; else it is the largest index in fit plus one. handleInvalid: keep adds a category for "
           "indices beyond that and for missing ones; with dropLast that is the one left out. A negative "
           "or broken number is always an error.\n\n"
           "The vector is never written out: a row costs four bytes, however many categories there are.",
    .kind = GM_ESTIMATOR,
    .params = table,
    .param_size = sizeof(params),
    .states = arrays,
    .state_size = sizeof(state),
    .describe = describe,
    .begin = begin,
    .settled = settled,
    .update = update,
    .merge = merge,
    .finish = finish,
    .apply = apply,
    .verify = verify,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idf.c - each element times ln((m + 1) / (df + 1)): m rows, df of them with a value above 0 (Salton &
 * Buckley 1988).
 */
#include "feature/affine.h"
#include "feature/parts.h"
#include <math.h>

typedef struct params {
    GM_ONE_FIELDS;
    int64_t minDocFreq;
} params;
typedef struct state {
    double *idf;
    int64_t *docFreq, n;
    int64_t *numDocs, n_docs; /* one number */
} state;
typedef struct counter {
    int64_t rows, width, *docs;
} counter;

static const gm_param table[] = {
    GM_ONE_ROWS(params, GM_T_VECTOR, GM_T_VECTOR),
    {GM_INT(params, minDocFreq, 0), .max = 9e18,
     .help = "rows an element must occur in; below that its weight is 0"},
    {0},
};
static const gm_state arrays[] = {
    GM_S_REALS(state, idf, n, "the weight of each element"),
    GM_S_INTS(state, docFreq, n, "the rows in which each element is above 0"),
    GM_S_INTS(state, numDocs, n_docs, "the rows in fit"),
    {0},
};

static gm_code begin(gm_cx *cx, gm_arena *a, const gm_node *node, void **acc)
{
    return gm_begin_each(cx, a, node, sizeof(counter), acc);
}

static gm_code count_entry(void *arg, int64_t j, int64_t row, double v)
{
    (void)row;
    ((int64_t *)arg)[j] += v > 0;
    return GM_OK;
}

static gm_code update(gm_cx *cx, gm_arena *a, const gm_node *node, void *acc, int64_t rows,
                      const gm_column *in)
{
    (void)node;
    counter *c = acc;
    if (c->docs == NULL) {
        c->width = in[0].width;
        GM_NEW_IN(cx, a, c->docs, c->width);
    }
    c->rows += rows;
    int64_t *docs = c->docs;
    for (int k = 0; k < in[0].n_parts; k++) {
        const gm_part *p = &in[0].part[k];
        for (int64_t j = 0; p->form == GM_DENSE && j < p->width; j++)
            for (int64_t i = 0; i < rows; i++) docs[j] += p->x[j * p->stride + i] > 0;
        GM_TRY(gm_each_entry(p, rows, count_entry, docs));
        docs += p->width;
    }
    return GM_OK;
}

static gm_code merge(gm_cx *cx, gm_arena *a, const gm_node *node, void *into_, void *from_)
{
    (void)cx, (void)a, (void)node;
    counter *into = into_, *from = from_;
    int64_t rows = into->rows + from->rows;
    if (into->docs == NULL) *into = *from;
    for (int64_t j = 0; into->docs != from->docs && from->docs && j < into->width; j++)
        into->docs[j] += from->docs[j];
    into->rows = rows;
    return GM_OK;
}

static gm_code finish(gm_cx *cx, gm_arena *kept, const gm_node *node, void *acc, void *state_)
{
    const params *p = node->params;
    const counter *c = acc;
    state *s = state_;
    if (c->rows == 0 || c->docs == NULL)
        return gm_fail(cx, GM_EDATA, "IDF: column '%s' has no rows to fit on", gm_in_name(node, 0));
    s->n = c->width;
    s->n_docs = 1;
    GM_NEW_IN(cx, kept, s->idf, s->n);
    GM_NEW_IN(cx, kept, s->docFreq, s->n);
    GM_NEW_IN(cx, kept, s->numDocs, 1);
    s->numDocs[0] = c->rows;
    for (int64_t j = 0; j < s->n; j++) {
        s->docFreq[j] = c->docs[j];
        s->idf[j] = c->docs[j] < p->minDocFreq ? 0 : log(((double)c->rows + 1) / ((double)c->docs[j] + 1));
    }
    return GM_OK;
}

static inline double weigh(const void *arg, int64_t j, double x)
{
    return x * ((const state *)arg)->idf[j]; /* NOLINT(clang-analyzer-core.NullDereference): has every j */
}

static gm_code apply(gm_apply *ap)
{
    const state *s = ap->node->state;
    return gm_map_parts(ap, 0, weigh, s, true, s->idf);
}

static gm_code verify(gm_cx *cx, const gm_node *node)
{
    const state *s = node->state;
    GM_TRY(gm_verify_count(cx, node, "numDocs", s->n_docs, 1));
    return gm_verify_width(cx, node, "idf", s->n);
}

const gm_stage gm_stage_idf = {
    .name = "IDF",
    .summary = "Weighs the elements of a vector by how rare they are.",
    .doc = "Each element is multiplied by ln((m + 1) / (df + 1)), with m the rows in fit and df those in "
           "which the element is above 0 (Salton & Buckley 1988). With HashingTF or CountVectorizer in "
           "front this is TF-IDF. Elements that occur in fewer than minDocFreq rows get weight 0.\n\n"
           "Rows of zeros stay zeros, and count as rows. Sparse and one-hot parts keep their form.",
    .kind = GM_ESTIMATOR,
    .params = table,
    .param_size = sizeof(params),
    .states = arrays,
    .state_size = sizeof(state),
    .describe = gm_same_vector,
    .begin = begin,
    .update = update,
    .merge = merge,
    .finish = finish,
    .apply = apply,
    .verify = verify,
};

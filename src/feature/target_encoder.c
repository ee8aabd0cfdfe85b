/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_encoder.c - a category becomes the mean of the label among its rows, drawn towards the mean of all
 * rows: w m_c + (1 - w) m with w = n_c / (n_c + smoothing) (Micci-Barreca, SIGKDD Explorations 2001).
 */
#include "feature/columns.h"
#include <math.h>
#include <stdlib.h>

typedef enum target { BINARY, CONTINUOUS } target;
static const char *const targets[] = {"binary", "continuous", NULL};

typedef struct params {
    GM_MANY_FIELDS;
    const char *labelCol;
    int handleInvalid, targetType;
    double smoothing;
} params;
typedef struct state {
    int64_t *categories; /* rising within a column; NO_CATEGORY first: missing values */
    double *encodings;
    int64_t n;
    int64_t *start;
    int64_t n_start;
    double *overall;
    int64_t n_overall;
} state;

enum { NO_CATEGORY = -1 };

static const gm_param table[] = {
    GM_MANY_ROWS(params, GM_T_REAL, GM_T_REAL),
    {GM_STRING(params, labelCol, "label"), .role = GM_READS, .column = GM_T_REAL,
     .help = "the label; read in fit only"},
    {GM_ENUM(params, handleInvalid, GM_KEEP_ERROR, gm_keep_words),
     .help = "a category not seen in fit: error; keep gives it the mean of all rows"},
    {GM_ENUM(params, targetType, BINARY, targets),
     .help = "binary: the label is 0 or 1; continuous: any number"},
    {GM_REAL(params, smoothing, 0), .max = INFINITY, .open_max = true, .tune = {GM_LINEAR, 0, 100},
     .help = "how many rows the mean of all rows weighs"},
    {0},
};
static const gm_state arrays[] = {
    GM_S_INTS(state, categories, n, "the categories seen, column after column; -1 stands for missing"),
    GM_S_REALS(state, encodings, n, "what each category becomes"),
    GM_S_INTS(state, start, n_start, "where each column's categories start"),
    GM_S_REALS(state, overall, n_overall, "the mean of the label over all rows, for each column"),
    {0},
};

/* The mean of a label: for 0 and 1 the ones are counted, which is exact; else Welford's running mean. */
typedef struct mean {
    int64_t n;
    double stat;
} mean;
typedef struct counter {
    gm_dict *codes; /* keys are the 8 bytes of a category */
    mean *of;
    int64_t cap;
    mean all;
} counter;

static gm_code check(gm_cx *cx, const gm_node *node)
{
    if (node->n_in == node->n_out + 1) return GM_OK;
    return gm_fail(cx, GM_EPARAM, "TargetEncoder: needs labelCol: the label");
}

static gm_code begin(gm_cx *cx, gm_arena *a, const gm_node *node, void **acc)
{
    GM_TRY(gm_begin_each(cx, a, node, sizeof(counter), acc));
    for (int k = 0; k < node->n_out; k++) GM_TRY(gm_dict_new(cx, a, &((counter *)*acc)[k].codes));
    return GM_OK;
}

static gm_code mean_of(gm_cx *cx, gm_arena *a, counter *c, const gm_text *key, mean **out)
{
    uint32_t code;
    GM_TRY(gm_dict_add(cx, c->codes, key, &code));
    if (code >= c->cap) {
        int64_t cap = c->cap ? 2 * c->cap : 64;
        GM_GOT(cx, c->of = gm_regrow(cx, a, c->of, c->cap, cap, sizeof *c->of));
        c->cap = cap;
    }
    *out = &c->of[code];
    return GM_OK;
}

static void add(mean *m, int type, double y)
{
    m->n++;
    m->stat += type == BINARY ? y : (y - m->stat) / (double)m->n;
}

static void join(mean *into, const mean *from, int type)
{
    if (from->n == 0) return;
    into->n += from->n;
    into->stat +=
        type == BINARY ? from->stat : (from->stat - into->stat) * ((double)from->n / (double)into->n);
}

static double value(const mean *m, int type) { return type == BINARY ? m->stat / (double)m->n : m->stat; }

static gm_code category_of(gm_cx *cx, gm_arena *a, const gm_node *node, int k, double x, int64_t *out)
{
    *out = NO_CATEGORY;
    if (x != x) return GM_OK;
    if (x >= 0 && x <= INT32_MAX && x == (double)(int64_t)x) {
        *out = (int64_t)x;
        return GM_OK;
    }
    return gm_hint_add(cx,
                       gm_fail(cx, GM_EDATA,
                               "TargetEncoder: column '%s': %s is not a category (0, 1, 2, ...)",
                               gm_in_name(node, k), gm_show_real(cx, a, x)),
                       "make indices with StringIndexer first");
}

static gm_code check_label(gm_cx *cx, gm_arena *a, const gm_node *node, double y)
{
    const params *p = node->params;
    if (p->targetType == CONTINUOUS ? isfinite(y) : y == 0 || y == 1) return GM_OK;
    return gm_hint_add(cx,
                       gm_fail(cx, GM_EDATA, "TargetEncoder: label '%s' is %s; expected %s", p->labelCol,
                               gm_show_real(cx, a, y),
                               p->targetType == BINARY ? "0 or 1" : "a finite number"),
                       "%s",
                       p->targetType == BINARY ? "set targetType: continuous for other labels"
                                               : "leave such rows out in the SQL before");
}

static gm_code update(gm_cx *cx, gm_arena *a, const gm_node *node, void *acc, int64_t rows,
                      const gm_column *in)
{
    const params *p = node->params;
    const double *y = in[node->n_out].real;
    for (int64_t i = 0; i < rows; i++)
        if (y[i] == y[i]) GM_TRY(check_label(cx, a, node, y[i]));
    for (int k = 0; k < node->n_out; k++) {
        counter *c = (counter *)acc + k;
        for (int64_t i = 0; i < rows; i++) {
            if (y[i] != y[i]) continue;
            int64_t category;
            mean *m;
            GM_TRY(category_of(cx, a, node, k, in[k].real[i], &category));
            gm_text key = gm_text_of((const char *)&category, sizeof category);
            GM_TRY(mean_of(cx, a, c, &key, &m));
            add(m, p->targetType, y[i]);
            add(&c->all, p->targetType, y[i]);
        }
    }
    return GM_OK;
}

static gm_code merge(gm_cx *cx, gm_arena *a, const gm_node *node, void *into_, void *from_)
{
    const params *p = node->params;
    for (int k = 0; k < node->n_out; k++) {
        counter *into = (counter *)into_ + k, *from = (counter *)from_ + k;
        for (uint32_t i = 0; i < gm_dict_size(from->codes); i++) {
            mean *m;
            GM_TRY(mean_of(cx, a, into, &gm_dict_keys(from->codes)[i], &m));
            join(m, &from->of[i], p->targetType);
        }
        join(&into->all, &from->all, p->targetType);
    }
    return GM_OK;
}

typedef struct encoded {
    int64_t category;
    const mean *of;
} encoded;

static int by_category(const void *a, const void *b)
{
    int64_t x = ((const encoded *)a)->category, y = ((const encoded *)b)->category;
    return (x > y) - (x < y);
}

static gm_code encode(gm_cx *cx, gm_arena *tmp, const gm_node *node, int k, const counter *c, state *s)
{
    const params *p = node->params;
    int64_t n = gm_dict_size(c->codes), at = s->start[k];
    if (c->all.n == 0)
        return gm_fail(cx, GM_EDATA,
                       "TargetEncoder: no row has a label '%s': there is nothing to fit column '%s' on",
                       p->labelCol, gm_in_name(node, k));
    s->overall[k] = value(&c->all, p->targetType);
    encoded *list;
    GM_NEW_IN(cx, tmp, list, n);
    for (int64_t i = 0; i < n; i++) {
        memcpy(&list[i].category, gm_text_ptr(&gm_dict_keys(c->codes)[i]), sizeof list[i].category);
        list[i].of = &c->of[i];
    }
    qsort(list, (size_t)n, sizeof *list, by_category);
    for (int64_t i = 0; i < n; i++) {
        double weight = (double)list[i].of->n / ((double)list[i].of->n + p->smoothing);
        s->categories[at + i] = list[i].category;
        s->encodings[at + i] = weight * value(list[i].of, p->targetType) + (1 - weight) * s->overall[k];
    }
    return GM_OK;
}

static gm_code finish(gm_cx *cx, gm_arena *kept, const gm_node *node, void *acc, void *state_)
{
    state *s = state_;
    counter *c = acc;
    s->n_start = node->n_out + 1;
    s->n_overall = node->n_out;
    GM_NEW_IN(cx, kept, s->start, s->n_start);
    GM_NEW_IN(cx, kept, s->overall, s->n_overall);
    for (int k = 0; k < node->n_out; k++) s->start[k + 1] = s->start[k] + gm_dict_size(c[k].codes);
    s->n = s->start[node->n_out];
    GM_NEW_IN(cx, kept, s->categories, s->n);
    GM_NEW_IN(cx, kept, s->encodings, s->n);
    for (int k = 0; k < node->n_out; k++) {
        gm_arena tmp = {0};
        gm_code code = encode(cx, &tmp, node, k, &c[k], s);
        gm_arena_end(&tmp);
        GM_TRY(code);
    }
    return GM_OK;
}

/* The place of a category among column k's; -1: not there. */
static int64_t find(const state *s, int k, int64_t category)
{
    int64_t lo = s->start[k], hi = s->start[k + 1];
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (s->categories[mid] < category) lo = mid + 1;
        else hi = mid;
    }
    return lo < s->start[k + 1] && s->categories[lo] == category ? lo : -1;
}

static gm_code settle_invalid(gm_apply *ap, int k, double x)
{
    const params *p = ap->node->params;
    ap->tally[k].invalid++;
    if (p->handleInvalid == GM_KEEP_KEEP) return GM_OK;
    return gm_hint_add(ap->cx,
                       gm_fail(ap->cx, GM_EDATA,
                               "TargetEncoder: column '%s': category %s was not seen in fit",
                               gm_in_name(ap->node, k), x != x ? "NULL" : gm_show_real(ap->cx, ap->a, x)),
                       "handleInvalid: keep gives such values the mean of all rows");
}

static gm_code apply(gm_apply *ap)
{
    const state *s = ap->node->state;
    for (int k = 0; k < ap->node->n_out; k++) {
        double *out;
        GM_GOT(ap->cx, out = gm_out_real(ap, k));
        for (int64_t i = 0; i < ap->rows; i++) {
            int64_t category;
            GM_TRY(category_of(ap->cx, ap->a, ap->node, k, ap->in[k].real[i], &category));
            int64_t at = find(s, k, category);
            out[i] = at < 0 ? s->overall[k] : s->encodings[at];
            if (at < 0) GM_TRY(settle_invalid(ap, k, ap->in[k].real[i]));
        }
    }
    return GM_OK;
}

static gm_code verify(gm_cx *cx, const gm_node *node)
{
    const state *s = node->state;
    GM_TRY(gm_verify_start(cx, node, "start", s->start, s->n_start, node->n_out, s->n));
    GM_TRY(gm_verify_count(cx, node, "overall", s->n_overall, node->n_out));
    for (int k = 0; k < node->n_out; k++)
        for (int64_t i = s->start[k] + 1; i < s->start[k + 1]; i++)
            if (s->categories[i - 1] >= s->categories[i])
                return gm_fail(cx, GM_EMODEL, "%s: the categories do not rise", node->uid);
    return GM_OK;
}

const gm_stage gm_stage_target_encoder = {
    .name = "TargetEncoder",
    .summary = "Replaces a category by the mean of the label among its rows.",
    .doc = "A category c with n rows becomes w m_c + (1 - w) m: m_c is the mean of the label among its "
           "rows, m that of all rows, w = n / (n + smoothing) (Micci-Barreca 2001). For targetType: "
           "binary the label must be 0 or 1 and the mean is the share of ones.\n\n"
           "Categories are indices 0, 1, 2, ...; a missing one is a category of its own when fit saw it. "
           "A category that fit did not see is an error, or gets m under handleInvalid: keep. Rows "
           "without a label are left out of fit.\n\n"
           "The encoding uses the label of the same rows that a learner is fitted on afterwards: "
           "smoothing, or fitting it on other rows, keeps rare categories from giving the label away.",
    .kind = GM_ESTIMATOR,
    .params = table,
    .param_size = sizeof(params),
    .states = arrays,
    .state_size = sizeof(state),
    .check = check,
    .begin = begin,
    .update = update,
    .merge = merge,
    .finish = finish,
    .apply = apply,
    .verify = verify,
};

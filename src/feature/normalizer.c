/* SPDX-License-Identifier: Apache-2.0 */
/*
 * normalizer.c - each row divided by its p-norm, (sum |x|^p)^(1/p). A row of zeros stays zero.
 */
#include "feature/affine.h"
#include "feature/parts.h"
#include <math.h>

typedef struct params {
    GM_ONE_FIELDS;
    double p;
} params;

static const gm_param table[] = {
    GM_ONE_ROWS(params, GM_T_VECTOR, GM_T_VECTOR),
    /* The range is checked below: infinity is one of its values. */
    {GM_REAL(params, p, 2),
     .help = "the norm: 1, 2, any number from 1 on, or inf (the largest absolute value)"},
    {0},
};

static gm_code check(gm_cx *cx, const gm_node *node)
{
    const params *p = node->params;
    if (p->p >= 1) return GM_OK;
    return gm_fail(cx, GM_EPARAM, "Normalizer: p is %g; expected a number from 1 on, or inf", p->p);
}

typedef struct sums {
    double p, *sum; /* by row */
} sums;

static gm_code add_entry(void *arg, int64_t j, int64_t row, double v)
{
    (void)j;
    const sums *s = arg;
    double x = fabs(v), *sum = &s->sum[row];
    if (isinf(s->p)) *sum = x > *sum || x != x ? x : *sum;
    else *sum += s->p == 2 ? x * x : s->p == 1 ? x : pow(x, s->p);
    return GM_OK;
}

static gm_code add_norms(const gm_column *c, int64_t rows, sums *s)
{
    for (int k = 0; k < c->n_parts; k++) {
        const gm_part *p = &c->part[k];
        for (int64_t j = 0; p->form == GM_DENSE && j < p->width; j++)
            for (int64_t i = 0; i < rows; i++) GM_TRY(add_entry(s, j, i, p->x[j * p->stride + i]));
        GM_TRY(gm_each_entry(p, rows, add_entry, s));
    }
    for (int64_t i = 0; i < rows; i++) {
        double sum = s->sum[i];
        if (!isinf(s->p) && s->p != 1) sum = s->p == 2 ? sqrt(sum) : pow(sum, 1 / s->p);
        s->sum[i] = sum == 0 ? 1 : sum;
    }
    return GM_OK;
}

typedef struct entries {
    int64_t n, *off;
    uint32_t *idx;
    double *val;
    const double *norm;
} entries;

static gm_code divide_entry(void *arg, int64_t j, int64_t row, double v)
{
    entries *e = arg;
    e->idx[e->n] = (uint32_t)j;
    e->val[e->n++] = v / e->norm[row];
    e->off[row + 1] = e->n;
    return GM_OK;
}

/* A value of its own per row: coded parts become sparse. */
static gm_code divide_sparse(gm_apply *ap, const gm_part *p, const double *norm, gm_part *out)
{
    int64_t most = p->form == GM_CODED ? ap->rows : p->off[ap->rows] - p->off[0];
    entries e = {.norm = norm};
    GM_NEW_IN(ap->cx, ap->a, e.off, ap->rows + 1);
    GM_NEW_IN(ap->cx, ap->a, e.idx, most);
    GM_NEW_IN(ap->cx, ap->a, e.val, most);
    GM_TRY(gm_each_entry(p, ap->rows, divide_entry, &e));
    for (int64_t i = 0; i < ap->rows; i++) /* rows without an entry */
        if (e.off[i + 1] < e.off[i]) e.off[i + 1] = e.off[i];
    *out = (gm_part){.form = GM_SPARSE, .width = p->width, .off = e.off, .idx = e.idx, .val = e.val};
    return GM_OK;
}

static gm_code divide_dense(gm_apply *ap, const gm_part *p, const double *norm, gm_part *out)
{
    double *x;
    GM_NEW_IN(ap->cx, ap->a, x, p->width * ap->rows);
    for (int64_t j = 0; j < p->width; j++)
        for (int64_t i = 0; i < ap->rows; i++) x[j * ap->rows + i] = p->x[j * p->stride + i] / norm[i];
    *out = (gm_part){.form = GM_DENSE, .width = p->width, .x = x, .stride = ap->rows};
    return GM_OK;
}

static gm_code apply(gm_apply *ap)
{
    const params *p = ap->node->params;
    const gm_column *in = &ap->in[0];
    sums s = {.p = p->p};
    gm_part *part;
    GM_NEW_IN(ap->cx, ap->a, s.sum, ap->rows);
    GM_TRY(add_norms(in, ap->rows, &s));
    GM_GOT(ap->cx, part = gm_out_parts(ap, 0, in->n_parts, in->width));
    for (int k = 0; k < in->n_parts; k++)
        GM_TRY(in->part[k].form == GM_DENSE ? divide_dense(ap, &in->part[k], s.sum, &part[k])
                                            : divide_sparse(ap, &in->part[k], s.sum, &part[k]));
    return GM_OK;
}

const gm_stage gm_stage_normalizer = {
    .name = "Normalizer",
    .summary = "Divides each row of a vector column by its norm.",
    .doc = "Each row becomes x / (sum |x|^p)^(1/p); p is 2 when not given, and may be infinity: the "
           "largest absolute value. A row of zeros stays zero, never NaN. A row with a missing value "
           "becomes missing as a whole, as its norm is not known.\n\n"
           "One-hot parts become sparse, since each row now has a value of its own.",
    .kind = GM_TRANSFORMER,
    .params = table,
    .param_size = sizeof(params),
    .check = check,
    .describe = gm_same_vector,
    .apply = apply,
};

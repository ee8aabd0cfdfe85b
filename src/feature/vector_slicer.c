/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector_slicer.c - some elements of a vector, by index or by name.
 *
 * Neighbours that come from one part stay one part: dense columns are pointed at, codes are translated,
 * sparse entries are picked.
 */
#include "feature/columns.h"
#include <stdlib.h>

typedef struct params {
    GM_ONE_FIELDS;
    gm_ints indices;
    gm_names names;
} params;
typedef struct state {
    int64_t *pick; /* output j is input pick[j]; made by ready */
    int64_t n;
} state;

static const gm_param table[] = {
    GM_ONE_ROWS(params, GM_T_VECTOR, GM_T_VECTOR),
    {GM_INTS(params, indices), .max = 4294967295.0, .help = "the elements to take, from 0, in this order"},
    {GM_STRINGS(params, names), .help = "names of more elements to take, after those of indices"},
    {0},
};

static gm_code check(gm_cx *cx, const gm_node *node)
{
    const params *p = node->params;
    if (p->indices.n + p->names.n > 0) return GM_OK;
    return gm_fail(cx, GM_EPARAM, "VectorSlicer: needs indices or names: the elements to take");
}

static gm_code find_name(gm_cx *cx, const gm_node *node, const char *name, int64_t *out)
{
    const gm_names *names = &node->in_attr[0].names;
    for (*out = 0; *out < names->n; (*out)++)
        if (strcmp(names->v[*out], name) == 0) return GM_OK;
    gm_code code = gm_fail(cx, GM_EPARAM, "VectorSlicer: column '%s' has no element named '%s'",
                           gm_in_name(node, 0), name);
    const char *guess = gm_nearest(name, names->v, names->n);
    return guess ? gm_hint_add(cx, code, "did you mean '%s'?", guess) : code;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static gm_code check_distinct(gm_cx *cx, gm_arena *a, const state *s)
{
    int64_t *sorted;
    GM_NEW_IN(cx, a, sorted, s->n);
    memcpy(sorted, s->pick, (size_t)s->n * sizeof *sorted);
    qsort(sorted, (size_t)s->n, sizeof *sorted, by_value);
    for (int64_t j = 1; j < s->n; j++)
        if (sorted[j] == sorted[j - 1])
            return gm_fail(cx, GM_EPARAM, "VectorSlicer: element %lld is taken twice", (long long)sorted[j]);
    return GM_OK;
}

static gm_code ready(gm_cx *cx, gm_arena *kept, const gm_node *node)
{
    const params *p = node->params;
    state *s = node->state;
    s->n = p->indices.n + p->names.n;
    GM_NEW_IN(cx, kept, s->pick, s->n);
    for (int64_t j = 0; j < s->n; j++) {
        if (j < p->indices.n) s->pick[j] = p->indices.v[j];
        else GM_TRY(find_name(cx, node, p->names.v[j - p->indices.n], &s->pick[j]));
        if (s->pick[j] >= node->in_attr[0].width)
            return gm_fail(cx, GM_EPARAM,
                           "VectorSlicer: column '%s' has %lld elements; index %lld is not one of them",
                           gm_in_name(node, 0), (long long)node->in_attr[0].width, (long long)s->pick[j]);
    }
    return check_distinct(cx, kept, s);
}

static gm_code describe(gm_cx *cx, gm_arena *a, const gm_node *node, gm_attr *out)
{
    const state *s = node->state;
    const gm_attr *in = &node->in_attr[0];
    out[0] = gm_attr_of(GM_T_VECTOR, s->n);
    if (in->names.n == 0) return GM_OK;
    const char **name;
    GM_NEW_IN(cx, a, name, s->n);
    for (int64_t j = 0; j < s->n; j++) name[j] = in->names.v[s->pick[j]];
    out[0].names = (gm_names){s->n, name};
    return GM_OK;
}

/* Elements pick[0..n) of part p, which starts at element first. */
static gm_code slice_coded(gm_apply *ap, const gm_part *p, const uint32_t *place, int64_t n, gm_part *out)
{
    uint32_t *code;
    GM_NEW_IN(ap->cx, ap->a, code, ap->rows);
    for (int64_t i = 0; i < ap->rows; i++) code[i] = p->code[i] < p->width ? place[p->code[i]] : UINT32_MAX;
    *out = (gm_part){.form = GM_CODED, .width = n, .code = code};
    if (p->level == NULL) return GM_OK;
    double *level;
    GM_NEW_IN(ap->cx, ap->a, level, n);
    for (int64_t j = 0; j < p->width; j++)
        if (place[j] != UINT32_MAX) level[place[j]] = p->level[j];
    out->level = level;
    return GM_OK;
}

static gm_code slice_sparse(gm_apply *ap, const gm_part *p, const uint32_t *place, int64_t n, gm_part *out)
{
    int64_t most = p->off[ap->rows] - p->off[0], at = 0, *off;
    uint32_t *idx;
    double *val;
    GM_NEW_IN(ap->cx, ap->a, off, ap->rows + 1);
    GM_NEW_IN(ap->cx, ap->a, idx, most);
    GM_NEW_IN(ap->cx, ap->a, val, most);
    for (int64_t i = 0; i < ap->rows; i++) {
        for (int64_t e = p->off[i]; e < p->off[i + 1]; e++) {
            uint32_t to = place[p->idx[e]];
            if (to == UINT32_MAX) continue;
            int64_t q = at++;
            for (; q > off[i] && idx[q - 1] > to;
                 q--) { /* keep them rising: the slice may turn the order round */
                idx[q] = idx[q - 1];
                val[q] = val[q - 1];
            }
            idx[q] = to;
            val[q] = p->val ? p->val[e] : 1;
        }
        off[i + 1] = at;
    }
    *out = (gm_part){.form = GM_SPARSE, .width = n, .off = off, .idx = idx, .val = val};
    return GM_OK;
}

static gm_code slice(gm_apply *ap, const gm_part *p, const int64_t *pick, int64_t first, int64_t n,
                     gm_part *out)
{
    if (p->form == GM_DENSE) {
        *out = (gm_part){
            .form = GM_DENSE, .width = 1, .x = p->x + (pick[0] - first) * p->stride, .stride = p->stride};
        return GM_OK;
    }
    uint32_t *place;
    GM_NEW_IN(ap->cx, ap->a, place, p->width);
    memset(place, 0xFF, (size_t)p->width * sizeof *place);
    for (int64_t j = 0; j < n; j++) place[pick[j] - first] = (uint32_t)j;
    return p->form == GM_CODED ? slice_coded(ap, p, place, n, out) : slice_sparse(ap, p, place, n, out);
}

static gm_code apply(gm_apply *ap)
{
    const state *s = ap->node->state;
    const gm_column *in = &ap->in[0];
    gm_part *part;
    GM_GOT(ap->cx, part = gm_out_parts(ap, 0, (int)s->n, s->n));
    int made = 0;
    for (int64_t j = 0; j < s->n;) {
        int k = 0;
        int64_t first = 0, n = 1;
        while (s->pick[j] >= first + in->part[k].width) first += in->part[k++].width;
        const gm_part *p = &in->part[k];
        /* Dense elements become parts of width 1; of other parts neighbours stay together. */
        while (p->form != GM_DENSE && j + n < s->n && s->pick[j + n] >= first &&
               s->pick[j + n] < first + p->width)
            n++;
        GM_TRY(slice(ap, p, s->pick + j, first, n, &part[made++]));
        j += n;
    }
    ap->out[0].n_parts = made;
    return GM_OK;
}

const gm_stage gm_stage_vector_slicer = {
    .name = "VectorSlicer",
    .summary = "Takes some elements of a vector column, by index or name.",
    .doc = "The output holds the elements of indices, then those of names, in the order given. No "
           "element may be taken twice. Names are those of the column: the assembler's column names, "
           "column=level for one-hot elements. An unknown name or index is an error that gives the "
           "nearest name.",
    .kind = GM_TRANSFORMER,
    .params = table,
    .param_size = sizeof(params),
    .state_size = sizeof(state),
    .check = check,
    .describe = describe,
    .ready = ready,
    .apply = apply,
};

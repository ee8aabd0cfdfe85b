/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_to_string.c - indices back to the texts they stand for: the inverse of StringIndexer.
 */
#include "feature/columns.h"

typedef struct params {
    GM_ONE_FIELDS;
    gm_names labels;
} params;
typedef struct state {
    gm_text *level; /* made by ready */
    int64_t n;
} state;

static const gm_param table[] = {
    GM_ONE_ROWS(params, GM_T_REAL, GM_T_TEXT),
    {GM_STRINGS(params, labels),
     .help = "the text of index 0, 1, ...; default: those of the stage that made the column"},
    {0},
};

static gm_code ready(gm_cx *cx, gm_arena *kept, const gm_node *node)
{
    const params *p = node->params;
    state *s = node->state;
    const gm_texts *levels = &node->in_attr[0].levels;
    s->n = p->labels.n > 0 ? p->labels.n : levels->n;
    if (s->n == 0)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EPARAM,
                                   "IndexToString: column '%s' is not an index with known labels",
                                   gm_in_name(node, 0)),
                           "set labels, or read a column that StringIndexer wrote");
    GM_NEW_IN(cx, kept, s->level, s->n);
    for (int64_t i = 0; i < s->n; i++)
        s->level[i] =
            p->labels.n > 0 ? gm_text_of(p->labels.v[i], strlen(p->labels.v[i])) : gm_texts_at(levels, i);
    return GM_OK;
}

static gm_code apply(gm_apply *ap)
{
    const params *p = ap->node->params;
    const state *s = ap->node->state;
    const double *x = ap->in[0].real;
    bool extra = p->labels.n == 0 && ap->node->in_attr[0].keeps_invalid;
    gm_text *out;
    GM_NEW_IN(ap->cx, ap->a, out, ap->rows);
    for (int64_t i = 0; i < ap->rows; i++) {
        bool known = x[i] >= 0 && x[i] < (double)s->n && x[i] == (double)(int64_t)x[i];
        if (known) out[i] = s->level[(int64_t)x[i]];
        else if (x[i] != x[i] || (extra && x[i] == (double)s->n)) out[i] = gm_text_none();
        else
            return gm_fail(ap->cx, GM_EDATA, "IndexToString: column '%s': %s is not an index of %lld labels",
                           gm_in_name(ap->node, 0), gm_show_real(ap->cx, ap->a, x[i]), (long long)s->n);
    }
    ap->out[0].type = GM_T_TEXT;
    ap->out[0].text = out;
    return GM_OK;
}

const gm_stage gm_stage_index_to_string = {
    .name = "IndexToString",
    .summary = "Turns indices back into the texts they stand for.",
    .doc = "The inverse of StringIndexer: index i becomes label i. The labels are the parameter's, or "
           "else those that came with the column.\n\n"
           "A missing index gives NULL, and so does the extra index that StringIndexer gives unseen "
           "values under handleInvalid: keep. Any other number that is not an index is an error.\n\n"
           "Differs from Spark: the extra index gives NULL, not the text __unknown, which could be a "
           "value of the data.",
    .kind = GM_TRANSFORMER,
    .params = table,
    .param_size = sizeof(params),
    .state_size = sizeof(state),
    .ready = ready,
    .apply = apply,
};

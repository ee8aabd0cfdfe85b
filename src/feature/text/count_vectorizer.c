/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count_vectorizer.c - how often each word of a vocabulary occurs in a row; the vocabulary is learnt.
 */
#include "feature/columns.h"
#include "feature/count.h"
#include "feature/entries.h"
#include <stdlib.h>

typedef struct params {
    GM_ONE_FIELDS;
    int64_t vocabSize;
    double minDF, maxDF, minTF;
    bool binary;
} params;
typedef struct state {
    gm_texts vocabulary;
    gm_dict *index; /* code = element; made by ready */
} state;

static const gm_param table[] = {
    GM_ONE_ROWS(params, GM_T_WORDS, GM_T_VECTOR),
    {GM_INT(params, vocabSize, 262144), .min = 1, .max = INT32_MAX, .tune = {GM_LOG, 1000, 1000000},
     .help = "the most words to keep, the most frequent ones"},
    {GM_REAL(params, minDF, 1), .max = 9223372036854775807.0,
     .help = "rows a word must occur in: a number if 1 or more, else a share of the rows"},
    {GM_REAL(params, maxDF, 9223372036854775807.0), .max = 9223372036854775807.0,
     .help = "rows a word may occur in: a number if 1 or more, else a share of the rows"},
    {GM_REAL(params, minTF, 1), .max = 9223372036854775807.0,
     .help =
         "occurrences in a row below which a word counts as absent: a number, or a share of the row's words"},
    {GM_BOOL(params, binary, false), .help = "1 for a word that occurs, not how often"},
    {0},
};
static const gm_state arrays[] = {
    GM_S_TEXTS(state, vocabulary, "the word of each element, by frequency"),
    {0},
};

static gm_code check(gm_cx *cx, const gm_node *node)
{
    const params *p = node->params;
    bool alike = (p->minDF >= 1) == (p->maxDF >= 1);
    if (!alike || p->minDF <= p->maxDF) return GM_OK;
    return gm_fail(cx, GM_EPARAM, "CountVectorizer: minDF is %g and maxDF %g; expected minDF not above maxDF",
                   p->minDF, p->maxDF);
}

static gm_code begin(gm_cx *cx, gm_arena *a, const gm_node *node, void **acc)
{
    return gm_begin_each(cx, a, node, sizeof(gm_counts), acc);
}

static gm_code update(gm_cx *cx, gm_arena *a, const gm_node *node, void *acc, int64_t rows,
                      const gm_column *in)
{
    (void)node;
    return gm_counts_add(cx, a, acc, &in[0], rows);
}

static gm_code merge(gm_cx *cx, gm_arena *a, const gm_node *node, void *into, void *from)
{
    (void)node;
    return gm_counts_merge(cx, a, into, from);
}

static int by_frequency(const void *a, const void *b)
{
    const gm_counted *x = a, *y = b;
    if (x->n != y->n) return x->n > y->n ? -1 : 1;
    return gm_text_compare(&x->text, &y->text);
}

static gm_code choose(gm_cx *cx, gm_arena *kept, gm_arena *tmp, const gm_node *node, const gm_counts *c,
                      state *s)
{
    const params *p = node->params;
    double rows = (double)c->rows, least = p->minDF >= 1 ? p->minDF : p->minDF * rows,
           most = p->maxDF >= 1 ? p->maxDF : p->maxDF * rows;
    gm_counted *list;
    int64_t n, m = 0;
    GM_TRY(gm_counts_list(cx, tmp, c, &list, &n));
    for (int64_t i = 0; i < n; i++)
        if ((double)list[i].docs >= least && (double)list[i].docs <= most) list[m++] = list[i];
    if (m == 0)
        return gm_hint_add(
            cx,
            gm_fail(cx, GM_EDATA,
                    "CountVectorizer: no word of column '%s' is in the vocabulary: %lld words in %lld rows",
                    gm_in_name(node, 0), (long long)n, (long long)c->rows),
            "lower minDF or raise maxDF");
    qsort(list, (size_t)m, sizeof *list, by_frequency);
    if (m > p->vocabSize) m = p->vocabSize;
    gm_text *word;
    GM_NEW_IN(cx, tmp, word, m);
    for (int64_t i = 0; i < m; i++) word[i] = list[i].text;
    return gm_texts_pack(cx, kept, word, m, &s->vocabulary);
}

static gm_code finish(gm_cx *cx, gm_arena *kept, const gm_node *node, void *acc, void *state_)
{
    gm_arena tmp = {0};
    gm_code code = choose(cx, kept, &tmp, node, acc, state_);
    gm_arena_end(&tmp);
    return code;
}

static gm_code ready(gm_cx *cx, gm_arena *kept, const gm_node *node)
{
    state *s = node->state;
    return gm_index_of(cx, kept, node, &s->vocabulary, &s->index);
}

static gm_code describe(gm_cx *cx, gm_arena *a, const gm_node *node, gm_attr *out)
{
    const gm_texts *v = &((const state *)node->state)->vocabulary;
    const char **name;
    GM_NEW_IN(cx, a, name, v->n);
    for (int64_t j = 0; j < v->n; j++)
        GM_GOT(cx, name[j] = gm_strndup(cx, a, v->bytes + v->off[j], (size_t)(v->off[j + 1] - v->off[j])));
    out[0] = gm_attr_of(GM_T_VECTOR, v->n);
    out[0].names = (gm_names){v->n, name};
    return GM_OK;
}

static gm_code find_words(gm_cx *cx, void *arg, const gm_text *keys, int64_t n, void *out)
{
    (void)cx;
    for (int64_t i = 0; i < n; i++) ((uint32_t *)out)[i] = gm_dict_find(arg, &keys[i]);
    return GM_OK;
}

static gm_code apply(gm_apply *ap)
{
    const params *p = ap->node->params;
    const state *s = ap->node->state;
    const gm_column *in = &ap->in[0];
    const void *memo = NULL;
    if (in->code) GM_TRY(gm_dict_memo(ap->cx, in->dict, s, 0, sizeof(uint32_t), find_words, s->index, &memo));
    gm_entries e;
    GM_TRY(gm_entries_begin(&e, ap, in->off[ap->rows] - in->off[0]));
    for (int64_t i = 0; i < ap->rows; i++) {
        for (int64_t k = in->off[i]; k < in->off[i + 1]; k++) {
            uint32_t at = memo ? ((const uint32_t *)memo)[in->code[k]] : gm_dict_find(s->index, &in->text[k]);
            if (at != GM_CODE_MISSING) GM_TRY(gm_entries_add(&e, at, 1));
        }
        double words = (double)(in->off[i + 1] - in->off[i]);
        gm_entries_end_row(&e, p->minTF >= 1 ? p->minTF : p->minTF * words, p->binary);
    }
    return gm_entries_close(&e, 0, s->vocabulary.n);
}

static gm_code verify(gm_cx *cx, const gm_node *node)
{
    if (((const state *)node->state)->vocabulary.n > 0) return GM_OK;
    return gm_fail(cx, GM_EMODEL, "%s: the vocabulary is empty", node->uid);
}

const gm_stage gm_stage_count_vectorizer = {
    .name = "CountVectorizer",
    .summary = "Counts the words of a learnt vocabulary into a sparse vector.",
    .doc = "fit keeps the vocabSize most frequent words among those that occur in at least minDF and at "
           "most maxDF rows (numbers from 1 on, shares of the rows below 1). Words are ordered by how "
           "often they occur, equal ones by their bytes, so the vocabulary never depends on the order of "
           "rows.\n\n"
           "transform counts the vocabulary's words of a row; counts below minTF (a number, or a share "
           "of all words of the row) become 0, and under binary the others become 1. Words that are not "
           "in the vocabulary add nothing. Elements are named by their words.\n\n"
           "An empty vocabulary is an error.",
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
    .ready = ready,
    .apply = apply,
    .verify = verify,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hashing_tf.c - how often each word occurs in a row, in a vector indexed by the word's hash.
 */
#include "feature/columns.h"
#include "feature/entries.h"
#include "feature/murmur3.h"

typedef struct params {
    GM_ONE_FIELDS;
    int64_t numFeatures;
    bool binary;
} params;

static const gm_param table[] = {
    GM_ONE_ROWS(params, GM_T_WORDS, GM_T_VECTOR),
    {GM_INT(params, numFeatures, 262144), .min = 1, .max = INT32_MAX, .tune = {GM_LOG, 1024, 1048576},
     .help = "elements of the vector; a power of two spreads best"},
    {GM_BOOL(params, binary, false), .help = "1 for a word that occurs, not how often"},
    {0},
};

static gm_code describe(gm_cx *cx, gm_arena *a, const gm_node *node, gm_attr *out)
{
    (void)cx, (void)a;
    out[0] = gm_attr_of(GM_T_VECTOR, ((const params *)node->params)->numFeatures);
    return GM_OK;
}

static gm_code hash_words(gm_cx *cx, void *arg, const gm_text *keys, int64_t n, void *out)
{
    (void)cx;
    for (int64_t i = 0; i < n; i++)
        ((uint32_t *)out)[i] = gm_hash_index(gm_text_ptr(&keys[i]), keys[i].len, *(const int64_t *)arg);
    return GM_OK;
}

static gm_code apply(gm_apply *ap)
{
    const params *p = ap->node->params;
    const gm_column *in = &ap->in[0];
    int64_t width = p->numFeatures;
    const void *memo = NULL;
    if (in->code)
        GM_TRY(gm_dict_memo(ap->cx, in->dict, ap->node, 0, sizeof(uint32_t), hash_words, &width, &memo));
    gm_entries s;
    GM_TRY(gm_entries_begin(&s, ap, in->off[ap->rows] - in->off[0]));
    for (int64_t i = 0; i < ap->rows; i++) {
        for (int64_t k = in->off[i]; k < in->off[i + 1]; k++)
            GM_TRY(gm_entries_add(&s,
                                  memo ? ((const uint32_t *)memo)[in->code[k]]
                                       : gm_hash_index(gm_text_ptr(&in->text[k]), in->text[k].len, width),
                                  1));
        gm_entries_end_row(&s, 0, p->binary);
    }
    return gm_entries_close(&s, 0, width);
}

const gm_stage gm_stage_hashing_tf = {
    .name = "HashingTF",
    .summary = "Counts words into a sparse vector, by hashing.",
    .doc = "Word w adds 1 to element hash(w) mod numFeatures; under binary the element is 1 however "
           "often w occurs. The hash is MurmurHash3 x86_32 with seed 42 of the UTF-8 bytes: the elements "
           "are those of Spark 3.\n\n"
           "Different words may meet in one element, and elements have no names; CountVectorizer keeps a "
           "vocabulary instead. A row without words is a vector of zeros.",
    .kind = GM_TRANSFORMER,
    .params = table,
    .param_size = sizeof(params),
    .describe = describe,
    .apply = apply,
};

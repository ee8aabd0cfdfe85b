/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ngram.c - n words in a row, joined by a blank.
 */
#include "feature/columns.h"
#include "feature/text/words.h"

typedef struct params {
    GM_ONE_FIELDS;
    int64_t n;
} params;

static const gm_param table[] = {
    GM_ONE_ROWS(params, GM_T_WORDS, GM_T_WORDS),
    {GM_INT(params, n, 2), .min = 1, .max = 1000, .tune = {GM_LINEAR, 1, 4}, .help = "words in a row"},
    {0},
};

/* Words k .. k + n of the column, with blanks between. */
static gm_code join(gm_apply *ap, int64_t k, int64_t n, gm_text *out)
{
    const gm_column *in = &ap->in[0];
    int64_t size = n - 1, at = 0;
    for (int64_t i = 0; i < n; i++) size += gm_column_word(in, k + i).len;
    char *bytes;
    GM_NEW_IN(ap->cx, ap->a, bytes, size + 1);
    for (int64_t i = 0; i < n; i++) {
        gm_text t = gm_column_word(in, k + i);
        if (i > 0) bytes[at++] = ' ';
        memcpy(bytes + at, gm_text_ptr(&t), t.len);
        at += t.len;
    }
    *out = gm_text_of(bytes, (size_t)size);
    return GM_OK;
}

static gm_code apply(gm_apply *ap)
{
    const params *p = ap->node->params;
    const int64_t *off = ap->in[0].off;
    gm_words w;
    GM_TRY(gm_words_begin(&w, ap, off[ap->rows] - off[0]));
    for (int64_t i = 0; i < ap->rows; i++) {
        for (int64_t k = off[i]; k + p->n <= off[i + 1]; k++) {
            gm_text t;
            GM_TRY(join(ap, k, p->n, &t));
            GM_TRY(gm_words_add(&w, t));
        }
        gm_words_end_row(&w);
    }
    gm_words_close(&w, 0);
    return GM_OK;
}

const gm_stage gm_stage_ngram = {
    .name = "NGram",
    .summary = "Turns words into all runs of n words.",
    .doc = "\"a b c\" with n = 2 gives \"a b\" and \"b c\": every run of n words, joined by one blank, "
           "in order. A row of fewer than n words gives none.",
    .kind = GM_TRANSFORMER,
    .params = table,
    .param_size = sizeof(params),
    .apply = apply,
};

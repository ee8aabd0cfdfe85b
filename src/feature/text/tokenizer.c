/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokenizer.c - a text in lower case, cut at white space.
 */
#include "feature/columns.h"
#include "feature/text/lower.h"
#include "feature/text/words.h"

typedef struct params {
    GM_ONE_FIELDS;
} params;

static const gm_param table[] = {
    GM_ONE_ROWS(params, GM_T_TEXT, GM_T_WORDS),
    {0},
};

static bool space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static gm_code apply(gm_apply *ap)
{
    gm_words w;
    GM_TRY(gm_words_begin(&w, ap, 8 * ap->rows));
    for (int64_t i = 0; i < ap->rows; i++) {
        gm_text whole = gm_column_text(&ap->in[0], i), t;
        GM_TRY(gm_lower(ap->cx, ap->a, &whole, false, &t));
        size_t n = gm_text_missing(&t) ? 0 : t.len, from = 0;
        const char *p = n > 0 ? gm_text_ptr(&t) : "";
        /* A short text lives in t itself; its words are shorter still, and copied into their views. */
        while (from < n) {
            size_t to = from;
            while (to < n && !space(p[to])) to++;
            if (to > from) GM_TRY(gm_words_add(&w, gm_text_of(p + from, to - from)));
            from = to + 1;
        }
        gm_words_end_row(&w);
    }
    gm_words_close(&w, 0);
    return GM_OK;
}

const gm_stage gm_stage_tokenizer = {
    .name = "Tokenizer",
    .summary = "Turns a text into lower case and cuts it at white space.",
    .doc = "The text is put in lower case by Unicode's table, whatever the locale, and cut at blanks, "
           "tabs and line ends. There are no empty tokens: several blanks in a row are one cut, and the "
           "empty text, a blank one and NULL give no token.\n\n"
           "Differs from Spark, which cuts at every single blank and so makes empty tokens: one from the "
           "empty text, one between two blanks. HashingTF then counts them as a word.",
    .kind = GM_TRANSFORMER,
    .params = table,
    .param_size = sizeof(params),
    .apply = apply,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stop_words_remover.c - words without the common ones.
 */
#include "feature/columns.h"
#include "feature/text/lower.h"
#include "feature/text/stop_words.h"
#include "feature/text/words.h"
#include <strings.h>

typedef struct params {
    GM_MANY_FIELDS;
    gm_names stopWords;
    int language;
    bool caseSensitive;
    const char *locale;
} params;
typedef struct state {
    gm_dict *stop; /* made by ready */
} state;

static const gm_param table[] = {
    GM_MANY_ROWS(params, GM_T_WORDS, GM_T_WORDS),
    {GM_STRINGS(params, stopWords), .help = "the words to leave out; none given: the list of language"},
    {GM_ENUM(params, language, GM_STOP_ENGLISH, gm_stop_languages),
     .help = "which list stands in for stopWords: the names of Spark's loadDefaultStopWords"},
    {GM_BOOL(params, caseSensitive, false), .help = "The is not the"},
    {GM_STRING(params, locale, "en"),
     .help = "whose lower case counts; only tr and az differ: their I is dotless"},
    {0},
};

static bool turkish(const params *p)
{
    return p->locale && (strncasecmp(p->locale, "tr", 2) == 0 || strncasecmp(p->locale, "az", 2) == 0);
}

static gm_code add(gm_cx *cx, gm_arena *kept, const params *p, state *s, const char *word, size_t n)
{
    gm_text t = gm_text_of(word, n), lower = t;
    uint32_t code;
    if (!p->caseSensitive) GM_TRY(gm_lower(cx, kept, &t, turkish(p), &lower));
    return gm_dict_add(cx, s->stop, &lower, &code);
}

static gm_code ready(gm_cx *cx, gm_arena *kept, const gm_node *node)
{
    const params *p = node->params;
    state *s = node->state;
    GM_TRY(gm_dict_new(cx, kept, &s->stop));
    for (int64_t i = 0; i < p->stopWords.n; i++)
        GM_TRY(add(cx, kept, p, s, p->stopWords.v[i], strlen(p->stopWords.v[i])));
    const char *w = p->stopWords.n > 0 ? "" : gm_stop_lists[p->language];
    while (*w) {
        size_t n = strcspn(w, " ");
        GM_TRY(add(cx, kept, p, s, w, n));
        w += n + (w[n] == ' ');
    }
    return GM_OK;
}

static gm_code is_stop(gm_cx *cx, gm_arena *a, const params *p, const state *s, const gm_text *t, bool *out)
{
    gm_text lower = *t;
    if (!p->caseSensitive) GM_TRY(gm_lower(cx, a, t, turkish(p), &lower));
    *out = gm_dict_find(s->stop, &lower) != GM_CODE_MISSING;
    return GM_OK;
}

static gm_code mark_keys(gm_cx *cx, void *arg, const gm_text *keys, int64_t n, void *out)
{
    const gm_node *node = arg;
    gm_arena tmp = {0};
    gm_code code = GM_OK;
    for (int64_t i = 0; i < n && code == GM_OK; i++)
        code = is_stop(cx, &tmp, node->params, node->state, &keys[i], (bool *)out + i);
    gm_arena_end(&tmp);
    return code;
}

/* Words by code stay codes. */
static gm_code filter_codes(gm_apply *ap, int k)
{
    const gm_column *in = &ap->in[k];
    const void *memo;
    uint32_t *code;
    int64_t *off, n = 0;
    GM_TRY(gm_dict_memo(ap->cx, in->dict, ap->node->state, k, sizeof(bool), mark_keys,
                        (void *)(uintptr_t)ap->node, &memo));
    GM_NEW_IN(ap->cx, ap->a, code, in->off[ap->rows] - in->off[0]);
    GM_NEW_IN(ap->cx, ap->a, off, ap->rows + 1);
    for (int64_t i = 0; i < ap->rows; i++) {
        for (int64_t w = in->off[i]; w < in->off[i + 1]; w++)
            if (!((const bool *)memo)[in->code[w]]) code[n++] = in->code[w];
        off[i + 1] = n;
    }
    ap->out[k] = *in;
    ap->out[k].code = code;
    ap->out[k].off = off;
    return GM_OK;
}

static gm_code filter_texts(gm_apply *ap, int k)
{
    const gm_column *in = &ap->in[k];
    gm_words w;
    GM_TRY(gm_words_begin(&w, ap, in->off[ap->rows] - in->off[0]));
    for (int64_t i = 0; i < ap->rows; i++) {
        for (int64_t j = in->off[i]; j < in->off[i + 1]; j++) {
            bool stop;
            GM_TRY(is_stop(ap->cx, ap->a, ap->node->params, ap->node->state, &in->text[j], &stop));
            if (!stop) GM_TRY(gm_words_add(&w, in->text[j]));
        }
        gm_words_end_row(&w);
    }
    gm_words_close(&w, k);
    return GM_OK;
}

static gm_code apply(gm_apply *ap)
{
    for (int k = 0; k < ap->node->n_out; k++)
        GM_TRY(ap->in[k].code ? filter_codes(ap, k) : filter_texts(ap, k));
    return GM_OK;
}

const gm_stage gm_stage_stop_words_remover = {
    .name = "StopWordsRemover",
    .summary = "Leaves common words out of lists of words.",
    .doc = "Words that are in stopWords are left out; when that is not given, the list of language "
           "stands in: English, as in Spark, or one of the other names that Spark's loadDefaultStopWords "
           "knows (the lists of PostgreSQL's text search). Upper and lower case count as the same unless "
           "caseSensitive; that uses Unicode's table, and the dotless I of Turkish for the locales tr "
           "and az.\n\n"
           "Differs from Spark: language is a parameter, and locale does not depend on the machine. The "
           "Hungarian words are spelt with their double acute, not with a tilde.",
    .kind = GM_TRANSFORMER,
    .params = table,
    .param_size = sizeof(params),
    .state_size = sizeof(state),
    .ready = ready,
    .apply = apply,
};

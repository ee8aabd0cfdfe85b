/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex_tokenizer.c - a text cut at the matches of a regular expression, or the matches themselves.
 */
#include "feature/columns.h"
#include "feature/text/lower.h"
#include "feature/text/regex.h"
#include "feature/text/words.h"

typedef struct params {
    GM_ONE_FIELDS;
    const char *pattern;
    bool gaps, toLowercase;
    int64_t minTokenLength;
} params;
typedef struct state {
    gm_regex *re; /* made by ready */
} state;

static const gm_param table[] = {
    GM_ONE_ROWS(params, GM_T_TEXT, GM_T_WORDS),
    {GM_STRING(params, pattern, "\\s+"), .help = "a regular expression (the dialect is in the description)"},
    {GM_BOOL(params, gaps, true),
     .help = "the pattern matches what is between tokens; false: the tokens themselves"},
    {GM_INT(params, minTokenLength, 1), .max = INT32_MAX,
     .help = "shorter tokens are left out; in characters"},
    {GM_BOOL(params, toLowercase, true), .help = "put the text in lower case first"},
    {0},
};

static gm_code check(gm_cx *cx, const gm_node *node)
{
    const params *p = node->params;
    gm_arena tmp = {0};
    gm_regex *re;
    gm_code code = gm_regex_new(cx, &tmp, p->pattern, "RegexTokenizer", &re);
    gm_arena_end(&tmp);
    return code;
}

static gm_code ready(gm_cx *cx, gm_arena *kept, const gm_node *node)
{
    const params *p = node->params;
    return gm_regex_new(cx, kept, p->pattern, "RegexTokenizer", &((state *)node->state)->re);
}

static gm_code add(gm_words *w, const params *p, const char *s, size_t n)
{
    if (gm_utf8_length(s, n) < p->minTokenLength) return GM_OK;
    return gm_words_add(w, gm_text_of(s, n));
}

/* The pieces between matches, as Java's split: no piece in front of an empty match at the start, none at the
 * end that are empty. */
static gm_code split(gm_words *w, const params *p, const gm_regex *re, gm_matcher *m, const char *s, size_t n)
{
    size_t from = 0, search = 0, start, end;
    int64_t keep = w->n;
    while (search <= n && gm_regex_find(re, m, s, n, search, &start, &end)) {
        search = end;
        if (end == start) { /* the next match begins one character on */
            size_t len = 1;
            if (end < n) gm_utf8_next(s + end, n - end, &len);
            search = end + len;
        }
        if (end == 0 || (start == n && end == n)) continue;
        GM_TRY(add(w, p, s + from, start - from));
        if (start > from) keep = w->n;
        from = end;
    }
    if (from < n || from == 0) {
        GM_TRY(add(w, p, s + from, n - from));
        keep = w->n;
    }
    w->n = keep;
    return GM_OK;
}

static gm_code matches(gm_words *w, const params *p, const gm_regex *re, gm_matcher *m, const char *s,
                       size_t n)
{
    size_t search = 0, start, end;
    while (search <= n && gm_regex_find(re, m, s, n, search, &start, &end)) {
        GM_TRY(add(w, p, s + start, end - start));
        size_t len = 1;
        if (end == start && end < n) gm_utf8_next(s + end, n - end, &len);
        search = end == start ? end + len : end;
    }
    return GM_OK;
}

static gm_code apply(gm_apply *ap)
{
    const params *p = ap->node->params;
    const gm_regex *re = ((const state *)ap->node->state)->re;
    gm_matcher *m;
    gm_words w;
    GM_TRY(gm_matcher_new(ap->cx, ap->a, re, &m));
    GM_TRY(gm_words_begin(&w, ap, 8 * ap->rows));
    for (int64_t i = 0; i < ap->rows; i++) {
        gm_text t = gm_column_text(&ap->in[0], i);
        if (p->toLowercase) {
            gm_text given = t;
            GM_TRY(gm_lower(ap->cx, ap->a, &given, false, &t));
        }
        if (!gm_text_missing(&t) && t.len > 0)
            GM_TRY(p->gaps ? split(&w, p, re, m, gm_text_ptr(&t), t.len)
                           : matches(&w, p, re, m, gm_text_ptr(&t), t.len));
        gm_words_end_row(&w);
    }
    gm_words_close(&w, 0);
    return GM_OK;
}

const gm_stage gm_stage_regex_tokenizer = {
    .name = "RegexTokenizer",
    .summary = "Cuts a text at the matches of a regular expression, or takes the matches.",
    .doc = "With gaps (default) the pattern matches what lies between tokens, \\s+ when not given; "
           "without, the tokens themselves. Tokens shorter than minTokenLength characters are left out. "
           "toLowercase puts the text in lower case first, by Unicode's table whatever the locale. The "
           "empty text and NULL give no token.\n\n"
           "The dialect is the part of Java's that can be matched in time linear in the text, so no "
           "pattern can hang a server: characters, . and sets [a-z], [^...]; \\d \\w \\s and \\D \\W \\S "
           "(ASCII, as in Java); \\p{L} letters, \\p{M} marks, \\p{N} numbers, \\p{P} punctuation, "
           "\\p{S} symbols of Unicode, \\p{Alpha}, \\p{Punct} and Java's other ASCII classes, \\P{...} "
           "their complements; \\b \\B; \\t \\n \\r \\f \\xhh \\uhhhh; groups ( ) and (?: ); a|b; * + ? "
           "{m} {m,} {m,n}, lazy with a ? behind; ^ and $ for the ends of the text. The first "
           "alternative that leads to a match wins. No look-around, back-references, possessive repeats, "
           "flags.\n\n"
           "Matching is Thompson's, by a Pike VM (Cox 2009).",
    .kind = GM_TRANSFORMER,
    .params = table,
    .param_size = sizeof(params),
    .state_size = sizeof(state),
    .check = check,
    .ready = ready,
    .apply = apply,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex_parse.h - the tree of a regular expression.
 */
#ifndef GM_FEATURE_REGEX_PARSE_H
#define GM_FEATURE_REGEX_PARSE_H
#include "base/text.h"
#include "feature/text/unicode_tables.h"

/* A set of code points: rising ranges, and a bit per ASCII character. */
typedef struct gm_charset {
    gm_range *range;
    int64_t n;
    uint64_t ascii[2];
} gm_charset;
bool gm_charset_has(const gm_charset *s, uint32_t u);

typedef enum gm_re_kind {
    GM_RE_EMPTY,
    GM_RE_SET,    /* one character of set */
    GM_RE_CAT,    /* left, then right */
    GM_RE_ALT,    /* left, or else right */
    GM_RE_REPEAT, /* left, min to max times (max < 0: any number) */
    GM_RE_BEGIN,
    GM_RE_END,
    GM_RE_WORD_EDGE,
    GM_RE_NO_WORD_EDGE
} gm_re_kind;

typedef struct gm_re_node {
    gm_re_kind kind;
    const struct gm_re_node *left, *right;
    const gm_charset *set;
    int min, max;
    bool lazy;
} gm_re_node;

enum { GM_RE_REPEATS = 1000 };
gm_code gm_regex_parse(gm_cx *cx, gm_arena *a, const char *pattern, const char *what,
                       const gm_re_node **out) GM_NODISCARD;
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex.h - regular expressions over UTF-8 in time linear in the text: Thompson's construction, run by a Pike
 * VM (Cox, "Regular Expression Matching: the Virtual Machine Approach", 2009). Leftmost, first alternative
 * first, as Java.
 *
 * The dialect is the part of Java's that has no look-around and no back-references: characters, . [a-z]
 * [^...] \d \w \s \D \W \S \b \B \t \n \r \f \xhh \uhhhh \p{L} \p{M} \p{N} \p{P} \p{S} and Java's ASCII
 * classes (\p{Alpha}, ...), groups,
 * |, * + ? {m} {m,} {m,n} and their lazy forms, ^ and $ for the ends of the text.
 */
#ifndef GM_FEATURE_REGEX_H
#define GM_FEATURE_REGEX_H
#include "base/text.h"

typedef struct gm_regex gm_regex;
typedef struct gm_matcher gm_matcher;

/* GM_EPARAM when the pattern is wrong, with the place. what names the owner in messages. */
gm_code gm_regex_new(gm_cx *cx, gm_arena *a, const char *pattern, const char *what,
                     gm_regex **out) GM_NODISCARD;
/* Room for matching on one thread. */
gm_code gm_matcher_new(gm_cx *cx, gm_arena *a, const gm_regex *re, gm_matcher **out) GM_NODISCARD;
/* The first match in text[0, n) that begins at from or later; false: none. */
bool gm_regex_find(const gm_regex *re, gm_matcher *m, const char *text, size_t n, size_t from, size_t *start,
                   size_t *end);
#endif

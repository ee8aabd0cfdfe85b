/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stop_words.h - lists of common words, by language.
 */
#ifndef GM_FEATURE_STOP_WORDS_H
#define GM_FEATURE_STOP_WORDS_H

extern const char *const gm_stop_languages[]; /* "danish", ...; NULL-terminated */
extern const char *const gm_stop_lists[];     /* the words of each, with a blank between */
enum { GM_STOP_ENGLISH = 2 };                 /* its place in the lists */
#endif

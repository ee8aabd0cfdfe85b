/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.h - a WORDS column built row by row.
 */
#ifndef GM_FEATURE_WORDS_H
#define GM_FEATURE_WORDS_H
#include "stage/stage.h"

typedef struct gm_words {
    gm_apply *ap;
    gm_text *text;
    int64_t n, cap, *off;
    int64_t row; /* the row being filled */
} gm_words;

gm_code gm_words_begin(gm_words *w, gm_apply *ap, int64_t expect) GM_NODISCARD;
/* t is not copied: its bytes live as long as the tile. */
gm_code gm_words_add(gm_words *w, gm_text t) GM_NODISCARD;
void gm_words_end_row(gm_words *w);
void gm_words_close(gm_words *w, int k); /* output k is the rows so far */
#endif

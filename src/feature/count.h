/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count.h - how often each text occurs in a column, mergeable. A column in dictionary form is counted by
 * code, one add per row; texts by view go through a dictionary of the counter's own.
 */
#ifndef GM_FEATURE_COUNT_H
#define GM_FEATURE_COUNT_H
#include "table/column.h"

typedef struct gm_counts {
    const gm_dict *shared; /* counts are by the codes of this dictionary, the column's */
    gm_dict *own;          /* or of this one */
    int64_t cap;           /* codes that the arrays hold */
    int64_t *n;
    int64_t *docs, *last; /* WORDS: rows that have the text, and the latest of them (from 1) */
    int64_t rows;
} gm_counts;

/* A text that was seen, how often, and (WORDS) in how many rows. */
typedef struct gm_counted {
    gm_text text;
    int64_t n, docs;
} gm_counted;

/* Counts the texts of a TEXT column, leaving out missing ones, or all words of a WORDS column. */
gm_code gm_counts_add(gm_cx *cx, gm_arena *a, gm_counts *c, const gm_column *column,
                      int64_t rows) GM_NODISCARD;
/* from is used up: into may take its memory. */
gm_code gm_counts_merge(gm_cx *cx, gm_arena *a, gm_counts *into, gm_counts *from) GM_NODISCARD;
/* The texts seen, rising by bytes; the texts themselves stay the dictionary's. */
gm_code gm_counts_list(gm_cx *cx, gm_arena *a, const gm_counts *c, gm_counted **out, int64_t *n) GM_NODISCARD;
#endif

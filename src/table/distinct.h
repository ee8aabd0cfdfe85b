/* SPDX-License-Identifier: Apache-2.0 */
/*
 * distinct.h - how many different values went by, in 2 KB: exact up to GM_DISTINCT_EXACT, from there on a
 * HyperLogLog of 2,048 registers (2.3 % standard error). Neither order nor joining changes the answer.
 *
 * Ertl, New cardinality estimation algorithms for HyperLogLog sketches (2017): the improved raw estimator,
 * which needs no tables and no change of formula for small or large counts.
 */
#ifndef GM_TABLE_DISTINCT_H
#define GM_TABLE_DISTINCT_H
#include "table/column.h"

enum { GM_DISTINCT_EXACT = 128, GM_DISTINCT_SLOTS = 2 * GM_DISTINCT_EXACT, GM_DISTINCT_REGISTERS = 2048 };

/* {0} is empty. One thread's at a time. */
typedef struct gm_distinct {
    int32_t kept;    /* hashes in slot while they are kept; negative once registers count */
    uint64_t latest; /* the hash that came last: values often repeat */
    union {
        uint64_t slot[GM_DISTINCT_SLOTS]; /* open addressing; 0 is free */
        uint8_t of[GM_DISTINCT_REGISTERS];
    };
} gm_distinct;

/* hash: all 64 bits alike good, as from gm_text_hash and gm_mix64. */
void gm_distinct_add(gm_distinct *d, uint64_t hash);
void gm_distinct_join(gm_distinct *d, const gm_distinct *other);
double gm_distinct_count(const gm_distinct *d); /* a whole number */
/* The hash of a number: -0 is 0, and there is one NaN. */
uint64_t gm_distinct_real(double x);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rowhash.h - rows identified by their content, for splits and samples that depend on neither order nor
 * threads.
 *
 * Canonical: equal numbers alike, -0 = 0, one NaN, text by its bytes. Equal rows within one tile are told
 * apart by their ordinal among equals, so that data with few distinct rows still split evenly.
 */
#ifndef GM_TABLE_ROWHASH_H
#define GM_TABLE_ROWHASH_H
#include "table/column.h"

/* out[i] for each row of b (at most GM_TILE), which has REAL and TEXT columns only; either form of TEXT gives
 * the same. */
void gm_row_hash(const gm_batch *b, uint64_t seed, uint64_t *out);
/* The same without the ordinal: equal keys stay together. */
void gm_key_hash(const gm_batch *b, uint64_t seed, uint64_t *out);
/* Spark's randomSplit: the part whose slice of [0, 1) holds hash / 2^64; cumulative has n rising ends, the
 * last is 1. */
int gm_split_part(uint64_t hash, const double *cumulative, int n);
#endif

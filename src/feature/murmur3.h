/* SPDX-License-Identifier: Apache-2.0 */
/*
 * murmur3.h - MurmurHash3_x86_32 (Appleby 2011) of bytes, with Spark's seed 42: the index of a hashed term is
 * the same as in Spark 3.
 */
#ifndef GM_FEATURE_MURMUR3_H
#define GM_FEATURE_MURMUR3_H
#include <stddef.h>
#include <stdint.h>

uint32_t gm_murmur3(const char *p, size_t n);
/* The element of a vector of `width` that a term goes to: the hash, taken as signed, modulo width. */
uint32_t gm_hash_index(const char *p, size_t n, int64_t width);
#endif

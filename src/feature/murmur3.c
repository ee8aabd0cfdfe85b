/* SPDX-License-Identifier: Apache-2.0 */
/*
 * murmur3.c - MurmurHash3_x86_32 (Appleby 2011), seed 42.
 */
#include "feature/murmur3.h"
#include <string.h>

static inline uint32_t rotate(uint32_t x, int r) { return x << r | x >> (32 - r); }

static inline uint32_t mix(uint32_t k) { return rotate(k * UINT32_C(0xcc9e2d51), 15) * UINT32_C(0x1b873593); }

uint32_t gm_murmur3(const char *p, size_t n)
{
    uint32_t h = 42, tail = 0;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        unsigned char b[4];
        memcpy(b, p + i, 4);
        uint32_t k = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        h = rotate(h ^ mix(k), 13) * 5 + UINT32_C(0xe6546b64);
    }
    for (size_t j = n; j > i; j--) tail = tail << 8 | (unsigned char)p[j - 1];
    h ^= mix(tail);
    h ^= (uint32_t)n;
    h = (h ^ h >> 16) * UINT32_C(0x85ebca6b);
    h = (h ^ h >> 13) * UINT32_C(0xc2b2ae35);
    return h ^ h >> 16;
}

uint32_t gm_hash_index(const char *p, size_t n, int64_t width)
{
    int64_t h = (int32_t)gm_murmur3(p, n), r = h % width;
    return (uint32_t)(r < 0 ? r + width : r);
}

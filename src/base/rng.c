/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rng.c - Philox4x32-10: ten rounds of two 32 x 32 -> 64 bit products, the key bumped by a Weyl sequence.
 * Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (SC 2011), section 3.2.
 */
#include "base/rng.h"
#include <math.h>

void gm_philox(uint64_t seed, uint64_t stream, uint64_t counter, uint32_t out[4])
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    uint32_t c0 = (uint32_t)counter, c1 = (uint32_t)(counter >> 32);
    uint32_t c2 = (uint32_t)stream, c3 = (uint32_t)(stream >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
        uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        c0 = n0;
        c2 = n2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/* 53 bits of a draw, in [0, 1). */
static double unit(uint32_t lo, uint32_t hi) { return (double)(((uint64_t)hi << 32 | lo) >> 11) * 0x1p-53; }

double gm_uniform(uint64_t seed, uint64_t stream, uint64_t counter)
{
    uint32_t r[4];
    gm_philox(seed, stream, counter, r);
    return unit(r[0], r[1]);
}

double gm_normal(uint64_t seed, uint64_t stream, uint64_t counter)
{
    uint32_t r[4];
    gm_philox(seed, stream, counter, r);
    double u = 1 - unit(r[0], r[1]); /* in (0, 1]: the logarithm is finite */
    return sqrt(-2 * log(u)) * cos(6.283185307179586477 * unit(r[2], r[3]));
}

uint64_t gm_mix64(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

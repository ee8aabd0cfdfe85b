/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rng.h - counter-based random numbers: Philox4x32-10 (Salmon et al., SC 2011). A draw is a pure function of
 * (seed, stream, counter), so neither threads nor ranks change it.
 */
#ifndef GM_BASE_RNG_H
#define GM_BASE_RNG_H
#include <stdint.h>

void gm_philox(uint64_t seed, uint64_t stream, uint64_t counter, uint32_t out[4]);
double gm_uniform(uint64_t seed, uint64_t stream, uint64_t counter); /* in [0, 1), 53 bits */
double gm_normal(uint64_t seed, uint64_t stream, uint64_t counter);  /* Box-Muller */
uint64_t gm_mix64(uint64_t x);                                       /* a bijective finaliser (splitmix64) */
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * marks_isa.c - where the bytes are that cut a CSV: one bit per byte, 64 bytes at a time.
 */
#include "kernel/isa.h"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512BW__)
enum { STEP = 64 };
typedef __m512i bytes;
static inline bytes load(const char *p) { return _mm512_loadu_si512(p); }
static inline bytes all(char c) { return _mm512_set1_epi8(c); }
static inline uint64_t same(bytes a, bytes b) { return _mm512_cmpeq_epi8_mask(a, b); }
static inline uint64_t high(bytes a) { return _mm512_movepi8_mask(a); }
#elif defined(__AVX2__)
enum { STEP = 32 };
typedef __m256i bytes;
static inline bytes load(const char *p) { return _mm256_loadu_si256((const __m256i *)(const void *)p); }
static inline bytes all(char c) { return _mm256_set1_epi8(c); }
static inline uint64_t high(bytes a) { return (uint32_t)_mm256_movemask_epi8(a); }
static inline uint64_t same(bytes a, bytes b) { return high(_mm256_cmpeq_epi8(a, b)); }
#elif defined(__SSE2__)
enum { STEP = 16 };
typedef __m128i bytes;
static inline bytes load(const char *p) { return _mm_loadu_si128((const __m128i *)(const void *)p); }
static inline bytes all(char c) { return _mm_set1_epi8(c); }
static inline uint64_t high(bytes a) { return (uint32_t)_mm_movemask_epi8(a); }
static inline uint64_t same(bytes a, bytes b) { return high(_mm_cmpeq_epi8(a, b)); }
#else
enum { STEP = 1 };
typedef char bytes;
static inline bytes load(const char *p) { return *p; }
static inline bytes all(char c) { return c; }
static inline uint64_t same(bytes a, bytes b) { return a == b; }
static inline uint64_t high(bytes a) { return (unsigned char)a >> 7; }
#endif

unsigned GM_ISA_NAME(gm_marks)(const char *p, int64_t blocks, char delim, char quote, uint64_t *marks,
                               uint64_t *quotes)
{
    const bytes d = all(delim), q = all(quote), lf = all('\n'), cr = all('\r'), none = all(0);
    uint64_t wide = 0, zero = 0;
    for (int64_t b = 0; b < blocks; b++) {
        uint64_t cut = 0, quoted = 0;
        for (int k = 0; k < 64; k += STEP) {
            bytes v = load(p + b * 64 + k);
            uint64_t is_quote = same(v, q);
            cut |= (same(v, d) | is_quote | same(v, lf) | same(v, cr)) << k;
            quoted |= is_quote << k;
            wide |= high(v);
            zero |= same(v, none);
        }
        marks[b] = cut;
        quotes[b] = quoted;
    }
    return (wide ? GM_MARKS_WIDE : 0) | (zero ? GM_MARKS_ZERO : 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * isa.h - what the files *_isa.c share. They are compiled once per instruction set with
 * -DGM_ISA=base|avx2|avx512; names end with it. Vectors are GCC's vector extension, so one source serves all:
 * gm_v is as wide as the machine's.
 */
#ifndef GM_KERNEL_ISA_H
#define GM_KERNEL_ISA_H
#include "kernel/kernel.h"
#include <string.h>

#ifndef GM_ISA
#define GM_ISA base
#endif
#define GM_ISA_PASTE2(a, b) a##_##b
#define GM_ISA_PASTE(a, b) GM_ISA_PASTE2(a, b)
#define GM_ISA_NAME(f) GM_ISA_PASTE(f, GM_ISA)

/* Doubles per vector, and the lanes over which every sum runs, whatever the vector: LANES / VL vectors. */
#if defined(__AVX512F__)
enum { VL = 8 };
#elif defined(__AVX2__)
enum { VL = 4 };
#else
enum { VL = 2 };
#endif
enum { LANES = 16, NV = LANES / VL };

typedef double gm_v __attribute__((vector_size(VL * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef int64_t gm_vi __attribute__((vector_size(VL * sizeof(double)), aligned(sizeof(double)), may_alias));

static inline gm_v gm_load(const double *p) { return *(const gm_v *)p; }
static inline void gm_store(double *p, gm_v v) { *(gm_v *)p = v; }
static inline gm_v gm_splat(double x) { return x - (gm_v){0}; }

/* LANES running sums. */
typedef struct gm_lanes {
    gm_v v[NV];
} gm_lanes;

/* The last n < LANES entries of an array, filled up: sums treat them like all others, vector by vector. */
static inline const double *gm_tail(const double *x, int64_t n, double fill, double room[LANES])
{
    for (int k = 0; k < LANES; k++) room[k] = k < n ? x[k] : fill;
    return room;
}

/* The upper half is added to the lower one until one is left: the order does not depend on VL. */
static inline double gm_lanes_sum(const gm_lanes *s)
{
    gm_v v[NV];
    double t[VL];
    memcpy(v, s, sizeof v);
    for (int half = NV / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++) v[k] += v[k + half];
    memcpy(t, v, sizeof t);
    for (int half = VL / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++) t[k] += t[k + half];
    return t[0];
}

double GM_ISA_NAME(gm_logistic)(int64_t n, const double *m, const double *y, const double *w, double *r);
void GM_ISA_NAME(gm_sigmoid)(int64_t n, const double *m, double *p);
double GM_ISA_NAME(gm_softmax)(int64_t n, int64_t k, int64_t stride, const double *m, const double *y,
                               const double *w, double *r);
unsigned GM_ISA_NAME(gm_marks)(const char *p, int64_t blocks, char delim, char quote, uint64_t *marks,
                               uint64_t *quotes);
void GM_ISA_NAME(gm_gram)(const gm_block *b, const double *shift, int64_t from, int64_t to, double *g);
#endif

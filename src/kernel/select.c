/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select.c - the tables that this processor can run, best last.
 */
#include "kernel/kernel.h"
#include <stddef.h>

extern const gm_kernel gm_kernel_base;
#if defined(__x86_64__)
extern const gm_kernel gm_kernel_avx2, gm_kernel_avx512;
static const gm_kernel *const tables[] = {&gm_kernel_reference, &gm_kernel_base, &gm_kernel_avx2,
                                          &gm_kernel_avx512};

const gm_kernel *const *gm_kernels(int *n)
{
    int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    int avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    *n = avx512 ? 4 : avx2 ? 3 : 2;
    return tables;
}
#else
static const gm_kernel *const tables[] = {&gm_kernel_reference, &gm_kernel_base};

const gm_kernel *const *gm_kernels(int *n)
{
    *n = 2;
    return tables;
}
#endif

const gm_kernel *gm_kernel_best(void)
{
    int n;
    const gm_kernel *const *all = gm_kernels(&n);
    return all[n - 1];
}

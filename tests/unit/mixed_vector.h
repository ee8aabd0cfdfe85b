/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mixed_vector.h - six rows of seven numbers, as dense, one-hot and sparse parts and as one dense part.
 */
#ifndef GM_TESTS_MIXED_VECTOR_H
#define GM_TESTS_MIXED_VECTOR_H
#include "stage_driver.h"

enum { N = 6, WIDTH = 7 };
static const double dense[] = {1, 2, 4, 8, 16, 32, /**/ -1, 0, 1, 2, 3, 7};
static const uint32_t code[] = {0, 1, 1, 2, 9, 1};
static const int64_t off[] = {0, 1, 1, 2, 3, 3, 5};
static const uint32_t idx[] = {0, 1, 0, 0, 1};
static const double val[] = {2, 3, -4, 1, 1};
static const gm_part mixed[] = {
    {.form = GM_DENSE, .width = 2, .x = dense, .stride = N},
    {.form = GM_CODED, .width = 3, .code = code},
    {.form = GM_SPARSE, .width = 2, .off = off, .idx = idx, .val = val},
};
/* column by column */
static const double plain[] = {1,      2, 4, 8, 16, 32, /**/ -1, 0, 1, 2, 3, 7, /**/ 1, 0, 0, 0,  0, 0,
                               /**/ 0, 1, 1, 0, 0,  1,  /**/ 0,  0, 0, 1, 0, 0, /**/ 2, 0, 0, -4, 0, 1,
                               /**/ 0, 0, 3, 0, 0,  1};
static const gm_part one[] = {{.form = GM_DENSE, .width = WIDTH, .x = plain, .stride = N}};

/* The stage makes the same of both, in any number of parts. */
static inline void expect_forms_agree(const char *stage, const char *json, double tol)
{
    for (int parts = 1; parts <= 7; parts += 3) {
        driver a, b;
        driver_open(&a);
        driver_open(&b);
        gm_column x[] = {vector(mixed, 3)}, y[] = {vector(one, 1)};
        driver_run(&a, stage, json, x, N, parts);
        driver_run(&b, stage, json, y, N, parts);
        assert_int_equal(a.out[0].width, b.out[0].width);
        expect_reals(driver_dense(&a, 0, N), driver_dense(&b, 0, N), N * a.out[0].width, tol, __FILE__,
                     __LINE__);
        driver_close(&a);
        driver_close(&b);
    }
}

/* One column of a vector, its rows one after another. */
static inline gm_part column_part(const double *x)
{
    return (gm_part){.form = GM_DENSE, .width = 1, .x = x, .stride = 32};
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "stage_driver.h"

typedef struct holder {
    double *x, *m;
    int64_t *k, n, n_m, cols, n_k;
    gm_texts t;
} holder;
static const gm_state rows[] = {
    GM_S_REALS(holder, x, n, "numbers"),
    GM_S_MATRIX(holder, m, n_m, cols, "a matrix"),
    GM_S_INTS(holder, k, n, "as many as x"),
    GM_S_TEXTS(holder, t, "texts"),
    {0},
};
static const gm_stage stage = {.name = "Holder", .states = rows, .state_size = sizeof(holder)};

static void copies(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    double x[] = {1, 2}, m[] = {1, 2, 3, 4, 5, 6};
    int64_t k[] = {7, 8}, off[] = {2, 4, 4, 5};
    holder from = {x, m, k, 2, 6, 3, 0, {3, off, "..abc"}}, to = {0};
    OK(&d, gm_state_copy(d.cx, &d.a, &stage, &from, &to));
    assert_int_equal(gm_state_count(&stage), 4);
    assert_ptr_not_equal(to.x, x);
    EXPECT_REALS(gm_state_at(&stage, &to, 0).real, 0, 1, 2);
    gm_array got = gm_state_at(&stage, &to, 1);
    assert_int_equal(got.n, 6);
    assert_int_equal(got.cols, 3);
    EXPECT_REALS(got.real, 0, 1, 2, 3, 4, 5, 6);
    assert_int_equal(gm_state_at(&stage, &to, 2).ints[1], 8);
    EXPECT_TEXTS(&to.t, "ab", "", "c");
    driver_close(&d);
}

static void lengths_that_do_not_agree(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    holder to = {0};
    gm_array two = {.n = 2, .real = (const double[]){1, 2}},
             three = {.n = 3, .ints = (const int64_t[]){1, 2, 3}};
    OK(&d, gm_state_set(d.cx, &stage, &to, 0, &two));
    driver_fails(&d, gm_state_set(d.cx, &stage, &to, 2, &three), GM_EMODEL,
                 "'k' has length 3, but 'x' has 2");
    driver_fails(&d, gm_state_set(d.cx, &stage, &to, 1, &two), GM_EMODEL, "'m' must be a matrix");
    gm_array odd = {.n = 5, .cols = 3, .real = (const double[]){1, 2, 3, 4, 5}};
    driver_fails(&d, gm_state_set(d.cx, &stage, &to, 1, &odd), GM_EMODEL, "5 elements in rows of 3");
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(copies), cmocka_unit_test(lengths_that_do_not_agree))

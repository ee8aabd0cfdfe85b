/* SPDX-License-Identifier: Apache-2.0 */
#include "mixed_vector.h"

static void forms_agree(void **s)
{
    (void)s;
    expect_forms_agree("Normalizer", "{\"inputCol\": \"v\"}", 4e-16);
    expect_forms_agree("Normalizer", "{\"inputCol\": \"v\", \"p\": 1}", 4e-16);
    expect_forms_agree("Normalizer", "{\"inputCol\": \"v\", \"p\": 3.5}", 4e-16);
    expect_forms_agree("Normalizer", "{\"inputCol\": \"v\", \"p\": \"inf\"}", 0);
}

static void by_hand(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const double x[] = {3, 0, 1, /**/ -4, 0, NAN};
    gm_part p = {.form = GM_DENSE, .width = 2, .x = x, .stride = 3};
    gm_column in[] = {vector(&p, 1)};
    driver_run(&d, "Normalizer", "{\"inputCol\": \"v\"}", in, 3, 1);
    EXPECT_REALS(driver_dense(&d, 0, 3), 0, 0.6, -0.8, 0, 0, NAN, NAN);
    driver_run(&d, "Normalizer", "{\"inputCol\": \"v\", \"p\": 1}", in, 3, 1);
    EXPECT_REALS(driver_dense(&d, 0, 3), 0, 3.0 / 7, -4.0 / 7, 0, 0, NAN, NAN);
    driver_run(&d, "Normalizer", "{\"inputCol\": \"v\", \"p\": \"inf\"}", in, 3, 1);
    EXPECT_REALS(driver_dense(&d, 0, 3), 0, 0.75, -1, 0, 0, NAN, NAN);
    driver_close(&d);
}

static void rows_without_entries(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const uint32_t none[] = {7, 0, 7, 7, 1, 7};
    gm_part p = {.form = GM_CODED, .width = 2, .code = none};
    gm_column in[] = {vector(&p, 1)};
    driver_run(&d, "Normalizer", "{\"inputCol\": \"v\"}", in, 6, 1);
    EXPECT_REALS(driver_dense(&d, 0, 6), 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0);
    driver_close(&d);
}

static void bad_norm(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    driver_fails(&d, driver_configure(&d, "Normalizer", "{\"inputCol\": \"v\", \"p\": 0.5}"), GM_EPARAM,
                 "p is 0.5");
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(forms_agree), cmocka_unit_test(by_hand), cmocka_unit_test(rows_without_entries),
            cmocka_unit_test(bad_norm))

/* SPDX-License-Identifier: Apache-2.0 */
#include "mixed_vector.h"

static void forms_agree(void **s)
{
    (void)s;
    expect_forms_agree("MaxAbsScaler", "{\"inputCol\": \"v\"}", 0);
}

static void by_hand(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    double x[] = {-4, 1, NAN, 2}, zero[] = {0, 0, 0};
    gm_part p = column_part(x);
    gm_column in[] = {vector(&p, 1)};
    driver_run(&d, "MaxAbsScaler", "{\"inputCol\": \"v\"}", in, 4, 3);
    EXPECT_REALS(driver_dense(&d, 0, 4), 0, -1, 0.25, NAN, 0.5);
    EXPECT_REALS(state_of(&d, "maxAbs").real, 0, 4);
    p.x = zero;
    driver_run(&d, "MaxAbsScaler", "{\"inputCol\": \"v\"}", in, 3, 1);
    EXPECT_REALS(driver_dense(&d, 0, 3), 0, 0, 0, 0);
    driver_close(&d);
}

static void forms_are_kept(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    gm_column in[] = {vector(mixed, 3)};
    driver_run(&d, "MaxAbsScaler", "{\"inputCol\": \"v\"}", in, N, 1);
    for (int k = 0; k < 3; k++) assert_int_equal(d.out[0].part[k].form, mixed[k].form);
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(forms_agree), cmocka_unit_test(by_hand), cmocka_unit_test(forms_are_kept))

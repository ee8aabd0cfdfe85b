/* SPDX-License-Identifier: Apache-2.0 */
#include "mixed_vector.h"

static void forms_agree(void **s)
{
    (void)s;
    expect_forms_agree("MinMaxScaler", "{\"inputCol\": \"v\"}", 0);
    expect_forms_agree("MinMaxScaler", "{\"inputCol\": \"v\", \"min\": -2, \"max\": 5}", 0);
}

static void ends_are_met_exactly(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    double x[] = {49, 98, 3.3, NAN, 0.1};
    gm_part p = column_part(x);
    gm_column in[] = {vector(&p, 1)};
    driver_run(&d, "MinMaxScaler", "{\"inputCol\": \"v\"}", in, 5, 2);
    EXPECT_REALS(driver_dense(&d, 0, 5), 1e-15, 48.9 / 97.9, 1, 3.2 / 97.9, NAN, 0);
    assert_true(driver_dense(&d, 0, 5)[1] == 1 && driver_dense(&d, 0, 5)[4] == 0);
    driver_run(&d, "MinMaxScaler", "{\"inputCol\": \"v\", \"min\": 1, \"max\": 4}", in, 5, 2);
    assert_true(driver_dense(&d, 0, 5)[1] == 4 && driver_dense(&d, 0, 5)[4] == 1);
    driver_close(&d);
}

static void constant_is_the_middle(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    double x[] = {7, 7, 7};
    gm_part p = column_part(x);
    gm_column in[] = {vector(&p, 1)};
    driver_run(&d, "MinMaxScaler", "{\"inputCol\": \"v\", \"min\": -1, \"max\": 2}", in, 3, 1);
    EXPECT_REALS(driver_dense(&d, 0, 3), 0, 0.5, 0.5, 0.5);
    driver_close(&d);
}

static void one_hot_stays_coded(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    gm_column in[] = {vector(&mixed[1], 1)};
    driver_run(&d, "MinMaxScaler", "{\"inputCol\": \"v\"}", in, N, 2);
    assert_int_equal(d.out[0].part[0].form, GM_CODED);
    gm_part wide = {.form = GM_CODED, .width = 20000, .code = code}; /* most levels never occur: constant */
    gm_column too_wide[] = {vector(&wide, 1)};
    OK(&d, driver_configure(&d, "MinMaxScaler", "{\"inputCol\": \"v\"}"));
    driver_fails(&d, driver_fit(&d, too_wide, N, 1), GM_ELIMIT, "MaxAbsScaler");
    driver_close(&d);
}

static void bad_range(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    driver_fails(&d, driver_configure(&d, "MinMaxScaler", "{\"inputCol\": \"v\", \"min\": 2}"), GM_EPARAM,
                 "min is 2 and max 1");
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(forms_agree), cmocka_unit_test(ends_are_met_exactly),
            cmocka_unit_test(constant_is_the_middle), cmocka_unit_test(one_hot_stays_coded),
            cmocka_unit_test(bad_range))

/* SPDX-License-Identifier: Apache-2.0 */
#include "mixed_vector.h"

static void forms_agree(void **s)
{
    (void)s;
    expect_forms_agree("RobustScaler", "{\"inputCol\": \"v\"}", 0);
    expect_forms_agree("RobustScaler", "{\"inputCol\": \"v\", \"withCentering\": true}", 0);
    expect_forms_agree(
        "RobustScaler",
        "{\"inputCol\": \"v\", \"withCentering\": true, \"withScaling\": false, \"lower\": 0.1, "
        "\"upper\": 0.6}",
        0);
}

/* 1..8 and an outlier: ranks ceil(9/4) = 3, 5, 7 */
static void by_hand(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    double x[] = {3, 1e12, 1, 2, NAN, 8, 7, 6, 4, 5};
    gm_part p = column_part(x);
    gm_column in[] = {vector(&p, 1)};
    driver_run(&d, "RobustScaler", "{\"inputCol\": \"v\", \"withCentering\": true}", in, 10, 4);
    EXPECT_REALS(state_of(&d, "median").real, 0, 5);
    EXPECT_REALS(state_of(&d, "range").real, 0, 4);
    EXPECT_REALS(driver_dense(&d, 0, 10), 0, -0.5, (1e12 - 5) / 4, -1, -0.75, NAN, 0.75, 0.5, 0.25, -0.25, 0);
    driver_run(&d, "RobustScaler", "{\"inputCol\": \"v\", \"lower\": 0.1, \"upper\": 0.9}", in, 10, 1);
    EXPECT_REALS(state_of(&d, "range").real, 0, 1e12 - 1);
    driver_close(&d);
}

static void no_range_gives_zero(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    double x[] = {2, 2, 2, 2, 9};
    gm_part p = column_part(x);
    gm_column in[] = {vector(&p, 1)};
    driver_run(&d, "RobustScaler", "{\"inputCol\": \"v\"}", in, 5, 2);
    EXPECT_REALS(driver_dense(&d, 0, 5), 0, 0, 0, 0, 0, 0);
    driver_close(&d);
}

static void bad_range(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    driver_fails(&d, driver_configure(&d, "RobustScaler", "{\"inputCol\": \"v\", \"lower\": 0.8}"), GM_EPARAM,
                 "lower is 0.8 and upper 0.75");
    driver_fails(&d, driver_configure(&d, "RobustScaler", "{\"inputCol\": \"v\", \"lower\": 0}"), GM_EPARAM,
                 "lower");
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(forms_agree), cmocka_unit_test(by_hand), cmocka_unit_test(no_range_gives_zero),
            cmocka_unit_test(bad_range))

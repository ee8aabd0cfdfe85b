/* SPDX-License-Identifier: Apache-2.0 */
#include "mixed_vector.h"

/* dense = sparse = one-hot, to the bit, in any number of parts to rounding */
static void forms_agree(void **s)
{
    (void)s;
    const char *json[] = {"{\"inputCol\": \"v\"}", "{\"inputCol\": \"v\", \"withMean\": true}",
                          "{\"inputCol\": \"v\", \"withMean\": true, \"withStd\": false}",
                          "{\"inputCol\": \"v\", \"withStd\": false}"};
    for (int j = 0; j < 4; j++) expect_forms_agree("StandardScaler", json[j], 4e-16);
    driver d;
    driver_open(&d);
    gm_column x[] = {vector(mixed, 3)};
    driver_run(&d, "StandardScaler", json[0], x, N, 2);
    assert_int_equal(d.out[0].part[1].form, GM_CODED);
    assert_int_equal(d.out[0].part[2].form, GM_SPARSE);
    driver_close(&d);
}

/* By hand: column 1 has mean 2, squares 9+4+1+0+1+25 = 40, so std = sqrt(8). */
static void by_hand(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    gm_column in[] = {vector(one, 1)};
    driver_run(&d, "StandardScaler", "{\"inputCol\": \"v\", \"withMean\": true}", in, N, 2);
    double r = sqrt(8), *x = driver_dense(&d, 0, N);
    EXPECT_REALS(((double[]){x[1], x[8], x[15], x[22], x[29], x[36]}), 1e-15, -3 / r, -2 / r, -1 / r, 0,
                 1 / r, 5 / r);
    EXPECT_REALS(state_of(&d, "mean").real, 1e-15, 10.5, 2, 1.0 / 6, 0.5, 1.0 / 6, -1.0 / 6, 4.0 / 6);
    assert_true(near_to(state_of(&d, "std").real[3], sqrt(0.3), 1e-15));
    driver_close(&d);
}

/* cases.md: constant column */
static void constant(void **s)
{
    (void)s;
    const double fives[] = {5, 5, 5};
    const char *json[] = {"{\"inputCol\": \"v\", \"withMean\": true}", "{\"inputCol\": \"v\"}"};
    const char *const names[] = {"speed"};
    for (int i = 0; i < 2; i++) {
        driver d;
        driver_open(&d);
        gm_part p = column_part(fives);
        gm_column in[] = {vector(&p, 1)};
        d.in_attr[0].names = (gm_names){1, names};
        driver_run(&d, "StandardScaler", json[i], in, 3, 2);
        EXPECT_REALS(driver_dense(&d, 0, 3), 0, 0, 0, 0);
        assert_int_equal(d.warnings, 1);
        assert_non_null(strstr(d.warning, "data.constant: StandardScaler: 'speed' is constant"));
        driver_close(&d);
    }
}

/* cases.md: rounding noise vs real tiny variance */
static void noise_and_tiny_variance(void **s)
{
    (void)s;
    driver d;
    double p[22], q[] = {1e-12, 2e-12, 3e-12};
    for (int i = 0; i < 22; i++) p[i] = log(0.00001);
    driver_open(&d);
    gm_part part = column_part(p);
    gm_column in[] = {vector(&part, 1)};
    driver_run(&d, "StandardScaler", "{\"inputCol\": \"v\", \"withMean\": true}", in, 22, 4);
    for (int i = 0; i < 22; i++) assert_true(driver_dense(&d, 0, 22)[i] == 0);
    for (int i = 0; i < 22; i++) p[i] = i % 2 ? 0.1 + 0.2 : 0.3; /* one unit in the last place apart */
    driver_run(&d, "StandardScaler", "{\"inputCol\": \"v\", \"withMean\": true}", in, 22, 4);
    for (int i = 0; i < 22; i++) assert_true(driver_dense(&d, 0, 22)[i] == 0);
    part.x = q;
    driver_run(&d, "StandardScaler", "{\"inputCol\": \"v\", \"withMean\": true}", in, 3, 2);
    EXPECT_REALS(driver_dense(&d, 0, 3), 1e-12, -1, 0, 1);
    driver_close(&d);
}

static void large_offset(void **s)
{
    (void)s;
    driver d;
    double x[] = {1e9 + 0.25, 1e9 + 0.5, 1e9 + 0.75, 1e9 + 1.0, 1e9 + 1.25}, r = sqrt(2.5);
    driver_open(&d);
    gm_part part = column_part(x);
    gm_column in[] = {vector(&part, 1)};
    for (int parts = 1; parts < 5; parts++) {
        driver_run(&d, "StandardScaler", "{\"inputCol\": \"v\", \"withMean\": true}", in, 5, parts);
        EXPECT_REALS(driver_dense(&d, 0, 5), 1e-13, -2 / r, -1 / r, 0, 1 / r, 2 / r);
    }
    driver_close(&d);
}

static void missing_and_infinity(void **s)
{
    (void)s;
    driver d;
    double x[] = {1, NAN, 3, 5}, none[] = {NAN, NAN}, inf[] = {1, INFINITY, 2};
    driver_open(&d);
    gm_part part = column_part(x);
    gm_column in[] = {vector(&part, 1)};
    driver_run(&d, "StandardScaler", "{\"inputCol\": \"v\", \"withMean\": true}", in, 4, 2);
    EXPECT_REALS(driver_dense(&d, 0, 4), 1e-15, -1, NAN, 0, 1);
    part.x = none;
    driver_run(&d, "StandardScaler", "{\"inputCol\": \"v\", \"withMean\": true}", in, 2, 1);
    EXPECT_REALS(driver_dense(&d, 0, 2), 0, NAN, NAN);
    part.x = inf;
    driver_fails(&d, driver_fit(&d, in, 3, 1), GM_EDATA, "'v[0]' of column 'v' holds infinity");
    driver_fails(&d, driver_fit(&d, in, 0, 1), GM_EDATA, "has no rows to fit on");
    driver_close(&d);
}

static void too_wide_to_make_dense(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    gm_part wide = {.form = GM_CODED, .width = 20000, .code = code};
    gm_column in[] = {vector(&wide, 1)};
    driver_run(&d, "StandardScaler", "{\"inputCol\": \"v\"}", in, N,
               1); /* without the mean it stays as it is */
    assert_int_equal(d.out[0].part[0].form, GM_CODED);
    assert_int_equal(d.warnings, 0);
    OK(&d, driver_configure(&d, "StandardScaler", "{\"inputCol\": \"v\", \"withMean\": true}"));
    driver_fails(&d, driver_fit(&d, in, N, 1), GM_ELIMIT, "20000 one-hot or sparse elements");
    driver_close(&d);
}

static void levels_with_values(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const double level[] = {2, -3, 0.5};
    gm_part p = {.form = GM_CODED, .width = 3, .code = code, .level = level};
    gm_column in[] = {vector(&p, 1)};
    driver_run(&d, "StandardScaler", "{\"inputCol\": \"v\"}", in, N, 3);
    double y = sqrt(2.7); /* -3 three times of six: 9 * 0.3 */
    assert_true(near_to(driver_dense(&d, 0, N)[4], -3 / y, 1e-15));
    driver_close(&d);
}

static void damaged_state(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    gm_column in[] = {vector(one, 1)};
    driver_run(&d, "StandardScaler", "{\"inputCol\": \"v\"}", in, N, 1);
    d.in_attr[0].width = 8;
    driver_fails(&d, driver_ready(&d), GM_EMODEL, "'mean' has 7 elements, expected 8");
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(forms_agree), cmocka_unit_test(by_hand), cmocka_unit_test(constant),
            cmocka_unit_test(noise_and_tiny_variance), cmocka_unit_test(large_offset),
            cmocka_unit_test(missing_and_infinity), cmocka_unit_test(too_wide_to_make_dense),
            cmocka_unit_test(levels_with_values), cmocka_unit_test(damaged_state))

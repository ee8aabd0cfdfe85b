/* SPDX-License-Identifier: Apache-2.0 */
#include "stage_driver.h"

/* cases.md: repeated quantiles */
static void repeated(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const double x[] = {1, 1, 1, 1, 1, 1, 9};
    gm_column in[] = {reals(x)};
    driver_run(&d, "QuantileDiscretizer", "{\"inputCol\": \"x\", \"numBuckets\": 4}", in, 7, 3);
    EXPECT_REALS(state_of(&d, "splits").real, 0, -INFINITY, 1, INFINITY);
    EXPECT_REALS(d.out[0].real, 0, 1, 1, 1, 1, 1, 1, 1);
    assert_int_equal(d.warnings, 1);
    assert_non_null(
        strstr(d.warning, "data.buckets: QuantileDiscretizer: column 'x' gives 2 buckets, not 4"));
    assert_int_equal(d.out_attr[0].levels.n, 2);
    driver_close(&d);
}

/* cases.md: NaN */
static void missing(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const double x[] = {0.1, 0.4, NAN, 0.9, NAN};
    gm_column in[] = {reals(x)};
    OK(&d, driver_configure(&d, "QuantileDiscretizer", "{\"inputCol\": \"x\"}"));
    OK(&d, driver_fit(&d, in, 5, 2));
    EXPECT_REALS(state_of(&d, "splits").real, 0, -INFINITY, 0.4, INFINITY);
    driver_fails(&d, driver_apply(&d, in, 5), GM_EDATA, "column 'x' has a missing value");
    driver_run(&d, "QuantileDiscretizer", "{\"inputCol\": \"x\", \"handleInvalid\": \"skip\"}", in, 5, 2);
    assert_true(d.drop[2] && d.drop[4] && !d.drop[0] && !d.drop[1] && !d.drop[3]);
    assert_int_equal(d.tally[0].invalid, 2);
    driver_run(&d, "QuantileDiscretizer", "{\"inputCol\": \"x\", \"handleInvalid\": \"keep\"}", in, 5, 2);
    EXPECT_REALS(d.out[0].real, 0, 0, 1, 2, 1, 2);
    assert_int_equal(d.warnings, 0);
    driver_close(&d);
}

/* Split i of n values in k buckets is the one of rank ceil(i n / k); ten buckets of ten values are one value
 * each. */
static void ranks(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const double x[] = {7, 3, 9, 1, 10, 2, 8, 4, 6, 5};
    gm_column in[] = {reals(x), reals(x)};
    for (int parts = 1; parts < 12; parts += 5) {
        driver_run(&d, "QuantileDiscretizer", "{\"inputCols\": [\"a\", \"b\"], \"numBucketsArray\": [10, 3]}",
                   in, 10, parts);
        EXPECT_REALS(state_of(&d, "splits").real, 0, -INFINITY, 1, 2, 3, 4, 5, 6, 7, 8, 9, INFINITY,
                     -INFINITY, 4, 7, INFINITY);
        EXPECT_REALS(d.out[0].real, 0, 7, 3, 9, 1, 9, 2, 8, 4, 6, 5);
        EXPECT_REALS(d.out[1].real, 0, 2, 0, 2, 0, 2, 0, 2, 1, 1, 1);
    }
    driver_close(&d);
}

static void odd_values(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const double x[] = {-0.0, 0.0, -INFINITY, INFINITY}, none[] = {NAN};
    gm_column in[] = {reals(x)}, empty[] = {reals(none)};
    driver_run(&d, "QuantileDiscretizer", "{\"inputCol\": \"x\", \"numBuckets\": 4}", in, 4, 1);
    EXPECT_REALS(state_of(&d, "splits").real, 0, -INFINITY, 0, INFINITY);
    EXPECT_REALS(d.out[0].real, 0, 1, 1, 0, 1);
    driver_fails(&d, driver_fit(&d, empty, 1, 1), GM_EDATA, "column 'x' has no value at all");
    driver_fails(
        &d, driver_configure(&d, "QuantileDiscretizer", "{\"inputCol\": \"x\", \"numBucketsArray\": [2, 3]}"),
        GM_EPARAM, "2 numbers for 1 columns");
    driver_close(&d);
}

static void damaged_state(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const double x[] = {1, 2, 3};
    gm_column in[] = {reals(x)};
    driver_run(&d, "QuantileDiscretizer", "{\"inputCol\": \"x\"}", in, 3, 1);
    ((double *)(uintptr_t)state_of(&d, "splits").real)[1] = NAN;
    driver_fails(&d, driver_ready(&d), GM_EMODEL, "splits");
    ((int64_t *)(uintptr_t)state_of(&d, "start").ints)[1] = 2;
    driver_fails(&d, driver_ready(&d), GM_EMODEL, "'start' does not rise from 0 to 3");
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(repeated), cmocka_unit_test(missing), cmocka_unit_test(ranks),
            cmocka_unit_test(odd_values), cmocka_unit_test(damaged_state))

/* SPDX-License-Identifier: Apache-2.0 */
#include "stage_driver.h"

enum { N = 8 };
static const double c[] = {0, 1, 0, 2, 1, 0, NAN, 1}, y[] = {1, 0, 0, 1, 1, 1, 0, NAN};

/* rows with a label: 7, ones: 4; c=0: 2/3, c=1: 1/2, c=2: 1, missing: 0 */
static void binary(void **s)
{
    (void)s;
    for (int parts = 1; parts < 10; parts += 4) {
        driver d;
        driver_open(&d);
        gm_column in[] = {reals(c), reals(y)};
        driver_run(&d, "TargetEncoder", "{\"inputCol\": \"c\"}", in, N, parts);
        EXPECT_REALS(d.out[0].real, 0, 2.0 / 3, 0.5, 2.0 / 3, 1, 0.5, 2.0 / 3, 0, 0.5);
        EXPECT_REALS(state_of(&d, "overall").real, 0, 4.0 / 7);
        assert_int_equal(state_of(&d, "categories").ints[0], -1);
        driver_run(&d, "TargetEncoder", "{\"inputCol\": \"c\", \"smoothing\": 2}", in, N, parts);
        double m = 4.0 / 7;
        EXPECT_REALS(d.out[0].real, 1e-15, 0.6 * 2 / 3 + 0.4 * m, 0.25 + 0.5 * m, 0.4 + 0.4 * m,
                     1.0 / 3 + m * 2 / 3);
        driver_close(&d);
    }
}

static void continuous(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const double price[] = {10, 1, 20, 7, 2, 30, 5, 3};
    gm_column in[] = {reals(c), reals(c), reals(price)};
    driver_run(&d, "TargetEncoder",
               "{\"inputCols\": [\"a\", \"b\"], \"labelCol\": \"p\", \"targetType\": \"continuous\"}", in, N,
               3);
    EXPECT_REALS(d.out[0].real, 1e-15, 20, 2, 20, 7, 2, 20, 5, 2);
    EXPECT_REALS(d.out[1].real, 1e-15, 20, 2, 20, 7, 2, 20, 5, 2);
    EXPECT_REALS(state_of(&d, "overall").real, 1e-15, 9.75, 9.75);
    driver_close(&d);
}

static void unseen(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const double fresh[] = {5, 0}, nul[] = {NAN}, seen[] = {0, 1, 1};
    gm_column fit[] = {reals(seen), reals(y)}, in[] = {reals(fresh), {0}}, missing[] = {reals(nul), {0}};
    OK(&d, driver_configure(&d, "TargetEncoder", "{\"inputCol\": \"c\"}"));
    OK(&d, driver_fit(&d, fit, 3, 1));
    driver_fails(&d, driver_apply(&d, in, 2), GM_EDATA, "column 'c': category 5 was not seen in fit");
    driver_fails(&d, driver_apply(&d, missing, 1), GM_EDATA, "category NULL was not seen");
    OK(&d, driver_configure(&d, "TargetEncoder", "{\"inputCol\": \"c\", \"handleInvalid\": \"keep\"}"));
    OK(&d, driver_fit(&d, fit, 3, 1));
    OK(&d, driver_apply(&d, in, 2)); /* the label is not there in apply */
    EXPECT_REALS(d.out[0].real, 1e-15, 1.0 / 3, 1);
    assert_int_equal(d.tally[0].invalid, 1);
    driver_close(&d);
}

static void bad_values(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const double half[] = {0.5}, one[] = {1}, none[] = {NAN};
    gm_column a[] = {reals(one), reals(half)}, b[] = {reals(half), reals(one)},
              n[] = {reals(one), reals(none)};
    OK(&d, driver_configure(&d, "TargetEncoder", "{\"inputCol\": \"c\"}"));
    driver_fails(&d, driver_fit(&d, a, 1, 1), GM_EDATA, "label 'label' is 0.5; expected 0 or 1");
    driver_fails(&d, driver_fit(&d, b, 1, 1), GM_EDATA, "column 'c': 0.5 is not a category");
    driver_fails(&d, driver_fit(&d, n, 1, 1), GM_EDATA, "no row has a label");
    driver_close(&d);
}

static void damaged_state(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    gm_column in[] = {reals(c), reals(y)};
    driver_run(&d, "TargetEncoder", "{\"inputCol\": \"c\"}", in, N, 1);
    ((int64_t *)(uintptr_t)state_of(&d, "categories").ints)[1] = 9;
    driver_fails(&d, driver_ready(&d), GM_EMODEL, "do not rise");
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(binary), cmocka_unit_test(continuous), cmocka_unit_test(unseen),
            cmocka_unit_test(bad_values), cmocka_unit_test(damaged_state))

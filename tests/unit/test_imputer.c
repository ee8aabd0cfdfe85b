/* SPDX-License-Identifier: Apache-2.0 */
#include "stage_driver.h"

static const double a[] = {1, NAN, 3, 10, NAN, 3, 7}, b[] = {NAN, -1, -1, 0, -1, 5, 6};
enum { N = 7 };

static void check(const char *strategy, double fill_a, double fill_b)
{
    for (int parts = 1; parts <= 9; parts += 2) {
        driver d;
        char json[200];
        gm_column in[] = {reals(a), reals(b)};
        snprintf(json, sizeof json, "{\"inputCols\": [\"a\", \"b\"], \"strategy\": \"%s\"}", strategy);
        driver_open(&d);
        driver_run(&d, "Imputer", json, in, N, parts);
        EXPECT_REALS(d.out[0].real, 0, 1, fill_a, 3, 10, fill_a, 3, 7);
        EXPECT_REALS(d.out[1].real, 4e-16, fill_b, -1, -1, 0, -1, 5, 6);
        EXPECT_REALS(state_of(&d, "surrogates").real, 4e-16, fill_a, fill_b);
        assert_string_equal(d.node.out[1].column, "b_imputer");
        driver_close(&d);
    }
}

static void mean(void **s) { (void)s, check("mean", 4.8, 8.0 / 6); }
static void median(void **s) { (void)s, check("median", 3, -1); }
static void mode(void **s) { (void)s, check("mode", 3, -1); }

static void even_median_is_the_lower(void **s)
{
    (void)s;
    driver d;
    const double x[] = {4, 1, 3, 2, NAN};
    gm_column in[] = {reals(x)};
    driver_open(&d);
    driver_run(&d, "Imputer", "{\"inputCol\": \"x\", \"outputCol\": \"y\", \"strategy\": \"median\"}", in, 5,
               2);
    EXPECT_REALS(d.out[0].real, 0, 4, 1, 3, 2, 2);
    assert_string_equal(d.node.out[0].column, "y");
    driver_close(&d);
}

static void mode_of_equals_is_the_smallest(void **s)
{
    (void)s;
    driver d;
    const double x[] = {5, 2, 5, 2, 9, NAN, -0.0, 0.0};
    gm_column in[] = {reals(x)};
    driver_open(&d);
    driver_run(&d, "Imputer", "{\"inputCol\": \"x\", \"strategy\": \"mode\"}", in, 8, 3);
    EXPECT_REALS(state_of(&d, "surrogates").real, 0, 0);
    driver_close(&d);
}

static void missing_value(void **s)
{
    (void)s;
    driver d;
    gm_column in[] = {reals(b)};
    driver_open(&d);
    driver_run(&d, "Imputer", "{\"inputCol\": \"b\", \"missingValue\": -1}", in, N, 2);
    double fill = 11.0 / 3;
    EXPECT_REALS(d.out[0].real, 4e-16, fill, fill, fill, 0, fill, 5, 6);
    driver_close(&d);
}

/* cases.md: a column with no value at all */
static void nothing_to_impute_from(void **s)
{
    (void)s;
    for (int i = 0; i < 3; i++) {
        driver d;
        const char *json[] = {"{\"inputCols\": [\"full\", \"empty\"]}",
                              "{\"inputCols\": [\"full\", \"empty\"], \"strategy\": \"median\"}",
                              "{\"inputCols\": [\"full\", \"empty\"], \"strategy\": \"mode\"}"};
        const double none[] = {NAN, NAN, NAN}, some[] = {1, NAN, 3};
        gm_column in[] = {reals(some), reals(none)};
        driver_open(&d);
        OK(&d, driver_configure(&d, "Imputer", json[i]));
        driver_fails(&d, driver_fit(&d, in, 3, 2), GM_EDATA, "column 'empty' has no value at all");
        driver_fails(&d, driver_fit(&d, in, 0, 1), GM_EDATA, "column 'full' has no value at all");
        driver_close(&d);
    }
}

static void infinity_has_no_mean(void **s)
{
    (void)s;
    driver d;
    const double x[] = {1, INFINITY, NAN};
    gm_column in[] = {reals(x)};
    driver_open(&d);
    OK(&d, driver_configure(&d, "Imputer", "{\"inputCol\": \"x\"}"));
    driver_fails(&d, driver_fit(&d, in, 3, 1), GM_EDATA, "'x' holds infinity");
    driver_close(&d);
}

static void large_offset_keeps_its_digits(void **s)
{
    (void)s;
    driver d;
    const double x[] = {1e15 + 1, 1e15 + 2, 1e15 + 3, 1e15 + 6, NAN};
    gm_column in[] = {reals(x)};
    driver_open(&d);
    driver_run(&d, "Imputer", "{\"inputCol\": \"x\"}", in, 5, 3);
    EXPECT_REALS(state_of(&d, "surrogates").real, 0, 1e15 + 3);
    driver_close(&d);
}

static void damaged_state(void **s)
{
    (void)s;
    driver d;
    gm_column in[] = {reals(a)};
    driver_open(&d);
    driver_run(&d, "Imputer", "{\"inputCol\": \"a\"}", in, N, 1);
    ((double *)(uintptr_t)state_of(&d, "surrogates").real)[0] = NAN;
    driver_fails(&d, driver_ready(&d), GM_EMODEL, "not a number");
    gm_array two = {.n = 2, .real = (const double[]){1, 2}};
    OK(&d, gm_state_set(d.cx, d.node.stage, d.node.state, 0, &two));
    driver_fails(&d, driver_ready(&d), GM_EMODEL, "has 2 elements, expected 1");
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(mean), cmocka_unit_test(median), cmocka_unit_test(mode),
            cmocka_unit_test(even_median_is_the_lower), cmocka_unit_test(mode_of_equals_is_the_smallest),
            cmocka_unit_test(missing_value), cmocka_unit_test(nothing_to_impute_from),
            cmocka_unit_test(infinity_has_no_mean), cmocka_unit_test(large_offset_keeps_its_digits),
            cmocka_unit_test(damaged_state))

/* SPDX-License-Identifier: Apache-2.0 */
#include "mixed_vector.h"

static void slices_agree(void **s)
{
    (void)s;
    const char *indices[] = {"[0]",      "[6, 5, 4, 3, 2, 1, 0]", "[1, 3, 2]", "[5, 2, 6, 4]", "[2, 3, 4]",
                             "[6, 0, 5]"};
    for (int i = 0; i < GM_COUNT(indices); i++) {
        char json[100];
        snprintf(json, sizeof json, "{\"inputCol\": \"v\", \"indices\": %s}", indices[i]);
        expect_forms_agree("VectorSlicer", json, 0);
    }
}

static void by_name(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const char *const names[] = {"a", "b", "c=x", "c=y", "c=z", "t0", "t1"};
    gm_column in[] = {vector(mixed, 3)};
    d.in_attr[0].names = (gm_names){WIDTH, names};
    driver_run(&d, "VectorSlicer", "{\"inputCol\": \"v\", \"indices\": [6], \"names\": [\"c=z\", \"a\"]}", in,
               N, 1);
    EXPECT_NAMES(d.out_attr[0].names, "t1", "c=z", "a");
    EXPECT_REALS(driver_dense(&d, 0, N), 0, 0, 0, 1, 0, 0, 2, 3, 0, 4, 0, 1, 8, 0, 0, 16, 1, 0, 32);
    OK(&d, driver_configure(&d, "VectorSlicer", "{\"inputCol\": \"v\", \"names\": [\"c=Z\"]}"));
    driver_fails(&d, driver_fit(&d, in, N, 1), GM_EPARAM, "has no element named 'c=Z'");
    driver_close(&d);
}

static void values_of_levels(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const double level[] = {5, 6, 7};
    gm_part p = {.form = GM_CODED, .width = 3, .code = code, .level = level};
    gm_column in[] = {vector(&p, 1)};
    driver_run(&d, "VectorSlicer", "{\"inputCol\": \"v\", \"indices\": [2, 1]}", in, N, 1);
    assert_int_equal(d.out[0].part[0].form, GM_CODED);
    EXPECT_REALS(driver_dense(&d, 0, N), 0, 0, 0, 0, 6, 0, 6, 7, 0, 0, 0, 0, 6);
    driver_close(&d);
}

static void wrong_elements(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    gm_column in[] = {vector(mixed, 3)};
    driver_fails(&d, driver_configure(&d, "VectorSlicer", "{\"inputCol\": \"v\"}"), GM_EPARAM,
                 "needs indices or names");
    OK(&d, driver_configure(&d, "VectorSlicer", "{\"inputCol\": \"v\", \"indices\": [1, 7]}"));
    driver_fails(&d, driver_fit(&d, in, N, 1), GM_EPARAM, "has 7 elements; index 7");
    OK(&d, driver_configure(&d, "VectorSlicer", "{\"inputCol\": \"v\", \"indices\": [1, 2, 1]}"));
    driver_fails(&d, driver_fit(&d, in, N, 1), GM_EPARAM, "element 1 is taken twice");
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(slices_agree), cmocka_unit_test(by_name), cmocka_unit_test(values_of_levels),
            cmocka_unit_test(wrong_elements))

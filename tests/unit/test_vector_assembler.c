/* SPDX-License-Identifier: Apache-2.0 */
#include "stage_driver.h"

static const double x[] = {1, 2, 3}, gap[] = {1, NAN, 3}, dense[] = {10, 20, 30, 11, 21, 31};
static const uint32_t code[] = {1, 0, 7};
static const int64_t off[] = {0, 1, 1, 3};
static const uint32_t idx[] = {2, 0, 1};
static const double val[] = {5, 6, 7}, val_gap[] = {5, 6, NAN};

static gm_part parts[] = {
    {.form = GM_DENSE, .width = 2, .x = dense, .stride = 3},
    {.form = GM_CODED, .width = 2, .code = code},
    {.form = GM_SPARSE, .width = 3, .off = off, .idx = idx, .val = val},
};

static void side_by_side(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    gm_column in[] = {reals(x), vector(parts, 3), reals(x)};
    const char *const dropped[] = {"c=z"};
    d.in_attr[1].dropped = (gm_names){1, dropped};
    driver_run(&d, "VectorAssembler", "{\"inputCols\": [\"x\", \"v\", \"y\"], \"outputCol\": \"f\"}", in, 3,
               1);
    assert_int_equal(d.out[0].n_parts, 5);
    assert_ptr_equal(d.out[0].part[0].x, x); /* no copy */
    assert_ptr_equal(d.out[0].part[2].code, code);
    EXPECT_REALS(driver_dense(&d, 0, 3), 0, 1, 10, 11, 0, 1, 0, 0, 5, 1, /**/ 2, 20, 21, 1, 0, 0, 0, 0, 2,
                 /**/ 3, 30, 31, 0, 0, 6, 7, 0, 3);
    EXPECT_NAMES(d.out_attr[0].names, "x", "v[0]", "v[1]", "v[2]", "v[3]", "v[4]", "v[5]", "v[6]", "y");
    EXPECT_NAMES(d.out_attr[0].dropped, "c=z");
    assert_int_equal(d.out_attr[0].width, 9);
    driver_close(&d);
}

static void nothing_to_name(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    gm_column in[] = {vector(parts, 1), vector(parts, 1)};
    driver_run(&d, "VectorAssembler", "{\"inputCols\": [\"hashed\", \"also\"]}", in, 3, 1);
    assert_int_equal(d.out_attr[0].names.n, 0);
    assert_int_equal(d.out_attr[0].width, 4);
    driver_close(&d);
}

static void missing(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    gm_part holed[] = {parts[0], parts[2]};
    holed[1].val = val_gap;
    gm_column in[] = {reals(gap), vector(holed, 2)}, second[] = {reals(x), vector(holed, 2)};
    OK(&d, driver_configure(&d, "VectorAssembler", "{\"inputCols\": [\"gap\", \"v\"]}"));
    OK(&d, driver_fit(&d, in, 3, 1));
    driver_fails(&d, driver_apply(&d, in, 3), GM_EDATA, "column 'gap' has a missing value");
    driver_fails(&d, driver_apply(&d, second, 3), GM_EDATA, "column 'v' has a missing value");

    OK(&d, driver_configure(&d, "VectorAssembler",
                            "{\"inputCols\": [\"gap\", \"v\"], \"handleInvalid\": \"skip\"}"));
    OK(&d, driver_fit(&d, in, 3, 1));
    OK(&d, driver_apply(&d, in, 3));
    assert_true(!d.drop[0] && d.drop[1] && d.drop[2]);
    assert_int_equal(d.tally[0].invalid, 1);
    assert_int_equal(d.tally[1].invalid, 1);

    OK(&d, driver_configure(&d, "VectorAssembler",
                            "{\"inputCols\": [\"gap\", \"v\"], \"handleInvalid\": \"keep\"}"));
    OK(&d, driver_fit(&d, in, 3, 1));
    OK(&d, driver_apply(&d, in, 3));
    assert_false(d.dropped);
    assert_true(isnan(driver_dense(&d, 0, 3)[6]));
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(side_by_side), cmocka_unit_test(nothing_to_name), cmocka_unit_test(missing))

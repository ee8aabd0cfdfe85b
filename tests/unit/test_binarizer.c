/* SPDX-License-Identifier: Apache-2.0 */
#include "mixed_vector.h"

static void numbers(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const double x[] = {-1, 0, 0.5, NAN, INFINITY};
    gm_column in[] = {reals(x), reals(x)};
    driver_run(&d, "Binarizer", "{\"inputCols\": [\"a\", \"b\"], \"thresholds\": [0, 0.5]}", in, 5, 1);
    EXPECT_REALS(d.out[0].real, 0, 0, 0, 1, NAN, 1);
    EXPECT_REALS(d.out[1].real, 0, 0, 0, 0, NAN, 1);
    driver_run(&d, "Binarizer", "{\"inputCols\": [\"a\", \"b\"], \"threshold\": -3}", in, 5, 1);
    EXPECT_REALS(d.out[1].real, 0, 1, 1, 1, NAN, 1);
    assert_int_equal(d.out_attr[0].type, GM_T_REAL);
    driver_close(&d);
}

static void vectors(void **s)
{
    (void)s;
    expect_forms_agree("Binarizer", "{\"inputCol\": \"v\"}", 0);
    expect_forms_agree("Binarizer", "{\"inputCol\": \"v\", \"threshold\": 1.5}", 0);
    expect_forms_agree("Binarizer", "{\"inputCol\": \"v\", \"threshold\": -0.5}", 0);
    driver d;
    driver_open(&d);
    gm_column in[] = {vector(mixed, 3)};
    driver_run(&d, "Binarizer", "{\"inputCol\": \"v\", \"threshold\": 1}", in, N, 1);
    assert_int_equal(d.out[0].part[1].form, GM_CODED);
    assert_int_equal(d.out_attr[0].type, GM_T_VECTOR);
    assert_int_equal(d.out_attr[0].width, WIDTH);
    driver_close(&d);
}

static void wrong_count(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    driver_fails(&d,
                 driver_configure(&d, "Binarizer", "{\"inputCols\": [\"a\", \"b\"], \"thresholds\": [1]}"),
                 GM_EPARAM, "1 numbers for 2 columns");
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(numbers), cmocka_unit_test(vectors), cmocka_unit_test(wrong_count))

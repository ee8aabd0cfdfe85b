/* SPDX-License-Identifier: Apache-2.0 */
#include "stage_driver.h"

static void expect_text(const gm_column *c, int64_t i, const char *want)
{
    gm_text got = gm_column_text(c, i), w = text_of(want);
    if (want == NULL) assert_true(gm_text_missing(&got));
    else assert_true(gm_text_equal(&got, &w));
}

static void labels_of_the_parameter(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const double x[] = {1, 0, NAN};
    gm_column in[] = {reals(x)};
    driver_run(&d, "IndexToString",
               "{\"inputCol\": \"k\", \"labels\": [\"no\", \"a longer label than a view\"]}", in, 3, 1);
    expect_text(&d.out[0], 0, "a longer label than a view");
    expect_text(&d.out[0], 1, "no");
    expect_text(&d.out[0], 2, NULL);
    driver_close(&d);
}

static void labels_of_the_column(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const double x[] = {1, 2, 0};
    gm_column in[] = {reals(x)}, labels = texts(&d, (const char *const[]){"p", "q"}, 2);
    OK(&d, driver_configure(&d, "IndexToString", "{\"inputCol\": \"k\"}"));
    driver_fails(&d, driver_fit(&d, in, 3, 1), GM_EPARAM, "is not an index with known labels");
    OK(&d, gm_texts_pack(d.cx, &d.a, labels.text, 2, &d.in_attr[0].levels));
    d.in_attr[0].keeps_invalid = true;
    OK(&d, driver_fit(&d, in, 3, 1));
    OK(&d, driver_apply(&d, in, 3));
    expect_text(&d.out[0], 0, "q");
    expect_text(&d.out[0], 1, NULL);
    expect_text(&d.out[0], 2, "p");
    d.in_attr[0].keeps_invalid = false;
    driver_fails(&d, driver_apply(&d, in, 3), GM_EDATA, "column 'k': 2 is not an index of 2 labels");
    const double odd[] = {0.5};
    gm_column bad[] = {reals(odd)};
    driver_fails(&d, driver_apply(&d, bad, 1), GM_EDATA, "0.5 is not an index");
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(labels_of_the_parameter), cmocka_unit_test(labels_of_the_column))

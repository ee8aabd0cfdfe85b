/* SPDX-License-Identifier: Apache-2.0 */
#include "stage_driver.h"

static void edges(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const double x[] = {-1e300, -0.5, -0.49, 0, 0.5, INFINITY, -INFINITY};
    gm_column in[] = {reals(x)};
    driver_run(&d, "Bucketizer", "{\"inputCol\": \"x\", \"splits\": [\"-inf\", -0.5, 0, 0.5, \"inf\"]}", in,
               7, 1);
    EXPECT_REALS(d.out[0].real, 0, 0, 1, 1, 2, 3, 3, 0);
    EXPECT_TEXTS(&d.out_attr[0].levels, "(-inf, -0.5)", "[-0.5, 0)", "[0, 0.5)", "[0.5, inf)");
    const double y[] = {1, 1.5, 2, 3};
    gm_column closed[] = {reals(y)};
    driver_run(&d, "Bucketizer", "{\"inputCol\": \"x\", \"splits\": [1, 2, 3]}", closed, 4, 1);
    EXPECT_REALS(d.out[0].real, 0, 0, 0, 1, 1);
    EXPECT_TEXTS(&d.out_attr[0].levels, "[1, 2)", "[2, 3]");
    assert_string_equal(d.out_attr[0].origin, "x");
    driver_fails(&d, driver_apply(&d, in, 1), GM_EDATA, "column 'x': -1e+300 lies outside the splits 1 to 3");
    driver_close(&d);
}

static void many_splits(void **s)
{
    (void)s;
    for (int n = 3; n <= 20; n++) { /* every split, and every middle */
        driver d;
        char json[400], *p = json;
        double x[40], want[40];
        int m = 0;
        driver_open(&d);
        p += sprintf(p, "{\"inputCol\": \"x\", \"splits\": [0");
        for (int i = 1; i < n; i++) p += sprintf(p, ", %d", i);
        sprintf(p, "]}");
        for (int i = 0; i < n - 1; i++) {
            x[m] = i, want[m++] = i;
            x[m] = i + 0.5, want[m++] = i;
        }
        gm_column in[] = {reals(x)};
        driver_run(&d, "Bucketizer", json, in, m, 1);
        expect_reals(d.out[0].real, want, m, 0, __FILE__, __LINE__);
        driver_close(&d);
    }
}

static void missing(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const double x[] = {0.5, NAN, 1.5};
    gm_column in[] = {reals(x), reals(x)};
    const char *splits = "\"inputCols\": [\"a\", \"b\"], \"splitsArray\": [[0, 1, 2], [-1, 0, 1, 2]]";
    char json[200];
    snprintf(json, sizeof json, "{%s}", splits);
    OK(&d, driver_configure(&d, "Bucketizer", json));
    OK(&d, driver_fit(&d, in, 3, 1));
    driver_fails(&d, driver_apply(&d, in, 3), GM_EDATA, "column 'a' has a missing value");
    snprintf(json, sizeof json, "{%s, \"handleInvalid\": \"keep\"}", splits);
    driver_run(&d, "Bucketizer", json, in, 3, 1);
    EXPECT_REALS(d.out[0].real, 0, 0, 2, 1);
    EXPECT_REALS(d.out[1].real, 0, 1, 3, 2);
    assert_true(d.out_attr[1].keeps_invalid);
    snprintf(json, sizeof json, "{%s, \"handleInvalid\": \"skip\"}", splits);
    driver_run(&d, "Bucketizer", json, in, 3, 1);
    assert_true(d.drop[1] && !d.drop[0] && !d.drop[2]);
    assert_int_equal(d.tally[1].invalid, 1);
    driver_close(&d);
}

static void fails(const char *json, const char *words)
{
    driver d;
    driver_open(&d);
    driver_fails(&d, driver_configure(&d, "Bucketizer", json), GM_EPARAM, words);
    driver_close(&d);
}

static void bad_splits(void **s)
{
    (void)s;
    fails("{\"inputCol\": \"x\"}", "needs splits");
    fails("{\"inputCol\": \"x\", \"splits\": [1, 2]}", "2 numbers; expected at least 3");
    fails("{\"inputCol\": \"x\", \"splits\": [1, 2, 2]}", "must rise strictly, but 2 is followed by 2");
    fails("{\"inputCol\": \"x\", \"splits\": [1, \"nan\", 2]}", "missing");
    fails("{\"inputCol\": \"x\", \"splits\": [1, 2, 3], \"splitsArray\": [[1, 2, 3]]}",
          "both splits and splitsArray");
    fails("{\"inputCols\": [\"x\", \"y\"], \"splitsArray\": [[1, 2, 3]]}", "1 lists for 2 columns");
}

DRIVER_MAIN(cmocka_unit_test(edges), cmocka_unit_test(many_splits), cmocka_unit_test(missing),
            cmocka_unit_test(bad_splits))

/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/murmur3.h"
#include "stage_driver.h"

static void expect_row(const gm_column *c, int64_t i, const uint32_t *idx, const double *val, int64_t n)
{
    const gm_part *p = c->part;
    assert_int_equal(p->off[i + 1] - p->off[i], n);
    for (int64_t e = 0; e < n; e++) {
        assert_int_equal(p->idx[p->off[i] + e], idx[e]);
        assert_true(p->val[p->off[i] + e] == val[e]);
    }
}

/* The example in PySpark's documentation: (2.0, True, "1", "foo"), (3.0, False, "2", "bar"). */
static void spark_documentation(void **s)
{
    (void)s;
    for (int by_code = 0; by_code < 2; by_code++) {
        driver d;
        driver_open(&d);
        const double real[] = {2, 3}, boolean[] = {1, 0};
        gm_column in[] = {reals(real), reals(boolean), texts(&d, (const char *const[]){"1", "2"}, 2),
                          texts(&d, (const char *const[]){"foo", "bar"}, 2),
                          texts(&d, (const char *const[]){"true", "false"}, 2)};
        for (int k = 2; k < 5 && by_code; k++) in[k] = coded(&d, &in[k], 2);
        driver_run(&d, "FeatureHasher",
                   "{\"inputCols\": [\"real\", \"bool\", \"stringNum\", \"string\"], \"categoricalCols\": "
                   "[\"bool\"]}",
                   in, 2, 1);
        assert_int_equal(d.out[0].width, 262144);
        assert_int_equal(d.out_attr[0].width, 262144);
        assert_int_equal(d.out_attr[0].names.n, 0);
        expect_row(&d.out[0], 0, (const uint32_t[]){174475, 247670, 257907, 262126},
                   (const double[]){2, 1, 1, 1}, 4);
        expect_row(&d.out[0], 1, (const uint32_t[]){70644, 89673, 173866, 174475},
                   (const double[]){1, 1, 1, 3}, 4);
        driver_close(&d);
    }
}

static void missing_and_collisions(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const double x[] = {2, NAN, 0.5}, y[] = {10, 20, NAN};
    gm_column in[] = {reals(x), reals(y), texts(&d, (const char *const[]){"p", NULL, ""}, 3)};
    driver_run(&d, "FeatureHasher", "{\"inputCols\": [\"x\", \"y\", \"t\"], \"numFeatures\": 1}", in, 3, 1);
    EXPECT_REALS(driver_dense(&d, 0, 3), 0, 13, 20, 1.5);
    driver_close(&d);
}

static void wrong_columns(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    driver_fails(
        &d, driver_configure(&d, "FeatureHasher", "{\"inputCols\": [\"x\"], \"categoricalCols\": [\"y\"]}"),
        GM_EPARAM, "names 'y', which is not in inputCols");
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(spark_documentation), cmocka_unit_test(missing_and_collisions),
            cmocka_unit_test(wrong_columns))

/* SPDX-License-Identifier: Apache-2.0 */
/* Against scikit-learn where it and Spark mean the same: tests/golden/features.py made the numbers. */
#include "golden/features.inc"
#include "stage_driver.h"

static void compare(const char *stage, const char *json, const double *x, const double *want, double tol)
{
    for (int parts = 1; parts < 8; parts += 3) {
        driver d;
        driver_open(&d);
        gm_part p = {.form = GM_DENSE, .width = GOLDEN_WIDTH, .x = x, .stride = GOLDEN_ROWS};
        gm_column in[] = {vector(&p, 1)};
        driver_run(&d, stage, json, in, GOLDEN_ROWS, parts);
        expect_reals(driver_dense(&d, 0, GOLDEN_ROWS), want, GOLDEN_ROWS * GOLDEN_WIDTH, tol, __FILE__,
                     __LINE__);
        driver_close(&d);
    }
}

static void scalers(void **s)
{
    (void)s;
    compare("StandardScaler", "{\"inputCol\": \"v\", \"withMean\": true}", golden_x, golden_standard, 1e-11);
    compare("MinMaxScaler", "{\"inputCol\": \"v\", \"min\": -1, \"max\": 3}", golden_x, golden_min_max,
            1e-12);
    compare("MaxAbsScaler", "{\"inputCol\": \"v\"}", golden_x, golden_max_abs, 1e-15);
    compare("Normalizer", "{\"inputCol\": \"v\"}", golden_x, golden_normal, 1e-15);
}

static void idf(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    gm_part p = {.form = GM_DENSE, .width = GOLDEN_WIDTH, .x = golden_counts, .stride = GOLDEN_ROWS};
    gm_column in[] = {vector(&p, 1)};
    driver_run(&d, "IDF", "{\"inputCol\": \"v\"}", in, GOLDEN_ROWS, 5);
    expect_reals(state_of(&d, "idf").real, golden_idf, GOLDEN_WIDTH, 1e-15, __FILE__, __LINE__);
    driver_close(&d);
}

static void target_encoder(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    gm_column in[] = {reals(golden_category), reals(golden_y)};
    driver_run(&d, "TargetEncoder",
               "{\"inputCol\": \"c\", \"labelCol\": \"y\", \"targetType\": \"continuous\", \"smoothing\": 5}",
               in, GOLDEN_ROWS, 5);
    expect_reals(d.out[0].real, golden_target, GOLDEN_ROWS, 1e-14, __FILE__, __LINE__);
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(scalers), cmocka_unit_test(idf), cmocka_unit_test(target_encoder))

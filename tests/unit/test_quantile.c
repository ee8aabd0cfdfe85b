/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rng.h"
#include "feature/quantile.h"
#include "stage_driver.h"
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Both sorts, few values and many, of all sizes and signs. */
static void sorted(void **s)
{
    (void)s;
    const int64_t sizes[] = {0, 1, 17, 511, 512, 9001};
    for (int t = 0; t < GM_COUNT(sizes); t++) {
        driver d;
        driver_open(&d);
        int64_t n = sizes[t];
        double *x = gm_alloc(d.cx, &d.a, n, sizeof *x), *got;
        assert_non_null(x);
        for (int64_t i = 0; i < n; i++)
            x[i] = gm_normal(1, 2, (uint64_t)i) * pow(10, (double)(i % 600) - 300);
        if (n > 2) x[0] = INFINITY, x[1] = -INFINITY, x[2] = 0;
        gm_values a = {0}, b = {0};
        OK(&d, gm_values_add(d.cx, &d.a, &a, x, n / 3));
        OK(&d, gm_values_add(d.cx, &d.a, &b, x + n / 3, n - n / 3));
        OK(&d, gm_values_add(d.cx, &d.a, &b, (const double[]){NAN, NAN}, 2));
        gm_values_merge(&a, &b);
        gm_values_merge(&a, &(gm_values){0});
        assert_int_equal(a.n, n);
        OK(&d, gm_values_sorted(d.cx, &d.a, &a, &got));
        if (n > 1) qsort(x, (size_t)n, sizeof *x, by_value);
        expect_reals(got, x, n, 0, __FILE__, __LINE__);
        driver_close(&d);
    }
}

static void ranks(void **s)
{
    (void)s;
    const double x[] = {-2, -1, 3, 4};
    const double want[] = {-2, -1, 0, 0, 0, 3, 4};
    for (int r = 1; r <= 7; r++) assert_true(gm_ranked(x, 4, 3, r) == want[r - 1]);
    assert_true(gm_ranked(x, 4, 3, 0) == -2 && gm_ranked(x, 4, 3, 99) == 4);
    assert_true(gm_quantile(x, 4, 0, 0.5) == -1 && gm_quantile(x, 4, 0, 0.51) == 3);
    assert_true(gm_quantile(x, 0, 5, 0.9) == 0);
}

DRIVER_MAIN(cmocka_unit_test(sorted), cmocka_unit_test(ranks))

/* SPDX-License-Identifier: Apache-2.0 */
/* Counting different values: exact while few, near when many, the same in any order and however joined. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "table/distinct.h"
#include <math.h>
#include <string.h>

#include <cmocka.h>

static void few_are_exact(void **state)
{
    (void)state;
    for (int64_t n = 0; n <= GM_DISTINCT_EXACT; n++) {
        gm_distinct d = {0};
        for (int again = 0; again < 3; again++)
            for (int64_t i = 0; i < n; i++) gm_distinct_add(&d, gm_mix64((uint64_t)i));
        assert_true(gm_distinct_count(&d) == (double)n);
    }
    gm_distinct zero = {0};
    gm_distinct_add(&zero, 0); /* a hash that looks like a free slot */
    assert_true(gm_distinct_count(&zero) == 1);
}

static void many_are_near(void **state)
{
    (void)state;
    static const int64_t n[] = {129, 200, 1000, 5000, 20000, 100000, 1000000, 4000000};
    for (int64_t k = 0; k < GM_COUNT(n); k++) {
        double worst = 0, sum = 0;
        for (uint64_t draw = 0; draw < 4; draw++) {
            gm_distinct d = {0};
            for (int64_t i = 0; i < n[k]; i++) gm_distinct_add(&d, gm_mix64((draw << 40) + (uint64_t)i));
            double off = gm_distinct_count(&d) / (double)n[k] - 1;
            sum += off;
            if (fabs(off) > worst) worst = fabs(off);
        }
        if (worst > 0.1) print_error("%lld: %g off\n", (long long)n[k], worst);
        assert_true(worst < 0.1); /* over four standard errors */
        assert_true(fabs(sum / 4) < 0.05);
    }
}

static void order_and_joining_do_not_matter(void **state)
{
    (void)state;
    static const int64_t sizes[] = {3, 128, 129, 300, 40000};
    for (int64_t k = 0; k < GM_COUNT(sizes); k++) {
        gm_distinct up = {0}, down = {0}, part[3] = {{0}}, joined = {0};
        int64_t n = sizes[k];
        for (int64_t i = 0; i < n; i++) {
            gm_distinct_add(&up, gm_mix64((uint64_t)i));
            gm_distinct_add(&down, gm_mix64((uint64_t)(n - 1 - i)));
            gm_distinct_add(&part[i % 2], gm_mix64((uint64_t)i));
            if (i < 5) gm_distinct_add(&part[2], gm_mix64((uint64_t)i)); /* seen before, and few */
        }
        for (int i = 0; i < 3; i++) gm_distinct_join(&joined, &part[i]);
        assert_true(gm_distinct_count(&up) == gm_distinct_count(&down));
        assert_true(gm_distinct_count(&up) == gm_distinct_count(&joined));
        gm_distinct_join(&part[2], &up); /* few first, then many */
        assert_true(gm_distinct_count(&part[2]) == gm_distinct_count(&up));
    }
}

static void numbers_by_their_value(void **state)
{
    (void)state;
    assert_true(gm_distinct_real(0.0) == gm_distinct_real(-0.0));
    assert_true(gm_distinct_real(NAN) == gm_distinct_real(-NAN));
    assert_true(gm_distinct_real(1) != gm_distinct_real(nextafter(1, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_are_exact),
        cmocka_unit_test(many_are_near),
        cmocka_unit_test(order_and_joining_do_not_matter),
        cmocka_unit_test(numbers_by_their_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

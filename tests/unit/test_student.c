/* SPDX-License-Identifier: Apache-2.0 */
/* test_student.c - tails of Student's t against scipy.stats.t.sf, doubled. */
#include "score/student.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void near(double a, double b, double relative)
{
    if (!(fabs(a - b) <= relative * fabs(b))) fail_msg("%.17g, expected %.17g", a, b);
}

static void tails(void **state)
{
    (void)state;
    near(gm_student_two_sided(0.5, 3), 0.651447964848151, 1e-13);
    near(gm_student_two_sided(2.1, 10), 0.06207724420221853, 1e-13);
    near(gm_student_two_sided(-12, 25), 7.182973075034825e-12, 1e-11);
    near(gm_student_two_sided(1.96, 1e6), 0.04999606758526985, 1e-9);
    near(gm_student_two_sided(60, 4), 4.621068727635128e-07, 1e-11);
}

static void ends(void **state)
{
    (void)state;
    assert_true(gm_student_two_sided(0, 5) == 1);
    assert_true(gm_student_two_sided(INFINITY, 5) == 0);
    assert_true(isnan(gm_student_two_sided(NAN, 5)));
    assert_true(isnan(gm_student_two_sided(1, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tails), cmocka_unit_test(ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

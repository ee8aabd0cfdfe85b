/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/murmur3.h"
#include "stage_driver.h"

static void counts(void **s)
{
    (void)s;
    const char *in[] = {"a b a c a", "", "b"};
    for (int by_code = 0; by_code < 2; by_code++) {
        driver d;
        driver_open(&d);
        gm_column c[] = {words(&d, in, 3)};
        if (by_code) c[0] = coded(&d, &c[0], c[0].off[3]);
        /* Spark's documentation: in 10 elements a, b, c are 5, 7, 8 with b at 5; so a and c are 7 and 8 */
        double want[30] = {0};
        want[gm_hash_index("a", 1, 10)] = 3;
        want[gm_hash_index("b", 1, 10)] = 1;
        want[gm_hash_index("c", 1, 10)] = 1;
        want[25] = 1;
        driver_run(&d, "HashingTF", "{\"inputCol\": \"w\", \"numFeatures\": 10}", c, 3, 1);
        expect_reals(driver_dense(&d, 0, 3), want, 30, 0, __FILE__, __LINE__);
        driver_run(&d, "HashingTF", "{\"inputCol\": \"w\", \"numFeatures\": 10, \"binary\": true}", c, 3, 1);
        for (int i = 0; i < 30; i++) want[i] = want[i] > 0;
        expect_reals(driver_dense(&d, 0, 3), want, 30, 0, __FILE__, __LINE__);
        driver_run(&d, "HashingTF", "{\"inputCol\": \"w\"}", c, 3, 1);
        assert_int_equal(d.out_attr[0].width, 262144);
        assert_int_equal(d.out[0].part[0].off[3], 4);
        driver_close(&d);
    }
}

/* A long row: sorted the other way, and added up. */
static void long_row(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    char text[4000], *p = text;
    for (int i = 0; i < 600; i++) p += sprintf(p, "w%d ", i % 200);
    const char *in[] = {text};
    gm_column c[] = {words(&d, in, 1)};
    driver_run(&d, "HashingTF", "{\"inputCol\": \"w\", \"numFeatures\": 64}", c, 1, 1);
    double sum = 0;
    for (int j = 0; j < 64; j++) sum += driver_dense(&d, 0, 1)[j];
    assert_true(sum == 600);
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(counts), cmocka_unit_test(long_row))

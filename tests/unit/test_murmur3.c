/* SPDX-License-Identifier: Apache-2.0 */
/* Golden values: tests/golden/murmur3.py (an independent writing of MurmurHash3_x86_32) and Spark's
 * documentation. */
#include "feature/murmur3.h"
#include "stage_driver.h"

static void golden(void **s)
{
    (void)s;
    const struct {
        const char *text;
        uint32_t hash;
    } want[] = {
#include "golden/murmur3.inc"
    };
    for (int i = 0; i < GM_COUNT(want); i++)
        assert_int_equal(gm_murmur3(want[i].text, strlen(want[i].text)), want[i].hash);
}

/* The example in Spark's documentation of HashingTF: a, b, c in 10 elements are 5, 7 and 8. */
static void spark_documentation(void **s)
{
    (void)s;
    const char *abc[] = {"a", "b", "c"};
    uint32_t seen = 0;
    for (int i = 0; i < 3; i++) seen |= 1u << gm_hash_index(abc[i], 1, 10);
    assert_int_equal(seen, 1u << 5 | 1u << 7 | 1u << 8);
    assert_int_equal(gm_hash_index("b", 1, 10), 5);
}

DRIVER_MAIN(cmocka_unit_test(golden), cmocka_unit_test(spark_documentation))

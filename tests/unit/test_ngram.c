/* SPDX-License-Identifier: Apache-2.0 */
#include "stage_driver.h"

static void runs(void **s)
{
    (void)s;
    const char *in[] = {"", "a", "a b", "a b c d", "words-longer-than-a-view and short"};
    const char *two[] = {"", "", "a b", "a b|b c|c d", "words-longer-than-a-view and|and short"};
    const char *three[] = {"", "", "", "a b c|b c d", "words-longer-than-a-view and short"};
    for (int by_code = 0; by_code < 2; by_code++) {
        driver d;
        driver_open(&d);
        gm_column c[] = {words(&d, in, 5)};
        if (by_code) c[0] = coded(&d, &c[0], c[0].off[5]);
        driver_run(&d, "NGram", "{\"inputCol\": \"w\"}", c, 5, 1);
        for (int i = 0; i < 5; i++) assert_string_equal(row_words(&d, &d.out[0], i), two[i]);
        driver_run(&d, "NGram", "{\"inputCol\": \"w\", \"n\": 3}", c, 5, 1);
        for (int i = 0; i < 5; i++) assert_string_equal(row_words(&d, &d.out[0], i), three[i]);
        driver_run(&d, "NGram", "{\"inputCol\": \"w\", \"n\": 1}", c, 5, 1);
        assert_string_equal(row_words(&d, &d.out[0], 3), "a|b|c|d");
        driver_fails(&d, driver_configure(&d, "NGram", "{\"inputCol\": \"w\", \"n\": 0}"), GM_EPARAM, "n");
        driver_close(&d);
    }
}

DRIVER_MAIN(cmocka_unit_test(runs))

/* SPDX-License-Identifier: Apache-2.0 */
#include "stage_driver.h"

static void expect(const char *params, const char *text, const char *want)
{
    for (int by_code = 0; by_code < 2; by_code++) {
        driver d;
        char json[300];
        driver_open(&d);
        snprintf(json, sizeof json, "{\"inputCols\": [\"w\", \"w2\"]%s%s}", *params ? ", " : "", params);
        gm_column w = words(&d, &text, 1);
        if (by_code) w = coded(&d, &w, w.off[1]);
        gm_column in[] = {w, w};
        driver_run(&d, "StopWordsRemover", json, in, 1, 1);
        assert_string_equal(row_words(&d, &d.out[0], 0), want);
        assert_string_equal(row_words(&d, &d.out[1], 0), want);
        driver_close(&d);
    }
}

static void lists(void **s)
{
    (void)s;
    expect("", "I saw the red balloon", "saw|red|balloon");
    expect("", "THE The tHe", "");
    expect("\"caseSensitive\": true", "The the THE", "The|THE");
    expect("\"stopWords\": [\"Red\", \"saw\"]", "I saw the red balloon", "I|the|balloon");
    expect("\"stopWords\": []", "I saw the", "saw"); /* as when it is not given: a saved model says so */
    expect("\"language\": \"german\"", "und das rote Haus", "rote|Haus");
    expect("\"language\": \"russian\"", "\xd0\x98 \xd0\xb4\xd0\xbe\xd0\xbc",
           "\xd0\xb4\xd0\xbe\xd0\xbc");                              /* I dom */
    expect("", "don wouldn aren isn't won't cannot", "wouldn|aren"); /* Spark's */
}

static void turkish_case(void **s)
{
    (void)s;
    expect("\"stopWords\": [\"DI\"], \"locale\": \"tr_TR\"", "di d\xc4\xb1 DI", "di");
    expect("\"stopWords\": [\"DI\"]", "di d\xc4\xb1 DI", "d\xc4\xb1");
}

DRIVER_MAIN(cmocka_unit_test(lists), cmocka_unit_test(turkish_case))

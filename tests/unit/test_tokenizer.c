/* SPDX-License-Identifier: Apache-2.0 */
#include "stage_driver.h"

static void cuts(void **s)
{
    (void)s;
    const struct {
        const char *in, *want;
    } t[] = {
        {"Hi I heard about Spark", "hi|i|heard|about|spark"},
        {"  two   blanks\tand\r\na line  ", "two|blanks|and|a|line"},
        {"", ""},
        {" \n ", ""},
        {NULL, ""},
        {"one", "one"},
        {"CAF\xc3\x89 caf\xc3\xa9 no\xc2\xa0"
         "break",
         "caf\xc3\xa9|caf\xc3\xa9|no\xc2\xa0"
         "break"},
        {"a-word-that-is-longer-than-a-view x", "a-word-that-is-longer-than-a-view|x"},
    };
    enum { ROWS = sizeof t / sizeof t[0] };
    const char *in[ROWS];
    for (int i = 0; i < ROWS; i++) in[i] = t[i].in;
    for (int by_code = 0; by_code < 2; by_code++) {
        driver d;
        driver_open(&d);
        gm_column c[] = {texts(&d, in, ROWS)};
        if (by_code) c[0] = coded(&d, &c[0], ROWS);
        driver_run(&d, "Tokenizer", "{\"inputCol\": \"t\"}", c, ROWS, 1);
        assert_int_equal(d.out[0].type, GM_T_WORDS);
        for (int i = 0; i < ROWS; i++) assert_string_equal(row_words(&d, &d.out[0], i), t[i].want);
        driver_close(&d);
    }
}

static void many_words(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    char *text = gm_alloc(d.cx, &d.a, 3001, 1);
    assert_non_null(text);
    for (int i = 0; i < 3000; i += 2) memcpy(text + i, "x ", 2);
    const char *in[] = {text, text};
    gm_column c[] = {texts(&d, in, 2)};
    driver_run(&d, "Tokenizer", "{\"inputCol\": \"t\"}", c, 2, 1);
    assert_int_equal(d.out[0].off[1], 1500);
    assert_int_equal(d.out[0].off[2], 3000);
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(cuts), cmocka_unit_test(many_words))

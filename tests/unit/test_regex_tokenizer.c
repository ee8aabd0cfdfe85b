/* SPDX-License-Identifier: Apache-2.0 */
#include "stage_driver.h"

static void expect(const char *params, const char *text, const char *want)
{
    for (int by_code = 0; by_code < 2; by_code++) {
        driver d;
        char json[300];
        driver_open(&d);
        snprintf(json, sizeof json, "{\"inputCol\": \"t\"%s%s}", *params ? ", " : "", params);
        gm_column c[] = {texts(&d, &text, 1)};
        if (by_code) c[0] = coded(&d, &c[0], 1);
        driver_run(&d, "RegexTokenizer", json, c, 1, 1);
        const char *got = row_words(&d, &d.out[0], 0);
        if (strcmp(got, want) != 0) print_error("%s on '%s': %s, expected %s\n", params, text, got, want);
        assert_string_equal(got, want);
        driver_close(&d);
    }
}

static void gaps(void **s)
{
    (void)s;
    expect("", "Te,st. punct", "te,st.|punct");
    expect("", "  Leading and  trailing ", "leading|and|trailing");
    expect("", "", "");
    expect("", NULL, "");
    expect("", "   ", "");
    expect("\"pattern\": \"\\\\W\"", "Logistic,regression,models are neat",
           "logistic|regression|models|are|neat");
    expect("\"pattern\": \"a,?\"", "bacaad", "b|c|d");
    expect("\"pattern\": \",\", \"toLowercase\": false", "A,B,,C,", "A|B|C");
    expect("\"pattern\": \"\\\\s+\", \"minTokenLength\": 3", "a bb ccc dddd \xc3\xa9\xc3\xa9", "ccc|dddd");
}

/* Java's split, piece for piece, with empty ones kept. */
static void empty_pieces_as_java(void **s)
{
    (void)s;
    expect("\"pattern\": \",\", \"minTokenLength\": 0", "a,,b,,", "a||b");
    expect("\"pattern\": \",\", \"minTokenLength\": 0", ",a", "|a");
    expect("\"pattern\": \",\", \"minTokenLength\": 0", ",,", "");
    expect("\"pattern\": \",\", \"minTokenLength\": 0", "a", "a");
    expect("\"pattern\": \"x*\", \"minTokenLength\": 0", "axxb", "a||b");
    expect("\"pattern\": \"\", \"minTokenLength\": 0", "ab\xc3\xa9", "a|b|\xc3\xa9");
}

static void tokens(void **s)
{
    (void)s;
    expect("\"pattern\": \"\\\\w+|\\\\$[\\\\d.]+|\\\\S\", \"gaps\": false", "He paid $4.50!",
           "he|paid|$4.50|!");
    expect("\"pattern\": \"\\\\p{L}+\", \"gaps\": false", "\xc3\x89t\xc3\xa9 2024, na\xc3\xafve",
           "\xc3\xa9t\xc3\xa9|na\xc3\xafve");
    expect("\"pattern\": \"a*\", \"gaps\": false", "baac", "aa");
    expect("\"pattern\": \"z\", \"gaps\": false", "abc", "");
}

static void wrong_pattern(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    driver_fails(&d, driver_configure(&d, "RegexTokenizer", "{\"inputCol\": \"t\", \"pattern\": \"a(b\"}"),
                 GM_EPARAM, "RegexTokenizer: pattern 'a(b', character 4");
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(gaps), cmocka_unit_test(empty_pieces_as_java), cmocka_unit_test(tokens),
            cmocka_unit_test(wrong_pattern))

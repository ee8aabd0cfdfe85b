/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/text/regex.h"
#include "stage_driver.h"
#include <time.h>

/* The first match as "start-end", or "none". */
static void expect(driver *d, const char *pattern, const char *text, const char *want)
{
    gm_regex *re;
    gm_matcher *m;
    char got[64] = "none";
    size_t start, end;
    OK(d, gm_regex_new(d->cx, &d->a, pattern, "test", &re));
    OK(d, gm_matcher_new(d->cx, &d->a, re, &m));
    if (gm_regex_find(re, m, text, strlen(text), 0, &start, &end))
        snprintf(got, sizeof got, "%zu-%zu", start, end);
    if (strcmp(got, want) != 0) print_error("/%s/ on '%s': %s, expected %s\n", pattern, text, got, want);
    assert_string_equal(got, want);
}

static void matches(void **s)
{
    (void)s;
    const char *t[][3] = {
        {"abc", "xabcx", "1-4"},
        {"", "xy", "0-0"},
        {"a*", "baa", "0-0"},
        {"a+", "baa", "1-3"},
        {"a+?", "baa", "1-2"},
        {"a??b", "ab", "0-2"},
        {"ab|a", "ab", "0-2"},
        {"a|ab", "ab", "0-1"}, /* the first alternative, as Java */
        {"(a|ab)(c|bcd)", "abcd", "0-4"},
        {"(?:a|b)+c", "xababcx", "1-6"},
        {"a{3}", "aaaa", "0-3"},
        {"a{2,}", "aaaa", "0-4"},
        {"a{2,3}?", "aaaa", "0-2"},
        {"a{0}b", "ab", "1-2"},
        {"(a{1,2}){2}", "aaa", "0-3"},
        {"^ab$", "ab", "0-2"},
        {"^b", "ab", "none"},
        {"a$", "ab", "none"},
        {"$", "ab", "2-2"},
        {"\\bcat\\b", "a cat.", "2-5"},
        {"\\bcat\\b", "concat", "none"},
        {"\\Bcat", "concat", "3-6"},
        {".", "\n\xc3\xa9", "1-3"},
        {".+", "ab\ncd", "0-2"},
        {"[a-c]+", "xxabcd", "2-5"},
        {"[^a-c]+", "abxyc", "2-4"},
        {"[]a]+", "x]a]", "1-4"},
        {"[a\\-z]+", "x-za", "1-4"},
        {"[a-]+", "b-a", "1-3"},
        {"[\\d,.]+", "is 1,234.5 now", "3-10"},
        {"\\d+", "ab 42", "3-5"},
        {"\\D+", "42ab", "2-4"},
        {"\\w+", "-- a_1 --", "3-6"},
        {"\\W+", "ab, cd", "2-4"},
        {"\\s+", "a \t\nb", "1-4"},
        {"\\S+", "  x y", "2-3"},
        {"[\\W_]+", "a_ -b", "1-4"},
        {"[^\\w]", "ab!", "2-3"},
        {"\\x41\\u00e9", "A\xc3\xa9", "0-3"},
        {"\\p{L}+", "1 \xc3\xa9t\xc3\xa9\xe4\xb8\xad 2", "2-10"},
        {"\\pL", "1a", "1-2"},
        {"\\P{L}+", "a1 2b", "1-4"},
        {"\\p{IsL}+", "1ab", "1-3"},
        {"\\p{N}+", "a\xd9\xa3\x34", "1-4"}, /* an Arabic digit and a 4 */
        {"\\p{Punct}+", "a?!b", "1-3"},
        {"[\\p{P}\\s]+", "a \xe2\x80\x94 b", "1-6"},
        {"\\p{Alpha}+", "1ab2", "1-3"},
        {"[\xc3\xa0-\xc3\xbf]+", "a\xc3\xa9\xc3\xb8", "1-5"},
        {"\xe4\xb8\xad+", "x\xe4\xb8\xad\xe4\xb8\xad", "1-7"},
        {"(a*)*", "aaa", "0-3"},
        {"(a*)+b", "aab", "0-3"},
        {"x*y*z", "aaxyz", "2-5"},
        {"\\.", "a.b", "1-2"},
        {"a.c|b", "xabb", "2-3"},
        {"[.]", "a.", "1-2"},
        {"\\/\\\"\\#", "/\"#", "0-3"},
    };
    driver d;
    driver_open(&d);
    for (int i = 0; i < GM_COUNT(t); i++) expect(&d, t[i][0], t[i][1], t[i][2]);
    driver_close(&d);
}

static void errors(void **s)
{
    (void)s;
    const char *t[][2] = {
        {"(", "the group '(' is not closed"},
        {"a)", "')' closes no group"},
        {"[a", "the set '[' is not closed"},
        {"[", "the set '[' is not closed"},
        {"*a", "character 1: there is nothing to repeat"},
        {"a|*", "character 3: there is nothing to repeat"},
        {"a{2", "expected {m}"},
        {"a{,2}", "expected {m}"},
        {"a{3,2}", "must rise"},
        {"a{1,2,3}", "expected {m}"},
        {"a{1001}", "more than 1000"},
        {"a{99999999999999999999}", "more than 1000"},
        {"[z-a]", "a range must go"},
        {"[a-\\d]", "a range must go"},
        {"\\", "nothing follows the backslash"},
        {"\\1", "not supported"},
        {"(?=a)", "not supported"},
        {"(?i)a", "not supported"},
        {"a++", "possessive"},
        {"\\p{Klingon}", "no such class"},
        {"\\p{", "does not end"},
        {"\\p{L", "does not end"},
        {"\\x4", "hexadecimal"},
        {"[a[b]]", "sets inside sets"},
        {"\xc3\xa9(", "character 3"},
        {"\xff", "not UTF-8"},
        {"((a{1000}){1000}){1000}", "too large"},
        {"(((((){1000}){1000}){1000}){1000})", "nested too deep"},
    };
    driver d;
    driver_open(&d);
    gm_regex *re;
    for (int i = 0; i < GM_COUNT(t); i++)
        driver_fails(&d, gm_regex_new(d.cx, &d.a, t[i][0], "Test", &re), GM_EPARAM, t[i][1]);
    char deep[400] = {0};
    memset(deep, '(', 300);
    driver_fails(&d, gm_regex_new(d.cx, &d.a, deep, "Test", &re), GM_EPARAM, "nested too deep");
    driver_close(&d);
}

/* What hangs a backtracking matcher takes no time here. */
static void linear(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    char text[5001];
    memset(text, 'a', 5000);
    text[5000] = 0;
    clock_t begin = clock();
    expect(&d, "(a+)+b", text, "none");
    expect(&d, "(a|a)*c$", text, "none");
    expect(&d, "(a?){20}a{20}x", text, "none");
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 20);
    driver_close(&d);
}

static void one_after_another(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    gm_regex *re;
    gm_matcher *m;
    OK(&d, gm_regex_new(d.cx, &d.a, "a.|b", "test", &re));
    OK(&d, gm_matcher_new(d.cx, &d.a, re, &m));
    const char *text = "xaabay";
    const size_t want[][2] = {{1, 3}, {3, 4}, {4, 6}};
    size_t from = 0, start, end;
    for (int i = 0; i < 3; i++) {
        assert_true(gm_regex_find(re, m, text, 6, from, &start, &end));
        assert_int_equal(start, want[i][0]);
        assert_int_equal(end, want[i][1]);
        from = end;
    }
    assert_false(gm_regex_find(re, m, text, 6, from, &start, &end));
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(matches), cmocka_unit_test(errors), cmocka_unit_test(linear),
            cmocka_unit_test(one_after_another))

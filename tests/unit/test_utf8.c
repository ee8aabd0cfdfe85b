/* SPDX-License-Identifier: Apache-2.0 */
/* Every code point is accepted in its one form, everything else is refused. */
#include "base/text.h"
#include "unit.h"

static size_t encode(unsigned c, char *p)
{
    if (c < 0x80) return *p = (char)c, 1;
    size_t k = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = k - 1; i > 0; i--, c >>= 6) p[i] = (char)(0x80 | (c & 0x3f));
    p[0] = (char)((0xf00u >> k & 0xff) | c);
    return k;
}

static void every_code_point(void **state)
{
    (void)state;
    for (unsigned c = 1; c < 0x110010; c++) {
        char s[4];
        size_t k = encode(c, s);
        bool fine = c < 0x110000 && (c < 0xd800 || c > 0xdfff);
        assert_int_equal(gm_utf8_len(s, 4 < k ? 4 : k), fine ? k : 0);
        if (k > 1) assert_int_equal(gm_utf8_len(s, k - 1), 0);
    }
}

static void wrong_forms(void **state)
{
    (void)state;
    static const char *const bad[] = {"\x80",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xe0\x80\x80",
                                      "\xe0\x9f\xbf",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xff",
                                      "\xc3(",
                                      "\xed\xa0\x80"};
    for (int i = 0; i < GM_COUNT(bad); i++) {
        char text[40] = "0123456789";
        size_t at = 99;
        assert_int_equal(gm_utf8_len(bad[i], strlen(bad[i])), 0);
        memcpy(text + 10, bad[i], strlen(bad[i]) + 1);
        assert_false(gm_utf8_valid(text, strlen(text), &at));
        assert_int_equal(at, 10);
        assert_false(gm_utf8_valid(text, strlen(text), NULL));
    }
    assert_true(gm_utf8_valid("", 0, NULL));
    assert_true(gm_utf8_valid("plain text of some length \xf0\x9f\x98\x80 and more", 40, NULL));
    assert_int_equal(gm_utf8_len("", 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_code_point), cmocka_unit_test(wrong_forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

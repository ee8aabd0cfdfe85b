/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers read back to the bit, under any locale of the host. */
#include "base/buf.h"
#include "base/rng.h"
#include "unit.h"
#include <locale.h>

static double back(const char *s)
{
    double v;
    assert_true(gm_read_real(s, &v));
    return v;
}

static void texts(void **state)
{
    (void)state;
    static const struct {
        double v;
        const char *plain, *pointed;
    } cases[] = {
        {0, "0", "0.0"},
        {-0.0, "-0", "-0.0"},
        {1, "1", "1.0"},
        {0.1, "0.1", "0.1"},
        {1e20, "1e+20", "1e+20"},
        {1e-7, "1e-07", "1e-07"},
        {1.0 / 3, "0.3333333333333333", "0.3333333333333333"},
        {-2.5, "-2.5", "-2.5"},
        {123456789, "123456789", "123456789.0"},
        {INFINITY, "inf", "inf"},
        {-INFINITY, "-inf", "-inf"},
        {NAN, "nan", "nan"},
        {1.7976931348623157e308, "1.7976931348623157e+308", "1.7976931348623157e+308"},
    };
    for (int i = 0; i < GM_COUNT(cases); i++) {
        char out[32];
        gm_real_text(cases[i].v, false, out);
        assert_string_equal(out, cases[i].plain);
        gm_real_text(cases[i].v, true, out);
        assert_string_equal(out, cases[i].pointed);
    }
}

static void every_double_reads_back(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t bits = gm_mix64(i), again;
        double v, w;
        char out[32];
        memcpy(&v, &bits, 8);
        if (!isfinite(v)) continue;
        gm_real_text(v, i % 2, out);
        w = back(out);
        memcpy(&again, &w, 8);
        assert_int_equal(again, bits);
    }
}

static void reading_is_strict(void **state)
{
    (void)state;
    static const char *const bad[] = {"", " 1", "1 ", "1,5", "x", "1x", "\t1", "1.2.3", "--1"};
    double v;
    int64_t i;
    for (int k = 0; k < GM_COUNT(bad); k++) {
        assert_false(gm_read_real(bad[k], &v));
        assert_false(gm_read_int(bad[k], &i));
    }
    assert_true(gm_read_int("-9223372036854775808", &i) && i == INT64_MIN);
    assert_true(gm_read_int("+7", &i) && i == 7);
    assert_false(gm_read_int("9223372036854775808", &i));
    assert_false(gm_read_int("1.0", &i));
    assert_false(gm_read_int("0x10", &i));
    assert_false(gm_read_int("-", &i));
}

static void a_decimal_comma_changes_nothing(void **state)
{
    gm_cx *cx = *state;
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", NULL};
    char out[32];
    int found = 0;
    for (int i = 0; commas[i] && !found; i++) found = setlocale(LC_ALL, commas[i]) != NULL;
    if (!found) skip(); /* no such locale on this machine */
    gm_real_text(0.5, false, out);
    assert_string_equal(out, "0.5");
    assert_true(back("2.25") == 2.25);
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    gm_buf_printf(&b, "%.2f", 1.25);
    assert_ok(cx, gm_buf_done(&b));
    assert_string_equal(b.p, "1.25");
    assert_fails(cx, gm_fail(cx, GM_EDATA, "%g", 1.5), GM_EDATA, "1.5");
    gm_cx_end(cx);
    setlocale(LC_ALL, "C");
}

static void sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double v;
    } fine[] = {{"2GB", 2e9}, {"512MiB", 512. * 1024 * 1024},       {"1000", 1000}, {"1.5 gb", 1.5e9},
                {"3k", 3000}, {"1TiB", 1024. * 1024 * 1024 * 1024}, {"7B", 7},      {"0.5M", 5e5}};
    static const char *const bad[] = {"", "GB", "-1GB", "1XB", "1GBB", "1.2.3MB", "1e9", "1 G B"};
    char out[32];
    double v;
    for (int i = 0; i < GM_COUNT(fine); i++) {
        assert_true(gm_read_bytes(fine[i].text, &v));
        assert_true(v == fine[i].v);
    }
    for (int i = 0; i < GM_COUNT(bad); i++) assert_false(gm_read_bytes(bad[i], &v));
    static const struct {
        double v;
        const char *text;
    } shown[] = {{0, "0 bytes"},  {999, "999 bytes"},  {1000, "1.0 KB"},     {1536000, "1.5 MB"},
                 {20e9, "20 GB"}, {999.6e3, "1.0 MB"}, {123456789, "123 MB"}};
    for (int i = 0; i < GM_COUNT(shown); i++) {
        gm_bytes_text(shown[i].v, out);
        assert_string_equal(out, shown[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(every_double_reads_back),
        cmocka_unit_test(reading_is_strict),
        cmocka_unit_test(a_decimal_comma_changes_nothing),
        cmocka_unit_test(sizes),
    };
    return cmocka_run_group_tests(tests, unit_setup, unit_teardown);
}

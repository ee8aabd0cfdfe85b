/* SPDX-License-Identifier: Apache-2.0 */
/* test_csv_value.c - what a text is, and that doubles come out as the C library reads them, to the bit. */
#include "base/rng.h"
#include "source/csv/csv.h"
#include "tables.h"

static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int saw;
    } cases[] = {
        {"", 0},
        {"  ", 0},
        {"5", GM_SAW_INT},
        {" -5 ", GM_SAW_INT},
        {"0", GM_SAW_INT},
        {"-0", GM_SAW_INT},
        {"00", GM_SAW_CODE},
        {"+5", GM_SAW_CODE},
        {"9223372036854775807", GM_SAW_INT},
        {"9223372036854775808", GM_SAW_HUGE},
        {"-9223372036854775808", GM_SAW_INT},
        {"-9223372036854775809", GM_SAW_HUGE},
        {"10000000000000000000", GM_SAW_HUGE},
        {"99999999999999999999999999999999999999", GM_SAW_HUGE},
        {"100000000000000000000000000000000000000", GM_SAW_LONG},
        {"1.5", GM_SAW_REAL},
        {".5", GM_SAW_REAL},
        {"5.", GM_SAW_REAL},
        {"+1.5", GM_SAW_REAL},
        {"1e5", GM_SAW_REAL},
        {"1E-5", GM_SAW_REAL},
        {"-inf", GM_SAW_REAL},
        {"Infinity", GM_SAW_REAL},
        {"nan", GM_SAW_NAN},
        {"NaN", GM_SAW_NAN},
        {".", GM_SAW_TEXT},
        {"-", GM_SAW_TEXT},
        {"e5", GM_SAW_TEXT},
        {"1e", GM_SAW_TEXT},
        {"1e+", GM_SAW_TEXT},
        {"1.2.3", GM_SAW_TEXT},
        {"1,5", GM_SAW_TEXT},
        {"1_000", GM_SAW_TEXT},
        {"0x1F", GM_SAW_TEXT},
        {"1 2", GM_SAW_TEXT},
        {"--5", GM_SAW_TEXT},
        {"true", GM_SAW_BOOL},
        {"FALSE", GM_SAW_BOOL},
        {"t", GM_SAW_TEXT},
        {"2024-02-29", GM_SAW_DATE},
        {"2023-02-29", GM_SAW_TEXT},
        {"2024-2-9", GM_SAW_TEXT},
        {"2024-13-01", GM_SAW_TEXT},
        {"12:30:59", GM_SAW_TIME},
        {"24:00:00", GM_SAW_TEXT},
        {"12:30", GM_SAW_TEXT},
        {"2024-01-02T03:04", GM_SAW_STAMP},
        {"2024-01-02 03:04:05.123456", GM_SAW_STAMP},
        {"2024-01-02T03:04:05Z", GM_SAW_STAMPTZ},
        {"2024-01-02T03:04:05+05:30", GM_SAW_STAMPTZ},
        {"2024-01-02T03:04-0800", GM_SAW_STAMPTZ},
        {"2024-01-02T03:04:05+", GM_SAW_TEXT},
        {"2024-01-02x", GM_SAW_TEXT},
        {"1/2/2024", GM_SAW_SLASH},
        {"13/2/2024", GM_SAW_SLASH | GM_SAW_FIRST_OVER},
        {"2.13.2024", GM_SAW_SLASH | GM_SAW_SECOND_OVER},
        {"13/13/2024", GM_SAW_TEXT},
        {"31/02/2024", GM_SAW_TEXT},
        {"1/2-2024", GM_SAW_TEXT},
        {"1/2/24", GM_SAW_TEXT},
    };
    for (int64_t i = 0; i < GM_COUNT(cases); i++) {
        int saw = gm_csv_see(cases[i].text, strlen(cases[i].text), '.').saw;
        if (saw != cases[i].saw) fail_msg("'%s' is %d, and not %d", cases[i].text, saw, cases[i].saw);
    }
    assert_int_equal(gm_csv_see("1,5", 3, ',').saw, GM_SAW_REAL);
    assert_int_equal(gm_csv_see("1.5", 3, ',').saw, GM_SAW_TEXT);
}

static void check_real(const char *text)
{
    double got = -1, right = strtod(text, NULL);
    gm_csv_read r = gm_csv_see(text, strlen(text), '.');
    if (!gm_csv_real(&r, text, strlen(text), '.', &got) || memcmp(&got, &right, sizeof got) != 0)
        fail_msg("'%s' is %.17g, and not %.17g", text, got, right);
}

static void test_reals(void **state)
{
    (void)state;
    static const char *const hard[] = {"0.1",
                                       "-0.0",
                                       "9007199254740993.0",
                                       "9007199254740992.5",
                                       "1e22",
                                       "1e23",
                                       "8.5e-23",
                                       "1e400",
                                       "-1e400",
                                       "1e-400",
                                       "4.9406564584124654e-324",
                                       "2.2250738585072014e-308",
                                       "1.7976931348623157e308",
                                       "0.500000000000000166533453693773481063544750213623046875",
                                       "123456789012345678901234567890.5",
                                       "0.000000000000000000000000001234567890123456789",
                                       "18446744073709551615.0",
                                       "99999999999999999999"};
    for (int64_t i = 0; i < GM_COUNT(hard); i++) check_real(hard[i]);
    char text[64];
    for (uint64_t i = 0; i < 200000; i++) {
        uint64_t a = gm_mix64(3 * i), b = gm_mix64(3 * i + 1);
        double x;
        memcpy(&x, &a, sizeof x);
        if (i % 4 == 0) snprintf(text, sizeof text, "%.17g", (double)(int64_t)a / 0x1p63);
        else if (i % 4 == 1)
            snprintf(text, sizeof text, "%.*f", (int)(b % 19), (double)(a % 100000000) / 977.0);
        else if (i % 4 == 2)
            snprintf(text, sizeof text, "%llu.%0*llu", (unsigned long long)(a >> (b % 60)),
                     1 + (int)(b >> 60), (unsigned long long)(b % 10));
        else if (isfinite(x)) snprintf(text, sizeof text, "%.*g", 1 + (int)(b % 17), x);
        if (strpbrk(text, ".e")) check_real(text);
    }
}

/* The same values through the database: its functions have a quick way for the common shapes. */
static void test_through_database(void **state)
{
    world *w = *state;
    char *file = malloc(400000), *p = file, *expected = malloc(400000), *q = expected;
    p += sprintf(p, "x,pad\n1.5,.\n");
    q += sprintf(q, "1.5;");
    for (uint64_t i = 0; i < 5000; i++) {
        uint64_t a = gm_mix64(i), b = gm_mix64(i + 77777);
        char text[48];
        snprintf(text, sizeof text, "%s%llu.%0*llu", a & 1 ? "-" : "",
                 (unsigned long long)(a >> (20 + b % 44)), 1 + (int)(b % 9), (unsigned long long)(b % 10));
        p += sprintf(p, "%s,.\n", text);
        double v = strtod(text, NULL);
        char shown[32];
        gm_real_text(v, true, shown);
        q += sprintf(q, "%s;", shown);
    }
    gm_table *t = csv(w, file, "\"types\": {\"x\": \"DOUBLE\"}"), *over = sql(w, "SELECT x FROM t", "t", t);
    const char *rows = rows_of(w, over, NULL);
    const char *e = expected;
    while (*rows && *e) { /* compared as numbers: both spell them their own way */
        char *r_end, *e_end;
        double r = strtod(rows, &r_end), x = strtod(e, &e_end);
        assert_true(r == x);
        rows = r_end + 1, e = e_end + 1;
    }
    assert_string_equal(rows, e);
    gm_table_unref(over);
    gm_table_unref(t);
    free(file);
    free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_reals),
        cmocka_unit_test_setup_teardown(test_through_database, world_begin, world_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* test_libsvm_line.c - what one line of a LIBSVM file is, and what is said of one that is none. */
#include "source/libsvm/libsvm_line.h"
#include "unit.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const gm_libsvm_range one = {1, GM_LIBSVM_MOST}, zero = {0, 9};

static void test_rows(void **state)
{
    static const struct {
        const char *line, *row; /* "label qid column=value ..." */
    } cases[] = {
        {"1 1:0.5 3:2", "1 -1 0=0.5 2=2 "},
        {"+1 1:1 ", "1 -1 0=1 "},
        {"-1\t2:-1e3\r", "-1 -1 1=-1000 "},
        {"  0.5", "0.5 -1 "},
        {"3 qid:12 1:1", "3 12 0=1 "},
        {"1 1:1#2:1", "1 -1 0=1 "},
        {"1 1:1 # the rest: 2:x", "1 -1 0=1 "},
        {"nan 1:nan 2:inf", "nan -1 0=nan 1=inf "},
        {"1 007:1 8:.5", "1 -1 6=1 7=0.5 "},
        {"1 1:123456789012345678901234567890", "1 -1 0=1.23457e+29 "},
        {"1 2147483646:1", "1 -1 2147483645=1 "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t idx[64];
        double val[64];
        char said[256];
        gm_libsvm_line line;
        gm_libsvm_read(&one, cases[i].line, strlen(cases[i].line), idx, val, &line);
        assert_int_equal(line.verdict, GM_LIBSVM_ROW);
        int n = snprintf(said, sizeof said, "%g %lld ", line.label, (long long)line.qid);
        for (int64_t k = 0; k < line.n; k++)
            n += snprintf(said + n, sizeof said - (size_t)n, "%u=%g ", idx[k], val[k]);
        assert_string_equal(said, cases[i].row);
    }
}

static void test_faults(void **state)
{
    static const struct {
        const gm_libsvm_range *range;
        const char *line, *said;
    } cases[] = {
        {&one, "", ""},
        {&one, " \t\r", ""},
        {&one, "# 1 1:1", ""},
        {&one, "yes 1:1", "found 'yes' where the label stands, expected one number"},
        {&one, "1:1 2:2", "found '1:1' where the label stands, expected one number"},
        {&one, "1,2 1:1", "found '1,2' where the label stands, expected one number"},
        {&one, "0x1 1:1", "found '0x1' where the label stands, expected one number"},
        {&one, "1 qid:x 1:1", "found 'qid:x', expected qid: and a whole number"},
        {&one, "1 1:1 qid:3", "found 'qid:3', expected index:value as in 3:0.5"},
        {&one, "1 3;4", "found '3;4', expected index:value as in 3:0.5"},
        {&one, "1 1:", "found '1:', expected index:value as in 3:0.5"},
        {&one, "1 :1", "found ':1', expected index:value as in 3:0.5"},
        {&one, "1 -1:1", "found '-1:1', expected index:value as in 3:0.5"},
        {&one, "1 1.0:1", "found '1.0:1', expected index:value as in 3:0.5"},
        {&one, "1 1:1_0", "found '1:1_0', expected a number behind the colon"},
        {&one, "1 1:1:2", "found '1:1:2', expected a number behind the colon"},
        {&one, "1 2:1 1:1", "index 1 stands behind 2, and indices rise from left to right"},
        {&one, "1 2:1 2:1", "index 2 stands behind 2, and indices rise from left to right"},
        {&one, "1 0:1", "index 0, and indices begin at 1"},
        {&zero, "1 0:1 10:1", "index 10 is beyond the 10 features, whose largest index is 9"},
        {&one, "1 2147483647:1",
         "index 2147483647 is beyond the 2147483646 features, whose largest index is 2147483646"},
        {&one, "1 9999999999999999999:1", "found '9999999999999999999:1', expected index:value as in 3:0.5"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char said[GM_LIBSVM_SAID];
        gm_libsvm_line line;
        gm_libsvm_read(cases[i].range, cases[i].line, strlen(cases[i].line), NULL, NULL, &line);
        assert_true(line.verdict != GM_LIBSVM_ROW);
        gm_libsvm_say(cases[i].range, &line, said);
        assert_string_equal(said, cases[i].said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

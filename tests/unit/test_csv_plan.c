/* SPDX-License-Identifier: Apache-2.0 */
/* test_csv_plan.c - CSV files as people have them: what they mean, and that nothing is lost or guessed in
 * silence. */
#include "tables.h"

static void check(void **state, const char *text, const char *more, const char *columns, const char *rows)
{
    world *w = *state;
    gm_table *t = csv(w, text, more);
    assert_string_equal(rows_of(w, t, NULL), rows);
    assert_string_equal(columns_of(w, t), columns);
    gm_table_unref(t);
}

/* Fails when the table is opened, or when it is read. */
static void check_error(void **state, const char *text, const char *more, gm_code expected, const char *part,
                        const char *hint)
{
    world *w = *state;
    gm_table *t = NULL;
    gm_code code = open_source(w, put_file(w, "t.csv", text, strlen(text)), more, &t);
    if (code == GM_OK) rows_of(w, t, &code);
    expect_message(w, code, expected, part, hint);
    gm_table_unref(t);
}

static void test_types(void **state)
{
    check(state,
          "b,i,r,d,t,s,x\ntrue,1,1.5,2024-02-29,12:30:00,2024-01-02 03:04:05,ab\n"
          "FALSE,-7,1e3,1999-12-31,00:00:01.5,1970-01-01T00:00,\n",
          "", "b BOOLEAN, i BIGINT, r DOUBLE, d DATE, t TIME, s TIMESTAMP, x VARCHAR",
          "true|1|1.5|2024-02-29|12:30:00|2024-01-02 03:04:05|ab;"
          "false|-7|1000.0|1999-12-31|00:00:01.5|1970-01-01 00:00:00|~;");
}

static void test_line_ends(void **state)
{
    check(state, "a,b\r\n1,\"x\r\ny\"\r\n", "", "a BIGINT, b VARCHAR", "1|x\r\ny;");
    check(state, "v\n\"one\ntwo\"", "", "v VARCHAR", "one\ntwo;");
    check(state,
          "\xef\xbb\xbf"
          "a,b\n1,2",
          "", "a BIGINT, b BIGINT", "1|2;");
    check(state, "a,b\n1,2\n\n3,4\n", "", "a BIGINT, b BIGINT", "1|2;3|4;");
}

static void test_ragged(void **state)
{
    static const char text[] = "x,y,z\n1,2\n1,2,3\n1,2,3,4\n";
    check_error(state, text, "", GM_EFORMAT, "2 rows do not have the 3 fields of the header: lines 2, 4",
                "ragged: pad");
    check_error(state, "x,y,z\n1,2,3\n4,5\n", "", GM_EFORMAT, "t.csv:3: 2 fields where the header has 3",
                "ragged: pad");
    check(state, text, "\"ragged\": \"pad\"", "x BIGINT, y BIGINT, z BIGINT", "1|2|~;1|2|3;");
    check(state, text, "\"bad_rows\": \"reject\"", "x BIGINT, y BIGINT, z BIGINT", "1|2|3;");
}

static void test_late_quote(void **state)
{
    world *w = *state;
    size_t n = 0, cap = 30000 * 24;
    char *text = malloc(cap);
    n += (size_t)sprintf(text + n, "k,v\n");
    for (int i = 0; i < 30000; i++) n += (size_t)sprintf(text + n, "aaaaaaaaaaaa,0\n");
    n += (size_t)sprintf(text + n, "\"p,q\",1\n");
    gm_table *t = NULL;
    assert_int_equal(open_source(w, put_file(w, "t.csv", text, n), "", &t), GM_OK);
    gm_table *q = sql(w, "SELECT count(*), max(k), sum(v) FROM t", "t", t);
    assert_string_equal(rows_of(w, q, NULL), "30001|p,q|1;");
    gm_table_unref(q);
    gm_table_unref(t);
    free(text);
}

static void test_encodings(void **state)
{
    world *w = *state;
    check_error(state,
                "city;n\nOrl\xe9"
                "ans;3\n",
                "", GM_EFORMAT, "t.csv:2: byte 0xE9 at offset 10 is not UTF-8", "encoding: latin-1");
    check(state,
          "city;n\nOrl\xe9"
          "ans;3\n",
          "\"encoding\": \"latin-1\"", "city VARCHAR, n BIGINT",
          "Orl\xc3\xa9"
          "ans|3;");
    static const char wide[] = "\xff\xfe"
                               "a\0,\0b\0\n\0"
                               "1\0,\0\xe9\0\n\0";
    gm_table *t = NULL;
    assert_int_equal(open_source(w, put_file(w, "t.csv", wide, sizeof wide - 1), "", &t), GM_OK);
    assert_string_equal(rows_of(w, t, NULL), "1|\xc3\xa9;");
    gm_table_unref(t);
    check_error(state, "a\n1\n", "\"encoding\": \"ebcdic\"", GM_EPARAM, "encoding 'ebcdic' cannot be read",
                "iconv");
}

/* After the part that is looked at. */
static void test_late_bytes(void **state)
{
    world *w = *state;
    size_t n = 0;
    char *text = malloc(1600000);
    n += (size_t)sprintf(text, "k,v\n");
    while (n < 1500000) n += (size_t)sprintf(text + n, "abcdefgh,12345\n");
    n += (size_t)sprintf(text + n, "\xe9"
                                   "cole,1\n");
    gm_table *t = NULL;
    gm_code code;
    assert_int_equal(open_source(w, put_file(w, "t.csv", text, n), "", &t), GM_OK);
    rows_of(w, t, &code);
    expect_message(w, code, GM_EFORMAT, "byte 0xE9 at offset 1500004", "encoding: latin-1");
    gm_table_unref(t);
    free(text);
}

static void test_ids(void **state)
{
    check(state, "id\n12345678901234567891\n12345678901234567892\n", "", "id HUGEINT",
          "12345678901234567891;12345678901234567892;");
    check(state, "id\n9007199254740993\n\n9007199254740992\n", "", "id BIGINT",
          "9007199254740993;~;9007199254740992;");
    check(state, "id\n123456789012345678901234567890123456789\n1\n", "", "id VARCHAR",
          "123456789012345678901234567890123456789;1;");
    check(state, "zip,n\n01234,1\n98765,2\n", "", "zip VARCHAR, n BIGINT", "01234|1;98765|2;");
    check(state, "tel\n+4912345\n", "", "tel VARCHAR", "+4912345;");
    check(state, "i\n-9223372036854775808\n9223372036854775807\n", "", "i BIGINT",
          "-9223372036854775808;9223372036854775807;");
    check(state, "i\n9223372036854775808\n-9223372036854775809\n", "", "i HUGEINT",
          "9223372036854775808;-9223372036854775809;");
}

static void test_decimal_comma(void **state)
{
    check(state, "t;p\na;1,5\nb;2,25\n", "\"decimal\": \",\"", "t VARCHAR, p DOUBLE", "a|1.5;b|2.25;");
    check(state, "t;p\na;1,5\nb;2,25\n", "", "t VARCHAR, p VARCHAR", "a|1,5;b|2,25;");
    world *w = *state;
    for (int rows = 2047; rows <= 2049; rows++) {
        size_t n = (size_t)0;
        char *text = malloc(40000);
        n += (size_t)sprintf(text, "t;p\n");
        for (int i = 0; i < rows; i++) n += (size_t)sprintf(text + n, "a;%d,5\n", i);
        gm_table *t = csv(w, text, "\"decimal\": \",\""),
                 *q = sql(w, "SELECT typeof(max(p)), sum(p) FROM t", "t", t);
        char expected[64];
        snprintf(expected, sizeof expected, "DOUBLE|%.1f;", rows * (rows - 1) / 2.0 + rows * 0.5);
        assert_string_equal(rows_of(w, q, NULL), expected);
        gm_table_unref(q);
        gm_table_unref(t);
        free(text);
    }
}

static void test_dates(void **state)
{
    check(state, "d\n01/02/2024\n13/02/2024\n", "", "d DATE", "2024-02-01;2024-02-13;");
    check(state, "d\n01/02/2024\n02/13/2024\n", "", "d DATE", "2024-01-02;2024-02-13;");
    check(state, "d\n01/02/2024\n", "", "d VARCHAR", "01/02/2024;");
    check(state, "d\n13/02/2024\n02/13/2024\n", "", "d VARCHAR", "13/02/2024;02/13/2024;");
    check(state, "d\n41_10_1\n", "", "d VARCHAR", "41_10_1;");
    check(state, "d\n01/02/2024\n", "\"dateformat\": \"%d/%m/%Y\"", "d DATE", "2024-02-01;");
    check(state, "d\n31.01.2024\n30.04.2024\n", "", "d DATE", "2024-01-31;2024-04-30;");
    check(state, "d\n2024-01-01\n2024-02-30\n", "", "d VARCHAR", "2024-01-01;2024-02-30;");
}

static void test_missing(void **state)
{
    check(state, "s,t\n\"\",1\n\"null\",2\n,3\nx,4\n", "", "s VARCHAR, t BIGINT", "|1;null|2;~|3;x|4;");
    check(state, "n,s\nNA,a\n1,NA\n", "\"nullstr\": \"NA\"", "n BIGINT, s VARCHAR", "~|a;1|~;");
    check(state, "n\nNA\n-\n2.5\n", "\"nullstr\": [\"NA\", \"-\"]", "n DOUBLE", "~;~;2.5;");
    check(state, "i\n1\nnan\n9007199254740993\n", "", "i BIGINT", "1;~;9007199254740993;");
    check(state, "a,b\n,1\n,2\n", "", "a VARCHAR, b BIGINT", "~|1;~|2;");
}

static void test_header(void **state)
{
    check(state, "1,2\n3,4\n", "", "column0 BIGINT, column1 BIGINT", "1|2;3|4;");
    check(state, "1,2\n3,4\n", "\"header\": true", "1 BIGINT, 2 BIGINT", "3|4;");
    check(state, ",a\n0,x\n1,y\n", "", "column0 BIGINT, a VARCHAR", "0|x;1|y;");
    check(state, "junk\na,b\n1,2\n", "\"skip\": 1", "a BIGINT, b BIGINT", "1|2;");
    check_error(state, "", "", GM_EFORMAT, "t.csv is empty", "");
    check_error(state, "a,b\n", "", GM_EFORMAT, "has a header and no rows", "header: false");
    check_error(state, "a,A\n1,2\n", "", GM_ESCHEMA, "the columns 'a' and 'A' differ only by case", "rename");
    check_error(state, "a,b,a\n1,2,3\n", "", GM_ESCHEMA, "two columns are called 'a'", "rename");
}

static void test_odd_names(void **state)
{
    check(state, "a.b,a b,x[0],\"q\"\"q\",<script>,\xce\xb1,it's\n1,2,3,4,5,6,7\n", "",
          "a.b BIGINT, a b BIGINT, x[0] BIGINT, q\"q BIGINT, <script> BIGINT, \xce\xb1 BIGINT, it's BIGINT",
          "1|2|3|4|5|6|7;");
}

static void test_declared(void **state)
{
    check(state, "id,n\n1,2\n", "\"types\": {\"id\": \"VARCHAR\", \"n\": \"INTEGER\"}",
          "id VARCHAR, n INTEGER", "1|2;");
    check_error(state, "id\n1\n1.5\n", "\"types\": {\"id\": \"BIGINT\"}", GM_EDATA,
                "column 'id' holds '1.5', which is no BIGINT", "another type");
    check_error(state, "id\n1\nx\n", "\"types\": {\"id\": \"DATE\"}", GM_EDATA,
                "column 'id': Could not convert", "another type");
    check_error(state, "id\n1\n", "\"types\": {\"ix\": \"DATE\"}", GM_ESCHEMA, "no column 'ix'",
                "did you mean 'id'");
    check_error(state, "id\n1\n", "\"delimiter\": \",\"", GM_EPARAM, "unknown option of a source 'delimiter'",
                "delim");
}

/* What does not show in the first megabyte: the column becomes wider, nothing is rounded. */
static void test_wider(void **state)
{
    static const struct {
        const char *usual, *late, *type, *kept;
    } cases[] = {
        {"1234567", "1.5", "DOUBLE", "1.5"},
        {"1234567", "12345678901234567891", "HUGEINT", "12345678901234567891"},
        {"1234567", "007", "VARCHAR", "007"},
        {"1234567", "n/a", "VARCHAR", "n/a"},
        {"1234567", "1_000", "VARCHAR", "1_000"},
        {"1234567", "0x1F", "VARCHAR", "0x1F"},
        {"1234.25", "41_10_1", "VARCHAR", "41_10_1"},
        {"true", "1", "VARCHAR", "1"},
        {"2024-01-01", "2024-01-01 10:00:00", "TIMESTAMP", "2024-01-01 10:00:00"},
        {"2024-01-01", "soon", "VARCHAR", "soon"},
        {"01/02/2024", "13/02/2024", "DATE", "2024-02-13"},
        {"13/02/2024", "02/13/2024", "VARCHAR", "02/13/2024"},
        {"", "5", "BIGINT", "5"},
        {"", "x", "VARCHAR", "x"},
    };
    world *w = *state;
    char *text = malloc(1300000);
    for (int64_t k = 0; k < GM_COUNT(cases); k++) {
        size_t n = (size_t)sprintf(text, "pad,v\n");
        while (n < 1100000) n += (size_t)sprintf(text + n, "abcdefghijklmnopqrstuvwxyz,%s\n", cases[k].usual);
        sprintf(text + n, "z,%s\n", cases[k].late);
        gm_table *t = csv(w, text, "");
        gm_table *q = sql(w, "SELECT typeof(v), v FROM t WHERE pad = 'z'", "t", t);
        char expected[80];
        snprintf(expected, sizeof expected, "%s|%s;", cases[k].type, cases[k].kept);
        assert_string_equal(rows_of(w, q, NULL), expected);
        gm_table_unref(q);
        gm_table_unref(t);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_types, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_line_ends, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_ragged, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_late_quote, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_encodings, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_late_bytes, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_ids, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_decimal_comma, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_dates, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_missing, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_header, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_odd_names, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_declared, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_wider, world_begin, world_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

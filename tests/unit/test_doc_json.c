/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: kinds, lines, bounds, messages. */
#include "base/doc.h"
#include "torture.h"

static gm_code parse(gm_cx *cx, const char *text, gm_doc **out)
{
    return gm_doc_json(cx, gm_scratch(cx), text, strlen(text), "f.json", out);
}

static void values_have_kinds_and_lines(void **state)
{
    gm_cx *cx = *state;
    gm_doc *d;
    assert_ok(
        cx,
        parse(cx,
              "\xEF\xBB\xBF{\"a\": null,\n\"b\": true, \"c\": -3,\n \"d\": 2.5,\n\"e\": \"x\\u00e9\\\"\",\n"
              "\"f\": [1,\n{\"g\": 18446744073709551615}], \"h\": {}, \"i\": [\n\"s\",\n\"t\"]}",
              &d));
    assert_int_equal(d->kind, GM_D_MAP);
    assert_int_equal(d->n, 8);
    static const gm_kind kinds[] = {GM_D_NULL, GM_D_BOOL, GM_D_INT, GM_D_REAL,
                                    GM_D_STR,  GM_D_LIST, GM_D_MAP, GM_D_LIST};
    static const int lines[] = {1, 2, 2, 3, 4, 5, 6, 6};
    for (int i = 0; i < 8; i++) {
        assert_int_equal(d->child[i].kind, kinds[i]);
        assert_int_equal(d->child[i].line, lines[i]);
        assert_string_equal(d->child[i].origin, "f.json");
    }
    assert_int_equal(gm_doc_get(d, "c")->i, -3);
    assert_true(gm_doc_get(d, "c")->real == -3);
    assert_true(gm_doc_get(d, "d")->real == 2.5);
    assert_string_equal(gm_doc_get(d, "e")->str, "x\xc3\xa9\"");
    const gm_doc *g = gm_doc_get(&gm_doc_get(d, "f")->child[1], "g");
    assert_int_equal(g->kind, GM_D_REAL); /* too large for int64_t */
    assert_int_equal(g->line, 6);
    assert_int_equal(gm_doc_get(d, "i")->child[1].line, 8);
    gm_cx_end(cx);
}

static void wrong_texts_are_told_with_their_line(void **state)
{
    gm_cx *cx = *state;
    static const char *const cases[][2] = {
        {"", "f.json:1: expected JSON, found nothing"},
        {"{\"a\": 1,\n\n}", "f.json:1: trailing comma is not allowed"},
        {"{\"a\":\n tru}", "f.json:2: invalid literal, expected a valid literal such as 'true'"},
        {"{\"a\": 1} x", "f.json:1: unexpected content after document"},
        {"{\"a\": 1,\n\"b\": 2,\n\"a\": 3}", "f.json:3: 'a' stands twice in one map"},
        {"{\"a\\u0000b\": 1}", "f.json:1: a text holds the character NUL"},
        {"[\n\"\\u0000\"]", "f.json:2: a text holds the character NUL"},
        {"[\"\xff\"]", "f.json:1: invalid UTF-8 encoding in string"},
        {"[1e999]", "f.json:1: number is infinity when parsed as double"},
    };
    gm_doc *d;
    for (int i = 0; i < GM_COUNT(cases); i++) {
        assert_fails(cx, parse(cx, cases[i][0], &d), GM_ESYNTAX, cases[i][1]);
        gm_cx_end(cx);
    }
    assert_fails(cx, gm_doc_json(cx, gm_scratch(cx), "[", 1, "", &d), GM_ESYNTAX,
                 "line 1: unexpected end of data");
    gm_cx_end(cx);
}

static void depth_is_bounded(void **state)
{
    gm_cx *cx = *state;
    char text[200001];
    gm_doc *d;
    memset(text, '[', 100), memset(text + 100, ']', 100), text[200] = 0;
    assert_ok(cx, parse(cx, text, &d));
    memset(text, '[', 101), memset(text + 101, ']', 101), text[202] = 0;
    assert_fails(cx, parse(cx, text, &d), GM_ESYNTAX, "f.json:1: nested deeper than 100");
    memset(text, '[', 100000), memset(text + 100000, ']', 100000), text[200000] = 0;
    assert_int_equal(parse(cx, text, &d), GM_ESYNTAX);
    gm_cx_begin(cx);
}

static void many_keys_are_checked_fast(void **state)
{
    gm_cx *cx = *state;
    gm_doc *d;
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    gm_json_open(&b, NULL, '{');
    for (int i = 0; i < 50000; i++) {
        char key[32];
        snprintf(key, sizeof key, "key %d", i * 7919 % 50000);
        gm_json_int(&b, key, i);
    }
    gm_json_int(&b, "key 77", 1);
    gm_json_close(&b, '}');
    assert_ok(cx, gm_buf_done(&b));
    assert_fails(cx, parse(cx, b.p, &d), GM_ESYNTAX, "f.json:1: 'key 77' stands twice in one map");
    gm_cx_end(cx);
}

static gm_code parse_some(gm_cx *cx, void *arg)
{
    gm_doc *d;
    (void)arg;
    return parse(
        cx,
        "{\"a\": [1, 2, {\"b\": \"c\"}], \"d\": {\"e\": null}, \"f\": 1, \"g\": 1, \"h\": 1, \"i\": 1, "
        "\"j\": 1,"
        "\"k\": 1, \"l\": 1, \"m\": 1, \"n\": 1, \"o\": 1, \"p\": 1, \"q\": 1, \"r\": 1, \"s\": 1, \"t\": 1}",
        &d);
}

static void every_allocation_may_fail(void **state)
{
    assert_in_range(torture(*state, parse_some, NULL), 5, 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_kinds_and_lines),
        cmocka_unit_test(wrong_texts_are_told_with_their_line),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(many_keys_are_checked_fast),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, unit_setup, unit_teardown);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Asking documents for values: defaults, types, ranges, unknown keys, where it stood. */
#include "base/doc.h"
#include "unit.h"

static gm_doc *parsed(gm_cx *cx, const char *yaml, const char *origin)
{
    gm_doc *d = NULL;
    assert_ok(cx, gm_doc_yaml(cx, gm_scratch(cx), yaml, strlen(yaml), origin, &d));
    return d;
}

static void values_and_defaults(void **state)
{
    gm_cx *cx = *state;
    gm_doc *d = parsed(cx, "s: text\nnumber: 2013\ni: 5\nw: 6.0\nr: 0.5\nb: false\nnone: null\n", "p.yaml");
    const char *s;
    int64_t i;
    double r;
    bool b;
    assert_ok(cx, gm_doc_str(cx, d, "s", "x", &s));
    assert_string_equal(s, "text");
    assert_ok(cx, gm_doc_str(cx, d, "number", "x", &s)); /* a YAML scalar as it was written */
    assert_string_equal(s, "2013");
    assert_ok(cx, gm_doc_str(cx, d, "none", "x", &s));
    assert_string_equal(s, "x");
    assert_ok(cx, gm_doc_str(cx, NULL, "s", NULL, &s));
    assert_null(s);
    assert_ok(cx, gm_doc_int(cx, d, "i", 1, 0, 9, &i));
    assert_int_equal(i, 5);
    assert_ok(cx, gm_doc_int(cx, d, "w", 1, 0, 9, &i));
    assert_int_equal(i, 6);
    assert_ok(cx, gm_doc_int(cx, d, "absent", -1, 0, 9, &i));
    assert_int_equal(i, -1);
    assert_ok(cx, gm_doc_real(cx, d, "r", 1, &r));
    assert_true(r == 0.5);
    assert_ok(cx, gm_doc_real(cx, d, "i", 1, &r));
    assert_true(r == 5);
    assert_ok(cx, gm_doc_bool(cx, d, "b", true, &b));
    assert_false(b);
    assert_ok(cx, gm_doc_bool(cx, d, "none", true, &b));
    assert_true(b);
    assert_null(gm_doc_get(d, "absent"));
    assert_null(gm_doc_get(gm_doc_get(d, "s"), "x"));
    assert_null(gm_doc_get(NULL, "x"));
    gm_cx_end(cx);
}

static void wrong_types_say_what_was_found(void **state)
{
    gm_cx *cx = *state;
    gm_doc *d = parsed(cx, "a: text\nb: [1, 2]\nc: {x: 1}\nd: 5.5\ne: 12\n", "p.yaml");
    const char *s;
    int64_t i;
    double r;
    bool b;
    assert_fails(cx, gm_doc_int(cx, d, "a", 0, 0, 9, &i), GM_EPARAM,
                 "'a': expected a whole number, found text 'text' (p.yaml:1)");
    assert_fails(cx, gm_doc_str(cx, d, "b", "", &s), GM_EPARAM,
                 "'b': expected text, found a list of 2 (p.yaml:2)");
    assert_fails(cx, gm_doc_bool(cx, d, "c", 0, &b), GM_EPARAM,
                 "'c': expected true or false, found a map (p.yaml:3)");
    assert_fails(cx, gm_doc_int(cx, d, "d", 0, 0, 9, &i), GM_EPARAM,
                 "'d': expected a whole number, found number 5.5 (p.yaml:4)");
    assert_fails(cx, gm_doc_int(cx, d, "e", 0, 0, 9, &i), GM_EPARAM,
                 "'e': expected a whole number in [0, 9], found number 12 (p.yaml:5)");
    assert_fails(cx, gm_doc_int(cx, d, "e", 0, 20, INT64_MAX, &i), GM_EPARAM,
                 "'e': expected a whole number from 20, found number 12 (p.yaml:5)");
    assert_fails(cx, gm_doc_real(cx, d, "a", 0, &r), GM_EPARAM,
                 "'a': expected a number, found text 'text' (p.yaml:1)");
    assert_fails(cx, gm_doc_str(cx, gm_doc_get(d, "a"), "x", "", &s), GM_EPARAM,
                 "'a': expected names with values, found text 'text' (p.yaml:1)");
    gm_cx_end(cx);
}

static void unknown_keys(void **state)
{
    gm_cx *cx = *state;
    static const char *const keys[] = {"path", "format", "delim", NULL};
    assert_ok(cx, gm_doc_only(cx, parsed(cx, "path: x\ndelim: ','", "p.yaml"), "source", keys));
    assert_ok(cx, gm_doc_only(cx, NULL, "source", keys));
    assert_ok(cx, gm_doc_only(cx, parsed(cx, "", "p.yaml"), "source", keys));
    assert_int_equal(gm_doc_only(cx, parsed(cx, "path: x\nformta: csv", "p.yaml"), "key of source", keys),
                     GM_EPARAM);
    assert_string_equal(gm_cx_message(cx),
                        "unknown key of source 'formta' (p.yaml:2); did you mean 'format'?");
    assert_string_equal(gm_cx_hint(cx), "known: path, format, delim");
    gm_cx_begin(cx);
    assert_fails(cx, gm_doc_only(cx, parsed(cx, "zzz: 1", "option"), "option", keys), GM_EPARAM,
                 "unknown option 'zzz'");
    assert_fails(cx, gm_doc_only(cx, parsed(cx, "[1]", ""), "option", keys), GM_EPARAM,
                 "expected names with values, found a list of 1 (line 1)");
    gm_cx_end(cx);
}

static void places(void **state)
{
    gm_cx *cx = *state;
    static const struct {
        gm_doc d;
        const char *where;
    } cases[] = {
        {{.origin = "a.yaml", .line = 12}, "a.yaml:12"},
        {{.origin = "", .line = 3}, "line 3"},
        {{.origin = "a.yaml"}, "a.yaml"},
        {{.origin = "option", .key = "x", .line = 1}, "option 'x'"},
        {{.origin = "option", .line = 1}, "options"},
        {{.origin = "override a.b=c", .line = 1}, "override a.b=c"},
        {{0}, "?"},
    };
    for (int i = 0; i < GM_COUNT(cases); i++)
        assert_string_equal(gm_doc_where(cx, &cases[i].d), cases[i].where);
    char text[200];
    memset(text, 'x', 199), text[199] = 0;
    gm_doc d = {.kind = GM_D_STR, .str = text};
    assert_int_equal(strlen(gm_doc_found(cx, &d)), strlen("text ''...") + 60);
    gm_cx_end(cx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_defaults),
        cmocka_unit_test(wrong_types_say_what_was_found),
        cmocka_unit_test(unknown_keys),
        cmocka_unit_test(places),
    };
    return cmocka_run_group_tests(tests, unit_setup, unit_teardown);
}

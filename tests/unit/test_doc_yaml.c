/* SPDX-License-Identifier: Apache-2.0 */
/* YAML: the core schema's scalars, lines, what is not allowed, messages. */
#include "base/doc.h"
#include "torture.h"

static gm_code parse(gm_cx *cx, const char *text, gm_doc **out)
{
    return gm_doc_yaml(cx, gm_scratch(cx), text, strlen(text), "p.yaml", out);
}

static void scalars_of_the_core_schema(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        gm_kind kind;
        double v;
    } cases[] = {
        {"", GM_D_NULL, 0},
        {"~", GM_D_NULL, 0},
        {"null", GM_D_NULL, 0},
        {"NULL", GM_D_NULL, 0},
        {"nUll", GM_D_STR, 0},
        {"true", GM_D_BOOL, 1},
        {"False", GM_D_BOOL, 0},
        {"TRUE", GM_D_BOOL, 1},
        {"yes", GM_D_STR, 0},
        {"no", GM_D_STR, 0},
        {"on", GM_D_STR, 0},
        {"Off", GM_D_STR, 0},
        {"y", GM_D_STR, 0},
        {"0", GM_D_INT, 0},
        {"-12", GM_D_INT, -12},
        {"+7", GM_D_INT, 7},
        {"007", GM_D_INT, 7},
        {"0x1F", GM_D_INT, 31},
        {"0o17", GM_D_INT, 15},
        {"0x", GM_D_STR, 0},
        {"0o8", GM_D_STR, 0},
        {"1_000", GM_D_STR, 0},
        {"12:30", GM_D_STR, 0},
        {"2013-01-01", GM_D_STR, 0},
        {"1.5", GM_D_REAL, 1.5},
        {".5", GM_D_REAL, .5},
        {"5.", GM_D_REAL, 5},
        {"-1e3", GM_D_REAL, -1000},
        {"1e-3", GM_D_REAL, .001},
        {"1e", GM_D_STR, 0},
        {".", GM_D_STR, 0},
        {"-", GM_D_STR, 0},
        {"+", GM_D_STR, 0},
        {"e5", GM_D_STR, 0},
        {"1.2.3", GM_D_STR, 0},
        {".inf", GM_D_REAL, INFINITY},
        {"-.INF", GM_D_REAL, -INFINITY},
        {"+.Inf", GM_D_REAL, INFINITY},
        {"inf", GM_D_STR, 0},
        {"nan", GM_D_STR, 0},
        {"9223372036854775807", GM_D_INT, 9223372036854775807.0},
        {"9223372036854775808", GM_D_REAL, 9223372036854775808.0},
        {"-.nan", GM_D_STR, 0},
        {"0x1.8p3", GM_D_STR, 0},
        {"1d", GM_D_STR, 0},
        {"infinity", GM_D_STR, 0},
    };
    for (int i = 0; i < GM_COUNT(cases); i++) {
        gm_doc d = {0};
        gm_doc_scalar(&d, cases[i].text);
        if (d.kind != cases[i].kind) print_error("'%s' became kind %d\n", cases[i].text, d.kind);
        assert_int_equal(d.kind, cases[i].kind);
        assert_string_equal(d.str, cases[i].text);
        if (d.kind == GM_D_BOOL) assert_int_equal(d.b, cases[i].v != 0);
        if (d.kind == GM_D_INT) assert_true(d.i == (int64_t)cases[i].v || d.i == INT64_MAX);
        if (d.kind == GM_D_INT || d.kind == GM_D_REAL) assert_true(d.real == cases[i].v);
    }
    gm_doc nan = {0};
    gm_doc_scalar(&nan, ".nan");
    assert_true(nan.kind == GM_D_REAL && isnan(nan.real));
}

static void structure_and_lines(void **state)
{
    gm_cx *cx = *state;
    gm_doc *d;
    assert_ok(cx, parse(cx,
                        "# a comment\nsplit: {test: 0.2, seed: 7}\nstages:\n  - Tokenizer\n  - Imputer:\n"
                        "      inputCols: [a, 'no']\n"
                        "text: |\n  two\n  lines\nquoted: \"5\"\nempty:\n",
                        &d));
    assert_int_equal(d->n, 5);
    static const int lines[] = {2, 3, 7, 10, 11};
    for (int i = 0; i < 5; i++) assert_int_equal(d->child[i].line, lines[i]);
    const gm_doc *stages = gm_doc_get(d, "stages");
    assert_int_equal(stages->n, 2);
    assert_int_equal(stages->child[1].line, 5);
    const gm_doc *cols = gm_doc_get(gm_doc_get(&stages->child[1], "Imputer"), "inputCols");
    assert_int_equal(cols->line, 6);
    assert_string_equal(cols->child[1].str, "no");
    assert_true(cols->child[1].quoted);
    assert_false(cols->child[0].quoted);
    assert_string_equal(gm_doc_get(d, "text")->str, "two\nlines\n");
    assert_int_equal(gm_doc_get(d, "quoted")->kind, GM_D_STR);
    assert_int_equal(gm_doc_get(d, "empty")->kind, GM_D_NULL);
    assert_ok(cx, parse(cx, "", &d));
    assert_int_equal(d->kind, GM_D_NULL);
    assert_ok(cx, parse(cx, "just text", &d));
    assert_string_equal(d->str, "just text");
    gm_cx_end(cx);
}

static void wrong_texts_are_told_with_their_line(void **state)
{
    gm_cx *cx = *state;
    static const char *const cases[][2] = {
        {"a: 1\nb: *x", "p.yaml:2: aliases (*name) are not allowed"},
        {"a: &x 1", "p.yaml:1: anchors (&name) are not allowed"},
        {"a: &x [1]", "p.yaml:1: anchors (&name) are not allowed"},
        {"a: &x {}", "p.yaml:1: anchors (&name) are not allowed"},
        {"a: !!str 1", "p.yaml:1: tags (!name) are not allowed; put texts into quotes"},
        {"a: !x [1]", "p.yaml:1: tags (!name) are not allowed"},
        {"a: !x {}", "p.yaml:1: tags (!name) are not allowed"},
        {"a: 1\nb: 2\na: 3", "p.yaml:3: 'a' stands twice in one map"},
        {"a: 1\n---\nb: 2", "p.yaml:2: a second document begins here; one is allowed"},
        {"? [a]\n: 1", "p.yaml:1: a key must be a text, not a list or a map"},
        {"a: b: c", "p.yaml:1: mapping values are not allowed in this context"},
        {"a: [1, 2\nb: 3",
         "p.yaml:2: did not find expected ',' or ']' while parsing a flow sequence that begins in line 1"},
        {"a:\n\tb: 1",
         "p.yaml:2: found character that cannot start any token while scanning for the next token that "
         "begins in line 2"},
        {"a: 1\nb: \"\\0\"", "p.yaml:2: a text holds the character NUL"},
        {"a: 1\nb: \xff", "p.yaml:2: invalid leading UTF-8 octet"},
        {"a: 1\nb: \x01", "p.yaml:2: control characters are not allowed"},
    };
    gm_doc *d;
    for (int i = 0; i < GM_COUNT(cases); i++) {
        assert_fails(cx, parse(cx, cases[i][0], &d), GM_ESYNTAX, cases[i][1]);
        gm_cx_end(cx);
    }
    assert_int_equal(parse(cx, "\ta: 1", &d), GM_ESYNTAX);
    assert_string_equal(gm_cx_hint(cx),
                        "indent with spaces, not with tabs; put texts with special characters into quotes");
    gm_cx_begin(cx);
}

static void depth_is_bounded(void **state)
{
    gm_cx *cx = *state;
    char text[2001];
    gm_doc *d;
    memset(text, '[', 100), memset(text + 100, ']', 100), text[200] = 0;
    assert_ok(cx, parse(cx, text, &d));
    memset(text, '[', 900), memset(text + 900, ']', 900), text[1800] = 0;
    assert_fails(cx, parse(cx, text, &d), GM_ESYNTAX, "p.yaml:1: nested deeper than 100");
    gm_cx_end(cx);
}

static void json_is_told_by_its_first_character(void **state)
{
    gm_cx *cx = *state;
    static const char *const texts[] = {" \n{\"a\": [1]}", "\xEF\xBB\xBF{\"a\": [1]}", "a: [1]",
                                        "\357\273\277a: [1]"};
    gm_doc *d;
    for (int i = 0; i < 4; i++) {
        assert_ok(cx, gm_doc_parse(cx, gm_scratch(cx), texts[i], strlen(texts[i]), "x", &d));
        assert_int_equal(gm_doc_get(d, "a")->child[0].i, 1);
    }
    assert_ok(cx, gm_doc_parse(cx, gm_scratch(cx), "", 0, "x", &d));
    assert_int_equal(d->kind, GM_D_NULL);
    gm_cx_end(cx);
}

static gm_code parse_some(gm_cx *cx, void *arg)
{
    gm_doc *d;
    (void)arg;
    return parse(cx, "a: [1, 2, {b: c}]\nd:\n  - e: null\n  - f\n  - 'g'\nh: {i: {j: {k: [[l]]}}}\n", &d);
}

static void every_allocation_may_fail(void **state)
{
    assert_in_range(torture(*state, parse_some, NULL), 8, 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_of_the_core_schema),           cmocka_unit_test(structure_and_lines),
        cmocka_unit_test(wrong_texts_are_told_with_their_line), cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(json_is_told_by_its_first_character),  cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, unit_setup, unit_teardown);
}

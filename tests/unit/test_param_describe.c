/* SPDX-License-Identifier: Apache-2.0 */
/* Parameter rows as JSON: what the registry and the JSON Schema say, and values that are written and read
 * again. */
#include "base/param.h"
#include "unit.h"

typedef struct thing {
    double a, missing;
    int64_t n;
    int e;
    bool b;
    const char *s, *outputCol;
    gm_names names;
    gm_reals reals;
    gm_ints ints;
} thing;

static const char *const words[] = {"one", "two", NULL};
static const gm_param table[] = {
    {GM_REAL(thing, a, 0.5), .max = 1, .open_min = true, .help = "a \"share\"",
     .tune = {GM_LINEAR, 0.1, 0.9}},
    {GM_REAL(thing, missing, NAN)},
    {GM_INT(thing, n, 3), .min = 1, .max = INFINITY},
    {GM_ENUM(thing, e, 1, words)},
    {GM_BOOL(thing, b, true)},
    {GM_STRING(thing, s, NULL), .role = GM_READS, .required = true},
    {GM_STRING(thing, outputCol, "out"), .role = GM_WRITES, .pairs_with = "s"},
    {GM_STRINGS(thing, names)},
    {GM_REALS(thing, reals)},
    {GM_INTS(thing, ints), .min = 0, .max = 7},
    {0},
};

static void rows(void **state)
{
    gm_cx *cx = *state;
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    gm_param_describe(&b, NULL, table);
    assert_ok(cx, gm_buf_done(&b));
    assert_string_equal(
        b.p, "[{\"name\":\"a\",\"type\":\"real\",\"default\":0.5,\"above\":0,\"max\":1,\"help\":\"a "
             "\\\"share\\\"\",\"role\":\"option\","
             "\"search\":{\"scale\":\"linear\",\"min\":0.1,\"max\":0.9}},"
             "{\"name\":\"missing\",\"type\":\"real\",\"default\":\"nan\",\"help\":\"\",\"role\":\"option\"},"
             "{\"name\":\"n\",\"type\":\"int\",\"default\":3,\"min\":1,\"help\":\"\",\"role\":\"option\"},"
             "{\"name\":\"e\",\"type\":\"enum\",\"default\":\"two\",\"choices\":[\"one\",\"two\"],"
             "\"help\":\"\",\"role\":\"option\"},"
             "{\"name\":\"b\",\"type\":\"bool\",\"default\":true,\"help\":\"\",\"role\":\"option\"},"
             "{\"name\":\"s\",\"type\":\"string\",\"default\":null,\"help\":\"\",\"role\":\"input\","
             "\"required\":true},"
             "{\"name\":\"outputCol\",\"type\":\"string\",\"default\":\"out\",\"help\":\"\","
             "\"role\":\"output\",\"pairsWith\":\"s\"},"
             "{\"name\":\"names\",\"type\":\"strings\",\"default\":[],\"help\":\"\",\"role\":\"option\"},"
             "{\"name\":\"reals\",\"type\":\"reals\",\"default\":[],\"help\":\"\",\"role\":\"option\"},"
             "{\"name\":\"ints\",\"type\":\"ints\",\"default\":[],\"min\":0,\"max\":7,\"help\":\"\","
             "\"role\":\"option\"}]");
    gm_cx_end(cx);
}

static void schema(void **state)
{
    gm_cx *cx = *state;
    gm_doc *d;
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    gm_param_schema(&b, NULL, table);
    assert_ok(cx, gm_buf_done(&b));
    assert_ok(cx, gm_doc_json(cx, gm_scratch(cx), b.p, b.len, "schema", &d));
    const gm_doc *all = gm_doc_get(d, "properties");
    assert_int_equal(all->n, gm_param_count(table));
    for (int i = 0; table[i].name; i++) assert_string_equal(all->child[i].key, table[i].name);
    assert_has(b.p, "\"a\":{\"description\":\"a \\\"share\\\"\",\"anyOf\":[{\"type\":\"number\","
                    "\"exclusiveMinimum\":0,\"maximum\":1},"
                    "{\"type\":\"null\"}]}");
    assert_has(
        b.p,
        "\"n\":{\"description\":\"\",\"anyOf\":[{\"type\":\"integer\",\"minimum\":1},{\"type\":\"null\"}]}");
    assert_has(b.p,
               "\"e\":{\"description\":\"\",\"anyOf\":[{\"enum\":[\"one\",\"two\"]},{\"type\":\"null\"}]}");
    assert_has(
        b.p, "\"missing\":{\"description\":\"\",\"anyOf\":[{\"type\":\"number\"},{\"enum\":[\"nan\",\"inf\","
             "\"-inf\"]},{\"type\":\"null\"}]}");
    assert_has(b.p, "\"additionalProperties\":false");
    assert_has(b.p, "\"required\":[\"s\"]}");
    gm_cx_end(cx);
}

static void written_values_read_back(void **state)
{
    gm_cx *cx = *state;
    static const char text[] =
        "a: 0.1\nmissing: .nan\nn: 9007199254740993\ne: one\nb: false\ns: \"x\\\"\\u00e9\"\noutputCol: o\n"
        "names: [p, 'q,r']\nreals: [[1, -.inf], [], [0.1]]\nints: [7, 0]\n";
    thing x, y;
    uint64_t set = 0, again = 0;
    gm_doc *d;
    gm_buf first = gm_buf_in(cx, gm_scratch(cx)), second = gm_buf_in(cx, gm_scratch(cx));
    gm_param_defaults(table, &x);
    assert_ok(cx, gm_doc_yaml(cx, gm_scratch(cx), text, strlen(text), "t", &d));
    assert_ok(cx, gm_param_set_all(cx, gm_scratch(cx), table, &x, d, "Thing", &set));
    gm_param_write(&first, NULL, table, &x, set);
    assert_ok(cx, gm_buf_done(&first));
    gm_param_defaults(table, &y);
    assert_ok(cx, gm_doc_json(cx, gm_scratch(cx), first.p, first.len, "t", &d));
    assert_ok(cx, gm_param_set_all(cx, gm_scratch(cx), table, &y, d, "Thing", &again));
    gm_param_write(&second, NULL, table, &y, again);
    assert_ok(cx, gm_buf_done(&second));
    assert_string_equal(first.p, second.p);
    assert_int_equal(set, 0x3ff);
    assert_int_equal(again, set);
    assert_int_equal(y.n, 9007199254740993);
    assert_true(isnan(y.missing));
    gm_buf none = gm_buf_in(cx, gm_scratch(cx));
    gm_param_write(&none, NULL, table, &x, 0);
    assert_ok(cx, gm_buf_done(&none));
    assert_string_equal(none.p, "{}");
    gm_cx_end(cx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),
        cmocka_unit_test(schema),
        cmocka_unit_test(written_values_read_back),
    };
    return cmocka_run_group_tests(tests, unit_setup, unit_teardown);
}

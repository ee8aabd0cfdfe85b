/* SPDX-License-Identifier: Apache-2.0 */
/* Parameter tables: setting, defaults, ranges, messages, writing back, describing, JSON Schema. */
#include "base/param.h"
#include "torture.h"

typedef struct learner {
    double regParam, elastic;
    int64_t maxIter;
    int family;
    bool fitIntercept;
    const char *labelCol, *weightCol;
    gm_names inputCols;
    gm_reals bounds;
    gm_ints layers;
} learner;

static const char *const families[] = {"auto", "binomial", "multinomial", NULL};
static const gm_param table[] = {
    {GM_REAL(learner, regParam, 0), .max = INFINITY, .help = "penalty", .tune = {GM_LOG, 1e-6, 10}},
    {GM_REAL(learner, elastic, 0.5), .max = 1, .open_max = true, .open_min = true},
    {GM_INT(learner, maxIter, 100), .min = 1, .max = 10000},
    {GM_ENUM(learner, family, 0, families)},
    {GM_BOOL(learner, fitIntercept, true)},
    {GM_STRING(learner, labelCol, "label"), .role = GM_READS},
    {GM_STRING(learner, weightCol, NULL), .role = GM_READS},
    {GM_STRINGS(learner, inputCols), .role = GM_READS},
    {GM_REALS(learner, bounds)},
    {GM_INTS(learner, layers), .min = 1, .max = 9},
    {0},
};

static gm_code set(gm_cx *cx, const char *text, learner *l, uint64_t *given)
{
    gm_doc *d;
    *given = 0;
    gm_param_defaults(table, l);
    GM_TRY(gm_doc_parse(cx, gm_scratch(cx), text, strlen(text), "pipeline.yaml", &d));
    return gm_param_set_all(cx, gm_scratch(cx), table, l, d, "LogisticRegression", given);
}

static void defaults(void **state)
{
    gm_cx *cx = *state;
    learner l;
    uint64_t given;
    memset(&l, 0xee, sizeof l);
    assert_ok(cx, set(cx, "", &l, &given));
    assert_int_equal(given, 0);
    assert_true(l.regParam == 0 && l.elastic == 0.5 && l.maxIter == 100 && l.family == 0 && l.fitIntercept);
    assert_string_equal(l.labelCol, "label");
    assert_null(l.weightCol);
    assert_true(l.inputCols.n == 0 && l.bounds.n == 0 && l.bounds.rows == 0 && l.layers.n == 0);
    assert_int_equal(gm_param_count(table), 10);
    assert_int_equal(gm_param_find(table, "maxIter"), 2);
    assert_int_equal(gm_param_find(table, "maxiter"), -1);
    gm_cx_end(cx);
}

static void values(void **state)
{
    gm_cx *cx = *state;
    learner l;
    uint64_t given;
    assert_ok(cx,
              set(cx,
                  "regParam: 1e-3\nmaxIter: 5.0\nfamily: binomial\nfitIntercept: false\nlabelCol: no\n"
                  "weightCol: 2013\n"
                  "inputCols: [a, 5, 'x y']\nbounds: [[-.inf, 1], [], [.nan]]\nlayers: 3\nelastic: null\n",
                  &l, &given));
    assert_int_equal(given, 0x3fd);
    assert_true(l.regParam == 0.001 && l.maxIter == 5 && l.family == 1 && !l.fitIntercept &&
                l.elastic == 0.5);
    assert_string_equal(l.labelCol, "no");
    assert_string_equal(l.weightCol, "2013"); /* a column may be called so */
    assert_int_equal(l.inputCols.n, 3);
    assert_string_equal(l.inputCols.v[1], "5");
    assert_int_equal(l.bounds.rows, 3);
    assert_int_equal(l.bounds.n, 3);
    static const int64_t start[] = {0, 2, 2, 3};
    assert_memory_equal(l.bounds.start, start, sizeof start);
    assert_true(isinf(l.bounds.v[0]) && l.bounds.v[1] == 1 && isnan(l.bounds.v[2]));
    assert_true(l.layers.n == 1 && l.layers.v[0] == 3);
    assert_ok(cx, set(cx, "inputCols: one\nbounds: [1, 2.5]", &l, &given));
    assert_true(l.inputCols.n == 1 && l.bounds.n == 2 && l.bounds.rows == 0);
    assert_string_equal(l.inputCols.v[0], "one");
    gm_cx_end(cx);
}

static void messages(void **state)
{
    gm_cx *cx = *state;
    static const char *const cases[][2] = {
        {"\nregParam: -1", "LogisticRegression: regParam = -1 is outside [0, inf) (pipeline.yaml:2)"},
        {"regParam: .inf", "LogisticRegression: regParam = inf is outside [0, inf) (pipeline.yaml:1)"},
        {"regParam: .nan", "LogisticRegression: regParam = nan is outside [0, inf) (pipeline.yaml:1)"},
        {"elastic: 1", "LogisticRegression: elastic = 1 is outside (0, 1) (pipeline.yaml:1)"},
        {"elastic: 0.0", "LogisticRegression: elastic = 0 is outside (0, 1) (pipeline.yaml:1)"},
        {"maxIter: 0", "LogisticRegression: maxIter = 0 is outside [1, 10000] (pipeline.yaml:1)"},
        {"maxIter: -9223372036854775808",
         "LogisticRegression: maxIter = -9223372036854775808 is outside [1, 10000] (pipeline.yaml:1)"},
        {"maxIter: 1e300", "LogisticRegression: maxIter = 1e+300 is outside [1, 10000] (pipeline.yaml:1)"},
        {"maxIter: 5.5", "LogisticRegression: maxIter = 5.5 is not a whole number (pipeline.yaml:1)"},
        {"maxIter: '5'",
         "LogisticRegression: maxIter: expected a whole number, found text '5' (pipeline.yaml:1)"},
        {"{\"maxIter\": \"5\"}",
         "LogisticRegression: maxIter: expected a whole number, found text '5' (pipeline.yaml:1)"},
        {"a: 1\nmaxItr: 5", "unknown parameter 'a' of LogisticRegression (pipeline.yaml:1)"},
        {"\n\nmaxItr: 5",
         "unknown parameter 'maxItr' of LogisticRegression (pipeline.yaml:3); did you mean 'maxIter'?"},
        {"fitIntercept: yes",
         "LogisticRegression: fitIntercept: expected true or false, found text 'yes' (pipeline.yaml:1)"},
        {"fitIntercept: 1",
         "LogisticRegression: fitIntercept: expected true or false, found number 1 (pipeline.yaml:1)"},
        {"family: binomal",
         "LogisticRegression: family: expected one of auto, binomial, multinomial, found text 'binomal' "
         "(pipeline.yaml:1); did you mean 'binomial'?"},
        {"family: [auto]",
         "LogisticRegression: family: expected one of auto, binomial, multinomial, found a list of 1 "
         "(pipeline.yaml:1)"},
        {"labelCol: [a]",
         "LogisticRegression: labelCol: expected a text, found a list of 1 (pipeline.yaml:1)"},
        {"{\"labelCol\": 5}",
         "LogisticRegression: labelCol: expected a text, found number 5 (pipeline.yaml:1)"},
        {"inputCols: {a: 1}",
         "LogisticRegression: inputCols: expected a text or a list of texts, found a map (pipeline.yaml:1)"},
        {"inputCols: [a, [b]]",
         "LogisticRegression: inputCols[1]: expected a text, found a list of 1 (pipeline.yaml:1)"},
        {"inputCols: [a, null]",
         "LogisticRegression: inputCols[1]: expected a text, found null (pipeline.yaml:1)"},
        {"bounds: [1, x]",
         "LogisticRegression: bounds[1]: expected a number, found text 'x' (pipeline.yaml:1)"},
        {"bounds: [[1], 2]",
         "LogisticRegression: bounds[1]: expected a list, as the ones before, found number 2 "
         "(pipeline.yaml:1)"},
        {"bounds: [1, [2]]",
         "LogisticRegression: bounds[1]: expected a number, found a list of 1 (pipeline.yaml:1)"},
        {"layers: [1, 22]", "LogisticRegression: layers[1] = 22 is outside [1, 9] (pipeline.yaml:1)"},
        {"layers: [1.5]", "LogisticRegression: layers[0] = 1.5 is not a whole number (pipeline.yaml:1)"},
        {"[1]",
         "LogisticRegression: expected parameters as names with values, found a list of 1 (pipeline.yaml:1)"},
    };
    learner l;
    uint64_t given;
    for (int i = 0; i < GM_COUNT(cases); i++) {
        assert_fails(cx, set(cx, cases[i][0], &l, &given), GM_EPARAM, cases[i][1]);
        gm_cx_end(cx);
    }
    assert_int_equal(set(cx, "alpha: 1", &l, &given), GM_EPARAM);
    assert_string_equal(
        gm_cx_hint(cx),
        "its parameters: regParam, elastic, maxIter, family, fitIntercept, labelCol, weightCol, "
        "inputCols, bounds, layers");
    gm_cx_begin(cx);
}

typedef struct needy {
    const char *inputCol;
    double x;
} needy;
static const gm_param needs[] = {
    {GM_STRING(needy, inputCol, NULL), .required = true}, {GM_REAL(needy, x, 0)}, {0}};

static void required_parameters(void **state)
{
    gm_cx *cx = *state;
    needy n;
    uint64_t given = 0;
    gm_doc *d;
    gm_param_defaults(needs, &n);
    assert_fails(cx, gm_param_set_all(cx, gm_scratch(cx), needs, &n, NULL, "Bucketizer", &given), GM_EPARAM,
                 "Bucketizer: parameter 'inputCol' is missing");
    assert_ok(cx, gm_doc_yaml(cx, gm_scratch(cx), "\nx: 1", 5, "p.yaml", &d));
    assert_fails(cx, gm_param_set_all(cx, gm_scratch(cx), needs, &n, d, "Bucketizer", &given), GM_EPARAM,
                 "Bucketizer: parameter 'inputCol' is missing (p.yaml:2)");
    given = 1; /* set before */
    assert_ok(cx, gm_param_set_all(cx, gm_scratch(cx), needs, &n, d, "Bucketizer", &given));
    assert_int_equal(given, 3);
    gm_cx_end(cx);
}

static void from_the_command_line(void **state)
{
    gm_cx *cx = *state;
    static const char *const fine[][3] = {
        /* key, value, what is written */
        {"maxIter", "12", "{\"maxIter\":12}"},
        {"regParam", "1e-3", "{\"regParam\":0.001}"},
        {"labelCol", "007: x, y", "{\"labelCol\":\"007: x, y\"}"},
        {"family", "multinomial", "{\"family\":\"multinomial\"}"},
        {"fitIntercept", "false", "{\"fitIntercept\":false}"},
        {"inputCols", "a, b,c", "{\"inputCols\":[\"a\",\"b\",\"c\"]}"},
        {"inputCols", "[\"a, b\", c]", "{\"inputCols\":[\"a, b\",\"c\"]}"},
        {"inputCols", "", "{\"inputCols\":[]}"},
        {"bounds", "1,.inf", "{\"bounds\":[1,\"inf\"]}"},
        {"bounds", "[[1], [2, 3]]", "{\"bounds\":[[1],[2,3]]}"},
        {"layers", "3", "{\"layers\":[3]}"},
    };
    static const char *const bad[][3] = {
        {"maxIter", "x",
         "LogisticRegression: maxIter: expected a whole number, found text 'x' (option 'maxIter')"},
        {"mxIter", "3",
         "unknown parameter 'mxIter' of LogisticRegression (option 'mxIter'); did you mean 'maxIter'?"},
        {"layers", "1,,2",
         "LogisticRegression: layers[1]: expected a whole number, found null (option 'layers')"},
        {"layers", "[1",
         "options: did not find expected ',' or ']' while parsing a flow sequence that begins in line 1"},
    };
    learner l;
    uint64_t given;
    for (int i = 0; i < GM_COUNT(fine); i++) {
        gm_param_defaults(table, &l);
        given = 0;
        assert_ok(cx, gm_param_set_text(cx, gm_scratch(cx), table, &l, fine[i][0], fine[i][1],
                                        "LogisticRegression", &given));
        gm_buf b = gm_buf_in(cx, gm_scratch(cx));
        gm_param_write(&b, NULL, table, &l, given);
        assert_ok(cx, gm_buf_done(&b));
        assert_string_equal(b.p, fine[i][2]);
        gm_cx_end(cx);
    }
    for (int i = 0; i < GM_COUNT(bad); i++) {
        gm_code code = gm_param_set_text(cx, gm_scratch(cx), table, &l, bad[i][0], bad[i][1],
                                         "LogisticRegression", &given);
        assert_fails(cx, code, i == 3 ? GM_ESYNTAX : GM_EPARAM, bad[i][2]);
        gm_cx_end(cx);
    }
}

static gm_code set_all(gm_cx *cx, void *arg)
{
    learner l;
    uint64_t given;
    return set(cx, arg, &l, &given);
}

static void every_allocation_may_fail(void **state)
{
    assert_in_range(
        torture(*state, set_all,
                "inputCols: [a, b]\nbounds: [[1], [2]]\nlayers: [1]\nlabelCol: x\nfamily: auto\n"),
        15, 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(values),
        cmocka_unit_test(messages),
        cmocka_unit_test(required_parameters),
        cmocka_unit_test(from_the_command_line),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, unit_setup, unit_teardown);
}

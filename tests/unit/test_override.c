/* SPDX-License-Identifier: Apache-2.0 */
/* "a.b=c": what it reaches, what it makes, what it refuses. */
#include "base/doc.h"
#include "torture.h"

static const char text[] = "split: {test: 0.2}\n"
                           "stages:\n"
                           "  - StringIndexer: {inputCol: a}\n"
                           "  - Tokenizer\n"
                           "  - LogisticRegression:\n"
                           "  - StringIndexer: {inputCol: c}\n"
                           "evaluate:\n"
                           "  - RegressionEvaluator: {metricName: r2}\n";

static gm_code apply(gm_cx *cx, const char *assignment, gm_doc **out)
{
    GM_TRY(gm_doc_yaml(cx, gm_scratch(cx), text, strlen(text), "p.yaml", out));
    return gm_doc_override(cx, gm_scratch(cx), *out, NULL, assignment);
}

static void values_are_reached(void **state)
{
    gm_cx *cx = *state;
    static const char *const cases[][2] = {
        /* assignment, a piece of the JSON afterwards */
        {"split.test=0.3", "\"split\":{\"test\":0.3}"},
        {"split.seed=7", "{\"test\":0.2,\"seed\":7}"},
        {"name=flights", "\"name\":\"flights\"}"},
        {"name=null", "\"name\":null}"},
        {"name=''", "\"name\":\"\"}"},
        {"name='no'", "\"name\":\"no\"}"},
        {"name=a=b", "\"name\":\"a=b\"}"},
        {"name=[1, x]", "\"name\":[1,\"x\"]}"},
        {"LogisticRegression.regParam=0.1", "{\"LogisticRegression\":{\"regParam\":0.1}}"},
        {"stages.LogisticRegression.regParam=1", "{\"LogisticRegression\":{\"regParam\":1}}"},
        {"stages.2.maxIter=5", "{\"LogisticRegression\":{\"maxIter\":5}}"},
        {"stages.2.LogisticRegression.maxIter=5", "{\"LogisticRegression\":{\"maxIter\":5}}"},
        {"stages.0.inputCol=z", "[{\"StringIndexer\":{\"inputCol\":\"z\"}}"},
        {"stages.3.inputCol=z", "{\"StringIndexer\":{\"inputCol\":\"z\"}}]"},
        {"stages.1=Imputer", "\"Imputer\",{\"LogisticRegression\":null}"},
        {"Tokenizer.inputCol=t", "{\"Tokenizer\":{\"inputCol\":\"t\"}}"},
        {"RegressionEvaluator.metricName=mae", "[{\"RegressionEvaluator\":{\"metricName\":\"mae\"}}]"},
        {"source.types.\"a.b=c\"=VARCHAR", "\"source\":{\"types\":{\"a.b=c\":\"VARCHAR\"}}}"},
    };
    for (int i = 0; i < GM_COUNT(cases); i++) {
        gm_doc *d;
        assert_ok(cx, apply(cx, cases[i][0], &d));
        gm_buf b = gm_buf_in(cx, gm_scratch(cx));
        gm_doc_write_json(&b, NULL, d);
        assert_ok(cx, gm_buf_done(&b));
        assert_has(b.p, cases[i][1]);
        gm_cx_end(cx);
    }
}

static void wrong_ones_are_told(void **state)
{
    gm_cx *cx = *state;
    static const struct {
        const char *assignment;
        gm_code code;
        const char *message;
    } cases[] = {
        {"split", GM_EUSAGE, "override split: there is no '='"},
        {"", GM_EUSAGE, "override : a name is missing"},
        {"split.test=", GM_EUSAGE, "override split.test=: a value is missing"},
        {"name= ", GM_EUSAGE, "override name= : a value is missing"},
        {"=1", GM_EUSAGE, "override =1: a name is missing"},
        {"a.=1", GM_EUSAGE, "override a.=1: a name is missing"},
        {"\"a=1", GM_EUSAGE, "override \"a=1: a quote is not closed"},
        {"\"a\"b=1", GM_EUSAGE, "override \"a\"b=1: expected '.' or '=' after a quoted name"},
        {"stages.7.x=1", GM_EUSAGE,
         "override stages.7.x=1: there is no number 7 in a list of 4 (they count from 0)"},
        {"stages.-1.x=1", GM_EUSAGE,
         "override stages.-1.x=1: there is no number -1 in a list of 4 (they count from 0)"},
        {"stages.Imputer.x=1", GM_EUSAGE, "override stages.Imputer.x=1: there is no 'Imputer' in the list"},
        {"StringIndexer.x=1", GM_EUSAGE, "override StringIndexer.x=1: there are 2 of 'StringIndexer'"},
        {"split.test.x=1", GM_EUSAGE,
         "override split.test.x=1: 'x' is not inside anything: there is number 0.2"},
        {"x=[1", GM_ESYNTAX,
         "override x=[1: did not find expected ',' or ']' while parsing a flow sequence that begins in "
         "line 1"},
    };
    for (int i = 0; i < GM_COUNT(cases); i++) {
        gm_doc *d;
        assert_fails(cx, apply(cx, cases[i].assignment, &d), cases[i].code, cases[i].message);
        gm_cx_end(cx);
    }
}

static void values_say_where_they_came_from(void **state)
{
    gm_cx *cx = *state;
    gm_doc *d;
    assert_ok(cx, apply(cx, "split.test=much", &d));
    assert_string_equal(gm_doc_where(cx, gm_doc_get(gm_doc_get(d, "split"), "test")),
                        "override split.test=much");
    gm_cx_end(cx);
    assert_ok(cx, gm_doc_yaml(cx, gm_scratch(cx), text, strlen(text), "p.yaml", &d));
    assert_ok(cx, gm_doc_override(cx, gm_scratch(cx), d, "stages", "Tokenizer.inputCol=7"));
    const gm_doc *tokenizer = gm_doc_get(&gm_doc_get(d, "stages")->child[1], "Tokenizer");
    assert_string_equal(gm_doc_where(cx, gm_doc_get(tokenizer, "inputCol")), "override Tokenizer.inputCol=7");
    gm_cx_end(cx);
}

static gm_code one(gm_cx *cx, void *arg)
{
    gm_doc *d;
    return apply(cx, arg, &d);
}

static void every_allocation_may_fail(void **state)
{
    assert_in_range(torture(*state, one, "Tokenizer.inputCol=[a, b]"), 10, 100);
    assert_in_range(torture(*state, one, "a.b.c=1"), 10, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_reached),
        cmocka_unit_test(wrong_ones_are_told),
        cmocka_unit_test(values_say_where_they_came_from),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, unit_setup, unit_teardown);
}

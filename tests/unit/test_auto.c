/* SPDX-License-Identifier: Apache-2.0 */
/* Low code: what is decided about a label and about columns from their measures, and the pipeline that is
 * written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "model/auto.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int open_cx(void **state) { return gm_cx_new(NULL, (gm_cx **)state); }
static int close_cx(void **state)
{
    gm_cx_free(*state);
    return 0;
}

/* ---- measures as a profile would find them ---- */

static gm_auto_column numbers(const char *name, const char *type, double present, double distinct, double min,
                              double max, bool whole)
{
    gm_auto_column c = {.name = name, .type = type, .cls = GM_CLASS_NUMBER, .m = gm_unmeasured};
    c.m.present = present, c.m.distinct = distinct, c.m.min = min, c.m.max = max, c.m.whole = whole;
    return c;
}
static gm_auto_column texts(const char *name, double present, double distinct, double length, double wordy)
{
    gm_auto_column c = {.name = name, .type = "VARCHAR", .cls = GM_CLASS_TEXT, .m = gm_unmeasured};
    c.m.present = present, c.m.distinct = distinct, c.m.length = length, c.m.wordy = wordy;
    return c;
}
static gm_auto_column other(const char *name, const char *type, gm_class cls, double present, double distinct)
{
    gm_auto_column c = {.name = name, .type = type, .cls = cls, .m = gm_unmeasured};
    c.m.present = present, c.m.distinct = distinct;
    return c;
}

/* A table of 1,000 rows: the label first, then one column. */
static gm_auto_plan plan_of(gm_auto_column two[2], double label_distinct)
{
    two[0].m.distinct = label_distinct;
    return (gm_auto_plan){.rows = 1000, .n = 2, .label = 0, .column = two, .label_rows = {NAN, NAN}};
}

static void labels(void **state)
{
    static const struct {
        gm_class cls;
        double distinct, min, max, whole, present;
        gm_learner_wish wish;
        gm_code code;
        gm_task task;
    } cases[] = {
        {GM_CLASS_BOOL, 2, 0, 1, 1, 1000, GM_WISH_ANY, GM_OK, GM_TASK_BINARY},
        {GM_CLASS_BOOL, 2, 0, 1, 1, 1000, GM_WISH_NUMBERS, GM_OK, GM_TASK_REGRESSION},
        {GM_CLASS_BOOL, 1, 0, 0, 1, 1000, GM_WISH_ANY, GM_EDATA, 0},
        {GM_CLASS_TEXT, 2, 0, 0, 0, 1000, GM_WISH_ANY, GM_OK, GM_TASK_BINARY},
        {GM_CLASS_TEXT, 3, 0, 0, 0, 1000, GM_WISH_ANY, GM_OK, GM_TASK_MULTICLASS},
        {GM_CLASS_TEXT, 100, 0, 0, 0, 1000, GM_WISH_ANY, GM_OK, GM_TASK_MULTICLASS},
        {GM_CLASS_TEXT, 101, 0, 0, 0, 1000, GM_WISH_ANY, GM_EDATA, 0},
        {GM_CLASS_TEXT, 3, 0, 0, 0, 1000, GM_WISH_NUMBERS, GM_ESCHEMA, 0},
        {GM_CLASS_TEXT, 0, 0, 0, 0, 0, GM_WISH_ANY, GM_EDATA, 0},
        {GM_CLASS_NUMBER, 2, 0, 1, 1, 900, GM_WISH_ANY, GM_OK, GM_TASK_BINARY},
        {GM_CLASS_NUMBER, 2, 1, 2, 1, 1000, GM_WISH_ANY, GM_OK, GM_TASK_BINARY},
        {GM_CLASS_NUMBER, 2, 0.5, 1.5, 0, 1000, GM_WISH_ANY, GM_OK, GM_TASK_BINARY},
        {GM_CLASS_NUMBER, 3, 0, 2, 1, 1000, GM_WISH_ANY, GM_OK, GM_TASK_MULTICLASS},
        {GM_CLASS_NUMBER, 3, 1, 3, 1, 1000, GM_WISH_ANY, GM_OK, GM_TASK_MULTICLASS},
        {GM_CLASS_NUMBER, 3, 0, 5, 1, 1000, GM_WISH_ANY, GM_OK, GM_TASK_MULTICLASS},
        {GM_CLASS_NUMBER, 3, 0, 2, 1, 20, GM_WISH_ANY, GM_OK, GM_TASK_REGRESSION},
        {GM_CLASS_NUMBER, 3, 0, 2, 0, 1000, GM_WISH_ANY, GM_OK, GM_TASK_REGRESSION},
        {GM_CLASS_NUMBER, 21, 0, 20, 1, 1000, GM_WISH_ANY, GM_OK, GM_TASK_REGRESSION},
        {GM_CLASS_NUMBER, 101, 0, 9, 0, 1000, GM_WISH_ANY, GM_OK, GM_TASK_REGRESSION},
        {GM_CLASS_NUMBER, 21, 0, 20, 1, 1000, GM_WISH_CLASSES, GM_OK, GM_TASK_MULTICLASS},
        {GM_CLASS_NUMBER, 101, 0, 9, 0, 1000, GM_WISH_CLASSES, GM_EDATA, 0},
        {GM_CLASS_NUMBER, 2, 0, 1, 1, 1000, GM_WISH_NUMBERS, GM_OK, GM_TASK_REGRESSION},
        {GM_CLASS_DATE, NAN, 0, 0, 0, 1000, GM_WISH_ANY, GM_EDATA, 0},
    };
    for (int64_t i = 0; i < GM_COUNT(cases); i++) {
        gm_arena a = {0};
        gm_auto_column two[2] = {other("y", "T", cases[i].cls, cases[i].present, cases[i].distinct),
                                 numbers("x", "DOUBLE", 1000, 900, 0, 1, false)};
        two[0].m.min = cases[i].min, two[0].m.max = cases[i].max, two[0].m.whole = cases[i].whole;
        gm_auto_plan p = plan_of(two, cases[i].distinct);
        p.wish = cases[i].wish;
        if (cases[i].cls == GM_CLASS_DATE) two[0].m.distinct = 5;
        gm_cx_begin(*state);
        gm_code code = gm_auto_decide(*state, &a, &p),
                want = cases[i].cls == GM_CLASS_DATE ? GM_ESCHEMA : cases[i].code;
        if (code != want) print_error("case %d: %s\n", (int)i, gm_cx_message(*state));
        assert_int_equal(code, want);
        if (code == GM_OK) {
            if (p.task != cases[i].task) print_error("case %d: %s\n", (int)i, p.why);
            assert_int_equal(p.task, cases[i].task);
            assert_int_equal(two[0].use, GM_USE_LABEL);
            assert_true(strlen(p.why) > 10);
        } else {
            assert_non_null(strstr(gm_cx_message(*state), "label 'y'"));
            assert_true(strlen(gm_cx_hint(*state)) > 10);
        }
        gm_arena_end(&a);
    }
}

static void columns(void **state)
{
    const struct {
        gm_auto_column c;
        gm_use use;
        const char *why;
    } cases[] = {
        {numbers("x", "DOUBLE", 1000, 900, 0, 1, false), GM_USE_NUMBER, "from 0 to 1"},
        {numbers("x", "DOUBLE", 968, 900, 0, 1, false), GM_USE_NUMBER,
         "3.2 % missing, filled with the median"},
        {numbers("x", "DOUBLE", 0, 0, NAN, NAN, false), GM_USE_OUT, "no value"},
        {numbers("x", "BIGINT", 1000, 1, 7, 7, true), GM_USE_OUT, "one value only"},
        {numbers("x", "BIGINT", 1000, 960, 1, 1000, true), GM_USE_OUT, "counts the rows, from 1 to 1000"},
        {numbers("x", "BIGINT", 1000, 960, 1, 90000, true), GM_USE_NUMBER, "from 1 to 90000"},
        {numbers("x", "BIGINT", 1000, 300, 0, 999, true), GM_USE_NUMBER, ""},
        {numbers("flight_id", "BIGINT", 1000, 960, 1, 90000, true), GM_USE_OUT, "an id, by its name"},
        {numbers("flightId", "BIGINT", 1000, 10, 1, 90000, true), GM_USE_CATEGORY, "an id by its name"},
        {numbers("flightID", "BIGINT", 1000, 200, 1, 90000, true), GM_USE_OUT, "too many for its rows"},
        {numbers("paid", "BIGINT", 1000, 960, 1, 90000, true), GM_USE_NUMBER, ""},
        {numbers("flight_id", "DOUBLE", 1000, 960, 0, 1, false), GM_USE_NUMBER, ""},
        {numbers("month", "BIGINT", 1000, 12, 1, 12, true), GM_USE_CATEGORY, "whole numbers"},
        {numbers("month", "BIGINT", 200, 12, 1, 12, true), GM_USE_NUMBER, ""},
        {numbers("month", "DOUBLE", 1000, 12, 1, 12, true), GM_USE_NUMBER, ""},
        {numbers("flag", "BIGINT", 1000, 2, 0, 1, true), GM_USE_NUMBER, ""},
        {other("b", "BOOLEAN", GM_CLASS_BOOL, 1000, 2), GM_USE_FLAG, "1 and 0"},
        {other("d", "DATE", GM_CLASS_DATE, 1000, 300), GM_USE_DATE, "month"},
        {other("d", "TIMESTAMP", GM_CLASS_TIMESTAMP, 1000, 300), GM_USE_TIMESTAMP, "hour"},
        {other("d", "TIME", GM_CLASS_TIME, 1000, 300), GM_USE_NUMBER, "seconds"},
        {other("l", "DOUBLE[]", GM_CLASS_REALS, 1000, NAN), GM_USE_OUT, "nested: a list of numbers"},
        {other("v", "DOUBLE[3]", GM_CLASS_REALS, NAN, NAN), GM_USE_VECTOR, "used as it is"},
        {other("v", "STRUCT(\"type\" TINYINT, size INTEGER, indices INTEGER[], \"values\" DOUBLE[])",
               GM_CLASS_REALS, NAN, NAN),
         GM_USE_VECTOR, "used as it is"},
        {numbers("qid", "BIGINT", 1000, 20, 1, 20, true), GM_USE_OUT, "for rankings"},
        {other("l", "BLOB", GM_CLASS_OTHER, 1000, NAN), GM_USE_OUT, "binary"},
        {texts("s", 1000, 16, 2, 0), GM_USE_CATEGORY, "16 different texts"},
        {texts("s", 1000, 1, 2, 0), GM_USE_OUT, "one value"},
        {texts("s", 1000, 180, 5, 0), GM_USE_CATEGORY, "about 180"},
        {texts("s", 1000, 400, 5, 0), GM_USE_OUT, "too many for its rows"},
        {texts("s", 1000, 950, 36, 0), GM_USE_OUT, "most values occur once"},
        {texts("s", 1000, 950, 5, 0), GM_USE_OUT, "read them as such"},
        {texts("s", 1000, 950, 80, 990), GM_USE_WORDS, "text of several words, 80 characters"},
        {texts("s", 1000, 400, 80, 990), GM_USE_WORDS, ""},
        {texts("s", 1000, 20, 30, 990), GM_USE_CATEGORY, ""},
        {texts("s", 10, 10, 3, 0), GM_USE_CATEGORY, "99.0 % missing"},
    };
    for (int64_t i = 0; i < GM_COUNT(cases); i++) {
        gm_arena a = {0};
        gm_auto_column three[3] = {other("y", "BOOLEAN", GM_CLASS_BOOL, 1000, 2), cases[i].c,
                                   numbers("more", "DOUBLE", 1000, 900, 0, 1, false)};
        gm_auto_plan p = plan_of(three, 2);
        p.n = 3;
        assert_int_equal(gm_auto_decide(*state, &a, &p), GM_OK);
        if (three[1].use != cases[i].use || !strstr(three[1].why, cases[i].why))
            print_error("case %d, %s: %s\n", (int)i, cases[i].c.name, three[1].why);
        assert_int_equal(three[1].use, cases[i].use);
        assert_non_null(strstr(three[1].why, cases[i].why));
        assert_false(three[1].leak);
        gm_arena_end(&a);
    }
}

static void the_users_word(void **state)
{
    gm_arena a = {0};
    gm_auto_column three[3] = {other("y", "BOOLEAN", GM_CLASS_BOOL, 1000, 2),
                               numbers("x", "DOUBLE", 1000, 900, 0, 1, false), texts("s", 1000, 950, 36, 0)};
    gm_auto_plan p = plan_of(three, 2);
    p.n = 3;
    three[1].excluded = three[2].keep = true;
    assert_int_equal(gm_auto_decide(*state, &a, &p), GM_OK);
    assert_int_equal(three[1].use, GM_USE_OUT);
    assert_string_equal(three[1].why, "excluded, as asked");
    assert_int_equal(three[2].use, GM_USE_CATEGORY);
    three[2].keep = false;
    gm_cx_begin(*state);
    assert_int_equal(gm_auto_decide(*state, &a, &p), GM_EDATA);
    assert_non_null(strstr(gm_cx_message(*state), "no column can be used to predict 'y': 'x': excluded"));
    gm_arena_end(&a);
}

static void leakage(void **state)
{
    gm_arena a = {0};
    gm_auto_column three[3] = {other("y", "BOOLEAN", GM_CLASS_BOOL, 1000, 2),
                               numbers("x", "DOUBLE", 1000, 900, 0, 1, false),
                               numbers("z", "DOUBLE", 1000, 900, 0, 1, false)};
    gm_auto_plan p = plan_of(three, 2);
    p.n = 3;
    p.label_rows[0] = 800, p.label_rows[1] = 200;
    gm_auto_column plain = three[1], *x = &three[1];

    x->m.equal = 1000;
    assert_int_equal(gm_auto_decide(*state, &a, &p), GM_OK);
    assert_true(x->leak && x->use == GM_USE_OUT && strstr(x->why, "equals the label"));
    *x = plain, x->keep = true, x->m.equal = 1000;
    assert_int_equal(gm_auto_decide(*state, &a, &p), GM_OK);
    assert_true(x->leak && x->use == GM_USE_NUMBER && strstr(x->why, "equals the label"));
    *x = plain, x->m.equal = 999;
    assert_int_equal(gm_auto_decide(*state, &a, &p), GM_OK);
    assert_true(!x->leak && x->use == GM_USE_NUMBER);
    *x = plain, x->m.corr = -1;
    assert_int_equal(gm_auto_decide(*state, &a, &p), GM_OK);
    assert_true(x->leak && x->use == GM_USE_OUT && strstr(x->why, "times a number"));
    *x = plain, x->m.corr = 0.999;
    assert_int_equal(gm_auto_decide(*state, &a, &p), GM_OK);
    assert_true(!x->leak);

    /* Ranges that do not meet: left out in 1,000 rows, kept with a warning in 100. */
    *x = plain, x->m.lo[0] = -60, x->m.hi[0] = 14, x->m.lo[1] = 15, x->m.hi[1] = 900;
    assert_int_equal(gm_auto_decide(*state, &a, &p), GM_OK);
    assert_true(x->leak && x->use == GM_USE_OUT && strstr(x->why, "tells the two classes apart"));
    p.label_rows[0] = 80, p.label_rows[1] = 20;
    assert_int_equal(gm_auto_decide(*state, &a, &p), GM_OK);
    assert_true(x->leak && x->use == GM_USE_NUMBER && strstr(x->why, "tells the two classes apart"));
    x->leak = false, p.label_rows[1] = 19;
    assert_int_equal(gm_auto_decide(*state, &a, &p), GM_OK);
    assert_false(x->leak);
    x->m.lo[1] = 14, p.label_rows[0] = 800, p.label_rows[1] = 200;
    assert_int_equal(gm_auto_decide(*state, &a, &p), GM_OK);
    assert_false(x->leak);
    gm_arena_end(&a);
}

/* ---- the pipeline ---- */

static gm_doc *pipeline_of(gm_cx *cx, gm_arena *a, gm_auto_plan *p, const char *learner, double test)
{
    gm_buf yaml = gm_buf_in(cx, a);
    gm_doc *d = NULL;
    assert_int_equal(gm_auto_decide(cx, a, p), GM_OK);
    assert_int_equal(gm_auto_pipeline(cx, a, p, learner, test, 7, &yaml), GM_OK);
    gm_code code = gm_doc_yaml(cx, a, yaml.p, yaml.len, "auto.yaml", &d);
    if (code != GM_OK) print_error("%s\n%s\n", gm_cx_message(cx), yaml.p);
    assert_int_equal(code, GM_OK);
    return d;
}

/* The parameters of the k-th stage of this name. */
static const gm_doc *params_of(const gm_doc *pipeline, const char *stage, int k)
{
    const gm_doc *stages = gm_doc_get(pipeline, "stages");
    for (int64_t i = 0; i < stages->n; i++) {
        assert_int_equal(stages->child[i].n, 1);
        if (strcmp(stages->child[i].child[0].key, stage) == 0 && k-- == 0) return &stages->child[i].child[0];
    }
    return NULL;
}

static void one_of_each(void **state)
{
    gm_arena a = {0};
    gm_auto_column all[] = {
        texts("late?", 1000, 2, 3, 0),
        numbers("distance", "BIGINT", 990, 300, 0, 5000, true),
        texts("carrier", 1000, 16, 2, 0),
        other("holiday", "BOOLEAN", GM_CLASS_BOOL, 1000, 2),
        other("when", "TIMESTAMP WITH TIME ZONE", GM_CLASS_TIMESTAMP, 1000, 900),
        texts("remark", 1000, 990, 80, 900),
        numbers("id", "BIGINT", 1000, 990, 1, 1000, true),
    };
    gm_auto_plan p = plan_of(all, 2);
    p.n = GM_COUNT(all);
    const gm_doc *d = pipeline_of(*state, &a, &p, NULL, 0.25);
    static const char *const order[] = {
        "SQLTransformer", "Imputer",       "VectorAssembler", "StandardScaler",
        "Imputer",        "StringIndexer", "OneHotEncoder",   "RegexTokenizer",
        "HashingTF",      "IDF",           "VectorAssembler", "LogisticRegression"};
    const gm_doc *stages = gm_doc_get(d, "stages");
    assert_int_equal(stages->n, GM_COUNT(order));
    for (int64_t i = 0; i < stages->n; i++) assert_string_equal(stages->child[i].child[0].key, order[i]);
    assert_true(gm_doc_get(gm_doc_get(d, "split"), "test")->real == 0.25);
    assert_string_equal(gm_doc_get(d, "name")->str, "late?");

    const char *sql = gm_doc_get(params_of(d, "SQLTransformer", 0), "statement")->str;
    assert_non_null(strstr(sql, "CAST(hour(timezone('UTC', \"when\")) AS VARCHAR) AS \"when_hour\""));
    assert_non_null(strstr(sql, "SELECT *, "));
    assert_non_null(strstr(sql, " FROM __THIS__"));
    assert_int_equal(gm_doc_get(params_of(d, "Imputer", 0), "inputCols")->n, 3);
    assert_int_equal(gm_doc_get(params_of(d, "StringIndexer", 0), "inputCols")->n, 4);
    assert_string_equal(gm_doc_get(params_of(d, "StringIndexer", 0), "handleInvalid")->str, "keep");
    assert_string_equal(gm_doc_get(d, "missingLabel")->str, "skip");
    assert_string_equal(gm_doc_get(params_of(d, "RegexTokenizer", 0), "pattern")->str, "\\W+");
    const gm_doc *learner = params_of(d, "LogisticRegression", 0),
                 *features = params_of(d, "VectorAssembler", 1);
    assert_string_equal(gm_doc_get(learner, "labelCol")->str, "late?");
    assert_string_equal(gm_doc_get(learner, "featuresCol")->str, gm_doc_get(features, "outputCol")->str);
    assert_int_equal(gm_doc_get(features, "inputCols")->n, 1 + 1 + 4 + 1);
    assert_null(params_of(d, "OneHotEncoder", 1));
    gm_arena_end(&a);
}

/* Names that mean something to YAML, SQL or HTML, and names that the pipeline would have chosen itself. */
static void odd_names(void **state)
{
    static const char *const odd[] = {"a\"b",     "it's",
                                      "- x: [",   "#no",
                                      "true",     "null",
                                      "1e3",      "a\\nb",
                                      "a\nb",     "\xc3\xbcml\xc3\xa4ut",
                                      " ",        "<script>alert(1)</script>",
                                      "%s %n",    "__THIS__",
                                      "features", "NUMBERS",
                                      "a_index",  "a",
                                      "a_vector", "y: z"};
    gm_arena a = {0};
    enum { N = GM_COUNT(odd) };
    gm_auto_column all[N + 1];
    all[0] = numbers("\"label\": - '\n", "BIGINT", 1000, 2, 0, 1, true);
    for (int i = 0; i < N; i++) all[i + 1] = texts(odd[i], 1000, 16, 2, 0);
    gm_auto_plan p = plan_of(all, 2);
    p.n = N + 1;
    const gm_doc *d = pipeline_of(*state, &a, &p, NULL, 0.2), *index = params_of(d, "StringIndexer", 0);
    const gm_doc *in = gm_doc_get(index, "inputCols"), *made = gm_doc_get(index, "outputCols"),
                 *vectors = gm_doc_get(params_of(d, "OneHotEncoder", 0), "outputCols");
    assert_int_equal(in->n, N);
    for (int i = 0; i < N; i++) {
        assert_int_equal(in->child[i].kind, GM_D_STR);
        assert_string_equal(in->child[i].str, odd[i]);
        for (int k = 0; k < N; k++) {
            assert_string_not_equal(made->child[i].str, odd[k]);
            assert_string_not_equal(vectors->child[i].str, odd[k]);
            assert_true(i == k || strcmp(made->child[i].str, made->child[k].str) != 0);
        }
    }
    assert_string_equal(gm_doc_get(params_of(d, "LogisticRegression", 0), "labelCol")->str,
                        "\"label\": - '\n");
    assert_string_equal(gm_doc_get(params_of(d, "LogisticRegression", 0), "featuresCol")->str, "features_");

    for (int i = 0; i < N; i++) all[i + 1] = other(odd[i], "DATE", GM_CLASS_DATE, 1000, 300);
    d = pipeline_of(*state, &a, &p, NULL, 0);
    assert_null(gm_doc_get(d, "split"));
    assert_non_null(
        strstr(gm_doc_get(params_of(d, "SQLTransformer", 0), "statement")->str, "dayname(\"a\"\"b\")"));
    gm_arena_end(&a);
}

static void tasks_and_learners(void **state)
{
    gm_arena a = {0};
    gm_auto_column two[2] = {numbers("y", "DOUBLE", 1000, 900, 0, 100, false),
                             numbers("x", "DOUBLE", 1000, 900, 0, 1, false)};
    gm_auto_plan p = plan_of(two, 101);
    const gm_doc *d = pipeline_of(*state, &a, &p, NULL, 0.2);
    assert_string_equal(gm_doc_get(params_of(d, "LinearRegression", 0), "labelCol")->str, "y");
    assert_null(params_of(d, "StringIndexer", 0));
    two[0] = other("y", "BOOLEAN", GM_CLASS_BOOL, 1000, 2);
    p.column[p.label].m.distinct = 2;
    d = pipeline_of(*state, &a, &p, "LinearSVC", 0.2);
    assert_non_null(params_of(d, "LinearSVC", 0));
    gm_arena_end(&a);
}

static void what_is_told(void **state)
{
    gm_arena a = {0};
    gm_doc *d;
    gm_auto_column three[3] = {texts("y", 990, 3, 3, 0), numbers("x", "DOUBLE", 1000, 900, 0, 1, false),
                               numbers("n", "BIGINT", 1000, 980, 0, 999, true)};
    gm_auto_plan p = plan_of(three, 3);
    p.n = 3;
    assert_int_equal(gm_auto_decide(*state, &a, &p), GM_OK);
    gm_buf b = gm_buf_in(*state, &a);
    assert_int_equal(gm_auto_report(*state, &p, &b), GM_OK);
    assert_int_equal(gm_doc_json(*state, &a, b.p, b.len, "report", &d), GM_OK);
    assert_string_equal(gm_doc_get(d, "task")->str, "multiclass");
    assert_int_equal(gm_doc_get(d, "rows_without_label")->i, 10);
    const gm_doc *columns_ = gm_doc_get(d, "columns");
    assert_int_equal(columns_->n, 3);
    assert_string_equal(gm_doc_get(&columns_->child[0], "use")->str, "label");
    assert_non_null(
        strstr(gm_doc_get(&columns_->child[0], "why")->str, "10 of 1000 rows lack it and are dropped"));
    assert_string_equal(gm_doc_get(&columns_->child[1], "use")->str, "number");
    assert_string_equal(gm_doc_get(&columns_->child[2], "use")->str, "left out");
    gm_arena_end(&a);
}

static void no_memory(void **state)
{
    gm_cx *cx = *state;
    bool done = false;
    for (long k = 0; !done && k < 2000; k++) {
        gm_arena a = {0};
        gm_auto_column three[] = {texts("y", 1000, 2, 3, 0), texts("s", 1000, 16, 2, 0),
                                  other("d", "DATE", GM_CLASS_DATE, 1000, 300)};
        gm_auto_plan p = plan_of(three, 2);
        p.n = 3;
        gm_buf yaml = gm_buf_in(cx, &a);
        gm_cx_begin(cx);
        gm_oom_after = k;
        gm_code code = gm_auto_decide(cx, &a, &p);
        if (code == GM_OK) code = gm_auto_pipeline(cx, &a, &p, NULL, 0.2, 0, &yaml);
        done = gm_oom_after >= 0;
        gm_oom_after = -1;
        assert_int_equal(code, done ? GM_OK : GM_ENOMEM);
        gm_arena_end(&a);
        gm_cx_end(cx);
    }
    assert_true(done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels),
        cmocka_unit_test(columns),
        cmocka_unit_test(the_users_word),
        cmocka_unit_test(leakage),
        cmocka_unit_test(one_of_each),
        cmocka_unit_test(odd_names),
        cmocka_unit_test(tasks_and_learners),
        cmocka_unit_test(what_is_told),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, open_cx, close_cx);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * features.c - what every feature stage must keep, whatever it computes: the cut into parts and the order of
 * rows do not change a fit, texts by view and by code are the same, few or missing rows end in an answer or a
 * message, and each allocation may fail.
 */
#include "unit/mixed_vector.h"

/* A column is named by its first letter: r numbers with gaps, i indices, y label, t texts, w words, v vector.
 */
static const struct {
    const char *stage, *json;
} cases[] = {
    {"Imputer", "{\"inputCols\": [\"r\", \"i\"]}"},
    {"Imputer", "{\"inputCols\": [\"r\", \"i\"], \"strategy\": \"median\"}"},
    {"Imputer", "{\"inputCol\": \"r\", \"strategy\": \"mode\"}"},
    {"StringIndexer", "{\"inputCols\": [\"t\", \"t2\"], \"handleInvalid\": \"keep\"}"},
    {"StringIndexer", "{\"inputCol\": \"t\", \"handleInvalid\": \"skip\"}"},
    {"IndexToString", "{\"inputCol\": \"i\", \"labels\": [\"a\", \"b\", \"a rather long label\"]}"},
    {"OneHotEncoder", "{\"inputCols\": [\"i\", \"y\"]}"},
    {"VectorAssembler", "{\"inputCols\": [\"i\", \"v\", \"r\"], \"handleInvalid\": \"keep\"}"},
    {"VectorAssembler", "{\"inputCols\": [\"r\", \"v\"], \"handleInvalid\": \"skip\"}"},
    {"VectorSlicer", "{\"inputCol\": \"v\", \"indices\": [6, 0, 3, 2]}"},
    {"StandardScaler", "{\"inputCol\": \"v\"}"},
    {"StandardScaler", "{\"inputCol\": \"v\", \"withMean\": true}"},
    {"MinMaxScaler", "{\"inputCol\": \"v\"}"},
    {"MaxAbsScaler", "{\"inputCol\": \"v\"}"},
    {"RobustScaler", "{\"inputCol\": \"v\", \"withCentering\": true}"},
    {"Normalizer", "{\"inputCol\": \"v\"}"},
    {"Binarizer", "{\"inputCols\": [\"v\", \"r\"]}"},
    {"Bucketizer",
     "{\"inputCol\": \"r\", \"splits\": [\"-inf\", 0, 2, \"inf\"], \"handleInvalid\": \"keep\"}"},
    {"QuantileDiscretizer", "{\"inputCols\": [\"r\", \"i\"], \"handleInvalid\": \"keep\"}"},
    {"FeatureHasher",
     "{\"inputCols\": [\"r\", \"t\", \"t2\"], \"categoricalCols\": [\"t2\"], \"numFeatures\": 64}"},
    {"TargetEncoder", "{\"inputCols\": [\"i\", \"i2\"], \"labelCol\": \"y\", \"smoothing\": 2}"},
    {"TargetEncoder", "{\"inputCol\": \"i\", \"labelCol\": \"y\", \"targetType\": \"continuous\"}"},
    {"Tokenizer", "{\"inputCol\": \"t\"}"},
    {"RegexTokenizer", "{\"inputCol\": \"t\", \"pattern\": \"[aeiou]+|(x|y){1,3}\"}"},
    {"StopWordsRemover", "{\"inputCols\": [\"w\", \"w2\"]}"},
    {"NGram", "{\"inputCol\": \"w\"}"},
    {"HashingTF", "{\"inputCol\": \"w\", \"numFeatures\": 64}"},
    {"CountVectorizer", "{\"inputCol\": \"w\"}"},
    {"IDF", "{\"inputCol\": \"v\"}"},
};

static const double r[] = {1.5, NAN, -2, 4, 4, 1e6}, i_[] = {0, 2, 1, 1, 0, 2}, y[] = {1, 0, 0, 1, 1, 0};
static const char *const t[] = {"Xylo phone", NULL, "", "b", "a text that does not fit a view", "b"};
static const char *const w[] = {"the fog the FOG", "", "sun", "a word-that-does-not-fit-a-view fog",
                                "sun fog",         "I"};
static const double missing[] = {NAN, NAN, NAN, NAN, NAN, NAN};
static const char *const null[] = {NULL, NULL, NULL, NULL, NULL, NULL}, *const empty[] = {"", "", "",
                                                                                          "", "", ""};

static gm_column column(driver *d, const char *name, bool by_code)
{
    gm_column c;
    switch (name[0]) {
    case 'r': return reals(r);
    case 'i': return reals(i_);
    case 'y': return reals(y);
    case 'v': return vector(mixed, 3);
    case 't': c = texts(d, t, N); return by_code ? coded(d, &c, N) : c;
    default: c = words(d, w, N); return by_code ? coded(d, &c, c.off[N]) : c;
    }
}

/* Makes the inputs, before any allocation is made to fail. */
static void inputs(driver *d, const char *stage, const char *json, bool by_code, gm_column *in)
{
    OK(d, driver_configure(d, stage, json));
    for (int k = 0; k < d->node.n_in; k++) in[k] = column(d, d->node.in[k].column, by_code);
}

static void expect_same_text(gm_text a, gm_text b) { assert_true(gm_text_equal(&a, &b)); }

static void expect_same_output(driver *a, driver *b, int k, double tol)
{
    gm_column *x = &a->out[k], *z = &b->out[k];
    assert_int_equal(x->type, z->type);
    for (int64_t i = 0; i < N && x->type == GM_T_TEXT; i++)
        expect_same_text(gm_column_text(x, i), gm_column_text(z, i));
    if (x->type == GM_T_WORDS)
        for (int64_t i = 0; i < N; i++) assert_string_equal(row_words(a, x, i), row_words(b, z, i));
    if (x->type != GM_T_REAL && x->type != GM_T_VECTOR) return;
    int64_t width = x->type == GM_T_VECTOR ? x->width : 1;
    if (x->type == GM_T_VECTOR) assert_int_equal(x->width, z->width);
    for (int64_t i = 0; i < N; i++)
        if (!a->drop[i])
            expect_reals(driver_dense(a, k, N) + i * width, driver_dense(b, k, N) + i * width, width, tol,
                         __FILE__, __LINE__);
}

static void expect_same_state(driver *a, driver *b, double tol)
{
    for (int s = 0; s < gm_state_count(a->node.stage); s++) {
        gm_array x = gm_state_at(a->node.stage, a->node.state, s),
                 z = gm_state_at(b->node.stage, b->node.state, s);
        assert_int_equal(x.n, z.n);
        if (x.real) expect_reals(x.real, z.real, x.n, tol, __FILE__, __LINE__);
        for (int64_t i = 0; i < x.n && x.ints; i++) assert_int_equal(x.ints[i], z.ints[i]);
        for (int64_t i = 0; i < x.texts.n; i++)
            expect_same_text(gm_texts_at(&x.texts, i), gm_texts_at(&z.texts, i));
    }
}

static void parts_and_forms(void **s)
{
    (void)s;
    for (int c = 0; c < GM_COUNT(cases); c++)
        for (int parts = 1; parts <= 8; parts++)
            for (int by_code = 0; by_code < 2; by_code++) {
                driver a, b;
                gm_column in[DRIVER_PORTS], other[DRIVER_PORTS];
                driver_open(&a);
                driver_open(&b);
                inputs(&a, cases[c].stage, cases[c].json, false, in);
                inputs(&b, cases[c].stage, cases[c].json, by_code, other);
                OK(&a, driver_fit(&a, in, N, 1));
                OK(&b, driver_fit(&b, other, N, parts));
                expect_same_state(&a, &b, 1e-14);
                OK(&a, driver_apply(&a, in, N));
                OK(&b, driver_apply(&b, other, N));
                assert_memory_equal(a.drop, b.drop, N);
                for (int k = 0; k < a.node.n_in; k++)
                    assert_int_equal(a.tally[k].invalid, b.tally[k].invalid);
                for (int k = 0; k < a.node.n_out; k++) {
                    expect_same_output(&a, &b, k, 1e-14);
                    assert_int_equal(a.out_attr[k].type, a.out[k].type);
                    if (a.out[k].type == GM_T_VECTOR) assert_int_equal(a.out_attr[k].width, a.out[k].width);
                    if (a.out_attr[k].names.n > 0) assert_int_equal(a.out_attr[k].names.n, a.out[k].width);
                }
                driver_close(&a);
                driver_close(&b);
            }
}

static void order_of_rows(void **s)
{
    (void)s;
    for (int c = 0; c < GM_COUNT(cases); c++) {
        driver a, b;
        gm_column in[DRIVER_PORTS];
        void *acc;
        driver_open(&a);
        driver_open(&b);
        inputs(&a, cases[c].stage, cases[c].json, false, in);
        OK(&a, driver_fit(&a, in, N, 1));
        inputs(&b, cases[c].stage, cases[c].json, false, in);
        if (a.node.stage->kind == GM_ESTIMATOR) {
            driver_inputs(&b, in);
            OK(&b, b.node.stage->begin(b.cx, &b.a, &b.node, &acc));
            for (int64_t i = N - 1; i >= 0; i--) { /* a row at a time, from the last to the first */
                gm_column row[DRIVER_PORTS];
                for (int k = 0; k < b.node.n_in; k++) row[k] = rows_from(&b, &in[k], i);
                OK(&b, b.node.stage->update(b.cx, &b.a, &b.node, acc, 1, row));
            }
            b.node.state = gm_alloc(b.cx, &b.a, 1, b.node.stage->state_size);
            assert_non_null(b.node.state);
            OK(&b, b.node.stage->finish(b.cx, &b.a, &b.node, acc, b.node.state));
            expect_same_state(&a, &b, 1e-14);
        }
        driver_close(&a);
        driver_close(&b);
    }
}

/* No rows, one row, nothing but missing values: an answer, or an error that says something. */
static void little_data(void **s)
{
    (void)s;
    for (int c = 0; c < GM_COUNT(cases); c++)
        for (int kind = 0; kind < 3; kind++) {
            driver d;
            gm_column in[DRIVER_PORTS];
            int64_t rows = kind == 0 ? 0 : kind == 1 ? 1 : N;
            gm_part none = {.form = GM_DENSE, .width = WIDTH, .x = missing, .stride = 0};
            driver_open(&d);
            inputs(&d, cases[c].stage, cases[c].json, false, in);
            for (int k = 0; k < d.node.n_in && kind == 2; k++) {
                if (in[k].type == GM_T_REAL) in[k] = reals(missing);
                if (in[k].type == GM_T_TEXT) in[k] = texts(&d, null, N);
                if (in[k].type == GM_T_WORDS) in[k] = words(&d, empty, N);
                if (in[k].type == GM_T_VECTOR) in[k] = vector(&none, 1);
            }
            gm_code code = driver_fit(&d, in, rows, 2);
            if (code == GM_OK) code = driver_apply(&d, in, rows);
            if (code != GM_OK) {
                assert_int_equal(code, GM_EDATA);
                assert_non_null(strstr(gm_message(d.cx), cases[c].stage));
            }
            driver_close(&d);
        }
}

static void every_allocation_fails(void **s)
{
    (void)s;
    for (int c = 0; c < GM_COUNT(cases); c++)
        for (int by_code = 0; by_code < 2; by_code++) {
            bool through = false;
            for (long n = 0; !through; n++) {
                driver d;
                gm_column in[DRIVER_PORTS];
                driver_open(&d);
                inputs(&d, cases[c].stage, cases[c].json, by_code, in);
                gm_oom_after = n;
                gm_code code = gm_node_resolve(d.cx, &d.a, &d.node);
                if (code == GM_OK) code = driver_fit(&d, in, N, 2);
                if (code == GM_OK) code = driver_apply(&d, in, N);
                through = gm_oom_after >= 0;
                gm_oom_after = -1;
                if (code != (through ? GM_OK : GM_ENOMEM))
                    print_error("%s, allocation %ld: %s '%s'\n", cases[c].stage, n, gm_code_name(code),
                                gm_message(d.cx));
                assert_int_equal(code, through ? GM_OK : GM_ENOMEM);
                driver_close(&d);
            }
        }
}

static void all_stages_are_here(void **s)
{
    (void)s;
    for (const gm_stage *const *f = gm_features; *f; f++) {
        bool found = strcmp((*f)->name, "SQLTransformer") == 0;
        for (int c = 0; c < GM_COUNT(cases); c++) found = found || strcmp(cases[c].stage, (*f)->name) == 0;
        if (!found) print_error("%s has no case here\n", (*f)->name);
        assert_true(found);
    }
}

DRIVER_MAIN(cmocka_unit_test(parts_and_forms), cmocka_unit_test(order_of_rows), cmocka_unit_test(little_data),
            cmocka_unit_test(every_allocation_fails), cmocka_unit_test(all_stages_are_here))

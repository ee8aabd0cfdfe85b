/* SPDX-License-Identifier: Apache-2.0 */
#include "stage_driver.h"

static void fails(const char *stage, const char *json, const char *words)
{
    driver d;
    driver_open(&d);
    driver_fails(&d, driver_configure(&d, stage, json), GM_EPARAM, words);
    driver_close(&d);
}

static void in_table_order(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    OK(&d, driver_configure(
               &d, "TargetEncoder",
               "{\"labelCol\": \"late\", \"outputCols\": [\"x\", \"y\"], \"inputCols\": [\"a\", \"b\"]}"));
    assert_int_equal(d.node.n_in, 3);
    assert_int_equal(d.node.n_out, 2);
    assert_string_equal(d.node.in[0].column, "a");
    assert_string_equal(d.node.in[1].column, "b");
    assert_string_equal(d.node.in[2].column, "late");
    assert_string_equal(d.node.out[0].column, "x");
    assert_string_equal(d.node.out[1].column, "y");
    assert_false(gm_port_fit_only(&d.node.in[1]));
    assert_true(gm_port_fit_only(&d.node.in[2]));
    assert_int_equal(d.node.in[0].type, GM_T_REAL);
    assert_int_equal(d.node.out[0].type, GM_T_REAL);
    driver_close(&d);
}

static void names_of_absent_outputs(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    OK(&d, driver_configure(&d, "StringIndexer", "{\"inputCols\": [\"a.b\", \"a b\"]}"));
    assert_string_equal(d.node.out[0].column, "a.b_stringIndexer");
    assert_string_equal(d.node.out[1].column, "a b_stringIndexer");
    OK(&d, driver_configure(&d, "StringIndexer", "{\"inputCol\": \"a\", \"outputCol\": \"\"}"));
    assert_string_equal(d.node.out[0].column, "a_stringIndexer");
    OK(&d, driver_configure(&d, "VectorAssembler", "{\"inputCols\": [\"a\"]}"));
    assert_string_equal(d.node.out[0].column, "features");
    OK(&d, driver_configure(&d, "SQLTransformer", "{\"statement\": \"SELECT * FROM __THIS__\"}"));
    assert_int_equal(d.node.n_in + d.node.n_out, 0);
    const char *want[][2] = {{"IDF", "idf"},
                             {"NGram", "nGram"},
                             {"HashingTF", "hashingTF"},
                             {"SQLTransformer", "sqlTransformer"},
                             {"OneHotEncoder", "oneHotEncoder"}};
    for (int i = 0; i < GM_COUNT(want); i++)
        assert_string_equal(gm_lower_camel(d.cx, &d.a, want[i][0]), want[i][1]);
    driver_close(&d);
}

static void wrong_forms(void **s)
{
    (void)s;
    fails("Imputer", "{}", "needs inputCol or inputCols");
    fails("Imputer", "{\"inputCol\": \"a\", \"inputCols\": [\"b\"]}", "both inputCol and inputCols");
    fails("Imputer", "{\"inputCols\": [\"a\", \"b\"], \"outputCols\": [\"c\"]}",
          "outputCols names 1 columns and inputCols 2");
    fails("Imputer", "{\"inputCol\": \"a\", \"outputCols\": [\"c\"]}",
          "outputCols is given without inputCols");
    fails("Imputer", "{\"inputCols\": [\"a\", \"b\"], \"outputCols\": [\"c\", \"c\"]}",
          "'c' would be written twice");
    fails("Imputer", "{\"inputCols\": [\"a\", \"\"]}", "name 2 is empty");
    fails("StandardScaler", "{}", "'inputCol' is missing");
    fails("StandardScaler", "{\"inputCol\": \"\"}", "needs inputCol");
    fails("VectorAssembler", "{\"inputCols\": []}", "needs inputCols");
    fails("SQLTransformer", "{}", "'statement' is missing");
    fails("SQLTransformer", "{\"statement\": \"\"}", "needs statement");
}

static void types_follow_the_input(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    OK(&d, driver_configure(&d, "Binarizer", "{\"inputCols\": [\"a\", \"b\"]}"));
    d.node.in[0].type = GM_T_VECTOR;
    d.node.in[1].type = GM_T_REAL;
    gm_node_types(&d.node);
    assert_int_equal(d.node.out[0].type, GM_T_VECTOR);
    assert_int_equal(d.node.out[1].type, GM_T_REAL);
    driver_close(&d);
}

static void element_names(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const char *const names[] = {"x", "y"};
    gm_attr attr = {.names = {2, names}};
    assert_string_equal(gm_element_name(d.cx, &d.a, &attr, "v", 1), "y");
    assert_string_equal(gm_element_name(d.cx, &d.a, NULL, "v", 3), "v[3]");
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(in_table_order), cmocka_unit_test(names_of_absent_outputs),
            cmocka_unit_test(wrong_forms), cmocka_unit_test(types_follow_the_input),
            cmocka_unit_test(element_names))

/* SPDX-License-Identifier: Apache-2.0 */
/* Low code on real tables: what the one reading measures, and what is made of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "model/auto.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int open_cx(void **state) { return gm_cx_new("{\"threads\": 2}", (gm_cx **)state); }
static int close_cx(void **state)
{
    gm_cx_free(*state);
    return 0;
}

static gm_table *table_of(gm_cx *cx, const char *sql)
{
    gm_table *t = NULL;
    gm_code code = gm_table_from_sql(cx, sql, NULL, NULL, 0, &t);
    if (code != GM_OK) print_error("%s\n", gm_cx_message(cx));
    assert_int_equal(code, GM_OK);
    return t;
}

/* What low code says of a table: the report as a document, or NULL after a failure with this code. */
static gm_doc *say(gm_cx *cx, gm_arena *a, const char *sql, const char *options, gm_code want,
                   gm_doc **pipeline)
{
    gm_doc *o, *report = NULL;
    gm_cx_begin(cx);
    gm_table *t = table_of(cx, sql);
    gm_buf yaml = gm_buf_in(cx, a), json = gm_buf_in(cx, a);
    assert_int_equal(gm_doc_json(cx, a, options, strlen(options), "option", &o), GM_OK);
    gm_code code = gm_auto(cx, t, o, &yaml, &json);
    if (code != want) print_error("%s\n", gm_cx_message(cx));
    assert_int_equal(code, want);
    if (code == GM_OK) {
        assert_int_equal(gm_doc_json(cx, a, json.p, json.len, "report", &report), GM_OK);
        assert_int_equal(gm_doc_yaml(cx, a, yaml.p, yaml.len, "pipeline", pipeline), GM_OK);
    }
    gm_table_free(t);
    return report;
}

static const gm_doc *column_of(const gm_doc *report, const char *name)
{
    const gm_doc *columns = gm_doc_get(report, "columns");
    for (int64_t i = 0; i < columns->n; i++)
        if (strcmp(gm_doc_get(&columns->child[i], "name")->str, name) == 0) return &columns->child[i];
    fail_msg("no column '%s'", name);
    return NULL;
}

static void used_as(const gm_doc *report, const char *name, const char *use, const char *why)
{
    const gm_doc *c = column_of(report, name);
    const char *found = gm_doc_get(c, "use")->str, *said = gm_doc_get(c, "why")->str;
    if (strcmp(found, use) != 0 || !strstr(said, why)) print_error("%s: %s, %s\n", name, found, said);
    assert_string_equal(found, use);
    assert_non_null(strstr(said, why));
}

static void the_measures(void **state)
{
    gm_cx *cx = *state;
    gm_arena a = {0};
    gm_table *t =
        table_of(cx, "SELECT (i % 4 = 0) AS y, CASE WHEN i % 10 = 0 THEN NULL WHEN i % 10 = 1 THEN "
                     "'nan'::DOUBLE ELSE i + 0.5 END AS x, i AS n, i::VARCHAR || ' and more' AS s, (i % 4 = "
                     "0)::INTEGER AS copy, 'c' AS c, 2 * (i % 4 = 0)::INTEGER + 3 AS scaled, [i] AS l FROM "
                     "range(1000) t(i)");
    gm_auto_column c[8] = {{0}};
    gm_auto_plan p = {.n = 8, .label = 0, .column = c};
    gm_code code = gm_auto_profile(cx, t, &p);
    if (code != GM_OK) print_error("%s\n", gm_cx_message(cx));
    assert_int_equal(code, GM_OK);
    assert_true(p.rows == 1000 && c[0].m.distinct == 2 && p.label_rows[0] == 750 && p.label_rows[1] == 250);
    assert_true(c[0].cls == GM_CLASS_BOOL && c[0].m.present == 1000);
    assert_true(c[1].m.present == 800 && c[1].m.whole == 0 && c[1].m.min == 2.5 && c[1].m.max == 999.5);
    assert_true(c[2].m.whole == 1 && c[2].m.distinct > 700 && c[2].m.lo[1] == 0 && c[2].m.hi[1] == 996);
    assert_true(c[3].m.wordy == 1000 && c[3].m.length > 9 && c[3].m.length < 13);
    assert_true(c[4].m.equal == 1000);
    assert_true(c[5].m.distinct == 1);
    assert_true(c[6].m.equal == 0 && c[6].m.corr > 1 - 1e-12);
    assert_true(c[7].cls == GM_CLASS_REALS && isnan(c[7].m.present) && isnan(c[7].m.distinct));
    gm_table_free(t);
    gm_arena_end(&a);
}

/* Infinite, huge, nearly equal and empty values; more values than are kept; words with odd spaces. */
static void values_at_the_edge(void **state)
{
    gm_cx *cx = *state;
    gm_table *t = table_of(
        cx,
        "SELECT i % 2 AS y, CASE i % 5 WHEN 0 THEN 'inf'::DOUBLE WHEN 1 THEN '-inf'::DOUBLE ELSE i END AS x, "
        "1000000000000000000 + i AS big, 1e300 * i AS wide, CASE WHEN i < 0 THEN 1 END AS none, "
        "CASE i % 4 WHEN 0 THEN ' a b c' WHEN 1 THEN 'a  b' WHEN 2 THEN 'a b ' ELSE '' END AS s, "
        "CASE WHEN i % 2 = 1 THEN 'inf'::FLOAT END AS all_inf, i::VARCHAR AS n, i % 129 AS many "
        "FROM range(20000) t(i)");
    gm_auto_column c[9] = {{0}};
    gm_auto_plan p = {.n = 9, .label = 0, .column = c};
    gm_code code = gm_auto_profile(cx, t, &p);
    if (code != GM_OK) print_error("%s\n", gm_cx_message(cx));
    assert_int_equal(code, GM_OK);
    assert_true(c[0].m.distinct == 2 && isnan(c[0].m.equal));
    assert_true(c[1].m.infinite == 8000 && c[1].m.present == 20000 && c[1].m.min == 2 && c[1].m.max == 19999);
    assert_true(c[1].m.whole == 0 && c[1].m.corr > -0.1 && c[1].m.corr < 0.1);
    assert_true(c[2].m.distinct > 18000 && c[2].m.distinct <= 20000); /* as doubles 157 are different */
    assert_true(c[3].m.max > 1e303 && isnan(c[3].m.corr));            /* all but 0 are left out of it */
    assert_true(c[4].m.present == 0 && c[4].m.distinct == 0 && isnan(c[4].m.min));
    assert_true(c[5].m.distinct == 4 && c[5].m.wordy == 5000 && c[5].m.length == 3.5);
    assert_true(c[6].m.infinite == 10000 && c[6].m.present == 10000 && isnan(c[6].m.max));
    assert_true(c[7].m.distinct > 18000 && isnan(c[7].m.equal));
    assert_true(c[8].m.distinct > 116 && c[8].m.distinct <= 129);
    gm_table_free(t);
}

static void infinite_numbers_become_missing(void **state)
{
    gm_arena a = {0};
    gm_doc *d = NULL;
    const gm_doc *r =
        say(*state, &a,
            "SELECT i % 2 = 0 AS y, CASE WHEN hash(i) % 9 = 0 THEN 'inf'::DOUBLE ELSE hash(i) % "
            "1000 / 7.0 END AS x, '-inf'::DOUBLE AS z, hash(i) % 77 / 3.0 AS x_finite "
            "FROM range(3000) t(i)",
            "{\"label\": \"y\"}", GM_OK, &d);
    used_as(r, "x", "number", "or infinite, filled with the median");
    used_as(r, "z", "left out", "one value");
    const gm_doc *sql =
        gm_doc_get(gm_doc_get(&gm_doc_get(d, "stages")->child[0], "SQLTransformer"), "statement");
    assert_string_equal(sql->str, "SELECT *, CASE WHEN isfinite(\"x\") THEN \"x\" END AS \"x_finite_\" FROM "
                                  "__THIS__");
    gm_arena_end(&a);
}

static void a_table_of_everything(void **state)
{
    gm_arena a = {0};
    gm_doc *d = NULL;
    const gm_doc *r = say(
        *state, &a,
        "SELECT i AS row_number, CASE WHEN i % 50 = 0 THEN NULL ELSE (hash(i) % 3 = 0) END AS late, "
        "chr((65 + hash(i + 7) % 20)::INTEGER) AS carrier, (hash(i + 1) % 1000) / 10.0 AS \"dist \"\"km\", "
        "(1 + hash(i + 2) % 12)::INTEGER AS month, TIMESTAMP '2013-01-01' + INTERVAL (i) HOUR AS at, "
        "DATE '2013-01-01' + (i % 300)::INTEGER AS day, hash(i + 3) % 2 = 0 AS holiday, "
        "'seen ' || hash(i) || ' with ' || hash(i + 1) AS \"<script>alert(1)</script>\", "
        "md5(i::VARCHAR) AS token, NULL::DOUBLE AS nothing, 7 AS seven, {'a': i} AS nested FROM "
        "range(2000) t(i)",
        "{\"label\": \"late\"}", GM_OK, &d);
    assert_string_equal(gm_doc_get(r, "task")->str, "binary");
    assert_int_equal(gm_doc_get(r, "rows_without_label")->i, 40);
    used_as(r, "late", "label", "40 of 2000 rows lack it");
    used_as(r, "row_number", "left out", "counts the rows");
    used_as(r, "carrier", "category", "20 different texts");
    used_as(r, "dist \"km", "number", "from 0 to 99.9");
    used_as(r, "month", "category", "whole numbers");
    used_as(r, "at", "date and time parts", "hour");
    used_as(r, "day", "date parts", "month");
    used_as(r, "holiday", "yes/no", "1 and 0");
    used_as(r, "<script>alert(1)</script>", "text", "several words");
    used_as(r, "token", "left out", "an id");
    used_as(r, "nothing", "left out", "no value");
    used_as(r, "seven", "left out", "one value");
    used_as(r, "nested", "left out", "nested");
    assert_int_equal(gm_doc_get(d, "stages")->kind, GM_D_LIST);
    gm_arena_end(&a);
}

static void leaks_are_found(void **state)
{
    gm_arena a = {0};
    gm_doc *d = NULL;
    const gm_doc *r =
        say(*state, &a,
            "SELECT delay >= 15 AS late, delay, (delay >= 15)::INTEGER AS copy, CASE WHEN delay >= 15 THEN "
            "'TRUE' ELSE 'false' END AS word, hash(i + 5) % 100 / 7.0 AS x FROM (SELECT i, (hash(i) % "
            "100)::INTEGER - 20 + 0.5 AS delay FROM range(3000) t(i))",
            "{\"label\": \"late\"}", GM_OK, &d);
    used_as(r, "delay", "left out: leakage", "tells the two classes apart");
    used_as(r, "copy", "left out: leakage", "equals the label");
    used_as(r, "word", "left out: leakage", "equals the label");
    used_as(r, "x", "number", "");
    r = say(*state, &a, "SELECT i / 7.0 AS y, i AS twice, hash(i) % 100 / 7.0 AS x FROM range(3000) t(i)",
            "{\"label\": \"y\", \"test\": 0}", GM_OK, &d);
    assert_string_equal(gm_doc_get(r, "task")->str, "regression");
    used_as(r, "twice", "left out: leakage", "times a number");
    assert_null(gm_doc_get(d, "split"));
    r = say(*state, &a, "SELECT i % 2 = 0 AS y, (i % 2)::INTEGER AS z FROM range(3000) t(i)",
            "{\"label\": \"y\", \"keep\": [\"z\"]}", GM_OK, &d);
    used_as(r, "z", "used, but possible leakage", "times a number");
    gm_arena_end(&a);
}

static void other_labels(void **state)
{
    gm_arena a = {0};
    gm_doc *d = NULL;
    const gm_doc *r = say(*state, &a,
                          "SELECT CASE i % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'b' ELSE 'c' END AS \"kind: x\", "
                          "hash(i) % 10 / 7.0 AS x "
                          "FROM range(300) t(i)",
                          "{\"label\": \"kind: x\"}", GM_OK, &d);
    assert_string_equal(gm_doc_get(r, "task")->str, "multiclass");
    assert_non_null(strstr(gm_doc_get(r, "why")->str, "3 different texts"));
    static const struct {
        const char *sql, *options;
        gm_code code;
        const char *says;
    } bad[] = {
        {"SELECT 1 AS y, i AS x FROM range(9) t(i)", "{\"label\": \"y\"}", GM_EDATA,
         "same value in all 9 rows"},
        {"SELECT NULL::INTEGER AS y, i AS x FROM range(9) t(i)", "{\"label\": \"y\"}", GM_EDATA,
         "missing in all 9 rows"},
        {"SELECT i AS y, i AS x FROM range(0) t(i)", "{\"label\": \"y\"}", GM_EDATA, "no rows"},
        {"SELECT i::VARCHAR AS y, i AS x FROM range(900) t(i)", "{\"label\": \"y\"}", GM_EDATA,
         "more than 100"},
        {"SELECT i AS delay, i AS x FROM range(9) t(i)", "{\"label\": \"delays\"}", GM_ESCHEMA, "delay"},
        {"SELECT i AS y FROM range(9) t(i)", "{\"label\": \"y\"}", GM_EDATA, "no column besides"},
        {"SELECT i AS y, i AS x FROM range(9) t(i)", "{}", GM_EUSAGE, "no label was named"},
        {"SELECT i AS y, i AS x FROM range(9) t(i)", "{\"labell\": \"y\"}", GM_EPARAM, "label"},
        {"SELECT i AS y, i AS x FROM range(9) t(i)", "{\"label\": \"y\", \"exclude\": [\"z\"]}", GM_ESCHEMA,
         "z"},
        {"SELECT i AS y, i AS x FROM range(9) t(i)", "{\"label\": \"y\", \"test\": 1.5}", GM_EPARAM, "test"},
        {"SELECT i AS y, i AS x FROM range(9) t(i)", "{\"label\": \"y\", \"learner\": \"Imputer\"}",
         GM_ESTAGE, "not a learner"},
    };
    for (int64_t i = 0; i < GM_COUNT(bad); i++) {
        say(*state, &a, bad[i].sql, bad[i].options, bad[i].code, &d);
        if (!strstr(gm_cx_message(*state), bad[i].says)) print_error("%s\n", gm_cx_message(*state));
        assert_non_null(strstr(gm_cx_message(*state), bad[i].says));
    }
    gm_arena_end(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_measures),
        cmocka_unit_test(values_at_the_edge),
        cmocka_unit_test(infinite_numbers_become_missing),
        cmocka_unit_test(a_table_of_everything),
        cmocka_unit_test(leaks_are_found),
        cmocka_unit_test(other_labels),
    };
    return cmocka_run_group_tests(tests, open_cx, close_cx);
}

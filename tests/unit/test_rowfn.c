/* SPDX-License-Identifier: Apache-2.0 */
/* test_rowfn.c - our functions as columns: every output type, missing values, dropped rows, order, errors,
 * lifetimes. */
#include "source/rowfn.h"
#include "tables.h"

enum { OUTS = 6 };
static const gm_rowfn_out outs[OUTS] = {{"twice", GM_MADE_DOUBLE}, {"whole", GM_MADE_INTEGER},
                                        {"text", GM_MADE_VARCHAR}, {"dense", GM_MADE_DOUBLES},
                                        {"words", GM_MADE_TEXTS},  {"sparse", GM_MADE_SPARSE}};
static const gm_want wants[2] = {{"x", GM_T_REAL, "x of the test"}, {"s", GM_T_TEXT, NULL}};

static gm_code call(gm_cx *cx, gm_arena *a, void *arg, const gm_batch *in, gm_column *out, uint8_t *null_rows,
                    uint8_t *drop)
{
    (void)arg;
    int64_t n = in->rows;
    double *twice, *x;
    gm_text *words;
    int64_t *off;
    uint32_t *code;
    gm_part *part;
    GM_NEW_IN(cx, a, twice, n);
    GM_NEW_IN(cx, a, x, 2 * n);
    GM_NEW_IN(cx, a, words, 2 * n);
    GM_NEW_IN(cx, a, off, n + 1);
    GM_NEW_IN(cx, a, code, n);
    GM_NEW_IN(cx, a, part, 2);
    for (int64_t i = 0; i < n; i++) {
        double v = in->col[0].real[i];
        gm_text t = gm_column_text(&in->col[1], i);
        if (v == 13) return gm_fail(cx, GM_EDATA, "13 is bad luck");
        twice[i] = 2 * v;
        x[i] = v;
        x[n + i] = 0;
        off[i + 1] = off[i];
        if (!gm_text_missing(&t)) words[off[i + 1]++] = t;
        words[off[i + 1]++] = gm_text_of("!", 1);
        code[i] = isnan(v) ? 9 : (uint32_t)(int)v % 3; /* beyond the width: all zeros */
        if (v == 4) null_rows[2 * n + i] = 1;
        if (v == 5) drop[i] = 1;
    }
    part[0] = (gm_part){.form = GM_DENSE, .width = 2, .x = x, .stride = n};
    part[1] = (gm_part){.form = GM_CODED, .width = 2, .code = code};
    out[0].real = out[1].real = twice;
    out[2].text = in->col[1].text;
    out[3].n_parts = out[5].n_parts = 2;
    out[3].part = out[5].part = part;
    out[3].width = out[5].width = 4;
    out[4].text = words;
    out[4].off = off;
    return GM_OK;
}

static void count_release(void *arg) { ++*(int *)arg; }

static gm_rowfn function(int *released, bool drops)
{
    return (gm_rowfn){.n_in = 2,
                      .in = wants,
                      .n_out = OUTS,
                      .out = outs,
                      .call = call,
                      .arg = released,
                      .release = count_release,
                      .drops = drops};
}

static void test_values(void **state)
{
    world *w = *state;
    int released = 0;
    gm_table *t = csv(w, "x,s,pad\n1,a,p\n,\"\",q\n3,,r\n4,a longer text than twelve,s\n", ""), *made = NULL;
    gm_rowfn f = function(&released, false);
    if (gm_table_rowfn(w->cx, t, &f, NULL, -1, &made) != GM_OK) fail_msg("%s", gm_cx_message(w->cx));
    gm_table_unref(t);
    assert_string_equal(
        columns_of(w, made),
        "x BIGINT, s VARCHAR, pad VARCHAR, twice DOUBLE, whole BIGINT, text VARCHAR, "
        "dense DOUBLE[], words VARCHAR[], "
        "sparse STRUCT(\"type\" TINYINT, size INTEGER, indices INTEGER[], \"values\" DOUBLE[])");
    assert_string_equal(
        rows_of(w, made, NULL),
        "1|a|p|2.0|2|a|[1.0, 0.0, 0.0, 1.0]|[a, !]|"
        "{'type': 0, 'size': 4, 'indices': [0, 3], 'values': [1.0, 1.0]};"
        "~||q|~|~||[nan, 0.0, 0.0, 0.0]|['', !]|{'type': 0, 'size': 4, 'indices': [0], 'values': [nan]};"
        "3|~|r|6.0|6|~|[3.0, 0.0, 1.0, 0.0]|[!]|"
        "{'type': 0, 'size': 4, 'indices': [0, 2], 'values': [3.0, 1.0]};"
        "4|a longer text than twelve|s|8.0|8|~|[4.0, 0.0, 0.0, 1.0]|[a longer text than twelve, !]|"
        "{'type': 0, 'size': 4, 'indices': [0, 3], 'values': [4.0, 1.0]};");
    assert_int_equal(released, 0);
    gm_table_unref(made);
    assert_int_equal(released, 1);
}

static void test_kept_dropped_ordered(void **state)
{
    world *w = *state;
    int released = 0;
    static const char *const keep[] = {"x"};
    gm_table *t = sql(
                 w,
                 "SELECT CASE WHEN i % 100 = 13 THEN 12 ELSE i % 100 END x, 'r' s, i FROM range(100000) r(i)",
                 NULL, NULL),
             *made = NULL;
    gm_rowfn f = function(&released, true);
    assert_int_equal(gm_table_rowfn(w->cx, t, &f, keep, 1, &made), GM_OK);
    gm_table *q = sql(w, "SELECT count(*), sum(x), sum(twice), min(twice) FROM t", "t", made);
    char expected[64];
    snprintf(expected, sizeof expected, "99000|%d|%.1f|0.0;", 4949000 - 5000, 2.0 * (4949000 - 5000));
    assert_string_equal(rows_of(w, q, NULL), expected);
    gm_table_unref(q);
    gm_table_unref(made);
    f = function(&released, false);
    assert_int_equal(gm_table_rowfn(w->cx, t, &f, NULL, -1, &made), GM_OK);
    q = sql(w, "SELECT count(*) FROM (SELECT i, row_number() OVER () n FROM t) WHERE i + 1 <> n", "t", made);
    assert_string_equal(rows_of(w, q, NULL), "0;");
    gm_table_unref(q);
    gm_table_unref(made);
    gm_table_unref(t);
    assert_int_equal(released, 2);
}

static void test_errors(void **state)
{
    world *w = *state;
    int released = 0;
    gm_code code;
    gm_table *t = csv(w, "x,s,twice\n1,a,2\n", ""), *made = NULL;
    gm_rowfn f = function(&released, false);
    expect_message(w, gm_table_rowfn(w->cx, t, &f, NULL, -1, &made), GM_ESCHEMA, "a column 'twice' already",
                   "rename");
    assert_int_equal(released, 1);
    gm_table_unref(t);
    gm_cx_begin(w->cx);
    t = csv(w, "y,s\n1,a\n", "");
    expect_message(w, gm_table_rowfn(w->cx, t, &f, NULL, -1, &made), GM_ESCHEMA,
                   "x of the test: there is no column 'x'", "");
    assert_int_equal(released, 2);
    gm_table_unref(t);
    gm_cx_begin(w->cx);
    t = csv(w, "x,s\n12,a\n13,b\n", "");
    assert_int_equal(gm_table_rowfn(w->cx, t, &f, NULL, -1, &made), GM_OK);
    rows_of(w, made, &code);
    expect_message(w, code, GM_EDATA, "13 is bad luck", "");
    gm_table_unref(t);
    gm_table_unref(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_values, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_kept_dropped_ordered, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_errors, world_begin, world_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

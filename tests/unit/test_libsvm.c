/* SPDX-License-Identifier: Apache-2.0 */
/* test_libsvm.c - LIBSVM files as tables: index base, width, lines that are none, options, formats. */
#include "source/write.h"
#include "tables.h"

static gm_table *open_text(world *w, const char *name, const char *text, const char *more)
{
    gm_table *t = NULL;
    if (open_source(w, put_text(w, name, text), more, &t) != GM_OK) fail_msg("%s", gm_cx_message(w->cx));
    return t;
}

static const char *ask(world *w, gm_table *t, const char *query)
{
    gm_table *q = sql(w, query, t ? "t" : NULL, t);
    const char *rows = rows_of(w, q, NULL);
    gm_table_unref(q);
    return rows;
}

/* label:column=value,...; of every row, and the width in front. */
static const char *read_all(world *w, gm_table *t)
{
    static const char query[] =
        "SELECT features.size || '|' || coalesce(label::VARCHAR, '~') || ':' || "
        "array_to_string(list_transform(list_zip(features.indices, features.\"values\"), "
        "lambda p: p[1] || '=' || p[2]), ',') AS r FROM t";
    return ask(w, t, query);
}

static void test_base_and_width(void **state)
{
    static const struct {
        const char *text, *more, *rows;
    } cases[] = {
        {"1 1:2 3:4\n0 2:5\n", "", "3|1.0:0=2.0,2=4.0;3|0.0:1=5.0;"},
        {"1 1:2 3:4\n0 0:5\n", "", "4|1.0:1=2.0,3=4.0;4|0.0:0=5.0;"},
        {"1 1:2 3:4\n", "\"index_base\": 0", "4|1.0:1=2.0,3=4.0;"},
        {"1 1:2 3:4\n", "\"index_base\": \"0\"", "4|1.0:1=2.0,3=4.0;"},
        {"1 1:2 3:4\n", "\"index_base\": \"auto\", \"num_features\": 5", "5|1.0:0=2.0,2=4.0;"},
        {"1 1:2\n", "\"index_base\": 1, \"num_features\": 2147483646", "2147483646|1.0:0=2.0;"},
        {"nan 1:nan\n\n# nothing\r\n2", "", "1|~:0=nan;1|2.0:;"},
        {"", "", ""},
        {"# nothing\n", "", ""},
        {"1\n2\n", "", "1|1.0:;1|2.0:;"},
        {"1 1:2\r2 2:3\r", "", "2|1.0:0=2.0;2|2.0:1=3.0;"},
        {"1 1:2\n2 2:3\r\n3 1:4\r", "", "2|1.0:0=2.0;2|2.0:1=3.0;2|3.0:0=4.0;"},
        {"\xef\xbb\xbf"
         "1 1:2\n",
         "", "1|1.0:0=2.0;"},
        {"1 1:2 # caf\xe9\n", "\"encoding\": \"latin-1\"", "1|1.0:0=2.0;"},
        {"1 1:2\nx 1:1\n3 9:1\n", "\"bad_rows\": \"reject\", \"num_features\": 3", "3|1.0:0=2.0;"},
    };
    static const char *const names[] = {"t.libsvm", "t.svm", "t.svmlight"};
    world *w = *state;
    for (int64_t i = 0; i < GM_COUNT(cases); i++) {
        gm_table *t = open_text(w, names[i % 3], cases[i].text, cases[i].more);
        assert_string_equal(read_all(w, t), cases[i].rows);
        gm_table_unref(t);
    }
}

static void test_queries(void **state)
{
    world *w = *state;
    gm_table *t = open_text(w, "q.txt", "1 qid:4 1:2\n0 1:1\n", "\"format\": \"libsvm\"");
    assert_string_equal(columns_of(w, t),
                        "label DOUBLE, qid BIGINT, features STRUCT(\"type\" TINYINT, size INTEGER, indices "
                        "INTEGER[], \"values\" DOUBLE[])");
    assert_string_equal(ask(w, t, "SELECT qid, label FROM t WHERE features.size = 1"), "4|1.0;~|0.0;");
    gm_table_unref(t);
    char query[256];
    snprintf(query, sizeof query, "SELECT sum(label) FROM '%s'", put_text(w, "f.svm", "1 1:2\n5 1:1\n"));
    assert_string_equal(ask(w, NULL, query), "6.0;");
}

static void test_several_files(void **state)
{
    world *w = *state;
    gm_table *t = NULL;
    char glob[128];
    put_text(w, "a.libsvm", "1 1:2\n");
    put_text(w, "b.libsvm", "2 0:1 7:1\n");
    snprintf(glob, sizeof glob, "%s/*.libsvm", w->dir);
    assert_int_equal(open_source(w, glob, "", &t), GM_OK);
    assert_string_equal(read_all(w, t), "8|1.0:1=2.0;8|2.0:0=1.0,7=1.0;");
    gm_table_unref(t);
    put_text(w, "c.libsvm", "2 0:1\n1 1:x\n");
    expect_message(w, open_source(w, glob, "", &t), GM_EDATA,
                   "c.libsvm:2: found '1:x', expected a number behind the colon", "bad_rows: reject");
}

static void test_messages(void **state)
{
    static const struct {
        const char *text, *more;
        gm_code code;
        const char *message, *hint;
    } cases[] = {
        {"1 1:2\n\n# c\n1 3;4\n", "", GM_EDATA, "m.libsvm:4: found '3;4', expected index:value", "reject"},
        {"1 1:2\r\n\r\nx\r\n", "", GM_EDATA, "m.libsvm:3: found 'x' where the label", "reject"},
        {"1 0:1\n", "\"index_base\": 1", GM_EDATA, "m.libsvm:1: index 0, and indices begin at 1",
         "index_base: 0"},
        {"1 1:1\n1 4:1\n", "\"num_features\": 3", GM_EDATA,
         "m.libsvm:2: index 4 is beyond the 3 features, whose largest index is 3", ""},
        {"1 0:1\n1 3:1\n", "\"num_features\": 3", GM_EDATA,
         "m.libsvm:2: index 3 is beyond the 3 features, whose largest index is 2", ""},
        {"1 1:1\n1 1:\xff\n", "", GM_EFORMAT, "m.libsvm:2: the line is not UTF-8", "latin-1"},
        {"1 1:1\n", "\"index_base\": 2", GM_EPARAM, "index_base", ""},
        {"1 1:1\n", "\"index_base\": \"one\"", GM_EPARAM, "index_base is auto, 0 or 1", ""},
        {"1 1:1\n", "\"num_features\": -1", GM_EPARAM, "num_features", ""},
        {"1 1:1\n", "\"delim\": \",\"", GM_EPARAM, "delim", ""},
        {"1 1:1\n", "\"format\": \"csv\", \"num_features\": 3", GM_EPARAM,
         "num_features is an option of LIBSVM files", "format: libsvm"},
    };
    world *w = *state;
    for (int64_t i = 0; i < GM_COUNT(cases); i++) {
        gm_table *t = NULL;
        gm_code code = open_source(w, put_text(w, "m.libsvm", cases[i].text), cases[i].more, &t);
        expect_message(w, code, cases[i].code, cases[i].message, cases[i].hint);
    }
    gm_table *t = NULL;
    expect_message(w, open_source(w, put_file(w, "z.libsvm", "1 1:1\n1 \0 2:1\n", 14), "", &t), GM_EDATA,
                   "z.libsvm:2: ", "reject");
}

/* Lines beyond the database's buffer, and many of them over several buffers, come out whole. */
static void test_long_and_many(void **state)
{
    enum { LONG = 700000, MANY = 300000 };
    world *w = *state;
    char *text = malloc(12 * LONG), *at = text;
    assert_non_null(text);
    at += sprintf(at, "1");
    for (int i = 1; i <= LONG; i++) at += sprintf(at, " %d:1", i);
    at += sprintf(at, "\n2 5:1\n");
    gm_table *t = NULL;
    assert_int_equal(open_source(w, put_file(w, "l.libsvm", text, (size_t)(at - text)), "", &t), GM_OK);
    assert_string_equal(ask(w, t, "SELECT label, features.size, len(features.indices) FROM t"),
                        "1.0|700000|700000;2.0|700000|1;");
    gm_table_unref(t);
    at = text;
    for (int i = 0; i < MANY; i++) at += sprintf(at, "%d %d:1%s", i, 1 + i % 1000, i % 3 ? "\r\n" : "\n");
    assert_int_equal(open_source(w, put_file(w, "n.libsvm", text, (size_t)(at - text)), "", &t), GM_OK);
    assert_string_equal(
        ask(w, t, "SELECT count(*), count(DISTINCT label), sum(label), sum(features.indices[1]) FROM t"),
        "300000|300000|44999850000.0|149850000;");
    gm_table_unref(t);
    free(text);
}

/* A table's whole life, with and without lines that are left out. */
static gm_code use(world *w, const char *path)
{
    gm_table *t = NULL, *wide = NULL;
    int64_t n = 0;
    int base = -1;
    gm_code code = open_source(w, path, "\"bad_rows\": \"reject\"", &t);
    if (code != GM_OK) return code;
    gm_buf b = gm_buf_in(w->cx, gm_scratch(w->cx));
    code = gm_table_index_base(w->cx, t, "features", &base);
    if (code == GM_OK) code = gm_table_widen(w->cx, t, "features", 9, 0, &wide);
    if (code == GM_OK) code = gm_table_rows(w->cx, wide, &n);
    if (code == GM_OK) code = gm_table_report_json(w->cx, wide, &b, NULL);
    if (code == GM_OK) code = gm_buf_done(&b);
    if (code == GM_OK) assert_true(n == 3 && base == 1 && strstr(b.p, "stands behind"));
    if (wide) gm_table_unref(wide);
    gm_table_unref(t);
    return code;
}

static void test_every_allocation_may_fail(void **state)
{
    world *w = *state;
    char path[128];
    snprintf(path, sizeof path, "%s",
             put_text(w, "o.libsvm", "1 1:1\n0 2:1 1:1\n2 3:1 # c\n3 qid:1 2:4\nx\n"));
    assert_int_equal(use(w, path), GM_OK);
    gm_cx_end(w->cx);
    int64_t used = gm_memory_used(w->cx);
    long n = 0;
    for (bool through = false; !through; n++) {
        gm_oom_after = n;
        gm_code code = use(w, path);
        through = gm_oom_after >= 0;
        gm_oom_after = -1;
        if (code != (through ? GM_OK : GM_ENOMEM))
            fail_msg("allocation %ld: %s '%s'", n, gm_code_name(code), gm_cx_message(w->cx));
        gm_cx_end(w->cx);
        if (gm_memory_used(w->cx) != used)
            fail_msg("allocation %ld leaves %lld bytes", n, (long long)(gm_memory_used(w->cx) - used));
    }
    assert_true(n > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_base_and_width, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_queries, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_several_files, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_messages, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_long_and_many, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, world_begin, world_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

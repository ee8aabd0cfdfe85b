/* SPDX-License-Identifier: Apache-2.0 */
/* test_sql_table.c - tables over tables, files by their names in SQL, globs, formats, standard input, locked
 * sessions. */
#include "source/write.h"
#include "tables.h"
#include <fcntl.h>
#include <pthread.h>

static int locked_begin(void **state) { return world_with(state, "{\"threads\": 2, \"locked\": true}"); }

static void test_over_tables(void **state)
{
    world *w = *state;
    gm_table *a = csv(w, "k,x\n1,5\n2,6\n3,7\n", ""), *b = NULL, *t = NULL, *u = NULL;
    assert_int_equal(open_source(w, put_text(w, "u.csv", "k,y\n2,a\n3,b\n"), "", &b), GM_OK);
    gm_table *both[] = {a, b};
    static const char *const names[] = {"left one", "b"};
    assert_int_equal(gm_table_from_sql(w->cx,
                                       "SELECT * FROM \"left one\" JOIN b USING (k) ORDER BY k DESC; -- so",
                                       names, both, 2, &t),
                     GM_OK);
    gm_table_unref(a);
    gm_table_unref(b);
    assert_string_equal(rows_of(w, t, NULL), "3|7|b;2|6|a;");
    static const char *const one[] = {"t"};
    /* The same table under two names, and twice in the tree. */
    assert_int_equal(gm_table_from_sql(w->cx, "SELECT sum(p.x + q.x) FROM t p, t q", one, &t, 1, &u), GM_OK);
    assert_string_equal(rows_of(w, u, NULL), "52;");
    gm_table_unref(u);
    expect_message(w, gm_table_from_sql(w->cx, "SELECT x, x FROM t", one, &t, 1, &u), GM_ESCHEMA,
                   "two columns are called 'x'", "rename");
    gm_cx_begin(w->cx);
    expect_message(w, gm_table_from_sql(w->cx, "SELECT 1; SELECT 2", NULL, NULL, 0, &u), GM_ESQL,
                   "there are 2 statements", "");
    gm_cx_begin(w->cx);
    expect_message(w, gm_table_from_sql(w->cx, "DROP TABLE t", NULL, NULL, 0, &u), GM_ESQL, "one SELECT", "");
    gm_cx_begin(w->cx);
    expect_message(w, gm_table_from_sql(w->cx, "SELECT\n  x FRM t", one, &t, 1, &u), GM_ESQL,
                   "line 2, column", "");
    gm_cx_begin(w->cx);
    expect_message(w, gm_table_from_sql(w->cx, "SELECT y2 FROM t", one, &t, 1, &u), GM_ESQL, "y2", "\"y\"");
    gm_table_unref(t);
}

static void test_files_in_sql(void **state)
{
    world *w = *state;
    char text[256];
    put_text(w, "a.csv", "id,x\n12345678901234567891,1\n007,2\n");
    snprintf(text, sizeof text, "SELECT max(id) FROM '%s/a.csv'", w->dir);
    gm_table *t = sql(w, text, NULL, NULL); /* by our rules: text, not a rounded double */
    assert_string_equal(rows_of(w, t, NULL), "12345678901234567891;");
    gm_table_unref(t);
}

static void test_globs_and_formats(void **state)
{
    world *w = *state;
    char glob[128];
    gm_table *t = NULL;
    put_text(w, "p1.csv", "a,b\n1,x\n");
    put_text(w, "p2.csv", "a,b\n2.5,y\n"); /* wider than the first */
    snprintf(glob, sizeof glob, "%s/p*.csv", w->dir);
    assert_int_equal(open_source(w, glob, "", &t), GM_OK);
    assert_string_equal(rows_of(w, t, NULL), "1.0|x;2.5|y;");
    gm_table_unref(t);
    put_text(w, "p3.csv", "b,a\ny,2\n");
    expect_message(w, open_source(w, glob, "", &t), GM_ESCHEMA, "p3.csv has other columns than",
                   "two tables");
    snprintf(glob, sizeof glob, "%s/q*.csv", w->dir);
    expect_message(w, open_source(w, glob, "", &t), GM_ENOENT, "no file matches", "working directory");
    expect_message(w, open_source(w, "/nowhere/x.csv", "", &t), GM_ENOENT, "/nowhere/x.csv", "");
    expect_message(w, open_source(w, w->dir, "", &t), GM_EIO, "folder", "");
    expect_message(w, open_source(w, put_text(w, "x.parquet", "PAR1...."), "", &t), GM_EFORMAT, "x.parquet",
                   "");
    expect_message(w, open_source(w, put_file(w, "x.bin", "PAR1\0\0\0\0", 8), "\"format\": \"csv\"", &t),
                   GM_EFORMAT, "another format", "parquet");
    expect_message(w, open_source(w, put_file(w, "x.csv", "a\0b", 3), "", &t), GM_EFORMAT,
                   "zero byte at offset 1", "encoding");
    expect_message(w, open_source(w, put_text(w, "x.arrow", "ARROW1"), "", &t), GM_EFORMAT, "Arrow file",
                   "Parquet");
    expect_message(w, open_source(w, w->file, "\"format\": \"xls\"", &t), GM_EPARAM, "no format 'xls'",
                   "csv, parquet");
    assert_int_equal(open_source(w, put_text(w, "x.jsonl", "{\"a\":1,\"b\":[1,2]}\n{\"a\":null}\n"), "", &t),
                     GM_OK);
    assert_string_equal(rows_of(w, t, NULL), "1|[1, 2];~|~;");
    gm_table_unref(t);
    char *late = malloc(500000); /* types over the whole file */
    size_t n = 0;
    for (int i = 0; i < 30000; i++) n += (size_t)sprintf(late + n, "{\"a\":%d}\n", i);
    sprintf(late + n, "{\"a\":0.5}\n");
    assert_int_equal(open_source(w, put_text(w, "l.json", late), "", &t), GM_OK);
    gm_table *q = sql(w, "SELECT typeof(max(a)), min(CASE WHEN a <> round(a) THEN a END) FROM t", "t", t);
    assert_string_equal(rows_of(w, q, NULL), "DOUBLE|0.5;");
    gm_table_unref(q);
    gm_table_unref(t);
    free(late);
    expect_message(w, open_source(w, put_text(w, "y.json", "{\"a\": [1, 2"), "", &t), GM_EFORMAT, "y.json",
                   "");
}

/* Standard input is read once and kept: the table is read as often as any. */
static void test_stdin(void **state)
{
    world *w = *state;
    gm_table *t = NULL;
    int saved = dup(STDIN_FILENO), fd = open(put_text(w, "in", "a,b\n1,2\n3,4\n"), O_RDONLY);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    gm_code code = open_source(w, "-", "", &t);
    dup2(saved, STDIN_FILENO);
    close(saved);
    close(fd);
    assert_int_equal(code, GM_OK);
    for (int i = 0; i < 2; i++) assert_string_equal(rows_of(w, t, NULL), "1|2;3|4;");
    gm_table *q = NULL;
    static const char *const name[] = {"t"};
    assert_int_equal(gm_table_from_sql(w->cx, "SELECT sum(b) FROM t", name, &t, 1, &q), GM_OK);
    assert_string_equal(rows_of(w, q, NULL), "6;");
    gm_table_unref(q);
    gm_table_unref(t);
}

static void test_locked(void **state)
{
    world *w = *state;
    char text[256];
    gm_table *q = NULL, *t = csv(w, "a\n1\n2\n", "");
    put_text(w, "secret.csv", "p\n1\n");
    static const char *const name[] = {"t"};
    if (gm_table_from_sql(w->cx, "SELECT sum(a) FROM t", name, &t, 1, &q) != GM_OK)
        fail_msg("%s", gm_cx_message(w->cx));
    assert_string_equal(rows_of(w, q, NULL), "3;");
    gm_table_unref(q);
    snprintf(text, sizeof text, "SELECT * FROM '%s/secret.csv'", w->dir);
    expect_message(w, gm_table_from_sql(w->cx, text, name, &t, 1, &q), GM_ESQL, "there is no table", "");
    gm_cx_begin(w->cx);
    expect_message(w, gm_table_from_sql(w->cx, "FROM read_csv('/etc/passwd')", name, &t, 1, &q), GM_ESQL,
                   "read_csv", "");
    gm_table_unref(t);
}

/* Contexts of one session, one table whose columns must widen: all get the same. */
typedef struct reader {
    gm_cx *cx;
    const gm_table *t;
    int64_t rows;
    gm_code code;
} reader;

static void *read_all(void *arg)
{
    reader *r = arg;
    gm_cx_begin(r->cx);
    r->code = gm_table_rows(r->cx, r->t, &r->rows);
    gm_cx_end(r->cx);
    return NULL;
}

static void test_threads(void **state)
{
    enum { N = 4 };
    world *w = *state;
    char *text = malloc(1300000);
    size_t n = (size_t)sprintf(text, "pad,v\n");
    while (n < 1100000) n += (size_t)sprintf(text + n, "abcdefghijklmnopqrstuvwxyz,1\n");
    sprintf(text + n, "z,1.5\n");
    gm_table *t = csv(w, text, ""), *q = sql(w, "SELECT * FROM t WHERE v > 1", "t", t);
    reader r[N];
    pthread_t thread[N];
    for (int i = 0; i < N; i++) {
        r[i] = (reader){.t = q};
        assert_int_equal(gm_cx_fork(w->cx, &r[i].cx), GM_OK);
        assert_int_equal(pthread_create(&thread[i], NULL, read_all, &r[i]), 0);
    }
    for (int i = 0; i < N; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(r[i].code, GM_OK);
        assert_int_equal(r[i].rows, 1);
        gm_cx_free(r[i].cx);
    }
    gm_table_unref(q);
    gm_table_unref(t);
    free(text);
}

/* Every allocation fails once: an error each time, nothing is lost, and then it works. */
static void test_no_memory(void **state)
{
    world *w = *state;
    put_text(w, "t.csv", "a,b\n1,x\n2,y\n");
    char path[160];
    snprintf(path, sizeof path, "%s", w->file);
    for (long k = 0;; k++) {
        gm_table *t = NULL, *q = NULL;
        int64_t rows = 0;
        static const char *const name[] = {"t"};
        gm_cx_begin(w->cx);
        gm_oom_after = k;
        gm_code code = open_source(w, path, "", &t);
        if (code == GM_OK) code = gm_table_from_sql(w->cx, "SELECT a + 1 AS c FROM t", name, &t, 1, &q);
        if (code == GM_OK) code = gm_table_rows(w->cx, q, &rows);
        bool over = gm_oom_after >= 0;
        gm_oom_after = -1;
        gm_table_unref(q);
        gm_table_unref(t);
        if (over) {
            assert_int_equal(code, GM_OK);
            assert_int_equal(rows, 2);
            break;
        }
        if (code != GM_ENOMEM) fail_msg("allocation %ld: %s %s", k, gm_code_name(code), gm_cx_message(w->cx));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_over_tables, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_files_in_sql, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_globs_and_formats, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_stdin, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_locked, locked_begin, world_end),
        cmocka_unit_test_setup_teardown(test_threads, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_no_memory, world_begin, world_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* test_csv_read.c - our own reading of CSV files against the database's: the same rows, types, messages and
 * report, whatever the file is, wherever pieces of it begin, and on any number of threads. */
#include "kernel/kernel.h"
#include "source/csv/csv_read.h"
#include "source/write.h"
#include "tables.h"
#include <pthread.h>

typedef struct got {
    pthread_mutex_t lock;
    char **line; /* rows as text */
    int64_t n, cap, restarts;
    const char *touch; /* a file to write to while it is read */
} got;

static gm_code open_task(gm_cx *cx, void *arg, void **task)
{
    (void)cx;
    *task = arg;
    return GM_OK;
}

static gm_code push(gm_cx *cx, void *arg, void *task, const gm_batch *b)
{
    got *g = arg;
    gm_arena a = {0};
    assert_ptr_equal(task, arg);
    assert_in_range(b->rows, 1, GM_TILE);
    pthread_mutex_lock(&g->lock);
    for (int64_t i = 0; i < b->rows; i++) {
        gm_buf text = gm_buf_in(cx, &a);
        for (int k = 0; k < b->n_cols; k++) {
            if (b->col[k].type == GM_T_REAL) {
                gm_buf_printf(&text, "%a|", isnan(b->col[k].real[i]) ? 1e300 : b->col[k].real[i]);
            } else {
                gm_text t = gm_column_text(&b->col[k], i);
                if (gm_text_missing(&t)) gm_buf_str(&text, "~");
                else gm_buf_printf(&text, "%u:", t.len), gm_buf_add(&text, gm_text_ptr(&t), t.len);
                gm_buf_str(&text, "|");
            }
        }
        assert_int_equal(gm_buf_done(&text), GM_OK);
        if (g->n == g->cap) g->line = realloc(g->line, (size_t)(g->cap = 2 * g->cap + 64) * sizeof *g->line);
        g->line[g->n++] = strdup(text.p);
    }
    if (g->touch) {
        FILE *f = fopen(g->touch, "ab");
        assert_non_null(f);
        fputs("9,9,9\n", f);
        fclose(f);
    }
    pthread_mutex_unlock(&g->lock);
    gm_arena_end(&a);
    return GM_OK;
}

static void forget(got *g)
{
    while (g->n > 0) free(g->line[--g->n]);
}

static gm_code restart(gm_cx *cx, void *arg)
{
    (void)cx;
    got *g = arg;
    forget(g);
    g->restarts++;
    return GM_OK;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* All that a reading gives, as one text, in malloc'ed memory. as_text: every column as text where it can be.
 */
static char *all_of(world *w, const char *path, const char *more, bool as_text, long piece, int64_t *restarts)
{
    gm_table *t = NULL;
    got g = {0};
    const gm_columns *cols;
    gm_scan_stats stats = {0};
    gm_want want[32] = {{0}};
    int n = 0;
    gm_arena a = {0};
    pthread_mutex_init(&g.lock, NULL);
    gm_csv_piece_bytes = piece;
    gm_code code = open_source(w, path, more, &t);
    if (code == GM_OK) code = gm_table_schema(w->cx, t, &cols);
    for (int64_t i = 0; code == GM_OK && i < cols->n && n < 30; i++) {
        bool text = as_text || cols->field[i].cls == GM_CLASS_TEXT;
        want[n++] = (gm_want){cols->field[i].name, text ? GM_T_TEXT : GM_T_REAL, i % 3 ? NULL : "input of X"};
    }
    gm_sink sink = {.arg = &g, .open = open_task, .push = push, .restart = restart};
    if (code == GM_OK) code = gm_scan(w->cx, t, want, n, &sink, &stats);
    gm_buf b = gm_buf_in(w->cx, &a);
    gm_buf_printf(&b, "%s: %s\n%s\n", gm_code_name(code), code ? gm_cx_message(w->cx) : "",
                  code ? gm_cx_hint(w->cx) : "");
    gm_cx_forget(w->cx);
    if (code == GM_OK) {
        if (g.n) qsort(g.line, (size_t)g.n, sizeof *g.line, by_text);
        gm_buf_printf(&b, "%s\n", columns_of(w, t));
        for (int k = 0; k < n; k++) gm_buf_printf(&b, "%lld ", (long long)stats.inexact[k]);
        assert_int_equal(stats.rows, g.n);
        for (int64_t i = 0; i < g.n; i++) gm_buf_printf(&b, "\n%s", g.line[i]);
    }
    if (t) {
        assert_int_equal(gm_table_report_json(w->cx, t, &b, NULL), GM_OK);
        gm_table_unref(t);
    }
    assert_int_equal(gm_buf_done(&b), GM_OK);
    char *all = strdup(b.p);
    gm_arena_end(&a);
    forget(&g);
    free(g.line);
    pthread_mutex_destroy(&g.lock);
    gm_csv_piece_bytes = 1 << 20;
    if (restarts) *restarts = g.restarts;
    return all;
}

/* Both ways, in several pieces; true when ours read it to the end at its first try, in each. */
static bool same(world *w, const char *path, const char *more, bool as_text)
{
    static const long pieces[] = {64, 128, 320, 4096, 1 << 20};
    int64_t restarts, usual;
    bool own = true;
    char *right = all_of(w, path, more, as_text, 0, &usual);
    for (int64_t i = 0; i < GM_COUNT(pieces); i++) {
        char *mine = all_of(w, path, more, as_text, pieces[i], &restarts);
        if (strcmp(mine, right) != 0)
            fail_msg("%s, pieces of %ld, options {%s}\n--- ours\n%.3000s\n--- the database's\n%.3000s", path,
                     pieces[i], more, mine, right);
        own &= restarts == usual;
        free(mine);
    }
    free(right);
    return own;
}

static bool same_text(world *w, const char *text, size_t n, const char *more)
{
    char path[128];
    snprintf(path, sizeof path, "%s", put_file(w, "t.csv", text, n));
    bool one = same(w, path, more, false), two = same(w, path, more, true);
    return one && two;
}

#define SAME(text, more) same_text(w, text, sizeof(text) - 1, more)

/* What ours reads without help. */
static void test_own(void **state)
{
    world *w = *state;
    assert_true(SAME("a,b,c\n1,2.5,x\n-3,,\"y\"\n", ""));
    assert_true(SAME("a,b,c\r\n1,2.5,x\r\n-3,,\"y\"\r\n", ""));
    assert_true(SAME("a,b,c\n1,2.5,x\n-3,1e-7,y", ""));
    assert_true(
        SAME("\xef\xbb\xbfg,b\n1,\"x,\"\"y\"\"\"\n2,\"line\nbreak, and \"\"more\"\"\"\n3,\"\"\n4,\n", ""));
    assert_true(SAME("\xef\xbb\xbf\"g\",\"b \"\"c\"\"\"\n1,\"x\"\n", ""));
    assert_true(SAME("d,t,s,b\n2024-01-31,10:20:30.5,2024-01-31 10:20:30,true\n,,,\n2020-02-29,00:00:00,"
                     "1969-12-31T23:59:59.25,FALSE\n",
                     ""));
    assert_true(SAME("d,z\n31/01/2024,2024-01-31 10:20:30+01:00\n01/02/2024,2024-01-31 10:20:30Z\n", ""));
    assert_true(SAME("i,h\n9007199254740993,12345678901234567890123\n-9007199254740993,1\n", ""));
    assert_true(SAME("i;x\n1;2,5\n2;NA\n3; 4,25\n4;1,7976931348623157e308\n5;-0,1\n",
                     "\"decimal\": \",\", \"nullstr\": [\"NA\", \"-\"]"));
    assert_true(SAME("a\tb\n1\t'x\ty'\n2\t''''\n", "\"quote\": \"'\""));
    assert_true(SAME("a|b\n1|\"x\n2|y\"\"\n", "\"quote\": \"\""));
    assert_true(SAME("1,2\n3,4\n", "\"header\": false"));
    assert_true(SAME("a,b\n1,\xc3\xa4\n2,\xf0\x9f\x8c\xbe and \xe2\x82\xac beyond twelve\n", ""));
    assert_true(SAME("a,b\n1,NA\n2,\"NA\"\n3,\" NA\"\n4, NA\n", "\"nullstr\": \"NA\""));
    assert_true(SAME("a,b\n1,\n2,\n", ""));
    assert_true(SAME("a,b\n\n\n1,2\n\n3,4\n\n\n\n", ""));
    assert_true(SAME("a,b\r\n1,2\r\n\r\n3,4\r\n\r\n", ""));
    assert_true(SAME("x,y\n0.1,1e400\n4.9e-324,-1e400\n2.2250738585072011e-308,nan\n"
                     "123456789012345678901234567890,inf\n1.7976931348623159e308,0\n",
                     ""));
}

/* What it leaves to the database, wholly or in the middle. */
static void test_left(void **state)
{
    world *w = *state;
    assert_false(SAME("a,b\n1,2\n1\n3,4\n", ""));
    SAME("a,b\n1,2\n1,2,3\n3,4\n", "\"bad_rows\": \"reject\"");
    SAME("a,b\n1,2\n1\n3,4\n1,2,3\n", "\"ragged\": \"pad\"");
    SAME("a,b\r1,2\r3,4\r", "");
    SAME("a,b\n1,2\r\n3,4\n", "");
    SAME("a,b\n1,x\"y\n3,4\n", "");
    SAME("a,b\n1,\"x\"y\n3,4\n", "");
    SAME("a,b\n1,\"xy\n3,4\n", "");
    SAME("a,b\n1, \"xy\"\n3,4\n", "");
    SAME("a,b\n1,\"xy\" \n3,4\n", "");
    SAME("a,b\n1,2\n3,\xff\n", "");
    SAME("a\n1\n2\n", "");
    SAME("a b\n1 2\n2 3\n", "\"delim\": \" \"");
    SAME("a,b\n1,\"x\\\"y\"\n2,z\n", "\"escape\": \"\\\\\"");
    SAME("skip me\na,b\n1,2\n", "\"skip\": 1");
    SAME("a,b\n1,2\n3,x\n", "\"types\": {\"b\": \"BIGINT\"}");
    SAME("a,b\n1,2\n3,x\n", "\"types\": {\"b\": \"INTEGER\"}, \"bad_rows\": \"reject\"");
    SAME("a,b\n1,31/12/2024\n3,01/01/2024\n", "\"dateformat\": \"%d/%m/%Y\"");
    SAME("a,b\n1,01/02/2024\n3,01/01/2024\n", "");
    SAME("a,b\n", "\"header\": false");
}

static uint64_t next_number(uint64_t *x)
{
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return *x >> 33;
}

/* Files of random fields, some of them broken in a place. */
static void test_random(void **state)
{
    world *w = *state;
    static const char *const fields[] = {
        "1",
        "-2",
        "3.25",
        "",
        "abc",
        "\"q\"",
        "\"a,b\"",
        "\"a\nb\"",
        "\"\"\"\"",
        "\"\"",
        "NA",
        "007",
        "1e3",
        "2024-02-29",
        "12:00:00",
        "true",
        " 5",
        "9223372036854775808",
        "\"1\"",
        "0.1",
        "x y",
        "\"\r\n\"",
        "1/2/2024",
        "nan",
        "a text of more than twelve",
        "-",
        ("\"and one in quotes \"\", that is longer than a piece of sixty-four bytes: so that it begins in "
         "one and ends in another, or the one after; \"\"\n\"\"\"")};
    static const char *const broken[] = {"\n", "\n\n", ",", "\"", "\r", "\xc3", "x\"", "\r\n", "\"a\"b", ""};
    static const char *const options[] = {"", "\"nullstr\": \"NA\"", "\"bad_rows\": \"reject\"",
                                          "\"header\": true"};
    uint64_t x = 42;
    int own = 0;
    for (int file = 0; file < 48; file++) {
        char text[16384];
        size_t n = 0, columns = 2 + next_number(&x) % 4, rows = 3 + next_number(&x) % 40;
        const char *end = next_number(&x) % 4 ? "\n" : "\r\n";
        uint64_t kinds = next_number(&x), breaks = file % 2 ? next_number(&x) % rows : rows;
        for (size_t j = 0; j < columns; j++) n += (size_t)sprintf(text + n, "%sc%zu", j ? "," : "", j);
        n += (size_t)sprintf(text + n, "%s", end);
        for (size_t r = 0; r < rows && n < sizeof text - 2048; r++) {
            for (size_t j = 0; j < columns; j++) {
                bool any = next_number(&x) % 16 == 0;
                size_t k = any ? next_number(&x) : (kinds >> (4 * j)) % 16 + (next_number(&x) % 8 == 0);
                n += (size_t)sprintf(text + n, "%s%s", j ? "," : "", fields[k % GM_COUNT(fields)]);
            }
            if (r == breaks) n += (size_t)sprintf(text + n, "%s", broken[next_number(&x) % GM_COUNT(broken)]);
            if (r + 1 < rows || next_number(&x) % 3) n += (size_t)sprintf(text + n, "%s", end);
        }
        own += same_text(w, text, n, options[file % GM_COUNT(options)]);
    }
    assert_in_range(own, 12, 48); /* else nothing was compared */
}

/* Several files, each with its header; what is in quotes at the end of one says nothing about the next. */
static void test_files(void **state)
{
    world *w = *state;
    char path[160];
    put_text(w, "p1.csv", "a,b\n1,x\n2,\"y\nz\"\n");
    put_text(w, "p2.csv",
             "\xef\xbb\xbf"
             "a,b\n3,\"\"\"\"\n4,\n");
    put_text(w, "p3.csv", "a,b\n5,last");
    snprintf(path, sizeof path, "%s/p*.csv", w->dir);
    assert_true(same(w, path, "", false));
    put_text(w, "p2.csv", "a,b\n3,\"open\n4,\n");
    assert_false(same(w, path, "", false));
}

/* Wider after the first megabyte, by ours and by the database alike, and as many rows. */
static void test_wider(void **state)
{
    world *w = *state;
    char *text = malloc(1400000), path[128];
    size_t n = (size_t)sprintf(text, "pad,v,u,e,d\n");
    while (n < 1100000) n += (size_t)sprintf(text + n, "abcdefghijklmnopqrstuvwxyz,1,2,,01/02/2024\n");
    n += (size_t)sprintf(text + n,
                         "z,1.5,2,7,13/02/2024\nz,1,n/a,8,02/03/2024\n\"z\n\",12345678901234567890,5,9,\n");
    snprintf(path, sizeof path, "%s", put_file(w, "t.csv", text, n));
    int64_t restarts, usual;
    char *right = all_of(w, path, "", false, 0, &usual),
         *mine = all_of(w, path, "", false, 1 << 16, &restarts);
    assert_string_equal(mine, right);
    assert_int_equal(restarts, usual);
    free(right), free(mine);
    right = all_of(w, path, "", true, 0, &usual), mine = all_of(w, path, "", true, 1 << 16, &restarts);
    assert_string_equal(mine, right);
    free(right), free(mine);
    free(text);
}

static void test_changed(void **state)
{
    world *w = *state;
    gm_table *t = csv(w, "a,b,c\n1,2,3\n4,5,6\n", "");
    got g = {.touch = w->file};
    pthread_mutex_init(&g.lock, NULL);
    gm_sink sink = {.arg = &g, .open = open_task, .push = push, .restart = restart};
    expect_message(w, gm_scan(w->cx, t, &(gm_want){"a", GM_T_REAL, NULL}, 1, &sink, NULL), GM_EIO,
                   "t.csv changed while it was read", "read it again");
    forget(&g);
    free(g.line);
    gm_table_unref(t);
}

/* Every instruction set marks the bytes that plain loops mark. */
static void test_marks(void **state)
{
    (void)state;
    enum { BLOCKS = 7 };
    static const char some[] = ",\"\n\r;ab 0\xc3";
    char p[64 * BLOCKS];
    uint64_t x = 7, right[2][BLOCKS], mine[2][BLOCKS];
    int n;
    const gm_kernel *const *all = gm_kernels(&n);
    for (int round = 0; round < 50; round++) {
        for (size_t i = 0; i < sizeof p; i++)
            p[i] =
                round % 5 ? some[next_number(&x) % (sizeof some - (round % 2 != 0))] : (char)next_number(&x);
        unsigned others = all[0]->marks(p, BLOCKS, ',', '"', right[0], right[1]);
        for (int k = 1; k < n; k++) {
            assert_int_equal(all[k]->marks(p, BLOCKS, ',', '"', mine[0], mine[1]), others);
            assert_memory_equal(mine, right, sizeof right);
        }
    }
}

static int world_one(void **state) { return world_with(state, "{\"threads\": 1}"); }
static int world_four(void **state) { return world_with(state, "{\"threads\": 4}"); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_own, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_left, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_random, world_four, world_end),
        cmocka_unit_test_setup_teardown(test_files, world_one, world_end),
        cmocka_unit_test_setup_teardown(test_wider, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_changed, world_begin, world_end),
        cmocka_unit_test(test_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

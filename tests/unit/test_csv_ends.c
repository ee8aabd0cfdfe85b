/* SPDX-License-Identifier: Apache-2.0 */
/* test_csv_ends.c - line breaks of every kind at the end of lines and in quotes, in the header and below it:
 * all rows, whoever reads, whatever the encoding. */
#include "source/csv/csv_ends.h"
#include "source/write.h"
#include "tables.h"
#include <sys/stat.h>

static const char *const breaks[] = {"\n", "\r\n", "\r"};

static uint64_t next_number(uint64_t *x)
{
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return *x >> 33;
}

typedef struct text {
    char p[8192], rows[8192]; /* the file, and what rows_of must give */
    size_t n;
    int64_t records;
} text;

static void add(text *t, const char *s)
{
    strcpy(t->p + t->n, s);
    t->n += strlen(s);
}

/* A field in quotes or not; its value goes behind rows. */
static void field(text *t, uint64_t *x, bool header)
{
    static const char *const inner[] = {"\n", "\r\n", "\r", "\"\"", ",", "a", "b;"};
    char *value = t->rows + strlen(t->rows);
    if (next_number(x) % 3 == 0) {
        const char *plain = next_number(x) % 2 ? "x" : "7y";
        add(t, plain);
        if (!header) strcpy(value, plain);
        return;
    }
    add(t, "\"q");
    if (!header) strcpy(value, "q");
    for (uint64_t k = next_number(x) % 5; k; k--) {
        const char *s = inner[next_number(x) % GM_COUNT(inner)];
        add(t, s);
        if (!header) strcat(value, *s == '"' ? "\"" : s);
    }
    add(t, "\"");
}

static void make(text *t, uint64_t *x, const char *end, bool mixed)
{
    *t = (text){.records = 2 + (int64_t)next_number(x) % 6};
    size_t columns = 1 + next_number(x) % 3;
    for (int64_t r = 0; r < t->records; r++) {
        for (size_t j = 0; j < columns; j++) {
            char name[2] = {(char)('a' + j), 0};
            if (j) add(t, ",");
            if (r) {
                if (j) strcat(t->rows, "|");
                field(t, x, false);
            } else if (next_number(x) % 2) {
                add(t, name);
            } else {
                add(t, "\""), add(t, breaks[next_number(x) % 3]), add(t, name), add(t, "\"");
            }
        }
        if (r) strcat(t->rows, ";");
        if (r + 1 < t->records || next_number(x) % 2) add(t, mixed ? breaks[next_number(x) % 3] : end);
    }
}

static void read_back(world *w, const text *t, const char *path, const char *more)
{
    gm_table *table;
    int64_t rows = -1;
    if (open_source(w, path, more, &table) != GM_OK) fail_msg("%s\n%s", gm_cx_message(w->cx), t->p);
    const char *got = rows_of(w, table, NULL);
    if (strcmp(got, t->rows) != 0) fail_msg("%s %s\n--- file\n%s\n--- got\n%s", path, more, t->p, got);
    assert_int_equal(gm_table_rows(w->cx, table, &rows), GM_OK);
    assert_int_equal(rows, t->records - 1);
    gm_table_unref(table);
}

static void test_all_rows(void **state)
{
    world *w = *state;
    uint64_t x = 5;
    for (int i = 0; i < 90; i++) {
        text t;
        gm_csv_count count;
        gm_csv_options o = {.delim = ',', .quote = '"', .escape = '"'};
        bool mixed = i % 4 == 3;
        make(&t, &x, breaks[i % 3], mixed);
        const char *path = put_file(w, "t.csv", t.p, t.n);
        assert_int_equal(gm_csv_count_records(w->cx, &o, path, &count), GM_OK);
        assert_int_equal(count.records, t.records);
        assert_int_equal(count.blank, 0);
        if (!mixed) assert_false(count.mixed);
        read_back(w, &t, path, "\"header\": true, \"delim\": \",\"");
    }
}

/* Two bytes each, with and without the mark in front. */
static void test_encodings(void **state)
{
    world *w = *state;
    uint64_t x = 6;
    for (int i = 0; i < 30; i++) {
        text t;
        char wide[2 * sizeof t.p + 2];
        size_t from = i % 2 ? 2 : 0;
        make(&t, &x, breaks[i % 3], i % 4 == 3);
        memcpy(wide, i % 4 == 1 ? "\xff\xfe" : "\xfe\xff", 2);
        for (size_t k = 0; k < t.n; k++) {
            bool big = i % 2 && i % 4 != 1;
            wide[from + 2 * k + big] = t.p[k];
            wide[from + 2 * k + !big] = 0;
        }
        read_back(w, &t, put_file(w, "w.csv", wide, from + 2 * t.n),
                  "\"header\": true, \"delim\": \",\", \"encoding\": \"utf-16\"");
    }
    text t = {.rows = "\xc3\xa4|\xc3\xbf\n;", .records = 2};
    add(&t, "\"\n\xe4\",b\r\n\xe4,\"\xff\n\"\r\n");
    read_back(w, &t, put_file(w, "l.csv", t.p, t.n), "\"encoding\": \"latin-1\"");
    static const char pair[] = "a\0,\0b\0\n\0\x3d\xd8\x00\xde,\0x\0\n",
                      half[] = "a\0,\0b\0\n\0\x3d\xd8,\0x\0\n";
    text smile = {.rows = "\xf0\x9f\x98\x80|x;", .records = 2};
    read_back(w, &smile, put_file(w, "s.csv", pair, sizeof pair), "\"encoding\": \"utf-16\"");
    gm_table *none;
    gm_code code = open_source(w, put_file(w, "h.csv", half, sizeof half), "\"encoding\": \"utf-16\"", &none);
    expect_message(w, code, GM_EFORMAT, "the bytes at offset 8 are no character in UTF-16", "");
}

/* A piece of the reading may end anywhere: lines of all lengths around its size. */
static void test_pieces(void **state)
{
    world *w = *state;
    enum { AROUND = (1 << 18) - 8 };
    char *p = malloc(AROUND + 64);
    for (int k = 0; k < 16; k++)
        for (int b = 0; b < 3; b++) {
            gm_csv_count count;
            gm_csv_options o = {.delim = ',', .quote = '"', .escape = '"'};
            memset(p, 'x', AROUND + 64);
            int n = sprintf(p, "a,b%s", breaks[b]);
            p[n] = 'x';
            n = AROUND + k +
                sprintf(p + AROUND + k, "%s1,\"x%sy\"\"%s\"%s", breaks[b], breaks[k % 3], breaks[k % 3],
                        breaks[b]);
            const char *path = put_file(w, "t.csv", p, (size_t)n);
            assert_int_equal(gm_csv_count_records(w->cx, &o, path, &count), GM_OK);
            assert_int_equal(count.records, 3);
            assert_false(count.mixed);
        }
    free(p);
}

/* Lines end in another way only behind what is looked at. */
static void test_late(void **state)
{
    world *w = *state;
    static const char *const options[] = {"", "\"bad_rows\": \"reject\""};
    size_t cap = 1 << 21;
    char *p = malloc(cap);
    for (int k = 0; k < 12; k++) {
        gm_table *t;
        int64_t rows, n = 0;
        const char *end = breaks[k % 3], *other = breaks[(k + 1 + k / 6) % 3], *q = k / 3 % 2 ? "\"" : "";
        size_t at = (size_t)sprintf(p, "a,b%s", end);
        for (; at < 1200000; n++) at += (size_t)sprintf(p + at, "%lld,%sxyz%s%s", (long long)n, q, q, end);
        at += (size_t)sprintf(p + at, "1,%s2%s%s3,4%s", q, q, other, end);
        assert_int_equal(open_source(w, put_file(w, "t.csv", p, at), options[k % 2], &t), GM_OK);
        assert_int_equal(gm_table_rows(w->cx, t, &rows), GM_OK);
        assert_int_equal(rows, n + 2);
        gm_buf b = gm_buf_in(w->cx, gm_scratch(w->cx));
        assert_int_equal(gm_table_report_json(w->cx, t, &b, NULL), GM_OK);
        assert_int_equal(gm_buf_done(&b), GM_OK);
        assert_non_null(strstr(b.p, "lines end in more than one way"));
        assert_non_null(strstr(b.p, "\"rejected\":0"));
        gm_table_unref(t);
    }
    free(p);
}

/* Each file of a glob has its own. */
static void test_files(void **state)
{
    world *w = *state;
    gm_table *t;
    char path[160];
    put_text(w, "p1.csv", "\"a\r\",b\n1,x\n");
    put_text(w, "p2.csv", "\"a\r\",b\r\n2,\"y\nz\"\r\n");
    put_text(w, "p3.csv", "\"a\r\",b\r3,\"\n\"\r4,u\n");
    snprintf(path, sizeof path, "%s/p*.csv", w->dir);
    assert_int_equal(open_source(w, path, "", &t), GM_OK);
    assert_string_equal(rows_of(w, t, NULL), "1|x;2|y\nz;3|\n;4|u;");
    gm_table_unref(t);
    put_text(w, "p2.csv", "\"a\r\",b\r\n2,\"y\nz\"\r\n1\n");
    gm_code code = open_source(w, path, "", &t);
    if (code == GM_OK) rows_of(w, t, &code), gm_table_unref(t);
    expect_message(w, code, GM_EFORMAT, "p2.csv:5: 1 fields where the header has 2", "ragged");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all_rows, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_encodings, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_pieces, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_late, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_files, world_begin, world_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

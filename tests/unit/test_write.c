/* SPDX-License-Identifier: Apache-2.0 */
/* test_write.c - counting, writing, keeping, splitting and exporting tables, through the public functions. */
#include "table/arrow_abi.h"
#include "tables.h"
#include <sys/stat.h>

static gm_table *query(world *w, const char *text)
{
    gm_table *t = NULL;
    if (gm_table_sql(w->cx, text, NULL, NULL, 0, &t) != GM_OK) fail_msg("%s", gm_cx_message(w->cx));
    return t;
}

static const char *slurp(const char *path)
{
    static char text[4096];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

static int entries(const char *dir)
{
    char command[128];
    int n = -1;
    snprintf(command, sizeof command, "ls -A '%s' | wc -l", dir);
    FILE *p = popen(command, "r");
    assert_int_equal(fscanf(p, "%d", &n), 1);
    pclose(p);
    return n;
}

static void test_write(void **state)
{
    world *w = *state;
    char path[160];
    int64_t rows = 0;
    gm_table *t = query(w, "SELECT 1 a, '' b, NULL c, 'x,\"y' d UNION ALL SELECT 2, 'null', 'z', NULL");
    snprintf(path, sizeof path, "%s/out.csv", w->dir);
    assert_int_equal(gm_table_write(w->cx, t, path, NULL, &rows), GM_OK);
    assert_int_equal(rows, 2);
    assert_string_equal(slurp(path), "a,b,c,d\n1,\"\",,\"x,\"\"y\"\n2,null,z,\n");
    gm_table *back = NULL;
    assert_int_equal(open_source(w, path, "", &back), GM_OK);
    assert_string_equal(rows_of(w, back, NULL), "1||~|x,\"y;2|null|z|~;");
    gm_table_free(back);
    snprintf(path, sizeof path, "%s/out.jsonl", w->dir);
    assert_int_equal(gm_table_write(w->cx, t, path, NULL, &rows), GM_OK);
    assert_string_equal(slurp(path), "{\"a\":1,\"b\":\"\",\"c\":null,\"d\":\"x,\\\"y\"}\n"
                                     "{\"a\":2,\"b\":\"null\",\"c\":\"z\",\"d\":null}\n");
    snprintf(path, sizeof path, "%s/out.parquet", w->dir);
    assert_int_equal(gm_table_write(w->cx, t, path, NULL, &rows), GM_OK);
    assert_int_equal(open_source(w, path, "", &back), GM_OK);
    assert_string_equal(rows_of(w, back, NULL), "1||~|x,\"y;2|null|z|~;");
    gm_table_free(back);
    assert_int_equal(entries(w->dir), 3);
    gm_table_free(t);
}

static void test_write_errors(void **state)
{
    world *w = *state;
    char path[160];
    gm_table *t = query(w, "SELECT i, error('no ' || i) x FROM range(10) r(i)");
    snprintf(path, sizeof path, "%s/out.csv", w->dir);
    expect_message(w, gm_table_write(w->cx, t, path, NULL, NULL), GM_ESQL, "no ", "");
    assert_int_equal(entries(w->dir), 0);
    gm_table_free(t);
    t = query(w, "SELECT i FROM range(1000000) r(i)");
    expect_message(w, gm_table_write(w->cx, t, "/dev/full", NULL, NULL), GM_EIO, "/dev/full", "");
    snprintf(path, sizeof path, "%s/none/out.csv", w->dir);
    expect_message(w, gm_table_write(w->cx, t, path, NULL, NULL), GM_ENOENT, "none", "");
    snprintf(path, sizeof path, "%s/out.xlsx", w->dir);
    expect_message(w, gm_table_write(w->cx, t, path, NULL, NULL), GM_EUSAGE, "the suffix names no format",
                   ".parquet");
    expect_message(w, gm_table_write(w->cx, t, path, "{\"format\": \"parket\"}", NULL), GM_EUSAGE, "parket",
                   "did you mean parquet");
    gm_table_free(t);
}

static void test_keep(void **state)
{
    world *w = *state;
    static const char *const levels[] = {"MEMORY_ONLY", "MEMORY_AND_DISK", "DISK_ONLY", "AUTO"};
    gm_table *t = csv(w, "a,b\n1,x\n2,y\n3,z\n", "");
    for (int i = 0; i < 4; i++) {
        gm_table *k = NULL, *over = NULL;
        int64_t n = 0;
        assert_int_equal(gm_table_persist(w->cx, t, levels[i], &k), GM_OK);
        if (gm_table_count(w->cx, k, &n) != GM_OK) fail_msg("%s", gm_cx_message(w->cx));
        assert_int_equal(n, 3);
        const char *name = "k";
        assert_int_equal(gm_table_sql(w->cx, "SELECT sum(a) FROM k", &name, &k, 1, &over), GM_OK);
        gm_table_free(k);
        assert_string_equal(rows_of(w, over, NULL), "6;");
        gm_table_free(over);
    }
    gm_table *k = NULL;
    expect_message(w, gm_table_persist(w->cx, t, "DISK", &k), GM_EPARAM, "no persist level 'DISK'",
                   "did you mean");
    gm_table_free(t);
}

static void check_parts(world *w, gm_table *t, const char *key, int64_t rows, double low, double high)
{
    gm_table *part[2] = {NULL, NULL}, *both = NULL;
    static const char *const names[] = {"a", "b"};
    assert_int_equal(gm_table_split(w->cx, t, (double[]){8, 2}, 2, 7, key, part), GM_OK);
    int64_t n[2];
    for (int k = 0; k < 2; k++) assert_int_equal(gm_table_count(w->cx, part[k], &n[k]), GM_OK);
    assert_int_equal(n[0] + n[1], rows);
    assert_true((double)n[0] >= low * (double)rows && (double)n[0] <= high * (double)rows);
    assert_int_equal(gm_table_sql(w->cx, "SELECT count(*) FROM (SELECT id FROM a INTERSECT SELECT id FROM b)",
                                  names, part, 2, &both),
                     GM_OK);
    if (key) assert_string_equal(rows_of(w, both, NULL), "0;");
    gm_table_free(both);
    /* A filter on a part must not change what is in it. */
    const char *name = "a";
    assert_int_equal(
        gm_table_sql(w->cx, "SELECT sum(CASE WHEN id < 5 THEN 1 ELSE 0 END) FROM a", &name, part, 1, &both),
        GM_OK);
    char whole[64];
    snprintf(whole, sizeof whole, "%s", rows_of(w, both, NULL));
    gm_table_free(both);
    assert_int_equal(gm_table_sql(w->cx, "SELECT count(*) FROM a WHERE id < 5", &name, part, 1, &both),
                     GM_OK);
    assert_string_equal(rows_of(w, both, NULL), whole);
    gm_table_free(both);
    gm_table_free(part[0]);
    gm_table_free(part[1]);
}

static void test_split(void **state)
{
    world *w = *state;
    char *text = malloc(400000);
    size_t n = (size_t)sprintf(text, "id,v\n");
    for (int i = 1; i <= 1000; i++) n += (size_t)sprintf(text + n, "%d,x%d\n", i, i % 3);
    gm_table *t = csv(w, text, "");
    check_parts(w, t, NULL, 1000, 0.75, 0.85);
    check_parts(w, t, "id", 1000, 0.75, 0.85);
    gm_table_free(t);
    n = (size_t)sprintf(text, "id,v\n"); /* few different rows still split evenly */
    for (int i = 0; i < 20000; i++) n += (size_t)sprintf(text + n, "%d,x\n", i % 10);
    t = csv(w, text, "");
    check_parts(w, t, NULL, 20000, 0.78, 0.82);
    gm_table *part[2] = {NULL, NULL};
    expect_message(w, gm_table_split(w->cx, t, (double[]){1, 0}, 2, 7, NULL, part), GM_EPARAM, "weight 2",
                   "");
    expect_message(w, gm_table_split(w->cx, t, (double[]){1, 1}, 2, 7, "idd", part), GM_ESCHEMA,
                   "no column 'idd'", "did you mean 'id'");
    gm_table_free(t);
    free(text);
}

static void test_export(void **state)
{
    world *w = *state;
    struct ArrowArrayStream s;
    struct ArrowSchema schema;
    struct ArrowArray a;
    gm_table *t = query(w, "SELECT i::DOUBLE x, 'row ' || i s FROM range(5000) r(i)");
    gm_cx *other;
    assert_int_equal(gm_cx_fork(w->cx, &other), GM_OK);
    assert_int_equal(gm_table_export(other, t, &s), GM_OK);
    gm_cx_free(other);
    gm_table_free(t);
    assert_int_equal(s.get_schema(&s, &schema), 0);
    assert_string_equal(schema.children[0]->name, "x");
    assert_string_equal(schema.children[0]->format, "g");
    schema.release(&schema);
    int64_t rows = 0;
    double sum = 0;
    for (;;) {
        assert_int_equal(s.get_next(&s, &a), 0);
        if (a.release == NULL) break;
        const double *x = a.children[0]->buffers[1];
        for (int64_t i = 0; i < a.length; i++) {
            assert_true(x[i] == (double)(rows + i)); /* in order */
            sum += x[i];
        }
        rows += a.length;
        a.release(&a);
    }
    s.release(&s);
    assert_int_equal(rows, 5000);
    assert_true(sum == 5000.0 * 4999 / 2);
    gm_table *bad = query(w, "SELECT CAST('x' || i AS INTEGER) FROM range(3) r(i)");
    expect_message(w, gm_table_export(w->cx, bad, &s), GM_EDATA, "x", "");
    gm_table_free(bad);
}

static void test_report(void **state)
{
    world *w = *state;
    char *json = NULL;
    gm_table *t = csv(w, "x,y\n1,2\n1\n3,4,5\nNA,6\n", "\"bad_rows\": \"reject\"");
    int64_t n;
    if (gm_table_count(w->cx, t, &n) != GM_OK) fail_msg("%s", gm_cx_message(w->cx));
    assert_int_equal(n, 2);
    assert_int_equal(gm_table_report(w->cx, t, &json), GM_OK);
    static const char *const parts[] = {"\"rows\":2", "\"rejected\":2",    "\"line\":3",
                                        "\"line\":4", "\"x\":\"VARCHAR\"", "set nullstr: 'NA'"};
    for (int64_t i = 0; i < GM_COUNT(parts); i++)
        if (strstr(json, parts[i]) == NULL) fail_msg("%s is not in %s", parts[i], json);
    gm_raw_free(json);
    gm_table_free(t);
}

/* Everything once. */
static gm_code everything(world *w, const char *path, const char *out, int64_t *rows)
{
    struct ArrowArrayStream s = {0};
    gm_table *t = NULL, *kept = NULL, *part[2] = {NULL, NULL}, *back = NULL;
    gm_code code = open_source(w, path, "", &t);
    if (code == GM_OK) code = gm_table_persist(w->cx, t, "MEMORY_ONLY", &kept);
    if (code == GM_OK) code = gm_table_split(w->cx, kept, (double[]){1, 1}, 2, 3, NULL, part);
    if (code == GM_OK) code = gm_table_write(w->cx, part[0], out, NULL, rows);
    if (code == GM_OK) code = gm_table_export(w->cx, part[1], &s);
    if (code == GM_OK) code = gm_table_arrow(w->cx, &s, "back", &back);
    int64_t more = 0;
    if (code == GM_OK) code = gm_table_count(w->cx, back, &more);
    *rows += more;
    if (s.release) s.release(&s);
    gm_table_free(back);
    gm_table_free(part[0]);
    gm_table_free(part[1]);
    gm_table_free(kept);
    gm_table_free(t);
    return code;
}

/* Every allocation fails once: one error, nothing half-written, nothing lost. */
static void test_no_memory(void **state)
{
    world *w = *state;
    char in[160], out[160];
    put_text(w, "in.csv", "a,b\n1,x\n2,y\n3,z\n4,u\n");
    snprintf(in, sizeof in, "%s", w->file);
    snprintf(out, sizeof out, "%s/out.csv", w->dir);
    for (long k = 0;; k++) {
        int64_t rows = 0;
        unlink(out);
        gm_oom_after = k;
        gm_code code = everything(w, in, out, &rows);
        bool over = gm_oom_after >= 0;
        gm_oom_after = -1;
        if (over) {
            assert_int_equal(code, GM_OK);
            assert_int_equal(rows, 4);
            break;
        }
        if (code != GM_ENOMEM) fail_msg("allocation %ld: %s %s", k, gm_code_name(code), gm_cx_message(w->cx));
        if (access(out, F_OK) != 0) assert_int_equal(entries(w->dir), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_write, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_write_errors, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_keep, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_split, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_export, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_report, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_no_memory, world_begin, world_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

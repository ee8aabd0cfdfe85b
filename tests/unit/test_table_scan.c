/* SPDX-License-Identifier: Apache-2.0 */
/* test_table_scan.c - every row reaches the sink once, in the types asked for; restarts, errors, cancelling,
 * events. */
#include "tables.h"
#include <pthread.h>

typedef struct sums {
    pthread_mutex_t lock;
    int64_t rows, tasks, restarts, missing;
    double real;
    uint64_t texts; /* sum of hashes: no order */
    gm_code fail_with;
    bool cancel;
    char last[64];
} sums;

static gm_code open_task(gm_cx *cx, void *arg, void **task)
{
    (void)cx;
    sums *s = arg;
    pthread_mutex_lock(&s->lock);
    s->tasks++;
    pthread_mutex_unlock(&s->lock);
    *task = s;
    return GM_OK;
}

static gm_code push(gm_cx *cx, void *arg, void *task, const gm_batch *b)
{
    sums *s = arg;
    assert_ptr_equal(task, arg);
    if (s->fail_with) return gm_fail(cx, s->fail_with, "the sink is full");
    if (s->cancel) gm_cx_cancel(cx);
    pthread_mutex_lock(&s->lock);
    s->rows += b->rows;
    for (int k = 0; k < b->n_cols; k++) {
        for (int64_t i = 0; i < b->rows; i++) {
            if (b->col[k].type == GM_T_REAL) {
                if (isnan(b->col[k].real[i])) s->missing++;
                else s->real += b->col[k].real[i];
            } else {
                gm_text t = gm_column_text(&b->col[k], i);
                if (gm_text_missing(&t)) s->missing++;
                else {
                    s->texts += gm_text_hash(&t);
                    snprintf(s->last, sizeof s->last, "%.*s", (int)t.len, gm_text_ptr(&t));
                }
            }
        }
    }
    pthread_mutex_unlock(&s->lock);
    return GM_OK;
}

static gm_code restart(gm_cx *cx, void *arg)
{
    (void)cx;
    sums *s = arg;
    s->rows = s->missing = 0;
    s->real = 0;
    s->texts = 0;
    s->restarts++;
    return GM_OK;
}

static gm_code scan(world *w, const gm_table *t, const gm_want *want, int n, sums *s, gm_scan_stats *stats)
{
    gm_sink sink = {.arg = s, .open = open_task, .push = push, .restart = restart};
    pthread_mutex_init(&s->lock, NULL);
    gm_cx_begin(w->cx);
    return gm_scan(w->cx, t, want, n, &sink, stats);
}

static void test_types(void **state)
{
    world *w = *state;
    gm_table *t = sql(w,
                      "SELECT 1::TINYINT a, 2::UBIGINT b, 2.5::DECIMAL(9,2) c, true d, DATE '1970-01-03' e, "
                      "TIMESTAMP '1970-01-01 00:00:02.5' f, TIME '00:01:00' g, -3::HUGEINT h, 0.5::FLOAT i, "
                      "'7' j, 'x'::ENUM('x') k, NULL l, TIMESTAMPTZ '1970-01-01 01:00:00+01' m, "
                      "1::UTINYINT n, -1::SMALLINT o, TIMESTAMP_NS '1970-01-01 00:00:01' p",
                      NULL, NULL);
    static const char *names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "l", "m", "n", "o", "p"};
    static const double right[] = {1, 2, 2.5, 1, 172800, 2.5, 60, -3, 0.5, 7, NAN, 0, 1, -1, 1};
    for (int k = 0; k < (int)GM_COUNT(names); k++) {
        sums s = {0};
        assert_int_equal(scan(w, t, &(gm_want){names[k], GM_T_REAL, NULL}, 1, &s, NULL), GM_OK);
        assert_int_equal(s.rows, 1);
        assert_int_equal(s.missing, isnan(right[k]));
        if (!isnan(right[k])) assert_true(s.real == right[k]);
    }
    static const char *texts[] = {"1", "2", "2.50", "true", "1970-01-03", "1970-01-01 00:00:02.5"};
    for (int k = 0; k < (int)GM_COUNT(texts); k++) {
        sums s = {0};
        assert_int_equal(scan(w, t, &(gm_want){names[k], GM_T_TEXT, NULL}, 1, &s, NULL), GM_OK);
        assert_string_equal(s.last, texts[k]);
    }
    gm_table_unref(t);
}

static void test_all_rows(void **state)
{
    world *w = *state;
    gm_table *t = sql(w,
                      "SELECT i, CASE WHEN i % 7 = 0 THEN NULL ELSE i::DOUBLE END x, "
                      "CASE WHEN i % 5 = 0 THEN NULL ELSE 'text number ' || i END s FROM range(100000) r(i)",
                      NULL, NULL);
    gm_want want[] = {{"x", GM_T_REAL, NULL}, {"s", GM_T_TEXT, NULL}, {"i", GM_T_REAL, NULL}};
    sums s = {0};
    gm_scan_stats stats;
    assert_int_equal(scan(w, t, want, 3, &s, &stats), GM_OK);
    double right = 0;
    for (int i = 0; i < 100000; i++) right += i + (i % 7 ? i : 0);
    assert_int_equal(s.rows, 100000);
    assert_int_equal(stats.rows, 100000);
    assert_int_equal(s.missing, 100000 / 7 + 1 + 20000);
    assert_true(s.real == right);
    gm_table_unref(t);
}

static void test_inexact(void **state)
{
    world *w = *state;
    gm_table *t = sql(w, "SELECT unnest([9007199254740993, 9007199254740992, -9007199254740993, NULL, 5]) id",
                      NULL, NULL);
    sums s = {0};
    gm_scan_stats stats;
    assert_int_equal(scan(w, t, &(gm_want){"id", GM_T_REAL, NULL}, 1, &s, &stats), GM_OK);
    assert_int_equal(stats.inexact[0], 2);
    gm_table_unref(t);
}

static void test_errors(void **state)
{
    world *w = *state;
    gm_table *t = sql(w, "SELECT i, [i] l, 'abc' s FROM range(10000) r(i)", NULL, NULL);
    sums s = {.fail_with = GM_EDATA};
    expect_message(w, scan(w, t, &(gm_want){"i", GM_T_REAL, NULL}, 1, &s, NULL), GM_EDATA, "the sink is full",
                   "");
    s = (sums){0};
    expect_message(w, scan(w, t, &(gm_want){"ii", GM_T_REAL, "label"}, 1, &s, NULL), GM_ESCHEMA,
                   "label: there is no column 'ii'", "did you mean 'i'");
    expect_message(w, scan(w, t, &(gm_want){"l", GM_T_REAL, "input of X"}, 1, &s, NULL), GM_ESCHEMA,
                   "column 'l' (input of X) is BIGINT[]", "");
    expect_message(w, scan(w, t, &(gm_want){"s", GM_T_REAL, NULL}, 1, &s, NULL), GM_EDATA, "abc", "");
    s = (sums){.cancel = true};
    expect_message(w, scan(w, t, &(gm_want){"i", GM_T_REAL, NULL}, 1, &s, NULL), GM_ECANCEL, "cancelled", "");
    gm_table_unref(t);
}

/* A column that gets wider after the first megabyte: the sink begins again; or, where it has to be a number,
 * one error. */
static void test_restart(void **state)
{
    world *w = *state;
    char *text = malloc(1300000);
    size_t n = (size_t)sprintf(text, "pad,v,u\n");
    int64_t rows = 2;
    for (; n < 1100000; rows++) n += (size_t)sprintf(text + n, "abcdefghijklmnopqrstuvwxyz,1,2\n");
    sprintf(text + n, "z,1.5,2\nz,1,n/a\n");
    gm_table *t = csv(w, text, "");
    gm_want want[] = {{"v", GM_T_REAL, NULL}, {"u", GM_T_TEXT, NULL}};
    sums s = {0};
    assert_int_equal(scan(w, t, want, 2, &s, NULL), GM_OK);
    assert_int_equal(s.restarts, 1);
    assert_int_equal(s.rows, rows);
    assert_true(s.real == (double)rows + 0.5);
    s = (sums){0};
    assert_int_equal(scan(w, t, want, 2, &s, NULL), GM_OK);
    assert_int_equal(s.restarts, 0);
    gm_table_unref(t);

    t = csv(w, text, "");
    s = (sums){0};
    want[1] = (gm_want){"u", GM_T_REAL, "label"};
    char expected[96];
    snprintf(expected, sizeof expected, "t.csv:%d: column 'u' (label) holds 'n/a', and a number is needed",
             (int)rows + 1);
    expect_message(w, scan(w, t, want, 2, &s, NULL), GM_EDATA, expected, "nullstr: 'n/a'");
    s = (sums){0}; /* now the column is known as text from the start */
    expect_message(w, scan(w, t, want, 2, &s, NULL), GM_EDATA, expected, "nullstr: 'n/a'");
    gm_table_unref(t);
    free(text);
}

static int begun;
static void hear(void *user, const gm_event *e)
{
    (void)user;
    begun += strcmp(e->code, "scan.begin") == 0;
}

static void test_events(void **state)
{
    world *w = *state;
    gm_table *t = sql(w, "SELECT i FROM range(10000) r(i)", NULL, NULL);
    sums s = {0};
    gm_cx_listen(w->cx, hear, NULL);
    assert_int_equal(scan(w, t, &(gm_want){"i", GM_T_REAL, NULL}, 1, &s, NULL), GM_OK);
    assert_int_equal(begun, 1);
    gm_table_unref(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_types, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_all_rows, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_inexact, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_errors, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_restart, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_events, world_begin, world_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

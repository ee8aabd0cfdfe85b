/* SPDX-License-Identifier: Apache-2.0 */
/* test_bridge_list.c - lists of numbers as vectors, dense and sparse, lists of texts as words. */
#include "tables.h"

/* What the sink saw of one column: rows as "1 2;nan nan;", words as "a b;;". */
typedef struct seen {
    gm_buf b;
    int64_t width;
} seen;

static gm_code open_task(gm_cx *cx, void *arg, void **task)
{
    (void)cx;
    *task = arg;
    return GM_OK;
}

static gm_code push(gm_cx *cx, void *arg, void *task, const gm_batch *batch)
{
    seen *s = arg;
    const gm_column *c = &batch->col[0];
    double *x = NULL;
    (void)task;
    s->width = c->width;
    if (c->type == GM_T_VECTOR && gm_column_dense(cx, gm_scratch(cx), c, batch->rows, &x) != GM_OK)
        return gm_cx_code(cx);
    for (int64_t i = 0; i < batch->rows; i++) {
        for (int64_t j = 0; c->type == GM_T_VECTOR && j < c->width; j++)
            if (x[i * c->width + j] != 0) gm_buf_printf(&s->b, "%lld:%g ", (long long)j, x[i * c->width + j]);
        for (int64_t k = c->off ? c->off[i] : 0; c->off && k < c->off[i + 1]; k++) {
            gm_text t = gm_column_word(c, k);
            gm_buf_printf(&s->b, "%.*s ", (int)t.len, gm_text_ptr(&t));
        }
        gm_buf_str(&s->b, ";");
    }
    return GM_OK;
}

static gm_code scan(world *w, const char *query, gm_type type, seen *s)
{
    gm_table *t = sql(w, query, NULL, NULL);
    gm_sink sink = {.arg = s, .open = open_task, .push = push};
    gm_want want = {"v", type, NULL};
    s->b = gm_buf_in(w->cx, gm_scratch(w->cx));
    gm_code code = gm_scan(w->cx, t, &want, 1, &sink, NULL);
    gm_table_unref(t);
    return code;
}

#define SPARSE "STRUCT(type TINYINT, size INTEGER, indices INTEGER[], values DOUBLE[])"

static void test_vectors(void **state)
{
    static const struct {
        const char *query, *rows;
        int64_t width;
    } cases[] = {
        {"SELECT [1, 0, 2.5] v UNION ALL SELECT [4, NULL, 6]", "0:1 2:2.5 ;0:4 1:nan 2:6 ;", 3},
        {"SELECT unnest([[1.0, 2], NULL]) v", "0:1 1:2 ;0:nan 1:nan ;", 2},
        {"SELECT unnest([[1, 2], [3, 4]])::INTEGER[2] v", "0:1 1:2 ;0:3 1:4 ;", 2},
        {"SELECT NULL::DOUBLE[] v", ";", 0},
        {"SELECT list_transform(range(300), lambda x: CASE WHEN x = 299 THEN 7 ELSE 0 END) v", "299:7 ;",
         300},
        {"SELECT {type: 0, size: 4, indices: [1, 3], values: [5, 6]}::" SPARSE " v", "1:5 3:6 ;", 4},
        {"SELECT unnest([{type: 0, size: 9000, indices: [1, 8999], values: [5, 6]}::" SPARSE ", NULL]) v",
         "1:5 8999:6 ;0:nan ;", 9000},
    };
    world *w = *state;
    for (int64_t i = 0; i < GM_COUNT(cases); i++) {
        seen s = {0};
        if (scan(w, cases[i].query, GM_T_VECTOR, &s) != GM_OK) fail_msg("%s", gm_cx_message(w->cx));
        assert_int_equal(gm_buf_done(&s.b), GM_OK);
        assert_string_equal(s.b.p, cases[i].rows);
        assert_int_equal(s.width, cases[i].width);
    }
}

static void test_words(void **state)
{
    world *w = *state;
    seen s = {0};
    assert_int_equal(scan(w, "SELECT unnest([['a', NULL, 'a text of more than twelve bytes'], NULL, []]) v",
                          GM_T_WORDS, &s),
                     GM_OK);
    assert_int_equal(gm_buf_done(&s.b), GM_OK);
    assert_string_equal(s.b.p, "a a text of more than twelve bytes ;;;");
}

static void test_bad_vectors(void **state)
{
    static const struct {
        const char *query, *message;
        gm_code code;
    } cases[] = {
        {"SELECT unnest([[1, 2], [3]]) v", "column 'v': a row has 1 elements, another 2", GM_ESCHEMA},
        {"SELECT {type: 0, size: 4, indices: [1], values: [5, 6]}::" SPARSE " v",
         "column 'v': a sparse vector has 1 indices and 2 values", GM_EDATA},
        {"SELECT {type: 0, size: 9000, indices: [3, 1], values: [5, 6]}::" SPARSE " v",
         "column 'v': indices of a sparse vector rise from 0 to its size", GM_EDATA},
        {"SELECT {type: 0, size: 9000, indices: [9000], values: [5]}::" SPARSE " v",
         "column 'v': indices of a sparse vector rise from 0 to its size", GM_EDATA},
        {"SELECT ['a'] v", "column 'v' is VARCHAR[], and a number is needed", GM_ESCHEMA},
    };
    world *w = *state;
    for (int64_t i = 0; i < GM_COUNT(cases); i++) {
        seen s = {0};
        gm_cx_begin(w->cx);
        assert_int_equal(scan(w, cases[i].query, GM_T_VECTOR, &s), cases[i].code);
        if (strstr(gm_cx_message(w->cx), cases[i].message) == NULL) fail_msg("%s", gm_cx_message(w->cx));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_vectors, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_words, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_bad_vectors, world_begin, world_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

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
        {"SELECT unnest([[1, 0, 2.5], [4, NULL, 6]]) v", "0:1 2:2.5 ;0:4 1:nan 2:6 ;", 3},
        {"SELECT unnest([[1.0, 2], NULL]) v", "0:1 1:2 ;0:nan 1:nan ;", 2},
        {"SELECT unnest([[1, 2], [3, 4]])::INTEGER[2] v", "0:1 1:2 ;0:3 1:4 ;", 2},
        {"SELECT NULL::DOUBLE[] v", ";", 0},
        {"SELECT list_transform(range(300), lambda x: CASE WHEN x = 299 THEN 7 ELSE 0 END) v", "299:7 ;",
         300},
        {"SELECT {type: 0, size: 4, indices: [1, 3], values: [5, 6]}::" SPARSE " v", "1:5 3:6 ;", 4},
        {"SELECT {type: 1, size: NULL, indices: NULL, values: [5, 0, NULL]}::" SPARSE " v", "0:5 2:nan ;", 3},
        {"SELECT unnest([{type: 0, size: 3, indices: [1], values: [5]}::" SPARSE
         ", {type: 1, size: NULL, indices: NULL, values: [1, 0, 2]}::" SPARSE
         ", {type: 0, size: 3, indices: [], values: []}::" SPARSE ", NULL]) v",
         "1:5 ;0:1 2:2 ;;0:nan 1:nan 2:nan ;", 3},
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

#define V(type, size, indices, values) \
    "SELECT {type: " type ", size: " size ", indices: " indices ", values: " values "}::" SPARSE " v"

/* Each names the first row that is bad, where a query can find it. */
static void test_bad_vectors(void **state)
{
    static const struct {
        const char *query, *message;
        gm_code code;
    } cases[] = {
        {"SELECT unnest([[1, 2], [3]]) v", "row 2: column 'v' has 1 elements, and 2 in the rows before",
         GM_ESCHEMA},
        {"SELECT unnest([[1, 2], NULL, [3], [4]]) v",
         "row 3: column 'v' has 1 elements, and 2 in the rows before", GM_ESCHEMA},
        {"SELECT CASE i WHEN 9000 THEN [1] WHEN 9001 THEN [2, 3, 4] ELSE [1, 2] END v FROM range(9002) t(i)",
         "row 9001: column 'v' has 1 elements, and 2 in the rows before", GM_ESCHEMA},
        {"SELECT unnest([[1, 2], []]) v", "row 2: column 'v': a vector has 0 elements", GM_EDATA},
        {V("0", "4", "[1]", "[5, 6]"), "row 1: column 'v': a sparse vector has 1 indices and 2 values",
         GM_EDATA},
        {V("0", "9000", "[3, 1]", "[5, 6]"),
         "row 1: column 'v': the indices of a sparse vector rise, and 1 stands behind 3", GM_EDATA},
        {V("0", "4", "[3, 3]", "[5, 6]"),
         "row 1: column 'v': the indices of a sparse vector rise, and 3 stands behind 3", GM_EDATA},
        {V("0", "9000", "[9000]", "[5]"), "a sparse vector of 9000 elements has the index 9000", GM_EDATA},
        {V("0", "4", "[4]", "[0]"), "row 1: column 'v': a sparse vector of 4 elements has the index 4",
         GM_EDATA},
        {V("0", "4", "[-1]", "[5]"), "a sparse vector of 4 elements has the index -1", GM_EDATA},
        {V("0", "4", "[NULL]", "[5]"), "row 1: column 'v': an index of a sparse vector is NULL", GM_EDATA},
        {V("0", "NULL", "[1]", "[5]"), "row 1: column 'v': a sparse vector has no size or no indices",
         GM_EDATA},
        {V("0", "4", "NULL", "[5]"), "a sparse vector has no size or no indices", GM_EDATA},
        {V("0", "4", "[1]", "NULL"), "row 1: column 'v': a vector has no values", GM_EDATA},
        {V("0", "-4", "[]", "[]"), "row 1: column 'v': a vector has -4 elements", GM_EDATA},
        {V("1", "NULL", "NULL", "NULL"), "a vector has no values", GM_EDATA},
        {V("2", "4", "[1]", "[5]"), "row 1: column 'v': the type of a vector is 0 (sparse) or 1 (dense)",
         GM_EDATA},
        {V("NULL", "4", "[1]", "[5]"), "the type of a vector is 0 (sparse) or 1 (dense)", GM_EDATA},
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

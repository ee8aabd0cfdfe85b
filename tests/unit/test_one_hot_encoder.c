/* SPDX-License-Identifier: Apache-2.0 */
#include "stage_driver.h"

static const double abc[] = {0, 1, 2, 1};

static gm_texts levels_of(driver *d, const char *const *s, int64_t n)
{
    gm_texts t;
    gm_column c = texts(d, s, n);
    OK(d, gm_texts_pack(d->cx, &d->a, c.text, n, &t));
    return t;
}

/* cases.md: dropLast default */
static void drop_last(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    gm_column in[] = {reals(abc)};
    driver_run(&d, "OneHotEncoder", "{\"inputCol\": \"k\"}", in, 4, 3);
    assert_int_equal(d.out[0].width, 2);
    assert_int_equal(d.out[0].part[0].form, GM_CODED);
    EXPECT_REALS(driver_dense(&d, 0, 4), 0, 1, 0, 0, 1, 0, 0, 0, 1);
    EXPECT_NAMES(d.out_attr[0].names, "k=0", "k=1");
    EXPECT_NAMES(d.out_attr[0].dropped, "k=2");
    driver_run(&d, "OneHotEncoder", "{\"inputCol\": \"k\", \"dropLast\": false}", in, 4, 3);
    EXPECT_REALS(driver_dense(&d, 0, 4), 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0);
    EXPECT_NAMES(d.out_attr[0].names, "k=0", "k=1", "k=2");
    assert_int_equal(d.out_attr[0].dropped.n, 0);
    driver_close(&d);
}

static void levels_from_the_indexer(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    gm_column in[] = {reals(abc)};
    gm_attr attr = {.type = GM_T_REAL, .width = 1, .keeps_invalid = true, .origin = "carrier"};
    attr.levels = levels_of(&d, (const char *const[]){"AA", "U A", ""}, 3);
    d.in_attr[0] = attr;
    OK(&d, driver_configure(&d, "OneHotEncoder", "{\"inputCol\": \"carrier_ix\", \"dropLast\": false}"));
    assert_true(d.node.stage->settled(&d.node));
    OK(&d, driver_fit(&d, in, 4, 2));
    EXPECT_NAMES(d.out_attr[0].names, "carrier=AA", "carrier=U A", "carrier=", "carrier=__unknown");
    OK(&d, driver_fit(&d, in, 0, 1)); /* the column says it all: no rows are needed */
    assert_int_equal(d.out_attr[0].width, 4);
    d.in_attr[0] = (gm_attr){0};
    assert_false(d.node.stage->settled(&d.node));
    driver_close(&d);
}

static void handle_invalid(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const double seen[] = {0, 1, 1}, odd[] = {1, 2, NAN, 0};
    gm_column fit[] = {reals(seen)}, in[] = {reals(odd)};
    OK(&d, driver_configure(&d, "OneHotEncoder", "{\"inputCol\": \"k\"}"));
    OK(&d, driver_fit(&d, fit, 3, 1));
    driver_fails(&d, driver_apply(&d, in, 4), GM_EDATA, "column 'k': index 2 was not seen in fit");
    const double gap[] = {NAN, 0};
    gm_column missing[] = {reals(gap)};
    driver_fails(&d, driver_apply(&d, missing, 2), GM_EDATA, "column 'k' has a missing index");
    driver_fails(&d, driver_fit(&d, missing, 2, 1), GM_EDATA, "column 'k' has a missing index");

    /* keep adds a last category; dropLast makes it the one that is all zeros */
    OK(&d, driver_configure(&d, "OneHotEncoder", "{\"inputCol\": \"k\", \"handleInvalid\": \"keep\"}"));
    OK(&d, driver_fit(&d, fit, 3, 1));
    OK(&d, driver_apply(&d, in, 4));
    EXPECT_REALS(driver_dense(&d, 0, 4), 0, 0, 1, 0, 0, 0, 0, 1, 0);
    EXPECT_NAMES(d.out_attr[0].dropped, "k=__invalid");
    assert_int_equal(d.tally[0].invalid, 2);
    OK(&d, driver_configure(&d, "OneHotEncoder",
                            "{\"inputCol\": \"k\", \"handleInvalid\": \"keep\", \"dropLast\": false}"));
    OK(&d, driver_fit(&d, fit, 3, 1));
    OK(&d, driver_apply(&d, in, 4));
    EXPECT_REALS(driver_dense(&d, 0, 4), 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0);
    EXPECT_NAMES(d.out_attr[0].names, "k=0", "k=1", "k=__invalid");
    driver_close(&d);
}

static void not_an_index(void **s)
{
    (void)s;
    const double bad[] = {-1, 0.5, 1e300, -INFINITY};
    for (int i = 0; i < GM_COUNT(bad); i++)
        for (int keep = 0; keep < 2; keep++) {
            driver d;
            driver_open(&d);
            gm_column fit[] = {reals(abc)}, in[] = {reals(&bad[i])};
            OK(&d, driver_configure(&d, "OneHotEncoder",
                                    keep ? "{\"inputCol\": \"k\", \"handleInvalid\": \"keep\"}"
                                         : "{\"inputCol\": \"k\"}"));
            driver_fails(&d, driver_fit(&d, in, 1, 1), GM_EDATA, "is not an index");
            OK(&d, driver_fit(&d, fit, 4, 1));
            driver_fails(&d, driver_apply(&d, in, 1), GM_EDATA, "is not an index");
            driver_close(&d);
        }
}

static void one_category(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const double zeros[] = {0, 0};
    gm_column in[] = {reals(zeros)};
    driver_run(&d, "OneHotEncoder", "{\"inputCol\": \"k\"}", in, 2, 1);
    assert_int_equal(d.out[0].width, 0);
    driver_fails(&d, driver_fit(&d, in, 0, 2), GM_EDATA, "column 'k' has no index at all");
    driver_close(&d);
}

/* cases.md: 200,000 distinct values; memory grows with rows, not with rows x categories */
static void many_categories(void **s)
{
    (void)s;
    enum { N = 200000 };
    driver d;
    driver_open(&d);
    double *x = gm_alloc(d.cx, &d.a, N, sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < N; i++) x[i] = (double)i;
    gm_column in[] = {reals(x)};
    OK(&d, driver_configure(&d, "OneHotEncoder", "{\"inputCol\": \"k\", \"dropLast\": false}"));
    driver_inputs(&d, in);
    void *acc, *state = gm_alloc(d.cx, &d.a, 1, d.node.stage->state_size);
    OK(&d, d.node.stage->begin(d.cx, &d.a, &d.node, &acc));
    OK(&d, d.node.stage->update(d.cx, &d.a, &d.node, acc, N, in));
    OK(&d, d.node.stage->finish(d.cx, &d.a, &d.node, acc, state));
    d.node.state = state;
    int64_t before = gm_memory_used(d.cx);
    in[0].real += N - 60;
    OK(&d, driver_apply(&d, in, 60));
    assert_int_equal(d.out[0].width, N);
    assert_int_equal(d.out[0].part[0].code[59], N - 1);
    assert_true(gm_memory_used(d.cx) - before < 1 << 20);
    driver_close(&d);
}

static void damaged_state(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    gm_column in[] = {reals(abc)};
    driver_run(&d, "OneHotEncoder", "{\"inputCol\": \"k\"}", in, 4, 1);
    const int64_t bad[] = {0, -5, INT64_MAX};
    for (int i = 0; i < GM_COUNT(bad); i++) {
        ((int64_t *)(uintptr_t)state_of(&d, "categorySizes").ints)[0] = bad[i];
        driver_fails(&d, driver_ready(&d), GM_EMODEL, "categories in column 'k'");
    }
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(drop_last), cmocka_unit_test(levels_from_the_indexer),
            cmocka_unit_test(handle_invalid), cmocka_unit_test(not_an_index), cmocka_unit_test(one_category),
            cmocka_unit_test(many_categories), cmocka_unit_test(damaged_state))

/* SPDX-License-Identifier: Apache-2.0 */
#include "stage_driver.h"

/* Runs body once with texts by view and once in dictionary form. */
typedef void (*body)(driver *d, bool by_code);
static void both(body run)
{
    for (int by_code = 0; by_code < 2; by_code++) {
        driver d;
        driver_open(&d);
        run(&d, by_code);
        driver_close(&d);
    }
}

static gm_column column(driver *d, bool by_code, const char *const *s, int64_t n)
{
    gm_column c = texts(d, s, n);
    return by_code ? coded(d, &c, n) : c;
}
#define COLUMN(d, by_code, ...) \
    column(d, by_code, (const char *const[]){__VA_ARGS__}, GM_COUNT(((const char *const[]){__VA_ARGS__})))

static void orders_body(driver *d, bool by_code)
{
    gm_column in[] = {COLUMN(d, by_code, "b", "a", "c", "c", "a", "d", "c")}; /* c 3, a 2, b 1, d 1 */
    for (int parts = 1; parts <= 9; parts += 4) {
        driver_run(d, "StringIndexer", "{\"inputCol\": \"x\"}", in, 7, parts);
        EXPECT_TEXTS(&d->out_attr[0].levels, "c", "a", "b", "d");
        EXPECT_REALS(d->out[0].real, 0, 2, 1, 0, 0, 1, 3, 0);
        driver_run(d, "StringIndexer", "{\"inputCol\": \"x\", \"stringOrderType\": \"frequencyAsc\"}", in, 7,
                   parts);
        EXPECT_TEXTS(&d->out_attr[0].levels, "b", "d", "a", "c");
        driver_run(d, "StringIndexer", "{\"inputCol\": \"x\", \"stringOrderType\": \"alphabetDesc\"}", in, 7,
                   parts);
        EXPECT_TEXTS(&d->out_attr[0].levels, "d", "c", "b", "a");
        driver_run(d, "StringIndexer", "{\"inputCol\": \"x\", \"stringOrderType\": \"alphabetAsc\"}", in, 7,
                   parts);
        EXPECT_TEXTS(&d->out_attr[0].levels, "a", "b", "c", "d");
        EXPECT_REALS(d->out[0].real, 0, 1, 0, 2, 2, 0, 3, 2);
    }
}
static void orders(void **s) { (void)s, both(orders_body); }

/* cases.md: label not seen in fit */
static void unseen_body(driver *d, bool by_code)
{
    gm_column fit[] = {COLUMN(d, by_code, "x", "y", "x")}, in[] = {COLUMN(d, by_code, "x", "z")};
    OK(d, driver_configure(d, "StringIndexer", "{\"inputCol\": \"colour\"}"));
    OK(d, driver_fit(d, fit, 3, 2));
    driver_fails(d, driver_apply(d, in, 2), GM_EDATA, "column 'colour': value 'z' was not seen in fit");

    OK(d, driver_configure(d, "StringIndexer", "{\"inputCol\": \"colour\", \"handleInvalid\": \"skip\"}"));
    OK(d, driver_fit(d, fit, 3, 2));
    OK(d, driver_apply(d, in, 2));
    assert_true(d->dropped && d->drop[1] && !d->drop[0]);
    assert_int_equal(d->tally[0].invalid, 1);
    assert_false(d->out_attr[0].keeps_invalid);

    OK(d, driver_configure(d, "StringIndexer", "{\"inputCol\": \"colour\", \"handleInvalid\": \"keep\"}"));
    OK(d, driver_fit(d, fit, 3, 2));
    OK(d, driver_apply(d, in, 2));
    assert_false(d->dropped);
    assert_int_equal(d->tally[0].invalid, 1);
    EXPECT_REALS(d->out[0].real, 0, 0, 2);
    assert_true(d->out_attr[0].keeps_invalid);
    assert_string_equal(d->out_attr[0].origin, "colour");
}
static void unseen(void **s) { (void)s, both(unseen_body); }

/* cases.md: nulls in fit and transform */
static void nulls_body(driver *d, bool by_code)
{
    gm_column fit[] = {COLUMN(d, by_code, "x", NULL, "x", "y")}, in[] = {COLUMN(d, by_code, NULL, "y")};
    OK(d, driver_configure(d, "StringIndexer", "{\"inputCol\": \"c\"}"));
    OK(d, driver_fit(d, fit, 4, 3));
    EXPECT_TEXTS(&d->out_attr[0].levels, "x", "y");
    driver_fails(d, driver_apply(d, in, 2), GM_EDATA, "column 'c' is NULL");
    OK(d, driver_configure(d, "StringIndexer", "{\"inputCol\": \"c\", \"handleInvalid\": \"skip\"}"));
    OK(d, driver_fit(d, fit, 4, 3));
    OK(d, driver_apply(d, in, 2));
    assert_true(d->drop[0] && !d->drop[1]);
    OK(d, driver_configure(d, "StringIndexer", "{\"inputCol\": \"c\", \"handleInvalid\": \"keep\"}"));
    OK(d, driver_fit(d, fit, 4, 3));
    OK(d, driver_apply(d, in, 2));
    EXPECT_REALS(d->out[0].real, 0, 2, 1);
}
static void nulls(void **s) { (void)s, both(nulls_body); }

/* cases.md: empty string, NULL and the word null */
static void empty_null_and_null_body(driver *d, bool by_code)
{
    gm_column in[] = {COLUMN(d, by_code, "", "null", NULL, "x")};
    driver_run(d, "StringIndexer", "{\"inputCol\": \"c\", \"handleInvalid\": \"keep\"}", in, 4, 2);
    EXPECT_TEXTS(&d->out_attr[0].levels, "", "null", "x");
    EXPECT_REALS(d->out[0].real, 0, 0, 1, 3, 2);
}
static void empty_null_and_null(void **s) { (void)s, both(empty_null_and_null_body); }

static void several_columns_body(driver *d, bool by_code)
{
    gm_column in[] = {
        COLUMN(d, by_code, "p", "q", "q"), COLUMN(d, by_code, NULL, NULL, NULL),
        COLUMN(d, by_code, "12345678901234567891", "12345678901234567892", "12345678901234567891")};
    driver_run(d, "StringIndexer", "{\"inputCols\": [\"a\", \"b\", \"id\"], \"handleInvalid\": \"keep\"}", in,
               3, 2);
    EXPECT_REALS(d->out[0].real, 0, 1, 0, 0);
    EXPECT_REALS(d->out[1].real, 0, 0, 0, 0);
    EXPECT_REALS(d->out[2].real, 0, 0, 1, 0);
    assert_int_equal(d->out_attr[1].levels.n, 0);
    assert_int_equal(d->tally[1].invalid, 3);
    assert_int_equal(state_of(d, "start").ints[3], 4);
}
static void several_columns(void **s) { (void)s, both(several_columns_body); }

/* Parts that bring different dictionaries, and views, give the labels of one. */
static void mixed_forms(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    gm_column c[] = {COLUMN(&d, true, "b", "a", "b"), COLUMN(&d, true, "c", "a"),
                     COLUMN(&d, false, "c", "c", "e")};
    int64_t rows[] = {3, 2, 3};
    OK(&d, driver_configure(&d, "StringIndexer", "{\"inputCol\": \"x\"}"));
    driver_inputs(&d, c);
    const gm_stage *st = d.node.stage;
    for (int turn = 0; turn < 3; turn++) {
        void *acc[3], *state = gm_alloc(d.cx, &d.a, 1, st->state_size);
        for (int i = 0; i < 3; i++) {
            int p = (i + turn) % 3;
            OK(&d, st->begin(d.cx, &d.a, &d.node, &acc[i]));
            OK(&d, st->update(d.cx, &d.a, &d.node, acc[i], rows[p], &c[p]));
            if (i == 1)
                OK(&d,
                   st->update(d.cx, &d.a, &d.node, acc[i], 0, &c[0])); /* another dictionary in one part */
            if (i > 0) OK(&d, st->merge(d.cx, &d.a, &d.node, acc[0], acc[i]));
        }
        OK(&d, st->finish(d.cx, &d.a, &d.node, acc[0], state));
        d.node.state = state;
        OK(&d, driver_ready(&d));
        EXPECT_TEXTS(&d.out_attr[0].levels, "c", "a", "b", "e");
    }
    driver_close(&d);
}

static void long_texts_and_cut_messages(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const char *tower =
        "a text that is longer than sixty bytes, so that a message about it must be cut somewhere";
    gm_column fit[] = {COLUMN(&d, false, "short", tower)},
              in[] = {COLUMN(&d, false, tower,
                             "another one, also rather long: "
                             "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
                             "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9")};
    OK(&d, driver_configure(&d, "StringIndexer", "{\"inputCol\": \"c\"}"));
    OK(&d, driver_fit(&d, fit, 2, 1));
    OK(&d, driver_apply(&d, in, 1));
    EXPECT_REALS(d.out[0].real, 0, 0);
    gm_code code = driver_apply(&d, in, 2);
    size_t bad;
    assert_true(gm_utf8_valid(gm_message(d.cx), strlen(gm_message(d.cx)), &bad));
    driver_fails(&d, code, GM_EDATA, "...' was not seen in fit");
    driver_close(&d);
}

static void damaged_state(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    gm_column in[] = {COLUMN(&d, false, "a", "b", "b")};
    driver_run(&d, "StringIndexer", "{\"inputCol\": \"c\"}", in, 3, 1);
    int64_t off[] = {0, 1, 2};
    gm_array twice = {.texts = {2, off, "bb"}};
    OK(&d, gm_state_set(d.cx, d.node.stage, d.node.state, 0, &twice));
    driver_fails(&d, driver_ready(&d), GM_EMODEL, "'b' occurs twice");
    ((int64_t *)(uintptr_t)state_of(&d, "start").ints)[1] = 7;
    driver_fails(&d, gm_node_ready(d.cx, &d.a, &d.node, true), GM_EMODEL,
                 "'start' does not rise from 0 to 2");
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(orders), cmocka_unit_test(unseen), cmocka_unit_test(nulls),
            cmocka_unit_test(empty_null_and_null), cmocka_unit_test(several_columns),
            cmocka_unit_test(mixed_forms), cmocka_unit_test(long_texts_and_cut_messages),
            cmocka_unit_test(damaged_state))

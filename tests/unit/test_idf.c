/* SPDX-License-Identifier: Apache-2.0 */
#include "mixed_vector.h"

static void forms_agree(void **s)
{
    (void)s;
    expect_forms_agree("IDF", "{\"inputCol\": \"v\"}", 0);
    expect_forms_agree("IDF", "{\"inputCol\": \"v\", \"minDocFreq\": 2}", 0);
}

/* df of the mixed vector's columns: 6 5 1 3 1 2 2 of 6 rows */
static void by_hand(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    gm_column in[] = {vector(mixed, 3)};
    driver_run(&d, "IDF", "{\"inputCol\": \"v\", \"minDocFreq\": 2}", in, N, 4);
    EXPECT_REALS(state_of(&d, "idf").real, 1e-15, 0, log(7.0 / 5), 0, log(7.0 / 4), 0, log(7.0 / 3),
                 log(7.0 / 3));
    assert_int_equal(state_of(&d, "numDocs").ints[0], 6);
    assert_int_equal(state_of(&d, "docFreq").ints[1], 4);
    for (int k = 0; k < 3; k++) assert_int_equal(d.out[0].part[k].form, mixed[k].form);
    driver_fails(&d, driver_fit(&d, in, 0, 2), GM_EDATA, "has no rows to fit on");
    driver_close(&d);
}

/* cases.md: TF-IDF with an empty document: tokens, counts, idf, L2 norm, cosine; one stage's output is the
 * next one's input. */
static void empty_document(void **s)
{
    (void)s;
    for (int hashed = 0; hashed < 2; hashed++) {
        driver d;
        driver_open(&d);
        const char *docs[] = {"", "a b", "b"};
        gm_column c[] = {texts(&d, docs, 3)};
        driver_run(&d, "Tokenizer", "{\"inputCol\": \"t\", \"outputCol\": \"w\"}", c, 3, 1);
        c[0] = d.out[0];
        driver_run(&d, hashed ? "HashingTF" : "CountVectorizer",
                   "{\"inputCol\": \"w\", \"outputCol\": \"tf\"}", c, 3, 1);
        c[0] = d.out[0];
        driver_run(&d, "IDF", "{\"inputCol\": \"tf\", \"outputCol\": \"x\"}", c, 3, 2);
        c[0] = d.out[0];
        gm_part x = c[0].part[0];
        assert_int_equal(x.off[1], 0); /* the first row stays, all zeros */
        assert_int_equal(x.off[3], 3);
        double b = log(4.0 / 3), a = log(4.0 / 2);
        assert_true(fabs(b - 0.2877) < 5e-5 && fabs(a - 0.6931) < 5e-5);
        assert_true(near_to(x.val[2], b, 1e-15));
        assert_true(near_to(x.val[0] + x.val[1], a + b, 1e-15));
        driver_run(&d, "Normalizer", "{\"inputCol\": \"x\"}", c, 3, 1);
        gm_part y = d.out[0].part[0];
        assert_int_equal(y.off[1], 0);
        double norm = 0;
        for (int64_t e = y.off[1]; e < y.off[2]; e++) norm += y.val[e] * y.val[e];
        assert_true(near_to(norm, 1, 1e-15));
        assert_true(near_to(y.val[2], 1, 1e-15));
        driver_close(&d);
    }
}

DRIVER_MAIN(cmocka_unit_test(forms_agree), cmocka_unit_test(by_hand), cmocka_unit_test(empty_document))

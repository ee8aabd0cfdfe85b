/* SPDX-License-Identifier: Apache-2.0 */
#include "stage_driver.h"

static const char *const docs[] = {"a b c", "a b b c a", "", "b d", "e"};
enum { N = 5 };

static void fit(driver *d, bool by_code, const char *params, int parts)
{
    char json[200];
    snprintf(json, sizeof json, "{\"inputCol\": \"w\"%s%s}", *params ? ", " : "", params);
    gm_column c[] = {words(d, docs, N)};
    if (by_code) c[0] = coded(d, &c[0], c[0].off[N]);
    driver_run(d, "CountVectorizer", json, c, N, parts);
}

/* occurrences: b 4, a 3, c 2, d 1, e 1; rows: b 3, a 2, c 2, d 1, e 1 */
static void vocabulary(void **s)
{
    (void)s;
    for (int by_code = 0; by_code < 2; by_code++)
        for (int parts = 1; parts < 8; parts += 3) {
            driver d;
            driver_open(&d);
            fit(&d, by_code, "", parts);
            EXPECT_NAMES(d.out_attr[0].names, "b", "a", "c", "d", "e");
            EXPECT_REALS(driver_dense(&d, 0, N), 0, 1, 1, 1, 0, 0, 2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1,
                         0, 0, 0, 0, 0, 1);
            fit(&d, by_code, "\"minDF\": 2", parts);
            EXPECT_NAMES(d.out_attr[0].names, "b", "a", "c");
            fit(&d, by_code, "\"minDF\": 0.5", parts); /* of 5 rows: 2.5 */
            EXPECT_NAMES(d.out_attr[0].names, "b");
            fit(&d, by_code, "\"maxDF\": 0.4", parts);
            EXPECT_NAMES(d.out_attr[0].names, "a", "c", "d", "e");
            fit(&d, by_code, "\"maxDF\": 1, \"minDF\": 1", parts);
            EXPECT_NAMES(d.out_attr[0].names, "d", "e");
            fit(&d, by_code, "\"vocabSize\": 2", parts);
            EXPECT_NAMES(d.out_attr[0].names, "b", "a");
            driver_close(&d);
        }
}

static void thresholds_in_a_row(void **s)
{
    (void)s;
    for (int by_code = 0; by_code < 2; by_code++) {
        driver d;
        driver_open(&d);
        fit(&d, by_code, "\"vocabSize\": 3, \"minTF\": 2", 2);
        EXPECT_REALS(driver_dense(&d, 0, 2), 0, 0, 0, 0, 2, 2, 0);
        fit(&d, by_code, "\"vocabSize\": 3, \"minTF\": 0.3", 2); /* of 3 and 5 words: 0.9 and 1.5 */
        EXPECT_REALS(driver_dense(&d, 0, 2), 0, 1, 1, 1, 2, 2, 0);
        fit(&d, by_code, "\"vocabSize\": 3, \"binary\": true", 2);
        EXPECT_REALS(driver_dense(&d, 0, 2), 0, 1, 1, 1, 1, 1, 1);
        driver_close(&d);
    }
}

static void empty_vocabulary(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    const char *in[] = {"a", "b"}, *nothing[] = {"", ""};
    gm_column c[] = {words(&d, in, 2)}, none[] = {words(&d, nothing, 2)};
    OK(&d, driver_configure(&d, "CountVectorizer", "{\"inputCol\": \"w\", \"minDF\": 2}"));
    driver_fails(&d, driver_fit(&d, c, 2, 1), GM_EDATA,
                 "no word of column 'w' is in the vocabulary: 2 words in 2 rows");
    driver_fails(&d, driver_fit(&d, none, 2, 1), GM_EDATA, "0 words in 2 rows");
    driver_fails(&d,
                 driver_configure(&d, "CountVectorizer", "{\"inputCol\": \"w\", \"minDF\": 3, \"maxDF\": 2}"),
                 GM_EPARAM, "minDF is 3 and maxDF 2");
    driver_close(&d);
}

static void damaged_state(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    fit(&d, false, "", 1);
    int64_t off[] = {0, 1, 2};
    gm_array bad = {.texts = {2, off, "bb"}};
    OK(&d, gm_state_set(d.cx, d.node.stage, d.node.state, 0, &bad));
    driver_fails(&d, driver_ready(&d), GM_EMODEL, "'b' occurs twice");
    bad.texts.n = 0;
    OK(&d, gm_state_set(d.cx, d.node.stage, d.node.state, 0, &bad));
    driver_fails(&d, driver_ready(&d), GM_EMODEL, "the vocabulary is empty");
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(vocabulary), cmocka_unit_test(thresholds_in_a_row),
            cmocka_unit_test(empty_vocabulary), cmocka_unit_test(damaged_state))

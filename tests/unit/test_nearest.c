/* SPDX-License-Identifier: Apache-2.0 */
/* Did you mean: typing errors find their name, other words find none. */
#include "base/text.h"
#include "unit.h"

static const char *const names[] = {"maxIter",      "regParam", "elasticNetParam", "tol",
                                    "fitIntercept", "inputCol", "inputCols"};

static void typing_errors(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"maxItr", "maxIter"},
        {"maxiter", "maxIter"},
        {"mxaIter", "maxIter"},
        {"regparam", "regParam"},
        {"reg_param", "regParam"},
        {"elasticNet", NULL},
        {"elasticNetParm", "elasticNetParam"},
        {"tl", "tol"},
        {"inputCol", "inputCol"},
        {"inputcols", "inputCols"},
        {"label", NULL},
        {"", NULL},
        {"x", NULL},
        {"alpha", NULL},
        {"fitIntercpet", "fitIntercept"},
    };
    for (int i = 0; i < GM_COUNT(cases); i++) {
        const char *got = gm_nearest(cases[i][0], names, GM_COUNT(names));
        if (cases[i][1] == NULL) assert_null(got);
        else assert_string_equal(got ? got : "(none)", cases[i][1]);
    }
    assert_null(gm_nearest("tol", names, 0));
}

static void long_words_are_left_alone(void **state)
{
    (void)state;
    char text[200];
    memset(text, 'a', sizeof text);
    text[199] = 0;
    const char *const one[] = {text};
    assert_null(gm_nearest(text, one, 1));
    text[63] = 0;
    assert_non_null(gm_nearest(text, one, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(typing_errors),
                                       cmocka_unit_test(long_words_are_left_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions of contexts and codes. */
#include "unit.h"

static void codes_have_fixed_facts(void **state)
{
    (void)state;
    assert_string_equal(gm_code_name(GM_OK), "GM_OK");
    assert_string_equal(gm_code_name(GM_EPARAM), "GM_EPARAM");
    assert_string_equal(gm_code_text(GM_ENOENT), "no such file");
    assert_int_equal(gm_code_exit_status(GM_ECANCEL), 130);
    assert_int_equal(gm_code_exit_status(GM_OK), 0);
    assert_string_equal(gm_code_exception(GM_ESQL), "SqlError");
    assert_string_equal(gm_code_name((gm_code)999), "GM_EINTERNAL");
    assert_string_equal(gm_code_name((gm_code)-1), "GM_EINTERNAL");
    for (int i = 1; i <= GM_EINTERNAL; i++) {
        assert_string_not_equal(gm_code_text((gm_code)i), "");
        assert_string_not_equal(gm_code_exception((gm_code)i), "");
        assert_int_not_equal(gm_code_exit_status((gm_code)i), 0);
    }
    assert_string_equal(gm_version(), "0.1.0");
}

static void opening_and_closing(void **state)
{
    (void)state;
    gm_cx *cx = NULL, *other = NULL;
    assert_int_equal(gm_open("{\"threads\": 1}", &cx), GM_OK);
    assert_string_equal(gm_message(cx), "");
    assert_int_equal(gm_fork(cx, &other), GM_OK);
    gm_close(cx);
    assert_int_equal(gm_threads(other), 1); /* the session lives */
    gm_close(other);
    assert_int_equal(gm_open("{\"treads\": 1}", &cx), GM_EPARAM);
    assert_string_equal(gm_message(cx), "unknown option 'treads'; did you mean 'threads'?");
    assert_string_equal(gm_hint(cx), "known: threads, memory, seed, spill, locked");
    gm_close(cx);
}

static void null_is_fine(void **state)
{
    (void)state;
    gm_cx *cx = NULL;
    assert_int_equal(gm_open(NULL, NULL), GM_EUSAGE);
    assert_int_equal(gm_fork(NULL, &cx), GM_EUSAGE);
    assert_int_equal(gm_on_event(NULL, NULL, NULL), GM_EUSAGE);
    assert_string_equal(gm_message(NULL), "");
    assert_string_equal(gm_hint(NULL), "");
    gm_cancel(NULL);
    gm_close(NULL);
    gm_free(NULL);
    assert_int_equal(gm_open(NULL, &cx), GM_OK);
    assert_int_equal(gm_fork(cx, NULL), GM_EUSAGE);
    assert_string_equal(gm_message(cx), "gm_fork: out is NULL");
    gm_close(cx);
}

static void receive(void *user, const gm_event *e) { *(int *)user += e->level; }

static void events_and_cancelling(void **state)
{
    (void)state;
    gm_cx *cx = NULL;
    int sum = 0;
    assert_int_equal(gm_open(NULL, &cx), GM_OK);
    assert_int_equal(gm_on_event(cx, receive, &sum), GM_OK);
    gm_emit(cx, GM_WARNING, "x", "", "t");
    assert_int_equal(sum, 2);
    assert_int_equal(gm_on_event(cx, NULL, NULL), GM_OK);
    gm_emit(cx, GM_WARNING, "x", "", "t");
    assert_int_equal(sum, 2);
    gm_cx_begin(cx);
    gm_cancel(cx);
    assert_true(gm_cancelled(cx));
    gm_cx_end(cx);
    gm_cx_begin(cx); /* a call that begins later is not affected */
    assert_false(gm_cancelled(cx));
    gm_cx_end(cx);
    gm_close(cx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_have_fixed_facts),
        cmocka_unit_test(opening_and_closing),
        cmocka_unit_test(null_is_fine),
        cmocka_unit_test(events_and_cancelling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

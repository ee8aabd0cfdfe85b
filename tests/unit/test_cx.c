/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: the first wins, words go in front, what comes from data cannot harm a terminal; cancelling. */
#include "unit.h"
#include <pthread.h>
#include <signal.h>

static void first_failure_wins(void **state)
{
    gm_cx *cx = *state;
    assert_int_equal(gm_fail(cx, GM_EDATA, "row %d", 7), GM_EDATA);
    assert_int_equal(gm_fail(cx, GM_EIO, "later"), GM_EDATA);
    assert_string_equal(gm_cx_message(cx), "row 7");
    assert_int_equal(gm_hint_add(cx, GM_EDATA, "do %s", "this"), GM_EDATA);
    assert_int_equal(gm_hint_add(cx, GM_EIO, "not of this failure"), GM_EIO);
    assert_string_equal(gm_cx_hint(cx), "do this");
    assert_int_equal(gm_within(cx, GM_EDATA, "stage %s", "Imputer"), GM_EDATA);
    assert_string_equal(gm_cx_message(cx), "stage Imputer: row 7");
    assert_int_equal(gm_within(cx, GM_OK, "nothing failed"), GM_OK);
    gm_cx_begin(cx);
    assert_string_equal(gm_cx_message(cx), "");
    assert_string_equal(gm_cx_hint(cx), "");
    assert_int_equal(gm_cx_code(cx), GM_OK);
}

static void no_failure_is_silent(void **state)
{
    gm_cx *cx = *state;
    assert_int_equal(gm_fail(cx, GM_OK, "wrong"), GM_EINTERNAL);
    gm_cx_forget(cx);
    assert_int_equal(gm_fail(NULL, GM_EIO, "x"), GM_EIO);
    assert_string_equal(gm_cx_message(NULL), "");
}

static void harmful_characters_are_replaced(void **state)
{
    gm_cx *cx = *state;
    assert_fails(cx, gm_fail(cx, GM_EDATA, "a\x1b[31m\x7f%s\xff\xc2\x9bz\n\t%s", "b", "\xc3\xa9"), GM_EDATA,
                 "a?[31m?b???z\n\t\xc3\xa9");
}

static void long_messages_are_cut_between_characters(void **state)
{
    gm_cx *cx = *state;
    for (int shift = 0; shift < 4; shift++) {
        char text[9000], *p = text;
        for (int i = 0; i < shift; i++) *p++ = 'x';
        while (p < text + 8000) p = (char *)memcpy(p, "\xe2\x82\xac", 3) + 3;
        *p = 0;
        assert_int_equal(gm_fail(cx, GM_EDATA, "%s", text), GM_EDATA);
        for (int again = 0; again < 3; again++) {
            const char *m = gm_cx_message(cx);
            size_t n = strlen(m);
            assert_in_range(n, 4000, 4096);
            assert_string_equal(m + n - 3, "...");
            assert_memory_equal(m + n - 6, "\xe2\x82\xac", 3);
            assert_int_equal(gm_within(cx, GM_EDATA, "in front"), GM_EDATA);
        }
        gm_cx_forget(cx);
    }
}

static void *fail_in_thread(void *arg)
{
    gm_cx *cx = ((void **)arg)[0];
    intptr_t id = (intptr_t)((void **)arg)[1];
    gm_code code = gm_fail(cx, id % 2 ? GM_EDATA : GM_EIO, "from thread %d", (int)id);
    return (void *)(intptr_t)code;
}

static void threads_agree_on_the_failure(void **state)
{
    gm_cx *cx = *state;
    for (int round = 0; round < 20; round++) {
        pthread_t t[4];
        void *arg[4][2], *got;
        int id;
        for (intptr_t i = 0; i < 4; i++) {
            arg[i][0] = cx;
            arg[i][1] = (void *)i;
            assert_int_equal(pthread_create(&t[i], NULL, fail_in_thread, arg[i]), 0);
        }
        gm_code code = GM_OK;
        for (int i = 0; i < 4; i++) {
            pthread_join(t[i], &got);
            if (i > 0) assert_int_equal((intptr_t)got, code);
            code = (gm_code)(intptr_t)got;
        }
        assert_int_equal(sscanf(gm_cx_message(cx), "from thread %d", &id), 1);
        assert_int_equal(code, id % 2 ? GM_EDATA : GM_EIO);
        gm_cx_begin(cx);
    }
}

static void count_stop(void *p) { ++*(int *)p; }

static void cancel_stops_what_is_registered(void **state)
{
    gm_cx *cx = *state;
    int stopped = 0;
    assert_ok(cx, gm_check_cancel(cx));
    gm_on_cancel(cx, count_stop, &stopped);
    gm_cx_cancel(cx);
    assert_int_equal(stopped, 1);
    assert_true(gm_cancelled(cx));
    gm_on_cancel(cx, NULL, NULL);
    gm_cx_cancel(cx);
    assert_int_equal(stopped, 1);
    assert_fails(cx, gm_check_cancel(cx), GM_ECANCEL, "cancelled");
    gm_on_cancel(cx, count_stop, &stopped); /* the cancel came first: it is not forgotten */
    assert_int_equal(stopped, 2);
    gm_on_cancel(cx, NULL, NULL);
    gm_cx_begin(cx);
    assert_false(gm_cancelled(cx));
    gm_cx_cancel(NULL);
}

static gm_cx *of_handler;
static void handler(int sig)
{
    (void)sig;
    gm_cx_cancel(of_handler);
}

static void cancel_works_in_a_signal_handler(void **state)
{
    gm_cx *cx = of_handler = *state;
    int stopped = 0;
    struct sigaction old, mine = {.sa_handler = handler};
    assert_int_equal(sigaction(SIGUSR1, &mine, &old), 0);
    gm_on_cancel(cx, count_stop, &stopped);
    raise(SIGUSR1);
    gm_on_cancel(cx, NULL, NULL);
    sigaction(SIGUSR1, &old, NULL);
    assert_int_equal(stopped, 1);
    assert_true(gm_cancelled(cx));
    gm_cx_begin(cx);
}

static void *cancel_often(void *cx)
{
    for (int i = 0; i < 2000; i++) gm_cx_cancel(cx);
    return NULL;
}

/* Once gm_on_cancel(NULL) returns, stop is not running any more: its argument may go. */
static void stop_never_runs_after_removal(void **state)
{
    gm_cx *cx = *state;
    pthread_t t;
    assert_int_equal(pthread_create(&t, NULL, cancel_often, cx), 0);
    for (int i = 0; i < 500; i++) {
        int *mine = calloc(1, sizeof *mine);
        gm_on_cancel(cx, count_stop, mine);
        gm_on_cancel(cx, NULL, NULL);
        free(mine);
    }
    pthread_join(t, NULL);
    gm_cx_begin(cx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_failure_wins),
        cmocka_unit_test(no_failure_is_silent),
        cmocka_unit_test(harmful_characters_are_replaced),
        cmocka_unit_test(long_messages_are_cut_between_characters),
        cmocka_unit_test(threads_agree_on_the_failure),
        cmocka_unit_test(cancel_stops_what_is_registered),
        cmocka_unit_test(cancel_works_in_a_signal_handler),
        cmocka_unit_test(stop_never_runs_after_removal),
    };
    return cmocka_run_group_tests(tests, unit_setup, unit_teardown);
}

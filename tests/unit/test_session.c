/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions: options, forks, slots that are made once and end in reverse. */
#include "torture.h"
#include <pthread.h>

static void options_are_read(void **state)
{
    (void)state;
    gm_cx *cx = unit_open(
        "{\"threads\": 3, \"memory\": \"1.5GB\", \"seed\": 42, \"spill\": \"/x\", \"locked\": true}");
    assert_int_equal(gm_threads(cx), 3);
    assert_int_equal(gm_memory_limit(cx), 1500000000);
    assert_int_equal(gm_seed(cx), 42);
    assert_string_equal(gm_spill_dir(cx), "/x");
    assert_true(gm_locked(cx));
    gm_cx_free(cx);
    cx = unit_open("{\"memory\": 123456789}");
    assert_int_equal(gm_memory_limit(cx), 123456789);
    assert_int_equal(gm_threads(cx), gm_cpus_allowed());
    assert_false(gm_locked(cx));
    assert_int_equal(gm_seed(cx), 0);
    gm_cx_free(cx);
    cx = unit_open(NULL);
    assert_in_range(gm_memory_limit(cx), gm_memory_allowed() / 10 * 7, gm_memory_allowed() / 10 * 9);
    gm_cx_free(cx);
}

static void bad_options_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        gm_code code;
        const char *message;
    } cases[] = {
        {"{\"thread\": 1}", GM_EPARAM, "unknown option 'thread'; did you mean 'threads'?"},
        {"{\"qqq\": 1}", GM_EPARAM, "unknown option 'qqq'"},
        {"{\"threads\": 0}", GM_EPARAM,
         "option 'threads': expected a whole number in [1, 1024], found number 0"},
        {"{\"threads\": 1.5}", GM_EPARAM, "option 'threads': expected a whole number, found number 1.5"},
        {"{\"threads\": \"2\"}", GM_EPARAM, "option 'threads': expected a whole number, found text '2'"},
        {"{\"memory\": \"lots\"}", GM_EPARAM, "option 'memory': expected at least 1MB, found text 'lots'"},
        {"{\"memory\": -5}", GM_EPARAM, "option 'memory': expected at least 1MB, found number -5"},
        {"{\"locked\": 1}", GM_EPARAM, "option 'locked': expected true or false, found number 1"},
        {"{\"spill\": []}", GM_EPARAM, "option 'spill': expected text, found a list of 0"},
        {"[1]", GM_EPARAM, "expected names with values, found a list of 1 (options)"},
        {"{", GM_ESYNTAX, "options: unexpected end of data"},
        {"", GM_ESYNTAX, "options: expected JSON, found nothing"},
    };
    for (int i = 0; i < GM_COUNT(cases); i++) {
        gm_cx *cx = NULL;
        gm_code code = gm_cx_new(cases[i].options, &cx);
        assert_non_null(cx);
        assert_string_equal(gm_cx_message(cx), cases[i].message);
        assert_int_equal(code, cases[i].code);
        gm_cx_free(cx);
    }
}

static void a_fork_has_its_own_failure(void **state)
{
    gm_cx *cx = *state, *other;
    assert_ok(cx, gm_cx_fork(cx, &other));
    assert_ptr_equal(gm_session_of(cx), gm_session_of(other));
    assert_int_equal(gm_fail(other, GM_EDATA, "mine"), GM_EDATA);
    gm_cx_cancel(other);
    assert_int_equal(gm_cx_code(cx), GM_OK);
    assert_false(gm_cancelled(cx));
    gm_cx_free(other);
}

static int made, dead[GM_SLOTS], n_dead;
static gm_code make(gm_cx *cx, void **out)
{
    (void)cx;
    __atomic_fetch_add(&made, 1, __ATOMIC_SEQ_CST);
    usleep(1000);
    *out = &dead[0];
    return GM_OK;
}
static gm_code make_other(gm_cx *cx, void **out)
{
    (void)cx;
    *out = &dead[1];
    return GM_OK;
}
static gm_code make_not(gm_cx *cx, void **out)
{
    (void)out;
    return gm_fail(cx, GM_ELIBRARY, "cannot");
}
static void destroy(void *p) { dead[n_dead++] = (int)((int *)p - dead); }

static void *get(void *cx)
{
    void *out = NULL;
    return gm_session_slot(cx, GM_SLOT_POOL, make, destroy, &out) == GM_OK ? out : NULL;
}

static void slots_are_made_once(void **state)
{
    (void)state;
    gm_cx *cx = unit_open(NULL), *fork[4];
    gm_session *kept = gm_session_ref(gm_session_of(cx));
    pthread_t t[4];
    void *out = NULL;
    made = n_dead = 0;
    assert_fails(cx, gm_session_slot(cx, GM_SLOT_POOL, make_not, destroy, &out), GM_ELIBRARY, "cannot");
    assert_null(out);
    for (int i = 0; i < 4; i++) {
        assert_ok(cx, gm_cx_fork(cx, &fork[i]));
        assert_int_equal(pthread_create(&t[i], NULL, get, fork[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(t[i], &out);
        assert_ptr_equal(out, &dead[0]);
        gm_cx_free(fork[i]);
    }
    assert_int_equal(made, 1);
    assert_ok(cx, gm_session_slot(cx, GM_SLOT_DB, make_other, destroy, &out));
    gm_cx_free(cx);
    assert_int_equal(n_dead, 0); /* a table still holds the session */
    gm_session_unref(kept);
    assert_int_equal(n_dead, 2);
    assert_int_equal(dead[0], 1); /* the database before the pool */
    assert_int_equal(dead[1], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_read),
        cmocka_unit_test(bad_options_are_told),
        cmocka_unit_test(a_fork_has_its_own_failure),
        cmocka_unit_test(slots_are_made_once),
    };
    return cmocka_run_group_tests(tests, unit_setup, unit_teardown);
}

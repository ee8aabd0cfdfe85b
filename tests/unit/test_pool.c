/* SPDX-License-Identifier: Apache-2.0 */
#include "comm/comm.h"
#include "par/pool.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static gm_cx *open_with(const char *options)
{
    gm_cx *cx = NULL;
    assert_int_equal(gm_cx_new(options, &cx), GM_OK);
    return cx;
}

enum { PARTS = 1000 };
typedef struct counts {
    atomic_int runs[PARTS];
    atomic_int fail_at, total;
    gm_cx *cancel;
} counts;

static gm_code count(gm_cx *cx, void *arg, int64_t part)
{
    counts *c = arg;
    atomic_fetch_add(&c->runs[part], 1);
    if (atomic_fetch_add(&c->total, 1) == 10 && c->cancel) gm_cx_cancel(c->cancel);
    if (part == c->fail_at) return gm_fail(cx, GM_EDATA, "part %d is bad", (int)part);
    return GM_OK;
}

static void every_part_runs_once(void **state)
{
    (void)state;
    const char *options[] = {"{\"threads\": 1}", "{\"threads\": 2}", "{\"threads\": 7}"};
    for (size_t k = 0; k < 3; k++) {
        gm_cx *cx = open_with(options[k]);
        counts c = {.fail_at = -1};
        for (int round = 1; round <= 20; round++) {
            assert_int_equal(gm_par(cx, PARTS, count, &c), GM_OK);
            for (int i = 0; i < PARTS; i++) assert_int_equal(c.runs[i], round);
        }
        assert_int_equal(gm_par(cx, 0, count, &c), GM_OK);
        assert_int_equal(c.total, 20 * PARTS);
        gm_cx_free(cx);
    }
}

static void first_failure_wins(void **state)
{
    (void)state;
    const char *options[] = {"{\"threads\": 1}", "{\"threads\": 4}"};
    for (size_t k = 0; k < 2; k++) {
        gm_cx *cx = open_with(options[k]);
        counts c = {.fail_at = 3};
        assert_int_equal(gm_par(cx, PARTS, count, &c), GM_EDATA);
        assert_string_equal(gm_cx_message(cx), "part 3 is bad");
        if (k == 0)
            assert_int_equal(c.total, 4); /* the other threads may run on while one is about to fail */
        gm_cx_begin(cx);
        counts again = {.fail_at = -1};
        assert_int_equal(gm_par(cx, PARTS, count, &again), GM_OK);
        gm_cx_free(cx);
    }
}

static void cancel_stops_between_parts(void **state)
{
    (void)state;
    const char *options[] = {"{\"threads\": 1}", "{\"threads\": 4}"};
    for (size_t k = 0; k < 2; k++) {
        gm_cx *cx = open_with(options[k]);
        counts c = {.fail_at = -1, .cancel = cx};
        assert_int_equal(gm_par(cx, PARTS, count, &c), k == 0 || c.total < PARTS ? GM_ECANCEL : GM_OK);
        if (k == 0) assert_int_equal(c.total, 11);
        gm_cx_free(cx);
    }
}

typedef struct nest {
    counts inner[8];
} nest;

static gm_code outer(gm_cx *cx, void *arg, int64_t part)
{
    nest *n = arg;
    return gm_par(cx, 50, count, &n->inner[part]);
}

static void nested_calls_run_inline(void **state)
{
    (void)state;
    gm_cx *cx = open_with("{\"threads\": 3}");
    static nest n;
    for (int i = 0; i < 8; i++) n.inner[i].fail_at = -1;
    assert_int_equal(gm_par(cx, 8, outer, &n), GM_OK);
    for (int i = 0; i < 8; i++) assert_int_equal(n.inner[i].total, 50);
    gm_cx_free(cx);
}

typedef struct caller {
    gm_cx *cx;
    counts c;
    gm_code code;
} caller;

static void *call(void *arg)
{
    caller *c = arg;
    c->code = GM_OK;
    for (int i = 0; i < 20 && c->code == GM_OK; i++) c->code = gm_par(c->cx, PARTS, count, &c->c);
    return NULL;
}

static void two_contexts_share_the_pool(void **state)
{
    (void)state;
    gm_cx *cx = open_with("{\"threads\": 3}");
    static caller one, two;
    one = (caller){.cx = cx, .c.fail_at = -1};
    two = (caller){.c.fail_at = -1};
    assert_int_equal(gm_cx_fork(cx, &two.cx), GM_OK);
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, call, &two), 0);
    call(&one);
    pthread_join(other, NULL);
    assert_int_equal(one.code, GM_OK);
    assert_int_equal(two.code, GM_OK);
    for (int i = 0; i < PARTS; i++) {
        assert_int_equal(one.c.runs[i], 20);
        assert_int_equal(two.c.runs[i], 20);
    }
    gm_cx_free(cx); /* the first context may go before the second */
    assert_int_equal(gm_par(two.cx, PARTS, count, &two.c), GM_OK);
    gm_cx_free(two.cx);
}

#if defined(__SANITIZE_THREAD__)
enum { FORKS = 0 }; /* TSan follows no threads into a child */
#else
enum { FORKS = 1 };
#endif

/* A child of fork has the pool's memory but not its threads: its calls still finish, and so does closing. */
static void a_forked_child_works(void **state)
{
    (void)state;
    if (!FORKS) return;
    gm_cx *cx = open_with("{\"threads\": 3}");
    counts c = {.fail_at = -1};
    assert_int_equal(gm_par(cx, PARTS, count, &c), GM_OK);
    pid_t child = fork();
    if (child == 0) {
        bool fine = gm_par(cx, PARTS, count, &c) == GM_OK && c.total == 2 * PARTS;
        gm_cx_free(cx);
        _exit(fine ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    gm_cx_free(cx);
}

static void a_world_of_one(void **state)
{
    (void)state;
    gm_cx *cx = open_with("{}");
    gm_comm *c = gm_comm_self();
    double x[3] = {1, 2, 3};
    assert_int_equal(c->size, 1);
    assert_int_equal(c->ops->allreduce(cx, c, "x", GM_SUM, x, 3), GM_OK);
    assert_true(x[0] == 1 && x[1] == 2 && x[2] == 3);
    assert_int_equal(c->ops->broadcast(cx, c, "x", 0, x, sizeof x), GM_OK);
    assert_int_equal(c->ops->barrier(cx, c, "end"), GM_OK);
    assert_int_equal(c->ops->broadcast(cx, c, "x", 1, x, sizeof x), GM_EINTERNAL);
    gm_cx_begin(cx);
    gm_cx_cancel(cx);
    assert_int_equal(c->ops->barrier(cx, c, "end"), GM_ECANCEL);
    gm_cx_free(cx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_runs_once),
        cmocka_unit_test(first_failure_wins),
        cmocka_unit_test(cancel_stops_between_parts),
        cmocka_unit_test(nested_calls_run_inline),
        cmocka_unit_test(two_contexts_share_the_pool),
        cmocka_unit_test(a_forked_child_works),
        cmocka_unit_test(a_world_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

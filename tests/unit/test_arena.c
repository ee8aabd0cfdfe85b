/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas: zeroed and aligned memory, order of ending, the budget, life after the context, every allocation
 * failing. */
#include "torture.h"
#include <pthread.h>

static void memory_is_zeroed_and_aligned(void **state)
{
    gm_cx *cx = *state;
    gm_arena a = {0};
    static const size_t sizes[] = {0, 1, 7, 8, 63, 64, 65, 1000, 1024, 1025, 4096, 20000, 70000, 1 << 20};
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < GM_COUNT(sizes); i++) {
            unsigned char *p = gm_alloc(cx, &a, (int64_t)sizes[i], 1);
            assert_non_null(p);
            assert_int_equal((uintptr_t)p % (sizes[i] >= 64 ? 64 : 8), 0);
            for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(p[k], 0);
            memset(p, 0xee, sizes[i]);
        }
    gm_arena_end(&a);
    gm_arena_end(&a);
}

static void impossible_sizes_are_refused(void **state)
{
    gm_cx *cx = *state;
    gm_arena a = {0};
    assert_null(gm_alloc(cx, &a, -1, 8));
    assert_fails(cx, gm_cx_code(cx), GM_ELIMIT, "an array of -1 x 8 bytes cannot be");
    assert_null(gm_alloc(cx, &a, INT64_MAX, 16));
    gm_cx_forget(cx);
    assert_null(gm_raw_alloc(cx, SIZE_MAX));
    gm_cx_forget(cx);
    gm_arena_end(&a);
}

static int order[4], ended;
static void note(void *p) { order[ended++] = (int)(intptr_t)p; }

static void objects_end_in_reverse_order(void **state)
{
    gm_cx *cx = *state;
    gm_arena a = {0};
    ended = 0;
    for (intptr_t i = 1; i <= 4; i++) assert_ok(cx, gm_own(cx, &a, (void *)i, note));
    gm_arena_end(&a);
    assert_int_equal(ended, 4);
    for (int i = 0; i < 4; i++) assert_int_equal(order[i], 4 - i);
}

static void an_arena_may_stand_in_its_own_memory(void **state)
{
    gm_cx *cx = *state;
    gm_arena a = {0}, *inside = gm_alloc(cx, &a, 1, sizeof *inside);
    assert_non_null(inside);
    *inside = a;
    gm_arena_end(inside);
}

static void over_the_limit_is_told(void **state)
{
    (void)state;
    gm_cx *cx = unit_open("{\"memory\": \"4MB\"}");
    gm_arena a = {0};
    char *p = gm_alloc(cx, &a, 3000000, 1);
    assert_non_null(p);
    assert_in_range(gm_memory_used(cx), 3000000, 3001000);
    assert_null(gm_alloc(cx, &a, 2000000, 1));
    assert_string_equal(gm_cx_message(cx),
                        "2.0 MB more are needed, and 3.0 MB of the memory limit of 4.0 MB are in use");
    assert_string_not_equal(gm_cx_hint(cx), "");
    assert_int_equal(gm_cx_code(cx), GM_ELIMIT);
    gm_cx_begin(cx);
    assert_null(gm_raw_alloc(cx, 2000000));
    assert_int_equal(gm_cx_code(cx), GM_ELIMIT);
    gm_arena_end(&a);
    assert_int_equal(gm_memory_used(cx), 0);
    gm_cx_free(cx);
}

static void arenas_and_blocks_outlive_the_context(void **state)
{
    (void)state;
    gm_cx *cx = unit_open(NULL);
    gm_arena a = {0};
    char *p = gm_strdup(cx, &a, "still here"), *raw = gm_raw_alloc(cx, 100);
    assert_non_null(p);
    assert_non_null(raw);
    gm_cx_free(cx);
    assert_string_equal(p, "still here");
    memset(raw, 1, 100);
    gm_raw_free(raw);
    gm_arena_end(&a);
}

static void raw_blocks_count_back(void **state)
{
    gm_cx *cx = *state;
    int64_t before = gm_memory_used(cx);
    char *p = gm_raw_alloc(cx, 1000);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % 16, 0);
    memset(p, 7, 1000);
    assert_int_equal(gm_memory_used(cx) - before, 1000);
    assert_non_null(p = gm_raw_regrow(cx, p, 50000));
    for (int i = 0; i < 1000; i++) assert_int_equal(p[i], 7);
    assert_int_equal(gm_memory_used(cx) - before, 50000);
    assert_non_null(p = gm_raw_regrow(cx, p, 10));
    assert_int_equal(gm_memory_used(cx) - before, 10);
    gm_raw_free(p);
    gm_raw_free(NULL);
    assert_int_equal(gm_memory_used(cx), before);
}

static void regrow_copies(void **state)
{
    gm_cx *cx = *state;
    gm_arena a = {0};
    int64_t *v = gm_alloc(cx, &a, 3, sizeof *v);
    for (int i = 0; i < 3; i++) v[i] = i + 1;
    int64_t *w = gm_regrow(cx, &a, v, 3, 6, sizeof *w);
    assert_non_null(w);
    for (int i = 0; i < 6; i++) assert_int_equal(w[i], i < 3 ? i + 1 : 0);
    assert_non_null(gm_regrow(cx, &a, NULL, 0, 1, 8));
    gm_arena_end(&a);
}

static int ended_objects;
static void count_end(void *p)
{
    (void)p;
    ended_objects++;
}

/* Work that is done again and again: the same sizes cost once, other sizes each time do not add up. */
static void clearing_keeps_no_more_than_is_used(void **state)
{
    gm_cx *cx = *state;
    gm_arena a = {0};
    int64_t before = gm_memory_used(cx), most = 0;
    ended_objects = 0;
    for (int round = 0; round < 200; round++) {
        unsigned char *same = gm_alloc(cx, &a, 100000, 1), *other = gm_alloc(cx, &a, 50000 + 1000 * round, 1);
        assert_non_null(same);
        assert_non_null(other);
        for (int k = 0; k < 100000; k++) assert_int_equal(same[k], 0);
        assert_true(other[0] == 0 && other[49999 + 1000 * round] == 0);
        memset(same, 7, 100000);
        memset(other, 7, 50000);
        for (int k = 0; k < 3; k++) assert_int_equal(gm_own(cx, &a, NULL, count_end), GM_OK);
        if (gm_memory_used(cx) - before > most) most = gm_memory_used(cx) - before;
        gm_arena_clear(&a);
        assert_int_equal(ended_objects, 3 * (round + 1));
    }
    assert_in_range(most, 300000, 100000 + 2 * 250000 + 8192);
    gm_arena_end(&a);
    assert_int_equal(gm_memory_used(cx), before);
}

static void *many_small(void *p)
{
    gm_cx *cx = p;
    gm_arena a = {0};
    for (int i = 0; i < 2000; i++)
        if (gm_alloc(cx, &a, 1 + i % 200, 1) == NULL) return p;
    gm_arena_end(&a);
    return NULL;
}

static void threads_share_the_budget(void **state)
{
    pthread_t t[4];
    void *bad;
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&t[i], NULL, many_small, *state), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(t[i], &bad);
        assert_null(bad);
    }
}

static gm_code all_ways(gm_cx *cx, void *arg)
{
    char *p;
    (void)arg;
    for (int i = 0; i < 20; i++) {
        GM_NEW(cx, p, 1 + i * 300);
        GM_GOT(cx, gm_format(cx, gm_scratch(cx), "%*d", 10 + i * 40, i));
        GM_TRY(gm_own(cx, gm_scratch(cx), NULL, free));
    }
    char *raw = gm_raw_alloc(cx, 10), *more;
    GM_GOT(cx, raw);
    more = gm_raw_regrow(cx, raw, 10000);
    gm_raw_free(more ? more : raw);
    return more ? GM_OK : gm_cx_code(cx);
}

static void every_allocation_may_fail(void **state)
{
    assert_in_range(torture(*state, all_ways, NULL), 40, 200);
}

static void opening_may_fail(void **state)
{
    (void)state;
    gm_code code = GM_ENOMEM;
    for (long n = 0; code != GM_OK; n++) {
        gm_cx *cx;
        gm_oom_after = n;
        code = gm_cx_new("{\"threads\": 3}", &cx);
        gm_oom_after = -1;
        assert_true(code == GM_OK || code == GM_ENOMEM);
        if (cx && code != GM_OK) assert_string_not_equal(gm_cx_message(cx), "");
        gm_cx_free(cx);
        assert_in_range(n, 0, 50);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(objects_end_in_reverse_order),
        cmocka_unit_test(an_arena_may_stand_in_its_own_memory),
        cmocka_unit_test(over_the_limit_is_told),
        cmocka_unit_test(arenas_and_blocks_outlive_the_context),
        cmocka_unit_test(raw_blocks_count_back),
        cmocka_unit_test(regrow_copies),
        cmocka_unit_test(clearing_keeps_no_more_than_is_used),
        cmocka_unit_test(threads_share_the_budget),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(opening_may_fail),
    };
    return cmocka_run_group_tests(tests, unit_setup, unit_teardown);
}

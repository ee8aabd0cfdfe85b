/* SPDX-License-Identifier: Apache-2.0 */
/* Dictionaries: codes in order of arrival, whatever the size; shared tables over the keys; every allocation
 * failing. */
#include "base/dict.h"
#include "base/rng.h"
#include "torture.h"
#include <pthread.h>

/* Text number i, short or long, in out. */
static gm_text nth(uint64_t i, char out[48])
{
    static const char *const form[] = {"%llu", "k%07llu", "a text longer than twelve %llu", "x%011llu",
                                       "%012llu.."};
    int n = snprintf(out, 48, form[i % 5], (unsigned long long)i);
    return gm_text_of(out, (size_t)n);
}

static void codes_come_in_order(void **state)
{
    gm_cx *cx = *state;
    enum { DISTINCT = 30000, BATCH = 777 };
    gm_arena a = {0};
    gm_dict *d;
    char bytes[BATCH][48];
    gm_text t[BATCH];
    uint32_t code[BATCH], seen = 0, *first = calloc(DISTINCT, sizeof *first);
    assert_ok(cx, gm_dict_new(cx, &a, &d));
    for (uint64_t round = 0, draw = 0; round < 200; round++) {
        uint64_t id[BATCH];
        for (int i = 0; i < BATCH; i++, draw++) {
            id[i] = gm_mix64(draw) % (1 + round * DISTINCT / 200);
            t[i] = draw % 50 == 7 ? gm_text_none() : nth(id[i], bytes[i]);
        }
        assert_ok(cx, gm_dict_add_many(cx, d, t, BATCH, code));
        for (int i = 0; i < BATCH; i++) {
            if (gm_text_missing(&t[i])) {
                assert_int_equal(code[i], GM_CODE_MISSING);
                continue;
            }
            if (first[id[i]] == 0) first[id[i]] = ++seen; /* a new text gets the next code */
            assert_int_equal(code[i], first[id[i]] - 1);
        }
    }
    assert_int_equal(gm_dict_size(d), seen);
    assert_true(seen > 20000);
    memset(bytes, 0, sizeof bytes); /* the keys are copies */
    for (uint64_t id = 0; id < DISTINCT; id++) {
        gm_text want = nth(id, bytes[0]);
        uint32_t got = gm_dict_find(d, &want), added;
        assert_int_equal(got, first[id] ? first[id] - 1 : GM_CODE_MISSING);
        if (got == GM_CODE_MISSING) continue;
        assert_true(gm_text_equal(&gm_dict_keys(d)[got], &want));
        assert_ok(cx, gm_dict_add(cx, d, &want, &added));
        assert_int_equal(added, got);
    }
    assert_true(gm_dict_bytes(d) > 16 * (int64_t)seen && gm_dict_bytes(d) < 120 * (int64_t)seen);
    assert_true(gm_memory_used(cx) >= gm_dict_bytes(d) - 1024);
    free(first);
    gm_arena_end(&a);
}

/* Texts that share their first words or differ only in length. */
static void look_alikes_differ(void **state)
{
    gm_cx *cx = *state;
    gm_arena a = {0};
    gm_dict *d;
    gm_text t[] = {gm_text_of("", 0),
                   gm_text_of("\0", 1),
                   gm_text_of("\0\0", 2),
                   gm_text_of("abcdefghijkl", 12),
                   gm_text_of("abcdefghijklm", 13),
                   gm_text_of("abcdefghijkln", 13),
                   gm_text_of("abcd", 4)};
    uint32_t code;
    assert_ok(cx, gm_dict_new(cx, &a, &d));
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 7; i++) {
            assert_ok(cx, gm_dict_add(cx, d, &t[i], &code));
            assert_int_equal(code, i);
        }
    gm_arena_end(&a);
}

typedef struct build_count {
    int built, fail;
} build_count;

static gm_code lengths(gm_cx *cx, void *arg, const gm_text *keys, int64_t n, void *out)
{
    build_count *c = arg;
    if (c->fail) return gm_fail(cx, GM_EDATA, "not now");
    c->built++;
    for (int64_t i = 0; i < n; i++) ((int32_t *)out)[i] = (int32_t)keys[i].len;
    return GM_OK;
}

static void memos_are_built_once_per_owner_and_column(void **state)
{
    gm_cx *cx = *state;
    gm_arena a = {0};
    gm_dict *d;
    build_count c = {0};
    const void *table, *again;
    char bytes[48];
    uint32_t code;
    assert_ok(cx, gm_dict_new(cx, &a, &d));
    for (uint64_t i = 0; i < 100; i++) {
        gm_text t = nth(i, bytes);
        assert_ok(cx, gm_dict_add(cx, d, &t, &code));
    }
    c.fail = 1;
    assert_fails(cx, gm_dict_memo(cx, d, &c, 0, 4, lengths, &c, &table), GM_EDATA, "not now");
    c.fail = 0;
    assert_ok(cx, gm_dict_memo(cx, d, &c, 0, 4, lengths, &c, &table));
    assert_ok(cx, gm_dict_memo(cx, d, &c, 0, 4, lengths, &c, &again));
    assert_ptr_equal(table, again);
    assert_int_equal(c.built, 1);
    assert_ok(cx, gm_dict_memo(cx, d, &c, 1, 4, lengths, &c, &again));
    assert_ptr_not_equal(table, again);
    assert_int_equal(c.built, 2);
    for (int i = 0; i < 100; i++) assert_int_equal(((const int32_t *)table)[i], gm_dict_keys(d)[i].len);
    gm_arena_end(&a);
}

typedef struct shared {
    gm_cx *cx;
    gm_dict *d;
    build_count *c;
} shared;

static void *ask(void *p)
{
    shared *s = p;
    const void *table = NULL;
    (void)!gm_dict_memo(s->cx, s->d, s->c, 0, 4, lengths, s->c, &table);
    return (void *)(uintptr_t)table;
}

static void threads_share_a_memo(void **state)
{
    gm_cx *cx = *state;
    gm_arena a = {0};
    build_count c = {0};
    shared s = {cx, NULL, &c};
    pthread_t t[4];
    void *table[4];
    assert_ok(cx, gm_dict_new(cx, &a, &s.d));
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&t[i], NULL, ask, &s), 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], &table[i]);
    for (int i = 0; i < 4; i++) assert_ptr_equal(table[i], table[0]);
    assert_int_equal(c.built, 1);
    gm_arena_end(&a);
}

static gm_code use(gm_cx *cx, void *arg)
{
    gm_dict *d;
    gm_text t[150];
    char bytes[150][48];
    uint32_t code[150];
    const void *table;
    (void)arg;
    GM_TRY(gm_dict_new(cx, gm_scratch(cx), &d));
    for (int i = 0; i < 150; i++) t[i] = nth((uint64_t)i, bytes[i]);
    GM_TRY(gm_dict_add_many(cx, d, t, 150, code));
    return gm_dict_memo(cx, d, d, 0, 4, lengths, &(build_count){0}, &table);
}

static void every_allocation_may_fail(void **state) { assert_in_range(torture(*state, use, NULL), 8, 50); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_come_in_order),
        cmocka_unit_test(look_alikes_differ),
        cmocka_unit_test(memos_are_built_once_per_owner_and_column),
        cmocka_unit_test(threads_share_a_memo),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, unit_setup, unit_teardown);
}

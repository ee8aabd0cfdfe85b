/* SPDX-License-Identifier: Apache-2.0 */
/* Text views: layout, comparing, hashing, packing. */
#include "base/text.h"
#include "torture.h"

static void short_and_long_views(void **state)
{
    (void)state;
    static const char text[] = "abcdefghijklmnopqrstuvwxyz";
    for (size_t n = 0; n <= 26; n++) {
        gm_text t = gm_text_of(text, n), u = gm_text_of(text, n);
        assert_int_equal(t.len, n);
        assert_memory_equal(gm_text_ptr(&t), text, n);
        assert_int_equal(gm_text_ptr(&t) == text, n > GM_TEXT_INLINE);
        if (n <= GM_TEXT_INLINE)
            assert_memory_equal(t.inlined + n, "\0\0\0\0\0\0\0\0\0\0\0", GM_TEXT_INLINE - n);
        else assert_memory_equal(t.far.prefix, text, 4);
        assert_true(gm_text_equal(&t, &u));
        assert_int_equal(gm_text_hash(&t), gm_text_hash(&u));
        assert_false(gm_text_missing(&t));
    }
}

static void order_is_by_bytes(void **state)
{
    (void)state;
    static const char *const sorted[] = {"",   "A", "a",       "aa", "aaaaaaaaaaaa", "aaaaaaaaaaaab",
                                         "ab", "b", "\xc3\xa9"};
    gm_text none = gm_text_none();
    assert_true(gm_text_missing(&none));
    for (int i = 0; i < GM_COUNT(sorted); i++) {
        gm_text a = gm_text_of(sorted[i], strlen(sorted[i]));
        for (int j = 0; j < GM_COUNT(sorted); j++) {
            gm_text b = gm_text_of(sorted[j], strlen(sorted[j]));
            int c = gm_text_compare(&a, &b);
            assert_int_equal((c > 0) - (c < 0), (i > j) - (i < j));
            assert_int_equal(gm_text_equal(&a, &b), i == j);
        }
        assert_true(gm_text_compare(&none, &a) < 0);
        assert_true(gm_text_compare(&a, &none) > 0);
        assert_false(gm_text_equal(&a, &none));
    }
    assert_int_equal(gm_text_compare(&none, &none), 0);
    assert_true(gm_text_equal(&none, &none));
}

/* xxh3 of these bytes is fixed by its specification: splits and hashed features depend on it. */
static void hashes_never_change(void **state)
{
    (void)state;
    gm_text empty = gm_text_of("", 0), a = gm_text_of("a", 1), abc = gm_text_of("abc", 3);
    assert_true(gm_text_hash(&empty) == 0x2D06800538D394C2u);
    assert_true(gm_text_hash(&a) == 0xE6C632B61E964E1Fu);
    assert_true(gm_text_hash(&abc) == 0x78AF5F94892F3950u);
}

static void packed_texts_read_back(void **state)
{
    gm_cx *cx = *state;
    gm_text v[4] = {gm_text_of("one", 3), gm_text_none(), gm_text_of("a text of some length", 21),
                    gm_text_of("", 0)};
    gm_texts packed;
    assert_ok(cx, gm_texts_pack(cx, gm_scratch(cx), v, 4, &packed));
    assert_int_equal(packed.n, 4);
    assert_int_equal(packed.off[4], 24);
    for (int i = 0; i < 4; i++) {
        gm_text t = gm_texts_at(&packed, i), want = i == 1 ? gm_text_of("", 0) : v[i];
        assert_true(gm_text_equal(&t, &want));
    }
    assert_ok(cx, gm_texts_pack(cx, gm_scratch(cx), NULL, 0, &packed));
    assert_int_equal(packed.off[0], 0);
    gm_cx_end(cx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_and_long_views),
        cmocka_unit_test(order_is_by_bytes),
        cmocka_unit_test(hashes_never_change),
        cmocka_unit_test(packed_texts_read_back),
    };
    return cmocka_run_group_tests(tests, unit_setup, unit_teardown);
}

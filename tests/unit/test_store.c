/* SPDX-License-Identifier: Apache-2.0 */
/* test_store.c - what goes into the tile store comes out, in an order that does not depend on who put it in.
 */
#include "base/rng.h"
#include "block/store.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h> /* after what it needs */

enum { ROWS = 300, TILES = 7 };

typedef struct made {
    double real[ROWS];
    gm_text text[ROWS], word[2 * ROWS];
    int64_t off[ROWS + 1];
    uint32_t idx[2 * ROWS];
    char long_text[ROWS][32];
    gm_part part[2];
    gm_column col[4];
} made;

/* Tile t of a fixed table: a number, a text (short, long, missing), words, a vector of a dense and a sparse
 * part. */
static void make(made *m, int t)
{
    for (int i = 0; i < ROWS; i++) {
        uint64_t r = gm_mix64((uint64_t)(t * ROWS + i));
        m->real[i] = r % 11 == 0 ? NAN : (double)(r % 1000) / 8;
        int n = snprintf(m->long_text[i], sizeof m->long_text[i], "%s%d", r % 3 ? "k" : "a rather long text ",
                         (int)(r % 17));
        m->text[i] = r % 13 == 0 ? gm_text_none() : gm_text_of(m->long_text[i], (size_t)n);
        m->off[i] = i ? m->off[i - 1] + (int64_t)(gm_mix64((uint64_t)(t * ROWS + i - 1)) % 3) : 0;
    }
    m->off[ROWS] = m->off[ROWS - 1] + (int64_t)(gm_mix64((uint64_t)(t * ROWS + ROWS - 1)) % 3);
    for (int k = 0; k < 2 * ROWS; k++) {
        m->word[k] = gm_text_of(m->long_text[k % ROWS], strlen(m->long_text[k % ROWS]));
        m->idx[k] = (uint32_t)(k % 5);
    }
    m->part[0] = (gm_part){.form = GM_DENSE, .width = 1, .x = m->real, .stride = ROWS};
    m->part[1] = (gm_part){.form = GM_SPARSE, .width = 5, .off = m->off, .idx = m->idx};
    m->col[0] = (gm_column){.type = GM_T_REAL, .real = m->real};
    m->col[1] = (gm_column){.type = GM_T_TEXT, .text = m->text};
    m->col[2] = (gm_column){.type = GM_T_WORDS, .text = m->word, .off = m->off};
    m->col[3] = (gm_column){.type = GM_T_VECTOR, .n_parts = 2, .part = m->part, .width = 6};
}

static const gm_type types[] = {GM_T_REAL, GM_T_TEXT, GM_T_WORDS, GM_T_VECTOR};

/* Puts tiles in, dealt to `tasks` tasks, in rising or falling order; odd rows to part 1. */
static gm_store *filled(gm_cx *cx, gm_arena *a, int tasks, bool falling, gm_level level)
{
    gm_store *s;
    gm_store_task *task[4];
    made m;
    assert_int_equal(gm_store_new(cx, a, types, 4, 2, level, &s), GM_OK);
    for (int k = 0; k < tasks; k++) assert_int_equal(gm_store_task_new(cx, s, &task[k]), GM_OK);
    for (int t = 0; t < TILES; t++) {
        int tile = falling ? TILES - 1 - t : t;
        int32_t sel[2][ROWS];
        int64_t n[2] = {0, 0};
        gm_arena tmp = {0};
        make(&m, tile);
        gm_column cols[4] = {m.col[0], m.col[1], m.col[2], m.col[3]};
        assert_int_equal(gm_store_encode(cx, task[t % tasks], &tmp, ROWS, cols), GM_OK);
        for (int i = 0; i < ROWS; i++) sel[i % 2][n[i % 2]++] = i;
        for (int p = 0; p < 2; p++)
            assert_int_equal(
                gm_store_add(cx, task[t % tasks], p, gm_mix64((uint64_t)tile), sel[p], n[p], cols), GM_OK);
        gm_arena_end(&tmp);
    }
    assert_int_equal(gm_store_seal(cx, s), GM_OK);
    return s;
}

static uint64_t mix(uint64_t h, uint64_t v) { return gm_mix64(h ^ v); }

/* A digest of everything in the store, in its order. */
static uint64_t digest(gm_store *s)
{
    uint64_t h = 0;
    for (int p = 0; p < 2; p++)
        for (int64_t t = 0; t < gm_store_tiles(s, p); t++) {
            gm_column c[4];
            int64_t rows = gm_store_tile(s, p, t, c);
            for (int64_t i = 0; i < rows; i++) {
                uint64_t bits;
                gm_text x = gm_column_text(&c[1], i);
                memcpy(&bits, &c[0].real[i], 8);
                h = mix(h, bits);
                h = mix(h, gm_text_missing(&x) ? 99 : gm_text_hash(&x));
                h = mix(h, c[1].code[i]);
                for (int64_t k = c[2].off[i]; k < c[2].off[i + 1]; k++) {
                    gm_text w = gm_column_word(&c[2], k);
                    h = mix(h, gm_text_hash(&w));
                    h = mix(h, c[3].part[1].idx[k]);
                }
                assert_true(memcmp(&c[3].part[0].x[i], &bits, 8) == 0);
            }
            gm_store_rest(s, p, t);
        }
    return h;
}

static uint64_t digest_of(int tasks, bool falling, gm_level level)
{
    gm_cx *cx;
    gm_arena a = {0};
    assert_int_equal(gm_open("{\"memory\":\"64MB\"}", &cx), GM_OK);
    gm_store *s = filled(cx, &a, tasks, falling, level);
    assert_int_equal(gm_store_rows(s, 0) + gm_store_rows(s, 1), ROWS * TILES);
    if (level == GM_LEVEL_DISK) assert_true(gm_store_spilled(s) > 0);
    uint64_t h = digest(s);
    assert_true(h == digest(s)); /* a second walk sees the same */
    gm_arena_end(&a);
    gm_close(cx);
    return h;
}

static void content_does_not_depend_on_tasks_or_order(void **state)
{
    (void)state;
    uint64_t h = digest_of(1, false, GM_LEVEL_AUTO);
    assert_true(h == digest_of(3, true, GM_LEVEL_AUTO));
    assert_true(h == digest_of(2, false, GM_LEVEL_AUTO));
}

static void disk_holds_the_same(void **state)
{
    (void)state;
    assert_true(digest_of(1, false, GM_LEVEL_MEMORY) == digest_of(2, true, GM_LEVEL_DISK));
}

static void rows_come_back(void **state)
{
    gm_cx *cx;
    gm_arena a = {0};
    double sum = 0, want = 0;
    int64_t missing = 0, want_missing = 0;
    made m;
    (void)state;
    assert_int_equal(gm_open(NULL, &cx), GM_OK);
    gm_store *s = filled(cx, &a, 2, false, GM_LEVEL_AUTO);
    for (int p = 0; p < 2; p++)
        for (int64_t t = 0; t < gm_store_tiles(s, p); t++) {
            gm_column c[4];
            int64_t rows = gm_store_tile(s, p, t, c);
            for (int64_t i = 0; i < rows; i++) {
                sum += isnan(c[0].real[i]) ? 0 : c[0].real[i];
                missing += c[1].code[i] == GM_CODE_MISSING;
            }
        }
    for (int t = 0; t < TILES; t++) {
        make(&m, t);
        for (int i = 0; i < ROWS; i++) {
            want += isnan(m.real[i]) ? 0 : m.real[i];
            want_missing += gm_text_missing(&m.text[i]);
        }
    }
    assert_true(sum == want); /* multiples of 1/8: exact in any order */
    assert_int_equal(missing, want_missing);
    gm_arena_end(&a);
    gm_close(cx);
}

static void a_full_memory_level_is_an_error(void **state)
{
    gm_cx *cx;
    gm_arena a = {0};
    gm_hold *h;
    gm_hold_cursor cur = {0};
    char *p;
    gm_code c = GM_OK;
    (void)state;
    assert_int_equal(gm_open("{\"memory\":\"32MB\"}", &cx), GM_OK);
    gm_cx_begin(cx);
    assert_int_equal(gm_hold_new(cx, &a, GM_LEVEL_MEMORY, 0, &h), GM_OK);
    for (int i = 0; i < 64 && c == GM_OK; i++) c = gm_hold_cut(cx, h, &cur, 1 << 20, &p);
    assert_int_equal(c, GM_ELIMIT);
    gm_arena_end(&a);
    gm_close(cx);
}

static void cuts_cover_everything(void **state)
{
    (void)state;
    for (int64_t n = 0; n < 100; n += 7) {
        int64_t at = 0;
        for (int64_t p = 0; p < 32; p++) {
            int64_t from, to;
            gm_cut_range(n, 32, p, &from, &to);
            assert_int_equal(from, at);
            at = to;
        }
        assert_int_equal(at, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_back),        cmocka_unit_test(content_does_not_depend_on_tasks_or_order),
        cmocka_unit_test(disk_holds_the_same),   cmocka_unit_test(a_full_memory_level_is_an_error),
        cmocka_unit_test(cuts_cover_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

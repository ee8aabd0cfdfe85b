/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset.c - filling a dataset in any order, in memory and on disk: the same blocks come back. */
#include "block/dataset.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 500, SLOTS = 40 };

static double x[3 * ROWS], y[ROWS], w[ROWS], level[4];
static uint32_t code[ROWS], idx[2 * ROWS];
static int64_t off[ROWS + 1];

/* A vector of two dense parts side by side, a coded part with values, and a sparse part. */
static gm_column features(int slot, gm_part part[4])
{
    for (int i = 0; i < ROWS; i++) {
        x[i] = slot + i;
        x[ROWS + i] = -i;
        x[2 * ROWS + i] = slot * i;
        y[i] = i % 2;
        w[i] = 1 + i % 3;
        code[i] = (uint32_t)(i % 5); /* 4 is none of the columns */
        off[i + 1] = off[i] + i % 2;
        idx[off[i]] = 1;
    }
    for (int j = 0; j < 4; j++) level[j] = j + 0.5;
    part[0] = (gm_part){.form = GM_DENSE, .width = 1, .x = x, .stride = ROWS};
    part[1] = (gm_part){.form = GM_DENSE, .width = 2, .x = x + ROWS, .stride = ROWS};
    part[2] = (gm_part){.form = GM_CODED, .width = 4, .code = code, .level = level};
    part[3] = (gm_part){.form = GM_SPARSE, .width = 2, .off = off, .idx = idx};
    return (gm_column){.type = GM_T_VECTOR, .n_parts = 4, .part = part, .width = 9};
}

static gm_dataset filled(gm_cx *cx, gm_arena *a, gm_level level_, bool falling)
{
    gm_filling *f;
    gm_hold_cursor cur[2] = {{0}, {0}};
    gm_dataset d;
    assert_int_equal(gm_filling_begin(cx, a, SLOTS, 9, level_, &f), GM_OK);
    for (int i = 0; i < SLOTS; i++) {
        int slot = falling ? SLOTS - 1 - i : i;
        gm_part part[4];
        gm_column c = features(slot, part);
        if (slot % 7 == 3) continue; /* an empty slot */
        assert_int_equal(gm_filling_put(cx, f, slot, &cur[i % 2], ROWS, &c, y, w), GM_OK);
    }
    assert_int_equal(gm_filling_end(cx, f, &d), GM_OK);
    return d;
}

typedef struct sum {
    double part[64];
    int64_t rows[64];
} sum;

static double value(const gm_block *b, int64_t i, double *dense)
{
    double s = 0;
    for (int k = 0; k < b->n_parts; k++) {
        const gm_part *p = &b->part[k];
        for (int64_t j = 0; p->form == GM_DENSE && j < p->width; j++)
            s += (double)(j + 1) * p->x[j * p->stride + i];
        if (p->form == GM_DENSE) *dense = (double)p->width;
        if (p->form == GM_CODED && p->code[i] < p->width) s += 100 * p->level[p->code[i]];
        for (int64_t e = p->form == GM_SPARSE ? p->off[i] : 0; p->form == GM_SPARSE && e < p->off[i + 1]; e++)
            s += 1000 * p->idx[e];
    }
    return s;
}

static gm_code add(gm_cx *cx, void *arg, int64_t part, const gm_block *b)
{
    sum *s = arg;
    double dense = 0;
    (void)cx;
    for (int64_t i = 0; i < b->rows; i++) s->part[part] += b->w[i] * (value(b, i, &dense) + b->y[i]);
    s->rows[part] += b->rows;
    return dense == 3 ? GM_OK : GM_EINTERNAL; /* neighbouring dense parts were joined */
}

static void walked(gm_cx *cx, const gm_dataset *d, sum *s)
{
    memset(s, 0, sizeof *s);
    assert_int_equal(gm_dataset_each(cx, d, add, s), GM_OK);
}

static void blocks_come_back_whatever_the_order_and_place(void **state)
{
    gm_cx *cx;
    gm_arena a = {0};
    sum s[3];
    (void)state;
    assert_int_equal(gm_open("{\"threads\":2,\"memory\":\"64MB\"}", &cx), GM_OK);
    gm_dataset d = filled(cx, &a, GM_LEVEL_MEMORY, false), e = filled(cx, &a, GM_LEVEL_MEMORY, true),
               disk = filled(cx, &a, GM_LEVEL_DISK, false);
    assert_int_equal(d.rows, (SLOTS - 6) * ROWS);
    assert_true(d.weighted && d.weight > (double)d.rows);
    assert_true(gm_dataset_spilled(&disk) > 0 && gm_dataset_spilled(&d) == 0);
    walked(cx, &d, &s[0]);
    walked(cx, &e, &s[1]);
    walked(cx, &disk, &s[2]);
    assert_memory_equal(&s[0], &s[1], sizeof s[0]);
    assert_memory_equal(&s[0], &s[2], sizeof s[0]);
    walked(cx, &disk, &s[1]); /* a second walk over pages that were given back */
    assert_memory_equal(&s[0], &s[1], sizeof s[0]);
    gm_arena_end(&a);
    gm_close(cx);
}

static void a_block_of_another_width_is_refused(void **state)
{
    gm_cx *cx;
    gm_arena a = {0};
    gm_filling *f;
    gm_hold_cursor cur = {0};
    gm_part part[4];
    gm_column c = features(0, part);
    (void)state;
    assert_int_equal(gm_open(NULL, &cx), GM_OK);
    assert_int_equal(gm_filling_begin(cx, &a, 1, 8, GM_LEVEL_AUTO, &f), GM_OK);
    assert_int_equal(gm_filling_put(cx, f, 0, &cur, ROWS, &c, y, NULL), GM_EINTERNAL);
    gm_arena_end(&a);
    gm_close(cx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_come_back_whatever_the_order_and_place),
        cmocka_unit_test(a_block_of_another_width_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

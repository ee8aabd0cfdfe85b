/* SPDX-License-Identifier: Apache-2.0 */
/* test_fuse.c - fused one-hot columns give the margins and gradients of the columns they stand for. */
#include "base/rng.h"
#include "kernel/kernel.h"
#include "learn/linear/fuse.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static gm_cx *cx;
static int open_cx(void **state) { return (void)state, gm_cx_new("{\"threads\":2}", &cx); }
static int close_cx(void **state) { return (void)state, gm_cx_free(cx), 0; }

enum { BLOCKS = 5, ROWS = 700, PARTS = 7, COLS = 3 + 4 + 2 + 900 + 5 + 1 + 2 };
/* Part 3 is too wide to go with others, part 4 has levels with values, part 6 is dense. */
static const int64_t widths[PARTS] = {3, 4, 2, 900, 5, 1, 2};
static const double level[5] = {2, -1, 0.5, 3, 1};
static uint64_t drawn;
static uint64_t draw(void) { return gm_mix64(++drawn); }
static double number(void) { return (double)(draw() >> 11) * 0x1p-52 - 1; }

typedef struct data {
    gm_block block[BLOCKS];
    gm_part part[BLOCKS][PARTS];
    uint32_t code[BLOCKS][PARTS][ROWS];
    double x[BLOCKS][2 * ROWS];
    gm_dataset set;
} data;

static void make(data *d, bool outside)
{
    drawn = 7;
    for (int b = 0; b < BLOCKS; b++) {
        int64_t rows = ROWS - b;
        for (int k = 0; k < PARTS; k++) {
            for (int64_t i = 0; i < rows; i++)
                d->code[b][k][i] = (uint32_t)(draw() % (uint64_t)(widths[k] + (outside && k != 1)));
            d->part[b][k] =
                (gm_part){.form = GM_CODED, .width = widths[k], .code = d->code[b][k], .inside = !outside};
            if (k == 4) d->part[b][k].level = level;
        }
        for (int64_t i = 0; i < 2 * rows; i++) d->x[b][i] = number();
        d->part[b][6] = (gm_part){.form = GM_DENSE, .width = 2, .x = d->x[b], .stride = rows};
        d->block[b] = (gm_block){.rows = rows, .cols = COLS, .n_parts = PARTS, .part = d->part[b]};
    }
    assert_int_equal(gm_dataset_over(cx, gm_scratch(cx), d->block, BLOCKS, 3, &d->set), GM_OK);
}

static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-12 * (1 + fabs(b)))) fail_msg("%.17g, expected %.17g", a, b);
}

static void check(const data *d, const gm_fused *f)
{
    double w[COLS], g[COLS] = {0}, want[COLS] = {0}, m[ROWS], wanted[ROWS], *wide, *wide_g;
    assert_non_null(wide = gm_alloc(cx, gm_scratch(cx), f->cols, sizeof *wide));
    assert_non_null(wide_g = gm_alloc(cx, gm_scratch(cx), f->cols, sizeof *wide_g));
    for (int j = 0; j < COLS; j++) w[j] = number();
    gm_fused_spread(f, w, wide);
    for (int b = 0; b < BLOCKS; b++) {
        const gm_block *fused = &f->data.block[b];
        assert_int_equal(fused->rows, d->block[b].rows);
        memset(m, 0, sizeof m), memset(wanted, 0, sizeof wanted);
        gm_kernel_best()->xw(fused, NULL, wide, m);
        gm_kernel_reference.xw(&d->block[b], NULL, w, wanted);
        for (int64_t i = 0; i < fused->rows; i++) near(m[i], wanted[i]);
        gm_kernel_best()->xtr(fused, NULL, m, wide_g);
        gm_kernel_reference.xtr(&d->block[b], NULL, wanted, want);
    }
    gm_fused_gather(f, wide_g, g);
    for (int j = 0; j < COLS; j++) near(g[j], want[j]);
}

static void fused_columns_are_the_columns_they_stand_for(void **state)
{
    static data d;
    gm_fused f;
    (void)state;
    for (int outside = 0; outside < 2; outside++) {
        make(&d, outside);
        assert_int_equal(gm_fuse(cx, gm_scratch(cx), &d.set, &f), GM_OK);
        /* Columns of 1, 2, 3 and 4 levels become one: 24 combinations, 120 with a place for none in each. */
        assert_int_equal(f.n, 4);
        assert_int_equal(f.cols, (outside ? 2 * 3 * 4 * 5 : 24) + 900 + 5 + 2);
        check(&d, &f);
        gm_cx_begin(cx);
    }
}

static void blocks_of_another_layout_stay(void **state)
{
    static data d;
    gm_fused f;
    (void)state;
    make(&d, false);
    d.part[3][0].level = level;
    assert_int_equal(gm_fuse(cx, gm_scratch(cx), &d.set, &f), GM_OK);
    assert_int_equal(f.n, 0);
    assert_int_equal(f.cols, COLS);
    assert_ptr_equal(f.data.block, d.set.block);
    gm_cx_begin(cx);
}

static void few_rows_are_not_worth_a_table(void **state)
{
    static data d;
    gm_fused f;
    (void)state;
    make(&d, false);
    assert_int_equal(gm_dataset_over(cx, gm_scratch(cx), d.block, 0, 1, &d.set), GM_OK);
    assert_int_equal(gm_fuse(cx, gm_scratch(cx), &d.set, &f), GM_OK);
    assert_int_equal(f.n, 0);
    for (int b = 0; b < BLOCKS; b++) d.block[b].rows = 4;
    assert_int_equal(gm_dataset_over(cx, gm_scratch(cx), d.block, BLOCKS, 3, &d.set), GM_OK);
    assert_int_equal(gm_fuse(cx, gm_scratch(cx), &d.set, &f), GM_OK);
    assert_int_equal(f.n, 0);
    gm_cx_begin(cx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused_columns_are_the_columns_they_stand_for),
        cmocka_unit_test(blocks_of_another_layout_stay),
        cmocka_unit_test(few_rows_are_not_worth_a_table),
    };
    return cmocka_run_group_tests(tests, open_cx, close_cx);
}

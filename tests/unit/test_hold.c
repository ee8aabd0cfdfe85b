/* SPDX-License-Identifier: Apache-2.0 */
/* test_hold.c - pieces on disk rest without leaving pages in memory, and without harm to those beside. */
#include "block/hold.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h> /* after what it needs */

enum { PIECES = 400, BYTES = 50000 + 24 };

/* Pages of files that this process has mapped and in memory. */
static long shared_pages(void)
{
    long all, resident, shared = -1;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%ld %ld %ld", &all, &resident, &shared), 3);
    fclose(f);
    return shared;
}

static void resting_pieces_leave_memory(void **state)
{
    (void)state;
    gm_cx *cx = NULL;
    gm_arena a = {0};
    gm_hold *h;
    gm_hold_cursor cur = {0};
    char *piece[PIECES];
    assert_int_equal(gm_open("{\"threads\": 1, \"memory\": \"64MB\"}", &cx), GM_OK);
    assert_int_equal(gm_hold_new(cx, &a, GM_LEVEL_DISK, 0, &h), GM_OK);
    long before = shared_pages();
    for (int i = 0; i < PIECES; i++) {
        assert_int_equal(gm_hold_cut(cx, h, &cur, BYTES, &piece[i]), GM_OK);
        assert_true(cur.on_disk);
        memset(piece[i], i % 251, BYTES);
        gm_hold_rest(h, piece[i], BYTES, true);
    }
    for (int turn = 0; turn < 2; turn++) /* far from the order in which they lie */
        for (int k = 0; k < PIECES; k++) {
            int i = k * 171 % PIECES;
            for (int j = 0; j < BYTES; j += 997) assert_int_equal((unsigned char)piece[i][j], i % 251);
            assert_int_equal((unsigned char)piece[i][BYTES - 1], i % 251);
            gm_hold_rest(h, piece[i], BYTES, true);
        }
    assert_in_range(shared_pages() - before + 1000, 0, 1200); /* of 4,900: code is faulted in as well */
    for (int i = 0; i < PIECES; i += 2) gm_hold_forget(h, piece[i], BYTES, true);
    for (int i = 1; i < PIECES; i += 2)
        for (int j = 0; j < BYTES; j++) assert_int_equal((unsigned char)piece[i][j], i % 251);
    gm_arena_end(&a);
    gm_close(cx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(resting_pieces_leave_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torture.h - fails every allocation in turn: the first, then the second, ... until body gets through.
 *
 * body must end what it made outside scratch, on success and on failure. Each failed round has to return
 * GM_ENOMEM with a message, and charge nothing that stays; leaks outside the budget are AddressSanitizer's to
 * find.
 */
#ifndef GM_TESTS_TORTURE_H
#define GM_TESTS_TORTURE_H
#include "unit.h"

typedef gm_code (*torture_body)(gm_cx *cx, void *arg);

/* Returns the number of allocations that were failed. */
static inline long torture(gm_cx *cx, torture_body body, void *arg)
{
    gm_cx_end(cx);
    int64_t before = gm_memory_used(cx);
    for (long n = 0; n < 1000000; n++) {
        gm_cx_begin(cx);
        gm_oom_after = n;
        gm_code code = body(cx, arg);
        bool failed = gm_oom_after < 0;
        gm_oom_after = -1;
        if (failed && (code != GM_ENOMEM || gm_cx_message(cx)[0] == 0))
            print_error("allocation %ld: %s '%s'\n", n, gm_code_name(code), gm_cx_message(cx));
        assert_int_equal(code, failed ? GM_ENOMEM : GM_OK);
        if (failed) assert_string_not_equal(gm_cx_message(cx), "");
        gm_cx_end(cx);
        assert_int_equal(gm_memory_used(cx), before);
        if (!failed) return n;
    }
    fail_msg("a million allocations and no end");
    return -1;
}
#endif

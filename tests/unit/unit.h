/* SPDX-License-Identifier: Apache-2.0 */
/* What unit tests share: cmocka's headers, a context, checks of a failure's words. */
#ifndef GM_TESTS_UNIT_H
#define GM_TESTS_UNIT_H
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cx.h"

static inline gm_cx *unit_open(const char *options)
{
    gm_cx *cx = NULL;
    gm_code code = gm_cx_new(options, &cx);
    if (code != GM_OK) print_error("%s: %s\n", gm_code_name(code), cx ? gm_cx_message(cx) : "");
    assert_int_equal(code, GM_OK);
    return cx;
}

/* A group's setup and teardown: one context as the state of every test. */
static inline int unit_setup(void **state)
{
    *state = unit_open("{\"threads\": 2, \"memory\": \"1GB\"}");
    return 0;
}
static inline int unit_teardown(void **state)
{
    gm_cx *cx = *state;
    gm_cx_end(cx);
    int64_t left = gm_memory_used(cx);
    if (left != 0) print_error("%lld bytes are still charged\n", (long long)left);
    gm_cx_free(cx);
    return left == 0 ? 0 : -1;
}

#define assert_ok(cx, e) \
    do { \
        gm_code code_ = (e); \
        if (code_ != GM_OK) print_error("%s: %s\n", gm_code_name(code_), gm_cx_message(cx)); \
        assert_int_equal(code_, GM_OK); \
    } while (0)

/* e fails with this code and exactly this message; then the failure is forgotten. */
#define assert_fails(cx, e, code, message) \
    do { \
        gm_code code_ = (e); \
        assert_string_equal(gm_cx_message(cx), message); \
        assert_int_equal(code_, code); \
        gm_cx_forget(cx); \
    } while (0)

#define assert_has(text, part) \
    do { \
        if (strstr((text), (part)) == NULL) print_error("'%s' lacks '%s'\n", (text), (part)); \
        assert_non_null(strstr((text), (part))); \
    } while (0)
#endif

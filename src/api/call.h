/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.h - what every public function does first and last: check its arguments, clear the last error, parse
 * its options, hand results over.
 */
#ifndef GM_API_CALL_H
#define GM_API_CALL_H
#include "base/doc.h"

/* GM_ENTER(cx, all arguments that must not be NULL): returns GM_EUSAGE when one is. */
#define GM_ENTER(cx, given) \
    do { \
        if ((cx) == NULL) return GM_EUSAGE; \
        gm_cx_begin(cx); \
        if (!(given)) return gm_call_missing(cx, __func__); \
    } while (0)
gm_code gm_call_missing(gm_cx *cx, const char *function);
/* The call is over: scratch is released. Returns code. */
gm_code gm_leave(gm_cx *cx, gm_code code);
/* JSON options in scratch; NULL and "" are {}. */
gm_code gm_call_options(gm_cx *cx, const char *json, gm_doc **out) GM_NODISCARD;
/* The text of b as a string of the caller's. */
gm_code gm_call_give(gm_cx *cx, gm_buf *b, char **out) GM_NODISCARD;
#endif

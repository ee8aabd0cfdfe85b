/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context.c - opening, forking and closing contexts; the error of the last call; cancelling; events.
 */
#include "base/cx.h"

gm_code gm_open(const char *options, gm_cx **out)
{
    if (out == NULL) return GM_EUSAGE;
    return gm_cx_new(options, out);
}

gm_code gm_fork(gm_cx *cx, gm_cx **out)
{
    if (cx == NULL) return GM_EUSAGE;
    gm_cx_begin(cx);
    gm_code code = out ? gm_cx_fork(cx, out) : gm_fail(cx, GM_EUSAGE, "gm_fork: out is NULL");
    gm_cx_end(cx);
    return code;
}

void gm_close(gm_cx *cx) { gm_cx_free(cx); }

const char *gm_message(const gm_cx *cx) { return cx ? gm_cx_message(cx) : ""; }
const char *gm_hint(const gm_cx *cx) { return cx ? gm_cx_hint(cx) : ""; }
void gm_cancel(gm_cx *cx) { gm_cx_cancel(cx); }

gm_code gm_on_event(gm_cx *cx, void (*receive)(void *user, const gm_event *event), void *user)
{
    if (cx == NULL) return GM_EUSAGE;
    gm_cx_begin(cx);
    gm_cx_listen(cx, receive, user);
    gm_cx_end(cx);
    return GM_OK;
}

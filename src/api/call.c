/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c - the first and last steps of public functions.
 */
#include "api/call.h"
#include <string.h>

gm_code gm_call_missing(gm_cx *cx, const char *function)
{
    gm_code c = gm_fail(cx, GM_EUSAGE, "%s: an argument that must be given is NULL", function);
    return gm_leave(cx, c);
}

gm_code gm_leave(gm_cx *cx, gm_code code)
{
    gm_cx_end(cx);
    return code;
}

gm_code gm_call_options(gm_cx *cx, const char *json, gm_doc **out)
{
    if (json == NULL || *json == '\0') json = "{}";
    GM_TRY(gm_doc_json(cx, gm_scratch(cx), json, strlen(json), "options", out));
    if ((*out)->kind != GM_D_MAP) return gm_fail(cx, GM_EUSAGE, "options are a JSON object");
    return GM_OK;
}

gm_code gm_call_give(gm_cx *cx, gm_buf *b, char **out)
{
    GM_TRY(gm_buf_done(b));
    char *p = gm_raw_alloc(cx, b->len + 1);
    GM_GOT(cx, p);
    memcpy(p, b->p, b->len + 1);
    *out = p;
    return GM_OK;
}

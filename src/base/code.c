/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code.c - the public functions that need no context: facts of codes, version, freeing of results.
 */
#include "base/cx.h"

#ifndef GM_VERSION
#define GM_VERSION "0.1.0"
#endif

typedef struct row {
    const char *name, *text, *exception;
    int exit_status;
} row;

static const row rows[] = {
#define GM_CODE_ROW(name, value, text, exit_status, http, exception) \
    [value] = {#name, text, exception, exit_status},
    GM_CODES(GM_CODE_ROW)
#undef GM_CODE_ROW
};

static const row *row_of(gm_code code)
{
    bool known = (int)code >= 0 && (int64_t)code < GM_COUNT(rows);
    return &rows[known ? code : GM_EINTERNAL];
}

const char *gm_code_name(gm_code code) { return row_of(code)->name; }
const char *gm_code_text(gm_code code) { return row_of(code)->text; }
int gm_code_exit_status(gm_code code) { return row_of(code)->exit_status; }
const char *gm_code_exception(gm_code code) { return row_of(code)->exception; }
const char *gm_version(void) { return GM_VERSION; }
void gm_free(void *p) { gm_raw_free(p); }

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower.h - UTF-8 texts: code points, and lower case by Unicode's table, whatever the process's locale is.
 */
#ifndef GM_FEATURE_LOWER_H
#define GM_FEATURE_LOWER_H
#include "base/text.h"

/* The code point at p (n > 0 bytes left) and its length; a byte that is no UTF-8 stands for itself plus
 * 0x110000. */
uint32_t gm_utf8_next(const char *p, size_t n, size_t *len);
int64_t gm_utf8_length(const char *p, size_t n); /* code points */
/* t in lower case; memory from a when anything changes and t is longer than 12 bytes. turkish: I is dotless.
 */
gm_code gm_lower(gm_cx *cx, gm_arena *a, const gm_text *t, bool turkish, gm_text *out) GM_NODISCARD;
#endif

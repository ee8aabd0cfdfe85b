/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow_check.h - whether foreign Arrow data are what they say: the database believes every pointer and
 * offset.
 */
#ifndef GM_SOURCE_ARROW_CHECK_H
#define GM_SOURCE_ARROW_CHECK_H
#include "base/cx.h"
#include "table/arrow_abi.h"

/* A struct of named columns of types that can be read; who names the stream in messages. */
gm_code gm_arrow_check_schema(gm_cx *cx, const char *who, const struct ArrowSchema *s) GM_NODISCARD;
/* One batch of that schema: counts, lengths, offsets, dictionary indices, text. Buffer sizes cannot be known.
 */
gm_code gm_arrow_check_array(gm_cx *cx, const char *who, const struct ArrowSchema *s,
                             const struct ArrowArray *a) GM_NODISCARD;
#endif

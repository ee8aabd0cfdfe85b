/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow_array.h - one array of ours as an Arrow array that owns a copy: it may be released on any thread, at
 * any time.
 */
#ifndef GM_TABLE_ARROW_ARRAY_H
#define GM_TABLE_ARROW_ARRAY_H
#include "base/text.h"
#include "table/arrow_abi.h"

/* float64; cols > 0: fixed-size lists of cols. */
gm_code gm_arrow_reals(gm_cx *cx, const double *x, int64_t n, int64_t cols, struct ArrowArray *array,
                       struct ArrowSchema *schema) GM_NODISCARD;
gm_code gm_arrow_ints(gm_cx *cx, const int64_t *x, int64_t n, struct ArrowArray *array,
                      struct ArrowSchema *schema) GM_NODISCARD;
/* large_utf8 */
gm_code gm_arrow_texts(gm_cx *cx, const gm_texts *t, struct ArrowArray *array,
                       struct ArrowSchema *schema) GM_NODISCARD;
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.h - the session's threads. Work is cut into a number of parts that does not depend on the thread
 * count; each part runs once, on any thread; whoever joins results does so in part order: 1 and 8 threads
 * give the same bits.
 *
 * The caller works too. The first failure wins and no new parts start after it. Nested calls run inline.
 */
#ifndef GM_PAR_POOL_H
#define GM_PAR_POOL_H
#include "base/cx.h"

typedef gm_code (*gm_task)(gm_cx *cx, void *arg, int64_t part);
gm_code gm_par(gm_cx *cx, int64_t parts, gm_task task, void *arg) GM_NODISCARD;
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - the options of a session: {"threads", "memory", "seed", "spill", "locked"}, and what stands for them.
 */
#include "base/session.h"
#include "base/text.h"
#include <stdlib.h>

gm_code gm_session_options(gm_cx *cx, gm_session *s, const char *options)
{
    const char *tmp = getenv("TMPDIR");
    s->budget->limit = (int64_t)((double)gm_memory_allowed() * 0.8);
    s->threads = gm_cpus_allowed();
    (void)options;
    s->spill = gm_oom_now() ? NULL : strdup(tmp && *tmp ? tmp : "/tmp");
    return s->spill ? GM_OK : gm_fail(cx, GM_ENOMEM, "out of memory");
}

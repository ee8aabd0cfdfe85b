/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - the options of a session: {"threads", "memory", "seed", "spill", "locked"}, and their defaults.
 */
#include "base/doc.h"
#include "base/session.h"
#include <stdlib.h>

static gm_code memory(gm_cx *cx, const gm_doc *d, int64_t *limit)
{
    double bytes = 0;
    if (d == NULL || d->kind == GM_D_NULL) return GM_OK;
    bool fine =
        d->kind == GM_D_STR ? gm_read_bytes(d->str, &bytes) : d->kind == GM_D_INT || d->kind == GM_D_REAL;
    if (fine && d->kind != GM_D_STR) bytes = d->real;
    if (!fine || !(bytes >= 1e6) || !(bytes < 9e18))
        return gm_hint_add(
            cx,
            gm_fail(cx, GM_EPARAM, "option 'memory': expected at least 1MB, found %s", gm_doc_found(cx, d)),
            "write it as \"2GB\", \"512MB\" or \"4GiB\", or as a number of bytes");
    *limit = (int64_t)bytes;
    return GM_OK;
}

gm_code gm_session_options(gm_cx *cx, gm_session *s, const char *options)
{
    static const char *const keys[] = {"threads", "memory", "seed", "spill", "locked", NULL};
    const char *tmp = getenv("TMPDIR"), *spill;
    gm_doc *d = NULL;
    int64_t threads, seed;
    s->budget->limit = (int64_t)((double)gm_memory_allowed() * 0.8);
    s->threads = gm_cpus_allowed();
    if (options) GM_TRY(gm_doc_json(cx, gm_scratch(cx), options, strlen(options), "option", &d));
    GM_TRY(gm_doc_only(cx, d, "option", keys));
    GM_TRY(gm_doc_int(cx, d, "threads", s->threads, 1, 1024, &threads));
    GM_TRY(gm_doc_int(cx, d, "seed", 0, 0, GM_SEED_MAX, &seed));
    GM_TRY(gm_doc_bool(cx, d, "locked", false, &s->locked));
    GM_TRY(gm_doc_str(cx, d, "spill", tmp && *tmp ? tmp : "/tmp", &spill));
    GM_TRY(memory(cx, gm_doc_get(d, "memory"), &s->budget->limit));
    s->threads = (int)threads;
    s->seed = (uint64_t)seed;
    s->spill = gm_oom_now() ? NULL : strdup(spill);
    return s->spill ? GM_OK : gm_fail(cx, GM_ENOMEM, "out of memory");
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.c - sessions and contexts: making, forking, counting, and the slots for what is made once per
 * session.
 */
#include "base/session.h"
#include <stdlib.h>
#include <string.h>

static gm_session *session_new(void)
{
    gm_session *s = gm_oom_now() ? NULL : calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    if ((s->budget = gm_budget_new(INT64_MAX)) == NULL) return free(s), NULL;
    atomic_init(&s->refs, 1);
    for (int i = 0; i < GM_SLOTS; i++) pthread_mutex_init(&s->slot[i].lock, NULL);
    return s;
}

gm_session *gm_session_ref(gm_session *s)
{
    atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

void gm_session_unref(gm_session *s)
{
    if (s == NULL || atomic_fetch_sub(&s->refs, 1) != 1) return;
    for (int i = GM_SLOTS;
         i-- > 0;) { /* what was declared later may lean on what is earlier: the database on the pool */
        if (s->slot[i].object) s->slot[i].destroy(s->slot[i].object);
        pthread_mutex_destroy(&s->slot[i].lock);
    }
    gm_budget_unref(s->budget);
    free(s->spill);
    free(s);
}

gm_session *gm_session_of(gm_cx *cx) { return cx->session; }

/* Takes the reference that the caller holds on s, also when it fails. */
static gm_cx *cx_over(gm_session *s)
{
    gm_cx *cx = s == NULL || gm_oom_now() ? NULL : calloc(1, sizeof *cx);
    if (cx == NULL) return gm_session_unref(s), NULL;
    cx->session = s;
    pthread_mutex_init(&cx->lock, NULL);
    pthread_mutex_init(&cx->event_lock, NULL);
    return cx;
}

gm_code gm_cx_new(const char *options, gm_cx **out)
{
    gm_cx *cx = cx_over(session_new());
    if ((*out = cx) == NULL) return GM_ENOMEM;
    gm_code code = gm_session_options(cx, cx->session, options);
    gm_cx_end(cx);
    return code;
}

gm_code gm_cx_fork(gm_cx *cx, gm_cx **out)
{
    gm_cx *other = cx_over(gm_session_ref(cx->session));
    if (other == NULL) return gm_fail(cx, GM_ENOMEM, "out of memory for a context");
    *out = other;
    return GM_OK;
}

void gm_cx_free(gm_cx *cx)
{
    if (cx == NULL) return;
    gm_arena_end(&cx->scratch);
    pthread_mutex_destroy(&cx->lock);
    pthread_mutex_destroy(&cx->event_lock);
    gm_session_unref(cx->session);
    free(cx);
}

uint64_t gm_seed(const gm_cx *cx) { return cx->session->seed; }
int gm_threads(const gm_cx *cx) { return cx->session->threads; }
const char *gm_spill_dir(const gm_cx *cx) { return cx->session->spill; }
bool gm_locked(const gm_cx *cx) { return cx->session->locked; }

gm_code gm_session_slot(gm_cx *cx, gm_slot slot, gm_code (*make)(gm_cx *cx, void **out),
                        void (*destroy)(void *), void **out)
{
    gm_session *s = cx->session;
    gm_code code = GM_OK;
    pthread_mutex_lock(&s->slot[slot].lock);
    if (s->slot[slot].object == NULL) {
        void *made = NULL;
        code = make(cx, &made);
        if (code == GM_OK) {
            s->slot[slot].object = made;
            s->slot[slot].destroy = destroy;
        }
    }
    if (code == GM_OK) *out = s->slot[slot].object;
    pthread_mutex_unlock(&s->slot[slot].lock);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h - the structs behind cx.h, for the files of base/ only.
 *
 * gm_budget lives apart from the session, so that a model's memory is counted back after the session is gone
 * without keeping its threads and database alive.
 */
#ifndef GM_BASE_SESSION_H
#define GM_BASE_SESSION_H
#include "base/cx.h"
#include <pthread.h>
#include <stdatomic.h>

typedef struct gm_budget {
    atomic_int refs;
    _Atomic int64_t used;
    int64_t limit;
} gm_budget;

gm_budget *gm_budget_new(int64_t limit); /* NULL: out of memory */
gm_budget *gm_budget_ref(gm_budget *b);
void gm_budget_unref(gm_budget *b);
bool gm_oom_now(void); /* the test hook says: this allocation fails */

struct gm_session {
    atomic_int refs;
    gm_budget *budget;
    int threads;
    uint64_t seed;
    bool locked;
    char *spill;
    struct {
        pthread_mutex_t lock;
        void *object;
        void (*destroy)(void *);
    } slot[GM_SLOTS];
};

/* How a cancel meets the owner of what it stops: gm_cx_cancel goes ARMED -> RUNNING -> ARMED around the call.
 */
enum { GM_STOP_NONE, GM_STOP_ARMED, GM_STOP_RUNNING };

struct gm_cx {
    gm_session *session;
    gm_arena scratch;

    pthread_mutex_t lock; /* guards message and hint while code is being set */
    _Atomic int code;
    char message[4096], hint[1024];

    atomic_bool cancelled;
    atomic_int stop_state;
    void (*stop)(void *);
    void *stop_arg;

    pthread_mutex_t event_lock; /* one event at a time */
    void (*receive)(void *user, const gm_event *event);
    void *user;
    atomic_bool listening;
    _Atomic int64_t progress_at; /* when the last progress was sent on, in ms */
    _Atomic(const char *) progress_code;
};

/* The limits as a tree of files under root says (tests put one there); "" is the machine's own. */
int64_t gm_memory_allowed_in(const char *root);
int gm_cpus_allowed_in(const char *root);

/* Reads the options of gm_open into a fresh session. */
gm_code gm_session_options(gm_cx *cx, gm_session *s, const char *options) GM_NODISCARD;
#endif

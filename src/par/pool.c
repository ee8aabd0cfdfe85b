/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.c - the session's threads. A job is a counter of parts on the caller's stack, listed in the pool while
 * it runs; the caller and any idle worker draw parts from it. The caller waits only for workers that joined
 * its job, so a pool whose threads are missing (no resources, or after fork) still finishes every job.
 */
#include "par/pool.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

typedef struct job {
    gm_cx *cx;
    gm_task task;
    void *arg;
    int64_t parts;
    _Atomic int64_t next;
    atomic_int code; /* of the first part that failed */
    int helpers;     /* workers inside; guarded by the pool's lock */
    pthread_t owner;
    struct job *after;
} job;

typedef struct pool {
    pthread_mutex_t lock;
    pthread_cond_t work, left; /* a job came or the end; a worker left a job */
    job *jobs;                 /* newest first; guarded by lock */
    bool stop;
    int n_threads;
    pid_t pid;
    pthread_t thread[];
} pool;

/* Draws parts until none is left, one failed, or the call was cancelled. */
static void draw(job *j)
{
    while (atomic_load_explicit(&j->code, memory_order_relaxed) == GM_OK) {
        int64_t part = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed);
        if (part >= j->parts) return;
        gm_code code = gm_check_cancel(j->cx);
        if (code == GM_OK) code = j->task(j->cx, j->arg, part);
        int fine = GM_OK;
        if (code != GM_OK) atomic_compare_exchange_strong(&j->code, &fine, (int)code);
    }
}

static bool drained(job *j)
{
    return atomic_load_explicit(&j->code, memory_order_relaxed) != GM_OK ||
           atomic_load_explicit(&j->next, memory_order_relaxed) >= j->parts;
}

static void *work(void *arg)
{
    pool *p = arg;
    pthread_mutex_lock(&p->lock);
    while (!p->stop) {
        job *j = p->jobs;
        while (j && drained(j)) j = j->after;
        if (j == NULL) {
            pthread_cond_wait(&p->work, &p->lock);
            continue;
        }
        j->helpers++;
        pthread_mutex_unlock(&p->lock);
        draw(j);
        pthread_mutex_lock(&p->lock);
        if (--j->helpers == 0) pthread_cond_broadcast(&p->left);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void pool_free(void *arg)
{
    pool *p = arg;
    if (p->pid == getpid()) { /* a child of fork has the memory but not the threads */
        pthread_mutex_lock(&p->lock);
        p->stop = true;
        pthread_cond_broadcast(&p->work);
        pthread_mutex_unlock(&p->lock);
        for (int i = 0; i < p->n_threads; i++) pthread_join(p->thread[i], NULL);
        pthread_cond_destroy(&p->work);
        pthread_cond_destroy(&p->left);
        pthread_mutex_destroy(&p->lock);
    }
    gm_raw_free(p);
}

/* Workers block all signals, so that those meant for the program reach the program's own threads. */
static gm_code pool_new(gm_cx *cx, void **out)
{
    int wanted = gm_threads(cx) - 1;
    pool *p = gm_raw_alloc(cx, sizeof *p + (size_t)wanted * sizeof p->thread[0]);
    if (p == NULL) return gm_why_null(cx);
    p->jobs = NULL;
    p->stop = false;
    p->n_threads = 0;
    p->pid = getpid();
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->left, NULL);

    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    for (int i = 0; i < wanted && pthread_create(&p->thread[i], NULL, work, p) == 0; i++) {
        char name[16];
        snprintf(name, sizeof name, "gm-%d", i + 1);
        pthread_setname_np(p->thread[i], name);
        p->n_threads++;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    *out = p;
    return GM_OK;
}

/* A nested call comes from a worker, or from the owner of a listed job. */
static bool nested(const pool *p, pthread_t self)
{
    for (int i = 0; i < p->n_threads; i++)
        if (pthread_equal(p->thread[i], self)) return true;
    for (const job *j = p->jobs; j; j = j->after)
        if (pthread_equal(j->owner, self)) return true;
    return false;
}

static void unlist(pool *p, job *gone)
{
    job **at = &p->jobs;
    while (*at != gone) at = &(*at)->after;
    *at = gone->after;
}

gm_code gm_par(gm_cx *cx, int64_t parts, gm_task task, void *arg)
{
    job j = {.cx = cx, .task = task, .arg = arg, .parts = parts, .owner = pthread_self()};
    pool *p = NULL;
    if (parts > 1 && gm_threads(cx) > 1) {
        void *made;
        GM_TRY(gm_session_slot(cx, GM_SLOT_POOL, pool_new, pool_free, &made));
        p = made;
        pthread_mutex_lock(&p->lock);
        if (nested(p, j.owner)) {
            pthread_mutex_unlock(&p->lock);
            p = NULL;
        } else {
            j.after = p->jobs;
            p->jobs = &j;
            pthread_cond_broadcast(&p->work);
            pthread_mutex_unlock(&p->lock);
        }
    }
    draw(&j);
    if (p) {
        pthread_mutex_lock(&p->lock);
        while (j.helpers > 0) pthread_cond_wait(&p->left, &p->lock);
        unlist(p, &j);
        pthread_mutex_unlock(&p->lock);
    }
    int code = atomic_load(&j.code);
    if (code == GM_OK) return GM_OK;
    return gm_cx_code(cx) != GM_OK ? gm_cx_code(cx) : (gm_code)code;
}

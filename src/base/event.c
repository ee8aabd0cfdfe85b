/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.c - what the library tells while it works. The receiver is called from any thread, one call at
 * a time.
 *
 * An event is never a reason to fail, nor does it touch what another thread has told of a failure: fields
 * that are too long for FIELDS are left out.
 */
#include "base/buf.h"
#include "base/session.h"
#include <math.h>
#include <time.h>

enum { PROGRESS_EVERY_MS = 50, FIELDS = 16384 };

bool gm_listening(const gm_cx *cx) { return atomic_load_explicit(&cx->listening, memory_order_relaxed); }

void gm_cx_listen(gm_cx *cx, void (*receive)(void *user, const gm_event *event), void *user)
{
    pthread_mutex_lock(&cx->event_lock);
    cx->receive = receive;
    cx->user = user;
    atomic_store(&cx->listening, receive != NULL);
    pthread_mutex_unlock(&cx->event_lock);
}

static void send(gm_cx *cx, const gm_event *event)
{
    pthread_mutex_lock(&cx->event_lock);
    if (cx->receive) cx->receive(cx->user, event);
    pthread_mutex_unlock(&cx->event_lock);
}

static void format(char *out, size_t size, const char *fmt, ...) GM_PRINTF(3, 4);
static void format(char *out, size_t size, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    gm_vformat(out, size, fmt, ap);
    va_end(ap);
}

void gm_emit(gm_cx *cx, int level, const char *code, const char *fields, const char *fmt, ...)
{
    char text[2048], all[FIELDS];
    if (!gm_listening(cx)) return;
    va_list ap;
    va_start(ap, fmt);
    gm_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    size_t n = strlen(fields);
    if (n + 3 > sizeof all) n = 0;
    all[0] = '{';
    memcpy(all + 1, fields, n);
    all[n + 1] = '}';
    all[n + 2] = 0;
    send(cx, &(gm_event){.level = level, .code = code, .text = text, .fields = all, .unit = ""});
}

void gm_emit_kv(gm_cx *cx, int level, const char *code, const char *text, ...)
{
    if (!gm_listening(cx)) return;
    char all[FIELDS];
    gm_buf b = gm_buf_over(all, sizeof all);
    va_list ap;
    gm_json_open(&b, NULL, '{');
    va_start(ap, text);
    for (const char *key; (key = va_arg(ap, const char *)) != NULL;)
        gm_json_str(&b, key, va_arg(ap, const char *));
    va_end(ap);
    gm_json_close(&b, '}');
    bool fine = gm_buf_done(&b) == GM_OK;
    send(cx,
         &(gm_event){.level = level, .code = code, .text = text, .fields = fine ? b.p : "{}", .unit = ""});
}

void gm_progress(gm_cx *cx, const char *code, double done, double total, const char *unit, const char *text)
{
    struct timespec now;
    char fields[128], a[32], b[32];
    if (!gm_listening(cx)) return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000, last = atomic_load(&cx->progress_at);
    bool end = total > 0 && done >= total, other = atomic_exchange(&cx->progress_code, code) != code;
    if (!end && !other && ms - last < PROGRESS_EVERY_MS) return;
    if (!atomic_compare_exchange_strong(&cx->progress_at, &last, ms) && !end)
        return; /* another thread tells */
    gm_real_text(done, false, a);
    gm_real_text(total, false, b);
    format(fields, sizeof fields, "{\"done\":%s,\"total\":%s}", isfinite(done) ? a : "null",
           isfinite(total) ? b : "null");
    send(cx, &(gm_event){.level = GM_PROGRESS,
                         .code = code,
                         .text = text ? text : "",
                         .fields = fields,
                         .unit = unit ? unit : "",
                         .done = done,
                         .total = total});
}

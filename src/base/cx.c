/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cx.c - the error of a call, and cancelling.
 *
 * Telling a failure allocates nothing: the texts stand in the context. Column names and values end up in
 * messages, so control characters and broken UTF-8 are replaced before anyone's terminal or parser sees them.
 */
#include "base/session.h"
#include "base/text.h"
#include <stdio.h>
#include <time.h>

/* Makes text of size bytes valid UTF-8 on which a terminal does nothing; marks what vsnprintf had to cut. */
static void clean(char *text, size_t size, bool cut)
{
    size_t n = strlen(text), k;
    for (size_t i = 0; i < n; i += k) {
        unsigned char c = (unsigned char)text[i];
        k = gm_utf8_len(text + i, n - i);
        if (k == 0 && cut && n - i < 4) {
            text[n = i] = 0; /* the last character was cut in two */
            break;
        }
        bool control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
        bool c1 = k == 2 && c == 0xc2 && (unsigned char)text[i + 1] < 0xa0;
        if (k == 0 || control) text[i] = '?', k = 1;
        if (c1) text[i] = text[i + 1] = '?';
    }
    if (!cut) return;
    size_t at = n + 4 <= size ? n : size - 4;
    while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80) at--;
    memcpy(text + at, "...", 4);
}

static void put(char *out, size_t size, const char *fmt, va_list ap)
{
    int n = gm_vformat(out, size, fmt, ap);
    clean(out, size, n < 0 || (size_t)n >= size);
}

gm_code(gm_fail)(gm_cx *cx, gm_code code, const char *fmt, ...)
{
    if (code == GM_OK) code = GM_EINTERNAL;
    if (cx == NULL) return code;
    pthread_mutex_lock(&cx->lock);
    gm_code first = (gm_code)atomic_load(&cx->code);
    if (first == GM_OK) {
        va_list ap;
        va_start(ap, fmt);
        put(cx->message, sizeof cx->message, fmt, ap);
        va_end(ap);
        cx->hint[0] = 0;
        atomic_store(&cx->code, (int)(first = code));
    }
    pthread_mutex_unlock(&cx->lock);
    return first; /* the code that goes with the message */
}

gm_code(gm_hint_add)(gm_cx *cx, gm_code code, const char *fmt, ...)
{
    if (cx == NULL || code == GM_OK) return code;
    pthread_mutex_lock(&cx->lock);
    if ((gm_code)atomic_load(&cx->code) == code && cx->hint[0] == 0) {
        va_list ap;
        va_start(ap, fmt);
        put(cx->hint, sizeof cx->hint, fmt, ap);
        va_end(ap);
    }
    pthread_mutex_unlock(&cx->lock);
    return code;
}

gm_code gm_fail_as(gm_cx *cx, gm_code code, gm_code from, gm_code to)
{
    if (code == GM_OK || code != from) return code;
    if (cx == NULL) return to;
    pthread_mutex_lock(&cx->lock);
    if ((gm_code)atomic_load(&cx->code) == from) atomic_store(&cx->code, (int)to);
    pthread_mutex_unlock(&cx->lock);
    return to;
}

gm_code(gm_within)(gm_cx *cx, gm_code code, const char *fmt, ...)
{
    char front[1024], *m;
    if (cx == NULL || code == GM_OK) return code;
    va_list ap;
    va_start(ap, fmt);
    put(front, sizeof front - 2, fmt, ap);
    va_end(ap);
    memcpy(front + strlen(front), ": ", 3);
    pthread_mutex_lock(&cx->lock);
    if ((gm_code)atomic_load(&cx->code) == code) {
        size_t k = strlen(front), n = strlen(m = cx->message);
        bool cut = k + n >= sizeof cx->message;
        if (cut) n = sizeof cx->message - k - 1;
        memmove(m + k, m, n);
        memcpy(m, front, k);
        m[k + n] = 0;
        if (cut) clean(m, sizeof cx->message, true);
    }
    pthread_mutex_unlock(&cx->lock);
    return code;
}

gm_code gm_cx_code(const gm_cx *cx) { return cx ? (gm_code)atomic_load(&cx->code) : GM_EUSAGE; }
const char *gm_cx_message(const gm_cx *cx) { return gm_cx_code(cx) != GM_OK && cx ? cx->message : ""; }
const char *gm_cx_hint(const gm_cx *cx) { return gm_cx_code(cx) != GM_OK && cx ? cx->hint : ""; }

void gm_cx_forget(gm_cx *cx)
{
    pthread_mutex_lock(&cx->lock);
    cx->message[0] = cx->hint[0] = 0;
    atomic_store(&cx->code, GM_OK);
    pthread_mutex_unlock(&cx->lock);
}

void gm_cx_begin(gm_cx *cx)
{
    if (cx == NULL) return;
    gm_cx_forget(cx);
    gm_arena_end(&cx->scratch);
    atomic_store(&cx->cancelled, false);
    atomic_store(&cx->progress_code, NULL);
}

void gm_cx_end(gm_cx *cx)
{
    if (cx) gm_arena_end(&cx->scratch);
}

/* ---- cancelling ---- */

bool gm_cancelled(const gm_cx *cx) { return atomic_load_explicit(&cx->cancelled, memory_order_relaxed); }

gm_code gm_check_cancel(gm_cx *cx) { return gm_cancelled(cx) ? gm_fail(cx, GM_ECANCEL, "cancelled") : GM_OK; }

void gm_cx_cancel(gm_cx *cx)
{
    if (cx == NULL) return;
    int armed = GM_STOP_ARMED;
    atomic_store(&cx->cancelled, true);
    /* Not armed: nothing to stop, or another thread is stopping it right now. */
    if (!atomic_compare_exchange_strong(&cx->stop_state, &armed, GM_STOP_RUNNING)) return;
    cx->stop(cx->stop_arg);
    atomic_store(&cx->stop_state, GM_STOP_ARMED);
}

void gm_on_cancel(gm_cx *cx, void (*stop)(void *), void *arg)
{
    for (;;) {
        int armed = GM_STOP_ARMED;
        if (atomic_compare_exchange_strong(&cx->stop_state, &armed, GM_STOP_NONE) || armed == GM_STOP_NONE)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL); /* a stop is running: it only sets a flag */
    }
    cx->stop = stop;
    cx->stop_arg = arg;
    if (stop == NULL) return;
    atomic_store(&cx->stop_state, GM_STOP_ARMED);
    if (gm_cancelled(cx)) gm_cx_cancel(cx); /* it came before there was anything to stop */
}

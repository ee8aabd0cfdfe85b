/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.c - memory with an owner: blocks and foreign objects, released in reverse order; every byte is
 * charged to the session's budget.
 *
 * Small pieces are cut from chunks; pieces over a quarter of a chunk are blocks of their own. Under
 * AddressSanitizer each piece is its own block of exact size, so that overruns are seen.
 */
#include "base/session.h"
#include "base/text.h"
#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define GM_EXACT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GM_EXACT 1
#endif
#endif
#ifndef GM_EXACT
#define GM_EXACT 0
#endif

enum { SMALL_CHUNK = 4096, LARGE_CHUNK = 65536, ALIGN = 64 };

struct gm_owned {
    void *p;
    void (*destroy)(void *);
    size_t bytes; /* of a block of our own; 0: a foreign object */
};

long gm_oom_after = -1;

bool gm_oom_now(void)
{
    if (__atomic_load_n(&gm_oom_after, __ATOMIC_RELAXED) < 0) return false;
    return __atomic_fetch_sub(&gm_oom_after, 1, __ATOMIC_RELAXED) == 0;
}

/* ---- the budget ---- */

gm_budget *gm_budget_new(int64_t limit)
{
    gm_budget *b = gm_oom_now() ? NULL : calloc(1, sizeof *b);
    if (b == NULL) return NULL;
    atomic_init(&b->refs, 1);
    b->limit = limit;
    return b;
}

gm_budget *gm_budget_ref(gm_budget *b)
{
    atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
    return b;
}

void gm_budget_unref(gm_budget *b)
{
    if (b && atomic_fetch_sub(&b->refs, 1) == 1) free(b);
}

static void refund(gm_budget *b, size_t bytes)
{
    atomic_fetch_sub_explicit(&b->used, (int64_t)bytes, memory_order_relaxed);
}

static gm_code charge(gm_cx *cx, gm_budget *b, size_t bytes)
{
    char need[32], used[32], limit[32];
    int64_t before = atomic_fetch_add_explicit(&b->used, (int64_t)bytes, memory_order_relaxed);
    if (before + (int64_t)bytes <= b->limit) return GM_OK;
    refund(b, bytes);
    gm_bytes_text((double)bytes, need);
    gm_bytes_text((double)before, used);
    gm_bytes_text((double)b->limit, limit);
    return gm_hint_add(cx,
                       gm_fail(cx, GM_ELIMIT,
                               "%s more are needed, and %s of the memory limit of %s are in use", need, used,
                               limit),
                       "raise the memory limit, read fewer columns, or make fewer features");
}

static gm_code no_memory(gm_cx *cx, size_t bytes)
{
    char need[32];
    gm_bytes_text((double)bytes, need);
    return gm_hint_add(
        cx, gm_fail(cx, GM_ENOMEM, "out of memory: the system gave no %s", need),
        "close other programs, or set a memory limit below what is free so that data are spilled");
}

int64_t gm_memory_limit(const gm_cx *cx) { return cx->session->budget->limit; }
int64_t gm_memory_used(const gm_cx *cx) { return atomic_load(&cx->session->budget->used); }

/* ---- arenas ---- */

static gm_code own(gm_cx *cx, gm_arena *a, struct gm_owned o);

/* An idle block of this size, or NULL. It becomes the oldest of those in use. */
static void *wake(gm_arena *a, size_t bytes)
{
    for (size_t i = a->idle; i-- > 0;) {
        struct gm_owned o = a->own[i];
        if (o.bytes != bytes) continue;
        a->own[i] = a->own[--a->idle];
        a->own[a->idle] = o;
        return memset(o.p, 0, bytes);
    }
    return NULL;
}

/* bytes of zeroed memory owned by a; *at is aligned to align. */
static gm_code block(gm_cx *cx, gm_arena *a, size_t bytes, size_t align, char **at)
{
    size_t slack = GM_EXACT ? 0 : align - 1;
    void *p = wake(a, bytes + slack);
    if (p) return *at = (char *)(((uintptr_t)p + slack) & ~(uintptr_t)slack), GM_OK;
    if (a->budget == NULL) a->budget = gm_budget_ref(cx->session->budget);
    GM_TRY(charge(cx, a->budget, bytes + slack));
    a->charged += bytes + slack;
    if (GM_EXACT) {
        if (posix_memalign(&p, align, bytes) != 0) p = NULL;
        if (p) memset(p, 0, bytes);
    } else {
        p = calloc(1, bytes + slack);
    }
    if (p == NULL) {
        refund(a->budget, bytes + slack);
        a->charged -= bytes + slack;
        return no_memory(cx, bytes);
    }
    *at = (char *)(((uintptr_t)p + slack) & ~(uintptr_t)slack);
    return own(cx, a, (struct gm_owned){p, free, bytes + slack});
}

void *gm_alloc(gm_cx *cx, gm_arena *a, int64_t n, size_t size)
{
    size_t bytes;
    char *p = NULL;
    if (n < 0 || __builtin_mul_overflow((size_t)n, size, &bytes) || bytes > SIZE_MAX / 4) {
        (void)!gm_fail(cx, GM_ELIMIT, "an array of %lld x %zu bytes cannot be", (long long)n, size);
        return NULL;
    }
    if (gm_oom_now()) {
        (void)!no_memory(cx, bytes);
        return NULL;
    }
    if (bytes == 0) bytes = 1;
    size_t align = bytes >= ALIGN ? ALIGN : 16;
    size_t chunk = a->charged < LARGE_CHUNK ? SMALL_CHUNK : LARGE_CHUNK;
    if (GM_EXACT || bytes > chunk / 4) return block(cx, a, bytes, align, &p) == GM_OK ? p : NULL;
    size_t pad = -(uintptr_t)a->chunk & (align - 1);
    if (a->chunk == NULL || a->chunk_left < pad + bytes) {
        if (block(cx, a, chunk, ALIGN, &a->chunk) != GM_OK) return a->chunk = NULL, a->chunk_left = 0, NULL;
        a->chunk_left = chunk;
        pad = 0;
    }
    p = a->chunk + pad;
    a->chunk += pad + bytes;
    a->chunk_left -= pad + bytes;
    return p;
}

void *gm_regrow(gm_cx *cx, gm_arena *a, const void *old, int64_t old_n, int64_t n, size_t size)
{
    void *p = gm_alloc(cx, a, n, size);
    if (p && old && old_n > 0) memcpy(p, old, (size_t)(old_n < n ? old_n : n) * size);
    return p;
}

static gm_code own(gm_cx *cx, gm_arena *a, struct gm_owned o)
{
    if (a->len == a->cap) {
        size_t cap = a->cap ? 2 * a->cap : 8, more = (cap - a->cap) * sizeof *a->own;
        if (a->budget == NULL) a->budget = gm_budget_ref(cx->session->budget);
        gm_code code = charge(cx, a->budget, more);
        struct gm_owned *room = code != GM_OK || gm_oom_now() ? NULL : realloc(a->own, cap * sizeof *room);
        if (room == NULL) {
            if (code == GM_OK) refund(a->budget, more);
            o.destroy(o.p);
            return code != GM_OK ? code : no_memory(cx, more);
        }
        a->charged += more;
        a->own = room;
        a->cap = cap;
    }
    a->own[a->len++] = o;
    return GM_OK;
}

gm_code gm_own(gm_cx *cx, gm_arena *a, void *p, void (*destroy)(void *))
{
    return own(cx, a, (struct gm_owned){p, destroy, 0});
}

void gm_arena_clear(gm_arena *a)
{
    size_t kept = 0;
    if (GM_EXACT) { /* use of what was cleared is to be seen */
        gm_arena_end(a);
        return;
    }
    for (size_t i = a->len; i-- > a->idle;)
        if (a->own[i].bytes == 0) a->own[i].destroy(a->own[i].p);
    /* What nobody asked for since the last time is of a size that does not come back. */
    for (size_t i = 0; i < a->idle; i++) {
        a->own[i].destroy(a->own[i].p);
        refund(a->budget, a->own[i].bytes);
        a->charged -= a->own[i].bytes;
    }
    for (size_t i = a->idle; i < a->len; i++)
        if (a->own[i].bytes > 0) a->own[kept++] = a->own[i];
    a->len = a->idle = kept;
    a->chunk = NULL;
    a->chunk_left = 0;
}

void gm_arena_end(gm_arena *a)
{
    gm_arena was = *a; /* a itself may stand in memory that goes now */
    *a = (gm_arena){0};
    while (was.len > 0) {
        struct gm_owned o = was.own[--was.len];
        o.destroy(o.p);
    }
    free(was.own);
    if (was.budget == NULL) return;
    refund(was.budget, was.charged);
    gm_budget_unref(was.budget);
}

gm_arena *gm_scratch(gm_cx *cx) { return &cx->scratch; }

char *gm_strndup(gm_cx *cx, gm_arena *a, const char *s, size_t n)
{
    char *p = gm_alloc(cx, a, (int64_t)n + 1, 1);
    if (p && n) memcpy(p, s, n);
    return p;
}

char *gm_strdup(gm_cx *cx, gm_arena *a, const char *s) { return gm_strndup(cx, a, s, strlen(s)); }

char *gm_format(gm_cx *cx, gm_arena *a, const char *fmt, ...)
{
    char small[256], *p;
    va_list ap;
    va_start(ap, fmt);
    int n = gm_vformat(small, sizeof small, fmt, ap);
    va_end(ap);
    if (n < 0) return (void)!gm_fail(cx, GM_EINTERNAL, "a text cannot be formatted"), NULL;
    if ((size_t)n < sizeof small) return gm_strndup(cx, a, small, (size_t)n);
    if ((p = gm_alloc(cx, a, (int64_t)n + 1, 1)) == NULL) return NULL;
    va_start(ap, fmt);
    gm_vformat(p, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return p;
}

/* ---- raw blocks: a head in front says how much was charged to whom ---- */

typedef union raw_head {
    struct {
        size_t n;
        gm_budget *budget;
    } s;
    char room[16];
} raw_head;
_Static_assert(sizeof(raw_head) == 16, "raw blocks are 16-byte aligned");

void *gm_raw_alloc(gm_cx *cx, size_t n) { return gm_raw_regrow(cx, NULL, n); }

/* On failure the old block stays as it was. */
void *gm_raw_regrow(gm_cx *cx, void *old, size_t n)
{
    raw_head *h = old ? (raw_head *)old - 1 : NULL;
    size_t had = h ? h->s.n : 0;
    gm_budget *b = h ? h->s.budget : cx->session->budget;
    if (n > SIZE_MAX / 4) return (void)!gm_fail(cx, GM_ELIMIT, "a block of %zu bytes cannot be", n), NULL;
    if (n > had && charge(cx, b, n - had) != GM_OK) return NULL;
    raw_head *p = gm_oom_now() ? NULL : realloc(h, sizeof *p + n);
    if (p == NULL) {
        if (n > had) refund(b, n - had);
        return (void)!no_memory(cx, n), NULL;
    }
    if (n < had) refund(b, had - n);
    p->s.n = n;
    p->s.budget = old ? b : gm_budget_ref(b);
    return p + 1;
}

void gm_raw_free(void *p)
{
    if (p == NULL) return;
    raw_head *h = (raw_head *)p - 1;
    gm_budget *b = h->s.budget;
    refund(b, h->s.n);
    free(h);
    gm_budget_unref(b);
}

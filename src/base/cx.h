/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cx.h - the context every fallible function takes first: error, memory, cancelling, events, seed, pool.
 *
 * A failure is told once, where its cause is known: return gm_fail(cx, GM_EDATA, "...", ...). Callers return
 * the code up with GM_TRY and may put words in front with gm_within. The first failure of a call wins, from
 * whichever thread it comes; gm_cx_begin (the api layer) clears it.
 */
#ifndef GM_BASE_CX_H
#define GM_BASE_CX_H
#include <gristmill.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GM_NODISCARD __attribute__((warn_unused_result))
#define GM_PRINTF(a, b) __attribute__((format(printf, a, b)))
#define GM_COUNT(a) ((int64_t)(sizeof(a) / sizeof((a)[0])))

#define GM_TRY(e) \
    do { \
        gm_code try_ = (e); \
        if (try_ != GM_OK) return try_; \
    } while (0)

/* ---- errors: any thread ---- */
gm_code gm_fail(gm_cx *cx, gm_code code, const char *fmt, ...) GM_PRINTF(3, 4) GM_NODISCARD;
/* Adds what to do to the failure just told; returns its code: return gm_hint_add(cx, gm_fail(...), "..."). */
gm_code gm_hint_add(gm_cx *cx, gm_code code, const char *fmt, ...) GM_PRINTF(3, 4) GM_NODISCARD;
/* Tells a failure of code `from` as one of code `to`, same words: a document inside a model file that does
 * not parse is a damaged model. Returns the code that holds now. */
gm_code gm_fail_as(gm_cx *cx, gm_code code, gm_code from, gm_code to) GM_NODISCARD;
/* Puts "words: " in front of the message when code is a failure; returns code. */
gm_code gm_within(gm_cx *cx, gm_code code, const char *fmt, ...) GM_PRINTF(3, 4) GM_NODISCARD;
#ifdef __clang_analyzer__ /* it does not see that these return a code that is a failure when theirs is */
#define GM_TOLD(f, cx, code, ...) \
    __extension__({ \
        gm_code code_ = (code); \
        (void)!(f)((cx), code_, __VA_ARGS__); \
        code_; \
    })
#define gm_fail(cx, code, ...) GM_TOLD(gm_fail, cx, code, __VA_ARGS__)
#define gm_hint_add(cx, code, ...) GM_TOLD(gm_hint_add, cx, code, __VA_ARGS__)
#define gm_within(cx, code, ...) GM_TOLD(gm_within, cx, code, __VA_ARGS__)
#endif
gm_code gm_cx_code(const gm_cx *cx);
const char *gm_cx_message(const gm_cx *cx); /* "" when there is none */
const char *gm_cx_hint(const gm_cx *cx);
void gm_cx_forget(gm_cx *cx); /* the failure just told was handled: as if it had not been */
void gm_cx_begin(gm_cx *cx);  /* a public call starts: no error, not cancelled, scratch empty */
void gm_cx_end(gm_cx *cx);    /* it ends: scratch is released */

/* ---- memory ----
 * An arena owns blocks and foreign objects until it ends, in reverse order. Two lifetimes: scratch (this
 * public call) and kept (the model or table being made). An arena belongs to one thread at a time; a task on
 * the pool makes its own on its stack ({0}). Every allocation counts against the session's memory budget,
 * which an arena keeps alive: it may end after the context and the session that filled it.
 */
typedef struct gm_arena {
    struct gm_owned *own;
    size_t len, cap, idle; /* the first `idle` of them are blocks that nothing uses */
    char *chunk;           /* small allocations are cut from here */
    size_t chunk_left;
    struct gm_budget *budget; /* what was charged; set at the first allocation */
    size_t charged;
} gm_arena;

void gm_arena_end(gm_arena *a); /* {0} is an empty arena; ending twice is fine */
/* Ends all that is in it and keeps the memory for what comes next: for work that is done again and again. */
void gm_arena_clear(gm_arena *a);
gm_arena *gm_scratch(gm_cx *cx);
/* Zeroed, 64-byte aligned when 64 bytes or more; NULL has told GM_ENOMEM or GM_ELIMIT. Checks n * size. */
void *gm_alloc(gm_cx *cx, gm_arena *a, int64_t n, size_t size);
/* A larger copy in the same arena (the old one stays until the arena ends: grow by doubling). */
void *gm_regrow(gm_cx *cx, gm_arena *a, const void *old, int64_t old_n, int64_t n, size_t size);
char *gm_strdup(gm_cx *cx, gm_arena *a, const char *s);
char *gm_strndup(gm_cx *cx, gm_arena *a, const char *s, size_t n);
char *gm_format(gm_cx *cx, gm_arena *a, const char *fmt, ...) GM_PRINTF(3, 4);
/* Hands p to the arena; destroy(p) is called at its end, or now when this fails. */
gm_code gm_own(gm_cx *cx, gm_arena *a, void *p, void (*destroy)(void *)) GM_NODISCARD;

/* The failure that made a call return NULL; never GM_OK. */
static inline gm_code gm_why_null(const gm_cx *cx)
{
    gm_code code = gm_cx_code(cx);
    return code != GM_OK ? code : GM_ENOMEM;
}

#define GM_NEW_IN(cx, a, p, n) \
    do { \
        (p) = gm_alloc((cx), (a), (int64_t)(n), sizeof *(p)); \
        if ((p) == NULL) return gm_why_null(cx); \
    } while (0)
#define GM_NEW(cx, p, n) GM_NEW_IN(cx, gm_scratch(cx), p, n)
/* For pointers that a call returns NULL on failure: GM_GOT(cx, s = gm_format(...)). */
#define GM_GOT(cx, e) \
    do { \
        if ((e) == NULL) return gm_why_null(cx); \
    } while (0)

/* Raw blocks outside arenas, for the few owners that free by hand (growing buffers, results handed to the
 * user). gm_raw_free counts the budget back. Not zeroed, 16-byte aligned. Everything else in src/ allocates
 * through an arena. */
void *gm_raw_alloc(gm_cx *cx, size_t n);
void *gm_raw_regrow(gm_cx *cx, void *p, size_t n);
void gm_raw_free(void *p);

int64_t gm_memory_limit(const gm_cx *cx); /* bytes for the whole session */
int64_t gm_memory_used(const gm_cx *cx);  /* bytes charged now */
extern long gm_oom_after;                 /* test hook: the n-th allocation from now fails; < 0: never */

/* ---- the rest of a call's world ---- */
bool gm_cancelled(const gm_cx *cx);
gm_code gm_check_cancel(gm_cx *cx) GM_NODISCARD; /* GM_ECANCEL when asked to stop; cheap, call it per tile */
void gm_cx_cancel(gm_cx *cx);                    /* from any thread, also in a signal handler */
/* Registers what gm_cancel must also do (interrupt a query); NULL removes, and returns once no stop is
 * running. stop may run in a signal handler: it sets a flag, no more. */
void gm_on_cancel(gm_cx *cx, void (*stop)(void *), void *arg);

#define GM_SEED_MAX 9007199254740991 /* 2^53 - 1: a seed is a whole number from 0 that JSON keeps exactly */
uint64_t gm_seed(const gm_cx *cx);
int gm_threads(const gm_cx *cx);
const char *gm_spill_dir(const gm_cx *cx);
bool gm_locked(const gm_cx *cx);

/* What the machine allows: cgroup limits (v1 and v2) and physical memory; affinity and cgroup quota. */
int64_t gm_memory_allowed(void);
int gm_cpus_allowed(void);

/* The session outlives its contexts while tables hold it. */
typedef struct gm_session gm_session;
gm_session *gm_session_of(gm_cx *cx);
gm_session *gm_session_ref(gm_session *s);
void gm_session_unref(gm_session *s);
/* A slot for one lazily made object per session (the pool, the database): get-or-make under a lock. */
typedef enum gm_slot { GM_SLOT_POOL, GM_SLOT_DB, GM_SLOTS } gm_slot;
gm_code gm_session_slot(gm_cx *cx, gm_slot slot, gm_code (*make)(gm_cx *cx, void **out),
                        void (*destroy)(void *), void **out) GM_NODISCARD;

/* ---- events ---- */
enum { GM_PROGRESS = 0, GM_INFO = 1, GM_WARNING = 2 };
bool gm_listening(const gm_cx *cx);
void gm_cx_listen(gm_cx *cx, void (*receive)(void *user, const gm_event *event), void *user);
/* fields: "" or the inside of a JSON object without braces, made by printf from safe values
 * ("\"rows\":%lld"); texts that come from data go through gm_emit_kv below. text is printf style. */
void gm_emit(gm_cx *cx, int level, const char *code, const char *fields, const char *fmt, ...)
    GM_PRINTF(5, 6);
/* The same with fields that are texts from data: key, value, key, value, ..., NULL. */
void gm_emit_kv(gm_cx *cx, int level, const char *code, const char *text, ...) __attribute__((sentinel));
/* Call it as often as you like: at most 20 a second of one code are sent on, and the last (done = total). */
void gm_progress(gm_cx *cx, const char *code, double done, double total, const char *unit, const char *text);

/* What gm_open does: *out is set also on failure, to read the message from. */
gm_code gm_cx_new(const char *options, gm_cx **out) GM_NODISCARD;
gm_code gm_cx_fork(gm_cx *cx, gm_cx **out) GM_NODISCARD;
void gm_cx_free(gm_cx *cx);
#endif

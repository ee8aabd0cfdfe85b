/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - text as the table sees it: 16-byte views, and packed lists.
 *
 * gm_text has DuckDB's string layout, so that its strings are used without a copy: up to 12 bytes stand
 * inline and zero-padded, longer ones are length, 4-byte prefix and pointer. A view borrows; who made it says
 * how long it lives.
 */
#ifndef GM_BASE_TEXT_H
#define GM_BASE_TEXT_H
#include "base/cx.h"
#include <stdarg.h>
#include <string.h>

typedef struct gm_text {
    union {
        struct {
            uint32_t len; /* bytes; GM_TEXT_MISSING for a missing value */
            char inlined[12];
        };
        struct {
            uint32_t len;
            char prefix[4];
            const char *ptr;
        } far;
    };
} gm_text;

enum { GM_TEXT_INLINE = 12 };
#define GM_TEXT_MISSING UINT32_MAX
_Static_assert(sizeof(gm_text) == 16 && offsetof(gm_text, far.ptr) == 8,
               "gm_text has the layout of duckdb_string_t");

static inline bool gm_text_missing(const gm_text *t) { return t->len == GM_TEXT_MISSING; }
static inline const char *gm_text_ptr(const gm_text *t)
{
    return t->len <= GM_TEXT_INLINE ? t->inlined : t->far.ptr;
}
gm_text gm_text_of(const char *p, size_t len); /* borrows p when it is longer than 12 bytes */
gm_text gm_text_none(void);
bool gm_text_equal(const gm_text *a, const gm_text *b);
int gm_text_compare(const gm_text *a, const gm_text *b); /* by bytes, as memcmp; shorter first */
uint64_t gm_text_hash(const gm_text *t);                 /* xxh3 of the bytes: same everywhere, for ever */

/* A list of texts in two arrays: text i is bytes[off[i] .. off[i+1]). off has n + 1 entries. */
typedef struct gm_texts {
    int64_t n;
    const int64_t *off;
    const char *bytes;
} gm_texts;
static inline gm_text gm_texts_at(const gm_texts *t, int64_t i)
{
    return gm_text_of(t->bytes + t->off[i], (size_t)(t->off[i + 1] - t->off[i]));
}
gm_code gm_texts_pack(gm_cx *cx, gm_arena *a, const gm_text *v, int64_t n, gm_texts *out) GM_NODISCARD;

/* Strings by pointer, for names. */
typedef struct gm_names {
    int64_t n;
    const char *const *v;
} gm_names;
/* The entry of names nearest to s by edit distance, for "did you mean"; NULL when none is near. */
const char *gm_nearest(const char *s, const char *const *names, int64_t n);
bool gm_utf8_valid(const char *p, size_t n,
                   size_t *bad); /* *bad: offset of the first wrong byte; may be NULL */
/* Length in bytes of the valid UTF-8 sequence at p (at most n), 0 when there is none. */
size_t gm_utf8_len(const char *p, size_t n);

/* Numbers and text, the same under every locale of the host. */
bool gm_read_real(const char *s, double *out); /* the whole of s; false when it is not a number */
bool gm_read_int(const char *s, int64_t *out); /* the same, in decimal; false when out of range too */
int gm_vformat(char *out, size_t size, const char *fmt, va_list ap) GM_PRINTF(3, 0); /* vsnprintf */
void gm_bytes_text(double bytes, char out[32]);                                      /* "1.5 GB" */
bool gm_read_bytes(const char *s, double *out); /* "2GB", "512MiB", "1000000" */
#endif

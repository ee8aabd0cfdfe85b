/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - 16-byte text views: making, comparing, hashing (xxh3), packing.
 */
#define XXH_INLINE_ALL
#include "base/text.h"
#include <xxhash.h>

gm_text gm_text_of(const char *p, size_t len)
{
    gm_text t = {.len = (uint32_t)len};
    if (len <= GM_TEXT_INLINE) {
        memset(t.inlined, 0, sizeof t.inlined);
        if (len) memcpy(t.inlined, p, len);
    } else {
        memcpy(t.far.prefix, p, sizeof t.far.prefix);
        t.far.ptr = p;
    }
    return t;
}

gm_text gm_text_none(void) { return (gm_text){.len = GM_TEXT_MISSING}; }

bool gm_text_equal(const gm_text *a, const gm_text *b)
{
    if (a->len != b->len) return false;
    if (gm_text_missing(a)) return true;
    return memcmp(gm_text_ptr(a), gm_text_ptr(b), a->len) == 0;
}

int gm_text_compare(const gm_text *a, const gm_text *b)
{
    if (gm_text_missing(a) || gm_text_missing(b))
        return gm_text_missing(b) - gm_text_missing(a); /* missing first */
    uint32_t n = a->len < b->len ? a->len : b->len;
    int c = memcmp(gm_text_ptr(a), gm_text_ptr(b), n);
    return c ? c : (a->len > b->len) - (a->len < b->len);
}

uint64_t gm_text_hash(const gm_text *t)
{
    if (gm_text_missing(t)) return 0x9E3779B97F4A7C15u;
    return XXH3_64bits(gm_text_ptr(t), t->len);
}

gm_code gm_texts_pack(gm_cx *cx, gm_arena *a, const gm_text *v, int64_t n, gm_texts *out)
{
    int64_t total = 0, *off;
    char *bytes;
    for (int64_t i = 0; i < n; i++) total += gm_text_missing(&v[i]) ? 0 : v[i].len;
    GM_NEW_IN(cx, a, off, n + 1);
    GM_NEW_IN(cx, a, bytes, total);
    for (int64_t i = 0; i < n; i++) {
        uint32_t len = gm_text_missing(&v[i]) ? 0 : v[i].len;
        if (len) memcpy(bytes + off[i], gm_text_ptr(&v[i]), len);
        off[i + 1] = off[i] + len;
    }
    *out = (gm_texts){n, off, bytes};
    return GM_OK;
}

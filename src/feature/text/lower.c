/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower.c - lower case of UTF-8 by Unicode's simple mappings; ASCII texts, the common case, take a short way.
 */
#include "feature/text/lower.h"
#include "feature/text/unicode_tables.h"

enum { NOT_UTF8 = 0x110000, CAPITAL_I_DOT = 0x130, SMALL_I_DOTLESS = 0x131, DOT_ABOVE = 0x307 };

uint32_t gm_utf8_next(const char *p, size_t n, size_t *len)
{
    unsigned char c = (unsigned char)p[0];
    size_t want = c < 0x80 ? 1 : c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    *len = 1;
    if (want == 1) return c;
    if (c < 0xC2 || c > 0xF4 || want > n) return NOT_UTF8 + c;
    uint32_t u = c & (0xFFu >> (want + 1));
    for (size_t i = 1; i < want; i++) {
        if (((unsigned char)p[i] & 0xC0) != 0x80) return NOT_UTF8 + c;
        u = u << 6 | ((unsigned char)p[i] & 0x3F);
    }
    *len = want;
    return u;
}

static size_t put(char *p, uint32_t u)
{
    if (u < 0x80) {
        p[0] = (char)u;
        return 1;
    }
    if (u < 0x800) {
        p[0] = (char)(0xC0 | u >> 6);
        p[1] = (char)(0x80 | (u & 0x3F));
        return 2;
    }
    if (u < 0x10000) {
        p[0] = (char)(0xE0 | u >> 12);
        p[1] = (char)(0x80 | (u >> 6 & 0x3F));
        p[2] = (char)(0x80 | (u & 0x3F));
        return 3;
    }
    p[0] = (char)(0xF0 | u >> 18);
    p[1] = (char)(0x80 | (u >> 12 & 0x3F));
    p[2] = (char)(0x80 | (u >> 6 & 0x3F));
    p[3] = (char)(0x80 | (u & 0x3F));
    return 4;
}

int64_t gm_utf8_length(const char *p, size_t n)
{
    int64_t count = 0;
    for (size_t i = 0; i < n; i++) count += ((unsigned char)p[i] & 0xC0) != 0x80;
    return count;
}

static uint32_t lower_of(uint32_t u)
{
    size_t lo = 0, hi = GM_COUNT(gm_lower_runs);
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (gm_lower_runs[mid].last < u) lo = mid + 1;
        else hi = mid;
    }
    const gm_lower_run *r = &gm_lower_runs[lo];
    if (lo == GM_COUNT(gm_lower_runs) || u < r->first || (u - r->first) % r->stride != 0) return u;
    return (uint32_t)((int32_t)u + r->delta);
}

static size_t lower_ascii(const char *p, size_t n, char *out)
{
    size_t i = 0;
    for (; i < n && (unsigned char)p[i] < 0x80; i++)
        out[i] = (char)(p[i] + (p[i] >= 'A' && p[i] <= 'Z' ? 32 : 0));
    return i;
}

/* out holds 3 n + 3 bytes: the longest growth is from 2 bytes to 3. */
static size_t lower_bytes(const char *p, size_t n, bool turkish, char *out)
{
    size_t len, m = turkish ? 0 : lower_ascii(p, n, out);
    for (size_t i = m; i < n; i += len) {
        uint32_t u = gm_utf8_next(p + i, n - i, &len);
        if (u >= NOT_UTF8) {
            out[m++] = p[i];
        } else if (u == CAPITAL_I_DOT) {
            out[m++] = 'i';
            if (!turkish) m += put(out + m, DOT_ABOVE);
        } else if (u == 'I' && turkish) {
            m += put(out + m, SMALL_I_DOTLESS);
        } else {
            m += put(out + m, u < 0x80 ? u + (u >= 'A' && u <= 'Z' ? 32 : 0) : lower_of(u));
        }
    }
    return m;
}

gm_code gm_lower(gm_cx *cx, gm_arena *a, const gm_text *t, bool turkish, gm_text *out)
{
    *out = *t;
    if (gm_text_missing(t)) return GM_OK;
    char few[3 * GM_TEXT_INLINE + 3], *bytes = few;
    if (t->len > GM_TEXT_INLINE) GM_GOT(cx, bytes = gm_alloc(cx, a, 3 * (int64_t)t->len + 3, 1));
    size_t n = lower_bytes(gm_text_ptr(t), t->len, turkish, bytes);
    if (n > GM_TEXT_INLINE && bytes == few) {
        GM_GOT(cx, bytes = gm_strndup(cx, a, few, n));
    }
    *out = gm_text_of(bytes, n);
    return GM_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * utf8.c - is it UTF-8? By the table of the Unicode standard, 3.9, D92: no overlong forms, no surrogates.
 */
#include "base/text.h"

size_t gm_utf8_len(const char *text, size_t n)
{
    const unsigned char *p = (const unsigned char *)text;
    if (n == 0) return 0;
    if (p[0] < 0x80) return 1;
    size_t k = p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
    if (k == 0 || k > n) return 0;
    unsigned lo = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
    unsigned hi = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;
    if (p[1] < lo || p[1] > hi) return 0;
    for (size_t i = 2; i < k; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    return k;
}

bool gm_utf8_valid(const char *p, size_t n, size_t *bad)
{
    size_t i = 0, k = 0;
    while (i < n) {
        uint64_t w;
        while (i + 8 <= n && (memcpy(&w, p + i, 8), (w & 0x8080808080808080u) == 0)) i += 8;
        if (i == n) break;
        if ((k = gm_utf8_len(p + i, n - i)) == 0) {
            if (bad) *bad = i;
            return false;
        }
        i += k;
    }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nearest.c - "did you mean": the name with the least edit distance (insert, delete, replace, swap of
 * neighbours; optimal string alignment), letters compared without case.
 */
#include "base/text.h"
#include <ctype.h>

enum { LONGEST = 63 };

static int lower(char c) { return tolower((unsigned char)c); }

static int distance(const char *a, int n, const char *b, int m)
{
    int d[3][LONGEST + 1]; /* the last three rows of the table, row i in d[i % 3] */
    for (int j = 0; j <= m; j++) d[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *now = d[i % 3], *up = d[(i + 2) % 3], *upup = d[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            int best = up[j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
            if (up[j] + 1 < best) best = up[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]) &&
                upup[j - 2] + 1 < best)
                best = upup[j - 2] + 1;
            now[j] = best;
        }
    }
    return d[n % 3][m];
}

const char *gm_nearest(const char *s, const char *const *names, int64_t n)
{
    size_t len = strlen(s);
    const char *best = NULL;
    int least = 0;
    if (len == 0 || len > LONGEST) return NULL;
    for (int64_t i = 0; i < n; i++) {
        size_t m = strlen(names[i]);
        if (m == 0 || m > LONGEST) continue;
        int d = distance(s, (int)len, names[i], (int)m);
        int shorter = (int)(len < m ? len : m), longer = (int)(len < m ? m : len);
        bool near = d <= 1 + shorter / 4 && d < longer; /* a typing error, not another word */
        if (near && (best == NULL || d < least)) least = d, best = names[i];
    }
    return best;
}

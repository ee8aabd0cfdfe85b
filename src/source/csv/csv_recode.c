/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_recode.c - Latin-1 and UTF-16 files as UTF-8, copied aside: the bytes are then read as those of any
 * file, by the same rules.
 */
#include "base/file.h"
#include "source/csv/csv_ends.h"
#include "source/spool.h"
#include <errno.h>
#include <string.h>

enum { PIECE = 1 << 16 };

static size_t put(char *w, unsigned u)
{
    if (u < 0x80) return w[0] = (char)u, 1;
    if (u < 0x800) return w[0] = (char)(0xc0 | u >> 6), w[1] = (char)(0x80 | (u & 63)), 2;
    size_t n = u < 0x10000 ? 3 : 4;
    w[0] = n == 3 ? (char)(0xe0 | u >> 12) : (char)(0xf0 | u >> 18);
    for (size_t i = 1; i < n; i++) w[i] = (char)(0x80 | (u >> 6 * (n - 1 - i) & 63));
    return n;
}

static unsigned unit(const unsigned char *p, bool big)
{
    return big ? p[0] * 256u + p[1] : p[1] * 256u + p[0];
}

/* What of p can be made UTF-8 now; *used: so many bytes, 0 where half a character stands. */
static size_t wide(const unsigned char *p, size_t n, bool big, char *w, size_t *used)
{
    size_t out = 0, i = 0;
    while (i + 2 <= n) {
        unsigned u = unit(p + i, big), low;
        if (u < 0xd800 || u >= 0xe000) {
            out += put(w + out, u), i += 2;
            continue;
        }
        if (u >= 0xdc00 || i + 4 > n || (low = unit(p + i + 2, big)) < 0xdc00 || low >= 0xe000) break;
        out += put(w + out, 0x10000 + ((u - 0xd800) << 10) + (low - 0xdc00)), i += 4;
    }
    *used = i;
    return out;
}

static gm_code copy_file(gm_cx *cx, FILE *f, const char *path, bool two, bool big, int to)
{
    unsigned char in[PIECE];
    char out[2 * PIECE];
    size_t have = 0, got, used;
    for (int64_t at = ftell(f); (got = fread(in + have, 1, sizeof in - have, f)) > 0 || have;
         at += (int64_t)used) {
        size_t n = 0;
        GM_TRY(gm_check_cancel(cx));
        if (ferror(f)) return gm_fail_errno(cx, errno, "cannot read", path);
        have += got;
        if (two) n = wide(in, have, big, out, &used);
        else
            for (used = 0; used < have; used++) n += put(out + n, in[used]);
        if (used == 0 && got == 0)
            return gm_fail(cx, GM_EFORMAT, "%s: the bytes at offset %lld are no character in UTF-16", path,
                           (long long)at);
        memmove(in, in + used, have - used);
        have -= used;
        GM_TRY(gm_spool_add(cx, to, out, n));
    }
    return ferror(f) ? gm_fail_errno(cx, errno, "cannot read", path) : GM_OK;
}

gm_code gm_csv_recode(gm_cx *cx, gm_arena *kept, const gm_csv_options *o, const char *path, const char **copy)
{
    unsigned char start[2] = {0};
    char *made;
    int to;
    FILE *f = fopen(path, "rb");
    *copy = path;
    if (f == NULL) return gm_fail_errno(cx, errno, "cannot read", path);
    bool marked = fread(start, 1, 2, f) == 2 && start[0] + start[1] == 0xfe + 0xff && start[0] >= 0xfe;
    bool two = o->encoding ? strcmp(o->encoding, "utf-16") == 0 : marked;
    gm_code code = GM_OK;
    if (two || o->encoding) {
        if (!two || !marked) rewind(f);
        code = gm_spool_new(cx, kept, kept, &to, &made);
        if (code == GM_OK) code = copy_file(cx, f, path, two, start[0] == 0xfe && marked, to);
        if (code == GM_OK) *copy = made;
    }
    fclose(f);
    return code;
}

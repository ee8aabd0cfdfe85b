/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.c - numbers to text and back. The host may have set a locale with a decimal comma: everything here
 * runs in the C locale (which glibc hands out without allocating).
 */
#include "base/buf.h"
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static locale_t plain(void) { return newlocale(LC_ALL_MASK, "C", (locale_t)0); }

int gm_vformat(char *out, size_t size, const char *fmt, va_list ap)
{
    locale_t c = plain(), old = c ? uselocale(c) : (locale_t)0;
    int n = vsnprintf(out, size, fmt, ap);
    if (n < 0 && size) out[0] = 0;
    if (c) uselocale(old), freelocale(c);
    return n;
}

bool gm_read_real(const char *s, double *out)
{
    char *end;
    locale_t c = plain();
    double v = c ? strtod_l(s, &end, c) : strtod(s, &end);
    if (c) freelocale(c);
    if (end == s || *end || *s == ' ' || (*s >= '\t' && *s <= '\r')) return false;
    *out = v;
    return true;
}

bool gm_read_int(const char *s, int64_t *out)
{
    const char *digits = s + (*s == '-' || *s == '+');
    char *end;
    if (*digits < '0' || *digits > '9') return false;
    errno = 0;
    long long v = strtoll(s, &end, 10);
    if (*end || errno) return false;
    *out = v;
    return true;
}

static void print(char out[32], const char *fmt, ...) GM_PRINTF(2, 3);
static void print(char out[32], const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    gm_vformat(out, 32, fmt, ap);
    va_end(ap);
}

void gm_real_text(double v, bool point, char out[32])
{
    double back;
    if (!isfinite(v)) {
        print(out, "%s", isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        print(out, "%.*g", digits, v);
        if (digits == 17 || (gm_read_real(out, &back) && back == v)) break;
    }
    if (point && strpbrk(out, ".e") == NULL) memcpy(out + strlen(out), ".0", 3);
}

void gm_bytes_text(double bytes, char out[32])
{
    static const char *const unit[] = {"bytes", "KB", "MB", "GB", "TB", "PB", "EB"};
    int i = 0;
    while (bytes >= 999.5 && i < 6) bytes /= 1000, i++;
    print(out, bytes < 9.95 && i > 0 ? "%.1f %s" : "%.0f %s", bytes, unit[i]);
}

bool gm_read_bytes(const char *s, double *out)
{
    static const char units[] = "kKmMgGtT";
    char number[32];
    double scale = 1, v;
    size_t n = strspn(s, "0123456789.");
    if (n == 0 || n >= sizeof number) return false;
    memcpy(number, s, n);
    number[n] = 0;
    s += n + strspn(s + n, " ");
    const char *at = *s ? strchr(units, *s) : NULL;
    if (at) {
        bool binary = s[1] == 'i';
        for (long power = (at - units) / 2; power >= 0; power--) scale *= binary ? 1024 : 1000;
        s += binary ? 2 : 1;
    }
    if (*s == 'B' || *s == 'b') s++;
    if (*s || !gm_read_real(number, &v)) return false;
    *out = v * scale;
    return true;
}

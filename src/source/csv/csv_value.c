/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_value.c - what one text is: a strict reading, so that nothing is guessed, rounded or dropped in
 * silence.
 *
 * Numbers are decimal: no hexadecimal, no thousands separators, no underscores; digits with leading zeros or
 * a plus are codes. Doubles are correctly rounded: w * 10^q with |q| <= 22 and w < 2^53 is one exact
 * operation (Clinger 1990); for -27 <= q < 0 the 128-bit quotient and its remainder decide; the rest goes
 * through the C library.
 */
#include "source/csv/csv.h"
#include <math.h>
#include <string.h>
#include <strings.h>

__extension__ typedef unsigned __int128 u128;

static bool digit(char c) { return (unsigned char)(c - '0') < 10; }

static bool two(const char *p, int *out)
{
    if (!digit(p[0]) || !digit(p[1])) return false;
    *out = (p[0] - '0') * 10 + (p[1] - '0');
    return true;
}

static int month_days(int year, int month)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[month - 1];
}

/* Days since 1970 in the proleptic Gregorian calendar (Hinnant, "chrono-compatible low-level date
 * algorithms"). */
int32_t gm_csv_days(int year, int month, int day)
{
    year -= month <= 2;
    int era = (year >= 0 ? year : year - 399) / 400, yoe = year - era * 400;
    int doy = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1,
        doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    return era * 146097 + doe - 719468;
}

/* "hh:mm:ss[.f]" at p; *used: its length. */
static bool clock_time(const char *p, size_t n, int64_t *micros, size_t *used)
{
    int h, m, s;
    if (n < 8 || !two(p, &h) || p[2] != ':' || !two(p + 3, &m) || p[5] != ':' || !two(p + 6, &s))
        return false;
    if (h > 23 || m > 59 || s > 59) return false;
    int64_t us = 0, unit = 100000;
    size_t i = 8;
    if (i < n && p[i] == '.') {
        for (i++; i < n && digit(p[i]); i++, unit /= 10) us += (p[i] - '0') * unit;
        if (i == 9) return false;
    }
    *micros = ((int64_t)h * 3600 + m * 60 + s) * 1000000 + us;
    *used = i;
    return true;
}

/* "Z", "+hh", "+hhmm", "+hh:mm", " UTC" up to the end. */
static bool zone(const char *p, size_t n, int64_t *micros)
{
    int h, m = 0;
    *micros = 0;
    if ((n == 1 && p[0] == 'Z') || (n == 4 && memcmp(p, " UTC", 4) == 0)) return true;
    if (n < 3 || (p[0] != '+' && p[0] != '-') || !two(p + 1, &h)) return false;
    size_t at = 3 + (n > 3 && p[3] == ':');
    if (n > 3 && (n != at + 2 || !two(p + at, &m))) return false;
    if (h > 15 || m > 59) return false;
    *micros = ((int64_t)h * 3600 + m * 60) * 1000000 * (p[0] == '-' ? -1 : 1);
    return true;
}

/* "yyyy-mm-dd", alone or with a time. */
static bool iso(const char *p, size_t n, gm_csv_read *r)
{
    int a, b;
    size_t used;
    int64_t off = 0;
    if (n < 10 || p[4] != '-' || p[7] != '-') return false;
    if (!two(p, &a) || !two(p + 2, &b) || !two(p + 5, &r->month) || !two(p + 8, &r->day)) return false;
    r->year = a * 100 + b;
    if (r->month < 1 || r->month > 12 || r->day < 1 || r->day > month_days(r->year, r->month)) return false;
    r->saw = GM_SAW_DATE;
    if (n == 10) return true;
    if (p[10] != 'T' && p[10] != ' ') return false;
    p += 11, n -= 11;
    if (n >= 5 && (n == 5 || p[5] != ':')) { /* minutes only */
        char whole[8] = {p[0], p[1], p[2], p[3], p[4], ':', '0', '0'};
        if (!clock_time(whole, 8, &r->micros, &used)) return false;
        used = 5;
    } else if (!clock_time(p, n, &r->micros, &used)) {
        return false;
    }
    r->saw = GM_SAW_STAMP;
    if (used == n) return true;
    if (!zone(p + used, n - used, &off)) return false;
    r->micros -= off;
    r->saw = GM_SAW_STAMPTZ;
    return true;
}

/* "1/2/2024" with one of / . - between: which is the day, the column has to say. */
static bool slash(const char *p, size_t n, gm_csv_read *r)
{
    int v[2];
    size_t i = 0;
    char between = 0;
    for (int k = 0; k < 2; k++) {
        size_t from = i;
        for (v[k] = 0; i < n && digit(p[i]) && i - from < 2; i++) v[k] = v[k] * 10 + (p[i] - '0');
        if (i == from || i >= n || (p[i] != '/' && p[i] != '.' && p[i] != '-') || (k && p[i] != between))
            return false;
        between = p[i++];
    }
    int a, b;
    if (n - i != 4 || !two(p + i, &a) || !two(p + i + 2, &b)) return false;
    if (v[0] < 1 || v[1] < 1 || v[0] > 31 || v[1] > 31 || (v[0] > 12 && v[1] > 12)) return false;
    r->year = a * 100 + b;
    r->day = v[0], r->month = v[1];
    int month = v[0] > 12 ? v[1] : v[1] > 12 ? v[0] : 0, day = v[0] > 12 ? v[0] : v[1];
    if (month && day > month_days(r->year, month)) return false;
    r->saw = GM_SAW_SLASH | (v[0] > 12 ? GM_SAW_FIRST_OVER : 0) | (v[1] > 12 ? GM_SAW_SECOND_OVER : 0);
    return true;
}

static bool is_word(const char *p, size_t n, const char *word)
{
    return strlen(word) == n && strncasecmp(p, word, n) == 0;
}

/* The part of a number after its digits, starting with the decimal mark or the exponent. */
static bool real_rest(const char *p, const char *e, char decimal, int digits, gm_csv_read *r)
{
    if (p < e && *p == decimal) {
        for (p++; p < e && digit(*p); p++, digits++) {
            if (r->w < 1000000000000000000u) {
                r->w = r->w * 10 + (uint64_t)(*p - '0');
                r->exp10--;
            } else if (*p != '0') {
                r->exact = false;
            }
        }
    }
    if (digits == 0) return false;
    if (p < e && (*p == 'e' || *p == 'E')) {
        bool down = ++p < e && *p == '-';
        int x = 0;
        if (p < e && (*p == '-' || *p == '+')) p++;
        if (p == e) return false;
        for (; p < e && digit(*p); p++)
            if (x < 100000) x = x * 10 + (*p - '0');
        r->exp10 += down ? -x : x;
    }
    return p == e;
}

static bool number(const char *p, size_t n, char decimal, gm_csv_read *r)
{
    const char *e = p + n, *from;
    bool plus = *p == '+';
    r->minus = *p == '-';
    if (plus || r->minus) p++;
    from = p;
    r->exact = true;
    for (; p < e && digit(*p); p++) {
        if (r->w < 1000000000000000000u) {
            r->w = r->w * 10 + (uint64_t)(*p - '0');
        } else { /* more than 19 digits: the rest as a power of ten */
            r->exp10++;
            if (*p != '0') r->exact = false;
        }
    }
    int digits = (int)(p - from);
    if (p < e) {
        if (*p != decimal && *p != 'e' && *p != 'E') {
            r->word = is_word(p, (size_t)(e - p), "nan") || is_word(p, (size_t)(e - p), "inf") ||
                      is_word(p, (size_t)(e - p), "infinity");
            r->saw = *p == 'n' || *p == 'N' ? GM_SAW_NAN : GM_SAW_REAL;
            return digits == 0 && r->word;
        }
        r->saw = GM_SAW_REAL;
        return real_rest(p, e, decimal, digits, r);
    }
    if (digits == 0) return false;
    if (plus || (*from == '0' && digits > 1)) r->saw = GM_SAW_CODE;
    else if (r->exp10 == 0 && (r->w <= INT64_MAX || (r->minus && r->w == (uint64_t)1 << 63)))
        r->saw = GM_SAW_INT;
    else r->saw = digits <= 38 ? GM_SAW_HUGE : GM_SAW_LONG;
    return true;
}

gm_csv_read gm_csv_see(const char *p, size_t n, char decimal)
{
    gm_csv_read r = {0};
    while (n > 0 && (*p == ' ' || *p == '\t')) p++, n--;
    while (n > 0 && (p[n - 1] == ' ' || p[n - 1] == '\t')) n--;
    if (n == 0) return r;
    if (number(p, n, decimal, &r)) return r;
    r = (gm_csv_read){0};
    if (digit(*p)) {
        size_t used;
        if (iso(p, n, &r)) return r;
        r = (gm_csv_read){0};
        if (slash(p, n, &r)) return r;
        r = (gm_csv_read){0};
        if (clock_time(p, n, &r.micros, &used) && used == n) return r.saw = GM_SAW_TIME, r;
        r = (gm_csv_read){0};
    } else if (is_word(p, n, "true") || is_word(p, n, "false")) {
        r.saw = GM_SAW_BOOL;
        r.w = n == 4;
        return r;
    }
    r.saw = GM_SAW_TEXT;
    return r;
}

/* w / 10^n, 0 < n <= 27, rounded to nearest even. */
static double divide(uint64_t w, int n)
{
    uint64_t five = 1;
    for (int i = 0; i < n; i++) five *= 5; /* 5^27 < 2^63 */
    int sw = __builtin_clzll(w), sf = __builtin_clzll(five);
    u128 num = (u128)(w << sw) << 63;
    uint64_t den = five << sf, q = (uint64_t)(num / den);
    bool sticky = num % den != 0;
    int scale = sf - sw - 63 - n; /* the value is q * 2^scale, q in [2^62, 2^64) */
    int drop = 64 - __builtin_clzll(q) - 53;
    uint64_t kept = q >> drop, rest = q & (((uint64_t)1 << drop) - 1), half = (uint64_t)1 << (drop - 1);
    if (rest > half || (rest == half && (sticky || (kept & 1)))) kept++;
    return ldexp((double)kept, scale + drop);
}

bool gm_csv_real(const gm_csv_read *r, const char *p, size_t n, char decimal, double *out)
{
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double v;
    if (!r->word && r->exact) {
        if (r->w <= (uint64_t)1 << 53 && r->exp10 >= -22 && r->exp10 <= 22) {
            v = r->exp10 < 0 ? (double)r->w / ten[-r->exp10] : (double)r->w * ten[r->exp10];
            return *out = r->minus ? -v : v, true;
        }
        if (r->w && r->exp10 < 0 && r->exp10 >= -27) {
            v = divide(r->w, -r->exp10);
            return *out = r->minus ? -v : v, true;
        }
        if (r->exp10 == 0 || r->w == 0) return v = (double)r->w, *out = r->minus ? -v : v, true;
    }
    char text[512];
    while (n > 0 && (*p == ' ' || *p == '\t')) p++, n--;
    while (n > 0 && (p[n - 1] == ' ' || p[n - 1] == '\t')) n--;
    if (n >= sizeof text) return false;
    for (size_t i = 0; i < n; i++) text[i] = p[i] == decimal ? '.' : p[i];
    text[n] = 0;
    if (r->word) return *out = r->minus ? -INFINITY : INFINITY, true;
    return gm_read_real(text, out);
}

duckdb_hugeint gm_csv_huge(const char *p, size_t n)
{
    u128 v = 0;
    bool minus = false;
    for (size_t i = 0; i < n; i++) {
        if (digit(p[i])) v = v * 10 + (u128)(p[i] - '0');
        minus |= p[i] == '-';
    }
    if (minus) v = -v;
    return (duckdb_hugeint){.lower = (uint64_t)v, .upper = (int64_t)(uint64_t)(v >> 64)};
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libsvm_line.c - see libsvm_line.h. Numbers are read as those of a CSV are; "nan" is a missing value.
 */
#include "source/libsvm/libsvm_line.h"
#include "source/csv/csv.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* The next word at *p; its length, 0 at the end. */
static size_t word_at(const char **p, const char *end)
{
    const char *q = *p;
    while (q < end && blank(*q)) q++;
    *p = q;
    while (q < end && !blank(*q)) q++;
    return (size_t)(q - *p);
}

static bool number(const char *p, size_t n, double *out)
{
    enum { NUMBER = GM_SAW_INT | GM_SAW_HUGE | GM_SAW_LONG | GM_SAW_CODE | GM_SAW_REAL };
    gm_csv_read r = gm_csv_see(p, n, '.');
    *out = NAN;
    return r.saw == GM_SAW_NAN || ((r.saw & NUMBER) && gm_csv_real(&r, p, n, '.', out));
}

/* Digits alone, at most 18 of them. */
static bool whole(const char *p, size_t n, int64_t *out)
{
    *out = 0;
    if (n == 0 || n > 18) return false;
    for (size_t i = 0; i < n; i++) {
        if (p[i] < '0' || p[i] > '9') return false;
        *out = *out * 10 + (p[i] - '0');
    }
    return true;
}

static gm_libsvm_verdict entry(const gm_libsvm_range *range, const char *p, size_t n, gm_libsvm_line *line,
                               double *x)
{
    const char *colon = memchr(p, ':', n);
    if (colon == NULL || !whole(p, (size_t)(colon - p), &line->index)) return GM_LIBSVM_PAIR;
    if (colon + 1 == p + n) return GM_LIBSVM_PAIR;
    if (!number(colon + 1, (size_t)(p + n - colon - 1), x)) return GM_LIBSVM_VALUE;
    if (line->index < range->lowest) return GM_LIBSVM_LOW;
    if (line->n > 0 && line->index <= line->before) return GM_LIBSVM_ORDER;
    return line->index > range->highest ? GM_LIBSVM_HIGH : GM_LIBSVM_ROW;
}

static gm_libsvm_verdict words(const gm_libsvm_range *range, const char *p, const char *end, uint32_t *idx,
                               double *val, gm_libsvm_line *line)
{
    double x;
    size_t n = word_at(&p, end);
    if (n == 0) return GM_LIBSVM_BLANK;
    line->at = p, line->length = n;
    if (!number(p, n, &line->label)) return GM_LIBSVM_LABEL;
    p += n, n = word_at(&p, end);
    if (n >= 4 && memcmp(p, "qid:", 4) == 0) {
        line->at = p, line->length = n;
        if (!whole(p + 4, n - 4, &line->qid) || line->qid > (int64_t)1 << 53) return GM_LIBSVM_QID;
        p += n, n = word_at(&p, end);
    }
    for (; n > 0; p += n, n = word_at(&p, end)) {
        line->at = p, line->length = n;
        gm_libsvm_verdict v = entry(range, p, n, line, &x);
        if (v != GM_LIBSVM_ROW) return v;
        if (line->n == 0) line->first = line->index;
        if (idx) idx[line->n] = (uint32_t)(line->index - range->lowest), val[line->n] = x;
        line->n++;
        line->before = line->last = line->index;
    }
    return GM_LIBSVM_ROW;
}

void gm_libsvm_read(const gm_libsvm_range *range, const char *p, size_t n, uint32_t *idx, double *val,
                    gm_libsvm_line *out)
{
    *out = (gm_libsvm_line){.label = NAN, .qid = -1};
    const char *hash = n ? memchr(p, '#', n) : NULL;
    out->verdict = words(range, p, hash ? hash : p + n, idx, val, out);
}

void gm_libsvm_say(const gm_libsvm_range *range, const gm_libsvm_line *line, char out[GM_LIBSVM_SAID])
{
    int n = line->length < 40 ? (int)line->length : 40;
    long long index = line->index, low = range->lowest, high = range->highest;
    size_t size = GM_LIBSVM_SAID;
    switch (line->verdict) {
    case GM_LIBSVM_LABEL:
        snprintf(out, size, "found '%.*s' where the label stands, expected one number", n, line->at);
        break;
    case GM_LIBSVM_QID:
        snprintf(out, size, "found '%.*s', expected qid: and a whole number", n, line->at);
        break;
    case GM_LIBSVM_PAIR:
        snprintf(out, size, "found '%.*s', expected index:value as in 3:0.5", n, line->at);
        break;
    case GM_LIBSVM_VALUE:
        snprintf(out, size, "found '%.*s', expected a number behind the colon", n, line->at);
        break;
    case GM_LIBSVM_ORDER:
        snprintf(out, size, "index %lld stands behind %lld, and indices rise from left to right", index,
                 (long long)line->before);
        break;
    case GM_LIBSVM_LOW: snprintf(out, size, "index %lld, and indices begin at %lld", index, low); break;
    case GM_LIBSVM_HIGH:
        snprintf(out, size, "index %lld is beyond the %lld features, whose largest index is %lld", index,
                 high - low + 1, high);
        break;
    case GM_LIBSVM_BLANK:
    case GM_LIBSVM_ROW: out[0] = 0; break;
    }
}

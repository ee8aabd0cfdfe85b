/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quantile.c - values collected in chunks, sorted by their bits: radix sort, least digit first, 11 bits a
 * digit. A double's bits rise with its value once the sign is turned (Herf 2001).
 */
#include "feature/quantile.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_MIN = 16, CHUNK_MAX = 8192, DIGIT = 11, BINS = 1 << DIGIT, DIGITS = 6, FEW = 512 };

struct gm_chunk {
    gm_chunk *next;
    int64_t n, cap;
    double v[];
};

static gm_code new_chunk(gm_cx *cx, gm_arena *a, gm_values *s)
{
    int64_t cap = s->last ? 2 * s->last->cap : CHUNK_MIN;
    if (cap > CHUNK_MAX) cap = CHUNK_MAX;
    gm_chunk *c;
    GM_GOT(cx, c = gm_alloc(cx, a, 1, sizeof *c + (size_t)cap * sizeof(double)));
    c->cap = cap;
    if (s->last) s->last->next = c;
    else s->first = c;
    s->last = c;
    return GM_OK;
}

gm_code gm_values_add(gm_cx *cx, gm_arena *a, gm_values *s, const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (x[i] != x[i]) continue;
        if (s->last == NULL || s->last->n == s->last->cap) GM_TRY(new_chunk(cx, a, s));
        s->last->v[s->last->n++] = x[i] + 0.0; /* -0 + 0 is 0 */
        s->n++;
    }
    return GM_OK;
}

void gm_values_merge(gm_values *into, gm_values *from)
{
    into->n += from->n;
    if (from->first == NULL) return;
    if (into->last) into->last->next = from->first;
    else into->first = from->first;
    into->last = from->last;
}

static uint64_t key_of(double v)
{
    uint64_t u;
    memcpy(&u, &v, sizeof u);
    return u >> 63 ? ~u : u | UINT64_C(1) << 63;
}

static double value_of(uint64_t u)
{
    double v;
    u = u >> 63 ? u & ~(UINT64_C(1) << 63) : ~u;
    memcpy(&v, &u, sizeof v);
    return v;
}

/* Sorts n keys; the result is in the array returned, one of the two. */
static uint64_t *radix_sort(uint64_t *from, uint64_t *to, int64_t n, int64_t *count)
{
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < DIGITS; d++) count[d * BINS + (int64_t)(from[i] >> (d * DIGIT) & (BINS - 1))]++;
    for (int d = 0; d < DIGITS && n > 0; d++) {
        int64_t *bin = count + d * BINS;
        if (bin[from[0] >> (d * DIGIT) & (BINS - 1)] == n) continue; /* all alike in this digit */
        for (int64_t b = 0, at = 0; b < BINS; b++) {
            int64_t here = bin[b];
            bin[b] = at;
            at += here;
        }
        for (int64_t i = 0; i < n; i++) to[bin[from[i] >> (d * DIGIT) & (BINS - 1)]++] = from[i];
        uint64_t *t = from;
        from = to;
        to = t;
    }
    return from;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A few values do not pay for the radix sort's bins. */
static gm_code few_sorted(gm_cx *cx, gm_arena *a, const gm_values *s, double **out)
{
    GM_NEW_IN(cx, a, *out, s->n);
    double *v = *out;
    for (const gm_chunk *c = s->first; c; c = c->next)
        for (int64_t i = 0; i < c->n; i++) *v++ = c->v[i];
    if (s->n > 1) qsort(*out, (size_t)s->n, sizeof **out, by_value);
    return GM_OK;
}

gm_code gm_values_sorted(gm_cx *cx, gm_arena *a, const gm_values *s, double **out)
{
    int64_t n = s->n, *count;
    uint64_t *from, *to;
    if (n < FEW) return few_sorted(cx, a, s, out);
    GM_NEW_IN(cx, a, from, n);
    GM_NEW_IN(cx, a, to, n);
    GM_NEW_IN(cx, a, count, (int64_t)DIGITS * BINS);
    int64_t at = 0;
    for (const gm_chunk *c = s->first; c; c = c->next)
        for (int64_t i = 0; i < c->n; i++) from[at++] = key_of(c->v[i]);
    uint64_t *sorted = radix_sort(from, to, n, count);
    double *v = (double *)(sorted == from ? to : from);
    for (int64_t i = 0; i < n; i++) {
        double x = value_of(sorted[i]);
        memcpy(&v[i], &x, sizeof x);
    }
    *out = v;
    return GM_OK;
}

double gm_ranked(const double *sorted, int64_t n, int64_t zeros, int64_t rank)
{
    int64_t i = rank < 1 ? 0 : rank - 1;
    if (i >= n + zeros) i = n + zeros - 1;
    int64_t negative = 0;
    while (zeros > 0 && negative < n && sorted[negative] < 0) negative++;
    if (zeros > 0 && i >= negative) return i < negative + zeros ? 0 : sorted[i - zeros];
    return sorted[i];
}

double gm_quantile(const double *sorted, int64_t n, int64_t zeros, double q)
{
    return gm_ranked(sorted, n, zeros, (int64_t)ceil(q * (double)(n + zeros)));
}

double gm_mode(const double *sorted, int64_t n)
{
    double mode = sorted[0];
    for (int64_t i = 0, most = 0; i < n;) {
        int64_t j = i;
        while (j < n && sorted[j] == sorted[i]) j++;
        if (j - i > most) {
            most = j - i;
            mode = sorted[i];
        }
        i = j;
    }
    return mode;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* report_words.c - the report's text: escaped, cut where room is short, numbers as people write them. */
#include "model/report_parts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char minus[] = "\xe2\x88\x92", ellipsis[] = "\xe2\x80\xa6";

const gm_doc *gm_rp_list(const gm_doc *map, const char *key)
{
    const gm_doc *d = map ? gm_doc_get(map, key) : NULL;
    return d && d->kind == GM_D_LIST ? d : NULL;
}

const gm_doc *gm_rp_map(const gm_doc *map, const char *key)
{
    const gm_doc *d = map ? gm_doc_get(map, key) : NULL;
    return d && d->kind == GM_D_MAP ? d : NULL;
}

const char *gm_rp_str(const gm_doc *map, const char *key)
{
    const gm_doc *d = map ? gm_doc_get(map, key) : NULL;
    return d && d->kind == GM_D_STR && d->str && *d->str ? d->str : NULL;
}

bool gm_rp_real(const gm_doc *d, double *out)
{
    if (d == NULL || (d->kind != GM_D_INT && d->kind != GM_D_REAL) || !isfinite(d->real)) return false;
    *out = d->real;
    return true;
}

void gm_rp_text(gm_buf *b, const char *s) { gm_buf_html(b, s, strlen(s)); }

void gm_rp_short(gm_buf *b, const char *s, int max)
{
    size_t keep = 0, n = 0;
    int chars = 0;
    max = max < 1 ? 1 : max;
    for (; s[n]; n++) {
        if (((unsigned char)s[n] & 0xc0) == 0x80) continue;
        if (chars == max - 1) keep = n;
        if (++chars > max) break;
    }
    if (chars <= max) {
        gm_rp_text(b, s);
        return;
    }
    gm_buf_html(b, s, keep);
    gm_buf_str(b, ellipsis);
}

/* digits of a whole number in groups of three; text as printf made it, which may have a fraction behind */
static void grouped(gm_buf *b, const char *digits)
{
    size_t n = strcspn(digits, ".");
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0) gm_buf_add(b, ",", 1);
        gm_buf_add(b, digits + i, 1);
    }
    gm_buf_str(b, digits + n);
}

static void number(gm_buf *b, double v, bool fixed)
{
    char t[64];
    if (!isfinite(v)) {
        gm_buf_str(b, isnan(v) ? "undefined" : v < 0 ? "\xe2\x88\x92\xe2\x88\x9e" : "\xe2\x88\x9e");
        return;
    }
    if (v < 0) gm_buf_str(b, minus);
    v = fabs(v);
    if (v >= 1e15 || (v > 0 && v < 1e-4)) {
        int e = (int)floor(log10(v) + 1e-12);
        double m = v / pow(10, e);
        if (m >= 9.995) m = 1, e++;
        snprintf(t, sizeof t, "%.2f", m);
        for (size_t n = strlen(t); t[n - 1] == '0' || t[n - 1] == '.'; n--) {
            bool point = t[n - 1] == '.';
            t[n - 1] = 0;
            if (point) break;
        }
        gm_buf_printf(b, "%se%s%d", t, e < 0 ? minus : "", e < 0 ? -e : e);
        return;
    }
    if (v == floor(v) && !fixed) snprintf(t, sizeof t, "%.0f", v);
    else if (fixed) snprintf(t, sizeof t, "%.*f", v < 10 ? 4 : v < 100 ? 2 : 1, v);
    else {
        /* four digits that count, and no zeros at the end */
        int left = v < 1 ? 1 : (int)floor(log10(v)) + 1, small = v < 1 ? (int)floor(-log10(v)) : 0;
        snprintf(t, sizeof t, "%.*f", v >= 1000 ? (v < 10000 ? 1 : 0) : v < 1 ? 4 + small : 4 - left, v);
        if (strchr(t, '.')) {
            size_t n = strlen(t);
            while (t[n - 1] == '0') t[--n] = 0;
            if (t[n - 1] == '.') t[n - 1] = 0;
        }
    }
    grouped(b, t);
}

void gm_rp_num(gm_buf *b, double v) { number(b, v, false); }
void gm_rp_fixed(gm_buf *b, double v) { number(b, v, true); }

void gm_rp_share(gm_buf *b, double v)
{
    double p = 100 * v;
    if (!isfinite(p)) gm_buf_str(b, "undefined");
    else if (p > 0 && p < 0.05) gm_buf_str(b, "&lt; 0.1 %");
    else if (p < 100 && p > 99.95) gm_buf_str(b, "&gt; 99.9 %");
    else gm_buf_printf(b, p == 100 || p == 0 ? "%.0f %%" : "%.1f %%", p);
}

void gm_rp_seconds(gm_buf *b, double s)
{
    if (s < 0.0995) gm_buf_printf(b, "%.0f ms", fmax(1000 * s, 0));
    else if (s < 9.95) gm_buf_printf(b, "%.1f s", s);
    else if (s < 119.5) gm_buf_printf(b, "%.0f s", s);
    else if (s < 7170) gm_buf_printf(b, "%.0f min %.0f s", floor(round(s) / 60), fmod(round(s), 60));
    else gm_buf_printf(b, "%.0f h %.0f min", floor(round(s / 60) / 60), fmod(round(s / 60), 60));
}

void gm_rp_value(gm_buf *b, const gm_doc *d)
{
    enum { MOST = 8 };
    double v;
    if (d == NULL || d->kind == GM_D_NULL) gm_buf_str(b, "none");
    else if (d->kind == GM_D_BOOL) gm_buf_str(b, d->b ? "yes" : "no");
    else if (gm_rp_real(d, &v)) gm_rp_num(b, v);
    else if (d->kind == GM_D_STR) gm_rp_short(b, d->str ? d->str : "", 400);
    else if (d->kind == GM_D_LIST || d->kind == GM_D_MAP) {
        for (int64_t i = 0; i < d->n && i < MOST; i++) {
            if (i) gm_buf_str(b, ", ");
            if (d->kind == GM_D_MAP) gm_rp_short(b, d->child[i].key, 80), gm_buf_str(b, ": ");
            const gm_doc *c = &d->child[i];
            if (c->kind == GM_D_LIST || c->kind == GM_D_MAP) gm_buf_str(b, ellipsis);
            else gm_rp_value(b, c);
        }
        if (d->n > MOST) gm_buf_printf(b, " and %lld more", (long long)(d->n - MOST));
    } else gm_buf_str(b, "undefined");
}

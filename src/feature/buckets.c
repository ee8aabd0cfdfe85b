/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buckets.c - numbers into buckets between rising splits, by binary search.
 */
#include "feature/buckets.h"
#include <math.h>

/* The last split that is not above x; x is not below the first. */
static int64_t find_split(gm_splits s, double x)
{
    const double *at = s.v;
    for (int64_t n = s.n; n > 1;) {
        int64_t half = n / 2;
        at += at[half] <= x ? half : 0;
        n -= half;
    }
    return at - s.v;
}

static gm_code settle_missing(gm_apply *ap, int k, int handle_invalid, int64_t i)
{
    ap->tally[k].invalid++;
    if (handle_invalid == GM_INVALID_SKIP) gm_drop_row(ap, i);
    if (handle_invalid != GM_INVALID_ERROR) return GM_OK;
    return gm_hint_add(ap->cx,
                       gm_fail(ap->cx, GM_EDATA, "%s: column '%s' has a missing value", ap->node->stage->name,
                               gm_in_name(ap->node, k)),
                       "handleInvalid: keep gives missing values a bucket of their own, skip drops the rows");
}

static gm_code fail_outside(gm_apply *ap, int k, gm_splits s, double x)
{
    return gm_hint_add(ap->cx,
                       gm_fail(ap->cx, GM_EDATA, "%s: column '%s': %s lies outside the splits %s to %s",
                               ap->node->stage->name, gm_in_name(ap->node, k), gm_show_real(ap->cx, ap->a, x),
                               gm_show_real(ap->cx, ap->a, s.v[0]),
                               gm_show_real(ap->cx, ap->a, s.v[s.n - 1])),
                       "let the splits begin with -inf and end with inf");
}

gm_code gm_bucket_apply(gm_apply *ap, int k, gm_splits s, int handle_invalid)
{
    const double *x = ap->in[k].real, first = s.v[0], last = s.v[s.n - 1];
    double *out;
    GM_GOT(ap->cx, out = gm_out_real(ap, k));
    for (int64_t i = 0; i < ap->rows; i++) {
        if (x[i] >= first && x[i] < last) {
            out[i] = (double)find_split(s, x[i]);
        } else if (x[i] == last) {
            out[i] = (double)(s.n - 2);
        } else if (x[i] != x[i]) {
            out[i] = (double)(s.n - 1);
            GM_TRY(settle_missing(ap, k, handle_invalid, i));
        } else {
            return fail_outside(ap, k, s, x[i]);
        }
    }
    return GM_OK;
}

gm_code gm_bucket_describe(gm_cx *cx, gm_arena *a, const gm_node *node, int k, gm_splits s,
                           int handle_invalid, gm_attr *out)
{
    gm_text *level;
    GM_NEW_IN(cx, a, level, s.n - 1);
    for (int64_t i = 0; i + 1 < s.n; i++) {
        char from[32], to[32];
        gm_real_text(s.v[i], false, from);
        gm_real_text(s.v[i + 1], false, to);
        const char *name = gm_format(cx, a, "%s%s, %s%s", isinf(s.v[i]) ? "(" : "[", from, to,
                                     i + 2 == s.n && !isinf(s.v[i + 1]) ? "]" : ")");
        GM_GOT(cx, name);
        level[i] = gm_text_of(name, strlen(name));
    }
    *out = gm_attr_of(GM_T_REAL, 1);
    out->keeps_invalid = handle_invalid == GM_INVALID_KEEP;
    out->origin = gm_in_name(node, k);
    return gm_texts_pack(cx, a, level, s.n - 1, &out->levels);
}

gm_code gm_splits_check(gm_cx *cx, const gm_node *node, gm_code code, const char *what, gm_splits s)
{
    const char *name = code == GM_EPARAM ? node->stage->name : node->uid;
    if (s.n < 3)
        return gm_fail(cx, code, "%s: %s has %lld numbers; expected at least 3, for two buckets", name, what,
                       (long long)s.n);
    for (int64_t i = 0; i < s.n; i++) {
        if (isnan(s.v[i])) return gm_fail(cx, code, "%s: %s has a number that is missing", name, what);
        if (i > 0 && !(s.v[i - 1] < s.v[i]))
            return gm_fail(cx, code, "%s: %s must rise strictly, but %g is followed by %g", name, what,
                           s.v[i - 1], s.v[i]);
    }
    return GM_OK;
}

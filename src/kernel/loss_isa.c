/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loss_isa.c - losses over margins, with exp and log written on vectors.
 *
 * exp: x = n ln2 + r with |r| <= ln2/2 (Cody & Waite), Taylor to r^13, scaled by 2^n; below -708 it is
 * exp(-708). log(1 + f): s = f / (2 + f), the series in s^2 of fdlibm's e_log.c. Both are within 2 ulp
 * (tests/conform/kernels.c measures it). A row's result does not depend on the rows beside it: the last rows
 * go through the same vectors.
 */
#include "kernel/isa.h"

enum { RUN = 128 };

static inline gm_v choose(gm_vi mask, gm_v yes, gm_v no)
{
    return (gm_v)((mask & (gm_vi)yes) | (~mask & (gm_vi)no));
}
static inline gm_v larger(gm_v a, gm_v b) { return choose(a > b, a, b); }
static inline gm_v negative_abs(gm_v x) { return (gm_v)((gm_vi)x | INT64_MIN); }

/* exp(x) for x <= 0; NaN stays NaN. */
static inline gm_v vexp(gm_v x)
{
    const double magic = 0x1.8p52; /* adding it rounds to a whole number, which then stands in the low bits */
    x = choose(x < -708.0, gm_splat(-708.0), x);
    gm_v t = x * 1.44269504088896338700e+00 + magic;
    gm_v n = t - magic;
    gm_v r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
    gm_v r2 = r * r, r4 = r2 * r2;
    gm_v a = (r * (1.0 / 6) + 0.5) + r2 * (r * (1.0 / 120) + 1.0 / 24);
    gm_v b = (r * (1.0 / 5040) + 1.0 / 720) + r2 * (r * (1.0 / 362880) + 1.0 / 40320);
    gm_v c = (r * (1.0 / 39916800) + 1.0 / 3628800) + r2 * (r * (1.0 / 6227020800.0) + 1.0 / 479001600);
    gm_v e = 1.0 + (r + r2 * (a + r4 * (b + r4 * c)));
    gm_vi two_n = (gm_vi)t << 52; /* n in the exponent field; the bits of magic fall out at the top */
    return (gm_v)((gm_vi)e + two_n);
}

/* log(2^k (1 + f)) for sqrt(1/2) <= 1 + f <= sqrt(2), given s = f / (2 + f). */
static inline gm_v vlog1f(gm_v k, gm_v f, gm_v s)
{
    gm_v z = s * s, w = z * z;
    gm_v even =
        w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    gm_v odd =
        z * (6.666666666666735130e-01 +
             w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    gm_v h = 0.5 * f * f;
    return k * 6.93147180369123816490e-01 -
           ((h - (s * (h + (even + odd)) + k * 1.90821492927058770002e-10)) - f);
}

/* log(x) for finite x >= 1. */
static inline gm_v vlog(gm_v x)
{
    gm_vi bits =
        (gm_vi)x - 0x3fe6a09e667f3bcd; /* sqrt(1/2): what is above its mantissa rounds the exponent up */
    gm_vi k = bits >> 52;
    gm_v f = (gm_v)((gm_vi)x - (k << 52)) - 1.0;
    gm_v kd = (gm_v)(k + 0x4338000000000000) - 0x1.8p52;
    return vlog1f(kd, f, f / (2.0 + f));
}

/* The logistic loss and the probability from a margin m and e = exp(-|m|). One division serves both. */
static inline gm_v logistic_loss(gm_v m, gm_v e, gm_v y, gm_v *p)
{
    gm_vi big = e > 0.41421356237309503; /* 1 + e is then 2 (1 + f) with f = (e - 1) / 2 */
    gm_v f = choose(big, 0.5 * e - 0.5, e), one_e = 1.0 + e, two_f = 2.0 + f;
    gm_v inv = 1.0 / (one_e * two_f);
    gm_v softplus = vlog1f(choose(big, gm_splat(1.0), gm_splat(0.0)), f, f * one_e * inv);
    gm_v upper = two_f * inv;
    *p = choose(m >= 0.0, upper, e * upper);
    return softplus + (choose(m > 0.0, m, gm_splat(0.0)) - y * m);
}

/* Rows i .. i + VL of p, zeros past n; p NULL: ones. */
static inline gm_v rows_at(const double *p, int64_t i, int64_t n)
{
    if (p == NULL) return gm_splat(1.0);
    if (i + VL <= n) return gm_load(p + i);
    gm_v v = {0};
    memcpy(&v, p + i, (size_t)(n - i) * sizeof *p);
    return v;
}
static inline void put_rows(double *p, int64_t i, int64_t n, gm_v v)
{
    if (i + VL <= n) gm_store(p + i, v);
    else memcpy(p + i, &v, (size_t)(n - i) * sizeof *p);
}
/* Rows past n that got a weight of one count nothing. */
static inline gm_v only_rows(gm_v v, int64_t i, int64_t n)
{
    double t[VL];
    memcpy(t, &v, sizeof t);
    for (int64_t l = n - i < 0 ? 0 : n - i; l < VL; l++) t[l] = 0;
    memcpy(&v, t, sizeof t);
    return v;
}

/* The whole vectors of the loop below, without a test of what is there. Returns the rows done. All
 * exponentials of a run first: a shorter body lets the processor have several under way. */
static inline __attribute__((always_inline)) int64_t logistic_whole(int64_t n, const double *m,
                                                                    const double *y, const double *w,
                                                                    double *r, gm_lanes *sum)
{
    gm_lanes s = {0};
    int64_t i = 0;
    while (i + LANES <= n) {
        double e[RUN];
        int64_t from = i, to = n - i < RUN ? i + (n - i) / LANES * LANES : i + RUN;
        for (int64_t at = from; at < to; at += VL)
            gm_store(e + at - from, vexp(negative_abs(gm_load(m + at))));
        for (; i < to; i += LANES)
            for (int k = 0; k < NV; k++) {
                int64_t at = i + k * VL;
                gm_v p, yi = gm_load(y + at);
                gm_v loss = logistic_loss(gm_load(m + at), gm_load(e + at - from), yi, &p), d = p - yi;
                if (w) loss *= gm_load(w + at), d *= gm_load(w + at);
                s.v[k] += loss;
                gm_store(r + at, d);
            }
    }
    *sum = s;
    return i;
}

double GM_ISA_NAME(gm_logistic)(int64_t n, const double *m, const double *y, const double *w, double *r)
{
    gm_lanes sum;
    int64_t i = w ? logistic_whole(n, m, y, w, r, &sum) : logistic_whole(n, m, y, NULL, r, &sum);
    for (int k = 0; k < NV && i < n; k++, i += VL) {
        gm_v p, mi = rows_at(m, i, n), yi = rows_at(y, i, n), wi = rows_at(w, i, n);
        sum.v[k] += only_rows(logistic_loss(mi, vexp(negative_abs(mi)), yi, &p) * wi, i, n);
        put_rows(r, i, n, wi * (p - yi));
    }
    return gm_lanes_sum(&sum);
}

void GM_ISA_NAME(gm_sigmoid)(int64_t n, const double *m, double *p)
{
    for (int64_t i = 0; i < n; i += VL) {
        gm_v mi = rows_at(m, i, n), e = vexp(negative_abs(mi)), upper = 1.0 / (1.0 + e);
        put_rows(p, i, n, choose(mi >= 0.0, upper, e * upper));
    }
}

double GM_ISA_NAME(gm_softmax)(int64_t n, int64_t k, int64_t stride, const double *m, const double *y,
                               const double *w, double *r)
{
    gm_lanes total = {0};
    for (int64_t i = 0; i < n; i += VL) {
        gm_v most = rows_at(m, i, n), sum = {0}, yi = y ? rows_at(y, i, n) : gm_splat(-1.0),
             wi = rows_at(w, i, n);
        gm_v own = {0};
        for (int64_t c = 1; c < k; c++) most = larger(most, rows_at(m + c * stride, i, n));
        for (int64_t c = 0; c < k; c++) {
            gm_v mc = rows_at(m + c * stride, i, n);
            own = choose(yi == (double)c, mc, own);
            gm_v e = vexp(mc - most);
            sum += e;
            put_rows(r + c * stride, i, n, e);
        }
        gm_v inv = 1.0 / sum;
        for (int64_t c = 0; c < k; c++) {
            gm_v p = rows_at(r + c * stride, i, n) * inv;
            gm_v hit = choose(yi == (double)c, gm_splat(1.0), gm_splat(0.0));
            put_rows(r + c * stride, i, n, wi * (p - hit));
        }
        gm_v loss = wi * (vlog(sum) + (most - own));
        total.v[i / VL % NV] += i + VL <= n ? loss : only_rows(loss, i, n);
    }
    return y ? gm_lanes_sum(&total) : 0;
}

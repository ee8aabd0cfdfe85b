/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regression.c - metrics of predicted quantities. Sums are shifted by the first label, so that a large offset
 * does not cost digits. R2 of a constant label is undefined.
 */
#include "score/regression.h"
#include <float.h>
#include <math.h>

void gm_residuals_add(gm_residuals *r, int64_t n, const double *y, const double *predicted, const double *w)
{
    if (!r->begun && n > 0) {
        r->begun = true;
        r->shift = y[0];
    }
    for (int64_t i = 0; i < n; i++) {
        double wi = w ? w[i] : 1, e = predicted[i] - y[i], d = y[i] - r->shift, p = predicted[i] - r->shift;
        r->w += wi;
        r->y += wi * d;
        r->yy += wi * d * d;
        r->raw_yy += wi * y[i] * y[i];
        r->ee += wi * e * e;
        r->ae += wi * fabs(e);
        r->p += wi * p;
        r->pp += wi * p * p;
    }
}

/* The other's sums, moved to this one's shift. */
void gm_residuals_merge(gm_residuals *into, const gm_residuals *from)
{
    if (!from->begun) return;
    if (!into->begun) {
        *into = *from;
        return;
    }
    double d = from->shift - into->shift;
    into->w += from->w;
    into->y += from->y + from->w * d;
    into->yy += from->yy + 2 * d * from->y + from->w * d * d;
    into->p += from->p + from->w * d;
    into->pp += from->pp + 2 * d * from->p + from->w * d * d;
    into->raw_yy += from->raw_yy;
    into->ee += from->ee;
    into->ae += from->ae;
}

static const char no_rows[] = "there are no rows";

static gm_value over(double a, double b, const char *why)
{
    return b > 0 ? (gm_value){a / b, NULL} : (gm_value){NAN, why};
}

gm_value gm_mse(const gm_residuals *r, bool through_origin)
{
    return (void)through_origin, over(r->ee, r->w, no_rows);
}
gm_value gm_mae(const gm_residuals *r, bool through_origin)
{
    return (void)through_origin, over(r->ae, r->w, no_rows);
}

gm_value gm_rmse(const gm_residuals *r, bool through_origin)
{
    gm_value v = gm_mse(r, through_origin);
    v.v = sqrt(v.v);
    return v;
}

gm_value gm_r2(const gm_residuals *r, bool through_origin)
{
    if (!(r->w > 0)) return (gm_value){NAN, no_rows};
    double total = through_origin ? r->raw_yy : r->yy - r->y * r->y / r->w;
    double noise = 16 * DBL_EPSILON * (r->yy + fabs(r->shift) * DBL_EPSILON * fabs(r->shift) * r->w);
    if (!(total > noise))
        return (gm_value){NAN, through_origin ? "the label is 0 everywhere" : "the label is constant"};
    return (gm_value){1 - r->ee / total, NULL};
}

/* Spark's: the weighted mean of (prediction - mean label)^2. */
gm_value gm_explained_variance(const gm_residuals *r, bool through_origin)
{
    (void)through_origin;
    if (!(r->w > 0)) return (gm_value){NAN, no_rows};
    double mean = r->y / r->w;
    return (gm_value){(r->pp - 2 * mean * r->p + mean * mean * r->w) / r->w, NULL};
}

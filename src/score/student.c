/* SPDX-License-Identifier: Apache-2.0 */
/*
 * student.c - P(|T| >= t) = I_x(dof/2, 1/2) with x = dof / (dof + t^2); the incomplete beta function by its
 * continued fraction (Abramowitz & Stegun 26.5.8) in Lentz's form.
 */
#include "score/student.h"
#include <math.h>

/* Not lgamma, which writes a global. */
static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

static double nonzero(double x) { return fabs(x) < 1e-300 ? 1e-300 : x; }

static double fraction(double a, double b, double x)
{
    double c = 1, d = 1 / nonzero(1 - (a + b) * x / (a + 1)), h = d;
    for (int m = 1; m < 10000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / nonzero(1 + even * d);
        c = nonzero(1 + even / c);
        h *= d * c;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / nonzero(1 + odd * d);
        c = nonzero(1 + odd / c);
        h *= d * c;
        if (fabs(d * c - 1) < 1e-15) break;
    }
    return h;
}

double gm_student_two_sided(double t, double dof)
{
    double a = dof / 2, b = 0.5, x = dof / (dof + t * t), y = t * t / (dof + t * t);
    if (isnan(t) || !(dof > 0)) return NAN;
    if (x <= 0) return 0;
    if (y <= 0) return 1;
    double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(y));
    return x < (a + 1) / (a + b + 2) ? front * fraction(a, b, x) / a : 1 - front * fraction(b, a, y) / b;
}

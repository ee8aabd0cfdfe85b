/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lbfgs.h - minimise f(x) + sum_j l1[j] |x[j]| over lower <= x <= upper: smooth when there is neither, OWL-QN
 * with l1, projected with bounds (not both).
 *
 * Stops as Breeze does, which Spark uses: when the last 20 values differ from the newest by at most tol times
 * the first value, or when the 2-norm of the gradient is at most tol times the value.
 */
#ifndef GM_SOLVE_LBFGS_H
#define GM_SOLVE_LBFGS_H
#include "base/cx.h"

typedef struct gm_objective {
    /* Sets *f and the n entries of g at x. A value that is not finite makes the search try a shorter step. */
    gm_code (*eval)(gm_cx *cx, void *arg, const double *x, double *f, double *g);
    void *arg;
} gm_objective;

typedef struct gm_lbfgs_options {
    int64_t max_iter;
    double tol;
    double noise;                /* f may rise by this much of |f|: its rounding; 0: 1e-13 */
    const double *l1;            /* per coordinate, >= 0; NULL: none */
    const double *lower, *upper; /* per coordinate, may be infinite; NULL: none */
    gm_code (*each)(gm_cx *cx, void *arg, int64_t iteration,
                    double value); /* after every iteration; NULL: nothing */
    void *each_arg;
} gm_lbfgs_options;

typedef enum gm_end {
    GM_END_VALUE,     /* the value no longer changes */
    GM_END_GRADIENT,  /* the gradient vanishes */
    GM_END_ROUNDING,  /* no step lowers the value by more than its rounding */
    GM_END_ITERATIONS /* max_iter were not enough */
} gm_end;
extern const char *const gm_end_words[]; /* "value", "gradient", "rounding", "iterations" */

typedef struct gm_lbfgs_result {
    gm_end end;
    int64_t iterations, evaluations;
    double *history; /* iterations + 1 values, in the arena; the last is the result's */
} gm_lbfgs_result;

/* From *x on; x gets the minimum. */
gm_code gm_lbfgs(gm_cx *cx, gm_arena *a, const gm_objective *o, const gm_lbfgs_options *opt, int64_t n,
                 double *x, gm_lbfgs_result *out) GM_NODISCARD;
#endif

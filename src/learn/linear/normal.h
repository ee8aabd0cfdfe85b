/* SPDX-License-Identifier: Apache-2.0 */
/*
 * normal.h - least squares by the normal equations of the scaled and centred columns: exact in one pass over
 * the data.
 */
#ifndef GM_LEARN_LINEAR_NORMAL_H
#define GM_LEARN_LINEAR_NORMAL_H
#include "learn/linear/linear_model.h"

typedef struct gm_normal {
    double *unknowns;        /* [p->n]: for gm_problem_unscale */
    double first, last;      /* the objective at zero coefficients and at the end */
    int64_t passes;          /* of coordinate descent; 0: solved directly */
    bool converged, full;    /* full: the columns are independent */
    double *standard_errors; /* [d + 1], the intercept's last; NULL: none */
    double degrees;          /* of freedom */
} gm_normal;

/* p: an open problem with squared loss and k = 1. errors: standard errors are wanted (only without a
 * penalty). */
gm_code gm_normal_solve(gm_cx *cx, gm_arena *a, gm_problem *p, const gm_penalty *penalty, double tol,
                        int64_t max_passes, bool errors, gm_normal *out) GM_NODISCARD;
#endif

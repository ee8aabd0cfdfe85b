/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem.h - what all linear learners fit:
 *
 *     1/W sum_i w_i loss(y_i, m_i) + penalty,   m_ic = b_c + sum_j x_ij a_cj
 *
 * The solver works on u_cj = a_cj * unit_j, the deviation in most cases, and on centred columns. Scaling and
 * centring go onto the coefficients and the gradient, never onto the data: dense columns are centred inside
 * the kernels, coded and sparse ones through the intercept, so zeros stay free and columns far from zero
 * (timestamps) lose no digits.
 */
#ifndef GM_LEARN_LINEAR_PROBLEM_H
#define GM_LEARN_LINEAR_PROBLEM_H
#include "block/dataset.h"
#include "comm/comm.h"
#include "kernel/kernel.h"
#include "learn/linear/fuse.h"
#include "solve/lbfgs.h"

/* Moments of the columns and the label over all rows of all ranks. */
typedef struct gm_spread {
    int64_t d, k;      /* columns, classes (0: a number as label) */
    double weight;     /* sum of the row weights */
    double count;      /* rows with a weight; with whole-number weights, which are repetitions, their sum */
    double *mean, *sd; /* [d]; sd 0: constant, to rounding */
    bool *dense;       /* [d]: dense in every block, so that kernels may shift it */
    double y_mean, y_sd;
    double *class_weight; /* [k] */
    int max_parts;        /* of a block */
} gm_spread;

/* One pass over the data. Features, labels and weights that are not finite are errors with their names. sd
 * divides by W - 1 when all weights are whole numbers (they are repetitions), else by W - sum(w^2) / W, as
 * Spark. */
gm_code gm_spread_of(gm_cx *cx, gm_arena *a, const gm_dataset *d, gm_comm *comm, gm_spread *out) GM_NODISCARD;

typedef struct gm_problem gm_problem;
/* Margins m[c * stride + i] of n rows become residuals w d(loss)/dm in place; returns sum w loss. extra: see
 * extras. */
typedef double (*gm_row_loss)(const gm_problem *p, int64_t n, int64_t stride, double *m, const double *y,
                              const double *w, double *extra);

struct gm_problem {
    const gm_dataset *data;
    gm_comm *comm;
    const gm_spread *s;
    int64_t k;      /* margins per row */
    bool intercept; /* k of them, after the k * d coefficients */
    bool centre;    /* columns are centred; needs intercept */
    gm_row_loss loss;
    const void *params; /* for loss */
    int64_t extras;     /* further unknowns at the end (huber: sigma), whose slopes loss adds to extra */
    const double *l2;   /* [d] strength of u^2 / 2 per column; NULL: none */
    const double *unit; /* [d] what u is measured in; 0 for constant columns */

    /* made by gm_problem_open */
    gm_cx *cx;
    gm_dataset view;                /* data in as many parts as there are accumulators */
    gm_fused fused;                 /* and what the passes go over */
    int64_t n, width, slots, slice; /* unknowns; columns of fused blocks; of a part's sums: slopes and loss */
    double *shift, *scale;          /* [width]: mean of dense columns; [d]: 1 / unit (0 for constant ones) */
    double *a, *base;               /* [k * d], [k]: the coefficients and intercepts of this evaluation */
    double *wide;                   /* [k * width]: the coefficients that kernels use */
    double *slope;                  /* [n + 1]: gradient and loss over all rows */
    const double *x;                /* the unknowns of this evaluation */
    double *sum;                    /* [parts * slots]: k * width slopes, the other unknowns', the loss */
    double *margin;                 /* [parts * slice * k] */
    gm_part *part;                  /* [parts * max_parts] */
    bool *begun;                    /* [parts] */
};

/* n becomes k * d + k (with intercept) + extras. Arrays from a. */
gm_code gm_problem_open(gm_cx *cx, gm_arena *a, gm_problem *p) GM_NODISCARD;
gm_objective gm_problem_objective(gm_problem *p);
/* From the solver's unknowns to coefficients k x d and intercepts k of the features as they are, and back. */
void gm_problem_unscale(const gm_problem *p, const double *x, double *coefficients, double *intercept);
void gm_problem_scale(const gm_problem *p, const double *coefficients, const double *intercept, double *x);
/* Whether every row is on the right side, with room: k == 1: y is 0 or 1 and the margin's sign says it. */
gm_code gm_problem_separates(gm_cx *cx, gm_problem *p, const double *x, bool *yes) GM_NODISCARD;
/* For gm_lbfgs_options.each: the event fit.iteration. */
gm_code gm_tell_iteration(gm_cx *cx, void *max_iter, int64_t iteration, double value);
#endif

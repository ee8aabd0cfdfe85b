/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linear_model.h - the state that all linear learners leave, and what they do alike with it.
 */
#ifndef GM_LEARN_LINEAR_MODEL_H
#define GM_LEARN_LINEAR_MODEL_H
#include "learn/common_params.h"
#include "learn/linear/problem.h"

/* What fitting found, in `fitted`. */
enum { GM_FIT_ITERATIONS, GM_FIT_EVALUATIONS, GM_FIT_END, GM_FIT_SEPARABLE, GM_FIT_WORDS };

/* Every state starts with this. */
typedef struct gm_linear_state {
    double *coefficients, *intercept, *objectiveHistory;
    int64_t *fitted, n_coefficients, n_features, n_intercept, n_history, n_fitted;
} gm_linear_state;

/* clang-format off */
#define GM_LINEAR_ROWS \
    GM_S_MATRIX(gm_linear_state, coefficients, n_coefficients, n_features, \
                "a row per margin, a column per feature"), \
    GM_S_REALS(gm_linear_state, intercept, n_intercept, "one per margin; 0 without intercept"), \
    GM_S_REALS(gm_linear_state, objectiveHistory, n_history, \
               "the objective at the start and after every iteration"), \
    GM_S_INTS(gm_linear_state, fitted, n_fitted, \
              "iterations, evaluations, why it stopped, whether classes are separable")
/* clang-format on */

/*
 * L1 and L2 strengths of the solver's unknowns, [d], and what those are measured in; l1 NULL when there is
 * none. standardization false: the penalty is on the coefficients as they are. An L2 part of that kind bends
 * the objective by strength / sd^2 along u, which may be anything; so u is measured in more than a deviation
 * then, such that it bends alike along all of them. curvature: the most that the loss bends with its margin.
 */
typedef struct gm_penalty {
    double *l1, *l2, *unit;
} gm_penalty;
gm_code gm_penalty_of(gm_cx *cx, gm_arena *a, const gm_spread *s, double strength, double l1_share,
                      bool standardization, double curvature, gm_penalty *out) GM_NODISCARD;

/* Room for k margins of d features, in kept. */
gm_code gm_linear_room(gm_cx *cx, gm_arena *kept, int64_t k, int64_t d, gm_linear_state *s) GM_NODISCARD;

/* The unknowns x of an open problem as the node's start has them, beyond coefficients and intercepts as they
 * were. *yes false: there is no start, and x is as it was. Two classes may be one margin there and two here.
 */
gm_code gm_linear_start(gm_cx *cx, const gm_node *node, const gm_problem *p, double *x,
                        bool *yes) GM_NODISCARD;

typedef struct gm_descent {
    int64_t max_iter;
    double tol;
    const double *l1;            /* [d], repeated for every margin; NULL: none */
    const double *lower, *upper; /* [n]; NULL: none */
} gm_descent;
/* Minimises p from x on, and fills the state from what it finds. */
gm_code gm_linear_descend(gm_cx *cx, gm_arena *kept, gm_problem *p, const gm_descent *how, double *x,
                          gm_linear_state *s) GM_NODISCARD;

/* out[i] = the margin c of the rows of b. */
void gm_linear_margin(const gm_linear_state *s, const gm_block *b, int64_t c, double *out);
/* Lengths that belong together, finite numbers, as many features as the column has. GM_EMODEL. margins 0:
 * any. */
gm_code gm_linear_verify(gm_cx *cx, const gm_node *node, int64_t margins) GM_NODISCARD;
/* {"totalIterations", "evaluations", "converged", "stopped", "objectiveHistory", ...: the object stays open.
 */
void gm_linear_summarize(gm_buf *b, const gm_linear_state *s);
#endif

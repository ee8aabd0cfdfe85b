/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linear_svc.c - two classes by the linear support vector machine:
 *
 *     min 1/W sum_i w_i max(0, 1 - (2 y_i - 1) m_i) + regParam/2 |u|_2^2,  u the scaled coefficients
 *
 * The hinge has a kink, so quasi-Newton steps stall near it; as Spark does, L-BFGS runs on its subgradient,
 * and here first on the hinge rounded over a width that shrinks, so that it ends near the optimum.
 */
#include "learn/linear/linear_model.h"
#include <math.h>
#include <string.h>

typedef struct params {
    GM_LEARNER_FIELDS;
    GM_RAW_FIELDS;
    GM_SOLVER_FIELDS;
    double threshold;
} params;

static const gm_param table[] = {
    GM_LEARNER_ROWS(params),
    GM_RAW_ROWS(params),
    GM_SOLVER_ROWS(params),
    {GM_REAL(params, threshold, 0.0), .help = "predict the second class when its margin is above this"},
    {0},
};
static const gm_state arrays[] = {GM_LINEAR_ROWS, {0}};

/* max(0, 1 - t m), with the kink rounded to a parabola over 1 - width .. 1 + width. */
static double hinge(const gm_problem *p, int64_t n, int64_t stride, double *m, const double *y,
                    const double *w, double *extra)
{
    double width = *(const double *)p->params, sum[4] = {0};
    (void)stride, (void)extra;
    for (int64_t i = 0; i < n; i++) {
        double t = 2 * y[i] - 1, z = 1 - t * m[i], wi = w ? w[i] : 1, loss = z, slope = 1;
        if (z <= -width) loss = slope = 0;
        if (z > -width && z < width) {
            slope = (z + width) / (2 * width);
            loss = slope * (z + width) / 2;
        }
        sum[i & 3] += wi * loss;
        m[i] = -wi * t * slope;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* The widths over which the hinge is rounded, one after another; a start that is not near the optimum joins
 * them at START. */
static const double widths[] = {0.5, 0.1, 0.02, 4e-3, 8e-4, 1.6e-4};
enum { STEPS = sizeof widths / sizeof *widths, START = 2, NEAR = 2 };

/* All steps so far. Each step's objective is that of its own width. */
typedef struct course {
    int64_t iterations, evaluations, n;
    double *history;
} course;

static gm_code descend(gm_cx *cx, gm_arena *kept, gm_problem *g, const gm_descent *how, double *x,
                       gm_linear_state *s, course *c)
{
    GM_TRY(gm_linear_descend(cx, gm_scratch(cx), g, how, x, s));
    GM_GOT(cx, c->history = gm_regrow(cx, kept, c->history, c->n, c->n + s->n_history, sizeof *c->history));
    memcpy(c->history + c->n, s->objectiveHistory, (size_t)s->n_history * sizeof *c->history);
    c->n += s->n_history;
    c->iterations += s->fitted[GM_FIT_ITERATIONS];
    c->evaluations += s->fitted[GM_FIT_EVALUATIONS];
    return GM_OK;
}

static gm_code fit(gm_cx *cx, gm_arena *kept, const gm_node *node, const gm_dataset *data, gm_comm *comm,
                   void *state_)
{
    const params *p = node->params;
    gm_linear_state *s = state_;
    gm_arena *a = gm_scratch(cx);
    gm_spread spread;
    gm_penalty penalty;
    course c = {0};
    double *x, width = 0;
    bool started;
    if (data->n_classes != 2)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EDATA, "LinearSVC needs two classes, the label has %lld",
                                   (long long)data->n_classes),
                           "for more classes take LogisticRegression");
    GM_TRY(gm_spread_of(cx, a, data, comm, &spread));
    if (!(spread.class_weight[0] > 0 && spread.class_weight[1] > 0))
        return gm_fail(cx, GM_EDATA, "the label is constant: all training rows are of one class");
    GM_TRY(gm_penalty_of(cx, a, &spread, p->regParam, 0, p->standardization, 1, &penalty));
    gm_problem g = {.data = data,
                    .comm = comm,
                    .s = &spread,
                    .k = 1,
                    .l2 = penalty.l2,
                    .unit = penalty.unit,
                    .intercept = p->fitIntercept,
                    .centre = p->fitIntercept,
                    .loss = hinge,
                    .params = &width};
    GM_TRY(gm_problem_open(cx, a, &g));
    GM_TRY(gm_linear_room(cx, kept, 1, spread.d, s));
    GM_NEW_IN(cx, a, x, g.n + 1);
    size_t from = 0;
    GM_TRY(gm_linear_start(cx, node, &g, x, &started));
    if (started) { /* wide hinges would lead away from an optimum: is this one? */
        gm_descent near = {.max_iter = p->maxIter < NEAR ? p->maxIter : NEAR, .tol = p->tol};
        width = widths[STEPS - 1];
        GM_TRY(descend(cx, kept, &g, &near, x, s, &c));
        from = s->fitted[GM_FIT_END] == GM_END_ITERATIONS ? START : STEPS;
    }
    for (size_t i = from; i < STEPS; i++) {
        gm_descent how = {.max_iter = p->maxIter - c.iterations, .tol = p->tol};
        if (c.n > 0 && how.max_iter <= 0) break;
        width = widths[i];
        GM_TRY(descend(cx, kept, &g, &how, x, s, &c));
    }
    s->objectiveHistory = c.history;
    s->n_history = c.n;
    s->fitted[GM_FIT_ITERATIONS] = c.iterations;
    s->fitted[GM_FIT_EVALUATIONS] = c.evaluations;
    return GM_OK;
}

static gm_code predict(gm_cx *cx, const gm_node *node, const gm_block *b, gm_prediction *out)
{
    const params *p = node->params;
    double *m = out->prediction;
    (void)cx;
    gm_linear_margin(node->state, b, 0, m);
    for (int64_t i = 0; i < b->rows; i++) {
        if (out->raw) out->raw[2 * i] = -m[i], out->raw[2 * i + 1] = m[i];
        m[i] = isnan(m[i]) ? NAN : m[i] > p->threshold;
    }
    return GM_OK;
}

static void summarize(gm_buf *b, const gm_node *node)
{
    gm_linear_summarize(b, node->state);
    gm_json_close(b, '}');
}

static gm_code verify(gm_cx *cx, const gm_node *node) { return gm_linear_verify(cx, node, 1); }

const gm_stage gm_stage_linear_svc = {
    .name = "LinearSVC",
    .summary = "Classifies two classes by the widest margin.",
    .doc =
        "Minimises the mean hinge loss plus regParam/2 * |a|_2^2, over coefficients of features scaled to "
        "unit deviation when standardization is set. It gives margins, no probabilities.\n\n"
        "Differs from Spark: the hinge is rounded over a width that shrinks in six steps, which reaches the "
        "optimum that quasi-Newton steps on the kink itself stall before; maxIter counts over all steps. "
        "With a model to start from the widest steps are left out, and near an optimum all but the last.",
    .kind = GM_CLASSIFIER,
    .params = table,
    .param_size = sizeof(params),
    .states = arrays,
    .state_size = sizeof(gm_linear_state),
    .fit = fit,
    .predict = predict,
    .summarize = summarize,
    .verify = verify,
};

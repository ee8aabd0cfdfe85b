/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linear_regression.c - a number by a linear function:
 *
 *     min 1/(2W) sum_i w_i (y_i - m_i)^2 + regParam (alpha |u|_1 + (1 - alpha)/2 |u|_2^2),  u the scaled
 * coefficients
 *
 * by the normal equations or L-BFGS/OWL-QN; or with Huber's loss and its scale sigma (Huber 1981; Owen 2007):
 *
 *     min 1/(2W) sum_i w_i (sigma + H((y_i - m_i) / sigma) sigma) + regParam/2 |u|_2^2,
 *     H(z) = z^2 for |z| <= epsilon, else 2 epsilon |z| - epsilon^2.
 */
#include "learn/linear/normal.h"
#include "score/student.h"
#include <math.h>
#include <string.h>

static const char *const solvers[] = {"auto", "normal", "l-bfgs", NULL};
static const char *const losses[] = {"squaredError", "huber", NULL};
enum { AUTO, NORMAL, LBFGS };
enum { SQUARED, HUBER };
enum { NORMAL_COLUMNS = 1024, MOST_NORMAL_COLUMNS = 16384 };

typedef struct params {
    GM_LEARNER_FIELDS;
    GM_SOLVER_FIELDS;
    GM_ELASTIC_FIELDS;
    int solver, loss;
    double epsilon;
} params;

typedef struct state {
    gm_linear_state linear;
    double *scale, *coefficientStandardErrors, *degreesOfFreedom;
    int64_t n_scale, n_errors, n_degrees;
} state;

static const gm_param table[] = {
    GM_LEARNER_ROWS(params),
    GM_SOLVER_ROWS(params),
    GM_ELASTIC_ROWS(params),
    {GM_ENUM(params, solver, AUTO, solvers),
     .help = "auto: the normal equations up to 1024 features, else l-bfgs"},
    {GM_ENUM(params, loss, SQUARED, losses), .help = "huber: few far-off labels do not matter"},
    {GM_REAL(params, epsilon, 1.35), .min = 1, .max = DBL_MAX, .open_min = true,
     .help = "huber: errors beyond this many sigma count linearly"},
    {0},
};
static const gm_state arrays[] = {
    GM_LINEAR_ROWS,
    GM_S_REALS(state, scale, n_scale, "huber: sigma"),
    GM_S_REALS(state, coefficientStandardErrors, n_errors, "of each coefficient, then of the intercept"),
    GM_S_REALS(state, degreesOfFreedom, n_degrees, "rows less coefficients and intercept"),
    {0},
};

static gm_code check(gm_cx *cx, const gm_node *node)
{
    const params *p = node->params;
    if (p->loss != HUBER) return GM_OK;
    if (p->solver == NORMAL)
        return gm_hint_add(cx, gm_fail(cx, GM_EPARAM, "LinearRegression: loss huber has no normal equations"),
                           "set solver: auto or l-bfgs");
    if (p->elasticNetParam > 0 && p->regParam > 0)
        return gm_hint_add(cx, gm_fail(cx, GM_EPARAM, "LinearRegression: loss huber takes no L1 penalty"),
                           "set elasticNetParam: 0");
    return GM_OK;
}

static double squared(const gm_problem *p, int64_t n, int64_t stride, double *m, const double *y,
                      const double *w, double *extra)
{
    double sum[8] = {0};
    (void)p, (void)stride, (void)extra;
    for (int64_t i = 0; i < n; i++) {
        double r = m[i] - y[i], wr = w ? w[i] * r : r;
        sum[i & 7] += r * wr;
        m[i] = wr;
    }
    return 0.5 * (((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])));
}

/* The last unknown is log sigma, so that sigma stays positive. */
static double huber(const gm_problem *p, int64_t n, int64_t stride, double *m, const double *y,
                    const double *w, double *extra)
{
    double sigma = exp(p->x[p->n - 1]), e = *(const double *)p->params, sum[4] = {0}, slope = 0;
    (void)stride;
    for (int64_t i = 0; i < n; i++) {
        double r = m[i] - y[i], z = r / sigma, wi = w ? w[i] : 1;
        bool inside = fabs(z) <= e;
        sum[i & 3] += wi * (inside ? sigma + r * z : sigma + 2 * e * fabs(r) - e * e * sigma);
        slope += wi * (inside ? 1 - z * z : 1 - e * e);
        m[i] = wi * (inside ? z : copysign(e, r));
    }
    *extra += 0.5 * slope * sigma;
    return 0.5 * ((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

static gm_code one_number(gm_cx *cx, gm_arena *kept, double v, double **at, int64_t *n)
{
    GM_NEW_IN(cx, kept, *at, 1);
    **at = v;
    *n = 1;
    return GM_OK;
}

static gm_code fit_normal(gm_cx *cx, gm_arena *kept, const gm_node *node, gm_problem *g,
                          const gm_penalty *penalty, state *s)
{
    const params *p = node->params;
    gm_normal r;
    int64_t most = p->maxIter * 100 + 1;
    GM_TRY(gm_normal_solve(cx, gm_scratch(cx), g, penalty, p->tol * 1e-3, most, p->regParam == 0, &r));
    gm_problem_unscale(g, r.unknowns, s->linear.coefficients, s->linear.intercept);
    s->linear.n_history = 2;
    GM_NEW_IN(cx, kept, s->linear.objectiveHistory, 2);
    s->linear.objectiveHistory[0] = r.first;
    s->linear.objectiveHistory[1] = r.last;
    s->linear.fitted[GM_FIT_ITERATIONS] = r.passes;
    s->linear.fitted[GM_FIT_EVALUATIONS] = 2;
    s->linear.fitted[GM_FIT_END] = r.converged ? GM_END_GRADIENT : GM_END_ITERATIONS;
    if (!r.full)
        gm_emit(cx, GM_WARNING, "fit.dependent", "",
                "%s: some features are linear combinations of others: the shortest solution is taken, "
                "without standard errors",
                node->uid);
    if (r.standard_errors == NULL) return GM_OK;
    s->n_errors = g->s->d + p->fitIntercept;
    GM_NEW_IN(cx, kept, s->coefficientStandardErrors, s->n_errors + 1);
    memcpy(s->coefficientStandardErrors, r.standard_errors, (size_t)s->n_errors * sizeof(double));
    return one_number(cx, kept, r.degrees, &s->degreesOfFreedom, &s->n_degrees);
}

static gm_code fit(gm_cx *cx, gm_arena *kept, const gm_node *node, const gm_dataset *data, gm_comm *comm,
                   void *state_)
{
    const params *p = node->params;
    state *s = state_;
    gm_arena *a = gm_scratch(cx);
    gm_spread spread;
    gm_penalty penalty;
    double *x;
    GM_TRY(gm_spread_of(cx, a, data, comm, &spread));
    GM_TRY(gm_penalty_of(cx, a, &spread, p->regParam, p->elasticNetParam, p->standardization, 1, &penalty));
    bool robust = p->loss == HUBER, started;
    gm_problem g = {.data = data,
                    .comm = comm,
                    .s = &spread,
                    .k = 1,
                    .l2 = penalty.l2,
                    .unit = penalty.unit,
                    .intercept = p->fitIntercept,
                    .centre = p->fitIntercept,
                    .loss = robust ? huber : squared,
                    .params = &p->epsilon,
                    .extras = robust};
    GM_TRY(gm_problem_open(cx, a, &g));
    GM_TRY(gm_linear_room(cx, kept, 1, spread.d, &s->linear));
    if (p->solver == NORMAL && spread.d > MOST_NORMAL_COLUMNS)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EPARAM,
                                   "solver: the normal equations of %lld features need %lld MB",
                                   (long long)spread.d, (long long)(spread.d * spread.d * 16 >> 20)),
                           "set solver: l-bfgs");
    if (!robust && (p->solver == NORMAL || (p->solver == AUTO && spread.d <= NORMAL_COLUMNS)))
        return fit_normal(cx, kept, node, &g, &penalty, s);
    GM_NEW_IN(cx, a, x, g.n + 1);
    if (p->fitIntercept) x[spread.d] = spread.y_mean;
    if (robust) x[g.n - 1] = spread.y_sd > 0 ? log(spread.y_sd) : 0;
    GM_TRY(gm_linear_start(cx, node, &g, x, &started));
    const state *before = started ? node->start->state : NULL;
    if (robust && before && before->n_scale == 1 && before->scale[0] > 0 && isfinite(before->scale[0]))
        x[g.n - 1] = log(before->scale[0]);
    gm_descent how = {.max_iter = p->maxIter, .tol = p->tol, .l1 = penalty.l1};
    GM_TRY(gm_linear_descend(cx, kept, &g, &how, x, &s->linear));
    if (s->linear.fitted[GM_FIT_END] == GM_END_ITERATIONS)
        gm_emit(cx, GM_WARNING, "fit.iterations", "",
                "%s: not converged after %lld iterations; raise maxIter or tol", node->uid,
                (long long)s->linear.fitted[GM_FIT_ITERATIONS]);
    return robust ? one_number(cx, kept, exp(x[g.n - 1]), &s->scale, &s->n_scale) : GM_OK;
}

static gm_code predict(gm_cx *cx, const gm_node *node, const gm_block *b, gm_prediction *out)
{
    (void)cx;
    gm_linear_margin(node->state, b, 0, out->prediction);
    return GM_OK;
}

static double coefficient(const state *s, int64_t i)
{
    return i < s->linear.n_features ? s->linear.coefficients[i] : s->linear.intercept[0];
}

static void summarize(gm_buf *b, const gm_node *node)
{
    const state *s = node->state;
    gm_linear_summarize(b, &s->linear);
    if (s->n_scale > 0) gm_json_real(b, "scale", s->scale[0]);
    if (s->n_errors > 0) {
        double degrees = s->degreesOfFreedom[0];
        gm_json_real(b, "degreesOfFreedom", degrees);
        gm_json_open(b, "coefficientStandardErrors", '[');
        for (int64_t i = 0; i < s->n_errors; i++) gm_json_real(b, NULL, s->coefficientStandardErrors[i]);
        gm_json_close(b, ']');
        gm_json_open(b, "tValues", '[');
        for (int64_t i = 0; i < s->n_errors; i++)
            gm_json_real(b, NULL, coefficient(s, i) / s->coefficientStandardErrors[i]);
        gm_json_close(b, ']');
        gm_json_open(b, "pValues", '[');
        for (int64_t i = 0; i < s->n_errors; i++)
            gm_json_real(b, NULL,
                         gm_student_two_sided(coefficient(s, i) / s->coefficientStandardErrors[i], degrees));
        gm_json_close(b, ']');
    }
    gm_json_close(b, '}');
}

static gm_code verify(gm_cx *cx, const gm_node *node)
{
    const state *s = node->state;
    if (s->n_errors > 0 &&
        (s->n_degrees != 1 || s->n_errors < s->linear.n_features || s->n_errors > s->linear.n_features + 1))
        return gm_fail(cx, GM_EMODEL, "%s: the model file is damaged: standard errors", node->uid);
    return gm_linear_verify(cx, node, 1);
}

const gm_stage gm_stage_linear_regression = {
    .name = "LinearRegression",
    .summary = "Predicts a number by a linear function.",
    .doc =
        "Minimises half the mean squared error plus regParam * (elasticNetParam * |a|_1 + (1 - "
        "elasticNetParam)/2 * "
        "|a|_2^2), over coefficients of features scaled to unit deviation when standardization is set. The "
        "normal "
        "equations take one pass over the data, and without a penalty give standard errors, t and p values; "
        "l-bfgs "
        "(OWL-QN with an L1 part) takes a pass an iteration. loss huber fits the scale sigma with the "
        "coefficients. A model to start from (warmStart, init) serves l-bfgs and huber; the normal equations "
        "need none and ignore it.\n\n"
        "Differs from Spark: the objective is the one that Spark documents. Spark's code divides the L2 part "
        "by the "
        "label's standard deviation, as glmnet does: for its ridge take regParam / stddev(label). Linearly "
        "dependent "
        "features get the shortest solution. A constant feature has coefficient 0, also without intercept.",
    .kind = GM_REGRESSOR,
    .params = table,
    .param_size = sizeof(params),
    .states = arrays,
    .state_size = sizeof(state),
    .check = check,
    .fit = fit,
    .predict = predict,
    .summarize = summarize,
    .verify = verify,
};

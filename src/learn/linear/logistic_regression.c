/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logistic_regression.c - classes by a linear margin: binomial, P(1) = 1 / (1 + exp(-m)), or multinomial,
 * softmax.
 *
 *     min 1/W sum_i w_i -log P(y_i) + regParam (alpha |u|_1 + (1 - alpha)/2 |u|_2^2),  u the scaled
 * coefficients
 *
 * by L-BFGS, OWL-QN for alpha > 0, projected with bounds. Parameters and conventions are those of Spark
 * MLlib.
 */
#include "learn/linear/linear_model.h"
#include <math.h>
#include <string.h>

static const char *const families[] = {"auto", "binomial", "multinomial", NULL};
enum { AUTO, BINOMIAL, MULTINOMIAL };

typedef struct params {
    GM_LEARNER_FIELDS;
    GM_RAW_FIELDS;
    GM_PROBABILITY_FIELDS;
    GM_SOLVER_FIELDS;
    GM_ELASTIC_FIELDS;
    int family;
    double threshold;
    gm_reals thresholds, lowerBoundsOnCoefficients, upperBoundsOnCoefficients, lowerBoundsOnIntercepts,
        upperBoundsOnIntercepts;
} params;

static const gm_param table[] = {
    GM_LEARNER_ROWS(params),
    GM_RAW_ROWS(params),
    GM_PROBABILITY_ROWS(params),
    GM_SOLVER_ROWS(params),
    GM_ELASTIC_ROWS(params),
    {GM_ENUM(params, family, AUTO, families), .help = "auto: binomial for two classes, multinomial for more"},
    {GM_REAL(params, threshold, 0.5), .min = 0, .max = 1,
     .help = "two classes: predict the second when its probability is above this"},
    {GM_REALS(params, thresholds), .min = 0, .max = DBL_MAX,
     .help = "one per class: predict the class with the largest probability / threshold"},
    {GM_REALS(params, lowerBoundsOnCoefficients),
     .help = "a list per margin of one bound per feature; needs elasticNetParam 0"},
    {GM_REALS(params, upperBoundsOnCoefficients),
     .help = "a list per margin of one bound per feature; needs elasticNetParam 0"},
    {GM_REALS(params, lowerBoundsOnIntercepts), .help = "one bound per margin; needs elasticNetParam 0"},
    {GM_REALS(params, upperBoundsOnIntercepts), .help = "one bound per margin; needs elasticNetParam 0"},
    {0},
};
static const gm_state arrays[] = {GM_LINEAR_ROWS, {0}};

static bool given(const gm_node *node, const char *name)
{
    return node->set >> gm_param_find(table, name) & 1;
}

static bool bounded(const params *p)
{
    return p->lowerBoundsOnCoefficients.n || p->upperBoundsOnCoefficients.n || p->lowerBoundsOnIntercepts.n ||
           p->upperBoundsOnIntercepts.n;
}

static gm_code check(gm_cx *cx, const gm_node *node)
{
    const params *p = node->params;
    const gm_reals *t = &p->thresholds;
    int64_t zeros = 0;
    for (int64_t i = 0; i < t->n; i++) zeros += t->v[i] == 0;
    if (t->n == 1 || zeros > 1)
        return gm_fail(cx, GM_EPARAM,
                       "LogisticRegression: thresholds: expected one per class, at most one of them 0");
    if (t->n == 2 && given(node, "threshold") && fabs(p->threshold - 1 / (1 + t->v[0] / t->v[1])) > 1e-5)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EPARAM,
                                   "LogisticRegression: threshold %g and thresholds [%g, %g] disagree",
                                   p->threshold, t->v[0], t->v[1]),
                           "give one of them");
    if (bounded(p) && p->regParam > 0 && p->elasticNetParam > 0)
        return gm_hint_add(
            cx, gm_fail(cx, GM_EPARAM, "LogisticRegression: bounds cannot be had with an L1 penalty"),
            "set elasticNetParam: 0, or leave the bounds out");
    if (!p->fitIntercept && (p->lowerBoundsOnIntercepts.n || p->upperBoundsOnIntercepts.n))
        return gm_fail(cx, GM_EPARAM,
                       "LogisticRegression: bounds on an intercept that is not fitted (fitIntercept: false)");
    return GM_OK;
}

/* ---- fit ---- */

static double binomial_loss(const gm_problem *p, int64_t n, int64_t stride, double *m, const double *y,
                            const double *w, double *extra)
{
    (void)p, (void)stride, (void)extra;
    return gm_kernel_best()->logistic(n, m, y, w, m);
}

static double multinomial_loss(const gm_problem *p, int64_t n, int64_t stride, double *m, const double *y,
                               const double *w, double *extra)
{
    (void)extra;
    return gm_kernel_best()->softmax(n, p->k, stride, m, y, w, m);
}

/* One kind of bound, of k margins: coefficients move with the scale of their column. */
static gm_code set_bounds(gm_cx *cx, const gm_problem *p, const char *name, const gm_reals *given_,
                          double none, bool on_intercepts, double *out)
{
    int64_t per = on_intercepts ? 1 : p->s->d, n = p->k * per;
    double *at = out + (on_intercepts ? p->k * p->s->d : 0);
    if (given_->n > 0 && (given_->n != n || (!on_intercepts && given_->rows > 0 && given_->rows != p->k)))
        return gm_fail(cx, GM_EPARAM, "LogisticRegression: %s: expected %lld x %lld bounds, found %lld", name,
                       (long long)p->k, (long long)per, (long long)given_->n);
    for (int64_t i = 0; i < n; i++) {
        double b = given_->n > 0 ? given_->v[i] : none;
        if (!on_intercepts && isfinite(b)) b *= p->unit[i % per];
        at[i] = b;
    }
    return GM_OK;
}

static gm_code bounds_of(gm_cx *cx, gm_arena *a, const gm_problem *g, const params *p, gm_descent *how)
{
    double *lower, *upper;
    if (!bounded(p)) return GM_OK;
    GM_NEW_IN(cx, a, lower, g->n + 1);
    GM_NEW_IN(cx, a, upper, g->n + 1);
    GM_TRY(set_bounds(cx, g, "lowerBoundsOnCoefficients", &p->lowerBoundsOnCoefficients, -INFINITY, false,
                      lower));
    GM_TRY(set_bounds(cx, g, "upperBoundsOnCoefficients", &p->upperBoundsOnCoefficients, INFINITY, false,
                      upper));
    if (g->intercept) {
        GM_TRY(set_bounds(cx, g, "lowerBoundsOnIntercepts", &p->lowerBoundsOnIntercepts, -INFINITY, true,
                          lower));
        GM_TRY(
            set_bounds(cx, g, "upperBoundsOnIntercepts", &p->upperBoundsOnIntercepts, INFINITY, true, upper));
    }
    for (int64_t i = 0; i < g->n; i++)
        if (!(lower[i] <= upper[i]))
            return gm_fail(cx, GM_EPARAM, "LogisticRegression: a lower bound is above its upper one");
    how->lower = lower;
    how->upper = upper;
    return GM_OK;
}

/* Intercepts that give the classes their shares, for a start. */
static void start(const gm_problem *p, double *x)
{
    const double *share = p->s->class_weight;
    double mean = 0, least = 1e-6 * p->s->weight; /* a class without rows has no finite logarithm */
    if (!p->intercept) return;
    double *b = x + p->k * p->s->d;
    if (p->k == 1) {
        b[0] = log(fmax(share[1], least) / fmax(share[0], least));
        return;
    }
    for (int64_t c = 0; c < p->k; c++) mean += log(fmax(share[c], least)) / (double)p->k;
    for (int64_t c = 0; c < p->k; c++) b[c] = log(fmax(share[c], least)) - mean;
}

/* Softmax does not change when all margins of a row do: intercepts are made to sum to zero, and so are the
 * coefficients of a feature when no penalty and no bound has chosen among them. */
static void centre_classes(gm_linear_state *s, bool coefficients, bool intercepts)
{
    int64_t k = s->n_intercept, d = s->n_features;
    for (int64_t j = 0; coefficients && j < d; j++) {
        double mean = 0;
        for (int64_t c = 0; c < k; c++) mean += s->coefficients[c * d + j] / (double)k;
        for (int64_t c = 0; c < k; c++) s->coefficients[c * d + j] -= mean;
    }
    double mean = 0;
    for (int64_t c = 0; intercepts && c < k; c++) mean += s->intercept[c] / (double)k;
    for (int64_t c = 0; intercepts && c < k; c++) s->intercept[c] -= mean;
}

static gm_code check_classes(gm_cx *cx, const params *p, const gm_dataset *d, const gm_spread *s)
{
    int64_t there = 0, last = 0;
    for (int64_t c = 0; c < d->n_classes; c++)
        if (s->class_weight[c] > 0) there++, last = c;
    if (there < 2) {
        gm_text name = last < d->labels.n ? gm_texts_at(&d->labels, last) : gm_text_of("?", 1);
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EDATA, "the label is constant: all training rows are '%.*s'",
                                   (int)name.len, gm_text_ptr(&name)),
                           "classes can be told apart only with rows of two or more");
    }
    if (p->family == BINOMIAL && d->n_classes > 2)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EPARAM, "family: binomial needs two classes, the label has %lld",
                                   (long long)d->n_classes),
                           "set family: auto or multinomial");
    if (p->thresholds.n > 0 && p->thresholds.n != d->n_classes)
        return gm_fail(cx, GM_EPARAM, "thresholds: expected one for each of the %lld classes, found %lld",
                       (long long)d->n_classes, (long long)p->thresholds.n);
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
    double *x;
    bool separable = false, started;
    GM_TRY(gm_spread_of(cx, a, data, comm, &spread));
    GM_TRY(check_classes(cx, p, data, &spread));
    GM_TRY(
        gm_penalty_of(cx, a, &spread, p->regParam, p->elasticNetParam, p->standardization, 0.25, &penalty));
    bool multinomial = p->family == MULTINOMIAL || data->n_classes > 2;
    gm_problem g = {.data = data,
                    .comm = comm,
                    .s = &spread,
                    .k = multinomial ? data->n_classes : 1,
                    .l2 = penalty.l2,
                    .unit = penalty.unit,
                    .intercept = p->fitIntercept,
                    .loss = multinomial ? multinomial_loss : binomial_loss};
    /* A bound on an intercept is one at the features as they are. */
    g.centre = g.intercept && !p->lowerBoundsOnIntercepts.n && !p->upperBoundsOnIntercepts.n;
    gm_descent how = {.max_iter = p->maxIter, .tol = p->tol, .l1 = penalty.l1};
    GM_TRY(gm_problem_open(cx, a, &g));
    GM_TRY(bounds_of(cx, a, &g, p, &how));
    GM_TRY(gm_linear_room(cx, kept, g.k, spread.d, s));
    GM_NEW_IN(cx, a, x, g.n + 1);
    start(&g, x);
    GM_TRY(gm_linear_start(cx, node, &g, x, &started));
    GM_TRY(gm_linear_descend(cx, kept, &g, &how, x, s));
    if (p->regParam == 0 && !bounded(p)) GM_TRY(gm_problem_separates(cx, &g, x, &separable));
    s->fitted[GM_FIT_SEPARABLE] = separable;
    if (multinomial && !bounded(p)) centre_classes(s, p->regParam == 0, p->fitIntercept);
    if (separable)
        gm_emit(cx, GM_WARNING, "fit.separable", "",
                "%s: the classes are perfectly separated: coefficients have no finite optimum; set regParam",
                node->uid);
    else if (s->fitted[GM_FIT_END] == GM_END_ITERATIONS)
        gm_emit(cx, GM_WARNING, "fit.iterations", "",
                "%s: not converged after %lld iterations; raise maxIter or tol", node->uid,
                (long long)s->fitted[GM_FIT_ITERATIONS]);
    return GM_OK;
}

/* ---- predict ---- */

static double scaled(const params *p, int64_t c, double probability)
{
    double t = p->thresholds.v[c];
    return t > 0 ? probability / t : probability > 0 ? INFINITY : 0;
}

static double choose(const params *p, int64_t k, const double *probability)
{
    int64_t best = 0;
    if (isnan(probability[0])) return NAN;
    if (p->thresholds.n != k) {
        if (k == 2) return probability[1] > p->threshold;
        for (int64_t c = 1; c < k; c++)
            if (probability[c] > probability[best]) best = c;
        return (double)best;
    }
    for (int64_t c = 1; c < k; c++)
        if (scaled(p, c, probability[c]) > scaled(p, best, probability[best])) best = c;
    return (double)best;
}

static void predict_two(const params *p, const gm_linear_state *s, const gm_block *b, gm_prediction *out)
{
    double *m = out->prediction;
    gm_linear_margin(s, b, 0, m);
    for (int64_t from = 0; from < b->rows; from += 256) {
        double one[256];
        int64_t n = b->rows - from < 256 ? b->rows - from : 256;
        gm_kernel_best()->sigmoid(n, m + from, one);
        for (int64_t i = 0; i < n; i++) {
            double both[2] = {1 - one[i], one[i]}, margin = m[from + i];
            if (out->raw) out->raw[2 * (from + i)] = -margin, out->raw[2 * (from + i) + 1] = margin;
            if (out->probability) memcpy(out->probability + 2 * (from + i), both, sizeof both);
            m[from + i] = choose(p, 2, both);
        }
    }
}

static gm_code predict(gm_cx *cx, const gm_node *node, const gm_block *b, gm_prediction *out)
{
    const params *p = node->params;
    const gm_linear_state *s = node->state;
    int64_t k = s->n_intercept, n = b->rows;
    if (k == 1) {
        predict_two(p, s, b, out);
        return GM_OK;
    }
    gm_arena tmp = {0};
    double *m = gm_alloc(cx, &tmp, k * n + k, sizeof *m), *row = m ? m + k * n : NULL;
    if (m == NULL) return gm_arena_end(&tmp), gm_why_null(cx);
    for (int64_t c = 0; c < k; c++) gm_linear_margin(s, b, c, m + c * n);
    for (int64_t i = 0; out->raw && i < n; i++)
        for (int64_t c = 0; c < k; c++) out->raw[i * k + c] = m[c * n + i];
    gm_kernel_best()->softmax(n, k, n, m, NULL, NULL, m);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t c = 0; c < k; c++) row[c] = m[c * n + i];
        if (out->probability) memcpy(out->probability + i * k, row, (size_t)k * sizeof *row);
        out->prediction[i] = choose(p, k, row);
    }
    gm_arena_end(&tmp);
    return GM_OK;
}

static void summarize(gm_buf *b, const gm_node *node)
{
    gm_linear_summarize(b, node->state);
    gm_json_close(b, '}');
}

static gm_code verify(gm_cx *cx, const gm_node *node) { return gm_linear_verify(cx, node, 0); }

const gm_stage gm_stage_logistic_regression = {
    .name = "LogisticRegression",
    .summary = "Classifies by a linear margin, with probabilities.",
    .doc =
        "Minimises the mean of -log P(label) plus regParam * (elasticNetParam * |a|_1 + (1 - "
        "elasticNetParam)/2 * "
        "|a|_2^2) by L-BFGS, OWL-QN when there is an L1 part, and a projected method with bounds. With "
        "standardization "
        "the penalty is on the coefficients of features scaled to unit deviation; the intercept is never "
        "penalised. "
        "Columns are centred inside the solver, so features far from zero (dates, ids) do no harm. "
        "A model of the same features and classes may be given to start from (warmStart, init); the optimum "
        "is the same, the way there shorter.\n\n"
        "Two classes give one row of coefficients, for the second class; family multinomial, or more "
        "classes, one row "
        "per class: intercepts then sum to zero, and so do the coefficients of a feature when regParam is "
        "0.\n\n"
        "Differs from Spark: classes that a hyperplane separates perfectly have no finite optimum without "
        "a penalty; "
        "fitting stops, and the summary says separable and not converged. A constant label is an error. "
        "Weights that "
        "are whole numbers count as repeated rows, also in the scaling. A feature that does not vary has "
        "coefficient "
        "0, also without intercept.",
    .kind = GM_CLASSIFIER,
    .probabilistic = true,
    .params = table,
    .param_size = sizeof(params),
    .states = arrays,
    .state_size = sizeof(gm_linear_state),
    .check = check,
    .fit = fit,
    .predict = predict,
    .summarize = summarize,
    .verify = verify,
};

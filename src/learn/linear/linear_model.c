/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linear_model.c - penalties, the run of the solver, margins and the summary of a linear model.
 */
#include "learn/linear/linear_model.h"
#include <math.h>
#include <string.h>

gm_code gm_penalty_of(gm_cx *cx, gm_arena *a, const gm_spread *s, double strength, double l1_share,
                      bool standardization, double curvature, gm_penalty *out)
{
    double l1 = strength * l1_share, l2 = strength * (1 - l1_share);
    *out = (gm_penalty){0};
    GM_NEW_IN(cx, a, out->l2, s->d + 1);
    GM_NEW_IN(cx, a, out->unit, s->d + 1);
    if (l1 > 0) GM_NEW_IN(cx, a, out->l1, s->d + 1);
    for (int64_t j = 0; j < s->d; j++) {
        bool as_is = !standardization && l2 > 0 && s->sd[j] > 0;
        out->unit[j] = as_is ? sqrt(s->sd[j] * s->sd[j] + l2 / curvature) : s->sd[j];
        double scale = standardization ? 1 : s->sd[j] > 0 ? 1 / out->unit[j] : 0;
        out->l2[j] = l2 * scale * scale;
        if (l1 > 0) out->l1[j] = l1 * scale;
    }
    return GM_OK;
}

gm_code gm_linear_room(gm_cx *cx, gm_arena *kept, int64_t k, int64_t d, gm_linear_state *s)
{
    s->n_features = d;
    s->n_coefficients = k * d;
    s->n_intercept = k;
    s->n_fitted = GM_FIT_WORDS;
    GM_NEW_IN(cx, kept, s->coefficients, k * d + 1);
    GM_NEW_IN(cx, kept, s->intercept, k);
    GM_NEW_IN(cx, kept, s->fitted, GM_FIT_WORDS);
    return GM_OK;
}

/* Entry `at` of margin c out of k, from rows of `stride` entries a margin. */
static double margin_entry(const gm_linear_state *s, const double *v, int64_t stride, int64_t at, int64_t c,
                           int64_t k)
{
    if (k == s->n_intercept) return v[c * stride + at];
    if (k == 1) return v[stride + at] - v[at];
    return c == 0 ? -0.5 * v[at] : 0.5 * v[at];
}

gm_code gm_linear_start(gm_cx *cx, const gm_node *node, const gm_problem *p, double *x, bool *yes)
{
    *yes = node->start != NULL;
    if (!*yes) return GM_OK;
    const gm_linear_state *s = node->start->state;
    int64_t d = p->s->d, k = p->k;
    double *coefficients, *intercept;
    if (s->n_features != d || (k != s->n_intercept && (k > 2 || s->n_intercept > 2)))
        return gm_fail(cx, GM_EMODEL, "%s: the model to start from is damaged", node->uid);
    GM_NEW(cx, coefficients, k * d + 1);
    GM_NEW(cx, intercept, k);
    for (int64_t c = 0; c < k; c++) {
        intercept[c] = margin_entry(s, s->intercept, 1, 0, c, k);
        for (int64_t j = 0; j < d; j++)
            coefficients[c * d + j] = margin_entry(s, s->coefficients, d, node->start->at[j], c, k);
    }
    gm_problem_scale(p, coefficients, intercept, x);
    return GM_OK;
}

gm_code gm_linear_descend(gm_cx *cx, gm_arena *kept, gm_problem *p, const gm_descent *how, double *x,
                          gm_linear_state *s)
{
    gm_arena tmp = {0};
    double *l1 = NULL;
    gm_lbfgs_result r = {0};
    int64_t max_iter = how->max_iter;
    gm_lbfgs_options opt = {.max_iter = max_iter,
                            .tol = how->tol,
                            .lower = how->lower,
                            .upper = how->upper,
                            .each = gm_tell_iteration,
                            .each_arg = &max_iter};
    gm_objective o = gm_problem_objective(p);
    gm_code code = GM_OK;
    if (how->l1) {
        l1 = gm_alloc(cx, &tmp, p->n + 1, sizeof *l1);
        if (l1 == NULL) code = gm_why_null(cx);
        for (int64_t c = 0; l1 && c < p->k; c++)
            memcpy(l1 + c * p->s->d, how->l1, (size_t)p->s->d * sizeof *l1);
        opt.l1 = l1;
    }
    if (code == GM_OK) code = gm_lbfgs(cx, &tmp, &o, &opt, p->n, x, &r);
    if (code == GM_OK) {
        s->n_history = r.iterations + 1;
        s->objectiveHistory = gm_alloc(cx, kept, s->n_history, sizeof *s->objectiveHistory);
        if (s->objectiveHistory == NULL) code = gm_why_null(cx);
    }
    if (code == GM_OK) {
        memcpy(s->objectiveHistory, r.history, (size_t)s->n_history * sizeof *r.history);
        s->fitted[GM_FIT_ITERATIONS] = r.iterations;
        s->fitted[GM_FIT_EVALUATIONS] = r.evaluations;
        s->fitted[GM_FIT_END] = r.end;
        gm_problem_unscale(p, x, s->coefficients, s->intercept);
    }
    gm_arena_end(&tmp);
    return code;
}

void gm_linear_margin(const gm_linear_state *s, const gm_block *b, int64_t c, double *out)
{
    for (int64_t i = 0; i < b->rows; i++) out[i] = s->intercept[c];
    gm_kernel_best()->xw(b, NULL, s->coefficients + c * s->n_features, out);
}

static gm_code damaged(gm_cx *cx, const gm_node *node, const char *what)
{
    return gm_fail(cx, GM_EMODEL, "%s: the model file is damaged: %s", node->uid, what);
}

gm_code gm_linear_verify(gm_cx *cx, const gm_node *node, int64_t margins)
{
    const gm_linear_state *s = node->state;
    if (s->n_intercept < 1 || (margins > 0 && s->n_intercept != margins))
        return damaged(cx, node, "intercept");
    if (s->n_features < 0 || s->n_coefficients / s->n_intercept != s->n_features ||
        s->n_coefficients % s->n_intercept != 0)
        return damaged(cx, node, "coefficients and intercept do not fit together");
    for (int64_t i = 0; i < s->n_coefficients; i++)
        if (!isfinite(s->coefficients[i])) return damaged(cx, node, "a coefficient is not a number");
    for (int64_t i = 0; i < s->n_intercept; i++)
        if (!isfinite(s->intercept[i])) return damaged(cx, node, "an intercept is not a number");
    if (s->n_fitted < GM_FIT_WORDS || s->fitted[GM_FIT_END] < 0 || s->fitted[GM_FIT_END] > GM_END_ITERATIONS)
        return damaged(cx, node, "fitted");
    for (int k = 0; node->in_attr && k < node->n_in; k++)
        if (node->in[k].type == GM_T_VECTOR && node->in_attr[k].type == GM_T_VECTOR &&
            node->in_attr[k].width != s->n_features)
            return gm_fail(
                cx, GM_EMODEL, "%s: the model has %lld coefficients a row, column '%s' has %lld elements",
                node->uid, (long long)s->n_features, node->in[k].column, (long long)node->in_attr[k].width);
    return GM_OK;
}

void gm_linear_summarize(gm_buf *b, const gm_linear_state *s)
{
    bool separable = s->fitted[GM_FIT_SEPARABLE] != 0;
    gm_json_open(b, NULL, '{');
    gm_json_int(b, "totalIterations", s->fitted[GM_FIT_ITERATIONS]);
    gm_json_int(b, "evaluations", s->fitted[GM_FIT_EVALUATIONS]);
    gm_json_bool(b, "converged", s->fitted[GM_FIT_END] != GM_END_ITERATIONS && !separable);
    gm_json_str(b, "stopped", separable ? "separable" : gm_end_words[s->fitted[GM_FIT_END]]);
    if (separable)
        gm_json_str(b, "note",
                    "the classes are perfectly separated: coefficients have no finite optimum, set regParam");
    gm_json_open(b, "objectiveHistory", '[');
    for (int64_t i = 0; i < s->n_history; i++) gm_json_real(b, NULL, s->objectiveHistory[i]);
    gm_json_close(b, ']');
}

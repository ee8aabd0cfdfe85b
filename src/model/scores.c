/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scores.c - gathering predictions and writing their metrics. See scores.h.
 */
#include "model/scores.h"
#include "model/chosen.h"
#include <math.h>
#include <string.h>

gm_code gm_scores_begin(gm_cx *cx, gm_arena *a, gm_hold *hold, gm_metric_kind kind, int64_t classes,
                        double eps, gm_scores *s)
{
    *s = (gm_scores){.arena = a, .hold = hold, .kind = kind};
    if (kind == GM_METRIC_REGRESSION) return GM_OK;
    GM_TRY(gm_confusion_new(cx, a, classes, &s->confusion));
    if (eps > 0) s->confusion.eps = eps;
    return GM_OK;
}

/* A longer copy of n numbers; the old place is given back. */
static gm_code longer(gm_cx *cx, gm_scores *s, double **x, int64_t n, int64_t cap)
{
    char *p;
    GM_TRY(gm_hold_cut(cx, s->hold, &s->cur, cap * (int64_t)sizeof **x, &p));
    if (n) {
        memcpy(p, *x, (size_t)n * sizeof **x);
        gm_hold_forget(s->hold, (char *)*x, n * (int64_t)sizeof **x, false);
    }
    *x = (double *)(void *)p;
    return GM_OK;
}

static gm_code grow(gm_cx *cx, gm_scores *s, struct gm_side *side, int64_t more)
{
    if (side->n + more <= side->cap) return GM_OK;
    int64_t cap = 2 * side->cap + more;
    GM_TRY(longer(cx, s, &side->score, side->n, cap));
    if (s->weighted) GM_TRY(longer(cx, s, &side->w, side->n, cap));
    side->cap = cap;
    return GM_OK;
}

static gm_code keep_ranks(gm_cx *cx, gm_scores *s, int64_t n, const double *y, const double *predicted,
                          const double *raw, const double *w)
{
    int64_t positive = 0;
    for (int64_t i = 0; i < n; i++) positive += y[i] > 0.5;
    GM_TRY(grow(cx, s, &s->side[0], n - positive));
    GM_TRY(grow(cx, s, &s->side[1], positive));
    for (int64_t i = 0; i < n; i++) {
        struct gm_side *side = &s->side[y[i] > 0.5];
        side->score[side->n] = raw ? raw[2 * i + 1] : predicted[i];
        if (w) side->w[side->n] = w[i];
        side->n++;
    }
    return GM_OK;
}

gm_code gm_scores_add(gm_cx *cx, gm_scores *s, int64_t n, const double *y, const double *predicted,
                      const double *raw, const double *p, const double *w)
{
    s->rows += n;
    s->weighted = w != NULL;
    if (s->kind == GM_METRIC_REGRESSION) {
        gm_residuals_add(&s->residuals, n, y, predicted, w);
        for (int64_t i = 0; i < n && s->n_sample < GM_RESIDUAL_SAMPLE; i++) {
            s->sample[s->n_sample][0] = predicted[i];
            s->sample[s->n_sample++][1] = y[i];
        }
        return GM_OK;
    }
    gm_confusion_add(&s->confusion, n, y, predicted, p, w);
    if (s->kind != GM_METRIC_BINARY) return GM_OK;
    s->has_p = p != NULL;
    if (p) gm_calibration_add(&s->calibration, n, p + 1, 2, y, w);
    return keep_ranks(cx, s, n, y, predicted, raw, w);
}

static gm_class_scores scores_of(const struct gm_side *side)
{
    return (gm_class_scores){side->n, side->score, side->w, side->joined};
}

static gm_code join_ranks(gm_cx *cx, gm_scores *into, const gm_scores *from)
{
    for (int c = 0; c < 2; c++) {
        gm_class_scores first = scores_of(&from->side[c]), *piece;
        for (const gm_class_scores *p = &first; p; p = p->next) {
            if (p->n == 0) continue;
            GM_NEW_IN(cx, into->arena, piece, 1);
            *piece = *p;
            piece->next = into->side[c].joined;
            into->side[c].joined = piece;
        }
    }
    return GM_OK;
}

gm_code gm_scores_join(gm_cx *cx, gm_scores *into, const gm_scores *from)
{
    into->rows += from->rows;
    into->weighted |= from->weighted;
    into->has_p |= from->has_p;
    into->no_label += from->no_label;
    into->other_label += from->other_label;
    if (into->kind == GM_METRIC_REGRESSION) {
        gm_residuals_merge(&into->residuals, &from->residuals);
        for (int64_t i = 0; i < from->n_sample && into->n_sample < GM_RESIDUAL_SAMPLE; i++)
            memcpy(into->sample[into->n_sample++], from->sample[i], sizeof into->sample[0]);
        return GM_OK;
    }
    gm_confusion_merge(&into->confusion, &from->confusion);
    gm_calibration_merge(&into->calibration, &from->calibration);
    return join_ranks(cx, into, from);
}

/* ---- writing ---- */

static void write_points(gm_buf *b, const char *key, const gm_points *p)
{
    gm_json_open(b, key, '[');
    for (int64_t i = 0; i < p->n; i++) {
        gm_json_open(b, NULL, '[');
        gm_json_real(b, NULL, p->x[i]);
        gm_json_real(b, NULL, p->y[i]);
        gm_json_close(b, ']');
    }
    gm_json_close(b, ']');
}

static void write_calibration(gm_buf *b, const gm_scores *s)
{
    const gm_calibration *c = &s->calibration;
    gm_json_open(b, "calibration", '[');
    for (int i = 0; i < 10; i++) {
        if (c->weight[i] == 0) continue;
        gm_json_open(b, NULL, '[');
        gm_json_real(b, NULL, c->predicted[i] / c->weight[i]);
        gm_json_real(b, NULL, c->observed[i] / c->weight[i]);
        gm_json_real(b, NULL, c->weight[i]);
        gm_json_close(b, ']');
    }
    gm_json_close(b, ']');
}

static void write_confusion(gm_buf *b, const gm_confusion *c, const gm_texts *labels)
{
    enum { MOST = 100 };
    if (c->k > MOST) return;
    gm_json_open(b, "confusion", '{');
    gm_json_open(b, "labels", '[');
    for (int64_t i = 0; i < labels->n; i++)
        gm_json_text(b, NULL, labels->bytes + labels->off[i], (size_t)(labels->off[i + 1] - labels->off[i]));
    gm_json_close(b, ']');
    gm_json_open(b, "counts", '[');
    for (int64_t t = 0; t < c->k; t++) {
        gm_json_open(b, NULL, '[');
        for (int64_t j = 0; j < c->k; j++) gm_json_real(b, NULL, c->count[t * c->k + j]);
        gm_json_close(b, ']');
    }
    gm_json_close(b, ']');
    gm_json_close(b, '}');
}

static void write_sample(gm_buf *b, const gm_scores *s)
{
    gm_json_open(b, "residuals", '[');
    for (int64_t i = 0; i < s->n_sample; i++) {
        gm_json_open(b, NULL, '[');
        gm_json_real(b, NULL, s->sample[i][0]);
        gm_json_real(b, NULL, s->sample[i][1]);
        gm_json_close(b, ']');
    }
    gm_json_close(b, ']');
}

static bool fits(const gm_metric *m, const gm_scores *s)
{
    if (m->by_label) return false;
    return m->kind == s->kind || (s->kind == GM_METRIC_BINARY && m->kind == GM_METRIC_MULTICLASS);
}

/* v NULL: without options, as all metrics are listed. */
static gm_value value_of(const gm_metric *m, const gm_scores *s, const gm_ranking *r, const gm_evaluation *v)
{
    const gm_evaluation plain = {.metricLabel = 1, .beta = 1};
    return gm_evaluation_value(m, v ? v : &plain, r, &s->confusion, &s->residuals);
}

static gm_code write_chosen(gm_cx *cx, gm_buf *b, const gm_pipeline *p, const gm_scores *s,
                            const gm_ranking *r, const gm_texts *labels)
{
    if (p->n_chosen == 0) return GM_OK;
    gm_json_open(b, "chosen", '[');
    for (int i = 0; i < p->n_chosen; i++) {
        const gm_chosen *c = &p->chosen[i];
        const gm_metric *m = gm_chosen_metric(c);
        gm_value v = value_of(m, s, r, &c->v);
        gm_buf name = gm_buf_in(cx, gm_scratch(cx));
        gm_chosen_name(&name, c, labels);
        GM_TRY(gm_buf_done(&name));
        gm_json_open(b, NULL, '{');
        gm_json_str(b, "evaluator", c->evaluator->name);
        gm_json_str(b, "metric", m->name);
        gm_json_text(b, "name", name.p, name.len);
        gm_json_real(b, "value", v.v);
        if (v.why) gm_json_str(b, "why", v.why);
        gm_json_bool(b, "larger_is_better", m->larger_is_better);
        gm_json_close(b, '}');
    }
    gm_json_close(b, ']');
    return GM_OK;
}

gm_code gm_scores_write(gm_cx *cx, gm_buf *b, const char *key, const gm_scores *s, const gm_texts *labels,
                        const gm_pipeline *p)
{
    gm_ranking r = {0};
    gm_class_scores of[2] = {scores_of(&s->side[0]), scores_of(&s->side[1])};
    if (s->kind == GM_METRIC_BINARY) {
        gm_hold_cursor cur = {0};
        char *work;
        GM_TRY(gm_hold_cut(cx, s->hold, &cur, gm_rank_work(of) + 64, &work));
        GM_TRY(gm_rank(cx, s->arena, of, work, &r));
    }
    gm_json_open(b, key, '{');
    GM_TRY(write_chosen(cx, b, p, s, &r, labels));
    for (const gm_metric *m = gm_metrics; m->name; m++)
        if (fits(m, s)) gm_json_real(b, m->name, value_of(m, s, &r, NULL).v);
    gm_json_int(b, "rows", s->rows);
    if (s->no_label) gm_json_int(b, "rowsWithoutLabel", s->no_label);
    if (s->other_label) gm_json_int(b, "rowsWithUnknownLabel", s->other_label);
    gm_json_open(b, "undefined", '{');
    for (const gm_metric *m = gm_metrics; m->name; m++)
        if (fits(m, s) && value_of(m, s, &r, NULL).why) gm_json_str(b, m->name, value_of(m, s, &r, NULL).why);
    gm_json_close(b, '}');
    if (s->kind == GM_METRIC_REGRESSION) {
        write_sample(b, s);
    } else if (labels) {
        write_confusion(b, &s->confusion, labels);
    }
    if (s->kind == GM_METRIC_BINARY) {
        gm_json_open(b, "curves", '{');
        write_points(b, "roc", &r.roc_curve);
        write_points(b, "pr", &r.pr_curve);
        if (s->has_p) write_calibration(b, s);
        gm_json_close(b, '}');
    }
    gm_json_close(b, '}');
    return GM_OK;
}

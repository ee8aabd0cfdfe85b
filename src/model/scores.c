/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scores.c - gathering predictions and writing their metrics. See scores.h.
 */
#include "model/scores.h"
#include <math.h>
#include <string.h>

gm_code gm_scores_begin(gm_cx *cx, gm_arena *a, gm_metric_kind kind, int64_t classes, gm_scores *s)
{
    *s = (gm_scores){.arena = a, .kind = kind};
    return kind == GM_METRIC_REGRESSION ? GM_OK : gm_confusion_new(cx, a, classes, &s->confusion);
}

static gm_code grow(gm_cx *cx, gm_scores *s, int64_t need)
{
    double **array[] = {&s->score, &s->y, &s->p, &s->w};
    if (need <= s->cap) return GM_OK;
    int64_t cap = s->cap ? 2 * s->cap : 4096;
    if (cap < need) cap = need;
    for (int k = 0; k < GM_COUNT(array); k++) {
        double *more = gm_regrow(cx, s->arena, *array[k], s->n, cap, sizeof *more);
        GM_GOT(cx, more);
        *array[k] = more;
    }
    s->cap = cap;
    return GM_OK;
}

gm_code gm_scores_add(gm_cx *cx, gm_scores *s, int64_t n, const double *y, const double *predicted, const double *raw,
                      const double *p, const double *w)
{
    s->rows += n;
    s->weighted |= w != NULL;
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
    GM_TRY(grow(cx, s, s->n + n));
    s->has_p = p != NULL;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = s->n + i;
        s->score[at] = raw ? raw[2 * i + 1] : predicted[i];
        s->p[at] = p ? p[2 * i + 1] : 0;
        s->y[at] = y[i];
        s->w[at] = w ? w[i] : 1;
    }
    s->n += n;
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
    if (into->kind != GM_METRIC_BINARY || from->n == 0) return GM_OK;
    GM_TRY(grow(cx, into, into->n + from->n));
    size_t bytes = (size_t)from->n * sizeof(double);
    memcpy(into->score + into->n, from->score, bytes);
    memcpy(into->y + into->n, from->y, bytes);
    memcpy(into->p + into->n, from->p, bytes);
    memcpy(into->w + into->n, from->w, bytes);
    into->n += from->n;
    return GM_OK;
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
    gm_calibration c;
    gm_calibrate(s->n, s->p, s->y, s->w, &c);
    gm_json_open(b, "calibration", '[');
    for (int i = 0; i < 10; i++) {
        if (c.weight[i] == 0) continue;
        gm_json_open(b, NULL, '[');
        gm_json_real(b, NULL, c.predicted[i]);
        gm_json_real(b, NULL, c.observed[i]);
        gm_json_real(b, NULL, c.weight[i]);
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

static gm_value value_of(const gm_metric *m, const gm_scores *s, const gm_ranking *r)
{
    gm_class_options o = {.label = 1, .beta = 1};
    if (m->binary) return m->binary(r);
    return m->multiclass ? m->multiclass(&s->confusion, &o) : m->regression(&s->residuals, false);
}

gm_code gm_scores_write(gm_cx *cx, gm_buf *b, const char *key, const gm_scores *s, const gm_texts *labels)
{
    gm_ranking r = {0};
    if (s->kind == GM_METRIC_BINARY)
        GM_TRY(gm_rank(cx, s->arena, s->n, s->score, s->y, s->weighted ? s->w : NULL, &r));
    gm_json_open(b, key, '{');
    for (const gm_metric *m = gm_metrics; m->name; m++)
        if (fits(m, s)) gm_json_real(b, m->name, value_of(m, s, &r).v);
    gm_json_int(b, "rows", s->rows);
    if (s->no_label) gm_json_int(b, "rowsWithoutLabel", s->no_label);
    if (s->other_label) gm_json_int(b, "rowsWithUnknownLabel", s->other_label);
    gm_json_open(b, "undefined", '{');
    for (const gm_metric *m = gm_metrics; m->name; m++)
        if (fits(m, s) && value_of(m, s, &r).why) gm_json_str(b, m->name, value_of(m, s, &r).why);
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

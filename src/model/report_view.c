/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_view.c - the document of gm_model_info as the report reads it: totals instead of details, texts
 * instead of objects, the coefficients as features, the pipeline as YAML.
 */
#include "model/info.h"
#include "model/report.h"
#include <string.h>

static const gm_doc *at(const gm_doc *d, const char *key) { return d ? gm_doc_get(d, key) : NULL; }
static bool any_of(const char *key, const char *const *keys)
{
    for (; *keys; keys++)
        if (strcmp(key, *keys) == 0) return true;
    return false;
}

/* Metrics of a part without the counts that are no metrics. */
static void write_part(gm_buf *b, const gm_doc *part)
{
    static const char *const counts[] = {"rows", "rowsWithoutLabel", "rowsWithUnknownLabel", "undefined",
                                         NULL};
    gm_json_open(b, part->key, '{');
    for (int64_t i = 0; i < part->n; i++)
        if (!any_of(part->child[i].key, counts)) gm_doc_write_json(b, part->child[i].key, &part->child[i]);
    gm_json_close(b, '}');
}

static void write_features(gm_buf *b, const gm_doc *info)
{
    const gm_doc *list = at(info, "coefficients"), *rows = at(info, "coefficientRows"),
                 *intercept = at(info, "intercept");
    if (list == NULL || rows == NULL) return;
    gm_json_open(b, "features", '[');
    for (int64_t i = 0; i < list->n; i++) {
        const gm_doc *c = &list->child[i];
        gm_json_open(b, NULL, '{');
        gm_doc_write_json(b, "name", at(c, "name"));
        if (rows->i == 1) gm_doc_write_json(b, "value", at(c, "value"));
        else gm_doc_write_json(b, "values", at(c, "values"));
        gm_json_close(b, '}');
    }
    gm_json_close(b, ']');
    if (intercept && intercept->n == 1) gm_doc_write_json(b, "intercept", &intercept->child[0]);
}

static void write_invalid(gm_buf *b, const gm_doc *list)
{
    gm_json_open(b, "skipped", '[');
    for (int64_t i = 0; list && i < list->n; i++) {
        const gm_doc *d = &list->child[i], *values = at(d, "values");
        char *text = gm_format(
            b->cx, b->arena, "%s: %lld values of '%s' were missing, unseen or out of range (rule: %s)",
            at(d, "stage")->str, (long long)values->i, at(d, "column")->str, at(d, "rule")->str);
        if (text) gm_json_str(b, NULL, text);
    }
    gm_json_close(b, ']');
}

/* The iterations of the last learner that tells them. */
static const gm_doc *learner_summary(const gm_doc *info)
{
    const gm_doc *stages = at(info, "stages");
    for (int64_t i = stages ? stages->n - 1 : -1; i >= 0; i--)
        if (at(&stages->child[i], "summary")) return at(&stages->child[i], "summary");
    return NULL;
}

static void write_fit(gm_buf *b, const gm_doc *info)
{
    const gm_doc *fit = at(info, "fit"), *rows = at(fit, "rows"), *seconds = at(fit, "seconds"),
                 *summary = learner_summary(info), *test = at(rows, "test");
    double total = 0;
    for (int64_t i = 0; seconds && i < seconds->n; i++) total += seconds->child[i].real;
    gm_json_open(b, "fit", '{');
    if (at(rows, "read")) gm_doc_write_json(b, "rows", at(rows, "read"));
    if (test && test->i > 0) {
        gm_json_open(b, "split", '{');
        gm_doc_write_json(b, "train", at(rows, "train"));
        gm_doc_write_json(b, "test", test);
        gm_json_close(b, '}');
    }
    write_invalid(b, at(fit, "invalid"));
    gm_json_real(b, "seconds", total);
    if (at(summary, "totalIterations")) gm_doc_write_json(b, "iterations", at(summary, "totalIterations"));
    if (at(summary, "objectiveHistory")) gm_doc_write_json(b, "history", at(summary, "objectiveHistory"));
    if (at(summary, "converged")) gm_doc_write_json(b, "converged", at(summary, "converged"));
    if (at(fit, "plan")) gm_doc_write_json(b, "plan", at(fit, "plan"));
    gm_json_close(b, '}');
}

gm_code gm_model_report_json(gm_cx *cx, gm_buf *b, const gm_model *m)
{
    static const char *const own[] = {"features", "coefficients", "coefficientRows", "intercept",
                                      "fit",      "metrics",      "pipeline",        NULL};
    gm_buf json = gm_buf_in(cx, gm_scratch(cx)), yaml = gm_buf_in(cx, gm_scratch(cx));
    gm_doc *info;
    GM_TRY(gm_model_info_json(cx, &json, m));
    GM_TRY(gm_doc_json(cx, gm_scratch(cx), json.p, json.len, "model", &info));
    GM_TRY(gm_pipeline_yaml(cx, &yaml, m->pipeline, false));
    GM_TRY(gm_buf_done(&yaml));
    gm_json_open(b, NULL, '{');
    for (int64_t i = 0; i < info->n; i++)
        if (!any_of(info->child[i].key, own)) gm_doc_write_json(b, info->child[i].key, &info->child[i]);
    const gm_doc *metrics = at(info, "metrics");
    gm_json_open(b, "metrics", '{');
    for (int64_t i = 0; metrics && i < metrics->n; i++) write_part(b, &metrics->child[i]);
    gm_json_close(b, '}');
    write_features(b, info);
    write_fit(b, info);
    gm_json_str(b, "pipeline", yaml.p);
    gm_json_close(b, '}');
    return gm_buf_done(b);
}

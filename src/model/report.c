/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c - the report's page, from top to bottom: what it is, how good it is, what to be careful about,
 * what it looks at, what was done to the data, how it was fitted, and the pipeline to run it again.
 */
#include "model/report.h"
#include "model/report_parts.h"
#include <math.h>
#include <string.h>

/* What metrics are called, in the order they are told; card: worth a place at the top. */
static const struct {
    const char *key, *name, *meaning;
    bool card;
} metric_names[] = {
    {"areaUnderROC", "Area under ROC", "0.5 is guessing, 1 is perfect", true},
    {"areaUnderPR", "Area under PR", "precision and recall; guessing: the share of positives", true},
    {"r2", "R\xc2\xb2", "share of the variance explained", true},
    {"rmse", "Root mean squared error", "in units of the label", true},
    {"mae", "Mean absolute error", "in units of the label", true},
    {"mse", "Mean squared error", "", false},
    {"var", "Explained variance", "", false},
    {"accuracy", "Accuracy", "share of rows predicted right", true},
    {"f1", "F1", "mean over labels, by their size", true},
    {"logLoss", "Log loss", "lower is better", true},
    {"weightedPrecision", "Precision, weighted", "", false},
    {"weightedRecall", "Recall, weighted", "", false},
    {"weightedTruePositiveRate", "True positive rate, weighted", "", false},
    {"weightedFalsePositiveRate", "False positive rate, weighted", "", false},
    {"weightedFMeasure", "F-measure, weighted", "", false},
    {"hammingLoss", "Hamming loss", "", false},
};

static int find_metric(const char *key)
{
    for (int i = 0; i < (int)GM_COUNT(metric_names); i++)
        if (strcmp(metric_names[i].key, key) == 0) return i;
    return -1;
}

static const char *task_words(const char *task)
{
    static const char *const words[][2] = {{"binary", "Two classes"},
                                           {"multiclass", "Several classes"},
                                           {"regression", "A number"},
                                           {"classification", "Classes"}};
    for (int64_t i = 0; task && i < GM_COUNT(words); i++)
        if (strcmp(words[i][0], task) == 0) return words[i][1];
    return task;
}

static const gm_doc *last_of(const gm_doc *list)
{
    return list && list->n ? &list->child[list->n - 1] : NULL;
}

static void title(gm_buf *b, const gm_doc *info)
{
    const char *name = gm_rp_str(info, "name"), *label = gm_rp_str(info, "label"),
               *task = gm_rp_str(info, "task"), *why = gm_rp_str(info, "why"),
               *learner = gm_rp_str(last_of(gm_rp_list(info, "stages")), "name");
    gm_buf_str(b, "<header><h1>");
    gm_rp_text(b, name ? name : label ? label : "A fitted model");
    gm_buf_str(b, "</h1><p>");
    if (task) gm_rp_text(b, task_words(task));
    if (label)
        gm_buf_str(b, task ? ", predicting <strong>" : "Predicting <strong>"), gm_rp_text(b, label),
            gm_buf_str(b, "</strong>");
    if (learner) gm_buf_str(b, task || label ? ", by " : ""), gm_rp_text(b, learner);
    gm_buf_str(b, ".");
    if (why) gm_buf_str(b, " "), gm_rp_text(b, why);
    gm_buf_str(b, "</p></header>\n");
}

/* What always answering the most frequent label reaches; false when the confusion is not known. */
static bool share_of_largest(const gm_doc *metrics, double *share)
{
    const gm_doc *counts = gm_rp_list(gm_rp_map(metrics, "confusion"), "counts");
    double all = 0, most = 0, v;
    for (int64_t i = 0; counts && i < counts->n; i++) {
        double row = 0;
        for (int64_t j = 0; j < counts->child[i].n; j++)
            if (gm_rp_real(&counts->child[i].child[j], &v)) row += v;
        all += row;
        most = fmax(most, row);
    }
    *share = all > 0 ? most / all : 0;
    return all > 0;
}

/* ---- what the pipeline's evaluators chose ---- */

static bool is_chosen(const gm_doc *chosen, const char *metric)
{
    for (int64_t i = 0; chosen && i < chosen->n; i++) {
        const char *name = gm_rp_str(&chosen->child[i], "name");
        if (name && strcmp(name, metric) == 0) return true;
    }
    return false;
}

/* The value of the i-th chosen metric of a part. */
static const gm_doc *chosen_value(const gm_doc *part, int64_t i)
{
    const gm_doc *chosen = gm_rp_list(part, "chosen");
    return chosen && i < chosen->n ? gm_doc_get(&chosen->child[i], "value") : NULL;
}

static void chosen_name(gm_buf *b, const gm_doc *chosen)
{
    const char *name = gm_rp_str(chosen, "name");
    int at = find_metric(name ? name : "");
    if (at >= 0) gm_buf_str(b, metric_names[at].name);
    else gm_rp_short(b, name ? name : "", 60);
}

static void chosen_card(gm_buf *b, const gm_doc *chosen, const gm_doc *train, const gm_doc *test, int64_t i)
{
    double v;
    gm_buf_str(b, "<div class=card><span>");
    chosen_name(b, chosen);
    gm_buf_str(b, "</span><b>");
    if (gm_rp_real(gm_doc_get(chosen, "value"), &v)) gm_rp_fixed(b, v);
    else gm_buf_str(b, "undefined");
    gm_buf_str(b, "</b><small>chosen by the pipeline</small>");
    if (test && gm_rp_real(chosen_value(train, i), &v))
        gm_buf_str(b, "<small>training rows: "), gm_rp_fixed(b, v), gm_buf_str(b, "</small>");
    gm_buf_str(b, "</div>\n");
}

static void cards(gm_buf *b, const gm_doc *info, const gm_doc *train, const gm_doc *test)
{
    const gm_doc *from = test ? test : train, *fit = gm_rp_map(info, "fit");
    double v, t, base;
    int n = 0;
    gm_buf_str(b, "<div class=cards>\n");
    const gm_doc *chosen = gm_rp_list(from, "chosen");
    for (; chosen && n < chosen->n && n < 4; n++) chosen_card(b, &chosen->child[n], train, test, n);
    for (int64_t i = 0; i < GM_COUNT(metric_names) && n < 4; i++) {
        if (is_chosen(chosen, metric_names[i].key)) continue;
        if (!metric_names[i].card || from == NULL || !gm_rp_real(gm_doc_get(from, metric_names[i].key), &v))
            continue;
        gm_buf_printf(b, "<div class=card><span>%s</span><b>", metric_names[i].name);
        gm_rp_fixed(b, v);
        gm_buf_str(b, "</b><small>");
        if (strcmp(metric_names[i].key, "accuracy") == 0 && share_of_largest(from, &base))
            gm_buf_str(b, "the largest class alone: "), gm_rp_fixed(b, base);
        else gm_buf_str(b, metric_names[i].meaning);
        gm_buf_str(b, "</small>");
        if (test && gm_rp_real(train ? gm_doc_get(train, metric_names[i].key) : NULL, &t))
            gm_buf_str(b, "<small>training rows: "), gm_rp_fixed(b, t), gm_buf_str(b, "</small>");
        gm_buf_str(b, "</div>\n");
        n++;
    }
    if (fit && gm_rp_real(gm_doc_get(fit, "rows"), &v)) {
        gm_buf_str(b, "<div class=card><span>Rows</span><b>");
        gm_rp_num(b, v);
        gm_buf_str(b, "</b>");
        if (gm_rp_real(gm_doc_get(fit, "seconds"), &t))
            gm_buf_str(b, "<small>fitted in "), gm_rp_seconds(b, t), gm_buf_str(b, "</small>");
        gm_buf_str(b, "</div>\n");
    }
    gm_buf_str(b, "</div>\n");
}

/* ---- what to be careful about ---- */

static void note(gm_buf *b, int *n) { gm_buf_str(b, (*n)++ ? "</li>\n<li>" : "<ul class=notes><li>"); }

static void notes(gm_buf *b, const gm_doc *info, const gm_doc *train, const gm_doc *test)
{
    const gm_doc *fit = gm_rp_map(info, "fit"), *list = gm_rp_list(info, "notes"),
                 *columns = gm_rp_list(info, "columns"),
                 *converged = fit ? gm_doc_get(fit, "converged") : NULL;
    double v, t;
    int n = 0;
    if (converged && converged->kind == GM_D_BOOL && !converged->b)
        note(b, &n),
            gm_buf_str(b, "The fit stopped before it converged: coefficients may still move. Raise maxIter.");
    if (train && !test)
        note(b, &n),
            gm_buf_str(b, "No rows were held out: the metrics are those of the rows the model has seen.");
    for (int64_t i = 0; columns && i < columns->n; i++) {
        const char *use = gm_rp_str(&columns->child[i], "use"), *name = gm_rp_str(&columns->child[i], "name"),
                   *why = gm_rp_str(&columns->child[i], "why");
        if (!use || !name || !strstr(use, "leak")) continue;
        note(b, &n);
        gm_buf_str(b, "Column <strong>");
        gm_rp_text(b, name);
        gm_buf_str(b, "</strong>: ");
        gm_rp_text(b, why ? why : use);
    }
    if (gm_rp_real(test ? gm_doc_get(test, "areaUnderROC") : NULL, &v)) {
        if (v > 0.995)
            note(b, &n),
                gm_buf_str(
                    b, "The ranking is almost perfect. That is rare: check that no column knows the label.");
        if (gm_rp_real(train ? gm_doc_get(train, "areaUnderROC") : NULL, &t) && t - v > 0.05)
            note(b, &n),
                gm_buf_str(b, "Training rows are ranked much better than held-out rows: the model overfits. "
                              "Raise regParam, or use fewer features.");
    }
    for (int64_t i = 0; list && i < list->n && i < 20; i++) note(b, &n), gm_rp_value(b, &list->child[i]);
    if (n) gm_buf_str(b, "</li></ul>\n");
}

/* ---- metrics ---- */

static void metric_value(gm_buf *b, const gm_doc *d)
{
    double v;
    gm_buf_str(b, "<td class=num>");
    if (gm_rp_real(d, &v)) gm_rp_fixed(b, v);
    else gm_buf_str(b, d ? "<span class=quiet>undefined</span>" : "");
    gm_buf_str(b, "</td>");
}

static void chosen_rows(gm_buf *b, const gm_doc *from, const gm_doc *train, const gm_doc *test)
{
    const gm_doc *chosen = gm_rp_list(from, "chosen");
    for (int64_t i = 0; chosen && i < chosen->n; i++) {
        gm_buf_str(b, "<tr><td class=name>");
        chosen_name(b, &chosen->child[i]);
        gm_buf_str(b, "</td>");
        if (test) metric_value(b, chosen_value(test, i));
        if (train) metric_value(b, chosen_value(train, i));
        gm_buf_str(b, "<td class=quiet>chosen by the pipeline</td></tr>\n");
    }
}

static void metric_row(gm_buf *b, const char *key, const gm_doc *train, const gm_doc *test)
{
    int at = find_metric(key);
    gm_buf_str(b, "<tr><td class=name>");
    gm_rp_text(b, at >= 0 ? metric_names[at].name : key);
    gm_buf_str(b, "</td>");
    if (test) metric_value(b, gm_doc_get(test, key));
    if (train) metric_value(b, gm_doc_get(train, key));
    gm_buf_str(b, "<td class=quiet>");
    gm_buf_str(b, at >= 0 ? metric_names[at].meaning : "");
    gm_buf_str(b, "</td></tr>\n");
}

static bool scalar(const gm_doc *d)
{
    return d && (d->kind == GM_D_INT || d->kind == GM_D_REAL || d->kind == GM_D_NULL);
}

static void metrics_table(gm_buf *b, const gm_doc *train, const gm_doc *test)
{
    const gm_doc *from = test ? test : train;
    gm_buf_str(b, "<div class=scroll><table><thead><tr><th>Metric");
    if (test) gm_buf_str(b, "<th class=num>Held-out rows");
    if (train) gm_buf_str(b, "<th class=num>Training rows");
    gm_buf_str(b, "<th></tr></thead><tbody>\n");
    chosen_rows(b, from, train, test);
    for (int64_t i = 0; i < GM_COUNT(metric_names); i++)
        if (!is_chosen(gm_rp_list(from, "chosen"), metric_names[i].key) &&
            scalar(gm_doc_get(from, metric_names[i].key)))
            metric_row(b, metric_names[i].key, train, test);
    for (int64_t i = 0; i < from->n; i++)
        if (scalar(&from->child[i]) && find_metric(from->child[i].key) < 0)
            metric_row(b, from->child[i].key, train, test);
    gm_buf_str(b, "</tbody></table></div>\n");
}

static void quality(gm_buf *b, const gm_doc *info, const gm_doc *train, const gm_doc *test)
{
    const gm_doc *from = test ? test : train;
    if (from == NULL) return;
    gm_buf_str(b, "<section><h2>How good it is</h2><p>");
    gm_buf_str(b, test ? "Judged on rows that were held out of the fit."
                       : "Judged on the rows it was fitted on.");
    gm_buf_str(b, "</p><div class=plots>\n");
    const gm_doc *pairs = gm_rp_list(from, "residuals");
    gm_rp_plot_roc(b, test ? train : NULL, from);
    gm_rp_plot_pr(b, test ? train : NULL, from);
    gm_rp_plot_calibration(b, from);
    gm_rp_plot_fit(b, pairs);
    gm_rp_plot_residuals(b, pairs);
    gm_buf_str(b, "</div>\n");
    const gm_doc *confusion = gm_rp_map(from, "confusion");
    const gm_doc *counts = gm_rp_list(confusion, "counts");
    if (counts) gm_buf_str(b, counts->n > 6 ? "<div class=\"beside even\">\n" : "<div class=beside>\n");
    gm_rp_plot_confusion(b, confusion);
    metrics_table(b, train, test);
    if (counts) gm_buf_str(b, "</div>\n");
    gm_rp_by_label(b, info, from);
    gm_buf_str(b, "</section>\n");
}

/* ---- the fit ---- */

static void fact(gm_buf *b, const char *name) { gm_buf_printf(b, "<div><dt>%s</dt><dd>", name); }

static void split_fact(gm_buf *b, const gm_doc *split)
{
    double v, all = 0;
    if (split == NULL) return;
    for (int64_t i = 0; i < split->n; i++)
        if (gm_rp_real(&split->child[i], &v)) all += v;
    if (!(all > 1)) return;
    fact(b, "Split");
    for (int64_t i = 0; i < split->n; i++) {
        if (!gm_rp_real(&split->child[i], &v)) continue;
        if (i) gm_buf_str(b, "<br>");
        gm_rp_text(b, split->child[i].key);
        gm_buf_str(b, ": ");
        gm_rp_num(b, v);
        gm_buf_str(b, " (");
        gm_rp_share(b, v / all);
        gm_buf_str(b, ")");
    }
    gm_buf_str(b, "</dd></div>\n");
}

static void fit_section(gm_buf *b, const gm_doc *info)
{
    const gm_doc *fit = gm_rp_map(info, "fit"), *skipped = gm_rp_list(fit, "skipped"),
                 *converged = fit ? gm_doc_get(fit, "converged") : NULL;
    const char *plan = gm_rp_str(fit, "plan");
    double v;
    if (fit == NULL) return;
    gm_buf_str(b, "<section><h2>How it was fitted</h2><dl>\n");
    if (gm_rp_real(gm_doc_get(fit, "rows"), &v))
        fact(b, "Rows read"), gm_rp_num(b, v), gm_buf_str(b, "</dd></div>\n");
    split_fact(b, gm_rp_map(fit, "split"));
    if (gm_rp_real(gm_doc_get(fit, "seconds"), &v))
        fact(b, "Time"), gm_rp_seconds(b, v), gm_buf_str(b, "</dd></div>\n");
    if (gm_rp_real(gm_doc_get(fit, "iterations"), &v))
        fact(b, "Iterations"), gm_rp_num(b, v), gm_buf_str(b, "</dd></div>\n");
    if (converged && converged->kind == GM_D_BOOL)
        fact(b, "Converged"), gm_rp_value(b, converged), gm_buf_str(b, "</dd></div>\n");
    gm_buf_str(b, "</dl>\n");
    if (skipped && skipped->n) {
        gm_buf_str(b, "<h3>Values and rows that stages decided about</h3><table><tbody>\n");
        for (int64_t i = 0; i < skipped->n && i < 100; i++) {
            gm_buf_str(b, "<tr><td>");
            gm_rp_value(b, &skipped->child[i]);
            gm_buf_str(b, "</td></tr>\n");
        }
        gm_buf_str(b, "</tbody></table>\n");
    }
    gm_buf_str(b, "<div class=plots>");
    gm_rp_plot_history(b, gm_rp_list(fit, "history"));
    gm_buf_str(b, "</div>\n");
    if (plan) gm_buf_str(b, "<h3>Plan</h3><pre>"), gm_rp_text(b, plan), gm_buf_str(b, "</pre>\n");
    gm_buf_str(b, "</section>\n");
}

static void pipeline(gm_buf *b, const gm_doc *info)
{
    const gm_doc *p = gm_doc_get(info, "pipeline");
    if (p == NULL || (p->kind != GM_D_STR && p->kind != GM_D_MAP)) return;
    gm_buf_str(b, "<section><h2>Pipeline</h2><p>What to put into a file to train this again.</p><pre>");
    if (p->kind == GM_D_STR) gm_rp_text(b, p->str);
    else {
        gm_buf yaml = gm_buf_in(b->cx, b->arena);
        gm_doc_write_yaml(&yaml, p, 0);
        if (gm_buf_done(&yaml) == GM_OK) gm_rp_text(b, yaml.p);
        else b->code = yaml.code;
    }
    gm_buf_str(b, "</pre></section>\n");
}

gm_code gm_report_html(gm_cx *cx, gm_buf *out, const gm_doc *info)
{
    if (info == NULL || info->kind != GM_D_MAP)
        return gm_fail(cx, GM_EINTERNAL, "the report needs the document of gm_model_info");
    const gm_doc *metrics = gm_rp_map(info, "metrics"), *train = gm_rp_map(metrics, "train"),
                 *test = gm_rp_map(metrics, "test");
    const char *name = gm_rp_str(info, "name"), *version = gm_rp_str(info, "version");
    if (train && train->n == 0) train = NULL;
    if (test && test->n == 0) test = NULL;
    gm_rp_head(out, name ? name : "Model");
    title(out, info);
    cards(out, info, train, test);
    notes(out, info, train, test);
    quality(out, info, train, test);
    gm_buf feature_plot = gm_buf_in(cx, out->arena);
    gm_rp_plot_features(&feature_plot, info);
    GM_TRY(gm_buf_done(&feature_plot));
    if (feature_plot.len) {
        gm_buf_str(out, "<section><h2>What it looks at</h2>\n");
        gm_buf_add(out, feature_plot.p, feature_plot.len);
        gm_buf_str(out, "</section>\n");
    }
    gm_rp_columns(out, info);
    fit_section(out, info);
    gm_rp_stages(out, info);
    gm_rp_schema(out, info);
    pipeline(out, info);
    gm_buf_str(out, "<footer>Gristmill");
    if (version) gm_buf_str(out, " "), gm_rp_text(out, version);
    gm_buf_str(out, "</footer>\n</main></body></html>\n");
    return gm_buf_done(out);
}

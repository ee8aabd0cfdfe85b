/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate.c - `gristmill evaluate`: all metrics of a model on a table that has the label; the metrics table.
 */
#include "cmd.h"
#include <string.h>

static bool is_matrix(yyjson_val *v)
{
    return yyjson_is_arr(v) && yyjson_arr_size(v) > 0 && yyjson_is_arr(yyjson_arr_get_first(v));
}

/* A matrix as numbers under the labels when they are known: the confusion matrix. */
static void print_matrix(cmd *c, const char *name, yyjson_val *matrix, yyjson_val *labels)
{
    size_t n = yyjson_arr_size(matrix), k = yyjson_arr_size(yyjson_arr_get_first(matrix)), i, m, j, q;
    if (n > 20 || k > 20) return;
    bool known = yyjson_arr_size(labels) == n && n == k;
    cmd_grid *g = cmd_grid_of(c, (int)k + 1);
    cmd_grid_title(g, 0, known ? "true \\ predicted" : "", false);
    for (j = 0; j < k; j++)
        cmd_grid_title(g, (int)j + 1,
                       known ? cmd_scalar(c, yyjson_arr_get(labels, j)) : cmd_format(c, "%zu", j), true);
    yyjson_val *row, *v;
    yyjson_arr_foreach(matrix, i, m, row)
    {
        cmd_grid_cell(g, known ? cmd_scalar(c, yyjson_arr_get(labels, i)) : cmd_format(c, "%zu", i));
        yyjson_arr_foreach(row, j, q, v) { cmd_grid_cell(g, cmd_scalar(c, v)); }
    }
    cmd_say(c, "\n");
    cmd_heading(c, name);
    cmd_grid_print(g, 0);
}

static const char *metric_text(cmd *c, yyjson_val *v)
{
    if (v == NULL) return "";
    return yyjson_is_null(v) ? "undefined" : cmd_scalar(c, v);
}

/* What is worth reading first, by task; the part that has the first name of a row is of that task. */
#define ROWS "rows", "rowsWithoutLabel", "rowsWithUnknownLabel"
static const char *const main_metrics[][9] = {
    {"areaUnderROC", "areaUnderPR", "accuracy", "f1", "logLoss", ROWS},
    {"accuracy", "f1", "weightedPrecision", "weightedRecall", "logLoss", ROWS},
    {"rmse", "mae", "r2", ROWS},
};

static const char *const *main_of(yyjson_val *metrics)
{
    size_t n = sizeof main_metrics / sizeof main_metrics[0], i = 0;
    while (i + 1 < n && yyjson_obj_get(metrics, main_metrics[i][0]) == NULL) i++;
    return main_metrics[i];
}

static bool is_named(yyjson_val *chosen, const char *metric)
{
    size_t i, n;
    yyjson_val *v;
    yyjson_arr_foreach(chosen, i, n, v)
    {
        if (strcmp(cmd_get_text(v, "name"), metric) == 0) return true;
    }
    return false;
}

/* The rows of the pipeline's evaluators, in front and marked. */
static void chosen_rows(cmd *c, cmd_grid *g, int n, yyjson_val *const *metrics)
{
    yyjson_val *chosen = yyjson_obj_get(metrics[n - 1], "chosen"), *v;
    size_t i, m;
    yyjson_arr_foreach(chosen, i, m, v)
    {
        cmd_grid_cell(g, cmd_format(c, "%s *", cmd_clean(c, cmd_get_text(v, "name"))));
        for (int p = 0; p < n; p++)
            cmd_grid_cell(
                g, metric_text(
                       c, yyjson_obj_get(yyjson_arr_get(yyjson_obj_get(metrics[p], "chosen"), i), "value")));
    }
}

void cmd_print_metrics(cmd *c, int n, const char *const *parts, yyjson_val *const *metrics)
{
    if (c->json) return;
    cmd_grid *g = cmd_grid_of(c, n + 1);
    cmd_grid_title(g, 0, "metric", false);
    for (int p = 0; p < n; p++) cmd_grid_title(g, p + 1, parts[p], true);
    yyjson_val *most = metrics[n - 1], *chosen = yyjson_obj_get(most, "chosen");
    chosen_rows(c, g, n, metrics);
    for (const char *const *name = main_of(most); *name; name++) {
        if (yyjson_obj_get(most, *name) == NULL || is_named(chosen, *name)) continue;
        cmd_grid_cell(g, *name);
        for (int p = 0; p < n; p++) cmd_grid_cell(g, metric_text(c, yyjson_obj_get(metrics[p], *name)));
    }
    if (cmd_grid_rows(g) > 0) cmd_grid_print(g, 0);
    if (yyjson_arr_size(chosen) > 0) cmd_say(c, "* chosen by the pipeline's evaluators\n");
    yyjson_val *confusion = yyjson_obj_get(most, "confusion"), *counts = yyjson_obj_get(confusion, "counts");
    if (is_matrix(counts)) print_matrix(c, "confusion", counts, yyjson_obj_get(confusion, "labels"));
}

gm_code cmd_evaluate(cmd *c)
{
    gm_model *m;
    gm_table *t;
    char *text;
    yyjson_val *metrics;
    CMD_TRY(cmd_model(c, c->words[0], &m));
    CMD_TRY(cmd_table(c, c->words[1], &t));
    CMD_TRY(cmd_lib(c, gm_model_evaluate(c->cx, m, t, NULL, &text)));
    CMD_TRY(cmd_parse_json(c, text, &metrics));
    cmd_progress_end(c);
    cmd_put_text(c, c->out, "model", c->words[0]);
    cmd_put_text(c, c->out, "data", c->words[1]);
    cmd_put_copy(c, c->out, "metrics", metrics);
    cmd_print_metrics(c, 1, (const char *const[]){"value"}, &metrics);
    return GM_OK;
}

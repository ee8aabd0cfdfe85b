/* SPDX-License-Identifier: Apache-2.0 */
/* fitted.c - how a fit went, as `train` and `inspect` tell it: rows, odd values, the learner, where the time
 * went. */
#include "cmd.h"

#include <math.h>
#include <string.h>

static double number_of(yyjson_val *map, const char *key) { return yyjson_get_num(yyjson_obj_get(map, key)); }

/* What became of values that a stage could not take as they were. */
static void tell_values(cmd *c, yyjson_val *fit)
{
    size_t i, n;
    yyjson_val *v;
    yyjson_arr_foreach(yyjson_obj_get(fit, "invalid"), i, n, v)
    {
        bool skip = strcmp(cmd_get_text(v, "rule"), "skip") == 0;
        cmd_say(c, "  %s: %s, %s (%s)\n", cmd_clean(c, cmd_get_text(v, "column")),
                cmd_count(c, (int64_t)number_of(v, "values"), "missing or unseen value"),
                skip ? "left out with their rows" : "given a meaning of their own", cmd_get_text(v, "stage"));
    }
    yyjson_arr_foreach(yyjson_obj_get(fit, "inexact"), i, n, v)
        cmd_say(c, "  %s: %s beyond 2^53, rounded\n", cmd_clean(c, cmd_get_text(v, "column")),
                cmd_count(c, (int64_t)number_of(v, "values"), "whole number"));
}

static void tell_rows(cmd *c, yyjson_val *fit)
{
    yyjson_val *rows = yyjson_obj_get(fit, "rows"), *bytes = yyjson_obj_get(fit, "bytes");
    double train = number_of(rows, "train"), fitted = number_of(rows, "fitted"),
           test = number_of(rows, "test");
    double missing = number_of(rows, "withoutLabel"), dropped = number_of(rows, "dropped");
    if (yyjson_get_num(yyjson_obj_get(fit, "scans")) == 0) {
        cmd_say(c, "%sRows%s  none read: no stage learns from them\n", cmd_bold(c), cmd_plain(c));
        return;
    }
    cmd_say(c, "%sRows%s  %s read: %s to learn from", cmd_bold(c), cmd_plain(c),
            cmd_number(c, number_of(rows, "read")), cmd_number(c, fitted > 0 ? fitted : train));
    if (test > 0)
        cmd_say(c, ", %s (%.1f %%) held out to measure on, by %s", cmd_number(c, test),
                100 * test / (train + test), cmd_clean(c, cmd_get_text(yyjson_obj_get(fit, "split"), "by")));
    cmd_say(c, "\n");
    if (missing > 0)
        cmd_say(c, "  %s without a label, not learned from\n", cmd_count(c, (int64_t)missing, "row"));
    if (dropped > 0)
        cmd_say(c, "  %s left out by handleInvalid: skip\n", cmd_count(c, (int64_t)dropped, "row"));
    tell_values(c, fit);
    if (number_of(bytes, "onDisk") > 0)
        cmd_say(c, "  %s MB were kept on disk, more than the memory limit leaves\n",
                cmd_number(c, ceil(number_of(bytes, "onDisk") / 1e6)));
}

/* "LogisticRegression: 39 iterations, converged", of a learner that iterates. */
static void tell_learner(cmd *c, yyjson_val *learner)
{
    yyjson_val *summary = yyjson_obj_get(learner, "summary"),
               *converged = yyjson_obj_get(summary, "converged");
    cmd_put_copy(c, c->out, "iterations", yyjson_obj_get(summary, "totalIterations"));
    cmd_put_copy(c, c->out, "converged", converged);
    if (converged == NULL) return;
    int64_t iterations = (int64_t)number_of(summary, "totalIterations");
    cmd_say(c, "%sFit%s   %s: ", cmd_bold(c), cmd_plain(c), cmd_get_text(learner, "name"));
    if (iterations == 0) cmd_say(c, "solved without iterations\n");
    else
        cmd_say(c, "%s, %s\n", cmd_count(c, iterations, "iteration"),
                yyjson_get_bool(converged) ? "converged" : "not converged");
}

static void tell_seconds(cmd *c, yyjson_val *seconds)
{
    const char *list = "";
    size_t i, n;
    yyjson_val *k, *v;
    yyjson_obj_foreach(seconds, i, n, k, v)
    {
        list = cmd_format(c, "%s%s%s %.2f s", list, i > 0 ? ", " : "", yyjson_get_str(k), yyjson_get_num(v));
    }
    if (list[0] != 0) cmd_say(c, "%sTime%s  %s\n", cmd_bold(c), cmd_plain(c), list);
}

const char *cmd_type(cmd *c, const char *type)
{
    static const char spark[] =
        "STRUCT(\"type\" TINYINT, size INTEGER, indices INTEGER[], \"values\" DOUBLE[])";
    size_t n = strlen(type), start = strlen("DOUBLE[");
    if (strcmp(type, spark) == 0) return "vector";
    bool vector = n > start + 1 && strncmp(type, "DOUBLE[", start) == 0 && type[n - 1] == ']';
    return vector ? cmd_format(c, "vector(%.*s)", (int)(n - start - 1), type + start) : type;
}

void cmd_print_columns(cmd *c, yyjson_val *columns)
{
    cmd_grid *g = cmd_grid_new(c, "column|type|use|why");
    cmd_grid_wrap(g);
    size_t i, n;
    yyjson_val *col;
    yyjson_arr_foreach(columns, i, n, col)
    {
        cmd_grid_cell(g, cmd_get_text(col, "name"));
        cmd_grid_cell(g, cmd_type(c, cmd_get_text(col, "type")));
        cmd_grid_cell(g, cmd_get_text(col, "use"));
        cmd_grid_cell(g, cmd_get_text(col, "why"));
    }
    cmd_grid_print(g, 0);
}

void cmd_print_fit(cmd *c, yyjson_val *info)
{
    static const char *const keys[] = {"rows", "split", "invalid", "inexact", "passes"};
    yyjson_val *fit = yyjson_obj_get(info, "fit");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        cmd_put_copy(c, c->out, keys[i], yyjson_obj_get(fit, keys[i]));
    cmd_put_copy(c, c->out, "steps", yyjson_obj_get(fit, "seconds"));
    tell_rows(c, fit);
    tell_learner(c, yyjson_arr_get_last(yyjson_obj_get(info, "stages")));
    tell_seconds(c, yyjson_obj_get(fit, "seconds"));
}

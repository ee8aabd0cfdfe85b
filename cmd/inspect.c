/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect.c - `gristmill inspect`: what is in a model: the columns it expects, its stages with the parameters
 * that differ from the defaults, coefficients by feature name, how the fit went, metrics.
 */
#include "cmd.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "a, b, c and 12 more" of a list of texts. */
static const char *names_text(cmd *c, yyjson_val *list, size_t most)
{
    const char *text = "";
    size_t i, n;
    yyjson_val *v;
    yyjson_arr_foreach(list, i, n, v)
    {
        if (i == most && n > most + 1) return cmd_format(c, "%s and %zu more", text, n - most);
        text = cmd_format(c, "%s%s%s", text, i > 0 ? ", " : "", cmd_scalar(c, v));
    }
    return text;
}

static void print_schema(cmd *c, yyjson_val *schema)
{
    cmd_grid *g = cmd_grid_new(c, "column|type|needed to predict");
    size_t i, n;
    yyjson_val *col;
    yyjson_arr_foreach(schema, i, n, col)
    {
        cmd_grid_cell(g, cmd_get_text(col, "name"));
        cmd_grid_cell(g, cmd_type(c, cmd_get_text(col, "type")));
        cmd_grid_cell(g, yyjson_get_bool(yyjson_obj_get(col, "required")) ? "yes" : "no");
    }
    cmd_say(c, "\n");
    cmd_heading(c, "Columns");
    cmd_grid_print(g, 0);
}

/* Of a model by low code: why each column of its table is used as it is. */
static void print_decided(cmd *c, yyjson_val *info)
{
    yyjson_val *columns = yyjson_obj_get(info, "columns");
    if (yyjson_arr_size(columns) == 0) return;
    cmd_say(c, "\n");
    cmd_heading(c, "Decided by low code");
    cmd_say(c, "%s\n\n", cmd_clean(c, cmd_get_text(info, "why")));
    cmd_print_columns(c, columns);
}

/* "regParam=0.01 handleInvalid=keep": column parameters are shown apart, defaults are left out. */
static const char *params_text(cmd *c, yyjson_val *params, yyjson_val *rows)
{
    const char *text = "";
    size_t i, n;
    yyjson_val *k, *v;
    yyjson_obj_foreach(params, i, n, k, v)
    {
        yyjson_val *row = cmd_find_named(rows, yyjson_get_str(k)), *def = yyjson_obj_get(row, "default");
        const char *role = cmd_get_text(row, "role");
        if (strcmp(role, "input") == 0 || strcmp(role, "output") == 0) continue;
        if (yyjson_is_null(v) || (def != NULL && yyjson_equals(v, def))) continue;
        bool number = yyjson_is_num(v) && yyjson_is_num(def);
        if (number && yyjson_get_num(v) == yyjson_get_num(def)) continue;
        if (yyjson_is_arr(v) && yyjson_arr_size(v) == 0) continue;
        const char *value = yyjson_is_arr(v)    ? cmd_format(c, "[%s]", names_text(c, v, 6))
                            : yyjson_is_real(v) ? cmd_format(c, "%.6g", yyjson_get_num(v))
                            : yyjson_is_int(v)  ? cmd_format(c, "%lld", (long long)yyjson_get_num(v))
                                                : cmd_scalar(c, v);
        text = cmd_format(c, "%s%s%s=%s", text, text[0] != 0 ? " " : "", yyjson_get_str(k), value);
    }
    return text;
}

static void print_stages(cmd *c, yyjson_val *stages, yyjson_val *registry)
{
    cmd_grid *g = cmd_grid_new(c, ">#|stage|reads|writes|parameters other than the default");
    cmd_grid_wrap(g);
    size_t i, n;
    yyjson_val *s;
    yyjson_arr_foreach(stages, i, n, s)
    {
        yyjson_val *known = cmd_find_named(yyjson_obj_get(registry, "stages"), cmd_get_text(s, "name"));
        cmd_grid_cell(g, cmd_format(c, "%zu", i));
        cmd_grid_cell(g, cmd_get_text(s, "name"));
        cmd_grid_cell(g, names_text(c, yyjson_obj_get(s, "inputs"), 2));
        cmd_grid_cell(g, names_text(c, yyjson_obj_get(s, "outputs"), 2));
        cmd_grid_cell(g, params_text(c, yyjson_obj_get(s, "params"), yyjson_obj_get(known, "params")));
    }
    cmd_say(c, "\n");
    cmd_heading(c, "Stages");
    cmd_grid_print(g, 0);
}

/* ---- coefficients ---- */

struct term {
    const char *feature;
    const double *v; /* element k * stride is class k's */
    double size;
};

static int by_size(const void *x, const void *y)
{
    const struct term *a = x, *b = y;
    if (a->size != b->size) return a->size < b->size ? 1 : -1;
    return strcmp(a->feature, b->feature);
}

static yyjson_val *state_of_shape(yyjson_val *states, int64_t last)
{
    size_t i, n;
    yyjson_val *s;
    yyjson_arr_foreach(states, i, n, s)
    {
        yyjson_val *shape = yyjson_obj_get(s, "shape");
        if (strcmp(cmd_get_text(s, "type"), "real") == 0 && yyjson_arr_size(shape) > 0 &&
            yyjson_get_sint(yyjson_arr_get_last(shape)) == last)
            return s;
    }
    return NULL;
}

static yyjson_val *state_named(yyjson_val *states, const char *prefix)
{
    size_t i, n;
    yyjson_val *s;
    yyjson_arr_foreach(states, i, n, s)
    {
        if (strncmp(cmd_get_text(s, "name"), prefix, strlen(prefix)) == 0 &&
            strcmp(cmd_get_text(s, "type"), "real") == 0)
            return s;
    }
    return NULL;
}

static void print_terms(cmd *c, const struct term *terms, int64_t d, int64_t classes, int64_t most,
                        yyjson_val *labels, const double *intercepts)
{
    cmd_grid *g = cmd_grid_of(c, (int)classes + 1);
    cmd_grid_title(g, 0, "feature", false);
    bool named = (int64_t)yyjson_arr_size(labels) == classes;
    for (int64_t k = 0; k < classes; k++)
        cmd_grid_title(g, (int)k + 1,
                       classes == 1 ? "coefficient"
                       : named      ? cmd_scalar(c, yyjson_arr_get(labels, (size_t)k))
                                    : cmd_format(c, "class %lld", (long long)k),
                       true);
    for (int64_t i = 0; i < d && (most == 0 || i < most); i++) {
        cmd_grid_cell(g, terms[i].feature);
        for (int64_t k = 0; k < classes; k++) cmd_grid_cell(g, cmd_number(c, terms[i].v[k * d]));
    }
    if (intercepts != NULL) {
        cmd_grid_cell(g, "(intercept)");
        for (int64_t k = 0; k < classes; k++) cmd_grid_cell(g, cmd_number(c, intercepts[k]));
    }
    cmd_say(c, "\n");
    cmd_heading(c, "Coefficients");
    cmd_grid_print(g, 0);
    if (most > 0 && d > most)
        cmd_say(c, "the %lld largest of %lld; --coefficients N lists more\n", (long long)most, (long long)d);
}

static void put_terms(cmd *c, const struct term *terms, int64_t d, int64_t classes, int64_t most,
                      const double *intercepts)
{
    yyjson_mut_val *list = cmd_list(c);
    for (int64_t i = 0; i < d && (most == 0 || i < most); i++) {
        yyjson_mut_val *t = cmd_map(c), *values = cmd_list(c);
        cmd_put_text(c, t, "feature", terms[i].feature);
        for (int64_t k = 0; k < classes; k++)
            yyjson_mut_arr_append(values, yyjson_mut_real(c->doc, terms[i].v[k * d]));
        cmd_put(c, t, "values", values);
        yyjson_mut_arr_append(list, t);
    }
    cmd_put(c, c->out, "coefficients", list);
    yyjson_mut_val *values = cmd_list(c);
    for (int64_t k = 0; intercepts != NULL && k < classes; k++)
        yyjson_mut_arr_append(values, yyjson_mut_real(c->doc, intercepts[k]));
    cmd_put(c, c->out, "intercept", values);
}

/* The learner's array with one number per feature (and class) is its coefficients; a learner without one has
 * none. */
static gm_code coefficients(cmd *c, const gm_model *m, yyjson_val *info)
{
    yyjson_val *features = yyjson_obj_get(info, "features"), *stages = yyjson_obj_get(info, "stages"), *name;
    int64_t d = (int64_t)yyjson_arr_size(features);
    int last = (int)yyjson_arr_size(stages) - 1;
    if (d == 0 || last < 0) return GM_OK;
    yyjson_val *states = yyjson_obj_get(yyjson_arr_get_last(stages), "state");
    yyjson_val *coef = state_named(states, "coefficient");
    if (coef == NULL) coef = state_of_shape(states, d);
    if (coef == NULL) return GM_OK;
    double *v, *intercepts = NULL;
    int64_t rows, cols;
    CMD_TRY(cmd_state_reals(c, m, last, cmd_get_text(coef, "name"), &v, &rows, &cols));
    int64_t classes = d > 0 ? rows * cols / d : 0;
    if (classes < 1 || classes * d != rows * cols) return GM_OK;
    yyjson_val *icept = state_named(states, "intercept");
    if (icept != NULL) {
        CMD_TRY(cmd_state_reals(c, m, last, cmd_get_text(icept, "name"), &intercepts, &rows, &cols));
        if (rows * cols != classes) intercepts = NULL;
    }
    struct term *terms = cmd_alloc(c, (size_t)d * sizeof *terms);
    size_t i, n;
    yyjson_arr_foreach(features, i, n, name)
    {
        terms[i] = (struct term){.feature = yyjson_is_str(name) ? yyjson_get_str(name) : "?", .v = v + i};
        for (int64_t k = 0; k < classes; k++)
            if (fabs(terms[i].v[k * d]) > terms[i].size) terms[i].size = fabs(terms[i].v[k * d]);
    }
    qsort(terms, (size_t)d, sizeof *terms, by_size);
    int64_t most = cmd_has(c, "coefficients") ? strtoll(cmd_value(c, "coefficients"), NULL, 10) : 20;
    print_terms(c, terms, d, classes, most, yyjson_obj_get(info, "labels"), intercepts);
    put_terms(c, terms, d, classes, most, intercepts);
    return GM_OK;
}

/* ---- the rest ---- */

static void print_metrics(cmd *c, yyjson_val *metrics)
{
    const char *names[8];
    yyjson_val *parts[8], *k, *v;
    int count = 0;
    size_t i, n;
    yyjson_obj_foreach(metrics, i, n, k, v)
    {
        if (count < 8 && yyjson_obj_size(v) > 0) {
            names[count] = yyjson_get_str(k);
            parts[count++] = v;
        }
    }
    if (count == 0) return;
    cmd_say(c, "\n");
    cmd_heading(c, "Metrics");
    cmd_print_metrics(c, count, names, parts);
}

gm_code cmd_inspect(cmd *c)
{
    gm_model *m;
    yyjson_val *info, *registry;
    CMD_TRY(cmd_model(c, c->words[0], &m));
    CMD_TRY(cmd_model_info(c, m, &info));
    CMD_TRY(cmd_registry(c, &registry));
    cmd_put_text(c, c->out, "model", c->words[0]);
    cmd_put_copy(c, c->out, "info", info);
    cmd_say(c, "%s%s%s", cmd_bold(c), cmd_clean(c, c->words[0]), cmd_plain(c));
    if (cmd_get_text(info, "name")[0] != 0) cmd_say(c, "  '%s'", cmd_scalar(c, yyjson_obj_get(info, "name")));
    cmd_say(c, "  %s, made by gristmill %s\n", cmd_scalar(c, yyjson_obj_get(info, "task")),
            cmd_scalar(c, yyjson_obj_get(info, "version")));
    if (yyjson_arr_size(yyjson_obj_get(info, "labels")) > 0)
        cmd_say(c, "labels  %s\n", names_text(c, yyjson_obj_get(info, "labels"), 20));
    print_schema(c, yyjson_obj_get(info, "schema"));
    print_decided(c, info);
    print_stages(c, yyjson_obj_get(info, "stages"), registry);
    CMD_TRY(coefficients(c, m, info));
    cmd_say(c, "\n");
    cmd_print_fit(c, info);
    print_metrics(c, yyjson_obj_get(info, "metrics"));
    if (!cmd_has(c, "report")) return GM_OK;
    CMD_TRY(cmd_lib(c, gm_model_report(c->cx, m, cmd_value(c, "report"))));
    cmd_put_text(c, c->out, "report", cmd_value(c, "report"));
    cmd_note(c, "report written to %s\n", cmd_clean(c, cmd_value(c, "report")));
    return GM_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * train.c - `gristmill train`: a data file with --label, or a pipeline file, to a model and its report.
 *
 * Both ways meet in a gm_pipeline and a gm_table: decide (low code) or parse, tell the plan, fit, save,
 * report.
 */
#include "cmd.h"
#include <stdlib.h>
#include <string.h>

struct job {
    gm_pipeline *pipeline;
    gm_table *table;
    yyjson_val *decided; /* low code: {"task", "why", "columns"}; else NULL */
    const char *model, *report;
};

static void free_pipeline(void *p) { gm_pipeline_free(p); }

static void free_table(void *p) { gm_table_free(p); }

static void free_model(void *p) { gm_model_free(p); }

/* ---- which of the two ways ---- */

static gm_code check_test(cmd *c)
{
    double share = cmd_has(c, "test") ? strtod(cmd_value(c, "test"), NULL) : 0;
    if (share >= 0 && share < 1) return GM_OK;
    return cmd_fail(c, GM_EUSAGE, "--test expects a share of the rows, from 0 to below 1, found '%s'",
                    cmd_value(c, "test"));
}

static gm_code check_file(cmd *c, const char *file, bool *is_pipeline)
{
    bool yaml = cmd_has_suffix(file, ".yaml") || cmd_has_suffix(file, ".yml");
    bool label = cmd_has(c, "label");
    CMD_TRY(check_test(c));
    *is_pipeline = yaml || (cmd_has_suffix(file, ".json") && !label);
    if (yaml && label)
        return cmd_hint(c, cmd_fail(c, GM_EUSAGE, "--label belongs to a data file; %s is a pipeline", file),
                        "override the pipeline's own: gristmill train %s LogisticRegression.labelCol=%s",
                        file, cmd_value(c, "label"));
    if (*is_pipeline) {
        static const char *const data_only[] = {"learner", "exclude", "keep"};
        for (size_t i = 0; i < sizeof data_only / sizeof data_only[0]; i++)
            if (cmd_has(c, data_only[i]))
                return cmd_hint(c,
                                cmd_fail(c, GM_EUSAGE, "--%s belongs to a data file; %s is a pipeline",
                                         data_only[i], file),
                                "edit the pipeline's stages, or override: a.b=c");
        if (cmd_has(c, "read") && !cmd_has(c, "data"))
            return cmd_hint(
                c, cmd_fail(c, GM_EUSAGE, "--read belongs to a data file; %s names its own source", file),
                "write it into the source, or override: source.nullstr=NA");
        return GM_OK;
    }
    if (!label)
        return cmd_hint(
            c, cmd_fail(c, GM_EUSAGE, "%s: --label is missing: which column is to be predicted?", file),
            "gristmill train %s --label COLUMN; a pipeline file ends in .yaml or .json", file);
    if (cmd_has(c, "data"))
        return cmd_fail(c, GM_EUSAGE, "--data replaces a pipeline's source; %s is data itself", file);
    return GM_OK;
}

/* The overrides after FILE. --test and --seed are more of them for a pipeline file, in front, so that FILE's
 * own spelling of the same is overridden and a.b=c still wins. */
static gm_code overrides(cmd *c, bool is_pipeline, bool has_split, const char ***list, int *n)
{
    *list = cmd_alloc(c, (size_t)(c->n_words + 3) * sizeof **list);
    *n = 0;
    if (is_pipeline && cmd_has(c, "test"))
        (*list)[(*n)++] = cmd_format(c, "split.test=%s", cmd_value(c, "test"));
    if (is_pipeline && cmd_has(c, "seed")) {
        (*list)[(*n)++] = cmd_format(c, "seed=%s", cmd_value(c, "seed"));
        if (has_split) (*list)[(*n)++] = cmd_format(c, "split.seed=%s", cmd_value(c, "seed"));
    }
    for (int i = 1; i < c->n_words; i++) {
        if (strchr(c->words[i], '=') == NULL)
            return cmd_hint(c, cmd_fail(c, GM_EUSAGE, "expected an override a.b=c, found '%s'", c->words[i]),
                            "one FILE at a time; many files of one table are a glob in quotes: 'data/*.csv'");
        (*list)[(*n)++] = c->words[i];
    }
    return GM_OK;
}

static gm_code parse(cmd *c, const char *file, const char *text, bool has_split, gm_pipeline **p)
{
    const char **over;
    int n;
    CMD_TRY(overrides(c, true, has_split, &over, &n));
    CMD_TRY(cmd_lib(c, gm_pipeline_parse(c->cx, text, file, over, n, p)));
    cmd_keep(c, *p, free_pipeline);
    return GM_OK;
}

static gm_code from_pipeline(cmd *c, const char *file, struct job *j)
{
    char *text, *parsed;
    yyjson_val *doc;
    CMD_TRY(cmd_read_file(c, file, &text));
    CMD_TRY(cmd_open(c));
    CMD_TRY(parse(c, file, text, false, &j->pipeline));
    if (cmd_has(c, "seed")) { /* only a pipeline that is split has a split's seed to override */
        CMD_TRY(cmd_lib(c, gm_pipeline_text(c->cx, j->pipeline, "json", 0, &parsed)));
        CMD_TRY(cmd_parse_json(c, parsed, &doc));
        if (yyjson_is_obj(yyjson_obj_get(doc, "split"))) CMD_TRY(parse(c, file, text, true, &j->pipeline));
    }
    if (cmd_has(c, "data")) return cmd_table(c, cmd_value(c, "data"), &j->table);
    CMD_TRY(cmd_lib(c, gm_pipeline_source(c->cx, j->pipeline, &j->table)));
    cmd_keep(c, j->table, free_table);
    return GM_OK;
}

/* The values of a repeated option, as a list of that name. */
static void put_names(cmd *c, yyjson_mut_val *options, const char *option)
{
    yyjson_mut_val *list = cmd_list(c);
    const char *name;
    for (int i = 0; (name = cmd_value_next(c, option, &i)) != NULL;) cmd_add_text(c, list, name);
    if (yyjson_mut_arr_size(list) > 0) cmd_put(c, options, option, list);
}

static gm_code from_data(cmd *c, const char *file, struct job *j)
{
    const char **over;
    int n;
    CMD_TRY(overrides(c, false, false, &over, &n));
    for (int i = 0; i < n; i++)
        if (strncmp(over[i], "source", 6) == 0 && strchr(".=", over[i][6]) != NULL)
            return cmd_hint(c,
                            cmd_fail(c, GM_EUSAGE, "'%s': the source is %s, which was named", over[i], file),
                            "say how to read it by --read KEY=VALUE");
    const char *excluded;
    for (int i = 0; (excluded = cmd_value_next(c, "exclude", &i)) != NULL;)
        if (strcmp(excluded, cmd_value(c, "label")) == 0)
            return cmd_fail(c, GM_EUSAGE, "--exclude %s: the label cannot be left out", excluded);
    CMD_TRY(cmd_table(c, file, &j->table));
    yyjson_mut_val *options = cmd_map(c);
    cmd_put_text(c, options, "label", cmd_value(c, "label"));
    if (cmd_has(c, "learner")) cmd_put_text(c, options, "learner", cmd_value(c, "learner"));
    if (cmd_has(c, "test")) cmd_put_real(c, options, "test", strtod(cmd_value(c, "test"), NULL));
    if (cmd_has(c, "seed"))
        cmd_put(c, options, "seed", yyjson_mut_uint(c->doc, strtoull(cmd_value(c, "seed"), NULL, 10)));
    put_names(c, options, "exclude");
    put_names(c, options, "keep");
    char *report, *text;
    gm_pipeline *p;
    CMD_TRY(cmd_lib(c, gm_pipeline_auto(c->cx, j->table, cmd_json_text(c, options, false), &p, &report)));
    cmd_keep(c, p, free_pipeline);
    CMD_TRY(cmd_parse_json(c, report, &j->decided));
    j->pipeline = p;
    if (n == 0) return GM_OK;
    CMD_TRY(cmd_lib(c, gm_pipeline_text(c->cx, p, "json", 0, &text)));
    cmd_keep(c, text, gm_free);
    CMD_TRY(cmd_lib(c, gm_pipeline_parse(c->cx, text, "low code", over, n, &j->pipeline)));
    cmd_keep(c, j->pipeline, free_pipeline);
    return GM_OK;
}

/* "data/flights.csv.gz" -> "flights.gm"; no name to take (standard input, a glob) -> "model.gm". */
static const char *beside(cmd *c, const char *file, const char *suffix)
{
    const char *base = strrchr(file, '/') != NULL ? strrchr(file, '/') + 1 : file;
    size_t n = strcspn(base, ".");
    if (n == 0 || strpbrk(base, "*?[") != NULL || strcmp(file, "-") == 0)
        return cmd_format(c, "model%s", suffix);
    return cmd_format(c, "%.*s%s", (int)n, base, suffix);
}

static gm_code choose_outputs(cmd *c, const char *file, struct job *j)
{
    char *text;
    yyjson_val *pipeline;
    CMD_TRY(cmd_lib(c, gm_pipeline_text(c->cx, j->pipeline, "json", 0, &text)));
    CMD_TRY(cmd_parse_json(c, text, &pipeline));
    const char *model = cmd_get_text(pipeline, "model"), *report = cmd_get_text(pipeline, "report");
    j->model = cmd_has(c, "model") ? cmd_value(c, "model") : model[0] != 0 ? model : beside(c, file, ".gm");
    j->report = cmd_has(c, "report") ? cmd_value(c, "report")
                : report[0] != 0     ? report
                                     : beside(c, file, ".html");
    const char *source = cmd_get_text(yyjson_obj_get(pipeline, "source"), "path");
    const cmd_file out[] = {{"--model", j->model}, {"--report", j->report}},
                   in[] = {{j->decided ? "the data" : "the pipeline", file},
                           {"the data", cmd_value(c, "data")},
                           {"the pipeline's source", *source ? source : NULL}};
    return cmd_check_outputs(c, out, 2, in, 3);
}

/* ---- what is told ---- */

static void tell_decision(cmd *c, yyjson_val *decided)
{
    if (decided == NULL) return;
    cmd_put_copy(c, c->out, "task", yyjson_obj_get(decided, "task"));
    cmd_put_copy(c, c->out, "why", yyjson_obj_get(decided, "why"));
    cmd_put_copy(c, c->out, "columns", yyjson_obj_get(decided, "columns"));
    cmd_say(c, "%sTask%s  %s: %s\n\n", cmd_bold(c), cmd_plain(c), cmd_get_text(decided, "task"),
            cmd_clean(c, cmd_get_text(decided, "why")));
    cmd_print_columns(c, yyjson_obj_get(decided, "columns"));
    cmd_say(c, "\n");
}

static gm_code tell_plan(cmd *c, const struct job *j)
{
    char *text;
    if (c->json) {
        yyjson_val *plan;
        CMD_TRY(cmd_lib(c, gm_explain(c->cx, j->pipeline, j->table, "json", &text)));
        CMD_TRY(cmd_parse_json(c, text, &plan));
        cmd_put_copy(c, c->out, "plan", plan);
        return GM_OK;
    }
    CMD_TRY(cmd_lib(c, gm_explain(c->cx, j->pipeline, j->table, "text", &text)));
    cmd_keep(c, text, gm_free);
    cmd_heading(c, "Plan");
    size_t n = strlen(text);
    cmd_say(c, "%s%s\n", text, n > 0 && text[n - 1] == '\n' ? "" : "\n");
    return GM_OK;
}

static gm_code print_pipeline(cmd *c, const struct job *j)
{
    char *text;
    CMD_TRY(cmd_lib(c, gm_pipeline_text(c->cx, j->pipeline, c->json ? "json" : "yaml", 0, &text)));
    if (c->json) {
        yyjson_val *pipeline;
        CMD_TRY(cmd_parse_json(c, text, &pipeline));
        cmd_put_copy(c, c->out, "pipeline", pipeline);
        return GM_OK;
    }
    cmd_keep(c, text, gm_free);
    cmd_say(c, "%s", text);
    return GM_OK;
}

static gm_code tell_result(cmd *c, const struct job *j, const gm_model *m, double seconds)
{
    yyjson_val *info;
    CMD_TRY(cmd_model_info(c, m, &info));
    yyjson_val *metrics = yyjson_obj_get(info, "metrics");
    cmd_put_copy(c, c->out, "task", yyjson_obj_get(info, "task"));
    cmd_put_text(c, c->out, "model", j->model);
    cmd_put_text(c, c->out, "report", j->report);
    cmd_put_copy(c, c->out, "metrics", metrics);
    cmd_print_fit(c, info);
    cmd_put_copy(c, c->out, "learner", yyjson_obj_get(info, "learner"));
    cmd_put_copy(c, c->out, "label", yyjson_obj_get(info, "label"));
    cmd_put_real(c, c->out, "seconds", seconds);
    cmd_say(c, "\n");
    const char *names[] = {"train", "test"};
    yyjson_val *parts[] = {yyjson_obj_get(metrics, "train"), yyjson_obj_get(metrics, "test")};
    int first = yyjson_obj_size(parts[0]) > 0 ? 0 : 1, last = yyjson_obj_size(parts[1]) > 0 ? 1 : 0;
    if (last >= first) cmd_print_metrics(c, last - first + 1, names + first, parts + first);
    cmd_say(c, "\nModel   %s\nReport  %s\nTook    %.2f s\n\n", cmd_clean(c, j->model),
            cmd_clean(c, j->report), seconds);
    cmd_heading(c, "Next");
    cmd_say(c, "  gristmill inspect %s\n  gristmill predict %s NEW.csv\n", j->model, j->model);
    if (yyjson_is_obj(metrics)) cmd_say(c, "  gristmill evaluate %s OTHER.csv\n", j->model);
    return GM_OK;
}

/* The model is there by now: where its report is not, the message says so, and how to make it. */
static gm_code write_report(cmd *c, const gm_model *m, const struct job *j)
{
    gm_code code = cmd_lib(c, gm_model_report(c->cx, m, j->report));
    if (code == GM_OK || code == GM_ECANCEL) return code;
    const char *why = c->message;
    cmd_fail(c, code, "the model is saved in %s, and only its report is not: %s", cmd_clean(c, j->model),
             why);
    return cmd_hint(c, code, "gristmill inspect %s --report FILE writes the report", cmd_clean(c, j->model));
}

gm_code cmd_train(cmd *c)
{
    struct job j = {0};
    const char *file = c->words[0];
    bool is_pipeline;
    double begun = cmd_seconds();
    gm_model *start = NULL;
    CMD_TRY(check_file(c, file, &is_pipeline));
    if (cmd_has(c, "init")) CMD_TRY(cmd_model(c, cmd_value(c, "init"), &start));
    CMD_TRY(is_pipeline ? from_pipeline(c, file, &j) : from_data(c, file, &j));
    if (cmd_has(c, "print-pipeline")) return print_pipeline(c, &j);
    CMD_TRY(choose_outputs(c, file, &j));
    tell_decision(c, j.decided);
    CMD_TRY(tell_plan(c, &j));
    if (cmd_has(c, "explain")) return GM_OK;
    fflush(stdout);
    gm_model *m;
    yyjson_mut_val *options = cmd_map(c);
    cmd_put_copy(c, options, "decided", j.decided);
    const char *text = cmd_json_text(c, options, false);
    CMD_TRY(cmd_lib(c, start == NULL ? gm_fit(c->cx, j.pipeline, j.table, text, &m)
                                     : gm_fit_from(c->cx, j.pipeline, j.table, text, start, &m)));
    cmd_keep(c, m, free_model);
    CMD_TRY(cmd_lib(c, gm_model_save(c->cx, m, j.model)));
    CMD_TRY(write_report(c, m, &j));
    cmd_progress_end(c);
    return tell_result(c, &j, m, cmd_seconds() - begun);
}

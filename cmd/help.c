/* SPDX-License-Identifier: Apache-2.0 */
/* help.c - `gristmill help`: the overview, a verb's page from verbs.c, a stage's from the registry, a topic's
 * text. */
#include "cmd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gm_code cmd_help_overview(cmd *c, FILE *to)
{
    if (c->json) {
        yyjson_mut_val *verbs = cmd_list(c);
        for (const cmd_verb *v = cmd_verbs; v->name != NULL; v++) {
            yyjson_mut_val *one = cmd_map(c);
            cmd_put_text(c, one, "name", v->name);
            cmd_put_text(c, one, "arguments", v->args);
            cmd_put_text(c, one, "summary", v->summary);
            yyjson_mut_arr_append(verbs, one);
        }
        cmd_put(c, c->out, "verbs", verbs);
        return GM_OK;
    }
    fputs("gristmill - from raw tables to trained, judged, saved and used models\n\n"
          "usage: gristmill VERB [arguments] [options]\n\n",
          to);
    for (const cmd_verb *v = cmd_verbs; v->name != NULL; v++) fprintf(to, "  %-12s%s\n", v->name, v->summary);
    fputs("\nBegin with\n"
          "  gristmill train flights.csv --label late\n"
          "and see `gristmill help VERB`, `gristmill help topics`, `gristmill stages`.\n",
          to);
    return GM_OK;
}

/* ---- a verb ---- */

static const char *option_text(cmd *c, const cmd_option *o)
{
    char letter[8] = "    ";
    if (o->letter != 0) snprintf(letter, sizeof letter, "-%c, ", o->letter);
    return cmd_format(c, "%s--%s%s%s", letter, o->name, o->arg != NULL ? " " : "",
                      o->arg != NULL ? o->arg : "");
}

static void put_verb(cmd *c, const cmd_verb *v)
{
    yyjson_mut_val *options = cmd_list(c);
    for (const cmd_option *o = cmd_options; o->name != NULL; o++) {
        if (!(o->verbs & v->bit)) continue;
        yyjson_mut_val *one = cmd_map(c);
        cmd_put_text(c, one, "name", o->name);
        cmd_put_text(c, one, "value", o->arg);
        cmd_put_text(c, one, "help", o->help);
        yyjson_mut_arr_append(options, one);
    }
    cmd_put_text(c, c->out, "name", v->name);
    cmd_put_text(c, c->out, "arguments", v->args);
    cmd_put_text(c, c->out, "summary", v->summary);
    cmd_put(c, c->out, "options", options);
}

gm_code cmd_help_verb(cmd *c, const cmd_verb *v)
{
    if (c->json) {
        if (yyjson_mut_obj_get(c->out, "verb") == NULL) {
            cmd_put_text(c, c->out, "verb", "help");
            put_verb(c, v);
            puts(cmd_json_text(c, c->out, true));
            return GM_OK;
        }
        put_verb(c, v);
        return GM_OK;
    }
    cmd_say(c, "%sgristmill %s%s - %s\n\n", cmd_bold(c), v->name, cmd_plain(c), v->summary);
    cmd_say(c, "usage: gristmill %s%s%s [options]\n\n", v->name, v->args[0] != 0 ? " " : "", v->args);
    if (v->doc[0] != 0) {
        cmd_wrap(c, v->doc, 0);
        cmd_say(c, "\n");
    }
    cmd_heading(c, "Options");
    cmd_grid *g = cmd_grid_new(c, "|");
    cmd_grid_wrap(g);
    for (const cmd_option *o = cmd_options; o->name != NULL; o++) {
        if (!(o->verbs & v->bit)) continue;
        cmd_grid_cell(g, option_text(c, o));
        cmd_grid_cell(g, o->help);
    }
    cmd_grid_print(g, 2);
    cmd_say(c, "\n");
    cmd_heading(c, "Examples");
    cmd_say(c, "%s", v->examples);
    return GM_OK;
}

/* ---- a stage or an evaluator ---- */

static const char *bound(cmd *c, yyjson_val *v)
{
    /* Bounds that stand for none are not worth a word. */
    if (v == NULL || yyjson_is_null(v) || fabs(yyjson_get_num(v)) >= 1e9) return NULL;
    return cmd_format(c, "%.12g", yyjson_get_num(v));
}

/* "one of a, b", "0 to 1", "at least 0", or "". */
static const char *range_text(cmd *c, yyjson_val *p)
{
    yyjson_val *choices = yyjson_obj_get(p, "choices"), *v;
    const char *min = bound(c, yyjson_obj_get(p, "min")), *max = bound(c, yyjson_obj_get(p, "max"));
    if (yyjson_arr_size(choices) > 0) {
        const char *list = "";
        size_t i, n;
        yyjson_arr_foreach(choices, i, n, v)
        {
            list = cmd_format(c, "%s%s%s", list, i > 0 ? ", " : "", cmd_scalar(c, v));
        }
        return cmd_format(c, "one of %s", list);
    }
    if (min != NULL && max != NULL) return cmd_format(c, "%s to %s", min, max);
    if (min != NULL) return cmd_format(c, "%s or more", min);
    return max != NULL ? cmd_format(c, "at most %s", max) : "";
}

static const char *default_text(cmd *c, yyjson_val *p)
{
    yyjson_val *v = yyjson_obj_get(p, "default");
    if (v == NULL || yyjson_is_null(v) || (yyjson_is_arr(v) && yyjson_arr_size(v) == 0)) return "";
    if (yyjson_is_num(v)) return cmd_format(c, "%.12g", yyjson_get_num(v));
    return yyjson_is_str(v) && yyjson_get_len(v) == 0 ? "\"\"" : cmd_scalar(c, v);
}

static void print_params(cmd *c, yyjson_val *params, const char *title, bool columns)
{
    cmd_grid *g = cmd_grid_new(c, "||");
    size_t i, n;
    yyjson_val *p;
    cmd_grid_wrap(g);
    yyjson_arr_foreach(params, i, n, p)
    {
        const char *role = cmd_get_text(p, "role"), *range = range_text(c, p), *def = default_text(c, p);
        bool column = strcmp(role, "input") == 0 || strcmp(role, "output") == 0;
        if (column != columns) continue;
        cmd_grid_cell(g, cmd_get_text(p, "name"));
        cmd_grid_cell(g, cmd_format(c, "%s%s%s", cmd_get_text(p, "type"), def[0] != 0 ? " = " : "", def));
        cmd_grid_cell(g, cmd_format(c, "%s%s%s%s%s",
                                    columns ? (strcmp(role, "input") == 0 ? "reads: " : "writes: ") : "",
                                    cmd_get_text(p, "help"), range[0] != 0 ? " (" : "", range,
                                    range[0] != 0 ? ")" : ""));
    }
    if (cmd_grid_rows(g) == 0) return;
    cmd_say(c, "\n");
    cmd_heading(c, title);
    cmd_grid_print(g, 2);
}

static void print_named(cmd *c, const char *title, yyjson_val *list)
{
    cmd_grid *g = cmd_grid_new(c, "|");
    size_t i, n;
    yyjson_val *s;
    cmd_grid_wrap(g);
    yyjson_arr_foreach(list, i, n, s)
    {
        cmd_grid_cell(g, yyjson_is_str(s) ? yyjson_get_str(s) : cmd_get_text(s, "name"));
        cmd_grid_cell(g, cmd_get_text(s, "help"));
    }
    if (cmd_grid_rows(g) == 0) return;
    cmd_say(c, "\n");
    cmd_heading(c, title);
    cmd_grid_print(g, 2);
}

static gm_code help_stage(cmd *c, yyjson_val *s)
{
    cmd_put_copy(c, c->out, "stage", s);
    if (c->json) return GM_OK;
    const char *kind = cmd_get_text(s, "kind");
    cmd_say(c, "%s%s%s - %s%s%s%s\n", cmd_bold(c), cmd_get_text(s, "name"), cmd_plain(c),
            cmd_get_text(s, "summary"), kind[0] != 0 ? " (" : "", kind, kind[0] != 0 ? ")" : "");
    if (cmd_get_text(s, "doc")[0] != 0) {
        cmd_say(c, "\n");
        cmd_wrap(c, cmd_get_text(s, "doc"), 0);
    }
    print_params(c, yyjson_obj_get(s, "params"), "Columns", true);
    print_params(c, yyjson_obj_get(s, "params"), "Parameters", false);
    print_named(c, "Metrics", yyjson_obj_get(s, "metrics"));
    print_named(c, "Fitted state", yyjson_obj_get(s, "state"));
    return GM_OK;
}

/* ---- topics, and what is not there ---- */

static gm_code help_topics(cmd *c)
{
    yyjson_mut_val *list = cmd_list(c);
    cmd_grid *g = cmd_grid_new(c, "|");
    for (const cmd_topic *t = cmd_topics; t->name != NULL; t++) {
        cmd_grid_cell(g, t->name);
        cmd_grid_cell(g, t->summary);
        yyjson_mut_val *one = cmd_map(c);
        cmd_put_text(c, one, "name", t->name);
        cmd_put_text(c, one, "summary", t->summary);
        yyjson_mut_arr_append(list, one);
    }
    cmd_put(c, c->out, "topics", list);
    cmd_heading(c, "Topics");
    cmd_grid_print(g, 2);
    return GM_OK;
}

static gm_code help_topic(cmd *c, const cmd_topic *t)
{
    cmd_put_text(c, c->out, "topic", t->name);
    cmd_put_text(c, c->out, "text", t->text);
    cmd_say(c, "%s%s%s - %s\n\n", cmd_bold(c), t->name, cmd_plain(c), t->summary);
    cmd_wrap(c, t->text, 0);
    if (strcmp(t->name, "errors") != 0) return GM_OK;
    cmd_grid *g = cmd_grid_new(c, "name|>exit status|meaning");
#define ROW(code, value, text, exit_status, http, exception) \
    if (code != GM_OK) { \
        cmd_grid_cell(g, #code); \
        cmd_grid_cell(g, #exit_status); \
        cmd_grid_cell(g, text); \
    }
    GM_CODES(ROW)
#undef ROW
    cmd_say(c, "\n");
    cmd_grid_print(g, 0);
    return GM_OK;
}

static gm_code nothing_named(cmd *c, const char *word, yyjson_val *registry)
{
    yyjson_val *lists[] = {yyjson_obj_get(registry, "stages"), yyjson_obj_get(registry, "evaluators")}, *s;
    size_t most = yyjson_arr_size(lists[0]) + yyjson_arr_size(lists[1]) + 64, n = 0, i, m;
    const char **names = cmd_alloc(c, most * sizeof *names);
    for (int k = 0; k < 2; k++) {
        yyjson_arr_foreach(lists[k], i, m, s) { names[n++] = cmd_get_text(s, "name"); }
    }
    for (const cmd_verb *v = cmd_verbs; v->name != NULL && n < most; v++) names[n++] = v->name;
    for (const cmd_topic *t = cmd_topics; t->name != NULL && n < most; t++) names[n++] = t->name;
    const char *near = cmd_nearest(word, names, sizeof *names, (int)n);
    gm_code code = cmd_fail(c, GM_EUSAGE, "no verb, stage, evaluator or topic is called '%s'", word);
    if (near != NULL) return cmd_hint(c, code, "did you mean `gristmill help %s`?", near);
    return cmd_hint(c, code, "`gristmill stages` lists the stages, `gristmill help topics` the topics");
}

gm_code cmd_help(cmd *c)
{
    if (c->n_words == 0) return cmd_help_overview(c, stdout);
    const char *word = c->words[0];
    const cmd_verb *v = cmd_verb_find(word);
    if (v != NULL) return cmd_help_verb(c, v);
    if (strcmp(word, "topics") == 0) return help_topics(c);
    for (const cmd_topic *t = cmd_topics; t->name != NULL; t++)
        if (strcmp(t->name, word) == 0) return help_topic(c, t);
    yyjson_val *registry;
    CMD_TRY(cmd_registry(c, &registry));
    yyjson_val *s = cmd_find_named(yyjson_obj_get(registry, "stages"), word);
    if (s == NULL) s = cmd_find_named(yyjson_obj_get(registry, "evaluators"), word);
    return s != NULL ? help_stage(c, s) : nothing_named(c, word, registry);
}

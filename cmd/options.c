/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - reads the arguments by the tables of verbs.c, and finds the nearest name for what is not there.
 *
 * Options may stand anywhere, also before the verb: --name value, --name=value, -o value, -ovalue; -- ends
 * them.
 */
#include "cmd.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- nearest names ---- */

static int lower(int ch) { return ch >= 'A' && ch <= 'Z' ? ch - 'A' + 'a' : ch; }

/* Edits between two words, letters in either case being equal and a swap of neighbours one edit (Damerau's
 * optimal string alignment). Long words count as far apart. */
static int edits(const char *a, const char *b)
{
    enum { LONGEST = 63 };
    int d[3][LONGEST + 1];
    size_t na = strlen(a), nb = strlen(b);
    if (na > LONGEST || nb > LONGEST) return LONGEST;
    for (size_t j = 0; j <= nb; j++) d[0][j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *now = d[i % 3], *before = d[(i + 2) % 3], *earlier = d[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int x = lower((unsigned char)a[i - 1]), y = lower((unsigned char)b[j - 1]);
            int best = before[j - 1] + (x != y);
            if (before[j] + 1 < best) best = before[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && x == lower((unsigned char)b[j - 2]) &&
                y == lower((unsigned char)a[i - 2]) && earlier[j - 2] + 1 < best)
                best = earlier[j - 2] + 1;
            now[j] = best;
        }
    }
    return d[na % 3][nb];
}

const char *cmd_nearest(const char *word, const void *names, size_t stride, int n)
{
    const char *best = NULL;
    int least = 1 + (int)strlen(word) / 3;
    if (least > 5) least = 5;
    for (int i = 0; i < n; i++) {
        const char *name = *(const char *const *)((const char *)names + (size_t)i * stride);
        int e = edits(word, name);
        if (e < least || (e == least && best == NULL)) {
            least = e;
            best = name;
        }
    }
    return best;
}

static int count_verbs(void)
{
    int n = 0;
    while (cmd_verbs[n].name != NULL) n++;
    return n;
}

static int count_options(void)
{
    int n = 0;
    while (cmd_options[n].name != NULL) n++;
    return n;
}

const cmd_verb *cmd_verb_find(const char *name)
{
    for (const cmd_verb *v = cmd_verbs; v->name != NULL; v++)
        if (strcmp(v->name, name) == 0) return v;
    return NULL;
}

/* ---- what was given ---- */

const char *cmd_value(const cmd *c, const char *option)
{
    const char *value = NULL;
    for (int i = 0; i < c->n_given; i++)
        if (strcmp(c->given[i].option->name, option) == 0) value = c->given[i].value;
    return value;
}

bool cmd_has(const cmd *c, const char *option) { return cmd_value(c, option) != NULL; }

const char *cmd_value_next(const cmd *c, const char *option, int *i)
{
    for (; *i < c->n_given; (*i)++)
        if (strcmp(c->given[*i].option->name, option) == 0) return c->given[(*i)++].value;
    return NULL;
}

/* ---- parsing ---- */

static const cmd_option *find_long(const char *name, size_t n)
{
    for (const cmd_option *o = cmd_options; o->name != NULL; o++)
        if (strlen(o->name) == n && memcmp(o->name, name, n) == 0) return o;
    return NULL;
}

static const cmd_option *find_letter(char letter)
{
    for (const cmd_option *o = cmd_options; o->name != NULL; o++)
        if (o->letter == letter) return o;
    return NULL;
}

static gm_code unknown_option(cmd *c, const char *arg)
{
    gm_code code = cmd_fail(c, GM_EUSAGE, "unknown option '%s'", arg);
    if (arg[1] == '-') {
        char *name = cmd_format(c, "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
        const char *near = cmd_nearest(name, &cmd_options[0].name, sizeof cmd_options[0], count_options());
        if (near != NULL) return cmd_hint(c, code, "did you mean --%s?", near);
    }
    const char *verb = c->verb != NULL ? c->verb->name : "VERB";
    return cmd_hint(c, code, "`gristmill help %s` lists the options", verb);
}

/* Names the verbs that take an option, as "train or inspect". */
static const char *takers(cmd *c, const cmd_option *o)
{
    const char *list = "";
    for (const cmd_verb *v = cmd_verbs; v->name != NULL; v++)
        if (v->bit & o->verbs) list = cmd_format(c, "%s%s%s", list, list[0] != 0 ? ", " : "", v->name);
    return list;
}

static gm_code check_value(cmd *c, const cmd_option *o, const char *value)
{
    char *end = NULL;
    errno = 0;
    switch (o->kind) {
    case CMD_WHOLE: {
        long long v = strtoll(value, &end, 10);
        if (end == value || *end != 0 || errno != 0 || v < 0)
            return cmd_fail(c, GM_EUSAGE, "--%s expects a whole number, 0 or more, found '%s'", o->name,
                            value);
        return GM_OK;
    }
    case CMD_REAL:
        (void)strtod(value, &end);
        if (end == value || *end != 0)
            return cmd_fail(c, GM_EUSAGE, "--%s expects a number, found '%s'", o->name, value);
        return GM_OK;
    case CMD_WORDS:
        for (const char *w = o->choices; w != NULL; w = strchr(w, '|') != NULL ? strchr(w, '|') + 1 : NULL)
            if (strcspn(w, "|") == strlen(value) && memcmp(w, value, strlen(value)) == 0) return GM_OK;
        return cmd_fail(c, GM_EUSAGE, "--%s is one of %s, found '%s'", o->name, o->choices, value);
    case CMD_PAIR:
        if (strchr(value, '=') > value) return GM_OK;
        return cmd_hint(c, cmd_fail(c, GM_EUSAGE, "--%s expects %s, found '%s'", o->name, o->arg, value),
                        "as in --read nullstr=NA; `gristmill help reading` lists the keys");
    default:
        if (value[0] == 0) return cmd_fail(c, GM_EUSAGE, "--%s expects %s, found nothing", o->name, o->arg);
        return GM_OK;
    }
}

static gm_code take(cmd *c, const cmd_option *o, const char *value)
{
    if (c->verb != NULL && !(o->verbs & c->verb->bit))
        return cmd_hint(c, cmd_fail(c, GM_EUSAGE, "'%s' has no option --%s", c->verb->name, o->name),
                        "it belongs to: %s", takers(c, o));
    if (o->kind != CMD_FLAG) CMD_TRY(check_value(c, o, value));
    if (!o->repeat && o->kind != CMD_FLAG && cmd_has(c, o->name))
        return cmd_fail(c, GM_EUSAGE, "--%s is given twice: '%s' and '%s'", o->name, cmd_value(c, o->name),
                        value);
    c->given[c->n_given++] = (cmd_given){o, value};
    if (strcmp(o->name, "json") == 0) c->json = true;
    if (strcmp(o->name, "quiet") == 0) c->quiet = true;
    if (strcmp(o->name, "help") == 0) c->help = true;
    return GM_OK;
}

/* Splits an argument that begins with '-' into option and value; *value NULL: the value is the next argument.
 */
static const cmd_option *split_option(const char *arg, const char **value)
{
    *value = NULL;
    if (arg[1] != '-') {
        const cmd_option *o = find_letter(arg[1]);
        if (o != NULL && arg[2] != 0) {
            if (o->kind == CMD_FLAG) return NULL;
            *value = arg + 2;
        }
        return o;
    }
    size_t n = strcspn(arg + 2, "=");
    const cmd_option *o = find_long(arg + 2, n);
    if (o != NULL && arg[2 + n] == '=') *value = arg + 2 + n + 1;
    return o;
}

static bool is_option(const char *arg) { return arg[0] == '-' && arg[1] != 0; }

/* The verb is the first argument that is neither an option nor an option's value. -1: there is none. */
static int find_verb(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (!is_option(argv[i])) return i;
        if (strcmp(argv[i], "--") == 0) return -1;
        const char *value;
        const cmd_option *o = split_option(argv[i], &value);
        if (o != NULL && o->kind != CMD_FLAG && value == NULL) i++;
    }
    return -1;
}

static gm_code unknown_verb(cmd *c, const char *word)
{
    gm_code code = cmd_fail(c, GM_EUSAGE, "unknown verb '%s'", word);
    if (cmd_has_suffix(word, ".yaml") || cmd_has_suffix(word, ".yml"))
        return cmd_hint(c, code, "to train this pipeline: gristmill train %s", word);
    if (strpbrk(word, "./") != NULL)
        return cmd_hint(c, code, "to train on this file: gristmill train %s --label COLUMN", word);
    const char *near = cmd_nearest(word, &cmd_verbs[0].name, sizeof cmd_verbs[0], count_verbs());
    if (near != NULL) return cmd_hint(c, code, "did you mean '%s'?", near);
    return cmd_hint(c, code, "`gristmill help` lists the verbs");
}

static gm_code check_words(cmd *c)
{
    const cmd_verb *v = c->verb;
    int n = c->n_words;
    if (n >= v->min && (v->max < 0 || n <= v->max)) return GM_OK;
    gm_code code = n < v->min ? cmd_fail(c, GM_EUSAGE, "'%s' expects %s, found %s", v->name, v->args,
                                         n == 0 ? "nothing" : c->words[0])
                              : cmd_fail(c, GM_EUSAGE, "'%s' has one argument too many: '%s'", v->name,
                                         c->words[v->max]);
    return cmd_hint(c, code, "usage: gristmill %s %s; see `gristmill help %s`", v->name, v->args, v->name);
}

static gm_code parse(cmd *c, int argc, char **argv, int verb_at)
{
    bool options = true;
    for (int i = 1; i < argc; i++) {
        if (i == verb_at) continue;
        if (!options || !is_option(argv[i])) {
            c->words[c->n_words++] = argv[i];
            continue;
        }
        if (strcmp(argv[i], "--") == 0) {
            options = false;
            continue;
        }
        const char *value;
        const cmd_option *o = split_option(argv[i], &value);
        if (o == NULL) return unknown_option(c, argv[i]);
        if (o->kind == CMD_FLAG && value != NULL)
            return cmd_fail(c, GM_EUSAGE, "--%s takes no value, found '%s'", o->name, value);
        if (o->kind == CMD_FLAG) value = "";
        if (value == NULL && i + 1 == argc)
            return cmd_fail(c, GM_EUSAGE, "--%s expects %s, found the end of the line", o->name, o->arg);
        if (value == NULL) value = argv[++i];
        CMD_TRY(take(c, o, value));
    }
    return GM_OK;
}

gm_code cmd_parse_args(cmd *c, int argc, char **argv)
{
    c->words = cmd_alloc(c, (size_t)(argc + 1) * sizeof *c->words);
    c->given = cmd_alloc(c, (size_t)(argc + 1) * sizeof *c->given);
    for (int i = 1; i < argc;
         i++) /* so that a failure among the arguments is already told the way asked for */
        if (strcmp(argv[i], "--json") == 0) c->json = true;
    if (argc == 2 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) argv[1] = "version";
    int at = find_verb(argc, argv);
    if (at > 0) {
        c->verb = cmd_verb_find(argv[at]);
        if (c->verb == NULL) return unknown_verb(c, argv[at]);
    }
    CMD_TRY(parse(c, argc, argv, at));
    if (c->help) return GM_OK;
    if (c->verb == NULL) {
        if (!c->json) cmd_help_overview(c, stderr);
        return cmd_fail(c, GM_EUSAGE, "expected a verb, found nothing");
    }
    return check_words(c);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * completion.c - `gristmill completion`: a completion script for a shell, printed from the tables of verbs.c
 * and the registry, so that it knows every option, choice and stage of this version.
 */
#include "cmd.h"
#include <string.h>

/* ---- the words to offer ---- */

static const char *join(cmd *c, const char *list, const char *word)
{
    return cmd_format(c, "%s%s%s", list, list[0] != 0 ? " " : "", word);
}

static const char *stage_names(cmd *c, yyjson_val *registry, bool learners)
{
    static const char *const lists[] = {"stages", "evaluators"};
    const char *text = "";
    for (int k = 0; k < (learners ? 1 : 2); k++) {
        size_t i, n;
        yyjson_val *s;
        yyjson_arr_foreach(yyjson_obj_get(registry, lists[k]), i, n, s)
        {
            const char *kind = cmd_get_text(s, "kind");
            bool learner = strcmp(kind, "classifier") == 0 || strcmp(kind, "regressor") == 0;
            if (!learners || learner) text = join(c, text, cmd_get_text(s, "name"));
        }
    }
    return text;
}

static const char *spaced(cmd *c, const char *choices)
{
    char *text = cmd_format(c, "%s", choices);
    for (char *p = text; *p != 0; p++)
        if (*p == '|') *p = ' ';
    return text;
}

static const char *verb_names(cmd *c)
{
    const char *text = "";
    for (const cmd_verb *v = cmd_verbs; v->name != NULL; v++) text = join(c, text, v->name);
    return text;
}

/* What an option's value or a verb's words may be; NULL: files, "": nothing to offer. */
static const char *offers(cmd *c, cmd_kind kind, const char *choices, yyjson_val *registry)
{
    switch (kind) {
    case CMD_FILE: return NULL;
    case CMD_LEARNER: return stage_names(c, registry, true);
    case CMD_WORDS: return spaced(c, choices);
    case CMD_STAGE: return stage_names(c, registry, false);
    default: return "";
    }
}

static const char *verb_words(cmd *c, const cmd_verb *v, yyjson_val *registry)
{
    const char *words = offers(c, v->words, v->choices, registry);
    if (v->bit == V_SCHEMA) return join(c, "pipeline output", words);
    if (v->bit != V_HELP) return words;
    words = join(c, verb_names(c), words);
    for (const cmd_topic *t = cmd_topics; t->name != NULL; t++) words = join(c, words, t->name);
    return join(c, words, "topics");
}

static const char *verb_options(cmd *c, const cmd_verb *v)
{
    const char *text = "";
    for (const cmd_option *o = cmd_options; o->name != NULL; o++)
        if (o->verbs & v->bit) text = join(c, text, cmd_format(c, "--%s", o->name));
    return text;
}

/* ---- bash ---- */

static void print_bash(cmd *c, yyjson_val *registry)
{
    printf("# bash completion for gristmill %s; printed by `gristmill completion bash`\n"
           "_gristmill() {\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb='' i\n"
           "    COMPREPLY=()\n"
           "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
           "        case ${COMP_WORDS[i]} in\n"
           "        -*) ;;\n"
           "        *) verb=${COMP_WORDS[i]}; break ;;\n"
           "        esac\n"
           "    done\n"
           "    case $prev in\n",
           gm_version());
    for (const cmd_option *o = cmd_options; o->name != NULL; o++) {
        if (o->kind == CMD_FLAG) continue;
        const char *words = offers(c, o->kind, o->choices, registry);
        if (o->letter != 0) printf("    -%c | --%s)", o->letter, o->name);
        else printf("    --%s)", o->name);
        if (words == NULL) printf(" mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); return ;;\n");
        else if (words[0] == 0) printf(" return ;;\n");
        else printf(" mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\"); return ;;\n", words);
    }
    printf("    esac\n"
           "    if [[ -z $verb ]]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W '%s --help --version' -- \"$cur\")\n"
           "        return\n"
           "    fi\n"
           "    case $verb in\n",
           verb_names(c));
    for (const cmd_verb *v = cmd_verbs; v->name != NULL; v++) {
        const char *words = verb_words(c, v, registry);
        printf("    %s)\n"
               "        if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\")\n",
               v->name, verb_options(c, v));
        if (words == NULL) printf("        else mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n");
        else if (words[0] != 0)
            printf("        else mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\")\n", words);
        printf("        fi ;;\n");
    }
    printf("    esac\n"
           "}\n"
           "complete -o filenames -F _gristmill gristmill\n");
}

/* ---- zsh ---- */

/* Text inside single quotes and inside [...] of _arguments. */
static const char *zsh_text(cmd *c, const char *s)
{
    char *out = cmd_alloc(c, strlen(s) * 5 + 1), *o = out;
    for (; *s != 0; s++) {
        if (*s == '\'') {
            memcpy(o, "'\\''", 4);
            o += 4;
            continue;
        }
        if (strchr("[]:\\", *s) != NULL) *o++ = '\\';
        *o++ = *s;
    }
    *o = 0;
    return out;
}

static const char *zsh_action(cmd *c, const char *words)
{
    if (words == NULL) return "_files";
    return words[0] == 0 ? "" : cmd_format(c, "(%s)", words);
}

static void print_zsh(cmd *c, yyjson_val *registry)
{
    printf("#compdef gristmill\n"
           "# zsh completion for gristmill %s; printed by `gristmill completion zsh`\n"
           "_gristmill() {\n"
           "    local state line\n"
           "    typeset -A opt_args\n"
           "    _arguments -C '1:verb:->verb' '*::argument:->rest'\n"
           "    case $state in\n"
           "    verb)\n"
           "        local -a verbs=(\n",
           gm_version());
    for (const cmd_verb *v = cmd_verbs; v->name != NULL; v++)
        printf("            '%s:%s'\n", v->name, zsh_text(c, v->summary));
    printf("        )\n"
           "        _describe verb verbs ;;\n"
           "    rest)\n"
           "        case $line[1] in\n");
    for (const cmd_verb *v = cmd_verbs; v->name != NULL; v++) {
        printf("        %s)\n            _arguments", v->name);
        for (const cmd_option *o = cmd_options; o->name != NULL; o++) {
            if (!(o->verbs & v->bit)) continue;
            printf(" \\\n                '%s--%s[%s]", o->repeat ? "*" : "", o->name, zsh_text(c, o->help));
            if (o->kind != CMD_FLAG)
                printf(":%s:%s", o->arg, zsh_action(c, offers(c, o->kind, o->choices, registry)));
            printf("'");
        }
        const char *words = verb_words(c, v, registry);
        if (v->max != 0) printf(" \\\n                '*:argument:%s'", zsh_action(c, words));
        printf(" ;;\n");
    }
    printf("        esac ;;\n"
           "    esac\n"
           "}\n"
           "if [[ $funcstack[1] == _gristmill ]]; then _gristmill \"$@\"; else compdef _gristmill gristmill; "
           "fi\n");
}

/* ---- fish ---- */

static const char *fish_text(cmd *c, const char *s)
{
    char *out = cmd_alloc(c, strlen(s) * 2 + 1), *o = out;
    for (; *s != 0; s++) {
        if (*s == '\'' || *s == '\\') *o++ = '\\';
        *o++ = *s;
    }
    *o = 0;
    return out;
}

static void print_fish(cmd *c, yyjson_val *registry)
{
    printf("# fish completion for gristmill %s; printed by `gristmill completion fish`\n"
           "complete -c gristmill -f\n",
           gm_version());
    for (const cmd_verb *v = cmd_verbs; v->name != NULL; v++) {
        printf("complete -c gristmill -n __fish_use_subcommand -a %s -d '%s'\n", v->name,
               fish_text(c, v->summary));
        const char *seen = cmd_format(c, "-n '__fish_seen_subcommand_from %s'", v->name),
                   *words = verb_words(c, v, registry);
        if (words == NULL) printf("complete -c gristmill %s -F\n", seen);
        else if (words[0] != 0) printf("complete -c gristmill %s -a '%s'\n", seen, words);
        for (const cmd_option *o = cmd_options; o->name != NULL; o++) {
            if (!(o->verbs & v->bit)) continue;
            printf("complete -c gristmill %s -l %s", seen, o->name);
            if (o->letter != 0) printf(" -s %c", o->letter);
            words = o->kind == CMD_FLAG ? "" : offers(c, o->kind, o->choices, registry);
            if (words == NULL) printf(" -r -F");
            else if (words[0] != 0) printf(" -x -a '%s'", words);
            else if (o->kind != CMD_FLAG) printf(" -x");
            printf(" -d '%s'\n", fish_text(c, o->help));
        }
    }
}

gm_code cmd_completion(cmd *c)
{
    static const struct {
        const char *name;
        void (*print)(cmd *c, yyjson_val *registry);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shells[i].name, c->words[0]) != 0) continue;
        yyjson_val *registry;
        CMD_TRY(cmd_registry(c, &registry));
        if (c->json) return cmd_fail(c, GM_EUSAGE, "a completion script is no JSON: leave out --json");
        shells[i].print(c, registry);
        return GM_OK;
    }
    return cmd_hint(c, cmd_fail(c, GM_EUSAGE, "no completion for '%s'", c->words[0]),
                    "there is bash, zsh and fish");
}

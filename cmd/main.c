/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - the command: parse, run one verb, print the failure or the JSON document, exit with the code's
 * status.
 */
#include "cmd.h"
#include <errno.h>
#include <string.h>

static int exit_status(gm_code code)
{
    if (code == GM_ECANCEL && cmd_signalled() != 0) return 128 + cmd_signalled();
    return gm_code_exit_status(code);
}

/* "gristmill: message" and "  hint: ..."; under --json the one document {"error": {...}}. */
static void print_failure(cmd *c, gm_code code)
{
    if (c->message == NULL || c->message[0] == 0) c->message = gm_code_text(code);
    if (c->hint == NULL) c->hint = "";
    if (c->json) {
        yyjson_mut_val *error = cmd_map(c), *root = cmd_map(c);
        cmd_put_text(c, error, "code", gm_code_name(code));
        cmd_put_text(c, error, "message", c->message);
        cmd_put_text(c, error, "hint", c->hint);
        cmd_put(c, error, "exit_status", yyjson_mut_int(c->doc, exit_status(code)));
        cmd_put(c, root, "error", error);
        puts(cmd_json_text(c, root, true));
        return;
    }
    fflush(stdout); /* what was printed comes before what failed, also when both go to one file */
    const char *red = c->term.err_colour ? "\033[1;31m" : "", *end = c->term.err_colour ? "\033[0m" : "";
    fprintf(stderr, "%sgristmill:%s %s\n", red, end, cmd_clean(c, c->message));
    if (c->hint[0] != 0) fprintf(stderr, "  hint: %s\n", cmd_clean(c, c->hint));
}

/* What was printed must also have arrived: a full disk shows only when stdout is flushed. */
static gm_code flush_output(cmd *c)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return GM_OK;
    c->json = false;
    return cmd_fail(c, GM_EIO, "standard output: %s", strerror(errno));
}

static gm_code run(cmd *c, int argc, char **argv)
{
    CMD_TRY(cmd_parse_args(c, argc, argv));
    if (c->help) return c->verb != NULL ? cmd_help_verb(c, c->verb) : cmd_help_overview(c, stdout);
    cmd_put_text(c, c->out, "verb", c->verb->name);
    CMD_TRY(c->verb->run(c));
    if (!c->json || c->out == NULL) return GM_OK;
    if (c->warnings != NULL) cmd_put(c, c->out, "warnings", c->warnings);
    puts(cmd_json_text(c, c->out, true));
    return GM_OK;
}

int main(int argc, char **argv)
{
    cmd c = {0};
    cmd_signals();
    cmd_term_init(&c);
    c.doc = cmd_keep(&c, yyjson_mut_doc_new(NULL), (void (*)(void *))yyjson_mut_doc_free);
    c.out = cmd_map(&c);
    gm_code code = run(&c, argc, argv);
    cmd_progress_end(&c);
    if (code != GM_OK) print_failure(&c, code);
    gm_code flushed = flush_output(&c);
    if (code == GM_OK && flushed != GM_OK) {
        code = flushed;
        print_failure(&c, code);
    }
    int status = code == GM_OK ? 0 : exit_status(code);
    cmd_release(&c);
    return status;
}

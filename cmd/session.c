/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.c - the library's session as the verbs use it: opened from the options, stopped by Ctrl-C, its
 * failures taken over; tables and models by path.
 *
 * The first SIGINT or SIGTERM asks the library to stop, which then leaves nothing half-written; a second one,
 * or PATIENCE without an end (a server that does not answer, a disk that hangs), ends the process at once.
 */
#include "cmd.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t signalled;
static gm_cx *volatile running; /* what the handler cancels */

enum { PATIENCE = 10 };

static void on_signal(int number)
{
    gm_cx *cx = running;
    if (signalled != 0 || cx == NULL) _exit(128 + number);
    signalled = number;
    alarm(PATIENCE);
    gm_cancel(cx);
}

static void on_alarm(int number)
{
    static const char said[] = "gristmill: cancelled; what was running did not stop within 10 seconds\n";
    (void)number;
    (void)!write(STDERR_FILENO, said, sizeof said - 1);
    _exit(128 + signalled);
}

void cmd_signals(void)
{
    struct sigaction stop = {.sa_handler = on_signal}, quiet = {.sa_handler = SIG_DFL},
                     late = {.sa_handler = on_alarm};
    sigemptyset(&stop.sa_mask);
    sigaction(SIGALRM, &late, NULL);
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGPIPE, &quiet, NULL); /* a reader that went away (| head) ends the command without a word */
}

int cmd_signalled(void) { return signalled; }

double cmd_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

gm_code cmd_lib(cmd *c, gm_code code)
{
    if (code == GM_OK && signalled == 0) return GM_OK;
    if (code == GM_OK || code == GM_ECANCEL) return cmd_fail(c, GM_ECANCEL, "cancelled");
    const char *hint = gm_hint(c->cx);
    cmd_fail(c, code, "%s", gm_message(c->cx));
    return hint[0] != 0 ? cmd_hint(c, code, "%s", hint) : code;
}

static void close_session(void *p)
{
    running = NULL;
    gm_close(p);
}

gm_code cmd_open(cmd *c)
{
    if (c->cx != NULL) return GM_OK;
    yyjson_mut_val *options = cmd_map(c);
    if (cmd_has(c, "threads")) cmd_put_real(c, options, "threads", strtod(cmd_value(c, "threads"), NULL));
    if (cmd_has(c, "memory")) cmd_put_text(c, options, "memory", cmd_value(c, "memory"));
    if (cmd_has(c, "seed"))
        cmd_put(c, options, "seed", yyjson_mut_uint(c->doc, strtoull(cmd_value(c, "seed"), NULL, 10)));
    gm_code code = gm_open(cmd_json_text(c, options, false), &c->cx);
    if (c->cx == NULL) return cmd_fail(c, code, "cannot open a session: %s", gm_code_text(code));
    cmd_keep(c, c->cx, close_session);
    CMD_TRY(cmd_lib(c, code));
    running = c->cx;
    cmd_progress_start(c);
    return cmd_lib(c, gm_on_event(c->cx, cmd_event, c));
}

/* ---- tables and models ---- */

static void free_table(void *p) { gm_table_free(p); }

static void free_model(void *p) { gm_model_free(p); }

/* The value of --read KEY=VALUE: a list or map when written as one, else what the key holds. */
static yyjson_mut_val *read_value(cmd *c, const char *key, const char *text)
{
    yyjson_mut_val *v = NULL;
    static const char *const others[] = {"header", "skip", "num_features"}; /* whose values are no texts */
    bool typed = text[0] == '[' || text[0] == '{';
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) typed |= strcmp(key, others[i]) == 0;
    if (typed) v = cmd_raw_json(c, text);
    if (v == NULL && strcmp(text, "\\t") == 0) text = "\t";
    return v != NULL ? v : yyjson_mut_strcpy(c->doc, text);
}

static void read_options(cmd *c, yyjson_mut_val *source)
{
    const char *given;
    for (int i = 0; (given = cmd_value_next(c, "read", &i)) != NULL;) {
        const char *eq = strchr(given, '=');
        char *key = cmd_format(c, "%.*s", (int)(eq - given), given);
        if (strncmp(key, "types.", 6) == 0) {
            yyjson_mut_val *types = yyjson_mut_obj_get(source, "types");
            if (types == NULL) cmd_put(c, source, "types", types = cmd_map(c));
            cmd_put_text(c, types, key + 6, eq + 1);
        } else {
            cmd_put(c, source, key, read_value(c, key, eq + 1));
        }
    }
}

gm_code cmd_source(cmd *c, const char *kind, const char *text, gm_table **t)
{
    yyjson_mut_val *source = cmd_map(c);
    cmd_put_text(c, source, kind, text);
    read_options(c, source);
    CMD_TRY(cmd_open(c));
    CMD_TRY(cmd_lib(c, gm_table_open(c->cx, cmd_json_text(c, source, false), t)));
    cmd_keep(c, *t, free_table);
    return GM_OK;
}

gm_code cmd_table(cmd *c, const char *path, gm_table **t) { return cmd_source(c, "path", path, t); }

gm_code cmd_model(cmd *c, const char *path, gm_model **m)
{
    CMD_TRY(cmd_open(c));
    CMD_TRY(cmd_lib(c, gm_model_load(c->cx, path, m)));
    cmd_keep(c, *m, free_model);
    return GM_OK;
}

gm_code cmd_model_info(cmd *c, const gm_model *m, yyjson_val **info)
{
    char *text;
    CMD_TRY(cmd_lib(c, gm_model_info(c->cx, m, &text)));
    return cmd_parse_json(c, text, info);
}

/* ---- files ---- */

bool cmd_has_suffix(const char *path, const char *suffix)
{
    size_t n = strlen(path), k = strlen(suffix);
    return n > k && strcasecmp(path + n - k, suffix) == 0;
}

gm_code cmd_read_file(cmd *c, const char *path, char **text)
{
    enum { MOST = 64 << 20 };
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (f == NULL && errno == ENOENT)
        return cmd_hint(c, cmd_fail(c, GM_ENOENT, "cannot read '%s': no such file or folder", path),
                        "check the spelling; paths are relative to the working directory");
    if (f == NULL) return cmd_fail(c, GM_EIO, "cannot read '%s': %s", path, strerror(errno));
    size_t n = 0, cap = 64 << 10;
    char *buf = cmd_alloc(c, cap);
    gm_code code = GM_OK;
    for (size_t k; (k = fread(buf + n, 1, cap - 1 - n, f)) > 0;) {
        n += k;
        if (n < cap - 1) continue;
        if (n > MOST) {
            code = cmd_fail(c, GM_ESYNTAX, "%s: more than 64 MB, which is no pipeline", path);
            break;
        }
        char *larger = cmd_alloc(c, 2 * cap);
        memcpy(larger, buf, n);
        buf = larger;
        cap *= 2;
    }
    if (code == GM_OK && ferror(f)) code = cmd_fail(c, GM_EIO, "%s: %s", path, strerror(errno));
    if (f != stdin) fclose(f);
    if (code != GM_OK) return code;
    buf[n] = 0;
    if (strlen(buf) != n)
        return cmd_hint(c,
                        cmd_fail(c, GM_ESYNTAX, "%s: binary data where a pipeline's text was expected", path),
                        "to train on a data file, name its label: --label COLUMN");
    *text = buf;
    return GM_OK;
}

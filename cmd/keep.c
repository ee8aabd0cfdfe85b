/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keep.c - what one run of the command keeps until its end: memory and other people's objects, and the
 * failure that it will tell. Out of memory ends the process: there is nothing to save.
 */
#include "cmd.h"
#include <stdarg.h>
#include <stdlib.h>

struct cmd_kept {
    void *p;
    void (*destroy)(void *);
};

static void out_of_memory(void)
{
    fputs("gristmill: out of memory\n", stderr);
    exit(gm_code_exit_status(GM_ENOMEM));
}

void *cmd_keep(cmd *c, void *p, void (*destroy)(void *))
{
    if (p == NULL) out_of_memory();
    if (c->n_kept == c->cap_kept) {
        c->cap_kept = c->cap_kept == 0 ? 64 : 2 * c->cap_kept;
        struct cmd_kept *larger = realloc(c->kept, (size_t)c->cap_kept * sizeof *larger);
        if (larger == NULL) out_of_memory();
        c->kept = larger;
    }
    c->kept[c->n_kept++] = (struct cmd_kept){p, destroy};
    return p;
}

void cmd_release(cmd *c)
{
    while (c->n_kept > 0) {
        struct cmd_kept k = c->kept[--c->n_kept];
        k.destroy(k.p);
    }
    free(c->kept);
    c->kept = NULL;
    c->cap_kept = 0;
}

void *cmd_alloc(cmd *c, size_t n) { return cmd_keep(c, calloc(1, n == 0 ? 1 : n), free); }

static char *format_list(cmd *c, const char *fmt, va_list args)
{
    char *s = NULL;
    if (vasprintf(&s, fmt, args) < 0) out_of_memory();
    return cmd_keep(c, s, free);
}

char *cmd_format(cmd *c, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *s = format_list(c, fmt, args);
    va_end(args);
    return s;
}

gm_code cmd_fail(cmd *c, gm_code code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    c->message = format_list(c, fmt, args);
    va_end(args);
    c->hint = "";
    c->code = code;
    return code;
}

gm_code cmd_hint(cmd *c, gm_code code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    c->hint = format_list(c, fmt, args);
    va_end(args);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.c - what the library tells while it works: a bar for progress, a line for a warning or a note.
 *
 * The bar stands on stderr when that is a terminal and the work has lasted a second; it is drawn at most ten
 * times a second and cleared before anything else is printed. The rate is a mean over the phase, the time
 * left follows. Events come one at a time and only inside a library call, in which the main thread waits:
 * nothing is locked.
 */
#include "cmd.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct cmd_progress {
    double begun; /* of the command */
    double phase_begun, phase_from, drawn;
    char phase[64], unit[16];
    bool shown;
};

enum { AFTER = 1, PER_SECOND = 10, BAR = 20 };

void cmd_progress_start(cmd *c)
{
    struct cmd_progress *p = cmd_alloc(c, sizeof *p);
    p->begun = cmd_seconds();
    c->progress = p;
}

static void clear(struct cmd_progress *p)
{
    if (p->shown) fputs("\r\033[K", stderr);
    p->shown = false;
}

void cmd_progress_end(cmd *c)
{
    struct cmd_progress *p = c->progress;
    if (p != NULL) clear(p);
}

/* 950  12.3 k  4.1 M */
static void short_number(char *to, size_t size, double v)
{
    static const char *const units[] = {"", " k", " M", " G", " T"};
    int u = 0;
    while (v >= 1000 && u < 4) {
        v /= 1000;
        u++;
    }
    snprintf(to, size, u > 0 && v < 100 ? "%.1f%s" : "%.0f%s", v, units[u]);
}

static void short_time(char *to, size_t size, double s)
{
    if (s < 60) snprintf(to, size, "%.0f s", s);
    else if (s < 3600) snprintf(to, size, "%d min %02d s", (int)s / 60, (int)s % 60);
    else snprintf(to, size, "%d h %02d min", (int)(s / 3600), (int)(s / 60) % 60);
}

static void draw_bar(cmd *c, char *to, size_t size, double share)
{
    const char *full = c->term.utf8 ? "\xE2\x96\x88" : "#", *empty = c->term.utf8 ? "\xE2\x96\x91" : ".";
    int cells = (int)(share * BAR + 0.5);
    to[0] = 0;
    for (int i = 0; i < BAR; i++) strncat(to, i < cells ? full : empty, size - strlen(to) - 1);
}

/* What a progress event says: how much of how much, or the iteration of a learner. */
struct step {
    char text[96];
    const char *unit;
    double done, total; /* total 0: unknown */
    bool at_most;       /* it may end earlier */
};

static struct step step_of(const gm_event *e)
{
    struct step s = {.unit = e->unit, .done = e->done, .total = e->total};
    snprintf(s.text, sizeof s.text, "%s", e->text[0] != 0 ? e->text : e->code);
    if (e->total > 0 || e->unit[0] != 0) return s;
    yyjson_doc *doc = yyjson_read(e->fields, strlen(e->fields), 0);
    yyjson_val *fields = yyjson_doc_get_root(doc), *i = yyjson_obj_get(fields, "iteration");
    if (i != NULL) {
        s.done = yyjson_get_num(i);
        s.total = yyjson_get_num(yyjson_obj_get(fields, "maxIter"));
        s.unit = "iterations";
        s.at_most = true;
        snprintf(s.text, sizeof s.text, "learning, objective %.6g",
                 yyjson_get_num(yyjson_obj_get(fields, "objective")));
    }
    yyjson_doc_free(doc);
    return s;
}

static void add(char *line, size_t size, const char *fmt, ...) CMD_PRINTF(3, 4);
static void add(char *line, size_t size, const char *fmt, ...)
{
    size_t n = strlen(line);
    va_list args;
    va_start(args, fmt);
    vsnprintf(line + n, size - n, fmt, args);
    va_end(args);
}

static void compose(cmd *c, const struct step *s, double speed, char *line, size_t size)
{
    char bar[4 * BAR + 1], done[32], total[32], rate[32], left[48];
    bool share_only = strcmp(s->unit, "%") == 0,
         rows = strcmp(s->unit, "rows") == 0; /* their total is a guess */
    short_number(done, sizeof done, s->done);
    short_number(total, sizeof total, s->total);
    short_number(rate, sizeof rate, speed);
    snprintf(line, size, "%s  ", s->text);
    if (s->total > 0 && !s->at_most) {
        double share = s->done < s->total ? s->done / s->total : 1;
        draw_bar(c, bar, sizeof bar, share);
        add(line, size, "%s %3.0f %%  ", bar, 100 * share);
    }
    if (s->unit[0] != 0 && !share_only) {
        add(line, size, "%s ", done);
        if (s->total > 0 && !rows) add(line, size, "of %s%s ", s->at_most ? "at most " : "", total);
        add(line, size, "%s  ", s->unit);
        if (speed > 0) add(line, size, "%s/s  ", rate);
    }
    if (speed > 0 && s->total > s->done) {
        short_time(left, sizeof left, (s->total - s->done) / speed);
        add(line, size, "%s%s left", s->at_most ? "at most " : "", left);
    }
}

/* Draws the line, cut at the terminal's edge: one that breaks could not be cleared. */
static void draw(cmd *c, struct cmd_progress *p, const struct step *s, double now)
{
    char line[512];
    double lasted = now - p->phase_begun;
    compose(c, s, lasted > 0.2 ? (s->done - p->phase_from) / lasted : 0, line, sizeof line);
    size_t end = 0;
    for (int wide = 0; line[end] != 0 && wide + 1 < c->term.bar_width; wide++)
        for (end++; ((unsigned char)line[end] & 0xC0) == 0x80;) end++;
    fprintf(stderr, "\r%.*s\033[K", (int)end, line);
    fflush(stderr);
    p->shown = true;
    p->drawn = now;
}

static void progress(cmd *c, struct cmd_progress *p, const gm_event *e)
{
    double now = cmd_seconds();
    if (c->term.bar_width < 40 || c->json || c->quiet) return;
    struct step s = step_of(e);
    if (s.unit[0] == 0) return; /* a beginning or an end: nothing to count */
    if (strcmp(p->phase, e->code) != 0 || strcmp(p->unit, s.unit) != 0 || s.done < p->phase_from) {
        snprintf(p->phase, sizeof p->phase, "%s", e->code);
        snprintf(p->unit, sizeof p->unit, "%s", s.unit);
        p->phase_begun = now;
        p->phase_from = s.done;
    }
    if (now - p->begun >= AFTER && now - p->drawn >= 1.0 / PER_SECOND) draw(c, p, &s, now);
}

/* An event's text, and behind it the names in its fields (column, stage, ...) that it does not mention. */
static const char *event_text(cmd *c, const gm_event *e)
{
    yyjson_doc *doc = yyjson_read(e->fields, strlen(e->fields), 0);
    const char *names = "";
    size_t i, n;
    yyjson_val *k, *v;
    yyjson_obj_foreach(yyjson_doc_get_root(doc), i, n, k, v)
    {
        if (yyjson_is_str(v) && strstr(e->text, yyjson_get_str(v)) == NULL)
            names = cmd_format(c, "%s%s%s '%s'", names, names[0] != 0 ? ", " : "", yyjson_get_str(k),
                               yyjson_get_str(v));
    }
    yyjson_doc_free(doc);
    return cmd_clean(c, names[0] != 0 ? cmd_format(c, "%s (%s)", e->text, names) : e->text);
}

static void tell(cmd *c, struct cmd_progress *p, const gm_event *e)
{
    bool warning = e->level >= 2;
    if (c->json) {
        if (!warning) return;
        if (c->warnings == NULL) c->warnings = cmd_list(c);
        yyjson_mut_val *w = cmd_map(c);
        cmd_put_text(c, w, "code", e->code);
        cmd_put_text(c, w, "text", e->text);
        yyjson_mut_val *fields = cmd_raw_json(c, e->fields);
        if (fields != NULL) cmd_put(c, w, "fields", fields);
        yyjson_mut_arr_append(c->warnings, w);
        return;
    }
    if (!warning && c->quiet) return;
    clear(p);
    const char *yellow = c->term.err_colour && warning ? "\033[33m" : "",
               *end = yellow[0] != 0 ? "\033[0m" : "";
    fflush(stdout);
    fprintf(stderr, "%s%s:%s %s\n", yellow, warning ? "warning" : "note", end, event_text(c, e));
}

void cmd_event(void *user, const gm_event *e)
{
    cmd *c = user;
    struct cmd_progress *p = c->progress;
    if (cmd_signalled() != 0) gm_cancel(c->cx); /* the signal came between two calls */
    if (e->level == 0) progress(c, p, e);
    else tell(c, p, e);
}

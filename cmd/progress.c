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
#include <stdlib.h>
#include <string.h>

struct cmd_progress {
    double begun; /* of the command */
    double phase_begun, phase_from, drawn;
    char phase[64];
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

static void draw(cmd *c, struct cmd_progress *p, const gm_event *e, double now)
{
    char bar[4 * BAR + 1], done[32], total[32], rate[32], left[48], line[512];
    double lasted = now - p->phase_begun, moved = e->done - p->phase_from;
    double speed = lasted > 0.2 ? moved / lasted : 0;
    bool percent = strcmp(e->unit, "%") == 0; /* a share is all that is known */
    short_number(done, sizeof done, e->done);
    short_number(total, sizeof total, e->total);
    short_number(rate, sizeof rate, speed);
    int n = snprintf(line, sizeof line, "%.60s  ", e->text != NULL && e->text[0] != 0 ? e->text : e->code);
    if (e->total > 0) {
        double share = e->done / e->total;
        if (share > 1) share = 1;
        draw_bar(c, bar, sizeof bar, share);
        n += snprintf(line + n, sizeof line - (size_t)n, "%s %3.0f %%", bar, 100 * share);
        if (!percent) n += snprintf(line + n, sizeof line - (size_t)n, "  %s of %s %s", done, total, e->unit);
    } else {
        n += snprintf(line + n, sizeof line - (size_t)n, "%s %s", done, e->unit);
    }
    if (speed > 0 && n < (int)sizeof line) {
        if (!percent) n += snprintf(line + n, sizeof line - (size_t)n, "  %s/s", rate);
        if (e->total > e->done && n < (int)sizeof line) {
            short_time(left, sizeof left, (e->total - e->done) / speed);
            snprintf(line + n, sizeof line - (size_t)n, "  %s left", left);
        }
    }
    /* Cut at the terminal's edge: a line that breaks could not be cleared. */
    size_t end = 0;
    int wide = 0;
    while (line[end] != 0) {
        size_t k = 1;
        while (((unsigned char)line[end + k] & 0xC0) == 0x80) k++;
        if (wide + 1 >= c->term.bar_width) break;
        end += k;
        wide++;
    }
    fprintf(stderr, "\r%.*s\033[K", (int)end, line);
    fflush(stderr);
    p->shown = true;
    p->drawn = now;
}

static void progress(cmd *c, struct cmd_progress *p, const gm_event *e)
{
    double now = cmd_seconds();
    if (strcmp(p->phase, e->code) != 0 || e->done < p->phase_from) {
        snprintf(p->phase, sizeof p->phase, "%s", e->code);
        p->phase_begun = now;
        p->phase_from = e->done;
    }
    if (c->term.bar_width < 40 || c->json || c->quiet) return;
    if (now - p->begun < AFTER || now - p->drawn < 1.0 / PER_SECOND) return;
    draw(c, p, e, now);
}

/* An event's text, and behind it the names in its fields (column, stage, ...) that it does not mention. */
static const char *event_text(cmd *c, const gm_event *e)
{
    yyjson_doc *doc = yyjson_read(e->fields, strlen(e->fields), 0);
    const char *names = "";
    size_t i, n;
    yyjson_val *k, *v;
    yyjson_obj_foreach(yyjson_doc_get_root(doc), i, n, k,
                       v) if (yyjson_is_str(v) && strstr(e->text, yyjson_get_str(v)) == NULL) names =
        cmd_format(c, "%s%s%s '%s'", names, names[0] != 0 ? ", " : "", yyjson_get_str(k), yyjson_get_str(v));
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

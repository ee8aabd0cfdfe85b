/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.c - what the terminal can do (width, colours, characters), and text made fit for it: no control
 * characters from data, widths by wcwidth, wrapped paragraphs, numbers with sensible digits.
 */
#include "cmd.h"
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

static int columns_of(int fd)
{
    struct winsize w = {0};
    if (ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col >= 20) return w.ws_col;
    return 80;
}

void cmd_term_init(cmd *c)
{
    setlocale(LC_CTYPE, "");
    c->term.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    if (!c->term.utf8)
        setlocale(LC_CTYPE, "C.UTF-8"); /* names and data are UTF-8 whatever the terminal draws */
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    bool able = term != NULL && strcmp(term, "dumb") != 0;
    bool colour = able && (no_colour == NULL || no_colour[0] == 0);
    c->term.out_is_tty = isatty(STDOUT_FILENO) == 1;
    c->term.width = c->term.out_is_tty ? columns_of(STDOUT_FILENO) : 80;
    c->term.out_colour = colour && c->term.out_is_tty;
    if (isatty(STDERR_FILENO) == 1) {
        c->term.err_colour = colour;
        c->term.bar_width = able ? columns_of(STDERR_FILENO) : 0;
    }
}

const char *cmd_bold(const cmd *c) { return c->term.out_colour ? "\033[1m" : ""; }

const char *cmd_dim(const cmd *c) { return c->term.out_colour ? "\033[2m" : ""; }

const char *cmd_plain(const cmd *c) { return c->term.out_colour ? "\033[0m" : ""; }

void cmd_say(cmd *c, const char *fmt, ...)
{
    if (c->json) return;
    va_list args;
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
}

void cmd_note(cmd *c, const char *fmt, ...)
{
    if (c->json || c->quiet) return;
    cmd_progress_end(c);
    fflush(stdout); /* a terminal that shows both keeps their order */
    va_list args;
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
}

void cmd_heading(cmd *c, const char *text) { cmd_say(c, "%s%s%s\n", cmd_bold(c), text, cmd_plain(c)); }

/* ---- UTF-8 ---- */

/* One character: its bytes and code point; -1 and one byte where s is not UTF-8 (overlong forms and
 * surrogates too). */
static int decode(const char *s, long *point)
{
    const unsigned char *p = (const unsigned char *)s;
    int n = p[0] < 0x80                   ? 1
            : p[0] >= 0xC2 && p[0] < 0xE0 ? 2
            : (p[0] & 0xF0) == 0xE0       ? 3
            : p[0] >= 0xF0 && p[0] < 0xF5 ? 4
                                          : 0;
    *point = -1;
    if (n == 0) return 1;
    long v = n == 1 ? p[0] : p[0] & (0xFF >> (n + 1));
    for (int i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80) return 1;
        v = v << 6 | (p[i] & 0x3F);
    }
    if ((n == 3 && v < 0x800) || (v >= 0xD800 && v < 0xE000) || (n == 4 && (v < 0x10000 || v > 0x10FFFF)))
        return 1;
    *point = v;
    return n;
}

static int point_width(long point)
{
    if (point < 0) return 1;
    int w = wcwidth((wchar_t)point);
    return w >= 0 ? w : point < 0x20 || (point >= 0x7F && point < 0xA0) ? 0 : 1;
}

int cmd_text_width(const char *s)
{
    int width = 0;
    while (*s != 0) {
        long point;
        s += decode(s, &point);
        width += point_width(point);
    }
    return width;
}

/* Control characters that would move the cursor, and the marks that turn the writing direction. */
static bool is_unsafe(long p)
{
    return p < 0x20 || (p >= 0x7F && p < 0xA0) || (p >= 0x202A && p <= 0x202E) ||
           (p >= 0x2066 && p <= 0x2069);
}

char *cmd_clean(cmd *c, const char *s)
{
    char *out = cmd_alloc(c, strlen(s) * 6 + 1), *o = out;
    while (*s != 0) {
        long point;
        int n = decode(s, &point);
        if (point < 0) {
            memcpy(o, "\xEF\xBF\xBD", 3);
            o += 3;
        } else if (point == '\n' || point == '\t') {
            *o++ = '\\';
            *o++ = point == '\n' ? 'n' : 't';
        } else if (is_unsafe(point)) {
            o += snprintf(o, 7, point < 0x100 ? "\\x%02lx" : "\\u%04lx", (unsigned long)point);
        } else {
            memcpy(o, s, (size_t)n);
            o += n;
        }
        s += n;
    }
    *o = 0;
    return out;
}

/* ---- paragraphs ---- */

static void wrap_line(const char *line, size_t n, int indent, int width)
{
    int at = 0;
    const char *end = line + n;
    while (line < end) {
        while (line < end && *line == ' ') line++;
        size_t word = 0;
        int wide = 0;
        while (line + word < end && line[word] != ' ') {
            long point;
            word += (size_t)decode(line + word, &point);
            wide += point_width(point);
        }
        if (word == 0) break;
        if (at > 0 && indent + at + 1 + wide > width) {
            putchar('\n');
            at = 0;
        }
        if (at == 0) printf("%*s", indent, "");
        else putchar(' ');
        at += wide + (at > 0);
        fwrite(line, 1, word, stdout);
        line += word;
    }
    putchar('\n');
}

void cmd_wrap(cmd *c, const char *text, int indent)
{
    if (c->json) return;
    int width = c->term.width < 100 ? c->term.width : 100;
    while (*text != 0) {
        size_t n = strcspn(text, "\n");
        if (n == 0) putchar('\n');
        else if (*text == ' ') printf("%*s%.*s\n", indent, "", (int)n, text);
        else wrap_line(text, n, indent, width);
        text += n + (text[n] == '\n');
    }
}

/* ---- numbers ---- */

static char *thousands(cmd *c, const char *digits)
{
    size_t whole = strspn(digits[0] == '-' ? digits + 1 : digits, "0123456789") + (digits[0] == '-');
    char *out = cmd_alloc(c, strlen(digits) * 2 + 1), *o = out;
    for (size_t i = 0; i < whole; i++) {
        if (i > (digits[0] == '-' ? 1u : 0u) && (whole - i) % 3 == 0) *o++ = ',';
        *o++ = digits[i];
    }
    memcpy(o, digits + whole, strlen(digits + whole) + 1);
    return out;
}

char *cmd_number(cmd *c, double v)
{
    double a = fabs(v);
    if (!isfinite(v)) return cmd_format(c, "%s", isnan(v) ? "undefined" : v > 0 ? "infinity" : "-infinity");
    if (v == floor(v) && a < 1e15) return thousands(c, cmd_format(c, "%.0f", v == 0 ? 0.0 : v));
    if (a >= 1e9 || a < 1e-4) return cmd_format(c, "%.3e", v);
    if (a >= 1000) return thousands(c, cmd_format(c, "%.1f", v));
    return cmd_format(c, "%.4f", v);
}

char *cmd_count(cmd *c, int64_t n, const char *thing)
{
    return cmd_format(c, "%s %s%s", cmd_number(c, (double)n), thing, n == 1 ? "" : "s");
}

char *cmd_scalar(cmd *c, yyjson_val *v)
{
    if (v == NULL || yyjson_is_null(v)) return cmd_format(c, "-");
    if (yyjson_is_str(v)) return cmd_clean(c, yyjson_get_str(v));
    if (yyjson_is_bool(v)) return cmd_format(c, "%s", yyjson_get_bool(v) ? "true" : "false");
    if (yyjson_is_num(v)) return cmd_number(c, yyjson_get_num(v));
    size_t n;
    char *text = yyjson_val_write(v, 0, &n);
    if (text == NULL) return cmd_format(c, "?");
    cmd_keep(c, text, free);
    return cmd_clean(c, text);
}

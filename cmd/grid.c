/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grid.c - an aligned table of texts: widths by what a terminal shows, numbers to the right, a rule under the
 * titles. On a terminal the widest columns give way so that lines do not break; into a file nothing is cut.
 */
#include "cmd.h"
#include <stdlib.h>
#include <string.h>

struct cmd_grid {
    cmd *c;
    int cols, cells, cap;
    const char **titles; /* NULL: no header */
    bool *right;
    const char **cell;
    bool wrap;
};

enum { GAP = 2, NARROWEST = 6 };

cmd_grid *cmd_grid_of(cmd *c, int cols)
{
    cmd_grid *g = cmd_alloc(c, sizeof *g);
    *g = (cmd_grid){.c = c, .cols = cols, .right = cmd_alloc(c, (size_t)cols * sizeof *g->right)};
    return g;
}

void cmd_grid_title(cmd_grid *g, int col, const char *title, bool right)
{
    if (g->titles == NULL) g->titles = cmd_alloc(g->c, (size_t)g->cols * sizeof *g->titles);
    g->titles[col] = cmd_clean(g->c, title);
    g->right[col] = right;
}

cmd_grid *cmd_grid_new(cmd *c, const char *titles)
{
    int cols = 1;
    bool any = false;
    for (const char *p = titles; *p != 0; p++) {
        if (*p == '|') cols++;
        else if (*p != '>') any = true;
    }
    cmd_grid *g = cmd_grid_of(c, cols);
    for (int i = 0; i < cols; i++) {
        size_t n = strcspn(titles, "|");
        bool right = titles[0] == '>';
        if (any) cmd_grid_title(g, i, cmd_format(c, "%.*s", (int)n - right, titles + right), right);
        g->right[i] = right;
        titles += n + (titles[n] == '|');
    }
    return g;
}

void cmd_grid_cell(cmd_grid *g, const char *text)
{
    if (g->cells == g->cap) {
        int cap = g->cap == 0 ? 64 : 2 * g->cap;
        const char **larger = cmd_alloc(g->c, (size_t)cap * sizeof *larger);
        if (g->cells > 0) memcpy(larger, g->cell, (size_t)g->cells * sizeof *larger);
        g->cell = larger;
        g->cap = cap;
    }
    g->cell[g->cells++] = cmd_clean(g->c, text == NULL ? "" : text);
}

void cmd_grid_wrap(cmd_grid *g) { g->wrap = true; }

int cmd_grid_rows(const cmd_grid *g) { return (g->cells + g->cols - 1) / g->cols; }

/* ---- printing ---- */

/* The bytes of s that fit in width, leaving room for the mark of a cut; *cut tells. */
static size_t fitting(const char *s, int width, bool *cut)
{
    *cut = cmd_text_width(s) > width;
    if (!*cut) return strlen(s);
    size_t n = strlen(s);
    char part[5];
    int wide = 0;
    size_t i = 0;
    while (i < n) {
        size_t k = 1;
        while (k < 4 && i + k < n && ((unsigned char)s[i + k] & 0xC0) == 0x80) k++;
        memcpy(part, s + i, k);
        part[k] = 0;
        int w = cmd_text_width(part);
        if (wide + w > width - 1) break;
        wide += w;
        i += k;
    }
    return i;
}

static void print_cell(cmd *c, const char *s, int width, bool right, bool last)
{
    bool cut;
    size_t n = fitting(s, width, &cut);
    char *shown = cmd_format(c, "%.*s%s", (int)n, s, !cut ? "" : c->term.utf8 ? "\xE2\x80\xA6" : "~");
    int pad = width - cmd_text_width(shown);
    if (right && pad > 0) printf("%*s", pad, "");
    fputs(shown, stdout);
    if (!right && !last && pad > 0) printf("%*s", pad, "");
    if (!last) printf("%*s", GAP, "");
}

/* Prose in the last column: its later lines start under its first. */
static void print_prose(const char *s, int at, int width)
{
    int used = 0;
    while (*s != 0) {
        size_t n = strcspn(s, " ");
        char word[512];
        if (n >= sizeof word) n = sizeof word - 1;
        memcpy(word, s, n);
        word[n] = 0;
        int wide = cmd_text_width(word);
        if (used > 0 && used + 1 + wide > width) {
            printf("\n%*s", at, "");
            used = 0;
        }
        printf("%s%s", used > 0 ? " " : "", word);
        used += wide + (used > 0);
        s += n + strspn(s + n, " ");
    }
}

static void print_rule(cmd *c, int width)
{
    for (int i = 0; i < width; i++) fputs(c->term.utf8 ? "\xE2\x94\x80" : "-", stdout);
}

/* Takes from the widest column, one at a time, until the line fits. */
static void shrink(int *width, int cols, int room)
{
    int total = GAP * (cols - 1);
    for (int j = 0; j < cols; j++) total += width[j];
    while (total > room) {
        int widest = 0;
        for (int j = 1; j < cols; j++)
            if (width[j] > width[widest]) widest = j;
        if (width[widest] <= NARROWEST) return;
        width[widest]--;
        total--;
    }
}

void cmd_grid_print(cmd_grid *g, int indent)
{
    cmd *c = g->c;
    if (c->json) return;
    int *width = cmd_alloc(c, (size_t)g->cols * sizeof *width);
    for (int j = 0; j < g->cols; j++)
        if (g->titles != NULL) width[j] = cmd_text_width(g->titles[j]);
    for (int i = 0; i < g->cells; i++) {
        int w = cmd_text_width(g->cell[i]);
        if (w > width[i % g->cols]) width[i % g->cols] = w;
    }
    int at = indent;
    for (int j = 0; j + 1 < g->cols; j++) at += width[j] + GAP;
    int page = c->term.width < 110 ? c->term.width : 110, prose = page - at > 24 ? page - at : 24;
    if (c->term.out_is_tty && !g->wrap) shrink(width, g->cols, c->term.width - indent);
    if (g->titles != NULL) {
        printf("%*s%s", indent, "", cmd_bold(c));
        for (int j = 0; j < g->cols; j++)
            print_cell(c, g->titles[j], width[j], g->right[j], j + 1 == g->cols);
        printf("%s\n%*s", cmd_plain(c), indent, "");
        for (int j = 0; j < g->cols; j++) {
            bool last = j + 1 == g->cols;
            print_rule(c, last && g->wrap && width[j] > prose ? prose : width[j]);
            if (!last) printf("%*s", GAP, "");
        }
        putchar('\n');
    }
    for (int i = 0; i + g->cols <= g->cells; i += g->cols) {
        int last = g->cols - 1;
        while (last > 0 && g->cell[i + last][0] == 0) last--; /* no blanks at the end of a line */
        printf("%*s", indent, "");
        for (int j = 0; j <= last; j++) {
            if (j + 1 == g->cols && g->wrap) print_prose(g->cell[i + j], at, prose);
            else print_cell(c, g->cell[i + j], width[j], g->right[j], j == last);
        }
        putchar('\n');
    }
}

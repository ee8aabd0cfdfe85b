/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_chunk.c - finding the fields of a CSV. The kernel gives a bit for every byte that may cut (delimiter,
 * quote, line break); the bits are walked, everything between them is skipped. Strict: quotes stand around
 * whole fields or not at all, every record has all its fields, all line breaks are alike.
 */
#include "source/csv/csv_chunk.h"
#include "kernel/kernel.h"

void gm_csv_mark(gm_csv_piece *c, const gm_csv_shape *shape, int64_t from)
{
    int64_t first = from / 64, blocks = (c->n + 63) / 64 - first;
    memset(c->p + c->n, ' ', GM_CSV_PAD);
    c->others |= gm_kernel_best()->marks(c->p + first * 64, blocks, shape->delim,
                                         shape->quote ? shape->quote : shape->delim, c->marks + first,
                                         c->quotes + first);
    if (c->n % 64 == 0) return; /* what fills the last block up may be the delimiter */
    uint64_t real = ((uint64_t)1 << (c->n % 64)) - 1;
    c->marks[c->n / 64] &= real;
    c->quotes[c->n / 64] &= real;
}

void gm_csv_seek(gm_csv_piece *c, int64_t at)
{
    c->at = at;
    c->word = at / 64;
    c->left = at < c->n ? c->marks[c->word] & (~(uint64_t)0 << (at % 64)) : 0;
}

/* The next mark, n when there is none. */
static inline int64_t next(gm_csv_piece *c)
{
    while (c->left == 0) {
        if ((c->word + 1) * 64 >= c->n) return c->n;
        c->left = c->marks[++c->word];
    }
    int64_t at = c->word * 64 + __builtin_ctzll(c->left);
    c->left &= c->left - 1;
    return at;
}

int64_t gm_csv_first(gm_csv_piece *c, const gm_csv_shape *shape, int64_t from, int64_t end, bool inside)
{
    if (!inside && c->p[from - 1] == '\n') return from;
    gm_csv_seek(c, from);
    for (int64_t at = next(c); at + 1 < end; at = next(c)) {
        if (shape->quote && c->p[at] == shape->quote) inside = !inside;
        else if (c->p[at] == '\n' && !inside) return at + 1;
    }
    return end;
}

static inline gm_text view(const char *p, int64_t n)
{
    gm_text t;
    t.len = (uint32_t)n;
    if (n <= GM_TEXT_INLINE) {
        uint64_t a;
        uint32_t b;
        memcpy(&a, p, 8);
        memcpy(&b, p + 8, 4);
        if (n < 8) a &= ((uint64_t)1 << (8 * n)) - 1, b = 0;
        else b &= (uint32_t)(((uint64_t)1 << (8 * (n - 8))) - 1);
        memcpy(t.inlined, &a, 8);
        memcpy(t.inlined + 8, &b, 4);
    } else {
        memcpy(t.far.prefix, p, 4);
        t.far.ptr = p;
    }
    return t;
}

static inline bool is_null(const gm_csv_shape *shape, const char *p, int64_t n)
{
    if (n == 0) return true;
    for (int64_t i = 0; i < shape->nullstr.n; i++)
        if (strlen(shape->nullstr.v[i]) == (size_t)n && memcmp(shape->nullstr.v[i], p, (size_t)n) == 0)
            return true;
    return false;
}

/* The field from the quote at c->at on; *close: its other quote; the mark after it is used up as well. */
static gm_csv_cut quoted(gm_csv_piece *c, char quote, int64_t at, int64_t *close, int64_t *end, bool *doubled)
{
    *doubled = false;
    next(c); /* the quote itself */
    for (;;) {
        int64_t q = next(c);
        if (q >= c->n) return c->last ? GM_CUT_GIVE_UP : GM_CUT_MORE; /* never closed? */
        if (c->p[q] != quote) continue;
        if (q + 1 >= c->n && !c->last) return GM_CUT_MORE;
        if (q + 1 < c->n && c->p[q + 1] == quote) {
            next(c);
            *doubled = true;
            continue;
        }
        *close = q;
        *end = next(c);
        return *end == q + 1 && *close > at ? GM_CUT_DONE : GM_CUT_GIVE_UP;
    }
}

static void undouble(gm_text *t, char quote)
{
    char *p = (char *)(uintptr_t)t->far.ptr, *w = p; /* bytes of the piece */
    for (uint32_t i = 0; i < t->len; i++) {
        i += p[i] == quote;
        *w++ = p[i];
    }
    *t = view(p, w - p);
}

/* The record at c->at; *after: the next one; *empty: it is an empty line, and none. */
static inline gm_csv_cut cut_one(gm_csv_piece *c, const gm_csv_shape *shape, gm_csv_tile *tile,
                                 int64_t *after, bool *empty)
{
    char *p = c->p;
    int64_t at = c->at, row = tile ? tile->rows : 0, end, to;
    int n_escaped = 0;
    *empty = false;
    for (int j = 0;; j++) {
        bool in_quotes = shape->quote && at < c->n && p[at] == shape->quote, doubled = false;
        int64_t from = at;
        if (in_quotes) {
            gm_csv_cut cut = quoted(c, shape->quote, at, &to, &end, &doubled);
            if (cut != GM_CUT_DONE) return cut;
            from++;
        } else {
            end = to = next(c);
        }
        if (end >= c->n && !c->last) return GM_CUT_MORE;
        if (j >= shape->n || (end < c->n && shape->quote && p[end] == shape->quote)) return GM_CUT_GIVE_UP;
        if (j == 0 && tile && end == c->at && end < c->n && p[end] != shape->delim) {
            *empty = true;
            break;
        }
        int slot = tile ? shape->slot[j] : -1;
        if (slot >= 0) {
            gm_text *t = &tile->text[slot][row];
            if (doubled) {
                t->len = (uint32_t)(to - from);
                t->far.ptr = p + from; /* until the record is whole */
                tile->escaped[n_escaped++] = slot;
            } else if (!in_quotes && is_null(shape, p + from, to - from)) {
                *t = gm_text_none();
                tile->valid[slot][row >> 6] &= ~((uint64_t)1 << (row & 63));
            } else {
                *t = view(p + from, to - from);
            }
        }
        if (end < c->n && p[end] == shape->delim) {
            at = end + 1;
            continue;
        }
        if (j + 1 != shape->n) return GM_CUT_GIVE_UP;
        break;
    }
    *after = end;
    if (end < c->n) {
        int breaks = 1;
        if (p[end] == '\r') {
            if (end + 1 >= c->n && !c->last) return GM_CUT_MORE;
            if (end + 1 >= c->n || next(c) != end + 1 || p[end + 1] != '\n') return GM_CUT_GIVE_UP;
            breaks = 2;
        }
        if (c->ends && c->ends != breaks) return GM_CUT_GIVE_UP;
        c->ends = breaks;
        *after = end + breaks;
    }
    for (int i = 0; i < n_escaped; i++) undouble(&tile->text[tile->escaped[i]][row], shape->quote);
    return GM_CUT_DONE;
}

gm_csv_cut gm_csv_cut_rows(gm_csv_piece *c, const gm_csv_shape *shape, int64_t end, gm_csv_tile *tile)
{
    while (c->at < end) {
        int64_t after;
        bool empty;
        if (tile && tile->rows == GM_TILE) return GM_CUT_FULL;
        gm_csv_cut cut = cut_one(c, shape, tile, &after, &empty);
        if (cut == GM_CUT_MORE && c->n - c->at > GM_CSV_LONGEST) cut = GM_CUT_GIVE_UP;
        if (cut == GM_CUT_MORE && tile) { /* it is cut again, and its values may be there then */
            for (int s = 0; s < shape->n_slots; s++)
                tile->valid[s][tile->rows >> 6] |= (uint64_t)1 << (tile->rows & 63);
        }
        if (cut != GM_CUT_DONE) return cut;
        if (after - c->at > GM_CSV_LONGEST) return GM_CUT_GIVE_UP;
        c->at = after;
        if (tile == NULL) break;
        tile->rows += !empty;
    }
    return GM_CUT_DONE;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_ends.c - the line breaks of a CSV file: which of them end a record, and which stand in quotes. The
 * database has to be told which kind ends a record, and takes but one kind for a file: it finds the kind in
 * the first line break that it sees, be that in the quotes of a header.
 *
 * The kernel marks quotes and line breaks; everything between them is passed over. A quote opens where a
 * field begins; elsewhere it is a character like any other.
 */
#include "source/csv/csv_ends.h"
#include "base/file.h"
#include "kernel/kernel.h"
#include "source/spool.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 18, PAD = 64 };

/* Positions are those of the file. */
typedef struct walk {
    gm_cx *cx;
    const gm_csv_options *o;
    int to; /* where the even copy goes */
    bool inside;
    int64_t line;   /* begins here */
    int64_t closed; /* behind the last quote that closed */
    int64_t copied; /* up to here */
    char *out;      /* of the copy, not yet written; NULL: none is made */
    size_t n_out;
    int64_t skip;         /* lines */
    int64_t lines, inner; /* ends of lines so far, and line breaks in quotes */
    int64_t *want;        /* of n_want lines the database's number, replaced by ours */
    int64_t n_want;
    int kinds; /* of line ends: 1 LF, 2 CRLF, 4 CR */
    gm_csv_count count;
} walk;

static void quote(walk *w, const char *p, int64_t at)
{
    const gm_csv_options *o = w->o;
    int64_t before = 0;
    if (!w->inside) {
        w->inside = at == w->line || p[-1] == o->delim || (at == w->closed && o->escape == o->quote);
        return;
    }
    if (o->escape && o->escape != o->quote)
        while (before < PAD - 1 && p[-1 - before] == o->escape) before++;
    if (before % 2) return;
    w->inside = false;
    w->closed = at + 1;
}

/* p is the byte at position at. */
static void copy_to(walk *w, const char *p, int64_t at)
{
    if (w->out == NULL || at <= w->copied) return;
    memcpy(w->out + w->n_out, p - (at - w->copied), (size_t)(at - w->copied));
    w->n_out += (size_t)(at - w->copied);
    w->copied = at;
}

/* bytes: of this line break, 1 or 2. */
static void line_ends(walk *w, const char *p, int64_t at, int bytes)
{
    if (w->skip > 0) w->skip--;
    else if (at > w->line) w->count.records++;
    else w->count.blank++;
    if (w->out) {
        copy_to(w, p, at);
        w->out[w->n_out++] = '\n';
        w->copied = at + bytes;
    }
    w->lines++;
    for (; w->n_want > 0 && *w->want <= w->lines + 1; w->n_want--) *w->want++ += w->inner;
    w->kinds |= bytes == 2 ? 2 : *p == '\n' ? 1 : 4;
    w->line = at + bytes;
}

/* p[0 .. n) are the bytes from at on, p[-PAD ..] those before; p[n] is readable unless last. */
static gm_code piece(walk *w, const char *p, int64_t at, int64_t n, bool last)
{
    uint64_t marks[PIECE / 64 + 1], quotes[PIECE / 64 + 1];
    char q = w->o->quote ? w->o->quote : '\n';
    gm_kernel_best()->marks(p, (n + 63) / 64, '\n', q, marks, quotes);
    for (int64_t block = 0; block * 64 < n; block++) {
        uint64_t left = marks[block];
        if (n - block * 64 < 64) left &= ((uint64_t)1 << (n - block * 64)) - 1;
        for (; left; left &= left - 1) {
            int64_t i = block * 64 + __builtin_ctzll(left);
            if (at + i < w->line) continue; /* the LF of a CRLF */
            if (p[i] == q && w->o->quote) {
                if (w->skip == 0) quote(w, p + i, at + i);
            } else if (!w->inside) {
                bool two = p[i] == '\r' && (i + 1 < n || !last) && p[i + 1] == '\n';
                line_ends(w, p + i, at + i, 1 + two);
            } else {
                w->inner += p[i] == '\r' || p[i - 1] != '\r';
            }
        }
    }
    copy_to(w, p + n, at + n);
    if (last && at + n > w->line && w->skip == 0) w->count.records++;
    size_t ready = w->n_out;
    w->n_out = 0;
    return ready ? gm_spool_add(w->cx, w->to, w->out, ready) : GM_OK;
}

static gm_code fill(gm_cx *cx, int fd, const char *path, char *p, int64_t most, int64_t *n)
{
    for (*n = 0; *n < most;) {
        ssize_t got = read(fd, p + *n, (size_t)(most - *n));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return gm_fail_errno(cx, errno, "cannot read", path);
        if (got == 0) break;
        *n += got;
    }
    return GM_OK;
}

static gm_code walk_file(gm_cx *cx, walk *w, const char *path)
{
    gm_arena a = {0};
    int64_t have = 0, got, at = 0;
    char *p;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return gm_fail_errno(cx, errno, "cannot read", path);
    gm_code code = gm_own_fd(cx, &a, fd);
    if (code == GM_OK && (p = gm_alloc(cx, &a, PIECE + 3 * PAD, 1)) == NULL) code = gm_why_null(cx);
    for (bool last = false; code == GM_OK && !last; at += have, have = !last) {
        char *from = p + PAD; /* one byte may be there already: it was looked at, but not used */
        code = gm_check_cancel(cx);
        if (code == GM_OK) code = fill(cx, fd, path, from + have, PIECE + 1 - have, &got);
        if (code != GM_OK) break;
        last = have + got <= PIECE;
        have = last ? have + got : PIECE;
        if (at == 0 && have >= 3 && memcmp(from, "\xef\xbb\xbf", 3) == 0) w->line = 3;
        memset(from + have + !last, ' ', PAD);
        code = piece(w, from, at, have, last);
        memmove(p, from + have - PAD, PAD + 1);
    }
    gm_arena_end(&a);
    return code;
}

gm_code gm_csv_count_records(gm_cx *cx, const gm_csv_options *o, const char *path, gm_csv_count *out)
{
    walk w = {.cx = cx, .o = o, .closed = -1, .skip = o->skip};
    GM_TRY(walk_file(cx, &w, path));
    *out = w.count;
    out->mixed = (w.kinds & (w.kinds - 1)) != 0;
    return GM_OK;
}

gm_code gm_csv_lines(gm_cx *cx, const gm_csv_options *o, const char *path, int64_t *line, int64_t n)
{
    walk w = {.cx = cx, .o = o, .closed = -1, .skip = o->skip, .want = line, .n_want = n};
    return gm_csv_bare(path) ? walk_file(cx, &w, path) : GM_OK;
}

gm_code gm_csv_even(gm_cx *cx, gm_arena *kept, gm_arena *a, const gm_csv_options *o, const char *path,
                    char **copy)
{
    walk w = {.cx = cx, .o = o, .closed = -1, .skip = o->skip};
    GM_NEW_IN(cx, a, w.out, PIECE + PAD);
    GM_TRY(gm_spool_new(cx, kept, a, &w.to, copy));
    return walk_file(cx, &w, path);
}

static gm_code make_even(gm_cx *cx, gm_csv *csv, bool *made)
{
    if (csv->evened) return GM_OK;
    csv->evened = true;
    for (int64_t i = 0; i < csv->files.n; i++) {
        const char **file = (const char **)(uintptr_t)&csv->files.v[i];
        gm_csv_count count;
        char *copy;
        if (!gm_csv_bare(*file)) continue;
        GM_TRY(gm_csv_count_records(cx, &csv->o, *file, &count));
        if (!count.mixed) continue;
        GM_TRY(gm_csv_even(cx, &csv->notes_in, &csv->notes_in, &csv->o, *file, &copy));
        *file = copy;
        csv->end[i] = "\n";
        *made = true;
    }
    return *made ? gm_csv_note_uneven(cx, csv) : GM_OK;
}

gm_code gm_csv_make_even(gm_cx *cx, const gm_table *t, bool *made)
{
    gm_csv *csv = t->own;
    *made = false;
    pthread_mutex_lock(&csv->lock);
    gm_code code = make_even(cx, csv, made);
    pthread_mutex_unlock(&csv->lock);
    return code;
}

/* Whether the first `most` records are read as n columns when lines end so. */
static gm_code fits(gm_con *con, gm_arena *a, const gm_csv *csv, int64_t f, const gm_csv_plan *plan,
                    const char *end, int64_t most, bool *fine)
{
    gm_csv one = {.o = csv->o,
                  .files = {.n = 1, .v = csv->files.v + f},
                  .end = &end,
                  .blank = csv->blank + f,
                  .longest = csv->longest};
    gm_buf b = gm_buf_in(con->cx, a);
    duckdb_result res;
    one.o.header = false;
    gm_buf_printf(&b, "SELECT CASE WHEN count(*) < %lld THEN error('fewer') END FROM (SELECT * FROM ",
                  (long long)most);
    gm_csv_reader(&b, &one, plan, false, 0, NULL);
    gm_buf_printf(&b, " LIMIT %lld)", (long long)most);
    GM_TRY(gm_buf_done(&b));
    GM_TRY(gm_check_cancel(con->cx));
    *fine = con->duck->query(con->handle, b.p, &res) == DuckDBSuccess;
    con->duck->destroy_result(&res);
    return GM_OK;
}

gm_code gm_csv_try_ends(gm_cx *cx, gm_db *db, const gm_csv *csv, int64_t f, const gm_csv_looked *look,
                        const char **end)
{
    static const char *const ends[] = {"\n", "\r", "\r\n"}; /* what CRLF is told for takes CR too */
    gm_arena a = {0};
    gm_con *con;
    gm_csv_plan plan = {.n = (int)look->n, .col = gm_alloc(cx, &a, look->n, sizeof *plan.col)};
    gm_code code = plan.col ? gm_con_open(cx, &a, db, &con) : gm_why_null(cx);
    for (int j = 0; code == GM_OK && j < plan.n; j++) {
        plan.col[j].kind = GM_CSV_TEXT;
        plan.col[j].name = gm_format(cx, &a, "c%d", j);
        if (plan.col[j].name == NULL) code = gm_why_null(cx);
    }
    *end = "";
    /* Of all records, or the first two: later ones may be none for other reasons. */
    for (int64_t most = look->records < 2000 ? look->records : 2000; code == GM_OK && **end == 0; most = 2) {
        for (int k = 0; k < 3 && code == GM_OK && **end == 0; k++) {
            bool fine = false;
            code = fits(con, &a, csv, f, &plan, ends[k], most, &fine);
            if (fine) *end = ends[k];
        }
        if (most <= 2) break;
    }
    gm_arena_end(&a);
    return code;
}

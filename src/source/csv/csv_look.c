/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_look.c - looking at the first megabyte of a CSV file. Our own reading rather than the database's
 * sniffer: quotes are always quotes, nothing is skipped, and the answer does not depend on a sample size of
 * theirs.
 *
 * The delimiter is the one of , ; tab | that cuts the first records most evenly. Without a word from the user
 * the first record is a header unless a column of numbers or dates starts with one and none of them starts
 * with a name.
 */
#include "source/csv/csv_look.h"
#include "base/file.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LOOK = 1 << 20, LONGEST = 1 << 24, JUDGED = 200 };

typedef struct records {
    gm_text *field; /* all fields, one record after another; borrowed from the bytes; quotes taken off */
    int64_t *start; /* n + 1 of them: record r is field[start[r]] .. field[start[r + 1]] */
    int64_t n, fields, fields_cap, cap, blank;
    bool mixed, quoted;
    char end[3];
    bool cut; /* the last record was not complete */
} records;

/* ---- the bytes ---- */

typedef struct bytes {
    const char *p;
    size_t n;
    bool whole; /* to the end of the file */
} bytes;

static gm_code read_local(gm_cx *cx, gm_arena *a, const char *path, size_t want, bytes *out)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) return gm_fail_errno(cx, errno, "cannot read", path);
    char *p = gm_alloc(cx, a, (int64_t)want + 1, 1);
    if (p == NULL) return fclose(f), gm_why_null(cx);
    size_t n = fread(p, 1, want, f);
    int err = ferror(f) ? errno : 0;
    fclose(f);
    if (err) return gm_fail_errno(cx, err, "cannot read", path);
    *out = (bytes){p, n, n < want};
    return GM_OK;
}

/* Compressed and remote files come through the database, line by line: how lines end is not seen. */
static gm_code read_lines(gm_cx *cx, gm_arena *a, gm_db *db, const char *path, const char *encoding,
                          bytes *out)
{
    enum { LINES = 5000 };
    gm_con *con;
    gm_grid g;
    gm_buf b = gm_buf_in(cx, a), text = gm_buf_in(cx, a);
    GM_TRY(gm_con_open(cx, a, db, &con));
    gm_buf_str(&b, "SELECT line FROM read_csv(");
    gm_buf_literal(&b, path);
    gm_buf_str(&b, ", auto_detect = false, header = false, delim = '\x01', quote = '', escape = '', "
                   "columns = {'line': 'VARCHAR'}, strict_mode = false, max_line_size = 16777216");
    if (encoding) {
        gm_buf_str(&b, ", encoding = ");
        gm_buf_literal(&b, encoding);
    }
    gm_buf_printf(&b, ") LIMIT %d", LINES);
    GM_TRY(gm_buf_done(&b));
    GM_TRY(gm_con_grid(con, a, b.p, &g));
    for (int64_t i = 0; i < g.rows; i++) {
        const char *line = gm_grid_at(&g, i, 0);
        if (line) gm_buf_str(&text, line);
        gm_buf_str(&text, "\n");
    }
    GM_TRY(gm_buf_done(&text));
    *out = (bytes){text.p, text.len, g.rows < LINES};
    return GM_OK;
}

static bool ends_in(const char *path, const char *suffix)
{
    size_t n = strlen(path), k = strlen(suffix);
    return n >= k && strcmp(path + n - k, suffix) == 0;
}

static int64_t line_of(const char *p, size_t at)
{
    int64_t line = 1;
    for (size_t i = 0; i < at; i++) line += p[i] == '\n';
    return line;
}

static gm_code check_bytes(gm_cx *cx, const gm_csv_options *o, bytes *b)
{
    static const struct {
        const char *start, *format;
    } others[] = {{"PAR1", "parquet"},
                  {"ARROW1", "arrow"},
                  {"\x1f\x8b", "csv, but the file's name must end in .gz"},
                  {"\x28\xb5\x2f\xfd", "csv, but the file's name must end in .zst"}};
    for (int64_t i = 0; i < GM_COUNT(others); i++)
        if (b->n >= strlen(others[i].start) && memcmp(b->p, others[i].start, strlen(others[i].start)) == 0)
            return gm_hint_add(cx,
                               gm_fail(cx, GM_EFORMAT,
                                       "%s is no CSV file: its first bytes are those of another format",
                                       o->said),
                               "set format: %s", others[i].format);
    const char *nul = memchr(b->p, 0, b->n);
    if (nul)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EFORMAT, "%s:%lld: not text: a zero byte at offset %lld", o->said,
                                   (long long)line_of(b->p, (size_t)(nul - b->p)), (long long)(nul - b->p)),
                           "set the encoding (utf-16?) or the format of the file");
    size_t bad;
    if (o->encoding || gm_utf8_valid(b->p, b->n, &bad) || (!b->whole && b->n - bad < 4)) return GM_OK;
    return gm_hint_add(cx,
                       gm_fail(cx, GM_EFORMAT, "%s:%lld: byte 0x%02X at offset %lld is not UTF-8", o->said,
                               (long long)line_of(b->p, bad), (unsigned char)b->p[bad], (long long)bad),
                       "set encoding: latin-1 (or utf-16) if the file is written in it");
}

bool gm_csv_bare(const char *path)
{
    return !gm_path_remote(path) && !ends_in(path, ".gz") && !ends_in(path, ".zst");
}

static gm_code read_start(gm_cx *cx, gm_arena *a, gm_db *db, const char *path, gm_csv_options *o, size_t want,
                          bytes *out)
{
    *out = (bytes){0};
    if (gm_csv_bare(path)) GM_TRY(read_local(cx, a, path, want, out));
    else GM_TRY(read_lines(cx, a, db, path, o->encoding, out));
    if (out->n >= 3 && memcmp(out->p, "\xef\xbb\xbf", 3) == 0) out->p += 3, out->n -= 3;
    return check_bytes(cx, o, out);
}

/* ---- cutting into records and fields ---- */

static gm_code grow(gm_cx *cx, gm_arena *a, records *r)
{
    if (r->field == NULL || r->fields + 1 >= r->fields_cap) {
        int64_t cap = r->fields_cap ? 2 * r->fields_cap : 1024;
        GM_GOT(cx, r->field = gm_regrow(cx, a, r->field, r->fields, cap, sizeof *r->field));
        r->fields_cap = cap;
    }
    if (r->start == NULL || r->n + 2 >= r->cap) {
        int64_t cap = r->cap ? 2 * r->cap : 1024;
        GM_GOT(cx, r->start = gm_regrow(cx, a, r->start, r->n + 1, cap, sizeof *r->start));
        r->cap = cap;
    }
    return GM_OK;
}

static size_t line_end(const char *p, size_t n, size_t i)
{
    if (p[i] == '\r') return i + 1 < n && p[i + 1] == '\n' ? 2 : 1;
    return p[i] == '\n';
}

/* The end of the field that starts at i; *quoted: it was in quotes, and p[i+1 .. *close) is inside them. */
static size_t field_end(const char *p, size_t n, size_t i, const gm_csv_options *o, char delim, bool *quoted,
                        size_t *close)
{
    *quoted = o->quote && i < n && p[i] == o->quote;
    if (*quoted) {
        for (i++; i < n; i++) {
            if (o->escape && o->escape != o->quote && p[i] == o->escape) i++;
            else if (p[i] == o->quote && i + 1 < n && p[i + 1] == o->quote && o->escape == o->quote) i++;
            else if (p[i] == o->quote) break;
        }
        *close = i < n ? i++ : n;
    }
    while (i < n && p[i] != delim && p[i] != '\n' && p[i] != '\r') i++;
    return i;
}

/* Notes how a line ends at p[i]; its length. */
static size_t note_end(records *r, const char *p, size_t n, size_t i)
{
    size_t k = line_end(p, n, i);
    if (r->end[0] == 0) memcpy(r->end, p + i, k);
    else if (strlen(r->end) != k || memcmp(r->end, p + i, k) != 0) r->mixed = true;
    return k;
}

static gm_code cut(gm_cx *cx, gm_arena *a, const bytes *b, const gm_csv_options *o, char delim, int64_t most,
                   records *r)
{
    const char *p = b->p;
    size_t n = b->n, i = 0;
    *r = (records){0};
    GM_TRY(grow(cx, a, r));
    for (int64_t s = 0; s < o->skip && i < n; s++) {
        while (i < n && p[i] != '\n' && p[i] != '\r') i++;
        if (i < n) i += note_end(r, p, n, i);
    }
    while (i < n && r->n < most) {
        r->start[r->n] = r->fields; /* NOLINT(clang-analyzer-core.NullDereference): grow made it */
        for (;;) {
            bool quoted;
            size_t close = 0, from = i, end = field_end(p, n, i, o, delim, &quoted, &close);
            GM_TRY(grow(cx, a, r));
            r->field[r->fields++] =
                quoted ? gm_text_of(p + from + 1, close - from - 1) : gm_text_of(p + from, end - from);
            r->quoted |= quoted;
            i = end;
            if (i >= n || p[i] != delim) break;
            i++;
        }
        if (i >= n && !b->whole) { /* perhaps half a record */
            r->cut = true;
            r->fields = r->start[r->n];
            break;
        }
        if (i < n) i += note_end(r, p, n, i);
        bool blank = r->fields - r->start[r->n] == 1 && r->field[r->fields - 1].len == 0;
        if (blank && !r->quoted) r->fields--, r->blank += r->n == 0; /* an empty line is no record */
        else r->start[++r->n] = r->fields;
    }
    r->start[r->n] = r->fields; /* NOLINT(clang-analyzer-core.NullDereference): grow made it */
    return GM_OK;
}

static int64_t width(const records *r, int64_t k) { return r->start[k + 1] - r->start[k]; }

static gm_code find_delim(gm_cx *cx, gm_arena *a, const bytes *b, gm_csv_options *o)
{
    static const char candidates[] = {',', ';', '\t', '|'};
    double best = 0;
    char found = ',';
    for (int64_t c = 0; c < GM_COUNT(candidates); c++) {
        records r;
        if (candidates[c] == o->decimal || candidates[c] == o->quote) continue;
        GM_TRY(cut(cx, a, b, o, candidates[c], JUDGED, &r));
        if (r.n == 0 || width(&r, 0) < 2) continue;
        int64_t alike = 0;
        for (int64_t k = 0; k < r.n; k++) alike += width(&r, k) == width(&r, 0);
        double score = (double)alike / (double)r.n + 1e-3 * (double)(width(&r, 0) < 100 ? width(&r, 0) : 100);
        if (score > best) best = score, found = candidates[c];
    }
    o->delim = found;
    return GM_OK;
}

/* ---- what the values are ---- */

static char *unquote(gm_cx *cx, gm_arena *a, const gm_text *t, const gm_csv_options *o)
{
    char *s = gm_strndup(cx, a, gm_text_ptr(t), t->len), *w = s;
    if (s == NULL || o->quote == 0) return s;
    for (size_t i = 0; i < t->len; i++) {
        if (o->escape && s[i] == o->escape && i + 1 < t->len &&
            (s[i + 1] == o->quote || s[i + 1] == o->escape))
            i++;
        *w++ = s[i];
    }
    *w = 0;
    return s;
}

static bool is_null(const gm_csv_options *o, const gm_text *t)
{
    if (t->len == 0) return true;
    for (int64_t i = 0; i < o->nullstr.n; i++)
        if (strlen(o->nullstr.v[i]) == t->len && memcmp(o->nullstr.v[i], gm_text_ptr(t), t->len) == 0)
            return true;
    return false;
}

static bool fits(const char *format, const gm_text *t)
{
    char text[128];
    struct tm tm = {0};
    if (format == NULL || t->len >= sizeof text) return false;
    memcpy(text, gm_text_ptr(t), t->len);
    text[t->len] = 0;
    const char *end = strptime(text, format, &tm);
    return end && *end == 0;
}

static gm_code judge(gm_cx *cx, gm_arena *a, const records *r, const gm_csv_options *o, int64_t from,
                     gm_csv_looked *out)
{
    int64_t n = out->n;
    bool *odd_many, *formatted;
    GM_NEW_IN(cx, a, out->saw, n);
    GM_NEW_IN(cx, a, out->odd, n);
    GM_NEW_IN(cx, a, out->fits_format, n);
    GM_NEW_IN(cx, a, odd_many, n);
    GM_NEW_IN(cx, a, formatted, n);
    for (int64_t k = from; k < r->n; k++) {
        for (int64_t j = 0; j < n && j < width(r, k); j++) {
            const gm_text *t = &r->field[r->start[k] + j];
            if (is_null(o, t)) continue;
            int saw = gm_csv_see(gm_text_ptr(t), t->len, o->decimal).saw;
            out->saw[j] |= saw;
            if (saw == GM_SAW_TEXT && !odd_many[j]) {
                if (out->odd[j] == NULL) GM_GOT(cx, out->odd[j] = gm_strndup(cx, a, gm_text_ptr(t), t->len));
                odd_many[j] =
                    strlen(out->odd[j]) != t->len || memcmp(out->odd[j], gm_text_ptr(t), t->len) != 0;
            }
            if (o->dateformat || o->timestampformat) {
                bool fit = fits(o->dateformat, t) || fits(o->timestampformat, t);
                out->fits_format[j] = fit && (!formatted[j] || out->fits_format[j]);
                formatted[j] = true;
            }
        }
    }
    for (int64_t j = 0; j < n; j++) {
        bool numbers =
            (out->saw[j] & (GM_SAW_INT | GM_SAW_REAL | GM_SAW_HUGE)) && (out->saw[j] & GM_SAW_TEXT);
        if (odd_many[j] || !numbers) out->odd[j] = NULL;
    }
    out->rows = r->n - from;
    return GM_OK;
}

/* Whether record 0 names the columns: *sure is false when nothing speaks for or against it. */
static bool has_header(const records *r, const gm_csv_options *o, const gm_csv_looked *below, bool *sure)
{
    bool like_data = false, unlike = false;
    for (int64_t j = 0; j < below->n && j < width(r, 0); j++) {
        const gm_text *t = &r->field[r->start[0] + j];
        int saw = gm_csv_see(gm_text_ptr(t), t->len, o->decimal).saw, those = below->saw[j];
        if (those == 0 || (those & GM_SAW_TEXT)) continue;
        if (saw == 0 || (saw & GM_SAW_TEXT)) unlike |= saw != 0;
        else like_data = true;
    }
    *sure = like_data != unlike;
    return unlike || !like_data;
}

static gm_code name_columns(gm_cx *cx, gm_arena *a, const records *r, const gm_csv_options *o,
                            gm_csv_looked *out)
{
    GM_NEW_IN(cx, a, out->name, out->n);
    for (int64_t j = 0; j < out->n; j++) {
        const gm_text *t = &r->field[r->start[0] + j];
        bool named = out->header && t->len > 0;
        GM_GOT(cx,
               out->name[j] = named ? unquote(cx, a, t, o) : gm_format(cx, a, "column%lld", (long long)j));
    }
    return GM_OK;
}

static gm_code start_of(gm_cx *cx, gm_arena *a, gm_db *db, const char *path, gm_csv_options *o, bytes *b,
                        records *r)
{
    for (size_t want = LOOK;; want *= 4) {
        GM_TRY(read_start(cx, a, db, path, o, want, b));
        if (b->n == 0) return gm_fail(cx, GM_EFORMAT, "%s is empty", o->said);
        if (o->delim == 0) GM_TRY(find_delim(cx, a, b, o));
        GM_TRY(cut(cx, a, b, o, o->delim, INT64_MAX, r));
        if (r->n > 1 || b->whole || want >= LONGEST) break;
    }
    if (r->n == 0)
        return gm_hint_add(
            cx,
            gm_fail(cx, GM_EFORMAT, "%s has no complete record in its first %d MB", o->said, LONGEST >> 20),
            "check its quotes: one may never be closed");
    return GM_OK;
}

static void ends_of(const records *r, gm_csv_looked *out)
{
    memcpy(out->end, r->end, sizeof out->end);
    out->mixed = r->mixed, out->quoted = r->quoted, out->records = r->n, out->blank = r->blank;
}

gm_code gm_csv_look(gm_cx *cx, gm_arena *a, gm_db *db, const char *path, gm_csv_options *o,
                    gm_csv_looked *out)
{
    bytes b;
    records r;
    *out = (gm_csv_looked){0};
    GM_TRY(start_of(cx, a, db, path, o, &b, &r));
    out->n = width(&r, 0);
    GM_TRY(judge(cx, a, &r, o, 1, out));
    bool sure = true;
    out->header = o->header >= 0 ? o->header : has_header(&r, o, out, &sure);
    out->header_sure = sure;
    if (!out->header) GM_TRY(judge(cx, a, &r, o, 0, out));
    ends_of(&r, out);
    o->header = out->header;
    if (out->rows == 0 && !r.cut)
        return gm_hint_add(cx, gm_fail(cx, GM_EFORMAT, "%s has a header and no rows", o->said),
                           "if its one line is data, set header: false");
    return name_columns(cx, a, &r, o, out);
}

gm_code gm_csv_header(gm_cx *cx, gm_arena *a, gm_db *db, const char *path, const gm_csv_options *o,
                      gm_csv_looked *out)
{
    bytes b;
    records r;
    gm_csv_options copy = *o;
    *out = (gm_csv_looked){.header = true};
    GM_TRY(start_of(cx, a, db, path, &copy, &b, &r));
    ends_of(&r, out);
    out->n = width(&r, 0);
    return name_columns(cx, a, &r, o, out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_review.c - what a reading of CSV files found out: columns that have to be wider, and rows that are not
 * as the header promises. Nothing is lost in silence: such rows are an error, or, where that was asked for,
 * listed.
 */
#include "base/file.h"
#include "source/csv/csv_ends.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- widening ---- */

/* What a value must have looked like to fit the column as it is. */
static int fitting(const gm_csv_column *c)
{
    static const int saw[] = {GM_SAW_BOOL,  GM_SAW_INT,  GM_SAW_HUGE,  GM_SAW_REAL,
                              GM_SAW_DATE,  GM_SAW_TIME, GM_SAW_STAMP, GM_SAW_STAMPTZ,
                              GM_SAW_SLASH, 0,           GM_SAW_TEXT,  GM_SAW_TEXT};
    if (c->kind == GM_CSV_DATE && c->year_last)
        return GM_SAW_SLASH | (c->day_first ? GM_SAW_FIRST_OVER : GM_SAW_SECOND_OVER);
    return saw[c->kind];
}

static gm_code say_wider(gm_cx *cx, gm_csv *csv, const char *label, const gm_csv_column *was,
                         const gm_csv_column *is, const gm_csv_misfit *m)
{
    char *text =
        gm_format(cx, gm_scratch(cx), "read as %s and not %s: it holds '%s' after the first %lld rows",
                  gm_csv_type_name(is), was->kind == GM_CSV_EMPTY ? "as missing" : gm_csv_type_name(was),
                  m->text, (long long)csv->looked);
    GM_GOT(cx, text);
    gm_emit_kv(cx, GM_INFO, "csv.wider", text, "table", label, "column", is->name, "type",
               gm_csv_type_name(is), NULL);
    return gm_csv_note_add(cx, csv, is->name, text);
}

static void plan_free(void *p) { gm_live_unref(p); }

/* Under lock. A new plan, when columns of p have to be wider; else *out stays NULL. */
static gm_code widen(gm_cx *cx, gm_csv *csv, gm_hub *hub, const char *label, gm_csv_plan *p,
                     gm_csv_plan **out)
{
    gm_csv_plan *wide = NULL;
    for (int j = 0; j < p->n; j++) {
        gm_csv_column c = p->col[j];
        const gm_csv_misfit *m = &p->misfit[j];
        int saw = atomic_load(&m->saw);
        if (saw == 0 || c.declared) continue;
        c.kind = gm_csv_decide(saw | fitting(&c), &c.day_first, &c.year_last);
        if (c.kind == p->col[j].kind && c.year_last == p->col[j].year_last &&
            c.day_first == p->col[j].day_first)
            continue;
        if (wide == NULL) {
            GM_TRY(gm_csv_plan_new(cx, hub, p->n, &wide));
            *out = wide;
            wide->version = p->version + 1;
            wide->decimal = p->decimal;
            memcpy(wide->col, p->col, (size_t)p->n * sizeof *p->col);
            GM_TRY(gm_own(cx, &wide->kept, gm_live_ref(&p->live), plan_free)); /* the names are there */
        }
        c.numbers_too = c.kind == GM_CSV_TEXT && gm_csv_is_number(p->col[j].kind);
        wide->col[j] = c;
        GM_TRY(say_wider(cx, csv, label, &p->col[j], &c, m));
    }
    return GM_OK;
}

static gm_code widen_table(gm_cx *cx, const gm_run_csv *u, bool *again)
{
    gm_csv *csv = u->table->own;
    gm_csv_plan *wide = NULL;
    gm_code code = GM_OK;
    pthread_mutex_lock(&csv->lock);
    if (csv->plan != u->plan) { /* another reading has widened it */
        *again = true;
    } else {
        code = widen(cx, csv, u->table->db->hub, u->table->label, u->plan, &wide);
        if (wide && code == GM_OK) {
            csv->plan = wide;
            gm_live_unref(&u->plan->live); /* the table's; the run has its own */
            *again = true;
        } else if (wide) {
            gm_live_unref(&wide->live);
        }
    }
    pthread_mutex_unlock(&csv->lock);
    return code;
}

/* ---- lines ---- */

static gm_code rejects_of(gm_con *con, gm_arena *a, gm_grid *g)
{
    *g = (gm_grid){0};
    GM_TRY(gm_con_grid(con, a, "SELECT table_name FROM duckdb_tables() WHERE table_name = 'gm_reject_errors'",
                       g));
    if (g->rows == 0) return GM_OK; /* the files were not even opened */
    return gm_con_grid(
        con, a,
        "SELECT s.file_path, e.line::VARCHAR, coalesce(e.column_name, ''), e.error_type::VARCHAR, "
        "e.error_message, left(ltrim(coalesce(e.csv_line, ''), chr(10) || chr(13)), 200), "
        "e.line_byte_position::VARCHAR "
        "FROM gm_reject_errors e JOIN gm_reject_scans s USING (scan_id, file_id) "
        "ORDER BY s.file_path, e.line, e.byte_position LIMIT 1000",
        g);
}

/* files.n: none of csv's. */
static int64_t file_of(const gm_csv *csv, const char *path)
{
    int64_t f = 0;
    while (f < csv->files.n && strcmp(csv->files.v[f], path) != 0 && strcmp(csv->given[f], path) != 0) f++;
    return f;
}

enum { FILE_PATH, LINE, COLUMN, KIND, MESSAGE, TEXT, BYTE };

/* Lines as people count them. g is sorted by file and line. */
static gm_code number_lines(gm_cx *cx, gm_arena *a, const gm_csv *csv, gm_grid *g, bool *done)
{
    int64_t *line;
    GM_NEW_IN(cx, a, line, g->rows);
    for (int64_t from = 0, to; from < g->rows; from = to) {
        const char *path = gm_grid_at(g, from, FILE_PATH);
        for (to = from; to < g->rows && strcmp(gm_grid_at(g, to, FILE_PATH), path) == 0; to++)
            line[to] = atoll(gm_grid_at(g, to, LINE));
        if (done[from] || file_of(csv, path) == csv->files.n) continue;
        done[from] = true;
        GM_TRY(gm_csv_lines(cx, &csv->o, path, line + from, to - from));
        for (int64_t i = from; i < to; i++)
            GM_GOT(cx, g->text[i * g->cols + LINE] = gm_format(cx, a, "%lld", (long long)line[i]));
    }
    return GM_OK;
}

static bool ragged(const char *kind)
{
    return strcmp(kind, "MISSING COLUMNS") == 0 || strcmp(kind, "TOO MANY COLUMNS") == 0;
}

static bool allowed(const gm_csv_options *o, const char *kind)
{
    return o->reject || (o->pad && strcmp(kind, "TOO MANY COLUMNS") == 0);
}

static gm_code fail_ragged(gm_cx *cx, const gm_grid *g, int64_t first, int width, const char *file)
{
    char lines[160] = "";
    int64_t n = 0, shown = 0;
    const char *found = strstr(gm_grid_at(g, first, MESSAGE), "Found: ");
    for (int64_t i = first; i < g->rows; i++) {
        if (!ragged(gm_grid_at(g, i, KIND)) ||
            strcmp(gm_grid_at(g, i, FILE_PATH), gm_grid_at(g, first, FILE_PATH)) != 0)
            continue;
        size_t k = strlen(lines);
        if (n++ < 5)
            shown = n, snprintf(lines + k, sizeof lines - k, "%s%s", k ? ", " : "", gm_grid_at(g, i, LINE));
    }
    char *hint =
        "set ragged: pad to fill short rows with NULL and list long ones, or bad_rows: reject to list both";
    if (n == 1)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EFORMAT, "%s:%s: %s fields where the header has %d", file, lines,
                                   found ? found + 7 : "other", width),
                           "%s", hint);
    return gm_hint_add(
        cx,
        gm_fail(cx, GM_EFORMAT, "%s: %s%lld rows do not have the %d fields of the header: lines %s%s", file,
                g->rows == 1000 ? "at least " : "", (long long)n, width, lines, n > shown ? ", ..." : ""),
        "%s", hint);
}

static gm_code fail_encoding(gm_cx *cx, const gm_grid *g, int64_t i, const char *file)
{
    static const char hint[] = "set encoding: latin-1 (or utf-16) if the file is written in it";
    char line[8192];
    long long from = atoll(gm_grid_at(g, i, BYTE)) - 1; /* DuckDB counts bytes from 1 */
    FILE *f = gm_path_remote(gm_grid_at(g, i, FILE_PATH)) ? NULL : fopen(gm_grid_at(g, i, FILE_PATH), "rb");
    size_t n = 0, bad = 0;
    if (f) {
        if (from >= 0 && fseeko(f, (off_t)from, SEEK_SET) == 0) n = fread(line, 1, sizeof line, f);
        fclose(f);
    }
    if (n && !gm_utf8_valid(line, n, &bad) && bad + 4 < n)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EFORMAT,
                                   "%s:%s: byte 0x%02X at offset %lld (column '%s') is not UTF-8", file,
                                   gm_grid_at(g, i, LINE), (unsigned char)line[bad], from + (long long)bad,
                                   gm_grid_at(g, i, COLUMN)),
                           "%s", hint);
    return gm_hint_add(cx,
                       gm_fail(cx, GM_EFORMAT,
                               "%s:%s: a byte of column '%s', after offset %lld, is not UTF-8", file,
                               gm_grid_at(g, i, LINE), gm_grid_at(g, i, COLUMN), from),
                       "%s", hint);
}

static gm_code fail_row(gm_cx *cx, const gm_csv_plan *p, const gm_grid *g, int64_t i, const char *file)
{
    const char *kind = gm_grid_at(g, i, KIND), *line = gm_grid_at(g, i, LINE),
               *why = gm_grid_at(g, i, MESSAGE);
    if (ragged(kind)) return fail_ragged(cx, g, i, p->n, file);
    if (strcmp(kind, "INVALID ENCODING") == 0) return fail_encoding(cx, g, i, file);
    if (strcmp(kind, "CAST") == 0) {
        const char *what = strstr(why, "Could not convert");
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EDATA, "%s:%s: column '%s': %s", file, line,
                                   gm_grid_at(g, i, COLUMN), what ? what : why),
                           "name another type for it, set nullstr, or bad_rows: reject to list such rows");
    }
    return gm_hint_add(
        cx, gm_fail(cx, GM_EFORMAT, "%s:%s: %s", file, line, why),
        "check the quotes in that line, or set quote and escape; bad_rows: reject lists such rows");
}

/* Keeps what was left out, for the report. */
static gm_code keep_rejects(gm_cx *cx, gm_csv *csv, gm_con *con, const gm_grid *g, const gm_table *t)
{
    gm_arena a = {0};
    gm_grid count;
    gm_csv_rejected *v = gm_alloc(cx, &a, g->rows, sizeof *v);
    if (v == NULL) return gm_arena_end(&a), gm_why_null(cx);
    int64_t n = 0;
    for (int64_t i = 0; i < g->rows; i++) {
        int64_t f = file_of(csv, gm_grid_at(g, i, FILE_PATH));
        if (f == csv->files.n) continue;
        gm_csv_rejected *r = &v[n++];
        *r = (gm_csv_rejected){.file = csv->said[f],
                               .column = gm_strdup(cx, &a, gm_grid_at(g, i, COLUMN)),
                               .text = gm_strdup(cx, &a, gm_grid_at(g, i, TEXT)),
                               .reason = gm_strdup(cx, &a, gm_grid_at(g, i, MESSAGE)),
                               .line = atoll(gm_grid_at(g, i, LINE))};
        if (!r->column || !r->text || !r->reason) return gm_arena_end(&a), gm_why_null(cx);
    }
    int64_t rows = 0;
    if (n > 0) {
        gm_buf b = gm_buf_in(cx, &a);
        gm_buf_str(&b, "SELECT count(DISTINCT (s.file_path, e.line))::VARCHAR "
                       "FROM gm_reject_errors e JOIN gm_reject_scans s "
                       "USING (scan_id, file_id) WHERE s.file_path IN (");
        for (int64_t f = 0; f < csv->files.n; f++) {
            if (f) gm_buf_str(&b, ", ");
            gm_buf_literal(&b, csv->files.v[f]);
        }
        gm_buf_str(&b, ")");
        gm_code code = gm_buf_done(&b);
        if (code == GM_OK) code = gm_con_grid(con, &a, b.p, &count);
        if (code != GM_OK) return gm_arena_end(&a), code;
        rows = atoll(gm_grid_at(&count, 0, 0));
        char said[32];
        snprintf(said, sizeof said, "%lld", (long long)rows);
        gm_emit_kv(cx, GM_WARNING, "csv.rejected", "rows were left out: see the report of the table", "table",
                   t->label, "rows", said, NULL);
    }
    pthread_mutex_lock(&csv->lock);
    gm_arena was = csv->rejects_arena;
    csv->rejects_arena = a;
    csv->rejected = v, csv->n_kept = n, csv->n_rejected = rows;
    pthread_mutex_unlock(&csv->lock);
    gm_arena_end(&was);
    return GM_OK;
}

/* Declared types of ours hold for every value. */
static gm_code check_declared(gm_cx *cx, gm_arena *a, const gm_run_csv *u)
{
    for (int j = 0; j < u->plan->n; j++) {
        const gm_csv_column *c = &u->plan->col[j];
        const gm_csv_misfit *m = &u->plan->misfit[j];
        gm_csv_place at;
        if (!c->declared || atomic_load(&m->count) == 0) continue;
        GM_TRY(gm_csv_find(cx, a, u->table, u->plan, j, gm_csv_type_name(c), &at));
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EDATA, "%s%s%s: column '%s' holds '%s', which is no %s",
                                   u->table->label, at.line ? ":" : "", at.line ? at.line : "", c->name,
                                   at.line ? at.text : m->text, gm_csv_type_name(c)),
                           "declare another type, set nullstr, or bad_rows: reject to list such rows");
    }
    return GM_OK;
}

/* Some text was not cut into records: because lines end in several ways? */
static gm_code even_tables(gm_cx *cx, gm_run *run, bool *again)
{
    for (gm_run_csv *u = run->csv; u; u = u->next) {
        bool made;
        GM_TRY(gm_csv_make_even(cx, u->table, &made));
        *again |= made;
    }
    return GM_OK;
}

/* A line too long for the reader's buffer is no bad row: it is read again with a larger one. */
static bool lengthen(gm_csv *csv, const char *kind)
{
    if (strcmp(kind, "LINE SIZE OVER MAXIMUM") != 0) return false;
    pthread_mutex_lock(&csv->lock);
    int64_t was = csv->longest ? csv->longest : GM_CSV_USUAL;
    bool more = was < GM_CSV_MOST;
    if (more) csv->longest = 4 * was;
    pthread_mutex_unlock(&csv->lock);
    return more;
}

gm_code gm_csv_review(gm_cx *cx, gm_run *run, bool ran, bool *again)
{
    gm_arena a = {0};
    gm_grid g = {0};
    gm_code code = GM_OK;
    for (gm_run_csv *u = run->csv; u && code == GM_OK; u = u->next) code = widen_table(cx, u, again);
    if (!ran && strstr(gm_cx_message(cx), gm_csv_no_records)) GM_TRY(even_tables(cx, run, again));
    if (code != GM_OK || !ran || *again) return code;
    for (gm_run_csv *u = run->csv; u && code == GM_OK; u = u->next) code = check_declared(cx, &a, u);
    if (code == GM_OK) code = rejects_of(run->con, &a, &g);
    bool *done = code == GM_OK ? gm_alloc(cx, &a, g.rows, sizeof *done) : NULL;
    if (code == GM_OK && done == NULL) code = gm_why_null(cx);
    for (gm_run_csv *u = run->csv; u && code == GM_OK; u = u->next) {
        gm_csv *csv = u->table->own;
        code = number_lines(cx, &a, csv, &g, done);
        for (int64_t i = 0; i < g.rows && code == GM_OK; i++) {
            bool mine = file_of(csv, gm_grid_at(&g, i, FILE_PATH)) < csv->files.n;
            const char *kind = gm_grid_at(&g, i, KIND);
            if (!mine) continue;
            if ((*again |= lengthen(csv, kind))) break;
            if (strcmp(kind, "CAST") != 0) code = even_tables(cx, run, again);
            if (code != GM_OK || *again) break;
            if (allowed(&csv->o, kind)) continue;
            code = fail_row(cx, u->plan, &g, i, csv->said[file_of(csv, gm_grid_at(&g, i, FILE_PATH))]);
        }
        if (code == GM_OK && !*again) code = keep_rejects(cx, csv, run->con, &g, u->table);
    }
    gm_arena_end(&a);
    return code;
}

/* ---- report ---- */

void gm_csv_report(const gm_table *t, gm_buf *rejects, gm_buf *types, gm_buf *notes, int64_t *rejected)
{
    gm_csv *csv = t->own;
    gm_csv_plan *p = gm_csv_plan_of(csv);
    for (int j = 0; j < p->n; j++) gm_json_str(types, p->col[j].name, gm_csv_type_name(&p->col[j]));
    gm_live_unref(&p->live);
    pthread_mutex_lock(&csv->lock);
    *rejected += csv->n_rejected;
    for (int64_t i = 0; i < csv->n_kept; i++) {
        const gm_csv_rejected *r = &csv->rejected[i];
        gm_json_open(rejects, NULL, '{');
        gm_json_str(rejects, "file", r->file);
        gm_json_int(rejects, "line", r->line);
        gm_json_str(rejects, "column", r->column);
        gm_json_str(rejects, "text", r->text);
        gm_json_str(rejects, "reason", r->reason);
        gm_json_close(rejects, '}');
    }
    for (const gm_csv_note *note = csv->note; note; note = note->next) {
        gm_json_open(notes, NULL, '{');
        if (note->column) gm_json_str(notes, "column", note->column);
        gm_json_str(notes, "text", note->text);
        gm_json_close(notes, '}');
    }
    pthread_mutex_unlock(&csv->lock);
}

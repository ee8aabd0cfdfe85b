/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libsvm.c - opening a LIBSVM file: options, one pass that looks at every line, and what the table is then.
 */
#include "source/libsvm/libsvm.h"
#include "base/file.h"
#include "base/session.h"
#include "source/csv/csv_ends.h"
#include <stdio.h>
#include <string.h>

/* ---- lines ---- */

enum { LINE = 4000000, LONGEST = 256000000, MOST_KEPT = 1000 };

/* Files as lines: one column, nothing quoted, and a delimiter that no text file holds. */
static void lines_sql(gm_buf *b, const gm_libsvm *l, const gm_names *files, int64_t from, int64_t to)
{
    gm_buf_str(b, "read_csv([");
    for (int64_t i = from; i < to; i++) {
        if (i > from) gm_buf_str(b, ", ");
        gm_buf_literal(b, files->v[i]);
    }
    gm_buf_printf(b,
                  "], auto_detect = false, header = false, delim = chr(1) || chr(2) || chr(3) || chr(4), "
                  "quote = '', escape = '', comment = '', strict_mode = false, buffer_size = %lld, "
                  "max_line_size = %lld, columns = {'line': 'VARCHAR'})",
                  (long long)l->line_size, (long long)l->line_size);
}

typedef struct opening {
    gm_cx *cx;
    gm_arena *a;
    const gm_table *t;
    gm_libsvm *l;
    gm_con *con;
} opening;

static gm_code look_once(opening *o, const gm_libsvm_reader *r)
{
    duckdb_result res;
    gm_buf b = gm_buf_in(o->cx, o->a);
    gm_buf_printf(&b, "SELECT max(gm_libsvm_look(%llu::UBIGINT, line)) FROM ", gm_live_sql(&r->live, 0));
    lines_sql(&b, o->l, &o->t->files, 0, o->t->files.n);
    GM_TRY(gm_buf_done(&b));
    GM_TRY(gm_con_query(o->con, b.p, &res));
    o->con->duck->destroy_result(&res);
    return GM_OK;
}

static void reader_free(void *p) { gm_live_unref(&((gm_libsvm_reader *)p)->live); }

/* Ends with o->a. */
static gm_code new_reader(opening *o, const gm_libsvm_range *range, gm_libsvm_reader **out)
{
    GM_TRY(gm_libsvm_reader_new(o->cx, o->t->db->hub, range, out));
    return gm_own(o->cx, o->a, *out, reader_free);
}

/* The database's error about a line, which is in its message as a whole, in our words. */
static gm_code say_line(opening *o, gm_code code)
{
    static const char on[] = "CSV Error on Line: ";
    const char *message = gm_cx_message(o->cx), *at = strstr(message, on);
    if (at == NULL) return gm_within(o->cx, code, "%s", o->t->label);
    bool text = strstr(message, "nvalid unicode") == NULL;
    char line[24] = "";
    at += strlen(on);
    memcpy(line, at, strspn(at, "0123456789") < sizeof line - 1 ? strspn(at, "0123456789") : 0);
    gm_cx_forget(o->cx);
    if (text)
        return gm_fail(o->cx, GM_EFORMAT, "%s:%s: the line has more than %lld bytes, or is not UTF-8",
                       o->t->label, line, (long long)o->l->line_size);
    return gm_hint_add(o->cx, gm_fail(o->cx, GM_EFORMAT, "%s:%s: the line is not UTF-8", o->t->label, line),
                       "set encoding: latin-1 if that is what the file is in, or mend the line");
}

/* All lines by these rules. */
static gm_code look(opening *o, const gm_libsvm_range *range, gm_libsvm_reader **out)
{
    for (;;) {
        GM_TRY(new_reader(o, range, out));
        gm_code code = look_once(o, *out);
        if (code == GM_OK || code == GM_ECANCEL) return code;
        const char *message = gm_cx_message(o->cx);
        bool long_line = strstr(message, "CSV Error") && strstr(message, "nvalid unicode") == NULL;
        if (!long_line || o->l->line_size >= LONGEST) return say_line(o, code);
        gm_cx_forget(o->cx);
        o->l->line_size *= 8;
    }
}

/* Lines of file f that are refused, as number and text. which: a condition on the verdict. */
static gm_code find_lines(opening *o, const gm_libsvm_reader *r, int64_t f, const char *which, int64_t most,
                          gm_grid *g)
{
    gm_buf b = gm_buf_in(o->cx, o->a);
    gm_buf_str(&b, "SELECT CAST(n AS VARCHAR), line FROM (SELECT row_number() OVER () AS n, line FROM ");
    lines_sql(&b, o->l, &o->t->files, f, f + 1);
    gm_buf_printf(&b, ") WHERE gm_libsvm_look(%llu::UBIGINT, line) %s LIMIT %lld", gm_live_sql(&r->live, 0),
                  which, (long long)most);
    GM_TRY(gm_buf_done(&b));
    return gm_con_grid(o->con, o->a, b.p, g);
}

static void reason_of(const gm_libsvm_reader *r, const char *text, gm_libsvm_line *line,
                      char out[GM_LIBSVM_SAID])
{
    gm_libsvm_read(&r->range, text, strlen(text), NULL, NULL, line);
    gm_libsvm_say(&r->range, line, out);
    if (out[0] == 0) snprintf(out, GM_LIBSVM_SAID, "a byte 0 stands in the line"); /* and ends text here */
}

/* hint NULL: what helps where the file is at fault. */
static gm_code fail_first(opening *o, const gm_libsvm_reader *r, const char *which, const char *hint)
{
    gm_grid g = {0};
    int64_t f = 0;
    for (; f < o->t->files.n; f++) {
        GM_TRY(find_lines(o, r, f, which, 1, &g));
        if (g.rows > 0) break;
    }
    if (g.rows == 0) return gm_fail(o->cx, GM_EIO, "%s changed while it was read", o->t->label);
    gm_libsvm_line line;
    char said[GM_LIBSVM_SAID];
    reason_of(r, gm_grid_at(&g, 0, 1), &line, said);
    gm_code code = gm_fail(o->cx, GM_EDATA, "%s:%s: %s", o->l->said[f], gm_grid_at(&g, 0, 0), said);
    if (hint) return gm_hint_add(o->cx, code, "%s", hint);
    if (line.verdict == GM_LIBSVM_LOW)
        return gm_hint_add(o->cx, code, "set index_base: 0 if indices count from 0");
    if (line.verdict == GM_LIBSVM_HIGH) return code;
    return gm_hint_add(o->cx, code, "mend the line, or set bad_rows: reject to leave such lines out");
}

gm_code gm_libsvm_fail(gm_cx *cx, const gm_table *t, const gm_libsvm_range *range, const char *hint)
{
    gm_arena a = {0};
    gm_libsvm_reader *r;
    opening o = {.cx = cx, .a = &a, .t = t, .l = t->own};
    gm_code code = gm_con_open(cx, &a, t->db, &o.con);
    if (code == GM_OK) code = new_reader(&o, range, &r);
    if (code == GM_OK) code = fail_first(&o, r, "> 6", hint);
    gm_arena_end(&a);
    return code;
}

/* ---- options ---- */

static gm_code options(gm_cx *cx, gm_arena *a, const gm_doc *source, gm_libsvm *l, gm_csv_options *csv)
{
    static const char *const keys[] = {"path",     "format",   "index_base", "num_features",
                                       "bad_rows", "encoding", NULL};
    const gm_doc *base = gm_doc_get(source, "index_base");
    GM_TRY(gm_doc_only(cx, source, "option of a LIBSVM source", keys));
    bool found = base == NULL || base->kind == GM_D_NULL || (base->str && strcmp(base->str, "auto") == 0);
    l->base = -1;
    if (!found && base->kind == GM_D_INT) l->base = base->i;
    else if (!found && base->str && !gm_read_int(base->str, &l->base)) l->base = -1;
    if (!found && l->base != 0 && l->base != 1)
        return gm_fail(cx, GM_EPARAM, "%s: index_base is auto, 0 or 1", gm_doc_where(cx, base));
    l->base_given = !found;
    GM_TRY(gm_doc_int(cx, source, "num_features", 0, 0, GM_LIBSVM_MOST, &l->width));
    l->width_given = l->width > 0;
    GM_TRY(gm_csv_options_read(cx, a, source, csv)); /* encoding and bad_rows mean the same */
    l->reject = csv->reject;
    return GM_OK;
}

/* ---- opening ---- */

static gm_code keep_rejects(opening *o, gm_arena *kept, const gm_libsvm_reader *r)
{
    gm_libsvm *l = o->l;
    l->n_rejected = atomic_load(&r->faults);
    if (l->n_rejected == 0) return GM_OK;
    GM_NEW_IN(o->cx, kept, l->kept, MOST_KEPT);
    for (int64_t f = 0; f < o->t->files.n && l->n_kept < MOST_KEPT; f++) {
        gm_grid g;
        GM_TRY(find_lines(o, r, f, "> 1", MOST_KEPT - l->n_kept, &g));
        for (int64_t i = 0; i < g.rows; i++) {
            gm_libsvm_rejected *k = &l->kept[l->n_kept++];
            gm_libsvm_line line;
            char said[GM_LIBSVM_SAID];
            reason_of(r, gm_grid_at(&g, i, 1), &line, said);
            k->file = l->said[f];
            if (!gm_read_int(gm_grid_at(&g, i, 0), &k->line)) k->line = 0;
            GM_GOT(o->cx, k->text = gm_strndup(o->cx, kept, gm_grid_at(&g, i, 1),
                                               strnlen(gm_grid_at(&g, i, 1), 80)));
            GM_GOT(o->cx, k->reason = gm_strdup(o->cx, kept, said));
        }
    }
    return GM_OK;
}

static gm_libsvm_range range_of(const gm_libsvm *l)
{
    int64_t most = l->width_given ? l->base + l->width - 1 : GM_LIBSVM_MOST;
    return (gm_libsvm_range){l->base, most < GM_LIBSVM_MOST ? most : GM_LIBSVM_MOST};
}

/* One pass, and a second where a width was given that could not be held against indices of unknown base. */
static gm_code measure(opening *o, gm_arena *kept)
{
    gm_libsvm *l = o->l;
    gm_libsvm_reader *r;
    gm_libsvm_range range = l->base_given ? range_of(l) : (gm_libsvm_range){0, GM_LIBSVM_MOST};
    GM_TRY(look(o, &range, &r));
    if (!l->base_given) {
        l->base = atomic_load(&r->first) == 0 ? 0 : 1;
        range = range_of(l);
        if (range.lowest > 0 || atomic_load(&r->last) > range.highest) GM_TRY(look(o, &range, &r));
    }
    if (atomic_load(&r->faults) > 0 && !l->reject) return fail_first(o, r, "> 1", NULL);
    GM_TRY(keep_rejects(o, kept, r));
    l->first = atomic_load(&r->first), l->last = atomic_load(&r->last);
    l->qid = atomic_load(&r->qids) > 0;
    if (!l->width_given) l->width = l->last < l->base ? 1 : l->last - l->base + 1;
    range.highest = l->base + l->width - 1;
    GM_TRY(gm_libsvm_reader_new(o->cx, o->t->db->hub, &range, &l->reader));
    l->reader->reject = l->reject;
    return GM_OK;
}

static const char *base_text(const gm_libsvm *l)
{
    return l->base ? "indices are taken to count from 1, as none is 0: set index_base: 0 if they count from 0"
                   : "indices count from 0, as one is 0";
}

static gm_code fill(gm_cx *cx, gm_arena *a, gm_table *t, const gm_doc *source, const gm_names *files)
{
    gm_libsvm *l;
    gm_csv_options csv;
    const char **v;
    GM_NEW_IN(cx, &t->kept, l, 1);
    t->own = l;
    l->line_size = LINE;
    GM_TRY(options(cx, a, source, l, &csv));
    GM_NEW_IN(cx, &t->kept, v, files->n);
    GM_NEW_IN(cx, &t->kept, l->said, files->n);
    t->files = (gm_names){.n = files->n, .v = v};
    for (int64_t i = 0; i < files->n; i++) {
        bool spooled = strncmp(files->v[i], "/proc/self/fd/", 14) == 0;
        GM_GOT(cx, v[i] = gm_strdup(cx, &t->kept, files->v[i]));
        GM_GOT(cx, l->said[i] = spooled ? t->label : gm_say_path(cx, &t->kept, v[i]));
        if (gm_csv_bare(v[i])) GM_TRY(gm_csv_recode(cx, &t->kept, &csv, v[i], &v[i]));
    }
    opening o = {.cx = cx, .a = a, .t = t, .l = l};
    GM_TRY(gm_con_open(cx, a, t->db, &o.con));
    o.con->progress = "scan.progress";
    GM_TRY(measure(&o, &t->kept));
    if (!l->base_given) gm_emit_kv(cx, GM_INFO, "libsvm.base", base_text(l), "table", t->label, NULL);
    return GM_OK;
}

/* ---- the table ---- */

static gm_code libsvm_body(gm_cx *cx, const gm_table *t, gm_run *run, gm_buf *b)
{
    (void)cx, (void)run;
    const gm_libsvm *l = t->own;
    gm_buf_printf(b, "SELECT s.label AS label%s, s.features AS features FROM ",
                  l->qid ? ", s.qid AS qid" : "");
    gm_buf_printf(b, "(SELECT gm_libsvm_row(%llu::UBIGINT, line) AS s FROM ",
                  gm_live_sql(&l->reader->live, 0));
    lines_sql(b, l, &t->files, 0, t->files.n);
    gm_buf_str(b, ") WHERE s IS NOT NULL");
    return b->code;
}

static gm_code libsvm_text(gm_cx *cx, const gm_table *t, gm_buf *b)
{
    (void)cx;
    gm_buf_str(b, "SELECT * FROM ");
    gm_buf_ident(b, t->label);
    return b->code;
}

static void libsvm_end(gm_table *t)
{
    const gm_libsvm *l = t->own;
    if (l && l->reader) gm_live_unref(&l->reader->live);
}

static const gm_table_kind libsvm_kind = {
    .name = "libsvm", .body = libsvm_body, .text = libsvm_text, .end = libsvm_end};

bool gm_is_libsvm(const gm_table *t) { return t->kind == &libsvm_kind; }

gm_code gm_libsvm_table(gm_cx *cx, gm_db *db, const gm_doc *source, const gm_names *files, const char *label,
                        gm_table **out)
{
    gm_table *t;
    gm_arena a = {0};
    GM_TRY(gm_table_new(cx, &libsvm_kind, db, label, NULL, 0, &t));
    gm_code code = fill(cx, &a, t, source, files);
    gm_arena_end(&a);
    if (code != GM_OK) return gm_table_unref(t), code;
    *out = t;
    return GM_OK;
}

void gm_libsvm_report(const gm_table *t, gm_buf *rejects, gm_buf *types, gm_buf *notes, int64_t *n_rejected)
{
    const gm_libsvm *l = t->own;
    char vector[40];
    snprintf(vector, sizeof vector, "vector(%lld)", (long long)l->width);
    gm_json_str(types, "label", "DOUBLE");
    if (l->qid) gm_json_str(types, "qid", "BIGINT");
    gm_json_str(types, "features", vector);
    *n_rejected += l->n_rejected;
    for (int64_t i = 0; i < l->n_kept; i++) {
        gm_json_open(rejects, NULL, '{');
        gm_json_str(rejects, "file", l->kept[i].file);
        gm_json_int(rejects, "line", l->kept[i].line);
        gm_json_str(rejects, "text", l->kept[i].text);
        gm_json_str(rejects, "reason", l->kept[i].reason);
        gm_json_close(rejects, '}');
    }
    const char *said[] = {l->base_given ? NULL : base_text(l),
                          l->qid ? "qid: is kept as a column of that name" : NULL};
    for (int64_t i = 0; i < GM_COUNT(said); i++) {
        if (said[i] == NULL) continue;
        gm_json_open(notes, NULL, '{');
        gm_json_str(notes, "column", i ? "qid" : "features");
        gm_json_str(notes, "text", said[i]);
        gm_json_close(notes, '}');
    }
}

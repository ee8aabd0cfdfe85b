/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_plan.c - a CSV file as a table: what its text in a query is. The database reads every field as text; a
 * typed column is a strict function of it. Types that the user declares are the database's to read.
 */
#include "base/file.h"
#include "source/csv/csv_ends.h"
#include <string.h>
#include <strings.h>

/* ---- plans ---- */

static void plan_end(gm_live *live) { gm_arena_end(&((gm_csv_plan *)live)->kept); }

gm_code gm_csv_plan_new(gm_cx *cx, gm_hub *hub, int64_t n, gm_csv_plan **out)
{
    gm_arena a = {0};
    gm_csv_plan *p = gm_alloc(cx, &a, 1, sizeof *p);
    gm_csv_column *col = gm_alloc(cx, &a, n, sizeof *col);
    gm_csv_misfit *misfit = gm_alloc(cx, &a, n, sizeof *misfit);
    if (p == NULL || col == NULL || misfit == NULL) return gm_arena_end(&a), gm_why_null(cx);
    *p = (gm_csv_plan){.kept = a, .version = 1, .n = (int)n, .col = col, .misfit = misfit};
    gm_live_begin(hub, &p->live, GM_LIVE_CSV, plan_end);
    *out = p;
    return GM_OK;
}

gm_csv_plan *gm_csv_plan_of(gm_csv *csv)
{
    pthread_mutex_lock(&csv->lock);
    gm_csv_plan *p = (gm_csv_plan *)gm_live_ref(&csv->plan->live);
    pthread_mutex_unlock(&csv->lock);
    return p;
}

/* What holds all that was seen, the narrowest. */
gm_csv_kind gm_csv_decide(int saw, bool *day_first, bool *year_last)
{
    enum { WHOLE = GM_SAW_INT | GM_SAW_HUGE, NUMBER = WHOLE | GM_SAW_LONG | GM_SAW_REAL };
    enum { OVER = GM_SAW_FIRST_OVER | GM_SAW_SECOND_OVER, SLASH = GM_SAW_SLASH | OVER };
    *day_first = *year_last = false;
    saw &= ~GM_SAW_NAN;
    if (saw == 0) return GM_CSV_EMPTY;
    if ((saw & ~NUMBER) == 0) {
        if (saw & GM_SAW_REAL) return GM_CSV_REAL;
        if (saw & GM_SAW_LONG) return GM_CSV_TEXT;
        return saw & GM_SAW_HUGE ? GM_CSV_HUGE : GM_CSV_INT;
    }
    if (saw == GM_SAW_BOOL) return GM_CSV_BOOL;
    if (saw == GM_SAW_TIME) return GM_CSV_TIME;
    if (saw == GM_SAW_DATE) return GM_CSV_DATE;
    if (saw == GM_SAW_STAMPTZ) return GM_CSV_STAMPTZ;
    if ((saw & ~(GM_SAW_DATE | GM_SAW_STAMP)) == 0) return GM_CSV_STAMP;
    if (saw & ~SLASH || (saw & OVER) == OVER) return GM_CSV_TEXT;
    if (!(saw & OVER)) return GM_CSV_UNSURE;
    *year_last = true;
    *day_first = saw & GM_SAW_FIRST_OVER;
    return GM_CSV_DATE;
}

const char *gm_csv_type_name(const gm_csv_column *c)
{
    static const char *const names[] = {"BOOLEAN", "BIGINT",  "HUGEINT",   "DOUBLE",
                                        "DATE",    "TIME",    "TIMESTAMP", "TIMESTAMP WITH TIME ZONE",
                                        "VARCHAR", "VARCHAR", "VARCHAR",   "VARCHAR"};
    return c->kind == GM_CSV_NATIVE ? c->type : names[c->kind];
}

/* ---- options ---- */

static gm_code one_char(gm_cx *cx, const gm_doc *source, const char *key, char def, char *out)
{
    const char *s;
    GM_TRY(gm_doc_str(cx, source, key, NULL, &s));
    *out = def;
    if (s == NULL) return GM_OK;
    if (strcmp(s, "\\t") == 0 || strcmp(s, "tab") == 0) s = "\t";
    if (strlen(s) > 1)
        return gm_fail(cx, GM_EPARAM, "%s: %s must be one character, and is '%s'",
                       gm_doc_where(cx, gm_doc_get(source, key)), key, s);
    *out = s[0];
    return GM_OK;
}

static gm_code words(gm_cx *cx, const gm_doc *source, const char *key, const char *first, const char *second,
                     bool *out)
{
    const char *s;
    GM_TRY(gm_doc_str(cx, source, key, first, &s));
    *out = strcmp(s, second) == 0;
    if (*out || strcmp(s, first) == 0) return GM_OK;
    return gm_fail(cx, GM_EPARAM, "%s: %s is '%s' or '%s', and not '%s'",
                   gm_doc_where(cx, gm_doc_get(source, key)), key, first, second, s);
}

static gm_code null_strings(gm_cx *cx, gm_arena *a, const gm_doc *source, gm_names *out)
{
    const gm_doc *d = gm_doc_get(source, "nullstr");
    const char **v;
    if (d == NULL || d->kind == GM_D_NULL) return GM_OK;
    int64_t n = d->kind == GM_D_LIST ? d->n : 1;
    GM_NEW_IN(cx, a, v, n);
    for (int64_t i = 0; i < n; i++) {
        const gm_doc *e = d->kind == GM_D_LIST ? &d->child[i] : d;
        if (e->str == NULL)
            return gm_fail(cx, GM_EPARAM, "%s: nullstr must be a text or a list of texts",
                           gm_doc_where(cx, e));
        GM_GOT(cx, v[i] = gm_strdup(cx, a, e->str));
    }
    *out = (gm_names){.n = n, .v = v};
    return GM_OK;
}

static gm_code encoding_of(gm_cx *cx, gm_arena *a, const gm_doc *source, const char **out)
{
    static const struct {
        const char *said, *name;
    } known[] = {
        {"utf-8", NULL},           {"utf8", NULL},       {"latin-1", "latin-1"}, {"latin1", "latin-1"},
        {"iso-8859-1", "latin-1"}, {"utf-16", "utf-16"}, {"utf16", "utf-16"}};
    const char *s;
    (void)a;
    GM_TRY(gm_doc_str(cx, source, "encoding", "utf-8", &s));
    for (int64_t i = 0; i < GM_COUNT(known); i++)
        if (strcasecmp(s, known[i].said) == 0) return *out = known[i].name, GM_OK;
    return gm_hint_add(cx,
                       gm_fail(cx, GM_EPARAM, "%s: encoding '%s' cannot be read",
                               gm_doc_where(cx, gm_doc_get(source, "encoding")), s),
                       "utf-8, latin-1 and utf-16 can: convert the file with iconv");
}

static gm_code kept_str(gm_cx *cx, gm_arena *a, const gm_doc *source, const char *key, const char **out)
{
    const char *s;
    GM_TRY(gm_doc_str(cx, source, key, NULL, &s));
    *out = NULL;
    if (s) GM_GOT(cx, *out = gm_strdup(cx, a, s));
    return GM_OK;
}

gm_code gm_csv_options_read(gm_cx *cx, gm_arena *a, const gm_doc *source, gm_csv_options *o)
{
    *o = (gm_csv_options){.header = -1};
    GM_TRY(one_char(cx, source, "delim", 0, &o->delim));
    GM_TRY(one_char(cx, source, "quote", '"', &o->quote));
    GM_TRY(one_char(cx, source, "escape", o->quote, &o->escape));
    GM_TRY(one_char(cx, source, "decimal", '.', &o->decimal));
    if (o->decimal != '.' && o->decimal != ',')
        return gm_fail(cx, GM_EPARAM, "%s: decimal is '.' or ','",
                       gm_doc_where(cx, gm_doc_get(source, "decimal")));
    if (o->decimal == o->delim)
        return gm_hint_add(cx, gm_fail(cx, GM_EPARAM, "decimal and delim are both '%c'", o->delim),
                           "such a file separates its fields by ';' or tab, mostly");
    if (gm_doc_get(source, "header")) {
        bool header;
        GM_TRY(gm_doc_bool(cx, source, "header", true, &header));
        o->header = header;
    }
    GM_TRY(gm_doc_int(cx, source, "skip", 0, 0, 1000000, &o->skip));
    GM_TRY(null_strings(cx, a, source, &o->nullstr));
    GM_TRY(encoding_of(cx, a, source, &o->encoding));
    GM_TRY(kept_str(cx, a, source, "dateformat", &o->dateformat));
    GM_TRY(kept_str(cx, a, source, "timestampformat", &o->timestampformat));
    GM_TRY(words(cx, source, "ragged", "error", "pad", &o->pad));
    GM_TRY(words(cx, source, "bad_rows", "error", "reject", &o->reject));
    o->types = gm_doc_get(source, "types");
    if (o->types && o->types->kind != GM_D_MAP)
        return gm_fail(cx, GM_EPARAM, "%s: types is a map from column to SQL type",
                       gm_doc_where(cx, o->types));
    return GM_OK;
}

/* ---- SQL ---- */

static void char_option(gm_buf *b, const char *name, char c)
{
    char text[2] = {c, 0};
    gm_buf_printf(b, ", %s = ", name);
    gm_buf_literal(b, text);
}

static void text_option(gm_buf *b, const char *name, const char *value)
{
    if (value == NULL) return;
    gm_buf_printf(b, ", %s = ", name);
    gm_buf_literal(b, value);
}

/* Of files from .. to, which begin and end their lines alike. */
static void reader(gm_buf *b, const gm_csv *csv, const gm_csv_plan *plan, bool keep_rejects, int64_t limit,
                   const char *const *types, int64_t from, int64_t to)
{
    const gm_csv_options *o = &csv->o;
    gm_buf_str(b, "read_csv([");
    for (int64_t i = from; i < to; i++) {
        if (i > from) gm_buf_str(b, ", ");
        gm_buf_literal(b, csv->files.v[i]);
    }
    gm_buf_printf(b, "], auto_detect = false, header = %s, skip = %lld", o->header ? "true" : "false",
                  (long long)o->skip + (o->header ? (long long)csv->blank[from] : 0));
    char_option(b, "delim", o->delim);
    char_option(b, "quote", o->quote);
    char_option(b, "escape", o->quote ? o->escape : 0);
    if (o->decimal != '.') char_option(b, "decimal_separator", o->decimal);
    text_option(b, "encoding", o->encoding);
    text_option(b, "dateformat", o->dateformat);
    text_option(b, "timestampformat", o->timestampformat);
    /* Where tiles end depends on this size, so only the file's own lines change it; half the memory and 10 %
     * faster than the default. */
    long long longest = csv->longest ? csv->longest : GM_CSV_USUAL;
    gm_buf_printf(b, ", buffer_size = %lld, max_line_size = %lld", longest, longest);
    gm_buf_str(b, ", allow_quoted_nulls = false, nullstr = [''");
    for (int64_t i = 0; i < o->nullstr.n; i++) {
        gm_buf_str(b, ", ");
        gm_buf_literal(b, o->nullstr.v[i]);
    }
    gm_buf_str(b, "]");
    if (o->pad) gm_buf_str(b, ", null_padding = true");
    /* Padding reads line breaks in quotes only so; and of an error only so the line is the first. */
    if (o->pad || types) gm_buf_str(b, ", parallel = false");
    if (csv->lax) gm_buf_str(b, ", strict_mode = false");
    else if (csv->end[from][0])
        gm_buf_printf(b, ", new_line = '%s'",
                      csv->end[from][1]           ? "\\r\\n"
                      : csv->end[from][0] == '\r' ? "\\r"
                                                  : "\\n");
    if (keep_rejects)
        gm_buf_printf(
            b,
            ", store_rejects = true, rejects_table = 'gm_reject_errors', rejects_scan = 'gm_reject_scans', "
            "rejects_limit = %lld",
            (long long)limit);
    gm_buf_str(b, ", columns = {");
    for (int j = 0; j < plan->n; j++) {
        if (j) gm_buf_str(b, ", ");
        gm_buf_literal(b, plan->col[j].name);
        gm_buf_str(b, ": ");
        const char *type = types && types[j]                    ? types[j]
                           : plan->col[j].kind == GM_CSV_NATIVE ? plan->col[j].type
                                                                : "VARCHAR";
        gm_buf_literal(b, type);
    }
    gm_buf_str(b, "})");
}

static bool alike(const gm_csv *csv, int64_t i, int64_t j)
{
    return strcmp(csv->end[i], csv->end[j]) == 0 && csv->blank[i] == csv->blank[j];
}

void gm_csv_reader(gm_buf *b, const gm_csv *csv, const gm_csv_plan *plan, bool keep_rejects, int64_t limit,
                   const char *const *types)
{
    int64_t n = csv->files.n, from = 0, to = 0;
    bool several = false;
    for (int64_t i = 1; i < n; i++) several |= !alike(csv, 0, i);
    if (!several) {
        reader(b, csv, plan, keep_rejects, limit, types, 0, n);
        return;
    }
    for (; from < n; from = to) {
        gm_buf_str(b, from ? " UNION ALL SELECT * FROM " : "(SELECT * FROM ");
        for (to = from + 1; to < n && alike(csv, from, to);) to++;
        reader(b, csv, plan, keep_rejects, limit, types, from, to);
    }
    gm_buf_str(b, ")");
}

static void column_sql(gm_buf *b, const gm_csv_plan *plan, int j)
{
    static const char *const functions[] = {"gm_csv_bool", "gm_csv_int",  "gm_csv_huge",  "gm_csv_real",
                                            "gm_csv_date", "gm_csv_time", "gm_csv_stamp", "gm_csv_stamptz"};
    const gm_csv_column *c = &plan->col[j];
    if (c->kind == GM_CSV_TEXT || c->kind == GM_CSV_NATIVE) {
        gm_buf_ident(b, c->name);
        return;
    }
    bool watched = c->kind == GM_CSV_UNSURE || c->kind == GM_CSV_EMPTY;
    gm_buf_printf(b, "%s(%llu::UBIGINT, ", watched ? "CASE WHEN gm_csv_watch" : functions[c->kind],
                  gm_live_sql(&plan->live, j));
    gm_buf_ident(b, c->name);
    gm_buf_str(b, ")");
    if (watched) {
        gm_buf_str(b, " THEN ");
        gm_buf_ident(b, c->name);
        gm_buf_str(b, " END");
    }
    gm_buf_str(b, " AS ");
    gm_buf_ident(b, c->name);
}

static void live_free(void *p) { gm_live_unref(p); }

static gm_code csv_body(gm_cx *cx, const gm_table *t, gm_run *run, gm_buf *b)
{
    gm_csv *csv = t->own;
    gm_run_csv *used;
    enum { ENOUGH = 1000 };
    gm_csv_plan *plan = gm_csv_plan_of(csv);
    GM_TRY(gm_own(cx, run->arena, &plan->live, live_free));
    GM_NEW_IN(cx, run->arena, used, 1);
    *used = (gm_run_csv){.table = t, .plan = plan, .next = run->csv};
    run->csv = used;
    gm_buf_str(b, "SELECT ");
    for (int j = 0; j < plan->n; j++) {
        if (j) gm_buf_str(b, ", ");
        column_sql(b, plan, j);
    }
    gm_buf_str(b, " FROM ");
    pthread_mutex_lock(&csv->lock);
    gm_csv_reader(b, csv, plan, !run->unread, csv->o.reject || csv->o.pad ? 0 : ENOUGH, NULL);
    pthread_mutex_unlock(&csv->lock);
    return b->code;
}

static gm_code csv_text(gm_cx *cx, const gm_table *t, gm_buf *b)
{
    (void)cx;
    gm_csv *csv = t->own;
    gm_buf_str(b, "SELECT * FROM read_csv(");
    gm_buf_literal(b, t->label);
    char_option(b, "delim", csv->o.delim);
    gm_buf_str(b, ")");
    return b->code;
}

static void csv_end(gm_table *t)
{
    gm_csv *csv = t->own;
    if (csv == NULL) return;
    gm_live_unref(csv->plan ? &csv->plan->live : NULL);
    gm_arena_end(&csv->rejects_arena);
    gm_arena_end(&csv->notes_in);
    pthread_mutex_destroy(&csv->lock);
}

static const gm_table_kind csv_kind = {.name = "csv", .body = csv_body, .text = csv_text, .end = csv_end};

bool gm_is_csv(const gm_table *t) { return t->kind == &csv_kind; }

int64_t gm_csv_version(const gm_table *t)
{
    if (!gm_is_csv(t)) return 0;
    gm_csv *csv = t->own;
    pthread_mutex_lock(&csv->lock);
    int64_t version = csv->plan->version;
    pthread_mutex_unlock(&csv->lock);
    return version;
}

/* ---- making ---- */

gm_code gm_csv_note_add(gm_cx *cx, gm_csv *csv, const char *column, const char *text)
{
    gm_csv_note *note;
    GM_NEW_IN(cx, &csv->notes_in, note, 1);
    GM_GOT(cx, note->text = gm_strdup(cx, &csv->notes_in, text));
    if (column) GM_GOT(cx, note->column = gm_strdup(cx, &csv->notes_in, column));
    *csv->last_note = note;
    csv->last_note = &note->next;
    return GM_OK;
}

gm_code gm_csv_note_uneven(gm_cx *cx, gm_csv *csv)
{
    return gm_csv_note_add(cx, csv, NULL, "lines end in more than one way (LF, CRLF, CR): a copy was read");
}

static gm_code declared(gm_cx *cx, gm_csv *csv, gm_csv_plan *p, const gm_csv_looked *look)
{
    const gm_doc *types = csv->o.types;
    for (int64_t i = 0; types && i < types->n; i++) {
        const gm_doc *d = &types->child[i];
        int j = 0;
        while (j < p->n && strcmp(p->col[j].name, d->key) != 0) j++;
        if (j == p->n) {
            const char *near = gm_nearest(d->key, look->name, look->n);
            gm_code code =
                gm_fail(cx, GM_ESCHEMA, "%s: there is no column '%s'", gm_doc_where(cx, d), d->key);
            return near ? gm_hint_add(cx, code, "did you mean '%s'?", near) : code;
        }
        if (d->kind != GM_D_STR)
            return gm_fail(cx, GM_EPARAM, "%s: a type is a text like 'VARCHAR'", gm_doc_where(cx, d));
        GM_GOT(cx, p->col[j].type = gm_strdup(cx, &p->kept, d->str));
        p->col[j].kind = GM_CSV_NATIVE;
        if (strcasecmp(d->str, "VARCHAR") == 0) p->col[j].kind = GM_CSV_TEXT;
        if (csv->o.reject) continue;
        /* Ours are strict: no 1.5 becomes 2 on the way. */
        if (strcasecmp(d->str, "BIGINT") == 0) p->col[j].kind = GM_CSV_INT;
        if (strcasecmp(d->str, "DOUBLE") == 0) p->col[j].kind = GM_CSV_REAL;
        p->col[j].declared = p->col[j].kind != GM_CSV_NATIVE;
    }
    return GM_OK;
}

static gm_code first_notes(gm_cx *cx, gm_csv *csv, const gm_csv_plan *p, const gm_csv_looked *look)
{
    if (!look->header_sure)
        GM_TRY(gm_csv_note_add(
            cx, csv, NULL,
            look->header ? "the first line was taken for a header: if it is data, set header: false"
                         : "the first line was taken for data: if it names the columns, set header: true"));
    for (int j = 0; j < p->n; j++) {
        const gm_csv_column *c = &p->col[j];
        const char *text = NULL;
        if (c->kind == GM_CSV_UNSURE)
            text = "dates like 01/02/2024 can be read two ways: text, unless a day over 12 decides; "
                   "set dateformat: '%d/%m/%Y' or '%m/%d/%Y'";
        else if (c->kind == GM_CSV_TEXT && !c->declared && (look->saw[j] & GM_SAW_CODE) &&
                 !(look->saw[j] & GM_SAW_TEXT))
            text = "numbers with leading zeros or a plus are kept as text";
        else if (c->kind == GM_CSV_TEXT && !c->declared && look->odd[j])
            GM_GOT(cx,
                   text = gm_format(
                       cx, gm_scratch(cx),
                       "numbers, and '%.40s': read as text; set nullstr: '%.40s' if it means a missing value",
                       look->odd[j], look->odd[j]));
        if (text) GM_TRY(gm_csv_note_add(cx, csv, c->name, text));
    }
    return GM_OK;
}

static gm_code first_plan(gm_cx *cx, gm_csv *csv, gm_hub *hub, const gm_csv_looked *look)
{
    gm_csv_plan *p;
    GM_TRY(gm_csv_plan_new(cx, hub, look->n, &p));
    csv->plan = p;
    p->decimal = csv->o.decimal;
    for (int j = 0; j < p->n; j++) {
        gm_csv_column *c = &p->col[j];
        GM_GOT(cx, c->name = gm_strdup(cx, &p->kept, look->name[j]));
        c->kind = gm_csv_decide(look->saw[j], &c->day_first, &c->year_last);
        c->numbers_too = c->kind == GM_CSV_TEXT && (look->saw[j] & (GM_SAW_INT | GM_SAW_HUGE | GM_SAW_REAL));
        if (look->fits_format[j]) {
            c->kind = GM_CSV_NATIVE;
            c->type = csv->o.timestampformat && !csv->o.dateformat ? "TIMESTAMP" : "DATE";
            if (csv->o.timestampformat && csv->o.dateformat)
                c->type = look->saw[j] & GM_SAW_SLASH ? "DATE" : "TIMESTAMP";
        }
    }
    GM_TRY(declared(cx, csv, p, look));
    return first_notes(cx, csv, p, look);
}

/* File i, of which look tells the beginning: the database is told how its lines end, and reads a copy when
 * they end in several ways. */
static gm_code even(gm_cx *cx, gm_table *t, int64_t i, const gm_csv_looked *look)
{
    gm_csv *csv = t->own;
    const char **file = (const char **)(uintptr_t)&csv->files.v[i];
    char *copy;
    const char *tried = "";
    bool header = false;
    GM_GOT(cx, csv->end[i] = gm_strdup(cx, &t->kept, look->end));
    csv->blank[i] = look->blank;
    if (gm_csv_bare(*file)) {
        if (!look->mixed) return GM_OK;
        GM_TRY(gm_csv_even(cx, &t->kept, &t->kept, &csv->o, *file, &copy));
        *file = copy;
        csv->end[i] = "\n";
        return gm_csv_note_uneven(cx, csv);
    }
    for (int64_t j = 0; j < look->n; j++) header |= strchr(look->name[j], '\n') != NULL;
    if (header) GM_TRY(gm_csv_try_ends(cx, t->db, csv, i, look, &tried));
    csv->end[i] = tried; /* what was looked at had LF for all of them; the first line break tells, else */
    if (tried[0] || !header) return GM_OK;
    return gm_hint_add(
        cx, gm_fail(cx, GM_EFORMAT, "%s: lines end in more than one way: LF, CRLF or CR", csv->said[i]),
        "write it with one kind of line end, or as an uncompressed local file");
}

static gm_code same_headers(gm_cx *cx, gm_arena *a, gm_table *t, const gm_csv_looked *look)
{
    gm_csv *csv = t->own;
    for (int64_t i = 1; i < csv->files.n; i++) {
        gm_csv_looked other;
        csv->o.said = csv->said[i];
        GM_TRY(gm_csv_header(cx, a, t->db, csv->files.v[i], &csv->o, &other));
        bool same = other.n == look->n;
        int64_t j = 0;
        while (same && csv->o.header && j < other.n && strcmp(other.name[j], look->name[j]) == 0) j++;
        if (csv->o.header && !(same && j == other.n))
            return gm_hint_add(
                cx,
                gm_fail(
                    cx, GM_ESCHEMA,
                    "%s has other columns than %s: %lld and %lld of them, the first that differs is %s%s%s",
                    csv->files.v[i], csv->files.v[0], (long long)other.n, (long long)look->n,
                    j < other.n ? "'" : "", j < other.n ? other.name[j] : "missing", j < other.n ? "'" : ""),
                "open them as two tables and join them in SQL");
        GM_TRY(even(cx, t, i, &other));
    }
    return GM_OK;
}

static gm_code fill(gm_cx *cx, gm_table *t, const gm_doc *source, const gm_names *files)
{
    gm_arena *scratch = gm_scratch(cx);
    gm_csv_looked look;
    gm_csv *csv;
    const char **v;
    GM_NEW_IN(cx, &t->kept, csv, 1);
    csv->last_note = &csv->note;
    pthread_mutex_init(&csv->lock, NULL);
    t->own = csv;
    GM_NEW_IN(cx, &t->kept, v, files->n);
    GM_NEW_IN(cx, &t->kept, csv->end, files->n);
    GM_NEW_IN(cx, &t->kept, csv->blank, files->n);
    GM_NEW_IN(cx, &t->kept, csv->said, files->n);
    GM_NEW_IN(cx, &t->kept, csv->given, files->n);
    for (int64_t i = 0; i < files->n; i++) {
        bool spooled = strncmp(files->v[i], "/proc/self/fd/", 14) == 0;
        GM_GOT(cx, v[i] = gm_strdup(cx, &t->kept, files->v[i]));
        GM_GOT(cx, csv->said[i] = spooled ? t->label : gm_say_path(cx, &t->kept, v[i]));
    }
    t->files = csv->files = (gm_names){.n = files->n, .v = v};
    GM_TRY(gm_csv_options_read(cx, &t->kept, source, &csv->o));
    for (int64_t i = 0; i < files->n; i++)
        if (gm_csv_bare(v[i])) GM_TRY(gm_csv_recode(cx, &t->kept, &csv->o, v[i], &v[i]));
    if (gm_csv_bare(v[0])) csv->o.encoding = NULL;
    csv->o.said = csv->said[0];
    GM_TRY(gm_csv_look(cx, scratch, t->db, v[0], &csv->o, &look));
    csv->looked = look.rows;
    GM_TRY(even(cx, t, 0, &look));
    GM_TRY(gm_names_distinct(cx, &(gm_names){.n = look.n, .v = look.name}, t->label));
    GM_TRY(same_headers(cx, scratch, t, &look));
    GM_TRY(first_plan(cx, csv, t->db->hub, &look));
    csv->o.types = NULL; /* the document goes */
    memcpy(csv->given, csv->files.v, (size_t)csv->files.n * sizeof *v);
    return GM_OK;
}

gm_code gm_csv_table(gm_cx *cx, gm_db *db, const gm_doc *source, const gm_names *files, const char *label,
                     gm_table **out)
{
    gm_table *t;
    GM_TRY(gm_table_new(cx, &csv_kind, db, label, NULL, 0, &t));
    gm_code code = fill(cx, t, source, files);
    if (code != GM_OK) return gm_table_unref(t), code;
    *out = t;
    return GM_OK;
}

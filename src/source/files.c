/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.c - tables from files: which files a path means, which format, and the tables of the formats that
 * carry their types with them (Parquet, JSON). CSV has its own file.
 */
#include "base/file.h"
#include "source/csv/csv.h"
#include "source/json_types.h"
#include "source/libsvm/libsvm.h"
#include "source/spool.h"
#include "source/table_own.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum format { CSV, PARQUET, JSON, ARROW, LIBSVM, UNKNOWN } format;
static const char *const format_words[] = {"csv", "parquet", "json", "arrow", "libsvm"};

static format by_suffix(const char *path)
{
    static const struct {
        const char *suffix;
        format f;
    } known[] = {
        {".csv", CSV},          {".tsv", CSV},          {".txt", CSV},       {".psv", CSV},
        {".parquet", PARQUET},  {".pq", PARQUET},       {".json", JSON},     {".jsonl", JSON},
        {".ndjson", JSON},      {".arrow", ARROW},      {".feather", ARROW}, {".ipc", ARROW},
        {".csv.gz", CSV},       {".tsv.gz", CSV},       {".csv.zst", CSV},   {".json.gz", JSON},
        {".jsonl.gz", JSON},    {".ndjson.gz", JSON},   {".libsvm", LIBSVM}, {".svm", LIBSVM},
        {".svmlight", LIBSVM},  {".libsvm.gz", LIBSVM}, {".svm.gz", LIBSVM}, {".svmlight.gz", LIBSVM},
        {".libsvm.zst", LIBSVM}};
    size_t n = strcspn(path, "?"); /* of a URL with a query */
    for (int64_t i = 0; i < GM_COUNT(known); i++) {
        size_t k = strlen(known[i].suffix);
        if (n >= k && strncasecmp(path + n - k, known[i].suffix, k) == 0) return known[i].f;
    }
    return UNKNOWN;
}

bool gm_names_a_file(const char *text)
{
    struct stat st;
    if (by_suffix(text) != UNKNOWN || strcmp(text, "-") == 0) return true;
    return strpbrk(text, "./") && stat(text, &st) == 0 && !S_ISDIR(st.st_mode);
}

static format by_start(const char *path)
{
    char start[64] = "";
    FILE *f = fopen(path, "rb");
    if (f == NULL) return CSV;
    size_t n = fread(start, 1, sizeof start - 1, f), i = 0;
    fclose(f);
    if (n >= 4 && memcmp(start, "PAR1", 4) == 0) return PARQUET;
    if (n >= 6 && memcmp(start, "ARROW1", 6) == 0) return ARROW;
    while (i < n && strchr(" \t\r\n", start[i])) i++;
    return start[i] == '{' || start[i] == '[' ? JSON : CSV;
}

static gm_code format_of(gm_cx *cx, const gm_doc *source, const char *file, bool spooled, format *out)
{
    const char *word;
    GM_TRY(gm_doc_str(cx, source, "format", NULL, &word));
    *out = UNKNOWN;
    if (word == NULL) {
        *out = spooled ? by_start(file) : by_suffix(file);
        if (*out == UNKNOWN) *out = gm_path_remote(file) ? CSV : by_start(file);
        return GM_OK;
    }
    for (int i = 0; i < UNKNOWN; i++)
        if (strcmp(word, format_words[i]) == 0) *out = (format)i;
    if (*out != UNKNOWN) return GM_OK;
    const char *near = gm_nearest(word, format_words, UNKNOWN);
    return gm_hint_add(cx,
                       gm_fail(cx, GM_EPARAM, "%s: there is no format '%s'",
                               gm_doc_where(cx, gm_doc_get(source, "format")), word),
                       "csv, parquet, json, arrow and libsvm there are%s%s%s", near ? "; did you mean " : "",
                       near ? near : "", near ? "?" : "");
}

/* ---- which files ---- */

static gm_code glob_files(gm_cx *cx, gm_arena *a, gm_db *db, const char *path, gm_names *out)
{
    gm_con *con;
    gm_grid g;
    gm_buf b = gm_buf_in(cx, a);
    GM_TRY(gm_con_open(cx, a, db, &con));
    gm_buf_str(&b, "SELECT file FROM glob(");
    gm_buf_literal(&b, path);
    gm_buf_str(&b, ") ORDER BY file");
    GM_TRY(gm_buf_done(&b));
    GM_TRY(gm_con_grid(con, a, b.p, &g));
    char *said = gm_redact(cx, a, path);
    GM_GOT(cx, said);
    if (g.rows == 0)
        return gm_hint_add(cx, gm_fail(cx, GM_ENOENT, "no file matches %s", said),
                           "a relative path starts at the working directory");
    *out = (gm_names){.n = g.rows, .v = g.text};
    return GM_OK;
}

static gm_code one_file(gm_cx *cx, gm_arena *a, const char *path, gm_names *out)
{
    struct stat st;
    const char **v;
    GM_NEW_IN(cx, a, v, 1);
    *out = (gm_names){.n = 1, .v = v};
    if (gm_path_remote(path)) return v[0] = path, GM_OK;
    if (strncmp(path, "file://", 7) == 0) path += 7;
    if (stat(path, &st) != 0) return gm_fail_errno(cx, errno, "cannot read", path);
    if (S_ISDIR(st.st_mode)) return gm_fail_errno(cx, EISDIR, "cannot read", path);
    if (access(path, R_OK) != 0) return gm_fail_errno(cx, errno, "cannot read", path);
    char whole[PATH_MAX]; /* a table must mean the same file when the working directory changes */
    if (realpath(path, whole) == NULL) return gm_fail_errno(cx, errno, "cannot read", path);
    v[0] = gm_strdup(cx, a, whole);
    GM_GOT(cx, v[0]);
    return GM_OK;
}

/* Standard input, a pipe or a device, copied aside: a table is read more than once. */
static gm_code spool(gm_cx *cx, gm_arena *kept, gm_arena *a, const char *path, bool standard, gm_names *out)
{
    const char **v;
    char *copy;
    gm_arena closing = {0};
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return gm_fail_errno(cx, errno, "cannot read", path);
    if (!standard) GM_TRY(gm_own_fd(cx, &closing, fd));
    gm_code code = gm_spool_copy(cx, kept, a, fd, standard ? "standard input" : path, &copy);
    gm_arena_end(&closing);
    GM_TRY(code);
    GM_NEW_IN(cx, a, v, 1);
    v[0] = copy;
    *out = (gm_names){.n = 1, .v = v};
    return GM_OK;
}

/* What can be read but once. */
static bool passes(const char *path)
{
    struct stat st;
    return !gm_path_remote(path) && stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* ---- Parquet and JSON ---- */

static gm_code plain_body(gm_cx *cx, const gm_table *t, gm_run *run, gm_buf *b)
{
    (void)cx, (void)run;
    gm_buf_printf(b, "SELECT * FROM %s([", (const char *)t->own);
    for (int64_t i = 0; i < t->files.n; i++) {
        if (i) gm_buf_str(b, ", ");
        gm_buf_literal(b, t->files.v[i]);
    }
    gm_buf_printf(b, "]%s)", t->sql);
    return b->code;
}

static gm_code plain_text(gm_cx *cx, const gm_table *t, gm_buf *b)
{
    (void)cx;
    gm_buf_printf(b, "SELECT * FROM %s(", (const char *)t->own);
    gm_buf_literal(b, t->label);
    gm_buf_str(b, ")");
    return b->code;
}

static const gm_table_kind parquet_kind = {.name = "parquet", .body = plain_body, .text = plain_text};
static const gm_table_kind json_kind = {.name = "json", .body = plain_body, .text = plain_text};

static gm_code plain_table(gm_cx *cx, gm_db *db, format f, const gm_names *files, const char *label,
                           gm_table **out)
{
    gm_table *t;
    const char **v;
    GM_TRY(gm_table_new(cx, f == PARQUET ? &parquet_kind : &json_kind, db, label, NULL, 0, &t));
    t->own = f == PARQUET ? "read_parquet" : "read_json";
    v = gm_alloc(cx, &t->kept, files->n, sizeof *v);
    bool ok = v != NULL;
    for (int64_t i = 0; ok && i < files->n; i++) ok = (v[i] = gm_strdup(cx, &t->kept, files->v[i])) != NULL;
    if (!ok) return gm_table_unref(t), gm_why_null(cx);
    t->files = (gm_names){.n = files->n, .v = v};
    const gm_columns *cols; /* the file is looked at now, so that its errors come from here */
    t->sql = "";
    gm_code code = f == JSON ? gm_json_pin_types(cx, t) : GM_OK;
    if (code == GM_OK) code = gm_table_schema(cx, t, &cols);
    if (code == GM_OK && cols->n == 0) code = gm_fail(cx, GM_EFORMAT, "%s has no columns", t->label);
    if (code != GM_OK) {
        gm_table_unref(t);
        return gm_within(cx, code, "%s", label);
    }
    *out = t;
    return GM_OK;
}

/* ---- sources ---- */

static bool listed(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0) names++;
    return *names != NULL;
}

static const char *const source_keys[] = {
    "path",    "format",   "delim",   "quote",      "escape",          "header",
    "nullstr", "encoding", "decimal", "dateformat", "timestampformat", "types",
    "ragged",  "bad_rows", "skip",    "index_base", "num_features",    NULL};

/* An option that a format does not know must not be passed over in silence. */
static gm_code check_keys(gm_cx *cx, const gm_doc *source, format f)
{
    static const char *const shared[] = {"path", "format", NULL},
                             *const of_both[] = {"bad_rows", "encoding", NULL},
                             *const of_libsvm[] = {"index_base", "num_features", NULL};
    for (int64_t i = 0; i < source->n; i++) {
        const gm_doc *d = &source->child[i];
        bool libsvm = listed(of_libsvm, d->key), both = listed(of_both, d->key);
        if (listed(shared, d->key) || d->kind == GM_D_NULL) continue;
        if (f == CSV ? !libsvm : f == LIBSVM && (libsvm || both)) continue;
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EPARAM, "%s: %s is an option of %s files", gm_doc_where(cx, d),
                                   d->key, libsvm ? "LIBSVM" : "CSV"),
                           "leave it out, or set format: %s if this is one", libsvm ? "libsvm" : "csv");
    }
    return GM_OK;
}

/* meant: told whether the options are for a file of its format; NULL: they have to be. */
static gm_code make(gm_cx *cx, gm_arena *a, gm_db *db, const gm_doc *source, const char *path, bool *meant,
                    gm_table **out)
{
    gm_names files = {0};
    format f = UNKNOWN;
    gm_arena spooled = {0};
    bool standard = strcmp(path, "-") == 0, aside = standard || passes(path);
    gm_code code;
    if (gm_path_remote(path)) GM_TRY(gm_db_httpfs(cx, db));
    if (aside) code = spool(cx, &spooled, a, path, standard, &files);
    else if (strpbrk(path, "*?[") && access(path, F_OK) != 0) code = glob_files(cx, a, db, path, &files);
    else code = one_file(cx, a, path, &files);
    const char *first = files.n > 0 ? files.v[0] : path; /* of several files it tells the format */
    if (code == GM_OK) code = format_of(cx, source, first, aside, &f);
    if (code == GM_OK && f == ARROW)
        code = gm_hint_add(
            cx, gm_fail(cx, GM_EFORMAT, "%s is an Arrow file, which DuckDB does not read", path),
            "write it as Parquet, or hand it over as a stream: gm_table_arrow, gm.table(pyarrow...)");
    bool plain = f == PARQUET || f == JSON;
    if (meant) *meant = code == GM_OK && !plain;
    if (code == GM_OK && (meant == NULL || !plain)) code = check_keys(cx, source, f);
    const char *label = standard ? "standard input" : path;
    if (code == GM_OK)
        code = f == CSV      ? gm_csv_table(cx, db, source, &files, label, out)
               : f == LIBSVM ? gm_libsvm_table(cx, db, source, &files, label, out)
                             : plain_table(cx, db, f, &files, label, out);
    if (code != GM_OK) return gm_arena_end(&spooled), code;
    (*out)->spooled = spooled;
    return GM_OK;
}

static gm_code from_map(gm_cx *cx, const gm_doc *source, bool *meant, gm_table **out)
{
    gm_db *db;
    const char *path;
    if (source->kind != GM_D_MAP)
        return gm_fail(cx, GM_EPARAM, "%s: a source is {\"path\": ...}", gm_doc_where(cx, source));
    GM_TRY(gm_doc_only(cx, source, "option of a source", source_keys));
    GM_TRY(gm_doc_str(cx, source, "path", NULL, &path));
    if (path == NULL || *path == 0)
        return gm_hint_add(cx, gm_fail(cx, GM_EPARAM, "%s: a source needs a path", gm_doc_where(cx, source)),
                           "a file, a glob, a URL, or - for standard input");
    GM_TRY(gm_db_main(cx, &db));
    gm_arena a = {0};
    gm_code code = make(cx, &a, db, source, path, meant, out);
    gm_arena_end(&a);
    gm_db_unref(db); /* the table has its own */
    return code;
}

gm_code gm_table_from_source(gm_cx *cx, const gm_doc *source, gm_table **out)
{
    return from_map(cx, source, NULL, out);
}

gm_code gm_table_from_file(gm_cx *cx, const char *path, const gm_doc *options, bool *meant, gm_table **out)
{
    int64_t n = options ? options->n : 0;
    gm_arena a = {0};
    gm_doc *child = gm_alloc(cx, &a, n + 1, sizeof *child);
    if (child == NULL) return gm_arena_end(&a), gm_why_null(cx);
    if (n) memcpy(child, options->child, (size_t)n * sizeof *child);
    child[n] = (gm_doc){.kind = GM_D_STR, .key = "path", .str = path, .origin = "FROM"};
    const gm_doc source = {.kind = GM_D_MAP, .n = n + 1, .child = child, .origin = "FROM"};
    gm_code code = from_map(cx, &source, meant, out);
    gm_arena_end(&a);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - rows to a file, or only counted; and what reading found out, for the report.
 *
 * The database writes to a file beside the target, which is renamed when all is well. Standard output and
 * devices get the rows from a file without a name: a reading that begins again must not have sent rows
 * already.
 */
#include "source/write.h"
#include "base/file.h"
#include "source/csv/csv.h"
#include "source/libsvm/libsvm.h"
#include "source/table_own.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- counting ---- */

static gm_code count_in(gm_cx *cx, gm_arena *a, const gm_table *t, int64_t *rows)
{
    gm_con *con;
    duckdb_result res;
    gm_query q = {.select = "SELECT count(*) FROM ", .progress = "count.progress"};
    GM_TRY(gm_table_query(cx, a, t, &q, &con, &res));
    duckdb_data_chunk chunk = con->duck->fetch_chunk(res);
    gm_code code = chunk ? GM_OK : gm_fail(cx, GM_EINTERNAL, "a count has no row");
    if (chunk) {
        *rows = *(const int64_t *)con->duck->vector_get_data(con->duck->data_chunk_get_vector(chunk, 0));
        con->duck->destroy_data_chunk(&chunk);
    }
    con->duck->destroy_result(&res);
    return code;
}

gm_code gm_table_rows(gm_cx *cx, const gm_table *t, int64_t *rows)
{
    gm_arena a = {0};
    gm_code code = count_in(cx, &a, t, rows);
    gm_arena_end(&a);
    if (code == GM_OK) gm_table_was_read(t, *rows);
    return code;
}

/* ---- writing ---- */

typedef struct form {
    const char *word, *options;
} form;
static const form forms[] = {
    {"csv", "FORMAT csv, HEADER true"}, {"parquet", "FORMAT parquet"}, {"json", "FORMAT json"}};

static gm_code form_of(gm_cx *cx, const char *path, const char *word, const form **out)
{
    static const struct {
        const char *suffix;
        int form;
    } known[] = {{".csv", 0}, {".tsv", 0},  {".txt", 0},   {".csv.gz", 0}, {".csv.zst", 0}, {".parquet", 1},
                 {".pq", 1},  {".json", 2}, {".jsonl", 2}, {".ndjson", 2}, {".json.gz", 2}, {".jsonl.gz", 2}};
    static const char *const words[] = {"csv", "parquet", "json"};
    size_t n = strlen(path);
    *out = NULL;
    for (int64_t i = 0; word && i < GM_COUNT(forms); i++)
        if (strcmp(word, forms[i].word) == 0) *out = &forms[i];
    for (int64_t i = 0; word == NULL && i < GM_COUNT(known); i++) {
        size_t k = strlen(known[i].suffix);
        if (n > k && strcasecmp(path + n - k, known[i].suffix) == 0) *out = &forms[known[i].form];
    }
    if (word == NULL && *out == NULL && (strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0))
        *out = &forms[0];
    if (*out) return GM_OK;
    if (word == NULL)
        return gm_hint_add(cx, gm_fail(cx, GM_EUSAGE, "%s: the suffix names no format", path),
                           "end it in .csv, .parquet or .json, or name the format");
    const char *near = gm_nearest(word, words, GM_COUNT(words));
    return gm_hint_add(cx, gm_fail(cx, GM_EUSAGE, "tables are not written as '%s'", word),
                       "csv, parquet and json can be%s%s%s", near ? "; did you mean " : "", near ? near : "",
                       near ? "?" : "");
}

static gm_code copy_to(gm_cx *cx, gm_arena *a, const gm_table *t, const char *path, const form *f,
                       const char *suffix, int64_t *rows)
{
    gm_con *con;
    duckdb_result res;
    gm_buf b = gm_buf_in(cx, a);
    gm_buf_str(&b, ") TO ");
    gm_buf_literal(&b, path);
    gm_buf_printf(&b, " (%s, USE_TMP_FILE false%s)", f->options, suffix);
    GM_TRY(gm_buf_done(&b));
    gm_query q = {.before = "COPY (", .select = "SELECT * FROM ", .after = b.p, .progress = "write.progress"};
    GM_TRY(gm_table_query(cx, a, t, &q, &con, &res));
    *rows = (int64_t)con->duck->rows_changed(&res);
    con->duck->destroy_result(&res);
    return GM_OK;
}

static gm_code pour(gm_cx *cx, gm_arena *a, int from, int to, const char *path)
{
    enum { PIECE = 1 << 16 };
    char *piece;
    GM_NEW_IN(cx, a, piece, PIECE);
    for (;;) {
        GM_TRY(gm_check_cancel(cx));
        ssize_t n = read(from, piece, PIECE);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return gm_fail_errno(cx, errno, "cannot read", gm_spill_dir(cx));
        if (n == 0) return GM_OK;
        for (ssize_t done = 0; done < n;) {
            ssize_t k = write(to, piece + done, (size_t)(n - done));
            if (k < 0 && errno == EINTR) continue;
            if (k < 0) return gm_fail_errno(cx, errno, "cannot write", path);
            done += k;
        }
    }
}

static gm_code write_through(gm_cx *cx, gm_arena *a, const gm_table *t, const char *path, const form *f,
                             int64_t *rows)
{
    char *spool = gm_format(cx, a, "%s/gristmill-out-XXXXXX", gm_spill_dir(cx));
    GM_GOT(cx, spool);
    int fd = mkostemp(spool, O_CLOEXEC), to = STDOUT_FILENO;
    if (fd < 0) return gm_fail_errno(cx, errno, "cannot write", spool);
    unlink(spool);
    GM_TRY(gm_own_fd(cx, a, fd));
    if (strcmp(path, "-") != 0) {
        to = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
        if (to < 0) return gm_fail_errno(cx, errno, "cannot write", path);
        GM_TRY(gm_own_fd(cx, a, to));
    }
    char *name = gm_format(cx, a, "/proc/self/fd/%d", fd);
    GM_GOT(cx, name);
    GM_TRY(copy_to(cx, a, t, name, f, "", rows));
    if (lseek(fd, 0, SEEK_SET) < 0) return gm_fail_errno(cx, errno, "cannot read", gm_spill_dir(cx));
    return pour(cx, a, fd, to, path);
}

static const char *packing(const char *path)
{
    size_t n = strlen(path);
    if (n > 3 && strcasecmp(path + n - 3, ".gz") == 0) return ", COMPRESSION gzip";
    if (n > 4 && strcasecmp(path + n - 4, ".zst") == 0) return ", COMPRESSION zstd";
    if (n > 4 && strcasecmp(path + n - 4, ".tsv") == 0) return ", DELIMITER '\t'";
    return "";
}

static gm_code write_in(gm_cx *cx, gm_arena *a, const gm_table *t, const char *path, const char *format,
                        int64_t *rows)
{
    const form *f;
    gm_writer *w;
    struct stat st;
    GM_TRY(form_of(cx, path, format, &f));
    if (t->db->locked)
        return gm_hint_add(
            cx, gm_fail(cx, GM_EUSAGE, "the table of a pipeline's SQL can be read, and not be written"),
            "fetch its rows with gm_table_export");
    if (gm_path_remote(path)) {
        GM_TRY(gm_db_httpfs(cx, t->db));
        return copy_to(cx, a, t, path, f, packing(path), rows);
    }
    bool device = strcmp(path, "-") == 0 ||
                  (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) ||
                  strncmp(path, "/dev/", 5) == 0;
    if (device) return write_through(cx, a, t, path, f, rows);
    GM_TRY(gm_writer_begin(cx, a, path, &w));
    gm_code code = copy_to(cx, a, t, gm_writer_path(w), f, packing(path), rows);
    if (code == GM_OK) return gm_writer_commit(cx, w);
    return gm_within(cx, code, "writing %s", path);
}

/* JSON has no NaN and no infinity: such numbers, also in lists, are written as null. *out: a new reference.
 */
static gm_code json_safe(gm_cx *cx, gm_arena *a, const gm_table *t, gm_table **out)
{
    const gm_columns *s;
    gm_buf b = gm_buf_in(cx, a);
    GM_TRY(gm_table_schema(cx, t, &s));
    for (int64_t i = 0; i < s->n; i++) {
        const char *type = s->field[i].type;
        bool list = strcmp(type, "DOUBLE[]") == 0 || strcmp(type, "FLOAT[]") == 0;
        if (!list && strcmp(type, "DOUBLE") != 0 && strcmp(type, "FLOAT") != 0) continue;
        gm_buf_str(&b, b.len ? ", " : "* REPLACE (");
        gm_buf_str(&b, list ? "list_transform(" : "CASE WHEN isfinite(");
        gm_buf_ident(&b, s->field[i].name);
        gm_buf_str(&b, list ? ", lambda x: CASE WHEN isfinite(x) THEN x END)" : ") THEN ");
        if (!list) gm_buf_ident(&b, s->field[i].name), gm_buf_str(&b, " END");
        gm_buf_str(&b, " AS ");
        gm_buf_ident(&b, s->field[i].name);
    }
    if (b.len == 0) return *out = gm_table_ref(t), GM_OK;
    gm_buf_str(&b, ")");
    GM_TRY(gm_buf_done(&b));
    return gm_table_select(cx, t, b.p, "", out);
}

static gm_code write_table(gm_cx *cx, gm_arena *a, const gm_table *t, const char *path, const char *format,
                           int64_t *rows)
{
    const form *f;
    gm_table *safe;
    GM_TRY(form_of(cx, path, format, &f));
    if (strcmp(f->word, "json") != 0 || t->db->locked) return write_in(cx, a, t, path, format, rows);
    GM_TRY(json_safe(cx, a, t, &safe));
    gm_code code = write_in(cx, a, safe, path, format, rows);
    gm_table_free(safe);
    return code;
}

gm_code gm_table_write_to(gm_cx *cx, const gm_table *t, const char *path, const char *format, int64_t *rows)
{
    gm_arena a = {0};
    int64_t n = 0;
    gm_code code = write_table(cx, &a, t, path, format, &n);
    gm_arena_end(&a);
    if (code != GM_OK) return code;
    gm_table_was_read(t, n);
    if (rows) *rows = n;
    return GM_OK;
}

/* ---- the report ---- */

gm_code gm_table_report_json(gm_cx *cx, const gm_table *t, gm_buf *b, const char *key)
{
    gm_arena a = {0};
    const gm_table **all;
    int n = 0;
    int64_t rejected = 0, rows = atomic_load(&t->rows);
    gm_buf rejects = gm_buf_in(cx, &a), types = gm_buf_in(cx, &a), notes = gm_buf_in(cx, &a);
    gm_code code = gm_table_all(cx, &a, t, &all, &n);
    gm_json_open(&rejects, NULL, '[');
    gm_json_open(&types, NULL, '{');
    gm_json_open(&notes, NULL, '[');
    for (int i = 0; i < n && code == GM_OK; i++) {
        if (gm_is_csv(all[i])) gm_csv_report(all[i], &rejects, &types, &notes, &rejected);
        else if (gm_is_libsvm(all[i])) gm_libsvm_report(all[i], &rejects, &types, &notes, &rejected);
    }
    gm_json_close(&rejects, ']');
    gm_json_close(&types, '}');
    gm_json_close(&notes, ']');
    if (code == GM_OK) code = gm_buf_done(&rejects);
    if (code == GM_OK) code = gm_buf_done(&types);
    if (code == GM_OK) code = gm_buf_done(&notes);
    if (code == GM_OK) {
        gm_json_open(b, key, '{');
        if (rows >= 0) gm_json_int(b, "rows", rows);
        else gm_json_null(b, "rows");
        gm_json_int(b, "rejected", rejected);
        gm_json_raw(b, "rejects", rejects.p);
        gm_json_raw(b, "types", types.p);
        gm_json_raw(b, "notes", notes.p);
        gm_json_close(b, '}');
        code = b->code;
    }
    gm_arena_end(&a);
    return code;
}

void gm_table_was_read(const gm_table *t, int64_t rows)
{
    atomic_store(&((gm_table *)(uintptr_t)t)->rows, rows);
}

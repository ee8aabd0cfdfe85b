/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conform.h - what the conformance programs share: sessions, data files, fitting through the public
 * functions, results as text, and complaints, which are counted so that one stage's failure does not hide
 * another's.
 */
#ifndef GM_TESTS_CONFORM_H
#define GM_TESTS_CONFORM_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arrow_text.h"
#include "pipelines.h"
#include <gristmill.h>
#include <unistd.h>

/* Sanitizers cost ten times the time: sizes that may be smaller then. */
#ifdef GM_SANITIZED
enum { SLOW = 1 };
#else
enum { SLOW = 0 };
#endif

static char folder[256];
static int complaints, share, shares = 1;

/* "1/4": the second of four programs that share the stages among them. */
static inline void take_share(int argc, char **argv)
{
    if (argc > 1 && (sscanf(argv[1], "%d/%d", &share, &shares) != 2 || share < 0 || share >= shares)) {
        fprintf(stderr, "%s: expected K/N, found %s\n", argv[0], argv[1]);
        exit(2);
    }
}

/* For what is not done stage by stage: leaves it to one of the programs. */
static inline void only_in(int which)
{
    if (which % shares != share) skip();
}

static inline void complain(const variant *v, const char *fmt, ...)
{
    static const variant *said;
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (++complaints > 60) return;
    print_error("%s: %s\n", v->name, text);
    if (said != v) print_error("    %s\n", v->json);
    said = v;
}

static inline bool fine(gm_cx *cx, const variant *v, const char *what, gm_code c)
{
    if (c != GM_OK) complain(v, "%s: %s: %s (%s)", what, gm_code_name(c), gm_message(cx), gm_hint(cx));
    return c == GM_OK;
}

static inline void no_complaints(void)
{
    int n = complaints;
    complaints = 0;
    if (n > 0) fail_msg("%d complaints", n);
}

/* Calls check for every stage of both lists, or this program's share of them, and each of its pipelines. */
static inline void for_all(void (*check)(const variant *v), const char *more)
{
    int at = 0;
    for (int l = 0; l < 2; l++)
        for (const gm_stage *const *s = l ? gm_learners : gm_features; *s; s++) {
            variant v[MOST_VARIANTS];
            if (at++ % shares != share) continue;
            int n = variants_of(*s, more, v);
            assert_true(n > 0);
            for (int k = 0; k < n; k++) check(&v[k]);
        }
    no_complaints();
}

/* ---- data: n0 n1 n2 numbers, k0 k1 of 0 1 2, t0 t1 texts, label 0 or 1, weight 1 to 3 ---- */

typedef enum shape { PLAIN, SHUFFLED, REPEATED, CONSTANT, MISSING } shape;
static const char *const words[] = {"red", "green", "blue", "round", "long", "old", "Gr\xc3\xbcn", "x-1"};

static inline uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 31) * 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 29) * 0xBF58476D1CE4E5B9u;
    return x ^ x >> 32;
}
static inline unsigned draw(int64_t row, int column, unsigned n)
{
    return (unsigned)(mix((uint64_t)row * 64 + (unsigned)column + 1) % n);
}
static inline double real_of(int64_t row, int column) { return draw(row, column, 4000) / 1000.0; }
static inline unsigned weight_of(int64_t row) { return 1 + draw(row, 8, 3); }
/* Level 0 is the most frequent, so that order of frequency is known. */
static inline unsigned level_of(int64_t row, int column)
{
    static const uint8_t of[16] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3};
    return of[draw(row, column, 16)];
}

static inline void write_row(FILE *f, int64_t row, shape how)
{
    if (how == MISSING) {
        fprintf(f, ",,,,,,,%u,%u\n", draw(row, 7, 2), weight_of(row));
        return;
    }
    int64_t r = how == CONSTANT ? 1 : row;
    double x = real_of(r, 0), score = x + level_of(r, 5) + 0.001 * draw(row, 7, 3000);
    fprintf(f, "%.3f,%.3f,%.3f,%u,%u,%s %s,%s,%d,%u\n", x, real_of(r, 1), 100 * real_of(r, 2), draw(r, 3, 3),
            draw(r, 4, 3), words[level_of(r, 5)], words[draw(r, 9, 8)], words[level_of(r, 6)],
            how == CONSTANT ? (int)(row % 2) : score > 4.4, weight_of(row));
}

static inline const char *file_of(const char *name, int64_t rows, shape how)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s.csv", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("n0,n1,n2,k0,k1,t0,t1,label,weight\n", f);
    for (int64_t i = 0; i < rows; i++) {
        int64_t row = how == SHUFFLED ? (i * 1237 + 11) % rows : i;
        for (unsigned k = how == REPEATED ? weight_of(row) : 1; k > 0; k--) write_row(f, row, how);
    }
    assert_int_equal(fclose(f), 0);
    return path;
}

/* A table over such a file. Types are told: a column without values has none. */
static inline gm_table *table_of(gm_cx *cx, const char *name, int64_t rows, shape how)
{
    char source[1024];
    gm_table *t = NULL;
    snprintf(
        source, sizeof source,
        "{\"path\": \"%s\", \"types\": {\"n0\": \"DOUBLE\", \"n1\": \"DOUBLE\", \"n2\": \"DOUBLE\", \"k0\": "
        "\"INTEGER\", \"k1\": \"INTEGER\", \"t0\": \"VARCHAR\", \"t1\": \"VARCHAR\", \"label\": \"INTEGER\", "
        "\"weight\": \"INTEGER\"}}",
        file_of(name, rows, how));
    gm_code c = gm_table_open(cx, source, &t);
    if (c != GM_OK) fail_msg("%s: %s", source, gm_message(cx));
    return t;
}

/* ---- fits and their results ---- */

static inline gm_code fit(gm_cx *cx, const variant *v, const gm_table *t, const char *options, gm_model **m)
{
    gm_pipeline *p;
    gm_code c = gm_pipeline_parse(cx, v->json, "", NULL, 0, &p);
    if (c == GM_OK) c = gm_fit(cx, p, t, options, m), gm_pipeline_free(p);
    return c;
}

/* All states of all stages, bit for bit; NULL: complained. The caller frees. */
static inline char *states_text(gm_cx *cx, const variant *v, const gm_model *m)
{
    char *text = NULL;
    size_t size;
    bool good = true;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    for (int i = 0; i < v->n && good; i++)
        for (const gm_state *s = v->chain[i]->states;
             good && s && s->name && v->chain[i]->kind != GM_TRANSFORMER; s++) {
            struct ArrowArray a;
            struct ArrowSchema schema;
            good = fine(cx, v, s->name, gm_model_state(cx, m, i, s->name, &a, &schema));
            if (!good) break;
            fprintf(f, "%d.%s\n", i, s->name);
            arrow_lines(f, &schema, &a);
            a.release(&a);
            schema.release(&schema);
        }
    fclose(f);
    if (good) return text;
    free(text);
    return NULL;
}

/* What the model adds to the rows of t; NULL: *code says why. */
static inline char *outputs_text(gm_cx *cx, const gm_model *m, const gm_table *t, gm_code *code)
{
    static const char *const name = "t";
    gm_table *out = NULL, *only = NULL;
    struct ArrowArrayStream stream;
    char *text = NULL;
    size_t size;
    *code = gm_model_transform(cx, m, t, "{\"intermediate\": true}", &out);
    if (*code == GM_OK)
        *code = gm_table_sql(cx, "SELECT * EXCLUDE (n0, n1, n2, k0, k1, t0, t1, label, weight) FROM t", &name,
                             &out, 1, &only);
    if (*code == GM_OK) *code = gm_table_export(cx, only, &stream);
    if (*code == GM_OK) {
        FILE *f = open_memstream(&text, &size);
        assert_non_null(f);
        if (!arrow_stream_lines(f, &stream)) *code = GM_EDATA;
        fclose(f);
    }
    gm_table_free(only);
    gm_table_free(out);
    if (*code == GM_OK) return text;
    free(text);
    return NULL;
}

/* Equal texts, or a complaint with the first line that differs. */
static inline void same_text(const variant *v, const char *what, const char *a, const char *b)
{
    if (a == NULL || b == NULL || strcmp(a, b) == 0) return;
    size_t i = 0, line = 0;
    for (; a[i] == b[i]; i++)
        if (a[i] == '\n') line = i + 1;
    complain(v, "%s: '%.*s' and '%.*s'", what, (int)strcspn(a + line, "\n"), a + line,
             (int)strcspn(b + line, "\n"), b + line);
}

/* The same with numbers that may differ by tol of their size or of 1. */
static inline void near_text(const variant *v, const char *what, const char *a, const char *b, double tol)
{
    const char *p = a, *q = b;
    while (p && q && (*p || *q)) {
        char *p_end, *q_end;
        double x = strtod(p, &p_end), y = strtod(q, &q_end);
        bool numbers = p_end > p && q_end > q;
        bool same =
            numbers ? x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= tol * fmax(1, fabs(x)) : *p == *q;
        if (!same) {
            complain(v, "%s: '%.*s' and '%.*s'", what, (int)strcspn(p, "\n"), p, (int)strcspn(q, "\n"), q);
            return;
        }
        p = numbers ? p_end : p + 1;
        q = numbers ? q_end : q + 1;
    }
}

static inline gm_cx *open_session(int threads)
{
    char options[128];
    gm_cx *cx = NULL;
    snprintf(options, sizeof options, "{\"threads\": %d, \"memory\": \"512MB\"}", threads);
    if (gm_open(options, &cx) != GM_OK) fail_msg("%s", cx ? gm_message(cx) : "no memory");
    return cx;
}

static inline int make_folder(void **state)
{
    const char *tmp = getenv("TMPDIR");
    (void)state;
    snprintf(folder, sizeof folder, "%s/gm-conform-XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int drop_folder(void **state)
{
    static const char *const names[] = {"plain",   "shuffled", "repeated", "constant",
                                        "missing", "one",      "empty",    "new"};
    char path[512];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s.csv", folder, names[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/model.gm", folder);
    unlink(path);
    return rmdir(folder);
}
#endif

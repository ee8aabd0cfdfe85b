/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv.h - CSV files. The dialect and a first guess at the types come from the beginning of the file
 * (csv_look.c); the database cuts the file into fields; every value is then read by our own strict functions
 * (csv_cast.c), which note what does not fit, over the whole file: the plan is widened and the query run
 * again (csv_plan.c).
 */
#ifndef GM_SOURCE_CSV_H
#define GM_SOURCE_CSV_H
#include "source/table_own.h"

/* How the values of a column are read, from narrow to wide. */
typedef enum gm_csv_kind {
    GM_CSV_BOOL,
    GM_CSV_INT,  /* BIGINT */
    GM_CSV_HUGE, /* HUGEINT: 19 to 38 digits */
    GM_CSV_REAL, /* DOUBLE */
    GM_CSV_DATE,
    GM_CSV_TIME,
    GM_CSV_STAMP,   /* TIMESTAMP */
    GM_CSV_STAMPTZ, /* TIMESTAMP WITH TIME ZONE */
    GM_CSV_UNSURE,  /* 01/02/2024: text, unless the whole column decides which is the day */
    GM_CSV_EMPTY,   /* nothing but missing values so far: text, unless values follow */
    GM_CSV_TEXT,
    GM_CSV_NATIVE /* a declared type, read by the database */
} gm_csv_kind;

/* What a value can be; the union over a column decides its kind. */
enum {
    GM_SAW_BOOL = 1,
    GM_SAW_INT = 2,
    GM_SAW_HUGE = 4,  /* an integer beyond 64 bits, at most 38 digits */
    GM_SAW_LONG = 8,  /* longer */
    GM_SAW_CODE = 16, /* digits with leading zeros or a plus: 007 */
    GM_SAW_REAL = 32,
    GM_SAW_DATE = 64,
    GM_SAW_TIME = 128,
    GM_SAW_STAMP = 256,
    GM_SAW_STAMPTZ = 512,
    GM_SAW_SLASH = 1024,      /* a date with the year last */
    GM_SAW_FIRST_OVER = 2048, /* whose first number is over 12 */
    GM_SAW_SECOND_OVER = 4096,
    GM_SAW_TEXT = 8192,
    GM_SAW_NAN = 16384 /* missing, whatever the numbers beside it are */
};

typedef struct gm_csv_column {
    const char *name;
    gm_csv_kind kind;
    bool day_first; /* GM_CSV_DATE written with the year last */
    bool year_last;
    const char *type; /* as declared */
    bool declared;    /* and never widened */
    bool numbers_too; /* TEXT for the sake of some values, beside numbers */
} gm_csv_column;

/* What did not fit a column, noted by any thread. */
typedef struct gm_csv_misfit {
    atomic_int saw;
    atomic_llong count;
    char text[64]; /* the first such value, cut; written by whoever set count from 0 */
} gm_csv_misfit;

/* One reading of a file: immutable but for the misfits. */
typedef struct gm_csv_plan {
    gm_live live;
    gm_arena kept;
    int64_t version;
    char decimal;
    int n;
    gm_csv_column *col;
    gm_csv_misfit *misfit;
} gm_csv_plan;

/* A CSV table. source: the options of gm_table_open; files: checked, at least one. */
gm_code gm_csv_table(gm_cx *cx, gm_db *db, const gm_doc *source, const gm_names *files, const char *label,
                     gm_table **out) GM_NODISCARD;
bool gm_is_csv(const gm_table *t);
int64_t gm_csv_version(const gm_table *t); /* 0 for other tables */
/* After a query: widens what did not fit (*again), tells of rows that were not read, keeps rejects for the
 * report. */
gm_code gm_csv_review(gm_cx *cx, gm_run *run, bool ran, bool *again) GM_NODISCARD;
/* Whether t reads a CSV that has a column of that name. */
bool gm_csv_has(gm_cx *cx, const gm_table *t, const char *column);
/* Says that a column of numbers holds text after all: which value, and in which line. Always a failure. */
gm_code gm_csv_not_a_number(gm_cx *cx, const gm_table *t, const char *column, const char *role) GM_NODISCARD;
void gm_csv_report(const gm_table *t, gm_buf *rejects, gm_buf *types, gm_buf *notes,
                   int64_t *rejected); /* JSON members */

/* ---- csv_value.c: one value ---- */
typedef struct gm_csv_read {
    int saw; /* GM_SAW_...; 0: blank */
    bool minus;
    uint64_t w;           /* INT: the magnitude; REAL: the first 19 digits */
    int exp10;            /* REAL: value is w * 10^exp10 when exact */
    bool exact, word;     /* REAL: no digit was cut; inf or nan */
    int year, month, day; /* DATE and STAMP; SLASH: first = day, second = month as written */
    int64_t micros;       /* TIME and STAMP: of the day, less the offset from UTC */
} gm_csv_read;
gm_csv_read gm_csv_see(const char *p, size_t n, char decimal);
bool gm_csv_real(const gm_csv_read *r, const char *p, size_t n, char decimal,
                 double *out); /* correctly rounded */
duckdb_hugeint gm_csv_huge(const char *p, size_t n);
int32_t gm_csv_days(int year, int month, int day); /* since 1970 */
/* ---- csv_cast.c: vectors of them ---- */
typedef struct gm_csv_cast {
    const gm_csv_column *col;
    gm_csv_misfit *misfit;
    char decimal;
    int64_t n;
    const gm_text *text;
    const uint64_t *valid; /* NULL: all */
    uint64_t *out_valid;   /* all set before */
    void *out;             /* n of the kind's type; of text kinds: n bytes of no meaning */
} gm_csv_cast;
void gm_csv_cast_run(gm_csv_cast *c);
int gm_csv_cast_type(gm_csv_kind kind); /* a duckdb_type */
extern const gm_function gm_csv_functions[];
#endif

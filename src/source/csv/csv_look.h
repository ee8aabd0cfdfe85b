/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_look.h - the beginning of a CSV file: its dialect, its header, and what its first values look like.
 */
#ifndef GM_SOURCE_CSV_LOOK_H
#define GM_SOURCE_CSV_LOOK_H
#include "source/csv/csv.h"

typedef struct gm_csv_options {
    char delim, quote, escape; /* 0: not given (delim), none (quote, escape) */
    char decimal;
    int header;   /* -1: find out */
    int64_t skip; /* lines before the header */
    gm_names nullstr;
    const char *encoding; /* NULL: UTF-8 */
    const char *dateformat, *timestampformat;
    const gm_doc *types;
    bool pad, reject;
    const char *said; /* the file as messages call it */
} gm_csv_options;

typedef struct gm_csv_looked {
    int64_t n;
    const char **name; /* of the columns; made up when there is no header */
    int *saw;          /* per column, GM_SAW_... of the first values */
    const char **
        odd; /* per column of numbers and text: the one text in it, when there is but one ("NA"), else NULL */
    bool *fits_format; /* per column: all values fit dateformat or timestampformat */
    int64_t rows;      /* looked at, without the header */
    bool header, header_sure;
    char end[3];        /* of the lines: LF, CRLF or CR; empty: not known */
    int64_t blank;      /* empty lines before the header */
    bool mixed, quoted; /* lines end in more than one way; some field is in quotes */
    int64_t records;    /* looked at, with the header */
} gm_csv_looked;

/* Reads the options of a source, with where they stood in messages. */
gm_code gm_csv_options_read(gm_cx *cx, gm_arena *a, const gm_doc *source, gm_csv_options *out) GM_NODISCARD;
/* Looks at a file; o is completed (delim, header, encoding by a byte order mark). */
gm_code gm_csv_look(gm_cx *cx, gm_arena *a, gm_db *db, const char *path, gm_csv_options *o,
                    gm_csv_looked *out) GM_NODISCARD;
/* Only the names in the header line and how lines end, for the second and later files of a table. */
gm_code gm_csv_header(gm_cx *cx, gm_arena *a, gm_db *db, const char *path, const gm_csv_options *o,
                      gm_csv_looked *out) GM_NODISCARD;
bool gm_csv_bare(const char *path); /* local and not compressed */
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_ends.h - where the records of a CSV file end, told from its bytes alone.
 */
#ifndef GM_SOURCE_CSV_ENDS_H
#define GM_SOURCE_CSV_ENDS_H
#include "source/csv/csv_own.h"

/* Of a local file in UTF-8, not compressed. */
typedef struct gm_csv_count {
    int64_t records, blank; /* the header among them; lines with nothing in them are not */
    bool mixed;             /* lines end in more than one way */
} gm_csv_count;
gm_code gm_csv_count_records(gm_cx *cx, const gm_csv_options *o, const char *path,
                             gm_csv_count *out) GM_NODISCARD;
/* The database counts no line breaks in quotes: its numbers of n lines, ascending, are made ours. Of files
 * that are not of that kind they stay. */
gm_code gm_csv_lines(gm_cx *cx, const gm_csv_options *o, const char *path, int64_t *line,
                     int64_t n) GM_NODISCARD;
/* A copy of such a file in which every line ends in LF, what is in quotes apart. */
gm_code gm_csv_even(gm_cx *cx, gm_arena *kept, gm_arena *a, const gm_csv_options *o, const char *path,
                    char **copy) GM_NODISCARD;
/* A copy in UTF-8 of a local file in another encoding, o's or as its first bytes tell; else path itself. */
gm_code gm_csv_recode(gm_cx *cx, gm_arena *kept, const gm_csv_options *o, const char *path,
                      const char **copy) GM_NODISCARD;
/* Where lines of t's files end in several ways, copies are made and read from now on: *made. Done once. */
gm_code gm_csv_make_even(gm_cx *cx, const gm_table *t, bool *made) GM_NODISCARD;
/* How the lines of file f end, which is not to be seen, by trying: what gives the records that were looked
 * at. *end empty: none does. */
gm_code gm_csv_try_ends(gm_cx *cx, gm_db *db, const gm_csv *csv, int64_t f, const gm_csv_looked *look,
                        const char **end) GM_NODISCARD;
#endif

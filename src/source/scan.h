/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.h - rows of a table into our own code: the database's threads push tiles of the wanted columns, once
 * per row.
 *
 * The query is SELECT sum(gm_push(scan, CAST(col AS type), ...)) FROM (table): measured the fastest of ten
 * ways.
 */
#ifndef GM_SOURCE_SCAN_H
#define GM_SOURCE_SCAN_H
#include "source/table.h"
#include "table/column.h"

typedef struct gm_want {
    const char *column;
    gm_type
        type; /* GM_T_REAL (NULL and NaN: NaN; booleans 0 / 1; dates and timestamps: seconds since 1970,
                 times of day: seconds), GM_T_TEXT (anything, as text; exact), GM_T_VECTOR (a list of numbers
                 or Spark's struct; width 0 when all rows are NULL), GM_T_WORDS (a list of texts) */
    const char *role; /* for messages: "label", "input of StandardScaler_1"; NULL: none */
} gm_want;

/*
 * Where rows go. open makes one task (a thread's own state; tasks may follow one another on a thread); push
 * takes a tile of 1 .. GM_TILE rows, columns in the order wanted, whose memory lasts until it returns. Both
 * are called from several threads at once, each task by one thread at a time. cx takes errors from any
 * thread; gm_scratch(cx) must not be used in them. restart forgets all that was pushed: the reading begins
 * again (a CSV column that had to become wider); tasks of before are not used again. restart may be NULL:
 * then such a column is an error.
 */
typedef struct gm_sink {
    void *arg;
    gm_code (*open)(gm_cx *cx, void *arg, void **task);
    gm_code (*push)(gm_cx *cx, void *arg, void *task, const gm_batch *batch);
    gm_code (*restart)(gm_cx *cx, void *arg);
} gm_sink;

typedef struct gm_scan_stats {
    int64_t rows;
    int64_t
        *inexact; /* per wanted column: integers beyond 2^53 that a REAL cannot hold exactly; in scratch */
    double seconds;
} gm_scan_stats;

/* Reads t once. Events: scan.begin, scan.progress, scan.done. stats may be NULL. */
gm_code gm_scan(gm_cx *cx, const gm_table *t, const gm_want *want, int n, const gm_sink *sink,
                gm_scan_stats *stats) GM_NODISCARD;
#endif

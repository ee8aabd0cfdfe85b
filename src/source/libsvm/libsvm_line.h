/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libsvm_line.h - one line of a LIBSVM or SVMlight file: "label [qid:number] index:value ... # comment".
 */
#ifndef GM_SOURCE_LIBSVM_LINE_H
#define GM_SOURCE_LIBSVM_LINE_H
#include <stddef.h>
#include <stdint.h>

typedef enum gm_libsvm_verdict {
    GM_LIBSVM_BLANK, /* nothing but a comment */
    GM_LIBSVM_ROW,
    GM_LIBSVM_LABEL, /* faults: there is no number where the label stands */
    GM_LIBSVM_QID,
    GM_LIBSVM_PAIR, /* a word that is no index:value */
    GM_LIBSVM_VALUE,
    GM_LIBSVM_ORDER, /* indices do not rise */
    GM_LIBSVM_LOW,   /* an index below the lowest */
    GM_LIBSVM_HIGH
} gm_libsvm_verdict;

/* The indices that may occur, as they are written. */
typedef struct gm_libsvm_range {
    int64_t lowest, highest;
} gm_libsvm_range;
#define GM_LIBSVM_MOST (INT32_MAX - 1) /* so that a width fits Spark's INTEGER, whatever the base */

typedef struct gm_libsvm_line {
    gm_libsvm_verdict verdict;
    double label;        /* NaN: missing */
    int64_t qid;         /* -1: none */
    int64_t n;           /* entries */
    int64_t first, last; /* of a row with entries: its smallest and largest index */
    const char *at;      /* of a fault: the word */
    size_t length;
    int64_t index, before; /* ORDER, LOW, HIGH: that index, and the one before it */
} gm_libsvm_line;

/* Reads the n bytes at p. idx (as written, less range->lowest) and val have room for gm_libsvm_room(p, n)
 * entries, or are both NULL. */
void gm_libsvm_read(const gm_libsvm_range *range, const char *p, size_t n, uint32_t *idx, double *val,
                    gm_libsvm_line *out);
static inline size_t gm_libsvm_room(const char *p, size_t n) /* no entry is without a colon */
{
    size_t colons = 0;
    for (size_t i = 0; i < n; i++) colons += p[i] == ':';
    return colons;
}
/* What is wrong with a line that is no row, for people. */
enum { GM_LIBSVM_SAID = 200 };
void gm_libsvm_say(const gm_libsvm_range *range, const gm_libsvm_line *line, char out[GM_LIBSVM_SAID]);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libsvm.h - LIBSVM files as tables of label, qid (where there is one) and features. The database cuts the
 * file into lines, as texts of a CSV with one column; a function of ours makes a row of each. Every line is
 * looked at when the table is opened: that gives the index base, the width and what is wrong, before anything
 * is made from it.
 */
#ifndef GM_SOURCE_LIBSVM_H
#define GM_SOURCE_LIBSVM_H
#include "source/libsvm/libsvm_line.h"
#include "source/table_own.h"

/* What the functions gm_libsvm_row and gm_libsvm_look work by; counts of what look saw. */
typedef struct gm_libsvm_reader {
    gm_live live;
    gm_arena kept;
    gm_libsvm_range range;
    bool reject;
    atomic_llong rows, faults, outside, qids; /* outside: of the faults, LOW and HIGH */
    atomic_llong first, last;                 /* indices as written; first > last: none */
} gm_libsvm_reader;
gm_code gm_libsvm_reader_new(gm_cx *cx, gm_hub *hub, const gm_libsvm_range *range,
                             gm_libsvm_reader **out) GM_NODISCARD;
gm_code gm_libsvm_register(gm_con *con) GM_NODISCARD;

typedef struct gm_libsvm_rejected {
    const char *file, *text, *reason;
    int64_t line;
} gm_libsvm_rejected;

typedef struct gm_libsvm {
    gm_libsvm_reader *reader;
    int64_t base, width;
    bool base_given, width_given, qid, reject;
    int64_t first, last; /* indices as written; first > last: none */
    int64_t line_size;   /* bytes that a line may have */
    const char **said;   /* each file as messages call it */
    int64_t n_rejected, n_kept;
    gm_libsvm_rejected *kept;
} gm_libsvm;

gm_code gm_libsvm_table(gm_cx *cx, gm_db *db, const gm_doc *source, const gm_names *files, const char *label,
                        gm_table **out) GM_NODISCARD;
bool gm_is_libsvm(const gm_table *t);
/* Tells the first line of t that has an index outside of range. Always a failure. */
gm_code gm_libsvm_fail(gm_cx *cx, const gm_table *t, const gm_libsvm_range *range,
                       const char *hint) GM_NODISCARD;
void gm_libsvm_report(const gm_table *t, gm_buf *rejects, gm_buf *types, gm_buf *notes,
                      int64_t *n_rejected); /* JSON members */
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entries.h - a sparse part built row by row: entries come in any order, equal indices of a row are added up.
 */
#ifndef GM_FEATURE_ENTRIES_H
#define GM_FEATURE_ENTRIES_H
#include "stage/stage.h"

typedef struct gm_entry {
    uint32_t idx, order; /* order of arrival in the row: sums do not depend on the sort */
    double val;
} gm_entry;

typedef struct gm_entries {
    gm_apply *ap;
    gm_entry *e;
    int64_t n, cap, *off;
    int64_t row; /* the row being filled */
} gm_entries;

/* expect: a guess of the number of entries. */
gm_code gm_entries_begin(gm_entries *s, gm_apply *ap, int64_t expect) GM_NODISCARD;
gm_code gm_entries_add(gm_entries *s, uint32_t idx, double val) GM_NODISCARD;
/* Sorts and adds up the row; sums below least are left out, and with ones the others become 1. */
void gm_entries_end_row(gm_entries *s, double least, bool ones);
/* Output k is the rows so far, as one sparse part. */
gm_code gm_entries_close(gm_entries *s, int k, int64_t width) GM_NODISCARD;
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - what can be done with a table as a whole: count, write, keep, split, hand out as Arrow.
 */
#ifndef GM_SOURCE_WRITE_H
#define GM_SOURCE_WRITE_H
#include "source/table.h"

struct ArrowArrayStream;

gm_code gm_table_rows(gm_cx *cx, const gm_table *t, int64_t *rows) GM_NODISCARD;
/* format NULL: by the suffix of path; "-" is standard output. rows may be NULL. */
gm_code gm_table_write_to(gm_cx *cx, const gm_table *t, const char *path, const char *format,
                          int64_t *rows) GM_NODISCARD;
/* What the functions of gristmill.h do. */
gm_code gm_table_keep(gm_cx *cx, const gm_table *t, const char *level, gm_table **out) GM_NODISCARD;
gm_code gm_table_parts(gm_cx *cx, const gm_table *t, const double *weights, int n, uint64_t seed,
                       const char *key, gm_table **out) GM_NODISCARD;
gm_code gm_table_from_arrow(gm_cx *cx, struct ArrowArrayStream *stream, const char *name,
                            gm_table **out) GM_NODISCARD;
gm_code gm_table_to_arrow(gm_cx *cx, const gm_table *t, struct ArrowArrayStream *out) GM_NODISCARD;
gm_code gm_table_say(gm_cx *cx, const gm_table *t, gm_buf *b) GM_NODISCARD; /* its SQL, for people */
void gm_table_was_read(const gm_table *t, int64_t rows);                    /* for the report */
#endif

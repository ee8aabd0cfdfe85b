/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns.h - what the feature stages share: Spark's column parameters, outputs of a tile, handleInvalid.
 */
#ifndef GM_FEATURE_COLUMNS_H
#define GM_FEATURE_COLUMNS_H
#include "stage/ports.h"

/* clang-format off */
/* One column in, one out. */
#define GM_ONE_FIELDS const char *inputCol, *outputCol
#define GM_ONE_ROWS(S, reads, writes) \
    {GM_STRING(S, inputCol, NULL), .role = GM_READS, .column = (reads), .required = true, \
     .help = "the column to read"}, \
    {GM_STRING(S, outputCol, NULL), .role = GM_WRITES, .column = (writes), .pairs_with = "inputCol", \
     .help = "the column to write; default: the input's name, _ and the stage's"}

/* One or several: Spark's four parameters. Input k belongs to output k. */
#define GM_MANY_FIELDS const char *inputCol, *outputCol; gm_names inputCols, outputCols
#define GM_MANY_ROWS(S, reads, writes) \
    {GM_STRING(S, inputCol, NULL), .role = GM_READS, .column = (reads), \
     .help = "the column to read (or inputCols)"}, \
    {GM_STRINGS(S, inputCols), .role = GM_READS, .column = (reads), \
     .help = "the columns to read (or inputCol)"}, \
    {GM_STRING(S, outputCol, NULL), .role = GM_WRITES, .column = (writes), .pairs_with = "inputCol", \
     .help = "the column to write; default: the input's name, _ and the stage's"}, \
    {GM_STRINGS(S, outputCols), .role = GM_WRITES, .column = (writes), .pairs_with = "inputCols", \
     .help = "the columns to write, one for each of inputCols; default: input's name, _ and the stage's"}
/* clang-format on */

extern const char *const gm_keep_words[]; /* "error", "keep": the stages that cannot skip; use GM_KEEP_KEEP */
enum { GM_KEEP_ERROR, GM_KEEP_KEEP };

/* What every output is until the stage knows more. */
gm_attr gm_attr_of(gm_type type, int64_t width);

/* The k-th output as ap->rows numbers to fill; NULL has failed. */
double *gm_out_real(gm_apply *ap, int k);
/* The k-th output as a vector of n parts to fill; NULL has failed. */
gm_part *gm_out_parts(gm_apply *ap, int k, int n, int64_t width);
/* The k-th output is the k-th input, as it is. */
void gm_out_same(gm_apply *ap, int k);

void gm_drop_row(gm_apply *ap, int64_t i);
/* The column name of input k, for messages. */
static inline const char *gm_in_name(const gm_node *node, int k) { return node->in[k].column; }
/* A value for messages: 'text' cut to 60 bytes, or NULL. Memory from a. */
const char *gm_show_text(gm_cx *cx, gm_arena *a, gm_text t);
/* A number for messages, in the shortest form. */
const char *gm_show_real(gm_cx *cx, gm_arena *a, double v);

/* A dictionary whose codes are the places in v; GM_EMODEL when a text is there twice. */
gm_code gm_index_of(gm_cx *cx, gm_arena *kept, const gm_node *node, const gm_texts *v,
                    gm_dict **out) GM_NODISCARD;

/* An accumulator of `size` bytes per output, zeroed. */
gm_code gm_begin_each(gm_cx *cx, gm_arena *a, const gm_node *node, size_t size, void **acc) GM_NODISCARD;
/* Checks that start holds n + 1 rising numbers from 0 to end. what names the array. GM_EMODEL. */
gm_code gm_verify_start(gm_cx *cx, const gm_node *node, const char *what, const int64_t *start, int64_t len,
                        int64_t n, int64_t end) GM_NODISCARD;
/* Checks that an array has one entry per output. GM_EMODEL. */
gm_code gm_verify_count(gm_cx *cx, const gm_node *node, const char *what, int64_t found,
                        int64_t expected) GM_NODISCARD;
#endif

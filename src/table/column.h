/* SPDX-License-Identifier: Apache-2.0 */
/*
 * column.h - columns and batches as the stages see them. Five types are enough inside the engine; the user's
 * own columns never pass through here, the database carries them along.
 *
 * Missing is one thing per type: NaN in a REAL column; a missing text (gm_text_missing, or code
 * GM_CODE_MISSING); an empty list in WORDS. Zero is zero.
 */
#ifndef GM_TABLE_COLUMN_H
#define GM_TABLE_COLUMN_H
#include "base/dict.h"
#include "kernel/block.h"

typedef enum gm_type {
    GM_T_REAL = 1,  /* double: numbers, booleans, indices */
    GM_T_TEXT = 2,  /* text */
    GM_T_WORDS = 4, /* a list of texts per row */
    GM_T_VECTOR = 8 /* numbers side by side, in parts */
} gm_type;
enum { GM_T_ANY = 15 };
const char *gm_type_name(unsigned mask); /* "number", "text", "words", "vector", "number or text" */

typedef struct gm_column {
    gm_type type;
    const double *real;   /* REAL */
    const gm_text *text;  /* TEXT by views; WORDS: the words of row i are off[i] .. off[i+1] */
    const uint32_t *code; /* TEXT, WORDS in dictionary form: text is NULL, codes into dict */
    const gm_dict *dict;
    const int64_t *off; /* WORDS: rows + 1 */
    int n_parts;        /* VECTOR */
    const gm_part *part;
    int64_t width;
} gm_column;

/* Some rows (at most GM_TILE) of a few columns. */
enum { GM_TILE = 2048 };
typedef struct gm_batch {
    int64_t rows;
    int n_cols;
    const gm_column *col;
} gm_batch;

/* Row i of a TEXT column in either form. */
static inline gm_text gm_column_text(const gm_column *c, int64_t i)
{
    if (c->text) return c->text[i];
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a TEXT column has text or code */
    return c->code[i] == GM_CODE_MISSING ? gm_text_none() : gm_dict_keys(c->dict)[c->code[i]];
}
/* Word k (an index between off[i] and off[i+1]) of a WORDS column in either form. */
static inline gm_text gm_column_word(const gm_column *c, int64_t k)
{
    return c->text ? c->text[k] : gm_dict_keys(c->dict)[c->code[k]];
}
/* The rows sel[0..n) of c, in a: how rows are dropped. */
gm_code gm_column_take(gm_cx *cx, gm_arena *a, const gm_column *c, const int32_t *sel, int64_t n,
                       gm_column *out) GM_NODISCARD;
/* A VECTOR column as rows x width doubles, row-major, in a. */
gm_code gm_column_dense(gm_cx *cx, gm_arena *a, const gm_column *c, int64_t rows, double **out) GM_NODISCARD;
#endif

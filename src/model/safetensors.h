/* SPDX-License-Identifier: Apache-2.0 */
/*
 * safetensors.h - the container of model files: named arrays and named texts in one file, nothing executable.
 *
 * Layout: 8 bytes header length (little endian), JSON header, padded with spaces so that the data begins at a
 * multiple of 64; then the arrays without gaps, those of 8-byte elements first, so that each is aligned to
 * its elements. Any safetensors reader can read it. Two checksums (XXH3, 64 bits) stand in the metadata,
 * first of all: "gristmill.header" over the whole header with its own digits taken as zeros, "gristmill.xxh3"
 * over the data.
 */
#ifndef GM_MODEL_SAFETENSORS_H
#define GM_MODEL_SAFETENSORS_H
#include "base/buf.h"
#include "base/file.h"

typedef enum gm_st_dtype { GM_ST_F64, GM_ST_I64, GM_ST_U8 } gm_st_dtype;

typedef struct gm_st_tensor {
    const char *name;
    gm_st_dtype dtype;
    int ndim; /* 0 to 2 */
    int64_t shape[2];
    const void *data;
    size_t bytes; /* the product of shape times the size of an element */
} gm_st_tensor;

typedef struct gm_st_meta {
    const char *key, *value; /* keys must not begin with "gristmill.header" or "gristmill.xxh3" */
} gm_st_meta;

/* Appends a whole file to w, or to b. Names must differ; the tensors' order in the file is not the one given.
 */
gm_code gm_st_write(gm_cx *cx, gm_writer *w, const gm_st_tensor *t, int64_t n, const gm_st_meta *m,
                    int64_t n_meta) GM_NODISCARD;
gm_code gm_st_write_buf(gm_cx *cx, gm_buf *b, const gm_st_tensor *t, int64_t n, const gm_st_meta *m,
                        int64_t n_meta) GM_NODISCARD;

/*
 * Opens bytes[0 .. n), which must stay as long as a: tensors point into them (into a copy in a when bytes is
 * not aligned). Everything is checked before it is used, the checksums too; what is wrong is GM_EMODEL with
 * origin, name and numbers. Memory is bounded by a small multiple of the header.
 */
typedef struct gm_st gm_st;
gm_code gm_st_open(gm_cx *cx, gm_arena *a, const void *bytes, size_t n, const char *origin,
                   gm_st **out) GM_NODISCARD;

int64_t gm_st_count(const gm_st *st);
const gm_st_tensor *gm_st_at(const gm_st *st, int64_t i);          /* in file order */
const gm_st_tensor *gm_st_find(const gm_st *st, const char *name); /* NULL: not there */
const char *gm_st_metadata(const gm_st *st, const char *key);      /* NULL: not there */
/* The tensor `name`, which must be there with this dtype and number of dimensions, else GM_EMODEL. */
gm_code gm_st_need(gm_cx *cx, const gm_st *st, const char *name, gm_st_dtype dtype, int ndim,
                   const gm_st_tensor **out) GM_NODISCARD;
gm_code gm_st_need_meta(gm_cx *cx, const gm_st *st, const char *key, const char **out) GM_NODISCARD;
#endif

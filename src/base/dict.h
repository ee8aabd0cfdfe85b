/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dict.h - texts to dense codes 0, 1, 2, ... in order of arrival (open addressing, keys copied).
 *
 * One dictionary belongs to one thread while it grows; once frozen (no more gm_dict_add) any number may read.
 */
#ifndef GM_BASE_DICT_H
#define GM_BASE_DICT_H
#include "base/text.h"

typedef struct gm_dict gm_dict;
#define GM_CODE_MISSING UINT32_MAX

gm_code gm_dict_new(gm_cx *cx, gm_arena *a, gm_dict **out) GM_NODISCARD; /* ends with the arena */
/* The code of *t, adding it when new; GM_CODE_MISSING for a missing text. */
gm_code gm_dict_add(gm_cx *cx, gm_dict *d, const gm_text *t, uint32_t *code) GM_NODISCARD;
/* n of them at once: the hot loop. */
gm_code gm_dict_add_many(gm_cx *cx, gm_dict *d, const gm_text *t, int64_t n, uint32_t *code) GM_NODISCARD;
uint32_t gm_dict_find(const gm_dict *d, const gm_text *t); /* GM_CODE_MISSING when not there */
uint32_t gm_dict_size(const gm_dict *d);
const gm_text *gm_dict_keys(const gm_dict *d); /* by code; owned by d */
int64_t gm_dict_bytes(const gm_dict *d);       /* memory held */
/*
 * A table over the keys, made once and shared: build fills one value of `size` bytes per key. owner tells
 * tables apart (a stage's node address plus column). Thread-safe on a frozen dictionary.
 */
gm_code gm_dict_memo(gm_cx *cx, const gm_dict *d, const void *owner, int64_t column, size_t size,
                     gm_code (*build)(gm_cx *cx, void *arg, const gm_text *keys, int64_t n, void *out),
                     void *arg, const void **table) GM_NODISCARD;
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold.h - where kept rows lie: large segments, in memory until a share of the budget is used, then mapped
 * from an unlinked spill file. Space is reserved before it is mapped, so a full disk is an error and not a
 * signal.
 *
 * Cutting is done through a cursor per task, without a lock on the common path. Nothing is freed piece by
 * piece; the arena that owns the hold ends it all. Pages of the spill file are given back to the system after
 * each use (gm_hold_rest), so resident memory stays small whatever the size.
 */
#ifndef GM_BLOCK_HOLD_H
#define GM_BLOCK_HOLD_H
#include "base/cx.h"

typedef enum gm_level { GM_LEVEL_AUTO, GM_LEVEL_MEMORY, GM_LEVEL_MEMORY_AND_DISK, GM_LEVEL_DISK } gm_level;
extern const char *const gm_level_words[]; /* "AUTO", "MEMORY_ONLY", "MEMORY_AND_DISK", "DISK_ONLY" */

typedef struct gm_hold gm_hold;
typedef struct gm_hold_cursor {
    char *at, *end;
    bool on_disk;
} gm_hold_cursor;

/* share: the bytes that may stay in memory at the levels AUTO and MEMORY_AND_DISK. */
gm_code gm_hold_new(gm_cx *cx, gm_arena *a, gm_level level, int64_t share, gm_hold **out) GM_NODISCARD;
/* bytes of zeroed or fresh space, 64-byte aligned (page aligned when large); any thread, one cursor each. */
gm_code gm_hold_cut(gm_cx *cx, gm_hold *h, gm_hold_cursor *cur, int64_t bytes, char **out) GM_NODISCARD;
/* The piece will not be used for a while: on disk its pages leave memory. In memory: nothing. */
void gm_hold_rest(const gm_hold *h, char *p, int64_t bytes, bool on_disk);
/* The piece will never be used again: its whole pages go back to the system at once. */
void gm_hold_forget(const gm_hold *h, char *p, int64_t bytes, bool on_disk);
int64_t gm_hold_bytes(const gm_hold *h);   /* cut in all */
int64_t gm_hold_spilled(const gm_hold *h); /* of these on disk */
#endif

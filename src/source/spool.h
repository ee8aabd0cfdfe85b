/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spool.h - bytes copied aside: to a file without a name in the spill folder, gone with the arena that holds
 * it. A table is read more than once, and what comes through a pipe cannot be.
 */
#ifndef GM_SOURCE_SPOOL_H
#define GM_SOURCE_SPOOL_H
#include "base/cx.h"
#include <sys/types.h>

/* A new one; *path, in a, opens it as long as kept lives. */
gm_code gm_spool_new(gm_cx *cx, gm_arena *kept, gm_arena *a, int *fd, char **path) GM_NODISCARD;
gm_code gm_spool_add(gm_cx *cx, int fd, const char *p, size_t n) GM_NODISCARD;
/* All of what is behind from, whose name is label. Tells that it waits; a pipe through which nothing comes is
 * an error after a while, unless it is standard input. */
gm_code gm_spool_copy(gm_cx *cx, gm_arena *kept, gm_arena *a, int from, const char *label,
                      char **path) GM_NODISCARD;
extern int gm_spool_patience; /* milliseconds to wait for the first byte of a named pipe */
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.h - whole files: read (bounded), map, and write aside + sync + rename, so that a reader never sees
 * half a file and a failure leaves nothing behind. Errors name the path and what to do.
 */
#ifndef GM_BASE_FILE_H
#define GM_BASE_FILE_H
#include "base/cx.h"
#include <stdio.h>

gm_code gm_file_read(gm_cx *cx, gm_arena *a, const char *path, int64_t max, char **out,
                     size_t *n) GM_NODISCARD; /* adds a NUL */
gm_code gm_file_map(gm_cx *cx, gm_arena *a, const char *path, const void **p,
                    size_t *n) GM_NODISCARD; /* read-only, unmapped with a */

/* A symbolic link is followed; a device or a pipe (/dev/stdout) is written to as it comes.
 * begin -> write ... -> commit; an arena that ends before commit removes the temporary file. */
typedef struct gm_writer gm_writer;
gm_code gm_writer_begin(gm_cx *cx, gm_arena *a, const char *path, gm_writer **out) GM_NODISCARD;
gm_code gm_writer_add(gm_cx *cx, gm_writer *w, const void *p, size_t n) GM_NODISCARD;
gm_code gm_writer_commit(gm_cx *cx, gm_writer *w) GM_NODISCARD;
const char *gm_writer_path(const gm_writer *w); /* the temporary path, for others to write into */
/* The arena closes fd; when it cannot take it, it is closed at once. */
gm_code gm_own_fd(gm_cx *cx, gm_arena *a, int fd) GM_NODISCARD;
/* Tells errno as GM_ENOENT, GM_ENOMEM or GM_EIO with a hint: "cannot read 'x.yaml': no such file". */
gm_code gm_fail_errno(gm_cx *cx, int err, const char *doing, const char *path) GM_NODISCARD;
/* A copy in a, with *** for what must not be stored or shown: user info and query values of URLs, CREATE
 * SECRET's arguments, values of password, secret, access_key, ... in connection strings, SQL and JSON. Twice
 * is as once. */
char *gm_redact(gm_cx *cx, gm_arena *a, const char *text);
/* What messages call a file: redacted, from the working directory on when it lies there, and standard input
 * by its name. */
char *gm_say_path(gm_cx *cx, gm_arena *a, const char *path);
#endif

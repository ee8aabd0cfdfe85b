/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spool.c - see spool.h. A pipe is opened without blocking, so that one without a writer is waited for in
 * steps: the call can be cancelled, the user is told, and in the end it is an error.
 */
#include "source/spool.h"
#include "base/file.h"
#include "base/session.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 16, STEP = 50, TELL = 3000 };
int gm_spool_patience = 30000;

gm_code gm_spool_new(gm_cx *cx, gm_arena *kept, gm_arena *a, int *fd, char **path)
{
    char *name = gm_format(cx, a, "%s/gristmill-spool-XXXXXX", gm_spill_dir(cx));
    GM_GOT(cx, name);
    *fd = mkostemp(name, O_CLOEXEC);
    if (*fd < 0) return gm_fail_errno(cx, errno, "cannot write", name);
    unlink(name);
    GM_TRY(gm_own_fd(cx, kept, *fd));
    GM_GOT(cx, *path = gm_format(cx, a, "/proc/self/fd/%d", *fd));
    return GM_OK;
}

gm_code gm_spool_add(gm_cx *cx, int fd, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return gm_fail_errno(cx, errno, "cannot write", gm_spill_dir(cx));
        p += k, n -= (size_t)k;
    }
    return GM_OK;
}

/* Waits for bytes; *n = 0: the end. begun: some have come, so that an end is one. */
static gm_code take(gm_cx *cx, int from, const char *label, bool begun, char *p, ssize_t *n)
{
    struct stat st;
    bool named = from != STDIN_FILENO && fstat(from, &st) == 0 && S_ISFIFO(st.st_mode);
    for (int waited = 0;; waited += STEP) {
        struct pollfd one = {.fd = from, .events = POLLIN};
        GM_TRY(gm_check_cancel(cx));
        if (poll(&one, 1, STEP) > 0) {
            *n = read(from, p, PIECE);
            if (*n >= 0) return GM_OK;
            if (errno != EINTR && errno != EAGAIN) return gm_fail_errno(cx, errno, "cannot read", label);
        }
        if (waited == TELL) gm_emit_kv(cx, GM_INFO, "spool.wait", "waiting for data", "from", label, NULL);
        if (begun || !named || waited < gm_spool_patience) continue;
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EIO, "nothing came through the pipe %s in %d s", label,
                                   (gm_spool_patience + 999) / 1000),
                           "start what writes to it first, or give a file");
    }
}

gm_code gm_spool_copy(gm_cx *cx, gm_arena *kept, gm_arena *a, int from, const char *label, char **path)
{
    char *piece;
    int to;
    ssize_t n;
    GM_NEW_IN(cx, a, piece, PIECE);
    GM_TRY(gm_spool_new(cx, kept, a, &to, path));
    for (bool begun = false;; begun = true) {
        GM_TRY(take(cx, from, label, begun, piece, &n));
        if (n == 0) return GM_OK;
        GM_TRY(gm_spool_add(cx, to, piece, (size_t)n));
    }
}

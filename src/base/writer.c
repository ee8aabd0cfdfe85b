/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.c - a file that appears whole or not at all: written under another name in the same folder, synced,
 * renamed, the folder synced. Until then the arena's end removes it.
 */
#include "base/file.h"
#include "base/rng.h"
#include "base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 65536, TRIES = 100, NAME_SHOWN = 180 };

struct gm_writer {
    const char *target, *temporary; /* the same for a device */
    int fd;
    bool device, done;
    size_t len;
    char buffer[BUFFER];
};

static void writer_end(void *p)
{
    gm_writer *w = p;
    if (w->fd >= 0) close(w->fd);
    if (!w->device && !w->done && w->temporary) unlink(w->temporary);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static gm_code open_temporary(gm_cx *cx, gm_arena *a, gm_writer *w)
{
    const char *name = base_name(w->target);
    int folder = (int)(name - w->target);
    size_t n = strlen(name);
    if (n > NAME_SHOWN) name += n - NAME_SHOWN; /* the suffix stays */
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t draw = gm_mix64((uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30 ^ (uint64_t)getpid() << 40);
    for (int i = 0; i < TRIES; i++, draw = gm_mix64(draw + (uint64_t)(uintptr_t)w)) {
        char *path = gm_format(cx, a, "%.*s.gm-%08x-%s", folder, w->target, (unsigned)draw, name);
        GM_GOT(cx, path);
        w->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); /* the process's umask applies */
        if (w->fd >= 0) {
            w->temporary = path;
            return gm_own(cx, a, w, writer_end); /* after the path: the arena ends in reverse order */
        }
        if (errno != EEXIST) break;
    }
    return gm_fail_errno(cx, errno, "cannot write", w->target);
}

static void free_path(void *p) { free(p); }

gm_code gm_writer_begin(gm_cx *cx, gm_arena *a, const char *path, gm_writer **out)
{
    gm_writer *w;
    struct stat st;
    GM_NEW_IN(cx, a, w, 1);
    w->fd = -1;
    GM_GOT(cx, w->target = gm_strdup(cx, a, path));
    bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) return gm_fail_errno(cx, EISDIR, "cannot write", path);
    /* /dev/stdout may be a plain file, which must not be put aside. */
    bool system = strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
    if (exists && (system || !S_ISREG(st.st_mode))) {
        w->device = true;
        w->temporary = w->target;
        w->fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
        if (w->fd < 0) return gm_fail_errno(cx, errno, "cannot write", path);
        *out = w;
        return gm_own(cx, a, w, writer_end);
    }
    if (exists) { /* the file that a link points to is replaced, not the link */
        char *real = realpath(path, NULL);
        if (real == NULL) return gm_fail_errno(cx, errno, "cannot write", path);
        GM_TRY(gm_own(cx, a, real, free_path));
        w->target = real;
        if (access(real, W_OK) != 0) return gm_fail_errno(cx, errno, "cannot write", path);
    }
    GM_TRY(open_temporary(cx, a, w));
    if (exists && fchmod(w->fd, st.st_mode & 07777) != 0)
        return gm_fail_errno(cx, errno, "cannot write", path);
    *out = w;
    return GM_OK;
}

static gm_code write_out(gm_cx *cx, gm_writer *w, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t k = write(w->fd, p, n);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return gm_fail_errno(cx, errno, "cannot write", w->target);
        p += k;
        n -= (size_t)k;
    }
    return GM_OK;
}

static gm_code flush(gm_cx *cx, gm_writer *w)
{
    size_t n = w->len;
    w->len = 0;
    return write_out(cx, w, w->buffer, n);
}

gm_code gm_writer_add(gm_cx *cx, gm_writer *w, const void *p, size_t n)
{
    if (n > BUFFER - w->len) GM_TRY(flush(cx, w));
    if (n > BUFFER) return write_out(cx, w, p, n);
    if (n) memcpy(w->buffer + w->len, p, n);
    w->len += n;
    return GM_OK;
}

/* By name: another writer may have put a new file there. Folders on some file systems cannot be synced. */
static gm_code sync_path(gm_cx *cx, const gm_writer *w, const char *path, bool folder)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | (folder ? O_DIRECTORY : 0));
    int err = fd < 0 || fsync(fd) != 0 ? errno : 0;
    if (fd >= 0) close(fd);
    return err == 0 || folder || err == EINVAL ? GM_OK : gm_fail_errno(cx, err, "cannot write", w->target);
}

gm_code gm_writer_commit(gm_cx *cx, gm_writer *w)
{
    GM_TRY(flush(cx, w));
    int err = close(w->fd) != 0 ? errno : 0;
    w->fd = -1;
    if (err) return gm_fail_errno(cx, err, "cannot write", w->target);
    if (w->device) return GM_OK;
    GM_TRY(sync_path(cx, w, w->temporary, false));
    size_t n = (size_t)(base_name(w->target) - w->target);
    char *folder = gm_format(cx, gm_scratch(cx), "%.*s", n ? (int)n : 1, n ? w->target : ".");
    GM_GOT(cx, folder);
    if (rename(w->temporary, w->target) != 0) return gm_fail_errno(cx, errno, "cannot write", w->target);
    w->done = true;
    return sync_path(cx, w, folder, true);
}

const char *gm_writer_path(const gm_writer *w) { return w->temporary; }

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.c - reading and mapping whole files, and what errno means to a person.
 */
#include "base/file.h"
#include "base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

gm_code gm_fail_errno(gm_cx *cx, int err, const char *doing, const char *path)
{
    char other[128];
    const char *what, *hint = NULL;
    gm_code code = GM_EIO;
    switch (err) {
    case ENOENT:
    case ENOTDIR:
        code = GM_ENOENT;
        what = "no such file or folder";
        hint = "check the spelling; paths are relative to the working directory";
        break;
    case EACCES:
    case EPERM:
        what = "permission denied";
        hint = "give this user the right to it, or choose another place";
        break;
    case ENOSPC:
    case EDQUOT:
        what = "the disk is full";
        hint = "free some space, or choose another place";
        break;
    case ENOMEM:
        code = GM_ENOMEM;
        what = "out of memory";
        break;
    case EMFILE:
    case ENFILE:
        what = "too many files are open";
        hint = "raise the limit (ulimit -n)";
        break;
    case EISDIR:
        what = "it is a folder";
        hint = "name a file in it";
        break;
    case EROFS:
        what = "the file system is read-only";
        hint = "choose another place";
        break;
    case ENAMETOOLONG: what = "the name is too long"; break;
    default: what = strerror_r(err, other, sizeof other); break;
    }
    code = gm_fail(cx, code, "%s '%s': %s", doing, path, what);
    return hint ? gm_hint_add(cx, code, "%s", hint) : code;
}

static void close_fd(void *p) { close((int)(intptr_t)p); }

gm_code gm_own_fd(gm_cx *cx, gm_arena *a, int fd) { return gm_own(cx, a, (void *)(intptr_t)fd, close_fd); }

/* Opens path for reading; the arena closes it. */
static gm_code open_read(gm_cx *cx, gm_arena *a, const char *path, int *fd, struct stat *st)
{
    int f = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe that nobody writes to must not hold us */
    if (f < 0) return gm_fail_errno(cx, errno, "cannot read", path);
    GM_TRY(gm_own_fd(cx, a, f));
    if (fstat(f, st) != 0) return gm_fail_errno(cx, errno, "cannot read", path);
    if (S_ISDIR(st->st_mode)) return gm_fail_errno(cx, EISDIR, "cannot read", path);
    *fd = f;
    return GM_OK;
}

static gm_code too_large(gm_cx *cx, const char *path, int64_t max)
{
    char most[32];
    gm_bytes_text((double)max, most);
    return gm_hint_add(cx, gm_fail(cx, GM_EIO, "cannot read '%s': it is larger than %s", path, most),
                       "is this the right file?");
}

/* Reads to the end, not to st_size: pipes and /proc have none. */
static gm_code read_all(gm_cx *cx, gm_arena *a, int fd, const char *path, int64_t guess, int64_t max,
                        char **out, size_t *n)
{
    int64_t cap = guess + 1 < 4096 ? 4096 : guess + 2, len = 0;
    char *p;
    GM_NEW_IN(cx, a, p, cap);
    for (;;) {
        ssize_t got = read(fd, p + len, (size_t)(cap - len - 1));
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
            struct pollfd wait = {.fd = fd, .events = POLLIN};
            poll(&wait, 1, 100);
            GM_TRY(gm_check_cancel(cx));
            continue;
        }
        if (got < 0) return gm_fail_errno(cx, errno, "cannot read", path);
        if (got == 0) break;
        len += got;
        if (len > max) return too_large(cx, path, max);
        if (len < cap - 1) continue;
        GM_GOT(cx, p = gm_regrow(cx, a, p, len, 2 * cap, 1));
        cap *= 2;
    }
    p[len] = 0;
    *out = p;
    *n = (size_t)len;
    return GM_OK;
}

gm_code gm_file_read(gm_cx *cx, gm_arena *a, const char *path, int64_t max, char **out, size_t *n)
{
    gm_arena here = {0};
    struct stat st = {0};
    int fd = -1;
    gm_code code = open_read(cx, &here, path, &fd, &st);
    if (code == GM_OK && st.st_size > max) code = too_large(cx, path, max);
    if (code == GM_OK) code = read_all(cx, a, fd, path, st.st_size, max, out, n);
    gm_arena_end(&here);
    return code;
}

typedef struct mapping {
    void *p;
    size_t n;
} mapping;

static void unmap(void *p)
{
    mapping *m = p;
    if (m->p) munmap(m->p, m->n);
}

gm_code gm_file_map(gm_cx *cx, gm_arena *a, const char *path, const void **p, size_t *n)
{
    gm_arena here = {0};
    struct stat st = {0};
    mapping *m;
    int fd = -1;
    GM_NEW_IN(cx, a, m, 1);
    GM_TRY(gm_own(cx, a, m, unmap));
    gm_code code = open_read(cx, &here, path, &fd, &st);
    if (code == GM_OK && !S_ISREG(st.st_mode))
        code = gm_fail(cx, GM_EIO, "cannot read '%s': it is not a plain file", path);
    if (code == GM_OK && st.st_size > 0) {
        void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at == MAP_FAILED) code = gm_fail_errno(cx, errno, "cannot read", path);
        else *m = (mapping){at, (size_t)st.st_size};
    }
    gm_arena_end(&here);
    if (code != GM_OK) return code;
    *p = m->p ? m->p : "";
    *n = m->n;
    return GM_OK;
}

char *gm_say_path(gm_cx *cx, gm_arena *a, const char *path)
{
    char here[PATH_MAX];
    if (strncmp(path, "/proc/self/fd/", 14) == 0) return gm_strdup(cx, a, "standard input");
    size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
    if (n > 1 && strncmp(path, here, n) == 0 && path[n] == '/') path += n + 1;
    return gm_redact(cx, a, path);
}

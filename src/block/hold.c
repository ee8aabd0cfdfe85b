/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold.c - segments of memory or of one spill file. See hold.h.
 */
#include "block/hold.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

const char *const gm_level_words[] = {"AUTO", "MEMORY_ONLY", "MEMORY_AND_DISK", "DISK_ONLY", NULL};

enum { LEAST_SEGMENT = 256 << 10, MOST_SEGMENT = 4 << 20, PAGE = 4096, LARGE = 64 << 10, AROUND = 64 << 10 };

typedef struct segment {
    char *p;
    int64_t bytes;
    bool on_disk;
    struct segment *next;
} segment;

struct gm_hold {
    pthread_mutex_t lock;
    gm_level level;
    int64_t share, in_memory, on_disk, cut, segment;
    int fd; /* -1: no spill file yet */
    segment *first;
};

static void hold_free(void *p)
{
    gm_hold *h = p;
    for (segment *s = h->first; s;) {
        segment *next = s->next;
        if (s->on_disk) munmap(s->p, (size_t)s->bytes);
        else gm_raw_free(s->p);
        gm_raw_free(s);
        s = next;
    }
    if (h->fd >= 0) close(h->fd);
    pthread_mutex_destroy(&h->lock);
    gm_raw_free(h);
}

gm_code gm_hold_new(gm_cx *cx, gm_arena *a, gm_level level, int64_t share, gm_hold **out)
{
    gm_hold *h = gm_raw_alloc(cx, sizeof *h);
    GM_GOT(cx, h);
    int64_t segment = gm_memory_limit(cx) / 512 / PAGE * PAGE; /* each task may leave one half empty */
    *h = (gm_hold){.level = level, .share = share, .fd = -1};
    h->segment = segment < LEAST_SEGMENT ? LEAST_SEGMENT : segment > MOST_SEGMENT ? MOST_SEGMENT : segment;
    pthread_mutex_init(&h->lock, NULL);
    GM_TRY(gm_own(cx, a, h, hold_free));
    *out = h;
    return GM_OK;
}

static gm_code open_spill(gm_cx *cx, gm_hold *h)
{
    char path[4096];
    const char *dir = gm_spill_dir(cx);
    if (snprintf(path, sizeof path, "%s/gristmill-XXXXXX", dir) >= (int)sizeof path)
        return gm_fail(cx, GM_EIO, "the spill folder's name is too long: %s", dir);
    h->fd = mkostemp(path, O_CLOEXEC);
    if (h->fd < 0) return gm_fail_errno(cx, errno, "cannot make a spill file in", dir);
    unlink(path);
    gm_emit(cx, GM_INFO, "hold.spill", "",
            "rows go to disk in %s: they need more than the memory limit leaves", dir);
    return GM_OK;
}

static char *align(char *p, int64_t to)
{
    return (char *)(((uintptr_t)p + (uintptr_t)to - 1) / (uintptr_t)to * (uintptr_t)to);
}

/* Whole and aligned windows of AROUND: what is beside them is never ours to give back. */
static gm_code map_spill(gm_cx *cx, gm_hold *h, int64_t bytes, char **out)
{
    if (h->fd < 0) GM_TRY(open_spill(cx, h));
    int err = posix_fallocate(h->fd, h->on_disk, bytes); /* reserve: writing to a mapped hole could kill us */
    if (err) return gm_fail_errno(cx, err, "cannot spill rows to disk in", gm_spill_dir(cx));
    size_t all = (size_t)(bytes + AROUND);
    char *p = MAP_FAILED, *room = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room != MAP_FAILED) {
        char *from = align(room, AROUND), *end = from + bytes;
        p = mmap(from, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, h->fd,
                 (off_t)h->on_disk);
        int failed = errno;
        if (p == MAP_FAILED) munmap(room, all);
        if (p != MAP_FAILED && from > room) munmap(room, (size_t)(from - room));
        if (p != MAP_FAILED && end < room + all) munmap(end, (size_t)(room + all - end));
        errno = failed;
    }
    if (p == MAP_FAILED) return gm_fail_errno(cx, errno, "cannot map the spill file in", gm_spill_dir(cx));
    *out = p;
    return GM_OK;
}

/* One new segment of at least `bytes`; the lock is held. */
static gm_code add_segment(gm_cx *cx, gm_hold *h, int64_t bytes, segment **out)
{
    int64_t size = bytes + PAGE > h->segment ? (bytes + 2 * PAGE - 1) / PAGE * PAGE : h->segment;
    bool may_spill = h->level != GM_LEVEL_MEMORY;
    bool disk = h->level == GM_LEVEL_DISK || (may_spill && h->in_memory + size > h->share);
    segment *s = gm_raw_alloc(cx, sizeof *s);
    GM_GOT(cx, s);
    *s = (segment){.bytes = size, .on_disk = disk};
    if (disk) {
        s->bytes = size = (size + AROUND - 1) / AROUND * AROUND;
        gm_code c = map_spill(cx, h, size, &s->p);
        if (c != GM_OK) return gm_raw_free(s), c;
        h->on_disk += size;
    } else {
        s->p = gm_raw_alloc(cx, (size_t)size);
        if (s->p == NULL) return gm_raw_free(s), gm_why_null(cx);
        h->in_memory += size;
    }
    s->next = h->first;
    h->first = s;
    *out = s;
    return GM_OK;
}

gm_code gm_hold_cut(gm_cx *cx, gm_hold *h, gm_hold_cursor *cur, int64_t bytes, char **out)
{
    int64_t to = bytes >= LARGE ? PAGE : 64;
    char *p = align(cur->at, to);
    if (cur->at == NULL || p + bytes > cur->end) {
        segment *s = NULL;
        pthread_mutex_lock(&h->lock);
        gm_code c = add_segment(cx, h, bytes, &s);
        pthread_mutex_unlock(&h->lock);
        GM_TRY(c);
        *cur = (gm_hold_cursor){s->p, s->p + s->bytes, s->on_disk};
        p = align(cur->at, to);
    }
    cur->at = p + bytes;
    __atomic_fetch_add(&h->cut, bytes, __ATOMIC_RELAXED);
    *out = p;
    return GM_OK;
}

/* The whole pages inside [p, p + bytes). */
static bool pages(char *p, int64_t bytes, char **from, size_t *n)
{
    char *a = align(p, PAGE), *e = (char *)((uintptr_t)(p + bytes) / PAGE * PAGE);
    *from = a;
    *n = e > a ? (size_t)(e - a) : 0;
    return *n > 0;
}

void gm_hold_rest(const gm_hold *h, char *p, int64_t bytes, bool on_disk)
{
    (void)h;
    if (!on_disk || bytes <= 0) return;
    /* A fault maps what the page cache has within AROUND: pages of pieces beside this one too, which nobody
     * would give back. Of a shared mapping no byte is lost, and who reads them now faults again. */
    char *from = (char *)((uintptr_t)p / AROUND * AROUND), *end = align(p + bytes, AROUND);
    madvise(from, (size_t)(end - from), MADV_DONTNEED);
}

void gm_hold_forget(const gm_hold *h, char *p, int64_t bytes, bool on_disk)
{
    char *a;
    size_t n;
    if (pages(p, bytes, &a, &n)) madvise(a, n, on_disk ? MADV_REMOVE : MADV_DONTNEED);
    gm_hold_rest(h, p, bytes, on_disk); /* and what was mapped around it */
}

int64_t gm_hold_bytes(const gm_hold *h) { return __atomic_load_n(&h->cut, __ATOMIC_RELAXED); }

int64_t gm_hold_spilled(const gm_hold *h) { return h->on_disk; }

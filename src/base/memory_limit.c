/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_limit.c - what this process may use: the smallest limit of its cgroup and those above it (v2:
 * memory.max, cpu.max; v1: memory.limit_in_bytes, cpu.cfs_quota_us), physical memory, and the cores it may
 * run on.
 *
 * In a container /proc/self/cgroup may name a path that is not visible there; then the mount's root is looked
 * at.
 */
#include "base/session.h"
#include "base/text.h"
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static bool slurp(const char *path, char *out, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t n, got = 0;
    while (got < (ssize_t)size - 1 && (n = read(fd, out + got, size - 1 - (size_t)got)) > 0) got += n;
    close(fd);
    out[got] = 0;
    return got > 0;
}

/* One limit from the file `name` in a cgroup folder; INFINITY-like when there is none. */
typedef double (*reader)(const char *folder);

static double number_in(const char *folder, const char *name, double none)
{
    char path[5200], text[64];
    int64_t v;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!slurp(path, text, sizeof text)) return none;
    text[strcspn(text, "\n")] = 0;
    return gm_read_int(text, &v) && v > 0 ? (double)v : none;
}

static double memory_v2(const char *folder) { return number_in(folder, "memory.max", 9e18); }
static double memory_v1(const char *folder) { return number_in(folder, "memory.limit_in_bytes", 9e18); }

static double cpu_v2(const char *folder)
{
    char path[5200], text[64];
    long long quota, period;
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    if (!slurp(path, text, sizeof text) || sscanf(text, "%lld %lld", &quota, &period) != 2 || period <= 0)
        return 9e18;
    return (double)quota / (double)period;
}

static double cpu_v1(const char *folder)
{
    return number_in(folder, "cpu.cfs_quota_us", 9e18) / number_in(folder, "cpu.cfs_period_us", 1e5);
}

/* The least limit from mount/path up to mount. */
static double least(const char *mount, const char *path, reader read_limit)
{
    char folder[5100];
    double limit = 9e18, here;
    snprintf(folder, sizeof folder, "%s%s", mount, strcmp(path, "/") == 0 ? "" : path);
    for (;;) {
        if ((here = read_limit(folder)) < limit) limit = here;
        char *cut = strrchr(folder, '/');
        if (strlen(folder) <= strlen(mount) || cut == NULL) return limit;
        *cut = 0;
    }
}

/* /proc/self/cgroup has lines "0::/path" (v2) and "4:memory:/path", "3:cpu,cpuacct:/path" (v1). */
static double cgroup(const char *root, const char *controller, reader v1, reader v2)
{
    char text[8192], mount[512];
    double limit = 9e18, here;
    snprintf(mount, sizeof mount, "%s/proc/self/cgroup", root);
    if (!slurp(mount, text, sizeof text)) return limit;
    for (char *line = text, *next; *line; line = next) {
        size_t n = strcspn(line, "\n");
        next = line + n + (line[n] == '\n');
        line[n] = 0;
        char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
        if (path == NULL || strlen(path) > 4200) continue;
        *path++ = 0;
        list++;
        bool is_v1 = false;
        for (char *c = list; *c; c += strcspn(c, ","), c += *c == ',') {
            size_t k = strlen(controller);
            is_v1 = is_v1 || (strncmp(c, controller, k) == 0 && (c[k] == 0 || c[k] == ','));
        }
        if (!is_v1 && *list != 0) continue;
        snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s%s", root, is_v1 ? "/" : "",
                 is_v1 ? controller : "");
        here = least(mount, path, is_v1 ? v1 : v2);
        if (here < limit) limit = here;
    }
    return limit;
}

int64_t gm_memory_allowed_in(const char *root)
{
    double limit = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double group = cgroup(root, "memory", memory_v1, memory_v2);
    if (limit <= 0 || group < limit) limit = group;
    return limit < 9e18 ? (int64_t)limit : INT64_MAX;
}

int gm_cpus_allowed_in(const char *root)
{
    cpu_set_t set;
    double n = (double)sysconf(_SC_NPROCESSORS_ONLN);
    if (sched_getaffinity(0, sizeof set, &set) == 0) n = CPU_COUNT(&set);
    double quota = cgroup(root, "cpu", cpu_v1, cpu_v2);
    if (quota < n) n = (double)(int64_t)(quota + 0.999); /* 1.5 cores keep two threads busy */
    return n < 1 ? 1 : n > 1024 ? 1024 : (int)n;
}

int64_t gm_memory_allowed(void) { return gm_memory_allowed_in(""); }
int gm_cpus_allowed(void) { return gm_cpus_allowed_in(""); }

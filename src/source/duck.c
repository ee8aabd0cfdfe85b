/* SPDX-License-Identifier: Apache-2.0 */
/*
 * duck.c - opening DuckDB when it is first needed, so that the library itself starts at once and runs where
 * no table is read. It stays open until the process ends: its threads may still be in it.
 */
#include "source/duck.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char version_wanted[] = "v1.5.";

/* The one variable of the folder: a loaded library belongs to the process, and DuckDB's callbacks are handed
 * nothing from which its functions could be reached. Set once, under the lock. */
static struct {
    pthread_mutex_t lock;
    bool opened;
    gm_duck duck;
} library = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool beside_us(char *out, size_t size)
{
    Dl_info us;
    if (dladdr((const void *)version_wanted, &us) == 0 || us.dli_fname == NULL) return false;
    const char *slash = strrchr(us.dli_fname, '/');
    int dir = slash ? (int)(slash - us.dli_fname) : 1;
    int n = snprintf(out, size, "%.*s/libduckdb.so", dir, slash ? us.dli_fname : ".");
    return n > 0 && (size_t)n < size && access(out, R_OK) == 0;
}

static gm_code find(gm_cx *cx, gm_duck *d)
{
    const char *said = getenv("GRISTMILL_DUCKDB");
    if (said && *said) {
        if (strlen(said) >= sizeof d->path)
            return gm_fail(cx, GM_ELIBRARY, "GRISTMILL_DUCKDB is too long a path");
        memcpy(d->path, said, strlen(said) + 1);
    } else if (!beside_us(d->path, sizeof d->path)) {
        memcpy(d->path, "libduckdb.so", sizeof "libduckdb.so");
    }
    d->handle = dlopen(d->path, RTLD_NOW | RTLD_LOCAL);
    if (d->handle) return GM_OK;
    const char *why = dlerror();
    return gm_hint_add(
        cx, gm_fail(cx, GM_ELIBRARY, "DuckDB, which reads tables, cannot be opened: %s", why ? why : "?"),
        "put libduckdb.so of DuckDB %sx beside libgristmill.so, or set GRISTMILL_DUCKDB to its path",
        version_wanted);
}

static gm_code open_all(gm_cx *cx, gm_duck *d)
{
    GM_TRY(find(cx, d));
#define GM_DUCK_FIND(type, name, args) \
    *(void **)&d->name = dlsym(d->handle, "duckdb_" #name); \
    if (d->name == NULL) { \
        return gm_hint_add(cx, gm_fail(cx, GM_ELIBRARY, "%s has no function duckdb_%s", d->path, #name), \
                           "take libduckdb.so of DuckDB %sx", version_wanted); \
    }
    GM_DUCK_FUNCTIONS(GM_DUCK_FIND)
#undef GM_DUCK_FIND
    const char *version = d->library_version();
    if (strncmp(version, version_wanted, strlen(version_wanted)) != 0) {
        return gm_hint_add(
            cx,
            gm_fail(cx, GM_ELIBRARY, "%s is DuckDB %s, and %sx is needed", d->path, version, version_wanted),
            "set GRISTMILL_DUCKDB to the libduckdb.so of that version");
    }
    Dl_info real; /* the loader's own search: where was it? */
    if (strchr(d->path, '/') == NULL && dladdr(*(void **)&d->query, &real) && real.dli_fname &&
        strlen(real.dli_fname) < sizeof d->path)
        memcpy(d->path, real.dli_fname, strlen(real.dli_fname) + 1);
    return GM_OK;
}

gm_code gm_duck_open(gm_cx *cx, const gm_duck **out)
{
    pthread_mutex_lock(&library.lock);
    gm_code code = library.opened ? GM_OK : open_all(cx, &library.duck);
    library.opened = code == GM_OK;
    pthread_mutex_unlock(&library.lock);
    *out = &library.duck;
    return code;
}

const gm_duck *gm_duck_opened(void) { return &library.duck; }

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * db.c - the hub and its databases.
 *
 * Extensions are never installed or loaded by themselves; httpfs.c loads the one that remote files need.
 * Everything DuckDB spills goes to a folder of its own that it removes.
 */
#include "source/db.h"
#include "base/file.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct gm_hub {
    atomic_int refs;
    gm_arena kept;
    const gm_duck *duck;
    pthread_mutex_t lock;
    gm_live *live;
    uint64_t next_id;
};

static void hub_unref(gm_hub *h)
{
    if (h == NULL || atomic_fetch_sub(&h->refs, 1) != 1) return;
    pthread_mutex_destroy(&h->lock);
    gm_arena_end(&h->kept);
}

/* ---- live objects ---- */

void gm_live_begin(gm_hub *hub, gm_live *l, gm_live_kind kind, void (*end)(gm_live *))
{
    *l = (gm_live){.kind = kind, .end = end, .hub = hub};
    atomic_init(&l->refs, 1);
    atomic_fetch_add(&hub->refs, 1);
    pthread_mutex_lock(&hub->lock);
    l->id = ++hub->next_id;
    l->next = hub->live;
    hub->live = l;
    pthread_mutex_unlock(&hub->lock);
}

gm_live *gm_live_find(gm_hub *hub, uint64_t id)
{
    pthread_mutex_lock(&hub->lock);
    gm_live *l = hub->live;
    while (l && l->id != id) l = l->next;
    if (l) atomic_fetch_add(&l->refs, 1);
    pthread_mutex_unlock(&hub->lock);
    return l;
}

gm_live *gm_live_ref(gm_live *l)
{
    atomic_fetch_add(&l->refs, 1);
    return l;
}

void gm_live_unref(gm_live *l)
{
    if (l == NULL) return;
    gm_hub *hub = l->hub;
    pthread_mutex_lock(&hub->lock); /* find must not revive what ends */
    bool last = atomic_fetch_sub(&l->refs, 1) == 1;
    if (last) {
        gm_live **at = &hub->live;
        while (*at && *at != l) at = &(*at)->next;
        if (*at) *at = l->next;
    }
    pthread_mutex_unlock(&hub->lock);
    if (!last) return;
    l->end(l);
    hub_unref(hub);
}

uint64_t gm_hub_number(gm_hub *hub)
{
    pthread_mutex_lock(&hub->lock);
    uint64_t id = ++hub->next_id;
    pthread_mutex_unlock(&hub->lock);
    return id;
}

/* ---- opening ---- */

static void db_end(gm_db *db)
{
    if (db->handle) db->duck->close(&db->handle);
    pthread_mutex_destroy(&db->lock);
    pthread_mutex_destroy(&db->registering);
    gm_hub *hub = db->hub;
    gm_arena_end(&db->kept);
    hub_unref(hub);
}

gm_db *gm_db_ref(gm_db *db)
{
    atomic_fetch_add(&db->refs, 1);
    return db;
}

void gm_db_unref(gm_db *db)
{
    if (db && atomic_fetch_sub(&db->refs, 1) == 1) db_end(db);
}

static gm_code configure(gm_cx *cx, gm_hub *hub, duckdb_config cfg)
{
    const gm_duck *d = hub->duck;
    char threads[16], memory[32];
    /* The rest of the budget is for the engine's own blocks, which hold what is learned from. */
    int64_t share = gm_memory_limit(cx) / 10 * 6;
    snprintf(threads, sizeof threads, "%d", gm_threads(cx));
    snprintf(memory, sizeof memory, "%lldB", (long long)share);
    char *spill =
        gm_format(cx, gm_scratch(cx), "%s/gristmill-%ld-%llx-%llu.spill", gm_spill_dir(cx), (long)getpid(),
                  (unsigned long long)(uintptr_t)hub >> 4, (unsigned long long)gm_hub_number(hub));
    GM_GOT(cx, spill);
    const struct {
        const char *name, *value;
    } set[] = {
        {"threads", threads},
        {"memory_limit", memory},
        {"temp_directory", spill},
        {"autoinstall_known_extensions", "false"},
        {"autoload_known_extensions", "false"},
        {"allow_community_extensions", "false"},
        {"allow_persistent_secrets", "false"},   /* or its folder would have to be open to locked SQL */
        {"enable_external_file_cache", "false"}, /* the system's page cache does it, outside the budget */
    };
    for (int64_t i = 0; i < GM_COUNT(set); i++)
        if (d->set_config(cfg, set[i].name, set[i].value) != DuckDBSuccess)
            return gm_fail(cx, GM_ELIBRARY, "DuckDB does not know the setting %s", set[i].name);
    return GM_OK;
}

static gm_code open_handle(gm_cx *cx, gm_db *db)
{
    const gm_duck *d = db->duck;
    duckdb_config cfg = NULL;
    char *why = NULL;
    if (d->create_config(&cfg) != DuckDBSuccess)
        return gm_fail(cx, GM_ENOMEM, "out of memory for a database");
    gm_code code = configure(cx, db->hub, cfg);
    if (code == GM_OK && d->open_ext(NULL, &db->handle, cfg, &why) != DuckDBSuccess) {
        db->handle = NULL;
        code = gm_fail(cx, GM_ELIBRARY, "DuckDB cannot open a database: %s", why ? why : "?");
    }
    if (why) d->free(why);
    d->destroy_config(&cfg);
    return code;
}

static gm_code db_new(gm_cx *cx, gm_hub *hub, gm_db **out)
{
    gm_arena a = {0}, scratch = {0};
    gm_con *con;
    gm_db *db = gm_alloc(cx, &a, 1, sizeof *db);
    if (db == NULL) return gm_arena_end(&a), gm_why_null(cx);
    db->kept = a;
    atomic_init(&db->refs, 1);
    atomic_fetch_add(&hub->refs, 1);
    db->hub = hub;
    db->duck = hub->duck;
    pthread_mutex_init(&db->lock, NULL);
    pthread_mutex_init(&db->registering, NULL);
    gm_code code = open_handle(cx, db);
    if (code == GM_OK) code = gm_con_open(cx, &scratch, db, &con);
    /* Dates must not depend on where the machine stands. */
    if (code == GM_OK) code = gm_con_run(con, "SET GLOBAL TimeZone = 'UTC'", NULL);
    if (code == GM_OK) code = gm_functions_register(con);
    gm_arena_end(&scratch);
    if (code == GM_OK) *out = db;
    else gm_db_unref(db);
    return code;
}

/* What stands in the session's slot. */
typedef struct home {
    gm_arena kept;
    gm_hub *hub;
    gm_db *main;
} home;

static void home_free(void *p)
{
    home *m = p;
    gm_db_unref(m->main);
    hub_unref(m->hub);
    gm_arena_end(&m->kept);
}

static gm_code hub_new(gm_cx *cx, gm_hub **out)
{
    gm_arena a = {0};
    gm_hub *h = gm_alloc(cx, &a, 1, sizeof *h);
    gm_code code = h ? gm_duck_open(cx, &h->duck) : gm_why_null(cx);
    if (code != GM_OK) return gm_arena_end(&a), code;
    h->kept = a;
    atomic_init(&h->refs, 1);
    pthread_mutex_init(&h->lock, NULL);
    *out = h;
    return GM_OK;
}

static gm_code home_new(gm_cx *cx, void **out)
{
    gm_arena a = {0};
    home *m = gm_alloc(cx, &a, 1, sizeof *m);
    if (m == NULL) return gm_arena_end(&a), gm_why_null(cx);
    m->kept = a;
    gm_code code = hub_new(cx, &m->hub);
    if (code == GM_OK) code = db_new(cx, m->hub, &m->main);
    if (code != GM_OK) return home_free(m), code;
    *out = m;
    return GM_OK;
}

static gm_code home_of(gm_cx *cx, home **out)
{
    void *p = NULL;
    GM_TRY(gm_session_slot(cx, GM_SLOT_DB, home_new, home_free, &p));
    *out = p;
    return GM_OK;
}

gm_code gm_db_main(gm_cx *cx, gm_db **out)
{
    home *m;
    GM_TRY(home_of(cx, &m));
    *out = gm_db_ref(m->main);
    return GM_OK;
}

static gm_code lock_to(gm_cx *cx, gm_db *db, const gm_names *files)
{
    gm_arena scratch = {0};
    gm_con *con;
    gm_buf b = gm_buf_in(cx, &scratch);
    gm_buf_str(&b, "SET allowed_paths = [");
    for (int64_t i = 0; i < files->n; i++) {
        if (i) gm_buf_str(&b, ", ");
        gm_buf_literal(&b, files->v[i]);
    }
    gm_buf_str(&b, "]; SET allowed_configs = ['enable_progress_bar', 'enable_progress_bar_print']; "
                   "SET enable_external_access = false; SET lock_configuration = true");
    gm_code code = gm_buf_done(&b);
    if (code == GM_OK) code = gm_con_open(cx, &scratch, db, &con);
    if (code == GM_OK) code = gm_con_run(con, b.p, NULL);
    gm_arena_end(&scratch);
    return code;
}

gm_code gm_db_locked(gm_cx *cx, const gm_names *files, gm_db **out)
{
    home *m;
    gm_db *db;
    GM_TRY(home_of(cx, &m));
    GM_TRY(db_new(cx, m->hub, &db));
    gm_code code = GM_OK;
    for (int64_t i = 0; i < files->n && code == GM_OK; i++)
        if (gm_path_remote(files->v[i])) code = gm_db_httpfs(cx, db);
    if (code == GM_OK) code = lock_to(cx, db, files);
    if (code != GM_OK) return gm_db_unref(db), code;
    db->locked = true;
    *out = db;
    return GM_OK;
}

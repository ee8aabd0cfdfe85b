/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keep.c - tables read once and kept in the session's database: in memory, from where the database spills
 * what exceeds its share of the budget, or in a file of the spill folder.
 */
#include "source/table_own.h"
#include "source/write.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct kept {
    char name[40]; /* of the table, and of the attached database */
    bool disk;
    const char *file;
} kept;

static void kept_name(gm_buf *b, const kept *k)
{
    if (k->disk) {
        gm_buf_ident(b, k->name);
        gm_buf_str(b, ".");
    }
    gm_buf_ident(b, k->name);
}

static gm_code kept_body(gm_cx *cx, const gm_table *t, gm_run *run, gm_buf *b)
{
    (void)cx, (void)run;
    gm_buf_str(b, "SELECT * FROM ");
    kept_name(b, t->own);
    return b->code;
}

static gm_code kept_text(gm_cx *cx, const gm_table *t, gm_buf *b)
{
    (void)cx;
    gm_buf_str(b, "SELECT * FROM ");
    gm_buf_ident(b, t->label);
    return b->code;
}

/* Without a context: the last reference may go at any time. What fails here frees less, and nothing hangs on
 * it. */
static void kept_end(gm_table *t)
{
    const gm_duck *d = t->db->duck;
    const kept *k = t->own;
    duckdb_connection con = NULL;
    duckdb_result res;
    char sql[128];
    if (k == NULL || k->name[0] == 0 || d->connect(t->db->handle, &con) != DuckDBSuccess) return;
    snprintf(sql, sizeof sql, k->disk ? "DETACH DATABASE IF EXISTS \"%s\"" : "DROP TABLE IF EXISTS \"%s\"",
             k->name);
    (void)d->query(con, sql, &res);
    d->destroy_result(&res);
    d->disconnect(&con);
    if (k->file) unlink(k->file);
}

static const gm_table_kind kept_kind = {
    .name = "kept", .body = kept_body, .text = kept_text, .end = kept_end};

static gm_code attach(gm_cx *cx, gm_arena *a, const gm_table *t, kept *k)
{
    gm_con *con;
    gm_buf b = gm_buf_in(cx, a);
    gm_buf_str(&b, "ATTACH ");
    gm_buf_literal(&b, k->file);
    gm_buf_str(&b, " AS ");
    gm_buf_ident(&b, k->name);
    GM_TRY(gm_buf_done(&b));
    GM_TRY(gm_con_open(cx, a, t->db, &con));
    return gm_con_run(con, b.p, NULL);
}

static gm_code fill(gm_cx *cx, gm_arena *a, const gm_table *from, gm_table *t, const char *level)
{
    static const char *const levels[] = {"MEMORY_ONLY", "MEMORY_AND_DISK", "DISK_ONLY", "AUTO"};
    kept *k;
    gm_con *con;
    duckdb_result res;
    int found = -1;
    for (int i = 0; i < GM_COUNT(levels); i++)
        if (strcmp(level, levels[i]) == 0) found = i;
    if (found < 0) {
        const char *near = gm_nearest(level, levels, GM_COUNT(levels));
        return gm_hint_add(cx, gm_fail(cx, GM_EPARAM, "there is no persist level '%s'", level),
                           "did you mean '%s'?", near ? near : "AUTO");
    }
    GM_NEW_IN(cx, &t->kept, k, 1);
    t->own = k;
    t->stays = true;
    k->disk = found == 2 && !t->db->locked;
    snprintf(k->name, sizeof k->name, "gm kept %llu", (unsigned long long)t->serial);
    if (k->disk) {
        GM_GOT(cx, k->file = gm_format(cx, &t->kept, "%s/gristmill-kept-%ld-%llu-%llx.db", gm_spill_dir(cx),
                                       (long)getpid(), (unsigned long long)t->serial,
                                       (unsigned long long)(uintptr_t)t));
        GM_TRY(attach(cx, a, t, k));
    }
    gm_buf b = gm_buf_in(cx, a), undo = gm_buf_in(cx, a);
    gm_buf_str(&b, "CREATE TABLE ");
    kept_name(&b, k);
    gm_buf_str(&b, " AS ");
    gm_buf_str(&undo, "DROP TABLE IF EXISTS ");
    kept_name(&undo, k);
    GM_TRY(gm_buf_done(&b));
    GM_TRY(gm_buf_done(&undo));
    gm_query q = {.before = b.p, .select = "SELECT * FROM ", .progress = "persist.progress", .undo = undo.p};
    GM_TRY(gm_table_query(cx, a, from, &q, &con, &res));
    con->duck->destroy_result(&res);
    return GM_OK;
}

gm_code gm_table_keep(gm_cx *cx, const gm_table *from, const char *level, gm_table **out)
{
    gm_arena a = {0};
    gm_table *t;
    GM_TRY(gm_table_new(cx, &kept_kind, from->db, from->label, NULL, 0, &t));
    gm_code code = fill(cx, &a, from, t, level ? level : "AUTO");
    gm_arena_end(&a);
    if (code != GM_OK) return gm_table_unref(t), code;
    *out = t;
    return GM_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c - tiles, their order and their dictionaries. How a tile's bytes are laid out is in tile.c.
 */
#include "block/store.h"
#include "block/tile.h"
#include <pthread.h>
#include <stdlib.h>

struct gm_store_task {
    gm_store *store;
    int id;
    gm_arena arena; /* dictionaries, tile list */
    gm_arena room;
    gm_hold_cursor cur;
    gm_dict **dict; /* per column; NULL for numbers */
    gm_tile *tile;
    int64_t n_tiles, cap;
    struct gm_store_task *next;
};

struct gm_store {
    gm_arena *arena;
    int n_cols, n_parts, n_tasks;
    const gm_type *types;
    gm_hold *hold;
    pthread_mutex_t lock;
    gm_store_task *tasks;
    gm_dict **dict; /* after seal: per column */
    const uint32_t **
        *map;       /* [task][column]: the task's codes to the store's; NULL where there is no dictionary */
    gm_tile **tile; /* per part, in order */
    int64_t *n_tiles, *rows;
};

static void store_free(void *p)
{
    gm_store *s = p;
    while (s->tasks) {
        gm_store_task *t = s->tasks;
        s->tasks = t->next;
        gm_arena_end(&t->arena);
        gm_arena_end(&t->room);
        gm_raw_free(t);
    }
    pthread_mutex_destroy(&s->lock);
    gm_raw_free(s);
}

gm_code gm_store_new(gm_cx *cx, gm_arena *a, const gm_type *types, int n_cols, int n_parts, gm_level level,
                     gm_store **out)
{
    gm_store *s = gm_raw_alloc(cx, sizeof *s);
    GM_GOT(cx, s);
    *s = (gm_store){.arena = a, .n_cols = n_cols, .n_parts = n_parts};
    pthread_mutex_init(&s->lock, NULL);
    GM_TRY(gm_own(cx, a, s, store_free));
    gm_type *t;
    GM_NEW_IN(cx, a, t, n_cols + 1);
    for (int i = 0; i < n_cols; i++) t[i] = types[i];
    s->types = t;
    GM_NEW_IN(cx, a, s->tile, n_parts);
    GM_NEW_IN(cx, a, s->n_tiles, n_parts);
    GM_NEW_IN(cx, a, s->rows, n_parts);
    GM_TRY(gm_hold_new(cx, a, level, gm_memory_limit(cx) / 6, &s->hold));
    *out = s;
    return GM_OK;
}

static bool has_dict(gm_type t) { return t == GM_T_TEXT || t == GM_T_WORDS; }

gm_code gm_store_task_new(gm_cx *cx, gm_store *s, gm_store_task **out)
{
    gm_store_task *t = gm_raw_alloc(cx, sizeof *t);
    GM_GOT(cx, t);
    *t = (gm_store_task){.store = s};
    pthread_mutex_lock(&s->lock); /* from here the store frees it */
    t->id = s->n_tasks++;
    t->next = s->tasks;
    s->tasks = t;
    pthread_mutex_unlock(&s->lock);
    GM_NEW_IN(cx, &t->arena, t->dict, s->n_cols + 1);
    for (int k = 0; k < s->n_cols; k++)
        if (has_dict(s->types[k])) GM_TRY(gm_dict_new(cx, &t->arena, &t->dict[k]));
    *out = t;
    return GM_OK;
}

gm_arena *gm_store_task_room(gm_store_task *t) { return &t->room; }

gm_code gm_store_encode(gm_cx *cx, gm_store_task *t, gm_arena *a, int64_t rows, gm_column *cols)
{
    for (int k = 0; k < t->store->n_cols; k++) {
        gm_column *c = &cols[k];
        if (!has_dict(c->type)) continue;
        int64_t first = c->type == GM_T_WORDS ? c->off[0] : 0,
                n = c->type == GM_T_WORDS ? c->off[rows] : rows;
        uint32_t *code;
        GM_NEW_IN(cx, a, code, n + 1);
        GM_TRY(gm_dict_add_many(cx, t->dict[k], c->text + first, n - first, code + first));
        c->text = NULL;
        c->code = code;
    }
    return GM_OK;
}

gm_code gm_store_add(gm_cx *cx, gm_store_task *t, int part, uint64_t hash, const int32_t *sel, int64_t n,
                     const gm_column *cols)
{
    if (n == 0) return GM_OK;
    if (t->n_tiles == t->cap) {
        int64_t cap = t->cap ? 2 * t->cap : 64;
        gm_tile *more = gm_regrow(cx, &t->arena, t->tile, t->n_tiles, cap, sizeof *more);
        GM_GOT(cx, more);
        t->tile = more;
        t->cap = cap;
    }
    gm_tile tile = {.hash = hash, .rows = n, .part = part, .task = t->id, .foreign = true};
    tile.bytes = gm_tile_bytes(t->store->n_cols, cols, sel, n);
    GM_TRY(gm_hold_cut(cx, t->store->hold, &t->cur, tile.bytes, &tile.base));
    tile.on_disk = t->cur.on_disk;
    gm_tile_write(&tile, t->store->n_cols, cols, sel);
    gm_hold_rest(t->store->hold, tile.base, tile.bytes, tile.on_disk);
    t->tile[t->n_tiles++] = tile;
    return GM_OK;
}

/* ---- seal: merge dictionaries ---- */

typedef struct hashed {
    uint64_t hash;
    const gm_text *text;
} hashed;

static int by_hash(const void *pa, const void *pb)
{
    const hashed *a = pa, *b = pb;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    return gm_text_compare(a->text, b->text);
}

/* All keys of a column in every task's dictionary, each once, ordered by hash; then the maps from task to
 * store. */
static gm_code merge_column(gm_cx *cx, gm_store *s, int k)
{
    gm_arena tmp = {0};
    gm_dict *all = NULL;
    hashed *h = NULL;
    gm_code c = gm_dict_new(cx, &tmp, &all);
    uint32_t code;
    for (gm_store_task *t = s->tasks; t && c == GM_OK; t = t->next) {
        const gm_text *keys = t->dict ? gm_dict_keys(t->dict[k]) : NULL;
        for (uint32_t i = 0; t->dict && i < gm_dict_size(t->dict[k]) && c == GM_OK; i++)
            c = gm_dict_add(cx, all, &keys[i], &code);
    }
    uint32_t n = c == GM_OK ? gm_dict_size(all) : 0;
    if (c == GM_OK && (h = gm_alloc(cx, &tmp, n + 1, sizeof *h)) == NULL) c = gm_why_null(cx);
    if (c == GM_OK) {
        const gm_text *keys = gm_dict_keys(all);
        for (uint32_t i = 0; i < n; i++) h[i] = (hashed){gm_text_hash(&keys[i]), &keys[i]};
        qsort(h, n, sizeof *h, by_hash);
        c = gm_dict_new(cx, s->arena, &s->dict[k]);
        for (uint32_t i = 0; i < n && c == GM_OK; i++) c = gm_dict_add(cx, s->dict[k], h[i].text, &code);
    }
    gm_arena_end(&tmp);
    for (gm_store_task *t = s->tasks; t && c == GM_OK; t = t->next) {
        if (t->dict == NULL) continue;
        uint32_t m = gm_dict_size(t->dict[k]);
        uint32_t *map = gm_alloc(cx, s->arena, m + 1, sizeof *map);
        if (map == NULL) return gm_why_null(cx);
        const gm_text *keys = gm_dict_keys(t->dict[k]);
        for (uint32_t i = 0; i < m; i++) map[i] = gm_dict_find(s->dict[k], &keys[i]);
        s->map[t->id][k] = map;
    }
    return c;
}

static int by_content(const void *pa, const void *pb)
{
    const gm_tile *a = pa, *b = pb;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    return (a->rows > b->rows) - (a->rows < b->rows);
}

static gm_code order_tiles(gm_cx *cx, gm_store *s, int part)
{
    int64_t n = 0;
    for (gm_store_task *t = s->tasks; t; t = t->next)
        for (int64_t i = 0; i < t->n_tiles; i++) n += t->tile[i].part == part;
    GM_NEW_IN(cx, s->arena, s->tile[part], n + 1);
    for (gm_store_task *t = s->tasks; t; t = t->next)
        for (int64_t i = 0; i < t->n_tiles; i++) {
            if (t->tile[i].part != part) continue;
            s->tile[part][s->n_tiles[part]++] = t->tile[i];
            s->rows[part] += t->tile[i].rows;
        }
    qsort(s->tile[part], (size_t)n, sizeof *s->tile[part], by_content);
    return GM_OK;
}

gm_code gm_store_seal(gm_cx *cx, gm_store *s)
{
    GM_NEW_IN(cx, s->arena, s->dict, s->n_cols + 1);
    GM_NEW_IN(cx, s->arena, s->map, s->n_tasks + 1);
    for (int t = 0; t < s->n_tasks; t++) {
        const uint32_t **row;
        GM_NEW_IN(cx, s->arena, row, s->n_cols + 1);
        s->map[t] = row;
    }
    for (int k = 0; k < s->n_cols; k++) {
        GM_TRY(gm_check_cancel(cx));
        if (has_dict(s->types[k])) GM_TRY(merge_column(cx, s, k));
    }
    for (int p = 0; p < s->n_parts; p++) GM_TRY(order_tiles(cx, s, p));
    for (gm_store_task *t = s->tasks; t; t = t->next) { /* the tasks' dictionaries are not needed any more */
        t->dict = NULL;
        t->tile = NULL;
        t->n_tiles = t->cap = 0;
        gm_arena_end(&t->arena);
        gm_arena_end(&t->room);
    }
    return GM_OK;
}

/* ---- reading ---- */

int64_t gm_store_tiles(const gm_store *s, int part) { return s->n_tiles[part]; }
int64_t gm_store_rows(const gm_store *s, int part) { return s->rows[part]; }
int64_t gm_store_bytes(const gm_store *s) { return gm_hold_bytes(s->hold); }
int64_t gm_store_spilled(const gm_store *s) { return gm_hold_spilled(s->hold); }

int64_t gm_store_tile(gm_store *s, int part, int64_t i, gm_column *cols)
{
    gm_tile *t = &s->tile[part][i];
    gm_tile_open(t, s->n_cols, s->types, s->dict, s->map[t->task], cols);
    return t->rows;
}

void gm_store_rest(gm_store *s, int part, int64_t i)
{
    const gm_tile *t = &s->tile[part][i];
    gm_hold_rest(s->hold, t->base, t->bytes, t->on_disk);
}

void gm_store_forget(gm_store *s, int part, int64_t i)
{
    const gm_tile *t = &s->tile[part][i];
    gm_hold_forget(s->hold, t->base, t->bytes, t->on_disk);
}

int64_t gm_store_cuts(const gm_store *s, int part)
{
    enum { MOST = 32 };
    int64_t n = s->n_tiles[part];
    return n < 1 ? 1 : n < MOST ? n : MOST;
}

void gm_cut_range(int64_t n, int64_t parts, int64_t p, int64_t *from, int64_t *to)
{
    *from = n * p / parts;
    *to = n * (p + 1) / parts;
}

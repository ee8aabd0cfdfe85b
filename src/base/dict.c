/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dict.c - texts to codes: open addressing, linear probing. A slot is 8 bytes: the low half of the hash and
 * code + 1; the key itself stands once, in the array that gm_dict_keys gives.
 *
 * Texts of up to 12 bytes are hashed and compared as two words (they are zero-padded); longer ones by xxh3
 * and memcmp. Most texts of a column are in the slot where they belong: gm_dict_add_many tests that without
 * any other branch (an empty slot points at a key that no text equals), and fetches ahead once the table has
 * outgrown the cache.
 */
#define XXH_INLINE_ALL
#include "base/dict.h"
#include <pthread.h>
#include <xxhash.h>

enum { FIRST_SLOTS = 128, RUN = 64, FIRST_BYTES = 4096, MOST_BYTES = 1 << 20, PREFETCH_FROM = 1 << 13 };

typedef struct slot {
    uint32_t tag, code1; /* code1 0: empty */
} slot;

typedef struct memo {
    struct memo *next;
    const void *owner;
    int64_t column;
    size_t bytes;
    void *table;
} memo;

typedef struct chunk {
    struct chunk *next;
    size_t used, cap;
    char bytes[];
} chunk;

/* What readers of a frozen dictionary may still change. */
typedef struct memos {
    pthread_mutex_t lock;
    memo *first;
    int64_t bytes;
} memos;

struct gm_dict {
    slot *slots;
    gm_text *keys; /* keys[0] equals no text; the key of code c is keys[c + 1] */
    uint64_t mask;
    uint32_t n, cap;
    chunk *chunks;
    int64_t chunk_bytes;
    memos *memos;
};

static uint64_t fold(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide p = (wide)a * b;
    return (uint64_t)p ^ (uint64_t)(p >> 64);
}

static inline void words(const gm_text *t, uint64_t *lo, uint64_t *hi)
{
    memcpy(lo, t, 8);
    memcpy(hi, (const char *)t + 8, 8);
}

static inline uint64_t short_hash(uint64_t lo, uint64_t hi)
{
    return fold(lo ^ 0xA0761D6478BD642Fu, hi ^ 0xE7037ED1A0B428DBu);
}

/* The table's own hash; not gm_text_hash, which is slower on short texts and promised for ever. */
static inline uint64_t hash(const gm_text *t)
{
    if (t->len > GM_TEXT_INLINE) return gm_text_missing(t) ? 0 : XXH3_64bits(t->far.ptr, t->len);
    uint64_t lo, hi;
    words(t, &lo, &hi);
    return short_hash(lo, hi);
}

/* All 16 bytes: equal short texts, or the very same long one. */
static inline bool same_words(const gm_text *key, const gm_text *t)
{
    uint64_t klo, khi, lo, hi;
    words(key, &klo, &khi);
    words(t, &lo, &hi);
    return ((klo ^ lo) | (khi ^ hi)) == 0;
}

static inline bool same(const gm_text *key, const gm_text *t)
{
    uint64_t klo, khi, lo, hi;
    words(key, &klo, &khi);
    words(t, &lo, &hi);
    if (klo != lo) return false;
    return khi == hi || (t->len > GM_TEXT_INLINE && memcmp(key->far.ptr, t->far.ptr, t->len) == 0);
}

/* The code of t, or GM_CODE_MISSING and in *at the slot where it belongs. */
static inline uint32_t look(const gm_dict *d, const gm_text *t, uint64_t h, uint64_t *at)
{
    for (uint64_t i = h & d->mask;; i = (i + 1) & d->mask) {
        slot s = d->slots[i];
        if (s.code1 == 0) {
            *at = i;
            return GM_CODE_MISSING;
        }
        if (s.tag == (uint32_t)(h >> 32) && same(&d->keys[s.code1], t)) return s.code1 - 1;
    }
}

static void dict_end(void *p)
{
    gm_dict *d = p;
    for (chunk *c = d->chunks, *next; c; c = next) {
        next = c->next;
        gm_raw_free(c);
    }
    if (d->memos) {
        for (memo *m = d->memos->first, *next; m; m = next) {
            next = m->next;
            gm_raw_free(m->table);
            gm_raw_free(m);
        }
        pthread_mutex_destroy(&d->memos->lock);
    }
    gm_raw_free(d->slots);
    gm_raw_free(d->keys);
}

/* Small tables are kept a quarter full: a text that is not where it belongs costs a mispredicted branch. */
static uint32_t capacity(uint64_t n_slots)
{
    return (uint32_t)(n_slots <= PREFETCH_FROM ? n_slots / 4 : n_slots / 2);
}

static gm_code resize(gm_cx *cx, gm_dict *d, uint64_t n_slots)
{
    uint64_t cap = capacity(n_slots);
    if (n_slots > UINT32_MAX)
        return gm_fail(cx, GM_ELIMIT, "a column has more than 2 billion different texts");
    gm_text *keys = gm_raw_regrow(cx, d->keys, (cap + 1) * sizeof *keys);
    GM_GOT(cx, keys);
    if (d->keys == NULL) keys[0] = (gm_text){.len = GM_TEXT_MISSING - 1};
    d->keys = keys;
    slot *slots = gm_raw_alloc(cx, n_slots * sizeof *slots);
    GM_GOT(cx, slots);
    memset(slots, 0, n_slots * sizeof *slots);
    for (uint32_t code = 0; code < d->n; code++) {
        uint64_t h = hash(&d->keys[code + 1]), i = h & (n_slots - 1);
        while (slots[i].code1) i = (i + 1) & (n_slots - 1);
        slots[i] = (slot){(uint32_t)(h >> 32), code + 1};
    }
    gm_raw_free(d->slots);
    d->slots = slots;
    d->mask = n_slots - 1;
    d->cap = (uint32_t)cap;
    return GM_OK;
}

gm_code gm_dict_new(gm_cx *cx, gm_arena *a, gm_dict **out)
{
    gm_dict *d;
    memos *m;
    GM_NEW_IN(cx, a, d, 1);
    GM_NEW_IN(cx, a, m, 1);
    GM_TRY(gm_own(cx, a, d, dict_end));
    pthread_mutex_init(&m->lock, NULL);
    d->memos = m;
    GM_TRY(resize(cx, d, FIRST_SLOTS));
    *out = d;
    return GM_OK;
}

static gm_code copy_bytes(gm_cx *cx, gm_dict *d, const char *p, size_t n, const char **out)
{
    chunk *c = d->chunks;
    if (c == NULL || c->cap - c->used < n) {
        size_t cap = c ? c->cap * 2 : FIRST_BYTES;
        if (cap > MOST_BYTES) cap = MOST_BYTES;
        if (cap < n) cap = n;
        GM_GOT(cx, c = gm_raw_alloc(cx, sizeof *c + cap));
        c->next = d->chunks;
        c->used = 0;
        c->cap = cap;
        d->chunks = c;
        d->chunk_bytes += (int64_t)(sizeof *c + cap);
    }
    *out = memcpy(c->bytes + c->used, p, n);
    c->used += n;
    return GM_OK;
}

static __attribute__((noinline)) gm_code add_new(gm_cx *cx, gm_dict *d, const gm_text *t, uint64_t h,
                                                 uint64_t at, uint32_t *code)
{
    gm_text key = *t;
    if (t->len > GM_TEXT_INLINE) GM_TRY(copy_bytes(cx, d, t->far.ptr, t->len, &key.far.ptr));
    if (d->n == d->cap) {
        GM_TRY(resize(cx, d, (d->mask + 1) * 2));
        (void)look(d, &key, h, &at);
    }
    d->keys[d->n + 1] = key;
    d->slots[at] = (slot){(uint32_t)(h >> 32), d->n + 1};
    *code = d->n++;
    return GM_OK;
}

/* One text, by any of the ways. */
static __attribute__((noinline)) gm_code add_one(gm_cx *cx, gm_dict *d, const gm_text *t, uint32_t *code)
{
    uint64_t at = 0, h;
    *code = GM_CODE_MISSING;
    if (gm_text_missing(t)) return GM_OK;
    h = hash(t);
    *code = look(d, t, h, &at);
    return *code == GM_CODE_MISSING ? add_new(cx, d, t, h, at, code) : GM_OK;
}

/* A table that fits the cache. Codes known so far are found in one probe, mostly; the rest go the long way.
 */
static gm_code add_near(gm_cx *cx, gm_dict *d, const gm_text *t, int64_t n, uint32_t *code)
{
    const slot *slots = d->slots;
    const gm_text *keys = d->keys;
    uint64_t mask = d->mask;
    for (int64_t i = 0; i < n; i++) {
        uint64_t lo, hi;
        words(&t[i], &lo, &hi);
        uint32_t code1 = slots[short_hash(lo, hi) & mask].code1;
        if (same_words(&keys[code1], &t[i])) {
            code[i] = code1 - 1;
            continue;
        }
        GM_TRY(add_one(cx, d, &t[i], &code[i]));
        slots = d->slots;
        keys = d->keys;
        mask = d->mask;
    }
    return GM_OK;
}

/* A larger one: the slots of a run of texts are fetched, then their keys, then they are compared. */
static gm_code add_far(gm_cx *cx, gm_dict *d, const gm_text *t, int64_t n, uint32_t *code)
{
    uint64_t h[RUN], at = 0;
    for (int64_t i = 0; i < n; i++) {
        h[i] = hash(&t[i]);
        __builtin_prefetch(&d->slots[h[i] & d->mask]);
    }
    for (int64_t i = 0; i < n; i++) __builtin_prefetch(&d->keys[d->slots[h[i] & d->mask].code1]);
    for (int64_t i = 0; i < n; i++) {
        code[i] = GM_CODE_MISSING;
        if (gm_text_missing(&t[i])) continue;
        code[i] = look(d, &t[i], h[i], &at);
        if (code[i] == GM_CODE_MISSING) GM_TRY(add_new(cx, d, &t[i], h[i], at, &code[i]));
    }
    return GM_OK;
}

gm_code gm_dict_add(gm_cx *cx, gm_dict *d, const gm_text *t, uint32_t *code)
{
    return add_one(cx, d, t, code);
}

gm_code gm_dict_add_many(gm_cx *cx, gm_dict *d, const gm_text *t, int64_t n, uint32_t *code)
{
    for (int64_t from = 0; from < n; from += RUN) {
        int64_t run = n - from < RUN ? n - from : RUN;
        bool far = d->mask >= PREFETCH_FROM || t[from].len > GM_TEXT_INLINE;
        GM_TRY((far ? add_far : add_near)(cx, d, t + from, run, code + from));
    }
    return GM_OK;
}

uint32_t gm_dict_find(const gm_dict *d, const gm_text *t)
{
    uint64_t at = 0;
    return gm_text_missing(t) ? GM_CODE_MISSING : look(d, t, hash(t), &at);
}

uint32_t gm_dict_size(const gm_dict *d) { return d->n; }
const gm_text *gm_dict_keys(const gm_dict *d) { return d->keys + 1; }

int64_t gm_dict_bytes(const gm_dict *d)
{
    pthread_mutex_lock(&d->memos->lock);
    int64_t memo_bytes = d->memos->bytes;
    pthread_mutex_unlock(&d->memos->lock);
    size_t table = (d->mask + 1) * sizeof *d->slots + ((size_t)d->cap + 1) * sizeof *d->keys + sizeof *d;
    return (int64_t)table + d->chunk_bytes + memo_bytes;
}

static gm_code memo_make(gm_cx *cx, const gm_dict *d, size_t bytes,
                         gm_code (*build)(gm_cx *cx, void *arg, const gm_text *keys, int64_t n, void *out),
                         void *arg, memo **out)
{
    memo *m = gm_raw_alloc(cx, sizeof *m);
    GM_GOT(cx, m);
    gm_code code = GM_OK;
    *m = (memo){.bytes = bytes, .table = gm_raw_alloc(cx, bytes ? bytes : 1)};
    if (m->table == NULL) code = gm_cx_code(cx);
    else memset(m->table, 0, bytes);
    if (code == GM_OK) code = build(cx, arg, d->keys + 1, d->n, m->table);
    if (code != GM_OK) {
        gm_raw_free(m->table);
        gm_raw_free(m);
        return code;
    }
    *out = m;
    return GM_OK;
}

gm_code gm_dict_memo(gm_cx *cx, const gm_dict *d, const void *owner, int64_t column, size_t size,
                     gm_code (*build)(gm_cx *cx, void *arg, const gm_text *keys, int64_t n, void *out),
                     void *arg, const void **table)
{
    memos *all = d->memos;
    gm_code code = GM_OK;
    size_t bytes = size * d->n;
    pthread_mutex_lock(&all->lock);
    memo *m = all->first, *made = NULL;
    while (m && !(m->owner == owner && m->column == column && m->bytes == bytes)) m = m->next;
    if (m == NULL) code = memo_make(cx, d, bytes, build, arg, &made);
    if (made) {
        m = made;
        m->owner = owner;
        m->column = column;
        m->next = all->first;
        all->first = m;
        all->bytes += (int64_t)(bytes + sizeof *m);
    }
    pthread_mutex_unlock(&all->lock);
    if (m) *table = m->table;
    return code;
}

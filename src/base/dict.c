/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dict.c - texts to codes: open addressing, linear probing, at most half full. A slot is 8 bytes: the low half of
 * the hash and code + 1; the key itself stands once, in the array that gm_dict_keys gives.
 *
 * Texts of up to 12 bytes are hashed and compared as two words (they are zero-padded); longer ones by xxh3 and memcmp.
 * gm_dict_add_many hashes a run of texts first, then looks them up: the loads of the run overlap.
 */
#define XXH_INLINE_ALL
#include "base/dict.h"
#include <pthread.h>
#include <xxhash.h>

enum { FIRST_SLOTS = 64, RUN = 64, FIRST_BYTES = 4096, MOST_BYTES = 1 << 20, PREFETCH_FROM = 1 << 13 };

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
    gm_text *keys;
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

/* The table's own hash; not gm_text_hash, which is slower on short texts and promised for ever. */
static inline uint64_t hash(const gm_text *t)
{
    if (t->len > GM_TEXT_INLINE) return gm_text_missing(t) ? 0 : XXH3_64bits(t->far.ptr, t->len);
    uint64_t lo, hi;
    words(t, &lo, &hi);
    uint64_t h = fold(lo ^ 0xA0761D6478BD642Fu, hi ^ 0xE7037ED1A0B428DBu);
    return h ^ h >> 32;
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
        if (s.tag == (uint32_t)(h >> 32) && same(&d->keys[s.code1 - 1], t)) return s.code1 - 1;
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

gm_code gm_dict_new(gm_cx *cx, gm_arena *a, gm_dict **out)
{
    gm_dict *d;
    memos *m;
    GM_NEW_IN(cx, a, d, 1);
    GM_NEW_IN(cx, a, m, 1);
    GM_TRY(gm_own(cx, a, d, dict_end));
    pthread_mutex_init(&m->lock, NULL);
    d->memos = m;
    d->mask = FIRST_SLOTS - 1;
    d->cap = FIRST_SLOTS / 2;
    GM_GOT(cx, d->slots = gm_raw_alloc(cx, FIRST_SLOTS * sizeof *d->slots));
    memset(d->slots, 0, FIRST_SLOTS * sizeof *d->slots);
    GM_GOT(cx, d->keys = gm_raw_alloc(cx, d->cap * sizeof *d->keys));
    *out = d;
    return GM_OK;
}

static gm_code grow(gm_cx *cx, gm_dict *d)
{
    uint64_t n_slots = (d->mask + 1) * 2;
    if (n_slots / 2 >= UINT32_MAX) return gm_fail(cx, GM_ELIMIT, "a column has more than 2 billion different texts");
    gm_text *keys = gm_raw_regrow(cx, d->keys, n_slots / 2 * sizeof *keys);
    GM_GOT(cx, keys);
    d->keys = keys;
    slot *slots = gm_raw_alloc(cx, n_slots * sizeof *slots);
    GM_GOT(cx, slots);
    memset(slots, 0, n_slots * sizeof *slots);
    for (uint32_t code = 0; code < d->n; code++) {
        uint64_t h = hash(&d->keys[code]), i = h & (n_slots - 1);
        while (slots[i].code1) i = (i + 1) & (n_slots - 1);
        slots[i] = (slot){(uint32_t)(h >> 32), code + 1};
    }
    gm_raw_free(d->slots);
    d->slots = slots;
    d->mask = n_slots - 1;
    d->cap = (uint32_t)(n_slots / 2);
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

static __attribute__((noinline)) gm_code add_new(gm_cx *cx, gm_dict *d, const gm_text *t, uint64_t h, uint64_t at,
                                                 uint32_t *code)
{
    gm_text key = *t;
    if (t->len > GM_TEXT_INLINE) GM_TRY(copy_bytes(cx, d, t->far.ptr, t->len, &key.far.ptr));
    if (d->n == d->cap) {
        GM_TRY(grow(cx, d));
        (void)look(d, &key, h, &at);
    }
    d->keys[d->n] = key;
    d->slots[at] = (slot){(uint32_t)(h >> 32), d->n + 1};
    *code = d->n++;
    return GM_OK;
}

gm_code gm_dict_add(gm_cx *cx, gm_dict *d, const gm_text *t, uint32_t *code)
{
    return gm_dict_add_many(cx, d, t, 1, code);
}

gm_code gm_dict_add_many(gm_cx *cx, gm_dict *d, const gm_text *t, int64_t n, uint32_t *code)
{
    uint64_t h[RUN], at;
    for (int64_t from = 0; from < n; from += RUN) {
        int64_t run = n - from < RUN ? n - from : RUN;
        const gm_text *v = t + from;
        uint32_t *out = code + from;
        for (int64_t i = 0; i < run; i++) h[i] = hash(&v[i]);
        if (d->mask >= PREFETCH_FROM)
            for (int64_t i = 0; i < run; i++) __builtin_prefetch(&d->slots[h[i] & d->mask]);
        for (int64_t i = 0; i < run; i++) {
            if (gm_text_missing(&v[i])) {
                out[i] = GM_CODE_MISSING;
                continue;
            }
            out[i] = look(d, &v[i], h[i], &at);
            if (out[i] == GM_CODE_MISSING) GM_TRY(add_new(cx, d, &v[i], h[i], at, &out[i]));
        }
    }
    return GM_OK;
}

uint32_t gm_dict_find(const gm_dict *d, const gm_text *t)
{
    uint64_t at;
    return gm_text_missing(t) ? GM_CODE_MISSING : look(d, t, hash(t), &at);
}

uint32_t gm_dict_size(const gm_dict *d) { return d->n; }
const gm_text *gm_dict_keys(const gm_dict *d) { return d->keys; }

int64_t gm_dict_bytes(const gm_dict *d)
{
    pthread_mutex_lock(&d->memos->lock);
    int64_t memo_bytes = d->memos->bytes;
    pthread_mutex_unlock(&d->memos->lock);
    return (int64_t)((d->mask + 1) * sizeof *d->slots + d->cap * sizeof *d->keys + sizeof *d) + d->chunk_bytes + memo_bytes;
}

static gm_code memo_make(gm_cx *cx, const gm_dict *d, size_t bytes,
                         gm_code (*build)(gm_cx *cx, void *arg, const gm_text *keys, int64_t n, void *out), void *arg,
                         memo **out)
{
    memo *m = gm_raw_alloc(cx, sizeof *m);
    GM_GOT(cx, m);
    gm_code code = GM_OK;
    *m = (memo){.bytes = bytes, .table = gm_raw_alloc(cx, bytes ? bytes : 1)};
    if (m->table == NULL) code = gm_cx_code(cx);
    else memset(m->table, 0, bytes);
    if (code == GM_OK) code = build(cx, arg, d->keys, d->n, m->table);
    if (code != GM_OK) {
        gm_raw_free(m->table);
        gm_raw_free(m);
        return code;
    }
    *out = m;
    return GM_OK;
}

gm_code gm_dict_memo(gm_cx *cx, const gm_dict *d, const void *owner, int64_t column, size_t size,
                     gm_code (*build)(gm_cx *cx, void *arg, const gm_text *keys, int64_t n, void *out), void *arg,
                     const void **table)
{
    memos *all = d->memos;
    gm_code code = GM_OK;
    size_t bytes = size * d->n;
    pthread_mutex_lock(&all->lock);
    memo *m = all->first;
    while (m && !(m->owner == owner && m->column == column && m->bytes == bytes)) m = m->next;
    if (m == NULL && (code = memo_make(cx, d, bytes, build, arg, &m)) == GM_OK) {
        m->owner = owner;
        m->column = column;
        m->next = all->first;
        all->first = m;
        all->bytes += (int64_t)(bytes + sizeof *m);
    }
    pthread_mutex_unlock(&all->lock);
    if (code == GM_OK) *table = m->table;
    return code;
}

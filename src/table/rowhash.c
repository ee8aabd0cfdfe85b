/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rowhash.c - a 64-bit hash of each row, column by column: h = mix((h ^ bits) * odd). Texts of up to 12 bytes
 * are mixed as their two words, longer ones by the hash of their bytes.
 */
#include "table/rowhash.h"
#include "base/rng.h"
#include <string.h>

static const uint64_t ODD = 0x9E3779B97F4A7C15u;

static inline uint64_t step(uint64_t h, uint64_t bits)
{
    h = (h ^ bits) * ODD;
    return h ^ (h >> 32);
}

static inline uint64_t real_bits(double x)
{
    uint64_t b;
    x += 0.0; /* -0 + 0 = 0 */
    if (x != x) return 0x7FF8000000000000u;
    memcpy(&b, &x, sizeof b);
    return b;
}

static inline uint64_t text_bits(const gm_text *t)
{
    uint64_t w[2];
    if (t->len == GM_TEXT_MISSING) return ~(uint64_t)0;
    if (t->len > GM_TEXT_INLINE) return gm_text_hash(t);
    memcpy(w, t, sizeof w);
    return step(w[0] * ODD, w[1]);
}

/* Entries that are not zero, so that dense and sparse rows are alike. */
static void vector_step(const gm_column *c, int64_t i, uint64_t *h)
{
    int64_t base = 0;
    for (int k = 0; k < c->n_parts; base += c->part[k++].width) {
        const gm_part *p = &c->part[k];
        int64_t from = 0, to = p->width;
        if (p->form == GM_CODED) to = p->code[i] < p->width;
        if (p->form == GM_SPARSE) from = p->off[i], to = p->off[i + 1];
        for (int64_t j = from; j < to; j++) {
            int64_t at = p->form == GM_DENSE   ? j
                         : p->form == GM_CODED ? (int64_t)p->code[i]
                                               : (int64_t)p->idx[j];
            double x = p->form == GM_DENSE   ? p->x[j * p->stride + i]
                       : p->form == GM_CODED ? (p->level ? p->level[at] : 1)
                                             : (p->val ? p->val[j] : 1);
            if (x != 0) *h = step(step(*h, (uint64_t)(base + at)), real_bits(x));
        }
    }
}

static void words_step(const gm_column *c, int64_t i, uint64_t *h)
{
    for (int64_t k = c->off[i]; k < c->off[i + 1]; k++) {
        gm_text t = gm_column_word(c, k);
        *h = step(*h, text_bits(&t));
    }
    *h = step(*h, (uint64_t)(c->off[i + 1] - c->off[i]));
}

void gm_key_hash(const gm_batch *b, uint64_t seed, uint64_t *out)
{
    for (int64_t i = 0; i < b->rows; i++) out[i] = gm_mix64(seed);
    for (int k = 0; k < b->n_cols; k++) {
        const gm_column *c = &b->col[k];
        if (c->type == GM_T_REAL) {
            for (int64_t i = 0; i < b->rows; i++) out[i] = step(out[i], real_bits(c->real[i]));
        } else if (c->type == GM_T_VECTOR) {
            for (int64_t i = 0; i < b->rows; i++) vector_step(c, i, &out[i]);
        } else if (c->type == GM_T_WORDS) {
            for (int64_t i = 0; i < b->rows; i++) words_step(c, i, &out[i]);
        } else if (c->text) {
            for (int64_t i = 0; i < b->rows; i++) out[i] = step(out[i], text_bits(&c->text[i]));
        } else {
            for (int64_t i = 0; i < b->rows; i++) {
                gm_text t = gm_column_text(c, i);
                out[i] = step(out[i], text_bits(&t));
            }
        }
    }
    for (int64_t i = 0; i < b->rows; i++) out[i] = gm_mix64(out[i]);
}

/* Open addressing over one tile: slot -> hash and how often it was seen. */
void gm_row_hash(const gm_batch *b, uint64_t seed, uint64_t *out)
{
    enum { SLOTS = 2 * GM_TILE };
    uint64_t seen[SLOTS];
    uint16_t times[SLOTS];
    memset(times, 0, sizeof times);
    gm_key_hash(b, seed, out);
    for (int64_t i = 0; i < b->rows; i++) {
        uint64_t h = out[i];
        uint32_t s = (uint32_t)(h % SLOTS);
        while (times[s] && seen[s] != h) s = (s + 1) % SLOTS;
        seen[s] = h;
        if (times[s]++ > 0) out[i] = gm_mix64(h + times[s]);
    }
}

int gm_split_part(uint64_t hash, const double *cumulative, int n)
{
    double u = (double)(hash >> 11) * 0x1p-53;
    for (int k = 0; k < n - 1; k++)
        if (u < cumulative[k]) return k;
    return n - 1;
}

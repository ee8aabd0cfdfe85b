/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_csv.c - cutting a CSV into records, in pieces of any size: nothing is read outside the bytes, and the
 * pieces give the records, or the refusal, that the whole gives.
 */
#include "source/csv/csv_chunk.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SLOTS = 3 };

typedef struct room {
    gm_csv_tile tile;
    gm_text *text[SLOTS], texts[SLOTS][GM_TILE];
    uint64_t *valid[SLOTS], valids[SLOTS][GM_TILE / 64];
    int escaped[SLOTS];
} room;

static void clean(room *r)
{
    for (int s = 0; s < SLOTS; s++) {
        r->text[s] = r->texts[s];
        r->valid[s] = r->valids[s];
        memset(r->valids[s], 0xff, sizeof r->valids[s]);
    }
    r->tile = (gm_csv_tile){.text = r->text, .valid = r->valid, .escaped = r->escaped};
}

/* Adds what the records hold; true when all were cut. */
static bool cut_all(gm_csv_piece *c, const gm_csv_shape *shape, room *r, int64_t end, uint64_t *sum,
                    int64_t *rows)
{
    gm_csv_cut cut;
    do {
        clean(r);
        cut = gm_csv_cut_rows(c, shape, end, &r->tile);
        if (cut != GM_CUT_DONE && cut != GM_CUT_FULL) return false;
        for (int64_t i = 0; i < r->tile.rows; i++)
            for (int s = 0; s < SLOTS; s++) {
                const gm_text *t = &r->texts[s][i];
                *sum += gm_text_missing(t) ? 7 : gm_text_hash(t) * (uint64_t)(s + 1);
            }
        *rows += r->tile.rows;
    } while (cut == GM_CUT_FULL);
    return true;
}

static gm_csv_piece load(char *block, const uint8_t *data, size_t size, uint64_t *marks, uint64_t *quotes,
                         const gm_csv_shape *shape)
{
    gm_csv_piece c = {.p = block, .marks = marks, .quotes = quotes, .last = true};
    memset(block, ' ', GM_CSV_PAD);
    block[GM_CSV_PAD - 1] = '\n';
    if (size) memcpy(block + GM_CSV_PAD, data, size);
    c.n = GM_CSV_PAD + (int64_t)size;
    gm_csv_mark(&c, shape, 0);
    return c;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int slot[SLOTS] = {1, 2, 0};
    static const char *const nulls[] = {"NA"};
    if (size < 2) return 0;
    gm_csv_shape shape = {.delim = data[0] % 2 ? ',' : ';',
                          .quote = data[0] % 4 < 2 ? '"' : 0,
                          .n = SLOTS,
                          .slot = slot,
                          .n_slots = SLOTS,
                          .nullstr = {.n = 1, .v = nulls}};
    int64_t piece = 64 * (1 + data[1] % 4), whole_rows = 0, rows = 0;
    uint64_t whole_sum = 0, sum = 0;
    data += 2, size -= 2;
    char *block = malloc(size + 3 * GM_CSV_PAD);
    uint64_t *marks = malloc(8 * (size / 64 + 4)), *quotes = malloc(8 * (size / 64 + 4));
    room *r = malloc(sizeof *r);
    if (!block || !marks || !quotes || !r) abort();
    gm_csv_piece c = load(block, data, size, marks, quotes, &shape);
    gm_csv_seek(&c, GM_CSV_PAD);
    bool whole = cut_all(&c, &shape, r, c.n, &whole_sum, &whole_rows), inside = false, all = true;
    int ends = 0;
    for (int64_t from = GM_CSV_PAD; all && from < GM_CSV_PAD + (int64_t)size; from += piece) {
        c = load(block, data, size, marks, quotes, &shape);
        int64_t end = from + piece < c.n ? from + piece : c.n;
        bool odd = false;
        for (int64_t i = from; i < end; i++) odd ^= shape.quote && c.p[i] == shape.quote;
        gm_csv_seek(&c, gm_csv_first(&c, &shape, from, end, inside));
        all = cut_all(&c, &shape, r, end, &sum, &rows);
        all &= !ends || !c.ends || c.ends == ends;
        if (c.ends) ends = c.ends;
        inside ^= odd;
    }
    if (all != whole || (all && (sum != whole_sum || rows != whole_rows))) abort();
    free(block), free(marks), free(quotes), free(r);
    return 0;
}

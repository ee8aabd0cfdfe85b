/* SPDX-License-Identifier: Apache-2.0 */
/* Model files from anywhere: as they come, and once more with right checksums so that the checks behind are
 * reached. */
#include "model/safetensors.h"
#include "st_seal.h"

static void open_and_touch(gm_cx *cx, const unsigned char *p, size_t n)
{
    gm_arena a = {0};
    gm_st *st;
    volatile unsigned char last = 0; /* every byte is read */
    gm_cx_begin(cx);
    if (gm_st_open(cx, &a, p, n, "fuzz.gm", &st) == GM_OK)
        for (int64_t i = 0; i < gm_st_count(st); i++) {
            const gm_st_tensor *t = gm_st_at(st, i);
            if (gm_st_find(st, t->name) != t) abort();
            for (size_t k = 0; k < t->bytes; k++) last = ((const unsigned char *)t->data)[k];
        }
    (void)last;
    gm_cx_end(cx);
    gm_arena_end(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    gm_cx *cx;
    unsigned char *copy = malloc(n ? n : 1);
    if (copy == NULL || gm_cx_new("{\"memory\": \"64MB\"}", &cx) != GM_OK) return free(copy), 0;
    if (n) memcpy(copy, data, n);
    open_and_touch(cx, copy, n);
    st_seal(copy, n);
    open_and_touch(cx, copy, n);
    gm_cx_free(cx);
    free(copy);
    return 0;
}

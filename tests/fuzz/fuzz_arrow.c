/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_arrow.c - Arrow schemas and arrays that lie. The bytes choose formats, counts, lengths, offsets and
 * what the buffers hold; buffers are as long as an honest producer of at most 64 rows would make them, since
 * the interface has no sizes that could be checked. Nothing may be read outside them.
 */
#include "base/cx.h"
#include "source/arrow/arrow_check.h"
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64, NODES = 24, BUFFER = 16 * (ROWS + 1) };

typedef struct bytes {
    const uint8_t *p;
    size_t n;
} bytes;

typedef struct made {
    struct ArrowSchema schema[NODES], *schemas[NODES];
    struct ArrowArray array[NODES], *arrays[NODES];
    const void *buffer[NODES][4];
    char *block[NODES][3];
    int n;
} made;

static void gone_schema(struct ArrowSchema *s) { s->release = NULL; }
static void gone_array(struct ArrowArray *a) { a->release = NULL; }

static uint8_t take(bytes *b)
{
    if (b->n == 0) return 0;
    b->n--;
    return *b->p++;
}

/* Mostly small and sane, at times wild. */
static int64_t number(bytes *b, int64_t usual)
{
    static const int64_t wild[] = {-1, -2, INT64_MIN, INT64_MAX, INT32_MAX, INT64_C(1) << 40};
    uint8_t k = take(b);
    return k < 200 ? usual : k < 230 ? (int64_t)take(b) % (ROWS + 1) : wild[k % 6];
}

static char *block(bytes *b)
{
    char *p = calloc(1, BUFFER);
    size_t n = take(b);
    for (size_t i = 0; p && i < n && i < BUFFER; i++) p[i] = (char)take(b);
    return p;
}

/* The size of a text's bytes is not told: offsets up to the size of ours are the most that a reader can go
 * by. */
static void cap_offsets(char *p, bool wide)
{
    for (int i = 0; p && i < BUFFER / (wide ? 8 : 4); i++) {
        int64_t v = 0;
        int32_t narrow;
        memcpy(wide ? (void *)&v : (void *)&narrow, p + (wide ? 8 : 4) * i, wide ? 8 : 4);
        if (!wide) v = narrow;
        if (v <= BUFFER) continue;
        v = BUFFER, narrow = BUFFER;
        memcpy(p + (wide ? 8 : 4) * i, wide ? (const void *)&v : (const void *)&narrow, wide ? 8 : 4);
    }
}

/* Fills node k and nodes below; returns its number, -1 when there are too many. */
static int grow(made *m, bytes *b, int depth)
{
    static const char *const formats[] = {"l",  "g",   "u",    "U",   "b", "c",  "i",      "+l",
                                          "+L", "+s",  "+w:2", "+m",  "n", "z",  "d:9,2",  "tsu:UTC",
                                          "e",  "w:4", "tdD",  "tin", "",  "+x", "d:99,1", "w:-1"};
    if (m->n >= NODES) return -1;
    int k = m->n++;
    struct ArrowSchema *s = &m->schema[k];
    struct ArrowArray *a = &m->array[k];
    uint8_t f = take(b);
    s->format = f == 255 ? NULL : depth == 0 ? "+s" : formats[f % (sizeof formats / sizeof formats[0])];
    s->name = take(b) == 255 ? NULL : "column";
    s->release = gone_schema;
    a->release = take(b) == 255 ? NULL : gone_array;
    bool text = s->format && strchr("uUz", s->format[0]) && s->format[0];
    bool list = s->format && s->format[0] == '+';
    int64_t buffers = 2;
    if (text) buffers = 3;
    else if (s->format && strcmp(s->format, "n") == 0) buffers = 0;
    else if (list && s->format[1] && strchr("sw", s->format[1])) buffers = 1;
    a->length = number(b, 8);
    a->offset = number(b, 0);
    a->null_count = number(b, 0);
    a->n_buffers = number(b, buffers);
    for (int i = 0; i < 3; i++) {
        m->block[k][i] = block(b);
        m->buffer[k][i] = take(b) == 255 ? NULL : m->block[k][i];
    }
    if (text) cap_offsets(m->block[k][1], s->format[0] == 'U');
    a->buffers = take(b) == 255 ? NULL : m->buffer[k];
    int children = list ? (s->format[1] == 's' ? take(b) % 4 : 1) : 0, first = m->n;
    for (int i = 0; i < children && depth < 6; i++) (void)grow(m, b, depth + 1);
    /* Children stand one after another only when they have none themselves; what else comes out is a lie,
     * too. */
    s->n_children = number(b, children);
    a->n_children = number(b, children);
    if (s->n_children > NODES - first || s->n_children < 0) s->n_children = s->n_children < 0 ? -1 : 0;
    if (a->n_children > NODES - first || a->n_children < 0) a->n_children = a->n_children < 0 ? -1 : 0;
    s->children = &m->schemas[first];
    a->children = &m->arrays[first];
    if (take(b) > 230 && m->n < NODES && depth > 0 && depth < 6) {
        int d = grow(m, b, 6);
        if (d >= 0) s->dictionary = &m->schema[d], a->dictionary = take(b) > 250 ? NULL : &m->array[d];
    }
    return k;
}

/* What the check lets through must lie inside the buffers: lengths over ROWS cannot be honest here. */
static bool fits(const made *m)
{
    for (int k = 0; k < m->n; k++) {
        const struct ArrowArray *a = &m->array[k];
        if (a->length > ROWS / 2 || a->offset > ROWS / 2) return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gm_cx *cx;
    bytes b = {data, size};
    made *m = calloc(1, sizeof *m);
    if (m == NULL || gm_cx_new(NULL, &cx) != GM_OK) return free(m), 0;
    for (int k = 0; k < NODES; k++) m->schemas[k] = &m->schema[k], m->arrays[k] = &m->array[k];
    (void)grow(m, &b, 0);
    if (fits(m) && gm_arrow_check_schema(cx, "fuzz", &m->schema[0]) == GM_OK) {
        gm_code code = gm_arrow_check_array(cx, "fuzz", &m->schema[0], &m->array[0]);
        if (code != GM_OK && *gm_cx_message(cx) == 0) abort(); /* a failure says why */
    }
    for (int k = 0; k < NODES; k++)
        for (int i = 0; i < 3; i++) free(m->block[k][i]);
    free(m);
    gm_cx_free(cx);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow_array.c - copies as Arrow arrays. A list and its item share one holder, counted, since a consumer may
 * move the item out and release the list first.
 */
#include "table/arrow_array.h"
#include <stdio.h>
#include <string.h>

/* What private_data points to: structs and buffers of one exported array. */
typedef struct holder {
    struct ArrowArray child, *children[1];
    const void *buffers[3], *child_buffers[2];
    void *data, *offsets;
    int refs;
} holder;

typedef struct schema_holder {
    struct ArrowSchema child, *children[1];
    char format[32];
    int refs;
} schema_holder;

static void unref(holder *h)
{
    if (__atomic_sub_fetch(&h->refs, 1, __ATOMIC_ACQ_REL) > 0) return;
    gm_raw_free(h->data);
    gm_raw_free(h->offsets);
    gm_raw_free(h);
}

static void release_array(struct ArrowArray *a)
{
    for (int64_t i = 0; i < a->n_children; i++)
        if (a->children[i]->release) a->children[i]->release(a->children[i]);
    a->release = NULL;
    unref(a->private_data);
}

static void unref_schema(schema_holder *h)
{
    if (__atomic_sub_fetch(&h->refs, 1, __ATOMIC_ACQ_REL) == 0) gm_raw_free(h);
}

static void release_schema(struct ArrowSchema *s)
{
    for (int64_t i = 0; i < s->n_children; i++)
        if (s->children[i]->release) s->children[i]->release(s->children[i]);
    s->release = NULL;
    unref_schema(s->private_data);
}

static gm_code export_schema(gm_cx *cx, const char *format, const char *item, struct ArrowSchema *out)
{
    schema_holder *h = gm_raw_alloc(cx, sizeof *h);
    GM_GOT(cx, h);
    memset(h, 0, sizeof *h);
    h->refs = 1 + (item != NULL);
    snprintf(h->format, sizeof h->format, "%s", format);
    *out =
        (struct ArrowSchema){.format = h->format, .name = "", .release = release_schema, .private_data = h};
    if (item) {
        h->child = (struct ArrowSchema){
            .format = item, .name = "item", .release = release_schema, .private_data = h};
        h->children[0] = &h->child;
        out->n_children = 1;
        out->children = h->children;
    }
    return GM_OK;
}

static gm_code copied(gm_cx *cx, const void *from, size_t bytes, void **out)
{
    *out = gm_raw_alloc(cx, bytes + 8);
    GM_GOT(cx, *out);
    if (bytes) memcpy(*out, from, bytes);
    return GM_OK;
}

/* A holder with a copy of the data (and offsets, when there are any). */
static gm_code hold(gm_cx *cx, const void *data, size_t bytes, const void *offsets, size_t offset_bytes,
                    holder **out)
{
    holder *h = gm_raw_alloc(cx, sizeof *h);
    GM_GOT(cx, h);
    memset(h, 0, sizeof *h);
    h->refs = 1;
    gm_code c = copied(cx, data, bytes, &h->data);
    if (c == GM_OK && offsets) c = copied(cx, offsets, offset_bytes, &h->offsets);
    if (c != GM_OK) {
        gm_raw_free(h->data);
        gm_raw_free(h);
        return c;
    }
    *out = h;
    return GM_OK;
}

static gm_code flat(gm_cx *cx, const char *format, const void *x, int64_t n, struct ArrowArray *array,
                    struct ArrowSchema *schema)
{
    holder *h;
    GM_TRY(hold(cx, x, (size_t)n * 8, NULL, 0, &h));
    h->buffers[1] = h->data;
    *array = (struct ArrowArray){
        .length = n, .n_buffers = 2, .buffers = h->buffers, .release = release_array, .private_data = h};
    gm_code c = export_schema(cx, format, NULL, schema);
    if (c != GM_OK) release_array(array);
    return c;
}

gm_code gm_arrow_reals(gm_cx *cx, const double *x, int64_t n, int64_t cols, struct ArrowArray *array,
                       struct ArrowSchema *schema)
{
    if (cols <= 0) return flat(cx, "g", x, n, array, schema);
    holder *h;
    char format[32];
    GM_TRY(hold(cx, x, (size_t)n * 8, NULL, 0, &h));
    h->child_buffers[1] = h->data;
    h->child = (struct ArrowArray){.length = n,
                                   .n_buffers = 2,
                                   .buffers = h->child_buffers,
                                   .release = release_array,
                                   .private_data = h};
    h->refs++;
    h->children[0] = &h->child;
    *array = (struct ArrowArray){.length = n / cols,
                                 .n_buffers = 1,
                                 .buffers = h->buffers,
                                 .n_children = 1,
                                 .children = h->children,
                                 .release = release_array,
                                 .private_data = h};
    snprintf(format, sizeof format, "+w:%lld", (long long)cols);
    gm_code c = export_schema(cx, format, "g", schema);
    if (c != GM_OK) release_array(array);
    return c;
}

gm_code gm_arrow_ints(gm_cx *cx, const int64_t *x, int64_t n, struct ArrowArray *array,
                      struct ArrowSchema *schema)
{
    return flat(cx, "l", x, n, array, schema);
}

gm_code gm_arrow_texts(gm_cx *cx, const gm_texts *t, struct ArrowArray *array, struct ArrowSchema *schema)
{
    static const int64_t none[1] = {0};
    const int64_t *off = t->n > 0 ? t->off : none;
    holder *h;
    GM_TRY(hold(cx, t->bytes, (size_t)off[t->n], off, (size_t)(t->n + 1) * 8, &h));
    h->buffers[1] = h->offsets;
    h->buffers[2] = h->data;
    *array = (struct ArrowArray){
        .length = t->n, .n_buffers = 3, .buffers = h->buffers, .release = release_array, .private_data = h};
    gm_code c = export_schema(cx, "U", NULL, schema);
    if (c != GM_OK) release_array(array);
    return c;
}

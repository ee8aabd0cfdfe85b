/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow.c - reads what crosses the library's border as Arrow: rows of texts for printing, fitted state as
 * numbers. The structs are the Arrow C data and stream interfaces,
 * https://arrow.apache.org/docs/format/CDataInterface.html.
 */
#include "cmd.h"
#include <string.h>

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

static bool is_null(const struct ArrowArray *a, int64_t i)
{
    const uint8_t *valid = a->n_buffers > 0 ? a->buffers[0] : NULL;
    i += a->offset;
    return valid != NULL && !(valid[i / 8] >> (i % 8) & 1);
}

/* Text i of a column in one of Arrow's three text layouts: 32-bit offsets, 64-bit offsets, 16-byte views. */
static char *text_at(cmd *c, const char *format, const struct ArrowArray *a, int64_t i)
{
    if (is_null(a, i)) return NULL;
    i += a->offset;
    if (strcmp(format, "u") == 0) {
        const int32_t *at = a->buffers[1];
        return cmd_format(c, "%.*s", (int)(at[i + 1] - at[i]), (const char *)a->buffers[2] + at[i]);
    }
    if (strcmp(format, "U") == 0) {
        const int64_t *at = a->buffers[1];
        return cmd_format(c, "%.*s", (int)(at[i + 1] - at[i]), (const char *)a->buffers[2] + at[i]);
    }
    int32_t view[4];
    const char *views = a->buffers[1];
    memcpy(view, views + 16 * i, 16);
    const char *p = view[0] <= 12 ? views + 16 * i + 4 : (const char *)a->buffers[2 + view[2]] + view[3];
    return cmd_format(c, "%.*s", (int)view[0], p);
}

static void give_batch(cmd *c, const struct ArrowSchema *schema, const struct ArrowArray *batch,
                       void (*row)(void *user, int cols, const char *const *values), void *user)
{
    int cols = (int)schema->n_children;
    const char **values = cmd_alloc(c, (size_t)cols * sizeof *values);
    for (int64_t i = 0; i < batch->length; i++) {
        for (int j = 0; j < cols; j++)
            values[j] = text_at(c, schema->children[j]->format, batch->children[j], i + batch->offset);
        row(user, cols, values);
    }
}

static gm_code check_texts(cmd *c, const struct ArrowSchema *schema)
{
    for (int64_t j = 0; j < schema->n_children; j++) {
        const char *f = schema->children[j]->format;
        if (strcmp(f, "u") != 0 && strcmp(f, "U") != 0 && strcmp(f, "vu") != 0)
            return cmd_fail(c, GM_EINTERNAL, "column '%s' arrives as Arrow format '%s', expected text",
                            schema->children[j]->name, f);
    }
    return GM_OK;
}

static gm_code read_stream(cmd *c, struct ArrowArrayStream *stream, const struct ArrowSchema *schema,
                           void (*row)(void *user, int cols, const char *const *values), void *user)
{
    CMD_TRY(check_texts(c, schema));
    for (;;) {
        struct ArrowArray batch = {0};
        if (stream->get_next(stream, &batch) != 0) {
            const char *why = stream->get_last_error(stream);
            return cmd_fail(c, cmd_signalled() != 0 ? GM_ECANCEL : GM_ESQL, "%s",
                            why != NULL ? why : "the query failed");
        }
        if (batch.release == NULL) return GM_OK;
        give_batch(c, schema, &batch, row, user);
        batch.release(&batch);
    }
}

gm_code cmd_rows(cmd *c, const gm_table *t, void (*row)(void *user, int cols, const char *const *values),
                 void *user)
{
    struct ArrowArrayStream stream = {0};
    CMD_TRY(cmd_lib(c, gm_table_export(c->cx, t, &stream)));
    struct ArrowSchema schema = {0};
    gm_code code = GM_OK;
    if (stream.get_schema(&stream, &schema) != 0) {
        const char *why = stream.get_last_error(&stream);
        code = cmd_fail(c, GM_ESQL, "%s", why != NULL ? why : "the query failed");
    } else {
        code = read_stream(c, &stream, &schema, row, user);
        schema.release(&schema);
    }
    stream.release(&stream);
    return code;
}

/* A vector is float64 or int64; a matrix a fixed-size list ("+w:3") of them. */
static gm_code copy_reals(cmd *c, const char *name, const struct ArrowSchema *schema,
                          const struct ArrowArray *array, double **v, int64_t *rows, int64_t *cols)
{
    *rows = array->length;
    *cols = 1;
    if (strncmp(schema->format, "+w:", 3) == 0) {
        long long k = 0;
        if (sscanf(schema->format + 3, "%lld", &k) != 1 || schema->n_children != 1) k = 0;
        *cols = k;
        schema = schema->children[0];
        array = array->children[0];
    }
    bool whole = strcmp(schema->format, "l") == 0;
    if (!whole && strcmp(schema->format, "g") != 0)
        return cmd_fail(c, GM_EINTERNAL, "state '%s' has Arrow format '%s', expected numbers", name,
                        schema->format);
    int64_t n = *rows * *cols;
    *v = cmd_alloc(c, (size_t)n * sizeof **v);
    const double *reals = array->buffers[1];
    const int64_t *ints = array->buffers[1];
    for (int64_t i = 0; i < n; i++)
        (*v)[i] = whole ? (double)ints[i + array->offset] : reals[i + array->offset];
    return GM_OK;
}

gm_code cmd_state_reals(cmd *c, const gm_model *m, int stage, const char *name, double **v, int64_t *rows,
                        int64_t *cols)
{
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};
    CMD_TRY(cmd_lib(c, gm_model_state(c->cx, m, stage, name, &array, &schema)));
    gm_code code = copy_reals(c, name, &schema, &array, v, rows, cols);
    array.release(&array);
    schema.release(&schema);
    return code;
}

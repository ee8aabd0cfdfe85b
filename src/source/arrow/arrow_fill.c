/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow_fill.c - Arrow columns into the database's vectors. Numbers and dates are copied (times brought to
 * microseconds), text is pointed to where it stands: the table outlives its queries. Nested columns go
 * through the database's converter, a tile at a time.
 */
#include "source/arrow/arrow_own.h"
#include <stdlib.h>
#include <string.h>

/* ---- types ---- */

static const struct {
    const char *format;
    int type;
} plain[] = {{"n", DUCKDB_TYPE_VARCHAR},    {"b", DUCKDB_TYPE_BOOLEAN},    {"c", DUCKDB_TYPE_TINYINT},
             {"C", DUCKDB_TYPE_UTINYINT},   {"s", DUCKDB_TYPE_SMALLINT},   {"S", DUCKDB_TYPE_USMALLINT},
             {"i", DUCKDB_TYPE_INTEGER},    {"I", DUCKDB_TYPE_UINTEGER},   {"l", DUCKDB_TYPE_BIGINT},
             {"L", DUCKDB_TYPE_UBIGINT},    {"f", DUCKDB_TYPE_FLOAT},      {"g", DUCKDB_TYPE_DOUBLE},
             {"u", DUCKDB_TYPE_VARCHAR},    {"U", DUCKDB_TYPE_VARCHAR},    {"vu", DUCKDB_TYPE_VARCHAR},
             {"z", DUCKDB_TYPE_BLOB},       {"Z", DUCKDB_TYPE_BLOB},       {"vz", DUCKDB_TYPE_BLOB},
             {"tdD", DUCKDB_TYPE_DATE},     {"tdm", DUCKDB_TYPE_DATE},     {"tts", DUCKDB_TYPE_TIME},
             {"ttm", DUCKDB_TYPE_TIME},     {"ttu", DUCKDB_TYPE_TIME},     {"ttn", DUCKDB_TYPE_TIME},
             {"tDs", DUCKDB_TYPE_INTERVAL}, {"tDm", DUCKDB_TYPE_INTERVAL}, {"tDu", DUCKDB_TYPE_INTERVAL},
             {"tDn", DUCKDB_TYPE_INTERVAL}, {"tiM", DUCKDB_TYPE_INTERVAL}, {"tiD", DUCKDB_TYPE_INTERVAL},
             {"tin", DUCKDB_TYPE_INTERVAL}};

static bool is_text(const char *f)
{
    return strcmp(f, "u") == 0 || strcmp(f, "U") == 0 || strcmp(f, "vu") == 0;
}
static bool is_stamp(const char *f) { return f[0] == 't' && f[1] == 's'; }

/* Read without the converter. */
static bool ours(const struct ArrowSchema *s)
{
    if (s->dictionary) return is_text(s->dictionary->format) && s->dictionary->dictionary == NULL;
    if (s->n_children > 0) return false;
    for (int64_t i = 0; i < GM_COUNT(plain); i++)
        if (strcmp(s->format, plain[i].format) == 0) return true;
    return is_stamp(s->format) || strncmp(s->format, "w:", 2) == 0 || strncmp(s->format, "d:", 2) == 0;
}

static duckdb_logical_type type_of(gm_cx *cx, gm_arena *a, const gm_duck *d, const struct ArrowSchema *s);

static duckdb_logical_type struct_type(gm_cx *cx, gm_arena *a, const gm_duck *d, const struct ArrowSchema *s)
{
    duckdb_logical_type *m = gm_alloc(cx, a, s->n_children, sizeof *m), made = NULL;
    const char **names = gm_alloc(cx, a, s->n_children, sizeof *names);
    bool fine = m && names;
    for (int64_t i = 0; fine && i < s->n_children; i++) {
        names[i] = s->children[i]->name ? s->children[i]->name : "";
        fine = (m[i] = type_of(cx, a, d, s->children[i])) != NULL;
    }
    if (fine) made = d->create_struct_type(m, names, (idx_t)s->n_children);
    for (int64_t i = 0; m && i < s->n_children; i++)
        if (m[i]) d->destroy_logical_type(&m[i]);
    return made;
}

static duckdb_logical_type list_type(gm_cx *cx, gm_arena *a, const gm_duck *d, const struct ArrowSchema *s)
{
    if (strcmp(s->format, "+m") == 0) {
        duckdb_logical_type k = type_of(cx, a, d, s->children[0]->children[0]), made = NULL;
        duckdb_logical_type v = type_of(cx, a, d, s->children[0]->children[1]);
        if (k && v) made = d->create_map_type(k, v);
        if (k) d->destroy_logical_type(&k);
        if (v) d->destroy_logical_type(&v);
        return made;
    }
    duckdb_logical_type item = type_of(cx, a, d, s->children[0]), made = NULL;
    if (item == NULL) return NULL;
    bool fixed = s->format[1] == 'w';
    made = fixed ? d->create_array_type(item, (idx_t)atoll(s->format + 3)) : d->create_list_type(item);
    d->destroy_logical_type(&item);
    return made;
}

/* NULL when the format is not known. */
static duckdb_logical_type type_of(gm_cx *cx, gm_arena *a, const gm_duck *d, const struct ArrowSchema *s)
{
    const char *f = s->format;
    if (s->dictionary) return type_of(cx, a, d, s->dictionary);
    if (strcmp(f, "+s") == 0) return struct_type(cx, a, d, s);
    if (f[0] == '+') return list_type(cx, a, d, s);
    if (is_stamp(f)) {
        int local = f[2] == 'n' ? DUCKDB_TYPE_TIMESTAMP_NS : DUCKDB_TYPE_TIMESTAMP;
        return d->create_logical_type(f[4] ? DUCKDB_TYPE_TIMESTAMP_TZ : local); /* "tsu:UTC" */
    }
    if (strncmp(f, "w:", 2) == 0) return d->create_logical_type(DUCKDB_TYPE_BLOB);
    if (strncmp(f, "d:", 2) == 0) {
        char *comma;
        long p = strtol(f + 2, &comma, 10), scale = *comma == ',' ? strtol(comma + 1, NULL, 10) : 0;
        return d->create_decimal_type((uint8_t)p, (uint8_t)scale);
    }
    for (int64_t i = 0; i < GM_COUNT(plain); i++)
        if (strcmp(f, plain[i].format) == 0) return d->create_logical_type(plain[i].type);
    return NULL;
}

/* ---- values ---- */

static bool present(const struct ArrowArray *a, int64_t i)
{
    const uint8_t *bits = a->buffers[0];
    return bits[i >> 3] >> (i & 7) & 1;
}

static void copy_nulls(const gm_duck *d, const struct ArrowArray *a, int64_t from, int64_t n,
                       duckdb_vector out)
{
    uint64_t *valid = NULL;
    if (a->null_count == 0 || a->n_buffers == 0 || a->buffers[0] == NULL) return;
    for (int64_t i = 0; i < n; i++) {
        if (present(a, from + i)) continue;
        if (valid == NULL) d->vector_ensure_validity_writable(out), valid = d->vector_get_validity(out);
        valid[i >> 6] &= ~((uint64_t)1 << (i & 63));
    }
}

static void all_null(const gm_duck *d, int64_t n, duckdb_vector out)
{
    d->vector_ensure_validity_writable(out);
    uint64_t *valid = d->vector_get_validity(out);
    for (int64_t i = 0; i < n; i++) valid[i >> 6] &= ~((uint64_t)1 << (i & 63));
}

static int64_t floor_div(int64_t x, int64_t by) { return x / by - (x % by < 0); }

static void texts(const struct ArrowSchema *s, const struct ArrowArray *a, int64_t from, int64_t n,
                  gm_text *out)
{
    const char *f = s->format, *bytes = a->n_buffers > 2 ? a->buffers[2] : NULL;
    bool nulls = a->null_count != 0 && a->buffers[0] != NULL;
    if (f[0] == 'v') {
        const int32_t *v =
            a->buffers[1]; /* four words each: length, then inline bytes or prefix, buffer, offset */
        for (int64_t i = 0; i < n; i++) {
            const int32_t *w = v + 4 * (from + i);
            if (nulls && !present(a, from + i)) out[i] = gm_text_none();
            else if (w[0] <= GM_TEXT_INLINE) out[i] = gm_text_of((const char *)(w + 1), (size_t)w[0]);
            else out[i] = gm_text_of((const char *)a->buffers[2 + w[2]] + w[3], (size_t)w[0]);
        }
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t k = from + i, lo, hi;
        if (f[0] == 'u' || f[0] == 'z')
            lo = ((const int32_t *)a->buffers[1])[k], hi = ((const int32_t *)a->buffers[1])[k + 1];
        else lo = ((const int64_t *)a->buffers[1])[k], hi = ((const int64_t *)a->buffers[1])[k + 1];
        if (nulls && !present(a, k)) out[i] = gm_text_none();
        else out[i] = gm_text_of(bytes + lo, (size_t)(hi - lo));
    }
}

static int64_t index_at(char f, const void *p, int64_t i)
{
    switch (f) {
    case 'c': return ((const int8_t *)p)[i];
    case 'C': return ((const uint8_t *)p)[i];
    case 's': return ((const int16_t *)p)[i];
    case 'S': return ((const uint16_t *)p)[i];
    case 'i': return ((const int32_t *)p)[i];
    case 'I': return ((const uint32_t *)p)[i];
    default: return ((const int64_t *)p)[i];
    }
}

static void from_dictionary(const gm_duck *d, const struct ArrowSchema *s, const struct ArrowArray *a,
                            const gm_text *dict, int64_t from, int64_t n, duckdb_vector out)
{
    gm_text *o = d->vector_get_data(out);
    uint64_t *valid = NULL;
    bool nulls = a->null_count != 0 && a->buffers[0] != NULL;
    for (int64_t i = 0; i < n; i++) {
        gm_text t = gm_text_none();
        if (!nulls || present(a, from + i)) t = dict[index_at(s->format[0], a->buffers[1], from + i)];
        if (!gm_text_missing(&t)) {
            o[i] = t;
            continue;
        }
        if (valid == NULL) d->vector_ensure_validity_writable(out), valid = d->vector_get_validity(out);
        valid[i >> 6] &= ~((uint64_t)1 << (i & 63));
        o[i] = gm_text_of("", 0);
    }
}

/* Units of a second in `format`'s letter (s, m, u, n) to microseconds. */
static void to_micros(char unit, bool narrow, const void *p, int64_t from, int64_t n, int64_t *out)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t x = narrow ? ((const int32_t *)p)[from + i] : ((const int64_t *)p)[from + i];
        int64_t by = unit == 's' ? 1000000 : unit == 'm' ? 1000 : 1;
        if (unit == 'n') out[i] = floor_div(x, 1000);
        else if (__builtin_mul_overflow(x, by, &out[i]))
            out[i] = x < 0 ? INT64_MIN + 2 : INT64_MAX; /* -inf, inf */
    }
}

static void intervals(const char *f, const void *p, int64_t from, int64_t n, duckdb_interval *out)
{
    for (int64_t i = 0; i < n; i++) {
        duckdb_interval v = {0};
        if (f[1] == 'D') to_micros(f[2], false, p, from + i, 1, &v.micros);
        else if (f[2] == 'M') v.months = ((const int32_t *)p)[from + i];
        else if (f[2] == 'D')
            v.days = ((const int32_t *)p)[2 * (from + i)],
            v.micros = ((const int32_t *)p)[2 * (from + i) + 1] * INT64_C(1000);
        else {
            const char *at = (const char *)p + 16 * (from + i);
            int64_t ns;
            memcpy(&v.months, at, 4);
            memcpy(&v.days, at + 4, 4);
            memcpy(&ns, at + 8, 8);
            v.micros = floor_div(ns, 1000);
        }
        out[i] = v;
    }
}

static void decimals(const char *f, const void *p, int64_t from, int64_t n, void *out)
{
    long precision = strtol(f + 2, NULL, 10);
    const duckdb_hugeint *v = (const duckdb_hugeint *)p + from;
    for (int64_t i = 0; i < n; i++) {
        if (precision <= 4) ((int16_t *)out)[i] = (int16_t)v[i].lower;
        else if (precision <= 9) ((int32_t *)out)[i] = (int32_t)v[i].lower;
        else if (precision <= 18) ((int64_t *)out)[i] = (int64_t)v[i].lower;
        else ((duckdb_hugeint *)out)[i] = v[i];
    }
}

static int64_t bytes_of(const char *f)
{
    if (strcmp(f, "tdD") == 0) return 4;
    if (strchr("cC", f[0])) return 1;
    if (strchr("sS", f[0])) return 2;
    return strchr("fiI", f[0]) ? 4 : 8;
}

static void values(const gm_duck *d, const struct ArrowSchema *s, const struct ArrowArray *a, int64_t from,
                   int64_t n, duckdb_vector out)
{
    const char *f = s->format;
    const void *p = a->buffers[1];
    void *o = d->vector_get_data(out);
    if (f[0] == 'b') {
        for (int64_t i = 0; i < n; i++)
            ((bool *)o)[i] = ((const uint8_t *)p)[(from + i) >> 3] >> ((from + i) & 7) & 1;
    } else if (f[0] == 'w') {
        int64_t size = atoll(f + 2);
        for (int64_t i = 0; i < n; i++)
            ((gm_text *)o)[i] = gm_text_of((const char *)p + size * (from + i), (size_t)size);
    } else if (f[0] == 'd') {
        decimals(f, p, from, n, o);
    } else if (strcmp(f, "tdm") == 0) {
        for (int64_t i = 0; i < n; i++)
            ((int32_t *)o)[i] = (int32_t)floor_div(((const int64_t *)p)[from + i], 86400000);
    } else if (f[0] == 't' && f[1] == 't') {
        to_micros(f[2], f[2] == 's' || f[2] == 'm', p, from, n, o);
    } else if (f[0] == 't' && (f[1] == 'D' || f[1] == 'i')) {
        intervals(f, p, from, n, o);
    } else if (is_stamp(f) && !(f[2] == 'n' && f[4] == 0)) {
        to_micros(f[2], false, p, from, n, o);
    } else {
        int64_t size = bytes_of(f);
        memcpy(o, (const char *)p + size * from, (size_t)(size * n));
    }
}

/* ---- columns ---- */

static void keep_array(struct ArrowArray *a) { a->release = NULL; } /* the table's */

static bool convert(const gm_arrow_data *w, int64_t batch, int64_t column, int64_t start, int64_t n,
                    duckdb_vector out)
{
    const gm_duck *d = w->duck;
    struct ArrowArray child = *w->batch[batch].children[column], *children[1] = {&child};
    const void *none[1] = {NULL};
    struct ArrowArray root = {.length = n,
                              .n_buffers = 1,
                              .n_children = 1,
                              .buffers = none,
                              .children = children,
                              .release = keep_array};
    duckdb_data_chunk chunk = NULL;
    child.offset += w->batch[batch].offset + start;
    child.length = n;
    child.null_count = child.null_count == 0 ? 0 : -1;
    child.release = keep_array;
    duckdb_error_data e = d->data_chunk_from_arrow(w->converter, &root, w->col[column].converted, &chunk);
    bool bad = e && d->error_data_has_error(e);
    if (e) d->destroy_error_data(&e);
    if (!bad && chunk) {
        duckdb_selection_vector all = d->create_selection_vector((idx_t)n);
        uint32_t *sel = d->selection_vector_get_data_ptr(all);
        for (int64_t i = 0; i < n; i++) sel[i] = (uint32_t)i;
        d->vector_copy_sel(d->data_chunk_get_vector(chunk, 0), out, all, (idx_t)n, 0, 0);
        d->destroy_selection_vector(all);
    }
    if (chunk) d->destroy_data_chunk(&chunk);
    return !bad;
}

bool gm_arrow_fill(const gm_arrow_data *w, int64_t batch, int64_t column, int64_t start, int64_t n,
                   duckdb_vector out)
{
    const struct ArrowSchema *s = w->schema.children[column];
    const struct ArrowArray *a = w->batch[batch].children[column];
    int64_t from = a->offset + w->batch[batch].offset + start;
    if (w->col[column].converted) return convert(w, batch, column, start, n, out);
    if (s->dictionary) {
        from_dictionary(w->duck, s, a, w->dict[batch * w->schema.n_children + column], from, n, out);
        return true;
    }
    if (strcmp(s->format, "n") == 0) {
        all_null(w->duck, n, out);
        return true;
    }
    bool text = strchr("uUzZv", s->format[0]) != NULL;
    if (text) {
        gm_text *o = w->duck->vector_get_data(out);
        texts(s, a, from, n, o);
        for (int64_t i = 0; i < n; i++)
            if (gm_text_missing(&o[i])) o[i] = gm_text_of("", 0);
    } else {
        values(w->duck, s, a, from, n, out);
    }
    copy_nulls(w->duck, a, from, n, out);
    return true;
}

/* ---- preparing ---- */

static gm_code dictionaries(gm_cx *cx, gm_arrow_data *w)
{
    int64_t cols = w->schema.n_children;
    GM_NEW_IN(cx, &w->kept, w->dict, w->n * cols);
    for (int64_t i = 0; i < w->n; i++) {
        for (int64_t j = 0; j < cols; j++) {
            const struct ArrowSchema *s = w->schema.children[j];
            if (s->dictionary == NULL || w->col[j].converted) continue;
            const struct ArrowArray *dict = w->batch[i].children[j]->dictionary;
            gm_text *t;
            /* Batches of one frame mostly share one dictionary. */
            const struct ArrowArray *last = i ? w->batch[i - 1].children[j]->dictionary : NULL;
            if (last && last->length == dict->length && last->offset == dict->offset &&
                last->buffers[1] == dict->buffers[1] && last->buffers[2] == dict->buffers[2]) {
                w->dict[i * cols + j] = w->dict[(i - 1) * cols + j];
                continue;
            }
            GM_NEW_IN(cx, &w->kept, t, dict->length);
            texts(s->dictionary, dict, dict->offset, dict->length, t);
            w->dict[i * cols + j] = t;
        }
    }
    return GM_OK;
}

static gm_code tiles(gm_cx *cx, gm_arrow_data *w)
{
    enum { TILE = 2048 };
    int64_t n = 0;
    for (int64_t i = 0; i < w->n; i++) n += (w->batch[i].length + TILE - 1) / TILE;
    GM_NEW_IN(cx, &w->kept, w->tile, n);
    for (int64_t i = 0; i < w->n; i++) {
        for (int64_t at = 0; at < w->batch[i].length; at += TILE) {
            int64_t rows = w->batch[i].length - at < TILE ? w->batch[i].length - at : TILE;
            w->tile[w->n_tiles++] = (struct gm_arrow_tile){i, at, rows};
        }
        w->rows += w->batch[i].length;
    }
    return GM_OK;
}

static void keep_schema(struct ArrowSchema *s) { s->release = NULL; }

static gm_code converter_for(gm_cx *cx, const char *who, gm_arrow_data *w, gm_arrow_column *c,
                             struct ArrowSchema *s)
{
    const gm_duck *d = w->duck;
    if (w->converter == NULL && d->connect(w->db->handle, &w->converter) != DuckDBSuccess)
        return gm_fail(cx, GM_ENOMEM, "DuckDB gives no connection");
    c->child = s;
    c->root = (struct ArrowSchema){
        .format = "+s", .name = "", .n_children = 1, .children = &c->child, .release = keep_schema};
    duckdb_error_data e = d->schema_from_arrow(w->converter, &c->root, &c->converted);
    gm_code code = GM_OK;
    if (e && d->error_data_has_error(e))
        code = gm_fail(cx, GM_EFORMAT, "%s: column '%s' has the Arrow type '%.40s': %s", who, s->name,
                       s->format, d->error_data_message(e));
    if (e) d->destroy_error_data(&e);
    return code;
}

gm_code gm_arrow_prepare(gm_cx *cx, const char *who, gm_arrow_data *w)
{
    GM_NEW_IN(cx, &w->kept, w->col, w->schema.n_children);
    for (int64_t j = 0; j < w->schema.n_children; j++) {
        struct ArrowSchema *s = w->schema.children[j];
        w->col[j].type = type_of(cx, &w->kept, w->duck, s);
        if (w->col[j].type == NULL)
            return gm_fail(cx, GM_EFORMAT, "%s: column '%s' has the Arrow type '%.40s', which cannot be read",
                           who, s->name, s->format);
        if (!ours(s)) GM_TRY(converter_for(cx, who, w, &w->col[j], s));
    }
    GM_TRY(dictionaries(cx, w));
    return tiles(cx, w);
}

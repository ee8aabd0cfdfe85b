/* SPDX-License-Identifier: Apache-2.0 */
/*
 * safetensors.c - reads and writes the container of model files, see safetensors.h for the layout.
 * The header's checksum is verified before its JSON is parsed, so damage is told as damage; a file that was
 * made to deceive can carry right checksums, so the checks after it trust nothing either.
 */
#include "model/safetensors.h"
#include "base/dict.h"
#include "base/doc.h"
#include <inttypes.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "model files are little endian; this machine needs byte swaps here"
#endif

enum { ALIGN = 64, PREFIX = 8, DIGITS = 16, MAX_HEADER = 100 * 1000 * 1000, MAX_NAME = 1000 };

/* The header begins with these bytes, so the digits of its own checksum stand at a known place. */
static const char head_a[] = "{\"__metadata__\":{\"gristmill.header\":\"";
static const char head_b[] = "\",\"gristmill.xxh3\":\"";
static const char head_zeros[] = "0000000000000000";
enum {
    AT_HEADER = sizeof head_a - 1,
    AT_DATA = AT_HEADER + DIGITS + sizeof head_b - 1,
    HEAD_LEN = AT_DATA + DIGITS
};

struct gm_st {
    const char *origin;
    int64_t n, n_meta;
    gm_st_tensor *t;
    gm_st_meta *meta;
    gm_dict *names; /* code = index into t */
};

static const struct {
    const char *name;
    size_t size;
} dtypes[] = {[GM_ST_F64] = {"F64", 8}, [GM_ST_I64] = {"I64", 8}, [GM_ST_U8] = {"U8", 1}};

static void digits_of(uint64_t hash, char out[DIGITS])
{
    for (int i = 0; i < DIGITS; i++) out[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
}

/* The checksum of a header whose own digits count as zeros. */
static uint64_t header_hash(const char *text, size_t n)
{
    XXH3_state_t s;
    XXH3_64bits_reset(&s);
    XXH3_64bits_update(&s, text, AT_HEADER);
    XXH3_64bits_update(&s, head_zeros, DIGITS);
    XXH3_64bits_update(&s, text + AT_HEADER + DIGITS, n - AT_HEADER - DIGITS);
    return XXH3_64bits_digest(&s);
}

/* Bytes that shape and dtype ask for; false when they do not fit in a size_t. */
static bool bytes_needed(const gm_st_tensor *t, size_t *out)
{
    size_t n = dtypes[t->dtype].size;
    for (int i = 0; i < t->ndim; i++)
        if (t->shape[i] < 0 || __builtin_mul_overflow(n, (size_t)t->shape[i], &n)) return false;
    *out = n;
    return n <= PTRDIFF_MAX;
}

/* ---- writing ---- */

static gm_code check_tensor(gm_cx *cx, gm_dict *names, const gm_st_tensor *t, int64_t i)
{
    size_t need, bad, len = strlen(t->name);
    if (len == 0 || len > MAX_NAME || strcmp(t->name, "__metadata__") == 0 ||
        !gm_utf8_valid(t->name, len, &bad))
        return gm_fail(cx, GM_EINTERNAL, "model file: '%s' cannot be the name of a tensor", t->name);
    if (t->ndim < 0 || t->ndim > 2 || !bytes_needed(t, &need) || need != t->bytes ||
        (need && t->data == NULL))
        return gm_fail(cx, GM_EINTERNAL, "model file: tensor '%s' of %zu bytes does not have its shape",
                       t->name, t->bytes);
    uint32_t code;
    gm_text text = gm_text_of(t->name, len);
    GM_TRY(gm_dict_add(cx, names, &text, &code));
    if (code != (uint32_t)i)
        return gm_fail(cx, GM_EINTERNAL, "model file: two tensors are named '%s'", t->name);
    return GM_OK;
}

static void write_entry(gm_buf *b, const gm_st_tensor *t, size_t at)
{
    gm_json_open(b, t->name, '{');
    gm_json_str(b, "dtype", dtypes[t->dtype].name);
    gm_json_open(b, "shape", '[');
    for (int k = 0; k < t->ndim; k++) gm_json_int(b, NULL, t->shape[k]);
    gm_json_close(b, ']');
    gm_json_open(b, "data_offsets", '[');
    gm_json_int(b, NULL, (int64_t)at);
    gm_json_int(b, NULL, (int64_t)(at + t->bytes));
    gm_json_close(b, ']');
    gm_json_close(b, '}');
}

/* The 8 bytes of length and the padded header; sorted[] gets the tensors in file order. */
static gm_code make_header(gm_cx *cx, gm_buf *b, const gm_st_tensor *t, int64_t n, const gm_st_meta *m,
                           int64_t n_meta, const gm_st_tensor **sorted)
{
    gm_dict *names;
    GM_TRY(gm_dict_new(cx, gm_scratch(cx), &names));
    for (int64_t i = 0; i < n; i++) GM_TRY(check_tensor(cx, names, &t[i], i));
    int64_t k = 0;
    for (size_t size = 8; size; size = size == 8 ? 1 : 0)
        for (int64_t i = 0; i < n; i++)
            if (dtypes[t[i].dtype].size == size) sorted[k++] = &t[i];

    XXH3_state_t s;
    XXH3_64bits_reset(&s);
    for (int64_t i = 0; i < n; i++)
        if (sorted[i]->bytes) XXH3_64bits_update(&s, sorted[i]->data, sorted[i]->bytes);
    char data[DIGITS + 1] = {0};
    digits_of(XXH3_64bits_digest(&s), data);

    gm_buf_add(b, head_zeros, PREFIX); /* the length goes here */
    gm_json_open(b, NULL, '{');
    gm_json_open(b, "__metadata__", '{');
    gm_json_str(b, "gristmill.header", head_zeros);
    gm_json_str(b, "gristmill.xxh3", data);
    for (int64_t i = 0; i < n_meta; i++) gm_json_str(b, m[i].key, m[i].value);
    gm_json_close(b, '}');
    size_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        write_entry(b, sorted[i], at);
        at += sorted[i]->bytes;
    }
    gm_json_close(b, '}');
    while (b->code == GM_OK && b->len % ALIGN) gm_buf_add(b, " ", 1);
    GM_TRY(gm_buf_done(b));

    uint64_t len = b->len - PREFIX;
    if (len > MAX_HEADER)
        return gm_fail(cx, GM_ELIMIT,
                       "model file: the header takes %" PRIu64 " bytes, at most %d are allowed", len,
                       MAX_HEADER);
    memcpy(b->p, &len, PREFIX);
    digits_of(header_hash(b->p + PREFIX, len), b->p + PREFIX + AT_HEADER);
    return GM_OK;
}

gm_code gm_st_write(gm_cx *cx, gm_writer *w, const gm_st_tensor *t, int64_t n, const gm_st_meta *m,
                    int64_t n_meta)
{
    const gm_st_tensor **sorted;
    gm_buf head = gm_buf_in(cx, gm_scratch(cx));
    GM_NEW(cx, sorted, n + 1);
    GM_TRY(make_header(cx, &head, t, n, m, n_meta, sorted));
    GM_TRY(gm_writer_add(cx, w, head.p, head.len));
    for (int64_t i = 0; i < n; i++)
        if (sorted[i]->bytes) GM_TRY(gm_writer_add(cx, w, sorted[i]->data, sorted[i]->bytes));
    return GM_OK;
}

gm_code gm_st_write_buf(gm_cx *cx, gm_buf *b, const gm_st_tensor *t, int64_t n, const gm_st_meta *m,
                        int64_t n_meta)
{
    const gm_st_tensor **sorted;
    gm_buf head = gm_buf_in(cx, gm_scratch(cx));
    GM_NEW(cx, sorted, n + 1);
    GM_TRY(make_header(cx, &head, t, n, m, n_meta, sorted));
    gm_buf_add(b, head.p, head.len);
    for (int64_t i = 0; i < n; i++)
        if (sorted[i]->bytes) gm_buf_add(b, sorted[i]->data, sorted[i]->bytes);
    return gm_buf_done(b);
}

/* ---- reading ---- */

/* What a file that is no model may be, from its first bytes. */
static const char *guess(const unsigned char *p, size_t n)
{
    static const struct {
        const char *magic;
        size_t len;
        const char *what;
    } known[] = {{"PK\3\4", 4, "a zip archive (PyTorch, Keras and Spark models are such)"},
                 {"\x89HDF", 4, "an HDF5 file"},
                 {"\x1f\x8b", 2, "a gzip file"},
                 {"PAR1", 4, "a Parquet file"},
                 {"ARROW1", 6, "an Arrow file"},
                 {"GGUF", 4, "a GGUF file"},
                 {"\x28\xb5\x2f\xfd", 4, "a zstd file"}};
    for (int64_t i = 0; i < GM_COUNT(known); i++)
        if (n >= known[i].len && memcmp(p, known[i].magic, known[i].len) == 0) return known[i].what;
    if (n >= 2 && p[0] == 0x80 && p[1] >= 2 && p[1] <= 5)
        return "a Python pickle, which is never run or read";
    return NULL;
}

static gm_code damaged(gm_cx *cx, gm_code code)
{
    return gm_hint_add(cx, code, "copy the file again from where it was written, or train again");
}

/* Length, beginning and checksum of the header. */
static gm_code check_head(gm_cx *cx, const char *origin, const unsigned char *p, size_t n, size_t *len)
{
    uint64_t head = 0;
    const char *what = guess(p, n);
    if (what) return gm_fail(cx, GM_EMODEL, "%s: not a Gristmill model but %s", origin, what);
    if (n < PREFIX)
        return damaged(cx, gm_fail(cx, GM_EMODEL, "%s: cut short: %zu bytes, no header", origin, n));
    memcpy(&head, p, PREFIX);
    const char *text = (const char *)p + PREFIX;
    if (n > PREFIX && text[0] != '{')
        return gm_fail(cx, GM_EMODEL, "%s: not a Gristmill model: no safetensors header at its beginning",
                       origin);
    if (head > MAX_HEADER)
        return damaged(cx, gm_fail(cx, GM_EMODEL, "%s: header of %" PRIu64 " bytes, at most %d are allowed",
                                   origin, head, MAX_HEADER));
    if (head > n - PREFIX)
        return damaged(cx, gm_fail(cx, GM_EMODEL, "%s: cut short: header of %" PRIu64 " bytes, %zu are there",
                                   origin, head, n - PREFIX));
    if (head < HEAD_LEN || memcmp(text, head_a, AT_HEADER) != 0 ||
        memcmp(text + AT_HEADER + DIGITS, head_b, sizeof head_b - 1) != 0)
        return gm_hint_add(
            cx, gm_fail(cx, GM_EMODEL, "%s: a safetensors file without Gristmill's checksums", origin),
            "only files that Gristmill wrote are models; other programs must not rewrite them");
    char digits[DIGITS];
    digits_of(header_hash(text, head), digits);
    if (memcmp(digits, text + AT_HEADER, DIGITS) != 0)
        return damaged(cx, gm_fail(cx, GM_EMODEL,
                                   "%s: damaged: the header's checksum is %.16s, its content gives %.16s",
                                   origin, text + AT_HEADER, digits));
    if ((PREFIX + head) % ALIGN)
        return damaged(cx, gm_fail(cx, GM_EMODEL,
                                   "%s: the data begin at byte %" PRIu64 ", not at a multiple of %d", origin,
                                   PREFIX + head, (int)ALIGN));
    *len = head;
    return GM_OK;
}

static gm_code bad_entry(gm_cx *cx, const gm_st *st, const char *name, const char *what)
{
    return damaged(cx, gm_fail(cx, GM_EMODEL, "%s: tensor '%.100s': %s", st->origin, name, what));
}

/* One tensor of the header; *at is where its bytes must begin. */
static gm_code read_entry(gm_cx *cx, gm_st *st, const gm_doc *d, const char *data, size_t size, size_t *at)
{
    gm_st_tensor *t = &st->t[st->n];
    const gm_doc *dtype = gm_doc_get(d, "dtype"), *shape = gm_doc_get(d, "shape"),
                 *off = gm_doc_get(d, "data_offsets");
    t->name = d->key;
    size_t need, len = strlen(t->name);
    if (len == 0 || len > MAX_NAME) return bad_entry(cx, st, t->name, "a name has 1 to 1000 bytes");
    if (d->kind != GM_D_MAP || d->n != 3 || !dtype || dtype->kind != GM_D_STR || !shape ||
        shape->kind != GM_D_LIST || !off || off->kind != GM_D_LIST || off->n != 2)
        return bad_entry(cx, st, t->name, "expected exactly dtype, shape and two data_offsets");
    int64_t k = 0;
    while (k < GM_COUNT(dtypes) && strcmp(dtypes[k].name, dtype->str) != 0) k++;
    if (k == GM_COUNT(dtypes)) return bad_entry(cx, st, t->name, "its dtype is none of F64, I64, U8");
    t->dtype = (gm_st_dtype)k;
    if (shape->n > 2) return bad_entry(cx, st, t->name, "its shape has more than two dimensions");
    t->ndim = (int)shape->n;
    for (int i = 0; i < t->ndim; i++) {
        if (shape->child[i].kind != GM_D_INT || shape->child[i].i < 0)
            return bad_entry(cx, st, t->name, "its shape is not made of whole numbers from 0");
        t->shape[i] = shape->child[i].i;
    }
    if (!bytes_needed(t, &need)) return bad_entry(cx, st, t->name, "its shape is too large for this machine");
    if (off->child[0].kind != GM_D_INT || off->child[1].kind != GM_D_INT)
        return bad_entry(cx, st, t->name, "its data_offsets are not whole numbers");
    int64_t lo = off->child[0].i, hi = off->child[1].i;
    if (lo < 0 || hi < lo || (size_t)lo != *at)
        return damaged(cx, gm_fail(cx, GM_EMODEL,
                                   "%s: tensor '%.100s' lies at bytes %" PRId64 " to %" PRId64
                                   ", expected to begin at %zu, where the one before it ends",
                                   st->origin, t->name, lo, hi, *at));
    if ((size_t)(hi - lo) != need)
        return damaged(cx, gm_fail(cx, GM_EMODEL,
                                   "%s: tensor '%.100s' has %" PRId64 " bytes, its shape needs %zu",
                                   st->origin, t->name, hi - lo, need));
    if ((size_t)hi > size)
        return damaged(cx, gm_fail(cx, GM_EMODEL,
                                   "%s: cut short: tensor '%.100s' ends at byte %" PRId64
                                   " of the data, %zu are there",
                                   st->origin, t->name, hi, size));
    if ((size_t)lo % dtypes[k].size) return bad_entry(cx, st, t->name, "it is not aligned to its elements");
    t->data = data + lo;
    t->bytes = need;
    *at = (size_t)hi;

    uint32_t code;
    gm_text text = gm_text_of(t->name, len);
    GM_TRY(gm_dict_add(cx, st->names, &text, &code));
    if (code != (uint32_t)st->n) return bad_entry(cx, st, t->name, "the name stands there twice");
    st->n++;
    return GM_OK;
}

static gm_code read_metadata(gm_cx *cx, gm_arena *a, gm_st *st, const gm_doc *d)
{
    if (d->kind != GM_D_MAP)
        return damaged(cx, gm_fail(cx, GM_EMODEL, "%s: __metadata__ is not a map", st->origin));
    GM_NEW_IN(cx, a, st->meta, d->n + 1);
    for (int64_t i = 0; i < d->n; i++) {
        const gm_doc *v = &d->child[i];
        if (v->kind != GM_D_STR)
            return damaged(cx,
                           gm_fail(cx, GM_EMODEL, "%s: metadata '%.100s' is not a text", st->origin, v->key));
        st->meta[st->n_meta++] = (gm_st_meta){v->key, v->str};
    }
    return GM_OK;
}

static gm_code check_data(gm_cx *cx, const gm_st *st, const char *data, size_t size, size_t end,
                          const char *digits)
{
    if (end != size)
        return damaged(
            cx, gm_fail(cx, GM_EMODEL, "%s: %zu bytes of data, the header names %zu", st->origin, size, end));
    char found[DIGITS];
    digits_of(XXH3_64bits(data, size), found);
    if (memcmp(found, digits, DIGITS) != 0)
        return damaged(cx, gm_fail(cx, GM_EMODEL,
                                   "%s: damaged: the data's checksum is %.16s, its content gives %.16s",
                                   st->origin, digits, found));
    return GM_OK;
}

gm_code gm_st_open(gm_cx *cx, gm_arena *a, const void *bytes, size_t n, const char *origin, gm_st **out)
{
    gm_st *st;
    gm_doc *doc;
    size_t head, at = 0;
    if (origin == NULL || !*origin) origin = "model";
    GM_TRY(check_head(cx, origin, bytes, n, &head));
    const char *text = (const char *)bytes + PREFIX, *data = text + head;
    size_t size = n - PREFIX - head;

    GM_NEW_IN(cx, a, st, 1);
    GM_GOT(cx, st->origin = gm_strdup(cx, a, origin));
    GM_TRY(gm_dict_new(cx, a, &st->names));
    GM_TRY(damaged(cx, gm_fail_as(cx, gm_doc_json(cx, a, text, head, origin, &doc), GM_ESYNTAX, GM_EMODEL)));
    if (doc->kind != GM_D_MAP || doc->n < 1 || strcmp(doc->child[0].key, "__metadata__") != 0)
        return damaged(cx, gm_fail(cx, GM_EMODEL, "%s: the header does not begin with __metadata__", origin));
    if ((uintptr_t)data % 8) {
        char *copy;
        GM_NEW_IN(cx, a, copy, size + 1);
        data = size ? memcpy(copy, data, size) : copy;
    }
    GM_TRY(read_metadata(cx, a, st, &doc->child[0]));
    GM_NEW_IN(cx, a, st->t, doc->n);
    for (int64_t i = 1; i < doc->n; i++) GM_TRY(read_entry(cx, st, &doc->child[i], data, size, &at));
    GM_TRY(check_data(cx, st, data, size, at, text + AT_DATA));
    *out = st;
    return GM_OK;
}

int64_t gm_st_count(const gm_st *st) { return st->n; }
const gm_st_tensor *gm_st_at(const gm_st *st, int64_t i) { return &st->t[i]; }

const gm_st_tensor *gm_st_find(const gm_st *st, const char *name)
{
    gm_text text = gm_text_of(name, strlen(name));
    uint32_t code = gm_dict_find(st->names, &text);
    return code == GM_CODE_MISSING ? NULL : &st->t[code];
}

const char *gm_st_metadata(const gm_st *st, const char *key)
{
    for (int64_t i = 0; i < st->n_meta; i++)
        if (strcmp(st->meta[i].key, key) == 0) return st->meta[i].value;
    return NULL;
}

gm_code gm_st_need(gm_cx *cx, const gm_st *st, const char *name, gm_st_dtype dtype, int ndim,
                   const gm_st_tensor **out)
{
    const gm_st_tensor *t = gm_st_find(st, name);
    if (t == NULL)
        return damaged(cx, gm_fail(cx, GM_EMODEL, "%s: tensor '%.100s' is missing", st->origin, name));
    if (t->dtype != dtype || t->ndim != ndim)
        return damaged(
            cx, gm_fail(cx, GM_EMODEL, "%s: tensor '%.100s' is %s with %d dimensions, expected %s with %d",
                        st->origin, name, dtypes[t->dtype].name, t->ndim, dtypes[dtype].name, ndim));
    *out = t;
    return GM_OK;
}

gm_code gm_st_need_meta(gm_cx *cx, const gm_st *st, const char *key, const char **out)
{
    *out = gm_st_metadata(st, key);
    if (*out == NULL)
        return damaged(cx, gm_fail(cx, GM_EMODEL, "%s: metadata '%.100s' is missing", st->origin, key));
    return GM_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow_check.c - see arrow_check.h. The layouts are those of the Arrow columnar format 1.5: per type the
 * number of buffers and children, and what offsets and indices may be.
 */
#include "source/arrow/arrow_check.h"
#include "base/text.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 32, MAX_CHILDREN = 100000 };
static const int64_t MAX_LENGTH = INT64_C(1) << 40;

typedef enum layout {
    FIXED,
    NONE,
    TEXT32,
    TEXT64,
    VIEWS,
    LIST32,
    LIST64,
    FIXED_LIST,
    STRUCT,
    REFUSED
} layout;

/* bytes: of one FIXED value, 0 for bits. */
static layout layout_of(const char *f, int64_t *bytes, bool *utf8)
{
    static const struct {
        const char *format;
        int bytes;
    } exact[] = {{"b", 0},   {"c", 1},   {"C", 1},   {"s", 2},   {"S", 2},   {"i", 4},
                 {"I", 4},   {"l", 8},   {"L", 8},   {"f", 4},   {"g", 8},   {"tdD", 4},
                 {"tdm", 8}, {"tts", 4}, {"ttm", 4}, {"ttu", 8}, {"ttn", 8}, {"tDs", 8},
                 {"tDm", 8}, {"tDu", 8}, {"tDn", 8}, {"tiM", 4}, {"tiD", 8}, {"tin", 16}};
    *utf8 = f[0] == 'u' || f[0] == 'U' || strcmp(f, "vu") == 0;
    *bytes = 0;
    for (int64_t i = 0; i < GM_COUNT(exact); i++)
        if (strcmp(f, exact[i].format) == 0) return *bytes = exact[i].bytes, FIXED;
    if (strcmp(f, "n") == 0) return NONE;
    if (strcmp(f, "u") == 0 || strcmp(f, "z") == 0) return TEXT32;
    if (strcmp(f, "U") == 0 || strcmp(f, "Z") == 0) return TEXT64;
    if (strcmp(f, "vu") == 0 || strcmp(f, "vz") == 0) return VIEWS;
    if (strcmp(f, "+l") == 0 || strcmp(f, "+m") == 0) return LIST32;
    if (strcmp(f, "+L") == 0) return LIST64;
    if (strcmp(f, "+s") == 0) return STRUCT;
    if (strncmp(f, "+w:", 3) == 0) return FIXED_LIST;
    if (f[0] == 't' && f[1] == 's' && f[2] && strchr("smun", f[2]) && f[3] == ':') return *bytes = 8, FIXED;
    if (strncmp(f, "w:", 2) == 0)
        return *bytes = atoll(f + 2), *bytes > 0 && *bytes < 1 << 20 ? FIXED : REFUSED;
    if (strncmp(f, "d:", 2) == 0) {
        int precision = 0, scale = 0, bits = 128;
        char *end;
        precision = (int)strtol(f + 2, &end, 10);
        if (*end == ',') scale = (int)strtol(end + 1, &end, 10);
        if (*end == ',') bits = (int)strtol(end + 1, &end, 10);
        bool fine =
            *end == 0 && precision > 0 && precision <= 38 && scale >= 0 && scale <= precision && bits == 128;
        return *bytes = 16, fine ? FIXED : REFUSED;
    }
    return REFUSED;
}

static gm_code wrong(gm_cx *cx, const char *who, const char *column, const char *what)
{
    return gm_hint_add(cx, gm_fail(cx, GM_EFORMAT, "%s: column '%s': %s", who, column, what),
                       "the Arrow data are damaged, or were freed too early");
}

/* ---- schema ---- */

static gm_code check_field(gm_cx *cx, const char *who, const char *column, const struct ArrowSchema *s,
                           int depth)
{
    int64_t bytes;
    bool utf8;
    if (s == NULL || s->format == NULL || s->release == NULL)
        return wrong(cx, who, column, "a field has no format");
    layout l = layout_of(s->format, &bytes, &utf8);
    if (l == REFUSED || depth > MAX_DEPTH)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EFORMAT,
                                   "%s: column '%s' has the Arrow type '%.40s', which cannot be read", who,
                                   column, s->format),
                           "cast it to numbers or text first, or leave it out");
    if (s->n_children < 0 || s->n_children > MAX_CHILDREN || (s->n_children > 0 && s->children == NULL))
        return wrong(cx, who, column, "a field has an impossible number of children");
    bool one = l == LIST32 || l == LIST64 || l == FIXED_LIST;
    if ((one && s->n_children != 1) || (!one && l != STRUCT && s->n_children != 0) ||
        (l == STRUCT && s->n_children == 0))
        return wrong(cx, who, column, "the children do not fit the type");
    if (l == FIXED_LIST && (atoll(s->format + 3) < 1 || atoll(s->format + 3) > 1 << 24))
        return wrong(cx, who, column, "the length of a fixed-size list is impossible");
    for (int64_t i = 0; i < s->n_children; i++)
        GM_TRY(check_field(cx, who, column, s->children[i], depth + 1));
    if (strcmp(s->format, "+m") == 0 &&
        (strcmp(s->children[0]->format, "+s") != 0 || s->children[0]->n_children != 2))
        return wrong(cx, who, column, "a map is not a list of pairs");
    if (s->dictionary == NULL) return GM_OK;
    if (strlen(s->format) != 1 || strchr("cCsSiIlL", s->format[0]) == NULL)
        return wrong(cx, who, column, "dictionary indices are not integers");
    return check_field(cx, who, column, s->dictionary, depth + 1);
}

gm_code gm_arrow_check_schema(gm_cx *cx, const char *who, const struct ArrowSchema *s)
{
    if (s->format == NULL || strcmp(s->format, "+s") != 0)
        return gm_fail(cx, GM_EFORMAT, "%s: a stream of tables is expected, and its type is '%.40s'", who,
                       s->format ? s->format : "missing");
    if (s->n_children == 0)
        return gm_hint_add(cx, gm_fail(cx, GM_ESCHEMA, "%s: a table needs at least one column", who),
                           "give one that is not empty");
    if (s->n_children < 1 || s->n_children > MAX_CHILDREN || s->children == NULL)
        return gm_fail(cx, GM_EFORMAT, "%s: a table of %lld columns cannot be", who,
                       (long long)s->n_children);
    for (int64_t i = 0; i < s->n_children; i++) {
        const struct ArrowSchema *c = s->children[i];
        if (c == NULL || c->name == NULL || *c->name == 0)
            return gm_hint_add(
                cx, gm_fail(cx, GM_EFORMAT, "%s: column %lld has no name", who, (long long)i + 1), "name it");
        if (!gm_utf8_valid(c->name, strlen(c->name), NULL))
            return gm_fail(cx, GM_EFORMAT, "%s: the name of column %lld is not UTF-8", who, (long long)i + 1);
        GM_TRY(check_field(cx, who, c->name, c, 0));
    }
    return GM_OK;
}

/* ---- arrays ---- */

typedef struct at {
    gm_cx *cx;
    const char *who, *column;
} at;

static bool valid_at(const struct ArrowArray *a, int64_t i)
{
    const uint8_t *bits = a->buffers[0];
    return bits == NULL || (bits[i >> 3] >> (i & 7) & 1);
}

static gm_code check_offsets32(const at *w, const int32_t *off, int64_t from, int64_t n, int64_t limit)
{
    if (off[from] < 0) return wrong(w->cx, w->who, w->column, "an offset is negative");
    for (int64_t i = from; i < from + n; i++)
        if (off[i + 1] < off[i]) return wrong(w->cx, w->who, w->column, "offsets fall");
    return off[from + n] <= limit ? GM_OK : wrong(w->cx, w->who, w->column, "an offset is beyond the data");
}

static gm_code check_offsets64(const at *w, const int64_t *off, int64_t from, int64_t n, int64_t limit)
{
    if (off[from] < 0) return wrong(w->cx, w->who, w->column, "an offset is negative");
    for (int64_t i = from; i < from + n; i++)
        if (off[i + 1] < off[i]) return wrong(w->cx, w->who, w->column, "offsets fall");
    return off[from + n] <= limit ? GM_OK : wrong(w->cx, w->who, w->column, "an offset is beyond the data");
}

static gm_code check_text(const at *w, const struct ArrowArray *a, layout l, bool utf8)
{
    int64_t from = a->offset, n = a->length, first, last;
    if (n == 0) return GM_OK;
    if (a->buffers[1] == NULL) return wrong(w->cx, w->who, w->column, "offsets are missing");
    if (l == TEXT32) {
        const int32_t *off = a->buffers[1];
        GM_TRY(check_offsets32(w, off, from, n, INT32_MAX));
        first = off[from], last = off[from + n];
    } else {
        const int64_t *off = a->buffers[1];
        GM_TRY(check_offsets64(w, off, from, n, INT64_MAX));
        first = off[from], last = off[from + n];
    }
    if (last > first && a->buffers[2] == NULL) return wrong(w->cx, w->who, w->column, "text is missing");
    if (last == first || !utf8) return GM_OK;
    /* All at once is enough for the common case; text cut in the middle of a character is found below. */
    const char *p = a->buffers[2];
    if (!gm_utf8_valid(p + first, (size_t)(last - first), NULL))
        return wrong(w->cx, w->who, w->column, "text is not UTF-8");
    for (int64_t i = from + 1; i < from + n; i++) {
        int64_t o = l == TEXT32 ? ((const int32_t *)a->buffers[1])[i] : ((const int64_t *)a->buffers[1])[i];
        if (o < last && ((unsigned char)p[o] & 0xc0) == 0x80)
            return wrong(w->cx, w->who, w->column, "text is not UTF-8");
    }
    return GM_OK;
}

static gm_code check_views(const at *w, const struct ArrowArray *a, bool utf8)
{
    typedef struct view {
        int32_t len;
        union {
            char inlined[12];
            struct {
                char prefix[4];
                int32_t buffer, offset;
            } far;
        };
    } view;
    const view *v = a->buffers[1];
    int64_t extra = a->n_buffers - 3;
    const int64_t *sizes = a->buffers[a->n_buffers - 1];
    if (a->length > 0 && v == NULL) return wrong(w->cx, w->who, w->column, "views are missing");
    if (extra > 0 && sizes == NULL) return wrong(w->cx, w->who, w->column, "sizes of buffers are missing");
    for (int64_t i = a->offset; i < a->offset + a->length; i++) {
        if (!valid_at(a, i)) continue;
        const char *p = v[i].inlined;
        if (v[i].len < 0) return wrong(w->cx, w->who, w->column, "a length is negative");
        if (v[i].len > 12) {
            int32_t b = v[i].far.buffer, o = v[i].far.offset;
            if (b < 0 || b >= extra || o < 0 || sizes[b] < (int64_t)o + v[i].len || a->buffers[2 + b] == NULL)
                return wrong(w->cx, w->who, w->column, "a view points outside its buffer");
            p = (const char *)a->buffers[2 + b] + o;
        }
        if (utf8 && !gm_utf8_valid(p, (size_t)v[i].len, NULL))
            return wrong(w->cx, w->who, w->column, "text is not UTF-8");
    }
    return GM_OK;
}

static gm_code check_indices(const at *w, const struct ArrowSchema *s, const struct ArrowArray *a)
{
    int64_t limit = a->dictionary->length;
    const void *p = a->buffers[1];
    for (int64_t i = a->offset; i < a->offset + a->length; i++) {
        int64_t k = 0;
        if (!valid_at(a, i)) continue;
        switch (s->format[0]) {
        case 'c': k = ((const int8_t *)p)[i]; break; /* NOLINT(bugprone-signed-char-misuse): signed */
        case 'C': k = ((const uint8_t *)p)[i]; break;
        case 's': k = ((const int16_t *)p)[i]; break;
        case 'S': k = ((const uint16_t *)p)[i]; break;
        case 'i': k = ((const int32_t *)p)[i]; break;
        case 'I': k = ((const uint32_t *)p)[i]; break;
        default: k = ((const int64_t *)p)[i]; break; /* a uint64 beyond int64 is negative here, and refused */
        }
        if (k < 0 || k >= limit) return wrong(w->cx, w->who, w->column, "a dictionary index is out of range");
    }
    return GM_OK;
}

static gm_code check_array(const at *w, const struct ArrowSchema *s, const struct ArrowArray *a);

static gm_code check_children(const at *w, const struct ArrowSchema *s, const struct ArrowArray *a, layout l)
{
    int64_t end = a->offset + a->length;
    if (a->n_children != s->n_children || (s->n_children > 0 && a->children == NULL))
        return wrong(w->cx, w->who, w->column, "the number of children is not that of the schema");
    for (int64_t i = 0; i < s->n_children; i++) GM_TRY(check_array(w, s->children[i], a->children[i]));
    if (l == STRUCT)
        for (int64_t i = 0; i < s->n_children; i++)
            if (a->children[i]->length < end) return wrong(w->cx, w->who, w->column, "a child is too short");
    if (l == FIXED_LIST && a->children[0]->length / atoll(s->format + 3) < end)
        return wrong(w->cx, w->who, w->column, "a child is too short");
    if ((l == LIST32 || l == LIST64) && a->length > 0) {
        if (a->buffers[1] == NULL) return wrong(w->cx, w->who, w->column, "offsets are missing");
        if (l == LIST32)
            return check_offsets32(w, a->buffers[1], a->offset, a->length, a->children[0]->length);
        return check_offsets64(w, a->buffers[1], a->offset, a->length, a->children[0]->length);
    }
    return GM_OK;
}

static gm_code check_array(const at *w, const struct ArrowSchema *s, const struct ArrowArray *a)
{
    static const int buffers[] = {2, 0, 3, 3, 3, 2, 2, 1, 1};
    int64_t bytes;
    bool utf8;
    layout l = layout_of(s->format, &bytes, &utf8);
    if (a == NULL || a->release == NULL)
        return wrong(w->cx, w->who, w->column, "an array is missing or was released");
    if (a->length < 0 || a->offset < 0 || a->length > MAX_LENGTH || a->offset > MAX_LENGTH ||
        a->null_count < -1 || a->null_count > a->length)
        return wrong(w->cx, w->who, w->column, "an impossible length, offset or number of nulls");
    if (l == VIEWS ? a->n_buffers < buffers[l] : a->n_buffers != buffers[l])
        return wrong(w->cx, w->who, w->column, "the number of buffers does not fit the type");
    if (a->n_buffers > 0 && a->buffers == NULL) return wrong(w->cx, w->who, w->column, "buffers are missing");
    if (a->n_buffers > 0 && a->null_count > 0 && a->buffers[0] == NULL)
        return wrong(w->cx, w->who, w->column, "nulls without a validity buffer");
    if (l == FIXED && a->length > 0 && a->buffers[1] == NULL)
        return wrong(w->cx, w->who, w->column, "values are missing");
    if (l == TEXT32 || l == TEXT64) GM_TRY(check_text(w, a, l, utf8));
    if (l == VIEWS) GM_TRY(check_views(w, a, utf8));
    GM_TRY(check_children(w, s, a, l));
    if ((s->dictionary != NULL) != (a->dictionary != NULL))
        return wrong(w->cx, w->who, w->column, "a dictionary is missing");
    if (s->dictionary == NULL) return GM_OK;
    GM_TRY(check_array(w, s->dictionary, a->dictionary));
    return check_indices(w, s, a);
}

gm_code gm_arrow_check_array(gm_cx *cx, const char *who, const struct ArrowSchema *s,
                             const struct ArrowArray *a)
{
    at w = {cx, who, "(the batch)"};
    if (a->length < 0 || a->offset < 0 || a->length > MAX_LENGTH || a->offset > MAX_LENGTH ||
        a->n_children != s->n_children || a->children == NULL)
        return wrong(cx, who, w.column, "its length or number of columns is impossible");
    if (a->n_buffers < 0 || a->n_buffers > 1)
        return wrong(cx, who, w.column, "the number of buffers does not fit the type");
    for (int64_t i = 0; i < s->n_children; i++) {
        w.column = s->children[i]->name;
        GM_TRY(check_array(&w, s->children[i], a->children[i]));
        if (a->children[i]->length < a->offset + a->length)
            return wrong(cx, who, w.column, "it is shorter than the batch");
    }
    return GM_OK;
}

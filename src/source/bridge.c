/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bridge.c - the database's vectors as our columns: lent where the layout is the same, else copied. NULL
 * becomes NaN or a missing text; integers, booleans, dates and timestamps become doubles here, not by a cast
 * in the query, so that those a double cannot hold exactly are counted.
 */
#include "source/scan_own.h"
#include <math.h>
#include <string.h>

gm_code gm_bridge_begin(gm_cx *cx, const gm_duck *d, int n, const gm_type *type, gm_bridge *b)
{
    *b = (gm_bridge){.duck = d, .n = n};
    gm_type *copy = gm_alloc(cx, &b->arena, n, sizeof *copy);
    b->from = gm_alloc(cx, &b->arena, n, sizeof *b->from);
    b->col = gm_alloc(cx, &b->arena, n, sizeof *b->col);
    b->real = gm_alloc(cx, &b->arena, n, sizeof *b->real);
    b->text = gm_alloc(cx, &b->arena, n, sizeof *b->text);
    b->inexact = gm_alloc(cx, &b->arena, n, sizeof *b->inexact);
    if (!copy || !b->from || !b->col || !b->real || !b->text || !b->inexact)
        return gm_bridge_end(b), gm_why_null(cx);
    if (n) memcpy(copy, type, (size_t)n * sizeof *copy);
    b->type = copy;
    return GM_OK;
}

void gm_bridge_end(gm_bridge *b) { gm_arena_end(&b->arena); }

enum { EXACT = 53 };

static int64_t beyond(const int64_t *v, const uint64_t *valid, int64_t n)
{
    int64_t count = 0, limit = (int64_t)1 << EXACT;
    for (int64_t i = 0; i < n; i++)
        if ((v[i] > limit || v[i] < -limit) && gm_duck_valid(valid, i))
            count += (int64_t)(double)v[i] != v[i];
    return count;
}

static int64_t beyond_unsigned(const uint64_t *v, const uint64_t *valid, int64_t n)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        if (v[i] > (uint64_t)1 << EXACT && gm_duck_valid(valid, i)) /* 2^64 itself is no uint64_t */
            count += (double)v[i] >= 0x1p64 || (uint64_t)(double)v[i] != v[i];
    return count;
}

static void huge_to_real(const duckdb_hugeint *v, int64_t n, double *out)
{
    for (int64_t i = 0; i < n; i++) {
        /* The magnitude is rounded once: both halves are exact or the low one alone is rounded into the sum.
         */
        bool minus = v[i].upper < 0;
        uint64_t lo = minus ? ~v[i].lower + 1 : v[i].lower;
        uint64_t hi = minus ? ~(uint64_t)v[i].upper + (lo == 0) : (uint64_t)v[i].upper;
        double x = hi ? (double)hi * 0x1p64 + (double)lo : (double)lo;
        out[i] = minus ? -x : x;
    }
}

static int64_t beyond_huge(const duckdb_hugeint *v, const uint64_t *valid, int64_t n)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t low = (int64_t)v[i].lower;
        bool small =
            v[i].upper == (low < 0 ? -1 : 0) && low <= (int64_t)1 << EXACT && low >= -((int64_t)1 << EXACT);
        count += !small && gm_duck_valid(valid, i);
    }
    return count;
}

#define CONVERT(T, scale) \
    do { \
        const T *v = data; \
        for (int64_t i = 0; i < n; i++) out[i] = (double)v[i] * (scale); \
    } while (0)

bool gm_bridge_real(int type, const void *data, const uint64_t *valid, int64_t n, double *out,
                    int64_t *inexact)
{
    switch (type) {
    case DUCKDB_TYPE_BOOLEAN:
    case DUCKDB_TYPE_UTINYINT: CONVERT(uint8_t, 1); return true;
    case DUCKDB_TYPE_TINYINT: CONVERT(int8_t, 1); return true;
    case DUCKDB_TYPE_SMALLINT: CONVERT(int16_t, 1); return true;
    case DUCKDB_TYPE_USMALLINT: CONVERT(uint16_t, 1); return true;
    case DUCKDB_TYPE_INTEGER: CONVERT(int32_t, 1); return true;
    case DUCKDB_TYPE_UINTEGER: CONVERT(uint32_t, 1); return true;
    case DUCKDB_TYPE_BIGINT:
        CONVERT(int64_t, 1);
        *inexact += beyond(data, valid, n);
        return true;
    case DUCKDB_TYPE_UBIGINT:
        CONVERT(uint64_t, 1);
        *inexact += beyond_unsigned(data, valid, n);
        return true;
    case DUCKDB_TYPE_HUGEINT:
        huge_to_real(data, n, out);
        *inexact += beyond_huge(data, valid, n);
        return true;
    case DUCKDB_TYPE_FLOAT: CONVERT(float, 1); return true;
    case DUCKDB_TYPE_DOUBLE: memcpy(out, data, (size_t)n * sizeof *out); return true;
    case DUCKDB_TYPE_DATE: CONVERT(int32_t, 86400.0); return true;
    case DUCKDB_TYPE_TIME: /* microseconds; a division rounds once where a multiplication by 1e-6 would twice
                            */
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_TZ: {
        const int64_t *v = data;
        for (int64_t i = 0; i < n; i++) out[i] = (double)v[i] / 1e6;
        return true;
    }
    case DUCKDB_TYPE_SQLNULL:
        for (int64_t i = 0; i < n; i++) out[i] = NAN;
        return true;
    default: return false;
    }
}
#undef CONVERT

static bool any_null(const uint64_t *valid, int64_t n)
{
    if (valid == NULL) return false;
    int64_t whole = n >> 6, rest = n & 63;
    for (int64_t k = 0; k < whole; k++)
        if (~valid[k]) return true;
    return rest && (~valid[whole] & (((uint64_t)1 << rest) - 1));
}

static gm_code take_real(gm_cx *cx, gm_bridge *b, int k, const void *data, const uint64_t *valid, int64_t n)
{
    bool nulls = any_null(valid, n);
    if (b->from[k] == DUCKDB_TYPE_DOUBLE && !nulls) {
        b->col[k].real = data;
        return GM_OK;
    }
    double *out = b->real[k];
    if (out == NULL) GM_GOT(cx, out = b->real[k] = gm_alloc(cx, &b->arena, GM_TILE, sizeof *out));
    if (!gm_bridge_real(b->from[k], data, valid, n, out, &b->inexact[k]))
        return gm_fail(cx, GM_EINTERNAL, "a column of DuckDB's type %d came where a number was asked for",
                       b->from[k]);
    for (int64_t i = 0; nulls && i < n; i++)
        if (!gm_duck_valid(valid, i)) out[i] = NAN;
    b->col[k].real = out;
    return GM_OK;
}

static gm_code take_text(gm_cx *cx, gm_bridge *b, int k, const void *data, const uint64_t *valid, int64_t n)
{
    if (b->from[k] != DUCKDB_TYPE_VARCHAR && b->from[k] != DUCKDB_TYPE_SQLNULL)
        return gm_fail(cx, GM_EINTERNAL, "a column of DuckDB's type %d came where text was asked for",
                       b->from[k]);
    if (!any_null(valid, n) && b->from[k] == DUCKDB_TYPE_VARCHAR) {
        b->col[k].text = data;
        return GM_OK;
    }
    gm_text *out = b->text[k];
    if (out == NULL) GM_GOT(cx, out = b->text[k] = gm_alloc(cx, &b->arena, GM_TILE, sizeof *out));
    const gm_text *v = data;
    for (int64_t i = 0; i < n; i++)
        out[i] = b->from[k] == DUCKDB_TYPE_VARCHAR && gm_duck_valid(valid, i) ? v[i] : gm_text_none();
    b->col[k].text = out;
    return GM_OK;
}

gm_code gm_bridge_take(gm_cx *cx, gm_bridge *b, duckdb_data_chunk chunk, int64_t first, gm_batch *out)
{
    const gm_duck *d = b->duck;
    int64_t n = (int64_t)d->data_chunk_get_size(chunk);
    if (n > GM_TILE)
        return gm_fail(cx, GM_ELIBRARY, "DuckDB hands out %lld rows at once, and %d are expected",
                       (long long)n, GM_TILE);
    if ((int64_t)d->data_chunk_get_column_count(chunk) != first + b->n)
        return gm_fail(cx, GM_EINTERNAL, "a scan got %lld columns, and %lld are expected",
                       (long long)d->data_chunk_get_column_count(chunk), (long long)(first + b->n));
    for (int k = 0; k < b->n; k++) {
        duckdb_vector v = d->data_chunk_get_vector(chunk, (idx_t)(first + k));
        if (b->from[k] == 0) {
            duckdb_logical_type type = d->vector_get_column_type(v);
            b->from[k] = d->get_type_id(type);
            d->destroy_logical_type(&type);
        }
        b->col[k] = (gm_column){.type = b->type[k]};
        const void *data = d->vector_get_data(v);
        const uint64_t *valid = d->vector_get_validity(v);
        switch (b->type[k]) {
        case GM_T_REAL: GM_TRY(take_real(cx, b, k, data, valid, n)); break;
        case GM_T_TEXT: GM_TRY(take_text(cx, b, k, data, valid, n)); break;
        case GM_T_VECTOR: GM_TRY(gm_bridge_vector(cx, b, k, v, n)); break;
        case GM_T_WORDS: GM_TRY(gm_bridge_words(cx, b, k, v, n)); break;
        }
    }
    *out = (gm_batch){.rows = n, .n_cols = b->n, .col = b->col};
    return GM_OK;
}

/* ---- what to select ---- */

static bool lent(const char *type)
{
    static const char *const types[] = {"BOOLEAN", "TINYINT",  "SMALLINT",  "INTEGER",
                                        "BIGINT",  "UTINYINT", "USMALLINT", "UINTEGER",
                                        "UBIGINT", "HUGEINT",  "FLOAT",     "DOUBLE",
                                        "DATE",    "TIME",     "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"};
    for (int64_t i = 0; i < GM_COUNT(types); i++)
        if (strcmp(type, types[i]) == 0) return true;
    return false;
}

gm_code gm_want_sql(gm_cx *cx, gm_buf *b, const gm_field *f, const gm_want *w)
{
    const char *cast = NULL;
    bool spark = strncmp(f->type, "STRUCT", 6) == 0;
    if (w->type == GM_T_TEXT) {
        cast = strcmp(f->type, "VARCHAR") == 0 ? NULL : "VARCHAR";
    } else if (w->type == GM_T_VECTOR && f->cls == GM_CLASS_REALS) {
        cast = spark || strcmp(f->type, "DOUBLE[]") == 0 ? NULL : "DOUBLE[]";
    } else if (w->type == GM_T_WORDS && f->cls == GM_CLASS_TEXTS) {
        cast = strcmp(f->type, "VARCHAR[]") == 0 ? NULL : "VARCHAR[]";
    } else {
        switch (f->cls) {
        case GM_CLASS_NUMBER:
        case GM_CLASS_BOOL:
        case GM_CLASS_TEXT: cast = lent(f->type) ? NULL : "DOUBLE"; break;
        case GM_CLASS_DATE: break;
        case GM_CLASS_TIME: cast = lent(f->type) ? NULL : "TIME"; break;
        case GM_CLASS_TIMESTAMP: cast = lent(f->type) ? NULL : "TIMESTAMP"; break;
        default:
            return gm_hint_add(cx,
                               gm_fail(cx, GM_ESCHEMA, "column '%s'%s%s%s is %s, and a number is needed",
                                       f->name, w->role ? " (" : "", w->role ? w->role : "",
                                       w->role ? ")" : "", f->type),
                               "take its parts apart in the source query");
        }
    }
    if (cast) gm_buf_str(b, "CAST(");
    gm_buf_ident(b, f->name);
    if (cast) gm_buf_printf(b, " AS %s)", cast);
    return GM_OK;
}

gm_code gm_wants_sql(gm_cx *cx, gm_buf *b, const gm_table *t, const gm_want *want, int n)
{
    const gm_columns *cols;
    GM_TRY(gm_table_schema(cx, t, &cols));
    for (int k = 0; k < n; k++) {
        int64_t at;
        gm_code code = gm_columns_need(cx, cols, want[k].column, &at);
        if (code != GM_OK) return want[k].role ? gm_within(cx, code, "%s", want[k].role) : code;
        gm_buf_str(b, ", ");
        GM_TRY(gm_want_sql(cx, b, &cols->field[at], &want[k]));
    }
    return b->code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_cast.c - the fields of a CSV as typed columns, inside the database: gm_csv_int(n, field) and so on. The
 * number names the plan and the column. A value that does not fit becomes NULL and is noted; what it looked
 * like decides, when the query is over, to what the column is widened.
 */
#include "source/csv/csv.h"
#include <string.h>

typedef gm_csv_cast job;

static bool begin(job *j, duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector out)
{
    const gm_duck *d = gm_duck_opened();
    gm_live *live = d->scalar_function_get_bind_data(info);
    *j = (job){.n = (int64_t)d->data_chunk_get_size(chunk)};
    if (j->n == 0) return false;
    uint64_t number = *(const uint64_t *)d->vector_get_data(d->data_chunk_get_vector(chunk, 0));
    int64_t column = (int64_t)(number & (((uint64_t)1 << GM_LIVE_SHIFT) - 1));
    gm_csv_plan *plan = (gm_csv_plan *)live;
    if (live == NULL || live->kind != GM_LIVE_CSV || live->id != number >> GM_LIVE_SHIFT ||
        column >= plan->n) {
        d->scalar_function_set_error(info, "functions named gm_... are not for queries");
        return false;
    }
    duckdb_vector v = d->data_chunk_get_vector(chunk, 1);
    j->text = d->vector_get_data(v);
    j->valid = d->vector_get_validity(v);
    j->decimal = plan->decimal;
    j->misfit = &plan->misfit[column];
    j->col = &plan->col[column];
    d->vector_ensure_validity_writable(out);
    j->out_valid = d->vector_get_validity(out);
    j->out = d->vector_get_data(out);
    return true;
}

static void none(job *j, int64_t i) { j->out_valid[i >> 6] &= ~((uint64_t)1 << (i & 63)); }

static void note(job *j, int64_t i, int saw)
{
    atomic_fetch_or_explicit(&j->misfit->saw, saw, memory_order_relaxed);
    if (atomic_fetch_add(&j->misfit->count, 1) != 0) return;
    size_t n = j->text[i].len < sizeof j->misfit->text ? j->text[i].len : sizeof j->misfit->text - 1;
    memcpy(j->misfit->text, gm_text_ptr(&j->text[i]), n);
}

static void misfit(job *j, int64_t i, int saw)
{
    none(j, i);
    note(j, i, saw);
}

/* The value of row i; false: it is missing, and that is written. */
static bool value(job *j, int64_t i, gm_csv_read *r)
{
    if (gm_duck_valid(j->valid, i)) {
        *r = gm_csv_see(gm_text_ptr(&j->text[i]), j->text[i].len, j->decimal);
        if (r->saw && r->saw != GM_SAW_NAN) return true;
    }
    none(j, i);
    return false;
}

static void cast_bool(job *j)
{
    gm_csv_read r;
    bool *o = j->out;
    for (int64_t i = 0; i < j->n; i++) {
        if (!value(j, i, &r)) continue;
        if (r.saw != GM_SAW_BOOL) misfit(j, i, r.saw);
        else o[i] = r.w != 0;
    }
}

/* Digits with at most one decimal mark between them, 17 in all: most numbers. *whole: there was no mark. What
 * is not of this shape, or not exact by one division, is left to the full reading. */
static inline bool quick(const gm_text *t, char decimal, double *out, int64_t *integer, bool *whole)
{
    static const double ten[] = {1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7, 1e8,
                                 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};
    const char *p = gm_text_ptr(t), *e = p + t->len, *mark = NULL;
    bool minus = t->len > 0 && *p == '-';
    p += minus;
    if (e - p > 17 || e == p || (*p == '0' && e - p > 1 && p[1] != decimal)) return false;
    uint64_t w = 0;
    for (; p < e; p++) {
        unsigned digit = (unsigned char)(*p - '0');
        if (digit < 10) {
            w = w * 10 + digit;
        } else {
            if (*p != decimal || mark) return false;
            mark = p;
        }
    }
    *whole = mark == NULL;
    *integer = minus ? -(int64_t)w : (int64_t)w;
    if (mark == NULL) return true;
    if (w > (uint64_t)1 << 53 || (w == 0 && e - mark == 1)) return false; /* ".": no number */
    double x = (double)w / ten[e - mark - 1];
    *out = minus ? -x : x;
    return true;
}

static void cast_int(job *j)
{
    gm_csv_read r;
    int64_t *o = j->out;
    for (int64_t i = 0; i < j->n; i++) {
        double x;
        bool whole;
        if (gm_duck_valid(j->valid, i) && quick(&j->text[i], j->decimal, &x, &o[i], &whole) && whole)
            continue;
        if (!value(j, i, &r)) continue;
        if (r.saw != GM_SAW_INT) misfit(j, i, r.saw);
        else o[i] = (int64_t)(r.minus ? 0 - r.w : r.w);
    }
}

static void cast_huge(job *j)
{
    gm_csv_read r;
    duckdb_hugeint *o = j->out;
    for (int64_t i = 0; i < j->n; i++) {
        if (!value(j, i, &r)) continue;
        if (r.saw != GM_SAW_INT && r.saw != GM_SAW_HUGE) misfit(j, i, r.saw);
        else o[i] = gm_csv_huge(gm_text_ptr(&j->text[i]), j->text[i].len);
    }
}

static void cast_real(job *j)
{
    enum { NUMBER = GM_SAW_INT | GM_SAW_HUGE | GM_SAW_LONG | GM_SAW_REAL };
    gm_csv_read r;
    double *o = j->out;
    char decimal = j->decimal;
    for (int64_t i = 0; i < j->n; i++) {
        int64_t integer;
        bool whole;
        if (gm_duck_valid(j->valid, i) && quick(&j->text[i], decimal, &o[i], &integer, &whole)) {
            if (whole) o[i] = (double)integer;
            continue;
        }
        if (!value(j, i, &r)) continue;
        if (!(r.saw & NUMBER) ||
            !gm_csv_real(&r, gm_text_ptr(&j->text[i]), j->text[i].len, j->decimal, &o[i]))
            misfit(j, i, r.saw & NUMBER ? GM_SAW_TEXT : r.saw);
    }
}

static void cast_date(job *j)
{
    gm_csv_read r;
    int32_t *o = j->out;
    int against = j->col->day_first ? GM_SAW_SECOND_OVER : GM_SAW_FIRST_OVER;
    for (int64_t i = 0; i < j->n; i++) {
        if (!value(j, i, &r)) continue;
        bool fits = j->col->year_last ? (r.saw & GM_SAW_SLASH) && !(r.saw & against) : r.saw == GM_SAW_DATE;
        int month = j->col->year_last && !j->col->day_first ? r.day : r.month;
        int day = j->col->year_last && !j->col->day_first ? r.month : r.day;
        int32_t at = fits ? gm_csv_days(r.year, month, day) : 0;
        /* "31/04/2024" overflows into the next month: the way back tells. */
        if (!fits ||
            (j->col->year_last && day > 28 && at >= gm_csv_days(r.year + (month == 12), month % 12 + 1, 1)))
            misfit(j, i, fits ? GM_SAW_TEXT : r.saw);
        else o[i] = at;
    }
}

static void cast_time(job *j)
{
    gm_csv_read r;
    int64_t *o = j->out;
    for (int64_t i = 0; i < j->n; i++) {
        if (!value(j, i, &r)) continue;
        if (r.saw != GM_SAW_TIME) misfit(j, i, r.saw);
        else o[i] = r.micros;
    }
}

static void stamps(job *j, int also)
{
    gm_csv_read r;
    int64_t *o = j->out;
    for (int64_t i = 0; i < j->n; i++) {
        if (!value(j, i, &r)) continue;
        if (!(r.saw & also)) misfit(j, i, r.saw);
        else o[i] = gm_csv_days(r.year, r.month, r.day) * INT64_C(86400000000) + r.micros;
    }
}

static void cast_stamp(job *j) { stamps(j, GM_SAW_DATE | GM_SAW_STAMP); }

static void cast_stamptz(job *j) { stamps(j, GM_SAW_STAMPTZ); }

/* A column that is text for now, because nothing was seen or nothing decides which number is the day: notes
 * what would tell. Always true. */
static void cast_watch(job *j)
{
    gm_csv_read r;
    memset(j->out, 1, (size_t)j->n);
    int usual = j->col->kind == GM_CSV_UNSURE ? GM_SAW_SLASH : 0;
    for (int64_t i = 0; i < j->n; i++) {
        if (!gm_duck_valid(j->valid, i)) continue;
        r = gm_csv_see(gm_text_ptr(&j->text[i]), j->text[i].len, j->decimal);
        if (r.saw && r.saw != usual) note(j, i, r.saw);
    }
}

/* In the order of gm_csv_kind. A text is what it is, but for columns that are watched. */
static const struct {
    void (*cast)(job *j);
    int type;
} kinds[] = {
    {cast_bool, DUCKDB_TYPE_BOOLEAN},    {cast_int, DUCKDB_TYPE_BIGINT},
    {cast_huge, DUCKDB_TYPE_HUGEINT},    {cast_real, DUCKDB_TYPE_DOUBLE},
    {cast_date, DUCKDB_TYPE_DATE},       {cast_time, DUCKDB_TYPE_TIME},
    {cast_stamp, DUCKDB_TYPE_TIMESTAMP}, {cast_stamptz, DUCKDB_TYPE_TIMESTAMP_TZ},
    {cast_watch, DUCKDB_TYPE_VARCHAR},   {cast_watch, DUCKDB_TYPE_VARCHAR},
};

int gm_csv_cast_type(gm_csv_kind kind)
{
    return kind <= GM_CSV_EMPTY ? kinds[kind].type : DUCKDB_TYPE_VARCHAR;
}

void gm_csv_cast_run(gm_csv_cast *j)
{
    if (j->col->kind <= GM_CSV_EMPTY) kinds[j->col->kind].cast(j);
}

/* ---- the same as functions of the database ---- */

/* A function for each type: a vector of another width than its name says must never be written. */
#define CALL(kind) \
    static void call_##kind(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector out) \
    { \
        job j; \
        if (begin(&j, info, chunk, out)) cast_##kind(&j); \
    }
CALL(bool)
CALL(int)
CALL(huge)
CALL(real)
CALL(date)
CALL(time)
CALL(stamp)
CALL(stamptz)
CALL(watch)
#undef CALL

static const int text_only[] = {DUCKDB_TYPE_VARCHAR, 0};

const gm_function gm_csv_functions[] = {
    {.name = "gm_csv_bool", .returns = DUCKDB_TYPE_BOOLEAN, .types = text_only, .call = call_bool},
    {.name = "gm_csv_int", .returns = DUCKDB_TYPE_BIGINT, .types = text_only, .call = call_int},
    {.name = "gm_csv_huge", .returns = DUCKDB_TYPE_HUGEINT, .types = text_only, .call = call_huge},
    {.name = "gm_csv_real", .returns = DUCKDB_TYPE_DOUBLE, .types = text_only, .call = call_real},
    {.name = "gm_csv_date", .returns = DUCKDB_TYPE_DATE, .types = text_only, .call = call_date},
    {.name = "gm_csv_time", .returns = DUCKDB_TYPE_TIME, .types = text_only, .call = call_time},
    {.name = "gm_csv_stamp", .returns = DUCKDB_TYPE_TIMESTAMP, .types = text_only, .call = call_stamp},
    {.name = "gm_csv_stamptz", .returns = DUCKDB_TYPE_TIMESTAMP_TZ, .types = text_only, .call = call_stamptz},
    {.name = "gm_csv_watch", .returns = DUCKDB_TYPE_BOOLEAN, .types = text_only, .call = call_watch},
    {.name = NULL},
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * auto_profile.c - measures of all columns by one reading of the table: a tally for each column and reading
 * thread, joined at the end. Every tally is one of counts, extremes and sketches, so neither the threads nor
 * the order of rows decide; only correlations may differ by rounding.
 *
 * A second reading happens in two cases. A CSV column that turns out to hold other values than its beginning
 * said changes its class, and all begins again with the right one. Integers beyond 2^53 are alike as doubles,
 * so how many differ is counted from their text.
 */
#include "model/auto.h"
#include "source/scan.h"
#include "table/distinct.h"
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>

/* Means and centred sums of two columns. */
typedef struct pair {
    double n, x, y, xx, yy, xy;
} pair;

/* What is known of a column so far. */
typedef struct tally {
    double present, infinite, length, wordy, equal, min, max, lo[2], hi[2];
    bool fractions; /* some number is not whole */
    gm_distinct distinct;
    pair with; /* the label */
} tally;

/* One reading thread's. */
typedef struct task {
    double label_rows[2];
    tally *of;
    struct task *next;
} task;

typedef struct profile {
    gm_auto_plan *plan;
    int n; /* columns read, and which of the plan's they are */
    int64_t *column;
    gm_want *want;
    int label;            /* among those read; -1: it is not */
    pthread_mutex_t lock; /* of what follows */
    gm_arena arena;
    task *first;
} profile;

static const tally nothing = {
    .min = INFINITY, .max = -INFINITY, .lo = {INFINITY, INFINITY}, .hi = {-INFINITY, -INFINITY}};

static bool numeric(gm_class c) { return c == GM_CLASS_NUMBER || c == GM_CLASS_BOOL; }
static bool measured(gm_class c) { return c != GM_CLASS_REALS && c != GM_CLASS_TEXTS && c != GM_CLASS_OTHER; }

/* ---- numbers ---- */

static void of_numbers(tally *t, const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (isnan(x[i])) continue;
        t->present++;
        gm_distinct_add(&t->distinct, gm_distinct_real(x[i]));
        if (isinf(x[i])) {
            t->infinite++;
            continue;
        }
        if (x[i] < t->min) t->min = x[i];
        if (x[i] > t->max) t->max = x[i];
        if (x[i] != floor(x[i])) t->fractions = true;
    }
}

static void equal_numbers(tally *t, const double *x, const double *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++) t->equal += x[i] == y[i];
}

/* The range of x where the label is 0, and where it is 1. */
static void ranges(tally *t, const double *x, const double *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (y[i] != 0 && y[i] != 1) continue;
        int k = y[i] == 1;
        if (x[i] < t->lo[k]) t->lo[k] = x[i];
        if (x[i] > t->hi[k]) t->hi[k] = x[i];
    }
}

/* Chan, Golub & LeVeque (1979). */
static void join_pairs(pair *a, const pair *b)
{
    if (b->n == 0) return;
    double n = a->n + b->n, dx = b->x - a->x, dy = b->y - a->y, share = a->n * b->n / n;
    a->xx += b->xx + dx * dx * share;
    a->yy += b->yy + dy * dy * share;
    a->xy += b->xy + dx * dy * share;
    a->x += dx * b->n / n;
    a->y += dy * b->n / n;
    a->n = n;
}

/* Squares of larger numbers could overflow; infinite and missing ones fail here too. */
static bool fits(double x, double y) { return fabs(x) < 1e100 && fabs(y) < 1e100; }

/* Two walks over a tile, which lose fewer digits than one: a column that is the label times a number has to
 * correlate to 1e-12. */
static void correlate(tally *t, const double *x, const double *y, int64_t n)
{
    pair p = {0};
    for (int64_t i = 0; i < n; i++)
        if (fits(x[i], y[i])) p.n++, p.x += x[i], p.y += y[i];
    if (p.n == 0) return;
    p.x /= p.n, p.y /= p.n;
    for (int64_t i = 0; i < n; i++) {
        if (!fits(x[i], y[i])) continue;
        double dx = x[i] - p.x, dy = y[i] - p.y;
        p.xx += dx * dx, p.yy += dy * dy, p.xy += dx * dy;
    }
    join_pairs(&t->with, &p);
}

/* ---- texts ---- */

/* At least three words: a space with something before it, and later another with something before and after
 * it. */
static bool wordy(const char *p, uint32_t len)
{
    const char *one = len > 1 ? memchr(p + 1, ' ', len - 1) : NULL;
    uint32_t rest = one ? len - (uint32_t)(one - p) : 0;
    const char *two = rest > 2 ? memchr(one + 2, ' ', rest - 2) : NULL;
    return two && two + 1 < p + len;
}

static void of_texts(tally *t, const gm_column *c, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        gm_text v = gm_column_text(c, i);
        if (gm_text_missing(&v)) continue;
        t->present++;
        t->length += v.len;
        t->wordy += wordy(gm_text_ptr(&v), v.len);
        gm_distinct_add(&t->distinct, gm_text_hash(&v));
    }
}

static bool says(const gm_text *t, double yes)
{
    const char *word = yes == 1 ? "true" : "false";
    return t->len == strlen(word) && strncasecmp(gm_text_ptr(t), word, t->len) == 0;
}

static void equal_texts(tally *t, const gm_column *c, const gm_column *label, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        gm_text v = gm_column_text(c, i);
        if (gm_text_missing(&v)) continue;
        if (label->type == GM_T_REAL) {
            t->equal += !isnan(label->real[i]) && says(&v, label->real[i]);
        } else {
            gm_text y = gm_column_text(label, i);
            t->equal += !gm_text_missing(&y) && gm_text_equal(&v, &y);
        }
    }
}

/* ---- the sink ---- */

static gm_code open_task(gm_cx *cx, void *arg, void **out)
{
    profile *p = arg;
    pthread_mutex_lock(&p->lock);
    task *k = gm_alloc(cx, &p->arena, 1, sizeof *k);
    tally *of = k ? gm_alloc(cx, &p->arena, p->n, sizeof *of) : NULL;
    if (of) {
        *k = (task){.of = of, .next = p->first};
        p->first = k;
    }
    pthread_mutex_unlock(&p->lock);
    GM_GOT(cx, of);
    for (int i = 0; i < p->n; i++) of[i] = nothing;
    *out = k;
    return GM_OK;
}

static void against_label(const profile *p, task *k, int i, const gm_batch *b)
{
    const gm_column *c = &b->col[i], *label = &b->col[p->label];
    gm_class cls = p->plan->column[p->column[i]].cls, of_label = p->plan->column[p->column[p->label]].cls;
    if (cls == GM_CLASS_TEXT && (of_label == GM_CLASS_TEXT || of_label == GM_CLASS_BOOL))
        equal_texts(&k->of[i], c, label, b->rows);
    if (!numeric(cls) || !numeric(of_label)) return;
    equal_numbers(&k->of[i], c->real, label->real, b->rows);
    if (cls != GM_CLASS_NUMBER) return;
    ranges(&k->of[i], c->real, label->real, b->rows);
    correlate(&k->of[i], c->real, label->real, b->rows);
}

static gm_code push_rows(gm_cx *cx, void *arg, void *at, const gm_batch *b)
{
    const profile *p = arg;
    task *k = at;
    (void)cx;
    for (int i = 0; i < p->n; i++) {
        if (b->col[i].type == GM_T_TEXT) of_texts(&k->of[i], &b->col[i], b->rows);
        else of_numbers(&k->of[i], b->col[i].real, b->rows);
        if (p->label >= 0 && i != p->label) against_label(p, k, i, b);
    }
    if (p->label < 0 || b->col[p->label].type != GM_T_REAL) return GM_OK;
    const double *y = b->col[p->label].real;
    for (int64_t i = 0; i < b->rows; i++) k->label_rows[0] += y[i] == 0, k->label_rows[1] += y[i] == 1;
    return GM_OK;
}

static gm_code restart(gm_cx *cx, void *arg)
{
    profile *p = arg;
    (void)cx;
    p->first = NULL;
    gm_arena_clear(&p->arena);
    return GM_OK;
}

/* ---- joined ---- */

static void join(tally *a, const tally *b)
{
    a->present += b->present, a->infinite += b->infinite, a->length += b->length;
    a->wordy += b->wordy, a->equal += b->equal;
    a->min = fmin(a->min, b->min), a->max = fmax(a->max, b->max);
    for (int k = 0; k < 2; k++) a->lo[k] = fmin(a->lo[k], b->lo[k]), a->hi[k] = fmax(a->hi[k], b->hi[k]);
    a->fractions |= b->fractions;
    gm_distinct_join(&a->distinct, &b->distinct);
    join_pairs(&a->with, &b->with);
}

static gm_measures measures_of(const tally *t, gm_class cls, gm_class label)
{
    gm_measures m = gm_unmeasured;
    bool number = cls == GM_CLASS_NUMBER && numeric(label), some = t->present > t->infinite;
    m.present = t->present;
    m.distinct = gm_distinct_count(&t->distinct);
    if (cls == GM_CLASS_TEXT && t->present > 0) m.length = t->length / t->present;
    if (cls == GM_CLASS_TEXT) m.wordy = t->wordy;
    if (numeric(cls)) m.infinite = t->infinite;
    if (numeric(cls) && some) m.min = t->min, m.max = t->max, m.whole = !t->fractions && t->infinite == 0;
    if ((numeric(cls) && numeric(label)) ||
        (cls == GM_CLASS_TEXT && (label == GM_CLASS_TEXT || label == GM_CLASS_BOOL)))
        m.equal = t->equal;
    if (number && t->with.xx > 0 && t->with.yy > 0) m.corr = t->with.xy / sqrt(t->with.xx * t->with.yy);
    for (int k = 0; number && k < 2; k++)
        if (t->lo[k] <= t->hi[k]) m.lo[k] = t->lo[k], m.hi[k] = t->hi[k];
    /* An estimate may overshoot what there can be. */
    if (m.distinct > m.present) m.distinct = m.present;
    if (m.whole == 1 && m.distinct > m.max - m.min + 1) m.distinct = m.max - m.min + 1;
    return m;
}

static void tell(const profile *p, gm_class label)
{
    gm_auto_plan *plan = p->plan;
    plan->label_rows[0] = plan->label_rows[1] = numeric(label) ? 0 : NAN;
    for (const task *k = p->first; k; k = k->next)
        for (int c = 0; c < 2; c++) plan->label_rows[c] += k->label_rows[c];
    for (int i = 0; i < p->n; i++) {
        gm_auto_column *c = &plan->column[p->column[i]];
        tally all = nothing;
        for (const task *k = p->first; k; k = k->next) join(&all, &k->of[i]);
        c->m = measures_of(&all, c->cls, label);
        if (i == p->label) c->m.equal = c->m.corr = c->m.lo[0] = c->m.lo[1] = c->m.hi[0] = c->m.hi[1] = NAN;
    }
}

/* ---- readings ---- */

/* The columns that `choose` names, with the types they are read as. */
static gm_code choose(gm_cx *cx, profile *p, const bool *chosen, bool as_text)
{
    gm_auto_plan *plan = p->plan;
    p->n = 0;
    p->label = -1;
    for (int64_t i = 0; i < plan->n; i++) {
        if (!chosen[i]) continue;
        bool text = as_text || plan->column[i].cls == GM_CLASS_TEXT;
        if (i == plan->label) p->label = p->n;
        p->want[p->n] = (gm_want){.column = plan->column[i].name, .type = text ? GM_T_TEXT : GM_T_REAL};
        p->column[p->n++] = i;
    }
    return restart(cx, p);
}

static gm_code take_schema(gm_cx *cx, const gm_table *t, gm_auto_plan *plan, bool *chosen, bool *changed)
{
    const gm_columns *s;
    GM_TRY(gm_table_schema(cx, t, &s));
    *changed = false;
    if (s->n != plan->n)
        return gm_fail(cx, GM_EINTERNAL, "the table has %lld columns, expected %lld", (long long)s->n,
                       (long long)plan->n);
    for (int64_t i = 0; i < plan->n; i++) {
        gm_auto_column *c = &plan->column[i];
        *changed |= c->cls != s->field[i].cls;
        c->name = s->field[i].name, c->type = s->field[i].type, c->cls = s->field[i].cls;
        c->m = gm_unmeasured;
        chosen[i] = measured(c->cls);
    }
    return GM_OK;
}

/* Reads all measured columns once; again as long as a failure comes with a column that is now of another
 * class. */
static gm_code read_all(gm_cx *cx, const gm_table *t, profile *p, bool *chosen, gm_scan_stats *stats)
{
    const gm_sink sink = {p, open_task, push_rows, restart};
    bool changed;
    GM_TRY(take_schema(cx, t, p->plan, chosen, &changed));
    for (;;) {
        GM_TRY(choose(cx, p, chosen, false));
        gm_code code = gm_scan(cx, t, p->want, p->n, &sink, stats);
        if (code == GM_ECANCEL || code == GM_ENOMEM || code == GM_ELIMIT) return code;
        gm_code again = take_schema(cx, t, p->plan, chosen, &changed); /* types may have become wider */
        if (code == GM_OK) return again;
        if (again != GM_OK || !changed) return code;
        gm_cx_forget(cx);
    }
}

/* How many of the integers that doubles cannot hold are different. */
static gm_code count_exactly(gm_cx *cx, const gm_table *t, profile *p, const gm_scan_stats *stats,
                             bool *chosen)
{
    const gm_sink sink = {p, open_task, push_rows, restart};
    bool any = false;
    memset(chosen, 0, (size_t)p->plan->n * sizeof *chosen);
    for (int i = 0; i < p->n; i++) any |= chosen[p->column[i]] = stats->inexact[i] > 0;
    if (!any) return GM_OK;
    GM_TRY(choose(cx, p, chosen, true));
    p->label = -1; /* nothing is compared with it */
    GM_TRY(gm_scan(cx, t, p->want, p->n, &sink, NULL));
    for (int i = 0; i < p->n; i++) {
        gm_distinct all = {0};
        for (const task *k = p->first; k; k = k->next) gm_distinct_join(&all, &k->of[i].distinct);
        gm_measures *m = &p->plan->column[p->column[i]].m;
        m->distinct = fmin(gm_distinct_count(&all), m->present);
    }
    return GM_OK;
}

static gm_code read_table(gm_cx *cx, const gm_table *t, profile *p)
{
    gm_auto_plan *plan = p->plan;
    gm_scan_stats stats;
    bool *chosen;
    GM_NEW(cx, chosen, plan->n);
    GM_NEW(cx, p->want, plan->n);
    GM_NEW(cx, p->column, plan->n);
    GM_TRY(read_all(cx, t, p, chosen, &stats));
    plan->rows = (double)stats.rows;
    tell(p, plan->column[plan->label].cls);
    return count_exactly(cx, t, p, &stats, chosen);
}

gm_code gm_auto_profile(gm_cx *cx, const gm_table *t, gm_auto_plan *plan)
{
    profile p = {.plan = plan};
    pthread_mutex_init(&p.lock, NULL);
    gm_code code = read_table(cx, t, &p);
    pthread_mutex_destroy(&p.lock);
    gm_arena_end(&p.arena);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* auto_decide.c - the rules of low code: the task from the label, a use for each column, and why. See auto.h.
 */
#include "model/auto.h"
#include "table/distinct.h"
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double MOST_CLASSES = 100, MOST_WHOLE_CLASSES = 20, ROWS_PER_CLASS = 10, /* the label */
    MOST_CODES = 31, ROWS_PER_CODE = 30,                                              /* whole numbers */
    MOST_ID_VALUES = 1000, ROWS_PER_ID = 20,                                          /* named as an id */
    FEW_TEXTS = 50, ROWS_PER_TEXT = 5, TOO_FEW_FOR_ID = 20,                           /* texts */
    ROWS_TO_BE_SURE = 1000, ROWS_TO_SUSPECT = 20;                                     /* leakage */

const gm_measures gm_unmeasured = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, {NAN, NAN}, {NAN, NAN}};

static gm_code set(gm_cx *cx, gm_arena *a, gm_auto_column *c, gm_use use, const char *fmt, ...)
    GM_PRINTF(5, 6);
static gm_code set(gm_cx *cx, gm_arena *a, gm_auto_column *c, gm_use use, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    gm_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    c->use = use;
    GM_GOT(cx, c->why = gm_strdup(cx, a, text));
    return GM_OK;
}

/* "12", "about 1,200": estimates are not told to the last digit. */
static const char *about(double n, char out[48])
{
    bool exact = n <= GM_DISTINCT_EXACT;
    double unit = exact ? 1 : pow(10, floor(log10(n)) - 1);
    long long v = (long long)(round(n / unit) * unit);
    const char *word = exact ? "" : "about ";
    if (v < 1000) snprintf(out, 48, "%s%lld", word, v);
    else if (v < 1000000) snprintf(out, 48, "%s%lld,%03lld", word, v / 1000, v % 1000);
    else snprintf(out, 48, "%s%.1f million", word, (double)v / 1e6);
    return out;
}

/* ", 3.2 % missing", or nothing; infinite numbers are taken as missing. */
static const char *missing(const gm_auto_plan *p, const gm_auto_column *c, char out[48])
{
    double finite = c->m.present - (c->m.infinite > 0 ? c->m.infinite : 0),
           share = p->rows > 0 ? 100 * (p->rows - finite) / p->rows : 0;
    out[0] = 0;
    if (share > 0 && share < 0.1) snprintf(out, 48, ", less than 0.1 %% missing");
    else if (share > 0) snprintf(out, 48, ", %.1f %% missing", share);
    return out;
}

/* "id", "flight_id", "flightId", "ID", "uuid": a name that says so. */
static bool named_as_id(const char *s)
{
    size_t n = strlen(s);
    if (n >= 4 && (strcasecmp(s + n - 4, "uuid") == 0 || strcasecmp(s + n - 4, "guid") == 0)) return true;
    if (n < 2 || strcasecmp(s + n - 2, "id") != 0) return false;
    return n == 2 || !isalpha((unsigned char)s[n - 3]) || strcmp(s + n - 2, "Id") == 0 ||
           (strcmp(s + n - 2, "ID") == 0 && islower((unsigned char)s[n - 3]));
}

static bool mostly_different(const gm_measures *m) { return m->distinct * 1.5 >= m->present; }
static bool integer_type(const char *type)
{
    return strstr(type, "INT") != NULL && strchr(type, '[') == NULL;
}

/* ---- the label ---- */

static gm_code told(gm_cx *cx, gm_arena *a, gm_auto_plan *p, gm_task task, const char *why)
{
    p->task = task;
    GM_GOT(cx, p->why = gm_strdup(cx, a, why));
    return GM_OK;
}

static gm_code no_label(gm_cx *cx, const gm_auto_plan *p, const gm_auto_column *c)
{
    if (p->rows == 0)
        return gm_hint_add(cx, gm_fail(cx, GM_EDATA, "the table has no rows, so nothing can be learned"),
                           "look at the file, or at the filter of its query");
    if (c->m.present == 0)
        return gm_hint_add(
            cx, gm_fail(cx, GM_EDATA, "label '%s' is missing in all %.0f rows", c->name, p->rows),
            "name another column as the label, or say how missing values are written (nullstr)");
    return gm_hint_add(cx,
                       gm_fail(cx, GM_EDATA,
                               "label '%s' has the same value in all %.0f rows, so nothing can be learned",
                               c->name, c->m.present),
                       "name another column as the label, or read rows of the other class too");
}

static gm_code too_many(gm_cx *cx, const gm_auto_column *c)
{
    return gm_hint_add(
        cx,
        gm_fail(cx, GM_EDATA, "label '%s' has more than %.0f different values, too many for classes", c->name,
                MOST_CLASSES),
        "name a column with fewer values, put rare ones together, or give a number to predict");
}

static gm_code number_label(gm_cx *cx, gm_arena *a, gm_auto_plan *p, const gm_auto_column *c)
{
    char why[200];
    const gm_measures *m = &c->m;
    double n = c->m.distinct;
    bool whole = m->whole == 1;
    bool classes = n == 2 || (whole && n <= MOST_WHOLE_CLASSES && m->present >= ROWS_PER_CLASS * n);
    if (p->wish == GM_WISH_NUMBERS || (p->wish == GM_WISH_ANY && !classes)) {
        if (n > MOST_CLASSES)
            snprintf(why, sizeof why, "The label holds numbers, more than %.0f different ones.",
                     MOST_CLASSES);
        else
            snprintf(why, sizeof why, "The label holds %.0f different numbers%s.", n,
                     p->wish == GM_WISH_NUMBERS ? ", and the learner predicts numbers" : "");
        return told(cx, a, p, GM_TASK_REGRESSION, why);
    }
    if (n > MOST_CLASSES) return too_many(cx, c);
    if (n == 2) {
        snprintf(why, sizeof why, "The label holds two numbers, %g and %g.", m->min, m->max);
        return told(cx, a, p, GM_TASK_BINARY, why);
    }
    snprintf(why, sizeof why, "The label holds %.0f different %snumbers%s.", n, whole ? "whole " : "",
             classes ? ", few enough to be classes" : ", and the learner predicts classes");
    return told(cx, a, p, GM_TASK_MULTICLASS, why);
}

static gm_code decide_task(gm_cx *cx, gm_arena *a, gm_auto_plan *p)
{
    char why[200];
    gm_auto_column *c = &p->column[p->label];
    double n = c->m.distinct;
    if (p->rows == 0 || c->m.present == 0 || n < 2) return no_label(cx, p, c);
    if (c->cls == GM_CLASS_NUMBER) GM_TRY(number_label(cx, a, p, c));
    else if (c->cls != GM_CLASS_TEXT && c->cls != GM_CLASS_BOOL)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_ESCHEMA,
                                   "label '%s' is of type %s, expected numbers, texts or yes/no", c->name,
                                   c->type),
                           "compute a label from it in SQL first");
    else if (p->wish == GM_WISH_NUMBERS && c->cls == GM_CLASS_TEXT)
        return gm_hint_add(
            cx, gm_fail(cx, GM_ESCHEMA, "label '%s' holds texts, and the learner predicts numbers", c->name),
            "choose a classifier, such as LogisticRegression");
    else if (p->wish == GM_WISH_NUMBERS)
        GM_TRY(told(cx, a, p, GM_TASK_REGRESSION,
                    "The label holds yes and no; the learner predicts numbers, 0 and 1."));
    else if (n > MOST_CLASSES) return too_many(cx, c);
    else if (c->cls == GM_CLASS_BOOL)
        GM_TRY(told(cx, a, p, GM_TASK_BINARY, "The label holds true and false."));
    else {
        snprintf(why, sizeof why, "The label holds %.0f different texts.", n);
        GM_TRY(told(cx, a, p, n == 2 ? GM_TASK_BINARY : GM_TASK_MULTICLASS, why));
    }
    double gone = p->rows - c->m.present;
    if (gone > 0)
        return set(cx, a, c, GM_USE_LABEL, "what is predicted; %.0f of %.0f rows lack it and are dropped",
                   gone, p->rows);
    return set(cx, a, c, GM_USE_LABEL, "what is predicted");
}

/* ---- leakage ---- */

/* True when the ranges of a number in the two classes do not meet. */
static bool separates(const gm_auto_plan *p, const gm_measures *m)
{
    return p->task == GM_TASK_BINARY && p->label_rows[0] >= ROWS_TO_SUSPECT &&
           p->label_rows[1] >= ROWS_TO_SUSPECT && (m->hi[0] < m->lo[1] || m->hi[1] < m->lo[0]);
}

/* Tells of leakage; *out is set when the column must go for it. */
static gm_code check_leak(gm_cx *cx, gm_arena *a, const gm_auto_plan *p, gm_auto_column *c, bool *out)
{
    const gm_auto_column *label = &p->column[p->label];
    const gm_measures *m = &c->m;
    bool copy = m->present >= 2 && m->equal == m->present && label->m.present > 0,
         scaled = m->present > 2 && fabs(m->corr) > 1 - 1e-12, apart = separates(p, m);
    *out = false;
    if (!copy && !scaled && !apart) return GM_OK;
    c->leak = true;
    *out = !c->keep && (copy || scaled || (p->label_rows[0] + p->label_rows[1] >= ROWS_TO_BE_SURE));
    if (copy)
        return set(cx, a, c, GM_USE_OUT,
                   "equals the label in every row, so it is the answer and not a feature");
    if (scaled)
        return set(cx, a, c, GM_USE_OUT,
                   "is the label times a number, so it is the answer and not a feature");
    return set(
        cx, a, c, GM_USE_OUT,
        "by itself it tells the two classes apart without an error (%g to %g against %g to %g): is it known "
        "before the prediction?",
        m->lo[0], m->hi[0], m->lo[1], m->hi[1]);
}

/* ---- columns ---- */

static gm_code decide_number(gm_cx *cx, gm_arena *a, const gm_auto_plan *p, gm_auto_column *c)
{
    const gm_measures *m = &c->m;
    char n[48], gone[48];
    bool integers = m->whole == 1 && integer_type(c->type);
    about(m->distinct, n);
    missing(p, c, gone);
    if (integers && m->present >= TOO_FEW_FOR_ID && mostly_different(m) &&
        m->max - m->min < 1.02 * m->present)
        return set(cx, a, c, GM_USE_OUT, "an id: it counts the rows, from %.0f to %.0f", m->min, m->max);
    if (integers && strcmp(c->name, "qid") == 0)
        return set(cx, a, c, GM_USE_OUT, "the query that a row belongs to, by its name: for rankings");
    if (integers && named_as_id(c->name) && m->distinct > 2) {
        if (m->present >= TOO_FEW_FOR_ID && mostly_different(m))
            return set(cx, a, c, GM_USE_OUT, "an id, by its name, and most values occur once");
        if (m->distinct <= MOST_ID_VALUES && m->present >= ROWS_PER_ID * m->distinct)
            return set(cx, a, c, GM_USE_CATEGORY, "an id by its name, %s different ones that repeat%s", n,
                       gone);
        return set(cx, a, c, GM_USE_OUT, "an id by its name, with %s different values: too many for its rows",
                   n);
    }
    if (integers && m->distinct > 2.5 && m->distinct <= MOST_CODES &&
        m->present >= ROWS_PER_CODE * m->distinct)
        return set(cx, a, c, GM_USE_CATEGORY,
                   "%s different whole numbers, few enough for a coefficient each%s", n, gone);
    if (m->infinite == m->present) return set(cx, a, c, GM_USE_OUT, "no finite number in any row");
    return set(cx, a, c, GM_USE_NUMBER, "numbers from %g to %g%s%s%s", m->min, m->max, gone,
               m->infinite > 0 ? " or infinite" : "", *gone ? ", filled with the median" : "");
}

static gm_code decide_text(gm_cx *cx, gm_arena *a, const gm_auto_plan *p, gm_auto_column *c)
{
    const gm_measures *m = &c->m;
    char n[48], gone[48];
    about(m->distinct, n);
    missing(p, c, gone);
    if (m->distinct > FEW_TEXTS && m->wordy > 0.5 * m->present && m->distinct * ROWS_PER_TEXT > m->present)
        return set(cx, a, c, GM_USE_WORDS, "text of several words, %.0f characters on average%s", m->length,
                   gone);
    if (m->present >= TOO_FEW_FOR_ID && mostly_different(m))
        return set(cx, a, c, GM_USE_OUT, "an id: most values occur once%s",
                   m->length < 12 ? "; if they are numbers, read them as such (types)" : "");
    if (m->distinct <= FEW_TEXTS || m->present >= ROWS_PER_TEXT * m->distinct)
        return set(cx, a, c, GM_USE_CATEGORY, "%s different texts%s", n, gone);
    return set(cx, a, c, GM_USE_OUT, "%s different texts, too many for its rows: a value has fewer than %.0f",
               n, ROWS_PER_TEXT);
}

/* Of one length in all rows, by its type. */
static bool is_vector(const gm_auto_column *c)
{
    size_t n = strlen(c->type);
    return c->cls == GM_CLASS_REALS && (n < 2 || strcmp(c->type + n - 2, "[]") != 0);
}

static gm_code decide_column(gm_cx *cx, gm_arena *a, const gm_auto_plan *p, gm_auto_column *c)
{
    const gm_measures *m = &c->m;
    char gone[48];
    bool out;
    if (c->excluded) return set(cx, a, c, GM_USE_OUT, "excluded, as asked");
    if (is_vector(c)) return set(cx, a, c, GM_USE_VECTOR, "a vector of numbers, used as it is");
    if (c->cls == GM_CLASS_REALS)
        return set(cx, a, c, GM_USE_OUT,
                   "nested: a list of numbers, of any length; cast it to an array to use it, as DOUBLE[3]");
    if (c->cls == GM_CLASS_TEXTS || c->cls == GM_CLASS_OTHER)
        return set(cx, a, c, GM_USE_OUT, "nested or binary values; take them apart in SQL to use them");
    if (m->present == 0) return set(cx, a, c, GM_USE_OUT, "no value in any row");
    if (m->distinct == 1) return set(cx, a, c, GM_USE_OUT, "one value only, so it tells nothing");
    GM_TRY(check_leak(cx, a, p, c, &out));
    if (out) return GM_OK;
    const char *warning = c->leak ? c->why : NULL;
    missing(p, c, gone);
    switch (c->cls) {
    case GM_CLASS_NUMBER: GM_TRY(decide_number(cx, a, p, c)); break;
    case GM_CLASS_TEXT: GM_TRY(decide_text(cx, a, p, c)); break;
    case GM_CLASS_BOOL: GM_TRY(set(cx, a, c, GM_USE_FLAG, "yes and no, as 1 and 0%s", gone)); break;
    case GM_CLASS_DATE:
        GM_TRY(
            set(cx, a, c, GM_USE_DATE, "parts: month and day of week, day of year, days since 1970%s", gone));
        break;
    case GM_CLASS_TIMESTAMP:
        GM_TRY(set(cx, a, c, GM_USE_TIMESTAMP,
                   "parts: month, day of week and hour, day of year, days since 1970%s", gone));
        break;
    case GM_CLASS_TIME: GM_TRY(set(cx, a, c, GM_USE_NUMBER, "a time of day, in seconds%s", gone)); break;
    default: break;
    }
    if (c->use == GM_USE_OUT && c->keep && c->cls == GM_CLASS_TEXT)
        GM_TRY(set(cx, a, c, GM_USE_CATEGORY, "kept, as asked"));
    if (c->use == GM_USE_OUT && c->keep) GM_TRY(set(cx, a, c, GM_USE_NUMBER, "kept, as asked"));
    if (warning) c->why = warning;
    return GM_OK;
}

gm_code gm_auto_decide(gm_cx *cx, gm_arena *a, gm_auto_plan *p)
{
    int64_t used = 0;
    GM_TRY(decide_task(cx, a, p));
    for (int64_t i = 0; i < p->n; i++) {
        if (i == p->label) continue;
        GM_TRY(decide_column(cx, a, p, &p->column[i]));
        used += p->column[i].use != GM_USE_OUT;
    }
    if (used > 0) return GM_OK;
    const gm_auto_column *first = &p->column[p->label == 0 ? 1 : 0];
    if (p->n < 2)
        return gm_fail(cx, GM_EDATA, "the table has no column besides the label '%s'",
                       p->column[p->label].name);
    return gm_hint_add(cx,
                       gm_fail(cx, GM_EDATA, "no column can be used to predict '%s': '%s': %s%s",
                               p->column[p->label].name, first->name, first->why,
                               p->n > 2 ? ", and others" : ""),
                       "write a pipeline, or keep a column that was left out");
}

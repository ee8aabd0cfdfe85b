/* SPDX-License-Identifier: Apache-2.0 */
/*
 * auto_profile.c - measures of all columns by one aggregate query: its answer is one list of numbers, written
 * as JSON, so that any number of columns comes back through one value.
 */
#include "model/auto.h"
#include "source/scan.h"
#include <math.h>
#include <string.h>

/* The numbers per column, in the order of gm_measures; and those of the whole table in front of them. */
enum { PER_COLUMN = 14, OF_TABLE = 4, MOST_LABELS = 101 };

static bool numeric(gm_class c) { return c == GM_CLASS_NUMBER || c == GM_CLASS_BOOL; }

/* The column's value as NULL when missing: NaN counts as missing. */
static void value(gm_buf *b, const gm_field *f)
{
    bool floating = strcmp(f->type, "DOUBLE") == 0 || strcmp(f->type, "FLOAT") == 0,
         cast = f->cls == GM_CLASS_TEXT && strcmp(f->type, "VARCHAR") != 0; /* ENUM, UUID */
    gm_buf_str(b, floating ? "nullif(" : cast ? "CAST(" : "");
    gm_buf_ident(b, f->name);
    if (floating) gm_buf_printf(b, ", 'nan'::%s)", f->type);
    if (cast) gm_buf_str(b, " AS VARCHAR)");
}

static void number(gm_buf *b, const gm_field *f)
{
    gm_buf_str(b, "CAST(");
    value(b, f);
    gm_buf_str(b, f->cls == GM_CLASS_BOOL ? " AS INTEGER)::DOUBLE" : " AS DOUBLE)");
}

/* How much the column and the label have to do with each other: equal, corr, lo and hi by class. */
static void against_label(gm_buf *b, const gm_field *f, const gm_field *label, bool itself)
{
    if (!itself && f->cls == GM_CLASS_TEXT && label->cls == GM_CLASS_TEXT) {
        gm_buf_str(b, ", count_if("), value(b, f), gm_buf_str(b, " = "), value(b, label), gm_buf_str(b, ")");
    } else if (!itself && f->cls == GM_CLASS_TEXT && label->cls == GM_CLASS_BOOL) {
        gm_buf_str(b, ", count_if(lower("), value(b, f), gm_buf_str(b, ") = CAST("), value(b, label);
        gm_buf_str(b, " AS VARCHAR))");
    } else if (!itself && numeric(f->cls) && numeric(label->cls)) {
        gm_buf_str(b, ", count_if("), number(b, f), gm_buf_str(b, " = "), number(b, label),
            gm_buf_str(b, ")");
    } else {
        gm_buf_str(b, ", NULL");
    }
    if (itself || f->cls != GM_CLASS_NUMBER || !numeric(label->cls)) {
        gm_buf_str(b, ", NULL, NULL, NULL, NULL, NULL");
        return;
    }
    /* corr fails when its sums overflow, so huge numbers stay out of it. */
    gm_buf_str(b, ", corr(CASE WHEN abs("), number(b, f), gm_buf_str(b, ") < 1e100 THEN "), number(b, f);
    gm_buf_str(b, " END, CASE WHEN abs("), number(b, label), gm_buf_str(b, ") < 1e100 THEN "),
        number(b, label);
    gm_buf_str(b, " END)");
    static const char *const side[] = {"min", "max"};
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 2; k++) {
            gm_buf_printf(b, ", %s(", side[s]), number(b, f), gm_buf_str(b, ") FILTER (WHERE ");
            number(b, label), gm_buf_printf(b, " = %d)", k);
        }
}

static void measures(gm_buf *b, const gm_field *f, const gm_field *label)
{
    bool plain = f->cls != GM_CLASS_REALS && f->cls != GM_CLASS_TEXTS && f->cls != GM_CLASS_OTHER;
    gm_buf_str(b, ", count("), value(b, f), gm_buf_str(b, ")");
    if (!plain) {
        for (int i = 1; i < PER_COLUMN; i++) gm_buf_str(b, ", NULL");
        return;
    }
    gm_buf_str(b, ", approx_count_distinct("), value(b, f), gm_buf_str(b, "), CAST(min(");
    value(b, f), gm_buf_str(b, ") = max("), value(b, f), gm_buf_str(b, ") AS INTEGER)");
    if (numeric(f->cls)) {
        gm_buf_str(b, ", min("), number(b, f), gm_buf_str(b, "), max("), number(b, f);
        gm_buf_str(b, "), CAST(bool_and("), number(b, f), gm_buf_str(b, " = floor("), number(b, f);
        gm_buf_str(b, ")) AS INTEGER)");
    } else {
        gm_buf_str(b, ", NULL, NULL, NULL");
    }
    if (f->cls == GM_CLASS_TEXT) {
        gm_buf_str(b, ", avg(strlen("), value(b, f), gm_buf_str(b, ")), count_if(");
        value(b, f), gm_buf_str(b, " LIKE '%_ _% _%')");
    } else {
        gm_buf_str(b, ", NULL, NULL");
    }
    against_label(b, f, label, f == label);
}

static void query(gm_buf *b, const gm_columns *s, int64_t label)
{
    const gm_field *l = &s->field[label];
    bool plain = l->cls == GM_CLASS_NUMBER || l->cls == GM_CLASS_BOOL || l->cls == GM_CLASS_TEXT;
    gm_buf_str(b, "CAST([count(*)");
    if (plain) {
        /* Exact up to its second argument. */
        gm_buf_str(b, ", coalesce(len(approx_top_k("), value(b, l);
        gm_buf_printf(b, ", %d) FILTER (WHERE ", MOST_LABELS), value(b, l),
            gm_buf_str(b, " IS NOT NULL)), 0)");
    } else {
        gm_buf_str(b, ", NULL");
    }
    for (int k = 0; k < 2; k++) {
        if (numeric(l->cls)) gm_buf_str(b, ", count_if("), number(b, l), gm_buf_printf(b, " = %d)", k);
        else gm_buf_str(b, ", NULL");
    }
    for (int64_t i = 0; i < s->n; i++) measures(b, &s->field[i], l);
    gm_buf_str(b, "] AS DOUBLE[]) AS v");
}

/* ---- the one row of the answer ---- */

typedef struct answer {
    gm_arena *a;
    char *text;
    size_t len;
} answer;

static gm_code answer_open(gm_cx *cx, void *arg, void **task)
{
    (void)cx;
    *task = arg;
    return GM_OK;
}

static gm_code answer_push(gm_cx *cx, void *arg, void *task, const gm_batch *batch)
{
    answer *r = arg;
    (void)task;
    gm_text t = gm_column_text(&batch->col[0], 0);
    if (gm_text_missing(&t)) return gm_fail(cx, GM_EINTERNAL, "the profile of the table came back empty");
    r->len = t.len;
    GM_GOT(cx, r->text = gm_strndup(cx, r->a, gm_text_ptr(&t), t.len));
    return GM_OK;
}

static gm_code answer_restart(gm_cx *cx, void *arg)
{
    (void)cx;
    ((answer *)arg)->text = NULL;
    return GM_OK;
}

static gm_code ask(gm_cx *cx, gm_arena *a, gm_table *t, int64_t label, gm_doc **out)
{
    const gm_columns *s;
    gm_table *list = NULL, *json = NULL;
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    answer r = {.a = a};
    GM_TRY(gm_table_schema(cx, t, &s));
    query(&b, s, label);
    GM_TRY(gm_buf_done(&b));
    gm_code code = gm_table_select(cx, t, b.p, "", &list);
    /* Infinite numbers cannot be written in JSON. */
    if (code == GM_OK)
        code = gm_table_select(
            cx, list,
            "CAST(to_json(list_transform(v, lambda x: CASE WHEN isfinite(x) THEN x END)) AS VARCHAR) "
            "AS profile",
            "", &json);
    const gm_want want = {"profile", GM_T_TEXT, NULL};
    const gm_sink sink = {&r, answer_open, answer_push, answer_restart};
    if (code == GM_OK) code = gm_scan(cx, json, &want, 1, &sink, NULL);
    gm_table_free(json);
    gm_table_free(list);
    GM_TRY(code);
    if (r.text == NULL) return gm_fail(cx, GM_EINTERNAL, "the profile of the table did not come back");
    return gm_doc_json(cx, a, r.text, r.len, "profile", out);
}

static double at(const gm_doc *list, int64_t i)
{
    const gm_doc *d = &list->child[i];
    return d->kind == GM_D_INT || d->kind == GM_D_REAL ? d->real : NAN;
}

gm_code gm_auto_profile(gm_cx *cx, gm_arena *a, gm_table *t, gm_auto_plan *p)
{
    const gm_columns *s;
    gm_doc *list;
    GM_TRY(ask(cx, a, t, p->label, &list));
    GM_TRY(gm_table_schema(cx, t, &s));
    if (list->kind != GM_D_LIST || list->n != OF_TABLE + PER_COLUMN * p->n || s->n != p->n)
        return gm_fail(cx, GM_EINTERNAL, "the profile of the table has %lld numbers, expected %lld",
                       (long long)list->n, (long long)(OF_TABLE + PER_COLUMN * p->n));
    p->rows = at(list, 0);
    p->label_distinct = at(list, 1);
    p->label_rows[0] = at(list, 2);
    p->label_rows[1] = at(list, 3);
    for (int64_t i = 0; i < p->n; i++) {
        int64_t k = OF_TABLE + PER_COLUMN * i;
        gm_auto_column *c = &p->column[i];
        c->type = s->field[i].type; /* a full read may have made it wider */
        c->cls = s->field[i].cls;
        c->m = (gm_measures){.present = at(list, k),
                             .distinct = at(list, k + 1),
                             .constant = at(list, k + 2),
                             .min = at(list, k + 3),
                             .max = at(list, k + 4),
                             .whole = at(list, k + 5),
                             .length = at(list, k + 6),
                             .wordy = at(list, k + 7),
                             .equal = at(list, k + 8),
                             .corr = at(list, k + 9),
                             .lo = {at(list, k + 10), at(list, k + 11)},
                             .hi = {at(list, k + 12), at(list, k + 13)}};
        /* The estimate may overshoot what there can be. */
        if (c->m.distinct > c->m.present) c->m.distinct = c->m.present;
        double span = c->m.max - c->m.min + 1;
        if (c->m.whole == 1 && c->m.distinct > span) c->m.distinct = span;
    }
    return GM_OK;
}

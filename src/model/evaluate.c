/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate.c - reading predictions and labels of a table, and the metric of an evaluator.
 */
#include "model/evaluators.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is read: one row each of label, prediction (or score), probability of the true class, weight ----
 */

enum { LABEL, PREDICTED, PROBABILITY, WEIGHT, READ };

typedef struct rows_read {
    gm_arena arena;
    int64_t n, cap;
    double *v[READ];
    gm_dict *dict; /* labels and predictions as keys: texts, or the 8 bytes of a number */
    struct rows_read *next;
} rows_read;

typedef struct reading {
    gm_cx *cx;
    gm_metric_kind kind;
    bool text;    /* labels are texts */
    int at[READ]; /* column in the batch; -1: not read */
    pthread_mutex_t lock;
    rows_read *tasks;
} reading;

static gm_code open_task(gm_cx *cx, void *arg, void **task)
{
    reading *r = arg;
    rows_read *t = gm_raw_alloc(cx, sizeof *t);
    GM_GOT(cx, t);
    *t = (rows_read){0};
    pthread_mutex_lock(&r->lock);
    t->next = r->tasks;
    r->tasks = t;
    pthread_mutex_unlock(&r->lock);
    *task = t;
    return gm_dict_new(cx, &t->arena, &t->dict);
}

static void free_tasks(reading *r)
{
    while (r->tasks) {
        rows_read *t = r->tasks;
        r->tasks = t->next;
        gm_arena_end(&t->arena);
        gm_raw_free(t);
    }
}

static gm_code restart(gm_cx *cx, void *arg)
{
    (void)cx;
    free_tasks(arg);
    return GM_OK;
}

static gm_code room(gm_cx *cx, rows_read *t, int64_t n)
{
    if (t->n + n <= t->cap) return GM_OK;
    int64_t cap = 2 * t->cap + n;
    for (int k = 0; k < READ; k++) {
        double *more = gm_regrow(cx, &t->arena, t->v[k], t->n, cap, sizeof *more);
        GM_GOT(cx, more);
        t->v[k] = more;
    }
    t->cap = cap;
    return GM_OK;
}

/* A class as a code of the task's dictionary; NaN when missing. */
static gm_code class_code(gm_cx *cx, rows_read *t, const gm_column *c, int64_t i, double *out)
{
    uint32_t code;
    double x = 0;
    gm_text key;
    if (c->type == GM_T_TEXT) {
        key = gm_column_text(c, i);
        if (gm_text_missing(&key)) return *out = NAN, GM_OK;
    } else {
        x = c->real[i] + 0.0;
        if (isnan(x)) return *out = NAN, GM_OK;
        key = gm_text_of((const char *)&x, sizeof x);
    }
    GM_TRY(gm_dict_add(cx, t->dict, &key, &code));
    *out = code;
    return GM_OK;
}

static gm_code push(gm_cx *cx, void *arg, void *task, const gm_batch *b)
{
    const reading *r = arg;
    rows_read *t = task;
    GM_TRY(room(cx, t, b->rows));
    for (int64_t i = 0; i < b->rows; i++) {
        double *to[READ];
        for (int k = 0; k < READ; k++) to[k] = &t->v[k][t->n];
        const gm_column *label = &b->col[r->at[LABEL]], *predicted = &b->col[r->at[PREDICTED]];
        bool classes = r->kind != GM_METRIC_REGRESSION;
        if (classes) GM_TRY(class_code(cx, t, label, i, to[LABEL]));
        else *to[LABEL] = label->real[i];
        if (r->kind == GM_METRIC_MULTICLASS) GM_TRY(class_code(cx, t, predicted, i, to[PREDICTED]));
        else *to[PREDICTED] = predicted->real[i];
        *to[PROBABILITY] = r->at[PROBABILITY] >= 0 ? b->col[r->at[PROBABILITY]].real[i] : NAN;
        *to[WEIGHT] = r->at[WEIGHT] >= 0 ? b->col[r->at[WEIGHT]].real[i] : 1;
        if (!(*to[WEIGHT] >= 0))
            return gm_fail(cx, GM_EDATA, "a weight is %g; weights are not negative", *to[WEIGHT]);
        if (isnan(*to[LABEL]))
            return gm_hint_add(cx, gm_fail(cx, GM_EDATA, "a row has no label"),
                               "drop such rows: WHERE label IS NOT NULL");
        if (isnan(*to[PREDICTED])) return gm_fail(cx, GM_EDATA, "a row has no prediction");
        t->n++;
    }
    return GM_OK;
}

/* ---- the query: typed columns with fixed names ---- */

static gm_code add_column(gm_cx *cx, reading *r, gm_buf *list, gm_want *want, int *n, int what,
                          const char *expr, const char *name, gm_type type)
{
    (void)cx;
    gm_buf_printf(list, "%s%s AS %s", *n ? ", " : "", expr, name);
    want[*n] = (gm_want){.column = name, .type = type};
    r->at[what] = (*n)++;
    return GM_OK;
}

static gm_code ident(gm_cx *cx, const char *name, const char *prefix, const char *suffix, char **out)
{
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    gm_buf_str(&b, prefix);
    gm_buf_ident(&b, name);
    gm_buf_str(&b, suffix);
    GM_TRY(gm_buf_done(&b));
    *out = b.p;
    return GM_OK;
}

/* Element at (SQL, from 1) of a list of numbers or of Spark's struct. */
static gm_code element(gm_cx *cx, const gm_field *f, const char *at, char **out)
{
    char *v;
    GM_TRY(ident(cx, f->name, "", "", &v));
    if (strncmp(f->type, "STRUCT", 6) != 0)
        GM_GOT(cx, *out = gm_format(cx, gm_scratch(cx), "list_extract(%s, %s)", v, at));
    else
        GM_GOT(cx, *out = gm_format(cx, gm_scratch(cx),
                                    "CASE %s.type WHEN 1 THEN list_extract(%s.\"values\", %s) ELSE "
                                    "coalesce(list_extract(%s.\"values\", list_position(%s.indices, "
                                    "CAST(%s - 1 AS INTEGER))), 0) END",
                                    v, v, at, v, v, at));
    return GM_OK;
}

static gm_code need(gm_cx *cx, const gm_columns *s, const char *param, const char *name, const gm_field **out)
{
    int64_t at;
    GM_TRY(gm_within(cx, gm_columns_need(cx, s, name, &at), "%s", param));
    *out = &s->field[at];
    return GM_OK;
}

static bool is_text(const gm_field *f) { return f->cls == GM_CLASS_TEXT; }

static gm_code prediction_column(gm_cx *cx, reading *r, const gm_columns *s, const gm_evaluation *v,
                                 gm_buf *list, gm_want *want, int *n)
{
    const gm_field *f;
    bool binary = r->kind == GM_METRIC_BINARY;
    char *expr;
    GM_TRY(need(cx, s, binary ? "rawPredictionCol" : "predictionCol",
                binary ? v->rawPredictionCol : v->predictionCol, &f));
    bool scores = binary && f->cls == GM_CLASS_REALS;
    if (r->kind == GM_METRIC_MULTICLASS && is_text(f) != r->text)
        return gm_fail(cx, GM_ESCHEMA,
                       "the label '%s' is %s and the prediction '%s' is %s: they cannot be compared",
                       v->labelCol, r->text ? "text" : "a number", f->name, is_text(f) ? "text" : "a number");
    GM_TRY(scores ? element(cx, f, "2", &expr) : ident(cx, f->name, "", "", &expr));
    return add_column(cx, r, list, want, n, PREDICTED, expr, "predicted",
                      r->kind == GM_METRIC_MULTICLASS && r->text ? GM_T_TEXT : GM_T_REAL);
}

/* Spark's labels are indices into the probabilities; of text labels the place is not known. */
static gm_code probability_column(gm_cx *cx, reading *r, const gm_columns *s, const gm_evaluation *v,
                                  gm_buf *list, gm_want *want, int *n)
{
    char *expr, *label;
    if (r->kind != GM_METRIC_MULTICLASS || r->text || v->probabilityCol == NULL) return GM_OK;
    int64_t at = gm_columns_find(s, v->probabilityCol);
    if (at < 0 || s->field[at].cls != GM_CLASS_REALS) return GM_OK;
    GM_TRY(ident(cx, v->labelCol, "(CAST(", " AS BIGINT) + 1)", &label));
    GM_TRY(element(cx, &s->field[at], label, &expr));
    return add_column(cx, r, list, want, n, PROBABILITY, expr, "probability", GM_T_REAL);
}

static gm_code read_rows(gm_cx *cx, reading *r, const gm_table *t, const gm_evaluation *v)
{
    const gm_columns *s;
    const gm_field *label, *weight;
    gm_buf list = gm_buf_in(cx, gm_scratch(cx));
    gm_want want[READ];
    gm_table *query;
    char *expr;
    int n = 0;
    GM_TRY(gm_table_schema(cx, t, &s));
    GM_TRY(need(cx, s, "labelCol", v->labelCol, &label));
    r->text = is_text(label);
    if (r->text && r->kind == GM_METRIC_REGRESSION)
        return gm_fail(cx, GM_ESCHEMA, "the label '%s' is text; a RegressionEvaluator needs a number",
                       label->name);
    GM_TRY(ident(cx, v->labelCol, "", "", &expr));
    GM_TRY(add_column(cx, r, &list, want, &n, LABEL, expr, "label", r->text ? GM_T_TEXT : GM_T_REAL));
    GM_TRY(prediction_column(cx, r, s, v, &list, want, &n));
    GM_TRY(probability_column(cx, r, s, v, &list, want, &n));
    if (v->weightCol) {
        GM_TRY(need(cx, s, "weightCol", v->weightCol, &weight));
        GM_TRY(ident(cx, v->weightCol, "", "", &expr));
        GM_TRY(add_column(cx, r, &list, want, &n, WEIGHT, expr, "weight", GM_T_REAL));
    }
    GM_TRY(gm_buf_done(&list));
    GM_TRY(gm_table_select(cx, t, list.p, "", &query));
    gm_sink sink = {.arg = r, .open = open_task, .push = push, .restart = restart};
    gm_code c = gm_scan(cx, query, want, n, &sink, NULL);
    gm_table_free(query);
    return c;
}

/* ---- from rows to accumulators ---- */

typedef struct measured {
    gm_ranking ranking;
    gm_confusion confusion;
    gm_residuals residuals;
    int64_t rows;
} measured;

static int by_text(const void *a, const void *b) { return gm_text_compare(a, b); }

static int by_number(const void *pa, const void *pb)
{
    double a, b;
    memcpy(&a, gm_text_ptr(pa), sizeof a);
    memcpy(&b, gm_text_ptr(pb), sizeof b);
    return (a > b) - (a < b);
}

/* The classes of all tasks in order; map[task][code] is the class index. */
static gm_code order_classes(gm_cx *cx, const reading *r, gm_dict **classes, gm_text **sorted)
{
    gm_dict *all;
    uint32_t code;
    GM_TRY(gm_dict_new(cx, gm_scratch(cx), &all));
    for (const rows_read *t = r->tasks; t; t = t->next)
        for (uint32_t i = 0; t->dict && i < gm_dict_size(t->dict); i++)
            GM_TRY(gm_dict_add(cx, all, &gm_dict_keys(t->dict)[i], &code));
    int64_t n = gm_dict_size(all);
    GM_NEW(cx, *sorted, n + 1);
    for (int64_t i = 0; i < n; i++) (*sorted)[i] = gm_dict_keys(all)[i];
    qsort(*sorted, (size_t)n, sizeof **sorted, r->text ? by_text : by_number);
    GM_TRY(gm_dict_new(cx, gm_scratch(cx), classes));
    for (int64_t i = 0; i < n; i++) GM_TRY(gm_dict_add(cx, *classes, &(*sorted)[i], &code));
    return GM_OK;
}

static void to_classes(rows_read *t, const gm_dict *classes, double *codes)
{
    for (int64_t i = 0; i < t->n; i++)
        codes[i] = gm_dict_find(classes, &gm_dict_keys(t->dict)[(uint32_t)codes[i]]);
}

static gm_code measure_classes(gm_cx *cx, reading *r, const gm_evaluation *v, measured *m)
{
    gm_dict *classes;
    gm_text *sorted;
    GM_TRY(order_classes(cx, r, &classes, &sorted));
    int64_t k = gm_dict_size(classes), n = 0;
    for (rows_read *t = r->tasks; t; t = t->next) to_classes(t, classes, t->v[LABEL]), n += t->n;
    m->rows = n;
    if (r->kind == GM_METRIC_BINARY) {
        double *s[2], *w[2];
        int64_t at[2] = {0, 0};
        if (k > 2)
            return gm_fail(cx, GM_EDATA,
                           "the label has %lld distinct values; a BinaryClassificationEvaluator needs two",
                           (long long)k);
        /* A single numeric class is positive when it is above 1/2, as in Spark. */
        double one = 0;
        if (k == 1 && !r->text) memcpy(&one, gm_text_ptr(&sorted[0]), sizeof one);
        for (int c = 0; c < 2; c++) {
            GM_NEW(cx, s[c], n + 1);
            GM_NEW(cx, w[c], n + 1);
        }
        for (rows_read *t = r->tasks; t; t = t->next)
            for (int64_t i = 0; i < t->n; i++) {
                int c = k == 1 ? one > 0.5 : t->v[LABEL][i] > 0.5;
                s[c][at[c]] = t->v[PREDICTED][i];
                w[c][at[c]++] = t->v[WEIGHT][i];
            }
        bool weighted = r->at[WEIGHT] >= 0;
        gm_class_scores of[2] = {{at[0], s[0], weighted ? w[0] : NULL, NULL},
                                 {at[1], s[1], weighted ? w[1] : NULL, NULL}};
        char *work;
        GM_NEW(cx, work, gm_rank_work(of) + 8);
        return gm_rank(cx, NULL, of, work, &m->ranking);
    }
    if (k > 10000)
        return gm_fail(cx, GM_EDATA, "there are %lld classes: is the label a quantity?", (long long)k);
    GM_TRY(gm_confusion_new(cx, gm_scratch(cx), k, &m->confusion));
    for (rows_read *t = r->tasks; t; t = t->next) {
        to_classes(t, classes, t->v[PREDICTED]);
        gm_confusion_add(&m->confusion, t->n, t->v[LABEL], t->v[PREDICTED], NULL, t->v[WEIGHT]);
        for (int64_t i = 0; i < t->n && r->at[PROBABILITY] >= 0; i++) {
            double p = t->v[PROBABILITY][i];
            if (isnan(p))
                return gm_fail(cx, GM_EDATA,
                               "a row has no probability for its label: labels must be 0 .. n-1 for logLoss");
            m->confusion.loss -= t->v[WEIGHT][i] * log(p > v->eps ? p : v->eps);
            m->confusion.loss_weight += t->v[WEIGHT][i];
        }
    }
    return GM_OK;
}

static gm_code measure(gm_cx *cx, reading *r, const gm_evaluation *v, measured *m)
{
    if (r->kind != GM_METRIC_REGRESSION) return measure_classes(cx, r, v, m);
    for (rows_read *t = r->tasks; t; t = t->next) {
        gm_residuals part = {0};
        gm_residuals_add(&part, t->n, t->v[LABEL], t->v[PREDICTED], t->v[WEIGHT]);
        gm_residuals_merge(&m->residuals, &part);
        m->rows += t->n;
    }
    return GM_OK;
}

/* ---- the answer ---- */

static gm_value value_of(const gm_metric *m, const measured *x, const gm_evaluation *v)
{
    return gm_evaluation_value(m, v, &x->ranking, &x->confusion, &x->residuals);
}

static void answer(gm_cx *cx, gm_buf *b, const gm_evaluator *e, const gm_evaluation *v, const measured *x)
{
    const gm_metric *chosen = gm_evaluation_metric(e, v);
    gm_value value = value_of(chosen, x, v);
    gm_json_open(b, NULL, '{');
    gm_json_str(b, "metric", chosen->name);
    gm_json_real(b, "value", value.v);
    if (value.why) {
        gm_json_str(b, "why", value.why);
        gm_emit_kv(cx, GM_WARNING, "metric.undefined", value.why, "metric", chosen->name, NULL);
    }
    gm_json_bool(b, "larger_is_better", chosen->larger_is_better);
    gm_json_int(b, "rows", x->rows);
    gm_json_open(b, "all", '{');
    for (const gm_metric *m = gm_metrics; m->name; m++)
        if (m->kind == e->kind && !m->by_label) gm_json_real(b, m->name, value_of(m, x, v).v);
    gm_json_close(b, '}');
    gm_json_close(b, '}');
}

gm_code gm_evaluate_table(gm_cx *cx, gm_buf *b, const gm_table *t, const gm_doc *doc)
{
    const gm_evaluator *e;
    gm_evaluation v = {0};
    uint64_t set = 0;
    measured x = {0};
    const char *name = doc->kind == GM_D_MAP && doc->n == 1 ? doc->child[0].key
                       : doc->kind == GM_D_STR              ? doc->str
                                                            : NULL;
    if (name == NULL) return gm_fail(cx, GM_ESYNTAX, "an evaluator is {\"EvaluatorName\": {parameters}}");
    GM_TRY(gm_evaluator_need(cx, name, &e));
    gm_param_defaults(e->params, &v);
    if (doc->kind == GM_D_MAP && doc->child[0].kind == GM_D_MAP)
        GM_TRY(gm_param_set_all(cx, gm_scratch(cx), e->params, &v, &doc->child[0], e->name, &set));
    reading r = {.cx = cx, .kind = e->kind, .at = {-1, -1, -1, -1}};
    pthread_mutex_init(&r.lock, NULL);
    gm_code c = gm_within(cx, read_rows(cx, &r, t, &v), "%s", e->name);
    if (c == GM_OK) c = gm_within(cx, measure(cx, &r, &v, &x), "%s", e->name);
    free_tasks(&r);
    pthread_mutex_destroy(&r.lock);
    GM_TRY(c);
    answer(cx, b, e, &v, &x);
    return gm_buf_done(b);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * auto_pipeline.c - the decisions of auto_decide.c written as a pipeline that a user could have written.
 *
 * Stages, where there is something to do: SQLTransformer (parts of dates, finite numbers), Imputer (numbers
 * by their median, yes/no by the most frequent), VectorAssembler and StandardScaler (numbers), StringIndexer
 * (keep: unseen and missing values are a level of their own) and OneHotEncoder, RegexTokenizer, HashingTF and
 * IDF for each text, VectorAssembler (a vector alone needs none), and the learner, which takes the label as
 * it is; rows without a label are left out.
 */
#include "base/dict.h"
#include "model/auto.h"
#include "stage/find.h"
#include <string.h>

/* ---- names ---- */

typedef struct names {
    gm_cx *cx;
    gm_arena *a;
    gm_dict *taken; /* columns of the table and those made so far; DuckDB's names do not tell case apart */
} names;

static gm_code take(names *s, const char *name, bool *fresh)
{
    uint32_t before = gm_dict_size(s->taken), code;
    char *lower = gm_strdup(s->cx, s->a, name);
    GM_GOT(s->cx, lower);
    for (char *p = lower; *p; p++)
        if (*p >= 'A' && *p <= 'Z') *p = (char)(*p - 'A' + 'a');
    gm_text t = gm_text_of(lower, strlen(lower));
    GM_TRY(gm_dict_add(s->cx, s->taken, &t, &code));
    *fresh = code == before;
    return GM_OK;
}

/* column_suffix, with more underscores until no column has that name. */
static gm_code made_name(names *s, const char *column, const char *suffix, const char **out)
{
    char *name = gm_format(s->cx, s->a, *column ? "%s_%s" : "%s%s", column, suffix);
    bool fresh = false;
    while (name) {
        GM_TRY(take(s, name, &fresh));
        if (fresh) break;
        name = gm_format(s->cx, s->a, "%s_", name);
    }
    GM_GOT(s->cx, name);
    *out = name;
    return GM_OK;
}

/* ---- documents ---- */

/* One more child of parent. Earlier children move: finish one before the next is begun. NULL: no memory,
 * told. */
static gm_doc *child(gm_cx *cx, gm_arena *a, gm_doc *parent, const char *key, gm_kind kind)
{
    if ((parent->n & (parent->n - 1)) == 0) {
        gm_doc *more =
            gm_regrow(cx, a, parent->child, parent->n, parent->n ? 2 * parent->n : 1, sizeof *more);
        if (more == NULL) return NULL;
        parent->child = more;
    }
    gm_doc *d = &parent->child[parent->n++];
    *d = (gm_doc){.kind = kind, .key = key, .origin = "auto"};
    return d;
}

static gm_code put_str(gm_cx *cx, gm_arena *a, gm_doc *map, const char *key, const char *value)
{
    gm_doc *d = child(cx, a, map, key, GM_D_STR);
    GM_GOT(cx, d);
    d->str = value;
    return GM_OK;
}

static gm_code put_real(gm_cx *cx, gm_arena *a, gm_doc *map, const char *key, double value)
{
    gm_doc *d = child(cx, a, map, key, GM_D_REAL);
    GM_GOT(cx, d);
    d->real = value;
    return GM_OK;
}

static gm_code put_int(gm_cx *cx, gm_arena *a, gm_doc *map, const char *key, int64_t value)
{
    gm_doc *d = child(cx, a, map, key, GM_D_INT);
    GM_GOT(cx, d);
    d->i = value;
    d->real = (double)value;
    return GM_OK;
}

static gm_code put_true(gm_cx *cx, gm_arena *a, gm_doc *map, const char *key)
{
    gm_doc *d = child(cx, a, map, key, GM_D_BOOL);
    GM_GOT(cx, d);
    d->b = true;
    return GM_OK;
}

/* Names that grow. */
typedef struct list {
    int64_t n;
    const char **v;
} list;

static gm_code push(gm_cx *cx, gm_arena *a, list *l, const char *s)
{
    if ((l->n & (l->n - 1)) == 0)
        GM_GOT(cx, l->v = gm_regrow(cx, a, l->v, l->n, l->n ? 2 * l->n : 1, sizeof *l->v));
    l->v[l->n++] = s;
    return GM_OK;
}

static gm_code put_list(gm_cx *cx, gm_arena *a, gm_doc *map, const char *key, const list *l)
{
    gm_doc *d = child(cx, a, map, key, GM_D_LIST);
    GM_GOT(cx, d);
    for (int64_t i = 0; i < l->n; i++) GM_TRY(put_str(cx, a, d, NULL, l->v[i]));
    return GM_OK;
}

/* ---- stages ---- */

typedef struct writer {
    gm_cx *cx;
    gm_arena *a;
    names names;
    gm_doc *stages;
    list numbers, flags, categories, words, vectors, parts; /* columns by use; parts: of features */
} writer;

static gm_code stage(writer *w, const char *name, gm_doc **params)
{
    gm_doc *s = child(w->cx, w->a, w->stages, NULL, GM_D_MAP);
    GM_GOT(w->cx, s);
    *params = child(w->cx, w->a, s, name, GM_D_MAP);
    GM_GOT(w->cx, *params);
    return GM_OK;
}

/* A stage over the columns in; what it makes is named after the columns of. */
static gm_code list_stage(writer *w, const char *name, const list *in, const list *of, const char *suffix,
                          list *out, gm_doc **params)
{
    *out = (list){0};
    for (int64_t i = 0; i < in->n; i++) {
        const char *made;
        GM_TRY(made_name(&w->names, of->v[i], suffix, &made));
        GM_TRY(push(w->cx, w->a, out, made));
    }
    GM_TRY(stage(w, name, params));
    GM_TRY(put_list(w->cx, w->a, *params, "inputCols", in));
    return put_list(w->cx, w->a, *params, "outputCols", out);
}

/* template with every %s as value, under a new name. */
static gm_code computed(writer *w, gm_buf *sql, const char *template, const gm_buf *value, const char *column,
                        const char *suffix, list *to)
{
    const char *made = NULL, *at;
    GM_TRY(made_name(&w->names, column, suffix, &made));
    GM_TRY(push(w->cx, w->a, to, made));
    gm_buf_str(sql, ", ");
    for (; (at = strstr(template, "%s")) != NULL; template = at + 2) {
        gm_buf_add(sql, template, (size_t)(at - template));
        gm_buf_add(sql, value->p, value->len);
    }
    gm_buf_str(sql, template);
    gm_buf_str(sql, " AS ");
    gm_buf_ident(sql, made);
    return sql->code;
}

/* Parts of a date, each as a text (a category) or as a number. */
static gm_code date_parts(writer *w, gm_buf *sql, const gm_auto_column *c)
{
    static const struct {
        const char *name, *sql;
        bool category, needs_time;
    } parts[] = {
        {"month", "CAST(month(%s) AS VARCHAR)", true, false},
        {"weekday", "dayname(%s)", true, false},
        {"hour", "CAST(hour(%s) AS VARCHAR)", true, true},
        {"day_of_year", "dayofyear(%s)", false, false},
        {"day", "CASE WHEN isfinite(%s) THEN CAST(%s AS DATE) - DATE '1970-01-01' END", false, false}};
    gm_buf value = gm_buf_in(w->cx, w->a);
    bool zone = strstr(c->type, "ZONE") != NULL || strcmp(c->type, "TIMESTAMPTZ") == 0;
    if (zone) gm_buf_str(&value, "timezone('UTC', ");
    gm_buf_ident(&value, c->name);
    if (zone) gm_buf_str(&value, ")");
    GM_TRY(gm_buf_done(&value));
    for (int64_t k = 0; k < GM_COUNT(parts); k++) {
        if (parts[k].needs_time && c->use != GM_USE_TIMESTAMP) continue;
        GM_TRY(computed(w, sql, parts[k].sql, &value, c->name, parts[k].name,
                        parts[k].category ? &w->categories : &w->numbers));
    }
    return GM_OK;
}

/* Infinite numbers have no mean and no coefficient: they become missing ones. */
static bool has_infinite(const gm_auto_column *c) { return c->use == GM_USE_NUMBER && c->m.infinite > 0; }

static gm_code finite_ones(writer *w, gm_buf *sql, const gm_auto_column *c)
{
    gm_buf value = gm_buf_in(w->cx, w->a);
    gm_buf_ident(&value, c->name);
    GM_TRY(gm_buf_done(&value));
    return computed(w, sql, "CASE WHEN isfinite(%s) THEN %s END", &value, c->name, "finite", &w->numbers);
}

/* What SQL has to make of columns before the stages can use them. */
static gm_code in_sql(writer *w, const gm_auto_plan *p)
{
    gm_buf sql = gm_buf_in(w->cx, w->a);
    gm_doc *params;
    gm_buf_str(&sql, "SELECT *");
    size_t nothing = sql.len;
    for (int64_t i = 0; i < p->n; i++) {
        const gm_auto_column *c = &p->column[i];
        if (c->use == GM_USE_DATE || c->use == GM_USE_TIMESTAMP) GM_TRY(date_parts(w, &sql, c));
        if (has_infinite(c)) GM_TRY(finite_ones(w, &sql, c));
    }
    if (sql.len == nothing) return GM_OK;
    gm_buf_str(&sql, " FROM __THIS__");
    GM_TRY(gm_buf_done(&sql));
    GM_TRY(stage(w, "SQLTransformer", &params));
    return put_str(w->cx, w->a, params, "statement", sql.p);
}

static gm_code assemble(writer *w, const list *in, const char *out)
{
    gm_doc *params;
    GM_TRY(stage(w, "VectorAssembler", &params));
    GM_TRY(put_list(w->cx, w->a, params, "inputCols", in));
    return put_str(w->cx, w->a, params, "outputCol", out);
}

static gm_code numbers(writer *w)
{
    list filled;
    gm_doc *params;
    const char *side_by_side, *scaled;
    if (w->numbers.n == 0) return GM_OK;
    GM_TRY(list_stage(w, "Imputer", &w->numbers, &w->numbers, "filled", &filled, &params));
    GM_TRY(put_str(w->cx, w->a, params, "strategy", "median"));
    GM_TRY(made_name(&w->names, "", "numbers", &side_by_side));
    GM_TRY(made_name(&w->names, "", "numbers_scaled", &scaled));
    GM_TRY(assemble(w, &filled, side_by_side));
    GM_TRY(stage(w, "StandardScaler", &params));
    GM_TRY(put_str(w->cx, w->a, params, "inputCol", side_by_side));
    GM_TRY(put_str(w->cx, w->a, params, "outputCol", scaled));
    GM_TRY(put_true(w->cx, w->a, params, "withMean"));
    return push(w->cx, w->a, &w->parts, scaled);
}

static gm_code flags(writer *w)
{
    list filled;
    gm_doc *params;
    if (w->flags.n == 0) return GM_OK;
    GM_TRY(list_stage(w, "Imputer", &w->flags, &w->flags, "filled", &filled, &params));
    GM_TRY(put_str(w->cx, w->a, params, "strategy", "mode"));
    for (int64_t i = 0; i < filled.n; i++) GM_TRY(push(w->cx, w->a, &w->parts, filled.v[i]));
    return GM_OK;
}

static gm_code categories(writer *w)
{
    list index, vector;
    gm_doc *params;
    if (w->categories.n == 0) return GM_OK;
    GM_TRY(list_stage(w, "StringIndexer", &w->categories, &w->categories, "index", &index, &params));
    GM_TRY(put_str(w->cx, w->a, params, "handleInvalid", "keep"));
    GM_TRY(list_stage(w, "OneHotEncoder", &index, &w->categories, "vector", &vector, &params));
    for (int64_t i = 0; i < vector.n; i++) GM_TRY(push(w->cx, w->a, &w->parts, vector.v[i]));
    return GM_OK;
}

static gm_code words(writer *w, const char *column)
{
    static const char *const names[] = {"RegexTokenizer", "HashingTF", "IDF"}, *const suffix[] = {"words",
                                                                                                  "counts",
                                                                                                  "weights"};
    const char *in = column, *out = NULL;
    for (int k = 0; k < 3; k++, in = out) {
        gm_doc *params;
        GM_TRY(made_name(&w->names, column, suffix[k], &out));
        GM_TRY(stage(w, names[k], &params));
        GM_TRY(put_str(w->cx, w->a, params, "inputCol", in));
        GM_TRY(put_str(w->cx, w->a, params, "outputCol", out));
        if (k == 0) GM_TRY(put_str(w->cx, w->a, params, "pattern", "\\W+"));
        if (k == 1) GM_TRY(put_int(w->cx, w->a, params, "numFeatures", 4096));
    }
    return push(w->cx, w->a, &w->parts, out);
}

/* What the learner makes has other names than its own where the table has columns of these. */
static gm_code output_names(writer *w, gm_doc *params, const char *learner)
{
    static const char *const outputs[] = {"prediction", "rawPrediction", "probability"};
    const gm_stage *s = gm_stage_find(learner);
    for (int64_t i = 0; s && i < GM_COUNT(outputs); i++) {
        const char *made, *param;
        GM_GOT(w->cx, param = gm_format(w->cx, w->a, "%sCol", outputs[i]));
        if (gm_param_find(s->params, param) < 0) continue;
        GM_TRY(made_name(&w->names, "", outputs[i], &made));
        if (strcmp(made, outputs[i]) != 0) GM_TRY(put_str(w->cx, w->a, params, param, made));
    }
    return GM_OK;
}

static gm_code learner_stage(writer *w, const gm_auto_plan *p, const char *learner)
{
    const char *label = p->column[p->label].name, *features;
    gm_doc *params;
    if (w->parts.n == 0 && w->vectors.n == 1) {
        features = w->vectors.v[0];
    } else {
        for (int64_t i = 0; i < w->vectors.n; i++) GM_TRY(push(w->cx, w->a, &w->parts, w->vectors.v[i]));
        GM_TRY(made_name(&w->names, "", "features", &features));
        GM_TRY(assemble(w, &w->parts, features));
    }
    if (learner == NULL) learner = p->task == GM_TASK_REGRESSION ? "LinearRegression" : "LogisticRegression";
    GM_TRY(stage(w, learner, &params));
    GM_TRY(put_str(w->cx, w->a, params, "featuresCol", features));
    GM_TRY(put_str(w->cx, w->a, params, "labelCol", label));
    GM_TRY(output_names(w, params, learner));
    return put_real(w->cx, w->a, params, "regParam", 1e-4);
}

static gm_code sort_columns(writer *w, const gm_auto_plan *p)
{
    for (int64_t i = 0; i < p->n; i++) {
        const gm_auto_column *c = &p->column[i];
        list *to = c->use == GM_USE_NUMBER     ? &w->numbers
                   : c->use == GM_USE_FLAG     ? &w->flags
                   : c->use == GM_USE_CATEGORY ? &w->categories
                   : c->use == GM_USE_WORDS    ? &w->words
                   : c->use == GM_USE_VECTOR   ? &w->vectors
                                               : NULL;
        if (to && !has_infinite(c)) GM_TRY(push(w->cx, w->a, to, c->name));
    }
    return GM_OK;
}

gm_code gm_auto_pipeline(gm_cx *cx, gm_arena *a, const gm_auto_plan *p, const char *learner, double test,
                         int64_t seed, gm_buf *yaml)
{
    gm_doc root = {.kind = GM_D_MAP, .origin = "auto"}, stages = {.kind = GM_D_LIST, .origin = "auto"};
    writer w = {.cx = cx, .a = a, .names = {.cx = cx, .a = a}, .stages = &stages};
    bool fresh;
    GM_TRY(gm_dict_new(cx, a, &w.names.taken));
    for (int64_t i = 0; i < p->n; i++) GM_TRY(take(&w.names, p->column[i].name, &fresh));
    GM_TRY(sort_columns(&w, p));
    GM_TRY(in_sql(&w, p));
    GM_TRY(numbers(&w));
    GM_TRY(flags(&w));
    GM_TRY(categories(&w));
    for (int64_t i = 0; i < w.words.n; i++) GM_TRY(words(&w, w.words.v[i]));
    GM_TRY(learner_stage(&w, p, learner));

    GM_TRY(put_str(cx, a, &root, "name", p->column[p->label].name));
    if (test > 0) {
        gm_doc *split = child(cx, a, &root, "split", GM_D_MAP);
        GM_GOT(cx, split);
        GM_TRY(put_real(cx, a, split, "test", test));
        GM_TRY(put_int(cx, a, split, "seed", seed));
    }
    GM_TRY(put_str(cx, a, &root, "missingLabel", "skip"));
    stages.key = "stages";
    gm_doc *at = child(cx, a, &root, "stages", GM_D_LIST);
    GM_GOT(cx, at);
    *at = stages;
    gm_doc_write_yaml(yaml, &root, 0);
    return gm_buf_done(yaml);
}

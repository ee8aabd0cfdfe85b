/* SPDX-License-Identifier: Apache-2.0 */
/*
 * string_indexer.c - texts to indices 0, 1, 2, ... by frequency or by alphabet; several columns at once.
 *
 * On a column in dictionary form apply is one table look-up a row: the table (index per dictionary code) is
 * made once and kept with the dictionary.
 */
#include "feature/columns.h"
#include "feature/count.h"
#include <math.h>
#include <stdlib.h>

typedef enum order { FREQUENCY_DESC, FREQUENCY_ASC, ALPHABET_DESC, ALPHABET_ASC } order;
static const char *const orders[] = {"frequencyDesc", "frequencyAsc", "alphabetDesc", "alphabetAsc", NULL};

typedef struct params {
    GM_MANY_FIELDS;
    int stringOrderType, handleInvalid;
} params;
typedef struct state {
    gm_texts labels; /* of all columns, one after another */
    int64_t *start;  /* column k: labels start[k] .. start[k+1] */
    int64_t n_start;
    struct index {
        gm_dict *dict; /* code = index */
    } * index;         /* per column; made by ready */
} state;

static const gm_param table[] = {
    GM_MANY_ROWS(params, GM_T_TEXT, GM_T_REAL),
    {GM_ENUM(params, stringOrderType, FREQUENCY_DESC, orders),
     .help = "which label gets index 0; equal frequencies are ordered by alphabet"},
    {GM_ENUM(params, handleInvalid, GM_INVALID_ERROR, gm_invalid_words),
     .help = "a value not seen in fit, or NULL: error; skip drops the row; keep gives one more index"},
    {0},
};
static const gm_state arrays[] = {
    GM_S_TEXTS(state, labels, "the text of each index, column after column"),
    GM_S_INTS(state, start, n_start, "where each column's labels start"),
    {0},
};

static gm_code begin(gm_cx *cx, gm_arena *a, const gm_node *node, void **acc)
{
    return gm_begin_each(cx, a, node, sizeof(gm_counts), acc);
}

static gm_code update(gm_cx *cx, gm_arena *a, const gm_node *node, void *acc, int64_t rows,
                      const gm_column *in)
{
    for (int k = 0; k < node->n_out; k++) GM_TRY(gm_counts_add(cx, a, (gm_counts *)acc + k, &in[k], rows));
    return GM_OK;
}

static gm_code merge(gm_cx *cx, gm_arena *a, const gm_node *node, void *into, void *from)
{
    for (int k = 0; k < node->n_out; k++)
        GM_TRY(gm_counts_merge(cx, a, (gm_counts *)into + k, (gm_counts *)from + k));
    return GM_OK;
}

static int rising(int64_t a, int64_t b) { return (a > b) - (a < b); }
static int by_frequency_desc(const void *a, const void *b)
{
    const gm_counted *x = a, *y = b;
    int c = rising(y->n, x->n);
    return c ? c : gm_text_compare(&x->text, &y->text);
}
static int by_frequency_asc(const void *a, const void *b)
{
    const gm_counted *x = a, *y = b;
    int c = rising(x->n, y->n);
    return c ? c : gm_text_compare(&x->text, &y->text);
}
static int by_alphabet_desc(const void *a, const void *b)
{
    return gm_text_compare(&((const gm_counted *)b)->text, &((const gm_counted *)a)->text);
}

typedef struct listing {
    gm_counted *v;
    int64_t n;
} listing;

static gm_code ordered(gm_cx *cx, gm_arena *tmp, const params *p, const gm_counts *c, listing *list)
{
    static int (*const compare[])(const void *, const void *) = {by_frequency_desc, by_frequency_asc,
                                                                 by_alphabet_desc, NULL};
    GM_TRY(gm_counts_list(cx, tmp, c, &list->v, &list->n));
    if (compare[p->stringOrderType] && list->n > 1)
        qsort(list->v, (size_t)list->n, sizeof *list->v, compare[p->stringOrderType]);
    return GM_OK;
}

static gm_code collect(gm_cx *cx, gm_arena *kept, gm_arena *tmp, const gm_node *node, const gm_counts *acc,
                       state *s)
{
    listing *list;
    gm_text *all;
    GM_NEW_IN(cx, tmp, list, node->n_out);
    s->n_start = node->n_out + 1;
    GM_NEW_IN(cx, kept, s->start, s->n_start);
    for (int k = 0; k < node->n_out; k++) {
        GM_TRY(ordered(cx, tmp, node->params, &acc[k], &list[k]));
        s->start[k + 1] = s->start[k] + list[k].n;
    }
    GM_NEW_IN(cx, tmp, all, s->start[node->n_out]);
    for (int k = 0; k < node->n_out; k++)
        for (int64_t i = 0; i < list[k].n; i++) all[s->start[k] + i] = list[k].v[i].text;
    return gm_texts_pack(cx, kept, all, s->start[node->n_out], &s->labels);
}

static gm_code finish(gm_cx *cx, gm_arena *kept, const gm_node *node, void *acc, void *state_)
{
    gm_arena tmp = {0};
    gm_code code = collect(cx, kept, &tmp, node, acc, state_);
    gm_arena_end(&tmp);
    return code;
}

static gm_texts labels_of(const state *s, int k)
{
    return (gm_texts){
        .n = s->start[k + 1] - s->start[k], .off = s->labels.off + s->start[k], .bytes = s->labels.bytes};
}

static gm_code describe(gm_cx *cx, gm_arena *a, const gm_node *node, gm_attr *out)
{
    (void)cx, (void)a;
    const params *p = node->params;
    for (int k = 0; k < node->n_out; k++) {
        out[k] = gm_attr_of(GM_T_REAL, 1);
        out[k].levels = labels_of(node->state, k);
        out[k].keeps_invalid = p->handleInvalid == GM_INVALID_KEEP;
        out[k].origin = gm_in_name(node, k);
    }
    return GM_OK;
}

static gm_code ready(gm_cx *cx, gm_arena *kept, const gm_node *node)
{
    state *s = node->state;
    GM_NEW_IN(cx, kept, s->index, node->n_out);
    for (int k = 0; k < node->n_out; k++) {
        gm_texts labels = labels_of(s, k);
        GM_TRY(gm_index_of(cx, kept, node, &labels, &s->index[k].dict));
    }
    return GM_OK;
}

/* What an unseen value becomes: the extra index, or NaN until handleInvalid is looked at. */
static double unseen(const gm_node *node, int k)
{
    const state *s = node->state;
    const params *p = node->params;
    return p->handleInvalid == GM_INVALID_KEEP ? (double)labels_of(s, k).n : (double)NAN;
}

typedef struct lookup {
    const gm_dict *index;
    double unseen;
} lookup;

static gm_code fill_table(gm_cx *cx, void *arg, const gm_text *keys, int64_t n, void *out)
{
    (void)cx;
    const lookup *l = arg;
    for (int64_t i = 0; i < n; i++) {
        uint32_t c = gm_dict_find(l->index, &keys[i]);
        ((double *)out)[i] = c == GM_CODE_MISSING ? l->unseen : c;
    }
    return GM_OK;
}

static gm_code look_up(gm_apply *ap, int k, double *out)
{
    const state *s = ap->node->state;
    const gm_column *in = &ap->in[k];
    lookup l = {s->index[k].dict, unseen(ap->node, k)};
    if (in->text) {
        for (int64_t i = 0; i < ap->rows; i++) {
            uint32_t c =
                gm_text_missing(&in->text[i]) ? GM_CODE_MISSING : gm_dict_find(l.index, &in->text[i]);
            out[i] = c == GM_CODE_MISSING ? l.unseen : c;
        }
        return GM_OK;
    }
    const void *memo;
    GM_TRY(gm_dict_memo(ap->cx, in->dict, s, k, sizeof(double), fill_table, &l, &memo));
    const double *of = memo;
    for (int64_t i = 0; i < ap->rows; i++)
        out[i] = in->code[i] == GM_CODE_MISSING ? l.unseen : of[in->code[i]];
    return GM_OK;
}

static gm_code fail_unseen(gm_apply *ap, int k, int64_t i)
{
    gm_text t = gm_column_text(&ap->in[k], i);
    const char *column = gm_in_name(ap->node, k);
    gm_code code =
        gm_text_missing(&t)
            ? gm_fail(ap->cx, GM_EDATA, "StringIndexer: column '%s' is NULL; NULL has no index", column)
            : gm_fail(ap->cx, GM_EDATA, "StringIndexer: column '%s': value %s was not seen in fit", column,
                      gm_show_text(ap->cx, ap->a, t));
    return gm_hint_add(ap->cx, code,
                       "handleInvalid: keep gives such values an index of their own, skip drops the rows");
}

/* Counts the values that have no index, and drops their rows or fails. */
static gm_code settle_invalid(gm_apply *ap, int k, const double *out)
{
    const params *p = ap->node->params;
    double extra = unseen(ap->node, k);
    int64_t invalid = 0;
    for (int64_t i = 0; i < ap->rows; i++) invalid += (out[i] != out[i]) | (out[i] == extra);
    ap->tally[k].invalid += invalid;
    if (invalid == 0 || p->handleInvalid == GM_INVALID_KEEP) return GM_OK;
    for (int64_t i = 0; i < ap->rows; i++) {
        if (out[i] == out[i]) continue;
        if (p->handleInvalid == GM_INVALID_ERROR) return fail_unseen(ap, k, i);
        gm_drop_row(ap, i);
    }
    return GM_OK;
}

static gm_code apply(gm_apply *ap)
{
    for (int k = 0; k < ap->node->n_out; k++) {
        double *out;
        GM_GOT(ap->cx, out = gm_out_real(ap, k));
        GM_TRY(look_up(ap, k, out));
        GM_TRY(settle_invalid(ap, k, out));
    }
    return GM_OK;
}

static gm_code verify(gm_cx *cx, const gm_node *node)
{
    const state *s = node->state;
    return gm_verify_start(cx, node, "start", s->start, s->n_start, node->n_out, s->labels.n);
}

const gm_stage gm_stage_string_indexer = {
    .name = "StringIndexer",
    .summary = "Turns texts into indices 0, 1, 2, ... by frequency or alphabet.",
    .doc = "fit lists the distinct values of each column; the index of a value is its place in that "
           "list. frequencyDesc (default) gives the most frequent value index 0; equal frequencies are "
           "ordered by their UTF-8 bytes, so the result never depends on the order of rows.\n\n"
           "NULL is never a label. In transform NULL and values not seen in fit follow handleInvalid: "
           "error names the column and the value; skip drops the row; keep gives them index n, one past "
           "the labels. How many there were is in the report. The empty text, the word null and NULL are "
           "three different things.\n\n"
           "Numbers are read as text as the database prints them, so ids of any length stay exact. "
           "Columns in dictionary form cost one table look-up per row.\n\n"
           "Differs from Spark: skipped rows are counted.",
    .kind = GM_ESTIMATOR,
    .params = table,
    .param_size = sizeof(params),
    .states = arrays,
    .state_size = sizeof(state),
    .describe = describe,
    .begin = begin,
    .update = update,
    .merge = merge,
    .finish = finish,
    .ready = ready,
    .apply = apply,
    .verify = verify,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feature_hasher.c - columns of numbers and texts into one sparse vector by hashing (Weinberger et al., ICML
 * 2009).
 */
#include "feature/columns.h"
#include "feature/entries.h"
#include "feature/murmur3.h"
#include <math.h>

typedef struct params {
    gm_names inputCols, categoricalCols;
    const char *outputCol;
    int64_t numFeatures;
} params;

static const gm_param table[] = {
    {GM_STRINGS(params, inputCols), .role = GM_READS, .column = GM_T_REAL | GM_T_TEXT, .required = true,
     .help = "the columns to hash"},
    {GM_STRINGS(params, categoricalCols), .role = GM_READS, .column = GM_T_TEXT,
     .help = "those of inputCols whose numbers are categories, read as text"},
    {GM_STRING(params, outputCol, "features"), .role = GM_WRITES, .column = GM_T_VECTOR,
     .help = "the vector column to write"},
    {GM_INT(params, numFeatures, 262144), .min = 1, .max = INT32_MAX, .tune = {GM_LOG, 1024, 1048576},
     .help = "elements of the vector; a power of two spreads best"},
    {0},
};

static bool among(const gm_names *names, const char *s)
{
    for (int64_t i = 0; i < names->n; i++)
        if (strcmp(names->v[i], s) == 0) return true;
    return false;
}

static gm_code check(gm_cx *cx, const gm_node *node)
{
    const params *p = node->params;
    for (int64_t i = 0; i < p->categoricalCols.n; i++)
        if (!among(&p->inputCols, p->categoricalCols.v[i]))
            return gm_fail(cx, GM_EPARAM,
                           "FeatureHasher: categoricalCols names '%s', which is not in inputCols",
                           p->categoricalCols.v[i]);
    return GM_OK;
}

static gm_code describe(gm_cx *cx, gm_arena *a, const gm_node *node, gm_attr *out)
{
    (void)cx, (void)a;
    out[0] = gm_attr_of(GM_T_VECTOR, ((const params *)node->params)->numFeatures);
    return GM_OK;
}

/* The element of "column=value". */
static gm_code hash_text(gm_cx *cx, gm_buf *b, const char *column, const gm_text *t, int64_t width,
                         uint32_t *out)
{
    (void)cx;
    b->len = 0;
    gm_buf_str(b, column);
    gm_buf_add(b, "=", 1);
    gm_buf_add(b, gm_text_ptr(t), t->len);
    GM_TRY(gm_buf_done(b));
    *out = gm_hash_index(b->p, b->len, width);
    return GM_OK;
}

typedef struct hashing {
    const char *column;
    int64_t width;
} hashing;

static gm_code hash_keys(gm_cx *cx, void *arg, const gm_text *keys, int64_t n, void *out)
{
    const hashing *h = arg;
    gm_arena tmp = {0};
    gm_buf b = gm_buf_in(cx, &tmp);
    gm_code code = GM_OK;
    for (int64_t i = 0; i < n && code == GM_OK; i++)
        code = hash_text(cx, &b, h->column, &keys[i], h->width, (uint32_t *)out + i);
    gm_arena_end(&tmp);
    return code;
}

/* The element of each row of input k; UINT32_MAX for a missing value. */
static gm_code indices_of(gm_apply *ap, int k, uint32_t *out)
{
    const params *p = ap->node->params;
    const gm_column *in = &ap->in[k];
    const char *column = gm_in_name(ap->node, k);
    if (in->type == GM_T_REAL) {
        uint32_t at = gm_hash_index(column, strlen(column), p->numFeatures);
        for (int64_t i = 0; i < ap->rows; i++) out[i] = in->real[i] == in->real[i] ? at : UINT32_MAX;
        return GM_OK;
    }
    if (in->code) {
        hashing h = {column, p->numFeatures};
        const void *memo;
        GM_TRY(gm_dict_memo(ap->cx, in->dict, ap->node, k, sizeof(uint32_t), hash_keys, &h, &memo));
        for (int64_t i = 0; i < ap->rows; i++)
            out[i] = in->code[i] == GM_CODE_MISSING ? UINT32_MAX : ((const uint32_t *)memo)[in->code[i]];
        return GM_OK;
    }
    gm_buf b = gm_buf_in(ap->cx, ap->a);
    for (int64_t i = 0; i < ap->rows; i++) {
        out[i] = UINT32_MAX;
        if (!gm_text_missing(&in->text[i]))
            GM_TRY(hash_text(ap->cx, &b, column, &in->text[i], p->numFeatures, &out[i]));
    }
    return GM_OK;
}

static gm_code apply(gm_apply *ap)
{
    const params *p = ap->node->params;
    int n_in = ap->node->n_in, n_used = 0;
    struct used {
        const gm_column *in;
        uint32_t *at;
    } * used;
    GM_NEW_IN(ap->cx, ap->a, used, n_in);
    for (int k = 0; k < n_in; k++) {
        /* A column of categoricalCols arrives twice; only as text it counts. */
        if (k < p->inputCols.n && among(&p->categoricalCols, gm_in_name(ap->node, k))) continue;
        used[n_used].in = &ap->in[k];
        GM_NEW_IN(ap->cx, ap->a, used[n_used].at, ap->rows);
        GM_TRY(indices_of(ap, k, used[n_used++].at));
    }
    gm_entries s;
    GM_TRY(gm_entries_begin(&s, ap, ap->rows * n_used));
    for (int64_t i = 0; i < ap->rows; i++) {
        for (int u = 0; u < n_used; u++) {
            uint32_t at = used[u].at[i];
            const gm_column *in = used[u].in;
            if (at != UINT32_MAX) GM_TRY(gm_entries_add(&s, at, in->type == GM_T_REAL ? in->real[i] : 1));
        }
        gm_entries_end_row(&s, -INFINITY, false);
    }
    return gm_entries_close(&s, 0, p->numFeatures);
}

const gm_stage gm_stage_feature_hasher = {
    .name = "FeatureHasher",
    .summary = "Hashes number and text columns into one sparse vector of fixed width.",
    .doc = "A number column adds its value to the element that its name hashes to. A text column, or a "
           "number column in categoricalCols, adds 1 to the element that \"column=value\" hashes to. "
           "Missing values add nothing. Values that meet in one element are added up.\n\n"
           "The hash is MurmurHash3 x86_32 with seed 42, the index its value modulo numFeatures: the "
           "same elements as in Spark 3. No table of values is kept, so nothing is learnt and unseen "
           "values need no rule; the price is that elements have no names (Weinberger et al., ICML "
           "2009).\n\n"
           "Differs from Spark: a boolean column is a number (0 or 1) unless it is in categoricalCols, "
           "where it gives \"column=true\" as in Spark. outputCol is features when not given.",
    .kind = GM_TRANSFORMER,
    .params = table,
    .param_size = sizeof(params),
    .check = check,
    .describe = describe,
    .apply = apply,
};

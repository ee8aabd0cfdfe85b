/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector_assembler.c - columns side by side in one vector. Nothing is copied: a number column is a dense part
 * of width 1, the parts of vector columns are taken over.
 */
#include "feature/columns.h"

typedef struct params {
    gm_names inputCols;
    const char *outputCol;
    int handleInvalid;
} params;

static const gm_param table[] = {
    {GM_STRINGS(params, inputCols), .role = GM_READS, .column = GM_T_REAL | GM_T_VECTOR, .required = true,
     .help = "the columns to put side by side, in this order"},
    {GM_STRING(params, outputCol, "features"), .role = GM_WRITES, .column = GM_T_VECTOR,
     .help = "the vector column to write"},
    {GM_ENUM(params, handleInvalid, GM_INVALID_ERROR, gm_invalid_words),
     .help = "a missing number: error names its column; skip drops the row; keep lets NaN through"},
    {0},
};

static int64_t width_of(const gm_node *node, int k)
{
    return node->in_attr[k].type == GM_T_VECTOR ? node->in_attr[k].width : 1;
}

/* Names are worth making when any input has them: hashed features have none, and there are many. */
static bool named(const gm_node *node)
{
    for (int k = 0; k < node->n_in; k++)
        if (node->in_attr[k].type != GM_T_VECTOR || node->in_attr[k].names.n > 0) return true;
    return false;
}

static gm_code describe(gm_cx *cx, gm_arena *a, const gm_node *node, gm_attr *out)
{
    int64_t width = 0, dropped = 0;
    for (int k = 0; k < node->n_in; k++) {
        width += width_of(node, k);
        dropped += node->in_attr[k].dropped.n;
    }
    out[0] = gm_attr_of(GM_T_VECTOR, width);
    if (!named(node)) return GM_OK;
    const char **name, **left_out;
    GM_NEW_IN(cx, a, name, width);
    GM_NEW_IN(cx, a, left_out, dropped);
    out[0].names = (gm_names){width, name};
    out[0].dropped = (gm_names){dropped, left_out};
    for (int k = 0; k < node->n_in; k++) {
        const gm_attr *in = &node->in_attr[k];
        for (int64_t j = 0; j < width_of(node, k); j++)
            GM_GOT(cx, *name++ = in->type == GM_T_VECTOR ? gm_element_name(cx, a, in, gm_in_name(node, k), j)
                                                         : gm_in_name(node, k));
        for (int64_t j = 0; j < in->dropped.n; j++) *left_out++ = in->dropped.v[j];
    }
    return GM_OK;
}

static bool any_missing(const double *x, int64_t n)
{
    int64_t missing = 0;
    for (int64_t i = 0; i < n; i++) missing += x[i] != x[i];
    return missing > 0;
}

/* Flags the rows of input k that hold NaN; false when there are none. */
static bool find_missing(const gm_column *c, int64_t rows, uint8_t *flag)
{
    if (c->type == GM_T_REAL) {
        if (!any_missing(c->real, rows)) return false;
        for (int64_t i = 0; i < rows; i++) flag[i] = c->real[i] != c->real[i];
        return true;
    }
    bool found = false;
    for (int k = 0; k < c->n_parts; k++) {
        const gm_part *p = &c->part[k];
        for (int64_t j = 0; p->form == GM_DENSE && j < p->width; j++) {
            const double *x = p->x + j * p->stride;
            if (!any_missing(x, rows)) continue;
            found = true;
            for (int64_t i = 0; i < rows; i++) flag[i] |= x[i] != x[i];
        }
        for (int64_t i = 0; p->form == GM_SPARSE && p->val && i < rows; i++)
            for (int64_t e = p->off[i]; e < p->off[i + 1]; e++)
                if (p->val[e] != p->val[e]) flag[i] = 1, found = true;
    }
    return found;
}

static gm_code settle_invalid(gm_apply *ap, int k, const uint8_t *flag)
{
    const params *p = ap->node->params;
    for (int64_t i = 0; i < ap->rows; i++) {
        if (!flag[i]) continue;
        ap->tally[k].invalid++;
        if (p->handleInvalid == GM_INVALID_SKIP) gm_drop_row(ap, i);
        if (p->handleInvalid == GM_INVALID_ERROR)
            return gm_hint_add(
                ap->cx,
                gm_fail(ap->cx, GM_EDATA, "VectorAssembler: column '%s' has a missing value",
                        gm_in_name(ap->node, k)),
                "put an Imputer before; or handleInvalid: skip drops such rows, keep lets NaN through");
    }
    return GM_OK;
}

static gm_code apply(gm_apply *ap)
{
    int n_parts = 0;
    int64_t width = 0;
    for (int k = 0; k < ap->node->n_in; k++) {
        n_parts += ap->in[k].type == GM_T_VECTOR ? ap->in[k].n_parts : 1;
        width += ap->in[k].type == GM_T_VECTOR ? ap->in[k].width : 1;
    }
    gm_part *part;
    uint8_t *flag;
    GM_GOT(ap->cx, part = gm_out_parts(ap, 0, n_parts, width));
    GM_NEW_IN(ap->cx, ap->a, flag, ap->rows);
    for (int k = 0; k < ap->node->n_in; k++) {
        const gm_column *in = &ap->in[k];
        if (in->type == GM_T_VECTOR)
            for (int i = 0; i < in->n_parts; i++) *part++ = in->part[i];
        else *part++ = (gm_part){.form = GM_DENSE, .width = 1, .x = in->real, .stride = ap->rows};
        if (!find_missing(in, ap->rows, flag)) continue;
        GM_TRY(settle_invalid(ap, k, flag));
        memset(flag, 0, (size_t)ap->rows);
    }
    return GM_OK;
}

const gm_stage gm_stage_vector_assembler = {
    .name = "VectorAssembler",
    .summary = "Puts number and vector columns side by side in one vector column.",
    .doc = "The output holds the inputs' elements in the order of inputCols. Elements are named after "
           "their columns; those of vectors keep their names, or are called column[j]. Nothing is "
           "copied: one-hot parts stay codes, hashed parts stay sparse.\n\n"
           "A missing number (NULL, NaN) is an error that names the column (default), drops the row "
           "(skip), or stays missing (keep). Skipped rows are counted for each column.\n\n"
           "Differs from Spark: outputCol is features when not given, which is what the learners read.",
    .kind = GM_TRANSFORMER,
    .params = table,
    .param_size = sizeof(params),
    .describe = describe,
    .apply = apply,
};

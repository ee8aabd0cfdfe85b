/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pipelines.h - for every stage the smallest pipelines that use it, made from its parameter table: one for
 * each type of column that it reads (vectors dense, of one element, coded and sparse) and for its single- and
 * multi-column form.
 */
#ifndef GM_TESTS_PIPELINES_H
#define GM_TESTS_PIPELINES_H
#include "stage/stage.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What the tables cannot say: options without a default, and inputs that must be small whole numbers. */
typedef struct special {
    const char *stage;
    const char *one, *many; /* options of the two forms */
    const char *real;       /* the columns to read instead of n0, n1 */
} special;
static const special specials[] = {
    {"Bucketizer", "\"splits\": [-1e9, 1, 1e9]", "\"splitsArray\": [[-1e9, 1, 1e9], [-1e9, 0.5, 2, 1e9]]",
     NULL},
    {"IndexToString", "\"labels\": [\"zero\", \"one\", \"two\"]", NULL, "k"},
    {"OneHotEncoder", NULL, NULL, "k"},
    {"TargetEncoder", NULL, NULL, "k"},
    {"SQLTransformer", "\"statement\": \"SELECT *, n0 + 1 AS more FROM __THIS__\"", NULL, NULL},
    {"VectorSlicer", "\"indices\": [0]", NULL, NULL},
    {NULL, NULL, NULL, NULL},
};

typedef enum input_kind {
    IN_REAL,
    IN_TEXT,
    IN_WORDS,
    IN_DENSE,
    IN_NARROW,
    IN_CODED,
    IN_SPARSE,
    IN_KINDS
} input_kind;
static const struct {
    const char *name;
    gm_type type;
} input_kinds[IN_KINDS] = {{"number", GM_T_REAL},  {"text", GM_T_TEXT},     {"words", GM_T_WORDS},
                           {"dense", GM_T_VECTOR}, {"narrow", GM_T_VECTOR}, {"coded", GM_T_VECTOR},
                           {"sparse", GM_T_VECTOR}};

enum { CHAIN = 16, MOST_VARIANTS = 16 };
typedef struct variant {
    const gm_stage *stage; /* the one that is tried: the last of the chain */
    char name[96], json[2048];
    const gm_stage *chain[CHAIN];
    int n;
} variant;

static inline const special *special_of(const gm_stage *s)
{
    const special *x = specials;
    while (x->stage && strcmp(x->stage, s->name) != 0) x++;
    return x;
}

static inline const gm_stage *stage_named(const char *name)
{
    for (int l = 0; l < 2; l++)
        for (const gm_stage *const *s = l ? gm_learners : gm_features; *s; s++)
            if (strcmp((*s)->name, name) == 0) return *s;
    return NULL;
}

static inline void say(variant *v, const char *fmt, ...)
{
    size_t n = strlen(v->json);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(v->json + n, sizeof v->json - n, fmt, ap);
    va_end(ap);
}

static inline void before(variant *v, const char *stage, const char *fmt, ...)
{
    char params[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(params, sizeof params, fmt, ap);
    va_end(ap);
    say(v, "{\"%s\": {%s}}, ", stage, params);
    v->chain[v->n++] = stage_named(stage);
}

/* Adds the stages that make input j of a kind; its name goes to column. */
static inline void prepare(variant *v, input_kind kind, int j, char column[16])
{
    const char *real = special_of(v->stage)->real;
    static const char *const letter[IN_KINDS] = {"n", "t", "w", "d", "e", "c", "s"};
    snprintf(column, 16, "%s%d", kind == IN_REAL && real ? real : letter[kind], j);
    switch (kind) {
    case IN_WORDS: before(v, "Tokenizer", "\"inputCol\": \"t%d\", \"outputCol\": \"%s\"", j, column); break;
    case IN_DENSE:
        before(v, "VectorAssembler", "\"inputCols\": [\"n%d\", \"n2\", \"k0\"], \"outputCol\": \"%s\"", j,
               column);
        break;
    case IN_NARROW:
        before(v, "VectorAssembler", "\"inputCols\": [\"n%d\"], \"outputCol\": \"%s\"", j, column);
        break;
    case IN_CODED:
        before(v, "StringIndexer",
               "\"inputCol\": \"t%d\", \"outputCol\": \"x%d\", \"handleInvalid\": \"keep\"", j, j);
        before(v, "OneHotEncoder", "\"inputCol\": \"x%d\", \"outputCol\": \"o%d\"", j, j);
        before(v, "VectorAssembler", "\"inputCols\": [\"o%d\"], \"outputCol\": \"%s\"", j, column);
        break;
    case IN_SPARSE:
        before(v, "Tokenizer", "\"inputCol\": \"t%d\", \"outputCol\": \"u%d\"", j, j);
        before(v, "HashingTF", "\"inputCol\": \"u%d\", \"outputCol\": \"%s\", \"numFeatures\": 300", j,
               column);
        break;
    default: break;
    }
}

/* The parameter that the data comes in by: inputCol, inputCols or featuresCol; many: the list form. NULL:
 * none. */
static inline const gm_param *input_of(const gm_stage *s, bool many)
{
    for (const gm_param *p = s->params; p->name; p++) {
        bool list = p->type == GM_P_STRINGS;
        if (p->role != GM_READS || strcmp(p->name, "labelCol") == 0 || strcmp(p->name, "weightCol") == 0)
            continue;
        if (list == many && (strncmp(p->name, "input", 5) == 0 || strcmp(p->name, "featuresCol") == 0))
            return p;
    }
    return NULL;
}

static inline void finish_variant(variant *v, const gm_param *in, bool many, input_kind kind,
                                  const char *more)
{
    char column[2][16];
    int n = many ? 2 : in ? 1 : 0;
    snprintf(v->json, sizeof v->json, "{\"stages\": [");
    for (int j = 0; j < n; j++) prepare(v, kind, j, column[j]);
    say(v, "{\"%s\": {", v->stage->name);
    if (in && many) say(v, "\"%s\": [\"%s\", \"%s\"]", in->name, column[0], column[1]);
    else if (in) say(v, "\"%s\": \"%s\"", in->name, column[0]);
    const special *x = special_of(v->stage);
    const char *options = many && x->many ? x->many : x->one;
    if (options) say(v, "%s%s", in ? ", " : "", options);
    if (more) say(v, "%s%s", in || options ? ", " : "", more);
    say(v, "}}]}");
    v->chain[v->n++] = v->stage;
    snprintf(v->name, sizeof v->name, "%s of %s%s", v->stage->name, many ? "two columns of " : "",
             in ? input_kinds[kind].name : "rows");
}

/* All pipelines of one stage; more: further options, or NULL. Returns how many. */
static inline int variants_of(const gm_stage *s, const char *more, variant out[MOST_VARIANTS])
{
    int n = 0;
    if (!input_of(s, false) && !input_of(s, true)) {
        out[n] = (variant){.stage = s};
        finish_variant(&out[n++], NULL, false, IN_REAL, more);
    }
    for (int many = 0; many < 2; many++) {
        const gm_param *in = input_of(s, many);
        for (int k = 0; in && k < IN_KINDS; k++) {
            if (!(in->column & input_kinds[k].type)) continue;
            out[n] = (variant){.stage = s};
            finish_variant(&out[n++], in, many, (input_kind)k, more);
        }
    }
    return n;
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stage.h - what a stage is: a const descriptor with a parameter table, a state table and a few functions. A
 * new stage is one file with one descriptor, and one line in its folder's all.c.
 *
 * The planner (model/) reads the column parameters of the table (role GM_READS / GM_WRITES), resolves them to
 * ports and calls the functions below; a stage never sees column names, files or SQL, only its input columns
 * in table order (the columns of a list parameter one after another) and its output columns the same way.
 */
#ifndef GM_STAGE_STAGE_H
#define GM_STAGE_STAGE_H
#include "base/param.h"
#include "table/column.h"

typedef enum gm_stage_kind {
    GM_TRANSFORMER, /* no state: apply only */
    GM_ESTIMATOR,   /* statistics in one pass: begin, update, merge, finish; then apply */
    GM_CLASSIFIER,  /* a learner on blocks: fit, predict */
    GM_REGRESSOR
} gm_stage_kind;

/* ---- state: a row per array that fit leaves; saving, loading, inspecting and exporting walk it ---- */
typedef enum gm_stype { GM_S_REAL, GM_S_INT, GM_S_TEXT } gm_stype;
typedef struct gm_state {
    const char *name, *help;
    gm_stype type;
    size_t ptr;  /* offset of double *, int64_t * or gm_texts */
    size_t len;  /* offset of the int64_t with the number of elements (unused for GM_S_TEXT) */
    size_t cols; /* offset of an int64_t with the row length of a matrix, or SIZE_MAX: a vector */
} gm_state;
#define GM_S_REALS(S, f, n, h) \
    { \
        .name = #f, .help = h, .type = GM_S_REAL, .ptr = GM_FIELD(S, f, double *), \
        .len = GM_FIELD(S, n, int64_t), .cols = SIZE_MAX \
    }
#define GM_S_MATRIX(S, f, n, c, h) \
    { \
        .name = #f, .help = h, .type = GM_S_REAL, .ptr = GM_FIELD(S, f, double *), \
        .len = GM_FIELD(S, n, int64_t), .cols = GM_FIELD(S, c, int64_t) \
    }
#define GM_S_INTS(S, f, n, h) \
    { \
        .name = #f, .help = h, .type = GM_S_INT, .ptr = GM_FIELD(S, f, int64_t *), \
        .len = GM_FIELD(S, n, int64_t), .cols = SIZE_MAX \
    }
#define GM_S_TEXTS(S, f, h) \
    { \
        .name = #f, .help = h, .type = GM_S_TEXT, .ptr = GM_FIELD(S, f, gm_texts), .len = SIZE_MAX, \
        .cols = SIZE_MAX \
    }

/* ---- what is known of a column once the stages before it are fitted ---- */
typedef struct gm_attr {
    gm_type type;
    int64_t width;      /* VECTOR: number of elements; else 1 */
    gm_names names;     /* VECTOR: a name per element, or n = 0: "column[3]" is made up when needed */
    gm_texts levels;    /* an index column (REAL): the text of each index; n = 0: not nominal */
    bool keeps_invalid; /* an index column with one more index, levels.n, for unseen and missing values */
    const char *origin; /* an index column: the column it was made from, for "carrier=AA"; NULL: itself */
    gm_names dropped;   /* VECTOR: "column=level" of the levels that dropLast left out */
} gm_attr;

typedef struct gm_stage gm_stage;
typedef struct gm_port {
    const char *column;    /* name */
    const gm_param *param; /* the row it comes from */
    gm_type type;          /* READS: the type it arrives in; WRITES: the type made */
} gm_port;

/* Counts that the report shows; updated atomically: how many values of an input were unseen, missing, ... */
typedef struct gm_tally {
    int64_t invalid; /* values that handleInvalid decided about */
} gm_tally;

/* What a learner begins from: a fitted state of the same stage, whose feature at[j] is this one's feature j;
 * the classes are the same. */
typedef struct gm_start {
    const void *state;
    const int64_t *at;
} gm_start;

/* A stage in a pipeline: configured, and once fitted with its state. Const for many threads then. */
typedef struct gm_node {
    const gm_stage *stage;
    const char *uid; /* "StringIndexer_2" */
    void *params;
    uint64_t set; /* bit i: row i of the parameter table was given */
    void *state;  /* NULL before fit */
    int n_in, n_out;
    gm_port *in, *out;
    gm_attr *in_attr, *out_attr; /* NULL before the stages in front are fitted */
    /* A fitted classifier: what its class indices stand for (model/labels.h). */
    const struct gm_labels *labels;
    const gm_start *start; /* of a learner, while it is fitted; NULL: none */
} gm_node;

/* One application to a tile. out[k] is zeroed with its type set; apply fills it, with memory from a. */
typedef struct gm_apply {
    gm_cx *cx;
    gm_arena *a;
    const gm_node *node;
    int64_t rows;
    const gm_column *in;
    gm_column *out;
    uint8_t
        *drop;    /* a flag per row, all 0: 1 drops the row (handleInvalid = skip), its outputs are ignored */
    bool dropped; /* set when any flag was set */
    gm_tally *tally; /* n_in of them */
} gm_apply;

struct gm_dataset;
struct gm_comm;

/* What predict fills for the rows of a block: rows x n_classes (regression: 1), row-major. */
typedef struct gm_prediction {
    double *raw;         /* margins; NULL: not wanted */
    double *probability; /* NULL: not wanted, or the learner gives none */
    double *prediction;  /* class index or value */
} gm_prediction;

struct gm_stage {
    const char *name;    /* Spark's */
    const char *summary; /* one line */
    const char *doc;     /* some paragraphs: method, what differs from Spark, source */
    gm_stage_kind kind;
    const gm_param *params;
    size_t param_size;
    const gm_state *states; /* NULL: none */
    size_t state_size;      /* a transformer may have a state too, without rows: what ready makes */
    bool probabilistic;     /* GM_CLASSIFIER: predict fills probability */

    /* Cross-parameter checks, before any data; may be NULL. Ports are resolved, attributes are not. */
    gm_code (*check)(gm_cx *cx, const gm_node *node);
    /* After fit (or at once for a transformer): width, names and levels of the outputs, from those of the
     * inputs; memory from a. NULL: outputs take their type, and width 1. For learners the planner does it. */
    gm_code (*describe)(gm_cx *cx, gm_arena *a, const gm_node *node, gm_attr *out);

    /* GM_ESTIMATOR. One accumulator per part of the data, merged in part order. Memory from a, which lives
     * until finish. */
    gm_code (*begin)(gm_cx *cx, gm_arena *a, const gm_node *node, void **acc);
    /* With in_attr known: true when finish can follow begin without any rows (a OneHotEncoder after a
     * StringIndexer), so that no pass is needed. NULL: rows are needed. */
    bool (*settled)(const gm_node *node);
    gm_code (*update)(gm_cx *cx, gm_arena *a, const gm_node *node, void *acc, int64_t rows,
                      const gm_column *in);
    gm_code (*merge)(gm_cx *cx, gm_arena *a, const gm_node *node, void *into, void *from);
    /* state points to zeroed state_size bytes; its arrays come from kept. */
    gm_code (*finish)(gm_cx *cx, gm_arena *kept, const gm_node *node, void *acc, void *state);

    /* Builds what describe and apply want beside the state rows (look-up tables), into fields of the state
     * that have no row; memory from kept. Called through gm_node_ready (stage/state.h), before describe, once
     * in_attr is known: after finish, after a load, and for transformers. NULL: nothing to build. */
    gm_code (*ready)(gm_cx *cx, gm_arena *kept, const gm_node *node);

    gm_code (*apply)(gm_apply *ap);

    /* Learners. in_attr[] is known. Labels: class indices 0 .. n_classes-1 for classifiers. */
    gm_code (*fit)(gm_cx *cx, gm_arena *kept, const gm_node *node, const struct gm_dataset *data,
                   struct gm_comm *comm, void *state);
    gm_code (*predict)(gm_cx *cx, const gm_node *node, const gm_block *rows, gm_prediction *out);
    /* A JSON object with what fit found out (iterations, objectiveHistory, converged, standard errors), from
     * state. */
    void (*summarize)(gm_buf *b, const gm_node *node);
    /* Checks a state that came from a file: lengths that belong together, indices in range. GM_EMODEL when
     * wrong. */
    gm_code (*verify)(gm_cx *cx, const gm_node *node);
};

extern const gm_stage *const gm_features[]; /* feature/all.c, NULL-terminated */
extern const gm_stage *const gm_learners[]; /* learn/all.c */

/* The words of handleInvalid, for parameter tables. */
enum { GM_INVALID_ERROR, GM_INVALID_SKIP, GM_INVALID_KEEP };
extern const char *const gm_invalid_words[]; /* "error", "skip", "keep" */
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * auto.h - low code: from a table and the name of its label to a pipeline, and a word for every column.
 *
 * Three steps. One reading of the table measures all columns (auto_profile.c); rules without any data decide
 * from the measures (auto_decide.c), so they are the same for the same table and each can say why; the
 * decisions are written as a pipeline that a user could have written (auto_pipeline.c).
 *
 * The task, from the label: yes/no, two values, or two texts: binary. 3 to 100 texts, or 3 to 20 whole
 * numbers with ten rows each on average: multiclass. Other numbers: regression. A learner that was asked for
 * has the last word between classes and numbers.
 *
 * A column, first rule that holds:
 * - excluded by the user, all missing, one value only, nested or binary: left out;
 * - Spark's struct for vectors, or an array of numbers of one length: the vector as it is. It is not
 * measured. Lists of any length are nested values;
 * - a copy of the label: left out as leakage, unless it is in keep; a number that by itself tells two classes
 * apart without an error: the same with 1,000 rows or more, else kept with a warning;
 * - yes/no: 0 or 1. Dates and timestamps: month, day of week and hour as categories, day of year and day as
 * numbers. Times of day: seconds;
 * - whole numbers that count rows (as many as rows, no gaps), or that are named as an id and mostly differ:
 * an id, left out. Named as an id, but values repeat: category, or left out when they are many;
 * - 3 to 31 whole numbers, 30 rows each on average: category. Other numbers: number;
 * - text of three words or more in most rows, mostly different: words, hashed. Text where most values occur
 * once: an id, left out. Text with at least 5 rows for each value, or at most 50 values: category. Other
 * text: left out.
 */
#ifndef GM_MODEL_AUTO_H
#define GM_MODEL_AUTO_H
#include "source/table.h"

/* options: label (required), learner, test (0.2; 0: no split), seed, exclude and keep (lists of columns). */
gm_code gm_auto(gm_cx *cx, gm_table *t, const gm_doc *options, gm_buf *pipeline_yaml,
                gm_buf *report_json) GM_NODISCARD;

/* ---- measures ---- */
/* Of a column; what does not apply to its class is NAN. Missing is NULL, and NaN in floating columns. */
typedef struct gm_measures {
    double present;      /* values that are not missing */
    double distinct;     /* exact up to GM_DISTINCT_EXACT, then an estimate: 2 % off is usual */
    double infinite;     /* numbers that are */
    double min, max;     /* of numbers, but for infinite ones */
    double whole;        /* 1: all numbers are whole */
    double length;       /* of texts, mean in bytes */
    double wordy;        /* texts with at least three words */
    double equal;        /* rows where it equals the label */
    double corr;         /* with a label of numbers */
    double lo[2], hi[2]; /* its range where the label is 0, and where it is 1 */
} gm_measures;

extern const gm_measures gm_unmeasured; /* all NAN */

typedef enum gm_use {
    GM_USE_OUT,
    GM_USE_LABEL,
    GM_USE_FLAG,
    GM_USE_NUMBER,
    GM_USE_CATEGORY,
    GM_USE_WORDS,
    GM_USE_VECTOR,
    GM_USE_DATE,
    GM_USE_TIMESTAMP
} gm_use;

typedef struct gm_auto_column {
    const char *name, *type;
    gm_class cls;
    gm_measures m;
    bool excluded, keep; /* the user's word */
    gm_use use;          /* decided */
    bool leak;           /* decided: it knows the label */
    const char *why;
} gm_auto_column;

typedef enum gm_task { GM_TASK_BINARY, GM_TASK_MULTICLASS, GM_TASK_REGRESSION } gm_task;
typedef enum gm_learner_wish { GM_WISH_ANY, GM_WISH_CLASSES, GM_WISH_NUMBERS } gm_learner_wish;

typedef struct gm_auto_plan {
    double rows;
    int64_t n, label;     /* columns; which one is the label */
    double label_rows[2]; /* rows where it is 0, where it is 1 */
    gm_learner_wish wish;
    gm_auto_column *column;
    gm_task task;    /* decided */
    const char *why; /* decided: of the task */
} gm_auto_plan;

/* Fills columns and measures; plan->label is set. Texts live as long as t. */
gm_code gm_auto_profile(gm_cx *cx, const gm_table *t, gm_auto_plan *plan) GM_NODISCARD;
/* Fills what is decided; looks at no data. GM_EDATA or GM_ESCHEMA when the label cannot be learned. */
gm_code gm_auto_decide(gm_cx *cx, gm_arena *a, gm_auto_plan *plan) GM_NODISCARD;
/* The pipeline of a decided plan, and what is told about it. learner NULL: the task's own. test 0: no split.
 */
gm_code gm_auto_pipeline(gm_cx *cx, gm_arena *a, const gm_auto_plan *plan, const char *learner, double test,
                         int64_t seed, gm_buf *yaml) GM_NODISCARD;
gm_code gm_auto_report(gm_cx *cx, const gm_auto_plan *plan, gm_buf *json) GM_NODISCARD;
#endif

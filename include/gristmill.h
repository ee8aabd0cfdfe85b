/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gristmill.h - from raw tables to trained, judged, saved and used models.
 *
 * How to read this file. Everything happens inside a context (gm_cx): it holds the options of one session
 * (threads, memory, seed), the embedded database, and the error of the last call. A table (gm_table) is lazy:
 * a file, an Arrow stream or SQL over other tables. A pipeline (gm_pipeline) is a list of stages with their
 * parameters, parsed from YAML or JSON. Fitting a pipeline on a table gives a model (gm_model); a model
 * transforms tables, is saved to one file and loaded again.
 *
 *     gm_cx *cx;
 *     gm_open("{\"threads\": 2}", &cx);
 *     gm_table_open(cx, "{\"path\": \"flights.parquet\"}", &table);
 *     gm_pipeline_parse(cx, yaml, "pipeline.yaml", NULL, 0, &pipeline);
 *     gm_fit(cx, pipeline, table, NULL, &model);
 *     gm_model_save(cx, model, "late.gm");
 *
 * Conventions.
 * - Functions that can fail return gm_code; GM_OK is 0. gm_message(cx) then says what was found, what was
 *   expected and what to do. Out parameters are set only on GM_OK, unless said otherwise.
 * - Options are JSON objects; NULL means {}. An unknown key is an error that names the nearest key.
 * - Data crosses as Arrow (the C data and stream interfaces), without a copy through other formats.
 * - char ** results are NUL-terminated UTF-8 owned by the caller: release them with gm_free.
 * - Handles are opaque and released by their own _free; NULL is fine. A handle keeps what it needs alive, so
 *   handles may be freed in any order, also after the context they came from.
 * - Threads: a context serves one call at a time; gm_fork gives another context of the same session. Tables,
 *   pipelines and models are immutable once returned: any number of threads may use them, each with its own
 *   context. gm_cancel may be called from any thread, and from a signal handler.
 * - The library prints nothing, never exits, never aborts, installs no signal handler.
 */
#ifndef GRISTMILL_H
#define GRISTMILL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define GM_API __attribute__((visibility("default")))
#else
#define GM_API
#endif

/*
 * Results. One row per code: name, value, text, exit status of the command, HTTP status, Python exception.
 * Values never change; new ones are added at the end.
 */
#define GM_CODES(X) \
    X(GM_OK, 0, "fine", 0, 200, "") \
    X(GM_EUSAGE, 1, "wrong usage", 2, 400, "UsageError") \
    X(GM_EPARAM, 2, "bad parameter", 2, 400, "ParamError") \
    X(GM_ESTAGE, 3, "unknown stage", 2, 400, "StageError") \
    X(GM_ESYNTAX, 4, "document does not parse", 2, 400, "SyntaxError") \
    X(GM_ENOENT, 5, "no such file", 3, 404, "NotFoundError") \
    X(GM_EFORMAT, 6, "not a readable table", 4, 400, "FormatError") \
    X(GM_ESCHEMA, 7, "columns do not fit", 4, 400, "SchemaError") \
    X(GM_EDATA, 8, "unusable values", 4, 400, "DataError") \
    X(GM_ESQL, 9, "SQL error", 4, 400, "SqlError") \
    X(GM_EMODEL, 10, "damaged model file", 5, 400, "ModelError") \
    X(GM_EVERSION, 11, "model of another version", 5, 400, "VersionError") \
    X(GM_EIO, 12, "input or output failed", 6, 500, "FileError") \
    X(GM_ENOMEM, 13, "out of memory", 7, 503, "OutOfMemoryError") \
    X(GM_ELIMIT, 14, "over the memory limit", 7, 503, "MemoryLimitError") \
    X(GM_ELIBRARY, 15, "a needed library is missing", 8, 500, "LibraryError") \
    X(GM_ECANCEL, 16, "cancelled", 130, 499, "CancelledError") \
    X(GM_EINTERNAL, 17, "internal error, please report it", 70, 500, "InternalError")

typedef enum gm_code {
#define GM_CODE_ENUM(name, value, text, exit_status, http, exception) name = value,
    GM_CODES(GM_CODE_ENUM)
#undef GM_CODE_ENUM
} gm_code;

typedef struct gm_cx gm_cx;
typedef struct gm_table gm_table;
typedef struct gm_pipeline gm_pipeline;
typedef struct gm_model gm_model;
struct ArrowSchema;
struct ArrowArray;
struct ArrowArrayStream;

/* ---- Library ------------------------------------------------------------------------------------------ */

/* "0.1.0". Never fails, loads nothing. */
GM_API const char *gm_version(void);

/* Releases a char * or void * that a function below returned through an out parameter. NULL is fine. */
GM_API void gm_free(void *p);

/* The fixed facts of a code: its name ("GM_EPARAM"), text, exit status, HTTP status, Python exception. */
GM_API const char *gm_code_name(gm_code code);
GM_API const char *gm_code_text(gm_code code);
GM_API int gm_code_exit_status(gm_code code);
GM_API const char *gm_code_exception(gm_code code);

/* ---- Context ------------------------------------------------------------------------------------------ */

/*
 * Opens a session and its first context. Options: threads (default: the cores this process may use), memory
 * ("2GB" or bytes; default 80 % of what the cgroup allows), seed (default 0), spill (folder for data that do
 * not fit; default $TMPDIR), locked (true: SQL may read only the files named by gm_table_open; default
 * false). *out is set also on failure, so that gm_message can be read, and must be closed; it is NULL only
 * when there was no memory for it.
 */
GM_API gm_code gm_open(const char *options, gm_cx **out);

/* Another context of the same session, for another thread. Errors, events and cancelling are its own. */
GM_API gm_code gm_fork(gm_cx *cx, gm_cx **out);
GM_API void gm_close(gm_cx *cx);

/* The last error of this context, "" when there was none; valid until the next call with it. */
GM_API const char *gm_message(const gm_cx *cx);
/* What to do about it, "" when there is nothing to add. */
GM_API const char *gm_hint(const gm_cx *cx);

/* Ends the call in progress on cx with GM_ECANCEL soon; a call that begins later is not affected. */
GM_API void gm_cancel(gm_cx *cx);

/*
 * An event: what the library tells while it works. level: 0 progress, 1 information, 2 warning. code is
 * stable ("scan.progress", "fit.iteration", "data.skipped"); text is for people; fields is a JSON object with
 * the same facts for programs. done and total are for progress (total 0: unknown), unit names what is
 * counted. Strings live until the callback returns.
 */
typedef struct gm_event {
    int level;
    const char *code, *text, *fields, *unit;
    double done, total;
} gm_event;

/* Sets the receiver of events; NULL for none. It is called from any thread, one call at a time. */
GM_API gm_code gm_on_event(gm_cx *cx, void (*receive)(void *user, const gm_event *event), void *user);

/* ---- What there is ------------------------------------------------------------------------------------ */

/*
 * The registry as JSON: {"version", "stages": [{"name", "kind": "transformer" | "estimator" | "classifier" |
 * "regressor", "summary", "doc", "params": [{"name", "type": "bool" | "int" | "real" | "string" | "enum" |
 * "strings" | "reals" | "ints" | "any", "default", "min", "max", "choices", "help", "role": "input" |
 * "output" | "option", "search"}], "state": [{"name", "type": "real" | "int" | "text", "help"}]}],
 * "evaluators": [the same shape, with "metrics"], "codes": [...]}. Help, completion, schemas and the Python
 * classes come from it.
 */
GM_API gm_code gm_registry(gm_cx *cx, char **json);

/* JSON Schema of "pipeline", "output" (what --json prints) or a stage's name. */
GM_API gm_code gm_schema(gm_cx *cx, const char *what, char **json);

/* ---- Tables ------------------------------------------------------------------------------------------- */

/*
 * A table from files. source: {"path": "x.csv" (a glob is fine, "-" is standard input), "format": "csv" |
 * "parquet" | "json" | "libsvm" (default: by suffix), and for CSV: "delim", "quote", "escape", "header",
 * "nullstr" (string or list), "encoding", "decimal", "dateformat", "timestampformat", "types" ({"id":
 * "VARCHAR"}), "ragged": "error" | "pad", "bad_rows": "error" | "reject", "skip"; for LIBSVM:
 * "index_base": "auto" | 0 | 1, "num_features", "bad_rows", "encoding"}. The file is looked at, not yet read
 * (LIBSVM: all lines are looked at). An option that the format does not know is GM_EPARAM.
 *
 * Or {"sql": "SELECT ... FROM 'x.csv'", options}: a query, whose CSV and LIBSVM files are read by the
 * options.
 */
GM_API gm_code gm_table_open(gm_cx *cx, const char *source, gm_table **out);

/*
 * A table over an Arrow stream. The stream is moved (its release is taken) and its batches are kept without a
 * copy; they may be released on any thread. name is used in messages.
 */
GM_API gm_code gm_table_arrow(gm_cx *cx, struct ArrowArrayStream *stream, const char *name, gm_table **out);

/* A table that is a SELECT over others, by name: names[i] stands for tables[i] in it. DuckDB's dialect. */
GM_API gm_code gm_table_sql(gm_cx *cx, const char *sql, const char *const *names, gm_table *const *tables,
                            int n, gm_table **out);

/* [{"name": "dep_time", "type": "BIGINT"}, ...] */
GM_API gm_code gm_table_columns(gm_cx *cx, const gm_table *t, char **json);

/* The SQL text that stands for this table, for people; credentials are removed. */
GM_API gm_code gm_table_text(gm_cx *cx, const gm_table *t, char **sql);

/* What reading found: {"rows", "rejects": [{"line", "column", "text", "reason"}], "types": {...}, "notes":
 * [...]}. Complete once the table was read to its end; before that, what is known. */
GM_API gm_code gm_table_report(gm_cx *cx, const gm_table *t, char **json);

/* Runs the query; rows come as an Arrow stream that must be released. Batches outlive the context. */
GM_API gm_code gm_table_export(gm_cx *cx, const gm_table *t, struct ArrowArrayStream *out);

/* Writes rows to a file: options {"format": "csv" | "parquet" | "json"} (default: by suffix; "-" is standard
 * output). Written aside and renamed: on failure nothing is left. *rows may be NULL. */
GM_API gm_code gm_table_write(gm_cx *cx, const gm_table *t, const char *path, const char *options,
                              int64_t *rows);

/* The number of rows, by running the query. */
GM_API gm_code gm_table_count(gm_cx *cx, const gm_table *t, int64_t *rows);

/* Reads the table once and keeps it: level MEMORY_ONLY, MEMORY_AND_DISK, DISK_ONLY or AUTO. */
GM_API gm_code gm_table_persist(gm_cx *cx, const gm_table *t, const char *level, gm_table **out);

/* Cuts a table into n disjoint, complete parts by a hash of each row's content (or of key, a column) and
 * seed; the same rows for any number of threads. weights are scaled to sum 1. out holds n handles. */
GM_API gm_code gm_table_split(gm_cx *cx, const gm_table *t, const double *weights, int n, uint64_t seed,
                              const char *key, gm_table **out);

GM_API void gm_table_free(gm_table *t);

/* ---- Pipelines ---------------------------------------------------------------------------------------- */

/*
 * Parses a pipeline from YAML or JSON text; origin (a file name or "") is used in messages with the line.
 * Keys: name, init, source ({path..., or tables: {name: source}, sql}), split ({test, seed, key}), stages (a
 * list of {StageName: {param: value}}), evaluate (a list of {EvaluatorName: {...}}), model, report, seed.
 * overrides are "a.b=c" texts ("split.test=0.3", "LogisticRegression.regParam=0.1", "stages.2.maxIter=5").
 * Paths in source are relative to the working directory.
 */
GM_API gm_code gm_pipeline_parse(gm_cx *cx, const char *text, const char *origin,
                                 const char *const *overrides, int n, gm_pipeline **out);

/* The low-code pipeline for a table: decides the task from the label, and for each column what to do with it.
 * options: {"label": required, "learner": stage name, "test": 0.2, "seed", "exclude": [columns],
 * "keep": [columns that would be left out as an id or as leakage]}.
 * *report is {"task", "why", "label", "rows", "rows_without_label", "columns": [{"name", "type", "use",
 * "why"}]}. */
GM_API gm_code gm_pipeline_auto(gm_cx *cx, const gm_table *t, const char *options, gm_pipeline **out,
                                char **report);

/* The pipeline as text that parses to the same: form "yaml" or "json"; all parameters resolved when full is
 * not 0. */
GM_API gm_code gm_pipeline_text(gm_cx *cx, const gm_pipeline *p, const char *form, int full, char **text);

/* The table that the pipeline's source describes. Its SQL can read the named files and nothing else. */
GM_API gm_code gm_pipeline_source(gm_cx *cx, const gm_pipeline *p, gm_table **out);

/* The fit plan for a table, as text for people or (form "json") for programs. */
GM_API gm_code gm_explain(gm_cx *cx, const gm_pipeline *p, const gm_table *t, const char *form, char **text);
GM_API void gm_pipeline_free(gm_pipeline *p);

/* ---- Fitting and models ------------------------------------------------------------------------------- */

/*
 * Fits all stages. options: {"persist": level, "decided": what gm_pipeline_auto reported, to be kept with
 * the model}. When the pipeline has a split, the held-out rows are not fitted on and are evaluated; metrics
 * are in gm_model_info.
 */
GM_API gm_code gm_fit(gm_cx *cx, const gm_pipeline *p, const gm_table *t, const char *options,
                      gm_model **out);

/*
 * The same, and the last learner of the pipeline starts from the one of a model: a linear learner descends
 * from its coefficients and intercepts, and arrives where it would from nothing, sooner. Features are matched
 * by name, in any order; other features, other classes or another learner are an error that names the
 * difference. The pipeline's key init names such a model by its file; start goes before it.
 */
GM_API gm_code gm_fit_from(gm_cx *cx, const gm_pipeline *p, const gm_table *t, const char *options,
                           const gm_model *start, gm_model **out);

/* One file, a safetensors container, written aside, synced and renamed. */
GM_API gm_code gm_model_save(gm_cx *cx, const gm_model *m, const char *path);
GM_API gm_code gm_model_load(gm_cx *cx, const char *path, gm_model **out);
/* The same through memory; release *bytes with gm_free. */
GM_API gm_code gm_model_write(gm_cx *cx, const gm_model *m, void **bytes, size_t *size);
GM_API gm_code gm_model_read(gm_cx *cx, const void *bytes, size_t size, gm_model **out);

/*
 * Everything about a model: {"format", "version", "name", "schema": [{"name", "type", "required"}], "stages":
 * [{"name", "uid", "params": {...}, "inputs", "outputs", "state": [{"name", "type", "shape"}], "summary":
 * {...}}], "features": [names], "task", "labels", "metrics": {"train": {...}, "test": {...}}, "fit": {"rows",
 * "split", "skipped": [...], "seconds", "iterations", "history", "converged", "plan"}, "why", "columns":
 * [...] (what low code decided), "pipeline": {...}}. metrics.test.chosen (and train's) is a list of
 * {"evaluator", "metric", "name", "value", "why", "larger_is_better"}, one for each evaluator of the
 * pipeline.
 */
GM_API gm_code gm_model_info(gm_cx *cx, const gm_model *m, char **json);

/* One array of a stage's fitted state, as an Arrow array: float64, int64 or utf8; matrices are fixed-size
 * lists. */
GM_API gm_code gm_model_state(gm_cx *cx, const gm_model *m, int stage, const char *name,
                              struct ArrowArray *array, struct ArrowSchema *schema);

/*
 * The table with the model's output columns added, lazily, rows in their order. options: {"columns": [outputs
 * to add; default for a learner: prediction, rawPrediction, probability, in this order; else all outputs],
 * "stages": n (only the first n), "first": n (from stage n on: what the stages before it make is read from
 * the table), "intermediate": true (all stages' outputs)}. Columns are matched by name; a missing or retyped
 * column is an error now.
 */
GM_API gm_code gm_model_transform(gm_cx *cx, const gm_model *m, const gm_table *t, const char *options,
                                  gm_table **out);

/* Metrics of the model on a table that has the label: all metrics of the evaluators that fit the task, as
 * JSON. */
GM_API gm_code gm_model_evaluate(gm_cx *cx, const gm_model *m, const gm_table *t, const char *options,
                                 char **json);

/* Metrics of predictions that are columns already: evaluator {"BinaryClassificationEvaluator": {...}};
 * answers {"metric":
 * name, "value": number or null, "why": when null, "larger_is_better": bool, "all": {...}}. */
GM_API gm_code gm_evaluate(gm_cx *cx, const gm_table *t, const char *evaluator, char **json);

/* The HTML report of a fitted model: one self-contained page. */
GM_API gm_code gm_model_report(gm_cx *cx, const gm_model *m, const char *path);
GM_API void gm_model_free(gm_model *m);

/* ---- For the Python package --------------------------------------------------------------------------- */

/* Like gm_table_export, with the stream in memory that gm_capsule_free releases. */
GM_API gm_code gm_capsule_export(gm_cx *cx, const gm_table *t, struct ArrowArrayStream **out);

/* The destructor of a PyCapsule named "arrow_array_stream" over such a stream: releases what nobody took. It
 * is C and runs no Python, so capsules may die on any thread and while the interpreter exits. */
GM_API void gm_capsule_free(void *capsule);

#ifdef __cplusplus
}
#endif
#endif

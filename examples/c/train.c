/* SPDX-License-Identifier: Apache-2.0 */
/*
 * train.c - the whole way in C: a table from SQL, a pipeline from YAML, a fit with progress, metrics, a saved
 * model, and predictions that come back as Arrow.
 *
 *     cc train.c $(pkg-config --cflags --libs gristmill) -lm -o train && ./train
 */
#include <gristmill.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The Arrow C data interface, as its specification asks every program to declare it. */
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

/* 2,000 rows of a shop: who sends the parcel back? Drawn by a fixed rule, so that the example needs no file.
 */
static const char rows_sql[] =
    "SELECT round(10 + (i * 7919 % 9000) / 100, 2) AS price, (i * 104729 % 10)::INTEGER AS items, "
    "       ['north', 'south', 'east', 'west'][1 + i * 31 % 4] AS region, "
    "       CASE WHEN i % 17 = 0 THEN NULL ELSE (i * 6151 % 60)::INTEGER + 18 END AS age, "
    "       (price / 50 + items / 5 + (i * 7507 % 100) / 50 > 3.5)::INTEGER AS returned "
    "FROM range(2000) r(i)";

static const char pipeline_yaml[] =
    "split: {test: 0.25, seed: 3}\n"
    "stages:\n"
    "  - Imputer: {inputCols: [age], outputCols: [age_filled], strategy: median}\n"
    "  - StringIndexer: {inputCol: region, outputCol: region_index, handleInvalid: keep}\n"
    "  - OneHotEncoder: {inputCol: region_index, outputCol: region_vec}\n"
    "  - VectorAssembler: {inputCols: [price, items, age_filled, region_vec], outputCol: features}\n"
    "  - LogisticRegression: {labelCol: returned, regParam: 0.001}\n";

struct things {
    gm_cx *cx;
    gm_table *shop, *few, *scored;
    gm_pipeline *pipeline;
    gm_model *model, *loaded;
    char *info;
};

static void on_event(void *user, const gm_event *event)
{
    (void)user;
    if (event->level >= 2) fprintf(stderr, "warning: %s\n", event->text);
}

/* prediction is the last column of a one-column SELECT, a double or an integer by the label's type: asked for
 * as double. */
static gm_code print_predictions(struct things *t)
{
    struct ArrowArrayStream stream = {0};
    struct ArrowArray batch = {0};
    const char *name = "scored";
    gm_table *doubles;
    gm_code code = gm_table_sql(t->cx, "SELECT prediction::DOUBLE AS prediction FROM scored", &name,
                                &t->scored, 1, &doubles);
    if (code != GM_OK) return code;
    code = gm_table_export(t->cx, doubles, &stream);
    gm_table_free(doubles);
    if (code != GM_OK) return code;
    while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL) {
        const struct ArrowArray *column = batch.children[0];
        const double *v = column->buffers[1];
        for (int64_t i = 0; i < batch.length; i++)
            printf("row %lld: returned = %.0f\n", (long long)i, v[i + column->offset]);
        batch.release(&batch);
    }
    stream.release(&stream);
    return GM_OK;
}

static gm_code run(struct things *t)
{
    gm_code code;
    if ((code = gm_open("{\"threads\": 2, \"seed\": 1}", &t->cx)) != GM_OK) return code;
    if ((code = gm_on_event(t->cx, on_event, NULL)) != GM_OK) return code;
    if ((code = gm_table_sql(t->cx, rows_sql, NULL, NULL, 0, &t->shop)) != GM_OK) return code;
    if ((code = gm_pipeline_parse(t->cx, pipeline_yaml, "pipeline", NULL, 0, &t->pipeline)) != GM_OK)
        return code;
    if ((code = gm_fit(t->cx, t->pipeline, t->shop, NULL, &t->model)) != GM_OK) return code;

    if ((code = gm_model_info(t->cx, t->model, &t->info)) != GM_OK) return code;
    const char *metrics = strstr(t->info, "\"metrics\"");
    printf("%.300s ...\n", metrics != NULL ? metrics : t->info);

    if ((code = gm_model_save(t->cx, t->model, "returned.gm")) != GM_OK) return code;
    if ((code = gm_model_load(t->cx, "returned.gm", &t->loaded)) != GM_OK) return code;

    const char *name = "shop";
    code = gm_table_sql(t->cx, "SELECT * EXCLUDE (returned) FROM shop LIMIT 5", &name, &t->shop, 1, &t->few);
    if (code != GM_OK) return code;
    if ((code = gm_model_transform(t->cx, t->loaded, t->few, NULL, &t->scored)) != GM_OK) return code;
    return print_predictions(t);
}

int main(void)
{
    struct things t = {0};
    gm_code code = run(&t);
    if (code != GM_OK && t.cx != NULL)
        fprintf(stderr, "train: %s\n  hint: %s\n", gm_message(t.cx), gm_hint(t.cx));
    gm_free(t.info);
    gm_table_free(t.scored);
    gm_table_free(t.few);
    gm_table_free(t.shop);
    gm_model_free(t.loaded);
    gm_model_free(t.model);
    gm_pipeline_free(t.pipeline);
    gm_close(t.cx);
    return code == GM_OK ? EXIT_SUCCESS : gm_code_exit_status(code);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * races.c - whole fits and predictions on four threads without the database, for ThreadSanitizer, which
 * cannot see the locks inside DuckDB: threads of this program push the tiles of a table in memory as DuckDB's
 * would, and call the model's row function. Everything between is the real thing: plan, scan flow, store,
 * rounds on the pool, dataset, learners, judge. The result must be that of one thread, to the bit.
 *
 * The linker puts __wrap_gm_scan and __wrap_gm_table_rowfn in the place of the originals (cmake/Tests.cmake).
 */
#include "conform.h"

#include "source/rowfn.h"
#include "source/scan.h"
#include "source/table_own.h"

enum { ROWS = 3000, COLS = 9, TILE = 256, TILES = (ROWS + TILE - 1) / TILE, THREADS = 4 };

static double number[COLS][ROWS];
static gm_text word[COLS][ROWS];
static const gm_field fields[COLS] = {
    {"n0", "DOUBLE", GM_CLASS_NUMBER},     {"n1", "DOUBLE", GM_CLASS_NUMBER},
    {"n2", "DOUBLE", GM_CLASS_NUMBER},     {"k0", "INTEGER", GM_CLASS_NUMBER},
    {"k1", "INTEGER", GM_CLASS_NUMBER},    {"t0", "VARCHAR", GM_CLASS_TEXT},
    {"t1", "VARCHAR", GM_CLASS_TEXT},      {"label", "INTEGER", GM_CLASS_NUMBER},
    {"weight", "INTEGER", GM_CLASS_NUMBER}};
static gm_columns schema = {COLS, fields};
static gm_table table = {.refs = 1, .label = "rows in memory", .rows = -1, .columns = &schema, .version = 1};
static char *lines; /* what the texts are views of */

static int fill(void **state)
{
    size_t size;
    (void)state;
    FILE *f = open_memstream(&lines, &size);
    assert_non_null(f);
    for (int64_t i = 0; i < ROWS; i++) write_row(f, i, PLAIN);
    fclose(f);
    char *p = lines;
    for (int64_t i = 0; i < ROWS; i++)
        for (int k = 0; k < COLS; k++) {
            size_t n = strcspn(p, ",\n");
            if (fields[k].cls == GM_CLASS_TEXT) word[k][i] = gm_text_of(p, n);
            else number[k][i] = strtod(p, NULL);
            p += n + 1;
        }
    pthread_mutex_init(&table.lock, NULL);
    return 0;
}

static int empty(void **state)
{
    (void)state;
    pthread_mutex_destroy(&table.lock);
    free(lines);
    return 0;
}

static int64_t tile_of(int64_t tile, const gm_want *want, int n, gm_column *col)
{
    int64_t first = tile * TILE, left = ROWS - first;
    for (int k = 0; k < n; k++) {
        int64_t at = gm_columns_find(&schema, want[k].column);
        col[k] = (gm_column){.type = want[k].type, .width = 1};
        if (want[k].type == GM_T_TEXT) col[k].text = word[at] + first;
        else col[k].real = number[at] + first;
    }
    return left < TILE ? left : TILE;
}

/* ---- in the database's place: tiles to a sink ---- */

typedef struct scanning {
    gm_cx *cx;
    const gm_want *want;
    int n;
    const gm_sink *sink;
    _Atomic int64_t next;
    atomic_int code;
} scanning;

static void *scan_thread(void *arg)
{
    scanning *s = arg;
    gm_column col[COLS + 1];
    void *task = NULL;
    gm_code c = s->sink->open ? s->sink->open(s->cx, s->sink->arg, &task) : GM_OK;
    for (int64_t t; c == GM_OK && (t = atomic_fetch_add(&s->next, 1)) < TILES;) {
        gm_batch b = {tile_of(t, s->want, s->n, col), s->n, col};
        c = s->sink->push(s->cx, s->sink->arg, task, &b);
    }
    if (c != GM_OK) atomic_store(&s->code, (int)c);
    return NULL;
}

static void on_threads(int n, void *(*run)(void *), void *arg, size_t size)
{
    pthread_t t[THREADS];
    for (int i = 0; i < n; i++)
        assert_int_equal(pthread_create(&t[i], NULL, run, (char *)arg + (size_t)i * size), 0);
    for (int i = 0; i < n; i++) pthread_join(t[i], NULL);
}

gm_code __wrap_gm_scan(gm_cx *cx, const gm_table *t, const gm_want *want, int n, const gm_sink *sink,
                       gm_scan_stats *stats);
gm_code __wrap_gm_scan(gm_cx *cx, const gm_table *t, const gm_want *want, int n, const gm_sink *sink,
                       gm_scan_stats *stats)
{
    scanning s = {.cx = cx, .want = want, .n = n, .sink = sink};
    assert_ptr_equal(t, &table);
    assert_true(n <= COLS + 1);
    on_threads(gm_threads(cx), scan_thread, &s, 0);
    if (stats) {
        *stats = (gm_scan_stats){.rows = ROWS, .inexact = gm_alloc(cx, gm_scratch(cx), n, 8)};
        assert_non_null(stats->inexact);
    }
    return (gm_code)atomic_load(&s.code);
}

/* ---- and rows to a row function ---- */

static gm_rowfn rowfn; /* of the model that is asked */

gm_code __wrap_gm_table_rowfn(gm_cx *cx, const gm_table *t, const gm_rowfn *fn, const char *const *keep,
                              int n_keep, gm_table **out);
gm_code __wrap_gm_table_rowfn(gm_cx *cx, const gm_table *t, const gm_rowfn *fn, const char *const *keep,
                              int n_keep, gm_table **out)
{
    (void)cx, (void)keep, (void)n_keep;
    rowfn = *fn;
    *out = gm_table_ref(t);
    return GM_OK;
}

typedef struct asking {
    gm_cx *cx;
    gm_code code;
    char *text; /* what comes out of every tile */
} asking;

static void print_rows(FILE *f, gm_cx *cx, gm_arena *a, const gm_column *c, int64_t rows)
{
    double *x = NULL;
    if (c->type == GM_T_VECTOR && c->width > 4096) { /* hashed: too wide to be written out */
        for (const gm_part *p = c->part; p < c->part + c->n_parts; p++) {
            for (int64_t e = 0; p->form == GM_SPARSE && e < p->off[rows] - p->off[0]; e++)
                fprintf(f, "%u:%a ", p->idx[p->off[0] + e], p->val ? p->val[p->off[0] + e] : 1);
            for (int64_t i = 0; p->form == GM_CODED && i < rows; i++) fprintf(f, "%u ", p->code[i]);
        }
        putc('\n', f);
        return;
    }
    if (c->type == GM_T_VECTOR && gm_column_dense(cx, a, c, rows, &x) != GM_OK) return;
    for (int64_t i = 0; c->type == GM_T_VECTOR && i < rows * c->width; i++) arrow_real(f, x[i]), putc(' ', f);
    for (int64_t i = 0; c->type == GM_T_REAL && i < rows; i++) arrow_real(f, c->real[i]), putc(' ', f);
    int64_t from = c->type == GM_T_WORDS ? c->off[0] : 0, to = c->type == GM_T_WORDS ? c->off[rows] : rows;
    for (int64_t i = from; (c->type == GM_T_TEXT || c->type == GM_T_WORDS) && i < to; i++) {
        gm_text t = c->type == GM_T_TEXT ? gm_column_text(c, i) : gm_column_word(c, i);
        fprintf(f, "'%.*s' ", (int)t.len, gm_text_ptr(&t));
    }
    putc('\n', f);
}

static void *ask_thread(void *arg)
{
    asking *q = arg;
    size_t size;
    FILE *f = open_memstream(&q->text, &size);
    if (f == NULL) return NULL;
    for (int64_t t = 0; t < TILES && q->code == GM_OK; t += 5) {
        gm_column in[COLS + 1], out[64] = {0};
        uint8_t *null_rows = calloc(64, TILE), drop[TILE] = {0};
        gm_arena a = {0};
        static const gm_type types[] = {GM_T_REAL,   GM_T_REAL,  GM_T_TEXT,
                                        GM_T_VECTOR, GM_T_WORDS, GM_T_VECTOR};
        gm_batch b = {tile_of(t, rowfn.in, rowfn.n_in, in), rowfn.n_in, in};
        for (int k = 0; k < rowfn.n_out; k++) out[k].type = types[rowfn.out[k].made];
        q->code = rowfn.call(q->cx, &a, rowfn.arg, &b, out, null_rows, drop);
        for (int k = 0; k < rowfn.n_out && q->code == GM_OK; k++) print_rows(f, q->cx, &a, &out[k], b.rows);
        gm_arena_end(&a);
        free(null_rows);
    }
    fclose(f);
    return NULL;
}

/* ---- one thread and four ---- */

static gm_cx *session[2];

/* States, and outputs of all threads, which must be equal; NULL: complained. */
static char *results(gm_cx *cx, const variant *v, const char *options)
{
    static const char *const split[] = {"split.test=0.3"};
    bool learner = v->stage->kind == GM_CLASSIFIER || v->stage->kind == GM_REGRESSOR;
    int n = gm_threads(cx);
    gm_pipeline *p = NULL;
    gm_model *m = NULL;
    gm_table *out = NULL;
    char *text = NULL, *states = NULL;
    asking q[THREADS];
    for (int i = 0; i < THREADS; i++) q[i] = (asking){.cx = cx};
    if (fine(cx, v, "parse", gm_pipeline_parse(cx, v->json, "", split, learner, &p)) &&
        fine(cx, v, "fit", gm_fit(cx, p, &table, options, &m)) && (states = states_text(cx, v, m)) != NULL &&
        fine(cx, v, "transform", gm_model_transform(cx, m, &table, "{\"intermediate\": true}", &out))) {
        assert_true(rowfn.n_out > 0 && rowfn.n_out <= 64);
        on_threads(n, ask_thread, q, sizeof *q);
        for (int i = 0; i < n; i++) {
            fine(cx, v, "row function", q[i].code);
            same_text(v, "outputs of two threads", q[0].text, q[i].text);
        }
        if (q[0].text && strlen(q[0].text) < 1000) complain(v, "no outputs");
        size_t size;
        FILE *f = open_memstream(&text, &size);
        assert_non_null(f);
        fprintf(f, "%s%s", states, q[0].text ? q[0].text : "");
        fclose(f);
        rowfn.release(rowfn.arg);
    }
    for (int i = 0; i < n; i++) free(q[i].text);
    free(states);
    gm_table_free(out);
    gm_model_free(m);
    gm_pipeline_free(p);
    return text;
}

static void check(const variant *v)
{
    if (strcmp(v->stage->name, "SQLTransformer") == 0) return; /* it is the database's */
    char *one = results(session[0], v, NULL), *four = results(session[1], v, NULL),
         *disk = results(session[1], v, "{\"persist\": \"DISK_ONLY\"}");
    same_text(v, "one thread and four", one, four);
    same_text(v, "memory and disk", four, disk);
    free(one), free(four), free(disk);
}

static int n_events;
static void listen(void *user, const gm_event *event) { (void)user, n_events += event->level >= 0; }

static void every_stage(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) session[i] = open_session(i ? THREADS : 1);
    assert_int_equal(gm_on_event(session[1], listen, NULL), GM_OK);
    for_all(check, NULL);
    assert_true(n_events > 100);
    assert_int_equal(table.refs, 1);
    for (int i = 0; i < 2; i++) gm_close(session[i]);
}

/* Stopped by another thread in the middle of its work, a fit ends, and the next one is as ever. */
static void *stop(void *cx)
{
    usleep(3000);
    gm_cancel(cx);
    return NULL;
}

static void cancelled(void **state)
{
    variant v[MOST_VARIANTS];
    (void)state;
    gm_cx *cx = open_session(THREADS);
    assert_true(variants_of(stage_named("LogisticRegression"), NULL, v) > 0);
    char *before = results(cx, v, NULL);
    for (int i = 0; i < 10; i++) {
        pthread_t t;
        gm_model *m = NULL;
        assert_int_equal(pthread_create(&t, NULL, stop, cx), 0);
        gm_code c = fit(cx, v, &table, NULL, &m);
        pthread_join(t, NULL);
        if (c != GM_OK && c != GM_ECANCEL) complain(v, "%s: %s", gm_code_name(c), gm_message(cx));
        gm_model_free(m);
    }
    char *after = results(cx, v, NULL);
    same_text(v, "before and after", before, after);
    free(before), free(after);
    gm_close(cx);
    no_complaints();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_stage), cmocka_unit_test(cancelled)};
    take_share(argc, argv);
    return cmocka_run_group_tests(tests, fill, empty);
}

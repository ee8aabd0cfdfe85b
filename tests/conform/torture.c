/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torture.c - the whole life of a model, for every stage of the two lists and each of its pipelines, while
 * one allocation fails: parse, explain, fit (scan, store, rounds, dataset, learner, judge), save, load,
 * report, transform, evaluate. Each failure must be GM_ENOMEM with a message, leave nothing charged, no file
 * and no result; afterwards the same session gives the same model.
 *
 * Steps that run no query fail at every allocation. Those that do (fit, transform, evaluate) fail at each of
 * the first FIRST, then at every k-th, k odd, about RUNS times; k is another for each pipeline, so that
 * together they meet every place. Under sanitizers the steps without a query take every fifth to ninth too.
 * GRISTMILL_TORTURE=all: every one. Then disks that are full: a limit of file size stands for them.
 */
#include "conform.h"

#include "base/cx.h"
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>

enum { ROWS = 90, FIRST = SLOW ? 4 : 12, RUNS = SLOW ? 6 : 40, TEXT = 512 };

typedef struct life {
    gm_cx *cx;
    const variant *v;
    const gm_table *t, *fresh;
    bool learner;
    const char *options;
    gm_pipeline *p;
    gm_model *m, *loaded, *again;
    void *bytes;
    size_t size;
    char *text;
    char file[TEXT], page[TEXT];
} life;

/* ---- the steps ---- */

static gm_code step_parse(life *l)
{
    static const char *const more[] = {"split.test=0.3", "split.seed=3"};
    return gm_pipeline_parse(l->cx, l->v->json, "", more, l->learner ? 2 : 0, &l->p);
}
static void undo_parse(life *l) { gm_pipeline_free(l->p), l->p = NULL; }

static gm_code step_text(life *l) { return gm_pipeline_text(l->cx, l->p, "yaml", 1, &l->text); }
static gm_code step_explain(life *l) { return gm_explain(l->cx, l->p, l->t, "json", &l->text); }
static gm_code step_info(life *l) { return gm_model_info(l->cx, l->m, &l->text); }
static gm_code step_evaluate(life *l)
{
    return l->learner ? gm_model_evaluate(l->cx, l->loaded, l->t, NULL, &l->text) : GM_OK;
}
static void undo_text(life *l) { gm_free(l->text), l->text = NULL; }

static gm_code step_fit(life *l) { return gm_fit(l->cx, l->p, l->t, l->options, &l->m); }
static void undo_fit(life *l) { gm_model_free(l->m), l->m = NULL; }

static gm_code step_refit(life *l)
{
    if (!l->learner || gm_param_find(l->v->chain[l->v->n - 1]->params, "warmStart") < 0) return GM_OK;
    return gm_fit_from(l->cx, l->p, l->t, l->options, l->loaded, &l->again);
}
static void undo_refit(life *l) { gm_model_free(l->again), l->again = NULL; }

static gm_code step_write(life *l) { return gm_model_write(l->cx, l->m, &l->bytes, &l->size); }
static void undo_write(life *l) { gm_free(l->bytes), l->bytes = NULL; }

static gm_code step_read(life *l) { return gm_model_read(l->cx, l->bytes, l->size, &l->loaded); }
static gm_code step_load(life *l) { return gm_model_load(l->cx, l->file, &l->loaded); }
static void undo_load(life *l) { gm_model_free(l->loaded), l->loaded = NULL; }

static gm_code step_save(life *l) { return gm_model_save(l->cx, l->m, l->file); }
static void undo_save(life *l) { unlink(l->file); }
static gm_code step_report(life *l) { return gm_model_report(l->cx, l->m, l->page); }
static void undo_report(life *l) { unlink(l->page); }

static gm_code step_transform(life *l)
{
    gm_code c;
    l->text = outputs_text(l->cx, l->loaded, l->fresh, &c);
    return c;
}
static void undo_transform(life *l) { free(l->text), l->text = NULL; }

static gm_code step_states(life *l)
{
    for (int i = 0; i < l->v->n; i++)
        for (const gm_state *s = l->v->chain[i]->states;
             s && s->name && l->v->chain[i]->kind != GM_TRANSFORMER; s++) {
            struct ArrowArray a;
            struct ArrowSchema schema;
            gm_code c = gm_model_state(l->cx, l->loaded, i, s->name, &a, &schema);
            if (c != GM_OK) return c;
            a.release(&a);
            schema.release(&schema);
        }
    return GM_OK;
}
static void undo_nothing(life *l) { (void)l; }

typedef struct step {
    const char *name;
    gm_code (*call)(life *l);
    void (*undo)(life *l);
    bool keep, query; /* later steps need what it makes; it runs a query */
} step;

static const step steps[] = {
    {"parse", step_parse, undo_parse, true, false},
    {"text", step_text, undo_text, false, false},
    {"explain", step_explain, undo_text, false, false},
    {"fit", step_fit, undo_fit, true, true},
    {"info", step_info, undo_text, false, false},
    {"write", step_write, undo_write, true, false},
    {"save", step_save, undo_save, true, false},
    {"report", step_report, undo_report, false, false},
    {"read", step_read, undo_load, false, false},
    {"load", step_load, undo_load, true, false},
    {"states", step_states, undo_nothing, false, false},
    {"refit", step_refit, undo_refit, false, true},
    {"transform", step_transform, undo_transform, false, true},
    {"evaluate", step_evaluate, undo_text, false, true},
};
enum { STEPS = sizeof steps / sizeof *steps };

/* ---- one allocation fails ---- */

static int files_here(void)
{
    DIR *d = opendir(folder);
    int n = 0;
    assert_non_null(d);
    while (readdir(d)) n++;
    closedir(d);
    return n;
}

static bool all_places(void)
{
    const char *how = getenv("GRISTMILL_TORTURE");
    return how && strcmp(how, "all") == 0;
}

static long n_failed;

/* Fails allocation n of a step; true: there is no such allocation, and its result stands. */
static bool fail_one(life *l, const step *s, long n, int64_t used, int files)
{
    char what[64];
    snprintf(what, sizeof what, "%s, allocation %ld", s->name, n);
    gm_oom_after = n;
    gm_code c = s->call(l);
    bool failed = gm_oom_after < 0;
    gm_oom_after = -1;
    if (!failed) return fine(l->cx, l->v, what, c);
    n_failed++;
    if (c != GM_ENOMEM)
        complain(l->v, "%s: %s '%s'", what, gm_code_name(c), c == GM_OK ? "" : gm_message(l->cx));
    else if (!gm_message(l->cx)[0]) complain(l->v, "%s: no message", what);
    if (c == GM_OK) s->undo(l);
    else if ((s->undo == undo_parse && l->p) || (s->undo == undo_fit && l->m) || l->text ||
             (s->undo == undo_write && l->bytes) || (s->undo == undo_load && l->loaded))
        complain(l->v, "%s: a result in spite of the failure", what), s->undo(l);
    if (gm_memory_used(l->cx) != used)
        complain(l->v, "%s: %lld bytes stay charged", what, (long long)(gm_memory_used(l->cx) - used));
    if (files_here() != files) complain(l->v, "%s: a file is left", what), s->undo(l);
    return false;
}

/* The number of allocations of a step that succeeds, which is undone; < 0: it failed. */
static long count(life *l, const step *s)
{
    enum { MANY = 1 << 30 };
    gm_oom_after = MANY;
    gm_code c = s->call(l);
    long n = MANY - gm_oom_after;
    gm_oom_after = -1;
    if (!fine(l->cx, l->v, s->name, c)) return -1;
    s->undo(l);
    return n;
}

static bool torture_step(life *l, const step *s, int which)
{
    count(l, s); /* the first time makes what the session keeps */
    long n = count(l, s);
    if (n < 0) return false;
    int64_t used = gm_memory_used(l->cx);
    int files = files_here();
    long by = s->query ? (n / RUNS | 1) + 2 * (which % 4) : SLOW ? 5 + 2 * (which % 3) : 1;
    if (all_places()) by = 1;
    for (long k = 0;; k += k < FIRST ? 1 : by)
        if (fail_one(l, s, k, used, files)) break;
        else if (k > 2 * n + 1000) return complain(l->v, "%s: no end of allocations", s->name), false;
    if (!s->keep) s->undo(l);
    return complaints < 60;
}

/* What is known of a model, without the times. */
static char *known(life *l)
{
    char *info = NULL, *text = NULL;
    size_t size;
    if (!fine(l->cx, l->v, "info", gm_model_info(l->cx, l->m, &info))) return NULL;
    char *from = strstr(info, "\"seconds\":{"), *states = states_text(l->cx, l->v, l->m), *outputs;
    gm_code c;
    if (from) memset(from, ' ', strcspn(from, "}"));
    if (from) *strchr(from, '}') = ' ';
    outputs = outputs_text(l->cx, l->m, l->fresh, &c);
    fine(l->cx, l->v, "transform", c);
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    for (const char *p = info; *p; p++)
        if (*p != ' ') putc_unlocked(*p, f);
    fprintf(f, "\n%s\n%s", states ? states : "", outputs ? outputs : "");
    fclose(f);
    gm_free(info), free(states), free(outputs);
    return text;
}

static void end_life(life *l)
{
    undo_parse(l), undo_fit(l), undo_write(l), undo_load(l), undo_save(l), undo_report(l);
}

static life begin_life(gm_cx *cx, const variant *v, const gm_table *t, const gm_table *fresh)
{
    life l = {.cx = cx, .v = v, .t = t, .fresh = fresh};
    l.learner = v->stage->kind == GM_CLASSIFIER || v->stage->kind == GM_REGRESSOR;
    snprintf(l.file, sizeof l.file, "%s/model.gm", folder);
    snprintf(l.page, sizeof l.page, "%s/report.html", folder);
    return l;
}

static char *clean(life *l)
{
    char *text = NULL;
    if (fine(l->cx, l->v, "parse", step_parse(l)) && fine(l->cx, l->v, "fit", step_fit(l))) text = known(l);
    end_life(l);
    return text;
}

/* ---- the tests ---- */

static gm_cx *session[2]; /* 1 and 2 threads */
static gm_table *small[2], *large, *fresh[2];

static int setup(void **state)
{
    if (make_folder(state)) return -1;
    for (int i = 0; i < 2; i++) {
        session[i] = open_session(i + 1);
        small[i] = table_of(session[i], "plain", ROWS, PLAIN);
        fresh[i] = table_of(session[i], "new", 5, PLAIN);
    }
    large = table_of(session[1], "shuffled", 5000, PLAIN); /* three tiles, so parts for the pool */
    return 0;
}

static int teardown(void **state)
{
    gm_table_free(large);
    for (int i = 0; i < 2; i++) gm_table_free(small[i]), gm_table_free(fresh[i]), gm_close(session[i]);
    return drop_folder(state);
}

static void live(gm_cx *cx, const variant *v, const gm_table *t, const gm_table *rows, const char *options)
{
    static int which;
    life l = begin_life(cx, v, t, rows);
    l.options = options;
    char *before = clean(&l), *after;
    int64_t used = gm_memory_used(cx);
    bool on = before != NULL;
    which++;
    for (int s = 0; s < STEPS && on; s++) on = torture_step(&l, &steps[s], which);
    end_life(&l);
    if (gm_memory_used(cx) != used)
        complain(v, "%lld bytes stay charged", (long long)(gm_memory_used(cx) - used));
    after = clean(&l);
    same_text(v, "models before and after", before, after);
    free(before), free(after);
}

static void check_life(const variant *v) { live(session[0], v, small[0], fresh[0], NULL); }

static void every_stage(void **state)
{
    (void)state;
    n_failed = 0;
    for_all(check_life, NULL);
    assert_true(n_failed > (SLOW ? 3000 : 30000) / shares / 2);
}

/* With the pool's threads, a listener and rows on disk; which allocation is the n-th then depends on time. */
static int n_events;
static void listen(void *user, const gm_event *event) { (void)user, n_events += event->level >= 0; }

static void check_threads(const variant *v)
{
    static int which;
    gm_cx *cx = session[1];
    life l = begin_life(cx, v, large, fresh[1]);
    l.options = which++ % 2 ? "{\"persist\": \"DISK_ONLY\"}" : NULL;
    char *before = clean(&l), *after;
    bool on = before && fine(cx, v, "parse", step_parse(&l));
    long n = on ? count(&l, &steps[3]) : -1, by = all_places() ? 1 : n / (SLOW ? 2 : 5) | 1;
    int64_t used = gm_memory_used(cx);
    int files = files_here();
    for (long k = which % by; k < n; k += by)
        if (fail_one(&l, &steps[3], k, used, files)) undo_fit(&l);
    end_life(&l);
    after = clean(&l);
    same_text(v, "models before and after", before, after);
    free(before), free(after);
}

static void several_threads(void **state)
{
    (void)state;
    assert_int_equal(gm_on_event(session[1], listen, NULL), GM_OK);
    for_all(check_threads, NULL);
    assert_int_equal(gm_on_event(session[1], NULL, NULL), GM_OK);
    assert_true(n_events > 100 / shares);
}

/* What a session makes at its first use: itself, the database, functions, the pool, the table's plan. */
static gm_code whole(gm_cx **cx, const variant *v, char **text)
{
    gm_table *t = NULL;
    gm_model *m = NULL;
    char source[TEXT];
    gm_code c = gm_open("{\"threads\": 2, \"memory\": \"512MB\"}", cx);
    snprintf(source, sizeof source, "{\"path\": \"%s/plain.csv\"}", folder);
    if (c == GM_OK) c = gm_table_open(*cx, source, &t);
    if (c == GM_OK) c = fit(*cx, v, t, NULL, &m);
    if (c == GM_OK) *text = outputs_text(*cx, m, t, &c);
    gm_model_free(m);
    gm_table_free(t);
    return c;
}

static void first_use(void **state)
{
    variant v[MOST_VARIANTS];
    char *text = NULL;
    gm_cx *cx = NULL;
    (void)state;
    only_in(1);
    assert_true(variants_of(stage_named("StringIndexer"), NULL, v) > 0);
    long n = 0, by = 1;
    for (bool through = false; !through; n += by) {
        char *again = NULL;
        gm_oom_after = n;
        gm_code c = whole(&cx, v, &again);
        through = gm_oom_after >= 0;
        gm_oom_after = -1;
        if (c != (through ? GM_OK : GM_ENOMEM))
            complain(v, "first use, allocation %ld: %s '%s'", n, gm_code_name(c), cx ? gm_message(cx) : "");
        if (cx && !through) { /* the session that failed goes on */
            gm_table *t = table_of(cx, "one", 40, PLAIN);
            gm_model *m = NULL;
            if (fine(cx, v, "fit after a failure", fit(cx, v, t, NULL, &m))) {
                char *x = outputs_text(cx, m, t, &c);
                fine(cx, v, "transform after a failure", c);
                if (text == NULL) text = x;
                else same_text(v, "after a failure", text, x), free(x);
            }
            gm_model_free(m);
            gm_table_free(t);
        }
        gm_close(cx);
        free(again);
        by = n < 60 || all_places() ? 1 : SLOW ? 67 : 31;
    }
    free(text);
    assert_true(n > 200);
    no_complaints();
}

/* ---- tables by themselves: only their calls allocate ---- */

typedef struct tables {
    gm_cx *cx;
    char source[TEXT], out[TEXT];
    const char *form;
} tables;

static gm_code use_tables(tables *s)
{
    static const char *const name = "t";
    gm_table *t = NULL, *q = NULL, *kept = NULL, *part[2] = {NULL, NULL};
    char *text[4] = {NULL, NULL, NULL, NULL};
    int64_t n;
    gm_pipeline *p = NULL;
    gm_code c = gm_table_open(s->cx, s->source, &t);
    if (c == GM_OK) c = gm_table_columns(s->cx, t, &text[0]);
    if (c == GM_OK) c = gm_table_sql(s->cx, "SELECT n0, t0, label FROM t WHERE n0 > 0.1", &name, &t, 1, &q);
    if (c == GM_OK) c = gm_table_count(s->cx, q, &n);
    if (c == GM_OK) c = gm_table_persist(s->cx, q, "AUTO", &kept);
    if (c == GM_OK) c = gm_table_split(s->cx, kept, (double[]){3, 1}, 2, 1, NULL, part);
    if (c == GM_OK) c = gm_table_write(s->cx, part[0], s->out, s->form, &n);
    if (c == GM_OK) c = gm_table_report(s->cx, t, &text[1]);
    if (c == GM_OK) c = gm_table_text(s->cx, part[0], &text[2]);
    if (c == GM_OK) c = gm_pipeline_auto(s->cx, t, "{\"label\": \"label\"}", &p, &text[3]);
    for (int i = 0; i < 4; i++) gm_free(text[i]);
    gm_pipeline_free(p);
    gm_table_free(t), gm_table_free(q), gm_table_free(kept);
    gm_table_free(part[0]), gm_table_free(part[1]);
    return c;
}

static void tables_alone(void **state)
{
    static const char *const forms[] = {"{\"format\": \"csv\"}", "{\"format\": \"parquet\"}",
                                        "{\"format\": \"json\"}"};
    tables s = {.cx = session[0], .form = forms[0]};
    (void)state;
    only_in(2);
    snprintf(s.source, sizeof s.source, "{\"path\": \"%s/plain.csv\"}", folder);
    snprintf(s.out, sizeof s.out, "%s/out", folder);
    assert_int_equal(use_tables(&s), GM_OK);
    unlink(s.out);
    int64_t used = gm_memory_used(s.cx);
    int files = files_here(), wrong = 0;
    long n = 0;
    for (bool through = false; !through; n += n < 100 || all_places() ? 1 : SLOW ? 53 : 13) {
        s.form = forms[n % 3];
        gm_oom_after = n;
        gm_code c = use_tables(&s);
        through = gm_oom_after >= 0;
        gm_oom_after = -1;
        bool whole_file = access(s.out, F_OK) == 0;
        if (whole_file) unlink(s.out);
        if (c == (through ? GM_OK : GM_ENOMEM) && gm_memory_used(s.cx) == used && files_here() == files)
            continue;
        print_error("tables, allocation %ld: %s '%s', %lld bytes stay, %d files\n", n, gm_code_name(c),
                    gm_message(s.cx), (long long)(gm_memory_used(s.cx) - used), files_here() - files);
        if (++wrong > 20) break;
    }
    assert_int_equal(wrong, 0);
    assert_true(n > 500);
}

/* ---- full disks ---- */

static void limit_files(rlim_t most)
{
    struct rlimit r;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &r), 0);
    r.rlim_cur = most < r.rlim_max ? most : r.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &r), 0);
}

static char *contents(const char *path, size_t *n)
{
    static char bytes[1 << 20];
    FILE *f = fopen(path, "rb");
    *n = 0;
    if (f == NULL) return NULL;
    *n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    char *copy = malloc(*n + 1);
    assert_non_null(copy);
    memcpy(copy, bytes, *n);
    return copy;
}

typedef gm_code (*writing)(life *l, const char *path);
static gm_code save_to(life *l, const char *path) { return gm_model_save(l->cx, l->m, path); }
static gm_code report_to(life *l, const char *path) { return gm_model_report(l->cx, l->m, path); }
static gm_code csv_to(life *l, const char *path)
{
    return gm_table_write(l->cx, l->t, path, "{\"format\": \"csv\"}", NULL);
}
static gm_code parquet_to(life *l, const char *path)
{
    return gm_table_write(l->cx, l->t, path, "{\"format\": \"parquet\"}", NULL);
}
static gm_code json_to(life *l, const char *path)
{
    return gm_table_write(l->cx, l->t, path, "{\"format\": \"json\"}", NULL);
}

/* Writes path under a limit; it fails with a message that names path and leaves there what was there. */
static void write_limited(life *l, writing to, const char *what, const char *path, size_t most)
{
    size_t n, m;
    int files = files_here();
    char *before = contents(path, &n);
    limit_files(most);
    gm_code c = to(l, path);
    limit_files(RLIM_INFINITY);
    if (c != GM_EIO)
        complain(l->v, "%s in %zu bytes: %s '%s'", what, most, gm_code_name(c), gm_message(l->cx));
    else if (!strstr(gm_message(l->cx), path))
        complain(l->v, "%s: '%s' says not where", what, gm_message(l->cx));
    char *after = contents(path, &m);
    if (n != m || (n && memcmp(before, after, n) != 0))
        complain(l->v, "%s in %zu bytes: the file changed", what, most);
    if (files_here() != files) complain(l->v, "%s in %zu bytes: a file is left", what, most);
    free(before), free(after);
}

static void full_disks(void **state)
{
    static const struct {
        writing to;
        const char *name;
    } kinds[] = {{save_to, "model"},
                 {report_to, "report"},
                 {csv_to, "csv"},
                 {parquet_to, "parquet"},
                 {json_to, "json"}};
    variant v[MOST_VARIANTS];
    (void)state;
    only_in(3);
    assert_true(variants_of(stage_named("LogisticRegression"), NULL, v) > 0);
    life l = begin_life(session[1], v, large, fresh[1]);
    signal(SIGXFSZ, SIG_IGN);
    char *before = clean(&l);
    assert_int_equal(step_parse(&l), GM_OK);
    assert_int_equal(step_fit(&l), GM_OK);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char path[TEXT];
        size_t size;
        snprintf(path, sizeof path, "%s/out", folder);
        write_limited(&l, kinds[k].to, kinds[k].name, path, 0);
        write_limited(&l, kinds[k].to, kinds[k].name, path, 700);
        fine(l.cx, v, kinds[k].name, kinds[k].to(&l, path));
        free(contents(path, &size));
        write_limited(&l, kinds[k].to, kinds[k].name, path, 0);
        write_limited(&l, kinds[k].to, kinds[k].name, path, size / 2);
        write_limited(&l, kinds[k].to, kinds[k].name, path, size - 1);
        unlink(path);
        write_limited(&l, kinds[k].to, kinds[k].name, "/dev/full", (size_t)RLIM_INFINITY);
    }
    undo_fit(&l);
    for (size_t most = 0; most < 600000; most += 200000) { /* the first segment does not fit, or the second */
        int files = files_here();
        l.options = "{\"persist\": \"DISK_ONLY\"}";
        limit_files(most);
        gm_code c = step_fit(&l);
        limit_files(RLIM_INFINITY);
        if (c != GM_EIO)
            complain(v, "a fit with %zu bytes of disk: %s '%s'", most, gm_code_name(c), gm_message(l.cx));
        else if (!strstr(gm_message(l.cx), gm_spill_dir(l.cx)))
            complain(v, "'%s' says not where", gm_message(l.cx));
        if (files_here() != files) complain(v, "a spill file is left");
        undo_fit(&l);
    }
    end_life(&l);
    l.options = NULL;
    char *after = clean(&l);
    same_text(v, "models before and after", before, after);
    free(before), free(after);
    no_complaints();
}

int main(int argc, char **argv)
{
    take_share(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stage),  cmocka_unit_test(several_threads), cmocka_unit_test(first_use),
        cmocka_unit_test(tables_alone), cmocka_unit_test(full_disks),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stages.c - what every stage of the two lists must do, told by nothing but its tables: valid defaults; the
 * same outputs after saving and loading; the same bits for any number of threads and any place to keep rows;
 * no dependence on the order of rows; clear errors or finite outputs from unusual data; unknown parameters
 * and cancelling.
 */
#include "conform.h"

enum { ROWS = SLOW ? 2200 : 5000, NEW = SLOW ? 90 : 700 }; /* two or three tiles to learn from */

static gm_cx *session[3]; /* 1, 2 and 4 threads */
static gm_table *plain[3], *fresh[3], *shuffled;

static int setup(void **state)
{
    static const int threads[3] = {1, 2, 4};
    if (make_folder(state)) return -1;
    for (int i = 0; i < 3; i++) {
        session[i] = open_session(threads[i]);
        plain[i] = table_of(session[i], "plain", ROWS, PLAIN);
        fresh[i] = table_of(session[i], "new", NEW, PLAIN);
    }
    shuffled = table_of(session[1], "shuffled", ROWS, SHUFFLED);
    return 0;
}

static int teardown(void **state)
{
    gm_table_free(shuffled);
    for (int i = 0; i < 3; i++) gm_table_free(plain[i]), gm_table_free(fresh[i]), gm_close(session[i]);
    return drop_folder(state);
}

/* ---- tables ---- */

static void check_param(const variant *v, const gm_param *p)
{
    int choices = 0;
    bool number = p->type == GM_P_INT || p->type == GM_P_REAL, ranged = p->min != 0 || p->max != 0;
    while (p->type == GM_P_ENUM && p->choices[choices]) choices++;
    if (p->help == NULL || p->help[0] == 0) complain(v, "%s has no help", p->name);
    if (p->role != GM_OPTION && p->column == 0) complain(v, "%s says no column type", p->name);
    if (p->type == GM_P_ENUM && !(p->def >= 0 && p->def < choices))
        complain(v, "%s: default is no choice", p->name);
    if (number && ranged &&
        (p->def < p->min || p->def > p->max || (p->open_min && p->def == p->min) ||
         (p->open_max && p->def == p->max)))
        complain(v, "%s: default %g is out of %g .. %g", p->name, p->def, p->min, p->max);
    if (p->tune.scale != GM_FIXED &&
        !(p->tune.lo < p->tune.hi && (!ranged || (p->tune.lo >= p->min && p->tune.hi <= p->max))))
        complain(v, "%s: search range %g .. %g", p->name, p->tune.lo, p->tune.hi);
    if (p->tune.scale == GM_LOG && !(p->tune.lo > 0))
        complain(v, "%s: a logarithmic search from %g", p->name, p->tune.lo);
    if (p->pairs_with && gm_param_find(v->stage->params, p->pairs_with) < 0)
        complain(v, "%s pairs with %s, which is not there", p->name, p->pairs_with);
    if (gm_param_find(v->stage->params, p->name) != (int)(p - v->stage->params))
        complain(v, "%s stands twice", p->name);
}

static void check_tables(const variant *v)
{
    const gm_stage *s = v->stage;
    gm_pipeline *p = NULL, *again = NULL;
    char *text = NULL, *text2 = NULL;
    if (!s->summary || !s->summary[0] || !s->doc || !s->doc[0]) complain(v, "no summary or no description");
    for (const gm_param *row = s->params; row->name; row++) check_param(v, row);
    for (const gm_state *row = s->states; row && row->name; row++)
        if (!row->help || !row->help[0]) complain(v, "state %s has no help", row->name);
    if (s->kind != GM_TRANSFORMER && (!s->states || !s->verify))
        complain(v, "a fitted stage without states or verify");
    /* All parameters written out parse to the same pipeline. */
    gm_cx *cx = session[0];
    if (!fine(cx, v, "parse", gm_pipeline_parse(cx, v->json, "", NULL, 0, &p))) return;
    if (fine(cx, v, "text", gm_pipeline_text(cx, p, "yaml", 1, &text)) &&
        fine(cx, v, "parse of its own text", gm_pipeline_parse(cx, text, "", NULL, 0, &again)) &&
        fine(cx, v, "text", gm_pipeline_text(cx, again, "yaml", 1, &text2)))
        same_text(v, "text of the parsed text", text, text2);
    gm_free(text), gm_free(text2);
    gm_pipeline_free(p), gm_pipeline_free(again);
}

static void tables_are_valid(void **state)
{
    (void)state;
    for_all(check_tables, NULL);
}

/* The first parameter's name without its last letter: the message names the right one. */
static void check_unknown(const variant *v)
{
    const char *right = v->stage->params[0].name;
    char json[256];
    gm_pipeline *p = NULL;
    gm_cx *cx = session[0];
    snprintf(json, sizeof json, "{\"stages\": [{\"%s\": {\"%.*s\": 1}}]}", v->stage->name,
             (int)strlen(right) - 1, right);
    gm_code c = gm_pipeline_parse(cx, json, "", NULL, 0, &p);
    if (c != GM_EPARAM) complain(v, "an unknown parameter gives %s", gm_code_name(c));
    else if (!strstr(gm_message(cx), v->stage->name)) complain(v, "'%s' lacks the stage", gm_message(cx));
    else if (!strstr(gm_hint(cx), right))
        complain(v, "'%s' (%s) lacks '%s'", gm_message(cx), gm_hint(cx), right);
    gm_pipeline_free(p);
}

static void unknown_parameters(void **state)
{
    (void)state;
    for_all(check_unknown, NULL);
}

/* ---- the same model ---- */

static void compare_models(const variant *v, const char *what, gm_cx *cx, const gm_model *a, gm_cx *cy,
                           const gm_model *b, const gm_table *ta, const gm_table *tb)
{
    gm_code c;
    char *x = states_text(cx, v, a), *y = states_text(cy, v, b);
    same_text(v, what, x, y);
    if (x && v->stage->kind != GM_TRANSFORMER && strlen(x) < 8) complain(v, "fitting left no state");
    free(x), free(y);
    x = outputs_text(cx, a, ta, &c);
    fine(cx, v, what, c);
    y = outputs_text(cy, b, tb, &c);
    fine(cy, v, what, c);
    same_text(v, what, x, y);
    int64_t lines = 0;
    for (const char *p = x; p && *p; p++) lines += *p == '\n';
    if (x && lines != NEW + 1) complain(v, "%lld rows came out of %d", (long long)lines - 1, NEW);
    if (x && strchr(x, '<')) complain(v, "a column of a type that this test cannot read: %.200s", x);
    free(x), free(y);
}

static void check_saved(const variant *v)
{
    gm_cx *cx = session[1];
    gm_model *m = NULL, *file = NULL, *memory = NULL;
    char path[512], *info = NULL, *info2 = NULL;
    void *bytes = NULL;
    size_t size;
    snprintf(path, sizeof path, "%s/model.gm", folder);
    if (!fine(cx, v, "fit", fit(cx, v, plain[1], NULL, &m))) return;
    if (fine(cx, v, "save", gm_model_save(cx, m, path)) &&
        fine(cx, v, "load", gm_model_load(cx, path, &file)) &&
        fine(cx, v, "write", gm_model_write(cx, m, &bytes, &size)) &&
        fine(cx, v, "read", gm_model_read(cx, bytes, size, &memory)) &&
        fine(cx, v, "info", gm_model_info(cx, m, &info)) &&
        fine(cx, v, "info", gm_model_info(cx, memory, &info2))) {
        same_text(v, "what is known of the model and of the loaded one", info, info2);
        compare_models(v, "model and file", cx, m, cx, file, fresh[1], fresh[1]);
        compare_models(v, "model and bytes in another session", cx, m, session[0], memory, fresh[1],
                       fresh[0]);
    }
    gm_free(info), gm_free(info2), gm_free(bytes);
    gm_model_free(m), gm_model_free(file), gm_model_free(memory);
}

static void saved_and_loaded(void **state)
{
    (void)state;
    for_all(check_saved, NULL);
}

static void check_threads(const variant *v)
{
    static const char *const how[] = {NULL, "{\"persist\": \"MEMORY_ONLY\"}", "{\"persist\": \"DISK_ONLY\"}"};
    gm_model *first = NULL;
    if (!fine(session[0], v, "fit", fit(session[0], v, plain[0], NULL, &first))) return;
    for (int i = 0; i < 3; i++) {
        gm_model *m = NULL;
        char what[64];
        snprintf(what, sizeof what, "1 thread and %d, %s", 1 << i, how[i] ? how[i] : "default");
        if (fine(session[i], v, what, fit(session[i], v, plain[i], how[i], &m)))
            compare_models(v, what, session[0], first, session[i], m, fresh[0], fresh[i]);
        gm_model_free(m);
        m = NULL;
        if (i > 0 && fine(session[1], v, "persist", fit(session[1], v, plain[1], how[i], &m)))
            compare_models(v, how[i], session[0], first, session[1], m, fresh[0], fresh[1]);
        gm_model_free(m);
    }
    gm_model_free(first);
}

static void threads_and_levels(void **state)
{
    (void)state;
    for_all(check_threads, NULL);
}

static void check_order(const variant *v)
{
    gm_model *a = NULL, *b = NULL;
    gm_cx *cx = session[1];
    if (fine(cx, v, "fit", fit(cx, v, plain[1], NULL, &a)) &&
        fine(cx, v, "fit", fit(cx, v, shuffled, NULL, &b))) {
        bool learner = v->stage->kind == GM_CLASSIFIER || v->stage->kind == GM_REGRESSOR;
        char *x = states_text(cx, v, a), *y = states_text(cx, v, b);
        near_text(v, "rows in another order", x, y, learner ? 1e-5 : 1e-12);
        free(x), free(y);
    }
    gm_model_free(a), gm_model_free(b);
}

static void order_of_rows(void **state)
{
    (void)state;
    for_all(check_order, NULL);
}

/* ---- unusual data ---- */

/* An error that a user can act on: of the right kind, and it says where. */
static void check_clear(gm_cx *cx, const variant *v, const char *what, gm_code c)
{
    static const char *const names[] = {"n0", "n1", "n2", "k0", "k1", "t0", "t1", "d0",    "d1",   "c0",
                                        "c1", "s0", "s1", "e0", "e1", "w0", "w1", "label", ".csv", "no rows"};
    bool named = strstr(gm_message(cx), v->stage->name) != NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        named |= strstr(gm_message(cx), names[i]) != NULL;
    if (c != GM_EDATA && c != GM_ESCHEMA && c != GM_EFORMAT && c != GM_EPARAM)
        complain(v, "%s gives %s: %s", what, gm_code_name(c), gm_message(cx));
    else if (!named) complain(v, "%s: '%s' says not where", what, gm_message(cx));
}

/* null: missing values may come out, since missing values went in. */
static void try_data(const variant *v, const char *what, const gm_table *t, bool must_fail, bool null)
{
    gm_cx *cx = session[1];
    gm_model *m = NULL;
    gm_code c = fit(cx, v, t, NULL, &m);
    char *x = NULL;
    if (c == GM_OK) {
        if (must_fail) complain(v, "%s: a fit without an error", what);
        x = outputs_text(cx, m, t, &c);
    }
    if (c != GM_OK) check_clear(cx, v, what, c);
    const char *values = x ? strchr(x, '\n') : NULL; /* after the names */
    if (values && (strstr(values, "inf") || (!null && (strstr(values, "nan") || strstr(values, "null")))))
        complain(v, "%s: not finite: %.300s", what, values + 1);
    free(x);
    gm_model_free(m);
}

static gm_table *odd[4];

static void check_odd(const variant *v)
{
    bool fits = false;
    for (int i = 0; i < v->n; i++) fits |= v->chain[i]->kind != GM_TRANSFORMER;
    try_data(v, "one row", odd[0], false, false);
    try_data(v, "constant columns", odd[1], false, false);
    try_data(v, "all missing", odd[2], false, true);
    try_data(v, "no rows", odd[3], fits, false);
}

static void unusual_data(void **state)
{
    (void)state;
    odd[0] = table_of(session[1], "one", 1, PLAIN);
    odd[1] = table_of(session[1], "constant", 40, CONSTANT);
    odd[2] = table_of(session[1], "missing", 40, MISSING);
    static const char *const name = "t";
    if (gm_table_sql(session[1], "SELECT * FROM t WHERE n0 < 0", &name, &plain[1], 1, &odd[3]) != GM_OK)
        fail_msg("%s", gm_message(session[1]));
    for_all(check_odd, NULL);
    for (int i = 0; i < 4; i++) gm_table_free(odd[i]);
}

/* ---- cancelling ---- */

static int n_cancelled;

typedef struct stopper {
    gm_cx *cx;
    int at, seen;
} stopper;

static void stop(void *user, const gm_event *event)
{
    stopper *s = user;
    (void)event;
    if (++s->seen == s->at) gm_cancel(s->cx);
}

/* Cancelled at its first, second, ... event a fit ends at once; the context then works as before. */
static void check_cancel(const variant *v)
{
    gm_cx *cx = session[1];
    gm_model *m = NULL;
    char *x = NULL, *y = NULL;
    if (fine(cx, v, "fit", fit(cx, v, plain[1], NULL, &m))) x = states_text(cx, v, m);
    gm_model_free(m);
    for (int at = 1; at <= 4; at++) {
        stopper s = {.cx = cx, .at = at};
        m = NULL;
        fine(cx, v, "receiver", gm_on_event(cx, stop, &s));
        gm_code c = fit(cx, v, plain[1], NULL, &m);
        n_cancelled += c == GM_ECANCEL;
        if (c != GM_ECANCEL && s.seen > at)
            complain(v, "cancelled at event %d of %d: %s", at, s.seen, gm_code_name(c));
        if (s.seen > at + 2) complain(v, "%d events after it was cancelled", s.seen - at);
        gm_model_free(m);
        m = NULL;
        if (s.seen < at) break;
    }
    fine(cx, v, "receiver", gm_on_event(cx, NULL, NULL));
    if (fine(cx, v, "fit after a cancelled one", fit(cx, v, plain[1], NULL, &m))) y = states_text(cx, v, m);
    gm_model_free(m);
    same_text(v, "fits before and after a cancelled one", x, y);
    free(x), free(y);
}

static void cancelled(void **state)
{
    (void)state;
    for_all(check_cancel, NULL);
    assert_true(n_cancelled > 50 / shares); /* most stages must have been stopped at all */
}

int main(int argc, char **argv)
{
    take_share(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_valid), cmocka_unit_test(unknown_parameters),
        cmocka_unit_test(saved_and_loaded), cmocka_unit_test(threads_and_levels),
        cmocka_unit_test(order_of_rows),    cmocka_unit_test(unusual_data),
        cmocka_unit_test(cancelled),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

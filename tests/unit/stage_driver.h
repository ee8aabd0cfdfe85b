/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stage_driver.h - runs one feature stage as the planner does: parameters from JSON, ports, statistics over
 * tiles in parts, merge, finish, state rows through a copy (as a file would), ready, describe, apply.
 */
#ifndef GM_TESTS_STAGE_DRIVER_H
#define GM_TESTS_STAGE_DRIVER_H
/* cmocka.h wants these in front. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stage/find.h"
#include "stage/ports.h"
#include "stage/state.h"
#include <math.h>
#include <stdio.h>

enum { DRIVER_PORTS = 8, DRIVER_TILE = 3 };

typedef struct driver {
    gm_cx *cx;
    gm_arena a;
    gm_node node;
    gm_attr in_attr[DRIVER_PORTS], out_attr[DRIVER_PORTS];
    gm_column out[DRIVER_PORTS];
    gm_tally tally[DRIVER_PORTS];
    uint8_t drop[64];
    bool dropped;
    int warnings;
    char warning[512];
} driver;

static void driver_event(void *user, const gm_event *e)
{
    driver *d = user;
    if (e->level != GM_WARNING) return;
    d->warnings++;
    snprintf(d->warning, sizeof d->warning, "%s: %s", e->code, e->text);
}

#define OK(d, e) driver_ok((d), (e), __FILE__, __LINE__)
static inline void driver_ok(driver *d, gm_code code, const char *file, int line)
{
    if (code == GM_OK) return;
    print_error("%s:%d: %s (%s)\n", file, line, gm_message(d->cx), gm_hint(d->cx));
    _assert_true(0, "GM_OK", file, line);
}

/* The call fails with this code, and its message holds these words. */
static inline void driver_fails(driver *d, gm_code code, gm_code expected, const char *words)
{
    assert_int_equal(code, expected);
    if (strstr(gm_message(d->cx), words) == NULL && strstr(gm_hint(d->cx), words) == NULL) {
        print_error("message '%s' (%s) lacks '%s'\n", gm_message(d->cx), gm_hint(d->cx), words);
        fail();
    }
    gm_cx_begin(d->cx);
}

static inline gm_code driver_configure(driver *d, const char *stage, const char *json)
{
    gm_doc *doc;
    gm_node *n = &d->node;
    *n = (gm_node){.uid = stage};
    GM_TRY(gm_stage_need(d->cx, stage, NULL, &n->stage));
    GM_GOT(d->cx, n->params = gm_alloc(d->cx, &d->a, 1, n->stage->param_size));
    gm_param_defaults(n->stage->params, n->params);
    GM_TRY(gm_doc_json(d->cx, &d->a, json, strlen(json), "test", &doc));
    GM_TRY(gm_param_set_all(d->cx, &d->a, n->stage->params, n->params, doc, stage, &n->set));
    GM_TRY(gm_node_resolve(d->cx, &d->a, n));
    assert_true(n->n_in <= DRIVER_PORTS && n->n_out <= DRIVER_PORTS);
    n->in_attr = d->in_attr;
    n->out_attr = d->out_attr;
    return GM_OK;
}

static inline void driver_open(driver *d)
{
    *d = (driver){0};
    assert_int_equal(gm_cx_new("{\"threads\": 1}", &d->cx), GM_OK);
    assert_int_equal(gm_on_event(d->cx, driver_event, d), GM_OK);
}

static inline void driver_close(driver *d)
{
    gm_arena_end(&d->a);
    gm_cx_free(d->cx);
}

/* ---- columns ---- */
static inline gm_column reals(const double *x)
{
    return (gm_column){.type = GM_T_REAL, .real = x, .width = 1};
}

static inline gm_text text_of(const char *s) { return s ? gm_text_of(s, strlen(s)) : gm_text_none(); }

/* Texts by view; NULL is missing. */
static inline gm_column texts(driver *d, const char *const *s, int64_t n)
{
    gm_text *t = gm_alloc(d->cx, &d->a, n, sizeof *t);
    assert_non_null(t);
    for (int64_t i = 0; i < n; i++) t[i] = text_of(s[i]);
    return (gm_column){.type = GM_T_TEXT, .text = t, .width = 1};
}

/* The same column by codes of a dictionary, which also holds a text that no row has. */
static inline gm_column coded(driver *d, const gm_column *by_view, int64_t n)
{
    gm_dict *dict;
    gm_text extra = text_of("in no row at all");
    uint32_t *code = gm_alloc(d->cx, &d->a, n + 1, sizeof *code);
    assert_non_null(code);
    OK(d, gm_dict_new(d->cx, &d->a, &dict));
    OK(d, gm_dict_add(d->cx, dict, &extra, code));
    OK(d, gm_dict_add_many(d->cx, dict, by_view->text, n, code));
    gm_column c = *by_view;
    c.text = NULL;
    c.code = code;
    c.dict = dict;
    return c;
}

/* Words from "a b c" per row. */
static inline gm_column words(driver *d, const char *const *s, int64_t n)
{
    int64_t most = 0;
    for (int64_t i = 0; i < n; i++) most += (int64_t)strlen(s[i]);
    gm_text *t = gm_alloc(d->cx, &d->a, most + 1, sizeof *t);
    int64_t *off = gm_alloc(d->cx, &d->a, n + 1, sizeof *off), at = 0;
    assert_true(t && off);
    for (int64_t i = 0; i < n; i++) {
        for (const char *p = s[i]; *p;) {
            size_t len = strcspn(p, " ");
            t[at++] = gm_text_of(p, len);
            p += len + (p[len] == ' ');
        }
        off[i + 1] = at;
    }
    return (gm_column){.type = GM_T_WORDS, .text = t, .off = off, .width = 1};
}

static inline gm_column vector(const gm_part *part, int n_parts)
{
    gm_column c = {.type = GM_T_VECTOR, .part = part, .n_parts = n_parts};
    for (int k = 0; k < n_parts; k++) c.width += part[k].width;
    return c;
}

/* Rows from.. of a column, without a copy. */
static inline gm_column rows_from(driver *d, const gm_column *c, int64_t from)
{
    gm_column s = *c;
    if (c->type == GM_T_REAL) s.real += from;
    if (c->type == GM_T_TEXT && c->text) s.text += from;
    if (c->type == GM_T_TEXT && c->code) s.code += from;
    if (c->type == GM_T_WORDS) s.off += from;
    if (c->type != GM_T_VECTOR) return s;
    long armed = gm_oom_after; /* a test of failing allocations means those of the stage */
    gm_oom_after = -1;
    gm_part *part = gm_alloc(d->cx, &d->a, c->n_parts, sizeof *part);
    assert_non_null(part);
    gm_oom_after = armed;
    for (int k = 0; k < c->n_parts; k++) {
        part[k] = c->part[k];
        if (part[k].form == GM_DENSE) part[k].x += from;
        if (part[k].form == GM_CODED) part[k].code += from;
        if (part[k].form == GM_SPARSE) part[k].off += from;
    }
    s.part = part;
    return s;
}

/* ---- the stage ---- */
static inline void driver_inputs(driver *d, const gm_column *in)
{
    for (int k = 0; k < d->node.n_in; k++) {
        d->node.in[k].type = in[k].type;
        d->in_attr[k].type = in[k].type;
        d->in_attr[k].width = in[k].type == GM_T_VECTOR ? in[k].width : 1;
    }
    gm_node_types(&d->node);
}

/* Gives the accumulator rows [from, to), DRIVER_TILE at a time. */
static inline gm_code driver_part(driver *d, const gm_column *in, int64_t from, int64_t to, void **acc)
{
    GM_TRY(d->node.stage->begin(d->cx, &d->a, &d->node, acc));
    for (int64_t i = from; i < to; i += DRIVER_TILE) {
        gm_column tile[DRIVER_PORTS];
        for (int k = 0; k < d->node.n_in; k++) tile[k] = rows_from(d, &in[k], i);
        int64_t n = to - i < DRIVER_TILE ? to - i : DRIVER_TILE;
        GM_TRY(d->node.stage->update(d->cx, &d->a, &d->node, *acc, n, tile));
    }
    return GM_OK;
}

static inline gm_code driver_ready(driver *d)
{
    gm_node *n = &d->node;
    if (n->state && n->stage->states) {
        void *copy;
        GM_GOT(d->cx, copy = gm_alloc(d->cx, &d->a, 1, n->stage->state_size));
        GM_TRY(gm_state_copy(d->cx, &d->a, n->stage, n->state, copy));
        n->state = copy;
    }
    GM_TRY(gm_node_ready(d->cx, &d->a, n, true));
    for (int k = 0; k < n->n_out; k++) d->out_attr[k] = (gm_attr){.type = n->out[k].type, .width = 1};
    return n->stage->describe ? n->stage->describe(d->cx, &d->a, n, d->out_attr) : GM_OK;
}

/* Fits on rows rows cut into parts; parts without rows are part of it. */
static inline gm_code driver_fit(driver *d, const gm_column *in, int64_t rows, int parts)
{
    gm_node *n = &d->node;
    driver_inputs(d, in);
    n->state = NULL;
    if (n->stage->kind == GM_ESTIMATOR) {
        void *all = NULL, *acc;
        for (int p = 0; p < parts; p++) {
            GM_TRY(driver_part(d, in, rows * p / parts, rows * (p + 1) / parts, &acc));
            if (all) GM_TRY(n->stage->merge(d->cx, &d->a, n, all, acc));
            if (all == NULL) all = acc;
        }
        void *state;
        GM_GOT(d->cx, state = gm_alloc(d->cx, &d->a, 1, n->stage->state_size));
        GM_TRY(n->stage->finish(d->cx, &d->a, n, all, state));
        n->state = state;
    }
    return driver_ready(d);
}

static inline gm_code driver_apply(driver *d, const gm_column *in, int64_t rows)
{
    gm_node *n = &d->node;
    memset(d->drop, 0, sizeof d->drop);
    memset(d->tally, 0, sizeof d->tally);
    gm_apply ap = {.cx = d->cx,
                   .a = &d->a,
                   .node = n,
                   .rows = rows,
                   .in = in,
                   .out = d->out,
                   .drop = d->drop,
                   .tally = d->tally};
    assert_true(rows <= (int64_t)sizeof d->drop);
    for (int k = 0; k < n->n_out; k++) d->out[k] = (gm_column){.type = n->out[k].type};
    gm_code code = n->stage->apply(&ap);
    d->dropped = ap.dropped;
    return code;
}

/* Everything at once: fails the test when any step fails. */
static inline void driver_run(driver *d, const char *stage, const char *json, const gm_column *in,
                              int64_t rows, int parts)
{
    OK(d, driver_configure(d, stage, json));
    OK(d, driver_fit(d, in, rows, parts));
    OK(d, driver_apply(d, in, rows));
}

/* ---- expectations ---- */
static inline bool near_to(double a, double b, double tol)
{
    return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= tol * fmax(1, fabs(b));
}

#define EXPECT_REALS(x, tol, ...) \
    expect_reals((x), (const double[]){__VA_ARGS__}, GM_COUNT(((const double[]){__VA_ARGS__})), tol, \
                 __FILE__, __LINE__)
static inline void expect_reals(const double *x, const double *want, int64_t n, double tol, const char *file,
                                int line)
{
    for (int64_t i = 0; i < n; i++)
        if (!near_to(x[i], want[i], tol)) {
            print_error("%s:%d: element %lld is %.17g, expected %.17g\n", file, line, (long long)i, x[i],
                        want[i]);
            _assert_true(0, "as expected", file, line);
        }
}

/* Output k as rows x width numbers. */
static inline double *driver_dense(driver *d, int k, int64_t rows)
{
    double *x = NULL;
    if (d->out[k].type == GM_T_REAL) return (double *)(uintptr_t)d->out[k].real;
    gm_column *c = &d->out[k];
    x = gm_alloc(d->cx, &d->a, rows * c->width, sizeof *x);
    assert_non_null(x);
    for (int64_t p = 0, first = 0; p < c->n_parts; first += c->part[p++].width) {
        const gm_part *part = &c->part[p];
        for (int64_t i = 0; i < rows; i++) {
            double *row = x + i * c->width + first;
            for (int64_t j = 0; part->form == GM_DENSE && j < part->width; j++)
                row[j] = part->x[j * part->stride + i];
            if (part->form == GM_CODED && part->code[i] < part->width)
                row[part->code[i]] = part->level ? part->level[part->code[i]] : 1;
            for (int64_t e = part->form == GM_SPARSE ? part->off[i] : 0,
                         to = part->form == GM_SPARSE ? part->off[i + 1] : 0;
                 e < to; e++) {
                assert_true(e == part->off[i] || part->idx[e - 1] < part->idx[e]);
                assert_true(part->idx[e] < part->width);
                row[part->idx[e]] = part->val ? part->val[e] : 1;
            }
        }
    }
    return x;
}

#define EXPECT_NAMES(names, ...) \
    expect_names((names), (const char *const[]){__VA_ARGS__}, GM_COUNT(((const char *const[]){__VA_ARGS__})))
static inline void expect_names(gm_names names, const char *const *want, int64_t n)
{
    assert_int_equal(names.n, n);
    for (int64_t i = 0; i < n; i++) assert_string_equal(names.v[i], want[i]);
}

#define EXPECT_TEXTS(t, ...) \
    expect_texts((t), (const char *const[]){__VA_ARGS__}, GM_COUNT(((const char *const[]){__VA_ARGS__})))
static inline void expect_texts(const gm_texts *t, const char *const *want, int64_t n)
{
    assert_int_equal(t->n, n);
    for (int64_t i = 0; i < n; i++) {
        gm_text x = gm_texts_at(t, i), y = text_of(want[i]);
        assert_true(gm_text_equal(&x, &y));
    }
}

/* The words of row i of a WORDS column, joined by |. */
static inline const char *row_words(driver *d, const gm_column *c, int64_t i)
{
    gm_buf b = gm_buf_in(d->cx, &d->a);
    for (int64_t k = c->off[i]; k < c->off[i + 1]; k++) {
        gm_text t = gm_column_word(c, k);
        if (k > c->off[i]) gm_buf_str(&b, "|");
        gm_buf_add(&b, gm_text_ptr(&t), t.len);
    }
    OK(d, gm_buf_done(&b));
    return b.p;
}

/* A state array by name. */
static inline gm_array state_of(driver *d, const char *name)
{
    for (int i = 0; i < gm_state_count(d->node.stage); i++)
        if (strcmp(d->node.stage->states[i].name, name) == 0)
            return gm_state_at(d->node.stage, d->node.state, i);
    fail();
    return (gm_array){0};
}

#define DRIVER_MAIN(...) \
    int main(void) \
    { \
        const struct CMUnitTest tests[] = {__VA_ARGS__}; \
        return cmocka_run_group_tests(tests, NULL, NULL); \
    }
#endif

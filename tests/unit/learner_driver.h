/* SPDX-License-Identifier: Apache-2.0 */
/*
 * learner_driver.h - fits and asks one learner on arrays: parameters from JSON, rows in blocks of a chosen
 * size and form, its state through a copy, as a file would.
 */
#ifndef GM_TESTS_LEARNER_DRIVER_H
#define GM_TESTS_LEARNER_DRIVER_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "learn/linear/linear_model.h"
#include "stage/find.h"
#include "stage/ports.h"
#include "stage/state.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct learner {
    gm_cx *cx;
    gm_arena a;
    gm_node node;
    gm_attr attr[4];
    gm_dataset data;
    gm_code code;
    int warnings, iterations;
    char warning[512];
} learner;

/* What to fit: row-major x, and how its rows are laid out. */
typedef enum form { DENSE_ROWS, SPARSE_ROWS, MIXED_ROWS } form;
typedef struct rows {
    const double *x, *y, *w;
    int64_t n, d, classes;
    form form;
    int64_t block; /* rows a block; 0: 37 */
    int64_t parts; /* 0: 5 */
} rows;

static inline void learner_event(void *user, const gm_event *e)
{
    learner *l = user;
    if (strcmp(e->code, "fit.iteration") == 0) l->iterations++;
    if (e->level != GM_WARNING) return;
    l->warnings++;
    snprintf(l->warning, sizeof l->warning, "%s: %s", e->code, e->text);
}

static inline void learner_open(learner *l, const char *stage, const char *json, int threads)
{
    char options[64];
    gm_doc *d;
    snprintf(options, sizeof options, "{\"threads\": %d}", threads);
    *l = (learner){0};
    assert_int_equal(gm_cx_new(options, &l->cx), GM_OK);
    gm_on_event(l->cx, learner_event, l);
    const gm_stage *s = gm_stage_find(stage);
    assert_non_null(s);
    l->node = (gm_node){.stage = s, .uid = stage};
    l->node.params = gm_alloc(l->cx, &l->a, 1, s->param_size);
    gm_param_defaults(s->params, l->node.params);
    assert_int_equal(gm_doc_json(l->cx, &l->a, json, strlen(json), "test", &d), GM_OK);
    l->code = gm_param_set_all(l->cx, &l->a, s->params, l->node.params, d, stage, &l->node.set);
    if (l->code == GM_OK) l->code = gm_node_resolve(l->cx, &l->a, &l->node);
}

static inline void learner_close(learner *l)
{
    gm_arena_end(&l->a);
    gm_cx_free(l->cx);
}

static inline void *learner_room(learner *l, int64_t n, size_t size)
{
    void *p = gm_alloc(l->cx, &l->a, n + 1, size);
    assert_non_null(p);
    return p;
}

/* Columns from..to of rows at.. as one part. */
static inline gm_part dense_part(learner *l, const rows *r, int64_t at, int64_t n, int64_t from, int64_t to)
{
    double *x = learner_room(l, (to - from) * n, sizeof *x);
    for (int64_t j = from; j < to; j++)
        for (int64_t i = 0; i < n; i++) x[(j - from) * n + i] = r->x[(at + i) * r->d + j];
    return (gm_part){.form = GM_DENSE, .width = to - from, .x = x, .stride = n};
}

static inline gm_part sparse_part(learner *l, const rows *r, int64_t at, int64_t n, int64_t from, int64_t to)
{
    int64_t *off = learner_room(l, n + 1, sizeof *off), e = 0;
    uint32_t *idx = learner_room(l, n * (to - from), sizeof *idx);
    double *val = learner_room(l, n * (to - from), sizeof *val);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = from; j < to; j++) {
            double v = r->x[(at + i) * r->d + j];
            if (v != 0) idx[e] = (uint32_t)(j - from), val[e++] = v;
        }
        off[i + 1] = e;
    }
    return (gm_part){.form = GM_SPARSE, .width = to - from, .off = off, .idx = idx, .val = val};
}

/* Columns from..to hold one 1 at most in each row. */
static inline gm_part coded_part(learner *l, const rows *r, int64_t at, int64_t n, int64_t from, int64_t to)
{
    uint32_t *code = learner_room(l, n, sizeof *code);
    for (int64_t i = 0; i < n; i++) {
        code[i] = UINT32_MAX;
        for (int64_t j = from; j < to; j++)
            if (r->x[(at + i) * r->d + j] != 0) code[i] = (uint32_t)(j - from);
    }
    return (gm_part){.form = GM_CODED, .width = to - from, .code = code};
}

/* MIXED_ROWS: the columns from 2 on are one-hot and become two coded parts: a row has a level in one of them.
 */
static inline gm_block learner_block(learner *l, const rows *r, int64_t at, int64_t n)
{
    gm_part *p = learner_room(l, 3, sizeof *p);
    gm_block b = {.rows = n, .cols = r->d, .n_parts = 1, .part = p};
    b.y = r->y ? r->y + at : NULL;
    b.w = r->w ? r->w + at : NULL;
    if (r->form == DENSE_ROWS) p[0] = dense_part(l, r, at, n, 0, r->d);
    if (r->form == SPARSE_ROWS) p[0] = sparse_part(l, r, at, n, 0, r->d);
    if (r->form == MIXED_ROWS) {
        p[0] = dense_part(l, r, at, n, 0, 2);
        p[1] = coded_part(l, r, at, n, 2, 2 + (r->d - 2) / 2);
        p[2] = coded_part(l, r, at, n, 2 + (r->d - 2) / 2, r->d);
        b.n_parts = 3;
    }
    return b;
}

static inline void learner_data(learner *l, const rows *r)
{
    int64_t size = r->block ? r->block : 37, n = (r->n + size - 1) / size;
    gm_block *b = learner_room(l, n, sizeof *b);
    const char **names = learner_room(l, r->d, sizeof *names);
    for (int64_t i = 0; i < n; i++)
        b[i] = learner_block(l, r, i * size, (i + 1) * size < r->n ? size : r->n - i * size);
    for (int64_t j = 0; j < r->d; j++) names[j] = gm_format(l->cx, &l->a, "x%d", (int)j);
    assert_int_equal(gm_dataset_over(l->cx, &l->a, b, n, r->parts ? r->parts : 5, &l->data), GM_OK);
    l->data.cols = r->d;
    l->data.n_classes = r->classes;
    l->data.names = (gm_names){r->d, names};
}

/* On success the state has gone through a copy of its rows. */
static inline gm_code learner_fit(learner *l, const rows *r)
{
    const gm_stage *s = l->node.stage;
    if (l->code != GM_OK) return l->code;
    learner_data(l, r);
    void *made = learner_room(l, 1, s->state_size), *copy = learner_room(l, 1, s->state_size);
    l->code = s->fit(l->cx, &l->a, &l->node, &l->data, gm_comm_self(), made);
    if (l->code != GM_OK) return l->code;
    assert_int_equal(gm_state_copy(l->cx, &l->a, s, made, copy), GM_OK);
    l->node.state = copy;
    l->attr[0] = (gm_attr){.type = GM_T_VECTOR, .width = r->d};
    l->node.in_attr = l->attr;
    assert_int_equal(s->verify(l->cx, &l->node), GM_OK);
    return GM_OK;
}

static inline const gm_linear_state *learner_state(const learner *l) { return l->node.state; }

/* Opens, fits, and fails the test when that does. */
static inline void learner_fitted(learner *l, const char *stage, const char *json, const rows *r)
{
    learner_open(l, stage, json, 2);
    if (learner_fit(l, r) != GM_OK) fail_msg("%s: %s", stage, gm_cx_message(l->cx));
}

/* The fit fails with this code and a message or hint that holds the words. */
static inline void learner_fails(const char *stage, const char *json, const rows *r, gm_code code,
                                 const char *words)
{
    learner l;
    learner_open(&l, stage, json, 2);
    assert_int_equal(learner_fit(&l, r), code);
    if (!strstr(gm_cx_message(l.cx), words) && !strstr(gm_hint(l.cx), words))
        fail_msg("'%s' (%s) lacks '%s'", gm_cx_message(l.cx), gm_hint(l.cx), words);
    learner_close(&l);
}

static inline void learner_predict(learner *l, const rows *r, gm_prediction *out, int64_t k)
{
    gm_block b = learner_block(l, r, 0, r->n);
    b.y = b.w = NULL;
    out->prediction = learner_room(l, r->n, sizeof(double));
    if (k > 0) out->raw = learner_room(l, r->n * k, sizeof(double));
    if (k > 0 && l->node.stage->probabilistic) out->probability = learner_room(l, r->n * k, sizeof(double));
    assert_int_equal(l->node.stage->predict(l->cx, &l->node, &b, out), GM_OK);
}

static inline const char *learner_summary(learner *l)
{
    gm_buf b = gm_buf_in(l->cx, &l->a);
    l->node.stage->summarize(&b, &l->node);
    assert_int_equal(gm_buf_done(&b), GM_OK);
    return b.p;
}

static inline void near_all(const double *a, const double *b, int64_t n, double tol)
{
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= tol * (1 + fabs(b[i]))))
            fail_msg("entry %d: %.12g, expected %.12g within %g", (int)i, a[i], b[i], tol);
}
static inline void near_one(double a, double b, double tol) { near_all(&a, &b, 1, tol); }

/* Coefficients, then intercepts. */
static inline void learner_is(const learner *l, const double *expected, double tol)
{
    const gm_linear_state *s = learner_state(l);
    near_all(s->coefficients, expected, s->n_coefficients, tol);
    near_all(s->intercept, expected + s->n_coefficients, s->n_intercept, tol);
}
#endif

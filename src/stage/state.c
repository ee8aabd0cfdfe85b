/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.c - loops over the state rows of a stage.
 */
#include "stage/state.h"

static void *field(const void *state, size_t offset) { return (char *)(uintptr_t)state + offset; }

int gm_state_count(const gm_stage *stage)
{
    int n = 0;
    while (stage->states && stage->states[n].name) n++;
    return n;
}

gm_array gm_state_at(const gm_stage *stage, const void *state, int i)
{
    const gm_state *row = &stage->states[i];
    gm_array v = {.row = row};
    if (row->type == GM_S_TEXT) {
        v.texts = *(const gm_texts *)field(state, row->ptr);
        v.n = v.texts.n;
        return v;
    }
    v.n = *(const int64_t *)field(state, row->len);
    if (row->cols != SIZE_MAX) v.cols = *(const int64_t *)field(state, row->cols);
    if (row->type == GM_S_REAL) v.real = *(double *const *)field(state, row->ptr);
    else v.ints = *(int64_t *const *)field(state, row->ptr);
    return v;
}

/* Sets a length field, or checks it against the row before that has the same field. */
static gm_code set_length(gm_cx *cx, const gm_stage *stage, void *state, int i, size_t offset, int64_t n)
{
    int64_t *to = field(state, offset);
    for (int j = 0; j < i; j++) {
        const gm_state *row = &stage->states[j];
        if (row->type == GM_S_TEXT || (row->len != offset && row->cols != offset)) continue;
        if (*to == n) return GM_OK;
        return gm_fail(cx, GM_EMODEL,
                       "%s: array '%s' has length %lld, but '%s' has %lld; they belong together", stage->name,
                       stage->states[i].name, (long long)n, row->name, (long long)*to);
    }
    *to = n;
    return GM_OK;
}

gm_code gm_state_set(gm_cx *cx, const gm_stage *stage, void *state, int i, const gm_array *v)
{
    const gm_state *row = &stage->states[i];
    if (row->type == GM_S_TEXT) {
        *(gm_texts *)field(state, row->ptr) = v->texts;
        return GM_OK;
    }
    if (v->n < 0 || v->cols < 0 || (v->cols > 0 && v->n % v->cols != 0))
        return gm_fail(cx, GM_EMODEL, "%s: array '%s' has %lld elements in rows of %lld", stage->name,
                       row->name, (long long)v->n, (long long)v->cols);
    if ((row->cols == SIZE_MAX) != (v->cols == 0) && v->n > 0)
        return gm_fail(cx, GM_EMODEL, "%s: array '%s' must be a %s", stage->name, row->name,
                       row->cols == SIZE_MAX ? "vector" : "matrix");
    GM_TRY(set_length(cx, stage, state, i, row->len, v->n));
    if (row->cols != SIZE_MAX) GM_TRY(set_length(cx, stage, state, i, row->cols, v->cols));
    if (row->type == GM_S_REAL) *(const double **)field(state, row->ptr) = v->real;
    else *(const int64_t **)field(state, row->ptr) = v->ints;
    return GM_OK;
}

static gm_code copy_texts(gm_cx *cx, gm_arena *a, const gm_texts *from, gm_texts *to)
{
    int64_t *off;
    char *bytes;
    int64_t size = from->n > 0 ? from->off[from->n] - from->off[0] : 0;
    GM_NEW_IN(cx, a, off, from->n + 1);
    GM_NEW_IN(cx, a, bytes, size + 1);
    for (int64_t i = 0; i <= from->n && from->n > 0; i++) off[i] = from->off[i] - from->off[0];
    if (size > 0) memcpy(bytes, from->bytes + from->off[0], (size_t)size);
    *to = (gm_texts){.n = from->n, .off = off, .bytes = bytes};
    return GM_OK;
}

gm_code gm_state_copy(gm_cx *cx, gm_arena *a, const gm_stage *stage, const void *from, void *to)
{
    for (int i = 0; i < gm_state_count(stage); i++) {
        gm_array v = gm_state_at(stage, from, i);
        if (v.row->type == GM_S_TEXT) {
            GM_TRY(copy_texts(cx, a, &v.texts, &v.texts));
        } else if (v.row->type == GM_S_REAL) {
            double *x;
            GM_NEW_IN(cx, a, x, v.n);
            if (v.n > 0) memcpy(x, v.real, (size_t)v.n * sizeof *x);
            v.real = x;
        } else {
            int64_t *x;
            GM_NEW_IN(cx, a, x, v.n);
            if (v.n > 0) memcpy(x, v.ints, (size_t)v.n * sizeof *x);
            v.ints = x;
        }
        GM_TRY(gm_state_set(cx, stage, to, i, &v));
    }
    return GM_OK;
}

gm_code gm_node_ready(gm_cx *cx, gm_arena *kept, gm_node *node, bool loaded)
{
    const gm_stage *s = node->stage;
    /* Made anew each time: what an earlier plan left there lay in that plan's arena. */
    if (s->kind == GM_TRANSFORMER && s->state_size > 0)
        GM_GOT(cx, node->state = gm_alloc(cx, kept, 1, s->state_size));
    if (loaded && s->verify) GM_TRY(s->verify(cx, node));
    if (s->ready) GM_TRY(s->ready(cx, kept, node));
    return GM_OK;
}

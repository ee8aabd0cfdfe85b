/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex.c - a regular expression's tree to a program, and the Pike VM that runs it: all states at once, one
 * pass over the text, each state at most once per character. Time is text x program, whatever the pattern.
 */
#include "feature/text/regex.h"
#include "feature/text/lower.h"
#include "feature/text/regex_parse.h"

enum { MAX_PROGRAM = 20000, MAX_STEPS = 1000000 };

typedef enum op { SET, SPLIT, JUMP, BEGIN, END, WORD_EDGE, NO_WORD_EDGE, MATCH } op;
typedef struct inst {
    op op;
    int x, y; /* SPLIT: x goes first; JUMP: x */
    const gm_charset *set;
} inst;

struct gm_regex {
    inst *code;
    int n, cap, steps;      /* steps: nodes compiled, repeats counted; empty groups emit nothing */
    const gm_charset *only; /* the pattern is a set, or a set once or more often: no program is run */
    bool many;
};

/* States in order of preference, each with where its match began. */
typedef struct threads {
    int n, *pc;
    size_t *start;
} threads;
struct gm_matcher {
    threads now, next;
    uint64_t *seen, stamp; /* seen[pc] == stamp: already in the list being made */
    int *stack;
};

/* ---- compile ---- */
static gm_code emit(gm_cx *cx, gm_arena *a, gm_regex *re, inst i)
{
    if (re->n == MAX_PROGRAM)
        return gm_fail(cx, GM_EPARAM,
                       "the pattern is too large: over %d states once its repeats are written out",
                       MAX_PROGRAM);
    if (re->n == re->cap) {
        int cap = re->cap ? 2 * re->cap : 64;
        GM_GOT(cx, re->code = gm_regrow(cx, a, re->code, re->cap, cap, sizeof *re->code));
        re->cap = cap;
    }
    re->code[re->n++] = i;
    return GM_OK;
}

static void branch(gm_regex *re, int at, int inside, int past, bool lazy)
{
    re->code[at].x = lazy ? past : inside;
    re->code[at].y = lazy ? inside : past;
}

static gm_code compile(gm_cx *cx, gm_arena *a, gm_regex *re, const gm_re_node *n);

static gm_code compile_repeat(gm_cx *cx, gm_arena *a, gm_regex *re, const gm_re_node *n)
{
    for (int i = 0; i < n->min; i++) GM_TRY(compile(cx, a, re, n->left));
    if (n->max < 0) { /* L: split past; body; jump L */
        int at = re->n;
        GM_TRY(emit(cx, a, re, (inst){.op = SPLIT}));
        GM_TRY(compile(cx, a, re, n->left));
        GM_TRY(emit(cx, a, re, (inst){.op = JUMP, .x = at}));
        branch(re, at, at + 1, re->n, n->lazy);
        return GM_OK;
    }
    int first = re->n;
    for (int i = n->min; i < n->max; i++) {
        GM_TRY(emit(cx, a, re, (inst){.op = SPLIT, .set = (const void *)n}));
        GM_TRY(compile(cx, a, re, n->left));
    }
    for (int i = first; i < re->n; i++) /* all the optional ones skip to the end */
        if (re->code[i].op == SPLIT && re->code[i].set == (const void *)n) {
            branch(re, i, i + 1, re->n, n->lazy);
            re->code[i].set = NULL;
        }
    return GM_OK;
}

static gm_code compile(gm_cx *cx, gm_arena *a, gm_regex *re, const gm_re_node *n)
{
    int at, jump;
    if (++re->steps > MAX_STEPS) return gm_fail(cx, GM_EPARAM, "the pattern's repeats are nested too deep");
    switch (n->kind) {
    case GM_RE_EMPTY: return GM_OK;
    case GM_RE_SET: return emit(cx, a, re, (inst){.op = SET, .set = n->set});
    case GM_RE_BEGIN: return emit(cx, a, re, (inst){.op = BEGIN});
    case GM_RE_END: return emit(cx, a, re, (inst){.op = END});
    case GM_RE_WORD_EDGE: return emit(cx, a, re, (inst){.op = WORD_EDGE});
    case GM_RE_NO_WORD_EDGE: return emit(cx, a, re, (inst){.op = NO_WORD_EDGE});
    case GM_RE_REPEAT: return compile_repeat(cx, a, re, n);
    case GM_RE_CAT: GM_TRY(compile(cx, a, re, n->left)); return compile(cx, a, re, n->right);
    case GM_RE_ALT:
        at = re->n;
        GM_TRY(emit(cx, a, re, (inst){.op = SPLIT}));
        GM_TRY(compile(cx, a, re, n->left));
        jump = re->n;
        GM_TRY(emit(cx, a, re, (inst){.op = JUMP}));
        branch(re, at, at + 1, re->n, false);
        GM_TRY(compile(cx, a, re, n->right));
        re->code[jump].x = re->n;
        return GM_OK;
    }
    return GM_OK;
}

gm_code gm_regex_new(gm_cx *cx, gm_arena *a, const char *pattern, const char *what, gm_regex **out)
{
    const gm_re_node *tree;
    gm_regex *re;
    GM_TRY(gm_regex_parse(cx, a, pattern, what, &tree));
    GM_NEW_IN(cx, a, re, 1);
    if (tree->kind == GM_RE_SET) re->only = tree->set;
    if (tree->kind == GM_RE_REPEAT && tree->min == 1 && tree->max < 0 && !tree->lazy &&
        tree->left->kind == GM_RE_SET) {
        re->only = tree->left->set;
        re->many = true;
    }
    GM_TRY(gm_within(cx, compile(cx, a, re, tree), "%s", what));
    GM_TRY(emit(cx, a, re, (inst){.op = MATCH}));
    *out = re;
    return GM_OK;
}

gm_code gm_matcher_new(gm_cx *cx, gm_arena *a, const gm_regex *re, gm_matcher **out)
{
    gm_matcher *m;
    GM_NEW_IN(cx, a, m, 1);
    GM_NEW_IN(cx, a, m->now.pc, re->n);
    GM_NEW_IN(cx, a, m->now.start, re->n);
    GM_NEW_IN(cx, a, m->next.pc, re->n);
    GM_NEW_IN(cx, a, m->next.start, re->n);
    GM_NEW_IN(cx, a, m->seen, re->n);
    GM_NEW_IN(cx, a, m->stack, 2 * (int64_t)re->n + 1);
    *out = m;
    return GM_OK;
}

/* ---- run ---- */
static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool word_edge(const char *text, size_t n, size_t at)
{
    return (at > 0 && is_word(text[at - 1])) != (at < n && is_word(text[at]));
}

/* Adds pc and all that it leads to without reading, in order of preference. */
static void follow(const gm_regex *re, gm_matcher *m, threads *list, int pc, size_t start, const char *text,
                   size_t n, size_t at)
{
    int depth = 0;
    m->stack[depth++] = pc;
    while (depth > 0) {
        pc = m->stack[--depth];
        if (m->seen[pc] == m->stamp) continue;
        m->seen[pc] = m->stamp;
        const inst *i = &re->code[pc];
        switch (i->op) {
        case JUMP: m->stack[depth++] = i->x; break;
        case SPLIT:
            m->stack[depth++] = i->y;
            m->stack[depth++] = i->x;
            break;
        case BEGIN:
            if (at == 0) m->stack[depth++] = pc + 1;
            break;
        case END:
            if (at == n) m->stack[depth++] = pc + 1;
            break;
        case WORD_EDGE:
            if (word_edge(text, n, at)) m->stack[depth++] = pc + 1;
            break;
        case NO_WORD_EDGE:
            if (!word_edge(text, n, at)) m->stack[depth++] = pc + 1;
            break;
        case SET:
        case MATCH:
            list->pc[list->n] = pc;
            list->start[list->n++] = start;
            break;
        }
    }
}

static bool run(const gm_regex *re, gm_matcher *m, const char *text, size_t n, size_t from, size_t *start,
                size_t *end)
{
    bool found = false;
    m->now.n = 0;
    m->stamp++;
    for (size_t at = from;;) {
        /* A new attempt begins here, behind all older ones; m->stamp is that of the list. */
        if (!found) follow(re, m, &m->now, 0, at, text, n, at);
        if (m->now.n == 0 && (found || at >= n)) return found;
        size_t len = 1;
        uint32_t u = at < n ? gm_utf8_next(text + at, n - at, &len) : 0;
        m->next.n = 0;
        m->stamp++;
        for (int t = 0; t < m->now.n; t++) {
            int pc = m->now.pc[t];
            if (re->code[pc].op == MATCH) { /* what stands behind is worse */
                found = true;
                *start = m->now.start[t];
                *end = at;
                break;
            }
            if (at < n && gm_charset_has(re->code[pc].set, u))
                follow(re, m, &m->next, pc + 1, m->now.start[t], text, n, at + len);
        }
        threads swap = m->now;
        m->now = m->next;
        m->next = swap;
        if (at >= n) return found;
        at += len;
    }
}

static bool scan(const gm_regex *re, const char *text, size_t n, size_t from, size_t *start, size_t *end)
{
    size_t len;
    for (size_t at = from; at < n; at += len) {
        if (!gm_charset_has(re->only, gm_utf8_next(text + at, n - at, &len))) continue;
        *start = at;
        *end = at + len;
        while (re->many && *end < n && gm_charset_has(re->only, gm_utf8_next(text + *end, n - *end, &len)))
            *end += len;
        return true;
    }
    return false;
}

bool gm_regex_find(const gm_regex *re, gm_matcher *m, const char *text, size_t n, size_t from, size_t *start,
                   size_t *end)
{
    return re->only ? scan(re, text, n, from, start, end) : run(re, m, text, n, from, start, end);
}

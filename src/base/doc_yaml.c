/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc_yaml.c - YAML by libyaml's events, with the scalars of YAML 1.2's core schema: true, false, null, ~,
 * numbers. 'yes', 'no', 'on' and dates are texts. No anchors, aliases or tags, one document, keys are
 * scalars.
 *
 * Finished values wait on a stack; when a container ends, the values since its start become its children.
 */
#include "base/doc.h"
#include <math.h>
#include <stdlib.h>
#include <yaml.h>

enum { DEPTH = 100, MOST_NODES = 10000000 };

typedef struct frame {
    gm_doc d;        /* the container */
    int64_t start;   /* its first child on the stack */
    const char *key; /* of the value to come; NULL: a key comes, in a map */
    int key_line;
} frame;

typedef struct reader {
    gm_cx *cx;
    gm_arena *a;
    const char *origin;
    yaml_parser_t parser;
    gm_doc *stack; /* raw */
    int64_t n, cap, nodes;
    frame frames[DEPTH];
    int depth;
    bool have_root;
} reader;

static bool one_of(const char *s, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(s, *words) == 0) return true;
    return false;
}

static bool is_int(const char *s)
{
    s += *s == '-' || *s == '+';
    return *s && s[strspn(s, "0123456789")] == 0;
}

static bool is_real(const char *s)
{
    s += *s == '-' || *s == '+';
    size_t whole = strspn(s, "0123456789"), part = 0;
    s += whole;
    if (*s == '.') part = strspn(s + 1, "0123456789"), s += 1 + part;
    if (whole + part == 0) return false;
    if (*s == 'e' || *s == 'E') return is_int(s + 1);
    return *s == 0;
}

void gm_doc_scalar(gm_doc *d, const char *text)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const trues[] = {"true", "True", "TRUE", NULL};
    static const char *const falses[] = {"false", "False", "FALSE", NULL};
    static const char *const infs[] = {".inf", ".Inf", ".INF", NULL};
    static const char *const nans[] = {".nan", ".NaN", ".NAN", NULL};
    d->str = text;
    d->kind = GM_D_STR;
    if (one_of(text, nulls)) {
        d->kind = GM_D_NULL;
    } else if (one_of(text, trues) || one_of(text, falses)) {
        d->kind = GM_D_BOOL;
        d->b = one_of(text, trues);
    } else if (is_int(text) && gm_read_int(text, &d->i)) {
        d->kind = GM_D_INT;
        d->real = (double)d->i;
    } else if (text[0] == '0' && (text[1] == 'x' || text[1] == 'o') && text[2] && strlen(text) <= 17 &&
               text[2 + strspn(text + 2, text[1] == 'x' ? "0123456789abcdefABCDEF" : "01234567")] == 0) {
        d->kind = GM_D_INT;
        d->i = (int64_t)strtoull(text + 2, NULL, text[1] == 'x' ? 16 : 8);
        d->real = (double)d->i;
    } else if (is_real(text) && gm_read_real(text, &d->real)) {
        d->kind = GM_D_REAL;
    } else if (one_of(text, nans)) {
        d->kind = GM_D_REAL;
        d->real = NAN;
    } else if (one_of(text + (*text == '-' || *text == '+'), infs)) {
        d->kind = GM_D_REAL;
        d->real = *text == '-' ? -INFINITY : INFINITY;
    }
}

static gm_code bad(reader *r, int line, const char *what)
{
    gm_doc here = {.origin = r->origin, .line = line};
    return gm_fail(r->cx, GM_ESYNTAX, "%s: %s", gm_doc_where(r->cx, &here), what);
}

/* A finished value: a child of the open container, or the document. */
static gm_code place(reader *r, gm_doc d)
{
    frame *f = r->depth ? &r->frames[r->depth - 1] : NULL;
    if (++r->nodes > MOST_NODES) return bad(r, d.line, "more than 10 million values");
    if (f && f->d.kind == GM_D_MAP) {
        d.key = f->key;
        d.line = f->key_line;
        f->key = NULL;
    }
    if (r->n == r->cap) {
        int64_t cap = r->cap ? 2 * r->cap : 32;
        gm_doc *v = gm_raw_regrow(r->cx, r->stack, (size_t)cap * sizeof *v);
        GM_GOT(r->cx, v);
        r->stack = v;
        r->cap = cap;
    }
    r->stack[r->n++] = d;
    return GM_OK;
}

static gm_code open_container(reader *r, gm_kind kind, int line)
{
    frame *f = r->depth ? &r->frames[r->depth - 1] : NULL;
    if (r->depth == DEPTH) return bad(r, line, "nested deeper than 100");
    if (f && f->d.kind == GM_D_MAP && f->key == NULL)
        return bad(r, line, "a key must be a text, not a list or a map");
    r->frames[r->depth++] = (frame){.d = {.kind = kind, .line = line, .origin = r->origin}, .start = r->n};
    return GM_OK;
}

static gm_code close_container(reader *r)
{
    frame *f = &r->frames[r->depth - 1];
    gm_doc d = f->d;
    d.n = r->n - f->start;
    if (d.n) {
        GM_NEW_IN(r->cx, r->a, d.child, d.n);
        memcpy(d.child, r->stack + f->start, (size_t)d.n * sizeof *d.child);
    }
    if (d.kind == GM_D_MAP) GM_TRY(gm_doc_unique(r->cx, &d));
    r->n = f->start;
    r->depth--;
    return place(r, d);
}

static gm_code scalar(reader *r, const yaml_event_t *e, int line)
{
    frame *f = r->depth ? &r->frames[r->depth - 1] : NULL;
    const char *value = (const char *)e->data.scalar.value;
    gm_doc d = {.line = line, .origin = r->origin};
    if (strlen(value) != e->data.scalar.length) return bad(r, line, "a text holds the character NUL");
    GM_GOT(r->cx, value = gm_strndup(r->cx, r->a, value, e->data.scalar.length));
    if (f && f->d.kind == GM_D_MAP && f->key == NULL) {
        f->key = value;
        f->key_line = line;
        return GM_OK;
    }
    if (e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
        gm_doc_scalar(&d, value);
    } else {
        d.kind = GM_D_STR;
        d.str = value;
        d.quoted = true;
    }
    return place(r, d);
}

static gm_code event(reader *r, const yaml_event_t *e)
{
    int line = (int)e->start_mark.line + 1;
    switch (e->type) {
    case YAML_ALIAS_EVENT: return bad(r, line, "aliases (*name) are not allowed");
    case YAML_DOCUMENT_START_EVENT:
        if (r->have_root) return bad(r, line, "a second document begins here; one is allowed");
        r->have_root = true;
        return GM_OK;
    case YAML_SCALAR_EVENT:
        if (e->data.scalar.anchor) return bad(r, line, "anchors (&name) are not allowed");
        if (e->data.scalar.tag) return bad(r, line, "tags (!name) are not allowed; put texts into quotes");
        return scalar(r, e, line);
    case YAML_SEQUENCE_START_EVENT:
        if (e->data.sequence_start.anchor) return bad(r, line, "anchors (&name) are not allowed");
        if (e->data.sequence_start.tag) return bad(r, line, "tags (!name) are not allowed");
        return open_container(r, GM_D_LIST, line);
    case YAML_MAPPING_START_EVENT:
        if (e->data.mapping_start.anchor) return bad(r, line, "anchors (&name) are not allowed");
        if (e->data.mapping_start.tag) return bad(r, line, "tags (!name) are not allowed");
        return open_container(r, GM_D_MAP, line);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return close_container(r);
    default: return GM_OK;
    }
}

static gm_code parse_error(reader *r, const char *text, size_t n)
{
    const yaml_parser_t *p = &r->parser;
    const char *what = p->problem ? p->problem : "not YAML";
    int line = (int)p->problem_mark.line + 1;
    if (p->error == YAML_MEMORY_ERROR) return gm_fail(r->cx, GM_ENOMEM, "out of memory reading YAML");
    if (p->error == YAML_READER_ERROR) { /* it has no mark, only an offset */
        line = 1;
        for (size_t i = 0; i < n && i < p->problem_offset; i++) line += text[i] == '\n';
    }
    gm_buf b = gm_buf_in(r->cx, gm_scratch(r->cx));
    gm_buf_str(&b, what);
    if (p->context && p->error != YAML_READER_ERROR)
        gm_buf_printf(&b, " %s that begins in line %d", p->context, (int)p->context_mark.line + 1);
    GM_TRY(gm_buf_done(&b));
    gm_code code = bad(r, line, b.p);
    if (strstr(what, "cannot start any token"))
        code = gm_hint_add(
            r->cx, code, "indent with spaces, not with tabs; put texts with special characters into quotes");
    else if (strstr(what, "mapping values are not allowed") || strstr(what, "expected ':'") ||
             strstr(what, "expected <block end>"))
        code = gm_hint_add(r->cx, code, "check the indentation; put texts that hold ': ' into quotes");
    return code;
}

static gm_code parse(reader *r, const char *text, size_t n)
{
    bool end = false;
    while (!end) {
        yaml_event_t e;
        if (!yaml_parser_parse(&r->parser, &e)) return parse_error(r, text, n);
        gm_code code = event(r, &e);
        end = e.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&e);
        GM_TRY(code);
    }
    return GM_OK;
}

gm_code gm_doc_yaml(gm_cx *cx, gm_arena *a, const char *text, size_t n, const char *origin, gm_doc **out)
{
    reader *r;
    gm_doc *d;
    GM_NEW_IN(cx, a, r, 1);
    GM_NEW_IN(cx, a, d, 1);
    r->cx = cx;
    r->a = a;
    GM_GOT(cx, r->origin = gm_strdup(cx, a, origin));
    if (!yaml_parser_initialize(&r->parser)) return gm_fail(cx, GM_ENOMEM, "out of memory reading YAML");
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)text, n);
    gm_code code = parse(r, text, n);
    if (code == GM_OK) *d = r->n ? r->stack[0] : (gm_doc){.line = 1, .origin = r->origin};
    yaml_parser_delete(&r->parser);
    gm_raw_free(r->stack);
    if (code == GM_OK) *out = d;
    return code;
}

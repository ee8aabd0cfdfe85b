/* SPDX-License-Identifier: Apache-2.0 */
/*
 * param.c - values from a document into a struct, row by row of its table, each checked against its row.
 */
#include "base/param.h"
#include <math.h>

/* What is being set, for messages. */
typedef struct target {
    gm_cx *cx;
    gm_arena *a;
    const char *what; /* "LogisticRegression" */
    const gm_param *p;
    const gm_doc *d; /* the key's value */
} target;

static void *field(const gm_param *p, void *obj) { return (char *)obj + p->offset; }

int gm_param_count(const gm_param *t)
{
    int n = 0;
    while (t[n].name) n++;
    return n;
}

int gm_param_find(const gm_param *t, const char *name)
{
    for (int i = 0; t[i].name; i++)
        if (strcmp(t[i].name, name) == 0) return i;
    return -1;
}

void gm_param_defaults(const gm_param *t, void *obj)
{
    for (const gm_param *p = t; p->name; p++) {
        void *f = field(p, obj);
        switch (p->type) {
        case GM_P_BOOL: *(bool *)f = p->def != 0; break;
        case GM_P_INT: *(int64_t *)f = (int64_t)p->def; break;
        case GM_P_REAL: *(double *)f = p->def; break;
        case GM_P_ENUM: *(int *)f = (int)p->def; break;
        case GM_P_STRING: *(const char **)f = p->def_str; break;
        case GM_P_STRINGS: *(gm_names *)f = (gm_names){0}; break;
        case GM_P_REALS: *(gm_reals *)f = (gm_reals){0}; break;
        case GM_P_INTS: *(gm_ints *)f = (gm_ints){0}; break;
        }
    }
}

/* ---- messages ---- */

/* "inputCols" for the value itself, "inputCols[2]" for its element. */
static const char *named(const target *t, int64_t i)
{
    if (i < 0) return t->p->name;
    const char *s = gm_format(t->cx, gm_scratch(t->cx), "%s[%lld]", t->p->name, (long long)i);
    return s ? s : t->p->name;
}

static gm_code wrong_type(const target *t, const gm_doc *d, int64_t i, const char *expected)
{
    const char *found = gm_doc_found(t->cx, d), *where = gm_doc_where(t->cx, t->d);
    return gm_fail(t->cx, GM_EPARAM, "%s: %s: expected %s, found %s (%s)", t->what, named(t, i), expected,
                   found, where);
}

static void number_text(const gm_doc *d, char out[32])
{
    gm_real_text(d->real, false, out);
    if (d->kind != GM_D_INT) return;
    char *p = out + 31;
    uint64_t v = d->i < 0 ? -(uint64_t)d->i : (uint64_t)d->i;
    for (*p = 0; v || *p == 0; v /= 10) *--p = (char)('0' + v % 10);
    if (d->i < 0) *--p = '-';
    memmove(out, p, (size_t)(out + 32 - p));
}

static gm_code in_range(const target *t, const gm_doc *d, int64_t i)
{
    const gm_param *p = t->p;
    char value[32], min[32], max[32];
    if (p->min == 0 && p->max == 0) return GM_OK;
    bool open_min = p->open_min || isinf(p->min), open_max = p->open_max || isinf(p->max);
    bool above = open_min ? d->real > p->min : d->real >= p->min;
    bool below = open_max ? d->real < p->max : d->real <= p->max;
    if (above && below) return GM_OK;
    number_text(d, value);
    gm_real_text(p->min, false, min);
    gm_real_text(p->max, false, max);
    return gm_fail(t->cx, GM_EPARAM, "%s: %s = %s is outside %c%s, %s%c (%s)", t->what, named(t, i), value,
                   open_min ? '(' : '[', min, max, open_max ? ')' : ']', gm_doc_where(t->cx, t->d));
}

/* ---- one value ---- */

static gm_code real(const target *t, const gm_doc *d, int64_t i, double *out)
{
    static const char *const words[] = {"nan", "NaN", "inf", "Infinity", "-inf", "-Infinity"};
    gm_doc word = *d;
    for (int k = 0; d->kind == GM_D_STR && k < 6; k++) /* JSON has no other way to say them */
        if (strcmp(d->str, words[k]) == 0) {
            word.kind = GM_D_REAL;
            word.real = k < 2 ? NAN : k < 4 ? INFINITY : -INFINITY;
        }
    if (word.kind != GM_D_INT && word.kind != GM_D_REAL) return wrong_type(t, d, i, "a number");
    GM_TRY(in_range(t, &word, i));
    *out = word.real;
    return GM_OK;
}

static gm_code integer(const target *t, const gm_doc *d, int64_t i, int64_t *out)
{
    char value[32];
    if (d->kind != GM_D_INT && d->kind != GM_D_REAL) return wrong_type(t, d, i, "a whole number");
    if (d->kind == GM_D_REAL && d->real != floor(d->real)) {
        number_text(d, value);
        return gm_fail(t->cx, GM_EPARAM, "%s: %s = %s is not a whole number (%s)", t->what, named(t, i),
                       value, gm_doc_where(t->cx, t->d));
    }
    GM_TRY(in_range(t, d, i));
    if (d->kind == GM_D_REAL && !(fabs(d->real) < 0x1p63))
        return wrong_type(t, d, i, "a whole number of at most 64 bits");
    *out = d->kind == GM_D_INT ? d->i : (int64_t)d->real;
    return GM_OK;
}

static gm_code string(const target *t, const gm_doc *d, int64_t i, const char **out)
{
    const char *s = gm_doc_text(d);
    if (s == NULL)
        return wrong_type(t, d, i,
                          t->p->type == GM_P_STRINGS && i < 0 ? "a text or a list of texts" : "a text");
    GM_GOT(t->cx, *out = gm_strdup(t->cx, t->a, s));
    return GM_OK;
}

static gm_code choice(const target *t, int *out)
{
    const char *s = gm_doc_text(t->d);
    int n = 0;
    for (; t->p->choices[n]; n++) {
        if (s == NULL || strcmp(s, t->p->choices[n]) != 0) continue;
        *out = n;
        return GM_OK;
    }
    gm_buf b = gm_buf_in(t->cx, gm_scratch(t->cx));
    for (int k = 0; k < n; k++) gm_buf_printf(&b, "%s%s", k ? ", " : "", t->p->choices[k]);
    GM_TRY(gm_buf_done(&b));
    const char *near = s ? gm_nearest(s, t->p->choices, n) : NULL, *found = gm_doc_found(t->cx, t->d);
    gm_buf m = gm_buf_in(t->cx, gm_scratch(t->cx));
    gm_buf_printf(&m, "%s: %s: expected one of %s, found %s (%s)", t->what, t->p->name, b.p, found,
                  gm_doc_where(t->cx, t->d));
    if (near) gm_buf_printf(&m, "; did you mean '%s'?", near);
    GM_TRY(gm_buf_done(&m));
    return gm_fail(t->cx, GM_EPARAM, "%s", m.p);
}

/* ---- lists; a single value is a list of one ---- */

static gm_code strings(const target *t, gm_names *out)
{
    const char **v;
    bool list = t->d->kind == GM_D_LIST;
    int64_t n = list ? t->d->n : 1;
    GM_NEW_IN(t->cx, t->a, v, n);
    for (int64_t i = 0; i < n; i++) GM_TRY(string(t, list ? &t->d->child[i] : t->d, list ? i : -1, &v[i]));
    *out = (gm_names){n, v};
    return GM_OK;
}

static gm_code ints(const target *t, gm_ints *out)
{
    int64_t *v;
    bool list = t->d->kind == GM_D_LIST;
    int64_t n = list ? t->d->n : 1;
    GM_NEW_IN(t->cx, t->a, v, n);
    for (int64_t i = 0; i < n; i++) GM_TRY(integer(t, list ? &t->d->child[i] : t->d, list ? i : -1, &v[i]));
    *out = (gm_ints){n, v};
    return GM_OK;
}

static gm_code reals(const target *t, gm_reals *out)
{
    double *v;
    int64_t *start, total = 0, k = 0;
    const gm_doc *d = t->d;
    bool list = d->kind == GM_D_LIST, nested = list && d->n > 0 && d->child[0].kind == GM_D_LIST;
    int64_t n = list ? d->n : 1;
    for (int64_t i = 0; nested && i < n; i++) {
        if (d->child[i].kind != GM_D_LIST)
            return wrong_type(t, &d->child[i], i, "a list, as the ones before");
        total += d->child[i].n;
    }
    GM_NEW_IN(t->cx, t->a, v, nested ? total : n);
    if (!nested) {
        for (int64_t i = 0; i < n; i++) GM_TRY(real(t, list ? &d->child[i] : d, list ? i : -1, &v[i]));
        *out = (gm_reals){.n = n, .v = v};
        return GM_OK;
    }
    GM_NEW_IN(t->cx, t->a, start, n + 1);
    for (int64_t i = 0; i < n; i++) {
        start[i] = k;
        for (int64_t j = 0; j < d->child[i].n; j++) GM_TRY(real(t, &d->child[i].child[j], i, &v[k++]));
    }
    start[n] = k;
    *out = (gm_reals){total, v, n, start};
    return GM_OK;
}

static gm_code set_one(const target *t, void *obj)
{
    void *f = field(t->p, obj);
    switch (t->p->type) {
    case GM_P_BOOL:
        if (t->d->kind != GM_D_BOOL) return wrong_type(t, t->d, -1, "true or false");
        *(bool *)f = t->d->b;
        return GM_OK;
    case GM_P_INT: return integer(t, t->d, -1, f);
    case GM_P_REAL: return real(t, t->d, -1, f);
    case GM_P_ENUM: return choice(t, f);
    case GM_P_STRING: return string(t, t->d, -1, f);
    case GM_P_STRINGS: return strings(t, f);
    case GM_P_REALS: return reals(t, f);
    case GM_P_INTS: return ints(t, f);
    }
    return gm_fail(t->cx, GM_EINTERNAL, "%s: %s has no type", t->what, t->p->name);
}

static gm_code unknown(gm_cx *cx, const gm_param *t, const gm_doc *d, const char *what)
{
    const char **names;
    int n = gm_param_count(t);
    gm_buf b = gm_buf_in(cx, gm_scratch(cx)), known = gm_buf_in(cx, gm_scratch(cx));
    GM_NEW(cx, names, n);
    for (int i = 0; i < n; i++) {
        names[i] = t[i].name;
        gm_buf_printf(&known, "%s%s", i ? ", " : "", t[i].name);
    }
    const char *near = gm_nearest(d->key, names, n);
    gm_buf_printf(&b, "unknown parameter '%s' of %s (%s)", d->key, what, gm_doc_where(cx, d));
    if (near) gm_buf_printf(&b, "; did you mean '%s'?", near);
    GM_TRY(gm_buf_done(&b));
    GM_TRY(gm_buf_done(&known));
    if (n == 0) gm_buf_str(&known, "none");
    GM_TRY(gm_buf_done(&known));
    return gm_hint_add(cx, gm_fail(cx, GM_EPARAM, "%s", b.p), "its parameters: %s", known.p);
}

static gm_code set_key(gm_cx *cx, gm_arena *a, const gm_param *t, void *obj, const gm_doc *d,
                       const char *what, uint64_t *set)
{
    int row = gm_param_find(t, d->key);
    if (row < 0) return unknown(cx, t, d, what);
    if (row >= 64) return gm_fail(cx, GM_EINTERNAL, "%s has more than 64 parameters", what);
    if (d->kind == GM_D_NULL) return GM_OK; /* as if it had not been given */
    GM_TRY(set_one(&(target){cx, a, what, &t[row], d}, obj));
    *set |= (uint64_t)1 << row;
    return GM_OK;
}

gm_code gm_param_set_all(gm_cx *cx, gm_arena *a, const gm_param *t, void *obj, const gm_doc *map,
                         const char *what, uint64_t *set)
{
    bool some = map && map->kind != GM_D_NULL;
    if (some && map->kind != GM_D_MAP)
        return gm_fail(cx, GM_EPARAM, "%s: expected parameters as names with values, found %s (%s)", what,
                       gm_doc_found(cx, map), gm_doc_where(cx, map));
    for (int64_t i = 0; some && i < map->n; i++) GM_TRY(set_key(cx, a, t, obj, &map->child[i], what, set));
    for (int i = 0; t[i].name; i++) {
        bool has_default = t[i].type == GM_P_STRING && t[i].def_str != NULL;
        if (!t[i].required || has_default || *set >> i & 1) continue;
        if (map == NULL) return gm_fail(cx, GM_EPARAM, "%s: parameter '%s' is missing", what, t[i].name);
        return gm_fail(cx, GM_EPARAM, "%s: parameter '%s' is missing (%s)", what, t[i].name,
                       gm_doc_where(cx, map));
    }
    return GM_OK;
}

/* "a,b,c" as a list of what each stands for. */
static gm_code comma_list(gm_cx *cx, const char *value, bool as_text, gm_doc *list)
{
    int64_t n = 1, i = 0;
    for (const char *s = value; *s; s++) n += *s == ',';
    list->kind = GM_D_LIST;
    list->n = *value ? n : 0;
    GM_NEW(cx, list->child, n);
    for (const char *s = value, *end; i < list->n; s = end + 1) {
        end = s + strcspn(s, ",");
        while (s < end && *s == ' ') s++;
        size_t k = (size_t)(end - s);
        while (k && s[k - 1] == ' ') k--;
        char *item = gm_strndup(cx, gm_scratch(cx), s, k);
        GM_GOT(cx, item);
        gm_doc *d = &list->child[i++];
        if (as_text) *d = (gm_doc){.kind = GM_D_STR, .str = item};
        else gm_doc_scalar(d, item);
    }
    return GM_OK;
}

gm_code gm_param_set_text(gm_cx *cx, gm_arena *a, const gm_param *t, void *obj, const char *key,
                          const char *value, const char *what, uint64_t *set)
{
    gm_doc d = {.kind = GM_D_STR, .origin = "option", .key = key, .str = value}, *parsed = &d;
    int row = gm_param_find(t, key);
    gm_ptype type = row < 0 ? GM_P_STRING : t[row].type;
    bool list = type == GM_P_STRINGS || type == GM_P_REALS || type == GM_P_INTS;
    if (list && value[strspn(value, " ")] == '[') {
        GM_TRY(gm_doc_yaml(cx, gm_scratch(cx), value, strlen(value), "option", &parsed));
        parsed->key = key;
    } else if (list) {
        GM_TRY(comma_list(cx, value, type == GM_P_STRINGS, &d));
    } else if (type != GM_P_STRING && type != GM_P_ENUM) {
        gm_doc_scalar(&d, value);
        d.key = key;
    }
    return set_key(cx, a, t, obj, parsed, what, set);
}

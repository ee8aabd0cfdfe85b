/* SPDX-License-Identifier: Apache-2.0 */
/*
 * override.c - "a.b=c" on the command line changes a document: a path of names and numbers, then a YAML
 * value.
 *
 * A list is entered by number or by the single key of one of its maps, and such a map lets the path through
 * to its value: stages.2.maxIter and LogisticRegression.maxIter both reach {stages: [...,
 * {LogisticRegression: {maxIter: ...
 */
#include "base/doc.h"

typedef struct path {
    gm_cx *cx;
    gm_arena *a;
    const char *origin; /* "override a.b=c" */
    const char *rest;   /* what of the path is still to go */
} path;

static gm_code no_value(path *p, const char *assignment)
{
    return gm_hint_add(p->cx, gm_fail(p->cx, GM_EUSAGE, "%s: a value is missing", p->origin),
                       "write %sVALUE, or %snull to do without it", assignment, assignment);
}

static gm_code bad(path *p, const char *what)
{
    return gm_hint_add(p->cx, gm_fail(p->cx, GM_EUSAGE, "%s: %s", p->origin, what),
                       "write name=value, as in split.test=0.3 or LogisticRegression.regParam=0.1");
}

/* Cuts the next name off the path: up to a dot or '=', or in double quotes. */
static gm_code next_name(path *p, const char **name, bool *last)
{
    const char *s = p->rest, *from = s;
    size_t n;
    if (*s == '"') {
        from = s + 1;
        n = strcspn(from, "\"");
        if (from[n] == 0) return bad(p, "a quote is not closed");
        s = from + n + 1;
    } else {
        n = strcspn(s, ".=");
        s += n;
    }
    if (n == 0) return bad(p, "a name is missing");
    if (*s != '.' && *s != '=')
        return bad(p, *s ? "expected '.' or '=' after a quoted name" : "there is no '='");
    *last = *s == '=';
    p->rest = s + 1;
    GM_GOT(p->cx, *name = gm_strndup(p->cx, p->a, from, n));
    return GM_OK;
}

static gm_doc *child(gm_doc *map, const char *key)
{
    for (int64_t i = 0; i < map->n; i++)
        if (strcmp(map->child[i].key, key) == 0) return &map->child[i];
    return NULL;
}

static gm_code child_or_new(path *p, gm_doc *map, const char *key, gm_doc **out)
{
    if ((*out = child(map, key)) != NULL) return GM_OK;
    gm_doc *v = gm_regrow(p->cx, p->a, map->child, map->n, map->n + 1, sizeof *v);
    GM_GOT(p->cx, v);
    v[map->n] = (gm_doc){.kind = GM_D_NULL, .key = key, .origin = p->origin};
    map->child = v;
    *out = &v[map->n++];
    return GM_OK;
}

/* "- Tokenizer" in a list is short for "- Tokenizer: {}". */
static const char *single_key(const gm_doc *item)
{
    if (item->kind == GM_D_STR) return item->str;
    return item->kind == GM_D_MAP && item->n == 1 ? item->child[0].key : NULL;
}

static gm_code single_value(path *p, gm_doc *item, gm_doc **out)
{
    if (item->kind == GM_D_STR) {
        const char *key = item->str;
        *item = (gm_doc){.kind = GM_D_MAP, .line = item->line, .origin = item->origin, .key = item->key};
        return child_or_new(p, item, key, out);
    }
    *out = &item->child[0];
    return GM_OK;
}

/* Items of list with that single key: how many, and the last of them. */
static int64_t named(const gm_doc *list, const char *name, gm_doc **found)
{
    int64_t n = 0;
    for (int64_t i = 0; i < list->n; i++) {
        const char *key = single_key(&list->child[i]);
        if (key == NULL || strcmp(key, name) != 0) continue;
        *found = &list->child[i];
        n++;
    }
    return n;
}

static gm_code ambiguous(path *p, const char *name, int64_t n)
{
    return gm_hint_add(p->cx,
                       gm_fail(p->cx, GM_EUSAGE, "%s: there are %lld of '%s'", p->origin, (long long)n, name),
                       "say which by its number from 0, as in stages.2.%s", "maxIter=5");
}

static gm_code unknown(path *p, const gm_doc *list, const char *name)
{
    const char **names;
    int64_t n = 0;
    GM_NEW_IN(p->cx, p->a, names, list->n + 1);
    for (int64_t i = 0; i < list->n; i++)
        if (single_key(&list->child[i]) != NULL) names[n++] = single_key(&list->child[i]);
    const char *near = gm_nearest(name, names, n);
    gm_code c = gm_fail(p->cx, GM_EUSAGE, "%s: there is no '%s' in the list", p->origin, name);
    return near ? gm_hint_add(p->cx, c, "did you mean '%s'?", near) : c;
}

static gm_code into_list(path *p, gm_doc *list, const char *name, bool last, gm_doc **out)
{
    gm_doc *item = NULL;
    int64_t i, n;
    if (gm_read_int(name, &i)) {
        if (i < 0 || i >= list->n)
            return gm_fail(p->cx, GM_EUSAGE,
                           "%s: there is no number %lld in a list of %lld (they count from 0)", p->origin,
                           (long long)i, (long long)list->n);
        *out = &list->child[i];
        if (last || single_key(*out) == NULL) return GM_OK;
        /* The next name may be the single key itself; else the path goes on behind it. */
        path ahead = *p;
        const char *next = "";
        bool end;
        GM_TRY(next_name(&ahead, &next, &end));
        return strcmp(next, single_key(*out)) == 0 ? GM_OK : single_value(p, *out, out);
    }
    n = named(list, name, &item);
    if (n > 1) return ambiguous(p, name, n);
    if (n == 0) return unknown(p, list, name);
    return single_value(p, item, out);
}

/* A first name that root lacks may stand in one of its lists. */
static gm_code into_root_lists(path *p, gm_doc *root, const char *name, gm_doc **out)
{
    gm_doc *item = NULL;
    int64_t n = 0;
    for (int64_t i = 0; i < root->n; i++)
        if (root->child[i].kind == GM_D_LIST) n += named(&root->child[i], name, &item);
    if (n > 1) return ambiguous(p, name, n);
    return n == 1 ? single_value(p, item, out) : child_or_new(p, root, name, out);
}

gm_code gm_doc_override(gm_cx *cx, gm_arena *a, gm_doc *root, const char *inside, const char *assignment)
{
    path p = {.cx = cx, .a = a, .rest = assignment};
    gm_doc *at = root, *value = NULL, kept;
    const char *name;
    bool last = false, first = true;
    GM_GOT(cx, p.origin = gm_format(cx, a, "override %s", assignment));
    if (inside) GM_GOT(cx, p.rest = gm_format(cx, a, "%s.%s", inside, assignment));
    for (path ahead = p; !last;) { /* the whole of it is looked at before anything is changed */
        GM_TRY(next_name(&ahead, &name, &last));
        if (last && ahead.rest[strspn(ahead.rest, " \t\r\n")] == 0) return no_value(&p, assignment);
        if (last) GM_TRY(gm_doc_yaml(cx, a, ahead.rest, strlen(ahead.rest), p.origin, &value));
    }
    for (last = false; !last; first = false) {
        GM_TRY(next_name(&p, &name, &last));
        if (at->kind == GM_D_NULL) at->kind = GM_D_MAP;
        if (at->kind == GM_D_LIST) GM_TRY(into_list(&p, at, name, last, &at));
        else if (at->kind != GM_D_MAP)
            return gm_fail(cx, GM_EUSAGE, "%s: '%s' is not inside anything: there is %s", p.origin, name,
                           gm_doc_found(cx, at));
        else if (first && !last && child(at, name) == NULL) GM_TRY(into_root_lists(&p, at, name, &at));
        else GM_TRY(child_or_new(&p, at, name, &at));
    }
    kept = *at;
    *at = *value;
    at->key = kept.key;
    at->line = 0;
    return GM_OK;
}

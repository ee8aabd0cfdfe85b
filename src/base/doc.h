/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc.h - a parsed document (JSON, YAML, or "a.b=c" overrides) that remembers where each value stood.
 *
 * The tree lives in the arena given; texts are NUL-terminated and may not contain NUL. Parsing is bounded:
 * depth 100, 10 million nodes, no YAML aliases or tags, duplicate keys are errors. Errors are GM_ESYNTAX with
 * origin:line.
 */
#ifndef GM_BASE_DOC_H
#define GM_BASE_DOC_H
#include "base/buf.h"

typedef enum gm_kind { GM_D_NULL, GM_D_BOOL, GM_D_INT, GM_D_REAL, GM_D_STR, GM_D_LIST, GM_D_MAP } gm_kind;

typedef struct gm_doc {
    gm_kind kind;
    int line;           /* from 1; 0 unknown */
    const char *origin; /* file name, "option", "override a.b=c" */
    const char *key;    /* inside a map */
    bool quoted;        /* a YAML scalar in quotes is a string whatever it looks like */
    bool b;
    int64_t i;            /* GM_D_INT */
    double real;          /* GM_D_INT and GM_D_REAL */
    const char *str;      /* GM_D_STR; for other scalars of YAML and overrides the text as written */
    int64_t n;            /* children */
    struct gm_doc *child; /* array of n */
} gm_doc;

gm_code gm_doc_json(gm_cx *cx, gm_arena *a, const char *text, size_t n, const char *origin,
                    gm_doc **out) GM_NODISCARD;
gm_code gm_doc_yaml(gm_cx *cx, gm_arena *a, const char *text, size_t n, const char *origin,
                    gm_doc **out) GM_NODISCARD;
/* JSON when the first character that is not blank is '{' or '[', else YAML. */
gm_code gm_doc_parse(gm_cx *cx, gm_arena *a, const char *text, size_t n, const char *origin,
                     gm_doc **out) GM_NODISCARD;
/* Applies "a.b=c": walks or makes maps, indexes lists by number (from 0) or by the single key of their maps;
 * c is read as a YAML value. A first name that root lacks is looked for in root's lists
 * ("LogisticRegression.regParam=1"). A name with dots stands in double quotes. inside: where the path begins,
 * not told in messages, or NULL. */
gm_code gm_doc_override(gm_cx *cx, gm_arena *a, gm_doc *root, const char *inside,
                        const char *assignment) GM_NODISCARD;

const gm_doc *gm_doc_get(const gm_doc *map, const char *key); /* NULL when absent or not a map */
/* "flights.yaml:12" or "option 'x'": where a value stood, for messages. */
const char *gm_doc_where(gm_cx *cx, const gm_doc *d);
/* "text 'abc'", "number 5.5", "a list of 3": what a value is, for messages. */
const char *gm_doc_found(gm_cx *cx, const gm_doc *d);
/* The text of a string, or of another YAML scalar as it was written; NULL: neither. */
const char *gm_doc_text(const gm_doc *d);
/* Typed values of a map; null counts as absent. GM_EPARAM names the key, what was found and where it stood.
 */
gm_code gm_doc_str(gm_cx *cx, const gm_doc *map, const char *key, const char *def,
                   const char **out) GM_NODISCARD;
gm_code gm_doc_int(gm_cx *cx, const gm_doc *map, const char *key, int64_t def, int64_t min, int64_t max,
                   int64_t *out) GM_NODISCARD;
gm_code gm_doc_real(gm_cx *cx, const gm_doc *map, const char *key, double def, double *out) GM_NODISCARD;
gm_code gm_doc_bool(gm_cx *cx, const gm_doc *map, const char *key, bool def, bool *out) GM_NODISCARD;
/* Fails with the nearest name when map has a key that is not in keys (NULL-terminated). what: "option",
 * "source". */
gm_code gm_doc_only(gm_cx *cx, const gm_doc *map, const char *what, const char *const *keys) GM_NODISCARD;
/* Fails when a key stands twice in map. */
gm_code gm_doc_unique(gm_cx *cx, const gm_doc *map) GM_NODISCARD;
/* What a plain scalar of YAML 1.2 (core schema) means: fills kind, b, i, real and str. */
void gm_doc_scalar(gm_doc *d, const char *text);
/* Numbers that are not finite: "nan", "inf", "-inf" as texts in JSON, .nan, .inf, -.inf in YAML. */
void gm_doc_write_json(gm_buf *b, const char *key, const gm_doc *d);
void gm_doc_write_yaml(gm_buf *b, const gm_doc *d, int indent);
#endif

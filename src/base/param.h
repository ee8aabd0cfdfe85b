/* SPDX-License-Identifier: Apache-2.0 */
/*
 * param.h - one table per configurable thing; defaults, checks, help, schema, YAML, Python and search spaces
 * derive from it. A row says: name, field, type, default, range, meaning, and for columns what is read or
 * written.
 */
#ifndef GM_BASE_PARAM_H
#define GM_BASE_PARAM_H
#include "base/doc.h"

typedef enum gm_ptype {
    GM_P_BOOL,    /* bool */
    GM_P_INT,     /* int64_t */
    GM_P_REAL,    /* double */
    GM_P_STRING,  /* const char *; NULL: not set */
    GM_P_ENUM,    /* int: index into choices */
    GM_P_STRINGS, /* gm_names */
    GM_P_REALS,   /* gm_reals; may be a list of lists, see rows */
    GM_P_INTS     /* gm_ints */
} gm_ptype;

typedef struct gm_reals {
    int64_t n;
    const double *v;
    int64_t rows; /* > 0: it was a list of `rows` lists; list r is v[start[r] .. start[r+1]) */
    const int64_t *start;
} gm_reals;
typedef struct gm_ints {
    int64_t n;
    const int64_t *v;
} gm_ints;

/* What a column parameter means. An absent value (NULL, n = 0) reads or writes nothing. */
typedef enum gm_role { GM_OPTION, GM_READS, GM_WRITES } gm_role;
typedef enum gm_scale { GM_FIXED, GM_LINEAR, GM_LOG } gm_scale;

typedef struct gm_param {
    const char *name, *help;
    size_t offset;
    gm_ptype type;
    double def;          /* BOOL, INT, REAL, ENUM */
    const char *def_str; /* STRING; NULL: not set */
    double min, max; /* valid range of INT, REAL and of each element of REALS, INTS; closed; both 0: any */
    bool open_min, open_max;    /* the bound itself is not allowed */
    const char *const *choices; /* ENUM: NULL-terminated */
    gm_role role;
    unsigned column; /* READS: mask of the gm_type bits accepted; WRITES: the gm_type made (table/column.h) */
    bool required;
    const char *pairs_with; /* WRITES: names the input parameter; when absent its columns are named from it */
    struct {
        gm_scale scale;
        double lo, hi;
    } tune;
} gm_param;

/* offsetof plus a compile-time check that the field has the C type the row says. */
#define GM_FIELD(S, f, T) (offsetof(S, f) + 0 * sizeof(char[_Generic(((S *)0)->f, T : 1)]))
/* A row is {GM_REAL(struct, field, default), .min = , .max = , .help = , ...}; the last row is {0}. */
#define GM_ROW(S, f, T, kind) .name = #f, .offset = GM_FIELD(S, f, T), .type = kind
#define GM_BOOL(S, f, d) GM_ROW(S, f, bool, GM_P_BOOL), .def = (d)
#define GM_INT(S, f, d) GM_ROW(S, f, int64_t, GM_P_INT), .def = (double)(d)
#define GM_REAL(S, f, d) GM_ROW(S, f, double, GM_P_REAL), .def = (d)
#define GM_STRING(S, f, d) GM_ROW(S, f, const char *, GM_P_STRING), .def_str = (d)
#define GM_ENUM(S, f, d, list) GM_ROW(S, f, int, GM_P_ENUM), .def = (d), .choices = list
#define GM_STRINGS(S, f) GM_ROW(S, f, gm_names, GM_P_STRINGS)
#define GM_REALS(S, f) GM_ROW(S, f, gm_reals, GM_P_REALS)
#define GM_INTS(S, f) GM_ROW(S, f, gm_ints, GM_P_INTS)

int gm_param_count(const gm_param *t);
int gm_param_find(const gm_param *t, const char *name); /* row number or -1 */
void gm_param_defaults(const gm_param *t, void *obj);
/* Sets every key of map (strings and lists are copied to a); *set gets a bit per row that was given. what
 * names the owner in messages ("StringIndexer"). Unknown names, wrong types and values out of range fail with
 * where they stood. */
gm_code gm_param_set_all(gm_cx *cx, gm_arena *a, const gm_param *t, void *obj, const gm_doc *map,
                         const char *what, uint64_t *set) GM_NODISCARD;
/* One value from text, as the command line gives it. */
gm_code gm_param_set_text(gm_cx *cx, gm_arena *a, const gm_param *t, void *obj, const char *key,
                          const char *value, const char *what, uint64_t *set) GM_NODISCARD;
/* {"name": value, ...}: only rows whose bit is in mask. */
void gm_param_write(gm_buf *b, const char *key, const gm_param *t, const void *obj, uint64_t mask);
/* The rows whose value is not the default. */
uint64_t gm_param_changed(const gm_param *t, const void *obj);
/* The rows themselves, as gm_registry promises them ("params": [...]), and as JSON Schema (an object). */
void gm_param_describe(gm_buf *b, const char *key, const gm_param *t);
#define GM_JSON_SCHEMA "https://json-schema.org/draft/2020-12/schema"
void gm_param_schema(gm_buf *b, const char *key, const gm_param *t);
#endif

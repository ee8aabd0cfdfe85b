/* SPDX-License-Identifier: Apache-2.0 */
/*
 * param_describe.c - values and rows as JSON: what models store, and what gm_registry promises.
 */
#include "base/param.h"
#include <math.h>

static void real(gm_buf *b, const char *key, double v)
{
    char number[32];
    gm_real_text(v, false, number);
    if (isfinite(v)) gm_json_raw(b, key, number);
    else gm_json_str(b, key, number); /* "nan", "inf", "-inf": they read back */
}

static void reals(gm_buf *b, const char *key, const gm_reals *r)
{
    gm_json_open(b, key, '[');
    for (int64_t i = 0; r->rows == 0 && i < r->n; i++) real(b, NULL, r->v[i]);
    for (int64_t row = 0; row < r->rows; row++) {
        gm_json_open(b, NULL, '[');
        for (int64_t i = r->start[row]; i < r->start[row + 1]; i++) real(b, NULL, r->v[i]);
        gm_json_close(b, ']');
    }
    gm_json_close(b, ']');
}

static void value(gm_buf *b, const char *key, const gm_param *p, const void *obj)
{
    const void *f = (const char *)obj + p->offset;
    switch (p->type) {
    case GM_P_BOOL: gm_json_bool(b, key, *(const bool *)f); return;
    case GM_P_INT: gm_json_int(b, key, *(const int64_t *)f); return;
    case GM_P_REAL: real(b, key, *(const double *)f); return;
    case GM_P_ENUM: gm_json_str(b, key, p->choices[*(const int *)f]); return;
    case GM_P_STRING: gm_json_str(b, key, *(const char *const *)f); return;
    case GM_P_REALS: reals(b, key, f); return;
    case GM_P_STRINGS:
        gm_json_open(b, key, '[');
        for (int64_t i = 0; i < ((const gm_names *)f)->n; i++)
            gm_json_str(b, NULL, ((const gm_names *)f)->v[i]);
        gm_json_close(b, ']');
        return;
    case GM_P_INTS:
        gm_json_open(b, key, '[');
        for (int64_t i = 0; i < ((const gm_ints *)f)->n; i++)
            gm_json_int(b, NULL, ((const gm_ints *)f)->v[i]);
        gm_json_close(b, ']');
        return;
    }
}

void gm_param_write(gm_buf *b, const char *key, const gm_param *t, const void *obj, uint64_t mask)
{
    gm_json_open(b, key, '{');
    for (int i = 0; i < 64 && t[i].name; i++)
        if (mask >> i & 1) value(b, t[i].name, &t[i], obj);
    gm_json_close(b, '}');
}

static bool changed(const gm_param *p, const void *obj)
{
    const void *at = (const char *)obj + p->offset;
    const char *s;
    switch (p->type) {
    case GM_P_BOOL: return *(const bool *)at != (p->def != 0);
    case GM_P_INT: return *(const int64_t *)at != (int64_t)p->def;
    case GM_P_REAL: return *(const double *)at != p->def && !(isnan(*(const double *)at) && isnan(p->def));
    case GM_P_ENUM: return *(const int *)at != (int)p->def;
    case GM_P_STRING:
        s = *(const char *const *)at;
        return s != p->def_str && (s == NULL || p->def_str == NULL || strcmp(s, p->def_str) != 0);
    case GM_P_STRINGS: return ((const gm_names *)at)->n > 0;
    case GM_P_REALS: return ((const gm_reals *)at)->n > 0;
    case GM_P_INTS: return ((const gm_ints *)at)->n > 0;
    }
    return true;
}

uint64_t gm_param_changed(const gm_param *t, const void *obj)
{
    uint64_t mask = 0;
    for (int i = 0; i < 64 && t[i].name; i++)
        if (changed(&t[i], obj)) mask |= (uint64_t)1 << i;
    return mask;
}

static void default_value(gm_buf *b, const gm_param *p)
{
    switch (p->type) {
    case GM_P_BOOL: gm_json_bool(b, "default", p->def != 0); return;
    case GM_P_INT: gm_json_int(b, "default", (int64_t)p->def); return;
    case GM_P_REAL: real(b, "default", p->def); return;
    case GM_P_ENUM: gm_json_str(b, "default", p->choices[(int)p->def]); return;
    case GM_P_STRING: gm_json_str(b, "default", p->def_str); return;
    case GM_P_STRINGS:
    case GM_P_REALS:
    case GM_P_INTS:
        gm_json_open(b, "default", '[');
        gm_json_close(b, ']');
        return;
    }
}

static void choices(gm_buf *b, const char *key, const gm_param *p)
{
    gm_json_open(b, key, '[');
    for (int i = 0; p->choices[i]; i++) gm_json_str(b, NULL, p->choices[i]);
    gm_json_close(b, ']');
}

static void describe(gm_buf *b, const gm_param *p)
{
    static const char *const types[] = {"bool", "int", "real", "string", "enum", "strings", "reals", "ints"};
    static const char *const roles[] = {"option", "input", "output"};
    bool ranged = p->min != 0 || p->max != 0;
    gm_json_open(b, NULL, '{');
    gm_json_str(b, "name", p->name);
    gm_json_str(b, "type", types[p->type]);
    default_value(b, p);
    if (ranged && isfinite(p->min)) gm_json_real(b, p->open_min ? "above" : "min", p->min);
    if (ranged && isfinite(p->max)) gm_json_real(b, p->open_max ? "below" : "max", p->max);
    if (p->type == GM_P_ENUM) choices(b, "choices", p);
    gm_json_str(b, "help", p->help ? p->help : "");
    gm_json_str(b, "role", roles[p->role]);
    if (p->required) gm_json_bool(b, "required", true);
    if (p->pairs_with) gm_json_str(b, "pairsWith", p->pairs_with);
    if (p->tune.scale != GM_FIXED) {
        gm_json_open(b, "search", '{');
        gm_json_str(b, "scale", p->tune.scale == GM_LOG ? "log" : "linear");
        gm_json_real(b, "min", p->tune.lo);
        gm_json_real(b, "max", p->tune.hi);
        gm_json_close(b, '}');
    }
    gm_json_close(b, '}');
}

void gm_param_describe(gm_buf *b, const char *key, const gm_param *t)
{
    gm_json_open(b, key, '[');
    for (; t->name; t++) describe(b, t);
    gm_json_close(b, ']');
}

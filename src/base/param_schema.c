/* SPDX-License-Identifier: Apache-2.0 */
/*
 * param_schema.c - a parameter table as JSON Schema (2020-12): what editors check a pipeline file with.
 */
#include "base/param.h"
#include <math.h>

/* The inside of a schema for one element: its type and range. */
static void element(gm_buf *b, const gm_param *p)
{
    bool whole = p->type == GM_P_INT || p->type == GM_P_INTS, ranged = p->min != 0 || p->max != 0;
    gm_json_str(b, "type", whole ? "integer" : "number");
    if (ranged && isfinite(p->min)) gm_json_real(b, p->open_min ? "exclusiveMinimum" : "minimum", p->min);
    if (ranged && isfinite(p->max)) gm_json_real(b, p->open_max ? "exclusiveMaximum" : "maximum", p->max);
}

static void typed(gm_buf *b, const char *type)
{
    gm_json_open(b, NULL, '{');
    gm_json_str(b, "type", type);
    gm_json_close(b, '}');
}

static void number(gm_buf *b, const gm_param *p)
{
    gm_json_open(b, NULL, '{');
    element(b, p);
    gm_json_close(b, '}');
    if ((p->type == GM_P_REAL || p->type == GM_P_REALS) && p->min == 0 && p->max == 0) {
        gm_json_open(b, NULL, '{');
        gm_json_raw(b, "enum", "[\"nan\",\"inf\",\"-inf\"]");
        gm_json_close(b, '}');
    }
}

/* {"type":"array","items":{"anyOf":[...]}}; for lists of lists once more inside. */
static void array(gm_buf *b, const gm_param *p, int depth)
{
    gm_json_open(b, NULL, '{');
    gm_json_str(b, "type", "array");
    gm_json_open(b, "items", '{');
    gm_json_open(b, "anyOf", '[');
    if (p->type == GM_P_STRINGS) {
        typed(b, "string");
        typed(b, "number");
        typed(b, "boolean");
    } else {
        number(b, p);
    }
    if (p->type == GM_P_REALS && depth == 0) array(b, p, 1);
    gm_json_close(b, ']');
    gm_json_close(b, '}');
    gm_json_close(b, '}');
}

static void property(gm_buf *b, const gm_param *p)
{
    gm_json_open(b, p->name, '{');
    gm_json_str(b, "description", p->help ? p->help : "");
    gm_json_open(b, "anyOf", '[');
    switch (p->type) {
    case GM_P_BOOL: typed(b, "boolean"); break;
    case GM_P_INT:
    case GM_P_REAL: number(b, p); break;
    case GM_P_ENUM:
        gm_json_open(b, NULL, '{');
        gm_json_open(b, "enum", '[');
        for (int i = 0; p->choices[i]; i++) gm_json_str(b, NULL, p->choices[i]);
        gm_json_close(b, ']');
        gm_json_close(b, '}');
        break;
    case GM_P_STRINGS:
    case GM_P_REALS:
    case GM_P_INTS:
        array(b, p, 0); /* fall through: a single value is a list of one */
        __attribute__((fallthrough));
    case GM_P_STRING:
        if (p->type == GM_P_REALS || p->type == GM_P_INTS) {
            number(b, p);
        } else { /* in YAML a text may look like a number */
            typed(b, "string");
            typed(b, "number");
            typed(b, "boolean");
        }
        break;
    }
    typed(b, "null");
    gm_json_close(b, ']');
    gm_json_close(b, '}');
}

void gm_param_schema(gm_buf *b, const char *key, const gm_param *t)
{
    bool any = false;
    gm_json_open(b, key, '{');
    if (key == NULL) gm_json_str(b, "$schema", GM_JSON_SCHEMA); /* a document of its own */
    gm_json_str(b, "type", "object");
    gm_json_bool(b, "additionalProperties", false);
    gm_json_open(b, "properties", '{');
    for (const gm_param *p = t; p->name; p++) {
        property(b, p);
        any = any || p->required;
    }
    gm_json_close(b, '}');
    if (any) {
        gm_json_open(b, "required", '[');
        for (const gm_param *p = t; p->name; p++)
            if (p->required) gm_json_str(b, NULL, p->name);
        gm_json_close(b, ']');
    }
    gm_json_close(b, '}');
}

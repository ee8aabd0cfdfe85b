/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ports.c - from the column parameters of a configured node to its ports.
 *
 * Spark's two forms: a stage that has inputCol and inputCols takes one of them, and needs one. An empty name
 * ("") reads or writes nothing, as in Spark.
 */
#include "stage/ports.h"
#include <ctype.h>
#include <stdlib.h>

/* The columns a parameter names now: 0, 1 or, for a list, many. */
static gm_names value_of(const gm_node *node, const gm_param *p, const char **one)
{
    const char *at = (const char *)node->params + p->offset;
    if (p->type == GM_P_STRINGS) return *(const gm_names *)at;
    *one = *(const char *const *)at;
    bool there = *one != NULL && **one != '\0';
    return (gm_names){.n = there, .v = there ? one : NULL};
}

static int64_t count_of(const gm_node *node, const gm_param *p)
{
    const char *one;
    return value_of(node, p, &one).n;
}

/* The list form of p, "inputCols" for "inputCol"; NULL: there is none. */
static const gm_param *list_form(const gm_stage *s, const gm_param *p)
{
    size_t n = strlen(p->name);
    for (const gm_param *q = s->params; q->name; q++)
        if (q->role == p->role && q->type == GM_P_STRINGS && p->type == GM_P_STRING &&
            strncmp(q->name, p->name, n) == 0 && strcmp(q->name + n, "s") == 0)
            return q;
    return NULL;
}

static gm_code check_forms(gm_cx *cx, const gm_node *node)
{
    const gm_stage *s = node->stage;
    for (const gm_param *p = s->params; p->name; p++) {
        const gm_param *q = p->role == GM_OPTION ? NULL : list_form(s, p);
        if (q && count_of(node, p) > 0 && count_of(node, q) > 0)
            return gm_hint_add(
                cx, gm_fail(cx, GM_EPARAM, "%s: both %s and %s are given", s->name, p->name, q->name),
                "give one of them: %s for one column, %s for several", p->name, q->name);
        if (q && p->role == GM_READS && count_of(node, p) == 0 && count_of(node, q) == 0)
            return gm_fail(cx, GM_EPARAM, "%s: needs %s or %s: the column or columns to read", s->name,
                           p->name, q->name);
        if (p->required && (p->type == GM_P_STRING || p->type == GM_P_STRINGS) && count_of(node, p) == 0)
            return gm_fail(cx, GM_EPARAM, "%s: needs %s: %s", s->name, p->name, p->help);
    }
    return GM_OK;
}

static gm_code check_pairs(gm_cx *cx, const gm_node *node)
{
    const gm_stage *s = node->stage;
    for (const gm_param *p = s->params; p->name; p++) {
        if (p->role != GM_WRITES || p->pairs_with == NULL || count_of(node, p) == 0) continue;
        const gm_param *in = &s->params[gm_param_find(s->params, p->pairs_with)];
        int64_t n_in = count_of(node, in), n_out = count_of(node, p);
        if (n_in == 0)
            return gm_fail(cx, GM_EPARAM, "%s: %s is given without %s", s->name, p->name, in->name);
        if (p->type == GM_P_STRINGS && n_in != n_out)
            return gm_fail(cx, GM_EPARAM, "%s: %s names %lld columns and %s %lld; expected as many", s->name,
                           p->name, (long long)n_out, in->name, (long long)n_in);
    }
    return GM_OK;
}

char *gm_lower_camel(gm_cx *cx, gm_arena *a, const char *name)
{
    char *s = gm_strdup(cx, a, name);
    for (char *p = s; p && isupper((unsigned char)*p); p++) {
        /* The last capital of a run starts the next word. */
        if (p > s && islower((unsigned char)p[1])) break;
        *p = (char)tolower((unsigned char)*p);
    }
    return s;
}

static bool one_bit(unsigned mask) { return mask != 0 && (mask & (mask - 1)) == 0; }

/* Adds the ports of one parameter; absent outputs get their names here. */
static gm_code add_ports(gm_cx *cx, gm_arena *a, const gm_node *node, const gm_param *p, gm_port *port,
                         int *n)
{
    const gm_stage *s = node->stage;
    const char *one;
    gm_names names = value_of(node, p, &one);
    gm_type type = one_bit(p->column) ? (gm_type)p->column : (gm_type)0;
    for (int64_t i = 0; i < names.n; i++) {
        if (names.v[i] == NULL || *names.v[i] == '\0')
            return gm_fail(cx, GM_EPARAM, "%s: %s: name %lld is empty", s->name, p->name, (long long)i + 1);
        port[(*n)++] = (gm_port){.column = names.v[i], .param = p, .type = type};
    }
    if (names.n > 0 || p->role != GM_WRITES || p->pairs_with == NULL) return GM_OK;

    const gm_param *in = &s->params[gm_param_find(s->params, p->pairs_with)];
    char *suffix;
    GM_GOT(cx, suffix = gm_lower_camel(cx, a, s->name));
    names = value_of(node, in, &one);
    if (in->type == GM_P_STRINGS && p->type != GM_P_STRINGS && names.n > 0) {
        port[(*n)++] = (gm_port){.column = suffix, .param = p, .type = type};
        return GM_OK;
    }
    for (int64_t i = 0; i < names.n; i++) {
        char *made;
        GM_GOT(cx, made = gm_format(cx, a, "%s_%s", names.v[i], suffix));
        port[(*n)++] = (gm_port){.column = made, .param = p, .type = type};
    }
    return GM_OK;
}

static int by_column(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static gm_code check_distinct(gm_cx *cx, const gm_node *node)
{
    const char **names;
    GM_NEW(cx, names, node->n_out);
    for (int k = 0; k < node->n_out; k++) names[k] = node->out[k].column;
    if (node->n_out > 1) qsort(names, (size_t)node->n_out, sizeof *names, by_column);
    for (int k = 1; k < node->n_out; k++)
        if (strcmp(names[k - 1], names[k]) == 0)
            return gm_fail(cx, GM_EPARAM, "%s: column '%s' would be written twice", node->stage->name,
                           names[k]);
    return GM_OK;
}

gm_code gm_node_resolve(gm_cx *cx, gm_arena *a, gm_node *node)
{
    const gm_stage *s = node->stage;
    GM_TRY(check_forms(cx, node));
    GM_TRY(check_pairs(cx, node));

    int64_t most = 0;
    for (const gm_param *p = s->params; p->name; p++) {
        if (p->role == GM_OPTION) continue;
        most += count_of(node, p);
        if (p->pairs_with) most += count_of(node, &s->params[gm_param_find(s->params, p->pairs_with)]);
    }
    GM_NEW_IN(cx, a, node->in, most);
    GM_NEW_IN(cx, a, node->out, most);
    node->n_in = node->n_out = 0;
    for (const gm_param *p = s->params; p->name; p++) {
        if (p->role == GM_READS) GM_TRY(add_ports(cx, a, node, p, node->in, &node->n_in));
        if (p->role == GM_WRITES) GM_TRY(add_ports(cx, a, node, p, node->out, &node->n_out));
    }
    GM_TRY(check_distinct(cx, node));
    return s->check ? s->check(cx, node) : GM_OK;
}

void gm_node_types(gm_node *node)
{
    for (int k = 0; k < node->n_out; k++) {
        gm_port *out = &node->out[k];
        if (one_bit(out->param->column) || out->param->pairs_with == NULL) continue;
        int first = k; /* the k-th output of a parameter goes with the k-th input of its pair */
        while (first > 0 && node->out[first - 1].param == out->param) first--;
        for (int i = 0, nth = 0; i < node->n_in; i++)
            if (strcmp(node->in[i].param->name, out->param->pairs_with) == 0 && nth++ == k - first)
                out->type = node->in[i].type;
    }
}

bool gm_port_fit_only(const gm_port *port)
{
    return strcmp(port->param->name, "labelCol") == 0 || strcmp(port->param->name, "weightCol") == 0;
}

const char *gm_element_name(gm_cx *cx, gm_arena *a, const gm_attr *attr, const char *column, int64_t j)
{
    if (attr && j < attr->names.n) return attr->names.v[j];
    return gm_format(cx, a, "%s[%lld]", column, (long long)j);
}

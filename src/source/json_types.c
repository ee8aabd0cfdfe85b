/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_types.c - the types of a JSON file's columns. JSON says nothing of them before it was read, and what
 * does not fit a type guessed from its beginning is rounded or refused: it is looked at as a whole, and the
 * types are written down. The database makes DOUBLE of integers that have more than 64 bits, which are ids
 * more often than numbers: such columns are looked at again as they are written, and no digit is lost.
 */
#include "source/json_types.h"
#include "source/db.h"
#include <string.h>

/* What is found in a column that the database would read as DOUBLE, or with DOUBLE in it. */
static const struct {
    const char *found, *type;
    int level;
    const char *text;
} wider[] = {
    {"whole", "HUGEINT", GM_INFO, "integers of more than 64 bits: read as HUGEINT"},
    {"long", "VARCHAR", GM_WARNING, "integers of more than 38 digits: read as text"},
    {"mixed", "DOUBLE", GM_WARNING,
     "fractions, and integers of more than 64 bits, which are rounded: read as DOUBLE"},
    {"within", "VARCHAR", GM_WARNING, "integers of more than 64 bits within: read as JSON text"},
};

/* One of the words above, or NULL, as an aggregate over column c of texts. */
static void ask(gm_buf *b, const char *name, bool nested)
{
    gm_buf c = gm_buf_in(b->cx, gm_scratch(b->cx));
    gm_buf_ident(&c, name);
    if (gm_buf_done(&c) != GM_OK) {
        b->code = c.code;
    } else if (nested) { /* texts in it are emptied first */
        gm_buf_printf(b,
                      "CASE WHEN bool_or(regexp_matches(regexp_replace(%s, '\"(\\\\.|[^\"\\\\])*\"', '\"\"', "
                      "'g'), '(^|[^0-9.eE+-])-?[0-9]{19,}([^0-9.eE]|$)')) THEN 'within' END",
                      c.p);
    } else { /* CASE spares the dear tests for most values */
        gm_buf_printf(
            b,
            "CASE WHEN coalesce(bool_or(CASE WHEN strlen(%s) >= 19 AND NOT contains(%s, '.') THEN "
            "TRY_CAST(%s AS BIGINT) IS NULL AND regexp_full_match(%s, '-?[0-9]+') END), false) THEN ",
            c.p, c.p, c.p, c.p);
        gm_buf_printf(b,
                      "CASE WHEN bool_or(CASE WHEN contains(%s, '.') THEN true ELSE regexp_matches(%s, "
                      "'[^0-9-]') END) THEN 'mixed' WHEN bool_or(CASE WHEN strlen(%s) >= 39 THEN TRY_CAST(%s "
                      "AS HUGEINT) IS NULL END) THEN 'long' ELSE 'whole' END END",
                      c.p, c.p, c.p, c.p);
    }
}

static void say(gm_cx *cx, const gm_table *t, const gm_field *f, const char *found, const char **type)
{
    for (int64_t k = 0; k < GM_COUNT(wider); k++) {
        if (strcmp(wider[k].found, found) != 0) continue;
        *type = wider[k].type;
        gm_emit_kv(cx, wider[k].level, "json.wider", wider[k].text, "table", t->label, "column", f->name,
                   "type", wider[k].type, NULL);
    }
}

/* The types that keep every digit; type[i] is what the database would take. */
static gm_code widen(gm_cx *cx, gm_arena *a, const gm_table *t, const gm_columns *cols, const char **type)
{
    gm_con *con;
    gm_grid g;
    gm_buf b = gm_buf_in(cx, a), columns = gm_buf_in(cx, a);
    int64_t n = 0;
    gm_buf_str(&b, "SELECT ");
    for (int64_t i = 0; i < cols->n; i++) {
        if (strstr(type[i], "DOUBLE") == NULL) continue;
        gm_buf_str(&b, n ? ", " : "");
        gm_buf_str(&columns, n++ ? ", " : "");
        ask(&b, cols->field[i].name, strcmp(type[i], "DOUBLE") != 0);
        gm_buf_literal(&columns, cols->field[i].name);
        gm_buf_str(&columns, ": 'VARCHAR'");
    }
    if (n == 0) return GM_OK;
    GM_TRY(gm_buf_done(&columns));
    gm_buf_str(&b, " FROM read_json([");
    for (int64_t i = 0; i < t->files.n; i++) {
        if (i) gm_buf_str(&b, ", ");
        gm_buf_literal(&b, t->files.v[i]);
    }
    gm_buf_printf(&b, "], columns = {%s})", columns.p);
    GM_TRY(gm_buf_done(&b));
    GM_TRY(gm_con_open(cx, a, t->db, &con));
    GM_TRY(gm_con_grid(con, a, b.p, &g));
    for (int64_t i = 0, k = 0; i < cols->n; i++) {
        if (strstr(type[i], "DOUBLE") == NULL) continue;
        const char *found = gm_grid_at(&g, 0, k++);
        if (found) say(cx, t, &cols->field[i], found, &type[i]);
    }
    return GM_OK;
}

static gm_code pin(gm_cx *cx, gm_arena *a, gm_table *t)
{
    const gm_columns *cols;
    const char **type;
    t->sql = ", sample_size = -1";
    GM_TRY(gm_table_schema(cx, t, &cols));
    GM_NEW_IN(cx, a, type, cols->n);
    for (int64_t i = 0; i < cols->n; i++) type[i] = cols->field[i].type;
    GM_TRY(widen(cx, a, t, cols, type));
    gm_buf b = gm_buf_in(cx, &t->kept);
    gm_buf_str(&b, ", columns = {");
    for (int64_t i = 0; i < cols->n; i++) {
        if (i) gm_buf_str(&b, ", ");
        gm_buf_literal(&b, cols->field[i].name);
        gm_buf_str(&b, ": ");
        gm_buf_literal(&b, type[i]);
    }
    gm_buf_str(&b, "}");
    GM_TRY(gm_buf_done(&b));
    t->sql = b.p;
    t->columns = NULL; /* what was asked before holds no longer */
    return GM_OK;
}

gm_code gm_json_pin_types(gm_cx *cx, gm_table *t)
{
    gm_arena a = {0};
    gm_code code = pin(cx, &a, t);
    gm_arena_end(&a);
    return code;
}

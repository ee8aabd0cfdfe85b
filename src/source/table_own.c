/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_own.c - tables as values: making, counting references, their columns. What they read is in csv.c,
 * files.c, arrow_in.c and sql_table.c; how their queries run in run.c.
 */
#include "source/table_own.h"
#include "base/file.h"
#include "base/session.h"
#include "source/csv/csv.h"
#include "source/write.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

gm_code gm_table_new(gm_cx *cx, const gm_table_kind *kind, gm_db *db, const char *label,
                     gm_table *const *deps, int n_deps, gm_table **out)
{
    gm_arena a = {0};
    gm_table *t = gm_alloc(cx, &a, 1, sizeof *t);
    gm_table **dep = gm_alloc(cx, &a, n_deps, sizeof *dep);
    const char **names = gm_alloc(cx, &a, n_deps, sizeof *names);
    char *said = label ? gm_redact(cx, &a, label) : "";
    if (!t || !dep || !names || !said) return gm_arena_end(&a), gm_why_null(cx);
    *t = (gm_table){.kept = a, .kind = kind, .label = said, .n_deps = n_deps, .dep = dep, .dep_name = names};
    atomic_init(&t->refs, 1);
    atomic_init(&t->rows, -1);
    t->session = gm_session_ref(gm_session_of(cx));
    t->db = gm_db_ref(db);
    t->serial = gm_hub_number(db->hub);
    for (int i = 0; i < n_deps; i++) dep[i] = gm_table_ref(deps[i]);
    pthread_mutex_init(&t->lock, NULL);
    *out = t;
    return GM_OK;
}

gm_table *gm_table_ref(const gm_table *t)
{
    gm_table *m = (gm_table *)(uintptr_t)t; /* const for its users; the count is ours */
    atomic_fetch_add(&m->refs, 1);
    return m;
}

void gm_table_unref(gm_table *t)
{
    if (t == NULL || atomic_fetch_sub(&t->refs, 1) != 1) return;
    if (t->kind->end) t->kind->end(t);
    for (int i = 0; i < t->n_deps; i++) gm_table_unref(t->dep[i]);
    gm_db *db = t->db;
    gm_session *session = t->session;
    pthread_mutex_destroy(&t->lock);
    gm_arena_end(&t->spooled);
    gm_arena_end(&t->kept);
    gm_db_unref(db);
    gm_session_unref(session);
}

gm_code gm_table_say(gm_cx *cx, const gm_table *t, gm_buf *b)
{
    gm_arena a = {0};
    gm_buf own = gm_buf_in(cx, &a);
    gm_code code = GM_OK;
    if (t->kind->text) code = t->kind->text(cx, t, &own);
    else gm_buf_str(&own, t->label);
    if (code == GM_OK) code = gm_buf_done(&own);
    char *said = code == GM_OK ? gm_redact(cx, &a, own.p) : NULL;
    if (said) gm_buf_str(b, said);
    else if (code == GM_OK) code = gm_cx_code(cx);
    gm_arena_end(&a);
    return code != GM_OK ? code : b->code;
}

const char *gm_table_label(const gm_table *t) { return t->label; }

void gm_table_ident(gm_buf *b, const gm_table *t)
{
    char name[40];
    snprintf(name, sizeof name, "gm %llu", (unsigned long long)t->serial);
    gm_buf_ident(b, name);
}

/* ---- columns ---- */

gm_class gm_class_of(const char *type)
{
    static const struct {
        const char *start;
        gm_class cls;
    } rows[] = {
        {"TIMESTAMP", GM_CLASS_TIMESTAMP}, {"TIME", GM_CLASS_TIME},       {"DATE", GM_CLASS_DATE},
        {"BOOLEAN", GM_CLASS_BOOL},        {"VARCHAR", GM_CLASS_TEXT},    {"ENUM", GM_CLASS_TEXT},
        {"UUID", GM_CLASS_TEXT},           {"TINYINT", GM_CLASS_NUMBER},  {"SMALLINT", GM_CLASS_NUMBER},
        {"INTEGER", GM_CLASS_NUMBER},      {"BIGINT", GM_CLASS_NUMBER},   {"UTINYINT", GM_CLASS_NUMBER},
        {"USMALLINT", GM_CLASS_NUMBER},    {"UINTEGER", GM_CLASS_NUMBER}, {"UBIGINT", GM_CLASS_NUMBER},
        {"HUGEINT", GM_CLASS_NUMBER},      {"UHUGEINT", GM_CLASS_NUMBER}, {"FLOAT", GM_CLASS_NUMBER},
        {"DOUBLE", GM_CLASS_NUMBER},       {"DECIMAL", GM_CLASS_NUMBER},
    };
    gm_class cls = GM_CLASS_OTHER;
    /* Spark's vectors, as they come back from its files and from our own wide outputs. */
    if (strcmp(type, "STRUCT(\"type\" TINYINT, size INTEGER, indices INTEGER[], \"values\" DOUBLE[])") == 0)
        return GM_CLASS_REALS;
    for (int64_t i = 0; i < GM_COUNT(rows) && cls == GM_CLASS_OTHER; i++)
        if (strncmp(type, rows[i].start, strlen(rows[i].start)) == 0) cls = rows[i].cls;
    size_t n = strlen(type);
    if (n == 0 || type[n - 1] != ']') return cls;
    bool nested = n > 2 && memchr(type, '[', n - 2) && strchr(type, '[') != strrchr(type, '[');
    if (nested) return GM_CLASS_OTHER;
    return cls == GM_CLASS_NUMBER ? GM_CLASS_REALS : cls == GM_CLASS_TEXT ? GM_CLASS_TEXTS : GM_CLASS_OTHER;
}

/* The plans of CSV files change while they are read; the sum of their versions tells whether columns are
 * still right. */
static gm_code version_of(gm_cx *cx, gm_arena *a, const gm_table *t, int64_t *out)
{
    const gm_table **all;
    int n;
    GM_TRY(gm_table_all(cx, a, t, &all, &n));
    *out = 1;
    for (int i = 0; i < n; i++) *out += gm_csv_version(all[i]);
    return GM_OK;
}

static gm_code describe(gm_cx *cx, gm_arena *scratch, gm_table *t, gm_columns **out)
{
    gm_con *con;
    gm_grid g;
    gm_run run = {.arena = scratch, .unread = true};
    gm_buf b = gm_buf_in(cx, scratch);
    GM_TRY(gm_con_open(cx, scratch, t->db, &con));
    run.con = con;
    gm_buf_str(&b, "SELECT column_name, column_type FROM (DESCRIBE ");
    GM_TRY(gm_table_compose(cx, t, &run, &b));
    gm_buf_str(&b, "SELECT * FROM ");
    gm_table_ident(&b, t);
    gm_buf_str(&b, ")");
    GM_TRY(gm_buf_done(&b));
    GM_TRY(gm_con_grid(con, scratch, b.p, &g));
    gm_columns *cols;
    gm_field *f;
    GM_NEW_IN(cx, &t->kept, cols, 1);
    GM_NEW_IN(cx, &t->kept, f, g.rows);
    for (int64_t i = 0; i < g.rows; i++) {
        GM_GOT(cx, f[i].name = gm_strdup(cx, &t->kept, gm_grid_at(&g, i, 0)));
        GM_GOT(cx, f[i].type = gm_strdup(cx, &t->kept, gm_grid_at(&g, i, 1)));
        f[i].cls = gm_class_of(f[i].type);
    }
    *cols = (gm_columns){.n = g.rows, .field = f};
    *out = cols;
    return GM_OK;
}

gm_code gm_table_schema(gm_cx *cx, const gm_table *ct, const gm_columns **out)
{
    gm_table *t = (gm_table *)(uintptr_t)ct;
    gm_arena scratch = {0};
    int64_t version = 0;
    gm_code code = version_of(cx, &scratch, t, &version);
    if (code == GM_OK) {
        pthread_mutex_lock(&t->lock); /* held while asking: t's arena is one thread's at a time */
        if (t->columns == NULL || t->version != version) code = describe(cx, &scratch, t, &t->columns);
        if (code == GM_OK) t->version = version, *out = t->columns;
        pthread_mutex_unlock(&t->lock);
    }
    gm_arena_end(&scratch);
    return code;
}

int64_t gm_columns_find(const gm_columns *s, const char *name)
{
    for (int64_t i = 0; i < s->n; i++)
        if (strcmp(s->field[i].name, name) == 0) return i;
    return -1;
}

gm_code gm_columns_need(gm_cx *cx, const gm_columns *s, const char *name, int64_t *out)
{
    const char **names;
    if ((*out = gm_columns_find(s, name)) >= 0) return GM_OK;
    gm_code code = gm_fail(cx, GM_ESCHEMA, "there is no column '%s'", name);
    gm_arena a = {0};
    if ((names = gm_alloc(cx, &a, s->n, sizeof *names)) != NULL) {
        for (int64_t i = 0; i < s->n; i++) names[i] = s->field[i].name;
        const char *near = gm_nearest(name, names, s->n);
        code = near ? gm_hint_add(cx, code, "did you mean '%s'?", near)
                    : gm_hint_add(cx, code, "the %scolumns are '%s'%s%s%s", s->n > 2 ? "first " : "",
                                  s->n ? names[0] : "", s->n > 1 ? ", '" : "", s->n > 1 ? names[1] : "",
                                  s->n > 2   ? "', ..."
                                  : s->n > 1 ? "'"
                                             : "");
    }
    gm_arena_end(&a);
    return code;
}

static int by_case(const void *a, const void *b)
{
    return strcasecmp(*(const char *const *)a, *(const char *const *)b);
}

gm_code gm_names_distinct(gm_cx *cx, const gm_names *names, const char *where)
{
    const char **v;
    gm_arena a = {0};
    if ((v = gm_alloc(cx, &a, names->n, sizeof *v)) == NULL) return gm_arena_end(&a), gm_why_null(cx);
    if (names->n) memcpy(v, names->v, (size_t)names->n * sizeof *v);
    qsort(v, (size_t)names->n, sizeof *v, by_case);
    gm_code code = GM_OK;
    for (int64_t i = 1; i < names->n && code == GM_OK; i++) {
        if (strcasecmp(v[i - 1], v[i]) != 0) continue;
        if (strcmp(v[i - 1], v[i]) == 0)
            code = gm_fail(cx, GM_ESCHEMA, "%s: two columns are called '%s'", where, v[i]);
        else
            code = gm_fail(cx, GM_ESCHEMA,
                           "%s: the columns '%s' and '%s' differ only by case, which SQL cannot tell apart",
                           where, v[i - 1], v[i]);
        code = gm_hint_add(cx, code, "rename one of them");
    }
    gm_arena_end(&a);
    return code;
}

/* ---- tables that are a SELECT over one other ---- */

static gm_code select_body(gm_cx *cx, const gm_table *t, gm_run *run, gm_buf *b)
{
    (void)cx, (void)run;
    const char *tail = t->own;
    gm_buf_printf(b, "SELECT %s FROM ", t->sql);
    gm_table_ident(b, t->dep[0]);
    if (tail[0]) gm_buf_printf(b, " %s", tail);
    return GM_OK;
}

static gm_code select_text(gm_cx *cx, const gm_table *t, gm_buf *b)
{
    gm_buf_printf(b, "SELECT %s FROM (", t->sql);
    GM_TRY(gm_table_say(cx, t->dep[0], b));
    gm_buf_printf(b, ") %s", (const char *)t->own);
    return b->code;
}

static const gm_table_kind select_kind = {.name = "select", .body = select_body, .text = select_text};

gm_code gm_table_select(gm_cx *cx, const gm_table *t, const char *list, const char *tail, gm_table **out)
{
    gm_table *made, *dep = (gm_table *)(uintptr_t)t;
    GM_TRY(gm_table_new(cx, &select_kind, t->db, t->label, &dep, 1, &made));
    made->sql = gm_strdup(cx, &made->kept, list);
    made->own = gm_strdup(cx, &made->kept, tail ? tail : "");
    if (made->sql == NULL || made->own == NULL) return gm_table_unref(made), gm_why_null(cx);
    *out = made;
    return GM_OK;
}

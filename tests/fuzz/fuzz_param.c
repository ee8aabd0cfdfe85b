/* SPDX-License-Identifier: Apache-2.0 */
/* A document of any bytes into a parameter table: set or refused; what was set is written and reads back the
 * same. The first line, when there is one, is also taken for an override. */
#include "base/param.h"
#include <math.h>
#include <stdlib.h>

typedef struct thing {
    double real;
    int64_t whole;
    int choice;
    bool flag;
    const char *text;
    gm_names names;
    gm_reals reals;
    gm_ints ints;
} thing;
static const char *const words[] = {"one", "two", NULL};
static const gm_param table[] = {
    {GM_REAL(thing, real, 0.5), .max = INFINITY},
    {GM_INT(thing, whole, 3), .min = -1e18, .max = 1e18},
    {GM_ENUM(thing, choice, 1, words)},
    {GM_BOOL(thing, flag, true)},
    {GM_STRING(thing, text, NULL)},
    {GM_STRINGS(thing, names)},
    {GM_REALS(thing, reals)},
    {GM_INTS(thing, ints)},
    {0},
};

static const char *written(gm_cx *cx, const thing *t, uint64_t set)
{
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    gm_param_write(&b, NULL, table, t, set);
    if (gm_buf_done(&b) != GM_OK) abort();
    return b.p;
}

static void run(gm_cx *cx, const char *text, size_t n)
{
    gm_arena *a = gm_scratch(cx);
    thing t, u;
    uint64_t set = 0, again = 0;
    gm_doc *d;
    const char *line = gm_strndup(cx, a, text, strcspn(text, "\n"));
    gm_param_defaults(table, &t);
    gm_param_defaults(table, &u);
    if (line == NULL || gm_doc_parse(cx, a, text, n, "input", &d) != GM_OK) return;
    if (d->kind == GM_D_MAP && gm_doc_override(cx, a, d, NULL, line) != GM_OK) gm_cx_forget(cx);
    if (gm_param_set_all(cx, a, table, &t, d, "Thing", &set) != GM_OK) return;
    const char *first = written(cx, &t, set);
    if (gm_doc_json(cx, a, first, strlen(first), "written", &d) != GM_OK) abort();
    if (gm_param_set_all(cx, a, table, &u, d, "Thing", &again) != GM_OK || set != again) abort();
    if (strcmp(first, written(cx, &u, again)) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gm_cx *cx;
    if (gm_cx_new("{\"threads\": 1, \"memory\": \"256MB\"}", &cx) != GM_OK) abort();
    char *text = gm_strndup(cx, gm_scratch(cx), (const char *)data, size);
    if (text == NULL) abort();
    run(cx, text, size);
    for (int i = 0; table[i].name; i++) { /* and as the command line gives it */
        thing t;
        uint64_t set = 0;
        gm_param_defaults(table, &t);
        gm_cx_forget(cx);
        if (gm_param_set_text(cx, gm_scratch(cx), table, &t, table[i].name, text, "Thing", &set) == GM_OK)
            (void)written(cx, &t, set);
    }
    gm_cx_end(cx);
    if (gm_memory_used(cx) != 0) abort();
    gm_cx_free(cx);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find.c - stages by name. The lists are short, so a walk is the index.
 */
#include "stage/find.h"
#include <strings.h>

enum { MAX_NAMES = 256 };

const char *const gm_invalid_words[] = {"error", "skip", "keep", NULL};

static const gm_stage *const *lists(int i) { return i == 0 ? gm_features : gm_learners; }

const gm_stage *gm_stage_find(const char *name)
{
    for (int l = 0; l < 2; l++)
        for (const gm_stage *const *s = lists(l); *s; s++)
            if (strcmp((*s)->name, name) == 0) return *s;
    return NULL;
}

/* The same letters in another case are nearer than any edit distance. */
static const char *near(const char *name)
{
    const char *names[MAX_NAMES];
    int64_t n = 0;
    for (int l = 0; l < 2; l++)
        for (const gm_stage *const *s = lists(l); *s; s++) {
            if (strcasecmp((*s)->name, name) == 0) return (*s)->name;
            if (n < MAX_NAMES) names[n++] = (*s)->name;
        }
    return gm_nearest(name, names, n);
}

gm_code gm_stage_need(gm_cx *cx, const char *name, const gm_doc *where, const gm_stage **out)
{
    *out = gm_stage_find(name);
    if (*out) return GM_OK;
    gm_code code = gm_fail(cx, GM_ESTAGE, "%s%sthere is no stage '%s'", where ? gm_doc_where(cx, where) : "",
                           where ? ": " : "", name);
    const char *guess = near(name);
    if (guess) return gm_hint_add(cx, code, "did you mean %s?", guess);
    return gm_hint_add(cx, code, "`gristmill stages` lists them");
}

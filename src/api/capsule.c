/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capsule.c - Arrow streams in PyCapsules. A destructor written in Python would be called on whatever thread
 * drops the capsule and while the interpreter is torn down, when no Python may run; this one is C and knows
 * of Python only PyCapsule_GetPointer, which is looked up in the process, so that the library needs no
 * Python.
 */
#include "base/cx.h"
#include "table/arrow_abi.h"

#include <dlfcn.h>
#include <string.h>

#define CAPSULE_NAME "arrow_array_stream"

gm_code gm_capsule_export(gm_cx *cx, const gm_table *t, struct ArrowArrayStream **out)
{
    if (cx == NULL || out == NULL) return GM_EUSAGE;
    struct ArrowArrayStream *s = gm_raw_alloc(cx, sizeof *s);
    if (s == NULL) return GM_ENOMEM;
    memset(s, 0, sizeof *s);
    gm_code code = gm_table_export(cx, t, s);
    if (code == GM_OK) *out = s;
    else gm_raw_free(s);
    return code;
}

void gm_capsule_free(void *capsule)
{
    union {
        void *object;
        void *(*call)(void *, const char *);
    } pointer = {.object = dlsym(RTLD_DEFAULT, "PyCapsule_GetPointer")};
    if (pointer.object == NULL || capsule == NULL) return;
    struct ArrowArrayStream *s = pointer.call(capsule, CAPSULE_NAME);
    if (s == NULL) return;
    if (s->release) s->release(s);
    gm_raw_free(s);
}

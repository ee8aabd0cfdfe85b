/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libsvm_fit.c - LIBSVM files for a model that was trained before: a file says neither how many features
 * there are nor where their indices begin, so what the training found holds.
 */
#include "source/libsvm/libsvm.h"
#include <string.h>

/* The only LIBSVM table that t stands on; NULL: there are none, or several. */
static gm_code find(gm_cx *cx, const gm_table *t, const char *column, const gm_table **out)
{
    gm_arena a = {0};
    const gm_table **all;
    int n = 0, found = 0;
    *out = NULL;
    if (strcmp(column, "features") != 0) return GM_OK;
    const gm_columns *cols;
    GM_TRY(gm_table_schema(cx, t, &cols));
    int64_t at = gm_columns_find(cols, column);
    if (at < 0 || strncmp(cols->field[at].type, "STRUCT", 6) != 0) return GM_OK;
    gm_code code = gm_table_all(cx, &a, t, &all, &n);
    for (int i = 0; i < n && code == GM_OK; i++)
        if (gm_is_libsvm(all[i])) *out = all[i], found++;
    gm_arena_end(&a);
    if (found != 1) *out = NULL;
    return code;
}

gm_code gm_table_index_base(gm_cx *cx, const gm_table *t, const char *column, int *out)
{
    const gm_table *file;
    GM_TRY(find(cx, t, column, &file));
    *out = file ? (int)((const gm_libsvm *)file->own)->base : -1;
    return GM_OK;
}

static gm_code select_wide(gm_cx *cx, const gm_table *t, const char *column, int64_t width, int64_t shift,
                           gm_table **out)
{
    gm_arena a = {0};
    gm_buf b = gm_buf_in(cx, &a), name = gm_buf_in(cx, &a);
    gm_buf_ident(&name, column);
    gm_code code = gm_buf_done(&name);
    if (code == GM_OK) {
        gm_buf_printf(&b, "* REPLACE (struct_update(%s, size := %lld::INTEGER", name.p, (long long)width);
        if (shift)
            gm_buf_printf(&b, ", indices := list_transform(%s.indices, lambda i: (i + 1)::INTEGER)", name.p);
        gm_buf_printf(&b, ") AS %s)", name.p);
        code = gm_buf_done(&b);
    }
    if (code == GM_OK) code = gm_table_select(cx, t, b.p, "", out);
    gm_arena_end(&a);
    return code;
}

gm_code gm_table_widen(gm_cx *cx, const gm_table *t, const char *column, int64_t width, int base,
                       gm_table **out)
{
    const gm_table *file;
    const gm_libsvm *l;
    *out = NULL;
    GM_TRY(find(cx, t, column, &file));
    if (file == NULL) return *out = gm_table_ref(t), GM_OK;
    l = file->own;
    bool any = l->last >= l->first, shift = false;
    if (base >= 0 && !l->base_given && l->base != base) {
        if (base == 1 && any)
            return gm_libsvm_fail(
                cx, file, &(gm_libsvm_range){1, GM_LIBSVM_MOST},
                "in the files that the model was trained with indices begin at 1: number them so here, too");
        shift = base == 0;
        gm_emit_kv(cx, GM_INFO, "libsvm.base", "indices count from 0, as they did in training", "table",
                   file->label, NULL);
    }
    int64_t lowest = shift ? 0 : l->base;
    if (!l->width_given && any && l->last - lowest >= width)
        return gm_libsvm_fail(cx, file, &(gm_libsvm_range){lowest, lowest + width - 1},
                              "the model was trained with so many: leave the others out, or train again");
    if (l->width == width && !shift) return *out = gm_table_ref(t), GM_OK;
    if (l->width_given) return *out = gm_table_ref(t), GM_OK; /* rows of another size are told when read */
    return select_wide(cx, t, column, width, shift, out);
}

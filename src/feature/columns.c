/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns.c - outputs of a tile, handleInvalid, checks of loaded states: what the feature stages share.
 */
#include "feature/columns.h"

enum { SHOWN = 60 };

const char *const gm_keep_words[] = {"error", "keep", NULL};

gm_attr gm_attr_of(gm_type type, int64_t width) { return (gm_attr){.type = type, .width = width}; }

double *gm_out_real(gm_apply *ap, int k)
{
    double *x = gm_alloc(ap->cx, ap->a, ap->rows, sizeof *x);
    ap->out[k].type = GM_T_REAL;
    ap->out[k].real = x;
    ap->out[k].width = 1;
    return x;
}

gm_part *gm_out_parts(gm_apply *ap, int k, int n, int64_t width)
{
    gm_part *part = gm_alloc(ap->cx, ap->a, n, sizeof *part);
    ap->out[k].type = GM_T_VECTOR;
    ap->out[k].n_parts = n;
    ap->out[k].part = part;
    ap->out[k].width = width;
    return part;
}

void gm_out_same(gm_apply *ap, int k) { ap->out[k] = ap->in[k]; }

void gm_drop_row(gm_apply *ap, int64_t i)
{
    ap->drop[i] = 1;
    ap->dropped = true;
}

const char *gm_show_text(gm_cx *cx, gm_arena *a, gm_text t)
{
    if (gm_text_missing(&t)) return "NULL";
    size_t n = t.len <= SHOWN ? t.len : SHOWN;
    const char *p = gm_text_ptr(&t);
    while (n < t.len && n > 0 && (p[n] & 0xC0) == 0x80) n--; /* do not cut a character */
    const char *s = gm_format(cx, a, "'%.*s%s'", (int)n, p, n < t.len ? "..." : "");
    return s ? s : "";
}

const char *gm_show_real(gm_cx *cx, gm_arena *a, double v)
{
    char s[32];
    gm_real_text(v, false, s);
    const char *copy = gm_strdup(cx, a, s);
    return copy ? copy : "";
}

gm_code gm_index_of(gm_cx *cx, gm_arena *kept, const gm_node *node, const gm_texts *v, gm_dict **out)
{
    GM_TRY(gm_dict_new(cx, kept, out));
    for (int64_t i = 0; i < v->n; i++) {
        gm_text t = gm_texts_at(v, i);
        uint32_t code;
        GM_TRY(gm_dict_add(cx, *out, &t, &code));
        if (code != (uint32_t)i)
            return gm_fail(cx, GM_EMODEL, "%s: %s occurs twice", node->uid, gm_show_text(cx, kept, t));
    }
    return GM_OK;
}

gm_code gm_begin_each(gm_cx *cx, gm_arena *a, const gm_node *node, size_t size, void **acc)
{
    GM_GOT(cx, *acc = gm_alloc(cx, a, node->n_out, size));
    return GM_OK;
}

gm_code gm_verify_start(gm_cx *cx, const gm_node *node, const char *what, const int64_t *start, int64_t len,
                        int64_t n, int64_t end)
{
    GM_TRY(gm_verify_count(cx, node, what, len, n + 1));
    bool rising = start[0] == 0 && start[n] == end;
    for (int64_t i = 0; i < n && rising; i++) rising = start[i] <= start[i + 1];
    if (!rising)
        return gm_fail(cx, GM_EMODEL, "%s: '%s' does not rise from 0 to %lld", node->uid, what,
                       (long long)end);
    return GM_OK;
}

gm_code gm_verify_count(gm_cx *cx, const gm_node *node, const char *what, int64_t found, int64_t expected)
{
    if (found == expected) return GM_OK;
    return gm_fail(cx, GM_EMODEL, "%s: '%s' has %lld elements, expected %lld", node->uid, what,
                   (long long)found, (long long)expected);
}

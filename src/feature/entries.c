/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entries.c - a sparse part built row by row.
 */
#include "feature/entries.h"
#include "feature/columns.h"
#include <stdlib.h>

enum { SHORT_ROW = 24 };

gm_code gm_entries_begin(gm_entries *s, gm_apply *ap, int64_t expect)
{
    *s = (gm_entries){.ap = ap, .cap = expect > 64 ? expect : 64};
    GM_NEW_IN(ap->cx, ap->a, s->e, s->cap);
    GM_NEW_IN(ap->cx, ap->a, s->off, ap->rows + 1);
    return GM_OK;
}

gm_code gm_entries_add(gm_entries *s, uint32_t idx, double val)
{
    if (s->n == s->cap) {
        GM_GOT(s->ap->cx, s->e = gm_regrow(s->ap->cx, s->ap->a, s->e, s->cap, 2 * s->cap, sizeof *s->e));
        s->cap *= 2;
    }
    s->e[s->n] = (gm_entry){idx, (uint32_t)(s->n - s->off[s->row]), val};
    s->n++;
    return GM_OK;
}

static int by_index(const void *a, const void *b)
{
    const gm_entry *x = a, *y = b;
    if (x->idx != y->idx) return x->idx < y->idx ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static void sort_row(gm_entry *e, int64_t n)
{
    if (n > SHORT_ROW) {
        qsort(e, (size_t)n, sizeof *e, by_index);
        return;
    }
    for (int64_t i = 1; i < n; i++) {
        gm_entry x = e[i];
        int64_t j = i;
        for (; j > 0 && e[j - 1].idx > x.idx; j--) e[j] = e[j - 1];
        e[j] = x;
    }
}

void gm_entries_end_row(gm_entries *s, double least, bool ones)
{
    int64_t from = s->off[s->row], to = from;
    sort_row(s->e + from, s->n - from);
    for (int64_t i = from; i < s->n;) {
        gm_entry sum = s->e[i++];
        while (i < s->n && s->e[i].idx == sum.idx) sum.val += s->e[i++].val;
        if (sum.val < least) continue;
        if (ones) sum.val = 1;
        s->e[to++] = sum;
    }
    s->n = to;
    s->off[++s->row] = to;
}

gm_code gm_entries_close(gm_entries *s, int k, int64_t width)
{
    gm_apply *ap = s->ap;
    uint32_t *idx;
    double *val;
    gm_part *part;
    GM_NEW_IN(ap->cx, ap->a, idx, s->n);
    GM_NEW_IN(ap->cx, ap->a, val, s->n);
    for (int64_t i = 0; i < s->n; i++) {
        idx[i] = s->e[i].idx;
        val[i] = s->e[i].val;
    }
    GM_GOT(ap->cx, part = gm_out_parts(ap, k, 1, width));
    part[0] = (gm_part){.form = GM_SPARSE, .width = width, .off = s->off, .idx = idx, .val = val};
    return GM_OK;
}

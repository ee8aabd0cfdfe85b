/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.c - a WORDS column built row by row.
 */
#include "feature/text/words.h"

gm_code gm_words_begin(gm_words *w, gm_apply *ap, int64_t expect)
{
    *w = (gm_words){.ap = ap, .cap = expect > 64 ? expect : 64};
    GM_NEW_IN(ap->cx, ap->a, w->text, w->cap);
    GM_NEW_IN(ap->cx, ap->a, w->off, ap->rows + 1);
    return GM_OK;
}

gm_code gm_words_add(gm_words *w, gm_text t)
{
    if (w->n == w->cap) {
        GM_GOT(w->ap->cx,
               w->text = gm_regrow(w->ap->cx, w->ap->a, w->text, w->cap, 2 * w->cap, sizeof *w->text));
        w->cap *= 2;
    }
    w->text[w->n++] = t;
    return GM_OK;
}

void gm_words_end_row(gm_words *w) { w->off[++w->row] = w->n; }

void gm_words_close(gm_words *w, int k)
{
    w->ap->out[k].type = GM_T_WORDS;
    w->ap->out[k].text = w->text;
    w->ap->out[k].off = w->off;
    w->ap->out[k].width = 1;
}

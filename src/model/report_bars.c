/* SPDX-License-Identifier: Apache-2.0 */
/* report_bars.c - the report's confusion matrix and its bars or heat map of coefficients. */
#include "model/report_parts.h"
#include <math.h>
#include <string.h>

enum { TOP_FEATURES = 30, MOST_LABELS = 16, MOST_CLASSES = 10 };

/* ---- confusion ---- */

static double cell_of(const gm_doc *counts, int64_t i, int64_t j)
{
    double v;
    const gm_doc *row = &counts->child[i];
    return row->kind == GM_D_LIST && j < row->n && gm_rp_real(&row->child[j], &v) && v > 0 ? v : 0;
}

static double row_sum(const gm_doc *counts, int64_t i)
{
    double s = 0;
    for (int64_t j = 0; j < counts->child[i].n; j++) s += cell_of(counts, i, j);
    return s;
}

/* The labels to draw, most frequent first when there are more than fit; their number. */
static int pick_labels(const gm_doc *counts, int64_t n, int64_t pick[MOST_LABELS])
{
    if (n <= MOST_LABELS) {
        for (int64_t i = 0; i < n; i++) pick[i] = i;
        return (int)n;
    }
    double size[MOST_LABELS] = {0};
    int k = 0;
    for (int64_t i = 0; i < n; i++) {
        double s = row_sum(counts, i);
        if (k == MOST_LABELS && s <= size[k - 1]) continue;
        int at = k < MOST_LABELS ? k++ : k - 1;
        for (; at > 0 && size[at - 1] < s; at--) size[at] = size[at - 1], pick[at] = pick[at - 1];
        size[at] = s, pick[at] = i;
    }
    return k;
}

static void label_text(gm_buf *b, const gm_doc *labels, int64_t i, int max)
{
    const gm_doc *d = labels && i < labels->n ? &labels->child[i] : NULL;
    if (d && d->kind == GM_D_STR) gm_rp_short(b, *d->str ? d->str : "(empty)", max);
    else if (d) gm_rp_value(b, d);
    else gm_buf_printf(b, "%lld", (long long)i);
}

static void confusion_cell(gm_buf *b, const gm_doc *labels, int64_t i, int64_t j, double v, double share,
                           double x, double y, double side, bool detail)
{
    const char *on = share > 0.55 ? " class=on" : "";
    gm_buf_printf(
        b,
        "<g%s><rect class=heat x=%.1f y=%.1f width=%.1f height=%.1f rx=2 fill-opacity=%.3f /><title>actual ",
        on, x + 1, y + 1, side - 2, side - 2, 0.04 + 0.86 * share);
    label_text(b, labels, i, 80);
    gm_buf_str(b, ", predicted ");
    label_text(b, labels, j, 80);
    gm_buf_str(b, ": rows ");
    gm_rp_num(b, v);
    gm_buf_str(b, ", ");
    gm_rp_share(b, share);
    gm_buf_str(b, "</title>");
    gm_buf_printf(b, "<text class=cell x=%.1f y=%.1f text-anchor=middle>", x + side / 2,
                  y + side / 2 + (detail ? -1 : 4));
    if (detail) gm_rp_num(b, v);
    else if (share > 0.0005) gm_buf_printf(b, "%.0f", 100 * share);
    gm_buf_str(b, "</text>");
    if (detail) {
        gm_buf_printf(b, "<text class=\"cell small\" x=%.1f y=%.1f text-anchor=middle>", x + side / 2,
                      y + side / 2 + 14);
        gm_rp_share(b, share);
        gm_buf_str(b, "</text>");
    }
    gm_buf_str(b, "</g>\n");
}

void gm_rp_plot_confusion(gm_buf *b, const gm_doc *confusion)
{
    const gm_doc *labels = gm_rp_list(confusion, "labels"), *counts = gm_rp_list(confusion, "counts");
    int64_t pick[MOST_LABELS];
    if (counts == NULL || counts->n == 0) return;
    int n = pick_labels(counts, counts->n, pick);
    bool detail = n <= 4;
    double side = n <= 2 ? 88 : n <= 4 ? 66 : n <= 8 ? 34 : 25, left = 96, top = detail ? 40 : 84;
    double w = fmax(left + n * side + (detail ? 8 : 30), 340), h = top + n * side + 8;
    gm_buf_printf(b,
                  "<figure><figcaption>Confusion</figcaption><svg viewBox=\"0 0 %.0f %.0f\" "
                  "style=\"max-width:%.0fpx\" role=img aria-label=\"Rows by actual and predicted label\">\n",
                  w, h, w);
    gm_buf_printf(b,
                  "<text class=name x=%.1f y=12 text-anchor=middle>predicted</text>"
                  "<text class=name x=%.0f y=%.1f text-anchor=end>actual</text>",
                  left + n * side / 2, left - 8, top - 8);
    for (int i = 0; i < n; i++) {
        gm_buf_printf(b, "<text class=tick x=%.0f y=%.1f text-anchor=end>", left - 8,
                      top + (i + 0.5) * side + 4);
        label_text(b, labels, pick[i], 14);
        double x = left + (i + 0.5) * side;
        if (detail) gm_buf_printf(b, "</text><text class=tick x=%.1f y=%.0f text-anchor=middle>", x, top - 8);
        else
            gm_buf_printf(b, "</text><text class=tick transform=\"translate(%.1f %.0f) rotate(-50)\">", x,
                          top - 6);
        label_text(b, labels, pick[i], 12);
        gm_buf_str(b, "</text>");
    }
    for (int i = 0; i < n; i++) {
        double sum = row_sum(counts, pick[i]);
        for (int j = 0; j < n; j++) {
            double v = cell_of(counts, pick[i], pick[j]);
            confusion_cell(b, labels, pick[i], pick[j], v, sum > 0 ? v / sum : 0, left + j * side,
                           top + i * side, side, detail);
        }
    }
    gm_buf_str(b, "</svg><p class=hint>Shares, in per cent, are of the rows of an actual label.");
    if (n < counts->n) gm_buf_printf(b, " The %d most frequent labels of %lld.", n, (long long)counts->n);
    gm_buf_str(b, "</p></figure>\n");
}

/* ---- coefficients ---- */

typedef struct top_feature {
    const gm_doc *d;
    double size;
} top_feature;

static double size_of(const gm_doc *d, bool standardized)
{
    double v, most = -1;
    if (gm_rp_real(gm_doc_get(d, standardized ? "standardized" : "value"), &v)) return fabs(v);
    const gm_doc *values = gm_rp_list(d, "values");
    for (int64_t i = 0; values && i < values->n; i++)
        if (gm_rp_real(&values->child[i], &v)) most = fmax(most, fabs(v));
    return most;
}

static int pick_features(const gm_doc *features, bool standardized, top_feature top[TOP_FEATURES])
{
    int k = 0;
    for (int64_t i = 0; i < features->n; i++) {
        double s = features->child[i].kind == GM_D_MAP ? size_of(&features->child[i], standardized) : -1;
        if (s < 0 || (k == TOP_FEATURES && s <= top[k - 1].size)) continue;
        int at = k < TOP_FEATURES ? k++ : k - 1;
        for (; at > 0 && top[at - 1].size < s; at--) top[at] = top[at - 1];
        top[at] = (top_feature){&features->child[i], s};
    }
    return k;
}

static void bars(gm_buf *b, const top_feature *top, int n, bool standardized, bool odds)
{
    enum { ROW = 20, NAMES = 220, WIDE = 720, VALUE = 70 };
    double mid = NAMES + (WIDE - NAMES - VALUE) / 2.0, half = (WIDE - NAMES - VALUE) / 2.0 - 8, v;
    double scale = top[0].size > 0 ? half / top[0].size : 0;
    gm_buf_printf(b,
                  "<svg viewBox=\"0 0 %d %d\" role=img aria-label=\"Coefficients by size\">\n"
                  "<path class=axis d=\"M%.1f 2V%d\"/>",
                  WIDE, n * ROW + 6, mid, n * ROW + 4);
    for (int i = 0; i < n; i++) {
        const char *name = gm_rp_str(top[i].d, "name");
        if (!gm_rp_real(gm_doc_get(top[i].d, standardized ? "standardized" : "value"), &v)) continue;
        double y = 3 + i * ROW, w = fmax(fabs(v) * scale, v != 0 ? 1 : 0);
        gm_buf_printf(b, "<g><title>");
        gm_rp_text(b, name ? name : "");
        gm_buf_str(b, ": ");
        gm_rp_num(b, v);
        if (odds && fabs(v) < 50) {
            gm_buf_printf(b, "; odds times ");
            gm_rp_num(b, exp(v));
        }
        gm_buf_printf(b, "</title><text class=label x=%d y=%.1f text-anchor=end>", NAMES - 8, y + 13);
        gm_rp_short(b, name ? name : "", 32);
        gm_buf_printf(b, "</text><rect class=%s x=%.1f y=%.1f width=%.1f height=%d rx=2 />",
                      v < 0 ? "less" : "more", v < 0 ? mid - w : mid, y + 2, w, ROW - 6);
        gm_buf_printf(b, "<text class=value x=%d y=%.1f text-anchor=end>", WIDE, y + 13);
        gm_rp_num(b, v);
        gm_buf_str(b, "</text></g>\n");
    }
    gm_buf_str(b, "</svg>");
}

/* Room for a few characters only. */
static void brief(gm_buf *b, double v)
{
    if (fabs(v) < 0.005) gm_buf_str(b, "0");
    else if (fabs(v) >= 100) gm_rp_num(b, round(v));
    else gm_buf_printf(b, fabs(v) < 10 ? "%s%.2f" : "%s%.1f", v < 0 ? "\xe2\x88\x92" : "", fabs(v));
}

static void heat(gm_buf *b, const top_feature *top, int n, const gm_doc *labels)
{
    enum { ROW = 22, NAMES = 220 };
    int64_t k = 0;
    double v;
    for (int i = 0; i < n; i++) {
        const gm_doc *values = gm_rp_list(top[i].d, "values");
        if (values && values->n > k) k = values->n;
    }
    k = k > MOST_CLASSES ? MOST_CLASSES : k;
    double w = fmin(80, 500.0 / (double)k), wide = fmax(NAMES + w * (double)k, 480);
    gm_buf_printf(b,
                  "<svg viewBox=\"0 0 %.0f %d\" style=\"max-width:%.0fpx\" role=img "
                  "aria-label=\"Coefficients by size and label\">\n",
                  wide, n * ROW + 28, wide);
    for (int64_t j = 0; j < k; j++) {
        gm_buf_printf(b, "<text class=tick x=%.1f y=14 text-anchor=middle>", NAMES + w * ((double)j + 0.5));
        label_text(b, labels, j, (int)(w / 6.5));
        gm_buf_str(b, "</text>");
    }
    for (int i = 0; i < n; i++) {
        const gm_doc *values = gm_rp_list(top[i].d, "values");
        const char *name = gm_rp_str(top[i].d, "name");
        double y = 22 + i * ROW;
        gm_buf_printf(b, "<text class=label x=%d y=%.1f text-anchor=end>", NAMES - 8, y + 15);
        gm_rp_short(b, name ? name : "", 32);
        gm_buf_str(b, "</text>");
        for (int64_t j = 0; values && j < k && j < values->n; j++) {
            if (!gm_rp_real(&values->child[j], &v)) continue;
            double share = top[0].size > 0 ? fabs(v) / top[0].size : 0;
            gm_buf_printf(
                b, "<g%s><rect class=%s x=%.1f y=%.1f width=%.1f height=%d rx=2 fill-opacity=%.3f /><title>",
                share > 0.6 ? " class=on" : "", v < 0 ? "\"heat cold\"" : "heat", NAMES + w * (double)j + 1,
                y + 1, w - 2, ROW - 2, 0.05 + 0.85 * share);
            gm_rp_text(b, name ? name : "");
            gm_buf_str(b, ", ");
            label_text(b, labels, j, 80);
            gm_buf_printf(b, "</title><text class=cell x=%.1f y=%.1f text-anchor=middle>",
                          NAMES + w * ((double)j + 0.5), y + 15);
            if (w > 40) brief(b, v);
            gm_buf_str(b, "</text></g>\n");
        }
    }
    gm_buf_str(b, "</svg>");
}

void gm_rp_plot_features(gm_buf *b, const gm_doc *info)
{
    const gm_doc *features = gm_rp_list(info, "features");
    const char *task = gm_rp_str(info, "task");
    top_feature top[TOP_FEATURES];
    double v;
    if (features == NULL) return;
    bool standardized = false, classes = false;
    for (int64_t i = 0; i < features->n; i++) {
        standardized |= gm_rp_real(gm_doc_get(&features->child[i], "standardized"), &v);
        classes |= gm_rp_list(&features->child[i], "values") != NULL;
    }
    int n = pick_features(features, standardized, top);
    if (n == 0) return;
    gm_buf_str(b, "<figure class=wide><figcaption>");
    double all = (double)features->n; /* the list may hold only the largest */
    if (gm_rp_real(gm_doc_get(info, "numFeatures"), &v) && v > all) all = v;
    if (n < all) gm_buf_printf(b, "The %d largest coefficients of ", n), gm_rp_num(b, all);
    else gm_buf_str(b, "Coefficients");
    gm_buf_str(b, "</figcaption>");
    if (classes) heat(b, top, n, gm_rp_list(info, "labels"));
    else bars(b, top, n, standardized, task && strcmp(task, "binary") == 0);
    gm_buf_str(b, "<p class=hint>");
    gm_buf_str(b,
               standardized
                   ? "Change of the model's score per standard deviation of the feature."
                   : "Change of the model's score per unit of the feature; sizes compare between features on "
                     "one scale.");
    const gm_doc *intercept = gm_doc_get(info, "intercept");
    if (gm_rp_real(intercept, &v)) gm_buf_str(b, " Intercept: "), gm_rp_num(b, v), gm_buf_str(b, ".");
    gm_buf_str(b, "</p></figure>\n");
}

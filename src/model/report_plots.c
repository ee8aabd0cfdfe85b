/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_plots.c - the report's plots with two axes, as inline SVG. Colours are classes of the page's style
 * sheet, so that light, dark and print are one drawing; a <title> inside a mark is its tip on hover.
 */
#include "model/report_parts.h"
#include <float.h>
#include <math.h>

/* A drawing in a view box of W x H; data x0..x1, y0..y1 fill the frame inside the margins. */
enum { W = 340, H = 280, LEFT = 50, RIGHT = 14, TOP = 12, BOTTOM = 44, MOST_DOTS = 1500 };
typedef struct axes {
    double x0, x1, y0, y1;
    const char *x_name, *y_name;
} axes;

static double px(const axes *a, double x)
{
    return LEFT + (x - a->x0) / (a->x1 - a->x0) * (W - LEFT - RIGHT);
}
static double py(const axes *a, double y)
{
    return H - BOTTOM - (y - a->y0) / (a->y1 - a->y0) * (H - TOP - BOTTOM);
}

/* The step of 1, 2 or 5 times a power of ten that cuts lo..hi in about n. */
static double step_of(double lo, double hi, int n)
{
    double raw = (hi - lo) / n, p = pow(10, floor(log10(raw))), m = raw / p;
    return p * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
}

/* Widens lo..hi to whole steps; an empty range gets some width. */
static void nice(double *lo, double *hi)
{
    double span = *hi - *lo, size = fmax(fabs(*lo), fabs(*hi));
    if (!(span > size * 1e-9)) *lo -= size > 0 ? size * 0.5 : 1, *hi += size > 0 ? size * 0.5 : 1;
    double s = step_of(*lo, *hi, 4);
    *lo = floor(*lo / s + 1e-9) * s;
    *hi = ceil(*hi / s - 1e-9) * s;
}

/* Values were seen, and none so large that the arithmetic of the axes overflows. */
static bool drawable(double lo, double hi) { return lo <= hi && fabs(lo) < 1e300 && fabs(hi) < 1e300; }

static void begin(gm_buf *b, const axes *a, const char *title, const char *words)
{
    gm_buf_str(b, "<figure><figcaption>");
    gm_rp_text(b, title);
    gm_buf_printf(b, "</figcaption><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", W, H);
    gm_rp_text(b, title);
    gm_buf_str(b, ". ");
    gm_rp_text(b, words);
    gm_buf_str(b, "\">\n");
    double sx = step_of(a->x0, a->x1, 4), sy = step_of(a->y0, a->y1, 4);
    for (double v = ceil(a->y0 / sy - 1e-9) * sy; v <= a->y1 + sy * 1e-6; v += sy) {
        double y = py(a, v);
        gm_buf_printf(b, "<path class=grid d=\"M%d %.1fH%d\"/><text class=tick x=%d y=%.1f text-anchor=end>",
                      LEFT, y, W - RIGHT, LEFT - 6, y + 3.5);
        gm_rp_num(b, fabs(v) < sy * 1e-6 ? 0 : v);
        gm_buf_str(b, "</text>");
    }
    for (double v = ceil(a->x0 / sx - 1e-9) * sx; v <= a->x1 + sx * 1e-6; v += sx) {
        gm_buf_printf(b, "<text class=tick x=%.1f y=%d text-anchor=middle>", px(a, v), H - BOTTOM + 15);
        gm_rp_num(b, fabs(v) < sx * 1e-6 ? 0 : v);
        gm_buf_str(b, "</text>");
    }
    gm_buf_printf(b, "<path class=axis d=\"M%d %dH%d\"/><text class=name x=%d y=%d text-anchor=middle>", LEFT,
                  H - BOTTOM, W - RIGHT, (LEFT + W - RIGHT) / 2, H - 8);
    gm_rp_text(b, a->x_name);
    gm_buf_printf(b, "</text><text class=name transform=\"translate(12 %d) rotate(-90)\" text-anchor=middle>",
                  (TOP + H - BOTTOM) / 2);
    gm_rp_text(b, a->y_name);
    gm_buf_str(b, "</text>\n");
}

/* explain: "" or a sentence below the plot. */
static void end(gm_buf *b, const char *explain)
{
    gm_buf_str(b, "</svg>");
    if (*explain) {
        gm_buf_str(b, "<p class=hint>");
        gm_rp_text(b, explain);
        gm_buf_str(b, "</p>");
    }
    gm_buf_str(b, "</figure>\n");
}

static bool pair(const gm_doc *d, double *x, double *y)
{
    return d->kind == GM_D_LIST && d->n >= 2 && gm_rp_real(&d->child[0], x) && gm_rp_real(&d->child[1], y);
}

/* The points of a list of pairs as "x y x y", without those that would fall on the last one drawn. */
static int64_t trace(gm_buf *b, const axes *a, const gm_doc *points)
{
    double x, y, last_x = -DBL_MAX, last_y = -DBL_MAX;
    int64_t drawn = 0;
    for (int64_t i = 0; i < points->n; i++) {
        if (!pair(&points->child[i], &x, &y)) continue;
        double u = px(a, x), v = py(a, y);
        if (i + 1 < points->n && fabs(u - last_x) < 0.4 && fabs(v - last_y) < 0.4) continue;
        gm_buf_printf(b, "%s%.1f %.1f", drawn++ ? " " : "", u, v);
        last_x = u, last_y = v;
    }
    return drawn;
}

static void curve(gm_buf *b, const axes *a, const gm_doc *points, const char *class)
{
    if (points == NULL || points->n == 0) return;
    gm_buf_printf(b, "<polyline class=\"%s\" points=\"", class);
    (void)trace(b, a, points);
    gm_buf_str(b, "\"/>\n");
}

/* The surface between a curve and the x axis. */
static void area(gm_buf *b, const axes *a, const gm_doc *points)
{
    double x, y, x_last;
    if (points->n == 0 || !pair(&points->child[0], &x, &y) ||
        !pair(&points->child[points->n - 1], &x_last, &y))
        return;
    gm_buf_printf(b, "<polygon class=wash points=\"%.1f %.1f ", px(a, x), py(a, a->y0));
    (void)trace(b, a, points);
    gm_buf_printf(b, " %.1f %.1f\"/>\n", px(a, x_last), py(a, a->y0));
}

static void line(gm_buf *b, const axes *a, double x0, double y0, double x1, double y1, const char *what)
{
    gm_buf_printf(b, "<path class=guide d=\"M%.1f %.1fL%.1f %.1f\"><title>", px(a, x0), py(a, y0), px(a, x1),
                  py(a, y1));
    gm_rp_text(b, what);
    gm_buf_str(b, "</title></path>\n");
}

/* Two named lines in a corner, when both are drawn; and the one number that sums the curve up. */
static void legend(gm_buf *b, bool both, double x, double y, const char *name, const gm_doc *value)
{
    double v;
    if (gm_rp_real(value, &v)) {
        gm_buf_printf(b, "<text class=note x=%.1f y=%.1f text-anchor=end>", x, y);
        gm_rp_text(b, name);
        gm_buf_str(b, " ");
        gm_rp_fixed(b, v);
        gm_buf_str(b, "</text>\n");
    }
    if (!both) return;
    static const char *const lines[][2] = {{"line", "held-out rows"}, {"line second", "training rows"}};
    for (int i = 0; i < 2; i++)
        gm_buf_printf(b,
                      "<path class=\"%s\" d=\"M%.1f %.1fh14\"/>"
                      "<text class=tick x=%.1f y=%.1f text-anchor=end>%s</text>\n",
                      lines[i][0], x - 14, y + 13 + 14 * i, x - 19, y + 16.5 + 14 * i, lines[i][1]);
}

void gm_rp_plot_roc(gm_buf *b, const gm_doc *train, const gm_doc *test)
{
    const gm_doc *p = gm_rp_list(gm_rp_map(test, "curves"), "roc"),
                 *q = gm_rp_list(gm_rp_map(train, "curves"), "roc");
    const axes a = {0, 1, 0, 1, "false positive rate", "true positive rate"};
    if (p == NULL) return;
    begin(b, &a, "ROC curve", "True positive rate over false positive rate for every threshold.");
    line(b, &a, 0, 0, 1, 1, "chance");
    area(b, &a, p);
    curve(b, &a, q, "line second");
    curve(b, &a, p, "line");
    legend(b, q != NULL, px(&a, 0.97), py(&a, 0.2), "area", gm_doc_get(test, "areaUnderROC"));
    end(b, "Dashed: a model that guesses.");
}

void gm_rp_plot_pr(gm_buf *b, const gm_doc *train, const gm_doc *test)
{
    const gm_doc *p = gm_rp_list(gm_rp_map(test, "curves"), "pr"),
                 *q = gm_rp_list(gm_rp_map(train, "curves"), "pr");
    const axes a = {0, 1, 0, 1, "recall", "precision"};
    double x, base;
    if (p == NULL) return;
    begin(b, &a, "Precision and recall", "Precision over recall for every threshold.");
    bool known = p->n > 0 && pair(&p->child[p->n - 1], &x, &base) && x > 0.999;
    if (known) line(b, &a, 0, base, 1, base, "share of positives");
    area(b, &a, p);
    curve(b, &a, q, "line second");
    curve(b, &a, p, "line");
    legend(b, q != NULL, px(&a, 0.97), py(&a, 0.93), "area", gm_doc_get(test, "areaUnderPR"));
    end(b, known ? "Dashed: the share of positives, which is what guessing reaches." : "");
}

void gm_rp_plot_calibration(gm_buf *b, const gm_doc *test)
{
    const gm_doc *p = gm_rp_list(gm_rp_map(test, "curves"), "calibration");
    const axes a = {0, 1, 0, 1, "predicted probability", "observed share"};
    double x, y, n, most = 1;
    if (p == NULL) return;
    for (int64_t i = 0; i < p->n; i++)
        if (pair(&p->child[i], &x, &y) && p->child[i].n > 2 && gm_rp_real(&p->child[i].child[2], &n))
            most = fmax(most, n);
    begin(b, &a, "Calibration", "Observed share of positives over the predicted probability.");
    line(b, &a, 0, 0, 1, 1, "as predicted");
    curve(b, &a, p, "line thin");
    for (int64_t i = 0; i < p->n && i < MOST_DOTS; i++) {
        if (!pair(&p->child[i], &x, &y)) continue;
        n = 0;
        if (p->child[i].n > 2) (void)gm_rp_real(&p->child[i].child[2], &n);
        gm_buf_printf(b, "<circle class=dot cx=%.1f cy=%.1f r=%.1f><title>predicted ", px(&a, x), py(&a, y),
                      2.5 + 5 * sqrt(fmax(n, 0) / most));
        gm_rp_share(b, x);
        gm_buf_str(b, ", observed ");
        gm_rp_share(b, y);
        gm_buf_str(b, ", rows ");
        gm_rp_num(b, n);
        gm_buf_str(b, "</title></circle>\n");
    }
    end(b, "On the dashed line predictions mean what they say; larger dots hold more rows.");
}

void gm_rp_plot_fit(gm_buf *b, const gm_doc *pairs)
{
    double lo = DBL_MAX, hi = -DBL_MAX, x, y;
    if (pairs == NULL || pairs->n == 0) return;
    for (int64_t i = 0; i < pairs->n; i++)
        if (pair(&pairs->child[i], &x, &y)) lo = fmin(lo, fmin(x, y)), hi = fmax(hi, fmax(x, y));
    if (!drawable(lo, hi)) return;
    nice(&lo, &hi);
    const axes a = {lo, hi, lo, hi, "predicted", "actual"};
    begin(b, &a, "Predicted and actual", "Actual value over predicted value.");
    line(b, &a, lo, lo, hi, hi, "exact");
    int64_t stride = (pairs->n + MOST_DOTS - 1) / MOST_DOTS;
    gm_buf_str(b, "<g class=cloud>");
    for (int64_t i = 0; i < pairs->n; i += stride)
        if (pair(&pairs->child[i], &x, &y))
            gm_buf_printf(b, "<circle cx=%.1f cy=%.1f r=2 />\n", px(&a, x), py(&a, y));
    gm_buf_str(b, "</g>");
    end(b, stride > 1 ? "Dashed: exact predictions. A sample of the rows is drawn."
                      : "Dashed: exact predictions.");
}

void gm_rp_plot_residuals(gm_buf *b, const gm_doc *pairs)
{
    enum { BINS = 30 };
    double lo = DBL_MAX, hi = -DBL_MAX, x, y, top = 0, bottom = 0;
    int64_t count[BINS] = {0};
    if (pairs == NULL || pairs->n == 0) return;
    for (int64_t i = 0; i < pairs->n; i++)
        if (pair(&pairs->child[i], &x, &y)) lo = fmin(lo, y - x), hi = fmax(hi, y - x);
    if (!drawable(lo, hi)) return;
    nice(&lo, &hi);
    for (int64_t i = 0; i < pairs->n; i++)
        if (pair(&pairs->child[i], &x, &y)) {
            int k = (int)((y - x - lo) / (hi - lo) * BINS);
            k = k < 0 ? 0 : k < BINS ? k : BINS - 1;
            top = fmax(top, (double)++count[k]);
        }
    nice(&bottom, &top);
    const axes a = {lo, hi, 0, top, "actual - predicted", "rows"};
    begin(b, &a, "Residuals", "How many rows have which residual.");
    for (int k = 0; k < BINS; k++) {
        if (count[k] == 0) continue;
        double from = lo + (hi - lo) * k / BINS, to = lo + (hi - lo) * (k + 1) / BINS,
               h = py(&a, (double)count[k]);
        gm_buf_printf(b, "<rect class=bar x=%.1f y=%.1f width=%.1f height=%.1f><title>", px(&a, from) + 0.5,
                      h, px(&a, to) - px(&a, from) - 1, H - BOTTOM - h);
        gm_rp_num(b, from);
        gm_buf_str(b, " to ");
        gm_rp_num(b, to);
        gm_buf_str(b, ": rows ");
        gm_rp_num(b, (double)count[k]);
        gm_buf_str(b, "</title></rect>\n");
    }
    if (lo < 0 && hi > 0) line(b, &a, 0, 0, 0, top, "exact");
    end(b, "Right of the dashed line the model predicted too little, left of it too much.");
}

void gm_rp_plot_history(gm_buf *b, const gm_doc *history)
{
    double lo = DBL_MAX, hi = -DBL_MAX, v;
    if (history == NULL || history->n < 2) return;
    for (int64_t i = 0; i < history->n; i++)
        if (gm_rp_real(&history->child[i], &v)) lo = fmin(lo, v), hi = fmax(hi, v);
    if (!drawable(lo, hi)) return;
    nice(&lo, &hi);
    const axes a = {0, (double)(history->n - 1), lo, hi, "iteration", "objective"};
    begin(b, &a, "Objective", "The objective after each iteration.");
    gm_buf_str(b, "<polyline class=line points=\"");
    for (int64_t i = 0; i < history->n; i++)
        if (gm_rp_real(&history->child[i], &v)) gm_buf_printf(b, "%.1f %.1f ", px(&a, (double)i), py(&a, v));
    gm_buf_str(b, "\"/>\n");
    for (int64_t i = 0; i < history->n && history->n <= 60; i++) {
        if (!gm_rp_real(&history->child[i], &v)) continue;
        gm_buf_printf(b, "<circle class=dot cx=%.1f cy=%.1f r=2.5><title>", px(&a, (double)i), py(&a, v));
        gm_buf_printf(b, "iteration %lld: %.8g</title></circle>\n", (long long)i, v);
    }
    end(b, "");
}

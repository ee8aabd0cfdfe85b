/* SPDX-License-Identifier: Apache-2.0 */
/* report_parts.h - what the files of the report share: words and numbers for people, tables, plots. */
#ifndef GM_MODEL_REPORT_PARTS_H
#define GM_MODEL_REPORT_PARTS_H
#include "base/doc.h"

/* ---- lenient reading: what is absent or of another kind is NULL, 0 or false ---- */
const gm_doc *gm_rp_list(const gm_doc *map, const char *key);
const gm_doc *gm_rp_map(const gm_doc *map, const char *key);
const char *gm_rp_str(const gm_doc *map, const char *key);
bool gm_rp_real(const gm_doc *d, double *out); /* a finite number; d may be NULL */

/* ---- text, always escaped ---- */
void gm_rp_text(gm_buf *b, const char *s);
void gm_rp_short(gm_buf *b, const char *s, int max); /* cut to max characters, with an ellipsis */
void gm_rp_value(gm_buf *b, const gm_doc *d);        /* any document as short text */
void gm_rp_num(gm_buf *b, double v);                 /* 336,776   0.7421   1.2e-7 */
void gm_rp_fixed(gm_buf *b, double v); /* 0.7000: as gm_rp_num, zeros kept: metrics in a column */
void gm_rp_share(gm_buf *b, double v); /* 0.201 -> 20.1 % */
void gm_rp_seconds(gm_buf *b, double s);

/* Everything up to <main> (report_style.c). */
void gm_rp_head(gm_buf *b, const char *title);

/* ---- tables (report_tables.c) ---- */
void gm_rp_columns(gm_buf *b, const gm_doc *info);
void gm_rp_stages(gm_buf *b, const gm_doc *info);
void gm_rp_schema(gm_buf *b, const gm_doc *info);
void gm_rp_by_label(gm_buf *b, const gm_doc *info, const gm_doc *metrics);

/* ---- plots (report_plots.c, report_bars.c): a <figure> each, nothing when there is no data ---- */
void gm_rp_plot_roc(gm_buf *b, const gm_doc *train, const gm_doc *test);
void gm_rp_plot_pr(gm_buf *b, const gm_doc *train, const gm_doc *test);
void gm_rp_plot_calibration(gm_buf *b, const gm_doc *test);
void gm_rp_plot_fit(gm_buf *b, const gm_doc *pairs);       /* predicted against actual */
void gm_rp_plot_residuals(gm_buf *b, const gm_doc *pairs); /* how actual - predicted is spread */
void gm_rp_plot_history(gm_buf *b, const gm_doc *history);
void gm_rp_plot_confusion(gm_buf *b, const gm_doc *confusion);
void gm_rp_plot_features(gm_buf *b, const gm_doc *info);
#endif

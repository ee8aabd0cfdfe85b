/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - one self-contained HTML page about a fitted model: no script, no request, light and dark,
 * printable.
 *
 * info is the document of gm_model_info. Every key may be absent: its part of the page then is too. Beyond
 * the keys named in gristmill.h it reads metrics.train, metrics.test: {metric: number or null, "xByLabel":
 * [number per label], "curves": {"roc": [[x, y]], "pr": [[recall, precision]], "calibration": [[predicted,
 * observed, rows]]}, "confusion": {"labels": [...], "counts": [[row of an actual label]]}, "residuals":
 * [[predicted, actual]]}; features: [name or {"name", "value" or "values": [per label], "standardized"}],
 * "intercept": number or [numbers]; columns: [{"name", "type", "use", "why"}] and "why" (low code); "label";
 * "notes": [text]; fit.split: {part: rows}; fit.skipped: [text or {...}]; fit.history: [number]; fit.plan:
 * text; pipeline: text.
 */
#ifndef GM_MODEL_REPORT_H
#define GM_MODEL_REPORT_H
#include "base/doc.h"

gm_code gm_report_html(gm_cx *cx, gm_buf *out, const gm_doc *info) GM_NODISCARD;
#endif

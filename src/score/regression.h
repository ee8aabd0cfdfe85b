/* SPDX-License-Identifier: Apache-2.0 */
/* regression.h - the metrics of residuals, for the table in metrics.c. */
#ifndef GM_SCORE_REGRESSION_H
#define GM_SCORE_REGRESSION_H
#include "score/score.h"

gm_value gm_mse(const gm_residuals *r, bool through_origin);
gm_value gm_rmse(const gm_residuals *r, bool through_origin);
gm_value gm_mae(const gm_residuals *r, bool through_origin);
gm_value gm_r2(const gm_residuals *r, bool through_origin);
gm_value gm_explained_variance(const gm_residuals *r, bool through_origin);
#endif

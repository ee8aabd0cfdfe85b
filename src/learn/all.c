/* SPDX-License-Identifier: Apache-2.0 */
/*
 * all.c - the learners. A new one is a file of formulas and two lines here.
 */
#include "stage/stage.h"

extern const gm_stage gm_stage_logistic_regression, gm_stage_linear_regression, gm_stage_linear_svc;

const gm_stage *const gm_learners[] = {&gm_stage_logistic_regression, &gm_stage_linear_regression,
                                       &gm_stage_linear_svc, NULL};

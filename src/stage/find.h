/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find.h - stages by name, over the lists of features and learners.
 */
#ifndef GM_STAGE_FIND_H
#define GM_STAGE_FIND_H
#include "stage/stage.h"

const gm_stage *gm_stage_find(const char *name); /* NULL: there is none of this name */
/* Fails with GM_ESTAGE, where the name stood (may be NULL), and the nearest name. */
gm_code gm_stage_need(gm_cx *cx, const char *name, const gm_doc *where, const gm_stage **out) GM_NODISCARD;
#endif

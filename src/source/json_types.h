/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_types.h - the types of a JSON file's columns.
 */
#ifndef GM_SOURCE_JSON_TYPES_H
#define GM_SOURCE_JSON_TYPES_H
#include "source/table_own.h"

/* Sets t->sql to reader options with the type of every column, from the whole of its files. */
gm_code gm_json_pin_types(gm_cx *cx, gm_table *t) GM_NODISCARD;
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* output_schema.h - the JSON Schema of what the command prints under --json: gm_schema(cx, "output", ...). */
#ifndef GM_API_OUTPUT_SCHEMA_H
#define GM_API_OUTPUT_SCHEMA_H
#include "base/buf.h"

void gm_output_schema(gm_buf *b);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* output_schema.h - the schema of the command's --json documents, in parts to be joined; NULL ends. */
#ifndef GM_API_OUTPUT_SCHEMA_H
#define GM_API_OUTPUT_SCHEMA_H
extern const char *const gm_output_schema[];
#endif

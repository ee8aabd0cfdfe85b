/* SPDX-License-Identifier: Apache-2.0 */
/* schema.c - `gristmill schema`: JSON Schemas of pipeline files, of what --json prints, and of stages. */
#include "cmd.h"

gm_code cmd_schema(cmd *c)
{
    char *text;
    yyjson_val *schema;
    CMD_TRY(cmd_open(c));
    CMD_TRY(cmd_lib(c, gm_schema(c->cx, c->n_words > 0 ? c->words[0] : "pipeline", &text)));
    CMD_TRY(cmd_parse_json(c, text, &schema));
    puts(cmd_json_text(c, yyjson_val_mut_copy(c->doc, schema), true));
    c->out = NULL; /* the schema is the document */
    return GM_OK;
}

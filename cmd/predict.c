/* SPDX-License-Identifier: Apache-2.0 */
/* predict.c - `gristmill predict`: the rows of a table with a model's outputs behind them. */
#include "cmd.h"
#include <string.h>

static void free_table(void *p) { gm_table_free(p); }

/* --columns a,b --columns c: the outputs to add. */
static const char *transform_options(cmd *c)
{
    if (!cmd_has(c, "columns")) return NULL;
    yyjson_mut_val *options = cmd_map(c), *columns = cmd_list(c);
    const char *given;
    for (int i = 0; (given = cmd_value_next(c, "columns", &i)) != NULL;)
        while (*given != 0) {
            size_t n = strcspn(given, ",");
            if (n > 0) cmd_add_text(c, columns, cmd_format(c, "%.*s", (int)n, given));
            given += n + (given[n] == ',');
        }
    cmd_put(c, options, "columns", columns);
    return cmd_json_text(c, options, false);
}

gm_code cmd_predict(cmd *c)
{
    const char *to = cmd_has(c, "output") ? cmd_value(c, "output") : "-", *format = cmd_value(c, "format");
    bool standard = strcmp(to, "-") == 0;
    if (c->json && standard)
        return cmd_hint(c, cmd_fail(c, GM_EUSAGE, "--json and the rows would share standard output"),
                        "write the rows to a file: -o FILE; or as JSON lines without --json: --format json");
    const cmd_file in_files[] = {{"the model", c->words[0]}, {"the data", c->words[1]}},
                   out_file = {"-o", to};
    CMD_TRY(cmd_check_outputs(c, &out_file, 1, in_files, 2));
    double begun = cmd_seconds();
    gm_model *m;
    gm_table *in, *out;
    CMD_TRY(cmd_model(c, c->words[0], &m));
    CMD_TRY(cmd_table(c, c->words[1], &in));
    CMD_TRY(cmd_lib(c, gm_model_transform(c->cx, m, in, transform_options(c), &out)));
    cmd_keep(c, out, free_table);
    yyjson_mut_val *options = cmd_map(c);
    if (format == NULL && standard) format = "csv";
    if (format != NULL) cmd_put_text(c, options, "format", format);
    int64_t rows = 0;
    CMD_TRY(cmd_lib(c, gm_table_write(c->cx, out, to, cmd_json_text(c, options, false), &rows)));
    cmd_put_text(c, c->out, "model", c->words[0]);
    cmd_put_text(c, c->out, "output", to);
    cmd_put_real(c, c->out, "rows", (double)rows);
    cmd_put_real(c, c->out, "seconds", cmd_seconds() - begun);
    if (!standard) cmd_note(c, "%s written to %s\n", cmd_count(c, rows, "row"), cmd_clean(c, to));
    return GM_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* stages.c - `gristmill stages`: the registry as a list, grouped by kind. */
#include "cmd.h"
#include <string.h>

static void print_kind(cmd *c, const char *title, const char *kind, yyjson_val *list)
{
    cmd_grid *g = cmd_grid_new(c, "|");
    cmd_grid_wrap(g);
    size_t i, n;
    yyjson_val *s;
    yyjson_arr_foreach(list, i, n, s)
    {
        if (kind != NULL && strcmp(cmd_get_text(s, "kind"), kind) != 0) continue;
        cmd_grid_cell(g, cmd_get_text(s, "name"));
        cmd_grid_cell(g, cmd_get_text(s, "summary"));
    }
    if (cmd_grid_rows(g) == 0) return;
    cmd_heading(c, title);
    cmd_grid_print(g, 2);
    cmd_say(c, "\n");
}

gm_code cmd_stages(cmd *c)
{
    static const char *const kinds[][2] = {
        {"Transformers: nothing to fit", "transformer"},
        {"Estimators: fitted in one pass over the data", "estimator"},
        {"Learners of classes", "classifier"},
        {"Learners of numbers", "regressor"},
    };
    yyjson_val *registry;
    CMD_TRY(cmd_registry(c, &registry));
    yyjson_val *stages = yyjson_obj_get(registry, "stages"),
               *evaluators = yyjson_obj_get(registry, "evaluators");
    cmd_put_copy(c, c->out, "stages", stages);
    cmd_put_copy(c, c->out, "evaluators", evaluators);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        print_kind(c, kinds[i][0], kinds[i][1], stages);
    print_kind(c, "Evaluators", NULL, evaluators);
    cmd_say(c, "`gristmill help NAME` explains one.\n");
    return GM_OK;
}

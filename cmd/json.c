/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.c - JSON in and out over yyjson: what the library answers is parsed, options for it and the document
 * of
 * --json are built in c->doc.
 */
#include "cmd.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void free_document(void *p) { yyjson_doc_free(p); }

gm_code cmd_parse_json(cmd *c, char *text, yyjson_val **root)
{
    cmd_keep(c, text, gm_free);
    yyjson_read_err err = {0};
    yyjson_doc *doc = yyjson_read_opts(text, strlen(text), 0, NULL, &err);
    if (doc == NULL)
        return cmd_fail(c, GM_EINTERNAL, "the library's answer is not JSON: %s at byte %zu", err.msg,
                        err.pos);
    cmd_keep(c, doc, free_document);
    *root = yyjson_doc_get_root(doc);
    return GM_OK;
}

yyjson_mut_val *cmd_map(cmd *c) { return yyjson_mut_obj(c->doc); }

yyjson_mut_val *cmd_list(cmd *c) { return yyjson_mut_arr(c->doc); }

void cmd_put(cmd *c, yyjson_mut_val *map, const char *key, yyjson_mut_val *value)
{
    yyjson_mut_obj_put(map, yyjson_mut_strcpy(c->doc, key), value);
}

/* Arguments of the command may hold any bytes; JSON holds UTF-8 only. */
static yyjson_mut_val *text_value(cmd *c, const char *text)
{
    if (text == NULL) return yyjson_mut_null(c->doc);
    yyjson_mut_val *v = yyjson_mut_strcpy(c->doc, text);
    char *probe = yyjson_mut_val_write(v, 0, NULL);
    if (probe == NULL) return yyjson_mut_strcpy(c->doc, cmd_clean(c, text));
    free(probe);
    return v;
}

void cmd_put_text(cmd *c, yyjson_mut_val *map, const char *key, const char *text)
{
    cmd_put(c, map, key, text_value(c, text));
}

void cmd_put_real(cmd *c, yyjson_mut_val *map, const char *key, double v)
{
    if (!isfinite(v)) cmd_put(c, map, key, yyjson_mut_null(c->doc));
    else if (v == floor(v) && fabs(v) < 9e15) cmd_put(c, map, key, yyjson_mut_sint(c->doc, (int64_t)v));
    else cmd_put(c, map, key, yyjson_mut_real(c->doc, v));
}

void cmd_put_copy(cmd *c, yyjson_mut_val *map, const char *key, yyjson_val *value)
{
    if (value != NULL) cmd_put(c, map, key, yyjson_val_mut_copy(c->doc, value));
}

void cmd_add_text(cmd *c, yyjson_mut_val *list, const char *text)
{
    yyjson_mut_arr_append(list, text_value(c, text));
}

/* JSON has no NaN and no infinity, though the database writes them: null. */
static void only_finite(yyjson_mut_val *v)
{
    size_t i, n;
    yyjson_mut_val *k, *e;
    if (yyjson_mut_is_real(v) && !isfinite(yyjson_mut_get_real(v))) yyjson_mut_set_null(v);
    yyjson_mut_arr_foreach(v, i, n, e) { only_finite(e); }
    yyjson_mut_obj_foreach(v, i, n, k, e) { only_finite(e); }
}

yyjson_mut_val *cmd_raw_json(cmd *c, const char *text)
{
    char *copy = cmd_format(c, "%s", text); /* yyjson takes a text that it may write to */
    yyjson_doc *doc = yyjson_read_opts(copy, strlen(copy), YYJSON_READ_ALLOW_INF_AND_NAN, NULL, NULL);
    if (doc == NULL) return NULL;
    cmd_keep(c, doc, free_document);
    yyjson_mut_val *v = yyjson_val_mut_copy(c->doc, yyjson_doc_get_root(doc));
    if (v != NULL) only_finite(v);
    return v;
}

char *cmd_json_text(cmd *c, yyjson_mut_val *value, bool pretty)
{
    char *text = yyjson_mut_val_write(value, pretty ? YYJSON_WRITE_PRETTY_TWO_SPACES : 0, NULL);
    return cmd_keep(c, text, free);
}

const char *cmd_get_text(yyjson_val *map, const char *key)
{
    const char *s = yyjson_get_str(yyjson_obj_get(map, key));
    return s != NULL ? s : "";
}

yyjson_val *cmd_find_named(yyjson_val *list, const char *name)
{
    size_t i, n;
    yyjson_val *v;
    yyjson_arr_foreach(list, i, n, v)
    {
        if (strcmp(cmd_get_text(v, "name"), name) == 0) return v;
    }
    return NULL;
}

gm_code cmd_registry(cmd *c, yyjson_val **root)
{
    CMD_TRY(cmd_open(c));
    char *text;
    CMD_TRY(cmd_lib(c, gm_registry(c->cx, &text)));
    return cmd_parse_json(c, text, root);
}

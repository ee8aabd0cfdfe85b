/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buf.h - text that grows: messages, JSON, YAML, SQL, HTML. The one place that escapes.
 *
 * A failed append is remembered (b->code) and later appends do nothing, so a writer checks once, at the end,
 * with gm_buf_done. Memory belongs to the arena given to gm_buf_in.
 */
#ifndef GM_BASE_BUF_H
#define GM_BASE_BUF_H
#include "base/text.h"

typedef struct gm_buf {
    gm_cx *cx;
    gm_arena *arena;
    char *p; /* NUL-terminated once anything was added */
    size_t len, cap;
    gm_code code;
    int depth;  /* JSON nesting */
    bool comma; /* the next JSON value needs a comma before it */
} gm_buf;

gm_buf gm_buf_in(gm_cx *cx, gm_arena *a);
gm_buf gm_buf_over(char *p, size_t cap); /* does not grow: what is too long is GM_ELIMIT, told to nobody */
void gm_buf_add(gm_buf *b, const char *s, size_t n);
void gm_buf_str(gm_buf *b, const char *s);
void gm_buf_printf(gm_buf *b, const char *fmt, ...) GM_PRINTF(2, 3);
gm_code gm_buf_done(gm_buf *b) GM_NODISCARD; /* GM_OK, and b->p is a string, also when empty */

void gm_buf_ident(gm_buf *b, const char *name);   /* SQL identifier in double quotes */
void gm_buf_literal(gm_buf *b, const char *text); /* SQL string in single quotes */
void gm_buf_html(gm_buf *b, const char *text,
                 size_t n); /* & < > " ' escaped, control characters shown as U+FFFD */

/* JSON writer: commas come by themselves. key NULL inside arrays and at the top. Numbers that are not finite
 * are null. */
void gm_json_open(gm_buf *b, const char *key, char bracket); /* '{' or '[' */
void gm_json_close(gm_buf *b, char bracket);                 /* '}' or ']' */
void gm_json_str(gm_buf *b, const char *key, const char *v); /* NULL: null */
void gm_json_text(gm_buf *b, const char *key, const char *v, size_t n);
void gm_json_real(gm_buf *b, const char *key, double v); /* shortest text that reads back the same */
void gm_json_int(gm_buf *b, const char *key, int64_t v);
void gm_json_bool(gm_buf *b, const char *key, bool v);
void gm_json_null(gm_buf *b, const char *key);
void gm_json_raw(gm_buf *b, const char *key, const char *json); /* json is a whole value */
/* Shortest decimal text of v that reads back the same, at least "1.0" for whole numbers when point; out
 * holds 32. */
void gm_real_text(double v, bool point, char out[32]);
#endif

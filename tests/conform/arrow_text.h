/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow_text.h - Arrow data as text, one line per row, so that a test can compare to the bit: real numbers in
 * hexadecimal, missing values as null.
 */
#ifndef GM_TESTS_ARROW_TEXT_H
#define GM_TESTS_ARROW_TEXT_H
#include "table/arrow_abi.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline bool arrow_null(const struct ArrowArray *a, int64_t i)
{
    const uint8_t *valid = a->n_buffers > 0 ? a->buffers[0] : NULL;
    int64_t at = a->offset + i;
    return valid && !(valid[at / 8] >> (at % 8) & 1);
}

static inline void arrow_real(FILE *f, double v)
{
    if (isnan(v)) fputs("nan", f);
    else if (v == 0) fputs(signbit(v) ? "-0" : "0", f);
    else fprintf(f, "%a", v);
}

static inline void arrow_value(FILE *f, const struct ArrowSchema *s, const struct ArrowArray *a, int64_t i);

static inline void arrow_list(FILE *f, const struct ArrowSchema *s, const struct ArrowArray *a, int64_t from,
                              int64_t to)
{
    putc_unlocked('[', f);
    for (int64_t k = from; k < to; k++) {
        if (k > from) putc_unlocked(' ', f);
        arrow_value(f, s->children[0], a->children[0], k);
    }
    putc_unlocked(']', f);
}

static inline void arrow_whole(FILE *f, char format, const void *data, int64_t at)
{
    long long v = 0;
    switch (format) {
    case 'b': v = ((const uint8_t *)data)[at / 8] >> (at % 8) & 1; break;
    case 'c': v = ((const int8_t *)data)[at]; break;
    case 'C': v = ((const uint8_t *)data)[at]; break;
    case 's': v = ((const int16_t *)data)[at]; break;
    case 'S': v = ((const uint16_t *)data)[at]; break;
    case 'i': v = ((const int32_t *)data)[at]; break;
    case 'I': v = ((const uint32_t *)data)[at]; break;
    case 'l':
    case 'L': v = ((const int64_t *)data)[at]; break;
    }
    fprintf(f, "%lld", v);
}

static inline void arrow_value(FILE *f, const struct ArrowSchema *s, const struct ArrowArray *a, int64_t i)
{
    int64_t at = a->offset + i;
    const char *format = s->format;
    if (strcmp(format, "n") == 0 || arrow_null(a, i)) {
        fputs("null", f);
    } else if (strcmp(format, "g") == 0) {
        arrow_real(f, ((const double *)a->buffers[1])[at]);
    } else if (strcmp(format, "f") == 0) {
        arrow_real(f, (double)((const float *)a->buffers[1])[at]);
    } else if (strcmp(format, "u") == 0) {
        const int32_t *off = a->buffers[1];
        fprintf(f, "'%.*s'", (int)(off[at + 1] - off[at]), (const char *)a->buffers[2] + off[at]);
    } else if (strcmp(format, "+l") == 0) {
        const int32_t *off = a->buffers[1];
        arrow_list(f, s, a, off[at], off[at + 1]);
    } else if (strncmp(format, "+w:", 3) == 0) {
        long n = strtol(format + 3, NULL, 10);
        arrow_list(f, s, a, at * n, (at + 1) * n);
    } else if (strcmp(format, "+s") == 0) {
        for (int64_t k = 0; k < s->n_children; k++) {
            fputs(k ? " " : "{", f);
            arrow_value(f, s->children[k], a->children[k], at);
        }
        putc_unlocked('}', f);
    } else if (format[1] == 0 && strchr("bcCsSiIlL", format[0])) {
        arrow_whole(f, format[0], a->buffers[1], at);
    } else {
        fprintf(f, "<%s>", format); /* equal texts of it would prove nothing: tests look for '<' */
    }
}

/* Values first .. length of one array, a line each. */
static inline void arrow_lines(FILE *f, const struct ArrowSchema *s, const struct ArrowArray *a)
{
    for (int64_t i = 0; i < a->length; i++) {
        arrow_value(f, s, a, i);
        putc_unlocked('\n', f);
    }
}

/* All rows of a stream, which is released; false: it failed. */
static inline bool arrow_stream_lines(FILE *f, struct ArrowArrayStream *stream)
{
    struct ArrowSchema s = {0};
    bool fine = stream->get_schema(stream, &s) == 0;
    for (int64_t k = 0; fine && k < s.n_children; k++) fprintf(f, "%s%s", k ? " " : "", s.children[k]->name);
    putc_unlocked('\n', f);
    while (fine) {
        struct ArrowArray a = {0};
        fine = stream->get_next(stream, &a) == 0;
        if (!fine || a.release == NULL) break;
        arrow_lines(f, &s, &a);
        a.release(&a);
    }
    if (s.release) s.release(&s);
    stream->release(stream);
    return fine;
}
#endif

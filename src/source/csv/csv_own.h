/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_own.h - a CSV table from the inside, for csv_*.c.
 */
#ifndef GM_SOURCE_CSV_OWN_H
#define GM_SOURCE_CSV_OWN_H
#include "source/csv/csv_look.h"

typedef struct gm_csv_note {
    const char *column, *text;
    struct gm_csv_note *next;
} gm_csv_note;

typedef struct gm_csv_rejected {
    const char *file, *column, *text, *reason;
    int64_t line;
} gm_csv_rejected;

typedef struct gm_csv {
    gm_csv_options o;
    gm_names files;     /* what is read: as given, or copies; changes under lock */
    const char **given; /* as they were before */
    bool evened;        /* all were looked at for line ends of several kinds */
    int64_t looked;     /* rows that the first guess is from */
    const char **end;   /* how the lines of each file end; empty: not known */
    int64_t *blank;     /* empty lines before the header of each file */
    const char **said;  /* each file as messages call it */
    bool lax;           /* line breaks of several kinds, and no quotes */
    int64_t longest;    /* bytes that a line may have; 0: the usual; grows under lock */
    pthread_mutex_t lock;
    gm_csv_plan *plan; /* the newest */
    gm_csv_note *note, **last_note;
    gm_arena notes_in;      /* under lock */
    gm_arena rejects_arena; /* of the last whole reading */
    int64_t n_rejected, n_kept;
    gm_csv_rejected *rejected;
} gm_csv;

enum { GM_CSV_USUAL = 4000000, GM_CSV_MOST = 1024000000 }; /* bytes of a line */

/* Reader options are appended to b; types[j], when given, replaces the type that column j is read as, and
 * one thread reads. */
void gm_csv_reader(gm_buf *b, const gm_csv *csv, const gm_csv_plan *plan, bool keep_rejects, int64_t limit,
                   const char *const *types);
static inline bool gm_csv_is_number(gm_csv_kind k)
{
    return k == GM_CSV_INT || k == GM_CSV_HUGE || k == GM_CSV_REAL;
}
gm_csv_kind gm_csv_decide(int saw, bool *day_first, bool *year_last);
const char *gm_csv_type_name(const gm_csv_column *c);
gm_code gm_csv_plan_new(gm_cx *cx, gm_hub *hub, int64_t n, gm_csv_plan **out) GM_NODISCARD;
gm_csv_plan *gm_csv_plan_of(gm_csv *csv); /* a new reference to the newest */
gm_code gm_csv_note_add(gm_cx *cx, gm_csv *csv, const char *column,
                        const char *text) GM_NODISCARD;          /* under lock */
gm_code gm_csv_note_uneven(gm_cx *cx, gm_csv *csv) GM_NODISCARD; /* under lock */
/* ---- csv_number.c ---- */
/* A value that does not read as its column's type. line NULL: not found. */
typedef struct gm_csv_place {
    const char *file, *line, *text;
} gm_csv_place;
gm_code gm_csv_find(gm_cx *cx, gm_arena *a, const gm_table *t, gm_csv_plan *p, int j, const char *type,
                    gm_csv_place *out) GM_NODISCARD;
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd.h - what the verbs of the command share: one table of verbs and options (options.c), the terminal
 * (terminal.c), aligned tables (grid.c), JSON in and out (json.c), the session and its events (session.c).
 *
 * A verb is `gm_code cmd_verb(cmd *c)`. It prints results with cmd_say, which is silent under --json, and
 * puts the same facts into c->out, the document that --json prints. A failure is told once with cmd_fail, or
 * comes from the library through cmd_lib; main.c prints it and turns the code into the exit status. Memory
 * lives until the command ends.
 */
#ifndef CMD_H
#define CMD_H
#include <gristmill.h>
#include <stdbool.h>
#include <stdio.h>
#include <yyjson.h>

#define CMD_PRINTF(a, b) __attribute__((format(printf, a, b)))
#define CMD_TRY(e) \
    do { \
        gm_code try_ = (e); \
        if (try_ != GM_OK) return try_; \
    } while (0)

/* ---- verbs and options: the tables in options.c ---- */
enum {
    V_TRAIN = 1 << 0,
    V_PREDICT = 1 << 1,
    V_EVALUATE = 1 << 2,
    V_INSPECT = 1 << 3,
    V_SQL = 1 << 4,
    V_STAGES = 1 << 5,
    V_HELP = 1 << 6,
    V_SCHEMA = 1 << 7,
    V_COMPLETION = 1 << 8,
    V_VERSION = 1 << 9,
    V_READS = V_TRAIN | V_PREDICT | V_EVALUATE,
    V_WORKS = V_READS | V_INSPECT | V_SQL,
    V_ALL = (1 << 10) - 1
};

/* What a word or an option's value is: checked when parsed, offered by completion. */
typedef enum cmd_kind {
    CMD_FLAG, /* no value */
    CMD_TEXT,
    CMD_WHOLE, /* a whole number */
    CMD_REAL,  /* a number */
    CMD_FILE,
    CMD_LEARNER,
    CMD_STAGE,
    CMD_WORDS, /* one of choices */
    CMD_PAIR   /* KEY=VALUE */
} cmd_kind;

typedef struct cmd cmd;
typedef struct cmd_verb {
    const char *name, *args; /* "FILE [a.b=c ...]" */
    unsigned bit;
    int min, max; /* words; max < 0: any number */
    cmd_kind words;
    const char *choices; /* of CMD_WORDS: "bash|zsh|fish" */
    gm_code (*run)(cmd *c);
    const char *summary, *doc, *examples;
} cmd_verb;

typedef struct cmd_option {
    const char *name;
    char letter;
    const char *arg;
    cmd_kind kind;
    bool repeat;
    unsigned verbs;
    const char *choices, *help;
} cmd_option;

extern const cmd_verb cmd_verbs[];     /* name NULL ends */
extern const cmd_option cmd_options[]; /* name NULL ends */

typedef struct cmd_given {
    const cmd_option *option;
    const char *value;
} cmd_given;

/* One run of the command. */
struct cmd {
    const cmd_verb *verb;
    int n_words, n_given;
    const char **words;
    cmd_given *given;
    bool json, quiet, help;

    gm_cx *cx; /* NULL until cmd_open */
    gm_code code;
    const char *message, *hint;

    yyjson_mut_doc *doc; /* holds every JSON value the command makes */
    yyjson_mut_val *out; /* what --json prints */
    yyjson_mut_val *warnings;

    struct cmd_kept *kept;
    int n_kept, cap_kept;

    struct {
        int width;     /* of stdout, 80 when it is no terminal */
        int bar_width; /* of stderr, 0: no progress bar */
        bool out_is_tty;
        bool utf8; /* line-drawing characters are fine */
        bool out_colour, err_colour;
    } term;
    struct cmd_progress *progress;
};

gm_code cmd_parse_args(cmd *c, int argc, char **argv);
const char *cmd_value(const cmd *c, const char *option); /* the last one given, or NULL */
bool cmd_has(const cmd *c, const char *option);
const char *cmd_value_next(const cmd *c, const char *option, int *i); /* repeated options; *i starts at 0 */
const cmd_verb *cmd_verb_find(const char *name);
/* The nearest of n names (stride bytes apart) to word, or NULL when none is near. */
const char *cmd_nearest(const char *word, const void *names, size_t stride, int n);

/* ---- memory, failures, the session ---- */
void *cmd_alloc(cmd *c, size_t n); /* zeroed; never NULL: without memory the command ends with GM_ENOMEM */
void *cmd_keep(cmd *c, void *p, void (*destroy)(void *)); /* destroyed at the end, last first; returns p */
char *cmd_format(cmd *c, const char *fmt, ...) CMD_PRINTF(2, 3);
void cmd_release(cmd *c);
gm_code cmd_fail(cmd *c, gm_code code, const char *fmt, ...) CMD_PRINTF(3, 4);
gm_code cmd_hint(cmd *c, gm_code code, const char *fmt, ...) CMD_PRINTF(3, 4);
/* Takes over the library's message when code is a failure, and notices Ctrl-C. */
gm_code cmd_lib(cmd *c, gm_code code);
gm_code cmd_open(cmd *c); /* opens the session from --threads, --memory, --seed; a second call is fine */
void cmd_signals(void);
int cmd_signalled(void); /* the signal that asked to stop, or 0 */
double cmd_seconds(void);

/* ---- outputs.c ---- */
typedef struct cmd_file {
    const char *what, *path; /* "the data", or "--model"; NULL: there is none */
} cmd_file;
gm_code cmd_check_outputs(cmd *c, const cmd_file *out, int n_out, const cmd_file *in, int n_in);

/* ---- tables and models ---- */
gm_code cmd_table(cmd *c, const char *path, gm_table **t); /* with the --read options; kept */
/* The same of a source of this kind: "path", or "sql". */
gm_code cmd_source(cmd *c, const char *kind, const char *text, gm_table **t);
gm_code cmd_model(cmd *c, const char *path, gm_model **m); /* kept */
gm_code cmd_model_info(cmd *c, const gm_model *m, yyjson_val **info);
/* The text of a small file ("-": standard input), at most 64 MB. */
gm_code cmd_read_file(cmd *c, const char *path, char **text);
bool cmd_has_suffix(const char *path, const char *suffix);

/* Rows of texts (what SELECT COLUMNS(*)::VARCHAR gives): calls row for each, values NULL where missing. */
gm_code cmd_rows(cmd *c, const gm_table *t, void (*row)(void *user, int cols, const char *const *values),
                 void *user);
/* One array of fitted state as numbers; rows x cols, cols = 1 for a vector. */
gm_code cmd_state_reals(cmd *c, const gm_model *m, int stage, const char *name, double **v, int64_t *rows,
                        int64_t *cols);

/* ---- JSON ---- */
gm_code cmd_parse_json(cmd *c, char *text, yyjson_val **root); /* takes text, which the library returned */
yyjson_mut_val *cmd_map(cmd *c);
yyjson_mut_val *cmd_list(cmd *c);
void cmd_put(cmd *c, yyjson_mut_val *map, const char *key, yyjson_mut_val *value);
void cmd_put_text(cmd *c, yyjson_mut_val *map, const char *key, const char *text); /* NULL: null */
void cmd_put_real(cmd *c, yyjson_mut_val *map, const char *key, double v);
void cmd_put_copy(cmd *c, yyjson_mut_val *map, const char *key, yyjson_val *value); /* nothing when NULL */
void cmd_add_text(cmd *c, yyjson_mut_val *list, const char *text);
yyjson_mut_val *cmd_raw_json(cmd *c, const char *text); /* a value written as JSON, or NULL */
char *cmd_json_text(cmd *c, yyjson_mut_val *value, bool pretty);
const char *cmd_get_text(yyjson_val *map, const char *key); /* "" when absent */
gm_code cmd_registry(cmd *c, yyjson_val **root);
yyjson_val *cmd_find_named(yyjson_val *list, const char *name);

/* ---- terminal ---- */
void cmd_term_init(cmd *c);
void cmd_say(cmd *c, const char *fmt, ...) CMD_PRINTF(2, 3);  /* stdout; nothing under --json */
void cmd_note(cmd *c, const char *fmt, ...) CMD_PRINTF(2, 3); /* stderr; nothing under --json or --quiet */
void cmd_heading(cmd *c, const char *text);
/* Paragraphs wrapped to the terminal; a line that starts with a blank is kept as it is. */
void cmd_wrap(cmd *c, const char *text, int indent);
int cmd_text_width(const char *s);
/* A copy without control characters and broken UTF-8, so that data cannot steer the terminal. */
char *cmd_clean(cmd *c, const char *s);
char *cmd_number(cmd *c, double v);                    /* 12,345  0.8312  1.2e-05 */
char *cmd_count(cmd *c, int64_t n, const char *thing); /* "1 row", "12,345 rows" */
char *cmd_scalar(cmd *c, yyjson_val *v);
const char *cmd_bold(const cmd *c);
const char *cmd_dim(const cmd *c);
const char *cmd_plain(const cmd *c);

void cmd_event(void *user, const gm_event *event); /* progress.c: the receiver; user is the cmd */
void cmd_progress_start(cmd *c);
void cmd_progress_end(cmd *c); /* clears the bar */

/* ---- grid: an aligned table ---- */
typedef struct cmd_grid cmd_grid;
/* titles: names parted by '|', a '>' in front right-aligns; "" between bars: no title; no title at all: no
 * header. */
cmd_grid *cmd_grid_new(cmd *c, const char *titles);
cmd_grid *cmd_grid_of(cmd *c, int cols);
void cmd_grid_title(cmd_grid *g, int col, const char *title, bool right);
void cmd_grid_cell(cmd_grid *g, const char *text); /* cells in reading order; NULL: empty */
void cmd_grid_wrap(cmd_grid *g);                   /* the last column is prose: wrapped, not cut */
int cmd_grid_rows(const cmd_grid *g);
void cmd_grid_print(cmd_grid *g, int indent);

/* ---- the verbs ---- */
gm_code cmd_train(cmd *c);
gm_code cmd_predict(cmd *c);
gm_code cmd_evaluate(cmd *c);
gm_code cmd_inspect(cmd *c);
gm_code cmd_sql(cmd *c);
gm_code cmd_stages(cmd *c);
gm_code cmd_help(cmd *c);
gm_code cmd_schema(cmd *c);
gm_code cmd_completion(cmd *c);
gm_code cmd_version(cmd *c);

gm_code cmd_help_verb(cmd *c, const cmd_verb *v);
gm_code cmd_help_overview(cmd *c, FILE *to);
/* Metrics of one or two parts, side by side: those that were chosen and those that matter for the task; the
 * confusion matrix below. */
void cmd_print_metrics(cmd *c, int n, const char *const *parts, yyjson_val *const *metrics);

/* A column's SQL type for people: "vector(12)" for DOUBLE[12], "vector" for Spark's struct. */
const char *cmd_type(cmd *c, const char *type);
/* What low code decided about each column. */
void cmd_print_columns(cmd *c, yyjson_val *columns);
/* How the fit of a model went, from what gm_model_info answers; the same facts into c->out. */
void cmd_print_fit(cmd *c, yyjson_val *info);

typedef struct cmd_topic {
    const char *name, *summary, *text;
} cmd_topic;
extern const cmd_topic cmd_topics[]; /* topics.c; name NULL ends */
#endif

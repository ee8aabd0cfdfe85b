/* SPDX-License-Identifier: Apache-2.0 */
/* test_arrow_in.c - Arrow streams as tables: types, batches, repeated and parallel scans, and data that lie.
 */
#include "source/write.h"
#include "table/arrow_abi.h"
#include "tables.h"

enum { COLS = 6, ROWS = 5 };

/* A stream of `batches` batches of the same five rows, made by hand. */
typedef struct made {
    struct ArrowSchema root, field[COLS], words, *fields[COLS];
    struct ArrowArray batch, col[COLS], dict, *cols[COLS];
    const void *buffers[COLS][3], *dict_buffers[3], *root_buffers[1];
    int64_t ints[ROWS];
    double reals[ROWS];
    int32_t off[ROWS + 1], dict_off[3];
    int64_t off64[ROWS + 1];
    int8_t codes[ROWS];
    uint8_t bools[1], valid[1];
    int64_t stamps[ROWS];
    int batches, given, released;
} made;

static void release_schema(struct ArrowSchema *s) { s->release = NULL; }
static void release_child(struct ArrowArray *a) { a->release = NULL; }
static void release_batch(struct ArrowArray *a)
{
    ((made *)a->private_data)->released++;
    a->release = NULL;
}
static int get_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    *out = ((made *)s->private_data)->root;
    return 0;
}
static int get_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    made *m = s->private_data;
    memset(out, 0, sizeof *out);
    if (m->given < m->batches) *out = m->batch, m->given++;
    return 0;
}
static const char *last_error(struct ArrowArrayStream *s)
{
    (void)s;
    return "the disk is on fire";
}
static void release_stream(struct ArrowArrayStream *s) { s->release = NULL; }

static void column(made *m, int k, const char *name, const char *format, const void *a, const void *b)
{
    m->field[k] = (struct ArrowSchema){.format = format, .name = name, .release = release_schema};
    m->fields[k] = &m->field[k];
    m->buffers[k][0] = m->valid;
    m->buffers[k][1] = a;
    m->buffers[k][2] = b;
    m->col[k] = (struct ArrowArray){.length = ROWS,
                                    .null_count = 1,
                                    .n_buffers = b ? 3 : 2,
                                    .buffers = m->buffers[k],
                                    .release = release_child};
    m->cols[k] = &m->col[k];
}

static struct ArrowArrayStream make(made *m, int batches)
{
    static const char text[] = "aabbbcccc", words[] = "yesno", large[] = "xyz";
    *m = (made){.batches = batches, .bools = {0x15}, .valid = {0x17}}; /* row 3 is missing */
    for (int i = 0; i < ROWS; i++) {
        m->ints[i] = INT64_C(9007199254740993) + i;
        m->reals[i] = i / 2.0;
        m->codes[i] = (int8_t)(i % 2);
        m->stamps[i] = i * 1000;
    }
    memcpy(m->off, (int32_t[]){0, 2, 5, 5, 5, 9}, sizeof m->off);
    memcpy(m->off64, (int64_t[]){0, 1, 2, 2, 2, 3}, sizeof m->off64);
    memcpy(m->dict_off, (int32_t[]){0, 3, 5}, sizeof m->dict_off);
    column(m, 0, "id", "l", m->ints, NULL);
    column(m, 1, "x", "g", m->reals, NULL);
    column(m, 2, "s", "u", m->off, text);
    column(m, 3, "c", "c", m->codes, NULL);
    column(m, 4, "S", "U", m->off64, large);
    column(m, 5, "t", "tsm:UTC", m->stamps, NULL);
    m->field[4].name = "big text";
    m->words = (struct ArrowSchema){.format = "u", .name = "", .release = release_schema};
    m->field[3].dictionary = &m->words;
    m->dict_buffers[1] = m->dict_off;
    m->dict_buffers[2] = words;
    m->dict = (struct ArrowArray){
        .length = 2, .n_buffers = 3, .buffers = m->dict_buffers, .release = release_child};
    m->col[3].dictionary = &m->dict;
    m->root = (struct ArrowSchema){
        .format = "+s", .name = "", .n_children = COLS, .children = m->fields, .release = release_schema};
    m->batch = (struct ArrowArray){.length = ROWS,
                                   .n_buffers = 1,
                                   .n_children = COLS,
                                   .buffers = m->root_buffers,
                                   .children = m->cols,
                                   .release = release_batch,
                                   .private_data = m};
    return (struct ArrowArrayStream){.get_schema = get_schema,
                                     .get_next = get_next,
                                     .get_last_error = last_error,
                                     .release = release_stream,
                                     .private_data = m};
}

static void test_values(void **state)
{
    world *w = *state;
    made m;
    struct ArrowArrayStream s = make(&m, 2);
    gm_table *t = NULL;
    if (gm_table_arrow(w->cx, &s, "frame", &t) != GM_OK) fail_msg("%s", gm_cx_message(w->cx));
    assert_null(s.release);
    assert_string_equal(
        columns_of(w, t),
        "id BIGINT, x DOUBLE, s VARCHAR, c VARCHAR, big text VARCHAR, t TIMESTAMP WITH TIME ZONE");
    static const char once[] = "9007199254740993|0.0|aa|yes|x|1970-01-01 00:00:00+00;"
                               "9007199254740994|0.5|bbb|no|y|1970-01-01 00:00:01+00;"
                               "9007199254740995|1.0||yes||1970-01-01 00:00:02+00;"
                               "~|~|~|~|~|~;"
                               "9007199254740997|2.0|cccc|yes|z|1970-01-01 00:00:04+00;";
    char twice[2 * sizeof once];
    snprintf(twice, sizeof twice, "%s%s", once, once);
    for (int i = 0; i < 2; i++) assert_string_equal(rows_of(w, t, NULL), twice); /* as often as one likes */
    gm_table *q =
        sql(w, "SELECT c, \"big text\", count(*), sum(x) FROM t GROUP BY ALL HAVING c = 'no'", "t", t);
    assert_string_equal(rows_of(w, q, NULL), "no|y|2|1.0;");
    gm_table_unref(q);
    q = sql(w, "SELECT count(*) FROM t a JOIN t b ON a.id = b.id", "t", t); /* two scans at a time */
    assert_string_equal(rows_of(w, q, NULL), "16;");
    assert_int_equal(m.released, 0);
    gm_table_unref(t);
    gm_table_unref(q);
    assert_int_equal(m.released, 2);
}

static void test_empty(void **state)
{
    world *w = *state;
    made m;
    struct ArrowArrayStream s = make(&m, 0);
    gm_table *t = NULL;
    int64_t n = -1;
    assert_int_equal(gm_table_arrow(w->cx, &s, "frame", &t), GM_OK);
    assert_int_equal(gm_table_count(w->cx, t, &n), GM_OK);
    assert_int_equal(n, 0);
    gm_table_unref(t);
}

/* Every lie is one error, and everything is released. */
static void lie(world *w, void (*twist)(made *), const char *part)
{
    made m;
    struct ArrowArrayStream s = make(&m, 1);
    gm_table *t = NULL;
    twist(&m);
    gm_code code = gm_table_arrow(w->cx, &s, "frame", &t);
    expect_message(w, code, GM_EFORMAT, part, "");
    assert_null(s.release);
    assert_int_equal(m.released, m.given);
}

static void no_struct(made *m) { m->root.format = "l"; }
static void no_format(made *m) { m->field[1].format = NULL; }
static void odd_type(made *m) { m->field[1].format = "e"; }
static void no_name(made *m) { m->field[1].name = NULL; }
static void wild_children(made *m) { m->field[1].n_children = -5; }
static void null_child(made *m) { m->fields[2] = NULL; }
static void negative(made *m) { m->col[0].length = -1; }
static void huge(made *m) { m->col[0].offset = INT64_MAX; }
static void few_buffers(made *m) { m->col[0].n_buffers = 1; }
static void no_values(made *m) { m->buffers[0][1] = NULL; }
static void falling(made *m) { m->off[2] = 1; }
static void minus_offset(made *m) { m->off[0] = -3; }
static void wild_code(made *m) { m->codes[0] = 9; }
static void minus_code(made *m) { m->codes[0] = -1; }
static void no_dictionary(made *m) { m->col[3].dictionary = NULL; }
static void short_column(made *m) { m->col[4].length = 2; }
static void missing_column(made *m) { m->batch.n_children = 5; }
static void no_bits(made *m) { m->buffers[0][0] = NULL; }
static void bad_text(made *m)
{
    m->buffers[2][2] = "aa\xff"
                       "bbcccc";
}
static void same_name(made *m) { m->field[1].name = "id"; }

static void test_lies(void **state)
{
    static const struct {
        void (*twist)(made *);
        const char *part;
    } lies[] = {{no_struct, "a stream of tables"},
                {no_format, "'x': a field has no format"},
                {odd_type, "column 'x' has the Arrow type 'e'"},
                {no_name, "column 2 has no name"},
                {wild_children, "'x': a field has an impossible number"},
                {null_child, "column 3 has no name"},
                {negative, "'id': an impossible length"},
                {huge, "'id': an impossible length"},
                {few_buffers, "'id': the number of buffers"},
                {no_values, "'id': values are missing"},
                {falling, "'s': offsets fall"},
                {minus_offset, "'s': an offset is negative"},
                {wild_code, "'c': a dictionary index is out of range"},
                {minus_code, "'c': a dictionary index is out of range"},
                {no_dictionary, "'c': a dictionary is missing"},
                {short_column, "'big text': it is shorter"},
                {missing_column, "length or number of columns"},
                {no_bits, "'id': nulls without"},
                {bad_text, "'s': text is not UTF-8"}};
    for (int64_t i = 0; i < GM_COUNT(lies); i++) lie(*state, lies[i].twist, lies[i].part);
    world *w = *state;
    made m;
    struct ArrowArrayStream s = make(&m, 1);
    gm_table *t = NULL;
    same_name(&m);
    expect_message(w, gm_table_arrow(w->cx, &s, "frame", &t), GM_ESCHEMA, "two columns are called 'id'",
                   "rename");
}

static int broken_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    (void)s, (void)out;
    return 5;
}

static void test_producer_fails(void **state)
{
    world *w = *state;
    made m;
    gm_table *t = NULL;
    struct ArrowArrayStream s = make(&m, 1);
    s.get_next = broken_next;
    expect_message(w, gm_table_arrow(w->cx, &s, "frame", &t), GM_EIO,
                   "frame: its producer failed: the disk is on fire", "");
    expect_message(w, gm_table_arrow(w->cx, &s, "frame", &t), GM_EUSAGE, "was released", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_values, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_empty, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_lies, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_producer_fails, world_begin, world_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

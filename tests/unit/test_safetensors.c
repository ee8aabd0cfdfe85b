/* SPDX-License-Identifier: Apache-2.0 */
/* The model file's container: round trips, every truncation, every flipped bit, deceit, no memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "model/safetensors.h"
#include "st_seal.h"
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const double coef[6] = {1, -2.5, 3e300, 0, -0.0, 1e-310};
static const int64_t off[3] = {0, 3, INT64_MAX};
static const char words[] = "abcd\xc3\xa9";
static const gm_st_tensor some[] = {
    {"1.labels.bytes", GM_ST_U8, 1, {6}, words, 6},
    {"0.coefficients", GM_ST_F64, 2, {2, 3}, coef, sizeof coef},
    {"0.intercept", GM_ST_F64, 0, {0}, coef, 8},
    {"1.labels.off", GM_ST_I64, 1, {3}, off, sizeof off},
    {"nothing", GM_ST_F64, 2, {0, 7}, NULL, 0},
    {"a \"quoted\"\n<name> \xc3\xbc", GM_ST_U8, 2, {1, 1}, words, 1},
};
static const gm_st_meta meta[] = {{"gristmill.format", "1"},
                                  {"pipeline", "{\"name\": \"\xe2\x82\xac \\ \\\"\"}"}};

static int open_cx(void **state) { return gm_cx_new(NULL, (gm_cx **)state); }
static int close_cx(void **state)
{
    gm_cx_free(*state);
    return 0;
}

/* Opens a copy that ends with its last byte, so that a read behind it is seen; the result must not be used
 * later. */
static gm_code try_open(gm_cx *cx, const void *p, size_t n)
{
    gm_arena a = {0};
    gm_st *st;
    char *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, p, n);
    gm_cx_begin(cx);
    gm_code code = gm_st_open(cx, &a, copy, n, "m.gm", &st);
    gm_cx_end(cx);
    gm_arena_end(&a);
    free(copy);
    return code;
}

static gm_buf sample(gm_cx *cx, gm_arena *a)
{
    gm_buf b = gm_buf_in(cx, a);
    assert_int_equal(gm_st_write_buf(cx, &b, some, GM_COUNT(some), meta, GM_COUNT(meta)), GM_OK);
    return b;
}

static void same(const gm_st *st)
{
    assert_int_equal(gm_st_count(st), GM_COUNT(some));
    for (int64_t i = 0; i < GM_COUNT(some); i++) {
        const gm_st_tensor *t = gm_st_find(st, some[i].name);
        assert_non_null(t);
        assert_string_equal(t->name, some[i].name);
        assert_int_equal(t->dtype, some[i].dtype);
        assert_int_equal(t->ndim, some[i].ndim);
        for (int k = 0; k < t->ndim; k++) assert_int_equal(t->shape[k], some[i].shape[k]);
        assert_int_equal(t->bytes, some[i].bytes);
        assert_int_equal((uintptr_t)t->data % (t->dtype == GM_ST_U8 ? 1 : 8), 0);
        if (t->bytes) assert_memory_equal(t->data, some[i].data, t->bytes);
    }
    for (int64_t i = 0; i < GM_COUNT(meta); i++)
        assert_string_equal(gm_st_metadata(st, meta[i].key), meta[i].value);
}

static void round_trip_in_memory(void **state)
{
    gm_cx *cx = *state;
    gm_arena a = {0};
    gm_st *st;
    gm_buf b = sample(cx, &a);
    uint64_t head;
    memcpy(&head, b.p, 8);
    assert_int_equal((head + 8) % 64, 0);
    assert_int_equal(gm_st_open(cx, &a, b.p, b.len, "m.gm", &st), GM_OK);
    same(st);
    assert_null(gm_st_find(st, "coefficients"));
    assert_null(gm_st_metadata(st, "name"));

    /* Bytes that begin anywhere. */
    char *odd = gm_alloc(cx, &a, (int64_t)b.len + 8, 1);
    for (int shift = 1; shift < 8; shift++) {
        memcpy(odd + shift, b.p, b.len);
        assert_int_equal(gm_st_open(cx, &a, odd + shift, b.len, NULL, &st), GM_OK);
        same(st);
    }

    const gm_st_tensor *t;
    const char *v;
    assert_int_equal(gm_st_need(cx, st, "1.labels.off", GM_ST_I64, 1, &t), GM_OK);
    assert_int_equal(gm_st_need_meta(cx, st, "pipeline", &v), GM_OK);
    assert_int_equal(gm_st_need(cx, st, "1.labels.off", GM_ST_F64, 1, &t), GM_EMODEL);
    gm_cx_begin(cx);
    assert_int_equal(gm_st_need(cx, st, "gone", GM_ST_F64, 1, &t), GM_EMODEL);
    assert_string_equal(gm_cx_message(cx), "model: tensor 'gone' is missing");
    gm_cx_begin(cx);
    assert_int_equal(gm_st_need_meta(cx, st, "gone", &v), GM_EMODEL);
    gm_arena_end(&a);
}

static void an_empty_one(void **state)
{
    gm_cx *cx = *state;
    gm_arena a = {0};
    gm_st *st;
    gm_buf b = gm_buf_in(cx, &a);
    assert_int_equal(gm_st_write_buf(cx, &b, NULL, 0, NULL, 0), GM_OK);
    assert_int_equal(gm_st_open(cx, &a, b.p, b.len, "m.gm", &st), GM_OK);
    assert_int_equal(gm_st_count(st), 0);
    assert_null(gm_st_find(st, ""));
    gm_arena_end(&a);
}

static void round_trip_through_a_file(void **state)
{
    gm_cx *cx = *state;
    gm_arena a = {0}, b = {0};
    gm_writer *w;
    gm_st *st;
    const void *p;
    size_t n;
    char path[64];
    snprintf(path, sizeof path, "/tmp/gm_st_%d.gm", (int)getpid());
    assert_int_equal(gm_writer_begin(cx, &a, path, &w), GM_OK);
    assert_int_equal(gm_st_write(cx, w, some, GM_COUNT(some), meta, GM_COUNT(meta)), GM_OK);
    assert_int_equal(gm_writer_commit(cx, w), GM_OK);
    assert_int_equal(gm_file_map(cx, &b, path, &p, &n), GM_OK);
    assert_int_equal(gm_st_open(cx, &b, p, n, path, &st), GM_OK);
    same(st);
    gm_buf m = sample(cx, &a);
    assert_int_equal(n, m.len);
    assert_memory_equal(p, m.p, n);
    gm_arena_end(&b);
    gm_arena_end(&a);
    unlink(path);
}

static void the_writer_checks(void **state)
{
    gm_cx *cx = *state;
    static const gm_st_tensor wrong[][2] = {
        {{"a", GM_ST_F64, 1, {1}, coef, 8}, {"a", GM_ST_I64, 1, {1}, off, 8}},
        {{"a", GM_ST_F64, 1, {2}, coef, 8}, {"b", GM_ST_I64, 1, {1}, off, 8}},
        {{"a", GM_ST_F64, 1, {-1}, coef, 8}, {"b", GM_ST_I64, 1, {1}, off, 8}},
        {{"a", GM_ST_F64, 2, {INT64_MAX, 16}, coef, 8}, {"b", GM_ST_I64, 1, {1}, off, 8}},
        {{"__metadata__", GM_ST_F64, 1, {1}, coef, 8}, {"b", GM_ST_I64, 1, {1}, off, 8}},
        {{"", GM_ST_F64, 1, {1}, coef, 8}, {"b", GM_ST_I64, 1, {1}, off, 8}},
        {{"\xff", GM_ST_F64, 1, {1}, coef, 8}, {"b", GM_ST_I64, 1, {1}, off, 8}},
    };
    for (int64_t i = 0; i < GM_COUNT(wrong); i++) {
        gm_arena a = {0};
        gm_buf b = gm_buf_in(cx, &a);
        gm_cx_begin(cx);
        assert_int_equal(gm_st_write_buf(cx, &b, wrong[i], 2, NULL, 0), GM_EINTERNAL);
        gm_arena_end(&a);
    }
}

static void cut_at_every_byte(void **state)
{
    gm_cx *cx = *state;
    gm_arena a = {0};
    gm_buf b = sample(cx, &a);
    for (size_t n = 0; n < b.len; n++) {
        assert_int_equal(try_open(cx, b.p, n), GM_EMODEL);
        assert_non_null(strstr(gm_cx_message(cx), "m.gm: "));
    }
    assert_int_equal(try_open(cx, b.p, b.len), GM_OK);
    gm_buf_add(&b, "\0", 1);
    assert_int_equal(try_open(cx, b.p, b.len), GM_EMODEL);
    gm_arena_end(&a);
}

static void every_bit_flipped(void **state)
{
    gm_cx *cx = *state;
    gm_arena a = {0};
    gm_buf b = sample(cx, &a);
    for (size_t i = 0; i < b.len; i++)
        for (int bit = 0; bit < 8; bit++) {
            b.p[i] ^= (char)(1 << bit);
            assert_int_equal(try_open(cx, b.p, b.len), GM_EMODEL);
            b.p[i] ^= (char)(1 << bit);
        }
    gm_arena_end(&a);
}

/* A whole file with right checksums whose header goes on with `rest`, padded, and `data` bytes of data. */
static size_t forge(char *out, size_t cap, const char *rest, size_t data)
{
    size_t n = 8 + (size_t)snprintf(out + 8, cap - 8, "%s%s", ST_HEAD, rest);
    while (n % 64) out[n++] = ' ';
    uint64_t head = n - 8;
    memcpy(out, &head, 8);
    memset(out + n, 7, data);
    st_seal((unsigned char *)out, n + data);
    return n + data;
}

#define A_IS "},\"a\":{"
static void forged(void **state)
{
    gm_cx *cx = *state;
    static const struct {
        const char *rest;
        size_t data;
        const char *says; /* NULL: it is right */
    } cases[] = {
        {"}}", 0, NULL},
        {A_IS "\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0,16]}}", 16, NULL},
        {A_IS "\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0,16]}}", 24,
         "24 bytes of data, the header names 16"},
        {A_IS "\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0,16]}}", 8, "cut short"},
        {A_IS "\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[8,24]}}", 24, "expected to begin at 0"},
        {A_IS "\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[16,0]}}", 16, "expected to begin at 0"},
        {A_IS "\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8,
         "has 8 bytes, its shape needs 16"},
        {A_IS "\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]},"
              "\"b\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,8]}}",
         8, "expected to begin at 8"},
        {A_IS "\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]},"
              "\"b\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[16,24]}}",
         24, "expected to begin at 8"},
        {A_IS "\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
              "\"b\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[1,9]}}",
         9, "aligned"},
        {A_IS "\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]},"
              "\"a\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[8,16]}}",
         16, "a"},
        {A_IS
         "\"dtype\":\"F64\",\"shape\":[9223372036854775807,9223372036854775807],\"data_offsets\":[0,8]}}",
         8, "too large"},
        {A_IS "\"dtype\":\"F64\",\"shape\":[2305843009213693952,8],\"data_offsets\":[0,0]}}", 0, "too large"},
        {A_IS "\"dtype\":\"U8\",\"shape\":[9223372036854775807],\"data_offsets\":[0,9223372036854775807]}}",
         8, "cut short"},
        {A_IS "\"dtype\":\"U8\",\"shape\":[9223372036854775808],\"data_offsets\":[0,9223372036854775808]}}",
         8, "whole numbers"},
        {A_IS "\"dtype\":\"F64\",\"shape\":[-1],\"data_offsets\":[0,8]}}", 8, "whole numbers"},
        {A_IS "\"dtype\":\"F64\",\"shape\":[1.0],\"data_offsets\":[0,8]}}", 8, "whole numbers"},
        {A_IS "\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[-8,0]}}", 8, "expected to begin at 0"},
        {A_IS "\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8.5]}}", 8, "data_offsets"},
        {A_IS "\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0]}}", 8, "data_offsets"},
        {A_IS "\"dtype\":\"F64\",\"shape\":[1,1,1],\"data_offsets\":[0,8]}}", 8, "two dimensions"},
        {A_IS "\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "F64, I64, U8"},
        {A_IS "\"dtype\":7,\"shape\":[1],\"data_offsets\":[0,8]}}", 8, "expected exactly"},
        {A_IS "\"dtype\":\"F64\",\"shape\":{},\"data_offsets\":[0,8]}}", 8, "expected exactly"},
        {A_IS "\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8],\"more\":1}}", 8, "expected exactly"},
        {A_IS "\"dtype\":\"F64\",\"shape\":[1]}}", 8, "expected exactly"},
        {"},\"a\":[1,2,3]}", 8, "expected exactly"},
        {"},\"\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]}}", 8, "a name has"},
        {",\"k\":1}}", 0, "metadata 'k' is not a text"},
        {",\"k\":{\"a\":\"b\"}}}", 0, "metadata 'k' is not a text"},
        {",\"k\":\"1\",\"k\":\"2\"}}", 0, "k"},
        {"}", 0, ""},
        {"}}x", 0, ""},
        {"},}", 0, ""},
        {",\"k\":\"\\u0000\"}}", 0, ""},
        {",\"k\":\"\xff\"}}", 0, ""},
    };
    char file[2048];
    for (int64_t i = 0; i < GM_COUNT(cases); i++) {
        size_t n = forge(file, sizeof file - 64, cases[i].rest, cases[i].data);
        gm_code code = try_open(cx, file, n);
        if (code != (cases[i].says ? GM_EMODEL : GM_OK))
            print_error("%s\n -> %s\n", cases[i].rest, gm_cx_message(cx));
        assert_int_equal(code, cases[i].says ? GM_EMODEL : GM_OK);
        if (code == GM_OK) continue;
        if (!strstr(gm_cx_message(cx), cases[i].says))
            print_error("%s\n -> %s\n", cases[i].rest, gm_cx_message(cx));
        assert_non_null(strstr(gm_cx_message(cx), cases[i].says));
        assert_non_null(strstr(gm_cx_message(cx), "m.gm"));
    }
    /* Data that do not begin at a multiple of 64. */
    size_t n = 8 + (size_t)snprintf(file + 8, 1024, "%s}} ", ST_HEAD);
    while ((n - 1) % 64) file[n++] = ' ';
    uint64_t head = n - 8;
    memcpy(file, &head, 8);
    st_seal((unsigned char *)file, n);
    assert_int_equal(try_open(cx, file, n), GM_EMODEL);
    assert_non_null(strstr(gm_cx_message(cx), "multiple of 64"));
}

static void lengths_that_lie(void **state)
{
    gm_cx *cx = *state;
    static const uint64_t lies[] = {0,          1,          2,          99,         100000001,     1ull << 31,
                                    1ull << 32, 1ull << 62, 1ull << 63, UINT64_MAX, UINT64_MAX - 7};
    gm_arena a = {0};
    gm_buf b = sample(cx, &a);
    for (int64_t i = 0; i < GM_COUNT(lies); i++) {
        memcpy(b.p, &lies[i], 8);
        st_seal((unsigned char *)b.p, b.len);
        int64_t before = gm_memory_used(cx);
        assert_int_equal(try_open(cx, b.p, b.len), GM_EMODEL);
        assert_true(gm_memory_used(cx) - before < 1 << 20);
    }
    gm_arena_end(&a);
}

static void other_files(void **state)
{
    gm_cx *cx = *state;
    static const struct {
        const char *bytes;
        size_t n;
        const char *says;
    } files[] = {
        {"\x80\x04\x95\x2a\0\0\0\0\0\0\0\x8c\x05posix\x94\x8c\x06system\x94\x93\x94", 30, "pickle"},
        {"PK\3\4 and so on, longer than that", 20, "zip"},
        {"PAR1 and so on, longer than that", 20, "Parquet"},
        {"a,b,c\n1,2,3\n4,5,6\n", 18, "no safetensors header"},
        {"", 0, "0 bytes"},
        {"\x02\0\0\0\0\0\0\0{}", 10, "without Gristmill's checksums"},
    };
    for (int64_t i = 0; i < GM_COUNT(files); i++) {
        assert_int_equal(try_open(cx, files[i].bytes, files[i].n), GM_EMODEL);
        assert_non_null(strstr(gm_cx_message(cx), files[i].says));
    }
}

static void no_memory(void **state)
{
    gm_cx *cx = *state;
    gm_arena keep = {0};
    gm_buf good = sample(cx, &keep);
    bool done = false;
    for (long k = 0; !done && k < 1000; k++) {
        gm_arena a = {0};
        gm_st *st;
        gm_buf b = gm_buf_in(cx, &a);
        gm_cx_begin(cx);
        gm_oom_after = k;
        gm_code code = gm_st_write_buf(cx, &b, some, GM_COUNT(some), meta, GM_COUNT(meta));
        if (code == GM_OK) code = gm_st_open(cx, &a, good.p, good.len, "m.gm", &st);
        done = gm_oom_after >= 0;
        gm_oom_after = -1;
        assert_int_equal(code, done ? GM_OK : GM_ENOMEM);
        gm_arena_end(&a);
        gm_cx_end(cx);
    }
    assert_true(done);
    gm_arena_end(&keep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip_in_memory),
        cmocka_unit_test(an_empty_one),
        cmocka_unit_test(round_trip_through_a_file),
        cmocka_unit_test(the_writer_checks),
        cmocka_unit_test(cut_at_every_byte),
        cmocka_unit_test(every_bit_flipped),
        cmocka_unit_test(forged),
        cmocka_unit_test(lengths_that_lie),
        cmocka_unit_test(other_files),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, open_cx, close_cx);
}

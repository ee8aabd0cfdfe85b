/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and mapping files, and what errno becomes. */
#include "base/file.h"
#include "torture.h"
#include <errno.h>

static char path[64];

static void put(const char *text, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    fclose(f);
}

static int setup(void **state)
{
    strcpy(path, "/tmp/gm-file-XXXXXX");
    int fd = mkstemp(path);
    if (fd < 0) return -1;
    close(fd);
    return unit_setup(state);
}
static int teardown(void **state)
{
    unlink(path);
    return unit_teardown(state);
}

static void files_are_read_and_mapped(void **state)
{
    gm_cx *cx = *state;
    static const size_t sizes[] = {0, 1, 4094, 4095, 4096, 100000};
    char *big = malloc(100000), *text;
    const void *at;
    size_t n;
    for (int i = 0; i < 100000; i++) big[i] = (char)(i * 7 + i / 256);
    for (int i = 0; i < GM_COUNT(sizes); i++) {
        put(big, sizes[i]);
        assert_ok(cx, gm_file_read(cx, gm_scratch(cx), path, 100000, &text, &n));
        assert_int_equal(n, sizes[i]);
        assert_int_equal(text[n], 0);
        assert_memory_equal(text, big, n);
        assert_ok(cx, gm_file_map(cx, gm_scratch(cx), path, &at, &n));
        assert_int_equal(n, sizes[i]);
        assert_memory_equal(at, big, n);
        gm_cx_end(cx);
    }
    assert_int_equal(gm_file_read(cx, gm_scratch(cx), path, 99999, &text, &n), GM_EIO);
    assert_has(gm_cx_message(cx), "it is larger than 100 KB");
    gm_cx_begin(cx);
    assert_ok(cx, gm_file_read(cx, gm_scratch(cx), "/proc/self/status", 100000, &text,
                               &n)); /* its size is told as 0 */
    assert_has(text, "VmRSS");
    gm_cx_end(cx);
    free(big);
}

static void failures_name_the_path(void **state)
{
    gm_cx *cx = *state;
    char *text;
    const void *at;
    size_t n;
    assert_fails(cx, gm_file_read(cx, gm_scratch(cx), "/no/such", 10, &text, &n), GM_ENOENT,
                 "cannot read '/no/such': no such file or folder");
    assert_fails(cx, gm_file_map(cx, gm_scratch(cx), "/no/such", &at, &n), GM_ENOENT,
                 "cannot read '/no/such': no such file or folder");
    assert_fails(cx, gm_file_read(cx, gm_scratch(cx), "/tmp", 10, &text, &n), GM_EIO,
                 "cannot read '/tmp': it is a folder");
    assert_fails(cx, gm_file_map(cx, gm_scratch(cx), "/tmp", &at, &n), GM_EIO,
                 "cannot read '/tmp': it is a folder");
    assert_fails(cx, gm_file_map(cx, gm_scratch(cx), "/dev/null", &at, &n), GM_EIO,
                 "cannot read '/dev/null': it is not a plain file");
    gm_cx_end(cx);
    static const struct {
        int err;
        gm_code code;
        const char *message;
    } cases[] = {
        {ENOENT, GM_ENOENT, "cannot x 'p': no such file or folder"},
        {EACCES, GM_EIO, "cannot x 'p': permission denied"},
        {ENOSPC, GM_EIO, "cannot x 'p': the disk is full"},
        {EROFS, GM_EIO, "cannot x 'p': the file system is read-only"},
        {ENOMEM, GM_ENOMEM, "cannot x 'p': out of memory"},
        {EMFILE, GM_EIO, "cannot x 'p': too many files are open"},
        {ENAMETOOLONG, GM_EIO, "cannot x 'p': the name is too long"},
        {EIO, GM_EIO, "cannot x 'p': Input/output error"},
    };
    for (int i = 0; i < GM_COUNT(cases); i++)
        assert_fails(cx, gm_fail_errno(cx, cases[i].err, "cannot x", "p"), cases[i].code, cases[i].message);
}

static gm_code both(gm_cx *cx, void *arg)
{
    char *text;
    const void *at;
    size_t n;
    (void)arg;
    GM_TRY(gm_file_read(cx, gm_scratch(cx), path, 1000000, &text, &n));
    return gm_file_map(cx, gm_scratch(cx), path, &at, &n);
}

static void every_allocation_may_fail(void **state)
{
    put("abc", 3);
    assert_in_range(torture(*state, both, NULL), 4, 20);
}

static void files_are_called_as_their_user_sees_them(void **state)
{
    gm_cx *cx = *state;
    char here[4000], path[4096];
    assert_non_null(getcwd(here, sizeof here));
    snprintf(path, sizeof path, "%s/data/x.csv", here);
    assert_string_equal(gm_say_path(cx, gm_scratch(cx), path), "data/x.csv");
    snprintf(path, sizeof path, "%s2/x.csv", here);
    assert_string_equal(gm_say_path(cx, gm_scratch(cx), path), path);
    assert_string_equal(gm_say_path(cx, gm_scratch(cx), "/proc/self/fd/7"), "standard input");
    assert_null(strstr(gm_say_path(cx, gm_scratch(cx), "https://ann:pw@host/x.csv"), "pw"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_and_mapped),
        cmocka_unit_test(failures_name_the_path),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(files_are_called_as_their_user_sees_them),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Files appear whole or not at all; nothing half-written stays, whatever fails. */
#include "base/file.h"
#include "torture.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

static char folder[64], path[128];

static int setup(void **state)
{
    strcpy(folder, "/tmp/gm-writer-XXXXXX");
    if (mkdtemp(folder) == NULL) return -1;
    snprintf(path, sizeof path, "%s/model.gm", folder);
    return unit_setup(state);
}
static int teardown(void **state)
{
    unlink(path);
    if (rmdir(folder) != 0) return -1; /* something was left behind */
    return unit_teardown(state);
}

static int files(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

static const char *content(gm_cx *cx)
{
    char *text;
    size_t n;
    assert_ok(cx, gm_file_read(cx, gm_scratch(cx), path, 1 << 20, &text, &n));
    return text;
}

static gm_code write_text(gm_cx *cx, const char *to, const char *text, bool commit)
{
    gm_arena a = {0};
    gm_writer *w;
    gm_code code = gm_writer_begin(cx, &a, to, &w);
    if (code == GM_OK) code = gm_writer_add(cx, w, text, strlen(text));
    if (code == GM_OK && commit) code = gm_writer_commit(cx, w);
    gm_arena_end(&a);
    return code;
}

static void a_commit_replaces_the_file(void **state)
{
    gm_cx *cx = *state;
    struct stat st;
    mode_t old = umask(027);
    assert_ok(cx, write_text(cx, path, "first", true));
    umask(old);
    assert_string_equal(content(cx), "first");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640); /* the umask applies */
    assert_int_equal(chmod(path, 0604), 0);
    assert_ok(cx, write_text(cx, path, "second", true));
    assert_string_equal(content(cx), "second");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0604); /* as the one before had it */
    assert_int_equal(files(), 1);
    gm_cx_end(cx);
}

static void without_commit_nothing_changes(void **state)
{
    gm_cx *cx = *state;
    assert_ok(cx, write_text(cx, path, "old", true));
    assert_ok(cx, write_text(cx, path, "new", false));
    assert_string_equal(content(cx), "old");
    assert_int_equal(files(), 1);
    gm_cx_end(cx);
}

static void large_and_small_pieces_keep_their_order(void **state)
{
    gm_cx *cx = *state;
    gm_arena a = {0};
    gm_writer *w;
    char *big = malloc(200000), *text;
    size_t n;
    memset(big, 'b', 200000);
    assert_ok(cx, gm_writer_begin(cx, &a, path, &w));
    for (int i = 0; i < 30000; i++) assert_ok(cx, gm_writer_add(cx, w, "abc", 3));
    assert_ok(cx, gm_writer_add(cx, w, big, 200000));
    assert_ok(cx, gm_writer_add(cx, w, NULL, 0));
    assert_ok(cx, gm_writer_add(cx, w, "end", 3));
    assert_ok(cx, gm_writer_commit(cx, w));
    gm_arena_end(&a);
    assert_ok(cx, gm_file_read(cx, gm_scratch(cx), path, 1 << 20, &text, &n));
    assert_int_equal(n, 290003);
    for (size_t i = 0; i < 90000; i++) assert_int_equal(text[i], "abc"[i % 3]);
    assert_memory_equal(text + 90000, big, 200000);
    assert_string_equal(text + 290000, "end");
    gm_cx_end(cx);
    free(big);
}

/* As the database does it: another writer, by name, even with a new file put in its place. */
static void others_may_write_it(void **state)
{
    gm_cx *cx = *state;
    gm_arena a = {0};
    gm_writer *w;
    char other[160];
    assert_ok(cx, gm_writer_begin(cx, &a, path, &w));
    assert_has(gm_writer_path(w), folder);
    assert_string_equal(gm_writer_path(w) + strlen(gm_writer_path(w)) - 9,
                        "-model.gm"); /* the suffix tells formats */
    snprintf(other, sizeof other, "%s/other", folder);
    FILE *f = fopen(other, "w");
    assert_non_null(f);
    fputs("by name", f);
    fclose(f);
    assert_int_equal(rename(other, gm_writer_path(w)), 0);
    assert_ok(cx, gm_writer_commit(cx, w));
    gm_arena_end(&a);
    assert_string_equal(content(cx), "by name");
    assert_int_equal(files(), 1);
    gm_cx_end(cx);
}

static void a_link_stays_a_link(void **state)
{
    gm_cx *cx = *state;
    struct stat st;
    char link[160];
    snprintf(link, sizeof link, "%s/link", folder);
    assert_ok(cx, write_text(cx, path, "one", true));
    assert_int_equal(symlink("model.gm", link), 0);
    assert_ok(cx, write_text(cx, link, "two", true));
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_string_equal(content(cx), "two");
    unlink(link);
    gm_cx_end(cx);
}

static void devices_are_written_to(void **state)
{
    gm_cx *cx = *state;
    struct stat st;
    assert_ok(cx, write_text(cx, "/dev/null", "x", true));
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_int_equal(write_text(cx, "/dev/full", "x", true), GM_EIO);
    assert_string_equal(gm_cx_message(cx), "cannot write '/dev/full': the disk is full");
    assert_string_not_equal(gm_cx_hint(cx), "");
    gm_cx_begin(cx);
}

static void failures_name_the_path(void **state)
{
    gm_cx *cx = *state;
    assert_fails(cx, write_text(cx, "/no/such/file", "x", true), GM_ENOENT,
                 "cannot write '/no/such/file': no such file or folder");
    assert_fails(cx, write_text(cx, "/tmp", "x", true), GM_EIO, "cannot write '/tmp': it is a folder");
    assert_fails(cx, write_text(cx, "", "x", true), GM_ENOENT, "cannot write '': no such file or folder");
}

static gm_code once(gm_cx *cx, void *arg)
{
    (void)arg;
    gm_code code = write_text(cx, path, "torture", true);
    assert_in_range(files(), code == GM_OK, 1);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    assert_in_range(torture(*state, once, NULL), 4, 20);
    assert_in_range(torture(*state, once, NULL), 4, 20); /* over a file that is there */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_commit_replaces_the_file),
        cmocka_unit_test(without_commit_nothing_changes),
        cmocka_unit_test(large_and_small_pieces_keep_their_order),
        cmocka_unit_test(others_may_write_it),
        cmocka_unit_test(a_link_stays_a_link),
        cmocka_unit_test(devices_are_written_to),
        cmocka_unit_test(failures_name_the_path),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* test_spool.c - what comes through a pipe, or does not. */
#include "source/spool.h"
#include "tables.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

static gm_code copy(world *w, gm_arena *kept, const char *pipe, char **path)
{
    int fd = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(fd >= 0);
    gm_code code = gm_spool_copy(w->cx, kept, gm_scratch(w->cx), fd, pipe, path);
    close(fd);
    return code;
}

/* The writer comes late and pauses. */
static void test_slow(void **state)
{
    world *w = *state;
    char pipe[128], *path, got[16] = "";
    gm_arena kept = {0};
    snprintf(pipe, sizeof pipe, "%s/slow", w->dir);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    pid_t writer = fork();
    if (writer == 0) {
        usleep(150000);
        int fd = open(pipe, O_WRONLY);
        bool fine = write(fd, "a,b\n", 4) == 4 && usleep(150000) == 0 && write(fd, "1,2\n", 4) == 4;
        _exit(!fine);
    }
    assert_int_equal(copy(w, &kept, pipe, &path), GM_OK);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fread(got, 1, sizeof got - 1, f), 8);
    assert_string_equal(got, "a,b\n1,2\n");
    fclose(f);
    assert_int_equal(waitpid(writer, NULL, 0), writer);
    gm_arena_end(&kept);
}

static void test_nobody(void **state)
{
    world *w = *state;
    char pipe[128], *path;
    gm_arena kept = {0};
    int was = gm_spool_patience;
    snprintf(pipe, sizeof pipe, "%s/nobody", w->dir);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    gm_spool_patience = 200;
    gm_cx_begin(w->cx);
    gm_code code = copy(w, &kept, pipe, &path);
    gm_spool_patience = was;
    expect_message(w, code, GM_EIO, "nothing came through the pipe", "start what writes to it first");
    gm_arena_end(&kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_slow, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_nobody, world_begin, world_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

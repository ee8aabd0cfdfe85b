/* SPDX-License-Identifier: Apache-2.0 */
/* What the machine allows, from made-up trees of /proc and /sys/fs/cgroup. */
#include "base/session.h"
#include "unit.h"
#include <sys/stat.h>

static char root[64];

static void put(const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *p = full + strlen(root) + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            mkdir(full, 0777);
            *p = '/';
        }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int new_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/gm-cgroup-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}
static int remove_root(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

static void no_groups(void **state)
{
    (void)state;
    int64_t all = gm_memory_allowed_in(root);
    assert_true(all > 1 << 20);
    assert_in_range(gm_cpus_allowed_in(root), 1, 1024);
    assert_true(gm_memory_allowed() <= all);
    assert_true(gm_cpus_allowed() <= gm_cpus_allowed_in(root));
}

static void version_2_takes_the_least_of_all_levels(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/a/b\n");
    put("sys/fs/cgroup/a/b/memory.max", "max\n");
    put("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    put("sys/fs/cgroup/a/memory.max", "104857600\n");
    put("sys/fs/cgroup/a/cpu.max", "50000 100000\n");
    put("sys/fs/cgroup/memory.max", "209715200\n");
    assert_int_equal(gm_memory_allowed_in(root), 104857600);
    assert_int_equal(gm_cpus_allowed_in(root), 1);
}

static void version_1_has_a_folder_per_controller(void **state)
{
    (void)state;
    put("proc/self/cgroup", "5:cpu,cpuacct:/c\n4:memory:/m\n3:cpuset:/\n0::/\n");
    put("sys/fs/cgroup/memory/m/memory.limit_in_bytes", "52428800\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "100000\n");
    put("sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n");
    put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    assert_int_equal(gm_memory_allowed_in(root), 52428800);
    assert_int_equal(gm_cpus_allowed_in(root), 1);
}

static void a_path_that_is_not_visible(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/../../elsewhere\n");
    put("sys/fs/cgroup/memory.max", "73400320\n");
    assert_int_equal(gm_memory_allowed_in(root), 73400320);
}

static void nonsense_is_no_limit(void **state)
{
    (void)state;
    int64_t all = gm_memory_allowed_in(root);
    put("proc/self/cgroup", "junk\n::\n0:\n0::/a\n");
    put("sys/fs/cgroup/a/memory.max", "ten\n");
    put("sys/fs/cgroup/a/cpu.max", "0 0\n");
    assert_int_equal(gm_memory_allowed_in(root), all);
    assert_true(gm_cpus_allowed_in(root) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_groups, new_root, remove_root),
        cmocka_unit_test_setup_teardown(version_2_takes_the_least_of_all_levels, new_root, remove_root),
        cmocka_unit_test_setup_teardown(version_1_has_a_folder_per_controller, new_root, remove_root),
        cmocka_unit_test_setup_teardown(a_path_that_is_not_visible, new_root, remove_root),
        cmocka_unit_test_setup_teardown(nonsense_is_no_limit, new_root, remove_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

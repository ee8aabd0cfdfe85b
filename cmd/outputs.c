/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outputs.c - what a verb is going to write, checked before it works: each into a folder that is there and
 * may be written to, none over a file that is read, no two into one.
 */
#include "cmd.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The whole path of a file that need not exist yet; NULL: its folder does not. */
static const char *whole(cmd *c, const char *path)
{
    char folder[PATH_MAX], found[PATH_MAX];
    if (realpath(path, found) != NULL) return cmd_format(c, "%s", found);
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    if (realpath(folder[0] ? folder : "/", found) == NULL) return NULL;
    return cmd_format(c, "%s/%s", found, slash ? slash + 1 : path);
}

static gm_code check_folder(cmd *c, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *folder = slash == NULL   ? "."
                         : slash == path ? "/"
                                         : cmd_format(c, "%.*s", (int)(slash - path), path);
    struct stat st;
    if (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode))
        return cmd_hint(c, cmd_fail(c, GM_ENOENT, "cannot write '%s': there is no folder '%s'", path, folder),
                        "make it first: mkdir -p %s", folder);
    if (access(folder, W_OK) == 0) return GM_OK;
    return cmd_hint(c, cmd_fail(c, GM_EIO, "cannot write '%s': %s", path, strerror(errno)),
                    "give this user the right to the folder, or choose another place");
}

gm_code cmd_check_outputs(cmd *c, const cmd_file *out, int n_out, const cmd_file *in, int n_in)
{
    for (int i = 0; i < n_out; i++) {
        if (out[i].path == NULL || strcmp(out[i].path, "-") == 0) continue;
        CMD_TRY(check_folder(c, out[i].path));
        const char *path = whole(c, out[i].path);
        for (int k = 0; path != NULL && k < n_in + i; k++) {
            const cmd_file *other = k < n_in ? &in[k] : &out[k - n_in];
            const char *its = other->path != NULL ? whole(c, other->path) : NULL;
            if (its == NULL || strcmp(path, its) != 0) continue;
            return cmd_hint(c,
                            cmd_fail(c, GM_EUSAGE, "%s would be written over: it is %s, and %s too",
                                     out[i].path, other->what, out[i].what),
                            "name another file");
        }
    }
    return GM_OK;
}

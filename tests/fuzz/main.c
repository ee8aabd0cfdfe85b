/* SPDX-License-Identifier: Apache-2.0 */
/* Replays a fuzz corpus without libFuzzer: every file named, or in a folder named, is fed once; so is the
 * empty input. A missing folder is an empty corpus. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int feed(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) return 1;
    uint8_t *data = NULL;
    size_t len = 0, cap = 0, n;
    do {
        if (cap - len < 65536) data = realloc(data, cap += 1 << 20);
        n = data ? fread(data + len, 1, cap - len, f) : 0;
        len += n;
    } while (n > 0);
    fclose(f);
    /* An exact copy, so that reading one byte past the end is seen by AddressSanitizer. */
    uint8_t *exact = malloc(len ? len : 1);
    if (exact != NULL && len > 0) memcpy(exact, data, len);
    if (exact != NULL) LLVMFuzzerTestOneInput(exact, len);
    free(exact);
    free(data);
    return exact == NULL;
}

static int feed_folder(const char *path, int *count)
{
    DIR *dir = opendir(path);
    if (dir == NULL) return 0;
    int bad = 0;
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        char name[4096];
        struct stat st;
        if (snprintf(name, sizeof name, "%s/%s", path, e->d_name) >= (int)sizeof name) continue;
        if (stat(name, &st) != 0 || !S_ISREG(st.st_mode)) continue;
        bad |= feed(name);
        ++*count;
    }
    closedir(dir);
    return bad;
}

int main(int argc, char **argv)
{
    int bad = 0, count = 0;
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++) {
        struct stat st;
        if (stat(argv[i], &st) == 0 && S_ISREG(st.st_mode)) {
            bad |= feed(argv[i]);
            count++;
        } else {
            bad |= feed_folder(argv[i], &count);
        }
    }
    printf("%d inputs\n", count);
    return bad;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_libsvm.c - lines of LIBSVM files: nothing is read outside a line, no more entries are written than it
 * has room for, and a row is what the reader promises: indices rise within the range, a comment changes
 * nothing.
 */
#include "source/libsvm/libsvm_line.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int fine)
{
    if (!fine) abort();
}

static void check(const gm_libsvm_range *range, const char *p, size_t n)
{
    size_t room = gm_libsvm_room(p, n);
    uint32_t *idx = malloc(room ? room * sizeof *idx : 1);
    double *val = malloc(room ? room * sizeof *val : 1);
    char *line = malloc(n + 8), said[GM_LIBSVM_SAID];
    gm_libsvm_line row, counted, longer;
    if (!idx || !val || !line) abort();
    if (n) memcpy(line, p, n);
    gm_libsvm_read(range, p, n, idx, val, &row);
    gm_libsvm_read(range, p, n, NULL, NULL, &counted);
    memcpy(line + n, " # 9:9\r", 7);
    gm_libsvm_read(range, line, n + 7, NULL, NULL, &longer);
    expect(row.verdict == counted.verdict && row.n == counted.n && (size_t)row.n <= room);
    expect(row.verdict == longer.verdict && row.n == longer.n);
    gm_libsvm_say(range, &row, said);
    expect((said[0] == 0) == (row.verdict <= GM_LIBSVM_ROW) && strlen(said) < sizeof said);
    if (row.verdict == GM_LIBSVM_ROW && row.n > 0) {
        expect(row.first >= range->lowest && row.last <= range->highest && row.first <= row.last);
        expect(idx[0] == row.first - range->lowest && idx[row.n - 1] == row.last - range->lowest);
    }
    for (int64_t k = 1; row.verdict == GM_LIBSVM_ROW && k < row.n; k++) expect(idx[k - 1] < idx[k]);
    free(idx);
    free(val);
    free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    gm_libsvm_range range = {data[0] & 1, data[0] & 2 ? data[0] : GM_LIBSVM_MOST};
    const char *p = (const char *)data + 1, *end = (const char *)data + size;
    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        size_t n = (size_t)((stop ? stop : end) - p);
        char *line = malloc(n ? n : 1); /* exactly as long, so that one byte too far is seen */
        if (line == NULL) abort();
        if (n) memcpy(line, p, n);
        check(&range, line, n);
        free(line);
        p += n + 1;
    }
    return 0;
}

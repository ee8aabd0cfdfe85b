/* SPDX-License-Identifier: Apache-2.0 */
/* st_seal.h - puts right checksums into a model file in memory, as one who means to deceive would. */
#ifndef GM_TEST_ST_SEAL_H
#define GM_TEST_ST_SEAL_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define ST_HEAD \
    "{\"__metadata__\":{\"gristmill.header\":\"0000000000000000\",\"gristmill.xxh3\":\"0000000000000000\""
enum { ST_AT_HEADER = 37, ST_AT_DATA = 73, ST_HEAD_LEN = sizeof ST_HEAD - 2 };

/* Does nothing to a file whose header does not begin as ST_HEAD does. */
static void st_seal(unsigned char *p, size_t n)
{
    uint64_t head;
    char digits[17];
    if (n < 8) return;
    memcpy(&head, p, 8);
    if (head > n - 8 || head < ST_HEAD_LEN || memcmp(p + 8, ST_HEAD, ST_AT_HEADER) != 0) return;
    char *text = (char *)p + 8;
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)XXH3_64bits(text + head, n - 8 - head));
    memcpy(text + ST_AT_DATA, digits, 16);
    memset(text + ST_AT_HEADER, '0', 16);
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)XXH3_64bits(text, head));
    memcpy(text + ST_AT_HEADER, digits, 16);
}
#endif

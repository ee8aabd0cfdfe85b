/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/text/lower.h"
#include "stage_driver.h"

static void cases(void **s)
{
    (void)s;
    const struct {
        const char *in, *root, *turkish;
    } want[] = {
        {"", "", ""},
        {"Hello World 42!", "hello world 42!", "hello world 42!"},
        {"ISTANBUL", "istanbul", "\xc4\xb1stanbul"},
        {"\xc4\xb0stanbul", "i\xcc\x87stanbul", "istanbul"}, /* capital I with a dot */
        {"CAF\xc3\x89", "caf\xc3\xa9", "caf\xc3\xa9"},
        {"\xce\x91\xce\x92\xce\x93", "\xce\xb1\xce\xb2\xce\xb3", "\xce\xb1\xce\xb2\xce\xb3"},
        {"\xd0\x9c\xd0\x9e\xd0\xa1\xd0\x9a\xd0\x92\xd0\x90",
         "\xd0\xbc\xd0\xbe\xd1\x81\xd0\xba\xd0\xb2\xd0\xb0", NULL},
        {"\xe1\xba\x9e", "\xc3\x9f", "\xc3\x9f"},                     /* capital sharp s: 3 bytes to 2 */
        {"\xc8\xba", "\xe2\xb1\xa5", "\xe2\xb1\xa5"},                 /* A with stroke: 2 bytes to 3 */
        {"\xf0\x90\x90\x80", "\xf0\x90\x90\xa8", "\xf0\x90\x90\xa8"}, /* Deseret */
        {"\xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x98\x80", "\xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x98\x80", NULL},
        {"A\xe9"
         "B\xff\xc3",
         "a\xe9"
         "b\xff\xc3",
         NULL}, /* bytes that are no UTF-8 stay */
    };
    driver d;
    driver_open(&d);
    for (int i = 0; i < GM_COUNT(want); i++)
        for (int turkish = 0; turkish < 2; turkish++) {
            gm_text in = text_of(want[i].in), out;
            gm_text expected = text_of(turkish && want[i].turkish ? want[i].turkish : want[i].root);
            OK(&d, gm_lower(d.cx, &d.a, &in, turkish, &out));
            assert_true(gm_text_equal(&out, &expected));
        }
    gm_text none = gm_text_none(), out;
    OK(&d, gm_lower(d.cx, &d.a, &none, false, &out));
    assert_true(gm_text_missing(&out));
    driver_close(&d);
}

/* Twelve letters that grow on the way out of the view. */
static void growth(void **s)
{
    (void)s;
    driver d;
    driver_open(&d);
    gm_text in = text_of("\xc8\xba\xc8\xba\xc8\xba\xc8\xba\xc8\xba\xc8\xba"), out;
    OK(&d, gm_lower(d.cx, &d.a, &in, false, &out));
    assert_int_equal(out.len, 18);
    assert_memory_equal(gm_text_ptr(&out), "\xe2\xb1\xa5\xe2\xb1\xa5", 6);
    assert_int_equal(gm_utf8_length(gm_text_ptr(&out), out.len), 6);
    driver_close(&d);
}

DRIVER_MAIN(cmocka_unit_test(cases), cmocka_unit_test(growth))

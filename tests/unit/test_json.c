/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer: commas, escapes, numbers; and whatever bytes come, a strict reader reads it back. */
#include "base/doc.h"
#include "base/rng.h"
#include "unit.h"

static void commas_and_nesting(void **state)
{
    gm_cx *cx = *state;
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    gm_json_open(&b, NULL, '{');
    gm_json_open(&b, "a", '[');
    gm_json_int(&b, NULL, INT64_MIN);
    gm_json_open(&b, NULL, '{');
    gm_json_close(&b, '}');
    gm_json_real(&b, NULL, 0.5);
    gm_json_close(&b, ']');
    gm_json_real(&b, "nan", NAN);
    gm_json_real(&b, "inf", -INFINITY);
    gm_json_bool(&b, "yes", true);
    gm_json_str(&b, "none", NULL);
    gm_json_raw(&b, "raw", "[1]");
    gm_json_text(&b, "t", "abc", 2);
    gm_json_close(&b, '}');
    assert_ok(cx, gm_buf_done(&b));
    assert_string_equal(
        b.p, "{\"a\":[-9223372036854775808,{},0.5],\"nan\":null,\"inf\":null,\"yes\":true,\"none\":null,"
             "\"raw\":[1],\"t\":\"ab\"}");
    gm_cx_end(cx);
}

static void texts_are_escaped(void **state)
{
    gm_cx *cx = *state;
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    gm_json_str(&b, NULL, "\"\\\n\r\t\x01\x7f\xc3\xa9\xff</script><!--<S a<b");
    assert_ok(cx, gm_buf_done(&b));
    assert_string_equal(
        b.p, "\"\\\"\\\\\\n\\r\\t\\u0001\\u007f\xc3\xa9\xEF\xBF\xBD\\u003c/script>\\u003c!--\\u003cS a<b\"");
    gm_cx_end(cx);
}

static void any_bytes_make_json(void **state)
{
    gm_cx *cx = *state;
    for (uint64_t i = 0; i < 3000; i++) {
        char text[40];
        gm_doc *d;
        gm_buf b = gm_buf_in(cx, gm_scratch(cx));
        int n = 1 + (int)(gm_mix64(i) % 32);
        for (int k = 0; k < n; k++) {
            unsigned char c = (unsigned char)gm_mix64(i * 64 + (uint64_t)k);
            text[k] = (char)(c ? c : 1);
        }
        text[n] = 0;
        gm_json_open(&b, NULL, '[');
        gm_json_str(&b, NULL, text);
        gm_json_close(&b, ']');
        assert_ok(cx, gm_buf_done(&b));
        assert_ok(cx, gm_doc_json(cx, gm_scratch(cx), b.p, b.len, "written", &d));
        assert_int_equal(d->child[0].kind, GM_D_STR);
        if (gm_utf8_valid(text, (size_t)n, NULL)) assert_string_equal(d->child[0].str, text);
        gm_cx_end(cx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_and_nesting),
        cmocka_unit_test(texts_are_escaped),
        cmocka_unit_test(any_bytes_make_json),
    };
    return cmocka_run_group_tests(tests, unit_setup, unit_teardown);
}

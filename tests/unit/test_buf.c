/* SPDX-License-Identifier: Apache-2.0 */
/* Growing text, and the escapes of SQL and HTML. */
#include "base/buf.h"
#include "torture.h"

static const char *made(gm_cx *cx, gm_buf *b)
{
    assert_ok(cx, gm_buf_done(b));
    return b->p;
}

static void text_grows(void **state)
{
    gm_cx *cx = *state;
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    assert_string_equal(made(cx, &b), "");
    for (int i = 0; i < 3000; i++) gm_buf_printf(&b, "%d,", i % 10);
    assert_int_equal(b.len, 6000);
    assert_int_equal(strlen(b.p), 6000);
    gm_buf_printf(&b, "%*s|", 5000, "x");
    assert_int_equal(strlen(made(cx, &b)), 11001);
    gm_buf_add(&b, "a\0b", 3);
    assert_int_equal(b.len, 11004);
    gm_cx_end(cx);
}

static void sql_is_quoted(void **state)
{
    gm_cx *cx = *state;
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    gm_buf_ident(&b, "a\"b; DROP TABLE t --");
    gm_buf_str(&b, " ");
    gm_buf_literal(&b, "it's ''");
    gm_buf_str(&b, " ");
    gm_buf_ident(&b, "");
    assert_string_equal(made(cx, &b), "\"a\"\"b; DROP TABLE t --\" 'it''s ''''' \"\"");
    gm_cx_end(cx);
}

static void html_is_escaped(void **state)
{
    gm_cx *cx = *state;
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    static const char text[] = "<script a='b\"&'>\x01\xff\xc3\xa9\n\0z";
    gm_buf_html(&b, text, sizeof text - 1);
    assert_string_equal(
        made(cx, &b),
        "&lt;script a=&#39;b&quot;&amp;&#39;&gt;\xEF\xBF\xBD\xEF\xBF\xBD\xc3\xa9\n\xEF\xBF\xBDz");
    gm_cx_end(cx);
}

static void a_failure_is_remembered(void **state)
{
    gm_cx *cx = *state;
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    gm_oom_after = 0;
    gm_buf_str(&b, "a");
    gm_oom_after = -1;
    gm_buf_str(&b, "b");
    assert_int_equal(b.len, 0);
    assert_int_equal(gm_buf_done(&b), GM_ENOMEM);
    gm_cx_begin(cx);
}

static gm_code grow(gm_cx *cx, void *arg)
{
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    (void)arg;
    for (int i = 0; i < 100; i++) gm_buf_printf(&b, "%*d", 1 + i * 7, i);
    return gm_buf_done(&b);
}

static void every_allocation_may_fail(void **state) { assert_in_range(torture(*state, grow, NULL), 5, 40); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows),
        cmocka_unit_test(sql_is_quoted),
        cmocka_unit_test(html_is_escaped),
        cmocka_unit_test(a_failure_is_remembered),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, unit_setup, unit_teardown);
}

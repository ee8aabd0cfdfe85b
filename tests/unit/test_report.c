/* SPDX-License-Identifier: Apache-2.0 */
/* The HTML report: hostile names stay text, nothing is loaded, every part may be absent, numbers are for
 * people. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "model/report.h"
#include "model/report_parts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static int open_cx(void **state) { return gm_cx_new(NULL, (gm_cx **)state); }
static int close_cx(void **state)
{
    gm_cx_free(*state);
    return 0;
}

/* H stands for a text that would break out of any place it is put into without escaping. */
#define H "\"\\\"'></title></svg><script>alert(1)</script><img src=x onerror=alert(1)>&\""
static const char hostile[] =
    "{\"version\":" H ",\"name\":" H ",\"label\":" H ",\"task\":" H ",\"why\":" H ",\"labels\":[" H ",\"b\"],"
    "\"notes\":[" H "],\"schema\":[{\"name\":" H ",\"type\":" H ",\"required\":true}],"
    "\"stages\":[{\"name\":" H ",\"uid\":" H ",\"params\":{" H ":" H ",\"list\":[" H "],\"map\":{" H ":" H
    "}},"
    "\"inputs\":[" H "],\"outputs\":[" H "]}],"
    "\"features\":[{\"name\":" H ",\"value\":1.5},{\"name\":\"a\",\"value\":-2}],\"intercept\":1,"
    "\"metrics\":{\"train\":{\"accuracy\":0.5," H ":1},\"test\":{\"accuracy\":0.75," H
    ":2,\"precisionByLabel\":[1,null],"
    "\"confusion\":{\"labels\":[" H ",\"b\"],\"counts\":[[3,1],[2,4]]},"
    "\"curves\":{\"roc\":[[0,0],[0.5,0.9],[1,1]],\"pr\":[[0,1],[1,0.6]],\"calibration\":[[0.2,0.3,10]]}}},"
    "\"columns\":[{\"name\":" H ",\"type\":" H ",\"use\":\"leakage\",\"why\":" H "}],"
    "\"fit\":{\"rows\":10,\"split\":{" H ":8,\"test\":2},\"skipped\":[" H ",{" H ":" H "}],\"seconds\":1.5,"
    "\"iterations\":3,\"history\":[3,2,1],\"converged\":false,\"plan\":" H "},\"pipeline\":" H "}";

static const char *render(gm_cx *cx, gm_arena *a, const char *json)
{
    gm_doc *d;
    gm_buf b = gm_buf_in(cx, a);
    gm_cx_begin(cx);
    assert_int_equal(gm_doc_json(cx, a, json, strlen(json), "info", &d), GM_OK);
    assert_int_equal(gm_report_html(cx, &b, d), GM_OK);
    assert_int_equal(strlen(b.p), b.len);
    return b.p;
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, what)) != NULL; p += strlen(what)) n++;
    return n;
}

/* What every page holds to, whatever it was made from. */
static void sound(const char *html)
{
    static const char *const never[] = {
        "<script", "<img", "<iframe", "<link", "http:", "https:", "url(", "@import", "href=", "<a ", "<form"};
    static const char *const pairs[] = {"section", "figure", "svg",  "g",     "text", "table",      "tbody",
                                        "ul",      "li",     "dl",   "pre",   "div",  "figcaption", "title",
                                        "main",    "p",      "body", "style", "td",   "tr",         "span"};
    for (int64_t i = 0; i < GM_COUNT(never); i++) assert_null(strstr(html, never[i]));
    for (int64_t i = 0; i < GM_COUNT(pairs); i++) {
        char open[32], with[32], close[32];
        snprintf(open, sizeof open, "<%s>", pairs[i]);
        snprintf(with, sizeof with, "<%s ", pairs[i]);
        snprintf(close, sizeof close, "</%s>", pairs[i]);
        if (count(html, open) + count(html, with) != count(html, close))
            print_error("unbalanced: %s\n", pairs[i]);
        assert_int_equal(count(html, open) + count(html, with), count(html, close));
    }
    assert_non_null(strstr(html, "default-src 'none'"));
    assert_non_null(strstr(html, "prefers-color-scheme:dark"));
    assert_null(strstr(html, "nan"));
}

static void hostile_names_are_text(void **state)
{
    gm_arena a = {0};
    const char *html = render(*state, &a, hostile);
    sound(html);
    assert_true(count(html, "&lt;script&gt;alert(1)&lt;/script&gt;") > 20);
    assert_null(strstr(html, "onerror=alert(1)>"));
    gm_arena_end(&a);
}

static void every_part_may_be_absent(void **state)
{
    static const char *const infos[] = {
        "{}",
        "{\"metrics\":{}}",
        "{\"metrics\":{\"train\":{},\"test\":{}}}",
        "{\"metrics\":{\"train\":{\"rmse\":null}}}",
        "{\"metrics\":{\"test\":{\"curves\":{\"roc\":[],\"pr\":[],\"calibration\":[]},"
        "\"confusion\":{\"counts\":[]},\"residuals\":[]}}}",
        "{\"metrics\":{\"test\":{\"curves\":{\"roc\":[[0,null],1,\"x\"],\"calibration\":[[0.1,0.2]]},"
        "\"confusion\":{\"counts\":[[1,\"x\"],2]},\"residuals\":[[1,1],[null,2]]}}}",
        "{\"features\":[\"a\",\"b\"],\"stages\":[],\"columns\":[],\"schema\":[],\"fit\":{}}",
        "{\"features\":[{\"name\":\"a\",\"value\":0}],\"fit\":{\"history\":[1,1],\"split\":{\"train\":0}}}",
        "{\"features\":[{\"name\":\"a\",\"values\":[1,2,3]}],"
        "\"stages\":[{}],\"columns\":[{}],\"schema\":[{}]}",
        "{\"pipeline\":{\"stages\":[{\"Tokenizer\":{\"inputCol\":\"<b>\"}}]}}",
        "{\"fit\":{\"history\":[1e308,-1e308]},"
        "\"metrics\":{\"test\":{\"residuals\":[[-1e308,1e308],[1,1e-300]]}}}",
    };
    for (int64_t i = 0; i < GM_COUNT(infos); i++) {
        gm_arena a = {0};
        sound(render(*state, &a, infos[i]));
        gm_arena_end(&a);
    }
}

static void what_is_said(void **state)
{
    gm_arena a = {0};
    const char *html =
        render(*state, &a,
               "{\"name\":\"m\",\"task\":\"binary\",\"label\":\"late\",\"labels\":[\"no\",\"yes\"],"
               "\"metrics\":{\"train\":{\"areaUnderROC\":0.95},\"test\":{\"areaUnderROC\":0.75,"
               "\"accuracy\":0.9,\"weightedRecall\":null,\"areaUnderPR\":0.5,"
               "\"confusion\":{\"labels\":[\"no\",\"yes\"],\"counts\":[[70,10],[5,15]]}}},"
               "\"fit\":{\"rows\":327346,\"seconds\":135,\"converged\":false,"
               "\"split\":{\"train\":261877,\"test\":65469}}}");
    sound(html);
    assert_non_null(strstr(html, "<b>0.7500</b>"));
    assert_non_null(strstr(html, "the largest class alone: 0.8000"));
    assert_non_null(strstr(html, "327,346"));
    assert_non_null(strstr(html, "2 min 15 s"));
    assert_non_null(strstr(html, "261,877 (80.0 %)"));
    assert_non_null(strstr(html, "stopped before it converged"));
    assert_non_null(strstr(html, "the model overfits"));
    assert_non_null(strstr(html, "undefined"));
    assert_non_null(strstr(html, "actual yes, predicted no: rows 5, 25.0 %"));
    html = render(*state, &a, "{\"metrics\":{\"train\":{\"areaUnderROC\":0.9}}}");
    assert_non_null(strstr(html, "No rows were held out"));
    gm_arena_end(&a);
}

static void many_are_cut_to_the_largest(void **state)
{
    gm_cx *cx = *state;
    gm_arena a = {0};
    gm_buf b = gm_buf_in(cx, &a);
    gm_json_open(&b, NULL, '{');
    gm_json_open(&b, "features", '[');
    for (int i = 0; i < 1000; i++) {
        char name[32];
        snprintf(name, sizeof name, "feature %d", i);
        gm_json_open(&b, NULL, '{');
        gm_json_str(&b, "name", name);
        gm_json_real(&b, "value", (i * 7919 % 1000) - 500);
        gm_json_close(&b, '}');
    }
    gm_json_close(&b, ']');
    gm_json_open(&b, "metrics", '{');
    gm_json_open(&b, "test", '{');
    gm_json_open(&b, "confusion", '{');
    gm_json_open(&b, "counts", '[');
    for (int i = 0; i < 40; i++) {
        gm_json_open(&b, NULL, '[');
        for (int j = 0; j < 40; j++) gm_json_int(&b, NULL, i == j ? i + 1 : 0);
        gm_json_close(&b, ']');
    }
    gm_json_close(&b, ']');
    for (int i = 0; i < 4; i++) gm_json_close(&b, '}');
    assert_int_equal(gm_buf_done(&b), GM_OK);
    const char *html = render(cx, &a, b.p);
    sound(html);
    assert_non_null(strstr(html, "The 30 largest coefficients of 1,000"));
    assert_int_equal(count(html, "<rect class=more") + count(html, "<rect class=less"), 30);
    assert_non_null(strstr(html, "<title>feature 0: \xe2\x88\x92"
                                 "500</title>"));
    assert_non_null(strstr(html, "The 16 most frequent labels of 40"));
    assert_non_null(strstr(html, "actual 39, predicted 39: rows 40, 100 %"));
    assert_null(strstr(html, "actual 3,"));
    gm_arena_end(&a);
}

static void numbers_for_people(void **state)
{
    static const struct {
        double v;
        const char *num, *fixed;
    } cases[] = {
        {0, "0", "0.0000"},
        {1, "1", "1.0000"},
        {-2.5,
         "\xe2\x88\x92"
         "2.5",
         "\xe2\x88\x92"
         "2.5000"},
        {336776, "336,776", "336,776.0"},
        {1e6, "1,000,000", "1,000,000.0"},
        {0.74213, "0.7421", "0.7421"},
        {12.3456, "12.35", "12.35"},
        {123.456, "123.5", "123.5"},
        {1234.56, "1,234.6", "1,234.6"},
        {0.0012345, "0.001234", "0.0012"},
        {1.2e-7,
         "1.2e\xe2\x88\x92"
         "7",
         "1.2e\xe2\x88\x92"
         "7"},
        {9.999e-5,
         "1e\xe2\x88\x92"
         "4",
         "1e\xe2\x88\x92"
         "4"},
        {3e20, "3e20", "3e20"},
        {99.9999, "100", "100.00"},
        {NAN, "undefined", "undefined"},
        {999999.5, "1,000,000", "999,999.5"},
        {0.5, "0.5", "0.5000"},
    };
    for (int64_t i = 0; i < GM_COUNT(cases); i++) {
        gm_arena a = {0};
        gm_buf n = gm_buf_in(*state, &a), f = gm_buf_in(*state, &a);
        gm_rp_num(&n, cases[i].v);
        gm_rp_fixed(&f, cases[i].v);
        assert_int_equal(gm_buf_done(&n), GM_OK);
        assert_int_equal(gm_buf_done(&f), GM_OK);
        assert_string_equal(n.p, cases[i].num);
        assert_string_equal(f.p, cases[i].fixed);
        gm_arena_end(&a);
    }
}

static void text_is_cut_between_characters(void **state)
{
    static const struct {
        const char *text, *out;
        int max;
    } cases[] = {{"abc", "abc", 3},
                 {"abcd", "ab\xe2\x80\xa6", 3},
                 {"", "", 3},
                 {"\xc3\xbc\xc3\xbc\xc3\xbc", "\xc3\xbc\xe2\x80\xa6", 2},
                 {"<&>", "&lt;\xe2\x80\xa6", 2}};
    for (int64_t i = 0; i < GM_COUNT(cases); i++) {
        gm_arena a = {0};
        gm_buf b = gm_buf_in(*state, &a);
        gm_rp_short(&b, cases[i].text, cases[i].max);
        assert_int_equal(gm_buf_done(&b), GM_OK);
        assert_string_equal(b.p, cases[i].out);
        gm_arena_end(&a);
    }
}

static void no_memory(void **state)
{
    gm_cx *cx = *state;
    gm_arena keep = {0};
    gm_doc *d;
    assert_int_equal(gm_doc_json(cx, &keep, hostile, strlen(hostile), "info", &d), GM_OK);
    bool done = false;
    for (long k = 0; !done && k < 200; k++) {
        gm_arena a = {0};
        gm_buf b = gm_buf_in(cx, &a);
        gm_cx_begin(cx);
        gm_oom_after = k;
        gm_code code = gm_report_html(cx, &b, d);
        done = gm_oom_after >= 0;
        gm_oom_after = -1;
        assert_int_equal(code, done ? GM_OK : GM_ENOMEM);
        gm_arena_end(&a);
        gm_cx_end(cx);
    }
    assert_true(done);
    gm_arena_end(&keep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_names_are_text),
        cmocka_unit_test(every_part_may_be_absent),
        cmocka_unit_test(what_is_said),
        cmocka_unit_test(many_are_cut_to_the_largest),
        cmocka_unit_test(numbers_for_people),
        cmocka_unit_test(text_is_cut_between_characters),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, open_cx, close_cx);
}

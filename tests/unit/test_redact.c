/* SPDX-License-Identifier: Apache-2.0 */
/* Credentials go, the rest stays; hiding twice is as hiding once. */
#include "base/file.h"
#include "torture.h"

static void credentials_are_hidden(void **state)
{
    gm_cx *cx = *state;
    static const char *const cases[][2] = {
        {"s3://key:sec@bucket/a.csv", "s3://***@bucket/a.csv"},
        {"'https://tok@h/x'", "'https://***@h/x'"},
        {"https://h/p?X-Amz-Signature=abc&b=2#x", "https://h/p?X-Amz-Signature=***&b=***"},
        {"https://h?token", "https://h?***"},
        {"postgres://u:p/w@h:5432/db", "postgres://***@h:5432/db"},
        {"CREATE OR REPLACE SECRET m (TYPE s3, KEY_ID 'k', SECRET 's)x'); SELECT 1",
         "CREATE OR REPLACE SECRET m (***); SELECT 1"},
        {"create persistent secret (TYPE s3, SECRET \"a\"", "create persistent secret (***"},
        {"ATTACH 'host=localhost user=me password=hunter2 dbname=x'",
         "ATTACH 'host=localhost user=me password=*** dbname=x'"},
        {"host=h password = hunter2;", "host=h password = ***;"},
        {"SET s3_secret_access_key='abc''d'; SELECT 1", "SET s3_secret_access_key='***'; SELECT 1"},
        {"{\"password\": \"x\\\"y\", \"a\": 1}", "{\"password\": \"***\", \"a\": 1}"},
        {"AccountName=x;AccountKey=abc==;End=1", "AccountName=x;AccountKey=***;End=1"},
        {"md:db?motherduck_token=eyJ", "md:db?motherduck_token=***"},
        {"Authorization: Bearer abcdef", "Authorization: Bearer ***"},
        {"AWS_SECRET_ACCESS_KEY=x/y+z", "AWS_SECRET_ACCESS_KEY=***"},
        {"client-secret => 'x'", "client-secret => '***'"},
        {"PASSWORD 'abc'", "PASSWORD '***'"},
        {"password='unclosed", "password='***'"},
    };
    for (int i = 0; i < GM_COUNT(cases); i++) {
        char *once = gm_redact(cx, gm_scratch(cx), cases[i][0]);
        assert_non_null(once);
        assert_string_equal(once, cases[i][1]);
        assert_string_equal(gm_redact(cx, gm_scratch(cx), once), once);
        gm_cx_end(cx);
    }
}

static void the_rest_stays(void **state)
{
    gm_cx *cx = *state;
    static const char *const cases[] = {
        "",
        "SELECT a, b FROM 'flights.csv' WHERE a = 'x@y' AND k < 3",
        "https://host:80/a@b.png",
        "https://[::1]:80/x",
        "/a/b c.csv",
        "s3://bucket/path/*.parquet",
        "select password::varchar, secret from t",
        "password",
        "'password'",
        "secret=",
        "CREATE TABLE secret (a INT)",
        "tokens = 5",
        "a:b=c",
        "héllo 'wörld'",
    };
    for (int i = 0; i < GM_COUNT(cases); i++) {
        assert_string_equal(gm_redact(cx, gm_scratch(cx), cases[i]), cases[i]);
        gm_cx_end(cx);
    }
}

static gm_code once(gm_cx *cx, void *arg)
{
    (void)arg;
    GM_GOT(cx,
           gm_redact(cx, gm_scratch(cx),
                     "s3://key:sec@bucket/a.csv and some more text that makes the buffer grow twice or so, "
                     "with a password=secret in it and SET s3_secret_access_key='abc'"));
    return GM_OK;
}

static void every_allocation_may_fail(void **state) { assert_in_range(torture(*state, once, NULL), 2, 10); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(credentials_are_hidden),
        cmocka_unit_test(the_rest_stays),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, unit_setup, unit_teardown);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Events: one at a time from any thread, fields that are JSON, progress that does not flood. */
#include "base/doc.h"
#include "torture.h"
#include <pthread.h>

typedef struct seen {
    int n, inside, overlaps;
    char code[64], text[128], fields[8192], unit[32];
    int level;
    double done, total;
} seen;

static void receive(void *user, const gm_event *e)
{
    seen *s = user;
    s->overlaps += s->inside++ != 0;
    s->n++;
    s->level = e->level;
    s->done = e->done;
    s->total = e->total;
    snprintf(s->code, sizeof s->code, "%s", e->code);
    snprintf(s->text, sizeof s->text, "%s", e->text);
    snprintf(s->fields, sizeof s->fields, "%s", e->fields);
    snprintf(s->unit, sizeof s->unit, "%s", e->unit);
    s->inside--;
}

static void nobody_listens(void **state)
{
    gm_cx *cx = *state;
    assert_false(gm_listening(cx));
    gm_emit(cx, GM_INFO, "x", "", "nothing happens");
    gm_emit_kv(cx, GM_INFO, "x", "t", "k", "v", NULL);
    gm_progress(cx, "x", 1, 2, "rows", "t");
}

static void fields_are_json(void **state)
{
    gm_cx *cx = *state;
    seen s = {0};
    gm_cx_listen(cx, receive, &s);
    gm_emit(cx, GM_WARNING, "data.skipped", "\"rows\":12", "%d rows", 12);
    assert_int_equal(s.level, GM_WARNING);
    assert_string_equal(s.code, "data.skipped");
    assert_string_equal(s.text, "12 rows");
    assert_string_equal(s.fields, "{\"rows\":12}");
    gm_emit(cx, GM_INFO, "x", "", "t");
    assert_string_equal(s.fields, "{}");
    gm_emit_kv(cx, GM_INFO, "x", "t", "column", "a\"b</script>", "none", (char *)NULL, "raw", "\xff", NULL);
    assert_string_equal(s.fields,
                        "{\"column\":\"a\\\"b\\u003c/script>\",\"none\":null,\"raw\":\"\xEF\xBF\xBD\"}");
    char *many = calloc(1, 20001);
    memset(many, ' ', 6000);
    gm_oom_after = 0; /* no memory: an event needs none, and what was told of a failure stays */
    assert_int_equal(gm_fail(cx, GM_EDATA, "told before"), GM_EDATA);
    gm_emit(cx, GM_INFO, "x", many, "t");
    assert_int_equal(strlen(s.fields), 6002);
    gm_emit_kv(cx, GM_INFO, "x", "t", "k", "v", NULL);
    assert_string_equal(s.fields, "{\"k\":\"v\"}");
    memset(many, ' ', 20000); /* too long: without its fields */
    gm_emit(cx, GM_INFO, "x", many, "t");
    assert_string_equal(s.fields, "{}");
    gm_emit_kv(cx, GM_INFO, "x", "t", "k", many, NULL);
    assert_string_equal(s.fields, "{}");
    gm_oom_after = -1;
    assert_string_equal(gm_cx_message(cx), "told before");
    gm_cx_forget(cx);
    free(many);
    gm_cx_listen(cx, NULL, NULL);
}

static void progress_does_not_flood(void **state)
{
    gm_cx *cx = *state;
    seen s = {0};
    gm_cx_listen(cx, receive, &s);
    for (int i = 0; i < 10000; i++) gm_progress(cx, "scan.progress", i, 10000, "rows", NULL);
    assert_in_range(s.n, 1, 100);
    gm_progress(cx, "scan.progress", 10000, 10000, "rows", "done");
    assert_true(s.done == 10000 && s.total == 10000);
    assert_string_equal(s.unit, "rows");
    assert_string_equal(s.fields, "{\"done\":10000,\"total\":10000}");
    int before = s.n;
    gm_progress(cx, "fit.progress", 1, 0, NULL, NULL); /* another code is told at once */
    assert_int_equal(s.n, before + 1);
    gm_cx_listen(cx, NULL, NULL);
}

static void *emit_many(void *cx)
{
    for (int i = 0; i < 500; i++) gm_emit(cx, GM_INFO, "x", "", "%d", i);
    return NULL;
}

static void one_event_at_a_time(void **state)
{
    gm_cx *cx = *state;
    seen s = {0};
    pthread_t t[4];
    gm_cx_listen(cx, receive, &s);
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&t[i], NULL, emit_many, cx), 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    assert_int_equal(s.n, 2000);
    assert_int_equal(s.overlaps, 0);
    gm_cx_listen(cx, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(fields_are_json),
        cmocka_unit_test(progress_does_not_flood),
        cmocka_unit_test(one_event_at_a_time),
    };
    return cmocka_run_group_tests(tests, unit_setup, unit_teardown);
}

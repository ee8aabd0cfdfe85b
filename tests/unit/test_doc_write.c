/* SPDX-License-Identifier: Apache-2.0 */
/* Documents written as YAML and JSON read back as they were, whatever they hold. */
#include "base/doc.h"
#include "base/rng.h"
#include "torture.h"

static bool same(const gm_doc *a, const gm_doc *b)
{
    if (a->kind != b->kind || a->n != b->n) return false;
    if ((a->key == NULL) != (b->key == NULL) || (a->key && strcmp(a->key, b->key) != 0)) return false;
    if (a->kind == GM_D_BOOL && a->b != b->b) return false;
    if (a->kind == GM_D_INT && a->i != b->i) return false;
    if (a->kind == GM_D_REAL && !(a->real == b->real || (isnan(a->real) && isnan(b->real)))) return false;
    if (a->kind == GM_D_STR && strcmp(a->str, b->str) != 0) return false;
    for (int64_t i = 0; i < a->n; i++)
        if (!same(&a->child[i], &b->child[i])) return false;
    return true;
}

static uint64_t seed;
static uint64_t draw(uint64_t n) { return gm_mix64(seed++) % n; }

/* Texts that YAML could take for something else, and random ones. */
static const char *some_text(gm_cx *cx)
{
    static const char *const hard[] = {"",
                                       " ",
                                       "no",
                                       "Yes",
                                       "null",
                                       "~",
                                       "true",
                                       "1",
                                       "-1.5",
                                       ".5",
                                       "1e3",
                                       "0x10",
                                       "a: b",
                                       "a #b",
                                       "#",
                                       "- a",
                                       "? a",
                                       "a:",
                                       "[",
                                       "]",
                                       "{",
                                       "}",
                                       ",",
                                       "&a",
                                       "*a",
                                       "!a",
                                       "|",
                                       ">",
                                       "'",
                                       "\"",
                                       "%a",
                                       "@a",
                                       "`a",
                                       "\n",
                                       "a\n",
                                       "\n\na",
                                       "\ta",
                                       "a\t",
                                       " a",
                                       "a ",
                                       "\xc2\x85",
                                       "\xe2\x80\xa8",
                                       "\357\273\277a",
                                       "\xc2\x80",
                                       "\xef\xbf\xbe",
                                       "\x7f",
                                       "\x01",
                                       "---",
                                       "...",
                                       "2013-01-01",
                                       "12:30",
                                       "1_000",
                                       "<<",
                                       "=",
                                       "\xf0\x9f\x98\x80",
                                       "\\",
                                       "a\\n",
                                       "plain text",
                                       "x.y/z-1",
                                       ".inf",
                                       "nan",
                                       "on",
                                       "y",
                                       "0o7",
                                       "a\rb"};
    if (draw(2)) return hard[draw((uint64_t)GM_COUNT(hard))];
    char *s = gm_alloc(cx, gm_scratch(cx), 9, 1);
    assert_non_null(s);
    for (uint64_t i = 0, n = draw(8); i < n; i++) s[i] = (char)(1 + draw(126));
    return s;
}

static void make(gm_cx *cx, gm_doc *d, int depth)
{
    static const double reals[] = {0.1, -0.0, 1e300, 5, 1e-7, INFINITY, -INFINITY, NAN, 123456789.5};
    d->kind = (gm_kind)draw(depth < 4 ? 7 : 5);
    switch (d->kind) {
    case GM_D_BOOL: d->b = draw(2); break;
    case GM_D_INT: d->i = (int64_t)gm_mix64(seed++) >> draw(63); break;
    case GM_D_REAL: d->real = reals[draw((uint64_t)GM_COUNT(reals))]; break;
    case GM_D_STR: d->str = some_text(cx); break;
    case GM_D_LIST:
    case GM_D_MAP:
        d->n = (int64_t)draw(4);
        d->child = gm_alloc(cx, gm_scratch(cx), d->n, sizeof *d->child);
        assert_non_null(d->child);
        for (int64_t i = 0; i < d->n; i++) {
            make(cx, &d->child[i], depth + 1);
            if (d->kind != GM_D_MAP) continue;
            d->child[i].key = some_text(cx);
            for (int64_t j = 0; j < i; j++)
                if (strcmp(d->child[j].key, d->child[i].key) == 0)
                    d->child[i].key = i == 1 ? "k1" : i == 2 ? "k2" : "k3";
        }
        break;
    case GM_D_NULL: break;
    }
}

static void yaml_reads_back(void **state)
{
    gm_cx *cx = *state;
    for (seed = 1; seed < 40000;) {
        gm_doc d = {0}, *back;
        make(cx, &d, 0);
        gm_buf b = gm_buf_in(cx, gm_scratch(cx));
        gm_doc_write_yaml(&b, &d, 0);
        assert_ok(cx, gm_buf_done(&b));
        gm_code code = gm_doc_yaml(cx, gm_scratch(cx), b.p, b.len, "written", &back);
        if (code != GM_OK || !same(&d, back)) print_error("%s\n%s\n", gm_cx_message(cx), b.p);
        assert_ok(cx, code);
        assert_true(same(&d, back));
        gm_cx_end(cx);
    }
}

static void tame(gm_doc *d)
{
    if (d->kind == GM_D_REAL && !isfinite(d->real)) d->real = 0.25;
    for (int64_t i = 0; i < d->n; i++) tame(&d->child[i]);
}

static void json_reads_back(void **state)
{
    gm_cx *cx = *state;
    for (seed = 1; seed < 40000;) {
        gm_doc d = {0}, *back;
        make(cx, &d, 0);
        tame(&d);
        gm_buf b = gm_buf_in(cx, gm_scratch(cx));
        gm_doc_write_json(&b, NULL, &d);
        assert_ok(cx, gm_buf_done(&b));
        assert_ok(cx, gm_doc_json(cx, gm_scratch(cx), b.p, b.len, "written", &back));
        assert_true(same(&d, back));
        gm_cx_end(cx);
    }
}

static void yaml_is_for_people(void **state)
{
    gm_cx *cx = *state;
    static const char text[] = "name: flights\n"
                               "split:\n"
                               "  test: 0.2\n"
                               "stages:\n"
                               "  - Imputer:\n"
                               "      inputCols: [a, b c, \"no\"]\n"
                               "      splits: [-.inf, 0.0, .inf]\n"
                               "  - Tokenizer\n"
                               "  - LogisticRegression: {}\n"
                               "empty: []\n";
    gm_doc *d;
    assert_ok(cx, gm_doc_yaml(cx, gm_scratch(cx), text, strlen(text), "x", &d));
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    gm_doc_write_yaml(&b, d, 0);
    assert_ok(cx, gm_buf_done(&b));
    assert_string_equal(b.p, text);
    gm_cx_end(cx);
}

static void long_keys_read_back(void **state)
{
    gm_cx *cx = *state;
    char key[3000];
    gm_doc value = {.kind = GM_D_LIST, .n = 1}, inner = {.kind = GM_D_MAP}, d = {.kind = GM_D_MAP, .n = 1},
           *back;
    for (size_t n = 100; n < sizeof key; n += 97) {
        memset(key, '"', n);
        key[n] = 0;
        value.key = key;
        value.child = &inner;
        d.child = &value;
        gm_buf b = gm_buf_in(cx, gm_scratch(cx));
        gm_doc_write_yaml(&b, &d, 2);
        assert_ok(cx, gm_buf_done(&b));
        assert_ok(cx, gm_doc_yaml(cx, gm_scratch(cx), b.p, b.len, "written", &back));
        assert_true(same(&d, back));
        gm_cx_end(cx);
    }
}

static void numbers_that_are_not_finite_are_texts_in_json(void **state)
{
    gm_cx *cx = *state;
    gm_doc *d;
    assert_ok(cx, gm_doc_yaml(cx, gm_scratch(cx), "[.nan, .inf, -.inf, 1.0]", 24, "x", &d));
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    gm_doc_write_json(&b, NULL, d);
    assert_ok(cx, gm_buf_done(&b));
    assert_string_equal(b.p, "[\"nan\",\"inf\",\"-inf\",1.0]");
    gm_cx_end(cx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(yaml_reads_back),
        cmocka_unit_test(json_reads_back),
        cmocka_unit_test(yaml_is_for_people),
        cmocka_unit_test(long_keys_read_back),
        cmocka_unit_test(numbers_that_are_not_finite_are_texts_in_json),
    };
    return cmocka_run_group_tests(tests, unit_setup, unit_teardown);
}

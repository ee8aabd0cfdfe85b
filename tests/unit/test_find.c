/* SPDX-License-Identifier: Apache-2.0 */
#include "stage_driver.h"

static void by_name(void **s)
{
    (void)s;
    for (const gm_stage *const *f = gm_features; *f; f++) assert_ptr_equal(gm_stage_find((*f)->name), *f);
    assert_null(gm_stage_find("stringindexer"));
    assert_null(gm_stage_find(""));
}

static void unknown_names(void **s)
{
    (void)s;
    driver d;
    const gm_stage *found;
    driver_open(&d);
    driver_fails(&d, gm_stage_need(d.cx, "StringIndxer", NULL, &found), GM_ESTAGE,
                 "did you mean StringIndexer?");
    driver_fails(&d, gm_stage_need(d.cx, "idf", NULL, &found), GM_ESTAGE, "did you mean IDF?");
    driver_fails(&d, gm_stage_need(d.cx, "Blockchain", NULL, &found), GM_ESTAGE,
                 "there is no stage 'Blockchain'");
    gm_doc *doc;
    const char yaml[] = "stages:\n  - Imputr: {}\n";
    OK(&d, gm_doc_yaml(d.cx, &d.a, yaml, strlen(yaml), "p.yaml", &doc));
    const gm_doc *at = &gm_doc_get(doc, "stages")->child[0].child[0];
    driver_fails(&d, gm_stage_need(d.cx, at->key, at, &found), GM_ESTAGE,
                 "p.yaml:2: there is no stage 'Imputr'");
    driver_close(&d);
}

/* What every feature's table must hold: the rules that the generic code relies on. */
static void tables_are_sound(void **s)
{
    (void)s;
    for (const gm_stage *const *f = gm_features; *f; f++) {
        const gm_stage *st = *f;
        assert_non_null(st->summary);
        assert_non_null(st->doc);
        assert_true(strlen(st->doc) > 100);
        for (const gm_param *p = st->params; p->name; p++) {
            assert_non_null(p->help);
            if (p->role != GM_OPTION) assert_int_not_equal(p->column, 0);
            if (p->pairs_with) assert_true(gm_param_find(st->params, p->pairs_with) >= 0);
        }
        assert_int_equal(st->kind == GM_ESTIMATOR, st->begin && st->update && st->merge && st->finish);
        assert_int_equal(st->kind == GM_ESTIMATOR, st->states && st->verify);
        assert_true(st->apply || strcmp(st->name, "SQLTransformer") == 0);
        for (int i = 0; i < gm_state_count(st); i++) assert_non_null(st->states[i].help);
    }
}

DRIVER_MAIN(cmocka_unit_test(by_name), cmocka_unit_test(unknown_names), cmocka_unit_test(tables_are_sound))

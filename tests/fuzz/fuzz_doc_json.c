/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as JSON: a document or GM_ESYNTAX; a document is written and read again as the same text. */
#include "base/doc.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gm_cx *cx;
    gm_doc *d, *again;
    if (gm_cx_new("{\"threads\": 1, \"memory\": \"256MB\"}", &cx) != GM_OK) abort();
    gm_arena *a = gm_scratch(cx);
    gm_code code = gm_doc_json(cx, a, (const char *)data, size, "input", &d);
    if (code == GM_OK) {
        gm_buf once = gm_buf_in(cx, a), twice = gm_buf_in(cx, a), yaml = gm_buf_in(cx, a);
        gm_doc_write_json(&once, NULL, d);
        gm_doc_write_yaml(&yaml, d, 0);
        if (gm_buf_done(&once) != GM_OK || gm_buf_done(&yaml) != GM_OK) abort();
        if (gm_doc_json(cx, a, once.p, once.len, "written", &again) != GM_OK) abort();
        gm_doc_write_json(&twice, NULL, again);
        if (gm_buf_done(&twice) != GM_OK || strcmp(once.p, twice.p) != 0) abort();
        if (gm_doc_yaml(cx, a, yaml.p, yaml.len, "written", &again) != GM_OK) abort();
    } else if (code != GM_ESYNTAX && code != GM_ELIMIT) {
        abort();
    }
    gm_cx_end(cx);
    if (gm_memory_used(cx) != 0) abort();
    gm_cx_free(cx);
    return 0;
}

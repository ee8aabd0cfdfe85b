/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as YAML: a document or GM_ESYNTAX; written as YAML it reads back as the same document. */
#include "base/doc.h"
#include <stdlib.h>

static const char *json(gm_cx *cx, const gm_doc *d)
{
    gm_buf b = gm_buf_in(cx, gm_scratch(cx));
    gm_doc_write_json(&b, NULL, d);
    if (gm_buf_done(&b) != GM_OK) abort();
    return b.p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gm_cx *cx;
    gm_doc *d, *again;
    if (gm_cx_new("{\"threads\": 1, \"memory\": \"256MB\"}", &cx) != GM_OK) abort();
    gm_arena *a = gm_scratch(cx);
    gm_code code = gm_doc_yaml(cx, a, (const char *)data, size, "input", &d);
    if (code == GM_OK) {
        gm_buf b = gm_buf_in(cx, a);
        gm_doc_write_yaml(&b, d, 0);
        if (gm_buf_done(&b) != GM_OK) abort();
        if (gm_doc_yaml(cx, a, b.p, b.len, "written", &again) != GM_OK) abort();
        if (strcmp(json(cx, d), json(cx, again)) != 0) abort();
    } else if (code != GM_ESYNTAX && code != GM_ELIMIT) {
        abort();
    }
    gm_cx_end(cx);
    if (gm_memory_used(cx) != 0) abort();
    gm_cx_free(cx);
    return 0;
}

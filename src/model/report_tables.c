/* SPDX-License-Identifier: Apache-2.0 */
/* report_tables.c - the report's tables: columns of the data, stages, what prediction needs, metrics by
 * label. */
#include "model/report_parts.h"
#include <string.h>

enum { MOST_ROWS = 300, MOST_NAMES = 12 };

static void cell(gm_buf *b, const char *class, const char *text)
{
    gm_buf_printf(b, *class ? "<td class=%s>" : "<td>", class);
    gm_rp_text(b, text ? text : "");
    gm_buf_str(b, "</td>");
}

static void rest(gm_buf *b, int64_t n, int columns)
{
    if (n <= MOST_ROWS) return;
    gm_buf_printf(b, "<tr><td colspan=%d class=quiet>and %lld more</td></tr>\n", columns,
                  (long long)(n - MOST_ROWS));
}

/* How loud a use is: leakage is a warning, a column left out is quiet. */
static const char *class_of_use(const char *use)
{
    if (use == NULL) return "quiet";
    if (strstr(use, "leak")) return "warn";
    if (strstr(use, "left out")) return "quiet";
    return strcmp(use, "label") == 0 ? "key" : "plain";
}

void gm_rp_columns(gm_buf *b, const gm_doc *info)
{
    const gm_doc *columns = gm_rp_list(info, "columns");
    if (columns == NULL || columns->n == 0) return;
    gm_buf_str(
        b, "<section><h2>Columns</h2><p>What was done with each column, and why.</p><div class=scroll><table>"
           "<thead><tr><th>Column<th>Type<th>Use<th>Why</tr></thead><tbody>\n");
    for (int64_t i = 0; i < columns->n && i < MOST_ROWS; i++) {
        const gm_doc *c = &columns->child[i];
        const char *use = gm_rp_str(c, "use");
        gm_buf_str(b, "<tr>");
        cell(b, "name", gm_rp_str(c, "name"));
        cell(b, "quiet", gm_rp_str(c, "type"));
        gm_buf_printf(b, "<td><span class=\"tag %s\">", class_of_use(use));
        gm_rp_text(b, use ? use : "");
        gm_buf_str(b, "</span></td>");
        cell(b, "", gm_rp_str(c, "why"));
        gm_buf_str(b, "</tr>\n");
    }
    rest(b, columns->n, 4);
    gm_buf_str(b, "</tbody></table></div></section>\n");
}

static void names(gm_buf *b, const gm_doc *list)
{
    for (int64_t i = 0; list && i < list->n && i < MOST_NAMES; i++) {
        if (i) gm_buf_str(b, ", ");
        gm_rp_value(b, &list->child[i]);
    }
    if (list && list->n > MOST_NAMES) gm_buf_printf(b, " and %lld more", (long long)(list->n - MOST_NAMES));
}

static bool is_column_param(const char *key)
{
    size_t n = strlen(key);
    return (n >= 3 && strcmp(key + n - 3, "Col") == 0) || (n >= 4 && strcmp(key + n - 4, "Cols") == 0);
}

void gm_rp_stages(gm_buf *b, const gm_doc *info)
{
    const gm_doc *stages = gm_rp_list(info, "stages");
    if (stages == NULL || stages->n == 0) return;
    gm_buf_str(b,
               "<section><h2>Stages</h2><div class=scroll><table><thead><tr><th>#<th>Stage<th>Reads<th>Makes"
               "<th>Parameters</tr></thead><tbody>\n");
    for (int64_t i = 0; i < stages->n && i < MOST_ROWS; i++) {
        const gm_doc *s = &stages->child[i], *params = gm_rp_map(s, "params");
        const char *name = gm_rp_str(s, "name"), *uid = gm_rp_str(s, "uid");
        bool first = true;
        gm_buf_printf(b, "<tr><td class=quiet>%lld</td><td class=name title=\"", (long long)i + 1);
        gm_rp_text(b, uid ? uid : "");
        gm_buf_str(b, "\">");
        gm_rp_text(b, name ? name : "");
        gm_buf_str(b, "</td><td>");
        names(b, gm_rp_list(s, "inputs"));
        gm_buf_str(b, "</td><td>");
        names(b, gm_rp_list(s, "outputs"));
        gm_buf_str(b, "</td><td class=params>");
        for (int64_t k = 0; params && k < params->n; k++) {
            if (is_column_param(params->child[k].key)) continue;
            if (!first) gm_buf_str(b, "<br>");
            first = false;
            gm_rp_text(b, params->child[k].key);
            gm_buf_str(b, ": ");
            gm_rp_value(b, &params->child[k]);
        }
        gm_buf_str(b, "</td></tr>\n");
    }
    rest(b, stages->n, 5);
    gm_buf_str(b, "</tbody></table></div></section>\n");
}

void gm_rp_schema(gm_buf *b, const gm_doc *info)
{
    const gm_doc *schema = gm_rp_list(info, "schema");
    if (schema == NULL || schema->n == 0) return;
    gm_buf_str(
        b, "<section><h2>What prediction needs</h2><div class=scroll><table><thead><tr><th>Column<th>Type<th>"
           "</tr></thead><tbody>\n");
    for (int64_t i = 0; i < schema->n && i < MOST_ROWS; i++) {
        const gm_doc *c = &schema->child[i], *need = gm_doc_get(c, "required");
        gm_buf_str(b, "<tr>");
        cell(b, "name", gm_rp_str(c, "name"));
        cell(b, "quiet", gm_rp_str(c, "type"));
        cell(b, "quiet",
             need && need->kind == GM_D_BOOL && !need->b ? "only to train and to judge" : "required");
        gm_buf_str(b, "</tr>\n");
    }
    rest(b, schema->n, 3);
    gm_buf_str(b, "</tbody></table></div></section>\n");
}

/* Metrics named "...ByLabel" that have a number per label, as columns of one table. */
void gm_rp_by_label(gm_buf *b, const gm_doc *info, const gm_doc *metrics)
{
    enum { MOST = 6 };
    const gm_doc *labels = gm_rp_list(info, "labels"), *by[MOST];
    int n = 0;
    double v;
    for (int64_t i = 0; metrics && labels && i < metrics->n && n < MOST; i++) {
        const gm_doc *m = &metrics->child[i];
        const char *at = strstr(m->key, "ByLabel");
        if (at && !at[7] && m->kind == GM_D_LIST && m->n == labels->n) by[n++] = m;
    }
    if (n == 0) return;
    gm_buf_str(b, "<h3>By label</h3><div class=scroll><table><thead><tr><th>Label");
    for (int k = 0; k < n; k++) {
        gm_buf_str(b, "<th class=num>");
        gm_buf_html(b, by[k]->key, strlen(by[k]->key) - 7);
    }
    gm_buf_str(b, "</tr></thead><tbody>\n");
    for (int64_t i = 0; i < labels->n && i < MOST_ROWS; i++) {
        gm_buf_str(b, "<tr><td class=name>");
        gm_rp_value(b, &labels->child[i]);
        gm_buf_str(b, "</td>");
        for (int k = 0; k < n; k++) {
            gm_buf_str(b, "<td class=num>");
            if (gm_rp_real(&by[k]->child[i], &v)) gm_rp_fixed(b, v);
            else gm_buf_str(b, "<span class=quiet>undefined</span>");
            gm_buf_str(b, "</td>");
        }
        gm_buf_str(b, "</tr>\n");
    }
    rest(b, labels->n, n + 1);
    gm_buf_str(b, "</tbody></table></div>\n");
}

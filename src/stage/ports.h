/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ports.h - from the column parameters of a configured node to its ports: what it reads, what it writes, by
 * name.
 *
 * Ports stand in table order; a list parameter gives one port per name. An output that was not given is named
 * after its input and the stage: input "a" of StringIndexer writes "a_stringIndexer".
 */
#ifndef GM_STAGE_PORTS_H
#define GM_STAGE_PORTS_H
#include "stage/stage.h"

/* Fills node->in and node->out; then the stage's own check runs. A READS port gets the type when its
 * parameter accepts only one, else 0: the planner sets it. */
gm_code gm_node_resolve(gm_cx *cx, gm_arena *a, gm_node *node) GM_NODISCARD;
/* Once the types of all inputs are set: an output that may have several types has that of the input it is
 * paired with. */
void gm_node_types(gm_node *node);
/* True for columns that only fit reads (labelCol, weightCol): in apply such a port holds no data. */
bool gm_port_fit_only(const gm_port *port);
/* "StringIndexer" -> "stringIndexer", "IDF" -> "idf", "SQLTransformer" -> "sqlTransformer". */
char *gm_lower_camel(gm_cx *cx, gm_arena *a, const char *name);
/* The name of element j of a vector column: its attribute's, else "column[j]". attr may be NULL. */
const char *gm_element_name(gm_cx *cx, gm_arena *a, const gm_attr *attr, const char *column, int64_t j);
#endif

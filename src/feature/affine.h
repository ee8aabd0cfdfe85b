/* SPDX-License-Identifier: Apache-2.0 */
/*
 * affine.h - what all scalers do to a vector: out = (x - shift) / scale * gain + base, element by element.
 *
 * Parts whose zeros stay zero keep their form: coded parts get a value per level, sparse ones new values. A
 * part whose zeros move is made dense, within a limit that is checked in fit.
 */
#ifndef GM_FEATURE_AFFINE_H
#define GM_FEATURE_AFFINE_H
#include "feature/moments.h"

typedef struct gm_affine {
    int64_t n;           /* elements */
    const double *shift; /* NULL: 0 */
    const double *scale; /* NULL: 1; an element of scale 0 is constant and becomes flat */
    double gain, base, flat;
    double *unit; /* what the value 1 becomes; gm_affine_ready makes it */
} gm_affine;

/* The limits of making coded and sparse elements dense: in width, and in values when all rows are counted. */
enum { GM_DENSE_WIDTH = 16384 };
#define GM_DENSE_VALUES (INT64_C(1) << 28)

gm_code gm_affine_ready(gm_cx *cx, gm_arena *kept, gm_affine *f) GM_NODISCARD;
/* Input 0 to output 0. */
gm_code gm_affine_apply(gm_apply *ap, const gm_affine *f) GM_NODISCARD;
/* Fails with GM_ELIMIT when implicit elements would be made dense beyond the limits; hint says what to do
 * instead. */
gm_code gm_affine_check(gm_cx *cx, const gm_node *node, const gm_affine *f, const gm_spread *s,
                        const char *hint) GM_NODISCARD;
/* The output of a scaler looks like its input: width and names. */
gm_code gm_same_vector(gm_cx *cx, gm_arena *a, const gm_node *node, gm_attr *out);
/* Checks that `found` array elements are as many as the input vector has. GM_EMODEL. */
gm_code gm_verify_width(gm_cx *cx, const gm_node *node, const char *what, int64_t found) GM_NODISCARD;
#endif

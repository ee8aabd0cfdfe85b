/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm.h - the ranks of a fit and what they do together (MPI's words). A single process is a world of size 1,
 * which is a real implementation: learners always call it and never ask.
 */
#ifndef GM_COMM_COMM_H
#define GM_COMM_COMM_H
#include "base/cx.h"

typedef enum gm_op { GM_SUM, GM_MIN, GM_MAX } gm_op;
typedef struct gm_comm gm_comm;
typedef struct gm_comm_ops {
    /* In place over n doubles; name says what it is in errors. */
    gm_code (*allreduce)(gm_cx *cx, gm_comm *c, const char *name, gm_op op, double *x, int64_t n);
    gm_code (*broadcast)(gm_cx *cx, gm_comm *c, const char *name, int root, void *p, int64_t bytes);
    gm_code (*barrier)(gm_cx *cx, gm_comm *c, const char *name);
} gm_comm_ops;
struct gm_comm {
    int rank, size;
    const gm_comm_ops *ops;
};
gm_comm *gm_comm_self(void); /* the world of this process alone */
#endif

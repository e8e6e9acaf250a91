/* attention.h - the sizes of an `attention`, which several stages need. */
#ifndef ASH_OP_ATTENTION_H
#define ASH_OP_ATTENTION_H

#include "graph/graph.h"

enum {
  ASH_ATTENTION_Q,
  ASH_ATTENTION_K,
  ASH_ATTENTION_V,
  ASH_ATTENTION_BIAS, /* added to the scores       */
  ASH_ATTENTION_KEEP, /* which scores are not masked */
  ASH_ATTENTION_TABLE /* of exponentials, by lowering */
};

typedef struct ash_attention {
  uint32_t axes; /* before the matrices */
  int32_t rows, keys, depth, columns;
  int32_t group; /* heads of queries for each head of keys and values */
  bool turned;   /* keys are columns */
} ash_attention;

/* Of an op that the shape rule accepts. */
static inline ash_attention ash_attention_of(const ash_graph *g,
                                             const ash_op *op) {
  const ash_shape *q = &ash_op_in(g, op, ASH_ATTENTION_Q)->shape;
  const ash_shape *k = &ash_op_in(g, op, ASH_ATTENTION_K)->shape;
  const ash_shape *v = &ash_op_in(g, op, ASH_ATTENTION_V)->shape;
  ASH_ASSERT(q->rank >= 2 && k->rank == q->rank && v->rank == q->rank);
  const uint32_t axes = q->rank - 2;
  const int32_t heads = axes ? k->dim[axes - 1] : 1;
  return (ash_attention){
      .axes = axes,
      .rows = q->dim[axes],
      .keys = v->dim[axes],
      .depth = q->dim[axes + 1],
      .columns = v->dim[axes + 1],
      .group = heads > 1 ? q->dim[axes - 1] / heads : 1,
      .turned = ash_attr_int(op, "transpose_k", 0) != 0,
  };
}

#endif

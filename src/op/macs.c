/* macs.c - the work of an operator in multiply-accumulates: the figure people
 * compare models by, and the tiler's first estimate. Additions of a bias,
 * requantisation and operators without products count nothing. */
#include "graph/graph.h"

/* Products that make one element of the output. */
static uint64_t macs_per_element(const ash_graph *g, const ash_op *op) {
  const ash_tensor *weights = ash_op_in(g, op, 1);
  if (!weights)
    return 0;
  const ash_shape *w = &weights->shape;
  switch (op->kind) {
  case ASH_OP_conv_2d:
  case ASH_OP_whole_conv_2d:
    return (uint64_t)w->dim[1] * (uint64_t)w->dim[2] * (uint64_t)w->dim[3];
  case ASH_OP_depthwise_conv_2d:
  case ASH_OP_whole_depthwise_conv_2d:
    return (uint64_t)w->dim[1] * (uint64_t)w->dim[2];
  case ASH_OP_fully_connected:
  case ASH_OP_whole_fully_connected:
    return (uint64_t)w->dim[1];
  case ASH_OP_batch_matmul:
    return (uint64_t)w->dim[w->rank - (ash_op_int(op, "adj_y", 0) ? 1 : 2)];
  default:
    return 0;
  }
}

/* Each element of the input meets each weight of its channel once. */
static uint64_t macs_of_transpose(const ash_graph *g, const ash_op *op) {
  const int32_t *w = ash_op_in(g, op, 1)->shape.dim;
  return ash_shape_elements(&ash_op_in(g, op, 0)->shape) * (uint64_t)w[0] *
         (uint64_t)w[1] * (uint64_t)w[2];
}

uint64_t ash_op_macs(const ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  if (o->kind == ASH_OP_transpose_conv)
    return macs_of_transpose(g, o);
  const uint64_t each = macs_per_element(g, o);
  return each ? each * ash_shape_elements(&ash_op_out(g, o, 0)->shape) : 0;
}

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
    return (uint64_t)w->dim[1] * (uint64_t)w->dim[2] * (uint64_t)w->dim[3];
  case ASH_OP_depthwise_conv_2d:
    return (uint64_t)w->dim[1] * (uint64_t)w->dim[2];
  case ASH_OP_fully_connected:
    return (uint64_t)w->dim[1];
  default:
    return 0;
  }
}

uint64_t ash_op_macs(const ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  const uint64_t each = macs_per_element(g, o);
  return each ? each * ash_shape_elements(&ash_op_out(g, o, 0)->shape) : 0;
}

/* reads.c - see reads.h. */
#include "kernel/reads.h"

bool ash_op_is_packed(const ash_graph *g, const ash_op *op) {
  return g->features != 0 && op->input_count > ASH_IN_FOLDED &&
         (op->kind == ASH_OP_conv_2d || op->kind == ASH_OP_depthwise_conv_2d ||
          op->kind == ASH_OP_fully_connected);
}

/* What the kernels of packed operators take instead of the model's weights and
 * bias. */
static bool packed_reads(ash_op_kind kind, uint32_t input) {
  switch (input) {
  case 1:
    return kind == ASH_OP_depthwise_conv_2d;
  case 2:
    return false;
  case 3:
  case 4:
    return kind != ASH_OP_fully_connected;
  default:
    return true;
  }
}

bool ash_op_reads(const ash_graph *g, uint32_t op, uint32_t input) {
  const ash_op *o = &g->ops.items[op];
  if (ash_op_is_packed(g, o))
    return packed_reads(o->kind, input);
  switch (o->kind) {
  case ASH_OP_reshape:
  case ASH_OP_squeeze:
  case ASH_OP_expand_dims:
  case ASH_OP_mean:
  case ASH_OP_pad:
    return input == 0;
  default:
    return true;
  }
}

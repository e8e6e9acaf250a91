/* reads.c - see reads.h. */
#include "op/reads.h"

bool ash_op_is_packed(const ash_graph *g, const ash_op *op) {
  return g->features != 0 && !op->small && op->input_count > ASH_IN_PREPARED &&
         (op->kind == ASH_OP_conv_2d || op->kind == ASH_OP_depthwise_conv_2d ||
          op->kind == ASH_OP_fully_connected);
}

/* Kernels of packed operators take what was prepared instead of the model's
 * own; those that are not packed, the model's own. */
static bool weights_read(const ash_graph *g, const ash_op *op, uint32_t input) {
  if (!ash_op_is_packed(g, op))
    return input < ASH_IN_PREPARED;
  if (g->features & ASH_FEATURE_CMSIS_NN) /* its scales, and the rest */
    return input < 3 || input >= ASH_IN_PREPARED;
  if (input == 1)
    return op->kind == ASH_OP_depthwise_conv_2d;
  if (input == 2) /* of float layers, the bias stays what it is */
    return ash_op_in(g, op, 0)->type == ASH_FLOAT32;
  return input == 0 || input >= ASH_IN_PREPARED;
}

bool ash_op_reads(const ash_graph *g, uint32_t op, uint32_t input) {
  const ash_op *o = &g->ops.items[op];
  switch (o->kind) {
  case ASH_OP_conv_2d:
  case ASH_OP_depthwise_conv_2d:
  case ASH_OP_fully_connected:
    return weights_read(g, o, input);
  case ASH_OP_reshape:
  case ASH_OP_squeeze:
  case ASH_OP_expand_dims:
  case ASH_OP_mean:
  case ASH_OP_pad:
  case ASH_OP_mirror_pad:
  case ASH_OP_transpose:
  case ASH_OP_slice:
  case ASH_OP_strided_slice:
  case ASH_OP_split:
  case ASH_OP_split_v:
  case ASH_OP_tile:
  case ASH_OP_broadcast_to:
  case ASH_OP_reverse:
  case ASH_OP_space_to_batch_nd:
  case ASH_OP_batch_to_space_nd:
  case ASH_OP_sum:
  case ASH_OP_reduce_prod:
  case ASH_OP_reduce_max:
  case ASH_OP_reduce_min:
  case ASH_OP_reduce_any:
  case ASH_OP_reduce_all:
  case ASH_OP_arg_max:
  case ASH_OP_arg_min:
  case ASH_OP_cumsum:
    return input == 0;
  case ASH_OP_softmax: /* CMSIS-NN has no table */
    return input == 0 || !(g->features & ASH_FEATURE_CMSIS_NN) ||
           ash_op_in(g, o, 0)->type != ASH_INT8;
  case ASH_OP_rfft2d:
  case ASH_OP_resize_bilinear:
  case ASH_OP_resize_nearest_neighbor:
    return input != 1;
  case ASH_OP_fill:
  case ASH_OP_shape: /* what lowering appended */
    return input == 1;
  default:
    return true;
  }
}

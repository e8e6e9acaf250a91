/* one_channel.c - depthwise convolutions of one channel:
 *
 *   depthwise_conv_2d(x, w, b)   ->   conv_2d(x, w', b)
 *
 * With one input channel both are the same sums. A processor's depthwise
 * kernels take one output channel per input channel, its convolutions any
 * number; w' is w with the channels first. int8, and only for processors that
 * have such kernels. */
#include "pass/pass.h"

#include "graph/compact.h"
#include "op/sums.h"

#include <string.h>

static bool is_one_channel(const ash_graph *g, const ash_op *op) {
  if (op->kind != ASH_OP_depthwise_conv_2d || op->input_count > 3)
    return false;
  const ash_tensor *x = ash_op_in(g, op, 0), *w = ash_op_in(g, op, 1);
  return x->shape.dim[3] == 1 && w->shape.dim[3] > 1 && w->data &&
         x->type == ASH_INT8 && w->type == ASH_INT8 &&
         ash_op_out(g, op, 0)->type == ASH_INT8 &&
         !ash_op_is_integer_layer(g, op);
}

/* The weights, channel after channel. */
static ash_status turn_weights(ash_ctx *ctx, ash_graph *g, uint32_t *out,
                               const ash_op *op) {
  ash_tensor t = *ash_op_in(g, op, 1);
  const size_t channels = (size_t)t.shape.dim[3];
  const size_t taps = (size_t)t.bytes / channels;
  uint8_t *to = ASH_NEW_ARRAY(&g->zone, uint8_t, (size_t)t.bytes);
  const char *id = ash_zone_format(&g->zone, "%s_by_channel", op->id);
  ASH_TRY(ash_zone_check(ctx, &g->zone));
  for (size_t c = 0; c < channels; c++)
    for (size_t k = 0; k < taps; k++)
      to[c * taps + k] = t.data[k * channels + c];
  t.id = id;
  t.data = to;
  t.file_byte = UINT64_MAX;
  t.shape.dim[0] = (int32_t)channels;
  t.shape.dim[3] = 1;
  t.quant.axis = 0;
  return ash_graph_add_tensor(g, out, t);
}

static void drop_attr(ash_op *op, const char *name) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < op->attr_count; i++)
    if (strcmp(op->attrs[i].name, name) != 0)
      op->attrs[kept++] = op->attrs[i];
  op->attr_count = kept;
}

ash_status ash_pass_one_channel(ash_ctx *ctx, ash_graph *g,
                                const ash_target *target) {
  const bool any = ash_target_is_packed(target);
  bool changed = false;
  for (uint32_t i = 0; any && i < g->op_count; i++) {
    uint32_t weights;
    if (!is_one_channel(g, &g->ops.items[i]))
      continue;
    ASH_TRY(turn_weights(ctx, g, &weights, &g->ops.items[i]));
    ash_op *op = &g->ops.items[i];
    op->kind = ASH_OP_conv_2d;
    op->inputs[1] = weights;
    drop_attr(op, "multiplier");
    changed = true;
  }
  return changed ? ash_graph_prune(g) : ASH_OK;
}

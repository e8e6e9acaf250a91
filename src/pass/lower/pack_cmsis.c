/* pack_cmsis.c - scales in the form of CMSIS-NN (--kernels cmsis-nn):
 *
 *   conv_2d(x, w, b, m, s) -> conv_2d(x, w, b, m, s, <id>_multipliers,
 *                                     <id>_shifts)
 *   fully_connected(x, w, b, m, s) -> fully_connected(..., <id>_folded)
 *
 * It wants 32-bit multipliers and shifts for each channel, and of fully
 * connected layers on Helium the sums of weights. Layers that it does not know
 * stay as they are and get the portable kernel. */
#include "pass/pass.h"

#include "kernel/quant.h"
#include "op/reads.h"
#include "op/sums.h"
#include "pass/lower/lower_append.h"

/* Input k has one number, or one for each channel; the copy has the latter. */
static ash_status spread(ash_graph *g, uint32_t op, uint32_t k,
                         const char *suffix) {
  const ash_op *o = &g->ops.items[op];
  const ash_tensor *from = ash_op_in(g, o, k);
  const uint32_t channels = (uint32_t)ash_op_out(g, o, 0)->shape.dim[3];
  const uint64_t n = ash_shape_elements(&from->shape);
  uint8_t *out = ASH_NEW_ARRAY(&g->zone, uint8_t, (size_t)channels * 4);
  for (uint32_t c = 0; out && c < channels; c++)
    ash_lower_put_int(out + (size_t)c * 4, ash_tensor_int(from, n == 1 ? 0 : c),
                      4);
  return ash_lower_append(g, op, suffix, ASH_INT32, channels, out);
}

static ash_status pack_window(ash_graph *g, uint32_t op) {
  ASH_TRY(spread(g, op, 3, "multipliers"));
  return spread(g, op, 4, "shifts");
}

/* Bias plus in_offset * sum of weights. */
static ash_status pack_dense(ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  const ash_tensor *w = ash_op_in(g, o, 1), *bias = ash_op_in(g, o, 2);
  const int64_t offset = -(int64_t)ash_quant_zero(ash_op_in(g, o, 0));
  const uint32_t rows = (uint32_t)w->shape.dim[0];
  const uint64_t columns = ash_shape_elements(&w->shape) / rows;
  uint8_t *out = ASH_NEW_ARRAY(&g->zone, uint8_t, (size_t)rows * 4);
  for (uint32_t r = 0; out && r < rows; r++) {
    int64_t sum = 0;
    for (uint64_t k = 0; k < columns; k++)
      sum += (int8_t)w->data[r * columns + k];
    ash_lower_put_int(out + (size_t)r * 4,
                      (bias ? ash_tensor_int(bias, r) : 0) + offset * sum, 4);
  }
  return ash_lower_append(g, op, "folded", ASH_INT32, rows, out);
}

static bool is_plain_int8(const ash_graph *g, const ash_op *op) {
  const ash_tensor *in = ash_op_in(g, op, 0), *w = ash_op_in(g, op, 1);
  const ash_tensor *bias = ash_op_in(g, op, 2);
  return op->input_count == ASH_IN_PREPARED && in->type == ASH_INT8 && w &&
         w->type == ASH_INT8 && w->data && (!bias || bias->data) &&
         !ash_op_is_integer_layer(g, op) &&
         ash_op_out(g, op, 0)->type == ASH_INT8;
}

/* Scales by channel and weights with a zero point are not for the library. */
static bool is_plain_dense(const ash_graph *g, const ash_op *op) {
  ash_scaling s;
  const ash_tensor *w = ash_op_in(g, op, 1);
  return w->quant.count == 1 && ash_quant_zero(w) == 0 &&
         ash_quant_conv(&s, ash_op_in(g, op, 0), w, ash_op_out(g, op, 0), 0);
}

static ash_status pack(ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  if (!is_plain_int8(g, o))
    return ASH_OK;
  if (o->kind == ASH_OP_fully_connected)
    return is_plain_dense(g, o) ? pack_dense(g, op) : ASH_OK;
  const bool groups =
      o->kind == ASH_OP_conv_2d &&
      ash_op_in(g, o, 1)->shape.dim[3] != ash_op_in(g, o, 0)->shape.dim[3];
  return groups ? ASH_OK : pack_window(g, op);
}

ash_status ash_pass_pack_cmsis(ash_ctx *ctx, ash_graph *g,
                               const ash_target *target) {
  const bool any = (target->features & ASH_FEATURE_CMSIS_NN) != 0;
  (void)ctx;
  for (uint32_t op = 0; any && op < g->op_count; op++) {
    const ash_op_kind kind = g->ops.items[op].kind;
    if (kind == ASH_OP_conv_2d || kind == ASH_OP_depthwise_conv_2d ||
        kind == ASH_OP_fully_connected)
      ASH_TRY(pack(g, op));
  }
  return ASH_OK;
}

/* check_kernel.c - can a kernel run an operator? Whatever a model may have that
 * no parameters can express is refused here, before code is written. */
#include "base/text.h"
#include "kernel/kernel.h"
#include "kernel/quant.h"
#include "op/broadcast.h"
#include "op/chain.h"

#include <string.h>

/* "int16, int8, int32 to int16" */
static ash_status fail_types(ash_ctx *ctx, const ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  ash_text types;
  ash_text_init(&types, &ctx->mem);
  for (uint32_t i = 0; i < o->input_count && i < 3; i++) {
    const ash_tensor *t = ash_op_in(g, o, i);
    ash_text_format(&types, "%s%s", i ? ", " : "",
                    t ? ash_type_text(t->type) : "none");
  }
  ash_text_format(&types, " to %s", ash_type_text(ash_op_out(g, o, 0)->type));
  const ash_status status = ash_fail(
      ctx, ASH_UNSUPPORTED, ASH_D_kernel_none,
      ash_graph_loc(g, op, o->inputs[0]), "no kernel for %s from %.*s",
      ash_op_text(o), (int)types.count, types.bytes ? types.bytes : "");
  ash_hint(ctx, "int8 and float32 networks have kernels");
  ash_text_drop(&types);
  return status;
}

static ash_status check_activation(ash_ctx *ctx, const ash_graph *g,
                                   uint32_t op) {
  static const char *const known[] = {"none", "relu", "relu6", "relu_n1_to_1"};
  const char *act = ash_attr_string(&g->ops.items[op], "act", "none");
  if (g->ops.items[op].kind == ASH_OP_lstm ||
      g->ops.items[op].kind == ASH_OP_rnn) /* their shape rules look */
    return ASH_OK;
  const bool moves = g->ops.items[op].kind == ASH_OP_concatenation;
  for (size_t i = 0; i < (moves ? 1 : ASH_COUNT_OF(known)); i++)
    if (strcmp(act, known[i]) == 0)
      return ASH_OK;
  return ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_kernel_activation,
                  ash_graph_loc(g, op, ASH_NO_ID),
                  "no kernel for %s with fused activation %s",
                  ash_op_text(&g->ops.items[op]), act);
}

/* Kernels index with int32_t. */
static ash_status check_sizes(ash_ctx *ctx, const ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  for (uint32_t i = 0; i < o->input_count; i++) {
    const ash_tensor *t = ash_op_in(g, o, i);
    if (t && t->bytes > INT32_MAX)
      return ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_kernel_size,
                      ash_graph_loc(g, op, o->inputs[i]),
                      "a tensor of more than 2 GiB");
  }
  for (uint32_t i = 0; i < o->output_count; i++)
    if (ash_op_out(g, o, i)->bytes > INT32_MAX)
      return ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_kernel_size,
                      ash_graph_loc(g, op, o->outputs[i]),
                      "a tensor of more than 2 GiB");
  return ASH_OK;
}

static bool map_is_computed(const ash_graph *g, const ash_op *op) {
  const ash_fn fn = ash_op_fn(op);
  ash_type in[ASH_FN_OPERANDS] = {ASH_NONE};
  for (uint32_t k = 0; k < ash_fn_operands(fn); k++)
    in[k] = ash_op_in(g, op, k)->type;
  return ash_fn_computes(fn, ash_fn_inner(fn, in));
}

static bool chain_is_computed(const ash_graph *g, const ash_op *op) {
  ash_chain chain;
  uint32_t stage;
  if (!ash_chain_read(&chain, g, op, &stage))
    return false;
  for (uint32_t i = 0; i < chain.count; i++) {
    const ash_chain_stage *s = &chain.stages[i];
    ash_type in[ASH_FN_OPERANDS] = {ASH_NONE};
    for (uint32_t k = 0; k < ash_chain_operands(s); k++)
      in[k] = s->args[k].type;
    if (!s->folds && !ash_fn_computes(s->fn, ash_fn_inner(s->fn, in)))
      return false;
  }
  return true;
}

/* Has every function of a loop an expression for its types? */
static bool is_computed(const ash_kernel *k, const ash_graph *g,
                        const ash_op *op) {
  if (k->params != ASH_PARAMS_loop)
    return true;
  switch (op->kind) {
  case ASH_OP_map:
    return map_is_computed(g, op);
  case ASH_OP_chain:
  case ASH_OP_row_chain:
    return chain_is_computed(g, op);
  default:
    return true;
  }
}

ash_status ash_kernel_check(ash_ctx *ctx, const ash_kernel *kernel,
                            const ash_graph *g, uint32_t op) {
  if (!kernel || !is_computed(kernel, g, &g->ops.items[op]))
    return fail_types(ctx, g, op);
  ASH_TRY(check_activation(ctx, g, op));
  return check_sizes(ctx, g, op);
}

/* ---- parameters --------------------------------------------------------- */

static bool joins_fit(const ash_graph *g, const ash_op *op) {
  ash_scaling s;
  for (uint32_t k = 0; k < op->input_count; k++)
    if (ash_op_in(g, op, k) &&
        !ash_quant_convert(&s, ash_op_in(g, op, k), ash_op_out(g, op, 0)))
      return false;
  return true;
}

static bool is_scalable(const ash_tensor *t) {
  ash_scaling s;
  return ash_quant_scaling(&s, (double)ash_quant_scale(t));
}

/* Have all scalings that its parameters hold a multiplier and a shift? */
static bool scales_fit(ash_params params, const ash_graph *g,
                       const ash_op *op) {
  const ash_tensor *a = ash_op_in(g, op, 0), *b = ash_op_in(g, op, 1);
  const ash_tensor *out = ash_op_out(g, op, 0);
  ash_add_scaling sum;
  ash_lstm_scaling gates;
  ash_scaling s, t;
  switch (params) {
  case ASH_PARAMS_add_s8:
    return ash_quant_add(&sum, a, b, out);
  case ASH_PARAMS_mul_s8:
    return ash_quant_mul(&s, a, b, out);
  case ASH_PARAMS_pairs_q8:
  case ASH_PARAMS_pairs_s16:
    return ash_quant_pair(&sum, ash_op_fn(op), a, b, out);
  case ASH_PARAMS_compare_q8:
    return is_scalable(a) && is_scalable(b);
  case ASH_PARAMS_convert:
    return op->kind == ASH_OP_quantize ? ash_quant_convert(&s, a, out)
                                       : ash_quant_relu(&s, a, out);
  case ASH_PARAMS_requantize:
  case ASH_PARAMS_mean_s8:
    return ash_quant_convert(&s, a, out);
  case ASH_PARAMS_abs_s16:
    return ash_quant_relu(&s, a, out);
  case ASH_PARAMS_leaky_relu_s16:
    return ash_quant_leaky(&s, &t, a, out, ash_attr_float(op, "alpha", 0.0));
  case ASH_PARAMS_softmax_s16:
    return ash_quant_softmax_s16(&s, a, ash_attr_float(op, "beta", 1.0));
  case ASH_PARAMS_softmax_cmsis:
    return ash_quant_softmax(&s, a, ash_attr_float(op, "beta", 1.0));
  case ASH_PARAMS_log_softmax_q8:
    return ash_quant_log_softmax(&s, &t, a);
  case ASH_PARAMS_concatenation_s8:
    return joins_fit(g, op);
  case ASH_PARAMS_matmul_s8:
  case ASH_PARAMS_matmul_s16:
    return ash_quant_matmul(&s, a, b, out);
  case ASH_PARAMS_attention_s8:
    return ash_quant_attention(&s, &t, g, op);
  case ASH_PARAMS_dense_cmsis:
    return ash_quant_conv(&s, a, b, out, 0);
  case ASH_PARAMS_svdf:
    return out->type == ASH_FLOAT32 || ash_quant_svdf(&s, &t, g, op);
  case ASH_PARAMS_lstm_s8:
    return ash_quant_lstm(&gates, g, op);
  case ASH_PARAMS_lstm_s16:
    return ash_quant_lstm_s16(&gates, g, op);
  default:
    return true;
  }
}

/* Dimensions that its parameters hold, 0: as many as needed. */
static uint32_t rank_of(ash_params params, const ash_graph *g,
                        const ash_op *op) {
  switch (params) {
  case ASH_PARAMS_add_s8:
  case ASH_PARAMS_mul_s8:
  case ASH_PARAMS_binary_f32:
  case ASH_PARAMS_pairs_q8:
  case ASH_PARAMS_pairs_s16:
  case ASH_PARAMS_compare_q8:
    return ash_broadcast_of(g, op).rank;
  case ASH_PARAMS_matmul_s8:
  case ASH_PARAMS_matmul_s16:
    return ash_op_out(g, op, 0)->shape.rank - 1;
  case ASH_PARAMS_attention_f32:
  case ASH_PARAMS_attention_s8:
    return ash_op_out(g, op, 0)->shape.rank - 2;
  default:
    return 0;
  }
}

ash_status ash_kernel_check_params(ash_ctx *ctx, const ash_kernel *kernel,
                                   const ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  ASH_TRY(ash_kernel_check(ctx, kernel, g, op));
  const uint32_t rank = rank_of(kernel->params, g, o);
  if (rank > ASH_KERNEL_RANK)
    return ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_kernel_rank,
                    ash_graph_loc(g, op, ASH_NO_ID),
                    "%s over %u dimensions; %d are supported", ash_op_text(o),
                    (unsigned)rank, ASH_KERNEL_RANK);
  if (!scales_fit(kernel->params, g, o))
    return ash_quant_fail_ratio(
        ctx, g, op,
        (double)ash_quant_scale(ash_op_in(g, o, 0)) /
            (double)ash_quant_scale(ash_op_out(g, o, 0)));
  return ASH_OK;
}

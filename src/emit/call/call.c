/* call.c - dispatch, and the writing of structs and arguments. */
#include "emit/call/call.h"

#include "emit/call/call_write.h"
#include "emit/loop/loop.h"
#include "emit/loop/part.h"
#include "op/reads.h"

#include <inttypes.h>
#include <string.h>

/* ---- parameters --------------------------------------------------------- */

void ash_call_open(const ash_call *c, const char *type) {
  ash_text_line(c->text, "static const ash_rt_%s_params p = {", type);
  c->text->indent++;
}

void ash_call_close(const ash_call *c) {
  c->text->indent--;
  ash_text_line(c->text, "};");
}

void ash_call_open_field(const ash_call *c, const char *name) {
  ash_text_line(c->text, ".%s = {", name);
  c->text->indent++;
}

void ash_call_close_field(const ash_call *c) {
  c->text->indent--;
  ash_text_line(c->text, "},");
}

/* INT32_MIN has no literal of its own type. */
void ash_call_int(const ash_call *c, const char *name, int64_t value) {
  if (value == INT32_MIN)
    ash_text_line(c->text, ".%s = -2147483647 - 1,", name);
  else
    ash_text_line(c->text, ".%s = %" PRId64 ",", name, value);
}

void ash_call_word(const ash_call *c, const char *name, const char *word) {
  ash_text_line(c->text, ".%s = ASH_RT_%s,", name, word);
}

void ash_call_type(const ash_call *c, const char *name, ash_type type) {
  static const char *const words[ASH_TYPE_COUNT] = {
      [ASH_INT8] = "S8",    [ASH_UINT8] = "U8",    [ASH_INT16] = "S16",
      [ASH_UINT16] = "U16", [ASH_INT32] = "S32",   [ASH_UINT32] = "U32",
      [ASH_INT64] = "S64",  [ASH_FLOAT32] = "F32", [ASH_BOOL] = "BOOL",
  };
  ash_call_word(c, name, words[type] ? words[type] : "U8");
}

static void put_indent(const ash_call *c) {
  for (uint32_t i = 0; i < c->text->indent; i++)
    ash_text_string(c->text, "  ");
}

void ash_call_float(const ash_call *c, const char *name, float value) {
  put_indent(c);
  ash_text_format(c->text, ".%s = ", name);
  ash_text_float(c->text, value);
  ash_text_string(c->text, "f,\n");
}

void ash_call_ints(const ash_call *c, const char *name, const int32_t *values,
                   uint32_t count) {
  put_indent(c);
  ash_text_format(c->text, ".%s = {", name);
  for (uint32_t i = 0; i < count; i++)
    ash_text_format(c->text, "%s%" PRId32, i ? ", " : "", values[i]);
  ash_text_string(c->text, "},\n");
}

void ash_call_floats(const ash_call *c, const char *name, const float *values,
                     uint32_t count) {
  put_indent(c);
  ash_text_format(c->text, ".%s = {", name);
  for (uint32_t i = 0; i < count; i++) {
    ash_text_string(c->text, i ? ", " : "");
    ash_text_float(c->text, values[i]);
    ash_text_string(c->text, "f");
  }
  ash_text_string(c->text, "},\n");
}

void ash_call_int_range(const ash_call *c) {
  const ash_int_range r = ash_quant_range(
      ash_call_out(c), ash_op_string(ash_call_op(c), "act", "none"));
  ash_call_int(c, "act_min", r.low);
  ash_call_int(c, "act_max", r.high);
}

void ash_call_float_range(const ash_call *c) {
  const ash_float_range r =
      ash_float_range_of(ash_op_string(ash_call_op(c), "act", "none"));
  ash_call_float(c, "act_min", r.low);
  ash_call_float(c, "act_max", r.high);
}

/* ---- arguments ---------------------------------------------------------- */

static void put_input(const ash_call *c, uint32_t k) {
  const ash_tensor *t = ash_call_in(c, k);
  const char *e = t ? c->inputs[k] : NULL;
  ash_text_string(c->text, ",\n");
  put_indent(c);
  if (!e || strcmp(e, "NULL") == 0)
    ash_text_string(c->text, "    0");
  else if (ash_op_updates(c->graph, ash_call_op(c), ash_call_op(c)->inputs[k]))
    ash_text_format(c->text, "    (%s *)(%s)", ash_type_c(t->type), e);
  else
    ash_text_format(c->text, "    (const %s *)(%s)", ash_type_c(t->type), e);
}

void ash_call_parts(const ash_call *c, uint32_t first, uint32_t end) {
  ash_text_line(c->text, "const void *const parts[] = {");
  c->text->indent++;
  for (uint32_t k = first; k < end; k++) {
    const char *e = ash_call_in(c, k) ? c->inputs[k] : NULL;
    ash_text_line(c->text, "%s,", e && strcmp(e, "NULL") != 0 ? e : "0");
  }
  c->text->indent--;
  ash_text_line(c->text, "};");
}

static void put_tail(const ash_call *c, uint32_t k);

void ash_call_invoke_parts(const ash_call *c, uint32_t state, uint32_t cell) {
  ash_text_line(c->text, "ash_rt_%s(&p", c->kernel->name);
  c->text->count--; /* the end of the line */
  put_input(c, 0);
  ash_text_string(c->text, ",\n");
  put_indent(c);
  ash_text_string(c->text, "    parts");
  put_input(c, state);
  put_input(c, cell);
  put_tail(c, 0);
}

static void put_output(const ash_call *c, uint32_t k) {
  const ash_tensor *t = ash_op_out(c->graph, ash_call_op(c), k);
  ash_text_string(c->text, ",\n");
  put_indent(c);
  ash_text_format(c->text, "    (%s *)(%s)", ash_type_c(t->type),
                  c->outputs[k]);
}

static void put_tail(const ash_call *c, uint32_t k) {
  put_output(c, k);
  if (c->kernel->scratch) {
    ash_text_string(c->text, ",\n");
    put_indent(c);
    ash_text_format(c->text, "    %s", c->scratch ? c->scratch : "0");
  }
  ash_text_string(c->text, ");\n");
}

static void put_function(const ash_call *c, const char *name) {
  put_indent(c);
  ash_text_format(c->text, "ash_rt_%s%s(&p", name, c->special ? "_inline" : "");
}

void ash_call_invoke_between(const ash_call *c, uint32_t in, uint32_t out) {
  put_function(c, c->kernel->name);
  put_input(c, in);
  put_tail(c, out);
}

void ash_call_invoke_other(const ash_call *c, const char *function) {
  put_function(c, function);
  put_output(c, 0);
  ash_text_string(c->text, ");\n");
}

void ash_call_open_block(const ash_call *c) {
  ash_text_line(c->text, "{");
  c->text->indent++;
}

void ash_call_close_block(const ash_call *c) {
  c->text->indent--;
  ash_text_line(c->text, "}");
}

void ash_call_invoke_one(const ash_call *c, uint32_t k) {
  ash_call_invoke_between(c, k, 0);
}

/* Kernels with weights always take a bias; one that the op does not mention is
 * absent. */
static uint32_t argument_count(const ash_op *op) {
  const bool weights =
      op->kind == ASH_OP_conv_2d || op->kind == ASH_OP_depthwise_conv_2d ||
      op->kind == ASH_OP_transpose_conv || op->kind == ASH_OP_fully_connected;
  return weights && op->input_count < 3 ? 3 : op->input_count;
}

void ash_call_invoke(const ash_call *c) {
  const uint32_t count = argument_count(ash_call_op(c));
  put_function(c, c->kernel->name);
  for (uint32_t k = 0; k < count; k++)
    if (ash_op_reads(c->graph, c->op, k))
      put_input(c, k);
  put_tail(c, 0);
}

/* ---- dispatch ----------------------------------------------------------- */

typedef ash_status write_params(ash_ctx *ctx, const ash_call *c);

static write_params *const writers[ASH_OP_COUNT] = {
    [ASH_OP_conv_2d] = ash_call_window,
    [ASH_OP_depthwise_conv_2d] = ash_call_window,
    [ASH_OP_average_pool_2d] = ash_call_window,
    [ASH_OP_max_pool_2d] = ash_call_window,
    [ASH_OP_fully_connected] = ash_call_dense,
    [ASH_OP_add] = ash_call_binary,
    [ASH_OP_mul] = ash_call_binary,
    [ASH_OP_mean] = ash_call_fold,
    [ASH_OP_softmax] = ash_call_unary,
    [ASH_OP_relu] = ash_call_unary,
    [ASH_OP_relu6] = ash_call_unary,
    [ASH_OP_relu_n1_to_1] = ash_call_unary,
    [ASH_OP_logistic] = ash_call_unary,
    [ASH_OP_tanh] = ash_call_unary,
    [ASH_OP_quantize] = ash_call_unary,
    [ASH_OP_dequantize] = ash_call_unary,
    [ASH_OP_reshape] = ash_call_copy,
    [ASH_OP_squeeze] = ash_call_copy,
    [ASH_OP_rfft2d] = ash_call_rfft2d,
    [ASH_OP_complex_abs] = ash_call_complex,
    [ASH_OP_real] = ash_call_complex,
    [ASH_OP_imag] = ash_call_complex,
    [ASH_OP_custom] = ash_call_custom,
    [ASH_OP_svdf] = ash_call_recurrent,
    [ASH_OP_rnn] = ash_call_recurrent,
    [ASH_OP_lstm] = ash_call_recurrent,
    [ASH_OP_read_variable] = ash_call_copy,
    [ASH_OP_assign_variable] = ash_call_copy,
    [ASH_OP_expand_dims] = ash_call_copy,
    [ASH_OP_abs] = ash_call_map,
    [ASH_OP_neg] = ash_call_map,
    [ASH_OP_sign] = ash_call_map,
    [ASH_OP_square] = ash_call_map,
    [ASH_OP_sqrt] = ash_call_map,
    [ASH_OP_rsqrt] = ash_call_map,
    [ASH_OP_exp] = ash_call_map,
    [ASH_OP_log] = ash_call_map,
    [ASH_OP_sin] = ash_call_map,
    [ASH_OP_cos] = ash_call_map,
    [ASH_OP_floor] = ash_call_map,
    [ASH_OP_ceil] = ash_call_map,
    [ASH_OP_round] = ash_call_map,
    [ASH_OP_leaky_relu] = ash_call_map,
    [ASH_OP_elu] = ash_call_map,
    [ASH_OP_gelu] = ash_call_map,
    [ASH_OP_hard_swish] = ash_call_map,
    [ASH_OP_lookup] = ash_call_map,
    [ASH_OP_logical_not] = ash_call_map,
    [ASH_OP_cast] = ash_call_map,
    [ASH_OP_relu_0_to_1] = ash_call_unary,
    [ASH_OP_sub] = ash_call_binary,
    [ASH_OP_div] = ash_call_binary,
    [ASH_OP_minimum] = ash_call_binary,
    [ASH_OP_maximum] = ash_call_binary,
    [ASH_OP_squared_difference] = ash_call_binary,
    [ASH_OP_floor_div] = ash_call_binary,
    [ASH_OP_floor_mod] = ash_call_binary,
    [ASH_OP_pow] = ash_call_binary,
    [ASH_OP_prelu] = ash_call_binary,
    [ASH_OP_equal] = ash_call_binary,
    [ASH_OP_not_equal] = ash_call_binary,
    [ASH_OP_less] = ash_call_binary,
    [ASH_OP_less_equal] = ash_call_binary,
    [ASH_OP_greater] = ash_call_binary,
    [ASH_OP_greater_equal] = ash_call_binary,
    [ASH_OP_logical_and] = ash_call_binary,
    [ASH_OP_logical_or] = ash_call_binary,
    [ASH_OP_transpose] = ash_call_move,
    [ASH_OP_slice] = ash_call_move,
    [ASH_OP_strided_slice] = ash_call_move,
    [ASH_OP_split] = ash_call_move,
    [ASH_OP_split_v] = ash_call_move,
    [ASH_OP_pack] = ash_call_move,
    [ASH_OP_unpack] = ash_call_move,
    [ASH_OP_tile] = ash_call_move,
    [ASH_OP_broadcast_to] = ash_call_move,
    [ASH_OP_reverse] = ash_call_move,
    [ASH_OP_fill] = ash_call_move,
    [ASH_OP_space_to_depth] = ash_call_blocks,
    [ASH_OP_depth_to_space] = ash_call_blocks,
    [ASH_OP_space_to_batch_nd] = ash_call_blocks,
    [ASH_OP_batch_to_space_nd] = ash_call_blocks,
    [ASH_OP_mirror_pad] = ash_call_blocks,
    [ASH_OP_shape] = ash_call_copy,
    [ASH_OP_gather] = ash_call_pick,
    [ASH_OP_gather_nd] = ash_call_pick,
    [ASH_OP_select] = ash_call_select,
    [ASH_OP_select_v2] = ash_call_select,
    [ASH_OP_sum] = ash_call_fold,
    [ASH_OP_reduce_prod] = ash_call_fold,
    [ASH_OP_reduce_max] = ash_call_fold,
    [ASH_OP_reduce_min] = ash_call_fold,
    [ASH_OP_reduce_any] = ash_call_fold,
    [ASH_OP_reduce_all] = ash_call_fold,
    [ASH_OP_arg_max] = ash_call_along,
    [ASH_OP_arg_min] = ash_call_along,
    [ASH_OP_cumsum] = ash_call_along,
    [ASH_OP_log_softmax] = ash_call_rows,
    [ASH_OP_l2_normalization] = ash_call_rows,
    [ASH_OP_resize_bilinear] = ash_call_resize,
    [ASH_OP_resize_nearest_neighbor] = ash_call_resize,
    [ASH_OP_transpose_conv] = ash_call_window,
    [ASH_OP_batch_matmul] = ash_call_matmul,
    [ASH_OP_pad] = ash_call_pad,
    [ASH_OP_concatenation] = ash_call_concatenation,
};

static write_params *const loops[ASH_OP_COUNT] = {
    [ASH_OP_map] = ash_loop_map,
    [ASH_OP_chain] = ash_loop_chain,
    [ASH_OP_fold] = ash_loop_fold,
    [ASH_OP_strided] = ash_loop_strided,
    [ASH_OP_take] = ash_loop_take,
    [ASH_OP_take_elements] = ash_loop_take_elements,
    [ASH_OP_take_nd] = ash_loop_take_nd,
    [ASH_OP_put_elements] = ash_loop_put_elements,
    [ASH_OP_put_nd] = ash_loop_put_nd,
    [ASH_OP_fill_pad] = ash_loop_fill_pad,
    [ASH_OP_join] = ash_loop_join,
    [ASH_OP_matmul] = ash_loop_matmul,
    [ASH_OP_conv_nd] = ash_loop_conv_nd,
    [ASH_OP_pool_nd] = ash_loop_pool_nd,
    [ASH_OP_whole_conv_2d] = ash_loop_whole_conv,
    [ASH_OP_whole_depthwise_conv_2d] = ash_loop_whole_depthwise,
    [ASH_OP_whole_fully_connected] = ash_loop_whole_dense,
    [ASH_OP_whole_matmul] = ash_loop_whole_matmul,
    [ASH_OP_running] = ash_loop_running,
    [ASH_OP_top_k] = ash_loop_top_k,
    [ASH_OP_resample] = ash_loop_resample,
};

ash_status ash_emit_call(ash_ctx *ctx, const ash_call *call) {
  const ash_op_kind kind = ash_call_op(call)->kind;
  const bool loop = strcmp(call->kernel->name, "loop") == 0;
  write_params *write = loop ? loops[kind] : writers[kind];
  if (call->part != ASH_PART_WHOLE)
    write = ash_part_of(kind);
  ASH_INVARIANT(ctx, write != NULL);
  ASH_TRY(write(ctx, call));
  return ash_text_check(ctx, call->text);
}

/* shape.c - which rule each operator follows, and which types its first input
 * may have. One line an operator: what is not in this table does not compile
 * into anything. */
#include "op/shape.h"

#include "op/shape_rule.h"

#define F32   ASH_T(FLOAT32)
#define Q8    (ASH_T(INT8) | ASH_T(UINT8))
#define QUANT ASH_T_QUANT
#define I8    ASH_T(INT8)
#define I16   ASH_T(INT16)
#define I32   ASH_T(INT32)
#define INTS  ASH_T_INDEX
#define ANY   ASH_T_ANY
#define BOOL  ASH_T(BOOL)
/* Types whose elements start on byte boundaries. */
#define BYTES (ANY & ~(ASH_T(INT4) | ASH_T(UINT4)))
#define CAST  ASH_T_CAST
#define WHOLE ASH_T_WHOLE

static const struct {
  ash_status (*rule)(const ash_rule *r);
  uint32_t types; /* of input 0 */
} table[ASH_OP_COUNT] = {
    [ASH_OP_conv_2d] = {ash_shape_conv_2d, F32 | QUANT},
    [ASH_OP_depthwise_conv_2d] = {ash_shape_depthwise_conv_2d, F32 | QUANT},
    [ASH_OP_fully_connected] = {ash_shape_fully_connected, F32 | QUANT},
    [ASH_OP_add] = {ash_shape_binary, F32 | QUANT | INTS},
    [ASH_OP_mul] = {ash_shape_binary, F32 | QUANT | INTS},
    [ASH_OP_average_pool_2d] = {ash_shape_pool_2d, F32 | QUANT},
    [ASH_OP_max_pool_2d] = {ash_shape_pool_2d, F32 | QUANT},
    [ASH_OP_mean] = {ash_shape_reduce, F32 | QUANT | INTS},
    [ASH_OP_softmax] = {ash_shape_softmax, F32 | QUANT},
    [ASH_OP_reshape] = {ash_shape_reshape, ANY},
    [ASH_OP_read_variable] = {ash_shape_read_variable, ANY},
    [ASH_OP_assign_variable] = {ash_shape_assign_variable, ANY},
    [ASH_OP_pad] = {ash_shape_pad, BYTES},
    [ASH_OP_concatenation] = {ash_shape_concatenation, BYTES},
    [ASH_OP_quantize] = {ash_shape_quantize, F32 | QUANT | I32},
    [ASH_OP_dequantize] = {ash_shape_dequantize, QUANT},
    [ASH_OP_relu] = {ash_shape_activation, F32 | QUANT},
    [ASH_OP_relu6] = {ash_shape_activation, F32 | QUANT},
    [ASH_OP_relu_n1_to_1] = {ash_shape_activation, F32 | QUANT},
    [ASH_OP_logistic] = {ash_shape_logistic, F32 | QUANT},
    [ASH_OP_tanh] = {ash_shape_activation, F32 | QUANT},
    [ASH_OP_sub] = {ash_shape_binary, F32 | QUANT | INTS},
    [ASH_OP_div] = {ash_shape_binary, F32 | QUANT | I32},
    [ASH_OP_minimum] = {ash_shape_select_pair, F32 | QUANT | INTS},
    [ASH_OP_maximum] = {ash_shape_select_pair, F32 | QUANT | INTS},
    [ASH_OP_squared_difference] = {ash_shape_binary, F32 | I8 | I32},
    [ASH_OP_floor_div] = {ash_shape_binary, F32 | I32},
    [ASH_OP_floor_mod] = {ash_shape_binary, F32 | INTS},
    [ASH_OP_pow] = {ash_shape_binary, F32 | I32},
    [ASH_OP_prelu] = {ash_shape_prelu, F32 | Q8},
    [ASH_OP_equal] = {ash_shape_compare, F32 | QUANT | INTS | BOOL},
    [ASH_OP_not_equal] = {ash_shape_compare, F32 | QUANT | INTS | BOOL},
    [ASH_OP_less] = {ash_shape_compare, F32 | QUANT | INTS},
    [ASH_OP_less_equal] = {ash_shape_compare, F32 | QUANT | INTS},
    [ASH_OP_greater] = {ash_shape_compare, F32 | QUANT | INTS},
    [ASH_OP_greater_equal] = {ash_shape_compare, F32 | QUANT | INTS},
    [ASH_OP_logical_and] = {ash_shape_binary, BOOL},
    [ASH_OP_logical_or] = {ash_shape_binary, BOOL},
    [ASH_OP_logical_not] = {ash_shape_activation, BOOL},
    [ASH_OP_abs] = {ash_shape_activation, F32 | I8 | I16 | I32},
    [ASH_OP_neg] = {ash_shape_activation, F32 | I8 | I16 | INTS},
    [ASH_OP_sign] = {ash_shape_activation, F32 | I32},
    [ASH_OP_square] = {ash_shape_activation, F32},
    [ASH_OP_sqrt] = {ash_shape_activation, F32 | I8 | I16},
    [ASH_OP_rsqrt] = {ash_shape_activation, F32 | I8 | I16},
    [ASH_OP_exp] = {ash_shape_activation, F32 | I8 | I16},
    [ASH_OP_log] = {ash_shape_activation, F32 | I8 | I16},
    [ASH_OP_sin] = {ash_shape_activation, F32},
    [ASH_OP_cos] = {ash_shape_activation, F32},
    [ASH_OP_floor] = {ash_shape_activation, F32},
    [ASH_OP_ceil] = {ash_shape_activation, F32},
    [ASH_OP_round] = {ash_shape_activation, F32},
    [ASH_OP_relu_0_to_1] = {ash_shape_activation, F32 | QUANT},
    [ASH_OP_leaky_relu] = {ash_shape_activation, F32 | QUANT},
    [ASH_OP_elu] = {ash_shape_activation, F32 | I8},
    [ASH_OP_gelu] = {ash_shape_activation, F32 | QUANT},
    [ASH_OP_hard_swish] = {ash_shape_hard_swish, F32 | Q8},
    [ASH_OP_lookup] = {ash_shape_lookup, Q8},
    [ASH_OP_log_softmax] = {ash_shape_log_softmax, F32 | Q8},
    [ASH_OP_l2_normalization] = {ash_shape_l2_normalization, F32 | Q8},
    [ASH_OP_squeeze] = {ash_shape_unit_axes, ANY},
    [ASH_OP_expand_dims] = {ash_shape_unit_axes, ANY},
    [ASH_OP_transpose] = {ash_shape_transpose, BYTES},
    [ASH_OP_slice] = {ash_shape_slice, BYTES},
    [ASH_OP_strided_slice] = {ash_shape_slice, BYTES},
    [ASH_OP_split] = {ash_shape_split, BYTES},
    [ASH_OP_split_v] = {ash_shape_split_v, BYTES},
    [ASH_OP_pack] = {ash_shape_pack, BYTES},
    [ASH_OP_unpack] = {ash_shape_unpack, BYTES},
    [ASH_OP_gather] = {ash_shape_gather, BYTES},
    [ASH_OP_gather_nd] = {ash_shape_gather_nd, BYTES},
    [ASH_OP_tile] = {ash_shape_tile, BYTES},
    [ASH_OP_fill] = {ash_shape_fill, INTS},
    [ASH_OP_shape] = {ash_shape_shape, ANY},
    [ASH_OP_broadcast_to] = {ash_shape_broadcast_to, BYTES},
    [ASH_OP_reverse] = {ash_shape_reverse, BYTES},
    [ASH_OP_select] = {ash_shape_select, BOOL},
    [ASH_OP_select_v2] = {ash_shape_select_v2, BOOL},
    [ASH_OP_cast] = {ash_shape_cast, CAST},
    [ASH_OP_space_to_depth] = {ash_shape_space_to_depth, BYTES},
    [ASH_OP_depth_to_space] = {ash_shape_depth_to_space, BYTES},
    [ASH_OP_space_to_batch_nd] = {ash_shape_space_to_batch_nd, BYTES},
    [ASH_OP_batch_to_space_nd] = {ash_shape_batch_to_space_nd, BYTES},
    [ASH_OP_mirror_pad] = {ash_shape_mirror_pad, BYTES},
    [ASH_OP_sum] = {ash_shape_reduce, F32 | QUANT | INTS},
    [ASH_OP_reduce_prod] = {ash_shape_reduce, F32 | INTS},
    [ASH_OP_reduce_max] = {ash_shape_reduce_pick, F32 | QUANT | INTS},
    [ASH_OP_reduce_min] = {ash_shape_reduce_pick, F32 | QUANT | INTS},
    [ASH_OP_reduce_any] = {ash_shape_reduce, BOOL},
    [ASH_OP_reduce_all] = {ash_shape_reduce, BOOL},
    [ASH_OP_arg_max] = {ash_shape_arg, F32 | QUANT | INTS},
    [ASH_OP_arg_min] = {ash_shape_arg, F32 | QUANT | INTS},
    [ASH_OP_cumsum] = {ash_shape_cumsum, F32 | INTS},
    [ASH_OP_resize_bilinear] = {ash_shape_resize, F32 | QUANT},
    [ASH_OP_resize_nearest_neighbor] = {ash_shape_resize, BYTES},
    [ASH_OP_transpose_conv] = {ash_shape_transpose_conv, F32 | QUANT},
    [ASH_OP_batch_matmul] = {ash_shape_batch_matmul, F32 | I8 | ASH_T(INT16)},
    [ASH_OP_map] = {ash_shape_map, ANY},
    [ASH_OP_chain] = {ash_shape_chain, ANY},
    [ASH_OP_fold] = {ash_shape_fold, ANY},
    [ASH_OP_strided] = {ash_shape_strided, ANY},
    [ASH_OP_take] = {ash_shape_take, ANY},
    [ASH_OP_take_elements] = {ash_shape_take_elements, ANY},
    [ASH_OP_take_nd] = {ash_shape_take_nd, ANY},
    [ASH_OP_put_elements] = {ash_shape_put_elements, ANY},
    [ASH_OP_put_nd] = {ash_shape_put_nd, ANY},
    [ASH_OP_fill_pad] = {ash_shape_fill_pad, ANY},
    [ASH_OP_join] = {ash_shape_join, ANY},
    [ASH_OP_matmul] = {ash_shape_matmul, ANY},
    [ASH_OP_conv_nd] = {ash_shape_conv_nd, ANY},
    [ASH_OP_pool_nd] = {ash_shape_pool_nd, ANY},
    [ASH_OP_running] = {ash_shape_running, ANY},
    [ASH_OP_top_k] = {ash_shape_top_k, ANY},
    [ASH_OP_rfft2d] = {ash_shape_rfft2d, F32},
    [ASH_OP_complex_abs] = {ash_shape_complex, ASH_T(COMPLEX64)},
    [ASH_OP_real] = {ash_shape_complex, ASH_T(COMPLEX64)},
    [ASH_OP_imag] = {ash_shape_complex, ASH_T(COMPLEX64)},
    [ASH_OP_custom] = {ash_shape_custom, ANY},
    [ASH_OP_svdf] = {ash_shape_svdf, F32 | I8},
    [ASH_OP_rnn] = {ash_shape_rnn, F32},
    [ASH_OP_lstm] = {ash_shape_lstm, F32 | I8 | ASH_T(INT16)},
    [ASH_OP_whole_conv_2d] = {ash_shape_conv_2d, WHOLE},
    [ASH_OP_whole_depthwise_conv_2d] = {ash_shape_depthwise_conv_2d, WHOLE},
    [ASH_OP_whole_fully_connected] = {ash_shape_fully_connected, WHOLE},
    [ASH_OP_whole_matmul] = {ash_shape_matmul, WHOLE},
    [ASH_OP_resample] = {ash_shape_resample, ANY},
};

/* Nothing in, nothing out: no device code is made for that. */
static ash_status check_not_empty(const ash_rule *r, const ash_tensor *t) {
  char buf[ASH_SHAPE_TEXT];
  if (ash_shape_elements(&t->shape) > 0)
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, elements, r->op->inputs[0],
                       "shape %s holds no elements",
                       ash_shape_text(buf, &t->shape));
}

ash_status ash_infer_shape(ash_ctx *ctx, const ash_graph *g, uint32_t op,
                           ash_shape *outputs) {
  const ash_op *o = &g->ops.items[op];
  const ash_rule r = {ctx, g, op, o, outputs};
  const ash_tensor *first;
  if (!table[o->kind].rule)
    return ASH_RULE_FAIL(&r, ASH_UNSUPPORTED, none, ASH_NO_ID,
                         "no shape rule for %s", ash_op_kind_text(o->kind));
  ASH_TRY(ash_rule_input(&r, 0, "data", &first));
  ASH_TRY(ash_rule_type(&r, o->inputs[0], table[o->kind].types));
  ASH_TRY(check_not_empty(&r, first));
  return table[o->kind].rule(&r);
}

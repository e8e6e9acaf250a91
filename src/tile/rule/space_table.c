/* space_table.c - which rule cuts an operator, and which one makes its
 * attributes those of a piece. One line an operator; what is missing runs
 * where its tensors are. */
#include "tile/rule/space.h"

static const struct {
  ash_space_rule *space;
  ash_local_rule *local; /* NULL: attributes do not depend on the piece */
} table[ASH_OP_COUNT] = {
    [ASH_OP_conv_2d] = {ash_space_conv, ash_local_window},
    [ASH_OP_depthwise_conv_2d] = {ash_space_depthwise, ash_local_window},
    [ASH_OP_average_pool_2d] = {ash_space_pool, ash_local_window},
    [ASH_OP_max_pool_2d] = {ash_space_pool, ash_local_window},
    [ASH_OP_transpose_conv] = {ash_space_transpose_conv,
                               ash_local_transpose_conv},
    [ASH_OP_conv_nd] = {ash_space_conv_nd, ash_local_conv_nd},
    [ASH_OP_pool_nd] = {ash_space_pool_nd, ash_local_pool_nd},
    [ASH_OP_fully_connected] = {ash_space_dense, NULL},
    [ASH_OP_matmul] = {ash_space_matmul, NULL},
    [ASH_OP_batch_matmul] = {ash_space_matmul, NULL},
    [ASH_OP_whole_conv_2d] = {ash_space_conv, ash_local_window},
    [ASH_OP_whole_depthwise_conv_2d] = {ash_space_depthwise, ash_local_window},
    [ASH_OP_whole_fully_connected] = {ash_space_dense, NULL},
    [ASH_OP_whole_matmul] = {ash_space_matmul, NULL},
    /* Element by element. */
    [ASH_OP_map] = {ash_space_map, NULL},
    [ASH_OP_chain] = {ash_space_map, NULL},
    [ASH_OP_add] = {ash_space_map, NULL},
    [ASH_OP_sub] = {ash_space_map, NULL},
    [ASH_OP_mul] = {ash_space_map, NULL},
    [ASH_OP_div] = {ash_space_map, NULL},
    [ASH_OP_minimum] = {ash_space_map, NULL},
    [ASH_OP_maximum] = {ash_space_map, NULL},
    [ASH_OP_squared_difference] = {ash_space_map, NULL},
    [ASH_OP_floor_div] = {ash_space_map, NULL},
    [ASH_OP_floor_mod] = {ash_space_map, NULL},
    [ASH_OP_pow] = {ash_space_map, NULL},
    [ASH_OP_prelu] = {ash_space_map, NULL},
    [ASH_OP_equal] = {ash_space_map, NULL},
    [ASH_OP_not_equal] = {ash_space_map, NULL},
    [ASH_OP_less] = {ash_space_map, NULL},
    [ASH_OP_less_equal] = {ash_space_map, NULL},
    [ASH_OP_greater] = {ash_space_map, NULL},
    [ASH_OP_greater_equal] = {ash_space_map, NULL},
    [ASH_OP_logical_and] = {ash_space_map, NULL},
    [ASH_OP_logical_or] = {ash_space_map, NULL},
    [ASH_OP_logical_not] = {ash_space_map, NULL},
    [ASH_OP_quantize] = {ash_space_map, NULL},
    [ASH_OP_dequantize] = {ash_space_map, NULL},
    [ASH_OP_lookup] = {ash_space_map, NULL},
    [ASH_OP_relu] = {ash_space_map, NULL},
    [ASH_OP_relu6] = {ash_space_map, NULL},
    [ASH_OP_relu_n1_to_1] = {ash_space_map, NULL},
    [ASH_OP_relu_0_to_1] = {ash_space_map, NULL},
    [ASH_OP_logistic] = {ash_space_map, NULL},
    [ASH_OP_tanh] = {ash_space_map, NULL},
    [ASH_OP_abs] = {ash_space_map, NULL},
    [ASH_OP_neg] = {ash_space_map, NULL},
    [ASH_OP_sign] = {ash_space_map, NULL},
    [ASH_OP_square] = {ash_space_map, NULL},
    [ASH_OP_sqrt] = {ash_space_map, NULL},
    [ASH_OP_rsqrt] = {ash_space_map, NULL},
    [ASH_OP_exp] = {ash_space_map, NULL},
    [ASH_OP_log] = {ash_space_map, NULL},
    [ASH_OP_sin] = {ash_space_map, NULL},
    [ASH_OP_cos] = {ash_space_map, NULL},
    [ASH_OP_floor] = {ash_space_map, NULL},
    [ASH_OP_ceil] = {ash_space_map, NULL},
    [ASH_OP_round] = {ash_space_map, NULL},
    [ASH_OP_leaky_relu] = {ash_space_map, NULL},
    [ASH_OP_elu] = {ash_space_map, NULL},
    [ASH_OP_gelu] = {ash_space_map, NULL},
    [ASH_OP_hard_swish] = {ash_space_map, NULL},
    [ASH_OP_cast] = {ash_space_map, NULL},
    [ASH_OP_complex_abs] = {ash_space_map, NULL},
    [ASH_OP_real] = {ash_space_map, NULL},
    [ASH_OP_imag] = {ash_space_map, NULL},
    [ASH_OP_select] = {ash_space_select, NULL},
    [ASH_OP_select_v2] = {ash_space_map, NULL},
    /* Along an axis. */
    [ASH_OP_mean] = {ash_space_fold, NULL},
    [ASH_OP_sum] = {ash_space_fold, NULL},
    [ASH_OP_reduce_prod] = {ash_space_fold, NULL},
    [ASH_OP_reduce_max] = {ash_space_fold, NULL},
    [ASH_OP_reduce_min] = {ash_space_fold, NULL},
    [ASH_OP_reduce_any] = {ash_space_fold, NULL},
    [ASH_OP_reduce_all] = {ash_space_fold, NULL},
    [ASH_OP_arg_max] = {ash_space_fold, NULL},
    [ASH_OP_arg_min] = {ash_space_fold, NULL},
    [ASH_OP_fold] = {ash_space_fold, NULL},
    [ASH_OP_softmax] = {ash_space_rows, NULL},
    [ASH_OP_log_softmax] = {ash_space_rows, NULL},
    [ASH_OP_l2_normalization] = {ash_space_rows, NULL},
    [ASH_OP_cumsum] = {ash_space_running, NULL},
    [ASH_OP_running] = {ash_space_running, NULL},
    [ASH_OP_top_k] = {ash_space_running, NULL},
    [ASH_OP_resize_bilinear] = {ash_space_resize, NULL},
    [ASH_OP_resize_nearest_neighbor] = {ash_space_resize, NULL},
    [ASH_OP_resample] = {ash_space_resample, NULL},
    [ASH_OP_rfft2d] = {ash_space_images, NULL},
    /* Moved as they are. */
    [ASH_OP_reshape] = {ash_space_view, NULL},
    [ASH_OP_squeeze] = {ash_space_view, NULL},
    [ASH_OP_expand_dims] = {ash_space_view, NULL},
    [ASH_OP_read_variable] = {ash_space_view, ash_local_copy},
    [ASH_OP_assign_variable] = {ash_space_view, ash_local_copy},
    [ASH_OP_transpose] = {ash_space_strided, ash_local_strided},
    [ASH_OP_slice] = {ash_space_strided, ash_local_strided},
    [ASH_OP_strided_slice] = {ash_space_strided, ash_local_strided},
    [ASH_OP_reverse] = {ash_space_strided, ash_local_strided},
    [ASH_OP_strided] = {ash_space_strided, ash_local_strided},
    [ASH_OP_concatenation] = {ash_space_join, NULL},
    [ASH_OP_join] = {ash_space_join, NULL},
    [ASH_OP_pack] = {ash_space_join, NULL},
    [ASH_OP_split] = {ash_space_split, NULL},
    [ASH_OP_split_v] = {ash_space_split, NULL},
    [ASH_OP_unpack] = {ash_space_split, NULL},
    [ASH_OP_pad] = {ash_space_pad, ash_local_pad},
    [ASH_OP_fill_pad] = {ash_space_pad, ash_local_pad},
    [ASH_OP_mirror_pad] = {ash_space_pad, ash_local_pad},
    [ASH_OP_tile] = {ash_space_tile, ash_local_tile},
    [ASH_OP_broadcast_to] = {ash_space_map, ash_local_broadcast},
    [ASH_OP_fill] = {ash_space_fill, ash_local_broadcast},
    [ASH_OP_shape] = {ash_space_whole, NULL},
    [ASH_OP_space_to_depth] = {ash_space_space_to_depth, NULL},
    [ASH_OP_depth_to_space] = {ash_space_depth_to_space, NULL},
    [ASH_OP_space_to_batch_nd] = {ash_space_batches, NULL},
    [ASH_OP_batch_to_space_nd] = {ash_space_batches, NULL},
    /* Picked by index. */
    [ASH_OP_gather] = {ash_space_take, NULL},
    [ASH_OP_take] = {ash_space_take, NULL},
    [ASH_OP_take_elements] = {ash_space_take_elements, NULL},
    [ASH_OP_gather_nd] = {ash_space_take_nd, NULL},
    [ASH_OP_take_nd] = {ash_space_take_nd, NULL},
    [ASH_OP_put_elements] = {ash_space_put_elements, NULL},
    [ASH_OP_put_nd] = {ash_space_put_nd, NULL},
};

/* Whatever has these rules keeps lines along an axis, or images, together. */
bool ash_op_keeps_lines(ash_op_kind kind) {
  static ash_space_rule *const rules[] = {
      ash_space_rows,         ash_space_running,       ash_space_resize,
      ash_space_resample,     ash_space_images,        ash_space_take,
      ash_space_take_nd,      ash_space_take_elements, ash_space_put_nd,
      ash_space_put_elements, ash_space_batches};
  for (size_t i = 0; i < ASH_COUNT_OF(rules); i++)
    if (kind < ASH_OP_COUNT && table[kind].space == rules[i])
      return true;
  return kind == ASH_OP_arg_max || kind == ASH_OP_arg_min;
}

bool ash_space_rules_of(ash_op_kind kind, ash_space_rule **space,
                        ash_local_rule **local) {
  if (kind >= ASH_OP_COUNT || !table[kind].space)
    return false;
  *space = table[kind].space;
  *local = table[kind].local;
  return true;
}

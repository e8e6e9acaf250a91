/* space_table.c - which rule cuts an operator, and which one makes its
 * attributes those of a piece. One line an operator; what is missing runs
 * where its tensors are. */
#include "tile/space.h"

static const struct {
  ash_space_rule *space;
  ash_local_rule *local; /* NULL: attributes do not depend on the piece */
} table[ASH_OP_COUNT] = {
    [ASH_OP_conv_2d] = {ash_space_conv, ash_local_window},
    [ASH_OP_depthwise_conv_2d] = {ash_space_depthwise, ash_local_window},
    [ASH_OP_average_pool_2d] = {ash_space_pool, ash_local_window},
    [ASH_OP_max_pool_2d] = {ash_space_pool, ash_local_window},
    [ASH_OP_conv_nd] = {ash_space_conv_nd, ash_local_conv_nd},
    [ASH_OP_pool_nd] = {ash_space_pool_nd, ash_local_pool_nd},
    [ASH_OP_fully_connected] = {ash_space_dense, NULL},
    [ASH_OP_matmul] = {ash_space_matmul, NULL},
    [ASH_OP_batch_matmul] = {ash_space_matmul, NULL},
    /* Element by element. */
    [ASH_OP_map] = {ash_space_map, NULL},
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
    [ASH_OP_select_v2] = {ash_space_map, NULL},
};

bool ash_space_rules_of(ash_op_kind kind, ash_space_rule **space,
                        ash_local_rule **local) {
  if (kind >= ASH_OP_COUNT || !table[kind].space)
    return false;
  *space = table[kind].space;
  *local = table[kind].local;
  return true;
}

/* cut_elements.c - random element-wise operators, to be cut (cuts.h). */
#include "cuts.h"

enum { ROUNDS = 40 };

static void cut_pair(ash_op_kind kind, ash_type type, ash_type out) {
  net n = net_new();
  const ash_shape s = cut_shape();
  const float scale = cut_scale(type);
  const uint32_t a = net_input(&n, type, s, scale, 0);
  const uint32_t b = net_input(&n, type, cut_narrower(s), scale, 0);
  const bool swap = kind != ASH_FN_ROW(prelu) && cut_pick(0, 1);
  const uint32_t op =
      net_op(&n, kind, swap ? NET_IDS(b, a) : NET_IDS(a, b),
             net_result(&n, out, NET_DIMS(1), out == type ? scale : 0, 0));
  (void)cut_agree(&n, op);
}

static void pairs(void) {
  static const ash_op_kind real[] = {ASH_FN_ROW(add),
                                     ASH_FN_ROW(sub),
                                     ASH_FN_ROW(mul),
                                     ASH_FN_ROW(div),
                                     ASH_FN_ROW(minimum),
                                     ASH_FN_ROW(maximum),
                                     ASH_FN_ROW(floor_div),
                                     ASH_FN_ROW(mod),
                                     ASH_FN_ROW(squared_difference),
                                     ASH_FN_ROW(prelu),
                                     ASH_FN_ROW(pow)};
  static const ash_op_kind both[] = {
      ASH_FN_ROW(add),     ASH_FN_ROW(sub),     ASH_FN_ROW(mul),
      ASH_FN_ROW(minimum), ASH_FN_ROW(maximum), ASH_FN_ROW(squared_difference),
      ASH_FN_ROW(prelu),   ASH_FN_ROW(div)};
  static const ash_op_kind truth[] = {
      ASH_FN_ROW(equal),      ASH_FN_ROW(not_equal), ASH_FN_ROW(less),
      ASH_FN_ROW(less_equal), ASH_FN_ROW(greater),   ASH_FN_ROW(greater_equal)};
  for (int round = 0; round < 6; round++) {
    for (size_t i = 0; i < ASH_COUNT_OF(real); i++)
      cut_pair(real[i], ASH_FLOAT32, ASH_FLOAT32);
    for (size_t i = 0; i < ASH_COUNT_OF(both); i++)
      cut_pair(both[i], ASH_INT8, ASH_INT8);
    for (size_t i = 0; i < ASH_COUNT_OF(truth); i++)
      cut_pair(truth[i], ASH_INT8, ASH_BOOL);
    cut_pair(ASH_FN_ROW(logical_and), ASH_BOOL, ASH_BOOL);
    cut_pair(ASH_FN_ROW(logical_or), ASH_BOOL, ASH_BOOL);
  }
}

static void cut_one(ash_op_kind kind, ash_type from, ash_type to) {
  net n = net_new();
  const uint32_t x = net_input(&n, from, cut_shape(), cut_scale(from), 0);
  const float scale = kind == ASH_FN_ROW(logistic) ? 1.0f / 256 : cut_scale(to);
  const uint32_t op = net_op(
      &n, kind, NET_IDS(x),
      net_result(&n, to, NET_DIMS(1), cut_scale(to) != 0 ? scale : 0, 0));
  if (kind == ASH_FN_ROW(leaky_relu))
    net_float(&n, op, "alpha", 0.25);
  (void)cut_agree(&n, op);
}

static void one_value_at_a_time(void) {
  static const ash_op_kind both[] = {
      ASH_FN_ROW(relu),        ASH_FN_ROW(relu6), ASH_FN_ROW(relu_n1_to_1),
      ASH_FN_ROW(relu_0_to_1), ASH_FN_ROW(tanh),  ASH_FN_ROW(logistic),
      ASH_FN_ROW(abs),         ASH_FN_ROW(exp),   ASH_FN_ROW(elu),
      ASH_FN_ROW(leaky_relu),  ASH_FN_ROW(gelu),  ASH_FN_ROW(hard_swish)};
  static const ash_op_kind real[] = {
      ASH_FN_ROW(neg),   ASH_FN_ROW(sign), ASH_FN_ROW(square), ASH_FN_ROW(sqrt),
      ASH_FN_ROW(rsqrt), ASH_FN_ROW(log),  ASH_FN_ROW(sin),    ASH_FN_ROW(cos),
      ASH_FN_ROW(floor), ASH_FN_ROW(ceil), ASH_FN_ROW(round)};
  for (int round = 0; round < 4; round++) {
    for (size_t i = 0; i < ASH_COUNT_OF(both); i++) {
      cut_one(both[i], ASH_INT8, ASH_INT8);
      cut_one(both[i], ASH_FLOAT32, ASH_FLOAT32);
    }
    for (size_t i = 0; i < ASH_COUNT_OF(real); i++)
      cut_one(real[i], ASH_FLOAT32, ASH_FLOAT32);
    cut_one(ASH_OP_quantize, ASH_FLOAT32, ASH_INT8);
    cut_one(ASH_OP_quantize, ASH_INT8, ASH_UINT8);
    cut_one(ASH_OP_dequantize, ASH_INT8, ASH_FLOAT32);
    cut_one(ASH_FN_ROW(cast), ASH_INT32, ASH_FLOAT32);
    cut_one(ASH_FN_ROW(logical_not), ASH_BOOL, ASH_BOOL);
  }
}

static void tables_of_functions(void) {
  for (int i = 0; i < ROUNDS; i++) {
    int8_t table[256];
    net n = net_new();
    const ash_shape s = i & 1 ? NET_DIMS(2, 256) : cut_shape();
    for (int k = 0; k < 256; k++)
      table[k] = (int8_t)(k * 7 + i);
    const uint32_t x = net_input(&n, ASH_INT8, s, 0.5f, 0);
    const uint32_t t = net_constant(&n, ASH_INT8, NET_DIMS(256), table, 0, 0);
    const uint32_t op = net_op(&n, ASH_OP_lookup, NET_IDS(x, t),
                               net_result(&n, ASH_INT8, s, 0.25f, 0));
    (void)cut_agree(&n, op);
  }
}

static void functions_of_several(void) {
  for (int i = 0; i < ROUNDS; i++) {
    net n = net_new();
    const ash_shape s = cut_shape();
    const bool three = i & 1;
    const uint32_t a = cut_input(&n, three ? ASH_BOOL : ASH_FLOAT32,
                                 three ? cut_narrower(s) : s);
    const uint32_t b = cut_input(&n, ASH_FLOAT32, three ? s : cut_narrower(s));
    const uint32_t c = cut_input(&n, ASH_FLOAT32, cut_narrower(s));
    const uint32_t op =
        net_op(&n, ASH_OP_map, three ? NET_IDS(a, b, c) : NET_IDS(a, b),
               cut_result(&n, ASH_FLOAT32));
    net_string(&n, op, "fn", three ? "select" : "add");
    n.g->input_count = three ? 3 : 2;
    (void)cut_agree(&n, op);
  }
}

static void chains_of_functions(void) {
  for (int i = 0; i < ROUNDS; i++) {
    net n = net_new();
    const ash_shape s = cut_shape();
    const uint32_t a = cut_input(&n, ASH_INT32, s);
    const uint32_t b = cut_input(&n, ASH_INT32, cut_narrower(s));
    const uint32_t c = cut_input(&n, ASH_FLOAT32, cut_narrower(s));
    const uint32_t op = net_op(&n, ASH_OP_chain, NET_IDS(a, b, c),
                               net_result(&n, ASH_INT8, s, 0, 0));
    net_string(&n, op, "code",
               "int32 mul i0 i1; int32 cast i2; int32 add s0 s1; "
               "int32 shift_right s2 int32:3; int8 cast s3");
    n.g->input_count = 3;
    (void)cut_agree(&n, op);
  }
}

const check_case cut_elements[] = {
    {"pairs", pairs},
    {"one_value_at_a_time", one_value_at_a_time},
    {"tables_of_functions", tables_of_functions},
    {"functions_of_several", functions_of_several},
    {"chains_of_functions", chains_of_functions},
    {NULL, NULL},
};

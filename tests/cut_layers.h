/* cut_layers.h - random layers and element-wise operators, for tests that cut
 * them (cuts.h). */
#ifndef ASH_TESTS_CUT_LAYERS_H
#define ASH_TESTS_CUT_LAYERS_H

#include "cuts.h"

enum { CUT_LAYERS = 40 };

/* ---- windows ------------------------------------------------------------ */

static inline void set_window(net *n, uint32_t op, int32_t filter,
                              bool dilates) {
  static const char *const pads[] = {"pad_top", "pad_left", "pad_bottom",
                                     "pad_right"};
  for (uint32_t i = 0; i < 4; i++)
    net_int(n, op, pads[i], pick(0, filter - 1));
  net_int(n, op, "stride_h", pick(1, 3));
  net_int(n, op, "stride_w", pick(1, 3));
  if (dilates) {
    net_int(n, op, "dilation_h", pick(1, 2));
    net_int(n, op, "dilation_w", pick(1, 2));
  }
}

static inline ash_shape image(int32_t channels) {
  return NET_DIMS(pick(1, 2), pick(5, 9), pick(5, 9), channels);
}

static inline void channel_scales(net *n, uint32_t w, int32_t axis) {
  float scales[64];
  const uint32_t count = (uint32_t)n->g->tensors.items[w].shape.dim[axis];
  for (uint32_t i = 0; i < count; i++)
    scales[i] = 0.01f + 0.003f * (float)pick(0, 9);
  net_channels(n, w, axis, scales, count);
}

/* Types of activations, weights and bias that layers have. */
typedef struct layer_types {
  ash_type x, w, b;
} layer_types;

static inline layer_types some_layer(int i) {
  static const layer_types all[] = {{ASH_FLOAT32, ASH_FLOAT32, ASH_FLOAT32},
                                    {ASH_INT8, ASH_INT8, ASH_INT32},
                                    {ASH_UINT8, ASH_UINT8, ASH_INT32},
                                    {ASH_INT16, ASH_INT8, ASH_INT64},
                                    {ASH_INT16, ASH_INT8, ASH_INT32},
                                    {ASH_FLOAT32, ASH_INT8, ASH_FLOAT32}};
  return all[(size_t)i % ASH_COUNT_OF(all)];
}

static inline bool has_channels(layer_types t) {
  return t.w == ASH_INT8 && pick(0, 1);
}

static inline void cut_conv(layer_types t) {
  net n = net_new();
  const int32_t groups = pick(0, 1) ? 1 : pick(2, 3), each = pick(1, 5);
  const int32_t out = groups * pick(1, 4), k = pick(1, 3);
  const uint32_t x = input(&n, t.x, image(groups * each));
  const uint32_t w = constant(&n, t.w, NET_DIMS(out, k, pick(1, 3), each));
  const uint32_t b = constant(&n, t.b, NET_DIMS(out));
  const uint32_t y = result(&n, t.x);
  const uint32_t op = net_op(&n, ASH_OP_conv_2d,
                             pick(0, 2) ? NET_IDS(x, w, b) : NET_IDS(x, w), y);
  if (has_channels(t))
    channel_scales(&n, w, 0);
  set_window(&n, op, 1 + n.g->tensors.items[w].shape.dim[1] / 2, true);
  (void)agree(&n, op);
}

static inline void cut_depthwise(layer_types t) {
  net n = net_new();
  const int32_t c = pick(1, 5), each = pick(1, 3), k = pick(1, 3);
  const uint32_t x = input(&n, t.x, image(c));
  const uint32_t w = constant(&n, t.w, NET_DIMS(1, k, k, c * each));
  const uint32_t b = constant(&n, t.b, NET_DIMS(c * each));
  const uint32_t op =
      net_op(&n, ASH_OP_depthwise_conv_2d, NET_IDS(x, w, b), result(&n, t.x));
  if (has_channels(t))
    channel_scales(&n, w, 3);
  net_int(&n, op, "multiplier", each);
  set_window(&n, op, k, true);
  (void)agree(&n, op);
}

static inline void cut_pool(ash_op_kind kind, ash_type type) {
  net n = net_new();
  const int32_t k = pick(1, 3);
  const uint32_t x = net_input(&n, type, image(pick(1, 5)), scale_of(type), 0);
  const uint32_t y = net_result(&n, type, NET_DIMS(1), scale_of(type), 0);
  const uint32_t op = net_op(&n, kind, NET_IDS(x), y);
  net_int(&n, op, "filter_h", k);
  net_int(&n, op, "filter_w", k);
  set_window(&n, op, k, false);
  (void)agree(&n, op);
}

static inline void windows_on_images(void) {
  for (int i = 0; i < CUT_LAYERS; i++) {
    const ash_type type = i & 1 ? ASH_INT8 : ASH_FLOAT32;
    cut_conv(some_layer(i));
    cut_depthwise(some_layer(i));
    cut_pool(ASH_OP_average_pool_2d, type);
    cut_pool(ASH_OP_max_pool_2d, type);
  }
}

static inline void cut_conv_nd(void) {
  net n = net_new();
  const int32_t groups = pick(0, 1) ? 1 : pick(2, 3), each = pick(1, 4),
                out = groups * pick(1, 3);
  const int32_t k = pick(1, 3);
  const bool flat = pick(0, 1);
  const uint32_t x =
      input(&n, ASH_FLOAT32,
            flat ? NET_DIMS(pick(1, 2), groups * each, pick(6, 9))
                 : NET_DIMS(1, groups * each, pick(6, 9), pick(6, 9)));
  const uint32_t w = constant(&n, ASH_FLOAT32,
                              flat ? NET_DIMS(out, each, k)
                                   : NET_DIMS(out, each, k, pick(1, 3)));
  const uint32_t b = constant(&n, ASH_FLOAT32, NET_DIMS(out));
  const uint32_t op =
      net_op(&n, ASH_OP_conv_nd, NET_IDS(x, w, b), result(&n, ASH_FLOAT32));
  const int64_t stride[] = {pick(1, 3), pick(1, 3)};
  const int64_t dilation[] = {pick(1, 2), pick(1, 2)};
  const int64_t pad[] = {pick(0, 5), pick(0, 1), pick(0, 5), pick(0, 1)};
  const uint32_t axes = flat ? 1 : 2;
  set_ints(&n, op, "stride", stride, axes);
  set_ints(&n, op, "dilation", dilation, axes);
  set_ints(&n, op, "pad", pad, 2 * axes);
  net_int(&n, op, "groups", groups);
  (void)agree(&n, op);
}

static inline void cut_pool_nd(void) {
  net n = net_new();
  const uint32_t x =
      input(&n, ASH_FLOAT32, NET_DIMS(pick(1, 2), 3, pick(5, 9), pick(5, 9)));
  const uint32_t op =
      net_op(&n, ASH_OP_pool_nd, NET_IDS(x), result(&n, ASH_FLOAT32));
  const int64_t kernel[] = {pick(1, 3), pick(1, 3)};
  const int64_t stride[] = {pick(1, 3), pick(1, 3)};
  const int64_t pad[] = {pick(0, (int32_t)kernel[0] - 1), 0,
                         pick(0, (int32_t)kernel[0] - 1), 0};
  set_ints(&n, op, "kernel", kernel, 2);
  set_ints(&n, op, "stride", stride, 2);
  set_ints(&n, op, "pad", pad, 4);
  net_string(&n, op, "fn", pick(0, 1) ? "max" : "mean");
  net_int(&n, op, "count_pad", pick(0, 1));
  pieces_shape(&n, op);
  const ash_shape *out = &n.g->tensors.items[n.g->outputs[0]].shape;
  const ash_shape *in = &n.g->tensors.items[x].shape;
  int64_t size[2];
  for (uint32_t i = 0; i < 2; i++) {
    size[i] = out->dim[i + 2];
    if (size[i] * stride[i] - pad[i] < in->dim[i + 2])
      size[i] += pick(0, 1);
  }
  set_ints(&n, op, "size", size, 2);
  (void)agree(&n, op);
}

static inline void windows_in_any_dimension(void) {
  for (int i = 0; i < 2 * CUT_LAYERS; i++) {
    cut_conv_nd();
    cut_pool_nd();
  }
}

/* ---- products ----------------------------------------------------------- */

static inline void cut_dense(layer_types t) {
  net n = net_new();
  const int32_t out = pick(1, 9);
  const bool keeps = pick(0, 2) == 0, flat = pick(0, 1);
  const ash_shape in = NET_DIMS(pick(1, 3), pick(1, 3), pick(2, 6));
  const int32_t depth = keeps || flat ? in.dim[2] : in.dim[1] * in.dim[2];
  const uint32_t x = input(&n, t.x, in);
  const uint32_t w = constant(&n, t.w, NET_DIMS(out, depth));
  const uint32_t b = constant(&n, t.b, NET_DIMS(out));
  const uint32_t op =
      net_op(&n, ASH_OP_fully_connected, NET_IDS(x, w, b), result(&n, t.x));
  if (has_channels(t))
    channel_scales(&n, w, 0);
  net_int(&n, op, "keep_num_dims", keeps);
  (void)agree(&n, op);
}

static inline ash_shape matrix(int32_t rows, int32_t columns, bool turned,
                               const int32_t *batches, uint32_t rank) {
  ash_shape s = {0};
  for (uint32_t i = 0; i < rank; i++)
    s.dim[s.rank++] = pick(0, 2) ? batches[i] : 1;
  s.dim[s.rank++] = turned ? columns : rows;
  s.dim[s.rank++] = turned ? rows : columns;
  return s;
}

static inline void cut_matmul(ash_op_kind kind, ash_type type) {
  net n = net_new();
  const int32_t batches[] = {pick(1, 3), pick(1, 3)};
  const int32_t m = pick(1, 6), k = pick(1, 6), columns = pick(1, 6);
  const bool ta = pick(0, 1), tb = pick(0, 1);
  const bool batch = kind == ASH_OP_batch_matmul;
  const uint32_t rank = (uint32_t)pick(0, 2);
  const uint32_t a = input(&n, type, matrix(m, k, ta, batches, rank));
  const uint32_t b = input(&n, type, matrix(k, columns, tb, batches, rank));
  const uint32_t op = net_op(&n, kind, NET_IDS(a, b), result(&n, type));
  net_int(&n, op, batch ? "adj_x" : "transpose_a", ta);
  net_int(&n, op, batch ? "adj_y" : "transpose_b", tb);
  (void)agree(&n, op);
}

static inline void products(void) {
  for (int i = 0; i < CUT_LAYERS; i++) {
    cut_dense(some_layer(i));
    cut_matmul(ASH_OP_batch_matmul, i % 3 == 0   ? ASH_INT8
                                    : i % 3 == 1 ? ASH_INT16
                                                 : ASH_FLOAT32);
    cut_matmul(ASH_OP_matmul, i & 1 ? ASH_INT32 : ASH_FLOAT32);
  }
}

/* ---- whole numbers without scales --------------------------------------- */

static inline ash_type whole_type(void) {
  static const ash_type types[] = {ASH_INT8, ASH_UINT8, ASH_INT16, ASH_INT32};
  return types[pick(0, 3)];
}

static inline uint32_t whole_constant(net *n, ash_shape shape) {
  const ash_tensor t = {.type = whole_type(), .shape = shape};
  static uint64_t data[4096];
  pieces_fill(&rng, &t, data);
  return net_constant(n, t.type, shape, data, 0, 0);
}

/* Weights, and all of bias, factors and offsets that go together. */
static inline uint32_t whole_layer(net *n, ash_op_kind kind, uint32_t x,
                                   uint32_t w, int32_t channels) {
  const bool matmul = kind == ASH_OP_whole_matmul;
  const uint32_t b =
      matmul || pick(0, 1) ? ASH_NO_ID : whole_constant(n, NET_DIMS(channels));
  const bool factors = pick(0, 2) != 0;
  const uint32_t f = whole_constant(n, NET_DIMS(pick(0, 1) ? channels : 1));
  const uint32_t o = whole_constant(n, NET_DIMS(pick(0, 1) ? channels : 1));
  const uint32_t y = net_result(n, whole_type(), NET_DIMS(1), 0, 0);
  const uint32_t op = net_op(n, kind,
                             !factors     ? NET_IDS(x, w, b)
                             : pick(0, 1) ? NET_IDS(x, w, b, f)
                                          : NET_IDS(x, w, b, f, o),
                             y);
  if (factors)
    net_int(n, op, "shift", pick(0, 9));
  if (pick(0, 1))
    net_int(n, op, "low", -pick(0, 200));
  if (pick(0, 1))
    net_int(n, op, "high", pick(0, 200));
  return op;
}

static inline void cut_whole_window(bool deep) {
  net n = net_new();
  const int32_t groups = deep || pick(0, 1) ? 1 : pick(2, 3), c = pick(1, 5);
  const int32_t each = pick(1, 3), out = deep ? c * each : groups * each;
  const int32_t k = pick(1, 3);
  const uint32_t x = net_input(&n, whole_type(), image(groups * c), 0, 0);
  const uint32_t w = whole_constant(&n, deep ? NET_DIMS(1, k, k, out)
                                             : NET_DIMS(out, k, k, c));
  const uint32_t op = whole_layer(
      &n, deep ? ASH_OP_whole_depthwise_conv_2d : ASH_OP_whole_conv_2d, x, w,
      out);
  if (deep)
    net_int(&n, op, "multiplier", each);
  set_window(&n, op, k, true);
  (void)agree(&n, op);
}

static inline void cut_whole_dense(void) {
  net n = net_new();
  const int32_t out = pick(1, 9);
  const bool keeps = pick(0, 1);
  const ash_shape in = NET_DIMS(pick(1, 3), pick(1, 3), pick(2, 6));
  const uint32_t x = net_input(&n, whole_type(), in, 0, 0);
  const uint32_t w = whole_constant(&n, NET_DIMS(out, in.dim[2]));
  const uint32_t op = whole_layer(&n, ASH_OP_whole_fully_connected, x, w, out);
  net_int(&n, op, "keep_num_dims", keeps);
  (void)agree(&n, op);
}

static inline void cut_whole_matmul(bool scaled) {
  net n = net_new();
  const int32_t batches[] = {pick(1, 3), pick(1, 3)};
  const int32_t m = pick(1, 6), k = pick(1, 6), columns = pick(1, 6);
  const bool ta = pick(0, 1), tb = pick(0, 1);
  const uint32_t rank = (uint32_t)pick(0, 2);
  const uint32_t a =
      net_input(&n, whole_type(), matrix(m, k, ta, batches, rank), 0, 0);
  const uint32_t b =
      net_input(&n, whole_type(), matrix(k, columns, tb, batches, rank), 0, 0);
  const uint32_t op =
      scaled ? whole_layer(&n, ASH_OP_whole_matmul, a, b, columns)
             : net_op(&n, ASH_OP_matmul, NET_IDS(a, b),
                      net_result(&n, pick(0, 1) ? ASH_INT32 : ASH_INT64,
                                 NET_DIMS(1), 0, 0));
  net_int(&n, op, "transpose_a", ta);
  net_int(&n, op, "transpose_b", tb);
  (void)agree(&n, op);
}

/* Of integers of several widths. */
static inline void cut_mixed(bool fold) {
  net n = net_new();
  const ash_shape s = some_shape();
  const uint32_t a = net_input(&n, whole_type(), s, 0, 0);
  const uint32_t b = net_input(&n, whole_type(), fold ? s : narrower(s), 0, 0);
  const uint32_t y = net_result(&n, whole_type(), NET_DIMS(1), 0, 0);
  const uint32_t op = fold ? net_op(&n, ASH_OP_fold, NET_IDS(a), y)
                           : net_op(&n, ASH_OP_map, NET_IDS(a, b), y);
  const int64_t axes[] = {pick(0, (int32_t)s.rank - 1)};
  net_string(&n, op, "fn",
             fold ? (pick(0, 1) ? "sum" : "sum_square")
                  : (pick(0, 1) ? "mul" : "sub"));
  if (fold)
    set_ints(&n, op, "axes", axes, 1);
  n.g->input_count = fold ? 1 : 2;
  (void)agree(&n, op);
}

static inline void whole_numbers(void) {
  for (int i = 0; i < CUT_LAYERS; i++) {
    cut_whole_window(false);
    cut_whole_window(true);
    cut_whole_dense();
    cut_whole_matmul(true);
    cut_whole_matmul(false);
    cut_mixed(true);
    cut_mixed(false);
  }
}

/* ---- elements ----------------------------------------------------------- */

static inline void cut_pair(ash_op_kind kind, ash_type type, ash_type out) {
  net n = net_new();
  const ash_shape s = some_shape();
  const float scale = scale_of(type);
  const uint32_t a = net_input(&n, type, s, scale, 0);
  const uint32_t b = net_input(&n, type, narrower(s), scale, 0);
  const bool swap = kind != ASH_OP_prelu && pick(0, 1);
  const uint32_t op =
      net_op(&n, kind, swap ? NET_IDS(b, a) : NET_IDS(a, b),
             net_result(&n, out, NET_DIMS(1), out == type ? scale : 0, 0));
  (void)agree(&n, op);
}

static inline void pairs(void) {
  static const ash_op_kind real[] = {
      ASH_OP_add,       ASH_OP_sub,       ASH_OP_mul,
      ASH_OP_div,       ASH_OP_minimum,   ASH_OP_maximum,
      ASH_OP_floor_div, ASH_OP_floor_mod, ASH_OP_squared_difference,
      ASH_OP_prelu,     ASH_OP_pow};
  static const ash_op_kind both[] = {ASH_OP_add,     ASH_OP_sub,
                                     ASH_OP_mul,     ASH_OP_minimum,
                                     ASH_OP_maximum, ASH_OP_squared_difference,
                                     ASH_OP_prelu,   ASH_OP_div};
  static const ash_op_kind truth[] = {ASH_OP_equal,   ASH_OP_not_equal,
                                      ASH_OP_less,    ASH_OP_less_equal,
                                      ASH_OP_greater, ASH_OP_greater_equal};
  for (int round = 0; round < 6; round++) {
    for (size_t i = 0; i < ASH_COUNT_OF(real); i++)
      cut_pair(real[i], ASH_FLOAT32, ASH_FLOAT32);
    for (size_t i = 0; i < ASH_COUNT_OF(both); i++)
      cut_pair(both[i], ASH_INT8, ASH_INT8);
    for (size_t i = 0; i < ASH_COUNT_OF(truth); i++)
      cut_pair(truth[i], ASH_INT8, ASH_BOOL);
    cut_pair(ASH_OP_logical_and, ASH_BOOL, ASH_BOOL);
    cut_pair(ASH_OP_logical_or, ASH_BOOL, ASH_BOOL);
  }
}

static inline void cut_one(ash_op_kind kind, ash_type from, ash_type to) {
  net n = net_new();
  const uint32_t x = net_input(&n, from, some_shape(), scale_of(from), 0);
  const float scale = kind == ASH_OP_logistic ? 1.0f / 256 : scale_of(to);
  const uint32_t op =
      net_op(&n, kind, NET_IDS(x),
             net_result(&n, to, NET_DIMS(1), scale_of(to) != 0 ? scale : 0, 0));
  if (kind == ASH_OP_leaky_relu)
    net_float(&n, op, "alpha", 0.25);
  (void)agree(&n, op);
}

static inline void one_value_at_a_time(void) {
  static const ash_op_kind both[] = {
      ASH_OP_relu, ASH_OP_relu6,      ASH_OP_relu_n1_to_1, ASH_OP_relu_0_to_1,
      ASH_OP_tanh, ASH_OP_logistic,   ASH_OP_abs,          ASH_OP_exp,
      ASH_OP_elu,  ASH_OP_leaky_relu, ASH_OP_gelu,         ASH_OP_hard_swish};
  static const ash_op_kind real[] = {ASH_OP_neg,  ASH_OP_sign,  ASH_OP_square,
                                     ASH_OP_sqrt, ASH_OP_rsqrt, ASH_OP_log,
                                     ASH_OP_sin,  ASH_OP_cos,   ASH_OP_floor,
                                     ASH_OP_ceil, ASH_OP_round};
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
    cut_one(ASH_OP_cast, ASH_INT32, ASH_FLOAT32);
    cut_one(ASH_OP_logical_not, ASH_BOOL, ASH_BOOL);
  }
}

static inline void tables_of_functions(void) {
  for (int i = 0; i < CUT_LAYERS; i++) {
    int8_t table[256];
    net n = net_new();
    const ash_shape s = i & 1 ? NET_DIMS(2, 256) : some_shape();
    for (int k = 0; k < 256; k++)
      table[k] = (int8_t)(k * 7 + i);
    const uint32_t x = net_input(&n, ASH_INT8, s, 0.5f, 0);
    const uint32_t t = net_constant(&n, ASH_INT8, NET_DIMS(256), table, 0, 0);
    const uint32_t op = net_op(&n, ASH_OP_lookup, NET_IDS(x, t),
                               net_result(&n, ASH_INT8, s, 0.25f, 0));
    (void)agree(&n, op);
  }
}

static inline void functions_of_several(void) {
  for (int i = 0; i < CUT_LAYERS; i++) {
    net n = net_new();
    const ash_shape s = some_shape();
    const bool three = i & 1;
    const uint32_t a =
        input(&n, three ? ASH_BOOL : ASH_FLOAT32, three ? narrower(s) : s);
    const uint32_t b = input(&n, ASH_FLOAT32, three ? s : narrower(s));
    const uint32_t c = input(&n, ASH_FLOAT32, narrower(s));
    const uint32_t op =
        net_op(&n, ASH_OP_map, three ? NET_IDS(a, b, c) : NET_IDS(a, b),
               result(&n, ASH_FLOAT32));
    net_string(&n, op, "fn", three ? "select" : "add");
    n.g->input_count = three ? 3 : 2;
    (void)agree(&n, op);
  }
}

static inline void chains_of_functions(void) {
  for (int i = 0; i < CUT_LAYERS; i++) {
    net n = net_new();
    const ash_shape s = some_shape();
    const uint32_t a = input(&n, ASH_INT32, s);
    const uint32_t b = input(&n, ASH_INT32, narrower(s));
    const uint32_t c = input(&n, ASH_FLOAT32, narrower(s));
    const uint32_t op = net_op(&n, ASH_OP_chain, NET_IDS(a, b, c),
                               net_result(&n, ASH_INT8, s, 0, 0));
    net_string(&n, op, "code",
               "int32 mul i0 i1; int32 cast i2; int32 add s0 s1; "
               "int32 shift_right s2 int32:3; int8 cast s3");
    n.g->input_count = 3;
    (void)agree(&n, op);
  }
}

#define CUT_LAYERS_LIST(X)                                                     \
  X(windows_on_images)                                                         \
  X(windows_in_any_dimension)                                                  \
  X(products)                                                                  \
  X(whole_numbers)                                                             \
  X(pairs)                                                                     \
  X(one_value_at_a_time)                                                       \
  X(tables_of_functions)                                                       \
  X(functions_of_several)                                                      \
  X(chains_of_functions)

#endif

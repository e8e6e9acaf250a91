/* cut_integers.c - random layers of integers without scales, to be cut
 * (cuts.h). */
#include "cuts.h"

enum { ROUNDS = 40 };

static ash_type integer_type(void) {
  static const ash_type types[] = {ASH_INT8, ASH_UINT8, ASH_INT16, ASH_INT32};
  return types[cut_pick(0, 3)];
}

/* Bytes have kernels that add up blocks. */
static ash_type factor_type(bool bytes) {
  return !bytes ? integer_type() : cut_pick(0, 1) ? ASH_INT8 : ASH_UINT8;
}

static uint32_t constant_of(net *n, ash_type type, ash_shape shape) {
  const ash_tensor t = {.type = type, .shape = shape};
  static uint64_t data[4096];
  pieces_fill(&cut_rng, &t, data);
  return net_constant(n, t.type, shape, data, 0, 0);
}

static uint32_t integer_constant(net *n, ash_shape shape) {
  return constant_of(n, integer_type(), shape);
}

/* Weights, and all of bias, factors and offsets that go together. */
static uint32_t integer_layer(net *n, ash_op_kind kind, uint32_t x, uint32_t w,
                              int32_t channels) {
  const bool matmul = kind == ASH_OP_matmul;
  const uint32_t b = matmul || cut_pick(0, 1)
                         ? ASH_NO_ID
                         : integer_constant(n, NET_DIMS(channels));
  const bool factors = cut_pick(0, 2) != 0;
  const uint32_t f =
      integer_constant(n, NET_DIMS(cut_pick(0, 1) ? channels : 1));
  const uint32_t o =
      integer_constant(n, NET_DIMS(cut_pick(0, 1) ? channels : 1));
  const uint32_t y = net_result(n, integer_type(), NET_DIMS(1), 0, 0);
  const uint32_t op = net_op(n, kind,
                             !factors         ? NET_IDS(x, w, b)
                             : cut_pick(0, 1) ? NET_IDS(x, w, b, f)
                                              : NET_IDS(x, w, b, f, o),
                             y);
  if (factors)
    net_int(n, op, "shift", cut_pick(0, 1) ? cut_pick(0, 9) : cut_pick(10, 30));
  if (cut_pick(0, 1))
    net_int(n, op, "low", -cut_pick(0, 200));
  if (cut_pick(0, 1))
    net_int(n, op, "high", cut_pick(0, 200));
  return op;
}

static void cut_integer_window(bool deep) {
  net n = net_new();
  const bool bytes = cut_pick(0, 2) > 0, many = cut_pick(0, 2) == 0;
  const int32_t groups = deep || cut_pick(0, 2) ? 1 : cut_pick(2, 3),
                c = cut_pick(1, many && deep ? 21 : 5);
  const int32_t each = !deep && groups == 1 && many ? cut_pick(1, 37)
                       : deep && cut_pick(0, 1)     ? 1
                                                    : cut_pick(1, 3),
                out = deep ? c * each : groups * each;
  const int32_t k = cut_pick(1, 3);
  const uint32_t x =
      net_input(&n, factor_type(bytes), cut_image(groups * c), 0, 0);
  const uint32_t w =
      constant_of(&n, factor_type(bytes),
                  deep ? NET_DIMS(1, k, k, out) : NET_DIMS(out, k, k, c));
  const uint32_t op = integer_layer(
      &n, deep ? ASH_OP_depthwise_conv_2d : ASH_OP_conv_2d, x, w, out);
  if (deep)
    net_int(&n, op, "multiplier", each);
  cut_window(&n, op, k, true);
  (void)cut_agree(&n, op);
}

static void cut_integer_dense(void) {
  net n = net_new();
  const bool bytes = cut_pick(0, 1);
  const int32_t out = cut_pick(1, bytes ? 37 : 9);
  const bool keeps = cut_pick(0, 1);
  const ash_shape in =
      NET_DIMS(cut_pick(1, 3), cut_pick(1, 3), cut_pick(2, 11));
  const uint32_t x = net_input(&n, factor_type(bytes), in, 0, 0);
  const uint32_t w =
      constant_of(&n, factor_type(bytes), NET_DIMS(out, in.dim[2]));
  const uint32_t op = integer_layer(&n, ASH_OP_fully_connected, x, w, out);
  net_int(&n, op, "keep_num_dims", keeps);
  (void)cut_agree(&n, op);
}

static void cut_integer_matmul(bool scaled) {
  net n = net_new();
  const int32_t batches[] = {cut_pick(1, 3), cut_pick(1, 3)};
  const int32_t m = cut_pick(1, 6), k = cut_pick(1, 6),
                columns = cut_pick(1, 6);
  const bool ta = cut_pick(0, 1), tb = cut_pick(0, 1);
  const uint32_t rank = (uint32_t)cut_pick(0, 2);
  const uint32_t a =
      net_input(&n, integer_type(), cut_matrix(m, k, ta, batches, rank), 0, 0);
  const uint32_t b = net_input(&n, integer_type(),
                               cut_matrix(k, columns, tb, batches, rank), 0, 0);
  const uint32_t op =
      scaled ? integer_layer(&n, ASH_OP_matmul, a, b, columns)
             : net_op(&n, ASH_OP_matmul, NET_IDS(a, b),
                      net_result(&n, cut_pick(0, 1) ? ASH_INT32 : ASH_INT64,
                                 NET_DIMS(1), 0, 0));
  net_int(&n, op, "transpose_a", ta);
  net_int(&n, op, "transpose_b", tb);
  (void)cut_agree(&n, op);
}

/* Of integers of several widths. */
static void cut_mixed(bool fold) {
  net n = net_new();
  const ash_shape s = cut_shape();
  const uint32_t a = net_input(&n, integer_type(), s, 0, 0);
  const uint32_t b =
      net_input(&n, integer_type(), fold ? s : cut_narrower(s), 0, 0);
  const uint32_t y = net_result(&n, integer_type(), NET_DIMS(1), 0, 0);
  const uint32_t op = fold ? net_op(&n, ASH_OP_reduce, NET_IDS(a), y)
                           : net_op(&n, ASH_OP_map, NET_IDS(a, b), y);
  const int64_t axes[] = {cut_pick(0, (int32_t)s.rank - 1)};
  net_string(&n, op, "fn",
             fold ? (cut_pick(0, 1) ? "sum" : "sum_square")
                  : (cut_pick(0, 1) ? "mul" : "sub"));
  if (fold)
    net_ints(&n, op, "axes", axes, 1);
  n.g->input_count = fold ? 1 : 2;
  (void)cut_agree(&n, op);
}

static void integers_without_scales(void) {
  for (int i = 0; i < ROUNDS; i++) {
    cut_integer_window(false);
    cut_integer_window(true);
    cut_integer_dense();
    cut_integer_matmul(true);
    cut_integer_matmul(false);
    cut_mixed(true);
    cut_mixed(false);
  }
}

const check_case cut_integers[] = {
    {"integers_without_scales", integers_without_scales},
    {NULL, NULL},
};

/* cut_windows.c - random windows and products, to be cut (cuts.h). */
#include "cuts.h"

enum { ROUNDS = 40 };

static void cut_conv(cut_types t) {
  net n = net_new();
  const int32_t groups = cut_pick(0, 1) ? 1 : cut_pick(2, 3),
                each = cut_pick(1, 5);
  const int32_t out = groups * cut_pick(1, 4), k = cut_pick(1, 3);
  const uint32_t x = cut_input(&n, t.x, cut_image(groups * each));
  const uint32_t w =
      cut_constant(&n, t.w, NET_DIMS(out, k, cut_pick(1, 3), each));
  const uint32_t b = cut_constant(&n, t.b, NET_DIMS(out));
  const uint32_t y = cut_result(&n, t.x);
  const uint32_t op = net_op(
      &n, ASH_OP_conv_2d, cut_pick(0, 2) ? NET_IDS(x, w, b) : NET_IDS(x, w), y);
  if (cut_has_channels(t))
    cut_channel_scales(&n, w, 0);
  cut_window(&n, op, 1 + n.g->tensors.items[w].shape.dim[1] / 2, true);
  (void)cut_agree(&n, op);
}

static void cut_depthwise(cut_types t) {
  net n = net_new();
  const int32_t c = cut_pick(1, 5), each = cut_pick(1, 3), k = cut_pick(1, 3);
  const uint32_t x = cut_input(&n, t.x, cut_image(c));
  const uint32_t w = cut_constant(&n, t.w, NET_DIMS(1, k, k, c * each));
  const uint32_t b = cut_constant(&n, t.b, NET_DIMS(c * each));
  const uint32_t op = net_op(&n, ASH_OP_depthwise_conv_2d, NET_IDS(x, w, b),
                             cut_result(&n, t.x));
  if (cut_has_channels(t))
    cut_channel_scales(&n, w, 3);
  net_int(&n, op, "multiplier", each);
  cut_window(&n, op, k, true);
  (void)cut_agree(&n, op);
}

static void cut_pool(ash_op_kind kind, ash_type type) {
  net n = net_new();
  const int32_t k = cut_pick(1, 3);
  const uint32_t x =
      net_input(&n, type, cut_image(cut_pick(1, 5)), cut_scale(type), 0);
  const uint32_t y = net_result(&n, type, NET_DIMS(1), cut_scale(type), 0);
  const uint32_t op = net_op(&n, kind, NET_IDS(x), y);
  net_int(&n, op, "filter_h", k);
  net_int(&n, op, "filter_w", k);
  cut_window(&n, op, k, false);
  (void)cut_agree(&n, op);
}

static void windows_on_images(void) {
  for (int i = 0; i < ROUNDS; i++) {
    const ash_type type = i & 1 ? ASH_INT8 : ASH_FLOAT32;
    cut_conv(cut_layer(i));
    cut_depthwise(cut_layer(i));
    cut_pool(ASH_OP_average_pool_2d, type);
    cut_pool(ASH_OP_max_pool_2d, type);
  }
}

static void cut_conv_nd(void) {
  net n = net_new();
  const int32_t groups = cut_pick(0, 1) ? 1 : cut_pick(2, 3),
                each = cut_pick(1, 4), out = groups * cut_pick(1, 3);
  const int32_t k = cut_pick(1, 3);
  const bool flat = cut_pick(0, 1);
  const uint32_t x = cut_input(
      &n, ASH_FLOAT32,
      flat ? NET_DIMS(cut_pick(1, 2), groups * each, cut_pick(6, 9))
           : NET_DIMS(1, groups * each, cut_pick(6, 9), cut_pick(6, 9)));
  const uint32_t w = cut_constant(
      &n, ASH_FLOAT32,
      flat ? NET_DIMS(out, each, k) : NET_DIMS(out, each, k, cut_pick(1, 3)));
  const uint32_t b = cut_constant(&n, ASH_FLOAT32, NET_DIMS(out));
  const uint32_t op =
      net_op(&n, ASH_OP_conv_nd, NET_IDS(x, w, b), cut_result(&n, ASH_FLOAT32));
  const int64_t stride[] = {cut_pick(1, 3), cut_pick(1, 3)};
  const int64_t dilation[] = {cut_pick(1, 2), cut_pick(1, 2)};
  const int64_t pad[] = {cut_pick(0, 5), cut_pick(0, 1), cut_pick(0, 5),
                         cut_pick(0, 1)};
  const uint32_t axes = flat ? 1 : 2;
  net_ints(&n, op, "stride", stride, axes);
  net_ints(&n, op, "dilation", dilation, axes);
  net_ints(&n, op, "pad", pad, 2 * axes);
  net_int(&n, op, "groups", groups);
  (void)cut_agree(&n, op);
}

static void cut_pool_nd(void) {
  net n = net_new();
  const uint32_t x =
      cut_input(&n, ASH_FLOAT32,
                NET_DIMS(cut_pick(1, 2), 3, cut_pick(5, 9), cut_pick(5, 9)));
  const uint32_t op =
      net_op(&n, ASH_OP_pool_nd, NET_IDS(x), cut_result(&n, ASH_FLOAT32));
  const int64_t kernel[] = {cut_pick(1, 3), cut_pick(1, 3)};
  const int64_t stride[] = {cut_pick(1, 3), cut_pick(1, 3)};
  const int64_t pad[] = {cut_pick(0, (int32_t)kernel[0] - 1), 0,
                         cut_pick(0, (int32_t)kernel[0] - 1), 0};
  net_ints(&n, op, "kernel", kernel, 2);
  net_ints(&n, op, "stride", stride, 2);
  net_ints(&n, op, "pad", pad, 4);
  net_string(&n, op, "fn", cut_pick(0, 1) ? "max" : "mean");
  net_int(&n, op, "count_pad", cut_pick(0, 1));
  pieces_shape(&n, op);
  const ash_shape *out = &n.g->tensors.items[n.g->outputs[0]].shape;
  const ash_shape *in = &n.g->tensors.items[x].shape;
  int64_t size[2];
  for (uint32_t i = 0; i < 2; i++) {
    size[i] = out->dim[i + 2];
    if (size[i] * stride[i] - pad[i] < in->dim[i + 2])
      size[i] += cut_pick(0, 1);
  }
  net_ints(&n, op, "size", size, 2);
  (void)cut_agree(&n, op);
}

static void windows_in_any_dimension(void) {
  for (int i = 0; i < 2 * ROUNDS; i++) {
    cut_conv_nd();
    cut_pool_nd();
  }
}

/* ---- products ----------------------------------------------------------- */

static void cut_dense(cut_types t) {
  net n = net_new();
  const int32_t out = cut_pick(1, 9);
  const bool keeps = cut_pick(0, 2) == 0, flat = cut_pick(0, 1);
  const ash_shape in = NET_DIMS(cut_pick(1, 3), cut_pick(1, 3), cut_pick(2, 6));
  const int32_t depth = keeps || flat ? in.dim[2] : in.dim[1] * in.dim[2];
  const uint32_t x = cut_input(&n, t.x, in);
  const uint32_t w = cut_constant(&n, t.w, NET_DIMS(out, depth));
  const uint32_t b = cut_constant(&n, t.b, NET_DIMS(out));
  const uint32_t op =
      net_op(&n, ASH_OP_fully_connected, NET_IDS(x, w, b), cut_result(&n, t.x));
  if (cut_has_channels(t))
    cut_channel_scales(&n, w, 0);
  net_int(&n, op, "keep_num_dims", keeps);
  (void)cut_agree(&n, op);
}

static void cut_matmul(ash_type type) {
  net n = net_new();
  const int32_t batches[] = {cut_pick(1, 3), cut_pick(1, 3)};
  const int32_t m = cut_pick(1, 6), k = cut_pick(1, 6),
                columns = cut_pick(1, 6);
  const bool ta = cut_pick(0, 1), tb = cut_pick(0, 1);
  const uint32_t rank = (uint32_t)cut_pick(0, 2);
  const uint32_t a = cut_input(&n, type, cut_matrix(m, k, ta, batches, rank));
  const uint32_t b =
      cut_input(&n, type, cut_matrix(k, columns, tb, batches, rank));
  const uint32_t op =
      net_op(&n, ASH_OP_matmul, NET_IDS(a, b), cut_result(&n, type));
  net_int(&n, op, "transpose_a", ta);
  net_int(&n, op, "transpose_b", tb);
  (void)cut_agree(&n, op);
}

/* Queries of `heads` heads in groups; masks may lack axes. */
static void cut_attention(ash_type type) {
  net n = net_new();
  const int32_t heads = cut_pick(1, 2), group = cut_pick(1, 2);
  const int32_t b = cut_pick(1, 2), m = cut_pick(1, 5), keys = cut_pick(1, 5);
  const int32_t depth = cut_pick(1, 4), columns = cut_pick(1, 4);
  const bool turned = cut_pick(0, 1), real = type == ASH_FLOAT32;
  const int32_t kb = cut_pick(0, 1) ? b : 1;
  const uint32_t q = cut_input(&n, type, NET_DIMS(b, heads * group, m, depth));
  const uint32_t k = cut_input(&n, type,
                               turned ? NET_DIMS(kb, heads, depth, keys)
                                      : NET_DIMS(kb, heads, keys, depth));
  const uint32_t v = cut_input(&n, type, NET_DIMS(kb, heads, keys, columns));
  const ash_shape scores = NET_DIMS(b, heads * group, m, keys);
  const uint32_t bias = real && cut_pick(0, 1)
                            ? cut_input(&n, ASH_FLOAT32, cut_narrower(scores))
                            : ASH_NO_ID;
  const uint32_t keep = real && cut_pick(0, 1)
                            ? cut_input(&n, ASH_BOOL, cut_narrower(scores))
                            : ASH_NO_ID;
  const uint32_t op = net_op(&n, ASH_OP_attention, NET_IDS(q, k, v, bias, keep),
                             cut_result(&n, type));
  net_int(&n, op, "transpose_k", turned);
  net_int(&n, op, "keep", cut_pick(0, 1));
  net_float(&n, op, "filler", -3.0);
  net_float(&n, op, "factor", 0.5);
  if (!real) {
    net_float(&n, op, "score_scale", 0.125);
    net_int(&n, op, "score_zero", cut_pick(-9, 9));
    net_float(&n, op, "share_scale", 1.0 / 256);
  }
  (void)cut_agree(&n, op);
}

static void products(void) {
  for (int i = 0; i < ROUNDS; i++) {
    cut_dense(cut_layer(i));
    cut_matmul(i & 1 ? ASH_INT8 : ASH_INT16);
    cut_matmul(i & 1 ? ASH_INT32 : ASH_FLOAT32);
    cut_attention(i & 1 ? ASH_INT8 : ASH_FLOAT32);
  }
}

const check_case cut_windows[] = {
    {"windows_on_images", windows_on_images},
    {"windows_in_any_dimension", windows_in_any_dimension},
    {"products", products},
    {NULL, NULL},
};

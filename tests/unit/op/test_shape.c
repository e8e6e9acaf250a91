/* test_shape.c - the shape rules: right cases give the shape, wrong cases give
 * the diagnostic that names what is wrong. */
#include "check.h"
#include "net.h"
#include "op/shape/shape.h"
#include "op/verify.h"

static void gives(const net *n, uint32_t op, ash_shape want) {
  ash_shape got = {0};
  const ash_status status = ash_infer_shape(n->ctx, n->g, op, &got);
  if (status != ASH_OK) {
    size_t count;
    char buf[300];
    const ash_diag *d = ash_ctx_diags(n->ctx, &count);
    (void)ash_diag_format(buf, sizeof buf, &d[count - 1]);
    fprintf(stderr, "%s\n", buf);
  }
  CHECK_EQ(status, ASH_OK);
  CHECK_EQ(got.rank, want.rank);
  for (uint32_t i = 0; i < want.rank; i++)
    CHECK_EQ(got.dim[i], want.dim[i]);
}

/* The newest diagnostic has this id and says this. */
static void refuses(const net *n, uint32_t op, ash_diag_id id,
                    const char *says) {
  ash_shape got = {0};
  size_t count;
  CHECK(ash_infer_shape(n->ctx, n->g, op, &got) != ASH_OK);
  const ash_diag *d = ash_ctx_diags(n->ctx, &count);
  CHECK_EQ(d[count - 1].id, id);
  if (!strstr(d[count - 1].message, says))
    CHECK_STR(d[count - 1].message, says);
  CHECK(d[count - 1].loc.op_kind != NULL);
  ash_ctx_forget(n->ctx);
}

/* ---- convolutions, pools, dense layers ---------------------------------- */

typedef struct conv_net {
  net n;
  uint32_t x, w, b, y, op;
} conv_net;

/* Constants have no bytes here: rules look at shapes alone. */
static conv_net conv(ash_op_kind kind, ash_shape x, ash_shape w, ash_shape b) {
  conv_net c = {.n = net_new()};
  c.x = net_input(&c.n, ASH_INT8, x, 0.5f, -1);
  c.w = net_tensor(
      &c.n,
      (ash_tensor){.kind = ASH_TENSOR_CONSTANT, .type = ASH_INT8, .shape = w},
      0.25f, 0);
  c.b = net_tensor(
      &c.n,
      (ash_tensor){.kind = ASH_TENSOR_CONSTANT, .type = ASH_INT32, .shape = b},
      0, 0);
  c.y = net_result(&c.n, ASH_INT8, NET_SCALAR, 1.0f, 3);
  c.op = net_op(&c.n, kind, NET_IDS(c.x, c.w, c.b), c.y);
  return c;
}

static conv_net plain_conv(void) {
  return conv(ASH_OP_conv_2d, NET_DIMS(2, 9, 7, 3), NET_DIMS(8, 3, 3, 3),
              NET_DIMS(8));
}

static void convolution_counts_its_windows(void) {
  conv_net c = plain_conv();
  gives(&c.n, c.op, NET_DIMS(2, 7, 5, 8));
  net_int(&c.n, c.op, "stride_h", 2);
  net_int(&c.n, c.op, "pad_top", 1);
  net_int(&c.n, c.op, "pad_bottom", 1);
  net_int(&c.n, c.op, "dilation_w", 3);
  gives(&c.n, c.op, NET_DIMS(2, 5, 1, 8));
  net_free(&c.n);
}

static void convolution_may_have_groups(void) {
  conv_net c = conv(ASH_OP_conv_2d, NET_DIMS(1, 4, 4, 6), NET_DIMS(9, 1, 1, 2),
                    NET_DIMS(9));
  gives(&c.n, c.op, NET_DIMS(1, 4, 4, 9));
  c.n.g->tensors.items[c.w].shape.dim[0] = 8;
  c.n.g->tensors.items[c.b].shape.dim[0] = 8;
  refuses(&c.n, c.op, ASH_D_shape_channels, "weights for 2 to 8 channels");
  c.n.g->tensors.items[c.w].shape.dim[3] = 4;
  refuses(&c.n, c.op, ASH_D_shape_channels, "the input has 6");
  net_free(&c.n);
}

static void convolution_refuses_bad_attributes(void) {
  conv_net c = plain_conv();
  net_int(&c.n, c.op, "stride_w", 0);
  refuses(&c.n, c.op, ASH_D_shape_attr, "stride_w is 0, expected at least 1");
  net_int(&c.n, c.op, "stride_w", 1);
  net_int(&c.n, c.op, "dilation_h", -2);
  refuses(&c.n, c.op, ASH_D_shape_attr, "dilation_h is -2");
  net_int(&c.n, c.op, "dilation_h", INT32_MAX);
  refuses(&c.n, c.op, ASH_D_shape_window, "a window of 4294967295");
  net_int(&c.n, c.op, "dilation_h", 1);
  net_int(&c.n, c.op, "pad_left", -1);
  refuses(&c.n, c.op, ASH_D_shape_attr, "pad_left is -1, expected at least 0");
  net_int(&c.n, c.op, "pad_left", 0);
  net_string(&c.n, c.op, "act", "tanh");
  refuses(&c.n, c.op, ASH_D_shape_act, "fused activation tanh");
  net_free(&c.n);
}

static void convolution_refuses_bad_tensors(void) {
  conv_net c = plain_conv();
  ash_tensor *t = c.n.g->tensors.items;
  t[c.b].shape.dim[0] = 7;
  refuses(&c.n, c.op, ASH_D_shape_channels, "expected 8 values");
  t[c.b].type = ASH_INT64;
  refuses(&c.n, c.op, ASH_D_shape_type, "type int64, expected int32");
  t[c.w].shape.rank = 3;
  refuses(&c.n, c.op, ASH_D_shape_rank, "rank 3, expected rank 4");
  t[c.w].shape.rank = 4;
  t[c.x].type = ASH_INT32;
  refuses(&c.n, c.op, ASH_D_shape_type,
          "type int32, expected int8, uint8, int16 or float32");
  c.n.g->ops.items[c.op].inputs[1] = ASH_NO_ID;
  t[c.x].type = ASH_INT8;
  refuses(&c.n, c.op, ASH_D_shape_input, "input 1 (weights) is missing");
  net_free(&c.n);
}

static void convolution_needs_symmetric_weights(void) {
  conv_net c = plain_conv();
  const float scales[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  net_channels(&c.n, c.w, 0, scales, 8);
  gives(&c.n, c.op, NET_DIMS(2, 7, 5, 8));
  net_channels(&c.n, c.w, 3, scales, 3);
  refuses(&c.n, c.op, ASH_D_shape_quant, "expected 1, or 8 along axis 0");
  net_channels(&c.n, c.w, 0, (const float[8]){1, 0}, 8);
  refuses(&c.n, c.op, ASH_D_shape_quant, "scale 0.0 of channel 1");
  const int32_t zeros[8] = {0, 0, 5};
  net_channels(&c.n, c.w, 0, scales, 8);
  c.n.g->tensors.items[c.w].quant.zero_point = zeros;
  refuses(&c.n, c.op, ASH_D_shape_quant, "zero point 5 of channel 2");
  net_channels(&c.n, c.w, 0, scales, 8);
  c.n.g->tensors.items[c.x].quant.count = 0;
  refuses(&c.n, c.op, ASH_D_shape_quant, "0 scales, expected 1");
  net_free(&c.n);
}

static void convolutions_without_scales_sum_integers(void) {
  conv_net c = plain_conv();
  ash_tensor *t = c.n.g->tensors.items;
  net_int(&c.n, c.op, "low", 0);
  refuses(&c.n, c.op, ASH_D_shape_attr, "are for integers without scales");
  t[c.x].quant.count = t[c.w].quant.count = 0;
  gives(&c.n, c.op, NET_DIMS(2, 7, 5, 8));
  t[c.x].type = ASH_UINT16;
  t[c.y].type = ASH_INT32;
  gives(&c.n, c.op, NET_DIMS(2, 7, 5, 8));
  net_int(&c.n, c.op, "shift", 3);
  refuses(&c.n, c.op, ASH_D_shape_attr, "offsets without factors");
  net_int(&c.n, c.op, "shift", 0);
  net_string(&c.n, c.op, "act", "relu");
  refuses(&c.n, c.op, ASH_D_shape_attr, "use low and high");
  net_free(&c.n);
}

static void depthwise_multiplies_channels(void) {
  conv_net c = conv(ASH_OP_depthwise_conv_2d, NET_DIMS(1, 5, 5, 3),
                    NET_DIMS(1, 3, 3, 6), NET_DIMS(6));
  refuses(&c.n, c.op, ASH_D_shape_channels, "expected 1 of 3 x 1");
  net_int(&c.n, c.op, "multiplier", 2);
  gives(&c.n, c.op, NET_DIMS(1, 3, 3, 6));
  net_free(&c.n);
}

static void windows_larger_than_the_input_are_refused(void) {
  conv_net c = conv(ASH_OP_conv_2d, NET_DIMS(1, 2, 7, 3), NET_DIMS(8, 3, 3, 3),
                    NET_DIMS(8));
  refuses(&c.n, c.op, ASH_D_shape_window,
          "a window of 3 does not fit the padded height of 2");
  net_free(&c.n);
}

static void dense_layers_flatten_or_keep(void) {
  conv_net c = conv(ASH_OP_fully_connected, NET_DIMS(2, 3, 4), NET_DIMS(5, 4),
                    NET_DIMS(5));
  gives(&c.n, c.op, NET_DIMS(6, 5));
  net_int(&c.n, c.op, "keep_num_dims", 1);
  gives(&c.n, c.op, NET_DIMS(2, 3, 5));
  c.n.g->tensors.items[c.x].shape = NET_DIMS(2, 6, 2);
  refuses(&c.n, c.op, ASH_D_shape_channels, "does not divide into rows of 4");
  net_int(&c.n, c.op, "keep_num_dims", 0);
  gives(&c.n, c.op, NET_DIMS(6, 5));
  c.n.g->tensors.items[c.x].shape = NET_DIMS(7);
  refuses(&c.n, c.op, ASH_D_shape_channels, "shape [7]");
  net_free(&c.n);
}

static void pools_refuse_windows_of_padding(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(1, 6, 6, 4), 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, NET_SCALAR, 0, 0);
  const uint32_t op = net_op(&n, ASH_OP_average_pool_2d, NET_IDS(x), y);
  net_int(&n, op, "filter_h", 2);
  net_int(&n, op, "filter_w", 3);
  net_int(&n, op, "stride_h", 2);
  gives(&n, op, NET_DIMS(1, 3, 4, 4));
  net_int(&n, op, "pad_right", 3);
  refuses(&n, op, ASH_D_shape_window, "padding of a 2x3 pool");
  net_free(&n);
}

/* ---- element-wise ------------------------------------------------------- */

static void addition_broadcasts(void) {
  net n = net_new();
  const uint32_t a = net_input(&n, ASH_FLOAT32, NET_DIMS(2, 1, 3), 0, 0);
  const uint32_t b = net_input(&n, ASH_FLOAT32, NET_DIMS(4, 1), 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, NET_SCALAR, 0, 0);
  const uint32_t op = net_op(&n, ASH_FN_ROW(add), NET_IDS(a, b), y);
  gives(&n, op, NET_DIMS(2, 4, 3));
  n.g->tensors.items[b].shape = NET_SCALAR;
  gives(&n, op, NET_DIMS(2, 1, 3));
  n.g->tensors.items[b].shape = NET_DIMS(2);
  refuses(&n, op, ASH_D_shape_broadcast, "shapes [2,1,3] and [2] differ");
  n.g->tensors.items[b].type = ASH_INT8;
  refuses(&n, op, ASH_D_shape_type, "type int8, expected float32");
  net_free(&n);
}

static void activations_keep_shape_and_type(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(3, 5), 0.1f, 2);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(3, 5), 0.1f, 2);
  const uint32_t op = net_op(&n, ASH_FN_ROW(relu6), NET_IDS(x), y);
  gives(&n, op, NET_DIMS(3, 5));
  net_string(&n, op, "fn", "logistic");
  refuses(&n, op, ASH_D_shape_quant, "expected 1/256");
  n.g->ops.items[op].kind = ASH_OP_softmax;
  n.g->ops.items[op].attr_count = 0;
  refuses(&n, op, ASH_D_shape_quant, "expected 1/256");
  n.g->tensors.items[y].type = ASH_UINT8;
  refuses(&n, op, ASH_D_shape_type, "type uint8, expected int8");
  net_free(&n);
}

static void quantize_and_dequantize_change_the_type(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(4), 0, 0);
  const uint32_t y = net_result(&n, ASH_INT16, NET_DIMS(4), 0.1f, 0);
  const uint32_t op = net_op(&n, ASH_OP_quantize, NET_IDS(x), y);
  gives(&n, op, NET_DIMS(4));
  n.g->ops.items[op].kind = ASH_OP_dequantize;
  refuses(&n, op, ASH_D_shape_type, "type float32, expected int8, uint8 or");
  n.g->ops.items[op].inputs[0] = y;
  n.g->ops.items[op].outputs[0] = x;
  gives(&n, op, NET_DIMS(4));
  n.g->ops.items[op].kind = ASH_OP_quantize;
  refuses(&n, op, ASH_D_shape_type, "type float32, expected");
  net_free(&n);
}

/* ---- moves and reductions ----------------------------------------------- */

static void mean_folds_axes_from_both_ends(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(2, 3, 4, 5), 1, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_SCALAR, 1, 0);
  const uint32_t op =
      net_fold(&n, "mean", x, y, (const int64_t[]){1, -2, 2}, 3);
  gives(&n, op, NET_DIMS(2, 5));
  net_int(&n, op, "keep_dims", 1);
  gives(&n, op, NET_DIMS(2, 1, 1, 5));
  net_ints(&n, op, "axes", (const int64_t[]){0, 1, -5}, 3);
  refuses(&n, op, ASH_D_shape_axis, "axis -5 of a tensor of rank 4");
  net_free(&n);
}

static void reshape_keeps_the_elements(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(2, 6), 1, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(3, 4), 1, 0);
  const uint32_t op = net_op(&n, ASH_OP_reshape, NET_IDS(x), y);
  gives(&n, op, NET_DIMS(3, 4));
  n.g->tensors.items[y].shape = NET_DIMS(13);
  refuses(&n, op, ASH_D_shape_elements, "expected 12 as in [2,6]");
  net_free(&n);
}

static void pad_grows_each_axis(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(2, 3), 1, 0);
  const uint32_t v =
      net_constant(&n, ASH_INT8, NET_DIMS(1), NET_BYTES(9), 1, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_SCALAR, 1, 0);
  const uint32_t op = net_op(&n, ASH_OP_pad, NET_IDS(x, v), y);
  net_ints(&n, op, "before", (const int64_t[]){0, 2}, 2);
  net_ints(&n, op, "after", (const int64_t[]){1, 3}, 2);
  gives(&n, op, NET_DIMS(3, 8));
  n.g->tensors.items[v].type = ASH_INT32;
  refuses(&n, op, ASH_D_shape_type, "type int32, expected int8");
  n.g->ops.items[op].inputs[1] = ASH_NO_ID;
  net_ints(&n, op, "after", (const int64_t[]){-1, 3}, 2);
  refuses(&n, op, ASH_D_shape_attr, "paddings 0 and -1 of axis 0");
  net_ints(&n, op, "after", (const int64_t[]){1}, 1);
  refuses(&n, op, ASH_D_shape_attr, "paddings 2 and -1 of axis 1");
  net_free(&n);
}

static void concatenation_joins_one_axis(void) {
  net n = net_new();
  const uint32_t a = net_input(&n, ASH_INT8, NET_DIMS(2, 3), 1, 0);
  const uint32_t b = net_input(&n, ASH_INT8, NET_DIMS(2, 4), 1, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_SCALAR, 1, 0);
  const uint32_t op = net_op(&n, ASH_OP_concatenation, NET_IDS(a, b, a), y);
  net_int(&n, op, "axis", -1);
  gives(&n, op, NET_DIMS(2, 10));
  net_int(&n, op, "axis", 0);
  refuses(&n, op, ASH_D_shape_broadcast, "shape [2,4] differs from [2,3]");
  net_int(&n, op, "axis", 2);
  refuses(&n, op, ASH_D_shape_axis, "axis 2 of a tensor of rank 2");
  net_int(&n, op, "axis", 1);
  const float other = 2;
  n.g->tensors.items[b].quant.scale = &other;
  gives(&n, op, NET_DIMS(2, 10)); /* int8 is rescaled */
  n.g->tensors.items[b].quant.count = 0;
  refuses(&n, op, ASH_D_shape_quant, "scale 0.0 and zero point 0");
  net_free(&n);
}

static void macs_count_products(void) {
  conv_net c = plain_conv();
  c.n.g->tensors.items[c.y].shape = NET_DIMS(2, 7, 5, 8);
  CHECK_EQ(ash_op_macs(c.n.g, c.op), 2 * 7 * 5 * 8 * 27);
  c.n.g->ops.items[c.op].kind = ASH_OP_map;
  CHECK_EQ(ash_op_macs(c.n.g, c.op), 0);
  net_free(&c.n);
  c = conv(ASH_OP_depthwise_conv_2d, NET_DIMS(1, 5, 5, 3), NET_DIMS(1, 3, 3, 3),
           NET_DIMS(3));
  c.n.g->tensors.items[c.y].shape = NET_DIMS(1, 3, 3, 3);
  CHECK_EQ(ash_op_macs(c.n.g, c.op), 27 * 9);
  net_free(&c.n);
}

#define TESTS(X)                                                               \
  X(convolution_counts_its_windows)                                            \
  X(convolution_may_have_groups)                                               \
  X(convolution_refuses_bad_attributes)                                        \
  X(convolution_refuses_bad_tensors)                                           \
  X(convolution_needs_symmetric_weights)                                       \
  X(convolutions_without_scales_sum_integers)                                  \
  X(depthwise_multiplies_channels)                                             \
  X(windows_larger_than_the_input_are_refused)                                 \
  X(dense_layers_flatten_or_keep)                                              \
  X(pools_refuse_windows_of_padding)                                           \
  X(addition_broadcasts)                                                       \
  X(activations_keep_shape_and_type)                                           \
  X(quantize_and_dequantize_change_the_type)                                   \
  X(mean_folds_axes_from_both_ends)                                            \
  X(reshape_keeps_the_elements)                                                \
  X(pad_grows_each_axis)                                                       \
  X(concatenation_joins_one_axis)                                              \
  X(macs_count_products)
TEST_MAIN(TESTS)

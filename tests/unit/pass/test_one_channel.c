/* test_one_channel.c - depthwise convolutions of one channel become
 * convolutions with the same results, on processors with kernels for them. */
#include "cuts.h"
#include "op/verify.h"
#include "pass/pass.h"
#include "run_net.h"

enum { ROUNDS = 60, VALUES = 4096 };

static uint32_t add_layer(net *n, int32_t channels, bool each) {
  const int32_t k = cut_pick(1, 3);
  const uint32_t x = cut_input(n, ASH_INT8, cut_image(1));
  const uint32_t w =
      cut_constant(n, ASH_INT8, NET_DIMS(1, k, cut_pick(1, 3), channels));
  const uint32_t b = cut_constant(n, ASH_INT32, NET_DIMS(channels));
  const uint32_t op = net_op(n, ASH_OP_depthwise_conv_2d,
                             cut_pick(0, 2) ? NET_IDS(x, w, b) : NET_IDS(x, w),
                             cut_result(n, ASH_INT8));
  net_int(n, op, "multiplier", channels);
  if (each)
    cut_channel_scales(n, w, 3);
  cut_window(n, op, k, true);
  return op;
}

static ash_op_kind kind_after(net *n, uint32_t op, uint32_t features) {
  const ash_target target = {.features = features};
  CHECK_EQ(ash_pass_one_channel(n->ctx, n->g, &target), ASH_OK);
  CHECK_EQ(ash_op_verify(n->ctx, n->g), ASH_OK);
  return n->g->ops.items[op].kind;
}

static void one_channel_becomes_a_convolution(void) {
  static uint64_t in[VALUES], before[VALUES], after[VALUES];
  for (int i = 0; i < ROUNDS; i++) {
    net n = net_new();
    const uint32_t op = add_layer(&n, cut_pick(2, 9), i % 2);
    pieces_shape(&n, 0);
    const ash_tensor y = n.g->tensors.items[n.g->outputs[0]];
    CHECK(y.bytes <= sizeof before);
    pieces_fill(&cut_rng, &n.g->tensors.items[n.g->inputs[0]], in);
    net_run(&n, in, NULL, before);
    CHECK_EQ(kind_after(&n, op, 0), ASH_OP_depthwise_conv_2d);
    CHECK_EQ(kind_after(&n, op, ASH_FEATURE_DSP | ASH_FEATURE_CMSIS_NN),
             ASH_OP_depthwise_conv_2d);
    CHECK_EQ(kind_after(&n, op, ASH_FEATURE_DSP), ASH_OP_conv_2d);
    net_run(&n, in, NULL, after);
    CHECK(memcmp(before, after, (size_t)y.bytes) == 0);
    net_free(&n);
  }
}

static void several_channels_stay(void) {
  net n = net_new();
  const uint32_t x = cut_input(&n, ASH_INT8, NET_DIMS(1, 4, 4, 2));
  const uint32_t w = cut_constant(&n, ASH_INT8, NET_DIMS(1, 3, 3, 4));
  const uint32_t op = net_op(&n, ASH_OP_depthwise_conv_2d, NET_IDS(x, w),
                             cut_result(&n, ASH_INT8));
  net_int(&n, op, "multiplier", 2);
  pieces_shape(&n, 0);
  CHECK_EQ(kind_after(&n, op, ASH_FEATURE_MVE), ASH_OP_depthwise_conv_2d);
  net_free(&n);
}

#define TESTS(X)                                                               \
  X(one_channel_becomes_a_convolution)                                         \
  X(several_channels_stay)
TEST_MAIN(TESTS)

/* test_dead_channels.c - channels that never change or are never read go, and
 * results stay: chains of convolutions, depthwise convolutions and pools with
 * channels of all these kinds. */
#include "cuts.h"
#include "op/verify.h"
#include "pass/pass.h"
#include "run_net.h"

#include <string.h>

enum { ROUNDS = 200, CHANNELS = 24, MADE = 5, SIZE = 8, VALUES = 4096 };

typedef enum fate {
  LIVE,
  RECTIFIED, /* the zero point, whatever comes in */
  FIXED,     /* another constant                  */
  UNREAD,    /* multiplied with 0                 */
  FATES
} fate;

typedef struct chain {
  net n;
  fate fate[CHANNELS];
  bool padded;   /* the convolution that reads them */
  uint32_t made; /* the tensor of the first layer   */
} chain;

static uint32_t middle(net *n, int32_t size, int32_t channels, float scale) {
  return net_tensor(n,
                    (ash_tensor){.kind = ASH_TENSOR_ACTIVATION,
                                 .type = ASH_INT8,
                                 .shape = NET_DIMS(1, size, size, channels)},
                    scale, -128);
}

static void pad(net *n, uint32_t op, int32_t by) {
  const char *const names[] = {"pad_top", "pad_left", "pad_bottom",
                               "pad_right"};
  for (size_t i = 0; i < ASH_COUNT_OF(names); i++)
    net_int(n, op, names[i], by);
}

static uint32_t add_first(chain *c, uint32_t x) {
  int8_t w[CHANNELS][9 * 3];
  int32_t b[CHANNELS];
  for (uint32_t i = 0; i < CHANNELS; i++) {
    const bool zero = c->fate[i] == RECTIFIED || c->fate[i] == FIXED;
    for (uint32_t k = 0; k < 27; k++)
      w[i][k] = (int8_t)(zero ? 0 : cut_pick(-127, 127));
    b[i] = c->fate[i] == RECTIFIED ? cut_pick(-3000, 0)
           : c->fate[i] == FIXED   ? cut_pick(2000, 9000)
                                   : cut_pick(-9000, 9000);
  }
  const uint32_t y = middle(&c->n, SIZE, CHANNELS, 0.6f);
  const uint32_t op = net_op(
      &c->n, ASH_OP_conv_2d,
      NET_IDS(x,
              net_constant(&c->n, ASH_INT8, NET_DIMS(CHANNELS, 3, 3, 3), w,
                           0.01f, 0),
              net_constant(&c->n, ASH_INT32, NET_DIMS(CHANNELS), b, 0.001f, 0)),
      y);
  pad(&c->n, op, 1);
  net_string(&c->n, op, "act", "relu");
  return y;
}

static uint32_t add_depthwise(chain *c, uint32_t x) {
  int8_t w[9][CHANNELS];
  int32_t b[CHANNELS];
  for (uint32_t i = 0; i < CHANNELS; i++) {
    for (uint32_t k = 0; k < 9; k++)
      w[k][i] = (int8_t)cut_pick(-127, 127);
    b[i] = cut_pick(-900, 900);
  }
  const uint32_t filter =
      net_constant(&c->n, ASH_INT8, NET_DIMS(1, 3, 3, CHANNELS), w, 0.01f, 0);
  cut_channel_scales(&c->n, filter, 3);
  const uint32_t y = middle(&c->n, SIZE, CHANNELS, 1.0f);
  const uint32_t op = net_op(
      &c->n, ASH_OP_depthwise_conv_2d,
      NET_IDS(x, filter,
              net_constant(&c->n, ASH_INT32, NET_DIMS(CHANNELS), b, 0.006f, 0)),
      y);
  net_int(&c->n, op, "multiplier", 1);
  pad(&c->n, op, 1);
  if (cut_pick(0, 1))
    net_string(&c->n, op, "act", "relu");
  return y;
}

static uint32_t add_pool(chain *c, uint32_t x, float scale) {
  const uint32_t y = middle(&c->n, SIZE / 2, CHANNELS, scale);
  const uint32_t op = net_op(
      &c->n, cut_pick(0, 1) ? ASH_OP_max_pool_2d : ASH_OP_average_pool_2d,
      NET_IDS(x), y);
  net_int(&c->n, op, "filter_h", 2);
  net_int(&c->n, op, "filter_w", 2);
  net_int(&c->n, op, "stride_h", 2);
  net_int(&c->n, op, "stride_w", 2);
  return y;
}

static void add_last(chain *c, uint32_t x, int32_t size) {
  int8_t w[MADE][9][CHANNELS];
  int32_t b[MADE];
  for (uint32_t i = 0; i < MADE; i++) {
    for (uint32_t k = 0; k < 9 * CHANNELS; k++)
      w[i][k / CHANNELS][k % CHANNELS] =
          (int8_t)(c->fate[k % CHANNELS] == UNREAD ? 0 : cut_pick(-127, 127));
    b[i] = cut_pick(-900, 900);
  }
  const int32_t out = c->padded ? size : size - 2;
  const uint32_t filter = net_constant(
      &c->n, ASH_INT8, NET_DIMS(MADE, 3, 3, CHANNELS), w, 0.01f, 0);
  cut_channel_scales(&c->n, filter, 0);
  const uint32_t op = net_op(
      &c->n, ASH_OP_conv_2d,
      NET_IDS(x, filter,
              net_constant(&c->n, ASH_INT32, NET_DIMS(MADE), b, 0.01f, 0)),
      net_result(&c->n, ASH_INT8, NET_DIMS(1, out, out, MADE), 8.0f, 3));
  pad(&c->n, op, c->padded);
}

static chain chain_new(bool deep, bool pool) {
  chain c = {.n = net_new(), .padded = cut_pick(0, 1)};
  for (uint32_t i = 0; i < CHANNELS; i++)
    c.fate[i] = (fate)cut_pick(0, FATES - 1);
  c.fate[0] = LIVE;
  uint32_t t = add_first(
      &c, net_input(&c.n, ASH_INT8, NET_DIMS(1, SIZE, SIZE, 3), 0.1f, 5));
  c.made = t;
  t = deep ? add_depthwise(&c, t) : t;
  t = pool ? add_pool(&c, t, deep ? 1.0f : 0.6f) : t;
  add_last(&c, t, pool ? SIZE / 2 : SIZE);
  CHECK_EQ(ash_op_verify(c.n.ctx, c.n.g), ASH_OK);
  return c;
}

/* Channels that stay, without and with those that a constant makes. */
static int32_t channels_after(chain *c, uint32_t features) {
  const ash_target target = {.features = features};
  const char *id = c->n.g->tensors.items[c->made].id;
  char known[32];
  (void)snprintf(known, sizeof known, "%s", id);
  CHECK_EQ(ash_pass_dead_channels(c->n.ctx, c->n.g, &target), ASH_OK);
  for (size_t t = 0; t < c->n.g->tensor_count; t++)
    if (strcmp(c->n.g->tensors.items[t].id, known) == 0)
      return c->n.g->tensors.items[t].shape.dim[3];
  CHECK(false);
  return 0;
}

static int32_t expected(const chain *c, uint32_t group) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < CHANNELS; i++)
    kept += c->fate[i] == LIVE || (c->fate[i] == FIXED && c->padded);
  return (int32_t)((kept + group - 1) / group * group);
}

static void results_stay(chain *c, uint32_t features, int32_t most) {
  static int8_t in[VALUES], before[VALUES], after[VALUES];
  for (size_t i = 0; i < VALUES; i++)
    in[i] = (int8_t)cut_pick(-128, 127);
  const size_t bytes = (size_t)c->n.g->tensors.items[c->n.g->outputs[0]].bytes;
  net_run(&c->n, in, NULL, before);
  CHECK_EQ(channels_after(c, 0), CHANNELS);
  CHECK_EQ(channels_after(c, ASH_FEATURE_DSP | ASH_FEATURE_CMSIS_NN), CHANNELS);
  CHECK_EQ(channels_after(c, features), most < CHANNELS ? most : CHANNELS);
  net_run(&c->n, in, NULL, after);
  CHECK(memcmp(before, after, bytes) == 0);
  net_free(&c->n);
}

static void constant_and_unread_channels_go(void) {
  for (int i = 0; i < ROUNDS; i++) {
    chain c = chain_new(false, i % 2);
    const bool wide = cut_pick(0, 3) == 0;
    results_stay(&c, wide ? ASH_FEATURE_RVV : ASH_FEATURE_SCALAR,
                 expected(&c, wide ? 16 : 4));
  }
}

/* A channel that is not the zero point is not the same at the border. */
static void they_go_through_depthwise_layers(void) {
  for (int i = 0; i < ROUNDS; i++) {
    static int8_t in[VALUES], before[VALUES], after[VALUES];
    chain c = chain_new(true, i % 2);
    for (size_t k = 0; k < VALUES; k++)
      in[k] = (int8_t)cut_pick(-128, 127);
    const size_t bytes = (size_t)c.n.g->tensors.items[c.n.g->outputs[0]].bytes;
    net_run(&c.n, in, NULL, before);
    uint32_t unread = 0;
    for (uint32_t k = 0; k < CHANNELS; k++)
      unread += c.fate[k] == UNREAD;
    CHECK(channels_after(&c, ASH_FEATURE_DSP) <=
          (int32_t)((CHANNELS - unread + 3) / 4 * 4));
    net_run(&c.n, in, NULL, after);
    CHECK(memcmp(before, after, bytes) == 0);
    net_free(&c.n);
  }
}

/* A second reader, or the caller, sees all of them. */
static void outputs_keep_all(void) {
  chain c = {.n = net_new()};
  for (uint32_t i = 0; i < CHANNELS; i++)
    c.fate[i] = RECTIFIED;
  const uint32_t t = add_first(
      &c, net_input(&c.n, ASH_INT8, NET_DIMS(1, SIZE, SIZE, 3), 0.1f, 5));
  c.made = t;
  net_op(&c.n, ASH_FN_ROW(relu), NET_IDS(t),
         net_result(&c.n, ASH_INT8, NET_DIMS(1, SIZE, SIZE, CHANNELS), 0.6f,
                    -128));
  CHECK_EQ(ash_op_verify(c.n.ctx, c.n.g), ASH_OK);
  CHECK_EQ(channels_after(&c, ASH_FEATURE_DSP), CHANNELS);
  net_free(&c.n);
}

#define TESTS(X)                                                               \
  X(constant_and_unread_channels_go)                                           \
  X(they_go_through_depthwise_layers)                                          \
  X(outputs_keep_all)
TEST_MAIN(TESTS)

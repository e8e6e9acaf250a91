/* make_layers.c - random int8 layers, packed for a processor, with the outputs
 * of the reference interpreter:
 *
 *   make_layers dsp|mve COUNT SEED FILE
 *
 * tests/e2e/kernel_variants gives the file to layers_main.c, which runs the
 * kernels of runtime/ on them, on this machine and on emulated boards. A record
 * is a struct layer_head (layers.h) and the bytes it announces. */
#include "../net.h"
#include "base/rng.h"
#include "kernel/kernel.h"
#include "kernel/quant.h"
#include "kernel/reads.h"
#include "layers.h"
#include "pass/pass.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 200000 };

static ash_rng rng;
static int8_t input[ROOM], weights[ROOM], output[ROOM];
static int32_t bias[64];
static float scales[64];

static int32_t between(int32_t low, int32_t high) {
  return low + (int32_t)ash_rng_below(&rng, (uint64_t)(high - low + 1));
}

static int8_t random_s8(void) {
  static const int8_t extreme[] = {-128, 127, -1, 0, 1};
  return (int8_t)(between(0, 3) ? between(-128, 127) : extreme[between(0, 4)]);
}

static void fill(int8_t *to, int32_t count) {
  const int32_t kind = between(0, 9);
  const int8_t same = random_s8();
  for (int32_t i = 0; i < count; i++)
    to[i] = kind == 0 ? same : random_s8();
}

/* ---- a layer ------------------------------------------------------------- */

typedef struct config {
  layer_head head;
  ash_op_kind kind;
  int32_t taps, channels;
} config;

/* Output size of a window, with padding made up; 0: does not fit. */
static int32_t slide(int32_t in, int32_t filter, int32_t stride,
                     int32_t dilation, int32_t *before, int32_t *after) {
  const int32_t reach = (filter - 1) * dilation + 1;
  *before = between(0, 1) ? between(0, filter - 1) : 0;
  *after = between(0, 1) ? between(0, filter - 1) : 0;
  const int32_t room = in + *before + *after - reach;
  return room < 0 ? 0 : room / stride + 1;
}

/* Weights: no -128 as a rule, some channels with nothing but zeros. */
static void fill_weights(const config *c) {
  const int deep = c->kind == ASH_OP_depthwise_conv_2d;
  const int full = between(0, 19) == 0;
  fill(weights, c->taps * c->channels);
  for (int32_t i = 0; i < c->taps * c->channels; i++)
    if (weights[i] == -128 && !full)
      weights[i] = -127;
  for (int32_t k = 0; k < c->channels; k++)
    for (int32_t t = between(0, 3) ? c->taps : 0; t < c->taps; t++)
      weights[deep ? t * c->channels + k : k * c->taps + t] = 0;
  for (int32_t k = 0; k < c->channels; k++) {
    bias[k] =
        between(0, 9) ? between(-20000, 20000) : between(-(1 << 28), 1 << 28);
    scales[k] = (float)ldexp(1.0 + between(0, 1 << 20) / 1048576.0,
                             -between(2, between(0, 4) ? 14 : 30));
  }
}

static uint32_t add_layer(net *n, config *c, ash_shape in, ash_shape out,
                          ash_shape filter, int32_t axis) {
  static const char *const acts[] = {"none", "relu", "relu6", "relu_n1_to_1"};
  const char *act = acts[between(0, 1) ? 0 : between(1, 3)];
  const float out_scale = between(0, 1) ? 1.0f : 0.05f;
  const int32_t in_zero = random_s8(), out_zero = random_s8();
  fill_weights(c);
  const uint32_t x = net_input(n, ASH_INT8, in, 1.0f, in_zero);
  const uint32_t y = net_result(n, ASH_INT8, out, out_scale, out_zero);
  const uint32_t w = net_constant(n, ASH_INT8, filter, weights, scales[0], 0);
  const uint32_t b =
      net_constant(n, ASH_INT32, NET_DIMS(c->channels), bias, 0, 0);
  c->head.per_channel = between(0, 3) != 0 && c->channels > 1;
  if (c->head.per_channel)
    net_channels(n, w, axis, scales, (uint32_t)c->channels);
  const uint32_t op =
      net_op(n, c->kind, between(0, 7) ? NET_IDS(x, w, b) : NET_IDS(x, w), y);
  net_string(n, op, "act", act);
  const ash_int_range r = ash_quant_range(&n->g->tensors.items[y], act);
  c->head.in_offset = -in_zero;
  c->head.out_offset = out_zero;
  c->head.act_min = r.low;
  c->head.act_max = r.high;
  return op;
}

/* False: the window does not fit; try again. */
static bool make_window(net *n, config *c, uint32_t *op) {
  const bool deep = c->kind == ASH_OP_depthwise_conv_2d;
  int32_t *w = c->head.window;
  int32_t bottom, right;
  const bool point = !deep && between(0, 2) == 0;
  w[0] = between(0, 5) ? 1 : 2;
  for (int32_t i = 1; i < 3; i++)
    w[i] = between(1, 9);
  w[3] = between(0, 1) ? between(1, 40) : 16 * between(1, 2);
  w[6] = deep ? w[3] : between(1, 20);
  for (int32_t i = 7; i < 9; i++) {
    w[i] = point ? 1 : between(0, 1) ? 3 : between(1, 5);
    w[i + 2] = between(0, 1) ? 1 : between(1, 3);
    w[i + 4] = between(0, 3) ? 1 : 2;
  }
  w[4] = slide(w[1], w[7], w[9], w[11], &w[13], &bottom);
  w[5] = slide(w[2], w[8], w[10], w[12], &w[14], &right);
  if (w[4] == 0 || w[5] == 0)
    return false;
  c->channels = w[6];
  c->taps = w[7] * w[8] * (deep ? 1 : w[3]);
  *op = add_layer(
      n, c, NET_DIMS(w[0], w[1], w[2], w[3]), NET_DIMS(w[0], w[4], w[5], w[6]),
      deep ? NET_DIMS(1, w[7], w[8], w[6]) : NET_DIMS(w[6], w[7], w[8], w[3]),
      deep ? 3 : 0);
  static const char *const names[] = {"stride_h",   "stride_w", "dilation_h",
                                      "dilation_w", "pad_top",  "pad_left"};
  for (int32_t i = 0; i < 6; i++)
    net_int(n, *op, names[i], w[9 + i]);
  net_int(n, *op, "pad_bottom", bottom);
  net_int(n, *op, "pad_right", right);
  return true;
}

static bool make_dense(net *n, config *c, uint32_t *op) {
  int32_t *w = c->head.window;
  w[0] = between(0, 2) ? 1 : between(1, 3);
  w[1] = between(0, 1) ? between(1, 200) : 16 * between(1, 8);
  w[2] = between(1, 20);
  c->channels = w[2];
  c->taps = w[1];
  *op = add_layer(n, c, NET_DIMS(w[0], w[1]), NET_DIMS(w[0], w[2]),
                  NET_DIMS(w[2], w[1]), 0);
  return true;
}

/* ---- records ------------------------------------------------------------- */

static uint32_t bytes_of(const ash_graph *g, const ash_op *o, uint32_t k) {
  const ash_tensor *t = ash_op_in(g, o, k);
  return t ? (uint32_t)t->bytes : 0;
}

static void put(FILE *to, const void *bytes, size_t count) {
  CHECK(count == 0 || fwrite(bytes, 1, count, to) == count);
}

static void put_record(FILE *to, net *n, config *c, uint32_t op) {
  const ash_op *o = &n->g->ops.items[op];
  layer_head *h = &c->head;
  h->in_bytes = bytes_of(n->g, o, 0);
  h->out_bytes = (uint32_t)ash_op_out(n->g, o, 0)->bytes;
  h->scratch_bytes = (uint32_t)ash_kernel_scratch(n->g, op);
  const bool dense = c->kind == ASH_OP_fully_connected;
  h->filter_input = dense                                 ? ASH_IN_DENSE_PACKED
                    : c->kind == ASH_OP_depthwise_conv_2d ? 1
                                                          : ASH_IN_PACKED;
  static const uint32_t windows[] = {ASH_IN_MULTIPLIERS, ASH_IN_SHIFTS,
                                     ASH_IN_FOLDED, 0, UINT32_MAX};
  static const uint32_t rows[] = {UINT32_MAX, UINT32_MAX, ASH_IN_DENSE_FOLDED,
                                  0, ASH_IN_DENSE_SCALE};
  const uint32_t *at = dense ? rows : windows;
  for (int32_t i = 0; i < LAYER_CONSTANTS; i++)
    h->constant_bytes[i] =
        bytes_of(n->g, o, i == LAYER_FILTER ? h->filter_input : at[i]);
  put(to, h, sizeof *h);
  put(to, input, h->in_bytes);
  put(to, output, h->out_bytes);
  for (int32_t i = 0; i < LAYER_CONSTANTS; i++)
    if (h->constant_bytes[i])
      put(to,
          ash_op_in(n->g, o, i == LAYER_FILTER ? h->filter_input : at[i])->data,
          h->constant_bytes[i]);
}

/* True: written. */
static bool make(FILE *to, uint32_t features) {
  net n = net_new();
  static const ash_op_kind kinds[] = {ASH_OP_conv_2d, ASH_OP_depthwise_conv_2d,
                                      ASH_OP_fully_connected};
  config c = {.head = {.kind = (uint32_t)between(0, 2)}};
  uint32_t op = 0;
  bool written = false;
  c.kind = kinds[c.head.kind];
  const bool fits = c.kind == ASH_OP_fully_connected ? make_dense(&n, &c, &op)
                                                     : make_window(&n, &c, &op);
  if (fits) {
    const void *ins[1] = {input};
    void *outs[1] = {output};
    fill(input, (int32_t)n.g->tensors.items[n.g->inputs[0]].bytes);
    CHECK_EQ(ash_ref_run(n.ctx, n.g, ins, outs), ASH_OK);
    n.g->features = features;
    if (ash_run_passes(n.ctx, n.g) == ASH_OK &&
        ash_op_is_packed(n.g, &n.g->ops.items[op])) {
      put_record(to, &n, &c, op);
      written = true;
    }
  }
  net_free(&n);
  return written;
}

int main(int argc, char **argv) {
  if (argc != 5)
    return 64;
  const uint32_t features = strcmp(argv[1], "mve") == 0
                                ? ASH_FEATURE_MVE | ASH_FEATURE_DSP
                                : ASH_FEATURE_DSP;
  const long count = strtol(argv[2], NULL, 10);
  rng.state = strtoull(argv[3], NULL, 10);
  FILE *to = fopen(argv[4], "wb");
  if (!to)
    return 74;
  for (long made = 0; made < count;)
    made += make(to, features);
  return fclose(to) == 0 ? 0 : 74;
}

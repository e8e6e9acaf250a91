/* make_layers.c - random layers, packed for a processor, with the outputs of
 * the reference interpreter:
 *
 *   make_layers dsp|mve|mve_fast|rvv|simd|pie|scalar COUNT SEED FILE
 *
 * tests/e2e/kernel_variants gives the file to layers_main.c, which runs the
 * kernels of runtime/ on them, the portable ones and the processor's, on this
 * machine and on emulated boards. A record is a struct layer_head (layers.h)
 * and the bytes it announces. */
#include "base/checked.h"
#include "base/rng.h"
#include "kernel/choose.h"
#include "kernel/quant.h"
#include "layers.h"
#include "net.h"
#include "op/reads.h"
#include "pass/pass.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 200000, CHANNELS = 64 };

static ash_rng rng;
static const char *variant;
static union {
  int8_t bytes[ROOM];
  float floats[ROOM / 4];
} input, other, weights, output;
static int32_t bias[CHANNELS];
static int64_t long_bias[CHANNELS];
static float float_bias[CHANNELS], scales[CHANNELS];

static int32_t between(int32_t low, int32_t high) {
  return low + (int32_t)ash_rng_below(&rng, (uint64_t)(high - low + 1));
}

static int8_t random_s8(void) {
  static const int8_t extreme[] = {-128, 127, -1, 0, 1};
  return (int8_t)(between(0, 3) ? between(-128, 127) : extreme[between(0, 4)]);
}

static float random_f32(void) {
  return (float)ldexp((double)between(-(1 << 23), 1 << 23), between(-26, -18));
}

static float random_scale(int32_t low, int32_t high) {
  return (float)ldexp(1.0 + between(0, 1 << 20) / 1048576.0,
                      between(low, high));
}

static void fill(int8_t *to, int32_t count) {
  const int32_t kind = between(0, 9);
  const int8_t same = random_s8();
  for (int32_t i = 0; i < count; i++)
    to[i] = kind == 0 ? same : random_s8();
}

static void fill_floats(float *to, uint64_t count) {
  for (uint64_t i = 0; i < count; i++)
    to[i] = random_f32();
}

/* ---- a layer ------------------------------------------------------------- */

typedef struct config {
  layer_head head;
  ash_op_kind kind;
  bool real; /* float */
  bool wide; /* int16 */
  int32_t taps, channels, bottom, right;
} config;

static const char *random_act(void) {
  static const char *const acts[] = {"none", "relu", "relu6", "relu_n1_to_1"};
  return acts[between(0, 1) ? 0 : between(1, 3)];
}

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
  int8_t *w = weights.bytes;
  fill(w, c->taps * c->channels);
  for (int32_t i = 0; i < c->taps * c->channels; i++)
    if (w[i] == -128 && !full)
      w[i] = -127;
  for (int32_t k = 0; k < c->channels; k++)
    for (int32_t t = between(0, 3) ? c->taps : 0; t < c->taps; t++)
      w[deep ? t * c->channels + k : k * c->taps + t] = 0;
  for (int32_t k = 0; k < c->channels; k++) {
    bias[k] =
        between(0, 9) ? between(-20000, 20000) : between(-(1 << 28), 1 << 28);
    long_bias[k] = bias[k] * (between(0, 3) ? INT64_C(1) : INT64_C(100));
    scales[k] = random_scale(between(0, 4) ? -14 : -30, -2);
  }
}

static void set_range(config *c, const net *n, uint32_t y, const char *act) {
  const ash_float_range f = ash_float_range_of(act);
  c->head.low = f.low;
  c->head.high = f.high;
  if (c->real)
    return;
  const ash_int_range r = ash_quant_range(&n->g->tensors.items[y], act);
  c->head.act_min = r.low;
  c->head.act_max = r.high;
}

static uint32_t add_float_layer(net *n, config *c, ash_shape in, ash_shape out,
                                ash_shape filter) {
  const char *act = random_act();
  fill_floats(weights.floats, ash_shape_elements(&filter));
  fill_floats(float_bias, CHANNELS);
  const uint32_t x = net_input(n, ASH_FLOAT32, in, 0, 0);
  const uint32_t y = net_result(n, ASH_FLOAT32, out, 0, 0);
  const uint32_t w = net_constant(n, ASH_FLOAT32, filter, weights.floats, 0, 0);
  const uint32_t b =
      net_constant(n, ASH_FLOAT32, NET_DIMS(c->channels), float_bias, 0, 0);
  const uint32_t op =
      net_op(n, c->kind, between(0, 7) ? NET_IDS(x, w, b) : NET_IDS(x, w), y);
  net_string(n, op, "act", act);
  set_range(c, n, y, act);
  return op;
}

/* int16 without zero points; sums are of 32 bits if the bias is. */
static uint32_t add_wide_layer(net *n, config *c, ash_shape in, ash_shape out,
                               ash_shape filter, int32_t axis) {
  const char *act = random_act();
  const bool narrow = between(0, 2) == 0;
  fill_weights(c);
  const uint32_t x = net_input(n, ASH_INT16, in, 1.0f, 0);
  const uint32_t y = net_result(n, ASH_INT16, out, random_scale(-2, 14), 0);
  const uint32_t w =
      net_constant(n, ASH_INT8, filter, weights.bytes, scales[0], 0);
  const uint32_t b =
      narrow
          ? net_constant(n, ASH_INT32, NET_DIMS(c->channels), bias, 0, 0)
          : net_constant(n, ASH_INT64, NET_DIMS(c->channels), long_bias, 0, 0);
  c->head.per_channel = between(0, 3) != 0 && c->channels > 1;
  if (c->head.per_channel)
    net_channels(n, w, axis, scales, (uint32_t)c->channels);
  const uint32_t op =
      net_op(n, c->kind, between(0, 7) ? NET_IDS(x, w, b) : NET_IDS(x, w), y);
  net_string(n, op, "act", act);
  set_range(c, n, y, act);
  return op;
}

static uint32_t add_layer(net *n, config *c, ash_shape in, ash_shape out,
                          ash_shape filter, int32_t axis) {
  if (c->real)
    return add_float_layer(n, c, in, out, filter);
  if (c->wide)
    return add_wide_layer(n, c, in, out, filter, axis);
  const char *act = random_act();
  const float out_scale = between(0, 1) ? 1.0f : 0.05f;
  const int32_t in_zero = random_s8(), out_zero = random_s8();
  fill_weights(c);
  const uint32_t x = net_input(n, ASH_INT8, in, 1.0f, in_zero);
  const uint32_t y = net_result(n, ASH_INT8, out, out_scale, out_zero);
  const uint32_t w =
      net_constant(n, ASH_INT8, filter, weights.bytes, scales[0], 0);
  const uint32_t b =
      net_constant(n, ASH_INT32, NET_DIMS(c->channels), bias, 0, 0);
  c->head.per_channel = between(0, 3) != 0 && c->channels > 1;
  if (c->head.per_channel)
    net_channels(n, w, axis, scales, (uint32_t)c->channels);
  const uint32_t op =
      net_op(n, c->kind, between(0, 7) ? NET_IDS(x, w, b) : NET_IDS(x, w), y);
  net_string(n, op, "act", act);
  c->head.in_offset = -in_zero;
  c->head.out_offset = out_zero;
  set_range(c, n, y, act);
  return op;
}

/* Sizes, strides and padding. False: the window does not fit; try again. */
static bool choose_window(config *c) {
  const bool whole = c->kind == ASH_OP_conv_2d;
  const bool pool = !whole && c->kind != ASH_OP_depthwise_conv_2d;
  const bool point = whole && between(0, 2) == 0;
  const bool many = !whole && !pool && between(0, 3) == 0;
  int32_t *w = c->head.window;
  w[0] = between(0, 5) ? 1 : 2;
  for (int32_t i = 1; i < 3; i++)
    w[i] = between(1, 9);
  w[3] = between(0, 1) ? between(1, c->real ? 20 : 40) : 16 * between(1, 2);
  w[6] = whole ? between(1, between(0, 3) ? 20 : 40) : w[3];
  if (point && between(0, 2) == 0) { /* few products */
    w[3] = between(1, 8);
    w[6] = between(1, 4);
  }
  if (c->kind == ASH_OP_depthwise_conv_2d && w[3] > 1 && w[3] <= 13 &&
      between(0, 2) == 0)
    w[6] *= between(2, 3);
  for (int32_t i = 7; i < 9; i++) {
    w[i] = point ? 1 : between(0, 1) ? 3 : between(1, many ? 8 : 5);
    w[i + 2] = between(0, 1) ? 1 : between(1, 3);
    w[i + 4] = pool || between(0, 3) ? 1 : 2;
  }
  w[4] = slide(w[1], w[7], w[9], w[11], &w[13], &c->bottom);
  w[5] = slide(w[2], w[8], w[10], w[12], &w[14], &c->right);
  c->channels = w[6];
  c->taps = w[7] * w[8] * (whole ? w[3] : 1);
  return w[4] != 0 && w[5] != 0;
}

static void set_window(net *n, const config *c, uint32_t op, int32_t count) {
  static const char *const names[] = {"stride_h", "stride_w",   "pad_top",
                                      "pad_left", "dilation_h", "dilation_w"};
  static const int32_t at[] = {9, 10, 13, 14, 11, 12};
  for (int32_t i = 0; i < count; i++)
    net_int(n, op, names[i], c->head.window[at[i]]);
  net_int(n, op, "pad_bottom", c->bottom);
  net_int(n, op, "pad_right", c->right);
}

static bool make_window(net *n, config *c, uint32_t *op) {
  const bool deep = c->kind == ASH_OP_depthwise_conv_2d;
  if (!choose_window(c))
    return false;
  const int32_t *w = c->head.window;
  *op = add_layer(
      n, c, NET_DIMS(w[0], w[1], w[2], w[3]), NET_DIMS(w[0], w[4], w[5], w[6]),
      deep ? NET_DIMS(1, w[7], w[8], w[6]) : NET_DIMS(w[6], w[7], w[8], w[3]),
      deep ? 3 : 0);
  set_window(n, c, *op, 6);
  if (deep)
    net_int(n, *op, "multiplier", w[6] / w[3]);
  return true;
}

/* Two to four groups of channels. */
static bool make_groups(net *n, config *c, uint32_t *op) {
  int32_t *w = c->head.window;
  if (!choose_window(c))
    return false;
  const int32_t groups = between(2, 4);
  const int32_t each = between(0, 2) ? between(1, 9) : 4 * between(1, 5);
  w[3] = groups * each;
  w[6] = groups * between(1, 9);
  c->head.groups = groups;
  c->channels = w[6];
  c->taps = w[7] * w[8] * each;
  *op = add_layer(n, c, NET_DIMS(w[0], w[1], w[2], w[3]),
                  NET_DIMS(w[0], w[4], w[5], w[6]),
                  NET_DIMS(w[6], w[7], w[8], each), 0);
  set_window(n, c, *op, 6);
  return true;
}

/* Output size of a window that is turned round. */
static int32_t spread(int32_t in, int32_t filter, int32_t stride,
                      int32_t *before, int32_t *after) {
  *before = between(0, 1) ? between(0, filter - 1) : 0;
  *after = between(0, 1) ? between(0, filter - 1) : 0;
  return (in - 1) * stride + filter - *before - *after;
}

static bool make_turned(net *n, config *c, uint32_t *op) {
  int32_t *w = c->head.window;
  w[0] = between(0, 5) ? 1 : 2;
  for (int32_t i = 1; i < 3; i++)
    w[i] = between(1, 6);
  w[3] = between(0, 2) ? between(1, 20) : 16 * between(1, 2);
  w[6] = between(1, 20);
  for (int32_t i = 7; i < 9; i++) {
    w[i] = between(1, 5);
    w[i + 2] = between(0, 3) ? between(1, 2) : between(1, 4);
    w[i + 4] = 1;
  }
  w[4] = spread(w[1], w[7], w[9], &w[13], &c->bottom);
  w[5] = spread(w[2], w[8], w[10], &w[14], &c->right);
  if (w[4] < 1 || w[5] < 1)
    return false;
  c->channels = w[6];
  c->taps = w[7] * w[8] * w[3];
  *op = add_layer(n, c, NET_DIMS(w[0], w[1], w[2], w[3]),
                  NET_DIMS(w[0], w[4], w[5], w[6]),
                  NET_DIMS(w[6], w[7], w[8], w[3]), 0);
  set_window(n, c, *op, 4);
  return true;
}

static bool make_pool(net *n, config *c, uint32_t *op) {
  if (!choose_window(c))
    return false;
  const int32_t *w = c->head.window;
  const char *act = random_act();
  const float scale = random_scale(-8, 0);
  const int32_t zero = c->wide ? 0 : random_s8();
  const ash_type type = c->wide ? ASH_INT16 : ASH_INT8;
  const uint32_t x =
      net_input(n, type, NET_DIMS(w[0], w[1], w[2], w[3]), scale, zero);
  const uint32_t y =
      net_result(n, type, NET_DIMS(w[0], w[4], w[5], w[6]), scale, zero);
  *op = net_op(n, c->kind, NET_IDS(x), y);
  net_int(n, *op, "filter_h", w[7]);
  net_int(n, *op, "filter_w", w[8]);
  set_window(n, c, *op, 4);
  net_string(n, *op, "act", act);
  set_range(c, n, y, act);
  return true;
}

static bool make_dense(net *n, config *c, uint32_t *op) {
  int32_t *w = c->head.window;
  w[0] = between(0, 2) ? 1 : between(1, 3);
  w[1] = between(0, 1) ? between(1, 200) : 16 * between(1, 8);
  w[2] = between(1, between(0, 3) ? 20 : 50);
  if (!c->real && w[2] <= 20 && between(0, 9) == 0)
    w[1] = between(1000, 2000); /* few short scales are exact there */
  c->channels = w[2];
  c->taps = w[1];
  *op = add_layer(n, c, NET_DIMS(w[0], w[1]), NET_DIMS(w[0], w[2]),
                  NET_DIMS(w[2], w[1]), 0);
  return true;
}

/* ---- pairs and rows ------------------------------------------------------ */

static void set_pair(config *c, const ash_tensor *a, const ash_tensor *b,
                     const ash_tensor *y, const ash_add_scaling *s) {
  const int32_t pair[9] = {-ash_quant_zero(a), s->a.multiplier,   s->a.shift,
                           -ash_quant_zero(b), s->b.multiplier,   s->b.shift,
                           ash_quant_zero(y),  s->out.multiplier, s->out.shift};
  memcpy(c->head.pair, pair, sizeof pair);
}

static int32_t zero_of(const config *c) {
  return c->wide ? 0 : random_s8();
}

static bool make_pair(net *n, config *c, uint32_t *op) {
  const char *act = random_act();
  const ash_type type = c->real ? ASH_FLOAT32 : c->wide ? ASH_INT16 : ASH_INT8;
  const ash_shape shape = NET_DIMS(between(1, 3), between(1, 90));
  float s[3];
  for (int32_t i = 0; i < 3; i++)
    s[i] = c->real ? 0 : random_scale(-8, 1);
  const ash_shape row = NET_DIMS(shape.dim[1]);
  const int32_t repeated = c->real || shape.dim[0] == 1 ? 0 : between(0, 2);
  const uint32_t a =
      net_input(n, type, repeated == 1 ? row : shape, s[0], zero_of(c));
  const uint32_t b =
      net_input(n, type, repeated == 2 ? row : shape, s[1], zero_of(c));
  const uint32_t y = net_result(n, type, shape, s[2], zero_of(c));
  *op = net_op(n, c->kind, NET_IDS(a, b), y);
  net_string(n, *op, "act", act);
  set_range(c, n, y, act);
  c->head.window[0] = shape.dim[1];
  c->head.window[1] = shape.dim[0];
  c->head.window[2] = repeated;
  if (c->real)
    return true;
  const ash_tensor *t = n->g->tensors.items;
  ash_add_scaling scaling;
  if (!ash_quant_pair(&scaling, c->kind - ASH_OP_COUNT, &t[a], &t[b], &t[y]) ||
      scaling.out.shift > 7)
    return false;
  set_pair(c, &t[a], &t[b], &t[y], &scaling);
  return c->kind == ASH_FN_ROW(mul) || scaling.out.shift <= 0;
}

static bool make_matmul(net *n, config *c, uint32_t *op) {
  int32_t *w = c->head.window;
  w[0] = between(1, 2);
  for (int32_t i = 1; i < 4; i++)
    w[i] = between(0, 1) ? between(1, 20) : between(1, 70);
  for (int32_t i = 4; i < 7; i++)
    w[i] = between(0, 1);
  const ash_shape a =
      w[4] ? NET_DIMS(w[0], w[2], w[1]) : NET_DIMS(w[0], w[1], w[2]);
  const int32_t images = w[6] ? 1 : w[0];
  const ash_shape b =
      w[5] ? NET_DIMS(images, w[3], w[2]) : NET_DIMS(images, w[2], w[3]);
  const uint32_t x =
      net_input(n, ASH_INT8, a, random_scale(-8, 0), random_s8());
  const uint32_t z =
      net_input(n, ASH_INT8, b, random_scale(-8, 0), random_s8());
  const uint32_t y = net_result(n, ASH_INT8, NET_DIMS(w[0], w[1], w[3]),
                                random_scale(-4, 8), random_s8());
  *op = net_op(n, c->kind, NET_IDS(x, z), y);
  net_int(n, *op, "transpose_a", w[4]);
  net_int(n, *op, "transpose_b", w[5]);
  const ash_tensor *t = n->g->tensors.items;
  ash_add_scaling s = {{0, 0}, {0, 0}, {0, 0}};
  if (!ash_quant_matmul(&s.out, &t[x], &t[z], &t[y]) || s.out.shift > 7)
    return false;
  set_pair(c, &t[x], &t[z], &t[y], &s);
  return true;
}

static bool make_softmax(net *n, config *c, uint32_t *op) {
  int32_t *w = c->head.window;
  w[0] = between(1, 3);
  w[1] = between(1, 70);
  const uint32_t x = net_input(n, ASH_INT8, NET_DIMS(w[0], w[1]),
                               random_scale(-8, 0), random_s8());
  const uint32_t y =
      net_result(n, ASH_INT8, NET_DIMS(w[0], w[1]), 1.0f / 256, -128);
  *op = net_op(n, c->kind, NET_IDS(x), y);
  return true;
}

/* ---- layers with state --------------------------------------------------- */

static uint32_t random_matrix(net *n, ash_type type, int32_t rows,
                              int32_t columns, float scale) {
  fill(weights.bytes, rows * columns * (int32_t)(ash_type_bits(type) / 8));
  return net_constant(n, type, NET_DIMS(rows, columns), weights.bytes, scale,
                      0);
}

static uint32_t random_list(net *n, ash_type type, int32_t count, float scale) {
  for (int32_t i = 0; i < count; i++)
    bias[i] =
        between(0, 9) ? between(-20000, 20000) : between(-(1 << 28), 1 << 28);
  if (type == ASH_INT16)
    fill(weights.bytes, 2 * count);
  return net_constant(n, type, NET_DIMS(count),
                      type == ASH_INT16 ? (const void *)weights.bytes : bias,
                      scale, 0);
}

static uint32_t random_state(net *n, ash_type type, int32_t rows,
                             int32_t columns, float scale, int32_t zero) {
  fill(weights.bytes, rows * columns * (int32_t)(ash_type_bits(type) / 8));
  return net_variable(n, type, NET_DIMS(rows, columns), weights.bytes, scale,
                      zero);
}

static bool make_svdf(net *n, config *c, uint32_t *op) {
  int32_t *w = c->head.window;
  w[0] = between(1, 2);
  w[1] = between(0, 1) ? between(1, 100) : 16 * between(1, 4);
  w[4] = between(1, 4);
  w[2] = w[4] * between(1, 12);
  w[3] = between(1, 20);
  const uint32_t x =
      net_input(n, ASH_INT8, NET_DIMS(w[0], w[1]), 1.0f, random_s8());
  const uint32_t y = net_result(n, ASH_INT8, NET_DIMS(w[0], w[2] / w[4]),
                                random_scale(-2, 8), random_s8());
  const float feature = random_scale(-12, 2), time = random_scale(-18, -8);
  const uint32_t f = random_matrix(n, ASH_INT8, w[2], w[1], feature);
  const uint32_t t = random_matrix(n, ASH_INT16, w[2], w[3], time);
  const uint32_t b =
      between(0, 3) ? random_list(n, ASH_INT32, w[2] / w[4], 0) : ASH_NO_ID;
  const uint32_t s = random_state(n, ASH_INT16, w[0], w[3] * w[2], 1.0f, 0);
  *op = net_op(n, c->kind, NET_IDS(x, f, t, b, s), y);
  net_int(n, *op, "rank", w[4]);
  ash_add_scaling q = {{0, 0}, {0, 0}, {0, 0}};
  if (!ash_quant_svdf(&q.a, &q.out, n->g, &n->g->ops.items[*op]) ||
      q.a.shift > 7 || q.out.shift > 7)
    return false;
  const ash_tensor *tensors = n->g->tensors.items;
  set_pair(c, &tensors[x], &tensors[x], &tensors[y], &q);
  return true;
}

typedef struct cell {
  int32_t batches, steps, depth, outputs, cells;
  bool time, coupled, projected, holes;
} cell;

static cell random_cell(void) {
  const bool projected = between(0, 2) == 0;
  const int32_t outputs = between(1, 20);
  return (cell){between(1, 2),
                between(1, 3),
                between(1, 40),
                outputs,
                projected ? between(1, 30) : outputs,
                between(0, 1),
                between(0, 3) == 0,
                projected,
                between(0, 2) == 0};
}

/* Weights, peepholes, biases and projection, as ops.def numbers them. */
static void add_gates(net *n, const cell *l, uint32_t *ids) {
  for (uint32_t g = l->coupled ? 1 : 0; g < 4; g++) {
    ids[1 + g] =
        random_matrix(n, ASH_INT8, l->cells, l->depth, random_scale(-24, -11));
    ids[5 + g] =
        random_matrix(n, ASH_INT8, l->cells, l->outputs, random_scale(-18, -4));
    if (between(0, 4))
      ids[12 + g] = random_list(n, ASH_INT32, l->cells, 0);
  }
  for (uint32_t g = l->coupled ? 1 : 0; l->holes && g < 3; g++)
    ids[9 + g] = random_list(n, ASH_INT16, l->cells, random_scale(-14, -2));
  if (!l->projected)
    return;
  ids[16] =
      random_matrix(n, ASH_INT8, l->outputs, l->cells, random_scale(-10, 0));
  if (between(0, 2))
    ids[17] = random_list(n, ASH_INT32, l->outputs, 0);
}

static int32_t clip_steps(double real, double step, int32_t most) {
  const double steps = real / step;
  return real > 0 ? steps > most ? most : (int32_t)steps : 0;
}

static void put_gates(int32_t *to, const ash_scaling *gates) {
  for (uint32_t g = 0; g < 4; g++) {
    to[g] = gates[g].multiplier;
    to[4 + g] = gates[g].shift;
  }
}

/* ash_rt_lstm_s8_params. */
static bool set_cells(config *c, const net *n, uint32_t op, const cell *l) {
  const ash_op *o = &n->g->ops.items[op];
  const ash_tensor *state = ash_op_in(n->g, o, 18);
  const float scale = ash_quant_scale(ash_op_in(n->g, o, 19));
  ash_lstm_scaling s;
  int32_t power, *to = c->head.cells;
  if (!ash_quant_lstm(&s, n->g, o) ||
      !ash_quant_power(&power, ash_op_in(n->g, o, 19)))
    return false;
  const int32_t first[] = {l->batches,
                           l->steps,
                           l->time ? 1 : l->steps,
                           l->time ? l->batches : 1,
                           l->depth,
                           l->outputs,
                           l->cells,
                           -ash_quant_zero(ash_op_in(n->g, o, 0)),
                           -ash_quant_zero(state)};
  memcpy(to, first, sizeof first);
  put_gates(to + 9, s.in);
  put_gates(to + 17, s.state);
  put_gates(to + 25, s.cell);
  const int32_t last[] = {
      15 + power,
      clip_steps(ash_attr_float(o, "cell_clip", 0), (double)scale, INT16_MAX),
      s.hidden.multiplier,
      s.hidden.shift,
      (int32_t)ash_attr_int(o, "hidden_zero", 0),
      s.projection.multiplier,
      s.projection.shift,
      clip_steps(ash_attr_float(o, "proj_clip", 0),
                 (double)ash_quant_scale(state), INT8_MAX)};
  memcpy(to + 33, last, sizeof last);
  return true;
}

static bool make_lstm(net *n, config *c, uint32_t *op) {
  const cell l = random_cell();
  const int32_t first = l.time ? l.steps : l.batches;
  const int32_t second = l.time ? l.batches : l.steps;
  const float scale = random_scale(-9, -5);
  const int32_t zero = random_s8();
  net_ids ids = {.count = 24};
  for (uint32_t k = 0; k < ids.count; k++)
    ids.at[k] = ASH_NO_ID;
  ids.at[0] = net_input(n, ASH_INT8, NET_DIMS(first, second, l.depth), 1.0f,
                        random_s8());
  const uint32_t y =
      net_result(n, ASH_INT8, NET_DIMS(first, second, l.outputs), scale, zero);
  add_gates(n, &l, ids.at);
  ids.at[18] = random_state(n, ASH_INT8, l.batches, l.outputs, scale, zero);
  ids.at[19] = random_state(n, ASH_INT16, l.batches, l.cells,
                            (float)ldexp(1.0, between(-15, -9)), 0);
  *op = net_op(n, c->kind, ids, y);
  net_int(n, *op, "time_major", l.time);
  net_float(n, *op, "hidden_scale", (double)random_scale(-9, -4));
  net_int(n, *op, "hidden_zero", l.projected ? random_s8() : zero);
  if (between(0, 2) == 0)
    net_float(n, *op, "cell_clip", 0.25 * between(1, 12));
  if (l.projected && between(0, 2) == 0)
    net_float(n, *op, "proj_clip", 0.25 * between(1, 8));
  return set_cells(c, n, *op, &l);
}

/* ---- records ------------------------------------------------------------- */

static void put(FILE *to, const void *bytes, size_t count) {
  CHECK(count == 0 || fwrite(bytes, 1, count, to) == count);
}

/* Constants that the op has, whether its kernel reads them or not: the portable
 * kernel reads others. */
static const ash_tensor *constant(const net *n, uint32_t op, uint32_t k) {
  const ash_tensor *t = ash_op_in(n->g, &n->g->ops.items[op], k);
  return k > 0 && t && t->data ? t : NULL;
}

static void put_record(FILE *to, net *n, config *c, uint32_t op,
                       uint64_t scratch) {
  layer_head *h = &c->head;
  const ash_tensor *tensors = n->g->tensors.items;
  h->in_bytes = (uint32_t)tensors[n->g->inputs[0]].bytes;
  h->other_bytes =
      n->g->input_count > 1 ? (uint32_t)tensors[n->g->inputs[1]].bytes : 0;
  h->out_bytes = (uint32_t)tensors[n->g->outputs[0]].bytes;
  h->want_bytes = c->real ? 0 : h->out_bytes;
  for (uint32_t k = 0; k < LAYER_INPUTS; k++)
    if (constant(n, op, k) && constant(n, op, k)->kind == ASH_TENSOR_VARIABLE)
      h->out_bytes = (uint32_t)(ash_align_up(h->out_bytes, LAYER_ALIGN) +
                                constant(n, op, k)->bytes);
  h->scratch_bytes = (uint32_t)scratch;
  for (uint32_t k = 0; k < LAYER_INPUTS; k++)
    h->constant_bytes[k] =
        constant(n, op, k) ? (uint32_t)constant(n, op, k)->bytes : 0;
  put(to, h, sizeof *h);
  put(to, input.bytes, h->in_bytes);
  put(to, other.bytes, h->other_bytes);
  put(to, output.bytes, h->want_bytes);
  for (uint32_t k = 0; k < LAYER_INPUTS; k++)
    if (h->constant_bytes[k])
      put(to, constant(n, op, k)->data, h->constant_bytes[k]);
}

/* Did the operator get a kernel of the processor? */
static bool is_variant(const ash_kernel *k) {
  const size_t have = k ? strlen(k->name) : 0, want = strlen(variant);
  return have > want && strcmp(k->name + have - want, variant) == 0;
}

typedef bool maker(net *n, config *c, uint32_t *op);

static const struct {
  ash_op_kind kind;
  maker *make;
  bool real, wide;
  uint32_t weight; /* how often, among all */
} makers[LAYER_KINDS] = {
    [LAYER_CONV] = {ASH_OP_conv_2d, make_window, false, false, 8},
    [LAYER_DEPTHWISE] = {ASH_OP_depthwise_conv_2d, make_window, false, false,
                         8},
    [LAYER_DENSE] = {ASH_OP_fully_connected, make_dense, false, false, 8},
    [LAYER_ADD] = {ASH_FN_ROW(add), make_pair, false, false, 3},
    [LAYER_MUL] = {ASH_FN_ROW(mul), make_pair, false, false, 3},
    [LAYER_AVERAGE] = {ASH_OP_average_pool_2d, make_pool, false, false, 2},
    [LAYER_MAX] = {ASH_OP_max_pool_2d, make_pool, false, false, 2},
    [LAYER_SOFTMAX] = {ASH_OP_softmax, make_softmax, false, false, 2},
    [LAYER_CONV_F32] = {ASH_OP_conv_2d, make_window, true, false, 1},
    [LAYER_DEPTHWISE_F32] = {ASH_OP_depthwise_conv_2d, make_window, true, false,
                             1},
    [LAYER_DENSE_F32] = {ASH_OP_fully_connected, make_dense, true, false, 1},
    [LAYER_ADD_F32] = {ASH_FN_ROW(add), make_pair, true, false, 1},
    [LAYER_MUL_F32] = {ASH_FN_ROW(mul), make_pair, true, false, 1},
    [LAYER_CONV_S16] = {ASH_OP_conv_2d, make_window, false, true, 4},
    [LAYER_DEPTHWISE_S16] = {ASH_OP_depthwise_conv_2d, make_window, false, true,
                             3},
    [LAYER_DENSE_S16] = {ASH_OP_fully_connected, make_dense, false, true, 4},
    [LAYER_ADD_S16] = {ASH_FN_ROW(add), make_pair, false, true, 2},
    [LAYER_MUL_S16] = {ASH_FN_ROW(mul), make_pair, false, true, 2},
    [LAYER_AVERAGE_S16] = {ASH_OP_average_pool_2d, make_pool, false, true, 1},
    [LAYER_MAX_S16] = {ASH_OP_max_pool_2d, make_pool, false, true, 1},
    [LAYER_MATMUL] = {ASH_OP_matmul, make_matmul, false, false, 2},
    [LAYER_SVDF] = {ASH_OP_svdf, make_svdf, false, false, 3},
    [LAYER_LSTM] = {ASH_OP_lstm, make_lstm, false, false, 3},
    [LAYER_GROUPS] = {ASH_OP_conv_2d, make_groups, false, false, 5},
    [LAYER_TURNED] = {ASH_OP_transpose_conv, make_turned, false, false, 5},
};

/* --fast-math is for floats alone. */
static int32_t weight_of(uint32_t kind) {
  const bool floats = strcmp(variant, "mve_fast") == 0;
  return floats && !makers[kind].real ? 0 : (int32_t)makers[kind].weight;
}

static uint32_t random_kind(void) {
  int32_t all = 0;
  for (uint32_t i = 0; i < LAYER_KINDS; i++)
    all += weight_of(i);
  int32_t at = between(0, all - 1);
  uint32_t kind = 0;
  while (at >= weight_of(kind))
    at -= weight_of(kind++);
  return kind;
}

static void run_reference(net *n, const config *c) {
  const void *ins[2] = {input.bytes, other.bytes};
  void *outs[1] = {output.bytes};
  const ash_tensor *t = n->g->tensors.items;
  if (c->real) {
    fill_floats(input.floats, t[n->g->inputs[0]].bytes / 4);
    fill_floats(other.floats, 300);
    return;
  }
  fill(input.bytes, (int32_t)t[n->g->inputs[0]].bytes);
  fill(other.bytes,
       n->g->input_count > 1 ? (int32_t)t[n->g->inputs[1]].bytes : 0);
  CHECK_EQ(ash_ref_run(n->ctx, n->g, ins, outs), ASH_OK);
}

/* True: written. */
static bool make(FILE *to, uint32_t features) {
  net n = net_new();
  config c = {.head = {.kind = random_kind()}};
  uint32_t op = 0;
  bool written = false;
  c.kind = makers[c.head.kind].kind;
  c.real = makers[c.head.kind].real;
  c.wide = makers[c.head.kind].wide;
  if (makers[c.head.kind].make(&n, &c, &op)) {
    run_reference(&n, &c);
    const ash_target target = {.features = features};
    const bool lowered =
        ash_pass_run_for(n.ctx, n.g, &target, NULL, 0) == ASH_OK;
    const ash_choice choice = ash_choose(n.g, op, &target);
    written = lowered && is_variant(choice.kernel);
    if (written)
      put_record(to, &n, &c, op, choice.scratch);
  }
  net_free(&n);
  return written;
}

static uint32_t features_of(const char *name) {
  if (strcmp(name, "mve") == 0)
    return ASH_FEATURE_MVE | ASH_FEATURE_MVE_FLOAT;
  if (strcmp(name, "mve_fast") == 0)
    return ASH_FEATURE_MVE_FLOAT | ASH_FEATURE_MVE_FAST;
  if (strcmp(name, "simd") == 0)
    return ASH_FEATURE_SIMD;
  if (strcmp(name, "pie") == 0)
    return ASH_FEATURE_PIE;
  if (strcmp(name, "scalar") == 0)
    return ASH_FEATURE_SCALAR;
  return strcmp(name, "rvv") == 0 ? ASH_FEATURE_RVV : ASH_FEATURE_DSP;
}

int main(int argc, char **argv) {
  if (argc != 5)
    return 64;
  variant = argv[1];
  const uint32_t features = features_of(variant);
  const long count = strtol(argv[2], NULL, 10);
  rng.state = strtoull(argv[3], NULL, 10);
  FILE *to = fopen(argv[4], "wb");
  if (!to)
    return 74;
  for (long made = 0; made < count;)
    made += make(to, features);
  return fclose(to) == 0 ? 0 : 74;
}

/* test_lines.c - kernels that compute lines of an image against the same
 * kernels for whole operators: input and output lines lie scattered in one
 * arena, runs of lines have random lengths, and a run may read the lines under
 * its windows and write its own lines, nothing else. */
#include "arm_dsp/ash_rt_dsp.h"
#include "arm_dsp/ash_rt_dsp_s16.h"
#include "ash_rt_layers_any.h"
#include "ash_rt_layers_f32.h"
#include "ash_rt_resize.h"
#include "check.h"
#include "helium/ash_rt_mve.h"
#include "helium/ash_rt_mve_f32.h"
#include "helium/ash_rt_mve_fast.h"
#include "helium/ash_rt_mve_s16.h"
#include "kernel/kernel.h"
#include "pie/ash_rt_pie.h"
#include "random_window.h"
#include "riscv_v/ash_rt_rvv.h"
#include "scalar/ash_rt_scalar.h"
#include "simd/ash_rt_simd.h"
#include "simd/ash_rt_simd_f32.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 300, ROOM = 50000, LINES = 16 };

/* Floats stand for bytes of any type. */
static ASH_RT_ALIGN(16) float in[ROOM], want[ROOM];
static ASH_RT_ALIGN(16) int8_t weights[ROOM], work[ROOM];
static ASH_RT_ALIGN(16) float weights_f32[ROOM];
static ASH_RT_ALIGN(16) int32_t bias[80], multiplier[80];
static float bias_f32[80];
static int64_t bias_s64[80];
static int8_t shift[80];
static int32_t table[4 * LINES];
static float parts_f32[2 * LINES];
static int32_t parts[2 * LINES];

/* What is being tested. */
static ash_rt_window window;
static int32_t groups;
static void *scratch;
static int32_t in_offset, out_offset, filter_offset, per_channel, low, high;
static int32_t narrow;

typedef struct line_kernel {
  const char *name;
  void (*prepare)(void);
  void (*whole)(const void *from, void *to);
  void (*lines)(const ash_rt_lines *from, const ash_rt_lines *to, int32_t first,
                int32_t end);
  int (*reads)(int32_t row, int32_t y); /* an input row for output row y */
  int32_t size;                         /* of an element */
} line_kernel;

/* ---- data --------------------------------------------------------------- */

static void draw(int32_t dilation_max) {
  static const int32_t deep[] = {16, 31, 32, 33, 40, 48};
  window = random_window(dilation_max);
  window.batches = 1;
  if (random_below(3) == 0)
    window.in_c = deep[random_below(6)];
  if (random_below(3) == 0) /* points are a case of their own */
    window.filter_h = window.filter_w = 1;
  window.out_c = window.in_c;
  groups = 1;
  in_offset = random_between(-127, 128);
  out_offset = random_between(-128, 127);
  per_channel = random_below(2);
  filter_offset = random_between(-128, 127);
  narrow = random_below(2);
  fill_range(&low, &high);
  for (int32_t i = 0; i < 80; i++) {
    bias[i] = random_between(-20000, 20000);
    multiplier[i] = random_between(1 << 30, INT32_MAX - 1);
    shift[i] = (int8_t)random_between(-12, -1);
    bias_f32[i] = random_f32();
    bias_s64[i] = random_between(-2000000, 2000000);
  }
  scratch = NULL;
}

/* Of elements that have up to two bytes. */
static void fill_bytes(void) {
  fill_s8((int8_t *)in, 2 * window.in_h * window.in_w * window.in_c);
}

static void fill_floats(void) {
  fill_f32(in, window.in_h * window.in_w * window.in_c);
  fill_f32(weights_f32, window.filter_h * window.filter_w * window.in_c *
                            (window.out_c + 4));
}

/* Of two neighbouring taps, at most one weight is -128. */
static void fill_weights(void) {
  const int32_t taps = window.filter_h * window.filter_w * window.in_c + 16;
  for (int32_t i = 0; i < taps * (window.out_c + 4); i++)
    weights[i] = (int8_t)random_between(-127, 127);
}

static void prepare_pool(void) {
  draw(1);
  fill_bytes();
}

static void prepare_conv(void) {
  draw(3);
  groups = random_below(3) ? 1 : random_between(2, 3);
  if (groups > 1)
    window.in_c = groups * random_between(1, 3);
  window.out_c = groups * random_between(1, 18 / groups);
  fill_bytes();
  fill_weights();
}

static void prepare_depthwise(void) {
  draw(3);
  if (window.in_c < 20)
    window.out_c = window.in_c * random_between(1, 3);
  fill_bytes();
  fill_weights();
}

static int32_t taps_of(void) {
  return window.filter_h * window.filter_w * window.in_c;
}

/* Groups of channels that are constant have no weights. */
static void make_constants(int32_t group, int8_t mark) {
  for (int32_t c = 0; c < window.out_c; c += group)
    if (random_below(5) == 0)
      for (int32_t i = c; i < c + group; i++) {
        bias[i] = random_s8();
        shift[i] = mark;
      }
}

/* Shifts for DSP kernels: to the right, but for the last bit. */
static void count_shifts_down(void) {
  for (size_t i = 0; i < ASH_COUNT_OF(shift); i++)
    shift[i] = (int8_t)(-shift[i] - 1);
}

static void prepare_conv_dsp(void) {
  draw(3);
  window.out_c = random_between(1, 18);
  fill_bytes();
  fill_weights();
  count_shifts_down();
  make_constants(2, -2);
  const int32_t blocks = (taps_of() + 7) / 8 * 2;
  for (int32_t i = 0; i < (window.out_c + 1) * blocks * 4; i++)
    if (i / 8 % blocks * 4 + i % 4 >= taps_of())
      weights[i] = 0;
  scratch = work;
}

/* Points without padding. */
static void prepare_conv_few(void) {
  prepare_conv_dsp();
  window.filter_h = window.filter_w = 1;
  window.pad_top = window.pad_left = 0;
  window.out_h = (window.in_h - 1) / window.stride_h + 1;
  window.out_w = (window.in_w - 1) / window.stride_w + 1;
}

static void prepare_conv_mve(void) {
  draw(3);
  window.out_c = random_between(1, 18);
  fill_bytes();
  fill_weights();
  make_constants(4, 1);
  const int32_t blocks = (taps_of() + 15) / 16;
  for (int32_t i = 0; i < (window.out_c + 4) * blocks * 16; i++)
    if (i / 32 % blocks * 16 + i % 16 >= taps_of())
      weights[i] = 0;
  const int plain = window.filter_h == 1 && window.filter_w == 1 &&
                    window.in_c % 16 == 0 && !window_is_padded(&window);
  scratch = plain && random_below(2) ? NULL : work;
}

static void prepare_conv_rvv(void) {
  draw(3);
  window.out_c = random_between(1, 40);
  fill_bytes();
  fill_weights();
  const int plain = window.filter_h == 1 && window.filter_w == 1 &&
                    !window_is_padded(&window);
  scratch = plain && random_below(2) ? NULL : work;
}

static void prepare_conv_simd(void) {
  draw(3);
  window.out_c = random_between(1, 20);
  fill_bytes();
  fill_weights();
  make_constants(16, 1);
  const int32_t blocks = (taps_of() + 3) / 4;
  for (int32_t i = 0; i < (window.out_c + 15) / 16 * 64 * blocks; i++)
    if (i / 64 % blocks * 4 + i % 4 >= taps_of())
      weights[i] = 0;
  scratch = work;
}

static void prepare_conv_scalar(void) {
  draw(3);
  window.out_c = random_between(1, 18);
  fill_bytes();
  fill_weights();
  count_shifts_down();
  make_constants(4, -2);
  scratch = work;
}

/* Rows of weights in whole blocks, where there is no tap 0. */
static void prepare_conv_pie(void) {
  draw(3);
  window.out_c = random_between(1, 18);
  fill_bytes();
  fill_weights();
  count_shifts_down();
  make_constants(4, -2);
  const int32_t row = (taps_of() + 15) / 16 * 16;
  for (int32_t i = 0; i < window.out_c * row; i++)
    if (i % row >= taps_of())
      weights[i] = 0;
  scratch = work;
}

static void prepare_depthwise_packed(void) {
  draw(3);
  fill_bytes();
  fill_weights();
  scratch = window_is_padded(&window) || random_below(2) ? work : NULL;
}

static void prepare_depthwise_large(void) {
  prepare_depthwise();
  scratch = work;
}

static void prepare_depthwise_dsp(void) {
  prepare_depthwise_packed();
  count_shifts_down();
}

/* int16 without groups and zero points. */
static void prepare_wide_conv(void) {
  draw(3);
  groups = 1;
  window.out_c = random_between(1, 9);
  fill_bytes();
  fill_weights();
  scratch = work;
}

static void prepare_wide_depthwise(void) {
  draw(3);
  fill_bytes();
  fill_weights();
}

static void prepare_pool_f32(void) {
  draw(1);
  fill_floats();
}

static void prepare_conv_f32(void) {
  prepare_conv();
  fill_floats();
}

static void prepare_depthwise_f32(void) {
  prepare_depthwise();
  fill_floats();
}

/* Weights are packed in eights of channels, or one output channel an input
 * channel. */
static void prepare_packed_f32(void) {
  draw(3);
  fill_floats();
}

/* The output of a transposed convolution is what its input reaches, more or
 * less. */
static void prepare_turned(void) {
  do {
    draw(1);
    window.out_h = (window.in_h - 1) * window.stride_h + window.filter_h -
                   window.pad_top - random_below(2);
    window.out_w = (window.in_w - 1) * window.stride_w + window.filter_w -
                   window.pad_left - random_below(2);
  } while (window.out_h < 1 || window.out_w < 1 || window.out_h > LINES);
  window.out_c = random_between(1, 9);
  fill_weights();
}

static void prepare_turned_bytes(void) {
  prepare_turned();
  fill_bytes();
}

/* Parts whose taps are whole blocks for every processor. */
static void prepare_parts_mve(void) {
  draw(3);
  groups = random_between(2, 3);
  window.in_c = groups * 16;
  window.out_c = groups * random_between(1, 18 / groups);
  fill_bytes();
  fill_weights();
  scratch = work;
}

static void prepare_parts(void) {
  prepare_parts_mve();
  count_shifts_down();
}

static void prepare_turned_mve(void) {
  prepare_turned();
  window.in_c = 16 * random_between(1, 2);
  window.out_c = random_between(1, 8);
  fill_bytes();
  fill_weights();
  scratch = work;
}

static void prepare_turned_parts(void) {
  prepare_turned_mve();
  count_shifts_down();
}

static void prepare_turned_f32(void) {
  prepare_turned();
  fill_floats();
}

/* Rows, then columns: tables and parts in 1/1024. */
static void prepare_resize(void) {
  draw(1);
  int32_t at = 0, part = 0;
  for (int32_t axis = 0; axis < 2; axis++) {
    const int32_t out = axis ? window.out_w : window.out_h;
    const int32_t size = axis ? window.in_w : window.in_h;
    for (int32_t i = 0; i < out; i++) {
      const int32_t lower = i * size / out;
      table[at++] = lower;
      table[at++] = lower + 1 < size ? lower + 1 : lower;
      parts[part] = random_below(1025);
      parts_f32[part] = (float)parts[part] / 1024.0f;
      part++;
    }
  }
  fill_bytes();
}

static void prepare_resize_f32(void) {
  prepare_resize();
  fill_floats();
}

static void prepare_nearest(void) {
  prepare_resize();
  for (int32_t i = 0; i < window.out_h + window.out_w; i++)
    table[i] = table[2 * i];
}

/* ---- what is read ------------------------------------------------------- */

static int reads_window(int32_t row, int32_t y) {
  for (int32_t k = 0; k < window.filter_h; k++)
    if (y * window.stride_h - window.pad_top + k * window.dilation_h == row)
      return 1;
  return 0;
}

static int reads_turned(int32_t row, int32_t y) {
  for (int32_t k = 0; k < window.filter_h; k++)
    if (row * window.stride_h - window.pad_top + k == y)
      return 1;
  return 0;
}

static int reads_mixed(int32_t row, int32_t y) {
  return row == table[2 * y] || row == table[2 * y + 1];
}

static int reads_nearest(int32_t row, int32_t y) {
  return row == table[y];
}

/* ---- the kernels -------------------------------------------------------- */

static ash_rt_conv_2d_s8_params conv_params(void) {
  const ash_rt_conv_2d_s8_params p = {
      window, groups, in_offset, out_offset, per_channel, low, high};
  return p;
}

static ash_rt_depthwise_conv_2d_s8_params depthwise_params(void) {
  const ash_rt_depthwise_conv_2d_s8_params p = {
      window, in_offset, out_offset, per_channel, low, high};
  return p;
}

static ash_rt_pool_2d_s8_params pool_params(void) {
  const ash_rt_pool_2d_s8_params p = {window, low, high};
  return p;
}

static ash_rt_window_f32_params window_f32_params(void) {
  const ash_rt_window_f32_params p = {window, -60.0f, 90.0f};
  return p;
}

static ash_rt_conv_2d_f32_params conv_f32_params(void) {
  const ash_rt_conv_2d_f32_params p = {window, groups, -60.0f, 90.0f};
  return p;
}

static ash_rt_layer_params layer_params(void) {
  const ash_rt_layer_params p = {window,        groups,     in_offset,
                                 filter_offset, out_offset, per_channel,
                                 narrow,        low,        high};
  return p;
}

static ash_rt_pool_2d_any_params pool_any_params(int32_t type) {
  const ash_rt_pool_2d_any_params p = {window, type, -20000, 30000};
  return p;
}

static ash_rt_resize_params resize_params(void) {
  const ash_rt_resize_params p = {
      1, window.in_h, window.in_w, window.out_h, window.out_w, window.in_c};
  return p;
}

/* Both functions of a kernel: parameters, then what is between input and
 * output, then what follows the output. */
#define KERNEL(name, params, before, after)                                    \
  static void whole_##name(const void *from, void *to) {                       \
    const params;                                                              \
    ash_rt_##name(&p, from before, to after);                                  \
  }                                                                            \
  static void lines_##name(const ash_rt_lines *from, const ash_rt_lines *to,   \
                           int32_t first, int32_t end) {                       \
    const params;                                                              \
    ash_rt_##name##_lines(&p, from before, to, first, end after);              \
  }
#define CONV             ash_rt_conv_2d_s8_params p = conv_params()
#define DEPTHWISE        ash_rt_depthwise_conv_2d_s8_params p = depthwise_params()
#define POOL             ash_rt_pool_2d_s8_params p = pool_params()
#define CONV_F32         ash_rt_conv_2d_f32_params p = conv_f32_params()
#define WINDOW_F32       ash_rt_window_f32_params p = window_f32_params()
#define LAYER            ash_rt_layer_params p = layer_params()
#define POOL_ANY         ash_rt_pool_2d_any_params p = pool_any_params(ASH_RT_S16)
#define RESIZE           ash_rt_resize_params p = resize_params()
#define COMMA            ,
#define PORTABLE         , weights, bias, multiplier, shift
#define CONV_PACKED      , multiplier, shift, bias, weights
#define DEPTHWISE_PACKED , weights, multiplier, shift, bias

#define PORTABLE_F32 , weights_f32, bias_f32
#define PACKED_F32   , bias_f32, weights_f32
#define LAYER_U8     , (const uint8_t *)weights, bias, multiplier, shift
#define LAYER_S16                                                              \
  , weights, narrow ? (const void *)bias : (const void *)bias_s64, multiplier, \
      shift

KERNEL(conv_2d_s8, CONV, PORTABLE, )
KERNEL(depthwise_conv_2d_s8, DEPTHWISE, PORTABLE, )
KERNEL(average_pool_2d_s8, POOL, , )
KERNEL(max_pool_2d_s8, POOL, , )
KERNEL(conv_2d_s8_few_dsp, CONV, CONV_PACKED, COMMA scratch)
KERNEL(conv_2d_s8_dsp, CONV, CONV_PACKED, COMMA scratch)
KERNEL(depthwise_conv_2d_s8_dsp, DEPTHWISE, DEPTHWISE_PACKED, COMMA scratch)
KERNEL(conv_2d_s8_scalar, CONV, CONV_PACKED, COMMA scratch)
KERNEL(depthwise_conv_2d_s8_scalar, DEPTHWISE, DEPTHWISE_PACKED, COMMA scratch)
KERNEL(conv_2d_s8_pie, CONV, CONV_PACKED, COMMA scratch)
KERNEL(depthwise_conv_2d_s8_pie, DEPTHWISE, DEPTHWISE_PACKED, COMMA scratch)
KERNEL(average_pool_2d_s8_dsp, POOL, , )
KERNEL(max_pool_2d_s8_dsp, POOL, , )
KERNEL(conv_2d_s8_mve, CONV, CONV_PACKED, COMMA scratch)
KERNEL(depthwise_conv_2d_s8_mve, DEPTHWISE, DEPTHWISE_PACKED, COMMA scratch)
KERNEL(average_pool_2d_s8_mve, POOL, , )
KERNEL(max_pool_2d_s8_mve, POOL, , )
KERNEL(conv_2d_s8_rvv, CONV, CONV_PACKED, COMMA scratch)
KERNEL(depthwise_conv_2d_s8_rvv, DEPTHWISE, DEPTHWISE_PACKED, COMMA scratch)
KERNEL(average_pool_2d_s8_rvv, POOL, , )
KERNEL(max_pool_2d_s8_rvv, POOL, , )
KERNEL(conv_2d_s8_simd, CONV, CONV_PACKED, COMMA scratch)
KERNEL(depthwise_conv_2d_s8_simd, DEPTHWISE, DEPTHWISE_PACKED, COMMA scratch)
KERNEL(conv_2d_f32_simd, CONV_F32, PACKED_F32, COMMA work)
KERNEL(depthwise_conv_2d_f32_simd, WINDOW_F32, PORTABLE_F32, )
KERNEL(average_pool_2d_f32, WINDOW_F32, , )
KERNEL(max_pool_2d_f32, WINDOW_F32, , )
KERNEL(conv_2d_f32, CONV_F32, PORTABLE_F32, )
KERNEL(depthwise_conv_2d_f32, WINDOW_F32, PORTABLE_F32, )
KERNEL(conv_2d_f32_mve, CONV_F32, PACKED_F32, )
KERNEL(depthwise_conv_2d_f32_mve, WINDOW_F32, PORTABLE_F32, )
KERNEL(conv_2d_f32_mve_fast, CONV_F32, PACKED_F32, )
KERNEL(depthwise_conv_2d_f32_mve_fast, WINDOW_F32, PORTABLE_F32, )
KERNEL(conv_2d_u8, LAYER, LAYER_U8, )
KERNEL(conv_2d_s16, LAYER, LAYER_S16, )
KERNEL(depthwise_conv_2d_u8, LAYER, LAYER_U8, )
KERNEL(depthwise_conv_2d_s16, LAYER, LAYER_S16, )
KERNEL(average_pool_2d_any, POOL_ANY, , )
KERNEL(max_pool_2d_any, POOL_ANY, , )
KERNEL(conv_2d_s16_dsp, LAYER, LAYER_S16, COMMA scratch)
KERNEL(depthwise_conv_2d_s16_dsp, LAYER, LAYER_S16, )
KERNEL(average_pool_2d_any_dsp, POOL_ANY, , )
KERNEL(max_pool_2d_any_dsp, POOL_ANY, , )
KERNEL(conv_2d_s16_mve, LAYER, LAYER_S16, COMMA scratch)
KERNEL(depthwise_conv_2d_s16_mve, LAYER, LAYER_S16, )
KERNEL(average_pool_2d_any_mve, POOL_ANY, , )
KERNEL(max_pool_2d_any_mve, POOL_ANY, , )
KERNEL(depthwise_conv_2d_s8_large_mve, DEPTHWISE, DEPTHWISE_PACKED,
       COMMA scratch)
KERNEL(conv_2d_s8_groups_dsp, CONV, CONV_PACKED, COMMA scratch)
KERNEL(conv_2d_s8_groups_mve, CONV, CONV_PACKED, COMMA scratch)
KERNEL(conv_2d_s8_groups_scalar, CONV, CONV_PACKED, COMMA scratch)
KERNEL(transpose_conv_s8_dsp, CONV, CONV_PACKED, COMMA scratch)
KERNEL(transpose_conv_s8_mve, CONV, CONV_PACKED, COMMA scratch)
KERNEL(transpose_conv_s8_scalar, CONV, CONV_PACKED, COMMA scratch)
KERNEL(transpose_conv_s8, CONV, PORTABLE, )
KERNEL(transpose_conv_f32, CONV_F32, PORTABLE_F32, )
KERNEL(transpose_conv_u8, LAYER, LAYER_U8, )
KERNEL(transpose_conv_s16, LAYER, LAYER_S16, )
KERNEL(resize_nearest, RESIZE, COMMA table, )
KERNEL(resize_bilinear_s8, RESIZE, COMMA table COMMA parts, )
KERNEL(resize_bilinear_s16, RESIZE, COMMA table COMMA parts, )
KERNEL(resize_bilinear_u8, RESIZE, COMMA table COMMA parts_f32, )
KERNEL(resize_bilinear_f32, RESIZE, COMMA table COMMA parts_f32, )

static const line_kernel kernels[] = {
/* clang-format off */
#define ROW(name, prepare, reads, size)                                        \
  {#name, prepare, whole_##name, lines_##name, reads, size},
    ROW(conv_2d_s8, prepare_conv, reads_window, 1)
    ROW(depthwise_conv_2d_s8, prepare_depthwise, reads_window, 1)
    ROW(average_pool_2d_s8, prepare_pool, reads_window, 1)
    ROW(max_pool_2d_s8, prepare_pool, reads_window, 1)
    ROW(conv_2d_s8_few_dsp, prepare_conv_few, reads_window, 1)
    ROW(conv_2d_s8_dsp, prepare_conv_dsp, reads_window, 1)
    ROW(depthwise_conv_2d_s8_dsp, prepare_depthwise_dsp, reads_window, 1)
    ROW(conv_2d_s8_scalar, prepare_conv_scalar, reads_window, 1)
    ROW(depthwise_conv_2d_s8_scalar, prepare_depthwise_dsp, reads_window, 1)
    ROW(conv_2d_s8_pie, prepare_conv_pie, reads_window, 1)
    ROW(depthwise_conv_2d_s8_pie, prepare_depthwise_dsp, reads_window, 1)
    ROW(average_pool_2d_s8_dsp, prepare_pool, reads_window, 1)
    ROW(max_pool_2d_s8_dsp, prepare_pool, reads_window, 1)
    ROW(conv_2d_s8_mve, prepare_conv_mve, reads_window, 1)
    ROW(depthwise_conv_2d_s8_mve, prepare_depthwise_packed, reads_window, 1)
    ROW(average_pool_2d_s8_mve, prepare_pool, reads_window, 1)
    ROW(max_pool_2d_s8_mve, prepare_pool, reads_window, 1)
    ROW(conv_2d_s8_rvv, prepare_conv_rvv, reads_window, 1)
    ROW(depthwise_conv_2d_s8_rvv, prepare_depthwise_packed, reads_window, 1)
    ROW(average_pool_2d_s8_rvv, prepare_pool, reads_window, 1)
    ROW(max_pool_2d_s8_rvv, prepare_pool, reads_window, 1)
    ROW(conv_2d_s8_simd, prepare_conv_simd, reads_window, 1)
    ROW(depthwise_conv_2d_s8_simd, prepare_depthwise_packed, reads_window, 1)
    ROW(conv_2d_f32_simd, prepare_packed_f32, reads_window, 4)
    ROW(depthwise_conv_2d_f32_simd, prepare_packed_f32, reads_window, 4)
    ROW(average_pool_2d_f32, prepare_pool_f32, reads_window, 4)
    ROW(max_pool_2d_f32, prepare_pool_f32, reads_window, 4)
    ROW(conv_2d_f32, prepare_conv_f32, reads_window, 4)
    ROW(depthwise_conv_2d_f32, prepare_depthwise_f32, reads_window, 4)
    ROW(conv_2d_f32_mve, prepare_packed_f32, reads_window, 4)
    ROW(depthwise_conv_2d_f32_mve, prepare_packed_f32, reads_window, 4)
    ROW(conv_2d_f32_mve_fast, prepare_packed_f32, reads_window, 4)
    ROW(depthwise_conv_2d_f32_mve_fast, prepare_packed_f32, reads_window, 4)
    ROW(conv_2d_u8, prepare_conv, reads_window, 1)
    ROW(conv_2d_s16, prepare_conv, reads_window, 2)
    ROW(depthwise_conv_2d_u8, prepare_depthwise, reads_window, 1)
    ROW(depthwise_conv_2d_s16, prepare_depthwise, reads_window, 2)
    ROW(average_pool_2d_any, prepare_pool, reads_window, 2)
    ROW(max_pool_2d_any, prepare_pool, reads_window, 2)
    ROW(conv_2d_s16_dsp, prepare_wide_conv, reads_window, 2)
    ROW(depthwise_conv_2d_s16_dsp, prepare_wide_depthwise, reads_window, 2)
    ROW(average_pool_2d_any_dsp, prepare_pool, reads_window, 2)
    ROW(max_pool_2d_any_dsp, prepare_pool, reads_window, 2)
    ROW(conv_2d_s16_mve, prepare_wide_conv, reads_window, 2)
    ROW(depthwise_conv_2d_s16_mve, prepare_wide_depthwise, reads_window, 2)
    ROW(average_pool_2d_any_mve, prepare_pool, reads_window, 2)
    ROW(max_pool_2d_any_mve, prepare_pool, reads_window, 2)
    ROW(depthwise_conv_2d_s8_large_mve, prepare_depthwise_large, reads_window,
        1)
    ROW(conv_2d_s8_groups_dsp, prepare_parts, reads_window, 1)
    ROW(conv_2d_s8_groups_mve, prepare_parts_mve, reads_window, 1)
    ROW(conv_2d_s8_groups_scalar, prepare_parts, reads_window, 1)
    ROW(transpose_conv_s8_dsp, prepare_turned_parts, reads_turned, 1)
    ROW(transpose_conv_s8_mve, prepare_turned_mve, reads_turned, 1)
    ROW(transpose_conv_s8_scalar, prepare_turned_parts, reads_turned, 1)
    ROW(transpose_conv_s8, prepare_turned_bytes, reads_turned, 1)
    ROW(transpose_conv_f32, prepare_turned_f32, reads_turned, 4)
    ROW(transpose_conv_u8, prepare_turned_bytes, reads_turned, 1)
    ROW(transpose_conv_s16, prepare_turned_bytes, reads_turned, 2)
    ROW(resize_nearest, prepare_nearest, reads_nearest, 1)
    ROW(resize_bilinear_s8, prepare_resize, reads_mixed, 1)
    ROW(resize_bilinear_s16, prepare_resize, reads_mixed, 2)
    ROW(resize_bilinear_u8, prepare_resize, reads_mixed, 1)
    ROW(resize_bilinear_f32, prepare_resize_f32, reads_mixed, 4)
    /* clang-format on */
};

/* ---- the arena ---------------------------------------------------------- */

/* The lines of input and output at random places of an arena that ends with
 * the last of them. */
typedef struct scattered {
  int8_t *arena, *image; /* and what must be in it */
  size_t bytes;
  uint16_t at_in[LINES], at_out[LINES];
  ash_rt_lines in, out;
  size_t in_line, out_line; /* bytes */
} scattered;

static void *arena_line(const ash_rt_lines *lines, int32_t y) {
  return ash_rt_line_out(lines, y);
}

/* A place behind what is taken. */
static size_t place(scattered *s, size_t line, int32_t unit) {
  const size_t gap = (size_t)(random_below(6) * unit);
  const size_t at =
      (s->bytes + (size_t)unit - 1) / (size_t)unit * (size_t)unit + gap;
  s->bytes = at + line;
  return at;
}

/* Single lines in random order, all of the input and all of the output. */
static void place_lines(scattered *s, int32_t unit) {
  int32_t in_left = window.in_h, out_left = window.out_h;
  uint8_t taken[2][LINES] = {{0}};
  while (in_left + out_left > 0) {
    const int is_out = random_below(in_left + out_left) >= in_left;
    const int32_t count = is_out ? window.out_h : window.in_h;
    int32_t y = random_below(count);
    while (taken[is_out][y])
      y = (y + 1) % count;
    taken[is_out][y] = 1;
    const size_t at = place(s, is_out ? s->out_line : s->in_line, unit);
    (is_out ? s->at_out : s->at_in)[y] = (uint16_t)(at / (size_t)unit);
    in_left -= !is_out;
    out_left -= is_out;
  }
}

/* Lines at equal distances, the other way to say where they are. */
static ash_rt_lines place_evenly(scattered *s, int32_t count, size_t line,
                                 int32_t unit) {
  const ptrdiff_t pitch = (ptrdiff_t)line + random_below(3) * unit;
  const size_t first = place(s, line + (size_t)((count - 1) * pitch), unit);
  return (ash_rt_lines){(const void *)(uintptr_t)first, NULL, 0, pitch};
}

static void scatter(scattered *s, int32_t size) {
  const int32_t unit = size << random_below(3);
  *s = (scattered){.in_line = (size_t)(window.in_w * window.in_c * size),
                   .out_line = (size_t)(window.out_w * window.out_c * size)};
  s->in = (ash_rt_lines){NULL, s->at_in, unit, 0};
  s->out = (ash_rt_lines){NULL, s->at_out, unit, 0};
  place_lines(s, unit);
  if (random_below(4) == 0)
    s->in = place_evenly(s, window.in_h, s->in_line, size);
  if (random_below(4) == 0)
    s->out = place_evenly(s, window.out_h, s->out_line, size);
  s->arena = malloc(s->bytes);
  s->image = malloc(s->bytes);
  fill_s8(s->arena, (int32_t)s->bytes);
  s->in.base = s->arena + (uintptr_t)s->in.base;
  s->out.base = s->arena + (uintptr_t)s->out.base;
}

/* What a run does not read is random. */
static void fill_inputs(const line_kernel *k, const scattered *s, int32_t from,
                        int32_t to) {
  for (int32_t y = 0; y < window.in_h; y++) {
    int8_t *line = arena_line(&s->in, y);
    int is_read = 0;
    for (int32_t i = from; i < to; i++)
      is_read |= k->reads(y, i);
    if (is_read)
      memcpy(line, (const int8_t *)in + (size_t)y * s->in_line, s->in_line);
    else
      fill_s8(line, (int32_t)s->in_line);
  }
}

static void run_lines(const line_kernel *k, const scattered *s, int32_t from,
                      int32_t to) {
  fill_inputs(k, s, from, to);
  fill_s8(work, 4096);
  memcpy(s->image, s->arena, s->bytes);
  for (int32_t y = from; y < to; y++) {
    const int8_t *line = arena_line(&s->out, y);
    memcpy(s->image + (line - s->arena),
           (const int8_t *)want + (size_t)y * s->out_line, s->out_line);
  }
  k->lines(&s->in, &s->out, from, to);
  if (memcmp(s->image, s->arena, s->bytes) != 0) {
    fprintf(stderr, "%s_lines, lines %d to %d of %d\n", k->name, (int)from,
            (int)to, (int)window.out_h);
    CHECK(false);
  }
}

static void kernel_agrees(const line_kernel *k) {
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    k->prepare();
    k->whole(in, want);
    scattered s;
    scatter(&s, k->size);
    for (int32_t from = 0, to; from < window.out_h; from = to) {
      to = from + random_between(1, window.out_h - from);
      run_lines(k, &s, from, to);
    }
    free(s.arena);
    free(s.image);
  }
}

static void lines_are_those_of_the_whole_operator(void) {
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
    kernel_agrees(&kernels[i]);
}

/* Does any output line from `from` on read the input line? */
static int is_read_from(const line_kernel *k, int32_t row, int32_t from) {
  for (int32_t y = from; y < window.out_h; y++)
    if (k->reads(row, y))
      return 1;
  return 0;
}

/* Output lines go where input lines were that only earlier ones read. */
static int reuse_lines(const line_kernel *k, scattered *s) {
  const int32_t unit = s->in.unit;
  int32_t y = 0, reused = 0;
  for (int32_t row = 0; row < window.in_h; row++) {
    while (y < window.out_h && is_read_from(k, row, y))
      y++;
    if (y == 0 || y == window.out_h || s->out_line > s->in_line)
      continue;
    const int32_t room = (int32_t)(s->in_line - s->out_line) / unit;
    s->at_out[y++] = (uint16_t)(s->at_in[row] + random_below(room + 1));
    reused++;
  }
  return reused;
}

/* All lines in one call: what a line makes may lie where a line before it
 * read. */
static int agrees_over_dead_lines(const line_kernel *k) {
  scattered s;
  int reused = 0;
  k->prepare();
  k->whole(in, want);
  scatter(&s, k->size);
  if (s.in.at && s.out.at)
    reused = reuse_lines(k, &s);
  if (reused) {
    fill_inputs(k, &s, 0, window.out_h);
    k->lines(&s.in, &s.out, 0, window.out_h);
  }
  for (int32_t y = 0; reused && y < window.out_h; y++)
    if (memcmp(arena_line(&s.out, y),
               (const int8_t *)want + (size_t)y * s.out_line,
               s.out_line) != 0) {
      fprintf(stderr, "%s_lines, line %d over a dead one\n", k->name, (int)y);
      CHECK(false);
    }
  free(s.arena);
  free(s.image);
  return reused;
}

static void lines_may_lie_where_earlier_ones_read(void) {
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    int reused = 0;
    for (int32_t turn = 0; turn < ROUNDS; turn++)
      reused += agrees_over_dead_lines(&kernels[i]);
    CHECK(reused > 0);
  }
}

static void every_kernel_with_lines_is_tested(void) {
  const ash_kernel *k;
  for (size_t i = 0; (k = ash_kernel_at(i)) != NULL; i++) {
    size_t t = 0;
    while (t < sizeof kernels / sizeof *kernels &&
           strcmp(kernels[t].name, k->name) != 0)
      t++;
    if (k->lines && t == sizeof kernels / sizeof *kernels) {
      fprintf(stderr, "%s_lines is not tested\n", k->name);
      CHECK(false);
    }
  }
}

#define TESTS(X)                                                               \
  X(lines_are_those_of_the_whole_operator)                                     \
  X(lines_may_lie_where_earlier_ones_read)                                     \
  X(every_kernel_with_lines_is_tested)
TEST_MAIN(TESTS)

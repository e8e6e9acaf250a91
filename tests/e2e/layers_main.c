/* layers_main.c - runs kernels on recorded layers (tests/tools/make_layers.c)
 * and compares: the portable ones, those of a processor, and those of lines
 * that lie scattered in an arena, with each other and with the record; on this
 * machine, or on a board with the start-up code of examples/firmware. VARIANT
 * is dsp, mve, mve_fast (--fast-math: floats within a bound), rvv, simd, pie or
 * scalar. */
#include "ash_rt_dsp_rows.h"
#include "ash_rt_dsp_s16.h"
#include "ash_rt_matmul.h"
#include "ash_rt_mve_f32.h"
#include "ash_rt_mve_fast.h"
#include "ash_rt_mve_rows.h"
#include "ash_rt_mve_s16.h"
#include "ash_rt_pie.h"
#include "ash_rt_rvv.h"
#include "ash_rt_scalar.h"
#include "ash_rt_simd.h"
#include "ash_rt_simd_f32.h"
#include "layers.h"

#include <float.h>

#define dsp       1
#define mve       2
#define rvv       3
#define simd      4
#define scalar    5
#define mve_fast  6
#define pie       7
#define IS_MVE    (VARIANT == mve)
#define IS_DSP    (VARIANT == dsp)
#define IS_RVV    (VARIANT == rvv)
#define IS_SIMD   (VARIANT == simd)
#define IS_SCALAR (VARIANT == scalar || VARIANT == pie)
#define IS_FAST   (VARIANT == mve_fast)
#if IS_DSP
#define SUFFIX(k) k##_dsp
#define LINES(k)  k##_dsp_lines
#elif IS_MVE
#define SUFFIX(k) k##_mve
#define LINES(k)  k##_mve_lines
#elif VARIANT == pie
#define SUFFIX(k) k##_pie
#define LINES(k)  k##_pie_lines
#elif IS_FAST
#define SUFFIX(k) k##_mve_fast
#define LINES(k)  k##_mve_fast_lines
#elif IS_SIMD
#define SUFFIX(k) k##_simd
#define LINES(k)  k##_simd_lines
#elif IS_SCALAR
#define SUFFIX(k) k##_scalar
#define LINES(k)  k##_scalar_lines
#else
#define SUFFIX(k) k##_rvv
#define LINES(k)  k##_rvv_lines
#endif

#ifdef BOARD_MHZ
#include "semihost.h"
typedef int file_handle;
#define READ(file, to, n) sh_read(file, to, n)
#define SAY(text)         sh_text(text)
#define SAY_NUMBER(n)     sh_number(n)
#else
#include <stdio.h>
typedef FILE *file_handle;
#define READ(file, to, n) fread(to, 1, n, file)
#define SAY(text)         fputs(text, stdout)
#define SAY_NUMBER(n)     printf("%lu", (unsigned long)(n))
#endif

enum { ROOM = 50000, CONSTANTS = 200000, GUARD = 16, ROWS = 1000 };

static ASH_RT_ALIGN(16) int8_t in[ROOM], other[ROOM];
static ASH_RT_ALIGN(16) int8_t fast[ROOM], scratch[ROOM];
static ASH_RT_ALIGN(16) int8_t constants[CONSTANTS];
/* What to compare with; then an arena for lines. */
static ASH_RT_ALIGN(16) int8_t arena[2 * ROOM];
static int8_t *const want = arena, *const plain = arena + ROOM;
static layer_head h;
static const void *at[LAYER_INPUTS]; /* constants, by input; null: none */

#define F(p) ((const float *)(const void *)(p))
#define I(p) ((const int32_t *)(p))
#define B(p) ((const int8_t *)(p))

/* Which kernel runs: for a whole operator, or for output lines [first, end). */
enum { PLAIN, FAST, IN_LINES };
static ash_rt_lines in_lines, out_lines;
static int32_t first, end;

/* ---- parameters ---------------------------------------------------------- */

static ash_rt_window window_of(void) {
  const int32_t *w = h.window;
  const ash_rt_window window = {w[0],  w[1],  w[2],  w[3],  w[4],
                                w[5],  w[6],  w[7],  w[8],  w[9],
                                w[10], w[11], w[12], w[13], w[14]};
  return window;
}

/* A row for each of window[1]; operand window[2] - 1 is the same in all. */
static ash_rt_broadcast shape_of(void) {
  const int32_t *w = h.window;
  const ash_rt_broadcast s = {
      2, {w[1], w[0]}, {w[2] == 1 ? 0 : w[0], 1}, {w[2] == 2 ? 0 : w[0], 1}};
  return s;
}

/* ---- layers, by the portable kernel and by the processor's --------------- */

#if !IS_FAST
static void run_conv(int variant, int8_t *out, void *work) {
  const ash_rt_conv_2d_s8_params p = {
      window_of(),   1,         h.in_offset, h.out_offset,
      h.per_channel, h.act_min, h.act_max};
#if IS_DSP /* as is_packed_few */
  const ash_rt_window *w = &p.window;
  const int few = w->filter_h * w->filter_w == 1 && w->in_c * w->out_c <= 16 &&
                  h.scratch_bytes == 0;
  if (variant == IN_LINES && few)
    ash_rt_conv_2d_s8_few_dsp_lines(&p, &in_lines, I(at[5]), B(at[6]), I(at[7]),
                                    B(at[8]), &out_lines, first, end, NULL);
  else if (variant && few)
    ash_rt_conv_2d_s8_few_dsp(&p, in, I(at[5]), B(at[6]), I(at[7]), B(at[8]),
                              out, NULL);
  else
#endif
      if (variant == IN_LINES)
    LINES(ash_rt_conv_2d_s8)
  (&p, &in_lines, I(at[5]), B(at[6]), I(at[7]), B(at[8]), &out_lines, first,
   end, work);
  else if (variant) SUFFIX(ash_rt_conv_2d_s8)(&p, in, I(at[5]), B(at[6]),
                                              I(at[7]), B(at[8]), out, work);
  else ash_rt_conv_2d_s8(&p, in, B(at[1]), I(at[2]), I(at[3]), B(at[4]), out);
}

static void run_depthwise(int variant, int8_t *out, void *work) {
  const ash_rt_depthwise_conv_2d_s8_params p = {window_of(),  h.in_offset,
                                                h.out_offset, h.per_channel,
                                                h.act_min,    h.act_max};
#if IS_MVE
  const int large =
      p.window.filter_h * p.window.filter_w > ASH_RT_DEPTHWISE_TAPS ||
      p.window.in_c != p.window.out_c;
  if (variant == IN_LINES && large)
    ash_rt_depthwise_conv_2d_s8_large_mve_lines(&p, &in_lines, B(at[1]),
                                                I(at[5]), B(at[6]), I(at[7]),
                                                &out_lines, first, end, work);
  else if (variant && large)
    ash_rt_depthwise_conv_2d_s8_large_mve(&p, in, B(at[1]), I(at[5]), B(at[6]),
                                          I(at[7]), out, work);
  else
#endif
      if (variant == IN_LINES)
    LINES(ash_rt_depthwise_conv_2d_s8)
  (&p, &in_lines, B(at[1]), I(at[5]), B(at[6]), I(at[7]), &out_lines, first,
   end, work);
  else if (variant) SUFFIX(ash_rt_depthwise_conv_2d_s8)(
      &p, in, B(at[1]), I(at[5]), B(at[6]), I(at[7]), out, work);
  else ash_rt_depthwise_conv_2d_s8(&p, in, B(at[1]), I(at[2]), I(at[3]),
                                   B(at[4]), out);
}

static void run_dense(int variant, int8_t *out, void *work) {
  const int32_t wide = I(at[7])[h.constant_bytes[7] / 4 - 1] < 0;
  const ash_rt_fully_connected_s8_params p = {
      h.window[0],  h.window[1],   h.window[2], h.in_offset, 0,
      h.out_offset, h.per_channel, wide,        h.act_min,   h.act_max};
  (void)work;
  if (!variant)
    ash_rt_fully_connected_s8(&p, in, B(at[1]), I(at[2]),
                              (const int64_t *)at[3], B(at[4]), out);
  else
#if IS_RVV || VARIANT == scalar
    SUFFIX(ash_rt_fully_connected_s8)
  (&p, in, I(at[5]), B(at[6]), I(at[7]), out);
#else
    SUFFIX(ash_rt_fully_connected_s8)
  (&p, in, I(at[5]), B(at[6]), I(at[7]), out, work);
#endif
}
#endif

#if !IS_SCALAR && !IS_FAST
static void run_add(int variant, int8_t *out, void *work) {
  const int32_t *q = h.pair;
  const ash_rt_add_s8_params p = {shape_of(), q[0], q[1],      q[2],
                                  q[3],       q[4], q[5],      q[6],
                                  q[7],       q[8], h.act_min, h.act_max};
  (void)work;
  if (variant)
    SUFFIX(ash_rt_add_s8)
  (&p, in, other, out);
  else ash_rt_add_s8(&p, in, other, out);
}

static void run_mul(int variant, int8_t *out, void *work) {
  const int32_t *q = h.pair;
  const ash_rt_mul_s8_params p = {shape_of(), q[0], q[3],      q[6],
                                  q[7],       q[8], h.act_min, h.act_max};
  (void)work;
  if (variant)
    SUFFIX(ash_rt_mul_s8)
  (&p, in, other, out);
  else ash_rt_mul_s8(&p, in, other, out);
}
#endif

#if !IS_SIMD && !IS_SCALAR && !IS_FAST
static void run_max(int variant, int8_t *out, void *work) {
  const ash_rt_pool_2d_s8_params p = {window_of(), h.act_min, h.act_max};
  (void)work;
  if (variant == IN_LINES)
    LINES(ash_rt_max_pool_2d_s8)
  (&p, &in_lines, &out_lines, first, end);
  else if (variant) SUFFIX(ash_rt_max_pool_2d_s8)(&p, in, out);
  else ash_rt_max_pool_2d_s8(&p, in, out);
}

static void run_average(int variant, int8_t *out, void *work) {
  const ash_rt_pool_2d_s8_params p = {window_of(), h.act_min, h.act_max};
  (void)work;
  if (variant == IN_LINES)
    LINES(ash_rt_average_pool_2d_s8)
  (&p, &in_lines, &out_lines, first, end);
  else if (variant) SUFFIX(ash_rt_average_pool_2d_s8)(&p, in, out);
  else ash_rt_average_pool_2d_s8(&p, in, out);
}

#endif

#if !IS_DSP && !IS_SIMD && !IS_SCALAR && !IS_FAST
static void run_softmax(int variant, int8_t *out, void *work) {
  const ash_rt_rows_params p = {h.window[0], h.window[1]};
  (void)work;
  if (variant)
    SUFFIX(ash_rt_softmax_s8)
  (&p, in, I(at[1]), out);
  else ash_rt_softmax_s8(&p, in, I(at[1]), out);
}
#endif

#if IS_DSP || IS_MVE || VARIANT == scalar
static void run_groups(int variant, int8_t *out, void *work) {
  const ash_rt_conv_2d_s8_params p = {window_of(),  h.groups,      h.in_offset,
                                      h.out_offset, h.per_channel, h.act_min,
                                      h.act_max};
  if (variant == IN_LINES)
    LINES(ash_rt_conv_2d_s8_groups)
  (&p, &in_lines, I(at[5]), B(at[6]), I(at[7]), B(at[8]), &out_lines, first,
   end, work);
  else if (variant) SUFFIX(ash_rt_conv_2d_s8_groups)(
      &p, in, I(at[5]), B(at[6]), I(at[7]), B(at[8]), out, work);
  else ash_rt_conv_2d_s8(&p, in, B(at[1]), I(at[2]), I(at[3]), B(at[4]), out);
}

static void run_turned(int variant, int8_t *out, void *work) {
  const ash_rt_conv_2d_s8_params p = {
      window_of(),   1,         h.in_offset, h.out_offset,
      h.per_channel, h.act_min, h.act_max};
  if (variant == IN_LINES)
    LINES(ash_rt_transpose_conv_s8)
  (&p, &in_lines, I(at[5]), B(at[6]), I(at[7]), B(at[8]), &out_lines, first,
   end, work);
  else if (variant) SUFFIX(ash_rt_transpose_conv_s8)(
      &p, in, I(at[5]), B(at[6]), I(at[7]), B(at[8]), out, work);
  else ash_rt_transpose_conv_s8(&p, in, B(at[1]), I(at[2]), I(at[3]), B(at[4]),
                                out);
}
#endif

#if IS_DSP || IS_MVE
#define S(p) ((const int16_t *)(const void *)(p))

static ash_rt_layer_params wide_layer(void) {
  const uint32_t channels = (uint32_t)h.window[6];
  const ash_rt_layer_params p = {window_of(),
                                 1,
                                 0,
                                 0,
                                 0,
                                 h.per_channel,
                                 h.constant_bytes[2] == 4 * channels,
                                 h.act_min,
                                 h.act_max};
  return p;
}

static void run_conv_s16(int variant, int8_t *out, void *work) {
  const ash_rt_layer_params p = wide_layer();
  int16_t *to = (int16_t *)(void *)out;
  if (variant == IN_LINES)
    LINES(ash_rt_conv_2d_s16)
  (&p, &in_lines, B(at[1]), at[2], I(at[3]), B(at[4]), &out_lines, first, end,
   work);
  else if (variant) SUFFIX(ash_rt_conv_2d_s16)(&p, S(in), B(at[1]), at[2],
                                               I(at[3]), B(at[4]), to, work);
  else ash_rt_conv_2d_s16(&p, S(in), B(at[1]), at[2], I(at[3]), B(at[4]), to);
}

static void run_depthwise_s16(int variant, int8_t *out, void *work) {
  const ash_rt_layer_params p = wide_layer();
  int16_t *to = (int16_t *)(void *)out;
  (void)work;
  if (variant == IN_LINES)
    LINES(ash_rt_depthwise_conv_2d_s16)
  (&p, &in_lines, B(at[1]), at[2], I(at[3]), B(at[4]), &out_lines, first, end);
  else if (variant) SUFFIX(ash_rt_depthwise_conv_2d_s16)(
      &p, S(in), B(at[1]), at[2], I(at[3]), B(at[4]), to);
  else ash_rt_depthwise_conv_2d_s16(&p, S(in), B(at[1]), at[2], I(at[3]),
                                    B(at[4]), to);
}

static void run_dense_s16(int variant, int8_t *out, void *work) {
  const ash_rt_dense_params p = {h.window[0],
                                 h.window[1],
                                 h.window[2],
                                 0,
                                 0,
                                 0,
                                 h.per_channel,
                                 h.constant_bytes[2] ==
                                     4 * (uint32_t)h.window[2],
                                 h.act_min,
                                 h.act_max};
  int16_t *to = (int16_t *)(void *)out;
  const double *ratio = (const double *)at[3];
  (void)work;
  if (!variant)
    ash_rt_fully_connected_s16(&p, S(in), B(at[1]), at[2], ratio, to);
  else
#if IS_DSP
    ash_rt_fully_connected_s16_dsp(&p, S(in), B(at[1]), at[2], ratio, to, work);
#else
    ash_rt_fully_connected_s16_mve(&p, S(in), B(at[1]), at[2], ratio, to);
#endif
}

static void run_pool_s16(int variant, int8_t *out, void *work) {
  const ash_rt_pool_2d_any_params p = {window_of(), ASH_RT_S16, h.act_min,
                                       h.act_max};
  const int average = h.kind == LAYER_AVERAGE_S16;
  (void)work;
  if (variant == IN_LINES && average)
    LINES(ash_rt_average_pool_2d_any)
  (&p, &in_lines, &out_lines, first, end);
  else if (variant == IN_LINES)
      LINES(ash_rt_max_pool_2d_any)(&p, &in_lines, &out_lines, first, end);
  else if (variant && average) SUFFIX(ash_rt_average_pool_2d_any)(&p, in, out);
  else if (variant) SUFFIX(ash_rt_max_pool_2d_any)(&p, in, out);
  else if (average) ash_rt_average_pool_2d_any(&p, in, out);
  else ash_rt_max_pool_2d_any(&p, in, out);
}

static void run_matmul(int variant, int8_t *out, void *work) {
  const int32_t *w = h.window, *q = h.pair;
  const int32_t rows = w[1], depth = w[2], columns = w[3];
  const ash_rt_matmul_s8_params p = {
      {{2, {w[0], 1}, {rows * depth, 0}, {w[6] ? 0 : depth * columns, 0}},
       rows,
       columns,
       depth,
       w[4] ? 1 : depth,
       w[4] ? rows : 1,
       w[5] ? 1 : columns,
       w[5] ? depth : 1},
      q[0],
      q[3],
      q[6],
      q[7],
      q[8]};
  if (variant)
    SUFFIX(ash_rt_matmul_s8)
  (&p, in, other, out, work);
  else ash_rt_matmul_s8(&p, in, other, out);
}
#endif

#if IS_DSP || IS_MVE
/* Input k of the operator with its first value, behind `*used` bytes of out. */
static void *first_state(int8_t *out, uint32_t *used, uint32_t k) {
  *used = (*used + LAYER_ALIGN - 1) / LAYER_ALIGN * LAYER_ALIGN;
  int8_t *to = out + *used;
  ASH_RT_COPY(to, at[k], h.constant_bytes[k]);
  *used += h.constant_bytes[k];
  return to;
}

static void run_svdf(int variant, int8_t *out, void *work) {
  const int32_t *w = h.window, *q = h.pair;
  const ash_rt_svdf_params p = {w[0], w[1], w[2], w[3], w[4], 0, q[0],
                                q[6], q[1], q[2], q[7], q[8], 0};
  uint32_t used = h.want_bytes;
  int16_t *state = first_state(out, &used, 4);
  if (variant)
    SUFFIX(ash_rt_svdf_s8)
  (&p, in, B(at[1]), S(at[2]), I(at[3]), state, out, work);
  else ash_rt_svdf_s8(&p, in, B(at[1]), at[2], I(at[3]), state, out);
}

static void run_lstm(int variant, int8_t *out, void *work) {
  static int8_t hidden[ROWS];
  ash_rt_lstm_s8_params p;
  uint32_t used = h.want_bytes;
  int8_t *state = first_state(out, &used, 18);
  int16_t *cell = first_state(out, &used, 19);
  ASH_RT_COPY(&p, h.cells, sizeof p);
  if (variant)
    SUFFIX(ash_rt_lstm_s8)
  (&p, in, at + 1, state, cell, out, work);
  else ash_rt_lstm_s8(&p, in, at + 1, state, cell, out, hidden);
}
#endif

#if IS_MVE
static void run_pair_s16(int variant, int8_t *out, void *work) {
  const int32_t *q = h.pair;
  const ash_rt_pairs_s16_params p = {
      shape_of(), 0, q[1], q[2], q[4], q[5], q[7], q[8], h.act_min, h.act_max};
  int16_t *to = (int16_t *)(void *)out;
  const int product = h.kind == LAYER_MUL_S16;
  (void)work;
  if (variant && product)
    ash_rt_mul_s16_mve(&p, S(in), S(other), to);
  else if (variant)
    ash_rt_add_s16_mve(&p, S(in), S(other), to);
  else if (product)
    ash_rt_mul_s16(&p, S(in), S(other), to);
  else
    ash_rt_add_s16(&p, S(in), S(other), to);
}
#endif

#if IS_MVE || IS_SIMD || IS_FAST
#if !IS_SIMD
#define WORK
#else
#define WORK , work
#endif
static void run_conv_f32(int variant, int8_t *out, void *work) {
  const ash_rt_conv_2d_f32_params p = {window_of(), 1, h.low, h.high};
  float *to = (float *)(void *)out;
  const float *bias = F(at[2]), *packed = F(at[5]);
  (void)work;
  if (variant == IN_LINES) {
    LINES(ash_rt_conv_2d_f32)
    (&p, &in_lines, bias, packed, &out_lines, first, end WORK);
  } else if (variant) {
    SUFFIX(ash_rt_conv_2d_f32)(&p, F(in), bias, packed, to WORK);
  } else {
    ash_rt_conv_2d_f32(&p, F(in), F(at[1]), bias, to);
  }
}

static void run_depthwise_f32(int variant, int8_t *out, void *work) {
  const ash_rt_window_f32_params p = {window_of(), h.low, h.high};
  float *to = (float *)(void *)out;
  const float *filter = F(at[1]), *bias = F(at[2]);
  (void)work;
  if (variant == IN_LINES) {
    LINES(ash_rt_depthwise_conv_2d_f32)
    (&p, &in_lines, filter, bias, &out_lines, first, end);
  } else if (variant) {
    SUFFIX(ash_rt_depthwise_conv_2d_f32)(&p, F(in), filter, bias, to);
  } else {
    ash_rt_depthwise_conv_2d_f32(&p, F(in), filter, bias, to);
  }
}

static void run_dense_f32(int variant, int8_t *out, void *work) {
  const ash_rt_fully_connected_f32_params p = {h.window[0], h.window[1],
                                               h.window[2], h.low, h.high};
  float *to = (float *)(void *)out;
  (void)work;
  if (variant)
    SUFFIX(ash_rt_fully_connected_f32)(&p, F(in), F(at[2]), F(at[5]), to WORK);
  else
    ash_rt_fully_connected_f32(&p, F(in), F(at[1]), F(at[2]), to);
}

static void run_pair_f32(int variant, int8_t *out, void *work) {
  const ash_rt_binary_f32_params p = {shape_of(), h.low, h.high};
  float *to = (float *)(void *)out;
  const int product = h.kind == LAYER_MUL_F32;
  (void)work;
  if (variant && product)
    SUFFIX(ash_rt_mul_f32)(&p, F(in), F(other), to);
  else if (variant)
    SUFFIX(ash_rt_add_f32)(&p, F(in), F(other), to);
  else if (product)
    ash_rt_mul_f32(&p, F(in), F(other), to);
  else
    ash_rt_add_f32(&p, F(in), F(other), to);
}
#endif

typedef void layer_runner(int variant, int8_t *out, void *work);

static layer_runner *const runners[LAYER_KINDS] = {
#if !IS_FAST
    [LAYER_CONV] = run_conv,
    [LAYER_DEPTHWISE] = run_depthwise,
    [LAYER_DENSE] = run_dense,
#endif
#if !IS_SCALAR && !IS_FAST
    [LAYER_ADD] = run_add,
    [LAYER_MUL] = run_mul,
#endif
#if !IS_SIMD && !IS_SCALAR && !IS_FAST
    [LAYER_MAX] = run_max,
    [LAYER_AVERAGE] = run_average,
#endif
#if !IS_DSP && !IS_SIMD && !IS_SCALAR && !IS_FAST
    [LAYER_SOFTMAX] = run_softmax,
#endif
#if IS_MVE || IS_SIMD || IS_FAST
    [LAYER_CONV_F32] = run_conv_f32,
    [LAYER_DEPTHWISE_F32] = run_depthwise_f32,
    [LAYER_DENSE_F32] = run_dense_f32,
    [LAYER_ADD_F32] = run_pair_f32,
    [LAYER_MUL_F32] = run_pair_f32,
#endif
#if IS_MVE
    [LAYER_ADD_S16] = run_pair_s16,
    [LAYER_MUL_S16] = run_pair_s16,
#endif
#if IS_DSP || IS_MVE
    [LAYER_CONV_S16] = run_conv_s16,
    [LAYER_DEPTHWISE_S16] = run_depthwise_s16,
    [LAYER_DENSE_S16] = run_dense_s16,
    [LAYER_AVERAGE_S16] = run_pool_s16,
    [LAYER_MAX_S16] = run_pool_s16,
    [LAYER_MATMUL] = run_matmul,
    [LAYER_SVDF] = run_svdf,
    [LAYER_LSTM] = run_lstm,
#endif
#if IS_DSP || IS_MVE || VARIANT == scalar
    [LAYER_GROUPS] = run_groups,
    [LAYER_TURNED] = run_turned,
#endif
};

/* ---- comparing ----------------------------------------------------------- */

static void paint(int8_t *to, uint32_t count) {
  for (uint32_t i = 0; i < count + GUARD; i++)
    to[i] = 0x5a;
}

static uint32_t count_differences(const int8_t *a, const int8_t *b,
                                  uint32_t n) {
  uint32_t errors = 0;
  for (uint32_t i = 0; i < n; i++)
    errors += a[i] != b[i];
  return errors;
}

/* Every second line from the back of the arena, the others before them. */
static uint32_t scatter(uint16_t *to, uint32_t lines, uint32_t units,
                        uint32_t from) {
  for (uint32_t y = 1; y < lines; y += 2, from += units + 1)
    to[y] = (uint16_t)from;
  for (uint32_t y = lines; y > 0; y--)
    if (y & 1) {
      to[y - 1] = (uint16_t)from;
      from += units + 1;
    }
  return from;
}

/* Wrong bytes of one image whose lines are computed one, two, three at a time.
 */
static uint32_t run_lines(uint32_t size) {
  static uint16_t in_at[ROWS], out_at[ROWS];
  const ash_rt_window w = window_of();
  const uint32_t rows_in = (uint32_t)w.in_h, rows_out = (uint32_t)w.out_h;
  const uint32_t from = (uint32_t)(w.in_w * w.in_c),
                 to = h.out_bytes / size / rows_out;
  const uint32_t used =
      scatter(out_at, rows_out, to, scatter(in_at, rows_in, from, 1));
  const ash_rt_lines i = {arena, in_at, (int32_t)size, 0};
  const ash_rt_lines o = {arena, out_at, (int32_t)size, 0};
  uint32_t errors = 0;
  in_lines = i;
  out_lines = o;
  paint(arena, used * size);
  for (uint32_t y = 0; y < rows_in; y++)
    ASH_RT_COPY(arena + in_at[y] * size, in + y * from * size, from * size);
  for (first = 0; first < w.out_h; first = end) {
    end = first + 1 + first % 3 < w.out_h ? first + 1 + first % 3 : w.out_h;
    runners[h.kind](IN_LINES, 0, h.scratch_bytes ? scratch : 0);
  }
  for (uint32_t y = 0; y < rows_in; y++)
    errors += arena[(in_at[y] + from) * size] != 0x5a;
  for (uint32_t y = 0; y < rows_out; y++)
    errors += count_differences(arena + out_at[y] * size, fast + y * to * size,
                                to * size) +
              (arena[(out_at[y] + to) * size] != 0x5a);
  return errors;
}

/* Of its elements, if it computes windows; else 0. */
static uint32_t size_of_lines(void) {
  switch (h.kind) {
  case LAYER_CONV:
  case LAYER_DEPTHWISE:
  case LAYER_GROUPS:
  case LAYER_TURNED:
  case LAYER_MAX:
  case LAYER_AVERAGE:
    return 1;
  case LAYER_CONV_S16:
  case LAYER_DEPTHWISE_S16:
  case LAYER_AVERAGE_S16:
  case LAYER_MAX_S16:
    return sizeof(int16_t);
  case LAYER_CONV_F32:
  case LAYER_DEPTHWISE_F32:
    return sizeof(float);
  default:
    return 0;
  }
}

#if IS_FAST
/* Products that are added up; 0: the bytes must be those of the portable
 * kernel. */
static uint32_t count_terms(void) {
  const int32_t *w = h.window;
  switch (h.kind) {
  case LAYER_CONV_F32:
    return (uint32_t)(w[7] * w[8] * w[3]);
  case LAYER_DEPTHWISE_F32:
    return (uint32_t)(w[7] * w[8]);
  case LAYER_DENSE_F32:
    return (uint32_t)w[1];
  default:
    return 0;
  }
}

static void make_absolute(int8_t *bytes, uint32_t count) {
  for (uint32_t i = 3; i < count; i += 4)
    bytes[i] &= 0x7f;
}

/* Elements further from the portable kernel's than docs/numerics.md allows: two
 * sums of n products and a bias, in any order, fused or not, differ by at most
 * 2 (n + 2) 2^-24 times the sum of absolute values. */
static uint32_t count_strays(void) {
  const float bound = 2.0f * (float)(count_terms() + 2) / 16777216.0f;
  uint32_t errors = 0;
  runners[h.kind](PLAIN, plain, 0);
  make_absolute(in, h.in_bytes);
  make_absolute(constants, sizeof constants);
  h.low = -FLT_MAX;
  h.high = FLT_MAX;
  runners[h.kind](PLAIN, want, 0);
  for (uint32_t i = 0; i < h.out_bytes; i += 4) {
    const float away = *F(fast + i) - *F(plain + i);
    const float most = bound * *F(want + i);
    errors += !(away <= most && -away <= most);
  }
  return errors;
}
#else
static uint32_t count_terms(void) {
  return 0;
}

static uint32_t count_strays(void) {
  return 0;
}
#endif

/* Wrong bytes, or bytes written behind output and scratch. */
static uint32_t run_layer(void) {
  uint32_t errors = 0;
  paint(fast, h.out_bytes);
  paint(plain, h.out_bytes);
  paint(scratch, h.scratch_bytes);
  runners[h.kind](PLAIN, plain, 0);
  runners[h.kind](FAST, fast, h.scratch_bytes ? scratch : 0);
  if (!count_terms())
    errors += count_differences(fast, plain, h.out_bytes);
  errors += count_differences(fast, want, h.want_bytes);
  if (size_of_lines() && h.window[0] == 1)
    errors += run_lines(size_of_lines());
  for (uint32_t i = 0; i < GUARD; i++)
    errors += (fast[h.out_bytes + i] != 0x5a) +
              (scratch[h.scratch_bytes + i] != 0x5a);
  return count_terms() ? errors + count_strays() : errors;
}

static void read_layer(file_handle file) {
  uint32_t from = 0;
  (void)READ(file, in, h.in_bytes);
  if (h.other_bytes)
    (void)READ(file, other, h.other_bytes);
  if (h.want_bytes)
    (void)READ(file, want, h.want_bytes);
  for (uint32_t i = 0; i < LAYER_INPUTS; i++) {
    at[i] = h.constant_bytes[i] ? constants + from : 0;
    if (h.constant_bytes[i])
      (void)READ(file, constants + from, h.constant_bytes[i]);
    from += (h.constant_bytes[i] + LAYER_ALIGN - 1) / LAYER_ALIGN * LAYER_ALIGN;
  }
}

static int read_all(file_handle file) {
  uint32_t layers = 0, wrong = 0;
  while (READ(file, &h, sizeof h) == sizeof h) {
    read_layer(file);
    layers++;
    if (run_layer() && wrong++ < 5) {
      SAY("wrong: layer ");
      SAY_NUMBER(layers - 1);
      SAY(" kind ");
      SAY_NUMBER(h.kind);
      SAY("\n");
    }
  }
  SAY("layers ");
  SAY_NUMBER(layers);
  SAY("\nwrong ");
  SAY_NUMBER(wrong);
  SAY("\n");
  return wrong != 0 || layers == 0;
}

#ifdef BOARD_MHZ
int main(void) {
  char path[200];
  sh_argument(1, path, sizeof path);
  return read_all(sh_open(path));
}
#else
int main(int argc, char **argv) {
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : 0;
  if (!file)
    return 2;
  const int code = read_all(file);
  (void)fclose(file);
  return code;
}
#endif

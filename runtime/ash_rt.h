/* ash_rt.h - what every kernel shares: the integer arithmetic of quantised
 * networks, parameter structs and prototypes.
 *
 * C99, freestanding: no heap, no I/O, no mutable static data; every kernel may
 * run in several threads at once. A kernel takes its parameters (constants
 * known at compile time), then inputs, then outputs. Tensors are dense, with
 * channels last.
 *
 * A generated module carries copies of these files in which the two prefixes
 * are replaced by the module's own; so every name here carries one of them. */
#ifndef ASH_RT_H
#define ASH_RT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ASH_RT_ALIGN(n) __attribute__((aligned(n)))
#define ASH_RT_WEAK     __attribute__((weak))
/* Where arguments are constants that must become part of the code. */
#define ASH_RT_INLINE                static inline __attribute__((always_inline))
#define ASH_RT_NOINLINE              __attribute__((noinline))
#define ASH_RT_MAYBE_UNUSED          __attribute__((unused))
#define ASH_RT_COPY(to, from, bytes) ((void)__builtin_memcpy(to, from, bytes))
#define ASH_RT_FILL(to, byte, bytes) ((void)__builtin_memset(to, byte, bytes))
#else
#include <string.h>
#define ASH_RT_ALIGN(n)
#define ASH_RT_WEAK
#define ASH_RT_INLINE static inline
#define ASH_RT_NOINLINE
#define ASH_RT_MAYBE_UNUSED
#define ASH_RT_COPY(to, from, bytes) ((void)memcpy(to, from, bytes))
#define ASH_RT_FILL(to, byte, bytes) ((void)memset(to, byte, bytes))
#endif

/* Steps that are loops: GCC 12 merges equal ones into a call and then drops the
 * call as if it had no effect. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define ASH_RT_STEP __attribute__((no_icf))
#else
#define ASH_RT_STEP
#endif

/* `name` must be unique in the translation unit. */
#define ASH_RT_STATIC_ASSERT(cond, name)                                       \
  typedef char ash_rt_assert_##name[(cond) ? 1 : -1]

/* The rounding below shifts negative numbers to the right. */
ASH_RT_STATIC_ASSERT((-3 >> 1) == -2, shift_is_arithmetic);

/* ---- integer arithmetic ------------------------------------------------- */

static inline int32_t ash_rt_clamp(int32_t x, int32_t low, int32_t high) {
  return x < low ? low : x > high ? high : x;
}

static inline float ash_rt_clamp_f32(float x, float low, float high) {
  return x < low ? low : x > high ? high : x;
}

/* a * b * 2^-31, to the nearest, ties up. Not for a == b == INT32_MIN. */
static inline int32_t ash_rt_mul_high(int32_t a, int32_t b) {
  return (int32_t)(((int64_t)a * b + (1 << 30)) >> 31);
}

/* x * 2^-n for 0 <= n <= 31, to the nearest, ties away from zero. Halving
 * comes last, so that nothing overflows; x < INT32_MAX where n is 1, and
 * x > INT32_MIN, which holds for every product of ash_rt_mul_high with a
 * multiplier. */
static inline int32_t ash_rt_shift_down(int32_t x, int32_t n) {
  if (n == 0)
    return x;
  return (((x + (x >> 31)) >> (n - 1)) + 1) >> 1;
}

/* x * multiplier * 2^(shift - 31), rounded twice as TensorFlow Lite does. */
static inline int32_t ash_rt_rescale(int32_t x, int32_t multiplier,
                                     int32_t shift) {
  if (shift > 0)
    return ash_rt_mul_high((int32_t)((uint32_t)x << shift), multiplier);
  return ash_rt_shift_down(ash_rt_mul_high(x, multiplier), -shift);
}

/* The same of a sum of 64 bits, |x| < 2^47: the multiplier is cut to 15 bits,
 * the result rounded once, ties up. shift < 15. */
static inline int32_t ash_rt_rescale_long(int64_t x, int32_t multiplier,
                                          int32_t shift) {
  const int32_t m =
      multiplier < 0x7fff0000 ? (multiplier + (1 << 15)) >> 16 : 0x7fff;
  const int32_t n = 15 - shift;
  const int64_t y = (x * m + ((int64_t)1 << (n - 1))) >> n;
  return y > INT32_MAX ? INT32_MAX : y < INT32_MIN ? INT32_MIN : (int32_t)y;
}

/* x * 2^n, saturated. */
static inline int32_t ash_rt_shift_up(int32_t x, int32_t n) {
  const int32_t limit = INT32_MAX >> n;
  if (x > limit)
    return INT32_MAX;
  if (x < -limit - 1)
    return INT32_MIN;
  return x * (1 << n);
}

/* 1 / (1 + x) for x in [0, 1), both in Q0.31. The estimate is in Q2.29. */
static inline int32_t ash_rt_inverse(int32_t x) {
  const int32_t half = (int32_t)(((int64_t)x + INT32_MAX + 1) / 2);
  int32_t y = 1515870810 + ash_rt_mul_high(half, -1010580540); /* 48-32x /17 */
  for (int32_t i = 0; i < 3; i++) {
    const int32_t rest = (1 << 29) - ash_rt_mul_high(half, y);
    y += ash_rt_shift_up(ash_rt_mul_high(y, rest), 2);
  }
  return ash_rt_shift_up(y, 1);
}

/* Zeros above the highest one, 32 for 0. */
static inline int32_t ash_rt_zeros(uint32_t x) {
  int32_t n = 0;
  while (n < 32 && !(x >> 31)) {
    x <<= 1;
    n++;
  }
  return n;
}

/* The last step of a kernel: zero point and clamp. The sum wraps around, as the
 * accumulators do; only scales that make no sense get that far. */
static inline int32_t ash_rt_finish(int32_t x, int32_t offset, int32_t low,
                                    int32_t high) {
  return ash_rt_clamp((int32_t)((uint32_t)x + (uint32_t)offset), low, high);
}

/* Kernels keep this many sums before they scale them all. */
enum { ASH_RT_CHUNK = 16 };

/* What turns the sums of a layer into output bytes. */
typedef struct ash_rt_scale {
  const int32_t *bias; /* may be null */
  const int32_t *multiplier;
  const int8_t *shift;
  int32_t per_channel; /* 0: one multiplier for all channels */
  int32_t offset, low, high;
} ash_rt_scale;

/* `count` sums of neighbouring channels, from `channel` on. */
static ASH_RT_NOINLINE ASH_RT_MAYBE_UNUSED void
ash_rt_scale_s8(const ash_rt_scale *s, int32_t channel, const uint32_t *sums,
                int32_t count, int8_t *out) {
  const int32_t *bias = s->bias ? s->bias + channel : 0;
  const ptrdiff_t step = s->per_channel;
  const int32_t *multiplier = s->multiplier + channel * step;
  const int8_t *shift = s->shift + channel * step;
  const int32_t offset = s->offset, low = s->low, high = s->high;
  for (int32_t i = 0; i < count; i++) {
    const uint32_t sum = bias ? sums[i] + (uint32_t)bias[i] : sums[i];
    const int32_t y = ash_rt_rescale((int32_t)sum, *multiplier, *shift);
    out[i] = (int8_t)ash_rt_finish(y, offset, low, high);
    multiplier += step;
    shift += step;
  }
}

/* Four accumulators that wrap around. */
typedef struct ash_rt_quad {
  uint32_t a, b, c, d;
} ash_rt_quad;

/* Sums of (x[i] + offset) * w[i] for four rows of weights, `pitch` apart. Each
 * input is loaded once for four products. */
static inline ash_rt_quad ash_rt_dot_4_s8(const int8_t *x, const int8_t *w,
                                          size_t pitch, int32_t count,
                                          int32_t offset) {
  const int8_t *w1 = w + pitch;
  const int8_t *w2 = w1 + pitch;
  const int8_t *w3 = w2 + pitch;
  const int8_t *end = x + count;
  ash_rt_quad s = {0, 0, 0, 0};
  while (x != end) {
    const int32_t v = *x++ + offset;
    s.a += (uint32_t)(v * *w++);
    s.b += (uint32_t)(v * *w1++);
    s.c += (uint32_t)(v * *w2++);
    s.d += (uint32_t)(v * *w3++);
  }
  return s;
}

static inline uint32_t ash_rt_dot_s8(const int8_t *x, const int8_t *w,
                                     int32_t count, int32_t offset) {
  uint32_t s = 0;
  for (int32_t i = 0; i < count; i++)
    s += (uint32_t)((x[i] + offset) * w[i]);
  return s;
}

/* ---- windows: convolution and pooling ----------------------------------- */

/* Output pixel (y, x) reads input rows y * stride_h - pad_top + k * dilation_h
 * for k in [0, filter_h), and columns likewise; taps outside the input are
 * left out. */
typedef struct ash_rt_window {
  int32_t batches;
  int32_t in_h, in_w, in_c;
  int32_t out_h, out_w, out_c;
  int32_t filter_h, filter_w;
  int32_t stride_h, stride_w;
  int32_t dilation_h, dilation_w;
  int32_t pad_top, pad_left;
} ash_rt_window;

/* The taps [lo, hi) of a filter that fall into [0, size), for a window that
 * starts at `start`. */
typedef struct ash_rt_taps {
  int32_t lo, hi;
} ash_rt_taps;

static inline ash_rt_taps ash_rt_taps_of(int32_t start, int32_t filter,
                                         int32_t dilation, int32_t size) {
  ash_rt_taps t = {0, filter};
  while (t.lo < filter && start + t.lo * dilation < 0)
    t.lo++;
  while (t.hi > t.lo && start + (t.hi - 1) * dilation >= size)
    t.hi--;
  return t;
}

/* The output columns [lo, hi) whose taps are all inside the input, as far as
 * columns go. */
static inline ash_rt_taps ash_rt_inner_columns(const ash_rt_window *w) {
  const int32_t reach = (w->filter_w - 1) * w->dilation_w + 1;
  ash_rt_taps t = {0, w->out_w};
  while (t.lo < w->out_w && t.lo * w->stride_w < w->pad_left)
    t.lo++;
  while (t.hi > t.lo &&
         (t.hi - 1) * w->stride_w - w->pad_left + reach > w->in_w)
    t.hi--;
  return t;
}

/* Weights are [out_c][filter_h][filter_w][in_c / groups]. `bias` may be null;
 * `multiplier` and `shift` have out_c entries, or one if per_channel is 0. */
typedef struct ash_rt_conv_2d_s8_params {
  ash_rt_window window;
  int32_t groups;
  int32_t in_offset, out_offset; /* -zero point, zero point */
  int32_t per_channel;
  int32_t act_min, act_max;
} ash_rt_conv_2d_s8_params;

void ash_rt_conv_2d_s8(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                       const int8_t *filter, const int32_t *bias,
                       const int32_t *multiplier, const int8_t *shift,
                       int8_t *out);

/* Weights are [filter_h][filter_w][out_c]; output channel c reads input channel
 * c / (out_c / in_c). */
typedef struct ash_rt_depthwise_conv_2d_s8_params {
  ash_rt_window window;
  int32_t in_offset, out_offset;
  int32_t per_channel;
  int32_t act_min, act_max;
} ash_rt_depthwise_conv_2d_s8_params;

void ash_rt_depthwise_conv_2d_s8(const ash_rt_depthwise_conv_2d_s8_params *p,
                                 const int8_t *in, const int8_t *filter,
                                 const int32_t *bias, const int32_t *multiplier,
                                 const int8_t *shift, int8_t *out);

/* Pooling keeps scale and zero point; out_c == in_c, dilation 1. */
typedef struct ash_rt_pool_2d_s8_params {
  ash_rt_window window;
  int32_t act_min, act_max;
} ash_rt_pool_2d_s8_params;

void ash_rt_average_pool_2d_s8(const ash_rt_pool_2d_s8_params *p,
                               const int8_t *in, int8_t *out);
void ash_rt_max_pool_2d_s8(const ash_rt_pool_2d_s8_params *p, const int8_t *in,
                           int8_t *out);

typedef struct ash_rt_conv_2d_f32_params {
  ash_rt_window window;
  int32_t groups;
  float act_min, act_max;
} ash_rt_conv_2d_f32_params;

void ash_rt_conv_2d_f32(const ash_rt_conv_2d_f32_params *p, const float *in,
                        const float *filter, const float *bias, float *out);

typedef struct ash_rt_window_f32_params {
  ash_rt_window window;
  float act_min, act_max;
} ash_rt_window_f32_params;

void ash_rt_depthwise_conv_2d_f32(const ash_rt_window_f32_params *p,
                                  const float *in, const float *filter,
                                  const float *bias, float *out);
void ash_rt_average_pool_2d_f32(const ash_rt_window_f32_params *p,
                                const float *in, float *out);
void ash_rt_max_pool_2d_f32(const ash_rt_window_f32_params *p, const float *in,
                            float *out);

/* ---- fully connected ---------------------------------------------------- */

/* out[b][o] = sum of in[b][i] * filter[o][i]. A multiplier has 53 bits: the
 * accumulator times multiplier * 2^-(22 + shift) is rounded once, which is the
 * double-precision arithmetic of TensorFlow Lite's reference kernel. */
typedef struct ash_rt_fully_connected_s8_params {
  int32_t batches, in_c, out_c;
  int32_t in_offset, filter_offset, out_offset;
  int32_t per_channel;
  int32_t act_min, act_max;
} ash_rt_fully_connected_s8_params;

void ash_rt_fully_connected_s8(const ash_rt_fully_connected_s8_params *p,
                               const int8_t *in, const int8_t *filter,
                               const int32_t *bias, const int64_t *multiplier,
                               const int8_t *shift, int8_t *out);

typedef struct ash_rt_fully_connected_f32_params {
  int32_t batches, in_c, out_c;
  float act_min, act_max;
} ash_rt_fully_connected_f32_params;

void ash_rt_fully_connected_f32(const ash_rt_fully_connected_f32_params *p,
                                const float *in, const float *filter,
                                const float *bias, float *out);

/* ---- transposed convolution, products of matrices ----------------------- */

/* Input pixel (y, x) adds to output rows y * stride_h - pad_top + k for k in
 * [0, filter_h), and columns likewise. Weights and scales as in conv_2d. */
void ash_rt_transpose_conv_s8(const ash_rt_conv_2d_s8_params *p,
                              const int8_t *in, const int8_t *filter,
                              const int32_t *bias, const int32_t *multiplier,
                              const int8_t *shift, int8_t *out);
void ash_rt_transpose_conv_f32(const ash_rt_conv_2d_f32_params *p,
                               const float *in, const float *filter,
                               const float *bias, float *out);

/* ---- uint8 and int16 layers --------------------------------------------- */

/* uint8 weights have a zero point: -filter_offset. int16 activations have int8
 * weights and sums of 64 bits with a bias of int64_t, or, if `narrow`, of 32
 * bits with a bias of int32_t. The rest is as in conv_2d_s8. */
typedef struct ash_rt_layer_params {
  ash_rt_window window;
  int32_t groups;
  int32_t in_offset, filter_offset, out_offset;
  int32_t per_channel, narrow;
  int32_t act_min, act_max;
} ash_rt_layer_params;

void ash_rt_conv_2d_u8(const ash_rt_layer_params *p, const uint8_t *in,
                       const uint8_t *filter, const int32_t *bias,
                       const int32_t *multiplier, const int8_t *shift,
                       uint8_t *out);
void ash_rt_depthwise_conv_2d_u8(const ash_rt_layer_params *p,
                                 const uint8_t *in, const uint8_t *filter,
                                 const int32_t *bias, const int32_t *multiplier,
                                 const int8_t *shift, uint8_t *out);
void ash_rt_transpose_conv_u8(const ash_rt_layer_params *p, const uint8_t *in,
                              const uint8_t *filter, const int32_t *bias,
                              const int32_t *multiplier, const int8_t *shift,
                              uint8_t *out);
void ash_rt_conv_2d_s16(const ash_rt_layer_params *p, const int16_t *in,
                        const int8_t *filter, const void *bias,
                        const int32_t *multiplier, const int8_t *shift,
                        int16_t *out);
void ash_rt_depthwise_conv_2d_s16(const ash_rt_layer_params *p,
                                  const int16_t *in, const int8_t *filter,
                                  const void *bias, const int32_t *multiplier,
                                  const int8_t *shift, int16_t *out);
void ash_rt_transpose_conv_s16(const ash_rt_layer_params *p, const int16_t *in,
                               const int8_t *filter, const void *bias,
                               const int32_t *multiplier, const int8_t *shift,
                               int16_t *out);

/* A sum and its bias, as the output of an int16 layer. */
static inline int16_t ash_rt_layer_s16(const ash_rt_layer_params *p,
                                       int64_t sum, const void *bias,
                                       int32_t channel, int32_t multiplier,
                                       int32_t shift) {
  int32_t y;
  if (p->narrow) {
    const uint32_t b = bias ? (uint32_t)((const int32_t *)bias)[channel] : 0;
    y = ash_rt_rescale((int32_t)((uint32_t)(uint64_t)sum + b), multiplier,
                       shift);
  } else {
    y = ash_rt_rescale_long(sum + (bias ? ((const int64_t *)bias)[channel] : 0),
                            multiplier, shift);
  }
  return (int16_t)ash_rt_finish(y, p->out_offset, p->act_min, p->act_max);
}

typedef struct ash_rt_dense_params {
  int32_t batches, in_c, out_c;
  int32_t in_offset, filter_offset, out_offset;
  int32_t per_channel, narrow;
  int32_t act_min, act_max;
} ash_rt_dense_params;

void ash_rt_fully_connected_u8(const ash_rt_dense_params *p, const uint8_t *in,
                               const uint8_t *filter, const int32_t *bias,
                               const int32_t *multiplier, const int8_t *shift,
                               uint8_t *out);
/* Sums are scaled in double, ties away from zero. */
void ash_rt_fully_connected_s16(const ash_rt_dense_params *p, const int16_t *in,
                                const int8_t *filter, const void *bias,
                                const double *ratio, int16_t *out);

/* ---- float activations, int8 weights ------------------------------------ */

/* Activations are quantised while the model runs: each image, or each row of a
 * dense layer, gets a scale, and a zero point if `asymmetric`. `work` holds the
 * quantised input of one of them. `scale` is of the weights, out_c entries or
 * one. */
typedef struct ash_rt_hybrid_params {
  ash_rt_window window; /* dense: batches, in_c, out_c count */
  int32_t groups, asymmetric, per_channel;
  float act_min, act_max;
} ash_rt_hybrid_params;

void ash_rt_conv_2d_hybrid(const ash_rt_hybrid_params *p, const float *in,
                           const int8_t *filter, const float *bias,
                           const float *scale, float *out, void *work);
void ash_rt_depthwise_conv_2d_hybrid(const ash_rt_hybrid_params *p,
                                     const float *in, const int8_t *filter,
                                     const float *bias, const float *scale,
                                     float *out, void *work);
void ash_rt_fully_connected_hybrid(const ash_rt_hybrid_params *p,
                                   const float *in, const int8_t *filter,
                                   const float *bias, const float *scale,
                                   float *out, void *work);

/* ---- layers with state --------------------------------------------------- */

/* Fused activations of float layers, one value at a time. */
enum {
  ASH_RT_ACT_NONE,
  ASH_RT_ACT_RELU,
  ASH_RT_ACT_RELU6,
  ASH_RT_ACT_RELU_N1_TO_1,
  ASH_RT_ACT_TANH
};

/* Each filter remembers its last `memory` answers, the newest last; a unit sums
 * those of `rank` filters. */
typedef struct ash_rt_svdf_params {
  int32_t batches, depth, filters, memory, rank;
  int32_t act;                                     /* float */
  int32_t in_offset, out_offset;                   /* int8 from here on */
  int32_t in_multiplier, in_shift;                 /* to the state */
  int32_t out_multiplier, out_shift, narrow_state; /* int8, not int16 */
} ash_rt_svdf_params;

void ash_rt_svdf_f32(const ash_rt_svdf_params *p, const float *in,
                     const float *feature, const float *time, const float *bias,
                     float *state, float *out);
/* int8 weights; the state is float. `work` holds a row of int8. */
typedef struct ash_rt_svdf_hybrid_params {
  int32_t batches, depth, filters, memory, rank, act, asymmetric;
  float feature_scale, time_scale;
} ash_rt_svdf_hybrid_params;

void ash_rt_svdf_hybrid(const ash_rt_svdf_hybrid_params *p, const float *in,
                        const int8_t *feature, const int8_t *time,
                        const float *bias, float *state, float *out,
                        void *work);
void ash_rt_svdf_s8(const ash_rt_svdf_params *p, const int8_t *in,
                    const int8_t *feature, const void *time,
                    const int32_t *bias, void *state, int8_t *out);

/* The row of data and result at (batch, step) is batch * per_batch + step *
 * per_step. */
typedef struct ash_rt_sequence {
  int32_t batches, steps, per_batch, per_step;
  int32_t depth, units;
} ash_rt_sequence;

typedef struct ash_rt_rnn_f32_params {
  ash_rt_sequence sequence;
  int32_t act;
} ash_rt_rnn_f32_params;

void ash_rt_rnn_f32(const ash_rt_rnn_f32_params *p, const float *in,
                    const float *weights, const float *recurrent,
                    const float *bias, float *state, float *out);

/* int8 weights. `work` holds a row of data and one of results, as int8. */
typedef struct ash_rt_rnn_hybrid_params {
  ash_rt_sequence sequence;
  int32_t act, asymmetric;
  float in_scale, state_scale;
} ash_rt_rnn_hybrid_params;

void ash_rt_rnn_hybrid(const ash_rt_rnn_hybrid_params *p, const float *in,
                       const int8_t *weights, const int8_t *recurrent,
                       const float *bias, float *state, float *out, void *work);

/* `parts` are the operator's inputs 1 to 23, null where absent; `units` of the
 * sequence are the outputs. `work` holds five values a cell. */
typedef struct ash_rt_lstm_f32_params {
  ash_rt_sequence sequence;
  int32_t cells, act;
  float cell_clip, proj_clip; /* 0: none */
} ash_rt_lstm_f32_params;

void ash_rt_lstm_f32(const ash_rt_lstm_f32_params *p, const float *in,
                     const void *const *parts, float *state, float *cell,
                     float *out, void *work);

/* int8 weights, the rest float; scales are those of the weights of the four
 * gates. `work` also holds a row of data, one of results and one of cells, as
 * int8. */
typedef struct ash_rt_lstm_hybrid_params {
  ash_rt_sequence sequence;
  int32_t cells, act, asymmetric;
  float cell_clip, proj_clip; /* 0: none */
  float in_scale[4], state_scale[4];
  float peephole_scale[3], proj_scale;
} ash_rt_lstm_hybrid_params;

void ash_rt_lstm_hybrid(const ash_rt_lstm_hybrid_params *p, const float *in,
                        const void *const *parts, float *state, float *cell,
                        float *out, void *work);

/* int8 data and states, cells of int16 with `cell_bits` integer bits. Gates are
 * in Q3.12; the four of each array are those of input, forget, cell, output. */
typedef struct ash_rt_lstm_s8_params {
  ash_rt_sequence sequence;
  int32_t cells;
  int32_t in_offset, state_offset; /* -zero points */
  int32_t in_multiplier[4], in_shift[4];
  int32_t state_multiplier[4], state_shift[4];
  int32_t cell_multiplier[4], cell_shift[4]; /* peepholes */
  int32_t cell_bits, cell_clip;
  int32_t hidden_multiplier, hidden_shift, hidden_zero;
  int32_t proj_multiplier, proj_shift, proj_clip;
} ash_rt_lstm_s8_params;

void ash_rt_lstm_s8(const ash_rt_lstm_s8_params *p, const int8_t *in,
                    const void *const *parts, int8_t *state, int16_t *cell,
                    int8_t *out, void *work);

/* int16 data and states; the last of `parts` is the table of the curves (see
 * ash_rt_curve_s16_params). */
typedef struct ash_rt_lstm_s16_params {
  ash_rt_sequence sequence;
  int32_t in_offset, state_offset; /* -zero points */
  int32_t in_multiplier[4], in_shift[4];
  int32_t state_multiplier[4], state_shift[4];
  int32_t cell_shift; /* 12 + the power of its scale */
  int32_t cell_clip;
  int32_t update_multiplier, update_shift;
  int32_t hidden_multiplier, hidden_shift;
} ash_rt_lstm_s16_params;

void ash_rt_lstm_s16(const ash_rt_lstm_s16_params *p, const int16_t *in,
                     const void *const *parts, int16_t *state, int16_t *cell,
                     int16_t *out);

/* ---- elements of a type known only from the parameters ------------------ */

enum {
  ASH_RT_S8,
  ASH_RT_U8,
  ASH_RT_S16,
  ASH_RT_U16,
  ASH_RT_S32,
  ASH_RT_U32,
  ASH_RT_S64,
  ASH_RT_F32,
  ASH_RT_BOOL
};

static inline int64_t ash_rt_load(const void *data, int32_t type, ptrdiff_t i) {
  switch (type) {
  case ASH_RT_S8:
    return ((const int8_t *)data)[i];
  case ASH_RT_S16:
    return ((const int16_t *)data)[i];
  case ASH_RT_U16:
    return ((const uint16_t *)data)[i];
  case ASH_RT_S32:
    return ((const int32_t *)data)[i];
  case ASH_RT_U32:
    return ((const uint32_t *)data)[i];
  case ASH_RT_S64:
    return ((const int64_t *)data)[i];
  default:
    return ((const uint8_t *)data)[i];
  }
}

/* Keeps the bits that the type has. */
static inline void ash_rt_store(void *data, int32_t type, ptrdiff_t i,
                                int64_t value) {
  switch (type) {
  case ASH_RT_S16:
  case ASH_RT_U16:
    ((uint16_t *)data)[i] = (uint16_t)value;
    break;
  case ASH_RT_S32:
  case ASH_RT_U32:
    ((uint32_t *)data)[i] = (uint32_t)value;
    break;
  case ASH_RT_S64:
    ((int64_t *)data)[i] = value;
    break;
  default:
    ((uint8_t *)data)[i] = (uint8_t)value;
    break;
  }
}

/* Pools of uint8 and int16. */
typedef struct ash_rt_pool_2d_any_params {
  ash_rt_window window;
  int32_t type;
  int32_t act_min, act_max;
} ash_rt_pool_2d_any_params;

void ash_rt_average_pool_2d_any(const ash_rt_pool_2d_any_params *p,
                                const void *in, void *out);
void ash_rt_max_pool_2d_any(const ash_rt_pool_2d_any_params *p, const void *in,
                            void *out);

/* From one scale and integer type to another; `low` and `high` bound the
 * result. */
typedef struct ash_rt_convert_params {
  int32_t count, from, to;
  int32_t in_offset, out_offset, multiplier, shift;
  int32_t low, high;
} ash_rt_convert_params;

void ash_rt_convert(const ash_rt_convert_params *p, const void *in, void *out);

/* Values below 0 are scaled by `below_*` and, if `turned`, change their sign.
 */
typedef struct ash_rt_leaky_relu_s16_params {
  int32_t count, multiplier, shift;
  int32_t below_multiplier, below_shift, turned;
} ash_rt_leaky_relu_s16_params;

void ash_rt_leaky_relu_s16(const ash_rt_leaky_relu_s16_params *p,
                           const int16_t *in, int16_t *out);

/* table[i] is the logistic function of i / 24 in 1/65536. Inputs are brought to
 * 1/12288 first. */
typedef struct ash_rt_curve_s16_params {
  int32_t count, multiplier, shift;
} ash_rt_curve_s16_params;

void ash_rt_logistic_s16(const ash_rt_curve_s16_params *p, const int16_t *in,
                         const uint16_t *table, int16_t *out);
void ash_rt_tanh_s16(const ash_rt_curve_s16_params *p, const int16_t *in,
                     const uint16_t *table, int16_t *out);

/* Two tables of 513: exp from -10 to 0, then 1 / (1 + x) from 0 to 1. */
typedef struct ash_rt_softmax_s16_params {
  int32_t rows, depth, multiplier, shift;
} ash_rt_softmax_s16_params;

void ash_rt_softmax_s16(const ash_rt_softmax_s16_params *p, const int16_t *in,
                        const int16_t *tables, int16_t *out);

/* ---- two operands, with broadcasting ------------------------------------ */

enum { ASH_RT_RANK = 6 };

/* A dense output of `rank` dimensions, the last one fastest; `step_*` is how
 * far an operand moves along each, 0 where it is repeated. */
typedef struct ash_rt_broadcast {
  int32_t rank;
  int32_t dim[ASH_RT_RANK];
  int32_t step_a[ASH_RT_RANK];
  int32_t step_b[ASH_RT_RANK];
} ash_rt_broadcast;

/* Where the innermost runs of a broadcast start. */
typedef struct ash_rt_cursor {
  int32_t a, b;
  int32_t at[ASH_RT_RANK];
} ash_rt_cursor;

/* Moves to the next run; 0 at the end. */
static inline int ash_rt_advance(const ash_rt_broadcast *s, ash_rt_cursor *c) {
  for (int32_t d = s->rank - 2; d >= 0; d--) {
    c->a += s->step_a[d];
    c->b += s->step_b[d];
    if (++c->at[d] < s->dim[d])
      return 1;
    c->a -= s->step_a[d] * s->dim[d];
    c->b -= s->step_b[d] * s->dim[d];
    c->at[d] = 0;
  }
  return 0;
}

/* For kernels of few lines: `result` is an expression of *x and *y, computed
 * for every pair of a broadcast and written to *out. */
#define ASH_RT_PAIRS(shape, type, a, b, out, result)                           \
  do {                                                                         \
    ash_rt_cursor ash_rt_at = {0, 0, {0}};                                     \
    const int32_t ash_rt_last = (shape)->rank - 1;                             \
    do {                                                                       \
      const type *x = (a) + ash_rt_at.a;                                       \
      const type *y = (b) + ash_rt_at.b;                                       \
      for (int32_t i = 0; i < (shape)->dim[ash_rt_last]; i++) {                \
        *(out)++ = (result);                                                   \
        x += (shape)->step_a[ash_rt_last];                                     \
        y += (shape)->step_b[ash_rt_last];                                     \
      }                                                                        \
    } while (ash_rt_advance((shape), &ash_rt_at));                             \
  } while (0)

typedef struct ash_rt_add_s8_params {
  ash_rt_broadcast shape;
  int32_t a_offset, a_multiplier, a_shift;
  int32_t b_offset, b_multiplier, b_shift;
  int32_t out_offset, out_multiplier, out_shift;
  int32_t act_min, act_max;
} ash_rt_add_s8_params;

void ash_rt_add_s8(const ash_rt_add_s8_params *p, const int8_t *a,
                   const int8_t *b, int8_t *out);

typedef struct ash_rt_mul_s8_params {
  ash_rt_broadcast shape;
  int32_t a_offset, b_offset;
  int32_t out_offset, out_multiplier, out_shift;
  int32_t act_min, act_max;
} ash_rt_mul_s8_params;

void ash_rt_mul_s8(const ash_rt_mul_s8_params *p, const int8_t *a,
                   const int8_t *b, int8_t *out);

typedef struct ash_rt_binary_f32_params {
  ash_rt_broadcast shape;
  float act_min, act_max;
} ash_rt_binary_f32_params;

void ash_rt_add_f32(const ash_rt_binary_f32_params *p, const float *a,
                    const float *b, float *out);
void ash_rt_mul_f32(const ash_rt_binary_f32_params *p, const float *a,
                    const float *b, float *out);

void ash_rt_sub_f32(const ash_rt_binary_f32_params *p, const float *a,
                    const float *b, float *out);
void ash_rt_div_f32(const ash_rt_binary_f32_params *p, const float *a,
                    const float *b, float *out);

/* Without a fused activation. */
typedef struct ash_rt_pairs_params {
  ash_rt_broadcast shape;
} ash_rt_pairs_params;

void ash_rt_minimum_f32(const ash_rt_pairs_params *p, const float *a,
                        const float *b, float *out);
void ash_rt_maximum_f32(const ash_rt_pairs_params *p, const float *a,
                        const float *b, float *out);
void ash_rt_squared_difference_f32(const ash_rt_pairs_params *p, const float *a,
                                   const float *b, float *out);
void ash_rt_prelu_f32(const ash_rt_pairs_params *p, const float *a,
                      const float *b, float *out);
void ash_rt_floor_div_f32(const ash_rt_pairs_params *p, const float *a,
                          const float *b, float *out);
void ash_rt_floor_mod_f32(const ash_rt_pairs_params *p, const float *a,
                          const float *b, float *out);
void ash_rt_pow_f32(const ash_rt_pairs_params *p, const float *a,
                    const float *b, float *out);

/* Quantised operands of one byte; which of the numbers count is the kernel's
 * business. Offsets of operands are -zero point. */
typedef struct ash_rt_pairs_q8_params {
  ash_rt_broadcast shape;
  int32_t a_offset, a_multiplier, a_shift;
  int32_t b_offset, b_multiplier, b_shift;
  int32_t out_offset, out_multiplier, out_shift;
  int32_t act_min, act_max;
} ash_rt_pairs_q8_params;

void ash_rt_sub_s8(const ash_rt_pairs_q8_params *p, const int8_t *a,
                   const int8_t *b, int8_t *out);
void ash_rt_sub_u8(const ash_rt_pairs_q8_params *p, const uint8_t *a,
                   const uint8_t *b, uint8_t *out);
void ash_rt_add_u8(const ash_rt_pairs_q8_params *p, const uint8_t *a,
                   const uint8_t *b, uint8_t *out);
void ash_rt_mul_u8(const ash_rt_pairs_q8_params *p, const uint8_t *a,
                   const uint8_t *b, uint8_t *out);
/* int16: operands get 15 more bits; if `pot`, all scales are powers of two and
 * one operand is only shifted to the right. */
typedef struct ash_rt_pairs_s16_params {
  ash_rt_broadcast shape;
  int32_t pot, a_multiplier, a_shift, b_multiplier, b_shift;
  int32_t out_multiplier, out_shift;
  int32_t act_min, act_max;
} ash_rt_pairs_s16_params;

void ash_rt_add_s16(const ash_rt_pairs_s16_params *p, const int16_t *a,
                    const int16_t *b, int16_t *out);
void ash_rt_sub_s16(const ash_rt_pairs_s16_params *p, const int16_t *a,
                    const int16_t *b, int16_t *out);
void ash_rt_mul_s16(const ash_rt_pairs_s16_params *p, const int16_t *a,
                    const int16_t *b, int16_t *out);
void ash_rt_squared_difference_s8(const ash_rt_pairs_q8_params *p,
                                  const int8_t *a, const int8_t *b,
                                  int8_t *out);
/* The operand of a division by zero is 0. */
void ash_rt_div_s8(const ash_rt_pairs_q8_params *p, const int8_t *a,
                   const int8_t *b, int8_t *out);
void ash_rt_div_u8(const ash_rt_pairs_q8_params *p, const uint8_t *a,
                   const uint8_t *b, uint8_t *out);
void ash_rt_div_s16(const ash_rt_pairs_q8_params *p, const int16_t *a,
                    const int16_t *b, int16_t *out);
/* `out_*` scales values from 0 on, `b_*` products of value and slope. */
void ash_rt_prelu_s8(const ash_rt_pairs_q8_params *p, const int8_t *a,
                     const int8_t *b, int8_t *out);
void ash_rt_prelu_u8(const ash_rt_pairs_q8_params *p, const uint8_t *a,
                     const uint8_t *b, uint8_t *out);

/* Products of matrices: `shape` has the batches and a last axis of 1; steps
 * along rows, columns and the axis that is summed over are of elements. */
typedef struct ash_rt_matmul {
  ash_rt_broadcast batches;
  int32_t rows, columns, depth;
  int32_t a_row, a_depth, b_depth, b_column;
} ash_rt_matmul;

typedef struct ash_rt_batch_matmul_s8_params {
  ash_rt_matmul shape;
  int32_t a_offset, b_offset, out_offset;
  int32_t multiplier, shift;
} ash_rt_batch_matmul_s8_params;

void ash_rt_batch_matmul_s8(const ash_rt_batch_matmul_s8_params *p,
                            const int8_t *a, const int8_t *b, int8_t *out);

/* int16 by int16 or int8, by `b_type`; sums have 64 bits. One multiplier and
 * shift, or one for each column. */
typedef struct ash_rt_batch_matmul_s16_params {
  ash_rt_matmul shape;
  int32_t b_type, a_offset, b_offset, out_offset;
  int32_t per_column;
} ash_rt_batch_matmul_s16_params;

void ash_rt_batch_matmul_s16(const ash_rt_batch_matmul_s16_params *p,
                             const int16_t *a, const void *b,
                             const int32_t *multiplier, const int8_t *shift,
                             int16_t *out);

typedef struct ash_rt_batch_matmul_f32_params {
  ash_rt_matmul shape;
} ash_rt_batch_matmul_f32_params;

void ash_rt_batch_matmul_f32(const ash_rt_batch_matmul_f32_params *p,
                             const float *a, const float *b, float *out);

/* Whole numbers, and what is compared or chosen as such. */
enum {
  ASH_RT_ADD,
  ASH_RT_SUB,
  ASH_RT_MUL,
  ASH_RT_DIV,
  ASH_RT_MINIMUM,
  ASH_RT_MAXIMUM,
  ASH_RT_SQUARED_DIFFERENCE,
  ASH_RT_FLOOR_DIV,
  ASH_RT_FLOOR_MOD,
  ASH_RT_POW,
  ASH_RT_AND,
  ASH_RT_OR
};

typedef struct ash_rt_pairs_whole_params {
  ash_rt_broadcast shape;
  int32_t type, function;
} ash_rt_pairs_whole_params;

void ash_rt_pairs_whole(const ash_rt_pairs_whole_params *p, const void *a,
                        const void *b, void *out);
void ash_rt_minimum_s8(const ash_rt_pairs_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out);
void ash_rt_maximum_s8(const ash_rt_pairs_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out);

/* Comparisons: `holds` is the sum of the relations that make it true. */
enum {
  ASH_RT_LESS = 1,
  ASH_RT_EQUAL = 2,
  ASH_RT_GREATER = 4,
  ASH_RT_UNORDERED = 8
};

typedef struct ash_rt_compare_params {
  ash_rt_broadcast shape;
  int32_t holds, type;
} ash_rt_compare_params;

void ash_rt_compare_f32(const ash_rt_compare_params *p, const float *a,
                        const float *b, uint8_t *out);
void ash_rt_compare_whole(const ash_rt_compare_params *p, const void *a,
                          const void *b, uint8_t *out);

/* Quantised values are brought to one scale, with 8 more bits, first. */
typedef struct ash_rt_compare_q8_params {
  ash_rt_broadcast shape;
  int32_t holds, type;
  int32_t a_offset, a_multiplier, a_shift;
  int32_t b_offset, b_multiplier, b_shift;
} ash_rt_compare_q8_params;

void ash_rt_compare_q8(const ash_rt_compare_q8_params *p, const void *a,
                       const void *b, uint8_t *out);

/* ---- one operand -------------------------------------------------------- */

typedef struct ash_rt_rows_params {
  int32_t rows, depth;
} ash_rt_rows_params;

/* table[d] is exp(-d * scale * beta) in Q0.31. */
void ash_rt_softmax_s8(const ash_rt_rows_params *p, const int8_t *in,
                       const int32_t *table, int8_t *out);
/* To 1/65536, from -32768 on. */
void ash_rt_softmax_s8_s16(const ash_rt_rows_params *p, const int8_t *in,
                           const int32_t *table, int16_t *out);
void ash_rt_softmax_u8(const ash_rt_rows_params *p, const uint8_t *in,
                       const int32_t *table, uint8_t *out);

typedef struct ash_rt_softmax_f32_params {
  int32_t rows, depth;
  float beta;
} ash_rt_softmax_f32_params;

void ash_rt_softmax_f32(const ash_rt_softmax_f32_params *p, const float *in,
                        float *out);

typedef struct ash_rt_count_params {
  int32_t count; /* of elements */
} ash_rt_count_params;

/* out[i] = table[in[i] + 128]. */
void ash_rt_lut_s8(const ash_rt_count_params *p, const int8_t *in,
                   const int8_t *table, int8_t *out);
/* out[i] = table[in[i]]. */
/* 513 entries: the results from -32768 on in steps of 128, the last beyond. */
void ash_rt_lut_s16(const ash_rt_count_params *p, const int16_t *in,
                    const int16_t *table, int16_t *out);

typedef struct ash_rt_abs_s16_params {
  int32_t count, multiplier, shift;
} ash_rt_abs_s16_params;

void ash_rt_abs_s16(const ash_rt_abs_s16_params *p, const int16_t *in,
                    int16_t *out);

typedef struct ash_rt_sqrt_s16_params {
  int32_t count;
  float in_scale, out_scale;
} ash_rt_sqrt_s16_params;

void ash_rt_sqrt_s16(const ash_rt_sqrt_s16_params *p, const int16_t *in,
                     int16_t *out);

void ash_rt_lut_u8(const ash_rt_count_params *p, const uint8_t *in,
                   const uint8_t *table, uint8_t *out);
void ash_rt_logistic_f32(const ash_rt_count_params *p, const float *in,
                         float *out);
void ash_rt_tanh_f32(const ash_rt_count_params *p, const float *in, float *out);
void ash_rt_abs_f32(const ash_rt_count_params *p, const float *in, float *out);
void ash_rt_neg_f32(const ash_rt_count_params *p, const float *in, float *out);
void ash_rt_sign_f32(const ash_rt_count_params *p, const float *in, float *out);
void ash_rt_square_f32(const ash_rt_count_params *p, const float *in,
                       float *out);
void ash_rt_sqrt_f32(const ash_rt_count_params *p, const float *in, float *out);
void ash_rt_rsqrt_f32(const ash_rt_count_params *p, const float *in,
                      float *out);
void ash_rt_exp_f32(const ash_rt_count_params *p, const float *in, float *out);
void ash_rt_log_f32(const ash_rt_count_params *p, const float *in, float *out);
void ash_rt_sin_f32(const ash_rt_count_params *p, const float *in, float *out);
void ash_rt_cos_f32(const ash_rt_count_params *p, const float *in, float *out);
void ash_rt_floor_f32(const ash_rt_count_params *p, const float *in,
                      float *out);
void ash_rt_ceil_f32(const ash_rt_count_params *p, const float *in, float *out);
void ash_rt_round_even_f32(const ash_rt_count_params *p, const float *in,
                           float *out);
void ash_rt_elu_f32(const ash_rt_count_params *p, const float *in, float *out);
void ash_rt_gelu_f32(const ash_rt_count_params *p, const float *in, float *out);
void ash_rt_gelu_tanh_f32(const ash_rt_count_params *p, const float *in,
                          float *out);
void ash_rt_hard_swish_f32(const ash_rt_count_params *p, const float *in,
                           float *out);

typedef struct ash_rt_leaky_relu_f32_params {
  int32_t count;
  float alpha;
} ash_rt_leaky_relu_f32_params;

void ash_rt_leaky_relu_f32(const ash_rt_leaky_relu_f32_params *p,
                           const float *in, float *out);

/* Whole numbers and truth values, one at a time. */
enum { ASH_RT_ABS, ASH_RT_NEG, ASH_RT_SIGN, ASH_RT_NOT };

typedef struct ash_rt_map_whole_params {
  int32_t count, type, function;
} ash_rt_map_whole_params;

void ash_rt_map_whole(const ash_rt_map_whole_params *p, const void *in,
                      void *out);

/* Numbers as they are, without any scale: cut towards zero, within the type;
 * what is not a number gives the largest. */
typedef struct ash_rt_cast_params {
  int32_t count, from, to;
} ash_rt_cast_params;

void ash_rt_cast(const ash_rt_cast_params *p, const void *in, void *out);

/* `high` counts only if `bounded`: infinity stays. */
typedef struct ash_rt_clamp_f32_params {
  int32_t count, bounded;
  float low, high;
} ash_rt_clamp_f32_params;

void ash_rt_relu_f32(const ash_rt_clamp_f32_params *p, const float *in,
                     float *out);

/* Averages over some axes: neighbouring axes of the same kind are one, so four
 * of each are enough for eight. The output is dense in the order of `keep`. */
enum { ASH_RT_MEAN_AXES = 4 };

typedef struct ash_rt_mean_axes {
  int32_t keep_dim[ASH_RT_MEAN_AXES], keep_step[ASH_RT_MEAN_AXES];
  int32_t fold_dim[ASH_RT_MEAN_AXES], fold_step[ASH_RT_MEAN_AXES];
} ash_rt_mean_axes;

/* The multiplier includes the division by the number of elements. */
typedef struct ash_rt_mean_s8_params {
  ash_rt_mean_axes axes;
  int32_t sum_offset; /* -zero point * elements */
  int32_t out_offset, multiplier, shift;
} ash_rt_mean_s8_params;

void ash_rt_mean_s8(const ash_rt_mean_s8_params *p, const int8_t *in,
                    int8_t *out);

typedef struct ash_rt_mean_f32_params {
  ash_rt_mean_axes axes;
  int32_t count; /* elements in each average */
} ash_rt_mean_f32_params;

void ash_rt_mean_f32(const ash_rt_mean_f32_params *p, const float *in,
                     float *out);

void ash_rt_mean_u8(const ash_rt_mean_s8_params *p, const uint8_t *in,
                    uint8_t *out);
void ash_rt_mean_s16(const ash_rt_mean_s8_params *p, const int16_t *in,
                     int16_t *out);

/* Runs `statement` for each of four nested axes; `at` is the offset. */
#define ASH_RT_AXES(dim, step, at, statement)                                  \
  for (int32_t i0_##at = 0; i0_##at < (dim)[0]; i0_##at++)                     \
    for (int32_t i1_##at = 0; i1_##at < (dim)[1]; i1_##at++)                   \
      for (int32_t i2_##at = 0; i2_##at < (dim)[2]; i2_##at++)                 \
        for (int32_t i3_##at = 0; i3_##at < (dim)[3]; i3_##at++) {             \
          const ptrdiff_t at = (ptrdiff_t)i0_##at * (step)[0] +                \
                               (ptrdiff_t)i1_##at * (step)[1] +                \
                               (ptrdiff_t)i2_##at * (step)[2] +                \
                               (ptrdiff_t)i3_##at * (step)[3];                 \
          statement                                                            \
        }

/* Other ways to make one value of many. `count` is for the mean. */
enum {
  ASH_RT_SUM,
  ASH_RT_MEAN,
  ASH_RT_PROD,
  ASH_RT_MAX,
  ASH_RT_MIN,
  ASH_RT_ANY,
  ASH_RT_ALL
};

typedef struct ash_rt_reduce_params {
  ash_rt_mean_axes axes;
  int32_t function, type, count;
} ash_rt_reduce_params;

void ash_rt_reduce_f32(const ash_rt_reduce_params *p, const float *in,
                       float *out);
void ash_rt_reduce_s8(const ash_rt_reduce_params *p, const int8_t *in,
                      int8_t *out);
void ash_rt_reduce_whole(const ash_rt_reduce_params *p, const void *in,
                         void *out);

/* `outer` times `inner` rows of `depth` elements that are `inner` apart. */
typedef struct ash_rt_arg_params {
  int32_t outer, depth, inner;
  int32_t least; /* look for the smallest, not the largest */
  int32_t type, out_type;
} ash_rt_arg_params;

void ash_rt_arg_f32(const ash_rt_arg_params *p, const float *in, void *out);
void ash_rt_arg_whole(const ash_rt_arg_params *p, const void *in, void *out);

typedef struct ash_rt_cumsum_params {
  int32_t outer, depth, inner;
  int32_t exclusive, reverse;
  int32_t type;
} ash_rt_cumsum_params;

void ash_rt_cumsum_f32(const ash_rt_cumsum_params *p, const float *in,
                       float *out);
void ash_rt_cumsum_whole(const ash_rt_cumsum_params *p, const void *in,
                         void *out);

/* ---- Fourier transforms ------------------------------------------------- */

/* Images of in_h by in_w, cut or filled up with zeros to fft_h by fft_w. The
 * output has fft_w / 2 + 1 complex columns; the table cosine and sine of each
 * k / n turns, n the larger length; `work` n complex numbers. */
typedef struct ash_rt_rfft2d_params {
  int32_t images, in_h, in_w, fft_h, fft_w;
} ash_rt_rfft2d_params;

void ash_rt_rfft2d(const ash_rt_rfft2d_params *p, const float *in,
                   const float *table, float *out, void *work);
void ash_rt_complex_abs(const ash_rt_count_params *p, const float *in,
                        float *out);
void ash_rt_complex_real(const ash_rt_count_params *p, const float *in,
                         float *out);
void ash_rt_complex_imag(const ash_rt_count_params *p, const float *in,
                         float *out);

/* ---- rows --------------------------------------------------------------- */

void ash_rt_log_softmax_f32(const ash_rt_rows_params *p, const float *in,
                            float *out);
void ash_rt_l2_normalization_f32(const ash_rt_rows_params *p, const float *in,
                                 float *out);

/* table[d] is exp(-d * scale) in Q0.31, 0 for differences above `farthest`; a
 * difference times multiplier * 2^(shift - 31) is in Q5.26, `back_*` reverses
 * that. Type S8 or U8. */
typedef struct ash_rt_log_softmax_q8_params {
  int32_t rows, depth, type;
  int32_t multiplier, shift, back_multiplier, back_shift;
  int32_t farthest;
} ash_rt_log_softmax_q8_params;

void ash_rt_log_softmax_q8(const ash_rt_log_softmax_q8_params *p,
                           const void *in, const int32_t *table, void *out);

/* The output has scale 1/128 and a zero point in the middle. */
typedef struct ash_rt_l2_normalization_q8_params {
  int32_t rows, depth, type;
  int32_t in_offset;
} ash_rt_l2_normalization_q8_params;

void ash_rt_l2_normalization_q8(const ash_rt_l2_normalization_q8_params *p,
                                const void *in, void *out);

/* ---- images made larger or smaller -------------------------------------- */

/* Where output rows come from, then where columns do, is in tables: one input
 * index each for the nearest, the lower and the upper one for bilinear
 * interpolation, with the part of the upper one (in 1/1024 for int8). For the
 * nearest, `channels` counts bytes. */
typedef struct ash_rt_resize_params {
  int32_t batches, in_h, in_w, out_h, out_w, channels;
} ash_rt_resize_params;

void ash_rt_resize_nearest(const ash_rt_resize_params *p, const void *in,
                           const int32_t *table, void *out);
void ash_rt_resize_bilinear_s8(const ash_rt_resize_params *p, const int8_t *in,
                               const int32_t *table, const int32_t *parts,
                               int8_t *out);
void ash_rt_resize_bilinear_s16(const ash_rt_resize_params *p,
                                const int16_t *in, const int32_t *table,
                                const int32_t *parts, int16_t *out);
void ash_rt_resize_bilinear_u8(const ash_rt_resize_params *p, const uint8_t *in,
                               const int32_t *table, const float *parts,
                               uint8_t *out);
void ash_rt_resize_bilinear_f32(const ash_rt_resize_params *p, const float *in,
                                const int32_t *table, const float *parts,
                                float *out);

/* ---- moving and converting ---------------------------------------------- */

typedef struct ash_rt_copy_params {
  int32_t bytes;
} ash_rt_copy_params;

void ash_rt_copy(const ash_rt_copy_params *p, const void *in, void *out);

/* A box of things of `unit` bytes: thing (i, j, ...) goes from byte
 * from + i * from_step[0] + j * from_step[1] + ... of the input to byte
 * to + i * to_step[0] + ... of the output. */
enum { ASH_RT_MOVE_RANK = 8 };

typedef struct ash_rt_move_params {
  int32_t rank, unit, from, to;
  int32_t dim[ASH_RT_MOVE_RANK];
  int32_t from_step[ASH_RT_MOVE_RANK];
  int32_t to_step[ASH_RT_MOVE_RANK];
} ash_rt_move_params;

void ash_rt_move(const ash_rt_move_params *p, const void *in, void *out);

/* `count` times the same `unit` bytes. */
typedef struct ash_rt_fill_params {
  int32_t count, unit;
  uint8_t value[8];
} ash_rt_fill_params;

void ash_rt_move_fill(const ash_rt_fill_params *p, void *out);

/* For each of `batches` and `outer`, `picks` rows of `run` bytes, each chosen
 * from `length` by an index of type `type`. Indices outside are taken as the
 * first or the last row. */
typedef struct ash_rt_gather_params {
  int32_t batches, outer, picks, length, run, type;
} ash_rt_gather_params;

void ash_rt_gather(const ash_rt_gather_params *p, const void *in,
                   const void *indices, void *out);

/* The same with an index of `depth` numbers, for axes of sizes `dim`. */
typedef struct ash_rt_gather_nd_params {
  int32_t picks, depth, run, type;
  int32_t dim[ASH_RT_MOVE_RANK];
} ash_rt_gather_nd_params;

void ash_rt_gather_nd(const ash_rt_gather_nd_params *p, const void *in,
                      const void *indices, void *out);

/* Things of `unit` bytes from a where the condition holds, else from b. Steps
 * count elements, 0 where an operand is repeated. */
typedef struct ash_rt_select_params {
  int32_t rank, unit;
  int32_t dim[ASH_RT_MOVE_RANK];
  int32_t step_when[ASH_RT_MOVE_RANK];
  int32_t step_a[ASH_RT_MOVE_RANK];
  int32_t step_b[ASH_RT_MOVE_RANK];
} ash_rt_select_params;

void ash_rt_select(const ash_rt_select_params *p, const uint8_t *when,
                   const void *a, const void *b, void *out);

/* `before` and `after` elements around each of the `rank` dimensions. */
typedef struct ash_rt_pad_params {
  int32_t rank;
  int32_t dim[ASH_RT_RANK]; /* of the input */
  int32_t before[ASH_RT_RANK];
  int32_t after[ASH_RT_RANK];
} ash_rt_pad_params;

typedef struct ash_rt_pad_s8_params {
  ash_rt_pad_params shape;
  int8_t value;
} ash_rt_pad_s8_params;

typedef struct ash_rt_pad_f32_params {
  ash_rt_pad_params shape;
  float value;
} ash_rt_pad_f32_params;

void ash_rt_pad_s8(const ash_rt_pad_s8_params *p, const int8_t *in,
                   int8_t *out);
void ash_rt_pad_f32(const ash_rt_pad_f32_params *p, const float *in,
                    float *out);

/* One input of a concatenation: `rows` runs of `run` elements go to places
 * `pitch` elements apart, from element `at` on. For copying, an element is a
 * byte. */
typedef struct ash_rt_concatenation_params {
  int32_t rows, run, pitch, at;
} ash_rt_concatenation_params;

void ash_rt_concatenation(const ash_rt_concatenation_params *p, const void *in,
                          void *out);

typedef struct ash_rt_concatenation_s8_params {
  int32_t rows, run, pitch, at;
  int32_t in_offset, out_offset, multiplier, shift;
} ash_rt_concatenation_s8_params;

void ash_rt_concatenation_s8(const ash_rt_concatenation_s8_params *p,
                             const int8_t *in, int8_t *out);

/* In float; `offset` is -zero point * scale of the input. */
typedef struct ash_rt_concatenation_u8_params {
  int32_t rows, run, pitch, at;
  float scale, offset;
  int32_t zero_point;
} ash_rt_concatenation_u8_params;

void ash_rt_concatenation_u8(const ash_rt_concatenation_u8_params *p,
                             const uint8_t *in, uint8_t *out);

typedef struct ash_rt_affine_params {
  int32_t count;
  float scale;
  int32_t zero_point;
} ash_rt_affine_params;

/* x to the nearest integer, ties away from zero, clamped. */
static inline int32_t ash_rt_round_f32(float x, int32_t low, int32_t high) {
  if (!(x > (float)low)) /* also when x is not a number */
    return low;
  if (x >= (float)high)
    return high;
  const int32_t whole = (int32_t)x;
  const float rest = x - (float)whole;
  return whole + (int32_t)(rest >= 0.5f) - (int32_t)(rest <= -0.5f);
}

/* A row of floats as int8: (x - zero) * scale. */
typedef struct ash_rt_hybrid_row {
  int8_t *x;
  float scale;
  int32_t zero;
} ash_rt_hybrid_row;

static inline float ash_rt_hybrid_size(float x) {
  return x < 0 ? -x : x;
}

static inline int32_t ash_rt_hybrid_zero(double low, double high,
                                         double scale) {
  const double a = low / scale, b = high / scale; /* a <= 0 <= b */
  const double zero = 128.0 - a < 127.0 + b ? -128.0 - a : 127.0 - b;
  if (zero <= -128.0)
    return -128;
  if (zero >= 127.0)
    return 127;
  const int32_t whole = (int32_t)zero;
  const double rest = zero - (double)whole;
  return whole + (int32_t)(rest >= 0.5) - (int32_t)(rest <= -0.5);
}

static inline ash_rt_hybrid_row ash_rt_hybrid_quantise(const float *in,
                                                       int32_t count,
                                                       int32_t asymmetric,
                                                       void *to) {
  ash_rt_hybrid_row r = {(int8_t *)to, 1.0f, 0};
  float low = in[0], high = in[0], inverse;
  for (int32_t i = 1; i < count; i++) {
    low = in[i] < low ? in[i] : low;
    high = in[i] > high ? in[i] : high;
  }
  if (asymmetric) {
    low = low < 0 ? low : 0;
    high = high > 0 ? high : 0;
    if (low < high) {
      const double scale = ((double)high - (double)low) / 255.0;
      r.zero = ash_rt_hybrid_zero((double)low, (double)high, scale);
      r.scale = (float)scale;
    }
    inverse = low < high ? 1.0f / r.scale : 0.0f;
  } else {
    const float a = ash_rt_hybrid_size(low), b = ash_rt_hybrid_size(high);
    const float range = a > b ? a : b;
    r.scale = range > 0 ? range / 127.0f : 1.0f;
    inverse = range > 0 ? 127.0f / range : 0.0f;
  }
  for (int32_t i = 0; i < count; i++) {
    const int32_t steps = ash_rt_round_f32(in[i] * inverse, -1000, 1000);
    r.x[i] =
        (int8_t)ash_rt_clamp(steps + r.zero, asymmetric ? -128 : -127, 127);
  }
  return r;
}

/* Sum of the row's products with int8 weights, in steps of both scales. */
static inline float ash_rt_hybrid_dot(const ash_rt_hybrid_row *r,
                                      const int8_t *w, int32_t count,
                                      float scale) {
  uint32_t sum = 0;
  for (int32_t i = 0; i < count; i++)
    sum += (uint32_t)((r->x[i] - r->zero) * w[i]);
  return (float)(int32_t)sum * (r->scale * scale);
}

void ash_rt_quantize_f32_s8(const ash_rt_affine_params *p, const float *in,
                            int8_t *out);
void ash_rt_quantize_f32_u8(const ash_rt_affine_params *p, const float *in,
                            uint8_t *out);
void ash_rt_quantize_f32_s16(const ash_rt_affine_params *p, const float *in,
                             int16_t *out);
void ash_rt_dequantize_s8_f32(const ash_rt_affine_params *p, const int8_t *in,
                              float *out);
void ash_rt_dequantize_u8_f32(const ash_rt_affine_params *p, const uint8_t *in,
                              float *out);
void ash_rt_dequantize_s16_f32(const ash_rt_affine_params *p, const int16_t *in,
                               float *out);

typedef struct ash_rt_requantize_params {
  int32_t count;
  int32_t in_offset, out_offset, multiplier, shift;
} ash_rt_requantize_params;

void ash_rt_quantize_s8_s8(const ash_rt_requantize_params *p, const int8_t *in,
                           int8_t *out);
void ash_rt_quantize_u8_s8(const ash_rt_requantize_params *p, const uint8_t *in,
                           int8_t *out);
void ash_rt_quantize_u8_u8(const ash_rt_requantize_params *p, const uint8_t *in,
                           uint8_t *out);
void ash_rt_quantize_s8_u8(const ash_rt_requantize_params *p, const int8_t *in,
                           uint8_t *out);

/* ---- variants for a processor's instructions ----------------------------
 *
 * The same results from weights and constants that pass/pack.c prepared: the
 * input's zero point is part of the bias, multipliers and shifts (none above 0)
 * have an entry for each channel, up to a multiple of four. A group of channels
 * whose first shift is above 0 is constant: its bias is the output, and it has
 * no weights. Without the instructions, plain C takes their place: a module for
 * a device can be tested elsewhere. */

/* Arm DSP: two 16-bit products at once. Weights are groups of channels (two for
 * convolution, four for fully connected) by blocks of four taps, an even number
 * of them, with the bytes of a block in the order 0 2 1 3 (one or two rows,
 * fully connected: groups of two, order 0 1 2 3); shifts are below 0 and sums
 * below 2^30. */
void ash_rt_conv_2d_s8_dsp(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                           const int32_t *multiplier, const int8_t *shift,
                           const int32_t *bias, const int8_t *filter,
                           int8_t *out, void *scratch);
void ash_rt_depthwise_conv_2d_s8_dsp(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, int8_t *out, void *scratch);
/* `scale` is multiplier m, addend c, shifts f and k: a sum s becomes
 * (mul_high(s << k, m) + c) >> f, which the compiler has compared with the
 * arithmetic of ash_rt_fully_connected_s8 for every sum there can be. */
void ash_rt_fully_connected_s8_dsp(const ash_rt_fully_connected_s8_params *p,
                                   const int8_t *in, const int32_t *bias,
                                   const int8_t *filter, const int32_t *scale,
                                   int8_t *out, void *scratch);

/* Helium: sixteen 8-bit products at once. Weights are groups of four channels
 * by blocks of sixteen taps. */
void ash_rt_conv_2d_s8_mve(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                           const int32_t *multiplier, const int8_t *shift,
                           const int32_t *bias, const int8_t *filter,
                           int8_t *out, void *scratch);
void ash_rt_depthwise_conv_2d_s8_mve(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, int8_t *out, void *scratch);
void ash_rt_fully_connected_s8_mve(const ash_rt_fully_connected_s8_params *p,
                                   const int8_t *in, const int32_t *bias,
                                   const int8_t *filter, const int32_t *scale,
                                   int8_t *out, void *scratch);

/* Tensors of one shape; mul_s8_dsp: for shifts below 0. */
void ash_rt_add_s8_dsp(const ash_rt_add_s8_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out);
void ash_rt_add_s8_mve(const ash_rt_add_s8_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out);
void ash_rt_mul_s8_dsp(const ash_rt_mul_s8_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out);
void ash_rt_mul_s8_mve(const ash_rt_mul_s8_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out);
void ash_rt_average_pool_2d_s8_mve(const ash_rt_pool_2d_s8_params *p,
                                   const int8_t *in, int8_t *out);
void ash_rt_max_pool_2d_s8_dsp(const ash_rt_pool_2d_s8_params *p,
                               const int8_t *in, int8_t *out);
void ash_rt_max_pool_2d_s8_mve(const ash_rt_pool_2d_s8_params *p,
                               const int8_t *in, int8_t *out);
void ash_rt_softmax_s8_mve(const ash_rt_rows_params *p, const int8_t *in,
                           const int32_t *table, int8_t *out);

/* Helium with floating point: weights are groups of eight channels, tap by tap;
 * `bias` may be null. */
void ash_rt_conv_2d_f32_mve(const ash_rt_conv_2d_f32_params *p, const float *in,
                            const float *bias, const float *filter, float *out);
void ash_rt_fully_connected_f32_mve(const ash_rt_fully_connected_f32_params *p,
                                    const float *in, const float *bias,
                                    const float *filter, float *out);
void ash_rt_depthwise_conv_2d_f32_mve(const ash_rt_window_f32_params *p,
                                      const float *in, const float *filter,
                                      const float *bias, float *out);
void ash_rt_add_f32_mve(const ash_rt_binary_f32_params *p, const float *a,
                        const float *b, float *out);
void ash_rt_mul_f32_mve(const ash_rt_binary_f32_params *p, const float *a,
                        const float *b, float *out);

/* Calls of CMSIS-NN (--kernels cmsis-nn). Multipliers and shifts have an entry
 * for each channel; `folded` is the bias and what the input's zero point adds.
 * The scale of a fully connected layer has 31 bits, as the library wants it. */
typedef struct ash_rt_dense_cmsis_params {
  int32_t batches, in_c, out_c;
  int32_t in_offset, out_offset;
  int32_t multiplier, shift;
  int32_t act_min, act_max;
} ash_rt_dense_cmsis_params;

typedef struct ash_rt_softmax_cmsis_params {
  int32_t rows, depth;
  int32_t multiplier, shift, diff_min;
} ash_rt_softmax_cmsis_params;

void ash_rt_conv_2d_s8_cmsis(const ash_rt_conv_2d_s8_params *p,
                             const int8_t *in, const int8_t *filter,
                             const int32_t *bias, const int32_t *multiplier,
                             const int32_t *shift, int8_t *out, void *scratch);
void ash_rt_depthwise_conv_2d_s8_cmsis(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *bias, const int32_t *multiplier,
    const int32_t *shift, int8_t *out, void *scratch);
void ash_rt_fully_connected_s8_cmsis(const ash_rt_dense_cmsis_params *p,
                                     const int8_t *in, const int8_t *filter,
                                     const int32_t *bias, const int32_t *folded,
                                     int8_t *out);
void ash_rt_average_pool_2d_s8_cmsis(const ash_rt_pool_2d_s8_params *p,
                                     const int8_t *in, int8_t *out,
                                     void *scratch);
void ash_rt_max_pool_2d_s8_cmsis(const ash_rt_pool_2d_s8_params *p,
                                 const int8_t *in, int8_t *out, void *scratch);
void ash_rt_add_s8_cmsis(const ash_rt_add_s8_params *p, const int8_t *a,
                         const int8_t *b, int8_t *out);
void ash_rt_mul_s8_cmsis(const ash_rt_mul_s8_params *p, const int8_t *a,
                         const int8_t *b, int8_t *out);
void ash_rt_softmax_s8_cmsis(const ash_rt_softmax_cmsis_params *p,
                             const int8_t *in, int8_t *out);

/* RISC-V vectors: weights are groups of 32 channels (the last may have fewer),
 * tap by tap; none is -128. */
void ash_rt_conv_2d_s8_rvv(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                           const int32_t *multiplier, const int8_t *shift,
                           const int32_t *bias, const int8_t *filter,
                           int8_t *out, void *scratch);
void ash_rt_depthwise_conv_2d_s8_rvv(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, int8_t *out, void *scratch);
void ash_rt_fully_connected_s8_rvv(const ash_rt_fully_connected_s8_params *p,
                                   const int8_t *in, const int32_t *bias,
                                   const int8_t *filter, const int32_t *scale,
                                   int8_t *out);
void ash_rt_add_s8_rvv(const ash_rt_add_s8_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out);

/* ---- what loops call ---------------------------------------------------- */

float ash_rt_half_value(uint16_t bits);
uint16_t ash_rt_half_bits(float x);
float ash_rt_brain_value(uint16_t bits);
uint16_t ash_rt_brain_bits(float x);
int64_t ash_rt_integer_sqrt(int64_t x);

#endif

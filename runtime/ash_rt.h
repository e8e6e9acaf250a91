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
#define ASH_RT_ALIGN(n)              __attribute__((aligned(n)))
#define ASH_RT_WEAK                  __attribute__((weak))
#define ASH_RT_COPY(to, from, bytes) ((void)__builtin_memcpy(to, from, bytes))
#define ASH_RT_FILL(to, byte, bytes) ((void)__builtin_memset(to, byte, bytes))
#else
#include <string.h>
#define ASH_RT_ALIGN(n)
#define ASH_RT_WEAK
#define ASH_RT_COPY(to, from, bytes) ((void)memcpy(to, from, bytes))
#define ASH_RT_FILL(to, byte, bytes) ((void)memset(to, byte, bytes))
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

/* x * 2^-n for 0 <= n <= 31, to the nearest, ties away from zero. */
static inline int32_t ash_rt_shift_down(int32_t x, int32_t n) {
  const uint32_t rest = (uint32_t)x & (((uint32_t)1 << n) - 1u);
  const uint32_t half = (((uint32_t)1 << n) >> 1) + (uint32_t)(x < 0);
  return (x >> n) + (int32_t)(n > 0 && rest >= half);
}

/* x * multiplier * 2^(shift - 31), rounded twice as TensorFlow Lite does. */
static inline int32_t ash_rt_rescale(int32_t x, int32_t multiplier,
                                     int32_t shift) {
  if (shift > 0)
    return ash_rt_mul_high((int32_t)((uint32_t)x << shift), multiplier);
  return ash_rt_shift_down(ash_rt_mul_high(x, multiplier), -shift);
}

/* The last step of a kernel: zero point and clamp. The sum wraps around, as the
 * accumulators do; only scales that make no sense get that far. */
static inline int32_t ash_rt_finish(int32_t x, int32_t offset, int32_t low,
                                    int32_t high) {
  return ash_rt_clamp((int32_t)((uint32_t)x + (uint32_t)offset), low, high);
}

/* Four accumulators that wrap around. */
typedef struct ash_rt_quad {
  uint32_t a, b, c, d;
} ash_rt_quad;

/* Sums of (x[i] + offset) * w[i] for four rows of weights, `pitch` apart. */
static inline ash_rt_quad ash_rt_dot_4_s8(ash_rt_quad s, const int8_t *x,
                                          const int8_t *w, size_t pitch,
                                          int32_t count, int32_t offset) {
  const int8_t *w1 = w + pitch;
  const int8_t *w2 = w1 + pitch;
  const int8_t *w3 = w2 + pitch;
  for (int32_t i = 0; i < count; i++) {
    const int32_t v = x[i] + offset;
    s.a += (uint32_t)(v * w[i]);
    s.b += (uint32_t)(v * w1[i]);
    s.c += (uint32_t)(v * w2[i]);
    s.d += (uint32_t)(v * w3[i]);
  }
  return s;
}

static inline uint32_t ash_rt_dot_s8(uint32_t s, const int8_t *x,
                                     const int8_t *w, int32_t count,
                                     int32_t offset) {
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

/* ---- one operand -------------------------------------------------------- */

typedef struct ash_rt_rows_params {
  int32_t rows, depth;
} ash_rt_rows_params;

/* table[d] is exp(-d * scale * beta) in Q0.31. */
void ash_rt_softmax_s8(const ash_rt_rows_params *p, const int8_t *in,
                       const int32_t *table, int8_t *out);

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
void ash_rt_logistic_f32(const ash_rt_count_params *p, const float *in,
                         float *out);
void ash_rt_tanh_f32(const ash_rt_count_params *p, const float *in, float *out);

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

/* ---- moving and converting ---------------------------------------------- */

typedef struct ash_rt_copy_params {
  int32_t bytes;
} ash_rt_copy_params;

void ash_rt_copy(const ash_rt_copy_params *p, const void *in, void *out);

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

/* ---- what loops call ---------------------------------------------------- */

float ash_rt_half_value(uint16_t bits);
uint16_t ash_rt_half_bits(float x);
float ash_rt_brain_value(uint16_t bits);
uint16_t ash_rt_brain_bits(float x);
int64_t ash_rt_integer_sqrt(int64_t x);

#endif

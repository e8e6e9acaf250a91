/* test_windows.c - kernels of windows and dense layers against a second
 * implementation that is as plain as possible: one output element at a time,
 * from the definition, with 64-bit or double arithmetic. Shapes, offsets and
 * values are random, with extremes made likely. */
#include "ash_rt_hybrid.h"
#include "ash_rt_layers_f32.h"
#include "ash_rt_layers_s8.h"
#include "check.h"
#include "random_window.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

enum { ROUNDS = 400, ROOM = 20000 };

static int8_t in8[ROOM], got8[ROOM], want8[ROOM], filter8[ROOM];
static float in32[ROOM], got32[ROOM], want32[ROOM], filter32[ROOM];
static int32_t bias32[64], multiplier[64];
static int64_t multiplier64[64];
static int8_t shift[64];
static float fbias[64];

static void fill_scales(int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    bias32[i] = random_below(9) ? random_between(-20000, 20000)
                                : INT32_MAX - random_below(3);
    multiplier[i] = random_between(1 << 30, INT32_MAX - 1);
    shift[i] = (int8_t)(random_below(9) ? random_between(-12, 0)
                                        : random_between(-31, 31));
    fbias[i] = random_f32();
  }
}

/* Half away from zero, through a fraction that a double holds exactly enough:
 * sums stay below 2^22 and counts below 2^13. */
static int64_t average_of(int64_t sum, int32_t count) {
  return (int64_t)round((double)sum / (double)count);
}

/* ---- windows ------------------------------------------------------------ */

/* Where a tap of an output pixel reads; -1 in the padding. */
static int32_t tap_at(const ash_rt_window *w, int32_t n, int32_t y, int32_t x,
                      int32_t ky, int32_t kx, int32_t c) {
  const int32_t row = y * w->stride_h - w->pad_top + ky * w->dilation_h;
  const int32_t column = x * w->stride_w - w->pad_left + kx * w->dilation_w;
  if (row < 0 || row >= w->in_h || column < 0 || column >= w->in_w)
    return -1;
  return ((n * w->in_h + row) * w->in_w + column) * w->in_c + c;
}

static int32_t outputs_of(const ash_rt_window *w) {
  return w->batches * w->out_h * w->out_w * w->out_c;
}

/* One output channel of a convolution reads `depth` input channels from
 * `first` on; the weights of tap (ky, kx), channel c are at
 * base + (ky * filter_w + kx) * pitch + c. */
typedef struct tap_range {
  int32_t first, depth, base, pitch;
} tap_range;

typedef struct pixel {
  int32_t n, y, x, c;
} pixel;

static pixel pixel_of(const ash_rt_window *w, int32_t i) {
  return (pixel){i / (w->out_c * w->out_w * w->out_h),
                 i / (w->out_c * w->out_w) % w->out_h, i / w->out_c % w->out_w,
                 i % w->out_c};
}

static int32_t plain_sum_s8(const ash_rt_window *w, pixel p, tap_range r,
                            int32_t offset) {
  int64_t sum = 0;
  for (int32_t ky = 0; ky < w->filter_h; ky++)
    for (int32_t kx = 0; kx < w->filter_w; kx++)
      for (int32_t c = 0; c < r.depth; c++) {
        const int32_t at = tap_at(w, p.n, p.y, p.x, ky, kx, r.first + c);
        const int32_t k = r.base + (ky * w->filter_w + kx) * r.pitch + c;
        if (at >= 0)
          sum += (int64_t)(in8[at] + offset) * filter8[k];
      }
  return (int32_t)(uint32_t)(uint64_t)sum;
}

static float plain_sum_f32(const ash_rt_window *w, pixel p, tap_range r) {
  float sum = 0;
  for (int32_t ky = 0; ky < w->filter_h; ky++)
    for (int32_t kx = 0; kx < w->filter_w; kx++)
      for (int32_t c = 0; c < r.depth; c++) {
        const int32_t at = tap_at(w, p.n, p.y, p.x, ky, kx, r.first + c);
        const int32_t k = r.base + (ky * w->filter_w + kx) * r.pitch + c;
        if (at >= 0)
          sum += in32[at] * filter32[k];
      }
  return sum;
}

static int32_t add_wrapping(int32_t a, int32_t b) {
  return (int32_t)((uint32_t)a + (uint32_t)b);
}

static tap_range conv_range(const ash_rt_window *w, int32_t groups, int32_t c) {
  const int32_t depth = w->in_c / groups;
  return (tap_range){c / (w->out_c / groups) * depth, depth,
                     c * w->filter_h * w->filter_w * depth, depth};
}

static ash_rt_window random_conv(int32_t *groups) {
  ash_rt_window w = random_window(3);
  *groups = random_below(3) ? 1 : random_between(2, 3);
  if (*groups > 1)
    w.in_c = *groups * random_between(1, 3);
  w.out_c = *groups * random_between(1, 9 / *groups);
  return w;
}

static void convolution_of_int8_agrees(void) {
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    ash_rt_conv_2d_s8_params p = {.in_offset = random_between(-127, 128),
                                  .out_offset = random_between(-128, 127),
                                  .per_channel = random_below(2)};
    p.window = random_conv(&p.groups);
    fill_range(&p.act_min, &p.act_max);
    fill_s8(in8, ROOM);
    fill_s8(filter8, ROOM);
    fill_scales(p.window.out_c);
    const int32_t *bias = random_below(4) ? bias32 : NULL;
    ash_rt_conv_2d_s8(&p, in8, filter8, bias, multiplier, shift, got8);
    for (int32_t i = 0; i < outputs_of(&p.window); i++) {
      const pixel at = pixel_of(&p.window, i);
      const int32_t sum = plain_sum_s8(
          &p.window, at, conv_range(&p.window, p.groups, at.c), p.in_offset);
      const int32_t k = p.per_channel ? at.c : 0;
      const int64_t y = (int64_t)p.out_offset +
                        plain_rescale(add_wrapping(sum, bias ? bias[at.c] : 0),
                                      multiplier[k], shift[k]);
      if (y >= INT32_MIN && y <= INT32_MAX)
        CHECK_EQ(got8[i], plain_clamp(y, p.act_min, p.act_max));
    }
  }
}

static void depthwise_convolution_of_int8_agrees(void) {
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    ash_rt_depthwise_conv_2d_s8_params p = {
        .in_offset = random_between(-127, 128),
        .out_offset = random_between(-128, 127),
        .per_channel = random_below(2)};
    p.window = random_window(3);
    const int32_t depth = random_between(1, 3);
    p.window.out_c = p.window.in_c * depth;
    fill_range(&p.act_min, &p.act_max);
    fill_s8(in8, ROOM);
    fill_s8(filter8, ROOM);
    fill_scales(p.window.out_c);
    const int32_t *bias = random_below(4) ? bias32 : NULL;
    ash_rt_depthwise_conv_2d_s8(&p, in8, filter8, bias, multiplier, shift,
                                got8);
    for (int32_t i = 0; i < outputs_of(&p.window); i++) {
      const pixel at = pixel_of(&p.window, i);
      const tap_range r = {at.c / depth, 1, at.c, p.window.out_c};
      const int32_t sum = plain_sum_s8(&p.window, at, r, p.in_offset);
      const int32_t k = p.per_channel ? at.c : 0;
      const int64_t y = (int64_t)p.out_offset +
                        plain_rescale(add_wrapping(sum, bias ? bias[at.c] : 0),
                                      multiplier[k], shift[k]);
      if (y >= INT32_MIN && y <= INT32_MAX)
        CHECK_EQ(got8[i], plain_clamp(y, p.act_min, p.act_max));
    }
  }
}

static void convolution_of_float_agrees_bit_for_bit(void) {
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    ash_rt_conv_2d_f32_params p = {.act_min = -FLT_MAX, .act_max = 50.0f};
    p.window = random_conv(&p.groups);
    fill_f32(in32, ROOM);
    fill_f32(filter32, ROOM);
    fill_scales(p.window.out_c);
    const float *bias = random_below(4) ? fbias : NULL;
    ash_rt_conv_2d_f32(&p, in32, filter32, bias, got32);
    for (int32_t i = 0; i < outputs_of(&p.window); i++) {
      const pixel at = pixel_of(&p.window, i);
      float y =
          plain_sum_f32(&p.window, at, conv_range(&p.window, p.groups, at.c));
      y = bias ? y + bias[at.c] : y;
      CHECK(got32[i] == (y > 50.0f ? 50.0f : y));
    }
  }
}

static void depthwise_convolution_of_float_agrees_bit_for_bit(void) {
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    ash_rt_window_f32_params p = {.act_min = 0.0f, .act_max = 6.0f};
    p.window = random_window(3);
    const int32_t depth = random_between(1, 3);
    p.window.out_c = p.window.in_c * depth;
    fill_f32(in32, ROOM);
    fill_f32(filter32, ROOM);
    fill_scales(p.window.out_c);
    const float *bias = random_below(4) ? fbias : NULL;
    ash_rt_depthwise_conv_2d_f32(&p, in32, filter32, bias, got32);
    for (int32_t i = 0; i < outputs_of(&p.window); i++) {
      const pixel at = pixel_of(&p.window, i);
      const tap_range r = {at.c / depth, 1, at.c, p.window.out_c};
      float y = plain_sum_f32(&p.window, at, r);
      y = bias ? y + bias[at.c] : y;
      CHECK(got32[i] == (y < 0.0f ? 0.0f : y > 6.0f ? 6.0f : y));
    }
  }
}

/* ---- pooling ------------------------------------------------------------ */

typedef struct pooled {
  int32_t count, max;
  int64_t sum;
  float fsum, fmax;
} pooled;

static pooled pool_at(const ash_rt_window *w, pixel p) {
  pooled r = {0, -128, 0, 0.0f, -FLT_MAX};
  for (int32_t ky = 0; ky < w->filter_h; ky++)
    for (int32_t kx = 0; kx < w->filter_w; kx++) {
      const int32_t at = tap_at(w, p.n, p.y, p.x, ky, kx, p.c);
      if (at < 0)
        continue;
      r.count++;
      r.sum += in8[at];
      r.max = in8[at] > r.max ? in8[at] : r.max;
      r.fsum += in32[at];
      r.fmax = in32[at] > r.fmax ? in32[at] : r.fmax;
    }
  return r;
}

static void pooling_of_int8_agrees(void) {
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    ash_rt_pool_2d_s8_params p = {.window = random_window(1)};
    fill_range(&p.act_min, &p.act_max);
    fill_s8(in8, ROOM);
    ash_rt_average_pool_2d_s8(&p, in8, got8);
    ash_rt_max_pool_2d_s8(&p, in8, want8);
    for (int32_t i = 0; i < outputs_of(&p.window); i++) {
      const pooled r = pool_at(&p.window, pixel_of(&p.window, i));
      if (r.count)
        CHECK_EQ(got8[i],
                 plain_clamp(average_of(r.sum, r.count), p.act_min, p.act_max));
      CHECK_EQ(want8[i], plain_clamp(r.max, p.act_min, p.act_max));
    }
  }
}

/* The inverse that replaces the division must be right for every window and
 * every sum; sizes around its limit are tried, too. */
static void averages_are_exact_for_large_windows(void) {
  static const int32_t sizes[][2] = {{1, 1},   {1, 2},    {3, 7},
                                     {25, 5},  {75, 77},  {76, 76},
                                     {84, 83}, {1, 5780}, {1, 5781}};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (int32_t fill = -128; fill < 128; fill++) {
      const int32_t n = sizes[s][0] * sizes[s][1];
      const ash_rt_pool_2d_s8_params p = {.window = {.batches = 1,
                                                     .in_h = sizes[s][0],
                                                     .in_w = sizes[s][1],
                                                     .in_c = 1,
                                                     .out_h = 1,
                                                     .out_w = 1,
                                                     .out_c = 1,
                                                     .filter_h = sizes[s][0],
                                                     .filter_w = sizes[s][1],
                                                     .stride_h = 1,
                                                     .stride_w = 1,
                                                     .dilation_h = 1,
                                                     .dilation_w = 1},
                                          .act_min = -128,
                                          .act_max = 127};
      /* `above` elements are one more: sums near a tie. */
      for (int32_t above = n / 2 - 1; above <= n / 2 + 1; above++) {
        int64_t sum = 0;
        for (int32_t i = 0; i < n; i++) {
          in8[i] = (int8_t)(fill + (i < above && fill < 127));
          sum += in8[i];
        }
        ash_rt_average_pool_2d_s8(&p, in8, got8);
        CHECK_EQ(got8[0], average_of(sum, n));
      }
    }
}

static void pooling_of_float_agrees_bit_for_bit(void) {
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    const ash_rt_window_f32_params p = {random_window(1), -90.0f, 90.0f};
    fill_f32(in32, ROOM);
    ash_rt_average_pool_2d_f32(&p, in32, got32);
    ash_rt_max_pool_2d_f32(&p, in32, want32);
    for (int32_t i = 0; i < outputs_of(&p.window); i++) {
      const pooled r = pool_at(&p.window, pixel_of(&p.window, i));
      const float y = r.fsum / (float)r.count;
      if (r.count)
        CHECK(got32[i] == (y < -90.0f ? -90.0f : y > 90.0f ? 90.0f : y));
      CHECK(want32[i] == (r.fmax < -90.0f  ? -90.0f
                          : r.fmax > 90.0f ? 90.0f
                                           : r.fmax));
    }
  }
}

/* ---- fully connected ---------------------------------------------------- */

static void fully_connected_int8_rounds_like_a_double(void) {
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    ash_rt_fully_connected_s8_params p = {
        .batches = random_between(1, 3),
        .in_c = random_between(1, 40),
        .out_c = random_between(1, 11),
        .in_offset = random_between(-127, 128),
        .filter_offset = random_below(2) ? 0 : random_between(-127, 128),
        .out_offset = random_between(-128, 127),
        .per_channel = random_below(2)};
    fill_range(&p.act_min, &p.act_max);
    fill_s8(in8, ROOM);
    fill_s8(filter8, ROOM);
    fill_scales(p.out_c);
    for (int32_t c = 0; c < p.out_c; c++) {
      /* Often a power of two, which makes ties. */
      multiplier64[c] =
          ((int64_t)1 << 52) |
          (random_below(3) ? 0 : (int64_t)(ash_rng_next(&kernel_rng) >> 12));
      shift[c] = (int8_t)(random_below(3) ? random_between(36, 44)
                                          : random_between(1, 62));
    }
    const int32_t *bias = random_below(4) ? bias32 : NULL;
    ash_rt_fully_connected_s8(&p, in8, filter8, bias, multiplier64, shift,
                              got8);
    for (int32_t i = 0; i < p.batches * p.out_c; i++) {
      const int32_t b = i / p.out_c, c = i % p.out_c;
      const int32_t k = p.per_channel ? c : 0;
      int64_t sum = bias ? bias[c] : 0;
      for (int32_t d = 0; d < p.in_c; d++)
        sum += (int64_t)(in8[b * p.in_c + d] + p.in_offset) *
               (filter8[c * p.in_c + d] + p.filter_offset);
      const double real = ldexp((double)multiplier64[k], -22 - shift[k]);
      const double y =
          round((double)(int32_t)(uint32_t)(uint64_t)sum * real) + p.out_offset;
      CHECK_EQ(got8[i], y < p.act_min   ? p.act_min
                        : y > p.act_max ? p.act_max
                                        : (int32_t)y);
    }
  }
}

static void fully_connected_float_agrees_bit_for_bit(void) {
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    const ash_rt_fully_connected_f32_params p = {
        random_between(1, 3), random_between(1, 40), random_between(1, 11),
        -FLT_MAX, FLT_MAX};
    fill_f32(in32, ROOM);
    fill_f32(filter32, ROOM);
    fill_scales(p.out_c);
    const float *bias = random_below(4) ? fbias : NULL;
    ash_rt_fully_connected_f32(&p, in32, filter32, bias, got32);
    for (int32_t i = 0; i < p.batches * p.out_c; i++) {
      const int32_t b = i / p.out_c, c = i % p.out_c;
      float sum = 0;
      for (int32_t d = 0; d < p.in_c; d++)
        sum += in32[b * p.in_c + d] * filter32[c * p.in_c + d];
      CHECK(got32[i] == (bias ? sum + bias[c] : sum));
    }
  }
}

/* TensorFlow Lite multiplies both scales first where the weights have one, and
 * one after the other where every channel has its own. The last bit decides
 * which code the next layer sees. */
static float hybrid_value(float sum, float weights, float row, bool late) {
  const volatile float both = weights * row, first = sum * weights;
  return late ? first * row : sum * both;
}

static void hybrid_convolutions_scale_in_the_order_of_tensorflow(void) {
  enum { PIXELS = 64, CHANNELS = 2 };
  static int8_t work[PIXELS];
  const float scale[CHANNELS] = {0.0031452281f, 0.0031452281f};
  uint32_t other = 0;
  for (int32_t i = 0; i < 2 * ROUNDS; i++) {
    const bool late = i % 2;
    const ash_rt_hybrid_params p = {.window = {1, 1, PIXELS, 1, 1, PIXELS,
                                               CHANNELS, 1, 1, 1, 1, 1, 1, 0,
                                               0},
                                    .groups = 1,
                                    .per_channel = late,
                                    .act_min = -FLT_MAX,
                                    .act_max = FLT_MAX};
    for (int32_t x = 0; x < PIXELS; x++)
      in32[x] = (float)random_between(-9999, 9999) / 777.0f;
    for (int32_t c = 0; c < CHANNELS; c++)
      filter8[c] = random_s8();
    float range = 0;
    for (int32_t x = 0; x < PIXELS; x++)
      range = fmaxf(range, fabsf(in32[x]));
    ash_rt_conv_2d_hybrid(&p, in32, filter8, NULL, scale, got32, work);
    for (int32_t k = 0; k < PIXELS * CHANNELS; k++) {
      const float sum = (float)(work[k / CHANNELS] * filter8[k % CHANNELS]);
      const float row = range / 127.0f;
      CHECK(got32[k] == hybrid_value(sum, scale[0], row, late));
      other += got32[k] != hybrid_value(sum, scale[0], row, !late);
    }
  }
  CHECK(other > ROUNDS);
}

#define TESTS(X)                                                               \
  X(hybrid_convolutions_scale_in_the_order_of_tensorflow)                      \
  X(convolution_of_int8_agrees)                                                \
  X(depthwise_convolution_of_int8_agrees)                                      \
  X(convolution_of_float_agrees_bit_for_bit)                                   \
  X(depthwise_convolution_of_float_agrees_bit_for_bit)                         \
  X(pooling_of_int8_agrees)                                                    \
  X(averages_are_exact_for_large_windows)                                      \
  X(pooling_of_float_agrees_bit_for_bit)                                       \
  X(fully_connected_int8_rounds_like_a_double)                                 \
  X(fully_connected_float_agrees_bit_for_bit)
TEST_MAIN(TESTS)

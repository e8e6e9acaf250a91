/* test_kernels.c - the device kernels against a second implementation that is
 * as plain as possible: one output element at a time, from the definition, with
 * 64-bit or double arithmetic. Shapes, offsets and values are random, with
 * extremes made likely. */
#include "ash_rt_folds.h"
#include "ash_rt_layers_f32.h"
#include "ash_rt_layers_s8.h"
#include "ash_rt_maps.h"
#include "ash_rt_moves.h"
#include "ash_rt_pairs.h"
#include "ash_rt_quantize.h"
#include "ash_rt_rows.h"
#include "base/rng.h"
#include "check.h"

#include <float.h>
#include <math.h>

enum { ROUNDS = 400, ROOM = 20000 };

static ash_rng rng;
static int8_t in8[ROOM], other8[ROOM], got8[ROOM], want8[ROOM], filter8[ROOM];
static float in32[ROOM], other32[ROOM], got32[ROOM], want32[ROOM],
    filter32[ROOM];
static int32_t bias32[64], multiplier[64];
static int64_t multiplier64[64];
static int8_t shift[64];
static float fbias[64];

/* ---- random things ------------------------------------------------------ */

static int32_t below(int32_t n) {
  return (int32_t)ash_rng_below(&rng, (uint64_t)n);
}

static int32_t between(int32_t low, int32_t high) {
  return low + below(high - low + 1);
}

static int8_t random_s8(void) {
  static const int8_t extreme[] = {-128, 127, -1, 0, 1};
  return (int8_t)(below(4) ? between(-128, 127) : extreme[below(5)]);
}

static void fill_s8(int8_t *to, int32_t count) {
  for (int32_t i = 0; i < count; i++)
    to[i] = random_s8();
}

static float random_f32(void) {
  return (float)between(-4000, 4000) / (float)(1 << below(12));
}

static void fill_f32(float *to, int32_t count) {
  for (int32_t i = 0; i < count; i++)
    to[i] = random_f32();
}

static void fill_scales(int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    bias32[i] = below(9) ? between(-20000, 20000) : INT32_MAX - below(3);
    multiplier[i] = between(1 << 30, INT32_MAX - 1);
    shift[i] = (int8_t)(below(9) ? between(-12, 0) : between(-31, 31));
    fbias[i] = random_f32();
  }
}

static void fill_range(int32_t *low, int32_t *high) {
  *low = below(2) ? -128 : between(-128, 0);
  *high = below(2) ? 127 : between(*low, 127);
}

/* ---- the plain arithmetic ----------------------------------------------- */

static int32_t plain_high_mul(int32_t a, int32_t b) {
  const int64_t p = (int64_t)a * b;
  const int64_t nudge = p >= 0 ? 1 << 30 : 1 - (1 << 30);
  return (int32_t)((p + nudge) / ((int64_t)1 << 31));
}

static int32_t plain_rescale(int32_t x, int32_t m, int32_t e) {
  const int32_t up = e > 0 ? e : 0;
  const int32_t y = plain_high_mul((int32_t)((uint32_t)x << up), m);
  return e > 0 ? y : (int32_t)round(ldexp((double)y, e));
}

/* Half away from zero, through a fraction that a double holds exactly enough:
 * sums stay below 2^22 and counts below 2^13. */
static int64_t average_of(int64_t sum, int32_t count) {
  return (int64_t)round((double)sum / (double)count);
}

static int8_t plain_clamp(int64_t x, int32_t low, int32_t high) {
  return (int8_t)(x < low ? low : x > high ? high : x);
}

static void rescaling_agrees_with_the_definition(void) {
  for (int32_t i = 0; i < 200000; i++) {
    const int32_t x = (int32_t)(ash_rng_next(&rng) >> below(32));
    const int32_t m = between(0, INT32_MAX - 1);
    const int32_t e = between(-31, 31);
    CHECK_EQ(ash_rt_rescale(x, m, e), plain_rescale(x, m, e));
  }
  CHECK_EQ(ash_rt_rescale(INT32_MIN, INT32_MAX, 0), -INT32_MAX);
  CHECK_EQ(ash_rt_rescale(-1, 1 << 30, 0), 0);  /* a tie goes up */
  CHECK_EQ(ash_rt_rescale(-3, 1 << 30, 1), -3); /* one half doubled */
}

static void shifting_down_rounds_ties_away_from_zero(void) {
  for (int32_t n = 0; n <= 31; n++)
    for (int32_t i = 0; i < 2000; i++) {
      const int32_t half = n ? (int32_t)(1u << (n - 1)) : 0;
      const int64_t x = (int64_t)between(-20, 20) * half + between(-1, 1);
      if (x > INT32_MIN && x <= INT32_MAX)
        CHECK_EQ(ash_rt_shift_down((int32_t)x, n),
                 (int64_t)round(ldexp((double)x, -n)));
    }
}

/* ---- windows ------------------------------------------------------------ */

static int32_t window_count(int32_t in, int32_t reach, int32_t stride,
                            int32_t before) {
  const int32_t total = in + before + below(reach + 1);
  return total < reach ? 0 : (total - reach) / stride + 1;
}

/* Sometimes whole windows lie in the padding. */
static ash_rt_window random_window(int32_t dilation_max) {
  for (;;) {
    ash_rt_window w;
    w.batches = between(1, 2);
    w.in_h = between(1, 7);
    w.in_w = between(1, 7);
    w.in_c = between(1, 9);
    w.filter_h = between(1, 4);
    w.filter_w = between(1, 4);
    w.stride_h = between(1, 3);
    w.stride_w = between(1, 3);
    w.dilation_h = between(1, dilation_max);
    w.dilation_w = between(1, dilation_max);
    const int32_t reach_h = (w.filter_h - 1) * w.dilation_h + 1;
    const int32_t reach_w = (w.filter_w - 1) * w.dilation_w + 1;
    w.pad_top = below(reach_h + 1);
    w.pad_left = below(reach_w + 1);
    w.out_h = window_count(w.in_h, reach_h, w.stride_h, w.pad_top);
    w.out_w = window_count(w.in_w, reach_w, w.stride_w, w.pad_left);
    w.out_c = w.in_c;
    if (w.out_h > 0 && w.out_w > 0 && w.out_h < 12 && w.out_w < 12)
      return w;
  }
}

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
  *groups = below(3) ? 1 : between(2, 3);
  if (*groups > 1)
    w.in_c = *groups * between(1, 3);
  w.out_c = *groups * between(1, 9 / *groups);
  return w;
}

static void convolution_of_int8_agrees(void) {
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    ash_rt_conv_2d_s8_params p = {.in_offset = between(-127, 128),
                                  .out_offset = between(-128, 127),
                                  .per_channel = below(2)};
    p.window = random_conv(&p.groups);
    fill_range(&p.act_min, &p.act_max);
    fill_s8(in8, ROOM);
    fill_s8(filter8, ROOM);
    fill_scales(p.window.out_c);
    const int32_t *bias = below(4) ? bias32 : NULL;
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
    ash_rt_depthwise_conv_2d_s8_params p = {.in_offset = between(-127, 128),
                                            .out_offset = between(-128, 127),
                                            .per_channel = below(2)};
    p.window = random_window(3);
    const int32_t depth = between(1, 3);
    p.window.out_c = p.window.in_c * depth;
    fill_range(&p.act_min, &p.act_max);
    fill_s8(in8, ROOM);
    fill_s8(filter8, ROOM);
    fill_scales(p.window.out_c);
    const int32_t *bias = below(4) ? bias32 : NULL;
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
    const float *bias = below(4) ? fbias : NULL;
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
    const int32_t depth = between(1, 3);
    p.window.out_c = p.window.in_c * depth;
    fill_f32(in32, ROOM);
    fill_f32(filter32, ROOM);
    fill_scales(p.window.out_c);
    const float *bias = below(4) ? fbias : NULL;
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
    ash_rt_fully_connected_s8_params p = {.batches = between(1, 3),
                                          .in_c = between(1, 40),
                                          .out_c = between(1, 11),
                                          .in_offset = between(-127, 128),
                                          .filter_offset =
                                              below(2) ? 0 : between(-127, 128),
                                          .out_offset = between(-128, 127),
                                          .per_channel = below(2)};
    fill_range(&p.act_min, &p.act_max);
    fill_s8(in8, ROOM);
    fill_s8(filter8, ROOM);
    fill_scales(p.out_c);
    for (int32_t c = 0; c < p.out_c; c++) {
      /* Often a power of two, which makes ties. */
      multiplier64[c] = ((int64_t)1 << 52) |
                        (below(3) ? 0 : (int64_t)(ash_rng_next(&rng) >> 12));
      shift[c] = (int8_t)(below(3) ? between(36, 44) : between(1, 62));
    }
    const int32_t *bias = below(4) ? bias32 : NULL;
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
        between(1, 3), between(1, 40), between(1, 11), -FLT_MAX, FLT_MAX};
    fill_f32(in32, ROOM);
    fill_f32(filter32, ROOM);
    fill_scales(p.out_c);
    const float *bias = below(4) ? fbias : NULL;
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

/* ---- two operands ------------------------------------------------------- */

typedef struct pair {
  int32_t a, b;
} pair;

static ash_rt_broadcast random_broadcast(void) {
  ash_rt_broadcast s = {.rank = between(1, ASH_RT_RANK)};
  int32_t a = 1, b = 1;
  for (int32_t d = s.rank - 1; d >= 0; d--) {
    s.dim[d] = between(1, 4);
    s.step_a[d] = below(3) ? a : 0;
    s.step_b[d] = below(3) ? b : 0;
    a *= s.step_a[d] ? s.dim[d] : 1;
    b *= s.step_b[d] ? s.dim[d] : 1;
  }
  return s;
}

static int32_t broadcast_count(const ash_rt_broadcast *s) {
  int32_t n = 1;
  for (int32_t d = 0; d < s->rank; d++)
    n *= s->dim[d];
  return n;
}

static pair operands_of(const ash_rt_broadcast *s, int32_t i) {
  pair at = {0, 0};
  for (int32_t d = s->rank - 1; d >= 0; d--) {
    at.a += i % s->dim[d] * s->step_a[d];
    at.b += i % s->dim[d] * s->step_b[d];
    i /= s->dim[d];
  }
  return at;
}

static void add_of_int8_agrees(void) {
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    ash_rt_add_s8_params p = {.shape = random_broadcast(),
                              .a_offset = between(-127, 128),
                              .a_multiplier = between(1 << 30, INT32_MAX),
                              .a_shift = between(-12, 0),
                              .b_offset = between(-127, 128),
                              .b_multiplier = 1 << 30,
                              .out_offset = between(-128, 127),
                              .out_multiplier = between(1 << 30, INT32_MAX),
                              .out_shift = between(-21, -15)};
    fill_range(&p.act_min, &p.act_max);
    fill_s8(in8, ROOM);
    fill_s8(other8, ROOM);
    ash_rt_add_s8(&p, in8, other8, got8);
    for (int32_t i = 0; i < broadcast_count(&p.shape); i++) {
      const pair at = operands_of(&p.shape, i);
      const int32_t a = plain_rescale((in8[at.a] + p.a_offset) * (1 << 20),
                                      p.a_multiplier, p.a_shift);
      const int32_t b = plain_rescale((other8[at.b] + p.b_offset) * (1 << 20),
                                      p.b_multiplier, p.b_shift);
      const int32_t y = plain_rescale(a + b, p.out_multiplier, p.out_shift);
      CHECK_EQ(got8[i], plain_clamp(y + p.out_offset, p.act_min, p.act_max));
    }
  }
}

static void mul_of_int8_agrees(void) {
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    ash_rt_mul_s8_params p = {.shape = random_broadcast(),
                              .a_offset = between(-127, 128),
                              .b_offset = between(-127, 128),
                              .out_offset = between(-128, 127),
                              .out_multiplier = between(1 << 30, INT32_MAX),
                              .out_shift = between(-14, 2)};
    fill_range(&p.act_min, &p.act_max);
    fill_s8(in8, ROOM);
    fill_s8(other8, ROOM);
    ash_rt_mul_s8(&p, in8, other8, got8);
    for (int32_t i = 0; i < broadcast_count(&p.shape); i++) {
      const pair at = operands_of(&p.shape, i);
      const int32_t y =
          plain_rescale((in8[at.a] + p.a_offset) * (other8[at.b] + p.b_offset),
                        p.out_multiplier, p.out_shift);
      CHECK_EQ(got8[i], plain_clamp(y + p.out_offset, p.act_min, p.act_max));
    }
  }
}

static void add_and_mul_of_float_agree(void) {
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    const ash_rt_binary_f32_params p = {random_broadcast(), -1e6f, 1e6f};
    fill_f32(in32, ROOM);
    fill_f32(other32, ROOM);
    ash_rt_add_f32(&p, in32, other32, got32);
    ash_rt_mul_f32(&p, in32, other32, want32);
    for (int32_t i = 0; i < broadcast_count(&p.shape); i++) {
      const pair at = operands_of(&p.shape, i);
      const float y = in32[at.a] * other32[at.b];
      CHECK(got32[i] == in32[at.a] + other32[at.b]);
      CHECK(want32[i] == (y < -1e6f ? -1e6f : y > 1e6f ? 1e6f : y));
    }
  }
}

static void elementwise_kernels_run_in_place(void) {
  const ash_rt_broadcast flat = {1, {100}, {1}, {1}};
  ash_rt_add_s8_params p = {.shape = flat,
                            .a_multiplier = 1 << 30,
                            .b_multiplier = 1 << 29,
                            .out_multiplier = 1 << 30,
                            .out_shift = -19,
                            .act_min = -128,
                            .act_max = 127};
  fill_s8(in8, 100);
  fill_s8(other8, 100);
  ash_rt_add_s8(&p, in8, other8, want8);
  memcpy(got8, in8, 100);
  ash_rt_add_s8(&p, got8, other8, got8);
  CHECK(memcmp(got8, want8, 100) == 0);
  memcpy(got8, other8, 100);
  ash_rt_add_s8(&p, in8, got8, got8);
  CHECK(memcmp(got8, want8, 100) == 0);

  /* A narrower output may start where its input starts. */
  const ash_rt_affine_params q = {100, 0.5f, 3};
  fill_f32(in32, 100);
  ash_rt_quantize_f32_s8(&q, in32, want8);
  ash_rt_quantize_f32_s8(&q, in32, (int8_t *)in32);
  CHECK(memcmp(in32, want8, 100) == 0);
}

/* ---- mean --------------------------------------------------------------- */

/* The axes of a tensor of eight dimensions, kept and folded in turn. */
static int32_t random_axes(ash_rt_mean_axes *x) {
  int32_t step = 1;
  for (int32_t d = ASH_RT_MEAN_AXES - 1; d >= 0; d--) {
    x->keep_dim[d] = between(1, 3);
    x->keep_step[d] = step;
    step *= x->keep_dim[d];
    x->fold_dim[d] = between(1, 3);
    x->fold_step[d] = step;
    step *= x->fold_dim[d];
  }
  return step;
}

static int32_t count4(const int32_t *dim) {
  return dim[0] * dim[1] * dim[2] * dim[3];
}

static int32_t offset4(const int32_t *dim, const int32_t *step, int32_t i) {
  int32_t at = 0;
  for (int32_t d = ASH_RT_MEAN_AXES - 1; d >= 0; d--) {
    at += i % dim[d] * step[d];
    i /= dim[d];
  }
  return at;
}

static void mean_agrees_for_any_axes(void) {
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    ash_rt_mean_s8_params p = {.sum_offset = between(-5000, 5000),
                               .out_offset = between(-128, 127),
                               .multiplier = between(1 << 30, INT32_MAX),
                               .shift = between(-10, 1)};
    const int32_t total = random_axes(&p.axes);
    const ash_rt_mean_axes *x = &p.axes;
    const ash_rt_mean_f32_params q = {p.axes, count4(x->fold_dim)};
    fill_s8(in8, total);
    fill_f32(in32, total);
    ash_rt_mean_s8(&p, in8, got8);
    ash_rt_mean_f32(&q, in32, got32);
    for (int32_t i = 0; i < count4(x->keep_dim); i++) {
      const int32_t base = offset4(x->keep_dim, x->keep_step, i);
      int32_t sum = 0;
      float fsum = 0;
      for (int32_t k = 0; k < count4(x->fold_dim); k++) {
        sum += in8[base + offset4(x->fold_dim, x->fold_step, k)];
        fsum += in32[base + offset4(x->fold_dim, x->fold_step, k)];
      }
      const int32_t y =
          plain_rescale(sum + p.sum_offset, p.multiplier, p.shift);
      CHECK_EQ(got8[i], plain_clamp(y + p.out_offset, -128, 127));
      CHECK(got32[i] == fsum / (float)q.count);
    }
  }
}

/* ---- softmax ------------------------------------------------------------ */

static void softmax_is_close_to_the_real_one(void) {
  static int32_t table[256];
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    const ash_rt_rows_params p = {between(1, 3), between(1, 40)};
    const double scale = (double)between(1, 300) / 1000.0;
    for (int32_t d = 0; d < 256; d++)
      table[d] = (int32_t)(exp(-d * scale) * 2147483647.0);
    fill_s8(in8, p.rows * p.depth);
    ash_rt_softmax_s8(&p, in8, table, got8);
    for (int32_t r = 0; r < p.rows; r++) {
      const int8_t *row = in8 + r * p.depth;
      double sum = 0;
      for (int32_t i = 0; i < p.depth; i++)
        sum += exp(row[i] * scale);
      for (int32_t i = 0; i < p.depth; i++) {
        const double y = exp(row[i] * scale) / sum * 256.0 - 128.0;
        const double want = y > 127.0 ? 127.0 : y;
        CHECK(fabs(got8[r * p.depth + i] - want) <= 0.51);
      }
    }
  }
}

static void softmax_of_float_sums_to_one_and_survives_large_inputs(void) {
  const ash_rt_softmax_f32_params p = {1, 3, 1.0f};
  const float in[] = {1000.0f, 1000.0f, -1000.0f};
  ash_rt_softmax_f32(&p, in, got32);
  CHECK(got32[0] == 0.5f && got32[1] == 0.5f && got32[2] == 0.0f);
}

/* ---- moving and converting ---------------------------------------------- */

static void padding_agrees(void) {
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    ash_rt_pad_s8_params p = {.value = random_s8()};
    ash_rt_pad_params *s = &p.shape;
    s->rank = between(1, ASH_RT_RANK);
    int32_t total = 1;
    for (int32_t d = 0; d < s->rank; d++) {
      s->dim[d] = between(1, 3);
      s->before[d] = below(3);
      s->after[d] = below(2);
      total *= s->before[d] + s->dim[d] + s->after[d];
    }
    const ash_rt_pad_f32_params q = {p.shape, (float)p.value};
    fill_s8(in8, ROOM);
    for (int32_t i = 0; i < ROOM; i++)
      in32[i] = in8[i];
    ash_rt_pad_s8(&p, in8, got8);
    ash_rt_pad_f32(&q, in32, got32);
    for (int32_t i = 0; i < total; i++) {
      int32_t rest = i, at = 0, step = 1, inside = 1;
      for (int32_t d = s->rank - 1; d >= 0; d--) {
        const int32_t size = s->before[d] + s->dim[d] + s->after[d];
        const int32_t k = rest % size - s->before[d];
        inside &= k >= 0 && k < s->dim[d];
        at += k * step;
        step *= s->dim[d];
        rest /= size;
      }
      CHECK_EQ(got8[i], inside ? in8[at] : p.value);
      CHECK(got32[i] == (float)got8[i]);
    }
  }
}

static void concatenation_puts_runs_at_their_places(void) {
  const ash_rt_concatenation_params p = {3, 2, 5, 1};
  fill_s8(in8, 6);
  memset(got8, 77, 16);
  ash_rt_concatenation(&p, in8, got8);
  for (int32_t r = 0; r < 3; r++)
    for (int32_t i = 0; i < 2; i++)
      CHECK_EQ(got8[1 + 5 * r + i], in8[2 * r + i]);
  CHECK_EQ(got8[0], 77);
  CHECK_EQ(got8[3], 77);
  const ash_rt_concatenation_s8_params q = {3, 2, 5, 1, -4, 9, 1 << 30, 0};
  ash_rt_concatenation_s8(&q, in8, got8);
  for (int32_t r = 0; r < 3; r++)
    for (int32_t i = 0; i < 2; i++)
      CHECK_EQ(got8[1 + 5 * r + i],
               plain_clamp(plain_rescale(in8[2 * r + i] - 4, 1 << 30, 0) + 9,
                           -128, 127));
}

static void quantising_rounds_ties_away_and_saturates(void) {
  const ash_rt_affine_params p = {8, 2.0f, -10};
  const float in[] = {1.0f,  -1.0f,  5.0f, 0.99999994f,
                      1e30f, -1e30f, NAN,  -0.0f};
  const int8_t want[] = {-9, -11, -7, -10, 127, -128, -128, -10};
  ash_rt_quantize_f32_s8(&p, in, got8);
  for (int32_t i = 0; i < 8; i++)
    CHECK_EQ(got8[i], want[i]);
  const ash_rt_affine_params q = {ROOM, 0.37f, 5};
  fill_f32(in32, ROOM);
  ash_rt_quantize_f32_s8(&q, in32, got8);
  for (int32_t i = 0; i < ROOM; i++)
    CHECK_EQ(got8[i],
             plain_clamp((int64_t)roundf(in32[i] / 0.37f) + 5, -128, 127));
}

static void dequantising_undoes_quantising(void) {
  static int16_t wide[ROOM];
  static uint8_t bytes[256];
  for (int32_t i = 0; i < 256; i++) {
    in8[i] = (int8_t)(i - 128);
    bytes[i] = (uint8_t)i;
    wide[i] = (int16_t)(i * 256 - 32768);
  }
  const ash_rt_affine_params p = {256, 0.25f, 7};
  ash_rt_dequantize_s8_f32(&p, in8, in32);
  ash_rt_quantize_f32_s8(&p, in32, got8);
  CHECK(memcmp(in8, got8, 256) == 0);
  ash_rt_dequantize_u8_f32(&p, bytes, in32);
  ash_rt_quantize_f32_u8(&p, in32, (uint8_t *)got8);
  CHECK(memcmp(bytes, got8, 256) == 0);
  ash_rt_dequantize_s16_f32(&p, wide, in32);
  ash_rt_quantize_f32_s16(&p, in32, (int16_t *)(void *)got32);
  CHECK(memcmp(wide, got32, 512) == 0);
}

static void requantising_agrees_for_every_value(void) {
  static uint8_t bytes[256], out[256];
  for (int32_t i = 0; i < 256; i++) {
    in8[i] = (int8_t)(i - 128);
    bytes[i] = (uint8_t)i;
  }
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    const ash_rt_requantize_params p = {
        256, between(-128, 128), between(-128, 127),
        between(1 << 30, INT32_MAX), between(-8, 3)};
    ash_rt_quantize_s8_s8(&p, in8, got8);
    ash_rt_quantize_u8_s8(&p, bytes, want8);
    ash_rt_quantize_s8_u8(&p, in8, out);
    for (int32_t i = 0; i < 256; i++) {
      const int32_t y = p.out_offset + plain_rescale(in8[i] + p.in_offset,
                                                     p.multiplier, p.shift);
      const int32_t z =
          p.out_offset + plain_rescale(i + p.in_offset, p.multiplier, p.shift);
      CHECK_EQ(got8[i], plain_clamp(y, -128, 127));
      CHECK_EQ(want8[i], plain_clamp(z, -128, 127));
      CHECK_EQ(out[i], y < 0 ? 0 : y > 255 ? 255 : y);
    }
  }
}

static void tables_are_indexed_from_the_smallest_value(void) {
  static int8_t table[256];
  const ash_rt_count_params p = {256};
  for (int32_t i = 0; i < 256; i++) {
    in8[i] = (int8_t)(i - 128);
    table[i] = (int8_t)(127 - i);
  }
  ash_rt_lut_s8(&p, in8, table, got8);
  CHECK(memcmp(got8, table, 256) == 0);
}

static void activations_of_float_follow_the_library(void) {
  const ash_rt_count_params p = {5};
  const float in[] = {-100.0f, -1.0f, 0.0f, 1.0f, INFINITY};
  ash_rt_logistic_f32(&p, in, got32);
  CHECK(got32[0] >= 0.0f && got32[0] < 1e-30f);
  CHECK(got32[2] == 0.5f && got32[4] == 1.0f);
  ash_rt_tanh_f32(&p, in, got32);
  CHECK(got32[0] == -1.0f && got32[2] == 0.0f && got32[4] == 1.0f);
  const ash_rt_clamp_f32_params relu = {5, 0, 0.0f, 0.0f};
  ash_rt_relu_f32(&relu, in, got32);
  CHECK(got32[0] == 0.0f && got32[3] == 1.0f && isinf(got32[4]));
  const ash_rt_clamp_f32_params relu6 = {5, 1, 0.0f, 6.0f};
  ash_rt_relu_f32(&relu6, in, got32);
  CHECK(got32[4] == 6.0f);
}

#define TESTS(X)                                                               \
  X(rescaling_agrees_with_the_definition)                                      \
  X(shifting_down_rounds_ties_away_from_zero)                                  \
  X(convolution_of_int8_agrees)                                                \
  X(depthwise_convolution_of_int8_agrees)                                      \
  X(convolution_of_float_agrees_bit_for_bit)                                   \
  X(depthwise_convolution_of_float_agrees_bit_for_bit)                         \
  X(pooling_of_int8_agrees)                                                    \
  X(averages_are_exact_for_large_windows)                                      \
  X(pooling_of_float_agrees_bit_for_bit)                                       \
  X(fully_connected_int8_rounds_like_a_double)                                 \
  X(fully_connected_float_agrees_bit_for_bit)                                  \
  X(add_of_int8_agrees)                                                        \
  X(mul_of_int8_agrees)                                                        \
  X(add_and_mul_of_float_agree)                                                \
  X(elementwise_kernels_run_in_place)                                          \
  X(mean_agrees_for_any_axes)                                                  \
  X(softmax_is_close_to_the_real_one)                                          \
  X(softmax_of_float_sums_to_one_and_survives_large_inputs)                    \
  X(padding_agrees)                                                            \
  X(concatenation_puts_runs_at_their_places)                                   \
  X(quantising_rounds_ties_away_and_saturates)                                 \
  X(dequantising_undoes_quantising)                                            \
  X(requantising_agrees_for_every_value)                                       \
  X(tables_are_indexed_from_the_smallest_value)                                \
  X(activations_of_float_follow_the_library)
TEST_MAIN(TESTS)

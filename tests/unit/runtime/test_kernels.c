/* test_kernels.c - the arithmetic that kernels share, and kernels of elements,
 * rows and data movement against a second implementation that is as plain as
 * possible: one output element at a time, from the definition, with 64-bit or
 * double arithmetic. Shapes, offsets and values are random, with extremes made
 * likely. */
#include "ash_rt_folds.h"
#include "ash_rt_maps.h"
#include "ash_rt_moves.h"
#include "ash_rt_pairs.h"
#include "ash_rt_quantize.h"
#include "ash_rt_rows.h"
#include "check.h"
#include "kernel_data.h"

#include <math.h>

enum { ROUNDS = 400, ROOM = 20000 };

static int8_t in8[ROOM], other8[ROOM], got8[ROOM], want8[ROOM];
static float in32[ROOM], other32[ROOM], got32[ROOM], want32[ROOM];

static void rescaling_agrees_with_the_definition(void) {
  for (int32_t i = 0; i < 200000; i++) {
    const int32_t x = (int32_t)(ash_rng_next(&kernel_rng) >> random_below(32));
    const int32_t m = random_between(0, INT32_MAX - 1);
    const int32_t e = random_between(-31, 31);
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
      const int64_t x =
          (int64_t)random_between(-20, 20) * half + random_between(-1, 1);
      if (x > INT32_MIN && x <= INT32_MAX)
        CHECK_EQ(ash_rt_shift_down((int32_t)x, n),
                 (int64_t)round(ldexp((double)x, -n)));
    }
}

/* ---- two operands ------------------------------------------------------- */

typedef struct pair {
  int32_t a, b;
} pair;

static ash_rt_broadcast random_broadcast(void) {
  ash_rt_broadcast s = {.rank = random_between(1, ASH_RT_RANK)};
  int32_t a = 1, b = 1;
  for (int32_t d = s.rank - 1; d >= 0; d--) {
    s.dim[d] = random_between(1, 4);
    s.step_a[d] = random_below(3) ? a : 0;
    s.step_b[d] = random_below(3) ? b : 0;
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
    ash_rt_add_s8_params p = {
        .shape = random_broadcast(),
        .a_offset = random_between(-127, 128),
        .a_multiplier = random_between(1 << 30, INT32_MAX),
        .a_shift = random_between(-12, 0),
        .b_offset = random_between(-127, 128),
        .b_multiplier = 1 << 30,
        .out_offset = random_between(-128, 127),
        .out_multiplier = random_between(1 << 30, INT32_MAX),
        .out_shift = random_between(-21, -15)};
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
                              .a_offset = random_between(-127, 128),
                              .b_offset = random_between(-127, 128),
                              .out_offset = random_between(-128, 127),
                              .out_multiplier =
                                  random_between(1 << 30, INT32_MAX),
                              .out_shift = random_between(-14, 2)};
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
    x->keep_dim[d] = random_between(1, 3);
    x->keep_step[d] = step;
    step *= x->keep_dim[d];
    x->fold_dim[d] = random_between(1, 3);
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
    ash_rt_mean_s8_params p = {.sum_offset = random_between(-5000, 5000),
                               .out_offset = random_between(-128, 127),
                               .multiplier = random_between(1 << 30, INT32_MAX),
                               .shift = random_between(-10, 1)};
    const int32_t total = random_axes(&p.axes);
    const ash_rt_mean_axes *x = &p.axes;
    fill_s8(in8, total);
    ash_rt_mean_s8(&p, in8, got8);
    for (int32_t i = 0; i < count4(x->keep_dim); i++) {
      const int32_t base = offset4(x->keep_dim, x->keep_step, i);
      int32_t sum = 0;
      for (int32_t k = 0; k < count4(x->fold_dim); k++)
        sum += in8[base + offset4(x->fold_dim, x->fold_step, k)];
      const int32_t y =
          plain_rescale(sum + p.sum_offset, p.multiplier, p.shift);
      CHECK_EQ(got8[i], plain_clamp(y + p.out_offset, -128, 127));
    }
  }
}

/* ---- softmax ------------------------------------------------------------ */

static void softmax_is_close_to_the_real_one(void) {
  static int32_t table[256];
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    const ash_rt_rows_params p = {random_between(1, 3), random_between(1, 40)};
    const double scale = (double)random_between(1, 300) / 1000.0;
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

static void concatenation_puts_runs_at_their_places(void) {
  const ash_rt_concatenation_s8_params q = {3, 2, 5, 1, -4, 9, 1 << 30, 0};
  fill_s8(in8, 6);
  memset(got8, 77, 16);
  ash_rt_concatenation_s8(&q, in8, got8);
  CHECK_EQ(got8[0], 77);
  CHECK_EQ(got8[3], 77);
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
        256, random_between(-128, 128), random_between(-128, 127),
        random_between(1 << 30, INT32_MAX), random_between(-8, 3)};
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

#define TESTS(X)                                                               \
  X(rescaling_agrees_with_the_definition)                                      \
  X(shifting_down_rounds_ties_away_from_zero)                                  \
  X(add_of_int8_agrees)                                                        \
  X(mul_of_int8_agrees)                                                        \
  X(add_and_mul_of_float_agree)                                                \
  X(elementwise_kernels_run_in_place)                                          \
  X(mean_agrees_for_any_axes)                                                  \
  X(softmax_is_close_to_the_real_one)                                          \
  X(softmax_of_float_sums_to_one_and_survives_large_inputs)                    \
  X(concatenation_puts_runs_at_their_places)                                   \
  X(quantising_rounds_ties_away_and_saturates)                                 \
  X(dequantising_undoes_quantising)                                            \
  X(requantising_agrees_for_every_value)                                       \
  X(tables_are_indexed_from_the_smallest_value)
TEST_MAIN(TESTS)

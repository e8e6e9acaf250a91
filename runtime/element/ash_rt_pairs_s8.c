/* ash_rt_pairs_s8.c - sum and product of two int8 tensors. */
#include "ash_rt_lanes.h"
#include "ash_rt_pairs.h"

/* Runs along the last axis: `lanes` takes as many elements as come in whole
 * vectors, where operands are dense and `fits` holds, and `run` the rest. */
#if ASH_RT_LANES > 1
#define ASH_RT_PAIRS_LANES(p, a, b, out, fits, lanes)                          \
  if ((p)->shape.step_a[last] == 1 && (p)->shape.step_b[last] == 1 &&          \
      (fits)) {                                                                \
    i = (int32_t)ash_rt_in_lanes(count);                                       \
    lanes((p), (a), (b), (out), i);                                            \
  }
#else
#define ASH_RT_PAIRS_LANES(p, a, b, out, fits, lanes)
#endif
#define ASH_RT_PAIRS_S8(p, a, b, out, fits, lanes, run)                        \
  do {                                                                         \
    const int32_t last = (p)->shape.rank - 1, count = (p)->shape.dim[last];    \
    ash_rt_cursor c = {0, 0, {0}};                                             \
    do {                                                                       \
      int32_t i = 0;                                                           \
      ASH_RT_PAIRS_LANES((p), (a) + c.a, (b) + c.b, (out), fits, lanes)        \
      run((p), (a) + c.a + i, (b) + c.b + i, (out) + i, count - i);            \
      (out) += count;                                                          \
    } while (ash_rt_advance(&(p)->shape, &c));                                 \
  } while (0)

/* kernel add_s8: sum of different scales. Both operands are brought to one
 * scale with 20 more bits before they are added. */
static inline int32_t ash_rt_add_operand(int32_t x, int32_t multiplier,
                                         int32_t shift) {
  return ash_rt_shift_down(ash_rt_mul_high(x * (1 << 20), multiplier), -shift);
}

static void ash_rt_add_run(const ash_rt_add_s8_params *p, const int8_t *a,
                           const int8_t *b, int8_t *out, int32_t count) {
  const int32_t last = p->shape.rank - 1;
  const ptrdiff_t step_a = p->shape.step_a[last];
  const ptrdiff_t step_b = p->shape.step_b[last];
  for (int32_t i = 0; i < count; i++) {
    const int32_t sum =
        ash_rt_add_operand(*a + p->a_offset, p->a_multiplier, p->a_shift) +
        ash_rt_add_operand(*b + p->b_offset, p->b_multiplier, p->b_shift);
    const int32_t y = ash_rt_shift_down(ash_rt_mul_high(sum, p->out_multiplier),
                                        -p->out_shift);
    out[i] = (int8_t)ash_rt_finish(y, p->out_offset, p->act_min, p->act_max);
    a += step_a;
    b += step_b;
  }
}

#if ASH_RT_LANES > 1
/* mul_high(x * 2^20, multiplier) for |x| < 2^9, in 32 bits. */
static inline int32_t ash_rt_add_wide(int32_t x, int32_t multiplier) {
  return x * (multiplier >> 11) + ((x * (multiplier & 2047) + 1024) >> 11);
}

/* Sixteen elements at once; the output may be in the place of an operand. */
static void ash_rt_add_lanes(const ash_rt_add_s8_params *p, const int8_t *a,
                             const int8_t *b, int8_t *out, int32_t count) {
  const ash_rt_down down_a = ash_rt_down_of(p->a_shift);
  const ash_rt_down down_b = ash_rt_down_of(p->b_shift);
  const ash_rt_down down = ash_rt_down_of(p->out_shift);
  const int32_t offset_a = p->a_offset, offset_b = p->b_offset;
  const int32_t m_a = p->a_multiplier, m_b = p->b_multiplier;
  const int32_t m = p->out_multiplier, offset = p->out_offset;
  const int32_t low = p->act_min, high = p->act_max;
  for (int32_t k = 0; k < count; k += ASH_RT_LANES) {
    int8_t x[ASH_RT_LANES], y[ASH_RT_LANES], z[ASH_RT_LANES];
    ASH_RT_COPY(x, a + k, ASH_RT_LANES);
    ASH_RT_COPY(y, b + k, ASH_RT_LANES);
    for (int32_t i = 0; i < ASH_RT_LANES; i++) {
      const int32_t u = ash_rt_add_wide(x[i] + offset_a, m_a);
      const int32_t v = ash_rt_add_wide(y[i] + offset_b, m_b);
      const int32_t s = ash_rt_mul_high_lanes(
          ash_rt_go_down(u, down_a) + ash_rt_go_down(v, down_b), m);
      z[i] = (int8_t)ash_rt_clamp(ash_rt_go_down(s, down) + offset, low, high);
    }
    ASH_RT_COPY(out + k, z, ASH_RT_LANES);
  }
}
#endif

void ash_rt_add_s8(const ash_rt_add_s8_params *p, const int8_t *a,
                   const int8_t *b, int8_t *out) {
  ASH_RT_PAIRS_S8(p, a, b, out, 1, ash_rt_add_lanes, ash_rt_add_run);
}

/* kernel mul_s8 */
static void ash_rt_mul_run(const ash_rt_mul_s8_params *p, const int8_t *a,
                           const int8_t *b, int8_t *out, int32_t count) {
  const int32_t last = p->shape.rank - 1;
  const ptrdiff_t step_a = p->shape.step_a[last];
  const ptrdiff_t step_b = p->shape.step_b[last];
  for (int32_t i = 0; i < count; i++) {
    const int32_t y = ash_rt_rescale((*a + p->a_offset) * (*b + p->b_offset),
                                     p->out_multiplier, p->out_shift);
    out[i] = (int8_t)ash_rt_finish(y, p->out_offset, p->act_min, p->act_max);
    a += step_a;
    b += step_b;
  }
}

#if ASH_RT_LANES > 1
/* Sixteen elements at once, for shifts of 0 or below; the output may be in the
 * place of an operand. */
static void ash_rt_mul_lanes(const ash_rt_mul_s8_params *p, const int8_t *a,
                             const int8_t *b, int8_t *out, int32_t count) {
  const ash_rt_down down = ash_rt_down_of(p->out_shift);
  const int32_t offset_a = p->a_offset, offset_b = p->b_offset;
  const int32_t m = p->out_multiplier, offset = p->out_offset;
  const int32_t low = p->act_min, high = p->act_max;
  for (int32_t k = 0; k < count; k += ASH_RT_LANES) {
    int8_t x[ASH_RT_LANES], y[ASH_RT_LANES], z[ASH_RT_LANES];
    ASH_RT_COPY(x, a + k, ASH_RT_LANES);
    ASH_RT_COPY(y, b + k, ASH_RT_LANES);
    for (int32_t i = 0; i < ASH_RT_LANES; i++) {
      const int32_t s =
          (ash_rt_factor)(x[i] + offset_a) * (ash_rt_factor)(y[i] + offset_b);
      const int32_t t = ash_rt_go_down(ash_rt_mul_high_lanes(s, m), down);
      z[i] = (int8_t)ash_rt_clamp(t + offset, low, high);
    }
    ASH_RT_COPY(out + k, z, ASH_RT_LANES);
  }
}
#endif

void ash_rt_mul_s8(const ash_rt_mul_s8_params *p, const int8_t *a,
                   const int8_t *b, int8_t *out) {
  ASH_RT_PAIRS_S8(p, a, b, out, p->out_shift <= 0, ash_rt_mul_lanes,
                  ash_rt_mul_run);
}

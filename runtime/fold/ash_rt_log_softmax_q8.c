/* ash_rt_log_softmax_q8.c - logarithm of softmax over the last axis, on 8-bit
 * values; the output has scale 1/16 and its largest value means 0.
 *
 * Exponentials come from a table, the logarithm of their sum from a rational
 * function, with the roundings of TensorFlow Lite's reference. */
#include "ash_rt_fixed.h"
#include "ash_rt_rows.h"
#include "ash_rt_types.h"

static int32_t ash_rt_log_add(int32_t a, int32_t b) {
  return (int32_t)((uint32_t)a + (uint32_t)b);
}

static int32_t ash_rt_log_saturate(int64_t x) {
  return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}

/* log(r) for r around sqrt(sqrt(1/2)) in Q0.31; the result in Q6.25. */
static int32_t ash_rt_log_near(int32_t r) {
  const int32_t centre = 1805811301;
  const int64_t sum = (int64_t)r + centre;
  const int32_t p = (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
  const int32_t q = (int32_t)(2u * ((uint32_t)r - (uint32_t)centre));
  const int32_t q2 = ash_rt_mul_high(q, q);
  const int32_t above =
      ash_rt_log_add(ash_rt_mul_high(q, r),
                     ash_rt_mul_high(ash_rt_mul_high(q, q2), 117049297));
  const int32_t inner = ash_rt_log_add(ash_rt_log_add(1057819769, q),
                                       ash_rt_mul_high(127690142, q2));
  const int32_t below =
      ash_rt_log_add(ash_rt_mul_high(p, inner), ash_rt_mul_high(638450708, q));
  return ash_rt_mul_high(ash_rt_shift_down(above, 6), ash_rt_inverse(below));
}

/* log(x) for x >= 1 in Q12.19; the result in Q5.26. The power of two is found
 * in two ways of which the better is taken. */
static int32_t ash_rt_log(int32_t x) {
  const int32_t log_2 = 1488522236, root_half = 1518500250, quarter = 1 << 23;
  const int32_t zeros_a = ash_rt_zeros((uint32_t)x);
  const int32_t r_a = ash_rt_shift_up(
      ash_rt_mul_high(ash_rt_shift_up(x, zeros_a - 1), root_half), 1);
  const int32_t power_a =
      ash_rt_log_saturate((int64_t)(12 - zeros_a) * (1 << 25) + quarter);
  const int32_t zeros_b =
      ash_rt_zeros((uint32_t)ash_rt_mul_high(x, root_half)) - 1;
  const int32_t r_b = ash_rt_shift_up(x, zeros_b);
  const int32_t power_b =
      ash_rt_log_saturate((int64_t)(12 - zeros_b) * (1 << 25) - quarter);
  const int32_t r = r_a < r_b ? r_a : r_b;
  const int32_t power = power_a > power_b ? power_a : power_b;
  return ash_rt_shift_up(
      ash_rt_log_add(ash_rt_mul_high(power, log_2), ash_rt_log_near(r)), 1);
}

static int32_t ash_rt_log_difference(const ash_rt_log_softmax_q8_params *p,
                                     int32_t d) {
  return ash_rt_mul_high((int32_t)(0u - ((uint32_t)d << p->shift)),
                         p->multiplier);
}

static void ash_rt_log_softmax_row(const ash_rt_log_softmax_q8_params *p,
                                   const void *in, const int32_t *table,
                                   void *out, ptrdiff_t row) {
  const int32_t high = p->type == ASH_RT_U8 ? 255 : 127;
  int32_t max = (int32_t)ash_rt_load(in, p->type, row);
  uint32_t sum = 0;
  for (int32_t i = 1; i < p->depth; i++) {
    const int32_t x = (int32_t)ash_rt_load(in, p->type, row + i);
    max = x > max ? x : max;
  }
  for (int32_t i = 0; i < p->depth; i++) {
    const int32_t x = (int32_t)ash_rt_load(in, p->type, row + i);
    sum += (uint32_t)ash_rt_shift_down(table[max - x], 12);
  }
  const int32_t log_sum = ash_rt_log((int32_t)sum);
  /* Below this, the logarithm would leave Q5.26. */
  const int32_t bound = ash_rt_rescale(ash_rt_log_add(log_sum, INT32_MIN),
                                       p->back_multiplier, p->back_shift);
  const int32_t lowest = bound > -p->farthest - 1 ? bound : -p->farthest - 1;
  for (int32_t i = 0; i < p->depth; i++) {
    const int32_t d = max - (int32_t)ash_rt_load(in, p->type, row + i);
    int32_t y = -255;
    if (-d > lowest)
      y = ash_rt_shift_down(
          (int32_t)((uint32_t)ash_rt_log_difference(p, d) - (uint32_t)log_sum),
          22);
    ash_rt_store(out, p->type, row + i, high + ash_rt_clamp(y, -255, 0));
  }
}

void ash_rt_log_softmax_q8(const ash_rt_log_softmax_q8_params *p,
                           const void *in, const int32_t *table, void *out) {
  for (int32_t r = 0; r < p->rows; r++)
    ash_rt_log_softmax_row(p, in, table, out, (ptrdiff_t)r * p->depth);
}

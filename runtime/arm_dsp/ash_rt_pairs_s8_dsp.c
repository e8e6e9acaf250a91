/* ash_rt_pairs_s8_dsp.c - sum and product of two int8 tensors that are
 * dense along the last axis, with Arm's DSP instructions. Numbers stay so small
 * that doubling them makes one instruction of each scaling. */
#include "ash_rt_dsp.h"

/* kernel add_s8_dsp: different scales; all numbers stay below 2^30. */

/* ash_rt_rescale for |x| < 2^30 and shift = -n below 1; `even` is 0 if there
 * is no shift, else -1, for nothing is rounded twice then. */
static inline int32_t ash_rt_add_scale_dsp(int32_t x, int32_t multiplier,
                                           int32_t n, int32_t even,
                                           int32_t half) {
  const int32_t y = ash_rt_mul_top((int32_t)((uint32_t)x << 1), multiplier);
  return (y + ((y >> 31) & even) + half) >> n;
}

static inline int32_t ash_rt_add_half_dsp(int32_t n) {
  return n > 0 ? (int32_t)((uint32_t)1 << (n - 1)) : 0;
}

static void ash_rt_add_run_dsp(const ash_rt_add_s8_params *p, const int8_t *a,
                               const int8_t *b, int8_t *out, int32_t count) {
  const int32_t offset_a = p->a_offset, offset_b = p->b_offset;
  const int32_t m_a = p->a_multiplier, m_b = p->b_multiplier;
  const int32_t m = p->out_multiplier, offset = p->out_offset;
  const int32_t n_a = -p->a_shift, n_b = -p->b_shift, n = -p->out_shift;
  const int32_t half_a = ash_rt_add_half_dsp(n_a);
  const int32_t half_b = ash_rt_add_half_dsp(n_b);
  const int32_t half = ash_rt_add_half_dsp(n);
  const int32_t low = p->act_min, high = p->act_max;
  const int8_t *const end = a + count;
  while (a != end) {
    const int32_t x = ash_rt_add_scale_dsp((*a++ + offset_a) * (1 << 20), m_a,
                                           n_a, -(n_a > 0), half_a);
    const int32_t y = ash_rt_add_scale_dsp((*b++ + offset_b) * (1 << 20), m_b,
                                           n_b, -(n_b > 0), half_b);
    const int32_t z = ash_rt_add_scale_dsp(x + y, m, n, -(n > 0), half);
    *out++ = (int8_t)ash_rt_clamp(z + offset, low, high);
  }
}

void ash_rt_add_s8_dsp(const ash_rt_add_s8_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out) {
  ASH_RT_DENSE_RUNS(p, a, b, out, ash_rt_add_run_dsp);
}

/* kernel mul_s8_dsp: a product has 17 bits. For shifts below 0. */
static void ash_rt_mul_run_dsp(const ash_rt_mul_s8_params *p, const int8_t *a,
                               const int8_t *b, int8_t *out, int32_t count) {
  const int32_t offset_a = p->a_offset, offset_b = p->b_offset;
  const int32_t multiplier = p->out_multiplier, right = -p->out_shift - 1;
  const int32_t twice = 2 * p->out_offset + 1;
  const int32_t low = p->act_min, high = p->act_max;
  const int8_t *const end = a + count;
  while (a != end) {
    const int32_t product = (*a++ + offset_a) * (*b++ + offset_b);
    const int32_t y = ash_rt_rescale_dsp(product, multiplier, right, twice);
    *out++ = (int8_t)ash_rt_clamp(y, low, high);
  }
}

void ash_rt_mul_s8_dsp(const ash_rt_mul_s8_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out) {
  ASH_RT_DENSE_RUNS(p, a, b, out, ash_rt_mul_run_dsp);
}

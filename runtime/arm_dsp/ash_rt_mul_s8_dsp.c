/* ash_rt_mul_s8_dsp.c - product of two int8 tensors of one shape, with Arm's
 * DSP instructions: a product has 17 bits, so that doubling it makes one
 * instruction of the scaling. For shifts below 0. */
#include "ash_rt_dsp.h"

void ash_rt_mul_s8_dsp(const ash_rt_mul_s8_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out) {
  const int32_t offset_a = p->a_offset, offset_b = p->b_offset;
  const int32_t multiplier = p->out_multiplier, shift = p->out_shift;
  const int32_t twice = 2 * p->out_offset + 1;
  const int32_t low = p->act_min, high = p->act_max;
  const int32_t count = ash_rt_count_of(&p->shape);
  const int8_t *const end = a + count;
  while (a != end) {
    const int32_t product = (*a++ + offset_a) * (*b++ + offset_b);
    const int32_t y = ash_rt_rescale_dsp(product, multiplier, shift, twice);
    *out++ = (int8_t)ash_rt_clamp(y, low, high);
  }
}

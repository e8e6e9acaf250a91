/* ash_rt_mul_s8_cmsis.c - product of two int8 tensors of one shape, by
 * CMSIS-NN. */
#include "ash_rt_cmsis.h"

void ash_rt_mul_s8_cmsis(const ash_rt_mul_s8_params *p, const int8_t *a,
                         const int8_t *b, int8_t *out) {
  int32_t count = 1;
  for (int32_t d = 0; d < p->shape.rank; d++)
    count *= p->shape.dim[d];
  (void)arm_elementwise_mul_s8(a, b, p->a_offset, p->b_offset, out,
                               p->out_offset, p->out_multiplier, p->out_shift,
                               p->act_min, p->act_max, count);
}

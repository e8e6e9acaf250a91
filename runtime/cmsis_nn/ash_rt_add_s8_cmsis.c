/* ash_rt_add_s8_cmsis.c - sum of two int8 tensors of one shape, by CMSIS-NN. */
#include "ash_rt_cmsis.h"

void ash_rt_add_s8_cmsis(const ash_rt_add_s8_params *p, const int8_t *a,
                         const int8_t *b, int8_t *out) {
  int32_t count = 1;
  for (int32_t d = 0; d < p->shape.rank; d++)
    count *= p->shape.dim[d];
  (void)arm_elementwise_add_s8(a, b, p->a_offset, p->a_multiplier, p->a_shift,
                               p->b_offset, p->b_multiplier, p->b_shift, 20,
                               out, p->out_offset, p->out_multiplier,
                               p->out_shift, p->act_min, p->act_max, count);
}

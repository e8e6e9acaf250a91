/* ash_rt_softmax_s8_cmsis.c - softmax over the last axis, int8, by CMSIS-NN. */
#include "ash_rt_cmsis.h"

void ash_rt_softmax_s8_cmsis(const ash_rt_softmax_cmsis_params *p,
                             const int8_t *in, int8_t *out) {
  arm_softmax_s8(in, p->rows, p->depth, p->multiplier, p->shift, p->diff_min,
                 out);
}

/* ash_rt_fully_connected_f32_mve.c - matrix times vectors, float32, with
 * Helium: eight rows of the matrix at once, from weights packed for that; each
 * is summed in the order of its inputs, the bias last. */
#include "ash_rt_mve_f32.h"

void ash_rt_fully_connected_f32_mve(const ash_rt_fully_connected_f32_params *p,
                                    const float *in, const float *bias,
                                    const float *filter, float *out) {
  const ptrdiff_t step = (ptrdiff_t)ASH_RT_MVE_F32_GROUP * p->in_c;
  for (int32_t b = 0; b < p->batches; b++) {
    const float *w = filter;
    for (int32_t c = 0; c < p->out_c; c += ASH_RT_MVE_F32_GROUP, w += step) {
      const ash_rt_eight_f32 s =
          ash_rt_dot_mve_f32(ash_rt_zero_mve_f32(), in, w, p->in_c);
      ash_rt_finish_mve_f32(&s, bias ? bias + c : 0, p->out_c - c, p->act_min,
                            p->act_max, out + c);
    }
    in += p->in_c;
    out += p->out_c;
  }
}

/* ash_rt_fully_connected_f32_mve_fast.c - matrix times vectors, float32, with
 * Helium and fused multiply-add: eight rows of the matrix by one vector or
 * three at once, from weights packed for that. */
#include "ash_rt_mve_fast.h"

/* One vector or three, which follow one another. */
ASH_RT_INLINE void
ash_rt_fc_vectors_fast(const ash_rt_fully_connected_f32_params *p, int vectors,
                       const float *in, const float *bias, const float *filter,
                       float *out) {
  const ptrdiff_t step = (ptrdiff_t)ASH_RT_MVE_F32_GROUP * p->in_c;
  for (int32_t c = 0; c < p->out_c; c += ASH_RT_MVE_F32_GROUP, filter += step) {
    ash_rt_block_fast s;
    ash_rt_begin_mve_fast(&s, bias ? bias + c : 0, p->out_c - c);
    ash_rt_run_mve_fast(&s, vectors, in, p->in_c, filter, p->in_c);
    for (int i = 0; i < vectors; i++)
      ash_rt_finish_mve_fast(&s, i, p->out_c - c, p->act_min, p->act_max,
                             out + i * p->out_c + c);
  }
}

void ash_rt_fully_connected_f32_mve_fast(
    const ash_rt_fully_connected_f32_params *p, const float *in,
    const float *bias, const float *filter, float *out) {
  int32_t left = p->batches;
  for (; left >= ASH_RT_MVE_FAST_PIXELS; left -= ASH_RT_MVE_FAST_PIXELS) {
    ash_rt_fc_vectors_fast(p, ASH_RT_MVE_FAST_PIXELS, in, bias, filter, out);
    in += (ptrdiff_t)ASH_RT_MVE_FAST_PIXELS * p->in_c;
    out += (ptrdiff_t)ASH_RT_MVE_FAST_PIXELS * p->out_c;
  }
  for (; left > 0; left--, in += p->in_c, out += p->out_c)
    ash_rt_fc_vectors_fast(p, 1, in, bias, filter, out);
}

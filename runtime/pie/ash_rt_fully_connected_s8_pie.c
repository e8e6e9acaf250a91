/* ash_rt_fully_connected_s8_pie.c - matrix times vectors, int8, for the
 * ESP32-S3: sixteen products of a row at once. A vector is copied to where
 * whole blocks begin. */
#include "ash_rt_pie.h"

static inline int32_t ash_rt_fc_finish_pie(int32_t sum, const int32_t *scale) {
  const int32_t x =
      ash_rt_mul_top_pie((int32_t)((uint32_t)sum << scale[3]), scale[0]);
  return (x + scale[1]) >> scale[2];
}

/* Rows of constants, whose weights are absent, do not occur. */
void ash_rt_fully_connected_s8_pie(const ash_rt_fully_connected_s8_params *p,
                                   const int8_t *in, const int32_t *bias,
                                   const int8_t *filter, const int32_t *scale,
                                   int8_t *out, void *scratch) {
  const int32_t step = p->per_channel ? 4 : 0;
  const int32_t blocks = (p->in_c + ASH_RT_PIE_BLOCK - 1) / ASH_RT_PIE_BLOCK;
  int8_t *const x = scratch;
  for (int32_t i = p->in_c; i < blocks * ASH_RT_PIE_BLOCK; i++)
    x[i] = 0;
  for (int32_t b = 0; b < p->batches; b++, in += p->in_c) {
    const int8_t *w = filter;
    const int32_t *s = scale;
    ASH_RT_COPY(x, in, (size_t)p->in_c);
    for (int32_t c = 0; c < p->out_c; c++, s += step) {
      const int32_t sum = bias[c] + ash_rt_dot_pie(x, w, blocks);
      const int32_t y =
          p->wide ? ash_rt_scale_wide(sum, s) : ash_rt_fc_finish_pie(sum, s);
      *out++ = (int8_t)ash_rt_clamp(y, p->act_min, p->act_max);
      w += (ptrdiff_t)blocks * ASH_RT_PIE_BLOCK;
    }
  }
}

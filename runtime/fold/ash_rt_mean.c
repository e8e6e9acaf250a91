/* ash_rt_mean.c - sums and averages of quantised values over any axes. */
#include "ash_rt_folds.h"

/* kernel mean_s8 */
/* Sums wrap around. */
static inline uint32_t ash_rt_mean_wide(int8_t x) {
  const int32_t wide = x;
  return (uint32_t)wide;
}

static int32_t ash_rt_mean_sum_s8(const ash_rt_mean_axes *x, const int8_t *in) {
  uint32_t sum = 0;
  for (int32_t i = 0; i < x->fold_dim[0]; i++)
    for (int32_t j = 0; j < x->fold_dim[1]; j++)
      for (int32_t k = 0; k < x->fold_dim[2]; k++) {
        const int8_t *from = in + (ptrdiff_t)i * x->fold_step[0] +
                             (ptrdiff_t)j * x->fold_step[1] +
                             (ptrdiff_t)k * x->fold_step[2];
        for (int32_t l = 0; l < x->fold_dim[3]; l++, from += x->fold_step[3])
          sum += ash_rt_mean_wide(*from);
      }
  return (int32_t)sum;
}

/* Sums of four neighbours. */
static void ash_rt_mean_four_s8(const ash_rt_mean_axes *x, const int8_t *in,
                                int32_t sum[4]) {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  for (int32_t i = 0; i < x->fold_dim[0]; i++)
    for (int32_t j = 0; j < x->fold_dim[1]; j++)
      for (int32_t k = 0; k < x->fold_dim[2]; k++) {
        const int8_t *from = in + (ptrdiff_t)i * x->fold_step[0] +
                             (ptrdiff_t)j * x->fold_step[1] +
                             (ptrdiff_t)k * x->fold_step[2];
        for (int32_t l = x->fold_dim[3]; l > 0; l--, from += x->fold_step[3]) {
          a += ash_rt_mean_wide(from[0]);
          b += ash_rt_mean_wide(from[1]);
          c += ash_rt_mean_wide(from[2]);
          d += ash_rt_mean_wide(from[3]);
        }
      }
  sum[0] = (int32_t)a;
  sum[1] = (int32_t)b;
  sum[2] = (int32_t)c;
  sum[3] = (int32_t)d;
}

static int8_t ash_rt_mean_finish(const ash_rt_mean_s8_params *p, int32_t sum) {
  const int32_t shifted = (int32_t)((uint32_t)sum + (uint32_t)p->sum_offset);
  const int32_t y = ash_rt_rescale(shifted, p->multiplier, p->shift);
  return (int8_t)ash_rt_finish(y, p->out_offset, -128, 127);
}

/* Averages along the last axis that is kept. */
static int8_t *ash_rt_mean_row_s8(const ash_rt_mean_s8_params *p,
                                  const int8_t *in, int8_t *out) {
  const ash_rt_mean_axes *x = &p->axes;
  int32_t l = 0, sum[4];
  for (; x->keep_step[3] == 1 && l + 4 <= x->keep_dim[3]; l += 4, in += 4) {
    ash_rt_mean_four_s8(x, in, sum);
    for (int32_t k = 0; k < 4; k++)
      *out++ = ash_rt_mean_finish(p, sum[k]);
  }
  for (; l < x->keep_dim[3]; l++, in += x->keep_step[3])
    *out++ = ash_rt_mean_finish(p, ash_rt_mean_sum_s8(x, in));
  return out;
}

void ash_rt_mean_s8(const ash_rt_mean_s8_params *p, const int8_t *in,
                    int8_t *out) {
  const ash_rt_mean_axes *x = &p->axes;
  for (int32_t i = 0; i < x->keep_dim[0]; i++)
    for (int32_t j = 0; j < x->keep_dim[1]; j++)
      for (int32_t k = 0; k < x->keep_dim[2]; k++)
        out = ash_rt_mean_row_s8(p,
                                 in + (ptrdiff_t)i * x->keep_step[0] +
                                     (ptrdiff_t)j * x->keep_step[1] +
                                     (ptrdiff_t)k * x->keep_step[2],
                                 out);
}

/* kernel mean_u8 */
void ash_rt_mean_u8(const ash_rt_mean_s8_params *p, const uint8_t *in,
                    uint8_t *out) {
  const ash_rt_mean_axes *x = &p->axes;
  ASH_RT_AXES(x->keep_dim, x->keep_step, at, {
    uint32_t sum = (uint32_t)p->sum_offset;
    ASH_RT_AXES(x->fold_dim, x->fold_step, k, sum += in[at + k];)
    *out++ = (uint8_t)ash_rt_finish(
        ash_rt_rescale((int32_t)sum, p->multiplier, p->shift), p->out_offset, 0,
        255);
  })
}

/* kernel mean_s16 */
void ash_rt_mean_s16(const ash_rt_mean_s8_params *p, const int16_t *in,
                     int16_t *out) {
  const ash_rt_mean_axes *x = &p->axes;
  ASH_RT_AXES(x->keep_dim, x->keep_step, at, {
    uint32_t sum = (uint32_t)p->sum_offset;
    ASH_RT_AXES(x->fold_dim, x->fold_step, k, {
      const int32_t v = in[at + k];
      sum += (uint32_t)v;
    })
    *out++ = (int16_t)ash_rt_finish(
        ash_rt_rescale((int32_t)sum, p->multiplier, p->shift), p->out_offset,
        -32768, 32767);
  })
}

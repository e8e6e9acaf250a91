/* ash_rt_folds.h - sums and averages of quantised values. */
#ifndef ASH_RT_FOLDS_H
#define ASH_RT_FOLDS_H

#include "ash_rt_types.h"

/* Averages over some axes: neighbouring axes of the same kind are one, so four
 * of each are enough for eight. The output is dense in the order of `keep`. */
enum { ASH_RT_MEAN_AXES = 4 };

typedef struct ash_rt_mean_axes {
  int32_t keep_dim[ASH_RT_MEAN_AXES], keep_step[ASH_RT_MEAN_AXES];
  int32_t fold_dim[ASH_RT_MEAN_AXES], fold_step[ASH_RT_MEAN_AXES];
} ash_rt_mean_axes;

/* The multiplier includes the division by the number of elements. */
typedef struct ash_rt_mean_s8_params {
  ash_rt_mean_axes axes;
  int32_t sum_offset; /* -zero point * elements */
  int32_t out_offset, multiplier, shift;
} ash_rt_mean_s8_params;

void ash_rt_mean_s8(const ash_rt_mean_s8_params *p, const int8_t *in,
                    int8_t *out);

void ash_rt_mean_u8(const ash_rt_mean_s8_params *p, const uint8_t *in,
                    uint8_t *out);
void ash_rt_mean_s16(const ash_rt_mean_s8_params *p, const int16_t *in,
                     int16_t *out);

/* Runs `statement` for each of four nested axes; `at` is the offset. */
#define ASH_RT_AXES(dim, step, at, statement)                                  \
  for (int32_t i0_##at = 0; i0_##at < (dim)[0]; i0_##at++)                     \
    for (int32_t i1_##at = 0; i1_##at < (dim)[1]; i1_##at++)                   \
      for (int32_t i2_##at = 0; i2_##at < (dim)[2]; i2_##at++)                 \
        for (int32_t i3_##at = 0; i3_##at < (dim)[3]; i3_##at++) {             \
          const ptrdiff_t at = (ptrdiff_t)i0_##at * (step)[0] +                \
                               (ptrdiff_t)i1_##at * (step)[1] +                \
                               (ptrdiff_t)i2_##at * (step)[2] +                \
                               (ptrdiff_t)i3_##at * (step)[3];                 \
          statement                                                            \
        }

#endif

/* ash_rt_folds.h - axes folded away, or summed up along. */
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

typedef struct ash_rt_mean_f32_params {
  ash_rt_mean_axes axes;
  int32_t count; /* elements in each average */
} ash_rt_mean_f32_params;

void ash_rt_mean_f32(const ash_rt_mean_f32_params *p, const float *in,
                     float *out);

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

/* Other ways to make one value of many. `count` is for the mean. */
enum {
  ASH_RT_SUM,
  ASH_RT_MEAN,
  ASH_RT_PROD,
  ASH_RT_MAX,
  ASH_RT_MIN,
  ASH_RT_ANY,
  ASH_RT_ALL
};

typedef struct ash_rt_reduce_params {
  ash_rt_mean_axes axes;
  int32_t function, type, count;
} ash_rt_reduce_params;

void ash_rt_reduce_f32(const ash_rt_reduce_params *p, const float *in,
                       float *out);
void ash_rt_reduce_s8(const ash_rt_reduce_params *p, const int8_t *in,
                      int8_t *out);
void ash_rt_reduce_whole(const ash_rt_reduce_params *p, const void *in,
                         void *out);

/* `outer` times `inner` rows of `depth` elements that are `inner` apart. */
typedef struct ash_rt_arg_params {
  int32_t outer, depth, inner;
  int32_t least; /* look for the smallest, not the largest */
  int32_t type, out_type;
} ash_rt_arg_params;

void ash_rt_arg_f32(const ash_rt_arg_params *p, const float *in, void *out);
void ash_rt_arg_whole(const ash_rt_arg_params *p, const void *in, void *out);

typedef struct ash_rt_cumsum_params {
  int32_t outer, depth, inner;
  int32_t exclusive, reverse;
  int32_t type;
} ash_rt_cumsum_params;

void ash_rt_cumsum_f32(const ash_rt_cumsum_params *p, const float *in,
                       float *out);
void ash_rt_cumsum_whole(const ash_rt_cumsum_params *p, const void *in,
                         void *out);

#endif

/* ash_rt_resize.h - images made larger or smaller. */
#ifndef ASH_RT_RESIZE_H
#define ASH_RT_RESIZE_H

#include "ash_rt.h"

/* Where output rows come from, then where columns do, is in tables: one input
 * index each for the nearest, the lower and the upper one for bilinear
 * interpolation, with the part of the upper one (in 1/1024 for int8). For the
 * nearest, `channels` counts bytes. */
typedef struct ash_rt_resize_params {
  int32_t batches, in_h, in_w, out_h, out_w, channels;
} ash_rt_resize_params;

void ash_rt_resize_nearest(const ash_rt_resize_params *p, const void *in,
                           const int32_t *table, void *out);
void ash_rt_resize_bilinear_s8(const ash_rt_resize_params *p, const int8_t *in,
                               const int32_t *table, const int32_t *parts,
                               int8_t *out);
void ash_rt_resize_bilinear_s16(const ash_rt_resize_params *p,
                                const int16_t *in, const int32_t *table,
                                const int32_t *parts, int16_t *out);
void ash_rt_resize_bilinear_u8(const ash_rt_resize_params *p, const uint8_t *in,
                               const int32_t *table, const float *parts,
                               uint8_t *out);
void ash_rt_resize_bilinear_f32(const ash_rt_resize_params *p, const float *in,
                                const int32_t *table, const float *parts,
                                float *out);

#endif

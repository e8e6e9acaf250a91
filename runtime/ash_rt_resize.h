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

/* Runs `pixel` for each output pixel: `top` and `bottom` are its two rows of
 * the input, `left` and `right` the places of its two columns in them, v and u
 * how far it is from the first of each. */
#define ASH_RT_RESIZE_PIXELS(type, part, p, in, table, parts, pixel)           \
  do {                                                                         \
    const ptrdiff_t pitch = (ptrdiff_t)(p)->in_w * (p)->channels;              \
    const int32_t *columns = (table) + 2 * (p)->out_h;                         \
    for (int32_t n = 0; n < (p)->batches; n++, (in) += pitch * (p)->in_h)      \
      for (int32_t y = 0; y < (p)->out_h; y++) {                               \
        const type *top = (in) + (table)[2 * y] * pitch;                       \
        const type *bottom = (in) + (table)[2 * y + 1] * pitch;                \
        for (int32_t x = 0; x < (p)->out_w; x++) {                             \
          const ptrdiff_t left = (ptrdiff_t)columns[2 * x] * (p)->channels;    \
          const ptrdiff_t right =                                              \
              (ptrdiff_t)columns[2 * x + 1] * (p)->channels;                   \
          const part v = (parts)[y], u = (parts)[(p)->out_h + x];              \
          pixel                                                                \
        }                                                                      \
      }                                                                        \
  } while (0)

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

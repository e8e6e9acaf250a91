/* ash_rt_resize.h - images made larger or smaller. */
#ifndef ASH_RT_RESIZE_H
#define ASH_RT_RESIZE_H

#include "ash_rt_lines.h"

/* Where output rows come from, then where columns do, is in tables: one input
 * index each for the nearest, the lower and the upper one for bilinear
 * interpolation, with the part of the upper one (in 1/1024 for int8). For the
 * nearest, `channels` counts bytes. */
typedef struct ash_rt_resize_params {
  int32_t batches, in_h, in_w, out_h, out_w, channels;
} ash_rt_resize_params;

/* Image n of the input and of the output of a whole operator, whose elements
 * have `size` bytes. */
ASH_RT_INLINE ash_rt_lines ash_rt_resize_in(const ash_rt_resize_params *p,
                                            const void *in, int32_t n,
                                            size_t size) {
  const ptrdiff_t pitch = (ptrdiff_t)p->in_w * p->channels * (ptrdiff_t)size;
  return ash_rt_image(in, n, p->in_h, pitch);
}

ASH_RT_INLINE ash_rt_lines ash_rt_resize_out(const ash_rt_resize_params *p,
                                             const void *out, int32_t n,
                                             size_t size) {
  const ptrdiff_t pitch = (ptrdiff_t)p->out_w * p->channels * (ptrdiff_t)size;
  return ash_rt_image(out, n, p->out_h, pitch);
}

/* Runs `mix` for each `pixel` of the output lines [first, end): `top` and
 * `bottom` are its two rows of the input, `left` and `right` the places of its
 * two columns in them, v and u how far it is from the first of each. */
#define ASH_RT_RESIZE_LINES(type, part, p, in, table, parts, out, first, end,  \
                            mix)                                               \
  do {                                                                         \
    const int32_t *columns = (table) + 2 * (p)->out_h;                         \
    for (int32_t y = first; y < (end); y++) {                                  \
      const type *top = ash_rt_line(in, (table)[2 * y]);                       \
      const type *bottom = ash_rt_line(in, (table)[2 * y + 1]);                \
      type *pixel = ash_rt_line_out(out, y);                                   \
      for (int32_t x = 0; x < (p)->out_w; x++, pixel += (p)->channels) {       \
        const ptrdiff_t left = (ptrdiff_t)columns[2 * x] * (p)->channels;      \
        const ptrdiff_t right = (ptrdiff_t)columns[2 * x + 1] * (p)->channels; \
        const part v = (parts)[y], u = (parts)[(p)->out_h + x];                \
        mix(top, bottom, left, right, v, u, (p)->channels, pixel);             \
      }                                                                        \
    }                                                                          \
  } while (0)

void ash_rt_resize_nearest(const ash_rt_resize_params *p, const void *in,
                           const int32_t *table, void *out);
void ash_rt_resize_nearest_lines(const ash_rt_resize_params *p,
                                 const ash_rt_lines *in, const int32_t *table,
                                 const ash_rt_lines *out, int32_t from,
                                 int32_t to);
void ash_rt_resize_bilinear_s8(const ash_rt_resize_params *p, const int8_t *in,
                               const int32_t *table, const int32_t *parts,
                               int8_t *out);
void ash_rt_resize_bilinear_s8_lines(const ash_rt_resize_params *p,
                                     const ash_rt_lines *in,
                                     const int32_t *table, const int32_t *parts,
                                     const ash_rt_lines *out, int32_t from,
                                     int32_t to);
void ash_rt_resize_bilinear_s16(const ash_rt_resize_params *p,
                                const int16_t *in, const int32_t *table,
                                const int32_t *parts, int16_t *out);
void ash_rt_resize_bilinear_s16_lines(
    const ash_rt_resize_params *p, const ash_rt_lines *in, const int32_t *table,
    const int32_t *parts, const ash_rt_lines *out, int32_t from, int32_t to);
void ash_rt_resize_bilinear_u8(const ash_rt_resize_params *p, const uint8_t *in,
                               const int32_t *table, const float *parts,
                               uint8_t *out);
void ash_rt_resize_bilinear_u8_lines(const ash_rt_resize_params *p,
                                     const ash_rt_lines *in,
                                     const int32_t *table, const float *parts,
                                     const ash_rt_lines *out, int32_t from,
                                     int32_t to);
void ash_rt_resize_bilinear_f32(const ash_rt_resize_params *p, const float *in,
                                const int32_t *table, const float *parts,
                                float *out);
void ash_rt_resize_bilinear_f32_lines(const ash_rt_resize_params *p,
                                      const ash_rt_lines *in,
                                      const int32_t *table, const float *parts,
                                      const ash_rt_lines *out, int32_t from,
                                      int32_t to);

#endif

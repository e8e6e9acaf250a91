/* ash_rt_resize.c - images made larger or smaller by mixing four pixels, or by
 * taking the nearest. */
#include "ash_rt_resize.h"

/* kernels resize_bilinear_s8, resize_bilinear_s8_lines */

/* Parts in 1/1024, ties away from zero. */
static int8_t ash_rt_mix_s8(int32_t a, int32_t b, int32_t c, int32_t d,
                            int32_t y, int32_t x) {
  const int32_t sum = a * (1024 - y) * (1024 - x) + b * y * (1024 - x) +
                      c * (1024 - y) * x + d * y * x;
  return (int8_t)((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));
}

static void ash_rt_mix_pixel_s8(const int8_t *top, const int8_t *bottom,
                                ptrdiff_t left, ptrdiff_t right, int32_t y,
                                int32_t x, int32_t channels, int8_t *out) {
  for (int32_t i = 0; i < channels; i++)
    out[i] = ash_rt_mix_s8(top[left + i], bottom[left + i], top[right + i],
                           bottom[right + i], y, x);
}

/* kernel resize_bilinear_s8 */
void ash_rt_resize_bilinear_s8(const ash_rt_resize_params *p, const int8_t *in,
                               const int32_t *table, const int32_t *parts,
                               int8_t *out) {
  for (int32_t n = 0; n < p->batches; n++) {
    const ash_rt_lines i = ash_rt_resize_in(p, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_resize_out(p, out, n, sizeof *out);
    ASH_RT_RESIZE_LINES(int8_t, int32_t, p, &i, table, parts, &o, 0, p->out_h,
                        ash_rt_mix_pixel_s8);
  }
}

/* kernel resize_bilinear_s8_lines */
void ash_rt_resize_bilinear_s8_lines(const ash_rt_resize_params *p,
                                     const ash_rt_lines *in,
                                     const int32_t *table, const int32_t *parts,
                                     const ash_rt_lines *out, int32_t from,
                                     int32_t to) {
  ASH_RT_RESIZE_LINES(int8_t, int32_t, p, in, table, parts, out, from, to,
                      ash_rt_mix_pixel_s8);
}

/* kernels resize_bilinear_s16, resize_bilinear_s16_lines */

/* Parts in 1/1024, ties away from zero. */
static int16_t ash_rt_mix_s16(int32_t a, int32_t b, int32_t c, int32_t d,
                              int32_t y, int32_t x) {
  const int64_t sum = (int64_t)a * ((1024 - y) * (1024 - x)) +
                      (int64_t)b * (y * (1024 - x)) +
                      (int64_t)c * ((1024 - y) * x) + (int64_t)d * (y * x);
  return (int16_t)((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));
}

static void ash_rt_mix_pixel_s16(const int16_t *top, const int16_t *bottom,
                                 ptrdiff_t left, ptrdiff_t right, int32_t y,
                                 int32_t x, int32_t channels, int16_t *out) {
  for (int32_t i = 0; i < channels; i++)
    out[i] = ash_rt_mix_s16(top[left + i], bottom[left + i], top[right + i],
                            bottom[right + i], y, x);
}

/* kernel resize_bilinear_s16 */
void ash_rt_resize_bilinear_s16(const ash_rt_resize_params *p,
                                const int16_t *in, const int32_t *table,
                                const int32_t *parts, int16_t *out) {
  for (int32_t n = 0; n < p->batches; n++) {
    const ash_rt_lines i = ash_rt_resize_in(p, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_resize_out(p, out, n, sizeof *out);
    ASH_RT_RESIZE_LINES(int16_t, int32_t, p, &i, table, parts, &o, 0, p->out_h,
                        ash_rt_mix_pixel_s16);
  }
}

/* kernel resize_bilinear_s16_lines */
void ash_rt_resize_bilinear_s16_lines(
    const ash_rt_resize_params *p, const ash_rt_lines *in, const int32_t *table,
    const int32_t *parts, const ash_rt_lines *out, int32_t from, int32_t to) {
  ASH_RT_RESIZE_LINES(int16_t, int32_t, p, in, table, parts, out, from, to,
                      ash_rt_mix_pixel_s16);
}

/* kernels resize_bilinear_u8, resize_bilinear_u8_lines */
static float ash_rt_mix_u8(float a, float b, float c, float d, float y,
                           float x) {
  return a * (1.0f - y) * (1.0f - x) + b * y * (1.0f - x) + c * (1.0f - y) * x +
         d * y * x;
}

static void ash_rt_mix_pixel_u8(const uint8_t *top, const uint8_t *bottom,
                                ptrdiff_t left, ptrdiff_t right, float y,
                                float x, int32_t channels, uint8_t *out) {
  for (int32_t i = 0; i < channels; i++)
    out[i] = (uint8_t)(int32_t)(ash_rt_mix_u8(top[left + i], bottom[left + i],
                                              top[right + i], bottom[right + i],
                                              y, x) +
                                0.5f);
}

/* kernel resize_bilinear_u8 */
void ash_rt_resize_bilinear_u8(const ash_rt_resize_params *p, const uint8_t *in,
                               const int32_t *table, const float *parts,
                               uint8_t *out) {
  for (int32_t n = 0; n < p->batches; n++) {
    const ash_rt_lines i = ash_rt_resize_in(p, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_resize_out(p, out, n, sizeof *out);
    ASH_RT_RESIZE_LINES(uint8_t, float, p, &i, table, parts, &o, 0, p->out_h,
                        ash_rt_mix_pixel_u8);
  }
}

/* kernel resize_bilinear_u8_lines */
void ash_rt_resize_bilinear_u8_lines(const ash_rt_resize_params *p,
                                     const ash_rt_lines *in,
                                     const int32_t *table, const float *parts,
                                     const ash_rt_lines *out, int32_t from,
                                     int32_t to) {
  ASH_RT_RESIZE_LINES(uint8_t, float, p, in, table, parts, out, from, to,
                      ash_rt_mix_pixel_u8);
}

/* kernels resize_bilinear_f32, resize_bilinear_f32_lines */
static float ash_rt_mix_f32(float a, float b, float c, float d, float y,
                            float x) {
  return a * (1.0f - y) * (1.0f - x) + b * y * (1.0f - x) + c * (1.0f - y) * x +
         d * y * x;
}

static void ash_rt_mix_pixel_f32(const float *top, const float *bottom,
                                 ptrdiff_t left, ptrdiff_t right, float y,
                                 float x, int32_t channels, float *out) {
  for (int32_t i = 0; i < channels; i++)
    out[i] = ash_rt_mix_f32(top[left + i], bottom[left + i], top[right + i],
                            bottom[right + i], y, x);
}

/* kernel resize_bilinear_f32 */
void ash_rt_resize_bilinear_f32(const ash_rt_resize_params *p, const float *in,
                                const int32_t *table, const float *parts,
                                float *out) {
  for (int32_t n = 0; n < p->batches; n++) {
    const ash_rt_lines i = ash_rt_resize_in(p, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_resize_out(p, out, n, sizeof *out);
    ASH_RT_RESIZE_LINES(float, float, p, &i, table, parts, &o, 0, p->out_h,
                        ash_rt_mix_pixel_f32);
  }
}

/* kernel resize_bilinear_f32_lines */
void ash_rt_resize_bilinear_f32_lines(const ash_rt_resize_params *p,
                                      const ash_rt_lines *in,
                                      const int32_t *table, const float *parts,
                                      const ash_rt_lines *out, int32_t from,
                                      int32_t to) {
  ASH_RT_RESIZE_LINES(float, float, p, in, table, parts, out, from, to,
                      ash_rt_mix_pixel_f32);
}

/* kernels resize_nearest, resize_nearest_lines: whatever the type. */
ASH_RT_INLINE void ash_rt_nearest_core(const ash_rt_resize_params *p,
                                       const ash_rt_lines *in,
                                       const int32_t *table,
                                       const ash_rt_lines *out, int32_t from,
                                       int32_t to) {
  const int32_t *columns = table + p->out_h;
  for (int32_t y = from; y < to; y++) {
    const uint8_t *const line = ash_rt_line(in, table[y]);
    uint8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < p->out_w; x++, pixel += p->channels)
      ASH_RT_COPY(pixel, line + (ptrdiff_t)columns[x] * p->channels,
                  (size_t)p->channels);
  }
}

/* kernel resize_nearest */
void ash_rt_resize_nearest(const ash_rt_resize_params *p, const void *in,
                           const int32_t *table, void *out) {
  for (int32_t n = 0; n < p->batches; n++) {
    const ash_rt_lines i = ash_rt_resize_in(p, in, n, 1);
    const ash_rt_lines o = ash_rt_resize_out(p, out, n, 1);
    ash_rt_nearest_core(p, &i, table, &o, 0, p->out_h);
  }
}

/* kernel resize_nearest_lines */
void ash_rt_resize_nearest_lines(const ash_rt_resize_params *p,
                                 const ash_rt_lines *in, const int32_t *table,
                                 const ash_rt_lines *out, int32_t from,
                                 int32_t to) {
  ash_rt_nearest_core(p, in, table, out, from, to);
}

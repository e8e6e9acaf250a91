/* ash_rt_resize.c - images made larger or smaller by mixing four pixels, or by
 * taking the nearest. */
#include "ash_rt_resize.h"

/* kernel resize_bilinear_s8 */

/* Parts in 1/1024, ties away from zero. */
static int8_t ash_rt_mix_s8(int32_t a, int32_t b, int32_t c, int32_t d,
                            int32_t y, int32_t x) {
  const int32_t sum = a * (1024 - y) * (1024 - x) + b * y * (1024 - x) +
                      c * (1024 - y) * x + d * y * x;
  return (int8_t)((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));
}

static int8_t *ash_rt_mix_pixel_s8(const int8_t *top, const int8_t *bottom,
                                   ptrdiff_t left, ptrdiff_t right, int32_t y,
                                   int32_t x, int32_t channels, int8_t *out) {
  for (int32_t i = 0; i < channels; i++)
    out[i] = ash_rt_mix_s8(top[left + i], bottom[left + i], top[right + i],
                           bottom[right + i], y, x);
  return out + channels;
}

void ash_rt_resize_bilinear_s8(const ash_rt_resize_params *p, const int8_t *in,
                               const int32_t *table, const int32_t *parts,
                               int8_t *out) {
  ASH_RT_RESIZE_PIXELS(int8_t, int32_t, p, in, table, parts, {
    out = ash_rt_mix_pixel_s8(top, bottom, left, right, v, u, p->channels, out);
  });
}

/* kernel resize_bilinear_s16 */

/* Parts in 1/1024, ties away from zero. */
static int16_t ash_rt_mix_s16(int32_t a, int32_t b, int32_t c, int32_t d,
                              int32_t y, int32_t x) {
  const int64_t sum = (int64_t)a * ((1024 - y) * (1024 - x)) +
                      (int64_t)b * (y * (1024 - x)) +
                      (int64_t)c * ((1024 - y) * x) + (int64_t)d * (y * x);
  return (int16_t)((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));
}

static int16_t *ash_rt_mix_pixel_s16(const int16_t *top, const int16_t *bottom,
                                     ptrdiff_t left, ptrdiff_t right, int32_t y,
                                     int32_t x, int32_t channels,
                                     int16_t *out) {
  for (int32_t i = 0; i < channels; i++)
    out[i] = ash_rt_mix_s16(top[left + i], bottom[left + i], top[right + i],
                            bottom[right + i], y, x);
  return out + channels;
}

void ash_rt_resize_bilinear_s16(const ash_rt_resize_params *p,
                                const int16_t *in, const int32_t *table,
                                const int32_t *parts, int16_t *out) {
  ASH_RT_RESIZE_PIXELS(int16_t, int32_t, p, in, table, parts, {
    out =
        ash_rt_mix_pixel_s16(top, bottom, left, right, v, u, p->channels, out);
  });
}

/* kernel resize_bilinear_u8 */
static float ash_rt_mix_u8(float a, float b, float c, float d, float y,
                           float x) {
  return a * (1.0f - y) * (1.0f - x) + b * y * (1.0f - x) + c * (1.0f - y) * x +
         d * y * x;
}

static uint8_t *ash_rt_mix_pixel_u8(const uint8_t *top, const uint8_t *bottom,
                                    ptrdiff_t left, ptrdiff_t right, float y,
                                    float x, int32_t channels, uint8_t *out) {
  for (int32_t i = 0; i < channels; i++)
    out[i] = (uint8_t)(int32_t)(ash_rt_mix_u8(top[left + i], bottom[left + i],
                                              top[right + i], bottom[right + i],
                                              y, x) +
                                0.5f);
  return out + channels;
}

void ash_rt_resize_bilinear_u8(const ash_rt_resize_params *p, const uint8_t *in,
                               const int32_t *table, const float *parts,
                               uint8_t *out) {
  ASH_RT_RESIZE_PIXELS(uint8_t, float, p, in, table, parts, {
    out = ash_rt_mix_pixel_u8(top, bottom, left, right, v, u, p->channels, out);
  });
}

/* kernel resize_bilinear_f32 */
static float ash_rt_mix_f32(float a, float b, float c, float d, float y,
                            float x) {
  return a * (1.0f - y) * (1.0f - x) + b * y * (1.0f - x) + c * (1.0f - y) * x +
         d * y * x;
}

static float *ash_rt_mix_pixel_f32(const float *top, const float *bottom,
                                   ptrdiff_t left, ptrdiff_t right, float y,
                                   float x, int32_t channels, float *out) {
  for (int32_t i = 0; i < channels; i++)
    out[i] = ash_rt_mix_f32(top[left + i], bottom[left + i], top[right + i],
                            bottom[right + i], y, x);
  return out + channels;
}

void ash_rt_resize_bilinear_f32(const ash_rt_resize_params *p, const float *in,
                                const int32_t *table, const float *parts,
                                float *out) {
  ASH_RT_RESIZE_PIXELS(float, float, p, in, table, parts, {
    out =
        ash_rt_mix_pixel_f32(top, bottom, left, right, v, u, p->channels, out);
  });
}

/* kernel resize_nearest: whatever the type. */
void ash_rt_resize_nearest(const ash_rt_resize_params *p, const void *in,
                           const int32_t *table, void *out) {
  const uint8_t *from = (const uint8_t *)in;
  const int32_t *columns = table + p->out_h;
  uint8_t *to = (uint8_t *)out;
  for (int32_t n = 0; n < p->batches; n++) {
    for (int32_t y = 0; y < p->out_h; y++)
      for (int32_t x = 0; x < p->out_w; x++, to += p->channels)
        ASH_RT_COPY(to,
                    from + ((ptrdiff_t)table[y] * p->in_w + columns[x]) *
                               p->channels,
                    (size_t)p->channels);
    from += (ptrdiff_t)p->in_h * p->in_w * p->channels;
  }
}

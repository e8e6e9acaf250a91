/* ash_rt_resize_bilinear_u8.c - images made larger or smaller by mixing four
 * pixels, uint8. */
#include "ash_rt_resize.h"

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
  const ptrdiff_t pitch = (ptrdiff_t)p->in_w * p->channels;
  const int32_t *columns = table + 2 * p->out_h;
  for (int32_t n = 0; n < p->batches; n++, in += pitch * p->in_h)
    for (int32_t y = 0; y < p->out_h; y++) {
      const uint8_t *top = in + table[2 * y] * pitch;
      const uint8_t *bottom = in + table[2 * y + 1] * pitch;
      for (int32_t x = 0; x < p->out_w; x++)
        out = ash_rt_mix_pixel_u8(
            top, bottom, (ptrdiff_t)columns[2 * x] * p->channels,
            (ptrdiff_t)columns[2 * x + 1] * p->channels, parts[y],
            parts[p->out_h + x], p->channels, out);
    }
}

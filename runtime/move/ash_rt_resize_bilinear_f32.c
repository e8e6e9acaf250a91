/* ash_rt_resize_bilinear_f32.c - images made larger or smaller by mixing four
 * pixels, float32. */
#include "ash_rt_resize.h"

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
  const ptrdiff_t pitch = (ptrdiff_t)p->in_w * p->channels;
  const int32_t *columns = table + 2 * p->out_h;
  for (int32_t n = 0; n < p->batches; n++, in += pitch * p->in_h)
    for (int32_t y = 0; y < p->out_h; y++) {
      const float *top = in + table[2 * y] * pitch;
      const float *bottom = in + table[2 * y + 1] * pitch;
      for (int32_t x = 0; x < p->out_w; x++)
        out = ash_rt_mix_pixel_f32(
            top, bottom, (ptrdiff_t)columns[2 * x] * p->channels,
            (ptrdiff_t)columns[2 * x + 1] * p->channels, parts[y],
            parts[p->out_h + x], p->channels, out);
    }
}

/* ash_rt_resize_bilinear_s8.c - images made larger or smaller by mixing four
 * pixels, int8. */
#include "ash_rt_resize.h"

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
  const ptrdiff_t pitch = (ptrdiff_t)p->in_w * p->channels;
  const int32_t *columns = table + 2 * p->out_h;
  for (int32_t n = 0; n < p->batches; n++, in += pitch * p->in_h)
    for (int32_t y = 0; y < p->out_h; y++) {
      const int8_t *top = in + table[2 * y] * pitch;
      const int8_t *bottom = in + table[2 * y + 1] * pitch;
      for (int32_t x = 0; x < p->out_w; x++)
        out = ash_rt_mix_pixel_s8(
            top, bottom, (ptrdiff_t)columns[2 * x] * p->channels,
            (ptrdiff_t)columns[2 * x + 1] * p->channels, parts[y],
            parts[p->out_h + x], p->channels, out);
    }
}

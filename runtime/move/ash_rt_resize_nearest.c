/* ash_rt_resize_nearest.c - images made larger or smaller by taking the nearest
 * pixel, whatever the type. */
#include "ash_rt_resize.h"

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

/* ash_rt_convert.c - from one scale and integer type to another. */
#include "ash_rt_quantize.h"

void ash_rt_convert(const ash_rt_convert_params *p, const void *in, void *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const int32_t x = (int32_t)((uint32_t)ash_rt_load(in, p->from, i) +
                                (uint32_t)p->in_offset);
    ash_rt_store(out, p->to, i,
                 ash_rt_finish(ash_rt_rescale(x, p->multiplier, p->shift),
                               p->out_offset, p->low, p->high));
  }
}

/* ash_rt_gather.c - rows chosen by the values of another tensor. */
#include "ash_rt_moves.h"
#include "ash_rt_types.h"

static ptrdiff_t ash_rt_pick(const void *indices, int32_t type, ptrdiff_t i,
                             int32_t length) {
  const int64_t x = ash_rt_load(indices, type, i);
  return (ptrdiff_t)(x < 0 ? 0 : x >= length ? length - 1 : x);
}

/* kernel gather */
void ash_rt_gather(const ash_rt_gather_params *p, const void *in,
                   const void *indices, void *out) {
  const uint8_t *from = (const uint8_t *)in;
  uint8_t *to = (uint8_t *)out;
  for (int32_t b = 0; b < p->batches; b++)
    for (int32_t o = 0; o < p->outer; o++) {
      for (int32_t i = 0; i < p->picks; i++, to += p->run) {
        const ptrdiff_t row = ash_rt_pick(
            indices, p->type, (ptrdiff_t)b * p->picks + i, p->length);
        ASH_RT_COPY(to, from + row * p->run, (size_t)p->run);
      }
      from += (ptrdiff_t)p->length * p->run;
    }
}

/* kernel gather_nd */
void ash_rt_gather_nd(const ash_rt_gather_nd_params *p, const void *in,
                      const void *indices, void *out) {
  const uint8_t *from = (const uint8_t *)in;
  uint8_t *to = (uint8_t *)out;
  for (int32_t i = 0; i < p->picks; i++, to += p->run) {
    ptrdiff_t row = 0;
    for (int32_t d = 0; d < p->depth; d++)
      row =
          row * p->dim[d] +
          ash_rt_pick(indices, p->type, (ptrdiff_t)i * p->depth + d, p->dim[d]);
    ASH_RT_COPY(to, from + row * p->run, (size_t)p->run);
  }
}

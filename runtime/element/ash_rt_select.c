/* ash_rt_select.c - one of two values, as a third says. */
#include "ash_rt_moves.h"

static ptrdiff_t ash_rt_select_at(const int32_t *at, const int32_t *step,
                                  int32_t rank) {
  ptrdiff_t sum = 0;
  for (int32_t d = 0; d < rank; d++)
    sum += (ptrdiff_t)at[d] * step[d];
  return sum;
}

void ash_rt_select(const ash_rt_select_params *p, const uint8_t *when,
                   const void *a, const void *b, void *out) {
  const int32_t last = p->rank - 1;
  uint8_t *to = (uint8_t *)out;
  int32_t at[ASH_RT_MOVE_RANK] = {0};
  for (;;) {
    ptrdiff_t w = ash_rt_select_at(at, p->step_when, last);
    ptrdiff_t i = ash_rt_select_at(at, p->step_a, last);
    ptrdiff_t j = ash_rt_select_at(at, p->step_b, last);
    for (int32_t k = 0; k < p->dim[last]; k++, to += p->unit) {
      const uint8_t *from = when[w] ? (const uint8_t *)a + i * p->unit
                                    : (const uint8_t *)b + j * p->unit;
      ASH_RT_COPY(to, from, (size_t)p->unit);
      w += p->step_when[last];
      i += p->step_a[last];
      j += p->step_b[last];
    }
    int32_t d = last - 1;
    for (; d >= 0 && ++at[d] == p->dim[d]; d--)
      at[d] = 0;
    if (d < 0)
      return;
  }
}

/* ash_rt_compare_q8.c - comparisons of 8-bit tensors that may differ in scale.
 */
#include "ash_rt_compare.h"

static int32_t ash_rt_relation_q8(const ash_rt_compare_q8_params *p, int32_t x,
                                  int32_t y) {
  const int32_t a =
      ash_rt_rescale((x + p->a_offset) * (1 << 8), p->a_multiplier, p->a_shift);
  const int32_t b =
      ash_rt_rescale((y + p->b_offset) * (1 << 8), p->b_multiplier, p->b_shift);
  return a < b ? ASH_RT_LESS : a > b ? ASH_RT_GREATER : ASH_RT_EQUAL;
}

void ash_rt_compare_q8(const ash_rt_compare_q8_params *p, const void *a,
                       const void *b, uint8_t *out) {
  ash_rt_cursor c = {0, 0, {0}};
  const int32_t last = p->shape.rank - 1;
  do {
    for (int32_t i = 0; i < p->shape.dim[last]; i++) {
      const int64_t x =
          ash_rt_load(a, p->type, c.a + (ptrdiff_t)i * p->shape.step_a[last]);
      const int64_t y =
          ash_rt_load(b, p->type, c.b + (ptrdiff_t)i * p->shape.step_b[last]);
      *out++ = (ash_rt_relation_q8(p, (int32_t)x, (int32_t)y) & p->holds) != 0;
    }
  } while (ash_rt_advance(&p->shape, &c));
}

/* ash_rt_compare_whole.c - comparisons of whole numbers and truth values. */
#include "ash_rt_compare.h"

void ash_rt_compare_whole(const ash_rt_compare_params *p, const void *a,
                          const void *b, uint8_t *out) {
  ash_rt_cursor c = {0, 0, {0}};
  const int32_t last = p->shape.rank - 1;
  do {
    for (int32_t i = 0; i < p->shape.dim[last]; i++) {
      const int64_t x =
          ash_rt_load(a, p->type, c.a + (ptrdiff_t)i * p->shape.step_a[last]);
      const int64_t y =
          ash_rt_load(b, p->type, c.b + (ptrdiff_t)i * p->shape.step_b[last]);
      const int32_t r = x < y   ? ASH_RT_LESS
                        : x > y ? ASH_RT_GREATER
                                : ASH_RT_EQUAL;
      *out++ = (r & p->holds) != 0;
    }
  } while (ash_rt_advance(&p->shape, &c));
}

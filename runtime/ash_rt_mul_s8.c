/* ash_rt_mul_s8.c - product of two int8 tensors. */
#include "ash_rt_pairs.h"

static void ash_rt_mul_run(const ash_rt_mul_s8_params *p, const int8_t *a,
                           const int8_t *b, int8_t *out) {
  const int32_t last = p->shape.rank - 1;
  const int32_t count = p->shape.dim[last];
  const ptrdiff_t step_a = p->shape.step_a[last];
  const ptrdiff_t step_b = p->shape.step_b[last];
  for (int32_t i = 0; i < count; i++) {
    const int32_t y = ash_rt_rescale((*a + p->a_offset) * (*b + p->b_offset),
                                     p->out_multiplier, p->out_shift);
    out[i] = (int8_t)ash_rt_finish(y, p->out_offset, p->act_min, p->act_max);
    a += step_a;
    b += step_b;
  }
}

void ash_rt_mul_s8(const ash_rt_mul_s8_params *p, const int8_t *a,
                   const int8_t *b, int8_t *out) {
  ash_rt_cursor c = {0, 0, {0}};
  do {
    ash_rt_mul_run(p, a + c.a, b + c.b, out);
    out += p->shape.dim[p->shape.rank - 1];
  } while (ash_rt_advance(&p->shape, &c));
}

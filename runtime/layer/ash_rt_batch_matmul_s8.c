/* ash_rt_batch_matmul_s8.c - products of matrices, int8; leading axes
 * broadcast. */
#include "ash_rt_matmul.h"

static int8_t ash_rt_matmul_one_s8(const ash_rt_batch_matmul_s8_params *p,
                                   const int8_t *a, const int8_t *b) {
  uint32_t sum = 0;
  for (int32_t k = 0; k < p->shape.depth; k++) {
    sum += (uint32_t)((*a + p->a_offset) * (*b + p->b_offset));
    a += p->shape.a_depth;
    b += p->shape.b_depth;
  }
  return (int8_t)ash_rt_finish(
      ash_rt_rescale((int32_t)sum, p->multiplier, p->shift), p->out_offset,
      -128, 127);
}

void ash_rt_batch_matmul_s8(const ash_rt_batch_matmul_s8_params *p,
                            const int8_t *a, const int8_t *b, int8_t *out) {
  const ash_rt_matmul *s = &p->shape;
  ash_rt_cursor at = {0, 0, {0}};
  do {
    for (int32_t i = 0; i < s->rows; i++)
      for (int32_t j = 0; j < s->columns; j++)
        *out++ = ash_rt_matmul_one_s8(p, a + at.a + (ptrdiff_t)i * s->a_row,
                                      b + at.b + (ptrdiff_t)j * s->b_column);
  } while (ash_rt_advance(&s->batches, &at));
}

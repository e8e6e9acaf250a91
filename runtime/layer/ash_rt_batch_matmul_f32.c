/* ash_rt_batch_matmul_f32.c - products of matrices, float32; leading axes
 * broadcast. */
#include "ash_rt_matmul.h"

static float ash_rt_matmul_one_f32(const ash_rt_batch_matmul_f32_params *p,
                                   const float *a, const float *b) {
  float sum = 0.0f;
  for (int32_t k = 0; k < p->shape.depth; k++) {
    sum += *a * *b;
    a += p->shape.a_depth;
    b += p->shape.b_depth;
  }
  return sum;
}

void ash_rt_batch_matmul_f32(const ash_rt_batch_matmul_f32_params *p,
                             const float *a, const float *b, float *out) {
  const ash_rt_matmul *s = &p->shape;
  ash_rt_cursor at = {0, 0, {0}};
  do {
    for (int32_t i = 0; i < s->rows; i++)
      for (int32_t j = 0; j < s->columns; j++)
        *out++ = ash_rt_matmul_one_f32(p, a + at.a + (ptrdiff_t)i * s->a_row,
                                       b + at.b + (ptrdiff_t)j * s->b_column);
  } while (ash_rt_advance(&s->batches, &at));
}

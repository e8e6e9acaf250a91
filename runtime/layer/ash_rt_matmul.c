/* ash_rt_matmul.c - products of quantised matrices; leading axes broadcast. */
#include "ash_rt_matmul.h"

/* Runs `statement` for each product of a row, from element x of a on, and a
 * column j, from element y of b on. */
#define ASH_RT_MATMUL(s, statement)                                            \
  do {                                                                         \
    ash_rt_cursor at = {0, 0, {0}};                                            \
    do {                                                                       \
      for (int32_t i = 0; i < (s)->rows; i++)                                  \
        for (int32_t j = 0; j < (s)->columns; j++) {                           \
          const ptrdiff_t x = at.a + (ptrdiff_t)i * (s)->a_row;                \
          const ptrdiff_t y = at.b + (ptrdiff_t)j * (s)->b_column;             \
          statement                                                            \
        }                                                                      \
    } while (ash_rt_advance(&(s)->batches, &at));                              \
  } while (0)

/* kernel matmul_s8 */
static int8_t ash_rt_matmul_one_s8(const ash_rt_matmul_s8_params *p,
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

void ash_rt_matmul_s8(const ash_rt_matmul_s8_params *p, const int8_t *a,
                      const int8_t *b, int8_t *out) {
  ASH_RT_MATMUL(&p->shape, { *out++ = ash_rt_matmul_one_s8(p, a + x, b + y); });
}

/* kernel matmul_s16: int16 by int16 or int8. */
#include "ash_rt_fixed.h"
#include "ash_rt_types.h"

static int64_t ash_rt_matmul_one_s16(const ash_rt_matmul_s16_params *p,
                                     const int16_t *a, const void *b,
                                     ptrdiff_t at) {
  int64_t sum = 0;
  for (int32_t k = 0; k < p->shape.depth; k++) {
    sum += (*a + p->a_offset) * (ash_rt_load(b, p->b_type, at) + p->b_offset);
    a += p->shape.a_depth;
    at += p->shape.b_depth;
  }
  return sum;
}

void ash_rt_matmul_s16(const ash_rt_matmul_s16_params *p, const int16_t *a,
                       const void *b, const int32_t *multiplier,
                       const int8_t *shift, int16_t *out) {
  ASH_RT_MATMUL(&p->shape, {
    const int32_t k = p->per_column ? j : 0;
    const int64_t sum = ash_rt_matmul_one_s16(p, a + x, b, y);
    *out++ = (int16_t)ash_rt_finish(
        ash_rt_rescale_long(sum, multiplier[k], shift[k]), p->out_offset,
        -32768, 32767);
  });
}

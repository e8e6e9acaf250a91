/* ash_rt_pairs_q8.c - arithmetic of two 8-bit tensors that may differ in scale.
 */
#include "ash_rt_pairs.h"

/* kernel add_u8: both are brought to one scale with 20 more bits first. */
static inline int32_t ash_rt_add_one(const ash_rt_pairs_q8_params *p, int32_t x,
                                     int32_t y) {
  const int32_t a = ash_rt_rescale((x + p->a_offset) * (1 << 20),
                                   p->a_multiplier, p->a_shift);
  const int32_t b = ash_rt_rescale((y + p->b_offset) * (1 << 20),
                                   p->b_multiplier, p->b_shift);
  return ash_rt_finish(ash_rt_rescale(a + b, p->out_multiplier, p->out_shift),
                       p->out_offset, p->act_min, p->act_max);
}

void ash_rt_add_u8(const ash_rt_pairs_q8_params *p, const uint8_t *a,
                   const uint8_t *b, uint8_t *out) {
  ASH_RT_PAIRS(&p->shape, uint8_t, a, b, out,
               (uint8_t)ash_rt_add_one(p, *x, *y));
}

/* kernels sub_s8, sub_u8: both are brought to one scale with 20 more bits
 * first. */
static inline int32_t ash_rt_sub_one(const ash_rt_pairs_q8_params *p, int32_t x,
                                     int32_t y) {
  const int32_t a = ash_rt_rescale((x + p->a_offset) * (1 << 20),
                                   p->a_multiplier, p->a_shift);
  const int32_t b = ash_rt_rescale((y + p->b_offset) * (1 << 20),
                                   p->b_multiplier, p->b_shift);
  return ash_rt_finish(ash_rt_rescale(a - b, p->out_multiplier, p->out_shift),
                       p->out_offset, p->act_min, p->act_max);
}

/* kernel sub_s8 */
void ash_rt_sub_s8(const ash_rt_pairs_q8_params *p, const int8_t *a,
                   const int8_t *b, int8_t *out) {
  ASH_RT_PAIRS(&p->shape, int8_t, a, b, out, (int8_t)ash_rt_sub_one(p, *x, *y));
}

/* kernel sub_u8 */
void ash_rt_sub_u8(const ash_rt_pairs_q8_params *p, const uint8_t *a,
                   const uint8_t *b, uint8_t *out) {
  ASH_RT_PAIRS(&p->shape, uint8_t, a, b, out,
               (uint8_t)ash_rt_sub_one(p, *x, *y));
}

/* kernel mul_u8 */
static inline int32_t ash_rt_mul_one(const ash_rt_pairs_q8_params *p, int32_t x,
                                     int32_t y) {
  const int32_t product = (x + p->a_offset) * (y + p->b_offset);
  return ash_rt_finish(ash_rt_rescale(product, p->out_multiplier, p->out_shift),
                       p->out_offset, p->act_min, p->act_max);
}

void ash_rt_mul_u8(const ash_rt_pairs_q8_params *p, const uint8_t *a,
                   const uint8_t *b, uint8_t *out) {
  ASH_RT_PAIRS(&p->shape, uint8_t, a, b, out,
               (uint8_t)ash_rt_mul_one(p, *x, *y));
}

/* kernel squared_difference_s8: both are brought to one scale with 7 more bits
 * first. */
static inline int32_t
ash_rt_squared_difference_one(const ash_rt_pairs_q8_params *p, int32_t x,
                              int32_t y) {
  const int32_t a =
      ash_rt_rescale((x + p->a_offset) * (1 << 7), p->a_multiplier, p->a_shift);
  const int32_t b =
      ash_rt_rescale((y + p->b_offset) * (1 << 7), p->b_multiplier, p->b_shift);
  return ash_rt_finish(
      ash_rt_rescale((a - b) * (a - b), p->out_multiplier, p->out_shift),
      p->out_offset, p->act_min, p->act_max);
}

void ash_rt_squared_difference_s8(const ash_rt_pairs_q8_params *p,
                                  const int8_t *a, const int8_t *b,
                                  int8_t *out) {
  ASH_RT_PAIRS(&p->shape, int8_t, a, b, out,
               (int8_t)ash_rt_squared_difference_one(p, *x, *y));
}

/* kernels prelu_s8, prelu_u8: values below 0 times a slope. */
static inline int32_t ash_rt_prelu_one(const ash_rt_pairs_q8_params *p,
                                       int32_t x, int32_t y) {
  const int32_t a = x + p->a_offset;
  const int32_t r = a >= 0 ? ash_rt_rescale(a, p->out_multiplier, p->out_shift)
                           : ash_rt_rescale(a * (y + p->b_offset),
                                            p->b_multiplier, p->b_shift);
  return ash_rt_finish(r, p->out_offset, p->act_min, p->act_max);
}

/* kernel prelu_s8 */
void ash_rt_prelu_s8(const ash_rt_pairs_q8_params *p, const int8_t *a,
                     const int8_t *b, int8_t *out) {
  ASH_RT_PAIRS(&p->shape, int8_t, a, b, out,
               (int8_t)ash_rt_prelu_one(p, *x, *y));
}

/* kernel prelu_u8 */
void ash_rt_prelu_u8(const ash_rt_pairs_q8_params *p, const uint8_t *a,
                     const uint8_t *b, uint8_t *out) {
  ASH_RT_PAIRS(&p->shape, uint8_t, a, b, out,
               (uint8_t)ash_rt_prelu_one(p, *x, *y));
}

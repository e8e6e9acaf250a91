/* ash_rt_div_q8.c - quotient of two quantised tensors: the dividend, shifted as
 * far left as it goes, times the inverse of the divisor, with the roundings of
 * TensorFlow Lite's reference. */
#include "ash_rt_fixed.h"
#include "ash_rt_pairs.h"

/* x * 2^(shift - 31) * multiplier, where shifts may leave no bit. */
static inline int32_t ash_rt_div_rescale(int32_t x, int32_t multiplier,
                                         int32_t shift) {
  if (shift < -31) /* |x| < 2^31: not even half is left */
    return 0;
  return ash_rt_rescale(x, multiplier, shift);
}

static inline int32_t ash_rt_div_one(const ash_rt_pairs_q8_params *p, int32_t x,
                                     int32_t y) {
  const int32_t b = y + p->b_offset;
  const int32_t a = b < 0 ? -(x + p->a_offset) : x + p->a_offset;
  int32_t r = 0;
  if (b != 0) {
    const uint32_t size = (uint32_t)(b < 0 ? -b : b);
    const int32_t zeros = ash_rt_zeros(size);
    const int32_t inverse =
        ash_rt_inverse((int32_t)((size << zeros) - ((uint32_t)1 << 31)));
    const int32_t room = ash_rt_zeros(a < 0 ? ~(uint32_t)a : (uint32_t)a) - 1;
    const int32_t quotient =
        ash_rt_mul_high((int32_t)((uint32_t)a << room), inverse);
    r = ash_rt_div_rescale(quotient, p->out_multiplier,
                           p->out_shift - (31 - zeros) - room);
  }
  return ash_rt_finish(r, p->out_offset, p->act_min, p->act_max);
}

/* kernel div_s8 */
void ash_rt_div_s8(const ash_rt_pairs_q8_params *p, const int8_t *a,
                   const int8_t *b, int8_t *out) {
  ASH_RT_PAIRS(&p->shape, int8_t, a, b, out, (int8_t)ash_rt_div_one(p, *x, *y));
}

/* kernel div_u8 */
void ash_rt_div_u8(const ash_rt_pairs_q8_params *p, const uint8_t *a,
                   const uint8_t *b, uint8_t *out) {
  ASH_RT_PAIRS(&p->shape, uint8_t, a, b, out,
               (uint8_t)ash_rt_div_one(p, *x, *y));
}

/* kernel div_s16 */
void ash_rt_div_s16(const ash_rt_pairs_q8_params *p, const int16_t *a,
                    const int16_t *b, int16_t *out) {
  ASH_RT_PAIRS(&p->shape, int16_t, a, b, out,
               (int16_t)ash_rt_div_one(p, *x, *y));
}

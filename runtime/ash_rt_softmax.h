/* ash_rt_softmax.h - softmax of bytes, without regard to their sign. */
#ifndef ASH_RT_SOFTMAX_H
#define ASH_RT_SOFTMAX_H

#include "ash_rt_fixed.h"
#include "ash_rt_rows.h"

/* What an exponential is multiplied with to become an output. */
typedef struct ash_rt_share {
  int32_t scale, shift;
} ash_rt_share;

/* From the sum of a row in Q12.19, for outputs of `bits` bits. */
static inline ash_rt_share ash_rt_share_of(uint32_t sum, int32_t bits) {
  const int32_t zeros = ash_rt_zeros(sum);
  ash_rt_share s;
  s.scale = ash_rt_inverse((int32_t)((sum << zeros) - ((uint32_t)1 << 31)));
  s.shift = ash_rt_clamp(12 - zeros + 31 - bits, 0, 31);
  return s;
}

/* uint8 is int8 with the highest bit flipped. Outputs have 8 or 16 bits. */
ASH_RT_INLINE void ash_rt_softmax_row(const uint8_t *in, int32_t depth,
                                      const int32_t *table, void *out,
                                      int32_t flip, int32_t bits) {
  const int32_t low = -(1 << (bits - 1));
  int32_t max = -128;
  for (int32_t i = 0; i < depth; i++) {
    const int32_t x = (int8_t)(in[i] ^ flip);
    max = x > max ? x : max;
  }
  uint32_t sum = 0;
  for (int32_t i = 0; i < depth; i++)
    sum += (uint32_t)ash_rt_shift_down(table[max - (int8_t)(in[i] ^ flip)], 12);
  const ash_rt_share s = ash_rt_share_of(sum, bits);
  for (int32_t i = 0; i < depth; i++) {
    const int32_t e = table[max - (int8_t)(in[i] ^ flip)];
    const int32_t y = ash_rt_shift_down(ash_rt_mul_high(s.scale, e), s.shift);
    const int32_t z = ash_rt_clamp(y + low, low, -low - 1);
    if (bits == 16)
      ((int16_t *)out)[i] = (int16_t)z;
    else
      ((uint8_t *)out)[i] = (uint8_t)(z ^ flip);
  }
}

#endif

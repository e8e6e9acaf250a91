/* ash_rt_l2_normalization_q8.c - rows of 8-bit values divided by their length,
 * in fixed point with the roundings of TensorFlow Lite's reference. */
#include "ash_rt_fixed.h"
#include "ash_rt_rows.h"
#include "ash_rt_types.h"

/* 1 / sqrt(x) = multiplier * 2^(shift - 31). */
typedef struct ash_rt_inverse_root {
  int32_t multiplier, shift;
} ash_rt_inverse_root;

/* The number is brought to [1/2, 2) in Q3.28 by an even number of bits; five
 * steps y <- y * (3 - x * y * y) / 2 from 1. */
static ash_rt_inverse_root ash_rt_inverse_root_of(int32_t x) {
  ash_rt_inverse_root r = {INT32_MAX, 0};
  int32_t shift = 11;
  if (x <= 1)
    return r;
  for (; x >= 1 << 29; shift++)
    x /= 4;
  const int32_t pairs = (ash_rt_zeros((uint32_t)x) - 1) / 2 - 1;
  shift -= pairs;
  const int32_t half = ash_rt_shift_down((x << (2 * pairs)) >> 1, 1);
  int32_t y = 1 << 28;
  for (int32_t i = 0; i < 5; i++) {
    const int32_t cube =
        ash_rt_shift_up(ash_rt_mul_high(ash_rt_mul_high(y, y), y), 6);
    const int32_t next =
        ash_rt_mul_high((1 << 28) + (1 << 27), y) - ash_rt_mul_high(half, cube);
    y = ash_rt_shift_up(next, 3);
  }
  y = ash_rt_mul_high(y, 1518500250); /* sqrt(1/2) */
  r.multiplier = shift < 0 ? (int32_t)((uint32_t)y << -shift) : y;
  r.shift = shift < 0 ? 0 : -shift;
  return r;
}

/* The 7 bits behind the point come with the shift for int8, before it for
 * uint8. */
void ash_rt_l2_normalization_q8(const ash_rt_l2_normalization_q8_params *p,
                                const void *in, void *out) {
  const int32_t wide = p->type == ASH_RT_U8;
  for (int32_t r = 0; r < p->rows; r++) {
    const ptrdiff_t row = (ptrdiff_t)r * p->depth;
    uint32_t sum = 0;
    for (int32_t i = 0; i < p->depth; i++) {
      const int32_t x =
          (int32_t)ash_rt_load(in, p->type, row + i) + p->in_offset;
      sum += (uint32_t)(x * x);
    }
    const ash_rt_inverse_root f = ash_rt_inverse_root_of((int32_t)sum);
    for (int32_t i = 0; i < p->depth; i++) {
      const int32_t x =
          (int32_t)ash_rt_load(in, p->type, row + i) + p->in_offset;
      const int32_t y = wide ? ash_rt_rescale(128 * x, f.multiplier, f.shift)
                             : ash_rt_rescale(x, f.multiplier, f.shift + 7);
      ash_rt_store(out, p->type, row + i,
                   ash_rt_clamp(y, -128, 127) + (wide ? 128 : 0));
    }
  }
}

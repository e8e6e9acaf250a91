/* ash_rt_maps_s16.c - functions of one int16 value. */
#include "ash_rt_maps.h"

/* kernel leaky_relu_s16: a slope below zero. */
void ash_rt_leaky_relu_s16(const ash_rt_leaky_relu_s16_params *p,
                           const int16_t *in, int16_t *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const int below = in[i] < 0;
    const int32_t y =
        ash_rt_rescale(in[i], below ? p->below_multiplier : p->multiplier,
                       below ? p->below_shift : p->shift);
    out[i] = (int16_t)ash_rt_clamp(below && p->turned ? -y : y, -32768, 32767);
  }
}

/* kernel abs_s16 */
void ash_rt_abs_s16(const ash_rt_abs_s16_params *p, const int16_t *in,
                    int16_t *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = (int16_t)ash_rt_clamp(
        ash_rt_rescale(in[i] < 0 ? -in[i] : in[i], p->multiplier, p->shift),
        -32768, 32767);
}

/* kernel sqrt_s16 */
#include <math.h>

/* Cut off, not rounded; what has no root counts as zero. */
void ash_rt_sqrt_s16(const ash_rt_sqrt_s16_params *p, const int16_t *in,
                     int16_t *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const float x = p->in_scale * (float)(in[i] < 0 ? 0 : in[i]);
    const float steps = sqrtf(x) / p->out_scale;
    out[i] = (int16_t)(steps < 32767.0f ? (int32_t)steps : 32767);
  }
}

/* kernels logistic_s16, tanh_s16: one table of the positive half of the curve,
 * with linear interpolation. */

/* The input in 1/12288. */
static int32_t ash_rt_curve_input(const ash_rt_curve_s16_params *p, int32_t x) {
  const int32_t round = p->shift > 0 ? 1 << (p->shift - 1) : 0;
  return (int32_t)((uint32_t)(x * p->multiplier) + (uint32_t)round) >> p->shift;
}

/* The table between its entries: `bits` of x are the part in between. Beyond
 * its end `far`. */
static int32_t ash_rt_curve_at(const uint16_t *table, uint32_t x, int32_t bits,
                               int32_t far) {
  const uint32_t i = x >> bits;
  if (i >= 255)
    return far;
  const uint32_t part = x & ((1u << bits) - 1);
  return (int32_t)(((uint32_t)table[i] << bits) +
                   part * (uint32_t)(table[i + 1] - table[i]));
}

/* kernel logistic_s16 */
void ash_rt_logistic_s16(const ash_rt_curve_s16_params *p, const int16_t *in,
                         const uint16_t *table, int16_t *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const int32_t x = ash_rt_curve_input(p, in[i]);
    const uint32_t size = x < 0 ? 0u - (uint32_t)x : (uint32_t)x;
    const int32_t y = ash_rt_curve_at(table, size, 9, 0x7fff << 10);
    out[i] =
        (int16_t)((x >= 0 ? y + (1 << 9) : (1 << 25) - y + (1 << 9) - 1) >> 10);
  }
}

/* kernel tanh_s16 */
void ash_rt_tanh_s16(const ash_rt_curve_s16_params *p, const int16_t *in,
                     const uint16_t *table, int16_t *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const int32_t x = ash_rt_curve_input(p, in[i]);
    const uint32_t size = x < 0 ? 0u - (uint32_t)x : (uint32_t)x;
    const int32_t y = ash_rt_curve_at(table, size, 8, 0xffff << 8);
    out[i] = (int16_t)((x >= 0 ? y - (1 << 23) + (1 << 7)
                               : (1 << 23) - y + (1 << 7) - 1) >>
                       8);
  }
}

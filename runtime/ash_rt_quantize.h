/* ash_rt_quantize.h - from one scale or type to another. */
#ifndef ASH_RT_QUANTIZE_H
#define ASH_RT_QUANTIZE_H

#include "ash_rt_types.h"

typedef struct ash_rt_affine_params {
  int32_t count;
  float scale;
  int32_t zero_point;
} ash_rt_affine_params;

/* x to the nearest integer, ties away from zero, clamped. */
static inline int32_t ash_rt_round_f32(float x, int32_t low, int32_t high) {
  if (!(x > (float)low)) /* also when x is not a number */
    return low;
  if (x >= (float)high)
    return high;
  const int32_t whole = (int32_t)x;
  const float rest = x - (float)whole;
  return whole + (int32_t)(rest >= 0.5f) - (int32_t)(rest <= -0.5f);
}

void ash_rt_quantize_f32_s8(const ash_rt_affine_params *p, const float *in,
                            int8_t *out);
void ash_rt_quantize_f32_u8(const ash_rt_affine_params *p, const float *in,
                            uint8_t *out);
void ash_rt_quantize_f32_s16(const ash_rt_affine_params *p, const float *in,
                             int16_t *out);
void ash_rt_dequantize_s8_f32(const ash_rt_affine_params *p, const int8_t *in,
                              float *out);
void ash_rt_dequantize_u8_f32(const ash_rt_affine_params *p, const uint8_t *in,
                              float *out);
void ash_rt_dequantize_s16_f32(const ash_rt_affine_params *p, const int16_t *in,
                               float *out);

typedef struct ash_rt_requantize_params {
  int32_t count;
  int32_t in_offset, out_offset, multiplier, shift;
} ash_rt_requantize_params;

void ash_rt_quantize_s8_s8(const ash_rt_requantize_params *p, const int8_t *in,
                           int8_t *out);
void ash_rt_quantize_u8_s8(const ash_rt_requantize_params *p, const uint8_t *in,
                           int8_t *out);
void ash_rt_quantize_u8_u8(const ash_rt_requantize_params *p, const uint8_t *in,
                           uint8_t *out);
void ash_rt_quantize_s8_u8(const ash_rt_requantize_params *p, const int8_t *in,
                           uint8_t *out);

/* From one scale and integer type to another; `low` and `high` bound the
 * result. */
typedef struct ash_rt_convert_params {
  int32_t count, from, to;
  int32_t in_offset, out_offset, multiplier, shift;
  int32_t low, high;
} ash_rt_convert_params;

void ash_rt_convert(const ash_rt_convert_params *p, const void *in, void *out);

/* Numbers as they are, without any scale: cut towards zero, within the type;
 * what is not a number gives the largest. */
typedef struct ash_rt_cast_params {
  int32_t count, from, to;
} ash_rt_cast_params;

void ash_rt_cast(const ash_rt_cast_params *p, const void *in, void *out);

#endif

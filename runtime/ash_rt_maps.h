/* ash_rt_maps.h - one operand, element by element. */
#ifndef ASH_RT_MAPS_H
#define ASH_RT_MAPS_H

#include "ash_rt.h"

typedef struct ash_rt_count_params {
  int32_t count; /* of elements */
} ash_rt_count_params;

/* out[i] = table[in[i] + 128]. */
void ash_rt_lut_s8(const ash_rt_count_params *p, const int8_t *in,
                   const int8_t *table, int8_t *out);
/* 513 entries: the results from -32768 on in steps of 128, the last beyond. */
void ash_rt_lut_s16(const ash_rt_count_params *p, const int16_t *in,
                    const int16_t *table, int16_t *out);

typedef struct ash_rt_abs_s16_params {
  int32_t count, multiplier, shift;
} ash_rt_abs_s16_params;

void ash_rt_abs_s16(const ash_rt_abs_s16_params *p, const int16_t *in,
                    int16_t *out);

typedef struct ash_rt_sqrt_s16_params {
  int32_t count;
  float in_scale, out_scale;
} ash_rt_sqrt_s16_params;

void ash_rt_sqrt_s16(const ash_rt_sqrt_s16_params *p, const int16_t *in,
                     int16_t *out);

/* out[i] = table[in[i]]. */
void ash_rt_lut_u8(const ash_rt_count_params *p, const uint8_t *in,
                   const uint8_t *table, uint8_t *out);

/* Values below 0 are scaled by `below_*` and, if `turned`, change their sign.
 */
typedef struct ash_rt_leaky_relu_s16_params {
  int32_t count, multiplier, shift;
  int32_t below_multiplier, below_shift, turned;
} ash_rt_leaky_relu_s16_params;

void ash_rt_leaky_relu_s16(const ash_rt_leaky_relu_s16_params *p,
                           const int16_t *in, int16_t *out);

/* table[i] is the logistic function of i / 24 in 1/65536. Inputs are brought to
 * 1/12288 first. */
typedef struct ash_rt_curve_s16_params {
  int32_t count, multiplier, shift;
} ash_rt_curve_s16_params;

void ash_rt_logistic_s16(const ash_rt_curve_s16_params *p, const int16_t *in,
                         const uint16_t *table, int16_t *out);
void ash_rt_tanh_s16(const ash_rt_curve_s16_params *p, const int16_t *in,
                     const uint16_t *table, int16_t *out);

#endif

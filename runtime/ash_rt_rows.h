/* ash_rt_rows.h - softmax and other functions of rows. */
#ifndef ASH_RT_ROWS_H
#define ASH_RT_ROWS_H

#include "ash_rt.h"

typedef struct ash_rt_rows_params {
  int32_t rows, depth;
} ash_rt_rows_params;

/* table[d] is exp(-d * scale * beta) in Q0.31. */
void ash_rt_softmax_s8(const ash_rt_rows_params *p, const int8_t *in,
                       const int32_t *table, int8_t *out);
/* To 1/65536, from -32768 on. */
void ash_rt_softmax_s8_s16(const ash_rt_rows_params *p, const int8_t *in,
                           const int32_t *table, int16_t *out);
void ash_rt_softmax_u8(const ash_rt_rows_params *p, const uint8_t *in,
                       const int32_t *table, uint8_t *out);

typedef struct ash_rt_softmax_f32_params {
  int32_t rows, depth;
  float beta;
} ash_rt_softmax_f32_params;

void ash_rt_softmax_f32(const ash_rt_softmax_f32_params *p, const float *in,
                        float *out);

/* Two tables of 513: exp from -10 to 0, then 1 / (1 + x) from 0 to 1. */
typedef struct ash_rt_softmax_s16_params {
  int32_t rows, depth, multiplier, shift;
} ash_rt_softmax_s16_params;

void ash_rt_softmax_s16(const ash_rt_softmax_s16_params *p, const int16_t *in,
                        const int16_t *tables, int16_t *out);

void ash_rt_log_softmax_f32(const ash_rt_rows_params *p, const float *in,
                            float *out);
void ash_rt_l2_normalization_f32(const ash_rt_rows_params *p, const float *in,
                                 float *out);

/* table[d] is exp(-d * scale) in Q0.31, 0 for differences above `farthest`; a
 * difference times multiplier * 2^(shift - 31) is in Q5.26, `back_*` reverses
 * that. Type S8 or U8. */
typedef struct ash_rt_log_softmax_q8_params {
  int32_t rows, depth, type;
  int32_t multiplier, shift, back_multiplier, back_shift;
  int32_t farthest;
} ash_rt_log_softmax_q8_params;

void ash_rt_log_softmax_q8(const ash_rt_log_softmax_q8_params *p,
                           const void *in, const int32_t *table, void *out);

/* The output has scale 1/128 and a zero point in the middle. */
typedef struct ash_rt_l2_normalization_q8_params {
  int32_t rows, depth, type;
  int32_t in_offset;
} ash_rt_l2_normalization_q8_params;

void ash_rt_l2_normalization_q8(const ash_rt_l2_normalization_q8_params *p,
                                const void *in, void *out);

#endif

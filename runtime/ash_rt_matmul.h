/* ash_rt_matmul.h - products of matrices. */
#ifndef ASH_RT_MATMUL_H
#define ASH_RT_MATMUL_H

#include "ash_rt_pairs.h"

/* Products of matrices: `shape` has the batches and a last axis of 1; steps
 * along rows, columns and the axis that is summed over are of elements. */
typedef struct ash_rt_matmul {
  ash_rt_broadcast batches;
  int32_t rows, columns, depth;
  int32_t a_row, a_depth, b_depth, b_column;
} ash_rt_matmul;

typedef struct ash_rt_matmul_s8_params {
  ash_rt_matmul shape;
  int32_t a_offset, b_offset, out_offset;
  int32_t multiplier, shift;
} ash_rt_matmul_s8_params;

void ash_rt_matmul_s8(const ash_rt_matmul_s8_params *p, const int8_t *a,
                      const int8_t *b, int8_t *out);

/* The same for a processor, with work memory. */
void ash_rt_matmul_s8_dsp(const ash_rt_matmul_s8_params *p, const int8_t *a,
                          const int8_t *b, int8_t *out, void *scratch);
void ash_rt_matmul_s8_mve(const ash_rt_matmul_s8_params *p, const int8_t *a,
                          const int8_t *b, int8_t *out, void *scratch);

/* int16 by int16 or int8, by `b_type`; sums have 64 bits. One multiplier and
 * shift, or one for each column. */
typedef struct ash_rt_matmul_s16_params {
  ash_rt_matmul shape;
  int32_t b_type, a_offset, b_offset, out_offset;
  int32_t per_column;
} ash_rt_matmul_s16_params;

void ash_rt_matmul_s16(const ash_rt_matmul_s16_params *p, const int16_t *a,
                       const void *b, const int32_t *multiplier,
                       const int8_t *shift, int16_t *out);

#endif

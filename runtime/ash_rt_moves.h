/* ash_rt_moves.h - elements moved as they are, or nearly so. */
#ifndef ASH_RT_MOVES_H
#define ASH_RT_MOVES_H

#include "ash_rt.h"

typedef struct ash_rt_copy_params {
  int32_t bytes;
} ash_rt_copy_params;

void ash_rt_copy(const ash_rt_copy_params *p, const void *in, void *out);

/* One input of a concatenation: `rows` runs of `run` elements go to places
 * `pitch` elements apart, from element `at` on. */
typedef struct ash_rt_concatenation_s8_params {
  int32_t rows, run, pitch, at;
  int32_t in_offset, out_offset, multiplier, shift;
} ash_rt_concatenation_s8_params;

void ash_rt_concatenation_s8(const ash_rt_concatenation_s8_params *p,
                             const int8_t *in, int8_t *out);

/* In float; `offset` is -zero point * scale of the input. */
typedef struct ash_rt_concatenation_u8_params {
  int32_t rows, run, pitch, at;
  float scale, offset;
  int32_t zero_point;
} ash_rt_concatenation_u8_params;

void ash_rt_concatenation_u8(const ash_rt_concatenation_u8_params *p,
                             const uint8_t *in, uint8_t *out);

#endif

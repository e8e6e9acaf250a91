/* ash_rt_compare.h - comparisons of quantised values, with broadcasting. */
#ifndef ASH_RT_COMPARE_H
#define ASH_RT_COMPARE_H

#include "ash_rt_pairs.h"
#include "ash_rt_types.h"

/* Comparisons: `holds` is the sum of the relations that make it true. */
enum { ASH_RT_LESS = 1, ASH_RT_EQUAL = 2, ASH_RT_GREATER = 4 };

/* Quantised values are brought to one scale, with 8 more bits, first. */
typedef struct ash_rt_compare_q8_params {
  ash_rt_broadcast shape;
  int32_t holds, type;
  int32_t a_offset, a_multiplier, a_shift;
  int32_t b_offset, b_multiplier, b_shift;
} ash_rt_compare_q8_params;

void ash_rt_compare_q8(const ash_rt_compare_q8_params *p, const void *a,
                       const void *b, uint8_t *out);

#endif

/* ash_rt_whole.h - whole numbers and truth values. */
#ifndef ASH_RT_WHOLE_H
#define ASH_RT_WHOLE_H

#include "ash_rt_pairs.h"
#include "ash_rt_types.h"

/* Whole numbers, and what is compared or chosen as such. */
enum {
  ASH_RT_ADD,
  ASH_RT_SUB,
  ASH_RT_MUL,
  ASH_RT_DIV,
  ASH_RT_MINIMUM,
  ASH_RT_MAXIMUM,
  ASH_RT_SQUARED_DIFFERENCE,
  ASH_RT_FLOOR_DIV,
  ASH_RT_FLOOR_MOD,
  ASH_RT_POW,
  ASH_RT_AND,
  ASH_RT_OR
};

typedef struct ash_rt_pairs_whole_params {
  ash_rt_broadcast shape;
  int32_t type, function;
} ash_rt_pairs_whole_params;

void ash_rt_pairs_whole(const ash_rt_pairs_whole_params *p, const void *a,
                        const void *b, void *out);

/* Whole numbers and truth values, one at a time. */
enum { ASH_RT_ABS, ASH_RT_NEG, ASH_RT_SIGN, ASH_RT_NOT };

typedef struct ash_rt_map_whole_params {
  int32_t count, type, function;
} ash_rt_map_whole_params;

void ash_rt_map_whole(const ash_rt_map_whole_params *p, const void *in,
                      void *out);

#endif

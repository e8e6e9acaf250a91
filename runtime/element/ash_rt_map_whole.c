/* ash_rt_map_whole.c - sizes, negatives and signs of whole numbers that are not
 * quantised; negation of truth values. */
#include "ash_rt_whole.h"

static int64_t ash_rt_map_whole_one(int32_t function, int64_t x) {
  switch (function) {
  case ASH_RT_SIGN:
    return (x > 0) - (x < 0);
  case ASH_RT_NOT:
    return x == 0;
  case ASH_RT_ABS:
    if (x >= 0)
      return x;
    /* fall through */
  default:
    return (int64_t)(0 - (uint64_t)x);
  }
}

void ash_rt_map_whole(const ash_rt_map_whole_params *p, const void *in,
                      void *out) {
  for (int32_t i = 0; i < p->count; i++)
    ash_rt_store(
        out, p->type, i,
        ash_rt_map_whole_one(p->function, ash_rt_load(in, p->type, i)));
}

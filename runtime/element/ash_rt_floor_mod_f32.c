/* ash_rt_floor_mod_f32.c - remainder with the sign of the divisor,
 * float32. */
#include "ash_rt_pairs.h"

#include <math.h>

static float ash_rt_floor_mod_one(float x, float y) {
  const float rest = fmodf(x, y);
  return rest != 0.0f && (rest < 0.0f) != (y < 0.0f) ? rest + y : rest;
}

void ash_rt_floor_mod_f32(const ash_rt_pairs_params *p, const float *a,
                          const float *b, float *out) {
  ASH_RT_PAIRS(&p->shape, float, a, b, out, ash_rt_floor_mod_one(*x, *y));
}

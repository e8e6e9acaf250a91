/* pack_scale.h - one multiplication and two shifts in place of the 53-bit
 * arithmetic of fully connected layers, where that is proved to be the same. */
#ifndef ASH_PASS_PACK_SCALE_H
#define ASH_PASS_PACK_SCALE_H

#include "kernel/quant.h"

/* A sum s becomes (mul_high(s << k, m) + c) >> f; the zero point of the output
 * is part of c. */
typedef struct ash_packed_scale {
  int32_t m, c, f, k;
} ash_packed_scale;

/* True if that gives, for every sum within `bound` of 0, the output that
 * `exact` gives, after both are clamped to `range`. 2 * bound << k is below
 * 2^31. */
bool ash_lower_pack_scale(ash_packed_scale *out, const ash_long_scaling *exact,
                          int32_t zero_point, ash_int_range range,
                          int64_t bound);

#endif

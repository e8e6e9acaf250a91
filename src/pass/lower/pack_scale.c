/* pack_scale.c - see pack_scale.h.
 *
 * Both ways of rescaling are increasing functions of the sum, so they agree
 * everywhere if they agree around each sum where the output changes, and there
 * are at most 255 of those. Each such place bounds the addend c from both
 * sides; if a c remains, the two functions are equal. */
#include "pass/lower/pack_scale.h"

enum { MULTIPLIERS_TRIED = 16, F_MAX = 22 };

/* sum * multiplier * 2^-(22 + shift), to the nearest, ties away from zero. */
static int64_t rescale(const ash_long_scaling *s, int64_t sum) {
  const int64_t high = s->multiplier >> 22, low = s->multiplier & 0x3fffff;
  const int64_t rest = (sum * low - (sum < 0)) >> 22;
  return (sum * high + rest + (INT64_C(1) << (s->shift - 1))) >> s->shift;
}

static int64_t multiply(const ash_packed_scale *s, int64_t sum) {
  return ((sum * (INT64_C(1) << s->k)) * s->m + (INT64_C(1) << 30)) >> 31;
}

/* The smallest sum in [-bound, bound + 1] whose output is at least `value`. */
static int64_t first_sum(const ash_long_scaling *s, int64_t value,
                         int64_t bound) {
  int64_t low = -bound, high = bound + 1;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (rescale(s, middle) >= value)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* The addend for this multiplier, if there is one. */
static bool find_addend(ash_packed_scale *s, const ash_long_scaling *exact,
                        int32_t zero_point, ash_int_range range,
                        int64_t bound) {
  const int64_t one = INT64_C(1) << s->f;
  int64_t least = INT32_MIN, most = INT32_MAX;
  for (int32_t v = range.low + 1; v <= range.high; v++) {
    const int64_t t = first_sum(exact, v - zero_point, bound);
    if (t <= bound && least < v * one - multiply(s, t))
      least = v * one - multiply(s, t);
    if (t > -bound && most > v * one - multiply(s, t - 1) - 1)
      most = v * one - multiply(s, t - 1) - 1;
  }
  if (least > most)
    return false;
  const int64_t middle = least + (most - least) / 2;
  s->c = (int32_t)middle;
  const int64_t end = multiply(s, bound) + (middle < 0 ? -middle : middle);
  return end < INT32_MAX;
}

bool ash_lower_pack_scale(ash_packed_scale *out, const ash_long_scaling *exact,
                          int32_t zero_point, ash_int_range range,
                          int64_t bound) {
  int32_t k = 0;
  while (k < 30 && bound << (k + 2) < INT64_C(1) << 31)
    k++;
  if (bound << (k + 1) >= INT64_C(1) << 31)
    return false;
  if (exact->shift + k - 31 > F_MAX)
    k = F_MAX + 31 - exact->shift;
  *out = (ash_packed_scale){.f = exact->shift + k - 31, .k = k};
  if (k < 0 || out->f < 1)
    return false;
  const int64_t middle = (exact->multiplier + (1 << 21)) >> 22;
  for (int32_t i = 0; i < MULTIPLIERS_TRIED; i++) {
    const int64_t m = middle + (i & 1 ? -(i + 1) / 2 : i / 2);
    out->m = (int32_t)m;
    if (m > 0 && m <= INT32_MAX &&
        find_addend(out, exact, zero_point, range, bound))
      return true;
  }
  return false;
}

/* ranges_map.c - functions of functions.def on ranges. */
#include "pass/narrow/ranges.h"

static const int64_t most = (int64_t)1 << 62; /* sums of two do not overflow */

static ash_range unknown(void) {
  return (ash_range){false, 0, 0};
}

static ash_range between(int64_t low, int64_t high) {
  if (low < -most || high > most || low > high)
    return unknown();
  return (ash_range){true, low, high};
}

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}
static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

ash_range ash_range_join(ash_range a, ash_range b) {
  if (!a.known || !b.known)
    return unknown();
  return (ash_range){true, smaller(a.low, b.low), larger(a.high, b.high)};
}

ash_range ash_range_clamp(ash_range r, int64_t low, int64_t high) {
  if (!r.known)
    return unknown();
  return (ash_range){true, smaller(larger(r.low, low), high),
                     smaller(larger(r.high, low), high)};
}

/* Small enough that nothing below overflows. */
static bool is_small(ash_range r) {
  return r.known && r.low >= -most && r.high <= most;
}

ash_range ash_range_plus(ash_range a, ash_range b) {
  if (!is_small(a) || !is_small(b))
    return unknown();
  return between(a.low + b.low, a.high + b.high);
}

static ash_range negate(ash_range a) {
  return is_small(a) ? between(-a.high, -a.low) : unknown();
}

/* False where the product is beyond `most`. */
static bool multiply(int64_t a, int64_t b, int64_t *out) {
  const int64_t size_a = a < 0 ? -a : a, size_b = b < 0 ? -b : b;
  *out = 0;
  if (size_a == 0 || size_b == 0)
    return true;
  if (size_a > most / size_b)
    return false;
  *out = a * b;
  return true;
}

ash_range ash_range_times(ash_range a, ash_range b) {
  int64_t c[4];
  if (!is_small(a) || !is_small(b) || !multiply(a.low, b.low, &c[0]) ||
      !multiply(a.low, b.high, &c[1]) || !multiply(a.high, b.low, &c[2]) ||
      !multiply(a.high, b.high, &c[3]))
    return unknown();
  return between(smaller(smaller(c[0], c[1]), smaller(c[2], c[3])),
                 larger(larger(c[0], c[1]), larger(c[2], c[3])));
}

ash_range ash_range_sum(ash_range each, uint64_t count) {
  if (count > (uint64_t)most)
    return unknown();
  return ash_range_times(each,
                         (ash_range){true, (int64_t)count, (int64_t)count});
}

/* Of values that may be squared: both factors are the same. */
static ash_range absolute(ash_range a) {
  if (!is_small(a))
    return unknown();
  const int64_t top = larger(-a.low, a.high);
  return between(a.low > 0 ? a.low : a.high < 0 ? -a.high : 0, top);
}

/* Towards zero. A divisor that may be 0 gives 0, or up to the dividend. */
static ash_range divide(ash_range a, ash_range b) {
  if (!is_small(a) || !is_small(b))
    return unknown();
  if (b.low <= 0 && b.high >= 0) {
    const int64_t top = absolute(a).high;
    const bool above = b.low == 0; /* no divisor changes the sign */
    return between(above ? smaller(a.low, 0) : -top,
                   above ? larger(a.high, 0) : top);
  }
  const int64_t c[] = {a.low / b.low, a.low / b.high, a.high / b.low,
                       a.high / b.high};
  return between(smaller(smaller(c[0], c[1]), smaller(c[2], c[3])),
                 larger(larger(c[0], c[1]), larger(c[2], c[3])));
}

/* a >> n, downwards; shifting on ends at 0 or -1. */
static int64_t shifted(int64_t a, int64_t n) {
  return n > 63 ? (a < 0 ? -1 : 0) : a >> n;
}

static ash_range shift_right(ash_range a, ash_range b) {
  if (!a.known || !b.known || b.low < 0)
    return unknown();
  return (ash_range){true,
                     smaller(shifted(a.low, b.low), shifted(a.low, b.high)),
                     larger(shifted(a.high, b.low), shifted(a.high, b.high))};
}

static ash_range shift_left(ash_range a, ash_range b) {
  if (!b.known || b.low < 0 || b.high > 61)
    return unknown();
  return ash_range_times(
      a, (ash_range){true, (int64_t)1 << b.low, (int64_t)1 << b.high});
}

/* a > c ? c : a < b ? b : a */
static ash_range clip(ash_range a, ash_range b, ash_range c) {
  if (!a.known || !b.known || !c.known)
    return unknown();
  if (b.high > c.low) /* the limits may be crossed */
    return ash_range_join(ash_range_join(a, b), c);
  return (ash_range){true, smaller(larger(a.low, b.low), c.low),
                     smaller(larger(a.high, b.high), c.high)};
}

static int64_t root(int64_t x) {
  int64_t low = 0, high = (int64_t)3037000499; /* of 2^63 - 1 */
  while (low < high) {
    const int64_t middle = low + (high - low + 1) / 2;
    if (middle <= x / middle)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* Both limits of the same bits: numbers that are not negative. */
static ash_range bits(ash_fn fn, ash_range a, ash_range b) {
  if (!a.known || !b.known || a.low < 0 || b.low < 0)
    return unknown();
  if (fn == ASH_FN_bit_and)
    return (ash_range){true, 0, smaller(a.high, b.high)};
  int64_t all = 0;
  while (all < larger(a.high, b.high))
    all = all << 1 | 1;
  return (ash_range){true, 0, all};
}

static ash_range extreme(ash_fn fn, ash_range a, ash_range b) {
  int64_t (*const pick)(int64_t, int64_t) =
      fn == ASH_FN_minimum ? smaller : larger;
  if (!a.known || !b.known)
    return unknown();
  return (ash_range){true, pick(a.low, b.low), pick(a.high, b.high)};
}

static ash_range unary(ash_fn fn, ash_range a) {
  if (!a.known)
    return unknown();
  switch (fn) {
  case ASH_FN_cast:
  case ASH_FN_floor:
  case ASH_FN_ceil:
  case ASH_FN_round:
    return a;
  case ASH_FN_neg:
    return negate(a);
  case ASH_FN_abs:
    return absolute(a);
  case ASH_FN_sign:
    return (ash_range){true, (a.low > 0) - (a.low < 0),
                       (a.high > 0) - (a.high < 0)};
  case ASH_FN_relu:
    return ash_range_clamp(a, 0, INT64_MAX);
  case ASH_FN_relu6:
    return ash_range_clamp(a, 0, 6);
  case ASH_FN_relu_n1_to_1:
    return ash_range_clamp(a, -1, 1);
  case ASH_FN_relu_0_to_1:
    return ash_range_clamp(a, 0, 1);
  case ASH_FN_square:
    return ash_range_times(absolute(a), absolute(a));
  case ASH_FN_integer_sqrt:
    return (ash_range){true, a.low > 0 ? root(a.low) : 0,
                       a.high > 0 ? root(a.high) : 0};
  default:
    return unknown();
  }
}

ash_range ash_range_apply(ash_fn fn, const ash_range *o) {
  if (ash_fn_result_of(fn) == ASH_FN_BOOL)
    return (ash_range){true, 0, 1};
  switch (fn) {
  case ASH_FN_add:
    return ash_range_plus(o[0], o[1]);
  case ASH_FN_sub:
    return ash_range_plus(o[0], negate(o[1]));
  case ASH_FN_mul:
    return ash_range_times(o[0], o[1]);
  case ASH_FN_div:
    return divide(o[0], o[1]);
  case ASH_FN_minimum:
  case ASH_FN_maximum:
    return extreme(fn, o[0], o[1]);
  case ASH_FN_shift_left:
    return shift_left(o[0], o[1]);
  case ASH_FN_shift_right:
    return shift_right(o[0], o[1]);
  case ASH_FN_bit_and:
  case ASH_FN_bit_or:
  case ASH_FN_bit_xor:
    return bits(fn, o[0], o[1]);
  case ASH_FN_select:
    return ash_range_join(o[1], o[2]);
  case ASH_FN_clip:
    return clip(o[0], o[1], o[2]);
  default:
    return ash_fn_operands(fn) == 1 ? unary(fn, o[0]) : unknown();
  }
}

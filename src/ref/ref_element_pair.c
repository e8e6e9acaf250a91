/* ref_element_pair.c - two quantised inputs, broadcast together, one element at
 * a time. */
#include "ref/ref_any.h"
#include "ref/ref_call.h"
#include "ref/ref_fixed.h"

#include <math.h>

/* What one operator does with a pair; `scales` is its own. */
typedef struct pair_rule {
  int32_t (*quantised)(int32_t a, int32_t b, const ash_ref_factor *scales);
  ash_ref_factor scales[4]; /* of add and sub: a, b, result, extra bits */
} pair_rule;

static void one_pair(const ash_ref_call *c, const pair_rule *rule,
                     const ash_ref_limits *limits, uint64_t i, uint64_t a,
                     uint64_t b) {
  const ash_tensor *p = ash_ref_in(c, 0), *q = ash_ref_in(c, 1);
  const void *left = ash_ref_read(c, 0), *right = ash_ref_read(c, 1);
  const int64_t x = ash_ref_get(p, left, a) - ash_ref_zero_of(p);
  const int64_t y = ash_ref_get(q, right, b) - ash_ref_zero_of(q);
  ash_ref_put_int(c, limits, i,
                  rule->quantised((int32_t)x, (int32_t)y, rule->scales));
}

static ash_status all_pairs(const ash_ref_call *c, const pair_rule *rule) {
  const ash_shape *out = &ash_ref_out(c, 0)->shape;
  const ash_ref_limits limits =
      ash_ref_limits_of(c, ash_attr_string(c->op, "act", "none"));
  const uint64_t count = ash_shape_elements(out);
  int32_t at[ASH_RANK_MAX] = {0};
  for (uint64_t i = 0; i < count; i++) {
    one_pair(c, rule, &limits, i,
             ash_ref_index(&ash_ref_in(c, 0)->shape, at, out->rank),
             ash_ref_index(&ash_ref_in(c, 1)->shape, at, out->rank));
    ash_ref_next(out, at);
  }
  return ASH_OK;
}

/* ---- add, sub, squared_difference --------------------------------------- */

/* Both inputs with `bits` more bits on a common scale, twice the larger one. */
static void align_scales(const ash_ref_call *c, pair_rule *rule, int32_t bits,
                         bool squared) {
  if (ash_ref_in(c, 0)->type == ASH_INT16)
    bits = 15;
  rule->scales[3].shift = bits;
  const float a = ash_ref_scale_of(ash_ref_in(c, 0));
  const float b = ash_ref_scale_of(ash_ref_in(c, 1));
  const double both = (double)(2 * (a > b ? a : b));
  const float fine = (float)((int64_t)1 << (squared ? 2 * bits : bits)) *
                     ash_ref_scale_of(ash_ref_out(c, 0));
  rule->scales[0] = ash_ref_factor_of((double)a / both);
  rule->scales[1] = ash_ref_factor_of((double)b / both);
  rule->scales[2] =
      ash_ref_factor_of((squared ? both * both : both) / (double)fine);
}

static int32_t add_quantised(int32_t a, int32_t b, const ash_ref_factor *f) {
  const int32_t x = ash_ref_rescale(a * (1 << f[3].shift), f[0]);
  const int32_t y = ash_ref_rescale(b * (1 << f[3].shift), f[1]);
  return ash_ref_rescale(ash_ref_wrap((int64_t)x + y), f[2]);
}

/* All scales are powers of two: operands are shifted to the output's. */
static int32_t add_shifted(int32_t a, int32_t b, const ash_ref_factor *f) {
  return ash_ref_round_shift(a, -f[0].shift) +
         ash_ref_round_shift(b, -f[1].shift);
}

static int32_t sub_shifted(int32_t a, int32_t b, const ash_ref_factor *f) {
  return ash_ref_round_shift(a, -f[0].shift) -
         ash_ref_round_shift(b, -f[1].shift);
}

static bool power_of(const ash_tensor *t, int32_t *power) {
  int exponent;
  const float part = frexpf(ash_ref_scale_of(t), &exponent);
  *power = exponent;
  return part == 0.5f;
}

/* The shifts, where the op asks for them and scales allow it. */
static bool find_shifts(const ash_ref_call *c, pair_rule *rule) {
  int32_t a, b, out;
  if (!ash_attr_int(c->op, "pot", 0) || ash_ref_in(c, 0)->type != ASH_INT16 ||
      !power_of(ash_ref_in(c, 0), &a) || !power_of(ash_ref_in(c, 1), &b) ||
      !power_of(ash_ref_out(c, 0), &out) || a > out || b > out)
    return false;
  rule->scales[0].shift = a - out;
  rule->scales[1].shift = b - out;
  return true;
}

ash_status ash_ref_add(const ash_ref_call *c) {
  pair_rule rule = {.quantised = add_quantised};
  if (find_shifts(c, &rule))
    rule.quantised = add_shifted;
  else
    align_scales(c, &rule, 20, false);
  return all_pairs(c, &rule);
}

static int32_t sub_quantised(int32_t a, int32_t b, const ash_ref_factor *f) {
  const int32_t x = ash_ref_rescale(a * (1 << f[3].shift), f[0]);
  const int32_t y = ash_ref_rescale(b * (1 << f[3].shift), f[1]);
  return ash_ref_rescale(ash_ref_wrap((int64_t)x - y), f[2]);
}

ash_status ash_ref_sub(const ash_ref_call *c) {
  pair_rule rule = {.quantised = sub_quantised};
  if (find_shifts(c, &rule))
    rule.quantised = sub_shifted;
  else
    align_scales(c, &rule, 20, false);
  return all_pairs(c, &rule);
}

static int32_t square_quantised(int32_t a, int32_t b, const ash_ref_factor *f) {
  const int32_t x = ash_ref_rescale(a * (1 << 7), f[0]);
  const int32_t y = ash_ref_rescale(b * (1 << 7), f[1]);
  return ash_ref_rescale(ash_ref_wrap((int64_t)(x - y) * (x - y)), f[2]);
}

ash_status ash_ref_squared_difference(const ash_ref_call *c) {
  pair_rule rule = {.quantised = square_quantised};
  align_scales(c, &rule, 7, true);
  return all_pairs(c, &rule);
}

/* ---- mul ---------------------------------------------------------------- */

static int32_t mul_quantised(int32_t a, int32_t b, const ash_ref_factor *f) {
  return ash_ref_rescale(a * b, f[0]);
}

ash_status ash_ref_mul(const ash_ref_call *c) {
  pair_rule rule = {.quantised = mul_quantised};
  const float product =
      ash_ref_scale_of(ash_ref_in(c, 0)) * ash_ref_scale_of(ash_ref_in(c, 1));
  const ash_tensor *out = ash_ref_out(c, 0);
  float ratio = product / ash_ref_scale_of(out);
  /* Too far for a shift: the results are the limits, or 0. */
  if (ratio >= 2147483648.0f && isfinite(ratio) &&
      (out->type == ASH_INT8 || out->type == ASH_UINT8))
    ratio = 1 << 14;
  rule.scales[0] = ash_ref_out_factor(c, (double)ratio);
  return all_pairs(c, &rule);
}

/* ---- div ---------------------------------------------------------------- */

/* The dividend is shifted as far left as it goes, times the reciprocal of the
 * divisor. Dividing by zero has no meaning and gives the zero point here. */
static int32_t div_quantised(int32_t a, int32_t b, const ash_ref_factor *f) {
  if (b == 0)
    return 0;
  const int32_t x = b < 0 ? -a : a;
  const uint32_t y = (uint32_t)(b < 0 ? -b : b);
  const int32_t zeros = ash_ref_leading_zeros(y);
  const int32_t inverse =
      ash_ref_reciprocal((int32_t)((y << zeros) - (1u << 31)));
  const int32_t room =
      ash_ref_leading_zeros(x < 0 ? ~(uint32_t)x : (uint32_t)x) - 1;
  const int32_t quotient = ash_ref_high_mul(
      ash_ref_wrap((int64_t)x * ((int64_t)1 << room)), inverse);
  const ash_ref_factor rest = {f->multiplier, f->shift - (31 - zeros) - room};
  return ash_ref_rescale(quotient, rest);
}

ash_status ash_ref_div(const ash_ref_call *c) {
  pair_rule rule = {.quantised = div_quantised};
  const float below =
      ash_ref_scale_of(ash_ref_in(c, 1)) * ash_ref_scale_of(ash_ref_out(c, 0));
  const float ratio = ash_ref_scale_of(ash_ref_in(c, 0)) / below;
  rule.scales[0] = ash_ref_factor_of((double)ratio);
  return all_pairs(c, &rule);
}

/* ---- prelu -------------------------------------------------------------- */

static int32_t prelu_quantised(int32_t a, int32_t b, const ash_ref_factor *f) {
  return a >= 0 ? ash_ref_rescale(a, f[0]) : ash_ref_rescale(a * b, f[1]);
}

ash_status ash_ref_prelu(const ash_ref_call *c) {
  pair_rule rule = {.quantised = prelu_quantised};
  const float x = ash_ref_scale_of(ash_ref_in(c, 0));
  const float y = ash_ref_scale_of(ash_ref_out(c, 0));
  const float plain = x / y;
  const float product = x * ash_ref_scale_of(ash_ref_in(c, 1));
  const float sloped = product / y;
  rule.scales[0] = ash_ref_factor_of((double)plain);
  rule.scales[1] = ash_ref_factor_of((double)sloped);
  return all_pairs(c, &rule);
}

/* ---- comparisons, on a common grid 8 bits finer than 1 ------------------ */

static ash_number on_grid(const ash_ref_call *c, uint32_t k,
                          const int32_t *at) {
  const ash_tensor *t = ash_ref_in(c, k);
  const uint32_t rank = ash_ref_out(c, 0)->shape.rank;
  const int64_t value =
      ash_ref_get(t, ash_ref_read(c, k), ash_ref_index(&t->shape, at, rank));
  const ash_ref_factor f = ash_ref_factor_of((double)ash_ref_scale_of(t));
  const int32_t centred = (int32_t)value - ash_ref_zero_of(t);
  return (ash_number){.i = ash_ref_rescale(centred * (1 << 8), f)};
}

ash_status ash_ref_compare(const ash_ref_call *c) {
  const ash_shape *out = &ash_ref_out(c, 0)->shape;
  const uint64_t count = ash_shape_elements(out);
  uint8_t *y = ash_ref_write(c, 0);
  int32_t at[ASH_RANK_MAX] = {0};
  for (uint64_t i = 0; i < count; i++, ash_ref_next(out, at)) {
    const ash_number pair[] = {on_grid(c, 0, at), on_grid(c, 1, at)};
    y[i] = ash_ref_number_apply(ash_op_fn(c->op), pair).i != 0;
  }
  return ASH_OK;
}

/* ref_element_scalar.c - what each function of functions.def computes. */
#include "ref/ref_any.h"

#include <math.h>

/* ---- floats ------------------------------------------------------------- */

static double min_real(double a, double b) {
  return isnan(a) || a < b ? a : b;
}

static double max_real(double a, double b) {
  return isnan(a) || a > b ? a : b;
}

static double square_real(double a) {
  return a * a;
}

static double mod_real(double a, double b) {
  const double m = fmod(a, b);
  return m != 0 && (m < 0) != (b < 0) ? m + b : m;
}

static double softplus(double a) {
  return (a > 0 ? a : 0) + log1p(exp(-fabs(a)));
}

static double shrink(double a, double b, double c) {
  if (a < -b)
    return a + c;
  return a > b ? a - c : 0;
}

static double gelu_tanh(double a) {
  return 0.5 * a * (1 + tanh(0.7978845608028654 * (a + 0.044715 * a * a * a)));
}

static double within(double a, double low, double high) {
  const double raised = a < low ? low : a; /* keeps NaN */
  return raised > high ? high : raised;
}

/* LiteRT's, each step rounded to float32. */
static float logistic(float x) {
  if (x > 16.619047164916992188f) /* where 1 + exp(-x) rounds to 1 */
    return 1.0f;
  if (x < -9.0f)
    return (float)exp((double)x);
  return 1.0f / (1.0f + (float)exp((double)-x));
}

static float gelu(float x) {
  return 0.5f * x * (float)erfc((double)(x * -0.70710678118654752440f));
}

static float hard_swish(float x) {
  return x * fminf(6.0f, fmaxf(0.0f, x + 3.0f)) / 6.0f;
}

static double apply_rectifier(ash_fn fn, double a, double b) {
  switch (fn) {
  case ASH_FN_relu:
    return a < 0 ? 0 : a;
  case ASH_FN_relu6:
    return within(a, 0, 6);
  case ASH_FN_relu_n1_to_1:
    return within(a, -1, 1);
  case ASH_FN_relu_0_to_1:
    return within(a, 0, 1);
  case ASH_FN_leaky_relu:
    return a > 0 ? a : a * b;
  case ASH_FN_elu:
    return a < 0 ? expm1(a) : a;
  case ASH_FN_logistic:
    return (double)logistic((float)a);
  case ASH_FN_gelu:
    return (double)gelu((float)a);
  case ASH_FN_hard_swish:
    return (double)hard_swish((float)a);
  default:
    return a;
  }
}

static double apply_activation(ash_fn fn, double a, double b, double c) {
  switch (fn) {
  case ASH_FN_sigmoid:
    return 1 / (1 + exp(-a));
  case ASH_FN_softplus:
    return softplus(a);
  case ASH_FN_softsign:
    return a / (1 + fabs(a));
  case ASH_FN_mish:
    return a * tanh(softplus(a));
  case ASH_FN_gelu_erf:
    return 0.5 * a * (1 + erf(a * 0.7071067811865476));
  case ASH_FN_gelu_tanh:
    return gelu_tanh(a);
  case ASH_FN_hard_swish_unit:
    return a * min_real(max_real(a / 6 + 0.5, 0), 1);
  case ASH_FN_prelu:
    return a < 0 ? b * a : a;
  case ASH_FN_alpha_elu:
    return a < 0 ? b * (exp(a) - 1) : a;
  case ASH_FN_celu:
    return a < 0 ? b * (exp(a / b) - 1) : a;
  case ASH_FN_selu:
    return a > 0 ? c * a : c * b * (exp(a) - 1);
  case ASH_FN_thresholded_relu:
    return a > b ? a : 0;
  case ASH_FN_shrink:
    return shrink(a, b, c);
  case ASH_FN_hard_sigmoid:
    return min_real(max_real(b * a + c, 0), 1);
  case ASH_FN_clip:
    return within(a, b, c);
  default:
    return apply_rectifier(fn, a, b);
  }
}

static double apply_math(ash_fn fn, double a, double b, double c) {
  switch (fn) {
/* clang-format off */
#define CASE(name)                                                             \
  case ASH_FN_##name:                                                          \
    return name(a);
    CASE(floor)
    CASE(ceil)
    CASE(sqrt)
    CASE(exp)
    CASE(log)
    CASE(sin)
    CASE(cos)
    CASE(tan)
    CASE(asin)
    CASE(acos)
    CASE(atan)
    CASE(sinh)
    CASE(cosh)
    CASE(tanh)
    CASE(asinh)
    CASE(acosh)
    CASE(atanh)
    CASE(erf)
/* clang-format on */
#undef CASE
  case ASH_FN_round:
    return nearbyint(a);
  case ASH_FN_reciprocal:
    return 1 / a;
  case ASH_FN_neg:
    return -a;
  case ASH_FN_abs:
    return fabs(a);
  case ASH_FN_sign:
    return isnan(a) ? a : (a > 0) - (a < 0);
  case ASH_FN_square:
    return a * a;
  case ASH_FN_rsqrt:
    return 1 / (double)(float)sqrt(a);
  default:
    return apply_activation(fn, a, b, c);
  }
}

static double apply_real(ash_fn fn, double a, double b, double c) {
  switch (fn) {
  case ASH_FN_add:
    return a + b;
  case ASH_FN_sub:
    return a - b;
  case ASH_FN_mul:
    return a * b;
  case ASH_FN_div:
    return a / b;
  case ASH_FN_floor_div:
    return floor((double)(float)(a / b));
  case ASH_FN_squared_difference:
    return square_real((double)(float)(a - b));
  case ASH_FN_mod:
    return mod_real(a, b);
  case ASH_FN_fmod:
    return fmod(a, b);
  case ASH_FN_pow:
    return pow(a, b);
  case ASH_FN_minimum:
    return min_real(a, b);
  case ASH_FN_maximum:
    return max_real(a, b);
  default:
    return apply_math(fn, a, b, c);
  }
}

/* ---- integers ----------------------------------------------------------- */

static int64_t divide(int64_t a, int64_t b, bool is_unsigned) {
  if (b == 0)
    return 0;
  if (is_unsigned)
    return (int64_t)((uint64_t)a / (uint64_t)b);
  return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static int64_t remain(int64_t a, int64_t b, bool is_unsigned) {
  if (b == 0)
    return 0;
  if (is_unsigned)
    return (int64_t)((uint64_t)a % (uint64_t)b);
  return b == -1 ? 0 : a % b;
}

static bool is_less(ash_number a, ash_number b) {
  if (a.real)
    return a.x < b.x;
  return a.is_unsigned ? (uint64_t)a.i < (uint64_t)b.i : a.i < b.i;
}

static int64_t power(int64_t a, int64_t b) {
  uint64_t y = 1;
  if (b < 0)
    return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
  for (uint64_t base = (uint64_t)a; b > 0; b >>= 1, base *= base)
    y = b & 1 ? y * base : y;
  return (int64_t)y;
}

static int64_t root(int64_t a) {
  int64_t y = (int64_t)sqrt(a > 0 ? (double)a : 0);
  while (y > 0 && y > a / y)
    y--;
  while (y + 1 <= a / (y + 1))
    y++;
  return y;
}

static int64_t digits(uint64_t a) {
  int64_t n = 0;
  for (; a; a /= 2)
    n++;
  return n;
}

/* Rectifiers and squares. */
static int64_t apply_integer(ash_fn fn, int64_t a, int64_t b) {
  switch (fn) {
  case ASH_FN_relu:
    return a < 0 ? 0 : a;
  case ASH_FN_relu6:
    return a < 0 ? 0 : a > 6 ? 6 : a;
  case ASH_FN_relu_n1_to_1:
    return a < -1 ? -1 : a > 1 ? 1 : a;
  case ASH_FN_relu_0_to_1:
    return a < 0 ? 0 : a > 1 ? 1 : a;
  case ASH_FN_squared_difference:
    a = (int64_t)((uint64_t)a - (uint64_t)b);
    return (int64_t)((uint64_t)a * (uint64_t)a);
  case ASH_FN_square:
    return (int64_t)((uint64_t)a * (uint64_t)a);
  case ASH_FN_prelu:
    return a < 0 ? (int64_t)((uint64_t)a * (uint64_t)b) : a;
  default:
    return a;
  }
}

static int64_t apply_bits(ash_fn fn, int64_t a, int64_t b) {
  switch (fn) {
  case ASH_FN_shift_left:
    return b >= 0 && b < 64 ? (int64_t)((uint64_t)a << b) : 0;
  case ASH_FN_shift_right:
    return b >= 0 && b < 64 ? a >> b : a < 0 ? -1 : 0;
  case ASH_FN_bit_and:
    return a & b;
  case ASH_FN_bit_or:
    return a | b;
  case ASH_FN_bit_xor:
    return a ^ b;
  case ASH_FN_bit_not:
    return ~a;
  case ASH_FN_integer_sqrt:
    return root(a);
  case ASH_FN_bit_length:
    return digits((uint64_t)a);
  default:
    return apply_integer(fn, a, b);
  }
}

static int64_t apply_whole(ash_fn fn, const ash_number *o) {
  const int64_t a = o[0].i, b = o[1].i;
  const bool u = o[0].is_unsigned;
  const int64_t rest = remain(a, b, u);
  switch (fn) {
  case ASH_FN_add:
    return (int64_t)((uint64_t)a + (uint64_t)b);
  case ASH_FN_sub:
    return (int64_t)((uint64_t)a - (uint64_t)b);
  case ASH_FN_mul:
    return (int64_t)((uint64_t)a * (uint64_t)b);
  case ASH_FN_div:
    return divide(a, b, u);
  case ASH_FN_floor_div:
    return divide(a, b, u) - (!u && rest != 0 && (rest < 0) != (b < 0));
  case ASH_FN_fmod:
    return rest;
  case ASH_FN_mod:
    return !u && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  case ASH_FN_pow:
    return power(a, b);
  case ASH_FN_minimum:
    return is_less(o[1], o[0]) ? b : a;
  case ASH_FN_maximum:
    return is_less(o[0], o[1]) ? b : a;
  case ASH_FN_clip: {
    const ash_number raised = is_less(o[0], o[1]) ? o[1] : o[0];
    return is_less(o[2], raised) ? o[2].i : raised.i;
  }
  case ASH_FN_neg:
    return (int64_t)(0 - (uint64_t)a);
  case ASH_FN_abs:
    return !u && a < 0 ? (int64_t)(0 - (uint64_t)a) : a;
  case ASH_FN_sign:
    return (u ? a != 0 : a > 0) - (!u && a < 0);
  case ASH_FN_shift_right:
    if (u)
      return b >= 0 && b < 64 ? (int64_t)((uint64_t)a >> b) : 0;
    return apply_bits(fn, a, b);
  default:
    return apply_bits(fn, a, b);
  }
}

/* ---- truths ------------------------------------------------------------- */

static bool is_equal(ash_number a, ash_number b) {
  return a.real ? a.x == b.x : a.i == b.i;
}

static bool is_true(ash_number a) {
  return a.real ? a.x != 0 : a.i != 0;
}

static bool apply_truth(ash_fn fn, const ash_number *o) {
  switch (fn) {
  case ASH_FN_logical_and:
    return is_true(o[0]) && is_true(o[1]);
  case ASH_FN_logical_or:
    return is_true(o[0]) || is_true(o[1]);
  case ASH_FN_logical_xor:
    return is_true(o[0]) != is_true(o[1]);
  case ASH_FN_logical_not:
    return !is_true(o[0]);
  case ASH_FN_equal:
    return is_equal(o[0], o[1]);
  case ASH_FN_not_equal:
    return !is_equal(o[0], o[1]);
  case ASH_FN_less:
    return is_less(o[0], o[1]);
  case ASH_FN_less_equal:
    return is_less(o[0], o[1]) || is_equal(o[0], o[1]);
  case ASH_FN_greater:
    return is_less(o[1], o[0]);
  case ASH_FN_greater_equal:
    return is_less(o[1], o[0]) || is_equal(o[0], o[1]);
  case ASH_FN_is_nan:
    return o[0].real && isnan(o[0].x);
  case ASH_FN_is_plus_inf:
    return o[0].real && isinf(o[0].x) && o[0].x > 0;
  default:
    return o[0].real && isinf(o[0].x) && o[0].x < 0;
  }
}

static ash_number mixed_power(const ash_number *o) {
  const double a = o[0].real ? o[0].x : (double)o[0].i;
  const double b = o[1].real ? o[1].x : (double)o[1].i;
  return (ash_number){.real = true, .x = pow(a, b)};
}

ash_number ash_ref_number_apply(ash_fn fn, const ash_number *o) {
  if (ash_fn_result_of(fn) == ASH_FN_BOOL)
    return (ash_number){.i = apply_truth(fn, o)};
  if (fn == ASH_FN_select)
    return is_true(o[0]) ? o[1] : o[2];
  if (fn == ASH_FN_cast || fn == ASH_FN_saturate)
    return o[0];
  if (fn == ASH_FN_pow && (o[0].real || o[1].real))
    return mixed_power(o);
  if (o[0].real)
    return (ash_number){.real = true,
                        .x = apply_real(fn, o[0].x, o[1].x, o[2].x)};
  return (ash_number){.is_unsigned = o[0].is_unsigned, .i = apply_whole(fn, o)};
}

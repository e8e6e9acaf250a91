/* quant_pair.c - the scalings of operators with two quantised inputs. Which
 * products and quotients are of floats and which of doubles is TensorFlow
 * Lite's choice. */
#include "kernel/quant.h"

#include <math.h>

/* Both operands with `bits` more bits at twice the larger scale. */
static bool align(ash_add_scaling *out, float a, float b, float result,
                  int32_t bits, bool squared) {
  const double both = (double)(2.0f * (a > b ? a : b));
  const float fine = (float)(1 << (squared ? 2 * bits : bits)) * result;
  const double real = squared ? both * both : both;
  return ash_quant_scaling(&out->a, (double)a / both) &&
         ash_quant_scaling(&out->b, (double)b / both) &&
         ash_quant_scaling(&out->out, real / (double)fine);
}

static bool scale_prelu(ash_add_scaling *out, float a, float b, float result) {
  const float plain = a / result;
  const float product = a * b;
  const float sloped = product / result;
  return ash_quant_scaling(&out->out, (double)plain) &&
         ash_quant_scaling(&out->b, (double)sloped);
}

bool ash_quant_power(int32_t *out, const ash_tensor *t) {
  int exponent;
  const bool exact = frexpf(ash_quant_scale(t), &exponent) == 0.5f;
  *out = exponent - 1;
  return exact;
}

bool ash_quant_shifts(int32_t *a_shift, int32_t *b_shift, const ash_tensor *a,
                      const ash_tensor *b, const ash_tensor *result) {
  int32_t p = 0, q = 0, r = 0;
  const bool exact = ash_quant_power(&p, a) && ash_quant_power(&q, b) &&
                     ash_quant_power(&r, result) && p <= r && q <= r;
  *a_shift = exact ? p - r : 0;
  *b_shift = exact ? q - r : 0;
  return exact;
}

bool ash_quant_pair(ash_add_scaling *out, ash_fn fn, const ash_tensor *a,
                    const ash_tensor *b, const ash_tensor *result) {
  const float p = ash_quant_scale(a), q = ash_quant_scale(b);
  const float r = ash_quant_scale(result);
  const float below = q * r;
  *out = (ash_add_scaling){{0, 0}, {0, 0}, {0, 0}};
  switch (fn) {
  case ASH_FN_mul:
    return ash_quant_mul(&out->out, a, b, result);
  case ASH_FN_div:
    return ash_quant_scaling(&out->out, (double)(p / below));
  case ASH_FN_prelu:
    return scale_prelu(out, p, q, r);
  case ASH_FN_squared_difference:
    return align(out, p, q, r, 7, true);
  default:
    return align(out, p, q, r, result->type == ASH_INT16 ? 15 : 20, false);
  }
}

/* A product of floats, a quotient of doubles. */
bool ash_quant_matmul(ash_scaling *out, const ash_tensor *a,
                      const ash_tensor *b, const ash_tensor *result) {
  const float product = ash_quant_scale(a) * ash_quant_scale(b);
  return ash_quant_scaling_to(
      out, result, (double)product / (double)ash_quant_scale(result));
}

/* onnx_ops_element.c - element by element: arithmetic, functions, comparisons,
 * activations, conversions. */
#include "read/onnx/onnx_import.h"

#include "read/onnx/onnx_internal.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- same name, same meaning --------------------------------------------- */

static const struct {
  const char *type;
  ash_fn fn;
} functions[] = {
    {"Add", ASH_FN_add},
    {"Sub", ASH_FN_sub},
    {"Mul", ASH_FN_mul},
    {"Div", ASH_FN_div},
    {"Pow", ASH_FN_pow},
    {"And", ASH_FN_logical_and},
    {"Or", ASH_FN_logical_or},
    {"Xor", ASH_FN_logical_xor},
    {"Not", ASH_FN_logical_not},
    {"Equal", ASH_FN_equal},
    {"Less", ASH_FN_less},
    {"LessOrEqual", ASH_FN_less_equal},
    {"Greater", ASH_FN_greater},
    {"GreaterOrEqual", ASH_FN_greater_equal},
    {"BitwiseAnd", ASH_FN_bit_and},
    {"BitwiseOr", ASH_FN_bit_or},
    {"BitwiseXor", ASH_FN_bit_xor},
    {"BitwiseNot", ASH_FN_bit_not},
    {"IsNaN", ASH_FN_is_nan},
    {"Neg", ASH_FN_neg},
    {"Abs", ASH_FN_abs},
    {"Sign", ASH_FN_sign},
    {"Floor", ASH_FN_floor},
    {"Ceil", ASH_FN_ceil},
    {"Round", ASH_FN_round},
    {"Sqrt", ASH_FN_sqrt},
    {"Reciprocal", ASH_FN_reciprocal},
    {"Exp", ASH_FN_exp},
    {"Log", ASH_FN_log},
    {"Sin", ASH_FN_sin},
    {"Cos", ASH_FN_cos},
    {"Tan", ASH_FN_tan},
    {"Asin", ASH_FN_asin},
    {"Acos", ASH_FN_acos},
    {"Atan", ASH_FN_atan},
    {"Sinh", ASH_FN_sinh},
    {"Cosh", ASH_FN_cosh},
    {"Tanh", ASH_FN_tanh},
    {"Asinh", ASH_FN_asinh},
    {"Acosh", ASH_FN_acosh},
    {"Atanh", ASH_FN_atanh},
    {"Erf", ASH_FN_erf},
    {"Softplus", ASH_FN_softplus},
    {"Softsign", ASH_FN_softsign},
    {"Mish", ASH_FN_mish},
    {"HardSwish", ASH_FN_hard_swish_unit},
    {"Where", ASH_FN_select},
};

static ash_fn function_of(const char *type) {
  for (size_t i = 0; i < ASH_COUNT_OF(functions); i++)
    if (strcmp(functions[i].type, type) == 0)
      return functions[i].fn;
  return ASH_FN_COUNT;
}

static void read_function(ash_ox *m) {
  const ash_fn fn = function_of(m->node->type);
  const uint32_t n = ash_fn_operands(fn);
  const uint32_t a = ash_ox_in(m, 0);
  const uint32_t b = n > 1 ? ash_ox_in(m, 1) : a;
  const uint32_t c = n > 2 ? ash_ox_in(m, 2) : a;
  ash_ox_out(m, 0,
             n == 1   ? ash_ox_map1(m, fn, a)
             : n == 2 ? ash_ox_map2(m, fn, a, b)
                      : ash_ox_map3(m, fn, a, b, c));
}

/* ---- with variations ----------------------------------------------------- */

static void read_relu(ash_ox *m) {
  const uint32_t a = ash_ox_in(m, 0);
  ash_ox_out(m, 0,
             ash_ox_type(m, a) == ASH_FLOAT32
                 ? ash_ox_map1(m, ASH_FN_relu, a)
                 : ash_ox_with(m, ASH_FN_maximum, a, 0));
}

static void read_sigmoid(ash_ox *m) {
  const uint32_t a = ash_ox_in(m, 0);
  ash_ox_out(m, 0,
             ash_ox_type(m, a) == ASH_FLOAT32
                 ? ash_ox_map1(m, ASH_FN_logistic, a)
                 : ash_ox_map1(m, ASH_FN_sigmoid, a));
}

static void read_swish(ash_ox *m) {
  const uint32_t a = ash_ox_in(m, 0);
  const double alpha = ash_ox_float(m, "alpha", 1);
  const uint32_t x = alpha == 1 ? a : ash_ox_with(m, ASH_FN_mul, a, alpha);
  ash_ox_out(m, 0,
             ash_ox_map2(m, ASH_FN_mul, a, ash_ox_map1(m, ASH_FN_sigmoid, x)));
}

static void read_gelu(ash_ox *m) {
  const bool rough = ash_ox_is(m, "approximate", "tanh", "none");
  ash_ox_out(m, 0,
             ash_ox_map1(m, rough ? ASH_FN_gelu_tanh : ASH_FN_gelu_erf,
                         ash_ox_in(m, 0)));
}

static void read_mod(ash_ox *m) {
  ash_ox_out(m, 0,
             ash_ox_map2(m, ash_ox_int(m, "fmod", 0) ? ASH_FN_fmod : ASH_FN_mod,
                         ash_ox_in(m, 0), ash_ox_in(m, 1)));
}

static void read_bit_shift(ash_ox *m) {
  const bool left = ash_ox_is(m, "direction", "LEFT", "");
  ash_ox_out(m, 0,
             ash_ox_map2(m, left ? ASH_FN_shift_left : ASH_FN_shift_right,
                         ash_ox_in(m, 0), ash_ox_in(m, 1)));
}

static void read_is_inf(ash_ox *m) {
  const uint32_t a = ash_ox_in(m, 0);
  const bool plus = ash_ox_int(m, "detect_positive", 1) != 0;
  const bool minus = ash_ox_int(m, "detect_negative", 1) != 0;
  if (plus && minus)
    ash_ox_out(m, 0,
               ash_ox_map2(m, ASH_FN_logical_or,
                           ash_ox_map1(m, ASH_FN_is_plus_inf, a),
                           ash_ox_map1(m, ASH_FN_is_minus_inf, a)));
  else if (plus || minus)
    ash_ox_out(
        m, 0,
        ash_ox_map1(m, plus ? ASH_FN_is_plus_inf : ASH_FN_is_minus_inf, a));
  else
    ash_ox_refuse(m, "finding neither infinity");
}

/* Functions with one or two numbers from attributes. */
static void with_attributes(ash_ox *m, ash_fn fn, double b, double c) {
  const uint32_t a = ash_ox_in(m, 0);
  const ash_type type = ash_ox_type(m, a);
  const uint32_t second = ash_ox_scalar(m, type, b);
  if (ash_fn_operands(fn) == 2)
    ash_ox_out(m, 0, ash_ox_map2(m, fn, a, second));
  else
    ash_ox_out(m, 0, ash_ox_map3(m, fn, a, second, ash_ox_scalar(m, type, c)));
}

static void read_leaky_relu(ash_ox *m) {
  with_attributes(m, ASH_FN_prelu, ash_ox_float(m, "alpha", (double)0.01f), 0);
}
static void read_elu(ash_ox *m) {
  with_attributes(m, ASH_FN_alpha_elu, ash_ox_float(m, "alpha", 1), 0);
}
static void read_celu(ash_ox *m) {
  with_attributes(m, ASH_FN_celu, ash_ox_float(m, "alpha", 1), 0);
}
static void read_selu(ash_ox *m) {
  with_attributes(m, ASH_FN_selu,
                  ash_ox_float(m, "alpha", 1.67326319217681884765625),
                  ash_ox_float(m, "gamma", 1.05070102214813232421875));
}
static void read_thresholded(ash_ox *m) {
  with_attributes(m, ASH_FN_thresholded_relu, ash_ox_float(m, "alpha", 1), 0);
}
static void read_shrink(ash_ox *m) {
  with_attributes(m, ASH_FN_shrink, ash_ox_float(m, "lambd", 0.5),
                  ash_ox_float(m, "bias", 0));
}
static void read_hard_sigmoid(ash_ox *m) {
  with_attributes(m, ASH_FN_hard_sigmoid,
                  ash_ox_float(m, "alpha", (double)0.2f),
                  ash_ox_float(m, "beta", 0.5));
}

/* Slopes of lower rank belong to the channels only by broadcasting. */
static void read_prelu(ash_ox *m) {
  ash_ox_out(m, 0,
             ash_ox_map2(m, ASH_FN_prelu, ash_ox_in(m, 0), ash_ox_in(m, 1)));
}

static void read_clip(ash_ox *m) {
  uint32_t x = ash_ox_in(m, 0);
  const bool as_attributes = m->opset < 11;
  const ash_type type = ash_ox_type(m, x);
  const bool low =
      as_attributes ? ash_ox_attr(m, "min") != NULL : ash_ox_has(m, 1);
  const bool high =
      as_attributes ? ash_ox_attr(m, "max") != NULL : ash_ox_has(m, 2);
  if (low)
    x = ash_ox_map2(m, ASH_FN_maximum, x,
                    as_attributes
                        ? ash_ox_scalar(m, type, ash_ox_float(m, "min", 0))
                        : ash_ox_in(m, 1));
  if (high)
    x = ash_ox_map2(m, ASH_FN_minimum, x,
                    as_attributes
                        ? ash_ox_scalar(m, type, ash_ox_float(m, "max", 0))
                        : ash_ox_in(m, 2));
  ash_ox_out(m, 0, x);
}

/* ---- any number of operands ---------------------------------------------- */

static uint32_t fold_inputs(ash_ox *m, ash_fn fn) {
  uint32_t y = ash_ox_in(m, 0);
  for (uint32_t k = 1; k < m->node->input_count; k++)
    y = ash_ox_map2(m, fn, y, ash_ox_in(m, k));
  return y;
}

static void read_sum(ash_ox *m) {
  ash_ox_out(m, 0, fold_inputs(m, ASH_FN_add));
}
static void read_max(ash_ox *m) {
  ash_ox_out(m, 0, fold_inputs(m, ASH_FN_maximum));
}
static void read_min(ash_ox *m) {
  ash_ox_out(m, 0, fold_inputs(m, ASH_FN_minimum));
}
static void read_mean(ash_ox *m) {
  const uint32_t n = m->node->input_count;
  const uint32_t y = fold_inputs(m, ASH_FN_add);
  ash_ox_out(m, 0, n > 1 ? ash_ox_with(m, ASH_FN_div, y, n) : y);
}

/* ---- conversions --------------------------------------------------------- */

static void read_cast(ash_ox *m) {
  const int64_t number = ash_ox_int(m, "to", 0);
  const ash_type type =
      ash_onnx_type(number > 0 && number < 1000 ? (int32_t)number : 0);
  if (type == ASH_NONE || ash_type_bits(type) < 8)
    ash_ox_fail(
        m, ASH_UNSUPPORTED, ASH_D_onnx_type, "Cast to element type %s",
        ash_onnx_type_text(number > 0 && number < 1000 ? (int32_t)number : 0));
  ash_ox_out(m, 0, ash_ox_cast(m, ash_ox_in(m, 0), type));
}

static void read_cast_like(ash_ox *m) {
  ash_ox_out(m, 0,
             ash_ox_cast(m, ash_ox_in(m, 0), ash_ox_type(m, ash_ox_in(m, 1))));
}

static void read_identity(ash_ox *m) {
  ash_ox_out(m, 0, ash_ox_in_any(m, 0));
}

/* Without training, nothing is dropped and the mask is all true. */
static void read_dropout(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  int64_t training = 0;
  if (ash_ox_has(m, 2))
    (void)ash_ox_list(m, ash_ox_in(m, 2), &training, 1);
  if (training && ash_ox_has(m, 1)) { /* with ratio 0 nothing is dropped */
    int64_t unused;
    (void)ash_ox_list(m, ash_ox_in(m, 1), &unused, 1);
    training = ash_ox_value(m, ash_ox_in(m, 1), 0) != 0;
  }
  if (training && m->status == ASH_OK)
    ash_ox_refuse(m, "training mode");
  ash_ox_out(m, 0, x);
  if (ash_ox_wants(m, 1))
    ash_ox_out(
        m, 1,
        ash_ox_expand(m, ash_ox_scalar(m, ASH_BOOL, 1), ash_ox_shape(m, x)));
}

const ash_ox_handler ash_ox_math[] = {
    {"Add", read_function},
    {"Sub", read_function},
    {"Mul", read_function},
    {"Div", read_function},
    {"Pow", read_function},
    {"And", read_function},
    {"Or", read_function},
    {"Xor", read_function},
    {"Not", read_function},
    {"Equal", read_function},
    {"Less", read_function},
    {"LessOrEqual", read_function},
    {"Greater", read_function},
    {"GreaterOrEqual", read_function},
    {"BitwiseAnd", read_function},
    {"BitwiseOr", read_function},
    {"BitwiseXor", read_function},
    {"BitwiseNot", read_function},
    {"IsNaN", read_function},
    {"Neg", read_function},
    {"Abs", read_function},
    {"Sign", read_function},
    {"Floor", read_function},
    {"Ceil", read_function},
    {"Round", read_function},
    {"Sqrt", read_function},
    {"Reciprocal", read_function},
    {"Exp", read_function},
    {"Log", read_function},
    {"Sin", read_function},
    {"Cos", read_function},
    {"Tan", read_function},
    {"Asin", read_function},
    {"Acos", read_function},
    {"Atan", read_function},
    {"Sinh", read_function},
    {"Cosh", read_function},
    {"Asinh", read_function},
    {"Acosh", read_function},
    {"Atanh", read_function},
    {"Erf", read_function},
    {"Softplus", read_function},
    {"Softsign", read_function},
    {"Mish", read_function},
    {"HardSwish", read_function},
    {"Where", read_function},
    {"Relu", read_relu},
    {"Sigmoid", read_sigmoid},
    {"Tanh", read_function},
    {"Swish", read_swish},
    {"Gelu", read_gelu},
    {"Mod", read_mod},
    {"BitShift", read_bit_shift},
    {"IsInf", read_is_inf},
    {"LeakyRelu", read_leaky_relu},
    {"Elu", read_elu},
    {"Celu", read_celu},
    {"Selu", read_selu},
    {"ThresholdedRelu", read_thresholded},
    {"Shrink", read_shrink},
    {"HardSigmoid", read_hard_sigmoid},
    {"PRelu", read_prelu},
    {"Clip", read_clip},
    {"Sum", read_sum},
    {"Max", read_max},
    {"Min", read_min},
    {"Mean", read_mean},
    {"Cast", read_cast},
    {"CastLike", read_cast_like},
    {"Identity", read_identity},
    {"Dropout", read_dropout},
    {NULL, NULL},
};

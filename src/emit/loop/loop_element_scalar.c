/* loop_element_scalar.c - the functions of functions.def as C expressions.
 *
 * `a`, `b`, `c`, standing alone, are the operands. In the texts for floats, #
 * is the suffix of constants and functions of the type; in those for integers T
 * is the type computed in, int64_t or uint64_t. */
#include "emit/loop/loop.h"

#include <stdio.h>
#include <string.h>

typedef struct scalar_text {
  const char *real, *integer;
  const char *natural; /* without a sign, where that differs */
} scalar_text;

#define WRAP(op) "(T)((uint64_t)a " op " (uint64_t)b)"

static const scalar_text texts[ASH_FN_COUNT] = {
    [ASH_FN_add] = {"a + b", WRAP("+"), NULL},
    [ASH_FN_sub] = {"a - b", WRAP("-"), NULL},
    [ASH_FN_mul] = {"a * b", WRAP("*"), NULL},
    [ASH_FN_div] = {"a / b",
                    "b == 0 ? 0 : b == -1 ? (T)(0u - (uint64_t)a) : a / b",
                    "b == 0 ? 0 : a / b"},
    [ASH_FN_mod] = {"fmod#(a, b) + (fmod#(a, b) != 0 && (fmod#(a, b) < 0) != "
                    "(b < 0) ? b : 0)",
                    "b == 0 || b == -1 ? 0 : a % b + (a % b != 0 && (a % b < "
                    "0) != (b < 0) ? b : 0)",
                    "b == 0 ? 0 : a % b"},
    [ASH_FN_fmod] = {"fmod#(a, b)", "b == 0 || b == -1 ? 0 : a % b",
                     "b == 0 ? 0 : a % b"},
    [ASH_FN_pow] = {"pow#(a, b)", "ash_rt_integer_pow(a, b)", NULL},
    [ASH_FN_floor_div] =
        {"floor#(a / b)",
         "b == 0 ? 0 : b == -1 ? (T)(0u - (uint64_t)a) : a / b - (a % b != 0 "
         "&& (a % b < 0) != (b < 0))",
         NULL},
    [ASH_FN_squared_difference] =
        {"(a - b) * (a - b)",
         "(T)(((uint64_t)a - (uint64_t)b) * ((uint64_t)a - (uint64_t)b))",
         NULL},
    [ASH_FN_minimum] = {"a != a || a < b ? a : b", "a < b ? a : b", NULL},
    [ASH_FN_maximum] = {"a != a || a > b ? a : b", "a > b ? a : b", NULL},
    [ASH_FN_shift_left] =
        {NULL, "b >= 0 && b < 64 ? (T)((uint64_t)a << (b & 63)) : 0",
         "b < 64 ? a << (b & 63) : 0"},
    [ASH_FN_shift_right] = {NULL,
                            "b >= 0 && b < 64 ? a >> (b & 63) : a < 0 ? -1 : 0",
                            "b < 64 ? a >> (b & 63) : 0"},
    [ASH_FN_bit_and] = {NULL, "a & b", NULL},
    [ASH_FN_bit_or] = {NULL, "a | b", NULL},
    [ASH_FN_bit_xor] = {NULL, "a ^ b", NULL},
    [ASH_FN_bit_not] = {NULL, "~a", NULL},
    [ASH_FN_logical_and] = {"a != 0 && b != 0", "a && b", NULL},
    [ASH_FN_logical_or] = {"a != 0 || b != 0", "a || b", NULL},
    [ASH_FN_logical_xor] = {"(a != 0) != (b != 0)", "!a != !b", NULL},
    [ASH_FN_logical_not] = {"a == 0", "!a", NULL},
    [ASH_FN_equal] = {"a == b", "a == b", NULL},
    [ASH_FN_not_equal] = {"a != b", "a != b", NULL},
    [ASH_FN_less] = {"a < b", "a < b", NULL},
    [ASH_FN_less_equal] = {"a <= b", "a <= b", NULL},
    [ASH_FN_greater] = {"a > b", "a > b", NULL},
    [ASH_FN_greater_equal] = {"a >= b", "a >= b", NULL},
    [ASH_FN_is_nan] = {"a != a", "a != a", NULL},
    [ASH_FN_is_plus_inf] = {"a == (float)INFINITY", NULL, NULL},
    [ASH_FN_is_minus_inf] = {"a == -(float)INFINITY", NULL, NULL},
    [ASH_FN_select] = {"a ? b : c", "a ? b : c", NULL},
    [ASH_FN_cast] = {"a", "a", NULL},
    [ASH_FN_neg] = {"-a", "(T)(0u - (uint64_t)a)", NULL},
    [ASH_FN_abs] = {"fabs#(a)", "a < 0 ? (T)(0u - (uint64_t)a) : a", "a"},
    [ASH_FN_sign] = {"a != a ? a : (a > 0) - (a < 0)", "(a > 0) - (a < 0)",
                     "a > 0"},
    [ASH_FN_floor] = {"floor#(a)", "a", NULL},
    [ASH_FN_ceil] = {"ceil#(a)", "a", NULL},
    [ASH_FN_round] = {"rint#(a)", "a", NULL},
    [ASH_FN_square] = {"a * a", "(T)((uint64_t)a * (uint64_t)a)", NULL},
    [ASH_FN_rsqrt] = {"1 / sqrt#(a)", NULL, NULL},
    [ASH_FN_sqrt] = {"sqrt#(a)", NULL, NULL},
    [ASH_FN_integer_sqrt] = {NULL, "ash_rt_integer_sqrt(a)", NULL},
    [ASH_FN_bit_length] = {NULL, "ash_rt_bit_length((uint64_t)a)", NULL},
    [ASH_FN_reciprocal] = {"1 / a", NULL, NULL},
    [ASH_FN_exp] = {"exp#(a)", NULL, NULL},
    [ASH_FN_log] = {"log#(a)", NULL, NULL},
    [ASH_FN_sin] = {"sin#(a)", NULL, NULL},
    [ASH_FN_cos] = {"cos#(a)", NULL, NULL},
    [ASH_FN_tan] = {"tan#(a)", NULL, NULL},
    [ASH_FN_asin] = {"asin#(a)", NULL, NULL},
    [ASH_FN_acos] = {"acos#(a)", NULL, NULL},
    [ASH_FN_atan] = {"atan#(a)", NULL, NULL},
    [ASH_FN_sinh] = {"sinh#(a)", NULL, NULL},
    [ASH_FN_cosh] = {"cosh#(a)", NULL, NULL},
    [ASH_FN_tanh] = {"tanh#(a)", NULL, NULL},
    [ASH_FN_asinh] = {"asinh#(a)", NULL, NULL},
    [ASH_FN_acosh] = {"acosh#(a)", NULL, NULL},
    [ASH_FN_atanh] = {"atanh#(a)", NULL, NULL},
    [ASH_FN_erf] = {"erf#(a)", NULL, NULL},
    [ASH_FN_relu] = {"a < 0 ? 0 : a", "a < 0 ? 0 : a", "a"},
    [ASH_FN_relu6] = {"a < 0 ? 0 : a > 6 ? 6 : a", "a < 0 ? 0 : a > 6 ? 6 : a",
                      NULL},
    [ASH_FN_relu_n1_to_1] = {"a < -1 ? -1 : a > 1 ? 1 : a",
                             "a < -1 ? -1 : a > 1 ? 1 : a", "a > 1 ? 1 : a"},
    [ASH_FN_relu_0_to_1] = {"a < 0 ? 0 : a > 1 ? 1 : a",
                            "a < 0 ? 0 : a > 1 ? 1 : a", "a > 1 ? 1 : a"},
    [ASH_FN_leaky_relu] = {"a > 0 ? a : a * b", NULL, NULL},
    [ASH_FN_elu] = {"a < 0 ? expm1#(a) : a", NULL, NULL},
    [ASH_FN_logistic] = {"1 / (1 + exp#(-a))", NULL, NULL},
    [ASH_FN_sigmoid] = {"1 / (1 + exp#(-a))", NULL, NULL},
    [ASH_FN_softplus] = {"(a > 0 ? a : 0) + log1p#(exp#(-fabs#(a)))", NULL,
                         NULL},
    [ASH_FN_softsign] = {"a / (1 + fabs#(a))", NULL, NULL},
    [ASH_FN_mish] = {"a * tanh#((a > 0 ? a : 0) + log1p#(exp#(-fabs#(a))))",
                     NULL, NULL},
    [ASH_FN_gelu] = {"0.5# * a * erfc#(a * -0.7071067811865476#)", NULL, NULL},
    [ASH_FN_gelu_erf] = {"0.5# * a * (1 + erf#(a * 0.7071067811865476#))", NULL,
                         NULL},
    [ASH_FN_gelu_tanh] = {"0.5# * a * (1 + tanh#(0.7978845608028654# * (a + "
                          "0.044715# * a * a * a)))",
                          NULL, NULL},
    [ASH_FN_hard_swish] = {"a * (a + 3 < 0 ? 0 : a + 3 > 6 ? 6 : a + 3) / 6",
                           NULL, NULL},
    [ASH_FN_hard_swish_unit] = {"a * (a <= -3 ? 0 : a >= 3 ? 1 : a / 6 + 0.5#)",
                                NULL, NULL},
    [ASH_FN_prelu] = {"a < 0 ? b * a : a", "a < 0 ? b * a : a", NULL},
    [ASH_FN_alpha_elu] = {"a < 0 ? b * (exp#(a) - 1) : a", NULL, NULL},
    [ASH_FN_celu] = {"a < 0 ? b * (exp#(a / b) - 1) : a", NULL, NULL},
    [ASH_FN_selu] = {"a > 0 ? c * a : c * b * (exp#(a) - 1)", NULL, NULL},
    [ASH_FN_thresholded_relu] = {"a > b ? a : 0", NULL, NULL},
    [ASH_FN_shrink] = {"a < -b ? a + c : a > b ? a - c : 0",
                       "a < -b ? a + c : a > b ? a - c : 0",
                       "a > b ? a - c : 0"},
    [ASH_FN_hard_sigmoid] = {"b * a + c < 0 ? 0 : b * a + c > 1 ? 1 : b * a + "
                             "c",
                             NULL, NULL},
    /* the ceiling wins over a floor above it */
    [ASH_FN_clip] = {"a < b ? b > c ? c : b : a > c ? c : a",
                     "a < b ? b > c ? c : b : a > c ? c : a", NULL},
};

static const char *text_for(ash_fn fn, ash_type type) {
  if (ash_type_is_float(type))
    return texts[fn].real;
  if (type == ASH_UINT64 && texts[fn].natural)
    return texts[fn].natural;
  return texts[fn].integer;
}

static bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (c >= '0' && c <= '9') || c == '#';
}

/* The operand, type or suffix that stands for the character at `p`; NULL: the
 * character itself. */
static const char *stands_for(const char *start, const char *p, ash_type type,
                              const char *const *names) {
  if (*p == '#')
    return type == ASH_FLOAT64 ? "" : "f";
  const bool alone = (p == start || !in_word(p[-1])) && !in_word(p[1]);
  if (alone && *p == 'T')
    return ash_loop_type(type);
  return alone && *p >= 'a' && *p <= 'c' ? names[*p - 'a'] : NULL;
}

const char *ash_loop_scalar(char *buf, size_t size, ash_fn fn, ash_type type,
                            const char *const *names) {
  ASH_ASSERT(ash_fn_computes(fn, type));
  const char *from = text_for(fn, type);
  size_t at = 0;
  for (const char *p = from; p && *p; p++) {
    const char *word = stands_for(from, p, type, names);
    const size_t n = word ? strlen(word) : 1;
    if (at + n >= size)
      return NULL;
    memcpy(buf + at, word ? word : p, n);
    at += n;
  }
  buf[at] = '\0';
  return from ? buf : NULL;
}

ash_type ash_loop_yields(ash_fn fn, const ash_type *in, ash_type out) {
  if (fn == ASH_FN_cast)
    return in[0];
  const bool real = ash_type_is_float(in[0]) || ash_type_is_float(in[1]);
  return fn == ASH_FN_pow && real && !ash_type_is_float(out) ? ASH_FLOAT64
                                                             : out;
}

const char *ash_loop_real(char *buf, size_t size, const ash_call *c,
                          ash_type type, double x) {
  ASH_ASSERT(ash_type_is_float(type));
  ash_text t;
  ash_text_init(&t, c->text->mem);
  if (type == ASH_FLOAT64)
    ash_text_double(&t, x);
  else
    ash_text_float(&t, (float)x);
  (void)snprintf(buf, size, "%s(%.*s)", type == ASH_FLOAT64 ? "" : "(float)",
                 (int)t.count, t.bytes ? t.bytes : "0");
  ash_text_drop(&t);
  return buf;
}

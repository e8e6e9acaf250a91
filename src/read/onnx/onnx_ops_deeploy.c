/* onnx_ops_deeploy.c - operators of Deeploy's and QuantLib's networks, whose
 * tensors are floats that hold integers, and of its training graphs.
 *
 * Integers are computed in 64 bits and stored as the model's type again; sums
 * in between are exact as long as they stay below 2^24. */
#include "read/onnx/onnx_import.h"

#include <string.h>

/* An attribute that may be a number or a tensor of one. */
static double number(ash_ox *m, const char *name, double otherwise) {
  const ash_onnx_attr *a = ash_ox_attr(m, name);
  if (a && a->kind == ASH_ONNX_TENSOR)
    return ash_ox_value(m, ash_ox_from_tensor(m, a->t), 0);
  if (a && a->kind == ASH_ONNX_INT)
    return (double)a->i;
  return a && a->kind == ASH_ONNX_FLOAT ? (double)a->f : otherwise;
}

static uint32_t log2_of(double x) {
  uint32_t n = 0;
  while (n < 62 && (double)((uint64_t)1 << n) < x)
    n++;
  return n;
}

static uint32_t integer(ash_ox *m, uint32_t k) {
  return ash_ox_cast(m, ash_ox_in(m, k), ASH_INT64);
}

static void put(ash_ox *m, uint32_t y) {
  ash_ox_out(m, 0, ash_ox_cast(m, y, ash_ox_type(m, ash_ox_in(m, 0))));
}

static uint32_t plus(ash_ox *m, uint32_t a, double b) {
  return ash_ox_with(m, ASH_FN_add, a, b);
}
static uint32_t times(ash_ox *m, uint32_t a, uint32_t b) {
  return ash_ox_map2(m, ASH_FN_mul, a, b);
}
static uint32_t shifted(ash_ox *m, uint32_t a, double bits) {
  return ash_ox_with(m, ASH_FN_shift_right, a, bits);
}
static uint32_t clipped(ash_ox *m, uint32_t a, double low, double high) {
  return ash_ox_map3(m, ASH_FN_clip, a, ash_ox_scalar(m, ASH_INT64, low),
                     ash_ox_scalar(m, ASH_INT64, high));
}
static uint32_t last_axis(const ash_ox *m, uint32_t x) {
  const uint32_t rank = ash_ox_rank(m, x);
  return rank ? 1u << (rank - 1) : 0;
}

/* Broadcast to the shape of x by numpy's rule? */
static bool fits(const ash_ox *m, uint32_t v, uint32_t x) {
  const uint32_t rank = ash_ox_rank(m, v), more = ash_ox_rank(m, x) - rank;
  bool good = rank <= ash_ox_rank(m, x);
  for (uint32_t i = 0; good && i < rank; i++)
    good = ash_ox_dim(m, v, i) == 1 ||
           ash_ox_dim(m, v, i) == ash_ox_dim(m, x, i + more);
  return good;
}

/* One value, or one a channel: dimension 1 unless numpy's rule says else.
 * [C,1,1] of a network for images is also meant so for [1,C,W]. */
static uint32_t per_channel(ash_ox *m, uint32_t v, uint32_t x) {
  const ash_shape *s = ash_ox_shape(m, x);
  const int32_t n = (int32_t)ash_shape_elements(ash_ox_shape(m, v));
  ash_shape wide = {.rank = s->rank};
  if (n == 1)
    return ash_ox_reshape(m, v, (ash_shape){0});
  if ((ash_ox_rank(m, v) > 1 && fits(m, v, x)) || s->rank < 2 || s->dim[1] != n)
    return v;
  for (uint32_t i = 0; i < s->rank; i++)
    wide.dim[i] = i == 1 ? n : 1;
  return ash_ox_reshape(m, v, wide);
}

static void read_requant_shift(ash_ox *m) {
  const uint32_t x = integer(m, 0);
  const uint32_t shift = log2_of(number(m, "div", 1));
  const double levels = number(m, "n_levels_out", number(m, "n_levels", 256));
  const bool is_signed = number(m, "signed", 1) != 0;
  uint32_t y = times(m, x, per_channel(m, integer(m, 1), x));
  y = ash_ox_map2(m, ASH_FN_add, y, per_channel(m, integer(m, 2), x));
  if (shift > 0)
    y = shifted(m, plus(m, y, (double)((uint64_t)1 << (shift - 1))), shift);
  put(m, clipped(m, y, is_signed ? -levels / 2 : 0,
                 is_signed ? levels / 2 - 1 : levels - 1));
}

static void read_gelu(ash_ox *m) {
  const uint32_t x = integer(m, 0);
  const double b = number(m, "b", -1), one = number(m, "one", 1);
  const uint32_t size =
      ash_ox_with(m, ASH_FN_minimum, ash_ox_map1(m, ASH_FN_abs, x), -b);
  const uint32_t d = plus(m, size, b);
  const uint32_t curve =
      times(m, ash_ox_map1(m, ASH_FN_sign, x),
            ash_ox_map2(m, ASH_FN_sub, ash_ox_scalar(m, ASH_INT64, one),
                        times(m, d, d)));
  put(m, times(m, x, shifted(m, plus(m, curve, one), 1)));
}

static void read_hardswish(ash_ox *m) {
  const uint32_t x = integer(m, 0);
  const uint32_t y = times(
      m, x,
      clipped(m, plus(m, x, number(m, "three", 3)), 0, number(m, "six", 6)));
  put(m, ash_ox_with(m, ASH_FN_mul, y, number(m, "one_over_six", 1)));
}

/* e = (A (p + B)^2 + C) >> z, a second-order exponential. */
static void read_softmax(ash_ox *m) {
  const uint32_t x = integer(m, 0), axes = last_axis(m, x);
  const double log2 = number(m, "log2", 1);
  const double levels = number(m, "n_levels", 256);
  const uint32_t t = ash_ox_map2(m, ASH_FN_sub, x,
                                 ash_ox_fold(m, ASH_FOLD_MAX, x, axes, true));
  const uint32_t z = clipped(
      m, ash_ox_map1(m, ASH_FN_neg, ash_ox_with(m, ASH_FN_div, t, log2)), 0,
      31);
  const uint32_t p =
      ash_ox_map2(m, ASH_FN_add, t, ash_ox_with(m, ASH_FN_mul, z, log2));
  const uint32_t q = plus(m, p, number(m, "coeffB", 0));
  uint32_t e =
      ash_ox_with(m, ASH_FN_mul, times(m, q, q), number(m, "coeffA", 1));
  e = ash_ox_map2(m, ASH_FN_shift_right, plus(m, e, number(m, "coeffC", 0)), z);
  const uint32_t sum = ash_ox_fold(m, ASH_FOLD_SUM, e, axes, true);
  put(m, ash_ox_map2(m, ASH_FN_div, ash_ox_with(m, ASH_FN_mul, e, levels - 1),
                     sum));
}

/* (most - x + 16) >> 5: by how much a part of 256 is smaller. */
static uint32_t ita_steps(ash_ox *m, uint32_t most, uint32_t x) {
  return shifted(m, plus(m, ash_ox_map2(m, ASH_FN_sub, most, x), 16), 5);
}

static uint32_t ita_sum(ash_ox *m, uint32_t most, uint32_t x, uint32_t axes) {
  const uint32_t parts =
      ash_ox_map2(m, ASH_FN_shift_right, ash_ox_scalar(m, ASH_INT64, 256),
                  ita_steps(m, most, x));
  return ash_ox_fold(m, ASH_FOLD_SUM, parts, axes, true);
}

static void read_ita_max(ash_ox *m) {
  const uint32_t x = integer(m, 0), axes = last_axis(m, x);
  const double levels = number(m, "n_levels", 256);
  const uint32_t most = ash_ox_fold(m, ASH_FOLD_MAX, x, axes, true);
  const uint32_t inverse = ash_ox_map2(
      m, ASH_FN_div, ash_ox_scalar(m, ASH_INT64, (levels - 1) * 256),
      ita_sum(m, most, x, axes));
  put(m, ash_ox_map2(m, ASH_FN_shift_right, inverse, ita_steps(m, most, x)));
}

/* ITAMax in one pass over groups of a row: a larger maximum shrinks the sum so
 * far. */
static void read_ita_partial_max(ash_ox *m) {
  const uint32_t x = integer(m, 0), axes = last_axis(m, x);
  const uint32_t axis = ash_ox_rank(m, x) - 1;
  const int64_t length = ash_ox_dim(m, x, axis);
  const int64_t width = ash_ox_int(m, "group_width", length);
  const double levels = number(m, "n_levels", 256);
  if (width < 1 || length % width != 0) {
    ash_ox_fail(m, ASH_MALFORMED, ASH_D_onnx_node,
                "%s: rows are not made of groups", m->node->type);
    return;
  }
  uint32_t most = ASH_NO_ID, sum = ASH_NO_ID;
  for (int64_t at = 0; at < length; at += width) {
    const uint32_t group = ash_ox_slice(m, x, axis, at, 1, width);
    uint32_t now = ash_ox_fold(m, ASH_FOLD_MAX, group, axes, true);
    if (at)
      now = ash_ox_map2(m, ASH_FN_maximum, now, most);
    const uint32_t own = ita_sum(m, now, group, axes);
    sum = at ? ash_ox_map2(m, ASH_FN_add,
                           ash_ox_map2(m, ASH_FN_shift_right, sum,
                                       ita_steps(m, now, most)),
                           own)
             : own;
    most = now;
  }
  const uint32_t inverse = ash_ox_map2(
      m, ASH_FN_div, ash_ox_scalar(m, ASH_INT64, (levels / 2 - 1) * 256), sum);
  put(m, ash_ox_map2(m, ASH_FN_shift_right, inverse, ita_steps(m, most, x)));
}

static void read_layer_norm(ash_ox *m) {
  const uint32_t x = integer(m, 0), axes = last_axis(m, x);
  const double n = ash_ox_dim(m, x, ash_ox_rank(m, x) - 1);
  const uint32_t mean = ash_ox_with(
      m, ASH_FN_div, ash_ox_fold(m, ASH_FOLD_SUM, x, axes, true), n);
  const uint32_t d = ash_ox_map2(m, ASH_FN_sub, x, mean);
  const uint32_t sum = ash_ox_fold(m, ASH_FOLD_SUM_SQUARE, d, axes, true);
  const uint32_t root = ash_ox_map1(
      m, ASH_FN_integer_sqrt, plus(m, ash_ox_with(m, ASH_FN_div, sum, n), 1));
  uint32_t y = ash_ox_map2(m, ASH_FN_div, times(m, d, integer(m, 1)), root);
  y = ash_ox_map2(m, ASH_FN_add, y, integer(m, 2));
  y = shifted(m, y, log2_of(number(m, "D", 1)));
  put(m, ash_ox_cast(m, y, ASH_INT8)); /* wraps around */
}

static void read_rms_norm(ash_ox *m) {
  const uint32_t x = integer(m, 0), axes = last_axis(m, x);
  const double n = ash_ox_dim(m, x, ash_ox_rank(m, x) - 1);
  const uint32_t sum = ash_ox_fold(m, ASH_FOLD_SUM_SQUARE, x, axes, true);
  const uint32_t root = ash_ox_map1(
      m, ASH_FN_integer_sqrt, plus(m, ash_ox_with(m, ASH_FN_div, sum, n), 1));
  const uint32_t y =
      ash_ox_map2(m, ASH_FN_div, times(m, x, integer(m, 1)), root);
  put(m, clipped(m, shifted(m, y, log2_of(number(m, "D", 1))), -128, 127));
}

static void read_no_norm(ash_ox *m) {
  const uint32_t x = integer(m, 0);
  const uint32_t y = ash_ox_with(
      m, ASH_FN_mul,
      ash_ox_map2(m, ASH_FN_add, times(m, x, integer(m, 1)), integer(m, 2)),
      number(m, "mul", 1));
  put(m, shifted(m, y, log2_of(number(m, "D", 1))));
}

/* Rounded away from zero; exact powers of two without kept axes upwards. */
void ash_ox_integer_mean(ash_ox *m) {
  const uint32_t x = integer(m, 0);
  int64_t room[ASH_RANK_MAX];
  uint32_t count, axes = 0;
  const int64_t *list = ash_ox_ints(m, "axes", &count);
  if (!list && ash_ox_has(m, 1)) {
    count = ash_ox_list(m, ash_ox_in(m, 1), room, ASH_RANK_MAX);
    list = room;
  }
  const bool keep = ash_ox_int(m, "keepdims", 1) != 0;
  double n = 1;
  for (uint32_t i = 0; i < count; i++)
    axes |= 1u << ash_ox_axis(m, list[i], ash_ox_rank(m, x));
  if (axes == 0) /* none given: all */
    axes = (1u << ash_ox_rank(m, x)) - 1;
  for (uint32_t i = 0; i < ash_ox_rank(m, x); i++)
    n *= axes >> i & 1 ? ash_ox_dim(m, x, i) : 1;
  const uint32_t sum = ash_ox_fold(m, ASH_FOLD_SUM, x, axes, keep);
  const uint32_t bits = log2_of(n);
  if (!keep && bits > 0 && (double)((uint64_t)1 << bits) == n) {
    put(m, shifted(m, plus(m, sum, n / 2), bits));
    return;
  }
  const double half = (double)((int64_t)n >> 1);
  const uint32_t up =
      ash_ox_with(m, ASH_FN_mul, ash_ox_map1(m, ASH_FN_sign, sum), half);
  put(m, ash_ox_with(m, ASH_FN_div, ash_ox_map2(m, ASH_FN_add, sum, up), n));
}

/* (n + sgn(n) d / 2) / d with n = Delta eta x, d = eta y + eps. */
static uint32_t rounded(ash_ox *m, uint32_t n, uint32_t d) {
  const uint32_t up =
      times(m, ash_ox_map1(m, ASH_FN_sign, n), shifted(m, d, 1));
  return ash_ox_map2(m, ASH_FN_div, ash_ox_map2(m, ASH_FN_add, n, up), d);
}

static void read_integer_div(ash_ox *m) {
  const double eta = number(m, "eta", 1);
  const uint32_t n =
      ash_ox_with(m, ASH_FN_mul, integer(m, 0), number(m, "Delta", 1) * eta);
  const uint32_t d = plus(m, ash_ox_with(m, ASH_FN_mul, integer(m, 1), eta),
                          number(m, "eps", 0));
  put(m, rounded(m, n, d));
}

/* The divisor is constant: a multiplication, rounded down. */
static void read_true_div(ash_ox *m) {
  const double eta = number(m, "eta", 1);
  const double d = eta * number(m, "y", 1) + number(m, "eps", 0);
  const double factor = number(m, "Delta", 1) * eta / d;
  put(m, ash_ox_with(m, ASH_FN_mul, integer(m, 0), (double)(int64_t)factor));
}

/* ---- training ------------------------------------------------------------ */

static void read_sgd(ash_ox *m) {
  const uint32_t step =
      ash_ox_with(m, ASH_FN_mul, ash_ox_in(m, 1), ash_ox_float(m, "lr", 0));
  ash_ox_out(m, 0, ash_ox_map2(m, ASH_FN_sub, ash_ox_in(m, 0), step));
}

/* y (g - sum of g y) */
static void read_softmax_grad(ash_ox *m) {
  const uint32_t g = ash_ox_in(m, 0), y = ash_ox_in(m, 1);
  const uint32_t axis =
      ash_ox_axis(m, ash_ox_int(m, "axis", -1), ash_ox_rank(m, g));
  const uint32_t sum = ash_ox_fold(
      m, ASH_FOLD_SUM, ash_ox_map2(m, ASH_FN_mul, g, y), 1u << axis, true);
  ash_ox_out(m, 0,
             ash_ox_map2(m, ASH_FN_mul, y, ash_ox_map2(m, ASH_FN_sub, g, sum)));
}

/* (probabilities - labels) / batch^2, as Deeploy's kernel has it */
static void read_cross_entropy_grad(ash_ox *m) {
  const uint32_t logs = ash_ox_in(m, 0);
  const uint32_t labels = ash_ox_in(m, 1);
  const ash_type type = ash_ox_type(m, labels);
  const ash_shape s = *ash_ox_shape(m, logs);
  const uint32_t column =
      ash_ox_reshape(m, labels, (ash_shape){2, {s.dim[0], 1}});
  const uint32_t hit =
      ash_ox_cast(m,
                  ash_ox_map2(m, ASH_FN_equal, column,
                              ash_ox_iota(m, type, s.dim[1], 2, 1)),
                  ash_ox_type(m, logs));
  const uint32_t d =
      ash_ox_map2(m, ASH_FN_sub, ash_ox_map1(m, ASH_FN_exp, logs), hit);
  ash_ox_out(m, 0, ash_ox_with(m, ASH_FN_div, d, (double)s.dim[0] * s.dim[0]));
}

/* Gradient, input, scale, bias; by the input. */
static void read_layer_norm_grad(ash_ox *m) {
  const uint32_t g = ash_ox_in(m, 0), x = ash_ox_in(m, 1);
  const uint32_t axes = last_axis(m, x);
  const uint32_t mean = ash_ox_fold(m, ASH_FOLD_MEAN, x, axes, true);
  const uint32_t d = ash_ox_map2(m, ASH_FN_sub, x, mean);
  const uint32_t variance = ash_ox_fold(
      m, ASH_FOLD_MEAN, ash_ox_map2(m, ASH_FN_mul, d, d), axes, true);
  const uint32_t root =
      ash_ox_map1(m, ASH_FN_sqrt,
                  ash_ox_with(m, ASH_FN_add, variance,
                              ash_ox_float(m, "epsilon", (double)1e-5f)));
  const uint32_t unit = ash_ox_map2(m, ASH_FN_div, d, root);
  const uint32_t gw = ash_ox_map2(m, ASH_FN_mul, g, ash_ox_in(m, 2));
  const uint32_t a = ash_ox_fold(m, ASH_FOLD_MEAN, gw, axes, true);
  const uint32_t b = ash_ox_fold(
      m, ASH_FOLD_MEAN, ash_ox_map2(m, ASH_FN_mul, gw, unit), axes, true);
  const uint32_t inner =
      ash_ox_map2(m, ASH_FN_sub, ash_ox_map2(m, ASH_FN_sub, gw, a),
                  ash_ox_map2(m, ASH_FN_mul, unit, b));
  ash_ox_out(m, 0, ash_ox_map2(m, ASH_FN_div, inner, root));
}

/* g (Phi(x) + x phi(x)) */
static void read_gelu_grad(ash_ox *m) {
  const uint32_t g = ash_ox_in(m, 0), x = ash_ox_in(m, 1);
  const uint32_t e = ash_ox_map1(
      m, ASH_FN_erf, ash_ox_with(m, ASH_FN_mul, x, 0.7071067811865476));
  const uint32_t below =
      ash_ox_with(m, ASH_FN_mul, ash_ox_with(m, ASH_FN_add, e, 1), 0.5);
  const uint32_t square = ash_ox_map2(m, ASH_FN_mul, x, x);
  const uint32_t density = ash_ox_with(
      m, ASH_FN_mul,
      ash_ox_map1(m, ASH_FN_exp, ash_ox_with(m, ASH_FN_mul, square, -0.5)),
      0.3989422804014327);
  const uint32_t slope =
      ash_ox_map2(m, ASH_FN_add, below, ash_ox_map2(m, ASH_FN_mul, x, density));
  ash_ox_out(m, 0, ash_ox_map2(m, ASH_FN_mul, g, slope));
}

const ash_ox_handler ash_ox_deeploy[] = {
    {"RequantShift", read_requant_shift},
    {"iGELU", read_gelu},
    {"iHardswish", read_hardswish},
    {"iSoftmax", read_softmax},
    {"ITAMax", read_ita_max},
    {"ITAPartialMax", read_ita_partial_max},
    {"iLayerNorm", read_layer_norm},
    {"iRMSNorm", read_rms_norm},
    {"iNoNorm", read_no_norm},
    {"IntegerMean", ash_ox_integer_mean},
    {"IntegerDiv", read_integer_div},
    {"TrueIntegerDiv", read_true_div},
    {"SGD", read_sgd},
    {"SoftmaxGrad", read_softmax_grad},
    {"SoftmaxCrossEntropyLossGrad", read_cross_entropy_grad},
    {"LayerNormalizationGrad", read_layer_norm_grad},
    {"GeluGrad", read_gelu_grad},
    {NULL, NULL},
};

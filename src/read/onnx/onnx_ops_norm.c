/* onnx_ops_norm.c - normalisations and softmax, from sums and arithmetic. */
#include "read/onnx/onnx_import.h"

#include <string.h>

/* [C] as [1, C, 1, ..] */
static uint32_t per_channel(ash_ox *m, uint32_t v, uint32_t rank) {
  ash_shape s = {.rank = rank};
  for (uint32_t i = 0; i < rank; i++)
    s.dim[i] = i == 1 ? ash_ox_dim(m, v, 0) : 1;
  return ash_ox_reshape(m, v, s);
}

/* old * momentum + new * (1 - momentum) */
static uint32_t mixed(ash_ox *m, uint32_t old, uint32_t new_value) {
  const double momentum = ash_ox_float(m, "momentum", (double)0.9f);
  const uint32_t list = ash_ox_reshape(m, new_value, *ash_ox_shape(m, old));
  return ash_ox_map2(m, ASH_FN_add, ash_ox_with(m, ASH_FN_mul, old, momentum),
                     ash_ox_with(m, ASH_FN_mul, list, 1 - momentum));
}

/* Statistics of this batch, and running ones brought up to date. */
static void train_batch_norm(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0), rank = ash_ox_rank(m, x);
  const uint32_t axes = ((1u << rank) - 1) & ~2u;
  const uint32_t mean = ash_ox_fold(m, ASH_FOLD_MEAN, x, axes, true);
  const uint32_t d = ash_ox_map2(m, ASH_FN_sub, x, mean);
  const uint32_t variance = ash_ox_fold(
      m, ASH_FOLD_MEAN, ash_ox_map2(m, ASH_FN_mul, d, d), axes, true);
  const uint32_t spread =
      ash_ox_map1(m, ASH_FN_sqrt,
                  ash_ox_with(m, ASH_FN_add, variance,
                              ash_ox_float(m, "epsilon", (double)1e-5f)));
  const uint32_t y =
      ash_ox_map2(m, ASH_FN_mul, ash_ox_map2(m, ASH_FN_div, d, spread),
                  per_channel(m, ash_ox_in(m, 1), rank));
  ash_ox_out(
      m, 0,
      ash_ox_map2(m, ASH_FN_add, y, per_channel(m, ash_ox_in(m, 2), rank)));
  ash_ox_out(m, 1, mixed(m, ash_ox_in(m, 3), mean));
  ash_ox_out(m, 2, mixed(m, ash_ox_in(m, 4), variance));
}

static void read_batch_norm(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0), rank = ash_ox_rank(m, x);
  const double epsilon = ash_ox_float(m, "epsilon", (double)1e-5f);
  if (ash_ox_int(m, "training_mode", 0)) {
    train_batch_norm(m);
    return;
  }
  const uint32_t spread = ash_ox_map1(
      m, ASH_FN_sqrt, ash_ox_with(m, ASH_FN_add, ash_ox_in(m, 4), epsilon));
  const uint32_t scale = ash_ox_map2(m, ASH_FN_div, ash_ox_in(m, 1), spread);
  const uint32_t shift =
      ash_ox_map2(m, ASH_FN_sub, ash_ox_in(m, 2),
                  ash_ox_map2(m, ASH_FN_mul, ash_ox_in(m, 3), scale));
  const uint32_t y = ash_ox_map2(m, ASH_FN_mul, x, per_channel(m, scale, rank));
  ash_ox_out(m, 0, ash_ox_map2(m, ASH_FN_add, y, per_channel(m, shift, rank)));
}

/* (x - mean) / sqrt(variance + epsilon) over some axes. */
static uint32_t standardise(ash_ox *m, uint32_t x, uint32_t axes,
                            double epsilon, uint32_t *mean, uint32_t *inverse) {
  *mean = ash_ox_fold(m, ASH_FOLD_MEAN, x, axes, true);
  const uint32_t d = ash_ox_map2(m, ASH_FN_sub, x, *mean);
  const uint32_t variance = ash_ox_fold(
      m, ASH_FOLD_MEAN, ash_ox_map2(m, ASH_FN_mul, d, d), axes, true);
  *inverse =
      ash_ox_map1(m, ASH_FN_reciprocal,
                  ash_ox_map1(m, ASH_FN_sqrt,
                              ash_ox_with(m, ASH_FN_add, variance, epsilon)));
  return ash_ox_map2(m, ASH_FN_mul, d, *inverse);
}

static void read_layer_norm(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0), rank = ash_ox_rank(m, x);
  const uint32_t axis = ash_ox_axis(m, ash_ox_int(m, "axis", -1), rank);
  const uint32_t axes = ((1u << rank) - 1) & ~((1u << axis) - 1);
  uint32_t mean, inverse;
  uint32_t y = standardise(
      m, x, axes, ash_ox_float(m, "epsilon", (double)1e-5f), &mean, &inverse);
  y = ash_ox_map2(m, ASH_FN_mul, y, ash_ox_in(m, 1));
  if (ash_ox_has(m, 2))
    y = ash_ox_map2(m, ASH_FN_add, y, ash_ox_in(m, 2));
  ash_ox_out(m, 0, y);
  ash_ox_out(m, 1, mean);
  ash_ox_out(m, 2, inverse);
}

static void read_instance_norm(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0), rank = ash_ox_rank(m, x);
  uint32_t mean, inverse;
  const uint32_t y =
      standardise(m, x, ((1u << rank) - 1) & ~3u,
                  ash_ox_float(m, "epsilon", (double)1e-5f), &mean, &inverse);
  ash_ox_out(m, 0,
             ash_ox_map2(m, ASH_FN_add,
                         ash_ox_map2(m, ASH_FN_mul, y,
                                     per_channel(m, ash_ox_in(m, 1), rank)),
                         per_channel(m, ash_ox_in(m, 2), rank)));
}

/* Before operator set 21 scale and bias belonged to groups. */
static void read_group_norm(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const ash_shape s = *ash_ox_shape(m, x);
  const int64_t groups = ash_ox_int(m, "num_groups", 1);
  uint32_t mean, inverse, scale = ash_ox_in(m, 1), bias = ash_ox_in(m, 2);
  if (groups < 1 || s.rank < 2 || s.dim[1] % groups) {
    ash_ox_bad(m, "channels do not divide into groups");
    return;
  }
  const int32_t each = (int32_t)(s.dim[1] / groups);
  const int64_t rest = (int64_t)ash_shape_elements(&s) / s.dim[0] / groups;
  uint32_t y = ash_ox_reshape(
      m, x, (ash_shape){3, {s.dim[0], (int32_t)groups, (int32_t)rest}});
  y = standardise(m, y, 4, ash_ox_float(m, "epsilon", (double)1e-5f), &mean,
                  &inverse);
  y = ash_ox_reshape(m, y, s);
  if (ash_ox_dim(m, scale, 0) == groups && each > 1 && m->opset < 21) {
    const ash_shape wide = {2, {(int32_t)groups, each}};
    const ash_shape column = {2, {(int32_t)groups, 1}};
    const ash_shape list = {1, {s.dim[1]}};
    scale = ash_ox_reshape(
        m, ash_ox_expand(m, ash_ox_reshape(m, scale, column), &wide), list);
    bias = ash_ox_reshape(
        m, ash_ox_expand(m, ash_ox_reshape(m, bias, column), &wide), list);
  }
  y = ash_ox_map2(m, ASH_FN_mul, y, per_channel(m, scale, s.rank));
  ash_ox_out(m, 0, ash_ox_map2(m, ASH_FN_add, y, per_channel(m, bias, s.rank)));
}

static void read_rms_norm(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0), rank = ash_ox_rank(m, x);
  const uint32_t axis = ash_ox_axis(m, ash_ox_int(m, "axis", -1), rank);
  const uint32_t axes = ((1u << rank) - 1) & ~((1u << axis) - 1);
  const double epsilon =
      ash_ox_float(m, ash_ox_attr(m, "eps") ? "eps" : "epsilon", (double)1e-5f);
  const uint32_t square = ash_ox_fold(
      m, ASH_FOLD_MEAN, ash_ox_map2(m, ASH_FN_mul, x, x), axes, true);
  const uint32_t root =
      ash_ox_map1(m, ASH_FN_sqrt, ash_ox_with(m, ASH_FN_add, square, epsilon));
  const uint32_t y = ash_ox_map2(m, ASH_FN_div, x, root);
  ash_ox_out(m, 0, ash_ox_map2(m, ASH_FN_mul, y, ash_ox_in(m, 1)));
}

static void read_mean_variance(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0), rank = ash_ox_rank(m, x);
  uint32_t count, axes = 0;
  const int64_t *given = ash_ox_ints(m, "axes", &count);
  static const int64_t usual[] = {0, 2, 3};
  const int64_t *list = given ? given : usual;
  for (uint32_t i = 0; i < (given ? count : 3); i++)
    axes |= 1u << ash_ox_axis(m, list[i], rank);
  const uint32_t mean = ash_ox_fold(m, ASH_FOLD_MEAN, x, axes, true);
  const uint32_t d = ash_ox_map2(m, ASH_FN_sub, x, mean);
  const uint32_t variance = ash_ox_fold(
      m, ASH_FOLD_MEAN, ash_ox_map2(m, ASH_FN_mul, d, d), axes, true);
  const uint32_t spread = ash_ox_map1(m, ASH_FN_sqrt, variance);
  ash_ox_out(
      m, 0,
      ash_ox_map2(m, ASH_FN_div, d, ash_ox_with(m, ASH_FN_add, spread, 1e-9)));
}

/* Zeros stay zeros. */
static void read_lp_norm(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const uint32_t axes =
      1u << ash_ox_axis(m, ash_ox_int(m, "axis", -1), ash_ox_rank(m, x));
  const bool one = ash_ox_int(m, "p", 2) == 1;
  uint32_t norm = ash_ox_fold(m, one ? ASH_FOLD_SUM_ABS : ASH_FOLD_SUM_SQUARE,
                              x, axes, true);
  if (!one)
    norm = ash_ox_map1(m, ASH_FN_sqrt, norm);
  const uint32_t zero = ash_ox_scalar(m, ash_ox_type(m, x), 0);
  ash_ox_out(m, 0,
             ash_ox_map3(m, ASH_FN_select,
                         ash_ox_map2(m, ASH_FN_equal, norm, zero), zero,
                         ash_ox_map2(m, ASH_FN_div, x, norm)));
}

/* x / (bias + alpha / size * sum of squares of near channels)^beta: the sum is
 * a convolution of the squares, with channels as the axis. */
static void read_lrn(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const ash_shape s = *ash_ox_shape(m, x);
  const int64_t size = ash_ox_int(m, "size", 1);
  const double alpha = ash_ox_float(m, "alpha", (double)1e-4f);
  if (s.rank < 3 || size < 1 || size > 2ll * s.dim[1]) {
    ash_ox_refuse(m, "this size or rank");
    return;
  }
  const int32_t rest = (int32_t)(ash_shape_elements(&s) / (uint64_t)s.dim[0] /
                                 (uint64_t)s.dim[1]);
  const ash_shape image = {4, {s.dim[0], 1, s.dim[1], rest}};
  const ash_shape column = {4, {1, 1, (int32_t)size, 1}};
  const uint32_t ones =
      ash_ox_expand(m, ash_ox_scalar(m, ash_ox_type(m, x), 1), &column);
  const int64_t pad[] = {(size - 1) / 2, 0, size / 2, 0};
  uint32_t sum = ash_ox_add_op(
      m,
      &(ash_ox_op){
          .kind = ASH_OP_conv_nd,
          .inputs = {ash_ox_reshape(m, ash_ox_map2(m, ASH_FN_mul, x, x), image),
                     ones},
          .input_count = 2,
          .attrs = {ASH_INTS_ATTR("pad", pad, 4)},
          .attr_count = 1,
          .type = ash_ox_type(m, x)});
  sum = ash_ox_with(m, ASH_FN_mul, sum, alpha / (double)size);
  sum = ash_ox_with(m, ASH_FN_add, sum, ash_ox_float(m, "bias", 1));
  sum = ash_ox_with(m, ASH_FN_pow, sum, ash_ox_float(m, "beta", 0.75));
  ash_ox_out(m, 0, ash_ox_map2(m, ASH_FN_div, x, ash_ox_reshape(m, sum, s)));
}

/* ---- softmax ------------------------------------------------------------- */

/* Before operator set 13 everything from the axis on was one row. */
static uint32_t row_axes(ash_ox *m, uint32_t x) {
  const uint32_t rank = ash_ox_rank(m, x);
  const bool old = m->opset < 13 && !m->quantlib;
  const uint32_t axis =
      ash_ox_axis(m, ash_ox_int(m, "axis", old ? 1 : -1), rank);
  return old ? ((1u << rank) - 1) & ~((1u << axis) - 1) : 1u << axis;
}

static uint32_t exponentials(ash_ox *m, uint32_t x, uint32_t axes,
                             uint32_t *shifted) {
  *shifted = ash_ox_map2(m, ASH_FN_sub, x,
                         ash_ox_fold(m, ASH_FOLD_MAX, x, axes, true));
  return ash_ox_map1(m, ASH_FN_exp, *shifted);
}

/* Rows at the end: the kernel's form. */
static uint32_t softmax_rows(ash_ox *m, uint32_t x, uint32_t axes) {
  const ash_shape s = *ash_ox_shape(m, x);
  ash_shape rows = {2, {1, 1}};
  for (uint32_t i = 0; i < s.rank; i++)
    rows.dim[axes >> i & 1] *= s.dim[i];
  return ash_ox_reshape(
      m, ash_ox_unary(m, ASH_OP_softmax, ash_ox_reshape(m, x, rows)), s);
}

uint32_t ash_ox_softmax(ash_ox *m, uint32_t x, uint32_t axes) {
  const uint32_t rank = ash_ox_rank(m, x);
  const bool last = axes >> (rank - 1) & 1;
  uint32_t shifted;
  if (ash_ox_type(m, x) == ASH_FLOAT32 && last)
    return softmax_rows(m, x, axes);
  const uint32_t e = exponentials(m, x, axes, &shifted);
  return ash_ox_map2(m, ASH_FN_div, e,
                     ash_ox_fold(m, ASH_FOLD_SUM, e, axes, true));
}

uint32_t ash_ox_log_softmax(ash_ox *m, uint32_t x, uint32_t axes) {
  uint32_t shifted;
  const uint32_t e = exponentials(m, x, axes, &shifted);
  return ash_ox_map2(
      m, ASH_FN_sub, shifted,
      ash_ox_map1(m, ASH_FN_log, ash_ox_fold(m, ASH_FOLD_SUM, e, axes, true)));
}

static void read_softmax(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0), axes = row_axes(m, x);
  if (m->status == ASH_OK)
    ash_ox_out(m, 0, ash_ox_softmax(m, x, axes));
}

static void read_log_softmax(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0), axes = row_axes(m, x);
  ash_ox_out(m, 0, ash_ox_log_softmax(m, x, axes));
}

/* 1 at the first largest element of a row. */
static void read_hardmax(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0), axes = row_axes(m, x);
  const ash_shape s = *ash_ox_shape(m, x);
  ash_shape rows = {3, {1, 1, 1}};
  uint32_t part = 0;
  for (uint32_t i = 0; i < s.rank; i++) {
    part = axes >> i & 1 ? 1 : part == 1 ? 2 : part;
    rows.dim[part] *= s.dim[i];
  }
  const uint32_t flat = ash_ox_reshape(m, x, rows);
  const uint32_t best = ash_ox_fold(m, ASH_FOLD_ARG_MAX, flat, 2, true);
  const uint32_t hit = ash_ox_map2(
      m, ASH_FN_equal, best, ash_ox_iota(m, ASH_INT64, rows.dim[1], 3, 1));
  ash_ox_out(m, 0,
             ash_ox_reshape(m, ash_ox_cast(m, hit, ash_ox_type(m, x)), s));
}

/* x * scale + a bias for each channel: an operator of ONNX's first years that
 * converters from Core ML still write. */
static void read_image_scaler(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const int32_t channels = ash_ox_dim(m, x, 1);
  const ash_onnx_attr *a = ash_ox_attr(m, "bias");
  if (!a || a->kind != ASH_ONNX_FLOATS || a->count != (uint32_t)channels ||
      ash_ox_type(m, x) != ASH_FLOAT32 || ash_ox_rank(m, x) != 4) {
    ash_ox_bad(m, "the bias has another number of channels");
    return;
  }
  const uint32_t bias = ash_ox_constant(
      m, ASH_FLOAT32, (ash_shape){4, {1, channels, 1, 1}}, a->floats);
  const uint32_t y = ash_ox_with(m, ASH_FN_mul, x, ash_ox_float(m, "scale", 1));
  ash_ox_out(m, 0, ash_ox_map2(m, ASH_FN_add, y, bias));
}

/* The middle of an image, or a part of it: as old as ImageScaler. `border` is
 * what goes to the left, at the top, to the right and at the bottom; with a
 * `scale` it is where a part of that height and width begins. */
static void read_crop(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const ash_shape s = *ash_ox_shape(m, x);
  int64_t border[4], size[2];
  uint32_t given = 0;
  ash_ox_fill(m, "border", border, 4, 0);
  if (m->status == ASH_OK && s.rank != 4)
    ash_ox_bad(m, "an image needs four axes");
  if (m->status != ASH_OK)
    return;
  const int64_t *scale = ash_ox_ints(m, "scale", &given);
  size[0] = given == 2 ? scale[0] : s.dim[2] - border[1] - border[3];
  size[1] = given == 2 ? scale[1] : s.dim[3] - border[0] - border[2];
  if (border[0] < 0 || border[1] < 0 || size[0] < 1 || size[1] < 1 ||
      border[1] + size[0] > s.dim[2] || border[0] + size[1] > s.dim[3]) {
    ash_ox_bad(m, "the border leaves nothing of the image, or lies outside");
    return;
  }
  const uint32_t rows = ash_ox_slice(m, x, 2, border[1], 1, size[0]);
  ash_ox_out(m, 0, ash_ox_slice(m, rows, 3, border[0], 1, size[1]));
}

const ash_ox_handler ash_ox_norm[] = {
    {"BatchNormalization", read_batch_norm},
    {"LayerNormalization", read_layer_norm},
    {"InstanceNormalization", read_instance_norm},
    {"GroupNormalization", read_group_norm},
    {"RMSNormalization", read_rms_norm},
    {"RMSNorm", read_rms_norm},
    {"MeanVarianceNormalization", read_mean_variance},
    {"LpNormalization", read_lp_norm},
    {"LRN", read_lrn},
    {"Softmax", read_softmax},
    {"LogSoftmax", read_log_softmax},
    {"Hardmax", read_hardmax},
    {"ImageScaler", read_image_scaler},
    {"Crop", read_crop},
    {NULL, NULL},
};

/* ml_machines.c - linear models and support vector machines. */
#include "read/onnx/ml/ml.h"

#include <string.h>

/* ---- linear models ------------------------------------------------------- */

static void read_linear_regressor(ash_ox *m) {
  const int32_t targets = (int32_t)ash_ox_int(m, "targets", 1);
  const uint32_t x = ash_ml_rows(m, 0);
  if (m->status == ASH_OK && targets < 1)
    ash_ox_bad(m, "it has no target");
  const uint32_t y =
      ash_ml_product(m, x, "coefficients", "intercepts", targets);
  if (m->status == ASH_OK)
    ash_ox_out(m, 0, ash_ml_transform(m, y));
}

static uint32_t best_of(ash_ox *m, uint32_t scores) {
  return ash_ox_fold(m, ASH_FOLD_ARG_MAX, scores, 2, false);
}

/* [rows, 1] above 0, as the number of a class. */
static uint32_t is_positive(ash_ox *m, uint32_t score) {
  const uint32_t yes =
      ash_ox_cast(m, ash_ox_with(m, ASH_FN_greater, score, 0), ASH_INT64);
  return ash_ox_reshape(m, yes, (ash_shape){1, {ash_ox_dim(m, score, 0)}});
}

static void read_linear_classifier(ash_ox *m) {
  const uint32_t x = ash_ml_rows(m, 0);
  const int32_t scores = (int32_t)(ash_ml_count(m, "coefficients") /
                                   (uint32_t)ash_ox_dim(m, x, 1));
  const uint32_t y = ash_ml_product(m, x, "coefficients", "intercepts",
                                    scores > 0 ? scores : 1);
  if (m->status != ASH_OK)
    return;
  if (scores > 1) {
    ash_ml_put_labels(m, best_of(m, y));
    ash_ox_out(m, 1, ash_ml_transform(m, y));
    return;
  }
  if (!ash_ox_is(m, "post_transform", "NONE", "NONE"))
    ash_ox_refuse(m, "a post_transform of one score");
  ash_ml_put_labels(m, is_positive(m, y));
  const uint32_t rest =
      ash_ox_map2(m, ASH_FN_sub, ash_ox_scalar(m, ASH_FLOAT32, 1), y);
  ash_ox_out(m, 1, ash_ml_classes(m) == 2 ? ash_ml_both(m, rest, y) : y);
}

/* ---- support vector machines --------------------------------------------- */

/* Gamma, the constant and the degree. */
static double kernel_param(const ash_ox *m, uint32_t k) {
  const ash_onnx_attr *a = ash_ox_attr(m, "kernel_params");
  return a && a->kind == ASH_ONNX_FLOATS && k < a->count ? (double)a->floats[k]
                                                         : 0;
}

/* |x - v|^2, difference by difference. */
static uint32_t differences(ash_ox *m, uint32_t x, uint32_t v) {
  const ash_shape s = *ash_ox_shape(m, v);
  const ash_shape row = {3, {ash_ox_dim(m, x, 0), 1, s.dim[1]}};
  const ash_shape wide = {3, {1, s.dim[0], s.dim[1]}};
  const uint32_t d = ash_ox_map2(m, ASH_FN_sub, ash_ox_reshape(m, x, row),
                                 ash_ox_reshape(m, v, wide));
  return ash_ox_fold(m, ASH_FOLD_SUM_SQUARE, d, 4, false);
}

/* The same as |x|^2 - 2 x v + |v|^2, which needs no room for differences. */
static uint32_t products(ash_ox *m, uint32_t x, uint32_t v) {
  const uint32_t far =
      ash_ox_reshape(m, ash_ox_fold(m, ASH_FOLD_SUM_SQUARE, v, 2, false),
                     (ash_shape){1, {ash_ox_dim(m, v, 0)}});
  const uint32_t y = ash_ox_dense(m, x, ash_ox_with(m, ASH_FN_mul, v, -2), far);
  const uint32_t sum = ash_ox_map2(
      m, ASH_FN_add, y, ash_ox_fold(m, ASH_FOLD_SUM_SQUARE, x, 2, true));
  return ash_ox_with(m, ASH_FN_maximum, sum, 0);
}

/* exp(-gamma |x - v|^2). Both are taken from the vectors' mean; products are
 * exact enough where squares are not far larger than what matters to the
 * exponential: their error in float32 is below 1e-5 then. */
static uint32_t radial(ash_ox *m, uint32_t x, int32_t vectors) {
  enum { SQUARES_MAX = 32 };
  const double gamma = kernel_param(m, 0);
  const uint32_t all = ash_ml_floats(
      m, "support_vectors", (ash_shape){2, {vectors, ash_ox_dim(m, x, 1)}});
  const uint32_t mean = ash_ox_fold(m, ASH_FOLD_MEAN, all, 1, true);
  const uint32_t v = ash_ox_map2(m, ASH_FN_sub, all, mean);
  const uint32_t squares = ash_ox_fold(m, ASH_FOLD_SUM_SQUARE, v, 2, false);
  double most = 0;
  for (int32_t i = 0; m->status == ASH_OK && i < vectors; i++)
    if (ash_ox_value(m, squares, (uint64_t)i) > most)
      most = ash_ox_value(m, squares, (uint64_t)i);
  const uint32_t near_by = ash_ox_map2(m, ASH_FN_sub, x, mean);
  const uint32_t far = gamma * most <= SQUARES_MAX ? products(m, near_by, v)
                                                   : differences(m, near_by, v);
  return ash_ox_map1(m, ASH_FN_exp, ash_ox_with(m, ASH_FN_mul, far, -gamma));
}

/* The kernel of each row with each support vector, [rows, vectors]. */
static uint32_t kernels(ash_ox *m, uint32_t x, int32_t vectors) {
  if (ash_ox_is(m, "kernel_type", "RBF", "LINEAR"))
    return radial(m, x, vectors);
  const uint32_t dot = ash_ml_product(m, x, "support_vectors", "", vectors);
  if (ash_ox_is(m, "kernel_type", "LINEAR", "LINEAR"))
    return dot;
  const uint32_t y = ash_ox_with(
      m, ASH_FN_add, ash_ox_with(m, ASH_FN_mul, dot, kernel_param(m, 0)),
      kernel_param(m, 1));
  if (ash_ox_is(m, "kernel_type", "POLY", ""))
    return ash_ox_with(m, ASH_FN_pow, y, kernel_param(m, 2));
  return ash_ox_map1(m, ASH_FN_tanh, y);
}

static void read_svm_regressor(ash_ox *m) {
  const uint32_t x = ash_ml_rows(m, 0);
  const int32_t vectors = (int32_t)ash_ox_int(m, "n_supports", 0);
  if (vectors < 0)
    ash_ox_bad(m, "n_supports is negative");
  if (m->status != ASH_OK)
    return;
  const uint32_t sum =
      vectors ? ash_ml_product(m, kernels(m, x, vectors), "coefficients", "", 1)
              : ash_ml_product(m, x, "coefficients", "", 1);
  uint32_t y = ash_ox_map2(m, ASH_FN_add, sum,
                           ash_ml_floats(m, "rho", (ash_shape){2, {1, 1}}));
  if (ash_ox_int(m, "one_class", 0))
    y = ash_ox_map3(m, ASH_FN_select, ash_ox_with(m, ASH_FN_greater, y, 0),
                    ash_ox_scalar(m, ASH_FLOAT32, 1),
                    ash_ox_scalar(m, ASH_FLOAT32, -1));
  if (!ash_ox_is(m, "post_transform", "NONE", "NONE"))
    ash_ox_refuse(m, "a post_transform of one score");
  ash_ox_out(m, 0, y);
}

/* Classes in pairs 0 1, 0 2, .. 1 2, ..: the vectors of both decide. */
typedef struct pairs {
  int32_t classes, count, vectors;
  const int64_t *of_class; /* vectors of each class */
} pairs;

static bool open_pairs(ash_ox *m, pairs *p) {
  uint32_t listed;
  int64_t all = 0;
  p->classes = (int32_t)ash_ml_classes(m);
  p->count = p->classes * (p->classes - 1) / 2;
  p->of_class = ash_ox_ints(m, "vectors_per_class", &listed);
  for (uint32_t i = 0; p->of_class && i < listed; i++) {
    if (p->of_class[i] < 0 || p->of_class[i] > INT32_MAX - all) {
      ash_ox_bad(m, "a number of vectors is impossible");
      return false;
    }
    all += p->of_class[i];
  }
  p->vectors = (int32_t)all;
  if (p->classes < 2 || p->classes > 1024 ||
      (all > 0 && listed != (uint32_t)p->classes))
    ash_ox_bad(m, "classes and lists of vectors differ in number");
  if (m->status == ASH_OK && all == 0)
    ash_ox_refuse(m, "a machine without support vectors");
  return m->status == ASH_OK;
}

/* The coefficients as weights of a layer: [pairs, vectors], 0 for the vectors
 * of other classes. The file has them as [classes - 1, vectors], without the
 * row in which a class would meet itself. */
static uint32_t pair_weights(ash_ox *m, const pairs *p) {
  const ash_shape file = {2, {p->classes - 1, p->vectors}};
  const uint32_t from = ash_ml_floats(m, "coefficients", file);
  const size_t row = (size_t)p->vectors;
  float *w = ASH_NEW_ARRAY(&m->ctx->scratch, float, row *(size_t)p->count + 1);
  if (m->status == ASH_OK)
    m->status = ash_zone_check(m->ctx, &m->ctx->scratch);
  if (m->status != ASH_OK)
    return ASH_NO_ID;
  float *to = w;
  size_t first = 0;
  for (int32_t i = 0; i < p->classes; first += (size_t)p->of_class[i++]) {
    size_t second = first + (size_t)p->of_class[i];
    for (int32_t j = i + 1; j < p->classes; j++, to += row) {
      for (size_t v = first; v < first + (size_t)p->of_class[i]; v++)
        to[v] = (float)ash_ox_value(m, from, (size_t)(j - 1) * row + v);
      for (size_t v = second; v < second + (size_t)p->of_class[j]; v++)
        to[v] = (float)ash_ox_value(m, from, (size_t)i * row + v);
      second += (size_t)p->of_class[j];
    }
  }
  return ash_ox_constant(m, ASH_FLOAT32, (ash_shape){2, {p->count, p->vectors}},
                         w);
}

/* 1 where a class is the first (or second) of a pair: [classes, pairs]. */
static uint32_t members(ash_ox *m, const pairs *p, bool second) {
  const size_t n = (size_t)p->count;
  float *w = ASH_NEW_ARRAY(&m->ctx->scratch, float, n *(size_t)p->classes + 1);
  m->status = ash_zone_check(m->ctx, &m->ctx->scratch);
  if (m->status != ASH_OK)
    return ASH_NO_ID;
  size_t at = 0;
  for (int32_t i = 0; i < p->classes; i++)
    for (int32_t j = i + 1; j < p->classes; j++, at++)
      w[(size_t)(second ? j : i) * n + at] = 1;
  return ash_ox_constant(m, ASH_FLOAT32, (ash_shape){2, {p->classes, p->count}},
                         w);
}

/* Each pair has one vote; the first class of the most votes wins. */
static uint32_t elected(ash_ox *m, const pairs *p, uint32_t scores) {
  const uint32_t first =
      ash_ox_cast(m, ash_ox_with(m, ASH_FN_greater, scores, 0), ASH_FLOAT32);
  const uint32_t second =
      ash_ox_map2(m, ASH_FN_sub, ash_ox_scalar(m, ASH_FLOAT32, 1), first);
  const uint32_t votes = ash_ox_map2(
      m, ASH_FN_add, ash_ox_dense(m, first, members(m, p, false), ASH_NO_ID),
      ash_ox_dense(m, second, members(m, p, true), ASH_NO_ID));
  return best_of(m, votes);
}

/* Platt's sigmoid of each pair, then the probabilities of the classes. */
static uint32_t probabilities(ash_ox *m, const pairs *p, uint32_t scores) {
  const ash_shape row = {2, {1, p->count}};
  const uint32_t x = ash_ox_map2(
      m, ASH_FN_add,
      ash_ox_map2(m, ASH_FN_mul, scores, ash_ml_floats(m, "prob_a", row)),
      ash_ml_floats(m, "prob_b", row));
  const uint32_t r = ash_ox_map3(
      m, ASH_FN_clip,
      ash_ox_map1(m, ASH_FN_logistic, ash_ox_map1(m, ASH_FN_neg, x)),
      ash_ox_scalar(m, ASH_FLOAT32, (double)1e-7f),
      ash_ox_scalar(m, ASH_FLOAT32, (double)(1 - 1e-7f)));
  return ash_ox_add_op(
      m, &(ash_ox_op){.kind = ASH_OP_pairwise_coupling,
                      .inputs = {r},
                      .input_count = 1,
                      .attrs = {ASH_INT_ATTR("classes", p->classes)},
                      .attr_count = 1,
                      .type = ASH_FLOAT32});
}

static void read_svm_classifier(ash_ox *m) {
  const uint32_t x = ash_ml_rows(m, 0);
  pairs p;
  if (m->status != ASH_OK || !open_pairs(m, &p))
    return;
  const uint32_t bias = ash_ml_floats(m, "rho", (ash_shape){1, {p.count}});
  const uint32_t scores =
      ash_ox_dense(m, kernels(m, x, p.vectors), pair_weights(m, &p), bias);
  if (m->status != ASH_OK)
    return;
  ash_ml_put_labels(m, elected(m, &p, scores));
  if (ash_ml_count(m, "prob_a"))
    ash_ox_out(m, 1, ash_ml_transform(m, probabilities(m, &p, scores)));
  else if (p.classes > 2)
    ash_ox_out(m, 1, ash_ml_transform(m, scores));
  else if (ash_ox_is(m, "post_transform", "NONE", "NONE"))
    ash_ox_out(m, 1,
               ash_ml_both(m, ash_ox_map1(m, ASH_FN_neg, scores), scores));
  else
    ash_ox_refuse(m, "a post_transform of one score");
}

const ash_ox_handler ash_ml_machines[] = {
    {"LinearRegressor", read_linear_regressor},
    {"LinearClassifier", read_linear_classifier},
    {"SVMRegressor", read_svm_regressor},
    {"SVMClassifier", read_svm_classifier},
    {NULL, NULL},
};

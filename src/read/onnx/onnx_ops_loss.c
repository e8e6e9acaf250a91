/* onnx_ops_loss.c - losses and steps of training. Labels select by a mask that
 * is 1 where the class is the label. */
#include "read/onnx/onnx_import.h"

#include <string.h>

/* [N, C, d..]: 1 at the label's class; 0 all over where it is ignored. */
static uint32_t mask_of(ash_ox *m, uint32_t x, uint32_t labels) {
  const ash_shape s = *ash_ox_shape(m, x);
  ash_shape wide = s;
  wide.dim[1] = 1;
  const ash_type type = ash_ox_type(m, labels);
  const uint32_t label = ash_ox_reshape(m, labels, wide);
  uint32_t hit = ash_ox_map2(m, ASH_FN_equal, label,
                             ash_ox_iota(m, type, s.dim[1], s.rank, 1));
  const int64_t ignored = ash_ox_int(m, "ignore_index", -1);
  if (ash_ox_attr(m, "ignore_index") && ignored >= 0 && ignored < s.dim[1]) {
    const uint32_t same = ash_ox_with(m, ASH_FN_equal, label, (double)ignored);
    hit = ash_ox_map2(m, ASH_FN_logical_and, hit,
                      ash_ox_map1(m, ASH_FN_logical_not, same));
  }
  return ash_ox_cast(m, hit, ash_ox_type(m, x));
}

static uint32_t all_axes(const ash_ox *m, uint32_t x) {
  return (1u << ash_ox_rank(m, x)) - 1;
}

static uint32_t likelihood_loss(ash_ox *m, uint32_t x, uint32_t labels,
                                uint32_t weights) {
  const uint32_t rank = ash_ox_rank(m, x);
  uint32_t mask = mask_of(m, x, labels);
  if (weights != ASH_NO_ID) {
    ash_shape s = {.rank = rank};
    for (uint32_t i = 0; i < rank; i++)
      s.dim[i] = i == 1 ? ash_ox_dim(m, weights, 0) : 1;
    mask = ash_ox_map2(m, ASH_FN_mul, mask, ash_ox_reshape(m, weights, s));
  }
  const uint32_t loss =
      ash_ox_map1(m, ASH_FN_neg,
                  ash_ox_fold(m, ASH_FOLD_SUM,
                              ash_ox_map2(m, ASH_FN_mul, x, mask), 2, false));
  if (ash_ox_is(m, "reduction", "none", "mean"))
    return loss;
  const uint32_t sum =
      ash_ox_fold(m, ASH_FOLD_SUM, loss, all_axes(m, loss), false);
  if (ash_ox_is(m, "reduction", "sum", "mean"))
    return sum;
  const bool counted = weights != ASH_NO_ID || ash_ox_attr(m, "ignore_index");
  if (!counted)
    return ash_ox_with(m, ASH_FN_div, sum,
                       (double)ash_shape_elements(ash_ox_shape(m, loss)));
  return ash_ox_map2(
      m, ASH_FN_div, sum,
      ash_ox_fold(m, ASH_FOLD_SUM, mask, all_axes(m, mask), false));
}

static bool check_labels(ash_ox *m, uint32_t x, uint32_t labels) {
  const ash_shape *s = ash_ox_shape(m, x);
  if (m->status == ASH_OK &&
      (s->rank < 2 || ash_ox_rank(m, labels) + 1 != s->rank))
    ash_ox_bad(m, "scores and labels differ in rank");
  return m->status == ASH_OK;
}

static void read_nll(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0), labels = ash_ox_in(m, 1);
  if (check_labels(m, x, labels))
    ash_ox_out(m, 0,
               likelihood_loss(m, x, labels, ash_ox_in_or(m, 2, ASH_NO_ID)));
}

/* Deeploy's form has the logarithms as its first output: by its shape. */
static bool wants_logs(const ash_ox *m, uint32_t x) {
  const ash_onnx_graph *g = &m->model->graph;
  const char *name = m->node->output_count ? m->node->outputs[0] : "";
  for (uint32_t i = 0; i < g->output_count + g->value_count; i++) {
    const ash_onnx_value *v =
        i < g->output_count ? &g->outputs[i] : &g->values[i - g->output_count];
    if (strcmp(v->name, name) == 0)
      return v->has_shape && v->rank == ash_ox_rank(m, x);
  }
  return false;
}

static void read_cross_entropy(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0), labels = ash_ox_in(m, 1);
  if (!check_labels(m, x, labels))
    return;
  const uint32_t logs = ash_ox_log_softmax(m, x, 2);
  if (wants_logs(m, x)) {
    ash_ox_out(m, 0, logs);
    return;
  }
  ash_ox_out(m, 0,
             likelihood_loss(m, logs, labels, ash_ox_in_or(m, 2, ASH_NO_ID)));
  ash_ox_out(m, 1, logs);
}

/* ---- steps of training ------------------------------------------------------
 * Inputs R, T, then X.., G.., states..; outputs X.., states... */

static uint32_t scaled(ash_ox *m, uint32_t x, double by) {
  return ash_ox_with(m, ASH_FN_mul, x, by);
}

static uint32_t sum_of(ash_ox *m, uint32_t a, uint32_t b) {
  return ash_ox_map2(m, ASH_FN_add, a, b);
}

static uint32_t number(ash_ox *m, uint32_t k) { /* input k as a scalar */
  return ash_ox_reshape(m, ash_ox_in(m, k), (ash_shape){0});
}

static void read_adagrad(ash_ox *m) {
  const uint32_t n = (m->node->input_count - 2) / 3;
  const double decay = ash_ox_float(m, "decay_factor", 0);
  const uint32_t t = ash_ox_cast(m, number(m, 1), ASH_FLOAT32);
  const uint32_t rate =
      ash_ox_map2(m, ASH_FN_div, number(m, 0),
                  ash_ox_with(m, ASH_FN_add, scaled(m, t, decay), 1));
  for (uint32_t k = 0; k < n && m->status == ASH_OK; k++) {
    const uint32_t x = ash_ox_in(m, 2 + k);
    const uint32_t g =
        sum_of(m, scaled(m, x, ash_ox_float(m, "norm_coefficient", 0)),
               ash_ox_in(m, 2 + n + k));
    const uint32_t h = sum_of(m, ash_ox_in(m, 2 + 2 * n + k),
                              ash_ox_map2(m, ASH_FN_mul, g, g));
    const uint32_t root =
        ash_ox_with(m, ASH_FN_add, ash_ox_map1(m, ASH_FN_sqrt, h),
                    ash_ox_float(m, "epsilon", (double)1e-6f));
    const uint32_t step =
        ash_ox_map2(m, ASH_FN_div, ash_ox_map2(m, ASH_FN_mul, g, rate), root);
    ash_ox_out(m, k, ash_ox_map2(m, ASH_FN_sub, x, step));
    ash_ox_out(m, n + k, h);
  }
}

static void read_momentum(ash_ox *m) {
  const uint32_t n = (m->node->input_count - 2) / 3;
  const double alpha = ash_ox_float(m, "alpha", 0);
  const double beta = ash_ox_float(m, "beta", 0);
  const bool nesterov = ash_ox_is(m, "mode", "nesterov", "standard");
  /* The first step takes the gradient whole. */
  const uint32_t first = ash_ox_with(m, ASH_FN_equal, number(m, 1), 0);
  const uint32_t part =
      ash_ox_map3(m, ASH_FN_select, first, ash_ox_scalar(m, ASH_FLOAT32, 1),
                  ash_ox_scalar(m, ASH_FLOAT32, beta));
  for (uint32_t k = 0; k < n && m->status == ASH_OK; k++) {
    const uint32_t x = ash_ox_in(m, 2 + k);
    const uint32_t g =
        sum_of(m, scaled(m, x, ash_ox_float(m, "norm_coefficient", 0)),
               ash_ox_in(m, 2 + n + k));
    const uint32_t v = sum_of(m, scaled(m, ash_ox_in(m, 2 + 2 * n + k), alpha),
                              ash_ox_map2(m, ASH_FN_mul, g, part));
    const uint32_t step = nesterov ? sum_of(m, g, scaled(m, v, alpha)) : v;
    ash_ox_out(m, k,
               ash_ox_map2(m, ASH_FN_sub, x,
                           ash_ox_map2(m, ASH_FN_mul, step, number(m, 0))));
    ash_ox_out(m, n + k, v);
  }
}

/* The rate, corrected for the start once the step number is above 0. */
static uint32_t adam_rate(ash_ox *m, double alpha, double beta) {
  const uint32_t t = ash_ox_cast(m, number(m, 1), ASH_FLOAT32);
  const uint32_t one = ash_ox_scalar(m, ASH_FLOAT32, 1);
  const uint32_t a = ash_ox_map2(
      m, ASH_FN_sub, one,
      ash_ox_map2(m, ASH_FN_pow, ash_ox_scalar(m, ASH_FLOAT32, alpha), t));
  const uint32_t b = ash_ox_map2(
      m, ASH_FN_sub, one,
      ash_ox_map2(m, ASH_FN_pow, ash_ox_scalar(m, ASH_FLOAT32, beta), t));
  const uint32_t corrected = ash_ox_map2(
      m, ASH_FN_div,
      ash_ox_map2(m, ASH_FN_mul, number(m, 0), ash_ox_map1(m, ASH_FN_sqrt, b)),
      a);
  return ash_ox_map3(m, ASH_FN_select, ash_ox_with(m, ASH_FN_greater, t, 0),
                     corrected, number(m, 0));
}

static void read_adam(ash_ox *m) {
  const uint32_t n = (m->node->input_count - 2) / 4;
  const double alpha = ash_ox_float(m, "alpha", (double)0.9f);
  const double beta = ash_ox_float(m, "beta", (double)0.999f);
  const uint32_t rate = adam_rate(m, alpha, beta);
  for (uint32_t k = 0; k < n && m->status == ASH_OK; k++) {
    const uint32_t x = ash_ox_in(m, 2 + k);
    const uint32_t g =
        sum_of(m, scaled(m, x, ash_ox_float(m, "norm_coefficient", 0)),
               ash_ox_in(m, 2 + n + k));
    const uint32_t v = sum_of(m, scaled(m, ash_ox_in(m, 2 + 2 * n + k), alpha),
                              scaled(m, g, 1 - alpha));
    const uint32_t h =
        sum_of(m, scaled(m, ash_ox_in(m, 2 + 3 * n + k), beta),
               scaled(m, ash_ox_map2(m, ASH_FN_mul, g, g), 1 - beta));
    const uint32_t root =
        ash_ox_with(m, ASH_FN_add, ash_ox_map1(m, ASH_FN_sqrt, h),
                    ash_ox_float(m, "epsilon", (double)1e-6f));
    uint32_t y = ash_ox_map2(
        m, ASH_FN_sub, x,
        ash_ox_map2(m, ASH_FN_div, ash_ox_map2(m, ASH_FN_mul, v, rate), root));
    y = scaled(m, y, 1 - ash_ox_float(m, "norm_coefficient_post", 0));
    ash_ox_out(m, k, y);
    ash_ox_out(m, n + k, v);
    ash_ox_out(m, 2 * n + k, h);
  }
}

const ash_ox_handler ash_ox_loss[] = {
    {"NegativeLogLikelihoodLoss", read_nll},
    {"SoftmaxCrossEntropyLoss", read_cross_entropy},
    {"Adagrad", read_adagrad},
    {"Momentum", read_momentum},
    {"Adam", read_adam},
    {NULL, NULL},
};

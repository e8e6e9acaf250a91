/* ranges_product.c - ranges of sums of products. With constant weights they are
 * exact for each output channel; taps in the padding count nothing, so 0 is
 * among what each product may be. */
#include "pass/narrow/ranges.h"

#include <string.h>

/* Which elements of the weights make output channel c: first + c * channel +
 * i * step, i < count. */
typedef struct weights {
  const ash_tensor *t;
  uint64_t channels, channel, step, count;
} weights;

static int64_t integer_at(const ash_tensor *t, uint64_t i) {
  return t->type == ASH_FLOAT32 ? (int64_t)ash_tensor_float(t, i)
                                : ash_tensor_int(t, i);
}

/* x times a weight, or nothing. */
static ash_range with_zero(ash_range r) {
  return ash_range_join(r, (ash_range){true, 0, 0});
}

static ash_range channel_range(const weights *w, uint64_t c, ash_range x) {
  ash_range sum = {true, 0, 0};
  for (uint64_t i = 0; i < w->count && sum.known; i++) {
    const int64_t v = integer_at(w->t, c * w->channel + i * w->step);
    sum = ash_range_plus(
        sum, with_zero(ash_range_times(x, (ash_range){true, v, v})));
  }
  return sum;
}

/* The bias of all channels, as they come. */
static ash_range with_bias(ash_range sum, const ash_tensor *bias, uint64_t c) {
  if (!bias)
    return sum;
  const int64_t v = integer_at(bias, c);
  return ash_range_plus(sum, (ash_range){true, v, v});
}

/* Constant weights and a constant bias. */
static ash_range exact(const weights *w, ash_range x, const ash_tensor *bias) {
  ash_range all = {false, 0, 0};
  for (uint64_t c = 0; c < w->channels; c++) {
    const ash_range r = with_bias(channel_range(w, c, x), bias, c);
    if (!r.known)
      return r;
    all = c ? ash_range_join(all, r) : r;
  }
  return all;
}

static weights weights_of(const ash_graph *g, const ash_op *op) {
  const ash_tensor *t = ash_op_in(g, op, 1);
  const ash_shape *s = &t->shape;
  const uint64_t n = ash_shape_elements(s);
  switch (op->kind) {
  case ASH_OP_depthwise_conv_2d: {
    const uint64_t c = (uint64_t)s->dim[3];
    return (weights){t, c, 1, c, n / c};
  }
  case ASH_OP_matmul: {
    const bool turned = ash_attr_int(op, "transpose_b", 0) != 0;
    const uint64_t cols = (uint64_t)s->dim[s->rank - 1];
    if (turned) /* rows, those of all batches */
      return (weights){t, n / cols, cols, 1, cols};
    const uint64_t rows = (uint64_t)s->dim[s->rank - 2];
    if (n == rows * cols)
      return (weights){t, cols, 1, cols, rows};
    return (weights){.t = NULL};
  }
  default: {
    const uint64_t c = (uint64_t)s->dim[0];
    return (weights){t, c, n / c, 1, n / c};
  }
  }
}

/* Products that make one element. */
static uint64_t depth_of(const ash_graph *g, const ash_op *op) {
  const ash_shape *a = &ash_op_in(g, op, 0)->shape;
  if (op->kind == ASH_OP_matmul)
    return (uint64_t)
        a->dim[a->rank - (ash_attr_int(op, "transpose_a", 0) ? 2 : 1)];
  return weights_of(g, op).count;
}

/* What a layer makes of its sum. */
static ash_range finished(const ash_op *op, ash_range r) {
  const char *act = ash_attr_string(op, "act", "none");
  if (strcmp(act, "relu") == 0)
    return ash_range_clamp(r, 0, INT64_MAX);
  if (strcmp(act, "relu6") == 0)
    return ash_range_clamp(r, 0, 6);
  if (strcmp(act, "relu_n1_to_1") == 0)
    return ash_range_clamp(r, -1, 1);
  return strcmp(act, "none") == 0 ? r : (ash_range){false, 0, 0};
}

ash_range ash_range_of_product(const ash_graph *g, const ash_op *op,
                               const ash_range *ranges) {
  const ash_range none = {false, 0, 0}, zero = {true, 0, 0};
  const ash_tensor *bias =
      op->kind != ASH_OP_matmul ? ash_op_in(g, op, 2) : NULL;
  const ash_range x = ranges[op->inputs[0]], w = ranges[op->inputs[1]];
  if (!x.known || !w.known || (bias && !ranges[op->inputs[2]].known))
    return none;
  const weights fixed = weights_of(g, op);
  if (fixed.t && fixed.t->data && fixed.t->kind == ASH_TENSOR_CONSTANT &&
      (!bias || (bias->data && bias->kind == ASH_TENSOR_CONSTANT)))
    return finished(op, exact(&fixed, x, bias));
  const ash_range sum =
      ash_range_sum(with_zero(ash_range_times(x, w)), depth_of(g, op));
  return finished(op, ash_range_plus(sum, bias ? ranges[op->inputs[2]] : zero));
}

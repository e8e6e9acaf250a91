/* shape_window.c - operators that move a window over height and width:
 * convolutions and pools. Arithmetic is in 64 bits, where no sum of 31-bit
 * attributes and dimensions overflows. */
#include "op/shape/shape_rule.h"
#include "op/sums.h"

#include <inttypes.h>
#include <string.h>

/* One axis of a window's walk over its input. */
typedef struct walk {
  const char *name; /* "height" */
  int64_t input, filter, stride, dilation, before, after;
} walk;

static ash_status read_walk(const ash_rule *r, walk *h, walk *w) {
  ASH_TRY(ash_rule_int(r, "stride_h", 1, 1, &h->stride));
  ASH_TRY(ash_rule_int(r, "stride_w", 1, 1, &w->stride));
  ASH_TRY(ash_rule_int(r, "dilation_h", 1, 1, &h->dilation));
  ASH_TRY(ash_rule_int(r, "dilation_w", 1, 1, &w->dilation));
  ASH_TRY(ash_rule_int(r, "pad_top", 0, 0, &h->before));
  ASH_TRY(ash_rule_int(r, "pad_left", 0, 0, &w->before));
  ASH_TRY(ash_rule_int(r, "pad_bottom", 0, 0, &h->after));
  return ash_rule_int(r, "pad_right", 0, 0, &w->after);
}

/* Number of windows along one axis. The product of filter and dilation is
 * below 2^62, so the sums below stay in range. */
static ash_status count_windows(const ash_rule *r, const walk *a,
                                int32_t *out) {
  const int64_t reach = (a->filter - 1) * a->dilation + 1;
  const int64_t room = a->input + a->before + a->after - reach;
  if (room < 0)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, window, r->op->inputs[0],
                         "a window of %" PRId64 " does not fit the padded %s "
                         "of %" PRId64,
                         reach, a->name, room + reach);
  const int64_t count = room / a->stride + 1;
  if (count > INT32_MAX)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, window, r->op->inputs[0],
                         "%" PRId64 " windows along the %s", count, a->name);
  *out = (int32_t)count;
  return ASH_OK;
}

/* Fills in the input's extents and the output's shape. */
static ash_status slide(const ash_rule *r, walk *h, walk *w, int32_t channels) {
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  h->input = in->dim[1];
  w->input = in->dim[2];
  *r->out = (ash_shape){4, {in->dim[0], 0, 0, channels}};
  ASH_TRY(count_windows(r, h, &r->out->dim[1]));
  return count_windows(r, w, &r->out->dim[2]);
}

/* Layers are float, hybrid (float with int8 weights), int8, uint8, or int16
 * with int8 weights. */
static uint32_t weight_types(ash_type in) {
  switch (in) {
  case ASH_FLOAT32:
    return ASH_T(FLOAT32) | ASH_T(INT8);
  case ASH_INT16:
    return ASH_T(INT8);
  default:
    return 1u << in;
  }
}

static uint32_t bias_types(ash_type in) {
  switch (in) {
  case ASH_FLOAT32:
    return ASH_T(FLOAT32);
  case ASH_INT16:
    return ASH_T(INT32) | ASH_T(INT64);
  default:
    return ASH_T(INT32);
  }
}

/* Bias: absent, or one value an output channel. */
static ash_status check_bias(const ash_rule *r, int32_t channels) {
  char buf[ASH_SHAPE_TEXT];
  const ash_tensor *bias = ash_op_in(r->g, r->op, 2);
  if (!bias)
    return ASH_OK;
  ASH_TRY(ash_rule_type(r, r->op->inputs[2],
                        bias_types(ash_op_in(r->g, r->op, 0)->type)));
  if (ash_shape_elements(&bias->shape) == (uint64_t)channels)
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_MALFORMED, channels, r->op->inputs[2],
                       "bias of shape %s, expected %" PRId32 " values",
                       ash_shape_text(buf, &bias->shape), channels);
}

/* Inputs of layers of integers: one value, or one per channel. */
static ash_status check_table(const ash_rule *r, uint32_t k, int32_t channels) {
  char buf[ASH_SHAPE_TEXT];
  const ash_tensor *t = ash_op_in(r->g, r->op, k);
  if (!t)
    return ASH_OK;
  ASH_TRY(ash_rule_type(r, r->op->inputs[k], ASH_T_INTEGER));
  const uint64_t n = ash_shape_elements(&t->shape);
  if (n == (uint64_t)channels || (n == 1 && k > 2))
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_MALFORMED, channels, r->op->inputs[k],
                       "values of shape %s for %" PRId32 " channels",
                       ash_shape_text(buf, &t->shape), channels);
}

bool ash_rule_finishes(const ash_rule *r) {
  return ash_attr_find(r->op, "shift") || ash_attr_find(r->op, "low") ||
         ash_attr_find(r->op, "high");
}

ash_status ash_rule_unfinished(const ash_rule *r) {
  if (!ash_rule_finishes(r))
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID,
                       "shift, low and high are for integers without scales");
}

/* Sums have 32 bits; narrower results come of factors or limits. */
ash_status ash_rule_integer_layer(const ash_rule *r, int32_t channels) {
  int64_t shift;
  ASH_TRY(ash_rule_type(r, r->op->inputs[1], ASH_T_INTEGER));
  ASH_TRY(ash_rule_type(r, r->op->outputs[0],
                        ASH_T_QUANT | ASH_T(INT32) | ASH_T(UINT16)));
  ASH_TRY(ash_rule_int(r, "shift", 0, 0, &shift));
  if (shift > 63 ||
      (!ash_op_in(r->g, r->op, 3) && (shift > 0 || ash_op_in(r->g, r->op, 4))))
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID,
                         "a shift of %" PRId64 " bits%s", shift,
                         shift > 63 ? "" : " or offsets without factors");
  if (strcmp(ash_attr_string(r->op, "act", "none"), "none") != 0)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID,
                         "an activation without scales; use low and high");
  for (uint32_t k = 2; k < r->op->input_count; k++)
    ASH_TRY(check_table(r, k, channels));
  return ASH_OK;
}

static ash_status check_weights(const ash_rule *r, uint32_t rank,
                                const ash_tensor *weights) {
  for (uint32_t i = 0; i < rank; i++)
    if (weights->shape.dim[i] < 1)
      return ASH_RULE_FAIL(r, ASH_MALFORMED, channels, r->op->inputs[1],
                           "weights with an empty axis %" PRIu32, i);
  return ASH_OK;
}

/* What convolutions and dense layers have in common. */
static ash_status check_layer(const ash_rule *r, int32_t weight_axis,
                              uint32_t rank, const ash_tensor **weights) {
  ASH_TRY(ash_rule_input(r, 1, "weights", weights));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[1], rank, rank));
  ASH_TRY(check_weights(r, rank, *weights));
  if (ash_op_is_integer_layer(r->g, r->op))
    return ash_rule_integer_layer(r, (*weights)->shape.dim[weight_axis]);
  ASH_TRY(ash_rule_type(r, r->op->inputs[0], ASH_T(FLOAT32) | ASH_T_QUANT));
  ASH_TRY(ash_rule_unfinished(r));
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_type(r, r->op->inputs[1],
                        weight_types(ash_op_in(r->g, r->op, 0)->type)));
  ASH_TRY(ash_rule_quants(r, 1));
  ASH_TRY(ash_rule_weights(r, 1, weight_axis,
                           rank == 2 || (*weights)->type == ASH_UINT8));
  ASH_TRY(ash_rule_act(r));
  return check_bias(r, (*weights)->shape.dim[weight_axis]);
}

ash_status ash_op_shape_conv_2d(const ash_rule *r) {
  const ash_tensor *weights;
  walk h = {.name = "height"}, w = {.name = "width"};
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 4, 4));
  ASH_TRY(check_layer(r, 0, 4, &weights));
  const int32_t in_c = ash_op_in(r->g, r->op, 0)->shape.dim[3];
  const int32_t out_c = weights->shape.dim[0], w_c = weights->shape.dim[3];
  const int32_t groups = in_c / w_c;
  if (in_c % w_c != 0 || groups == 0 || out_c % groups != 0)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, channels, r->op->inputs[1],
                         "weights for %" PRId32 " to %" PRId32
                         " channels, the input has %" PRId32,
                         w_c, out_c, in_c);
  ASH_TRY(read_walk(r, &h, &w));
  h.filter = weights->shape.dim[1];
  w.filter = weights->shape.dim[2];
  return slide(r, &h, &w, out_c);
}

ash_status ash_op_shape_depthwise_conv_2d(const ash_rule *r) {
  const ash_tensor *weights;
  int64_t multiplier;
  walk h = {.name = "height"}, w = {.name = "width"};
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 4, 4));
  ASH_TRY(check_layer(r, 3, 4, &weights));
  ASH_TRY(ash_rule_int(r, "multiplier", 1, 1, &multiplier));
  const int32_t in_c = ash_op_in(r->g, r->op, 0)->shape.dim[3];
  const int32_t out_c = weights->shape.dim[3];
  if (weights->shape.dim[0] != 1 || out_c != in_c * multiplier)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, channels, r->op->inputs[1],
                         "%" PRId32 " filters of %" PRId32
                         " channels, expected 1 of %" PRId32 " x %" PRId64,
                         weights->shape.dim[0], out_c, in_c, multiplier);
  ASH_TRY(read_walk(r, &h, &w));
  h.filter = weights->shape.dim[1];
  w.filter = weights->shape.dim[2];
  return slide(r, &h, &w, out_c);
}

/* The largest of integers needs no scale, as long as nothing else does. */
static bool is_integer_pool(const ash_rule *r) {
  return r->op->kind == ASH_OP_max_pool_2d &&
         ash_op_in(r->g, r->op, 0)->quant.count == 0 &&
         ash_op_out(r->g, r->op, 0)->quant.count == 0 &&
         strcmp(ash_attr_string(r->op, "act", "none"), "none") == 0;
}

ash_status ash_op_shape_pool_2d(const ash_rule *r) {
  walk h = {.name = "height"}, w = {.name = "width"};
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 4, 4));
  ASH_TRY(ash_rule_one_type(r, 1));
  if (!is_integer_pool(r))
    ASH_TRY(ash_rule_quants(r, 1));
  ASH_TRY(ash_rule_act(r));
  ASH_TRY(read_walk(r, &h, &w));
  ASH_TRY(ash_rule_int(r, "filter_h", 1, 1, &h.filter));
  ASH_TRY(ash_rule_int(r, "filter_w", 1, 1, &w.filter));
  if (h.before >= h.filter || h.after >= h.filter || w.before >= w.filter ||
      w.after >= w.filter)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, window, ASH_NO_ID,
                         "padding of a %" PRId64 "x%" PRId64
                         " pool is as large as its window",
                         h.filter, w.filter);
  return slide(r, &h, &w, ash_op_in(r->g, r->op, 0)->shape.dim[3]);
}

ash_status ash_op_shape_fully_connected(const ash_rule *r) {
  char buf[ASH_SHAPE_TEXT];
  const ash_tensor *weights;
  ASH_TRY(check_layer(r, 0, 2, &weights));
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  const int32_t depth = weights->shape.dim[1], out_c = weights->shape.dim[0];
  const uint64_t elements = ash_shape_elements(in);
  const bool keep = ash_attr_int(r->op, "keep_num_dims", 0) != 0;
  if (in->rank == 0 || elements % (uint64_t)depth != 0 ||
      (keep && in->dim[in->rank - 1] != depth))
    return ASH_RULE_FAIL(r, ASH_MALFORMED, channels, r->op->inputs[0],
                         "shape %s does not divide into rows of %" PRId32,
                         ash_shape_text(buf, in), depth);
  if (!keep) {
    *r->out = (ash_shape){2, {(int32_t)(elements / (uint64_t)depth), out_c}};
    return ASH_OK;
  }
  *r->out = *in;
  r->out->dim[in->rank - 1] = out_c;
  return ASH_OK;
}

/* The convolution from the output to the input must have that many windows. */
static ash_status check_reverse(const ash_rule *r, walk *a, int32_t out,
                                int32_t in) {
  int32_t windows = 0;
  a->input = out;
  ASH_TRY(count_windows(r, a, &windows));
  if (windows == in)
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_MALFORMED, window, r->op->outputs[0],
                       "an output %s of %" PRId32 " has %" PRId32
                       " windows, the input %" PRId32,
                       a->name, out, windows, in);
}

ash_status ash_op_shape_transpose_conv(const ash_rule *r) {
  const ash_tensor *weights;
  walk h = {.name = "height"}, w = {.name = "width"};
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 4, 4));
  ASH_TRY(ash_rule_rank(r, r->op->outputs[0], 4, 4));
  ASH_TRY(check_layer(r, 0, 4, &weights));
  const int32_t *in = ash_op_in(r->g, r->op, 0)->shape.dim;
  const int32_t *out = ash_op_out(r->g, r->op, 0)->shape.dim;
  if (weights->shape.dim[3] != in[3])
    return ASH_RULE_FAIL(r, ASH_MALFORMED, channels, r->op->inputs[1],
                         "weights for %" PRId32 " channels, the input has "
                         "%" PRId32,
                         weights->shape.dim[3], in[3]);
  ASH_TRY(read_walk(r, &h, &w));
  h.filter = weights->shape.dim[1];
  w.filter = weights->shape.dim[2];
  ASH_TRY(check_reverse(r, &h, out[1], in[1]));
  ASH_TRY(check_reverse(r, &w, out[2], in[2]));
  *r->out = (ash_shape){4, {in[0], out[1], out[2], weights->shape.dim[0]}};
  return ASH_OK;
}

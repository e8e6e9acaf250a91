/* tflite_option_plain.c - options of the other operators: activations, folds,
 * shapes, lookups and what is not TFLite's. */
#include "read/tflite/tflite_option.h"

#include <math.h>

enum { OPERATOR_CUSTOM_OPTIONS = 5 };

ash_status ash_tflite_read_act(ash_tflite_call *c) {
  return ash_tflite_put_act(c, 0);
}

/* int16 may ask for shifts where all scales are powers of two. */
ash_status ash_tflite_read_sum(ash_tflite_call *c) {
  if (ash_op_in(c->r->g, &c->op, 0)->type == ASH_INT16)
    ash_tflite_put_int(c, "pot", ash_fb_bool(&c->options, 1, true));
  return ash_tflite_put_act(c, 0);
}

ash_status ash_tflite_read_softmax(ash_tflite_call *c) {
  const float beta = ash_fb_f32(&c->options, 0, 0);
  if (!isfinite(beta))
    return ash_tflite_bad_options(c, "beta, which must be finite,", -1);
  ash_tflite_put(c, ASH_FLOAT_ATTR("beta", (double)beta));
  return ASH_OK;
}

ash_status ash_tflite_read_leaky_relu(ash_tflite_call *c) {
  const float alpha = ash_fb_f32(&c->options, 0, 0);
  if (!isfinite(alpha))
    return ash_tflite_bad_options(c, "alpha, which must be finite,", -1);
  ash_tflite_put(c, ASH_FLOAT_ATTR("alpha", (double)alpha));
  return ASH_OK;
}

/* The function is the first attribute. */
ash_status ash_tflite_read_gelu(ash_tflite_call *c) {
  if (ash_fb_bool(&c->options, 0, false))
    c->attrs[0] = ASH_STRING_ATTR("fn", "gelu_tanh");
  return ASH_OK;
}

ash_status ash_tflite_read_cast(ash_tflite_call *c) {
  const ash_type out = ash_op_out(c->r->g, &c->op, 0)->type;
  if (ash_op_in(c->r->g, &c->op, 0)->type == ASH_FLOAT32 &&
      out != ASH_FLOAT32 && out != ASH_BOOL)
    c->attrs[0] = ASH_STRING_ATTR("fn", "saturate");
  return ASH_OK;
}

/* A condition of rank 1 speaks of the first axis: the others get axes of 1. */
ash_status ash_tflite_read_select(ash_tflite_call *c) {
  ash_graph *g = c->r->g;
  const uint32_t from = c->op.inputs[0], rank = ash_tflite_shape_in(c, 1)->rank;
  ash_tensor when = g->tensors.items[from];
  if (when.shape.rank != 1 || rank < 2)
    return ASH_OK;
  while (when.shape.rank < rank)
    when.shape.dim[when.shape.rank++] = 1;
  when.id =
      ash_zone_format(&c->r->ctx->scratch, "select_%s%u_condition",
                      c->r->prefix ? c->r->prefix : "", (unsigned)c->index);
  ASH_TRY(ash_zone_check(c->r->ctx, &c->r->ctx->scratch));
  when.is_output = false;
  uint32_t to, op;
  if (when.kind != ASH_TENSOR_CONSTANT)
    when.kind = ASH_TENSOR_ACTIVATION;
  ASH_TRY(ash_graph_add_tensor(g, &to, when));
  c->op.inputs[0] = to;
  if (when.kind == ASH_TENSOR_CONSTANT)
    return ASH_OK;
  return ash_graph_add_op(g, &op,
                          (ash_op){.kind = ASH_OP_reshape,
                                   .id = when.id,
                                   .source_index = c->index,
                                   .input_count = 1,
                                   .output_count = 1,
                                   .inputs = (uint32_t[]){from},
                                   .outputs = &to});
}

ash_status ash_tflite_read_fold(ash_tflite_call *c) {
  ash_tflite_list axes;
  ASH_TRY(ash_tflite_take_list(c, 1, "the axes", &axes));
  c->op.input_count = 1;
  ash_tflite_put(c, ASH_INTS_ATTR("axes", axes.at, axes.count));
  ash_tflite_put_int(c, "keep_dims",
                     c->rule->options && ash_fb_bool(&c->options, 0, false));
  return ASH_OK;
}

ash_status ash_tflite_read_cumsum(ash_tflite_call *c) {
  ash_tflite_list axis;
  ASH_TRY(ash_tflite_take_list(c, 1, "the axis", &axis));
  c->op.input_count = 1;
  if (axis.count != 1)
    return ash_tflite_bad_options(c, "the number of axes", axis.count);
  ash_tflite_put_int(c, "axis", axis.at[0]);
  return ash_tflite_read_fields(c);
}

ash_status ash_tflite_read_concatenation(ash_tflite_call *c) {
  const int32_t rank = (int32_t)ash_tflite_shape_in(c, 0)->rank;
  const int32_t axis = ash_fb_i32(&c->options, 0, 0);
  if (axis < -rank || axis >= rank)
    return ash_tflite_bad_options(c, "the axis", axis);
  ash_tflite_put_int(c, "axis", axis < 0 ? axis + rank : axis);
  return ash_tflite_put_act(c, 1);
}

/* The new shape as the file asks for it, from a constant second input or from
 * the options. False when it is computed as the model runs, or not given. */
static bool wanted_shape(const ash_tflite_call *c, int64_t *wanted,
                         uint64_t *count) {
  const ash_tensor *given = ash_op_in(c->r->g, &c->op, 1);
  const ash_fb_vector option = ash_fb_vec(&c->options, 0, 4);
  *count = option.count;
  for (uint32_t i = 0; i < option.count && i < ASH_RANK_MAX; i++)
    wanted[i] = ash_fb_at_i32(&option, i);
  if (!given)
    return option.count > 0;
  if (given->kind != ASH_TENSOR_CONSTANT)
    return false;
  *count = ash_shape_elements(&given->shape);
  for (uint32_t i = 0; i < *count && i < ASH_RANK_MAX; i++)
    wanted[i] = ash_tensor_int(given, i);
  return true;
}

/* -1 stands for whatever is left. */
static bool shape_agrees(const ash_shape *out, const int64_t *wanted,
                         uint64_t count) {
  bool agrees = count == out->rank;
  for (uint32_t i = 0; agrees && i < out->rank; i++)
    agrees = wanted[i] == -1 || wanted[i] == out->dim[i];
  return agrees;
}

/* -1 is what is left of the input's elements; what does not divide them is
 * refused by the shape rule. */
static ash_status put_wanted(ash_tflite_call *c, const int64_t *wanted,
                             uint64_t count) {
  const uint64_t elements = ash_shape_elements(ash_tflite_shape_in(c, 0));
  ash_shape shape = {.rank = (uint32_t)count};
  uint64_t others = 1;
  if (count > ASH_RANK_MAX)
    return ash_tflite_bad_options(c, "the new shape's length", (int64_t)count);
  for (uint32_t i = 0; i < count; i++) {
    if (wanted[i] < -1 || wanted[i] > INT32_MAX)
      return ash_tflite_bad_options(c, "a new dimension", wanted[i]);
    others *= wanted[i] > 0 && others < UINT32_MAX ? (uint64_t)wanted[i] : 1;
  }
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t dim =
        wanted[i] < 0 ? elements / others : (uint64_t)wanted[i];
    if (dim > INT32_MAX)
      return ash_tflite_bad_options(c, "a new dimension", (int64_t)dim);
    shape.dim[i] = (int32_t)dim;
  }
  return ash_tflite_put_shape(c, 0, &shape);
}

/* The graph takes the declared shape of the output, so both must agree, unless
 * the file leaves it open. */
ash_status ash_tflite_read_reshape(ash_tflite_call *c) {
  int64_t wanted[ASH_RANK_MAX] = {0};
  uint64_t count;
  const ash_tensor *items = c->r->g->tensors.items;
  const bool given = wanted_shape(c, wanted, &count);
  c->op.input_count = 1;
  if (given)
    ASH_TRY(put_wanted(c, wanted, count));
  else if (ash_tflite_is_loose(c) &&
           !ash_tflite_has_shape(c->r, c->r->ops[c->index].outputs[0]))
    return ash_fail(c->r->ctx, ASH_UNSUPPORTED, ASH_D_tensor_dynamic,
                    ash_tflite_at_output(c, 0),
                    "the new shape is only known when the model runs");
  if (!given || shape_agrees(&items[c->op.outputs[0]].shape, wanted, count))
    return ASH_OK;
  return ash_fail(c->r->ctx, ASH_MALFORMED, ASH_D_op_options,
                  ash_tflite_at_output(c, 0),
                  "the new shape is not the shape of the output");
}

/* The next axis that is not 1, from axis i on; the rank if there is none. */
static uint32_t next_long(const ash_shape *s, uint32_t i) {
  while (i < s->rank && s->dim[i] == 1)
    i++;
  return i;
}

enum { EXPAND_DIMS = 70 };

/* The axis goes in front of one of the output's. */
static ash_status put_expanded(ash_tflite_call *c) {
  const ash_shape *in = ash_tflite_shape_in(c, 0);
  ash_tflite_list axis;
  ash_shape out = {.rank = in->rank + 1};
  ASH_TRY(ash_tflite_take_list(c, 1, "the axis", &axis));
  const int64_t at =
      axis.count == 1 && axis.at[0] < 0 ? axis.at[0] + out.rank : axis.at[0];
  if (axis.count != 1 || at < 0 || at >= out.rank || out.rank > ASH_RANK_MAX)
    return ash_tflite_bad_options(c, "the axis", at);
  for (uint32_t i = 0; i < out.rank; i++)
    out.dim[i] = i == at ? 1 : in->dim[i - (i > at)];
  return ash_tflite_put_shape(c, 0, &out);
}

/* Those that are listed, or all. */
static ash_status put_squeezed(ash_tflite_call *c) {
  const ash_shape *in = ash_tflite_shape_in(c, 0);
  const ash_fb_vector listed = ash_fb_vec(&c->options, 0, 4);
  ash_shape out = {0};
  uint32_t gone = 0;
  for (uint32_t i = 0; i < listed.count; i++) {
    const int32_t axis = ash_fb_at_i32(&listed, i);
    const int64_t at = axis < 0 ? (int64_t)axis + in->rank : axis;
    if (at < 0 || at >= in->rank || in->dim[at] != 1)
      return ash_tflite_bad_options(c, "an axis that is squeezed", axis);
    gone |= 1u << at;
  }
  for (uint32_t i = 0; i < in->rank; i++)
    if (listed.count ? !(gone >> i & 1) : in->dim[i] != 1)
      out.dim[out.rank++] = in->dim[i];
  return ash_tflite_put_shape(c, 0, &out);
}

/* SQUEEZE and EXPAND_DIMS: axes of 1 come and go, all others stay. */
ash_status ash_tflite_read_unit_axes(ash_tflite_call *c) {
  if (ash_tflite_is_loose(c))
    ASH_TRY(c->rule->code == EXPAND_DIMS ? put_expanded(c) : put_squeezed(c));
  const ash_shape *in = ash_tflite_shape_in(c, 0);
  const ash_shape *out = &ash_op_out(c->r->g, &c->op, 0)->shape;
  uint32_t i = next_long(in, 0), k = next_long(out, 0);
  while (i < in->rank && k < out->rank && in->dim[i] == out->dim[k]) {
    i = next_long(in, i + 1);
    k = next_long(out, k + 1);
  }
  c->op.input_count = 1;
  if (i == in->rank && k == out->rank)
    return ASH_OK;
  return ash_fail(c->r->ctx, ASH_MALFORMED, ASH_D_op_options,
                  ash_tflite_at_output(c, 0),
                  "input and output differ in more than axes of 1");
}

/* The number of elements is a constant input. */
ash_status ash_tflite_read_top_k(ash_tflite_call *c) {
  const ash_tensor *k = ash_op_in(c->r->g, &c->op, 1);
  if (!k || !k->data || ash_shape_elements(&k->shape) != 1)
    return ash_fail(c->r->ctx, ASH_UNSUPPORTED, ASH_D_op_options,
                    ash_tflite_at_input(c, 1), "k must be a constant");
  c->op.input_count = 1;
  ash_tflite_put_int(c, "k", ash_tensor_int(k, 0));
  ash_tflite_put_int(c, "axis", (int64_t)ash_tflite_shape_in(c, 0)->rank - 1);
  ash_tflite_put_int(c, "largest", 1);
  return ASH_OK;
}

/* int8 rows of EMBEDDING_LOOKUP become float: looked up as they are, then
 * dequantised. */
ash_status ash_tflite_read_lookup(ash_tflite_call *c) {
  ash_graph *g = c->r->g;
  if (!ash_op_in(g, &c->op, 0))
    return ASH_OK;
  const ash_tensor table = *ash_op_in(g, &c->op, 0);
  const ash_tensor *which = ash_op_in(g, &c->op, 1);
  ash_shape shape = table.shape;
  if (which && which->shape.rank == 1 && shape.rank > 0) {
    shape.dim[0] = which->shape.dim[0];
    ASH_TRY(ash_tflite_put_shape(c, 0, &shape));
  }
  ash_tensor rows = *ash_op_out(g, &c->op, 0);
  uint32_t codes, ignored;
  if (table.type == rows.type)
    return ASH_OK;
  if (table.quant.count != 1)
    return ash_fail(c->r->ctx, ASH_UNSUPPORTED, ASH_D_tensor_quant,
                    ash_tflite_at_input(c, 1), "the table needs one scale");
  rows.id = NULL;
  rows.type = table.type;
  rows.quant = table.quant;
  rows.is_output = false;
  ASH_TRY(ash_graph_add_tensor(g, &codes, rows));
  ash_op gather = c->op;
  gather.id =
      ash_zone_format(&c->r->ctx->scratch, "lookup_%s%u",
                      c->r->prefix ? c->r->prefix : "", (unsigned)c->index);
  gather.outputs = &codes;
  ASH_TRY(ash_zone_check(c->r->ctx, &c->r->ctx->scratch));
  ASH_TRY(ash_graph_add_op(g, &ignored, gather));
  c->op.kind = ASH_OP_dequantize;
  c->op.inputs[0] = codes;
  c->op.input_count = 1;
  return ASH_OK;
}

/* What the user says of the outputs must be what the file says, if it does. */
static ash_status put_outputs(ash_tflite_call *c, const ash_custom *own) {
  const ash_tflite_op *from = &c->r->ops[c->index];
  char said[ASH_SHAPE_TEXT], stored[128];
  if (own->output_count != from->output_count)
    return ash_fail(c->r->ctx, ASH_MALFORMED, ASH_D_custom_file,
                    ash_tflite_at_op(c->r, c->index),
                    "%.200s has %u outputs, the model's operator %u", own->file,
                    (unsigned)own->output_count, (unsigned)from->output_count);
  for (uint32_t k = 0; k < from->output_count; k++) {
    const ash_custom_output *o = &own->outputs[k];
    ash_tensor *t = &c->r->g->tensors.items[c->op.outputs[k]];
    if (o->type != t->type ||
        !ash_tflite_allows_shape(c->r, from->outputs[k], &o->shape, stored,
                                 sizeof stored))
      return ash_fail(c->r->ctx, ASH_MALFORMED, ASH_D_custom_file,
                      ash_tflite_at_output(c, k),
                      "%.200s has %s%s, the model %s%s", own->file,
                      ash_type_text(o->type), ash_shape_text(said, &o->shape),
                      ash_type_text(t->type), stored);
    t->shape = o->shape;
    if (!ash_shape_bytes(&t->bytes, &t->shape, t->type))
      return ash_fail(c->r->ctx, ASH_LIMIT, ASH_D_model_limit,
                      ash_tflite_at_output(c, k), "the output is too large");
  }
  return ASH_OK;
}

/* Nobody else knows what a custom operator makes. */
static ash_status need_shapes(const ash_tflite_call *c) {
  const ash_tflite_op *from = &c->r->ops[c->index];
  for (uint32_t k = 0; k < from->output_count; k++) {
    if (ash_tflite_has_shape(c->r, from->outputs[k]))
      continue;
    const ash_status got =
        ash_fail(c->r->ctx, ASH_UNSUPPORTED, ASH_D_tensor_dynamic,
                 ash_tflite_at_output(c, k),
                 "the file does not say the shape of output %u of custom "
                 "operator '%.200s'",
                 (unsigned)k, from->code->custom);
    ash_hint(c->r->ctx,
             "--custom FILE.yaml says it: name: %.100s, outputs: "
             "[ \"float32[1,10,4]\", .. ]",
             from->code->custom);
    return got;
  }
  return ASH_OK;
}

/* Work memory is one more output, which nobody reads. */
static ash_status put_scratch(ash_tflite_call *c, uint32_t bytes) {
  uint32_t id;
  if (bytes == 0)
    return ASH_OK;
  ASH_TRY(ash_graph_add_tensor(c->r->g, &id,
                               (ash_tensor){.name = "",
                                            .kind = ASH_TENSOR_ACTIVATION,
                                            .type = ASH_UINT8,
                                            .shape = {1, {(int32_t)bytes}},
                                            .file_byte = UINT64_MAX}));
  c->op.outputs[c->op.output_count++] = id;
  return ASH_OK;
}

static ash_status put_described(ash_tflite_call *c, const ash_custom *own) {
  ASH_TRY(own->outputs ? put_outputs(c, own) : need_shapes(c));
  if (own->in_place)
    ash_tflite_put_int(c, "in_place", 1);
  return put_scratch(c, own->scratch);
}

/* Name and options of an operator that is not TFLite's. */
ash_status ash_tflite_read_custom(ash_tflite_call *c) {
  static const char digits[] = "0123456789abcdef";
  const ash_tflite_op *from = &c->r->ops[c->index];
  const ash_custom *own = ash_customs_find(&c->r->customs, from->code->custom);
  ASH_ASSERT(own);
  ASH_TRY(put_described(c, own));
  const ash_fb_vector blob = ash_fb_blob(&from->table, OPERATOR_CUSTOM_OPTIONS);
  ash_zone *zone = &c->r->ctx->scratch;
  char *hex = ASH_NEW_ARRAY(zone, char, (size_t)blob.count * 2 + 1);
  ASH_TRY(ash_zone_check(c->r->ctx, zone));
  const uint8_t *bytes = c->r->bytes + blob.at;
  for (uint64_t i = 0; i < blob.count; i++) {
    hex[2 * i] = digits[bytes[i] >> 4];
    hex[2 * i + 1] = digits[bytes[i] & 15];
  }
  ash_tflite_put(c, ASH_STRING_ATTR("name", from->code->custom));
  ash_tflite_put(c, ASH_STRING_ATTR("options", hex));
  return ASH_OK;
}

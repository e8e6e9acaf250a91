/* shape_element.c - operators that work element by element, with or without
 * broadcasting, and softmax, which keeps its shape. */
#include "op/chain.h"
#include "op/functions.h"
#include "op/shape/shape_rule.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

ash_status ash_op_shape_same(const ash_rule *r) {
  *r->out = ash_op_in(r->g, r->op, 0)->shape;
  return ASH_OK;
}

static ash_status check_activation(const ash_rule *r) {
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_quants(r, 1));
  return ash_op_shape_same(r);
}

/* Fixed-point sums and differences are made with a number of extra bits; an
 * output finer than that has no meaning, and LiteRT refuses it as well. */
ash_status ash_op_shape_sum(const ash_rule *r) {
  if (!ash_op_is_scaled(r->g, r->op))
    return ASH_OK;
  const ash_tensor *a = ash_op_in(r->g, r->op, 0);
  const ash_tensor *b = ash_op_in(r->g, r->op, 1);
  const double out = (double)ash_op_out(r->g, r->op, 0)->quant.scale[0];
  const double coarse = 2 * (double)fmaxf(a->quant.scale[0], b->quant.scale[0]);
  const bool squared = ash_op_fn(r->op) == ASH_FN_squared_difference;
  if (squared ? coarse * coarse < 16384.0 * out : coarse < 1048576.0 * out)
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, quant, r->op->outputs[0],
                       "the output's scale is too fine for those of the "
                       "inputs");
}

/* One of two stored values is taken as it is, so all must mean the same. */
ash_status ash_op_shape_choice(const ash_rule *r) {
  const uint32_t y = r->op->outputs[0];
  const uint32_t first = ash_op_fn(r->op) == ASH_FN_select;
  for (uint32_t k = first; k < r->op->input_count; k++)
    if (ash_op_in(r->g, r->op, k)->quant.count &&
        r->g->tensors.items[y].quant.count)
      ASH_TRY(ash_rule_same_quant(r, r->op->inputs[k], y));
  return ASH_OK;
}

ash_status ash_op_shape_prelu(const ash_rule *r) {
  char slopes[ASH_SHAPE_TEXT], data[ASH_SHAPE_TEXT];
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  if (ash_shape_equal(in, r->out))
    return ASH_OK;
  return ASH_RULE_FAIL(
      r, ASH_MALFORMED, broadcast, r->op->inputs[1],
      "slopes of shape %s do not broadcast to %s",
      ash_shape_text(slopes, &ash_op_in(r->g, r->op, 1)->shape),
      ash_shape_text(data, in));
}

/* Operators in fixed point fix the quantisation of their 8-bit output: `steps`
 * a unit, within `tolerance` of it, and a zero point counted from the smallest
 * value of the type; ASH_ANY_ZERO where it does not matter. */
enum { ASH_ANY_ZERO = -1 };

static ash_status check_output(const ash_rule *r, float steps, float tolerance,
                               int32_t zero_from_min) {
  const ash_tensor *t = ash_op_out(r->g, r->op, 0);
  if (t->type == ASH_FLOAT32)
    return ASH_OK;
  const int32_t min = t->type == ASH_INT8 ? INT8_MIN : 0;
  if (t->type == ASH_INT16) { /* from 0 on, in the steps of 15 bits */
    steps *= 128;
    zero_from_min = 0;
  }
  if (fabsf(t->quant.scale[0] - 1 / steps) > tolerance / steps)
    return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, quant, r->op->outputs[0],
                         "the output of %s has another scale, expected 1/%d",
                         ash_op_text(r->op), (int)steps);
  if (zero_from_min == ASH_ANY_ZERO ||
      t->quant.zero_point[0] == min + zero_from_min)
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, quant, r->op->outputs[0],
                       "zero point %" PRId32 ", expected %" PRId32,
                       t->quant.zero_point[0], min + zero_from_min);
}

ash_status ash_op_shape_logistic(const ash_rule *r) {
  return check_output(r, 256, 0, ASH_ANY_ZERO);
}

/* Exponents are brought to 26 fractional bits, where they must not vanish. */
static ash_status check_exponent(const ash_rule *r, double beta) {
  const ash_tensor *in = ash_op_in(r->g, r->op, 0);
  if (in->type == ASH_FLOAT32 || in->type == ASH_INT16 ||
      beta * (double)in->quant.scale[0] * 67108864.0 > 1.0)
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, attr, r->op->inputs[0],
                       "beta times scale is not above 2^-26");
}

/* int8 may become int16: probabilities in 1/65536, from -32768 on. */
static ash_status check_widened(const ash_rule *r) {
  const ash_tensor *t = ash_op_out(r->g, r->op, 0);
  ASH_TRY(ash_rule_type(r, r->op->outputs[0], ASH_T(INT16)));
  ASH_TRY(ash_rule_quants(r, 1));
  if (fabsf(t->quant.scale[0] - 0x1p-16f) > 0x1p-26f ||
      t->quant.zero_point[0] != INT16_MIN)
    return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, quant, r->op->outputs[0],
                         "the output of softmax has another scale or zero "
                         "point, expected 1/65536 and -32768");
  return ash_op_shape_same(r);
}

ash_status ash_op_shape_softmax(const ash_rule *r) {
  const ash_type in = ash_op_in(r->g, r->op, 0)->type;
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 1, ASH_RANK_MAX));
  if (in == ASH_INT8 && ash_op_out(r->g, r->op, 0)->type == ASH_INT16) {
    ASH_TRY(check_widened(r));
    return check_exponent(r, ash_attr_float(r->op, "beta", 1.0));
  }
  ASH_TRY(check_activation(r));
  ASH_TRY(check_output(r, 256, 0.001f, 0));
  return check_exponent(r, ash_attr_float(r->op, "beta", 1.0));
}

/* 256 results of the type of the data. */
ash_status ash_op_shape_lookup(const ash_rule *r) {
  const ash_tensor *in = ash_op_in(r->g, r->op, 0), *table;
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_constant(r, 1, "results", 1u << in->type, &table));
  if (table->shape.rank != 1 || table->shape.dim[0] != 256)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, elements, r->op->inputs[1],
                         "a table of another number of entries than 256");
  return ash_op_shape_same(r);
}

ash_status ash_op_shape_log_softmax(const ash_rule *r) {
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 1, ASH_RANK_MAX));
  ASH_TRY(check_activation(r));
  ASH_TRY(check_output(r, 16, 0, 255));
  return check_exponent(r, 1.0);
}

ash_status ash_op_shape_l2_normalization(const ash_rule *r) {
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 1, ASH_RANK_MAX));
  ASH_TRY(check_activation(r));
  if (strcmp(ash_attr_string(r->op, "act", "none"), "none") != 0)
    return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, act, ASH_NO_ID,
                         "fused activation %s, expected none",
                         ash_attr_string(r->op, "act", "none"));
  return check_output(r, 128, 0, 128);
}

/* Its 16-bit arithmetic has room for outputs up to 128 times finer. */
ash_status ash_op_shape_hard_swish(const ash_rule *r) {
  const ash_tensor *in = ash_op_in(r->g, r->op, 0);
  const ash_tensor *out = ash_op_out(r->g, r->op, 0);
  if (in->type == ASH_FLOAT32 ||
      in->quant.scale[0] < 127.0f * out->quant.scale[0])
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, quant, r->op->outputs[0],
                       "the output's scale is more than 127 times finer than "
                       "the input's");
}

ash_status ash_op_shape_quantize(const ash_rule *r) {
  ASH_TRY(ash_rule_type(r, r->op->outputs[0], ASH_T_QUANT | ASH_T(INT32)));
  ASH_TRY(ash_rule_quants(r, 1));
  return ash_op_shape_same(r);
}

ash_status ash_op_shape_dequantize(const ash_rule *r) {
  ASH_TRY(ash_rule_type(r, r->op->outputs[0], ASH_T(FLOAT32)));
  const ash_tensor *in = ash_op_in(r->g, r->op, 0);
  if (in->quant.count <= 1) /* per channel: the verifier counted the scales */
    ASH_TRY(ash_rule_quants(r, 1));
  return ash_op_shape_same(r);
}

/* ---- map and chain ------------------------------------------------------ */

static ash_status check_map_types(const ash_rule *r, ash_fn fn) {
  ash_type in[ASH_FN_OPERANDS] = {ASH_NONE};
  const uint32_t count = ash_fn_operands(fn);
  for (uint32_t k = 0; k < count; k++) {
    ASH_TRY(ash_rule_type(r, r->op->inputs[k], ash_fn_wants(fn, in, k)));
    in[k] = ash_op_in(r->g, r->op, k)->type;
  }
  return ash_rule_type(r, r->op->outputs[0], ash_fn_wants(fn, in, count));
}

static ash_status check_operands(const ash_rule *r) {
  for (uint32_t k = 0; k < r->op->input_count; k++) {
    const ash_tensor *t;
    ASH_TRY(ash_rule_input(r, k, "operand", &t));
  }
  return ash_rule_bytes(r);
}

static ash_status broadcast_operands(const ash_rule *r, uint32_t count) {
  *r->out = ash_op_in(r->g, r->op, 0)->shape;
  for (uint32_t k = 1; k < count; k++) {
    const ash_shape so_far = *r->out;
    ASH_TRY(ash_rule_broadcast(r, &so_far, &ash_op_in(r->g, r->op, k)->shape,
                               r->out));
  }
  return ASH_OK;
}

/* From scale to scale, in one type. */
static ash_status check_scaled(const ash_rule *r, ash_fn fn) {
  const uint32_t count = ash_fn_operands(fn);
  if (ash_fn_result_of(fn) != ASH_FN_BOOL)
    ASH_TRY(ash_rule_one_type(r, count));
  ASH_TRY(ash_rule_quants(r, count));
  return ash_rule_act(r);
}

/* Only floats have activations among values that are not quantised. */
static ash_status check_stored(const ash_rule *r) {
  const char *act = ash_attr_string(r->op, "act", "none");
  if (ash_op_in(r->g, r->op, 0)->type == ASH_FLOAT32)
    return ash_rule_act(r);
  return strcmp(act, "none") == 0
             ? ASH_OK
             : ASH_RULE_FAIL(r, ASH_UNSUPPORTED, act, ASH_NO_ID,
                             "fused activation %s on integers", act);
}

ash_status ash_op_shape_map(const ash_rule *r) {
  const ash_fn fn = ash_op_fn(r->op);
  if (fn == ASH_FN_COUNT)
    return ash_rule_no_function(r);
  const bool scaled = ash_op_is_scaled(r->g, r->op);
  if (r->op->input_count != ash_fn_operands(fn) && /* or a table more */
      !(scaled && r->op->input_count == ash_fn_operands(fn) + 1))
    return ASH_RULE_FAIL(r, ASH_MALFORMED, input, ASH_NO_ID,
                         "%s has %u operands, not %u", ash_fn_text(fn),
                         (unsigned)ash_fn_operands(fn),
                         (unsigned)r->op->input_count);
  ASH_TRY(check_operands(r));
  ASH_TRY(check_map_types(r, fn));
  ASH_TRY(scaled ? check_scaled(r, fn) : check_stored(r));
  return broadcast_operands(r, ash_fn_operands(fn));
}

ash_status ash_op_shape_chain(const ash_rule *r) {
  ash_chain chain;
  uint32_t stage;
  if (r->op->input_count > ASH_CHAIN_INPUTS)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, input, ASH_NO_ID,
                         "a chain has at most %d operands, not %u",
                         (int)ASH_CHAIN_INPUTS, (unsigned)r->op->input_count);
  ASH_TRY(check_operands(r));
  if (!ash_chain_read(&chain, r->g, r->op, &stage))
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID,
                         "stage %u of the code is no function of its operands "
                         "(TYPE FUNCTION OPERAND.., stages separated by ';')",
                         (unsigned)stage);
  ASH_TRY(ash_rule_type(r, r->op->outputs[0],
                        1u << chain.stages[chain.count - 1].type));
  return broadcast_operands(r, r->op->input_count);
}

/* Folds see all of a row: what they fold is as long as the result's rows, which
 * the last stage makes all of. */
static ash_status check_rows(const ash_rule *r, const ash_chain *chain) {
  bool narrow[ASH_CHAIN_STAGES];
  const int32_t row = r->out->rank ? r->out->dim[r->out->rank - 1] : 1;
  ash_chain_narrow(narrow, chain, r->g, r->op);
  for (uint32_t k = 0; k < chain->count; k++) {
    const ash_chain_arg *a = &chain->stages[k].args[0];
    const ash_shape *in = a->source == ASH_CHAIN_INPUT
                              ? &ash_op_in(r->g, r->op, a->index)->shape
                              : NULL;
    const bool wide =
        in ? in->rank && in->dim[in->rank - 1] == row : !narrow[a->index];
    if (chain->stages[k].folds && !wide)
      return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID,
                           "stage %u folds what has one value a row",
                           (unsigned)k);
  }
  if (r->out->rank == 0 || row == 1 || narrow[chain->count - 1])
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID,
                         "the last stage has one value a row");
  return ASH_OK;
}

ash_status ash_op_shape_row_chain(const ash_rule *r) {
  ash_chain chain;
  uint32_t stage;
  ASH_TRY(ash_op_shape_chain(r));
  (void)ash_chain_read(&chain, r->g, r->op, &stage);
  return check_rows(r, &chain);
}

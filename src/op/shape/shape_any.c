/* shape_any.c - rules of the general forms: map, chain, fold, cumsum and
 * top_k. */
#include "op/chain.h"
#include "op/shape/shape_rule.h"
#include "op/sums.h"

#include <string.h>

static ash_status no_function(const ash_rule *r) {
  return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID,
                       "no function is called '%s'",
                       ash_attr_string(r->op, "fn", ""));
}

/* Types that one loop can treat: whole bytes each. */
static ash_status check_whole_bytes(const ash_rule *r) {
  const uint32_t types = ASH_T_ANY & ~(ASH_T(INT4) | ASH_T(UINT4));
  for (uint32_t k = 0; k < r->op->input_count; k++)
    ASH_TRY(ash_rule_type(r, r->op->inputs[k], types));
  return ASH_OK;
}

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
  return check_whole_bytes(r);
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
    return no_function(r);
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

static bool finds_index(ash_fold fold) {
  return fold >= ASH_FOLD_ARG_MAX;
}

/* Quantised values are rescaled or taken as they are. */
static ash_status check_fold_quants(const ash_rule *r, ash_fold fold) {
  const uint32_t x = r->op->inputs[0], y = r->op->outputs[0];
  if (ash_op_rescales(r->g, r->op)) {
    ASH_TRY(ash_rule_one_type(r, 1));
    return ash_rule_quants(r, 1);
  }
  const bool both = r->g->tensors.items[x].quant.count != 0 &&
                    r->g->tensors.items[y].quant.count != 0;
  return both && (fold == ASH_FOLD_MAX || fold == ASH_FOLD_MIN)
             ? ash_rule_same_quant(r, x, y)
             : ASH_OK;
}

ash_status ash_op_shape_fold(const ash_rule *r) {
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  const ash_fold fold = ash_op_fold(r->op);
  const bool keep = ash_attr_int(r->op, "keep_dims", 0) != 0;
  if (fold == ASH_FOLD_COUNT)
    return no_function(r);
  ASH_TRY(check_whole_bytes(r));
  ASH_TRY(ash_rule_type(r, r->op->outputs[0],
                        finds_index(fold)
                            ? ASH_T_INDEX
                            : ash_types_like(ash_op_in(r->g, r->op, 0)->type)));
  if (fold == ASH_FOLD_ANY || fold == ASH_FOLD_ALL)
    ASH_TRY(ash_rule_type(r, r->op->inputs[0], ASH_T(BOOL)));
  ASH_TRY(check_fold_quants(r, fold));
  const ash_attr *axes = ash_attr_find(r->op, "axes");
  for (uint32_t i = 0; axes && i < axes->count; i++) {
    uint32_t axis;
    ASH_TRY(ash_rule_axis(r, r->op->inputs[0], axes->ints[i], in->rank, &axis));
  }
  const uint32_t folded = ash_op_folded(r->op, in->rank);
  if (finds_index(fold) && (folded == 0 || (folded & (folded - 1))))
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID,
                         "%s works along one axis", ash_fold_text(fold));
  *r->out = (ash_shape){0};
  for (uint32_t i = 0; i < in->rank; i++)
    if (!(folded >> i & 1))
      r->out->dim[r->out->rank++] = in->dim[i];
    else if (keep)
      r->out->dim[r->out->rank++] = 1;
  return ASH_OK;
}

ash_status ash_op_shape_cumsum(const ash_rule *r) {
  uint32_t axis;
  ASH_TRY(check_whole_bytes(r));
  ASH_TRY(ash_rule_one_type(r, 1));
  *r->out = ash_op_in(r->g, r->op, 0)->shape;
  return ash_rule_axis(r, r->op->inputs[0], ash_attr_int(r->op, "axis", 0),
                       r->out->rank, &axis);
}

ash_status ash_op_shape_top_k(const ash_rule *r) {
  const ash_tensor *in = ash_op_in(r->g, r->op, 0);
  uint32_t axis;
  int64_t k;
  ASH_TRY(check_whole_bytes(r));
  ASH_TRY(ash_rule_type(r, r->op->outputs[0], 1u << in->type));
  ASH_TRY(ash_rule_type(r, r->op->outputs[1], ASH_T_INDEX));
  ASH_TRY(ash_rule_axis(r, r->op->inputs[0], ash_attr_int(r->op, "axis", 0),
                        in->shape.rank, &axis));
  ASH_TRY(ash_rule_int(r, "k", 0, 1, &k));
  if (k > in->shape.dim[axis])
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID,
                         "more elements are wanted than the axis has");
  r->out[0] = in->shape;
  r->out[0].dim[axis] = (int32_t)k;
  r->out[1] = r->out[0];
  return ASH_OK;
}

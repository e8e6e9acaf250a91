/* call_attention.c - attention: sizes, steps and scales. */
#include "emit/call/call_write.h"
#include "op/attention.h"

/* Elements from one position of axis d of the scores to the next, in an operand
 * that is broadcast to them. */
static int32_t step_of(const ash_shape *s, uint32_t rank, uint32_t d) {
  const uint32_t missing = rank - s->rank;
  int32_t step = 1;
  ASH_ASSERT(s->rank <= rank && d < rank);
  if (d < missing || s->dim[d - missing] == 1)
    return 0;
  for (uint32_t i = d - missing + 1; i < s->rank; i++)
    step *= s->dim[i];
  return step;
}

/* Along the axes before the matrices; of an absent operand, none. */
static void put_steps(const ash_call *c, const char *name, uint32_t k) {
  const ash_tensor *t = ash_call_in(c, k);
  const uint32_t rank = ash_call_out(c)->shape.rank;
  int32_t steps[ASH_RANK_MAX] = {0};
  ASH_ASSERT(rank >= 2 && rank - 2 <= ASH_KERNEL_RANK);
  for (uint32_t d = 0; t && d + 2 < rank; d++)
    steps[d] = step_of(&t->shape, rank, d);
  ash_call_ints(c, name, steps, rank > 2 ? rank - 2 : 1);
}

static void put_mask(const ash_call *c, uint32_t k, const char *row,
                     const char *key) {
  const ash_tensor *t = ash_call_in(c, k);
  const uint32_t rank = ash_call_out(c)->shape.rank;
  ASH_ASSERT(rank >= 2);
  ash_call_int(c, row, t ? step_of(&t->shape, rank, rank - 2) : 0);
  ash_call_int(c, key, t ? step_of(&t->shape, rank, rank - 1) : 0);
}

static void put_shape(const ash_call *c) {
  const ash_attention a = ash_attention_of(c->graph, ash_call_op(c));
  const int32_t one[] = {1};
  ASH_ASSERT(a.axes <= ASH_KERNEL_RANK);
  ash_call_open_field(c, "shape");
  ash_call_int(c, "axes", a.axes);
  ash_call_ints(c, "dim", a.axes ? ash_call_out(c)->shape.dim : one,
                a.axes ? a.axes : 1);
  put_steps(c, "step_k", ASH_ATTENTION_K);
  put_steps(c, "step_v", ASH_ATTENTION_V);
  put_steps(c, "step_bias", ASH_ATTENTION_BIAS);
  put_steps(c, "step_keep", ASH_ATTENTION_KEEP);
  ash_call_int(c, "group", a.group);
  ash_call_int(c, "rows", a.rows);
  ash_call_int(c, "keys", a.keys);
  ash_call_int(c, "depth", a.depth);
  ash_call_int(c, "columns", a.columns);
  ash_call_int(c, "k_key", a.turned ? 1 : a.depth);
  ash_call_int(c, "k_depth", a.turned ? a.keys : 1);
  put_mask(c, ASH_ATTENTION_BIAS, "bias_row", "bias_key");
  put_mask(c, ASH_ATTENTION_KEEP, "keep_row", "keep_key");
  ash_call_close_field(c);
}

static void put_float(const ash_call *c) {
  const ash_op *op = ash_call_op(c);
  ASH_ASSERT(op->kind == ASH_OP_attention);
  ash_call_float(c, "factor", (float)ash_attr_float(op, "factor", 1.0));
  ash_call_float(c, "divisor", (float)ash_attr_float(op, "divisor", 1.0));
  ash_call_float(c, "filler", (float)ash_attr_float(op, "filler", 0.0));
  ash_call_float(c, "beta", (float)ash_attr_float(op, "beta", 1.0));
  ash_call_int(c, "kept", ash_attr_int(op, "keep", 1) != 0);
}

static void put_quantised(const ash_call *c) {
  const ash_op *op = ash_call_op(c);
  ash_scaling scores, result;
  const bool good = ash_quant_attention(&scores, &result, c->graph, op);
  ASH_ASSERT(good);
  ash_call_int(c, "q_offset", -ash_quant_zero(ash_call_in(c, 0)));
  ash_call_int(c, "k_offset", -ash_quant_zero(ash_call_in(c, 1)));
  ash_call_int(c, "v_offset", -ash_quant_zero(ash_call_in(c, 2)));
  ash_call_int(c, "out_offset", ash_quant_zero(ash_call_out(c)));
  ash_call_int(c, "score_multiplier", scores.multiplier);
  ash_call_int(c, "score_shift", scores.shift);
  ash_call_int(c, "score_offset", ash_attr_int(op, "score_zero", 0));
  ash_call_int(c, "multiplier", result.multiplier);
  ash_call_int(c, "shift", result.shift);
}

void ash_call_attention(const ash_call *c) {
  ash_call_open(c, c->kernel->params_name);
  put_shape(c);
  if (ash_call_out(c)->type == ASH_FLOAT32)
    put_float(c);
  else
    put_quantised(c);
  ash_call_close(c);
  ash_call_invoke(c);
}

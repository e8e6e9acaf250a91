/* ranges_relate.c - what follows from two operands that are made of the same
 * tensor, where their ranges alone say less:
 *
 *   x - max(x) <= 0       x * x >= 0       0 <= e * c / sum(e) <= c, e >= 0 */
#include "pass/narrow/ranges_relate.h"
#include "pass/narrow/ranges.h"

/* The map or fold that makes `t`, with that function. */
static const ash_op *made_by(const ash_relations *m, uint32_t t,
                             ash_op_kind kind) {
  const uint32_t w = t == ASH_NO_ID ? ASH_NO_ID : m->writer[t];
  return w != ASH_NO_ID && m->g->ops.items[w].kind == kind ? &m->g->ops.items[w]
                                                           : NULL;
}

/* Is `t` that fold of `of`, spread over it again when both meet? */
static bool is_fold(const ash_relations *m, uint32_t t, ash_fold fold,
                    uint32_t of) {
  const ash_op *o = made_by(m, t, ASH_OP_reduce);
  return o && ash_op_fold(o) == fold && o->inputs[0] == of &&
         (ash_attr_int(o, "keep_dims", 0) != 0 ||
          m->g->tensors.items[t].shape.rank == 0);
}

static ash_range below(ash_range r, int64_t high) {
  r.high = r.high < high ? r.high : high;
  return r;
}

static ash_range above(ash_range r, int64_t low) {
  r.low = r.low > low ? r.low : low;
  return r;
}

static ash_range difference(const ash_relations *m, const ash_op *op,
                            ash_range r) {
  const uint32_t a = op->inputs[0], b = op->inputs[1];
  if (a == b || is_fold(m, b, ASH_FOLD_MAX, a) ||
      is_fold(m, a, ASH_FOLD_MIN, b))
    r = below(r, 0);
  if (a == b || is_fold(m, b, ASH_FOLD_MIN, a) ||
      is_fold(m, a, ASH_FOLD_MAX, b))
    r = above(r, 0);
  return r;
}

/* Nothing was cut off by the type: the value is the sum, or the product. */
static bool fits(const ash_relations *m, ash_range r, uint32_t t) {
  const ash_type type = m->g->tensors.items[t].type;
  return ash_range_fits(&r, type == ASH_FLOAT32 ? ASH_INT32 : type);
}

/* A share of a sum: e / sum(e), or e * c / sum(e). */
static ash_range quotient(const ash_relations *m, const ash_op *op,
                          ash_range r) {
  const uint32_t a = op->inputs[0], b = op->inputs[1];
  const ash_op *sum = made_by(m, b, ASH_OP_reduce);
  const ash_op *product = made_by(m, a, ASH_OP_map);
  if (!sum || !is_fold(m, b, ASH_FOLD_SUM, sum->inputs[0]))
    return r;
  const uint32_t e = sum->inputs[0];
  const uint64_t count = ash_shape_elements(&m->g->tensors.items[e].shape) /
                         ash_shape_elements(&m->g->tensors.items[b].shape);
  if (!m->ranges[e].known || m->ranges[e].low < 0 ||
      !fits(m, ash_range_sum(m->ranges[e], count), b))
    return r;
  if (a == e)
    return above(below(r, 1), 0);
  if (!product || ash_op_fn(product) != ASH_FN_mul || product->inputs[0] != e ||
      product->inputs[1] == e)
    return r;
  const ash_range c = m->ranges[product->inputs[1]];
  if (!c.known || c.low < 0 || !fits(m, ash_range_times(m->ranges[e], c), a))
    return r;
  return above(below(r, c.high), 0);
}

ash_range ash_range_relate(const ash_relations *m, const ash_op *op,
                           ash_range r) {
  if (!r.known || op->kind != ASH_OP_map || op->input_count != 2 ||
      !fits(m, r, op->outputs[0]))
    return r;
  switch (ash_op_fn(op)) {
  case ASH_FN_sub:
    return difference(m, op, r);
  case ASH_FN_mul: {
    const ash_range size =
        ash_range_apply(ASH_FN_abs, &m->ranges[op->inputs[0]]);
    return op->inputs[0] == op->inputs[1] ? ash_range_times(size, size) : r;
  }
  case ASH_FN_div:
    return quotient(m, op, r);
  default:
    return r;
  }
}

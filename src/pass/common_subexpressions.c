/* common_subexpressions.c - what is computed twice is computed once.
 *
 *   a = relu(x); b = relu(x); y = a + b     ->     a = relu(x); y = a + a */
#include "pass/pass.h"

#include "pass/uses.h"

#include <string.h>

enum { WINDOW = 64 }; /* how many operators back are looked at */

/* As an integer: NaN equals itself, 0 does not equal -0. */
static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static bool same_attr(const ash_attr *a, const ash_attr *b) {
  if (strcmp(a->name, b->name) != 0 || a->kind != b->kind || a->i != b->i ||
      a->count != b->count || bits_of(a->f) != bits_of(b->f) ||
      !a->s != !b->s || (a->s && strcmp(a->s, b->s) != 0))
    return false;
  return a->count == 0 ||
         memcmp(a->ints, b->ints, a->count * sizeof *a->ints) == 0;
}

/* Outputs must mean the same: type, shape, scale. */
static bool same_output(const ash_tensor *a, const ash_tensor *b) {
  if (a->type != b->type || !ash_shape_equal(&a->shape, &b->shape) ||
      a->quant.count != b->quant.count)
    return false;
  for (uint32_t i = 0; i < a->quant.count; i++)
    if (a->quant.scale[i] != b->quant.scale[i] ||
        a->quant.zero_point[i] != b->quant.zero_point[i])
      return false;
  return true;
}

static bool same_op(const ash_graph *g, const ash_op *a, const ash_op *b) {
  if (a->kind != b->kind || a->input_count != b->input_count ||
      a->output_count != b->output_count || a->attr_count != b->attr_count ||
      a->kind == ASH_OP_custom || ash_graph_has_effect(g, a) ||
      ash_graph_has_effect(g, b))
    return false;
  for (uint32_t k = 0; k < a->input_count; k++)
    if (a->inputs[k] != b->inputs[k] ||
        (ash_op_in(g, a, k) && ash_op_in(g, a, k)->kind == ASH_TENSOR_VARIABLE))
      return false;
  for (uint32_t k = 0; k < a->attr_count; k++)
    if (!same_attr(&a->attrs[k], &b->attrs[k]))
      return false;
  for (uint32_t k = 0; k < a->output_count; k++)
    if (!same_output(ash_op_out(g, a, k), ash_op_out(g, b, k)))
      return false;
  return true;
}

static bool makes_output(const ash_graph *g, const ash_op *o) {
  for (uint32_t k = 0; k < o->output_count; k++)
    if (ash_op_out(g, o, k)->is_output)
      return true;
  return false;
}

static void replace(ash_graph *g, uint32_t from, uint32_t old, uint32_t new) {
  for (size_t i = from; i < g->op_count; i++)
    for (uint32_t k = 0; k < g->ops.items[i].input_count; k++)
      if (g->ops.items[i].inputs[k] == old)
        g->ops.items[i].inputs[k] = new;
}

static void join(ash_graph *g, const ash_uses *uses, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  if (makes_output(g, o))
    return;
  for (uint32_t i = op; i-- > 0 && op - i <= WINDOW;) {
    const ash_op *twin = &g->ops.items[i];
    if (uses->drop[i] || !same_op(g, twin, o))
      continue;
    for (uint32_t k = 0; k < o->output_count; k++)
      replace(g, op + 1, o->outputs[k], twin->outputs[k]);
    uses->drop[op] = true;
    return;
  }
}

ash_status ash_pass_cse(ash_ctx *ctx, ash_graph *g) {
  ash_uses uses;
  ASH_TRY(ash_uses_of(ctx, &uses, g));
  for (uint32_t op = 0; op < g->op_count; op++)
    join(g, &uses, op);
  return ash_uses_drop(g, &uses);
}

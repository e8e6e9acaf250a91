/* constants.c - operators on constants are computed now, by the reference.
 *
 *   y = add(2, 3)     ->     y = 5
 *
 * Unless that would make the model larger: weights that are stored small stay
 * so. */
#include "pass/pass.h"

#include "pass/uses.h"
#include "ref/ref.h"

enum { SMALL = 4096 }; /* bytes that a result may always take */

static bool is_foldable(const ash_graph *g, const ash_op *o) {
  uint64_t in = 0, out = 0;
  if (!ash_ref_knows(o->kind) || o->input_count == 0 ||
      ash_graph_has_effect(g, o))
    return false;
  for (uint32_t k = 0; k < o->input_count; k++) {
    const ash_tensor *t = ash_op_in(g, o, k);
    if (t && (t->kind != ASH_TENSOR_CONSTANT || !t->data))
      return false;
    in += t ? t->bytes : 0;
  }
  for (uint32_t k = 0; k < o->output_count; k++) {
    if (ash_op_out(g, o, k)->kind != ASH_TENSOR_ACTIVATION ||
        ash_op_out(g, o, k)->is_output)
      return false;
    out += ash_op_out(g, o, k)->bytes;
  }
  return out <= SMALL || out <= in;
}

ash_status ash_pass_constants(ash_ctx *ctx, ash_graph *g) {
  ash_uses uses;
  ASH_TRY(ash_uses_of(ctx, &uses, g));
  for (uint32_t op = 0; op < g->op_count; op++) {
    if (!is_foldable(g, &g->ops.items[op]))
      continue;
    const ash_mark mark = ash_zone_mark(&ctx->scratch);
    const ash_status status = ash_ref_compute(ctx, g, op);
    ash_zone_rewind(&ctx->scratch, mark);
    ASH_TRY(status);
    uses.drop[op] = true;
  }
  return ash_uses_drop(g, &uses);
}

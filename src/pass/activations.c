/* activations.c - a rectifier becomes part of the operator before it.
 *
 *   t = conv_2d(x, w); y = relu(t)     ->     y = conv_2d(x, w) act="relu"
 *
 * In float32 alone: integers are rounded to the scale in between. A view
 * between the two stays after the operator. */
#include "pass/pass.h"

#include "op/functions.h"
#include "pass/uses.h"

#include <string.h>

static bool is_rectifier(const ash_graph *g, const ash_op *o) {
  const ash_fn fn = o->kind == ASH_OP_map ? ash_op_fn(o) : ASH_FN_COUNT;
  return (fn == ASH_FN_relu || fn == ASH_FN_relu6 ||
          fn == ASH_FN_relu_n1_to_1) &&
         ash_op_in(g, o, 0)->type == ASH_FLOAT32;
}

/* The operator whose results the rectifier changes, all of them and only
 * these; `view` is the one between, or none. */
static uint32_t find_before(const ash_graph *g, const ash_uses *uses,
                            const ash_op *o, uint32_t *view) {
  const uint32_t before = ash_uses_only(uses, o->inputs[0]);
  *view = ASH_NO_ID;
  if (before == ASH_NO_ID || g->ops.items[before].kind != ASH_OP_reshape)
    return before;
  *view = before;
  return ash_uses_only(uses, g->ops.items[before].inputs[0]);
}

ash_status ash_pass_activations(ash_ctx *ctx, ash_graph *g) {
  ash_uses uses;
  ASH_TRY(ash_uses_of(ctx, &uses, g));
  for (uint32_t i = 0; i < g->op_count; i++) {
    const ash_op *o = &g->ops.items[i];
    if (!is_rectifier(g, o))
      continue;
    uint32_t view;
    const uint32_t before = find_before(g, &uses, o, &view);
    if (before == ASH_NO_ID || uses.drop[before])
      continue;
    ash_op *p = &g->ops.items[before];
    if (!ash_op_rectifies(p) || p->output_count != 1 ||
        strcmp(ash_attr_string(p, "act", "none"), "none") != 0)
      continue;
    ASH_TRY(
        ash_graph_set_attr(g, before, ASH_STRING_ATTR("act", ash_op_text(o))));
    const uint32_t last = view == ASH_NO_ID ? before : view;
    g->ops.items[last].outputs[0] = o->outputs[0];
    uses.writer[o->outputs[0]] = last;
    uses.drop[i] = true;
  }
  return ash_uses_drop(g, &uses);
}
